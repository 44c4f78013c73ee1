"""The program form: constants decode only when asked, orders respect edges and cut loops."""

from __future__ import annotations

import struct

from tensorproof.graph import Constant, DeclaredShape, Edge, Graph, Node
from tensorproof.graph.order import topological
from tensorproof.terms.dtypes import DType


def graph(*nodes: Node) -> Graph:
    return Graph("g", "graphdef", {node.name: node for node in nodes})


def node(name: str, *inputs: str, spelling: str = "Op") -> Node:
    return Node(name, spelling, "graphdef", tuple(Edge(source) for source in inputs))


def test_contents_are_none_beyond_the_bound() -> None:
    constant = Constant(DType.INT32, (3,), raw=struct.pack("<3i", 1, 2, 3))
    assert constant.contents(3) == (1, 2, 3)
    assert constant.contents(2) is None


def test_contents_are_none_for_types_that_have_no_python_value() -> None:
    assert Constant(DType.FLOAT8_E5M2, (1,), raw=b"\x3c").contents() is None
    assert Constant(None, (1,), raw=b"\x3c").contents() is None
    assert Constant(None, (1,), values=()).contents() is None


def test_an_empty_constant_has_no_contents_to_repeat() -> None:
    assert Constant(DType.FLOAT32, (0, 3), values=()).contents() == ()
    assert Constant(DType.STRING, (2,), values=()).contents() == ("", "")


def test_a_declared_shape_is_known_when_all_its_axes_are_numbers() -> None:
    assert DeclaredShape((1, 2)).known
    assert not DeclaredShape((1, None)).known
    assert not DeclaredShape(("batch",)).known
    assert not DeclaredShape(None).known


def test_nodes_come_after_what_they_read() -> None:
    order, circular = topological(graph(node("c", "b", "a"), node("b", "a"), node("a")))
    assert order == ["a", "b", "c"]
    assert circular == []


def test_a_loop_is_cut_at_its_next_iteration() -> None:
    loop = graph(
        node("start"),
        node("merge", "start", "next", spelling="Merge"),
        node("body", "merge"),
        node("next", "body", spelling="NextIteration"),
    )
    assert topological(loop) == (["start", "merge", "body", "next"], [])


def test_a_circle_without_a_loop_is_reported() -> None:
    assert topological(graph(node("a", "b"), node("b", "a"), node("c"))) == (["c"], ["a", "b"])


def test_a_long_chain_needs_no_recursion() -> None:
    chain = [node("0"), *(node(str(i), str(i - 1)) for i in range(1, 20_000))]
    order, _ = topological(graph(*reversed(chain)))
    assert order[0] == "0" and order[-1] == "19999"
