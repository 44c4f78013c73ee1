"""Narrower ranges of inputs under which operations are proved safe, for whoever feeds the model. Each is tried by analysing the same form again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import perf_counter

from tensorproof.app.numerics.report import Form, Report, analysed
from tensorproof.engines.numerics.inputs.ranges import Given, Range
from tensorproof.engines.numerics.inputs.roles import Value, ranged
from tensorproof.engines.numerics.records import Operation, Settings
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.records import dataclass, replace

MOST_SECONDS = BUDGETS.numerics.seconds_for_preconditions
MOST_INPUTS = BUDGETS.numerics.narrowed_inputs
LEAST = (1e-6, 1e-3, 0.1, 1.0)
SCALES = (0.5, 0.2, 0.1, 0.05, 0.01, 0.001)
NOT_SAFE = ("unsafe", "possible")


@dataclass(frozen=True, slots=True)
class Precondition:
    """The operations with these codes at these places are proved safe where the input `name` lies in `range`."""

    name: str
    range: Range
    before: Range
    operations: tuple[Operation, ...]


def preconditions(found: Report, settings: Settings, given: Given, passed: Sequence[Operation] = ()) -> list[Precondition]:
    """For operations that are not safe, the widest range that was tried of one input which proves them safe; those of `passed` are left out."""
    until, left = perf_counter() + MOST_SECONDS, {(one.code, one.span): one for one in found.operations if one.verdict in NOT_SAFE and one not in passed}
    made: list[Precondition] = []
    inputs = _inputs(found.forms, given)
    for name in sorted(inputs, key=lambda each: -sum(each in one.cause for one in left.values()))[:MOST_INPUTS]:
        for range_ in _narrower(inputs[name]):
            if not left or perf_counter() > until:
                return made
            safe = _safe(found, settings, replace(given, named={name: range_, **given.named}, met=set[str]()))
            proved = tuple(one for place, one in left.items() if place in safe)
            if proved:
                made.append(Precondition(name, range_, inputs[name], proved))
                for one in proved:
                    del left[one.code, one.span]
    return made


def _safe(found: Report, settings: Settings, given: Given) -> set[object]:
    again = Report(found.path)
    for form in found.forms:
        analysed(replace(form), settings, given, again)
    return {(one.code, one.span) for one in again.operations if one.verdict == "safe"}


def _inputs(forms: Sequence[Form], given: Given) -> dict[str, Range]:
    """The real inputs that have a name and a bounded range."""
    made: dict[str, Range] = {}
    for form in forms:
        sources = ranged(form.records, form.names, given)
        for value in sources.values:
            range_ = sources.ranges[id(value.tensor)]
            if value.names and range_.bounded and _is_input(value):
                made.setdefault(value.names[0], range_)
    return made


def _is_input(value: Value) -> bool:
    tensor = value.tensor
    real = tensor.dtype is not None and tensor.dtype.kind == "f"
    return real and not tensor.parameter and not tensor.requires_grad and not any(name in one.op.writes for one, name in value.uses)


def _narrower(whole: Range) -> Iterator[Range]:
    """Parts of a range, the wider first: its positive half without zero, and the same range on a smaller scale."""
    if whole.lo <= 0 < whole.hi:
        yield from (Range(least, whole.hi) for least in LEAST if least < whole.hi)
    for scale in SCALES:
        yield Range(whole.lo * scale, whole.hi * scale)
        if whole.lo <= 0 < whole.hi:
            yield Range(LEAST[0], whole.hi * scale)
