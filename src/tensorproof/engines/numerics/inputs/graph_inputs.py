"""Sizes for the inputs of a saved graph that its file leaves open: with numbers, all that depends on them is known."""

from __future__ import annotations

from collections.abc import Mapping

from tensorproof.engines.numerics.records import SIZE
from tensorproof.engines.shapes.sources import source
from tensorproof.graph import Graph
from tensorproof.terms.records import replace
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType


def numbered(graph: Graph, given: Mapping[str, TensorType], sizes: Mapping[str, int]) -> tuple[dict[str, TensorType], dict[str, str]]:
    """The inputs of a graph with numbers for open sizes, by node name, and what was assumed of each.

    A size is taken from `sizes` by the name of its symbol, else it is `SIZE`; an input of unknown rank is taken for a single number.
    """
    made, assumed = dict(given), dict[str, str]()
    for name, node in graph.nodes.items():
        outputs = None if name in given or "laceholder" not in node.spelling else source(node, graph.version)
        if outputs is None or len(outputs) != 1 or outputs[0].shape.concrete:
            continue
        tensor = outputs[0]
        axes = tuple(axis if isinstance(axis, int) else sizes.get(repr(axis), SIZE) for axis in tensor.shape) if tensor.shape.known else ()
        made[name] = replace(tensor, shape=Shape(axes))
        assumed[name] = f"{tensor.shape!r} is taken as {axes!r}"
    return made, assumed
