"""Operations that hold graphs: calls, branches and loops, of TensorFlow's function library and of ONNX's subgraphs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, cast

from tensorproof.diagnostics.span import Span
from tensorproof.engines.shapes.found import Found, join, not_known
from tensorproof.graph import Edge, Function, FunctionRef, Graph, Node
from tensorproof.program.form import Carried, Slice, Stack
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.dtypes import BOOL, INT64, DType
from tensorproof.terms.ints import Dim, Origin, symbol
from tensorproof.terms.records import dataclass
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

Results = list[TensorType] | None
_MOST_ITERATIONS = BUDGETS.saved_models.flow_iterations


class Walk(Protocol):
    """The walk through the graph around a node: it knows the node's inputs, and runs graphs inside it."""

    graph: Graph
    place: str
    framework: str
    held: dict[Edge, TensorType]
    found: Found

    def span(self, node: Node) -> Span: ...
    def values(self, node: Node) -> list[TensorType | None]: ...
    def function(self, name: str) -> Function | None: ...
    def inner(self, body: Graph, values: list[TensorType], node: Node, held: Mapping[str, TensorType] | None = None) -> list[TensorType]: ...


def results(walk: Walk, node: Node) -> Results:
    """The results of a node that holds graphs; None when it is something else, or when its function is not there."""
    known = _BY_SPELLING.get((node.framework, node.spelling)) if not node.domain else None
    if known is not None:
        return known(walk, node)
    called = walk.function(".".join(part for part in (node.domain, node.spelling) if part))
    return _run(walk, node, called.body) if called is not None else None


def _values(walk: Walk, node: Node, skip: int = 0) -> list[TensorType]:
    """Inputs after the first `skip`; one that is left out is a value of unknown shape."""
    return [value if value is not None else not_known(f"{walk.place}{node.name}<{i}", None, walk.framework) for i, value in enumerate(walk.values(node)[skip:])]


def _run(walk: Walk, node: Node, body: Graph, skip: int = 0) -> list[TensorType]:
    edges = node.inputs[skip:]
    held = {name: walk.held[edge] for name, edge in zip(body.inputs, edges) if edge is not None and edge in walk.held}
    return walk.inner(body, _values(walk, node, skip), node, held)


def _named(walk: Walk, node: Node, attribute: str) -> Graph | None:
    reference = node.attributes.get(attribute)
    function = walk.function(reference.name) if isinstance(reference, FunctionRef) else None
    return function.body if function is not None else None


def _subgraph(node: Node, attribute: str) -> Graph | None:
    graph = node.attributes.get(attribute)
    return graph if isinstance(graph, Graph) else None


def _called(walk: Walk, node: Node) -> Results:
    body = _named(walk, node, "f")
    return _run(walk, node, body) if body is not None else None


def joined(walk: Walk, node: Node, branches: Sequence[Sequence[TensorType]]) -> list[TensorType]:
    merged = list(branches[0])
    for branch in branches[1:]:
        merged = [join(a, b, f"{walk.place}{node.name}:{i}") for i, (a, b) in enumerate(zip(merged, branch))]
    if len(branches) == 1:
        return merged
    merged = [value.but() for value in merged]
    for i, value in enumerate(merged):
        walk.found.program.join(None, tuple(branch[i] if i < len(branch) else None for branch in branches), value)
    return merged


def _if(walk: Walk, node: Node) -> Results:
    bodies = [_named(walk, node, "then_branch"), _named(walk, node, "else_branch")]
    return joined(walk, node, [_run(walk, node, body, skip=1) for body in bodies if body is not None]) if all(bodies) else None


def _case(walk: Walk, node: Node) -> Results:
    references = node.attributes.get("branches")
    if not isinstance(references, tuple) or not references:
        return None
    functions = [walk.function(reference.name) for reference in references if isinstance(reference, FunctionRef)]
    ran = [_run(walk, node, function.body, skip=1) for function in functions if function is not None]
    return joined(walk, node, ran) if ran and len(ran) == len(references) else None


@dataclass(frozen=True, slots=True)
class Settled:
    """What a loop carries, with the records of one more turn, which begins with it, and what that turn ends with."""

    start: list[TensorType]
    carried: list[TensorType]
    ends: list[TensorType]
    since: int

    def close(self, walk: Walk, node: Node) -> list[TensorType]:
        """Make a loop of the records: what it carries comes out."""
        program = walk.found.program
        places = [Carried((before,), value, (end,), value) for before, value, end in zip(self.start, self.carried, self.ends)]
        program.loop(program.cut(self.since), places, walk.span(node), runs=False)
        return self.carried


def settle(walk: Walk, node: Node, start: list[TensorType], step: Callable[[list[TensorType]], list[TensorType]]) -> Settled:
    """What a loop carries: joined with what one more turn makes of it, until that changes nothing."""
    program = walk.found.program
    since = program.position
    carried = [value.but(contents=None) for value in start]
    for _ in range(_MOST_ITERATIONS):
        program.cut(since)
        ends = step(carried)
        after = [join(a, b, f"{walk.place}{node.name}:{i}") for i, (a, b) in enumerate(zip(carried, ends))]
        if after == carried:
            return Settled(start, carried, ends, since)
        carried = [value.but() for value in after]
    unknown = [not_known(f"{walk.place}{node.name}:{i}", value.dtype, walk.framework) for i, value in enumerate(carried)]
    program.cut(since)
    return Settled(start, unknown, step(unknown), since)


def _while(walk: Walk, node: Node) -> Results:
    body = _named(walk, node, "body")
    if body is None:
        return None
    edges = node.inputs
    held = {name: walk.held[edge] for name, edge in zip(body.inputs, edges) if edge is not None and edge in walk.held}
    settled = settle(walk, node, _values(walk, node), lambda carried: walk.inner(body, carried, node, held))
    asked = _named(walk, node, "cond")
    if asked is not None:
        walk.inner(asked, settled.carried, node, {name: held[other] for name, other in zip(asked.inputs, body.inputs) if other in held})
    return settled.close(walk, node)


def _onnx_if(walk: Walk, node: Node) -> Results:
    """A condition that is known takes its own branch only."""
    bodies = [_subgraph(node, "then_branch"), _subgraph(node, "else_branch")]
    condition = walk.values(node)[0] if node.inputs else None
    if condition is not None and condition.contents is not None and len(condition.contents) == 1 and isinstance(condition.contents[0], (bool, int)):
        bodies = [bodies[0] if condition.contents[0] else bodies[1]]
    return joined(walk, node, [walk.inner(body, [], node) for body in bodies if body is not None]) if all(bodies) else None


def _onnx_loop(walk: Walk, node: Node) -> Results:
    """Outputs are the carried values, then each turn's other results stacked along a new first axis."""
    body = _subgraph(node, "body")
    if body is None:
        return None
    start = _values(walk, node, skip=2)
    turn = [TensorType(Shape(), INT64, framework="onnx"), TensorType(Shape(), BOOL, framework="onnx")]
    last: list[TensorType] = []

    def step(carried: list[TensorType]) -> list[TensorType]:
        last[:] = walk.inner(body, turn + carried, node)
        return last[1 : 1 + len(start)]

    carried = settle(walk, node, start, step).close(walk, node)
    limit = walk.values(node)[0] if node.inputs else None
    stops_early = len(node.inputs) > 1 and node.inputs[1] is not None
    turns: Dim = symbol(f"turns of {walk.place}{node.name}", origin=Origin.UNMODELLED)
    if limit is not None and limit.contents and not stops_early and isinstance(limit.contents[0], int):
        turns = limit.contents[0]
    return carried + [stacked(walk, value, turns, 0) for value in last[1 + len(start) :]]


def _onnx_scan(walk: Walk, node: Node) -> Results:
    """Since opset 9: states come first, then sequences, which the body sees one slice at a time."""
    body, count = _subgraph(node, "body"), node.attributes.get("num_scan_inputs")
    if body is None or not isinstance(count, int) or walk.graph.opsets.get("", 1) < 9:
        return None
    values = _values(walk, node)
    states, sequences = values[: len(values) - count], values[len(values) - count :]
    axes = _axes(node, "scan_input_axes", count)
    length: Dim = symbol(f"turns of {walk.place}{node.name}", origin=Origin.UNMODELLED)
    slices: list[TensorType] = []
    for i, (sequence, axis) in enumerate(zip(sequences, axes)):
        if not sequence.shape.known or not -len(sequence.shape) <= axis < len(sequence.shape):
            slices.append(not_known(f"{walk.place}{node.name}<{i}", sequence.dtype, "onnx"))
            continue
        length = sequence.shape[axis]
        at = axis % len(sequence.shape)
        slices.append(TensorType(Shape(sequence.shape[:at] + sequence.shape[at + 1 :]), sequence.dtype, framework="onnx"))
        walk.found.program.add(Slice(sequence, slices[-1], at))
    last: list[TensorType] = []

    def step(carried: list[TensorType]) -> list[TensorType]:
        last[:] = walk.inner(body, carried + slices, node)
        return last[: len(states)]

    carried = settle(walk, node, states, step).close(walk, node)
    outputs = last[len(states) :]
    return carried + [stacked(walk, value, length, axis) for value, axis in zip(outputs, _axes(node, "scan_output_axes", len(outputs)))]


def _onnx_sequence_map(walk: Walk, node: Node) -> Results:
    """The body runs on every element of the first sequence, and of others beside it; tensors beside them stay as they are."""
    body, values = _subgraph(node, "body"), _values(walk, node)
    if body is None or not values:
        return None
    length = values[0].shape[0] if values[0].shape.known and len(values[0].shape) == 1 else symbol(f"length of {walk.place}{node.name}")
    items = [value.contents for value in values if value.dtype is DType.VARIANT]
    if values[0].contents is None or any(held is None or len(held) != length for held in items):
        return [TensorType(Shape((length,)), DType.VARIANT, framework="onnx") for _ in body.outputs]
    turns = [walk.inner(body, [v.contents[i] if v.dtype is DType.VARIANT and v.contents else v for v in values], node) for i in range(len(values[0].contents))]
    return [TensorType(Shape((length,)), DType.VARIANT, contents=tuple(turn[i] for turn in turns), framework="onnx") for i in range(len(body.outputs))]


def _axes(node: Node, attribute: str, count: int) -> list[int]:
    given = node.attributes.get(attribute)
    return list(cast(tuple[int, ...], given)) if isinstance(given, tuple) and given else [0] * count


def stacked(walk: Walk, value: TensorType, length: Dim, axis: int) -> TensorType:
    if not value.shape.known:
        return not_known(f"stack of {value.shape!r}", value.dtype, "onnx")
    at = axis if axis >= 0 else len(value.shape) + 1 + axis
    made = TensorType(Shape((*value.shape[:at], length, *value.shape[at:])), value.dtype, framework="onnx")
    walk.found.program.add(Stack(value, made, at))
    return made


_BY_SPELLING: dict[tuple[str, str], Callable[[Walk, Node], Results]] = {
    ("graphdef", "PartitionedCall"): _called,
    ("graphdef", "StatefulPartitionedCall"): _called,
    ("graphdef", "If"): _if,
    ("graphdef", "StatelessIf"): _if,
    ("graphdef", "Case"): _case,
    ("graphdef", "StatelessCase"): _case,
    ("graphdef", "While"): _while,
    ("graphdef", "StatelessWhile"): _while,
    ("onnx", "If"): _onnx_if,
    ("onnx", "Loop"): _onnx_loop,
    ("onnx", "Scan"): _onnx_scan,
    ("onnx", "SequenceMap"): _onnx_sequence_map,
}
