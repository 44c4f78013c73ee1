"""Where derivatives are computed: the operators between the targets of a gradient and what it is taken by."""

from __future__ import annotations

from collections.abc import Sequence

from tensorproof.diagnostics.span import Span
from tensorproof.program.flow import Step, reached, steps
from tensorproof.program.form import Changed, Differentiated, Loop, Record
from tensorproof.terms.tensor import TensorType

Places = frozenset[tuple[Span, str]]
"""Operators by place and name: a graph that runs again computes with other tensors at the same places."""


def differentiated(records: Sequence[Record]) -> Places:
    """The applied operators through which derivatives pass."""
    asked = _asked(records)
    if all(t.framework == "torch" for one in asked for t in one.targets):  # tensors of torch say themselves whether they require a gradient
        return frozenset()
    every = [step for step in steps(records) if not _stops(step)]
    back: dict[int, list[int]] = {}
    forth: dict[int, list[int]] = {}
    for step in every:
        for result in step.results:
            back.setdefault(id(result), []).extend(map(id, step.operands))
        for operand in step.operands:
            forth.setdefault(id(operand), []).extend(map(id, step.results))
    targets = {id(t) for one in asked for t in one.targets}
    sources = {id(t) for one in asked for t in one.sources} | {id(t) for step in every for t in step.operands if _is_parameter(t)}
    used, moved = reached(back, targets), reached(forth, sources)
    return frozenset(
        (step.computed.span, step.computed.applied.op.name) for step in every
        if step.computed is not None and any(id(t) in used for t in step.results) and any(id(t) in moved for t in step.operands)
    )  # fmt: skip


def _asked(records: Sequence[Record]) -> list[Differentiated]:
    found: list[Differentiated] = []
    for one in records:
        if isinstance(one, Differentiated):
            found.append(one)
        elif isinstance(one, Loop):
            found += _asked(one.body)
    return found


def trains(records: Sequence[Record]) -> bool:
    """Whether gradients are computed: they are asked for, or an optimizer steps."""
    return bool(_asked(records)) or _steps_taken(records)


def _steps_taken(records: Sequence[Record]) -> bool:
    return any((isinstance(one, Changed) and one.before is not None) or (isinstance(one, Loop) and _steps_taken(one.body)) for one in records)


def _stops(step: Step) -> bool:
    """Whether no derivative passes: what is detached, or holds no real numbers."""
    if step.computed is None:
        return False
    return step.computed.applied.op.gradient == "x-" or not any(t.dtype is None or t.dtype.is_float for t in step.results)


def _is_parameter(tensor: TensorType) -> bool:
    return tensor.parameter or tensor.requires_grad
