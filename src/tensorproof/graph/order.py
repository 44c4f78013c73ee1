"""The order in which a graph's nodes can be looked at. Loops are cut where a value goes round: at the edge from `NextIteration`."""

from __future__ import annotations

from collections import deque

from tensorproof.graph.graph import Graph, Node

_BACK_EDGE = ("NextIteration", "RefNextIteration")


def is_back_edge(graph: Graph, source: str) -> bool:
    """Whether an edge from this node closes a loop."""
    node = graph.nodes.get(source)
    return node is not None and node.spelling in _BACK_EDGE


def reads(node: Node) -> set[str]:
    """The nodes that a node reads: its inputs, and what the graphs that it holds (ONNX) read from around them."""
    found = {edge.node for edge in node.inputs if edge is not None}
    if node.framework == "graphdef":  # its graphs are functions, which read what they are given
        return found
    for held in node.attributes.values():
        for graph in held if isinstance(held, tuple) else (held,):
            if isinstance(graph, Graph):
                inside = {source for inner in graph.nodes.values() for source in reads(inner)} | {edge.node for edge in graph.outputs}
                found |= inside - graph.nodes.keys()
    return found


def topological(graph: Graph) -> tuple[list[str], list[str]]:
    """Names of nodes, each after those it reads; and of those that wait for each other in a circle, which no valid file has."""
    nodes = graph.nodes
    waiting: dict[str, int] = {}
    readers: dict[str, list[str]] = {}
    back_edges = {name for name, node in nodes.items() if node.spelling in _BACK_EDGE}
    for name, node in nodes.items():
        sources = (reads(node) & nodes.keys()) - back_edges
        waiting[name] = len(sources)
        for source in sources:
            readers.setdefault(source, []).append(name)
    ready = deque(name for name, count in waiting.items() if count == 0)
    order: list[str] = []
    while ready:
        name = ready.popleft()
        order.append(name)
        for reader in readers.get(name, ()):
            waiting[reader] -= 1
            if waiting[reader] == 0:
                ready.append(reader)
    return order, [name for name, count in waiting.items() if count > 0]
