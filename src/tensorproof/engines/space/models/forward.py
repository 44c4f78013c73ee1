"""The forward part of a training graph of TensorFlow. Gradients and updates are made anew with the model: where it runs they do, and the sizes that the
file holds for them are those of the model as it was saved."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tensorproof.graph import Graph, Node
from tensorproof.terms.records import replace

_GRADIENTS = re.compile(r"(?:^|/)gradients(?:_\d+)?/")
_UPDATES = re.compile(r"NoOp|(?:Resource)?(?:Sparse)?Apply\w*|Assign\w*|(?:Resource)?Scatter\w*|\w*Summary\w*")


def forward(graph: Graph) -> tuple[Graph, list[str]]:
    """The graph without gradients and what is computed from them, and the nodes that end there although they update nothing."""
    if graph.framework != "graphdef":
        return graph, []
    dropped = {name for name in graph.nodes if _GRADIENTS.search(name)}
    if not dropped:
        return graph, []
    _follow(graph.nodes, dropped)
    kept = {name: _without(node, dropped) for name, node in graph.nodes.items() if name not in dropped}
    read = {edge.node for node in graph.nodes.values() for edge in node.inputs if edge is not None}
    ends = [name for name in graph.nodes if name in dropped and name not in read and not _GRADIENTS.search(name)]
    outputs = tuple(edge for edge in graph.outputs if edge.node not in dropped)
    return replace(graph, nodes=kept, outputs=outputs, output_names=()), [name for name in ends if not _UPDATES.fullmatch(graph.nodes[name].spelling)]


def _follow(nodes: Mapping[str, Node], dropped: set[str]) -> None:
    """Add what is computed from the nodes that are dropped."""
    readers: dict[str, list[str]] = {}
    for node in nodes.values():
        for edge in node.inputs:
            if edge is not None:
                readers.setdefault(edge.node, []).append(node.name)
    pending = list(dropped)
    while pending:
        for reader in readers.get(pending.pop(), ()):
            if reader not in dropped:
                dropped.add(reader)
                pending.append(reader)


def _without(node: Node, dropped: set[str]) -> Node:
    control = tuple(name for name in node.control if name not in dropped)
    return node if len(control) == len(node.control) else replace(node, control=control)
