"""What the values are that a program does not compute, and the ranges that follow from it: by what the tensor is and what operators do with it.

Names are for the user's own ranges alone: no range is guessed from a name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tensorproof.engines.numerics.inputs.ranges import IDS, INPUT, NORMAL, TRAINED, UNBOUNDED, Assumption, Given, Range, of_type
from tensorproof.engines.numerics.inputs.unchanged import invariants
from tensorproof.engines.numerics.inputs.variables import from_outside, initial_ranges, non_negative
from tensorproof.ops.applied import Applied, parts
from tensorproof.ops.inputs import Tensor
from tensorproof.program.form import Computed, Join, Loop, Record, Same, Slice, Source, Stack
from tensorproof.terms.records import dataclass, field
from tensorproof.terms.tensor import TensorType


@dataclass(slots=True, eq=False)
class Value:
    """A tensor that no record makes, with the places where operators read it."""

    tensor: TensorType
    uses: list[tuple[Applied, str]] = field(default_factory=list[tuple[Applied, str]])
    names: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class Ranged:
    """The ranges of all sources by the identity of their tensors, what was assumed, and the sources of which only the element type is known."""

    ranges: dict[int, Range] = field(default_factory=dict[int, Range])
    assumptions: list[Assumption] = field(default_factory=list[Assumption])
    open: set[int] = field(default_factory=set[int])
    values: list[Value] = field(default_factory=list[Value])
    """The tensors themselves, so that their identities stay theirs."""


def ranged(records: Sequence[Record], names: Mapping[int, Sequence[str]], given: Given) -> Ranged:
    """The range of each tensor that comes from outside, of what is drawn at random, and of parameters."""
    found = Ranged()
    records = list({id(one): one for one in records}.values())  # steps that ran again are the same records
    said: dict[tuple[str, Range, str], list[str]] = {}
    outside = from_outside(records)
    first, sums = initial_ranges(records, outside), non_negative(records)
    held = invariants(records, first, outside)
    sums |= held.never_negative
    for value in sources(records):
        value.names += names.get(id(value.tensor), ())
        own = given.of(value.names)
        i = id(value.tensor)
        role, range_ = ("given", own[1]) if own is not None else _by_role(value, given, first.get(i), i in sums, i in held.unchanged)
        found.ranges[id(value.tensor)] = range_
        found.values.append(value)
        if not range_.bounded:
            found.open.add(id(value.tensor))
        reason = f"--range {own[0]}" if own is not None else role
        said.setdefault((role, range_, reason), []).append(_called(value))
    for one in _flat(records):
        if isinstance(one, Source):
            label = _named(names, one.tensor) or repr(one.tensor)
            said.setdefault((one.role, Range(one.low, one.high), one.role), []).append(label)
    found.assumptions = [Assumption(_listed(about), range_, reason) for (_, range_, reason), about in said.items()]
    return found


def sources(records: Sequence[Record]) -> list[Value]:
    """The tensors that are read and that no record makes, each with its uses; constants and Python numbers are none."""
    made: set[int] = set()
    read: dict[int, Value] = {}
    root: dict[int, int] = {}

    def reads(tensor: TensorType | None) -> None:
        if tensor is not None and id(tensor) not in read:
            read[id(tensor)] = Value(tensor)

    for one in _flat(records):
        if isinstance(one, Computed):
            for result in one.applied.results:
                made.add(id(result))
            for name, tensor in parts(one.applied).named:
                i = id(tensor)
                if (i in made and i not in root) or tensor.weak:
                    continue
                reads(tensor)
                origin = read.get(root.get(id(tensor), id(tensor)), read[id(tensor)])
                origin.uses.append((one.applied, name))
        elif isinstance(one, Same):
            made.add(id(one.result))
            reads(one.source)
            root[id(one.result)] = root.get(id(one.source), id(one.source))
        elif isinstance(one, Join):
            if one.options[0] is not one.result:
                made.add(id(one.result))
            for option in one.options:
                reads(option)
        elif isinstance(one, Slice):
            made.add(id(one.item))
            reads(one.whole)
            root[id(one.item)] = root.get(id(one.whole), id(one.whole))
        elif isinstance(one, Stack):
            made.add(id(one.whole))
            reads(one.item)
            root[id(one.whole)] = root.get(id(one.item), id(one.item))
        elif isinstance(one, Source):
            made.add(id(one.tensor))
        elif isinstance(one, Loop):
            for place in one.carried:
                made.update(id(t) for t in (place.start, place.after) if t is not None)
                for each in (*place.before, *place.end):
                    reads(each)
    return [value for i, value in read.items() if i not in made and not _constant(value.tensor) and not value.tensor.weak]


def _flat(records: Sequence[Record]) -> Iterator[Record]:
    for one in records:
        yield one
        if isinstance(one, Loop):
            yield from _flat(one.body)


def _constant(tensor: TensorType) -> bool:
    return tensor.contents is not None and all(issubclass(kind, (bool, int, float)) for kind in set(map(type, tensor.contents)))


# --- roles ---


def _by_role(value: Value, given: Given, first: Range | None = None, sums: bool = False, fixed: bool = False) -> tuple[str, Range]:
    tensor = value.tensor
    if tensor.parameter or tensor.requires_grad:
        return _parameter(value, given)
    if any(name in one.op.writes for one, name in value.uses):
        return ("variable that no step changes", first) if fixed and first is not None and first.bounded else _variable(value, given, first, sums)
    kind = tensor.dtype.kind if tensor.dtype is not None else "?"
    if kind == "b":
        return "truth values", Range(0.0, 1.0)
    if kind in "iu":
        return _whole(value, given)
    if kind != "f":
        return "elements that are not real numbers", UNBOUNDED
    if _used(value, "running_var"):
        return "variance", Range(0.0, INPUT.hi**2)
    if _used(value, "running_mean"):
        return "running mean", INPUT
    if given.unbounded_inputs:
        return "input (--unbounded-inputs)", UNBOUNDED
    span = _span(tensor)
    if span is not None:
        return "numbers that the program limits", span
    if _chances(value):
        return "probability", Range(0.0, 1.0)
    if _kept_share(value):
        return "keep probability", Range(0.01, 1.0)
    return "input", INPUT


def _whole(value: Value, given: Given) -> tuple[str, Range]:
    tensor, whole = value.tensor, of_type(value.tensor.dtype)
    span = _span(tensor)
    if span is not None:
        return "whole numbers that the program limits", span
    if tensor.dtype is not None and tensor.dtype.bits <= 16:
        return f"numbers of {tensor.dtype.label}", whole
    sizes = [size for one, name in value.uses if (size := _looked_up(one, name)) is not None]
    if sizes:
        return "places in a table", Range(0.0, float(min(sizes) - 1))
    return ("whole numbers", whole) if given.unbounded_inputs else ("class, token or count", Range(0.0, float(IDS)))


def _parameter(value: Value, given: Given) -> tuple[str, Range]:
    """The range of a parameter that a layer makes: around what the layer's initialiser gives, as far as training moves it."""
    if given.unbounded_weights:
        return "parameter (--unbounded-weights)", UNBOUNDED
    shape = value.tensor.shape
    if any(_scales(one, name) for one, name in value.uses):
        return "scale of a normalisation, initialised with 1 and trained", Range(1.0, 1.0).moved(TRAINED)
    if any(_looked_up(one, name, table=True) for one, name in value.uses):
        return "table of an embedding, initialised from a normal distribution and trained", Range(-NORMAL / 2, NORMAL / 2).moved(TRAINED)
    if shape.known and len(shape) <= 1:
        return "bias, initialised near 0 and trained", Range(0.0, 0.0).moved(TRAINED)
    return "weight, initialised near 0 and trained", Range(0.0, 0.0).moved(TRAINED)


def _variable(value: Value, given: Given, first: Range | None, sums: bool) -> tuple[str, Range]:
    """The range of a variable of a graph: around its initial value, as far as training moves it; whole numbers count."""
    if value.tensor.dtype is not None and value.tensor.dtype.kind in "iu":
        return "step or count", Range(first.lo if first is not None else 0.0, float(IDS))
    if first is not None and 0 < first.lo <= first.hi < 1 and any(len(one.op.writes) > 1 and name not in one.op.writes for one, name in value.uses):
        return "power of a decay, which only falls", Range(0.0, first.hi)
    if sums and (first is None or first.lo >= 0):
        return "accumulator, never below 0", Range(0.0, (0.0 if first is None else first.hi) + TRAINED)
    if given.unbounded_weights:
        return "variable (--unbounded-weights)", UNBOUNDED
    if first is None:
        return "variable, initialised near 0 and trained", Range(0.0, 0.0).moved(TRAINED)
    if not first.bounded:
        return "variable without a bounded initial value", UNBOUNDED
    return f"variable, initialised in {first} and trained", first.moved(TRAINED)


def _kept_share(value: Value) -> bool:
    """Whether it is the probability of keeping an element: a number that is added to draws from [0, 1) and that divides."""
    shape = value.tensor.shape
    if not shape.known or len(shape):
        return False
    kinds = {one.op.values.kind for one, _ in value.uses}
    return "divides" in kinds and "sums" in kinds


def _span(tensor: TensorType) -> Range | None:
    facts = tensor.facts
    if facts is None or facts.span is None:
        return None
    low, past = facts.span
    return Range(float(low), float(past - 1)) if isinstance(low, int) and isinstance(past, int) and low < past else None


def _used(value: Value, name: str) -> bool:
    return any(word == name for _, word in value.uses)


def _scales(one: Applied, name: str) -> bool:
    """Whether a parameter multiplies what an operator normalised: such an operator keeps away from zero by an epsilon."""
    return name == "weight" and any(attribute.name == "eps" for attribute in one.op.attributes)


def _looked_up(one: Applied, name: str, table: bool = False) -> int | None:
    """How many rows the table has that whole numbers select from, where they are this argument, or with `table`, where the table is."""
    rows = _declared_rows(one, name, table)
    if rows is not None:
        return rows
    facts = one.op.values
    by = facts.by if isinstance(facts.by, str) else ""
    if facts.kind not in ("selects", "cuts") or not by or not facts.over:
        return None
    over = facts.over.split()[0]
    found = one.arguments.get(over)
    if name != (over if table else by) or not isinstance(found, TensorType) or not found.shape.known or not len(found.shape):
        return None
    axis = one.arguments.get("dim", one.arguments.get("axis", 0))
    size = found.shape[axis if isinstance(axis, int) and -len(found.shape) <= axis < len(found.shape) else 0]
    return size if isinstance(size, int) and size > 0 else None


def _declared_rows(one: Applied, name: str, table: bool) -> int | None:
    """The size of the axis that the declaration of an input of whole numbers names (`index:V`)."""
    tensors = [p for p in one.op.inputs if isinstance(p, Tensor)]
    for index in tensors:
        kind, _, axis = index.values.partition(":")
        if kind != "index" or not axis or (not table and index.name != name):
            continue
        for other in tensors:
            held = one.arguments.get(other.name)
            if other is index or (table and other.name != name) or not isinstance(held, TensorType) or not held.shape.known:
                continue
            size = _axis_named(held, other.layout, axis, table)
            if size is not None:
                return size
    return None


def _axis_named(tensor: TensorType, layout: str, axis: str, first: bool) -> int | None:
    """The size of a named axis of a layout; with `first`, only where it is the first one."""
    for option in layout.split("|"):
        names = option.split()
        open_end = bool(names) and names[-1] == "..."
        fits = len(tensor.shape) >= len(names) - 1 if open_end else len(tensor.shape) == len(names)
        if fits and axis in names and "..." not in names[: names.index(axis)] and (not first or names[0] == axis):
            size = tensor.shape[names.index(axis)]
            return size if isinstance(size, int) and size > 0 else None
    return None


def _chances(value: Value) -> bool:
    """Whether an operator takes it for probabilities: its declaration asks for numbers from 0 to 1."""
    for one, name in value.uses:
        for hazard in one.op.hazards:
            safe = hazard.safe
            if hazard.about == name and (getattr(safe, "lo", None), getattr(safe, "hi", None)) == (0.0, 1.0):
                return True
    return False


# --- in words ---


def _called(value: Value) -> str:
    if value.names:
        return value.names[0]
    what = "a parameter" if value.tensor.parameter or value.tensor.requires_grad else "an input"
    for one, name in value.uses[:1]:
        declared = one.op.parameter(name)
        return f"{name} of {one.spelling} {value.tensor.shape!r}" if isinstance(declared, Tensor) else f"{what} {value.tensor!r}"
    return f"{what} {value.tensor!r}"


def _named(names: Mapping[int, Sequence[str]], tensor: object) -> str:
    return next(iter(names.get(id(tensor), ())), "")


MOST_NAMED = 6


def _listed(about: list[str]) -> str:
    each = list(dict.fromkeys(about))
    return ", ".join(each[:MOST_NAMED]) + (f" and {len(each) - MOST_NAMED} more" if len(each) > MOST_NAMED else "")
