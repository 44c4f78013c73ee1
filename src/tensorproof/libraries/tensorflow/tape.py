"""The tape: how each tensor of a graph came about, so that a part of the graph can be run again with other inputs.

Used by TensorFlow 1 (a placeholder is fed at `session.run`) and by Keras functional models (a model is called with a tensor). How to use it:

* `leaf(m, tensor)` makes a tensor without a past: a placeholder, a `keras.Input`. It gives a copy; go on with that copy. Sizes that the framework
  shows as `None` are made by `open_axis(m, name)`: a symbol of origin USER that is noted as open; `shown(m, size)` gives None for what depends on one.
* From then on every operator or layer call (`taken` in frontends/python/calling.py) that gets a taped tensor, also inside lists, tuples, dicts and
  slices, is recorded. A model that is one step of its own (no composition of spellings) is called by `step(m, name, run, args, kwargs, node)`, where
  `run(m, args, kwargs, node)` must be a function of its arguments alone.
* `replay(m, outputs, {id(leaf): tensor, …}, node, sentence)` runs again what the outputs (any nesting of tuples, lists and taped tensors) need, with the
  leaves replaced, and gives the outputs' counterparts. `sentence` is the sentence of the trail ("the model is called here", "run here with x = (32, 784)") at
  `node`'s place. A refusal stands at the line where the step was built. With `record=True` what comes out is taped again (a Keras model that is called
  with a KerasTensor). `missing(leaf)` is asked for leaves that are needed and not replaced; without it a leaf stands for itself.
* `needed(m, outputs)`: the leaves that outputs depend on, in order of their making.
* A step that was replayed is decided by its replays: the requirements that it stated when it was built, with open sizes, no longer count.

What is here is only added to: a tensor is immutable and how it came about does not change, so a branch that is undone needs no undoing here. Two different
taped tensors are never joined (frontends/python/joining.py): the run forks.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tensorproof.diagnostics.diagnostic import Gap, Step
from tensorproof.diagnostics.span import Span
from tensorproof.libraries import registry
from tensorproof.libraries.domains import elements as domains
from tensorproof.libraries.tensorflow import histories
from tensorproof.libraries.tensorflow.traced import TRACED, within
from tensorproof.ops.record import Requirement
from tensorproof.program.form import Record
from tensorproof.terms import Dim, Origin, Outputs, TensorType, Term, dataclass, field, replace, symbols
from tensorproof.values import AT, MISSING, Args, Dict, Instance, Iterator, Kwargs, List, Machine, Model, Set, Value
from tensorproof.values.path import Path, Stated

OPEN = "tf.open axes"
"""Where the machine keeps the symbols that static inference does not know."""
Again = Callable[..., Any]
"""How a step is run again: `again(machine, args, kwargs, node)`."""


@dataclass(slots=True, eq=False)
class Node:
    """One step of the graph."""

    name: str
    again: Again
    args: tuple[Any, ...]
    kwargs: dict[str, Value]
    node: ast.AST
    span: Span
    stated: list[Stated] = field(default_factory=list[Stated])
    number: int = 0
    result: Value = None
    composite: bool = False
    """Whether it may run functions of the program, which have places of their own."""
    inputs: tuple[TensorType, ...] = ()
    """The tensors among its arguments."""


Missing = Callable[[TensorType], TensorType]
Past = tuple[dict[int, Any], list[Stated], tuple[Any, ...], dict[int, Any], tuple[Record, ...], int]
"""What steps gave that ran before: the values of all tensors, what was required, the facts that held, what they got, the records of what they computed, and how
many functions of the program they called."""


@dataclass(slots=True, eq=False)
class Tape:
    """All taped tensors of a run by identity (each is kept alive), with the step that made it, None for a leaf, and its place in the step's results."""

    made: dict[int, tuple[TensorType, Node | None, tuple[int, ...]]] = field(default_factory=dict[int, tuple[TensorType, "Node | None", tuple[int, ...]]])
    nodes: list[Node] = field(default_factory=list[Node])
    leaves: list[TensorType] = field(default_factory=list[TensorType])
    open: set[str] = field(default_factory=set[str])
    ranked: set[int] = field(default_factory=set[int])
    """Leaves of unknown rank that were replaced by a tensor of known rank."""
    off: int = 0
    placed: list[Value] = field(default_factory=list[Any])
    """Findings of the replay at work whose places are already those of the steps."""
    slices: dict[Value, tuple[list[Node], list[TensorType]]] = field(default_factory=dict[Any, tuple[list[Node], list[TensorType]]])
    """What outputs need; a graph only grows, so that does not change."""
    done: dict[Value, Past] = field(default_factory=dict[Any, "Past"])


def tape_of(m: Machine) -> Tape:
    """The run's tape; made when it is first asked for."""
    found: Tape = m.model_state.get("tape") or m.model_state.setdefault("tape", Tape())
    return found


def open_axis(m: Machine, name: str, least: int = 1, most: int | None = None, origin: Origin = Origin.USER) -> Dim:
    """A size that the framework does not know when the graph is built: it shows it as None."""
    made = m.symbol(name, least, most, origin)
    tape_of(m).open.add(name)
    m.model_state.setdefault(OPEN, set()).update(symbols(made))
    return made


def shown(m: Machine, size: Value) -> Any:
    """A size as the framework shows it while the graph is built: None where it depends on an open one or on data."""
    if not isinstance(size, Term):
        return size
    known = m.model_state.get(OPEN, ())
    return None if any(s in known or s.origin is Origin.UNMODELLED for s in symbols(size)) else size


def leaf(m: Machine, tensor: TensorType) -> TensorType:
    """A tensor without a past."""
    tape = tape_of(m)
    tape.leaves.append(made := tensor.but(taped=len(tape.made) + 1))
    tape.made[id(made)] = (made, None, ())
    return made


def is_taped(m: Machine, value: Value) -> bool:
    tape = m.model_state.get("tape")
    return tape is not None and isinstance(value, TensorType) and _entry(tape, value) is not None


def is_leaf(m: Machine, value: Value) -> bool:
    found = _entry(tape_of(m), value) if isinstance(value, TensorType) else None
    return found is not None and found[1] is None


def step(m: Machine, name: str, run: Again, args: Args, kwargs: Kwargs, node: ast.AST, composite: bool = False) -> Any:
    """Run a model as one step. What it calls inside is not recorded by itself. A composite one runs functions of the program."""
    tape, before = tape_of(m), len(m.path.stated)
    given, named = frozen(args), {k: frozen(v) for k, v in kwargs.items()}
    tape.off += 1
    try:
        result = run(m, given, named, node)
    finally:
        tape.off -= 1
    return _record(m, tape, name, run, given, named, result, node, before, composite)


def taken(m: Machine, name: str, result: Value, args: Args, kwargs: Kwargs, node: ast.AST, layer: Value, before: int) -> Value:
    """An operator or a layer was called: recorded when one of its arguments is taped. Requirements since `before` are its own."""
    tape: Tape = m.model_state["tape"]
    if tape.off:
        return result
    again: Again = (lambda m, a, k, n: m.spelling(name, a, k, n)) if layer is None else (lambda m, a, k, n: m.call(layer, a, k, n))
    return _record(m, tape, name, again, frozen(args), {k: frozen(v) for k, v in kwargs.items()}, result, node, before)


def _record(m: Machine, tape: Tape, name: str, again: Again, args: Args, kwargs: Kwargs, out: Value, node: ast.AST, before: int, whole: bool = False) -> Value:
    if tape.off or not (_holds(tape, args) or any(_holds(tape, v) for v in kwargs.values())):
        return out
    made = Node(name, again, args, kwargs, node, m.user_span(node), m.path.stated[before:], len(tape.nodes), composite=whole)
    tape.nodes.append(made)
    made.inputs = tuple(tensors_in((args, tuple(kwargs.values()))))
    made.result = _signed(m, tape, made, out, ())
    return made.result


def _signed(m: Machine, tape: Tape, by: Node, value: Any, at: tuple[int, ...]) -> Value:
    """The results of a step, each tensor with an identity of its own."""
    if isinstance(value, TensorType):
        made = value.but(taped=len(tape.made) + 1)
        tape.made[id(made)] = (made, by, at)
        where = m.made_at.get(id(value))
        if where is not None and where[0] is value:
            m.made_at[id(made)] = (made, *where[1:])
        domains.same(m, value, made)
        masks = m.model_state.get("keras masks", {})
        if id(value) in masks and masks[id(value)][0] is value:
            masks[id(made)] = (made, masks[id(value)][1])
        return made
    if isinstance(value, List):
        return List(m.heap.row(_signed(m, tape, by, v, (*at, i)) for i, v in enumerate(value.items)))
    if isinstance(value, Outputs):
        return value.like(_signed(m, tape, by, v, (*at, i)) for i, v in enumerate(value))
    if type(value) in (tuple, list):
        return type(value)(_signed(m, tape, by, v, (*at, i)) for i, v in enumerate(value))
    return value


_UNCHANGED = frozenset((TensorType, int, float, bool, str, type(None)))


def frozen(value: Any) -> Any:
    """An argument as it is now: the program may change its lists later."""
    if value.__class__ in _UNCHANGED:
        return value
    if isinstance(value, (List, Set)):
        return [frozen(v) for v in value.items]
    if type(value) in (tuple, list):
        return type(value)([frozen(v) for v in value])
    if isinstance(value, Dict):
        return {k: frozen(v) for k, v in value.items.items()}
    if isinstance(value, Iterator):
        return [frozen(v) for v in value.items[value.state[AT] :]]
    if isinstance(value, slice):
        return slice(frozen(value.start), frozen(value.stop), frozen(value.step))
    if isinstance(value, (Instance, Model)):
        found = registry.tensor_of(value)
        return value if found is MISSING else found
    return value


def _entry(tape: Tape, value: TensorType) -> tuple[TensorType, Node | None, tuple[int, ...]] | None:
    found = tape.made.get(id(value)) if value.taped else None
    return found if found is not None and found[0] is value else None


def _holds(tape: Tape, value: Value) -> bool:
    if isinstance(value, TensorType):
        return _entry(tape, value) is not None
    if isinstance(value, (tuple, list)):
        return any(_holds(tape, v) for v in value)
    if isinstance(value, dict):
        return any(_holds(tape, v) for v in value.values())
    return isinstance(value, slice) and any(_holds(tape, v) for v in (value.start, value.stop, value.step))


def tensors_in(value: Value) -> list[TensorType]:
    """The tensors of a nesting."""
    value = frozen(value)
    if isinstance(value, TensorType):
        return [value]
    if isinstance(value, (tuple, list)):
        return [t for v in value for t in tensors_in(v)]
    if isinstance(value, dict):
        return [t for v in value.values() for t in tensors_in(v)]
    if isinstance(value, slice):
        return tensors_in((value.start, value.stop, value.step))
    return []


def steps_of(m: Machine, outputs: Value, cut: Any = ()) -> tuple[list[Node], list[TensorType]]:
    """The steps that outputs need, in the order of their building, and the leaves. What is in `cut` (identities) needs nothing."""
    tape = tape_of(m)
    nodes: dict[int, Node] = {}
    leaves: dict[int, TensorType] = {}
    waiting = tensors_in(outputs)
    key = (tuple(id(t) for t in waiting if t.taped), frozenset(cut))
    if key in tape.slices:
        return tape.slices[key]
    while waiting:
        tensor = waiting.pop()
        found = _entry(tape, tensor)
        if found is None or id(tensor) in cut:
            continue
        by = found[1]
        if by is None:
            leaves[id(tensor)] = tensor
        elif by.number not in nodes:
            nodes[by.number] = by
            waiting += by.inputs
    needs = [nodes[n] for n in sorted(nodes)], [t for t in tape.leaves if id(t) in leaves]
    if all(_entry(tape, t) is not None for t in tensors_in(outputs) if t.taped):
        tape.slices[key] = needs
    return needs


def needed(m: Machine, outputs: Value) -> list[TensorType]:
    """The leaves that outputs depend on."""
    return steps_of(m, outputs)[1]


def replay(m: Machine, outputs: Value, new: dict[int, TensorType], node: ast.AST, sentence: str, record: bool = False, missing: Missing | None = None) -> Any:
    """The counterparts of outputs when the leaves are replaced; see the top of this file. Any taped tensor may be replaced, not only leaves."""
    tape = tape_of(m)
    nodes, leaves = steps_of(m, outputs, new)
    tape.ranked.update(i for i, t in new.items() if sentence and t.shape.known)
    values: dict[int, Value] = dict(new)
    for one in leaves:
        if id(one) not in values:
            values[id(one)] = missing(one) if missing is not None else one if record else one.but(taped=0)
    graph = m.model_state.get(TRACED)
    training, numbers = m.model_state.get("keras", {}).get("training"), tuple(n.number for n in nodes)
    key = ((record, training, numbers, tuple(values.items())), tuple(id(t) for t in tensors_in(outputs)))
    traced = (key, graph is not None)
    past = None if record else tape.done.get(key) or tape.done.get(traced)
    if past is not None and (not past[1] or set(past[2]) <= set(m.facts)):
        m.path.stated.extend(replace(s, facts=tuple(m.facts)) for s in past[1])
        m.entered += past[5]
        _recorded_again(m, past, values)
        return histories.again(m, within(m, _replaced(past[0], frozen(outputs), tape), graph), tuple(values.values()))
    before, gaps, recorded, given, entered = len(m.path.stated), len(m.path.gaps), m.path.recorded, dict(values), m.entered
    place = Step(m.user_span(node), sentence)
    tape.off += 0 if record else 1
    try:
        for by in nodes:
            _run_again(m, tape, by, values, place)
    finally:
        tape.off -= 0 if record else 1
    if not tape.off:
        tape.placed.clear()
    if not record and len(m.path.gaps) == gaps:
        made = () if m.path.program is None else tuple(m.path.program.records[recorded:])
        entered = m.entered - entered  # a function of the program may do something else where it is traced
        tape.done[traced if entered else key] = (values, m.path.stated[before:], tuple(m.facts), given, made, entered)
    return _replaced(values, frozen(outputs), tape)


def _recorded_again(m: Machine, past: Past, values: dict[int, Value]) -> None:
    """Record steps again that ran before on values like these: what they got then stands for what they get now as well."""
    program = m.path.program
    if program is None:
        return
    for i, before in past[3].items():
        now = values.get(i)
        if now is not before and isinstance(now, TensorType) and isinstance(before, TensorType):
            program.join(None, (before, now), before)
    program.records += past[4]


def _run_again(m: Machine, tape: Tape, one: Node, values: dict[int, Value], place: Step) -> None:
    path: Path = m.path
    before, gaps, warned, recorded = len(path.stated), len(path.gaps), len(path.findings), path.recorded
    args = _replaced(values, one.args, tape)
    kwargs = {k: _replaced(values, v, tape) for k, v in one.kwargs.items()}
    around, m.session.rerun = m.session.rerun, tape.off > 0
    try:
        result = one.again(m, args, kwargs, one.node)
    except Exception as raised:
        if hasattr(raised, "span") and hasattr(raised, "trail") and not any(p is raised for p in tape.placed):
            raised.span, raised.trail = _where(one, raised.span), (*raised.trail, place)
            tape.placed.append(raised)
        _supersede(path, one, before)
        raise
    finally:
        m.session.rerun = around
    _supersede(path, one, before)
    for i in range(before, len(path.stated)):
        if not any(p is path.stated[i] for p in tape.placed):
            path.stated[i] = replace(path.stated[i], span=_where(one, path.stated[i].span), trail=(*path.stated[i].trail, place))
            tape.placed.append(path.stated[i])
    path.gaps[gaps:] = [Gap(gap.callee, _where(one, gap.span), gap.reason) for gap in path.gaps[gaps:]]
    path.place(recorded, lambda span: _where(one, span))
    for found in path.findings[warned:]:
        path.findings.remove(found)
        moved = replace(found, span=one.span, trail=(*found.trail, place)) if found.span != one.span else found
        if all((f.code, f.span, f.message) != (moved.code, moved.span, moved.message) for f in path.findings):
            path.findings.append(moved)
    _pair(m, one.result, result, values)


def _where(one: Node, span: Span) -> Span:
    """The place of a finding of a step that ran again: where it was built, unless it lies in a function that the step calls (a layer's `call`)."""
    line, column = getattr(one.node, "lineno", span.line), getattr(one.node, "col_offset", -1) + 1
    return one.span if (span.line, span.column) == (line, column) or not one.composite else span


def _pair(m: Machine, old: Value, new: Any, values: dict[int, Value]) -> None:
    """Note what each result of a step has become."""
    if isinstance(old, TensorType):
        values[id(old)] = new
        where = m.made_at.get(id(old))
        if where is not None and where[0] is old and isinstance(new, TensorType):
            m.made_at.setdefault(id(new), (new, *where[1:]))
        return
    olds = list(old.items) if isinstance(old, List) else old
    news = list(new.items) if isinstance(new, List) else new
    if isinstance(olds, (tuple, list)):
        same = isinstance(news, (tuple, list)) and len(news) == len(olds)
        for i, one in enumerate(olds):
            _pair(m, one, news[i] if same else new, values)


def _replaced(values: dict[int, Value], value: Any, tape: Tape) -> Value:
    kind = value.__class__
    if kind is TensorType:
        return values.get(id(value), value) if value.taped else value
    if kind in _UNCHANGED:
        return value
    if isinstance(value, Outputs):
        return value.like(_replaced(values, v, tape) for v in value)
    if kind is tuple or kind is list:
        return kind([_replaced(values, v, tape) for v in value])
    if kind is dict:
        return {k: _replaced(values, v, tape) for k, v in value.items()}
    if isinstance(value, slice):
        return slice(*(_replaced(values, v, tape) for v in (value.start, value.stop, value.step)))
    return value


def _supersede(path: Path, one: Node, below: int) -> None:
    """What a step demanded when it was built is decided by its replays. Places in the list of requirements stay as they are."""
    if not one.stated:
        return
    mine = {id(s) for s in one.stated}
    for i in range(below):
        if id(path.stated[i]) in mine:
            path.stated[i] = replace(path.stated[i], requirement=_decided(path.stated[i].requirement))
    one.stated = []


def _decided(wanted: Requirement) -> Requirement:
    return Requirement(wanted.code, True, wanted.message, wanted.about)
