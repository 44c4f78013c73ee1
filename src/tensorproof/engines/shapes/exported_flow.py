"""Operators of an exported program that hold graphs: `cond`, `while_loop`, `map`, `scan`, and regions with another mode."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from tensorproof.engines.shapes import flow
from tensorproof.engines.shapes.found import not_known
from tensorproof.graph import Attribute, Edge, Graph, Node
from tensorproof.program.form import Slice
from tensorproof.terms.dtypes import BFLOAT16, FLOAT16, DType
from tensorproof.terms.ints import Dim, Origin, symbol
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.engines.shapes.propagate import Walk

Results = list[TensorType] | None


def results(walk: Walk, node: Node) -> Results:
    """The results of a node that holds graphs; None when it is something else, or of a form that is not known."""
    known = _BY_NAME.get(f"{node.domain}.{node.spelling}")
    return known(walk, node) if known is not None else None


def _graphs(node: Node) -> list[Graph]:
    return [value for value in node.attributes.values() if isinstance(value, Graph)]


def _values(walk: Walk, given: Sequence[Attribute]) -> list[TensorType] | None:
    """The tensors and numbers of a list of arguments; None where something else is among them."""
    from tensorproof.engines.shapes.exported import number

    found: list[TensorType] = []
    for one in given:
        if isinstance(one, tuple):
            inside = _values(walk, one)
            if inside is None:
                return None
            found += inside
        elif isinstance(one, Edge):
            found.append(walk.value(one))
        elif isinstance(one, (int, float)):
            found.append(number(one))
        else:
            return None
    return found


def _run(walk: Walk, node: Node, body: Graph, values: list[TensorType]) -> list[TensorType] | None:
    return walk.inner(body, values, node) if len(values) == len(body.inputs) else None


def _operands(node: Node, after: int) -> tuple[Attribute, ...]:
    return tuple(value for key, value in node.attributes.items() if key.isdecimal() and int(key) >= after)


def _cond(walk: Walk, node: Node) -> Results:
    """`cond(condition, true_graph, false_graph, operands)`."""
    bodies, values = _graphs(node), _values(walk, _operands(node, 3))
    if len(bodies) != 2 or values is None:
        return None
    ran = [_run(walk, node, body, values) for body in bodies]
    if ran[0] is None or ran[1] is None:
        return None
    return flow.joined(walk, node, [ran[0], ran[1]])


def _while(walk: Walk, node: Node) -> Results:
    """`while_loop(cond, body, carried, additional)`."""
    bodies = _graphs(node)
    start, beside = _values(walk, _operands(node, 2)[:1]), _values(walk, _operands(node, 2)[1:])
    if len(bodies) != 2 or start is None or beside is None or len(bodies[1].inputs) != len(start) + len(beside):
        return None
    settled = flow.settle(walk, node, start, lambda carried: walk.inner(bodies[1], carried + beside, node))
    walk.inner(bodies[0], settled.carried + beside, node)
    return settled.close(walk, node)


def _sliced(walk: Walk, node: Node, sequences: list[TensorType]) -> tuple[list[TensorType], Dim]:
    """One slice of each sequence along its first axis, and how many there are."""
    length: Dim = symbol(f"iterations of {walk.place}{node.name}", origin=Origin.UNMODELLED)
    slices: list[TensorType] = []
    for i, sequence in enumerate(sequences):
        if not sequence.shape.known or not len(sequence.shape):
            slices.append(not_known(f"{walk.place}{node.name}<{i}", sequence.dtype, "torch"))
            continue
        length = sequence.shape[0]
        slices.append(TensorType(Shape(sequence.shape[1:]), sequence.dtype))
        walk.found.program.add(Slice(sequence, slices[-1], 0))
    return slices, length


def _map(walk: Walk, node: Node) -> Results:
    """`map_impl(graph, sequences, beside)`."""
    bodies, given = _graphs(node), _operands(node, 1)
    sequences, beside = (_values(walk, given[:1]), _values(walk, given[1:])) if given else (None, None)
    if len(bodies) != 1 or sequences is None or beside is None or len(bodies[0].inputs) != len(sequences) + len(beside):
        return None
    slices, length = _sliced(walk, node, sequences)
    last: list[TensorType] = []

    def step(carried: list[TensorType]) -> list[TensorType]:
        last[:] = walk.inner(bodies[0], slices + beside, node)
        return carried

    flow.settle(walk, node, [], step).close(walk, node)
    return [flow.stacked(walk, value, length, 0) for value in last]


def _scan(walk: Walk, node: Node) -> Results:
    """`scan(combine_graph, initial, sequences, additional)`: the body gives what it carries, and then the results of each iteration."""
    bodies, given = _graphs(node), _operands(node, 1)
    parts = [_values(walk, given[i : i + 1]) for i in range(2)] + [_values(walk, given[2:])]
    states, sequences, beside = parts
    if len(bodies) != 1 or states is None or sequences is None or beside is None or len(bodies[0].inputs) != len(states) + len(sequences) + len(beside):
        return None
    slices, length = _sliced(walk, node, sequences)
    last: list[TensorType] = []

    def step(carried: list[TensorType]) -> list[TensorType]:
        last[:] = walk.inner(bodies[0], carried + slices + beside, node)
        return last[: len(states)]

    carried = flow.settle(walk, node, states, step).close(walk, node)
    return carried + [flow.stacked(walk, value, length, 0) for value in last[len(states) :]]


def _region(walk: Walk, node: Node) -> Results:
    """`wrap_with_set_grad_enabled(enabled, graph, *operands)`: the operands are what stands behind the graph."""
    bodies = _graphs(node)
    at = next((int(key) for key, value in node.attributes.items() if isinstance(value, Graph) and key.isdecimal()), None)
    values = _values(walk, _operands(node, at + 1)) if at is not None else None
    return _run(walk, node, bodies[0], values) if len(bodies) == 1 and values is not None else None


def casts(node: Node, around: Mapping[str, DType | None]) -> Mapping[str, DType | None]:
    """What autocast computes in, inside of a node's graphs: `wrap_with_autocast(device, dtype, enabled, cache, graph, *operands)`."""
    if node.spelling != "wrap_with_autocast":
        return around
    device, dtype, enabled = (node.attributes.get(key) for key in "012")
    if not isinstance(device, str):
        return around
    others = {key: value for key, value in around.items() if key != device}
    return others if enabled is False else {**others, device: dtype if isinstance(dtype, DType) else _USUAL.get(device)}


_USUAL = {"cpu": BFLOAT16, "cuda": FLOAT16}
"""What autocast computes in where no element type is given."""
_BY_NAME: dict[str, Callable[[Walk, Node], Results]] = {
    "higher_order.cond": _cond,
    "higher_order.while_loop": _while,
    "higher_order.map_impl": _map,
    "higher_order.scan": _scan,
    "higher_order.wrap_with_set_grad_enabled": _region,
    "higher_order.wrap_with_autocast": _region,
    "higher_order.invoke_subgraph": _region,
    "higher_order.hints_wrapper": _region,
}
