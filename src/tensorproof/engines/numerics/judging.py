"""Verdicts: whether an operand surely lies in the safe region of a hazard, surely not, or perhaps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tensorproof.engines.numerics.applying import FAILURES, Application, tensors_in
from tensorproof.engines.numerics.grids.grid import gridded
from tensorproof.engines.numerics.infinities import finite_ends, summarised
from tensorproof.engines.numerics.near_zero import only_near_zero
from tensorproof.engines.numerics.points import overflows
from tensorproof.engines.numerics.records import Operation
from tensorproof.engines.numerics.value import AFTER, ENDLESS, LOST, Value, limits
from tensorproof.engines.numerics.walk import Walk
from tensorproof.engines.values.evaluate import typed
from tensorproof.engines.values.numpy_port import NUMPY
from tensorproof.engines.values.rounding import computed_in
from tensorproof.ops.hazards import holds, said
from tensorproof.ops.record import Hazard, Interval
from tensorproof.program.form import Computed
from tensorproof.terms.dtypes import DType
from tensorproof.terms.records import replace
from tensorproof.terms.tensor import TensorType

MOST_CAUSES = 6
"""How many sources a finding names."""


class Judging:
    """The verdict of each hazard of each application, the last one where a loop comes by several times."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.found: dict[tuple[int, str], Operation] = {}
        self._kept: list[Computed] = []

    def judge(self, one: Computed, application: Application | None, overflows: bool) -> bool:
        """Judge all hazards of an application; whether one may happen."""
        hazards = one.applied.op.hazards
        if application is None:
            self._open(one, hazards)
            return False
        if not hazards and not overflows and not one.applied.op.gradient_hazards:
            return False
        made = [operation for hazard in hazards if (operation := self._hazard(one, application, hazard)) is not None]
        met = any(operation.verdict in ("possible", "unsafe") for operation in made)
        if overflows and not met and not any(hazard.code.endswith("/overflow") for hazard in hazards):
            over = self._undefined(one) or self._overflow(one, application)
            met = over is not None and over.verdict != "unknown"
            made = [*made, over] if over is not None else [replace(o, verdict="unknown") if o.verdict == "safe" else o for o in made]
        open_ends = [] if met else self._of_gradients(one)  # a value that is already reported is mended first
        steep = [operation for hazard in open_ends if (operation := self._hazard(one, application, hazard)) is not None]
        for operation in (*made, *steep):
            self._keep(one, operation)
        return met

    def _open(self, one: Computed, hazards: Sequence[Hazard]) -> None:
        """Hazards of which nothing is known, since an operand has no bounds and no rank."""
        applied = one.applied
        for hazard in hazards if any(map(_is_real, (*tensors_in(applied), *applied.results))) else ():
            ends = -np.inf, np.inf
            self._keep(one, Operation(applied.op.name, applied.spelling, hazard.code, one.span, ends, said(hazard), _yielded(hazard), "unknown"))

    def _of_gradients(self, one: Computed) -> tuple[Hazard, ...]:
        """The hazards of derivatives, where gradients are computed and reach this operator."""
        steep = one.applied.op.gradient_hazards
        if not steep or not self.walk.settings.gradients:
            return ()
        operands = tensors_in(one.applied)
        frameworks = {t.framework for t in (*operands, *one.applied.results) if not t.weak}
        if "torch" not in frameworks and (one.span, one.applied.op.name) not in self.walk.settings.differentiated:
            return ()
        followed = [t.grad.requires for t in operands if t.grad is not None]
        if frameworks == {"numpy"} or (followed and all(requires is False for requires in followed)):
            return ()
        return tuple(hazard for hazard in steep if not hazard.only or hazard.only in frameworks)

    def _keep(self, one: Computed, made: Operation) -> None:
        self.found[id(one), made.code] = made
        self._kept.append(one)

    def operations(self) -> Iterator[Operation]:
        """All that was found. Of a graph that is only built somewhere, what was not judged where it runs."""
        built = self.walk.settings.unjudged
        ran = {(made.span, made.code) for (one, _), made in self.found.items() if one not in built and made.verdict != "unknown"}
        return (made for (one, _), made in self.found.items() if one not in built or (made.span, made.code) not in ran)

    def _hazard(self, one: Computed, application: Application, hazard: Hazard) -> Operation | None:
        tensors = list(_about(application, hazard))
        real = any(map(_is_real, (*tensors, *one.applied.results)))
        if not tensors or not (real or hazard.whole):
            return None
        values = [self.walk.values[id(t)] for t in tensors]
        truth = self._truth(application, hazard)
        verdict = self._verdict(one, application, hazard, values, truth)
        return self._operation(one, hazard.code, tensors, said(hazard), _yielded(hazard) if real else "an exception", verdict)

    def _truth(self, application: Application, hazard: Hazard) -> Any:
        """Whether each block is in the safe region: a box of truths, or None where that cannot be said."""
        try:
            arguments = application.arguments
            with computed_in(application.types()):
                return gridded(holds(application.np, hazard, arguments)).box
        except FAILURES:
            return None

    def _verdict(self, one: Computed, application: Application, hazard: Hazard, values: list[Value], truth: Any) -> str:
        if truth is not None and bool((truth.lo > 0).all()):
            return "safe"
        if truth is None or any(v.marks & LOST for v in values):
            return "unknown"
        if one.conditions:
            return "possible"
        if bool((truth.hi <= 0).any()) and not any(v.marks & AFTER for v in values):
            return "unsafe"
        if len(values) == 1 and values[0].points and not self._safe_at(application, hazard, values[0].points):
            return "unsafe"
        infinite = any(v.marks & ENDLESS for v in values) and summarised(self.walk, list(_about(application, hazard)))
        return "unknown" if infinite and self._safe_without_infinity(application, hazard) else "possible"

    def _safe_without_infinity(self, application: Application, hazard: Hazard) -> bool:
        """Whether infinite elements alone leave the safe region."""
        cut = {name: finite_ends(value) for name, value in application.arguments.items()}
        try:
            with computed_in(application.types()):
                return bool((gridded(holds(application.np, hazard, cut)).box.lo > 0).all())
        except FAILURES:
            return False

    def _undefined(self, one: Computed) -> Operation | None:
        """Infinite numbers, which the program puts in, meet others so that nothing is defined: 0 times infinity, infinity less infinity."""
        tensors = [t for t in tensors_in(one.applied) if _is_real(t)]
        values = [self.walk.values[id(t)] for t in tensors]
        if not any(v.marks & ENDLESS for v in values) or any(v.marks & LOST for v in values):
            return None
        sure = all(bool((v.grid.box.lo == v.grid.box.hi).all()) for v in values) and not one.conditions
        verdict = "unsafe" if sure else "unknown" if summarised(self.walk, tensors) else "possible"
        tensors.sort(key=lambda t: not self.walk.values[id(t)].marks & ENDLESS)
        needed = "no 0 times infinity and no infinity less infinity"
        return self._operation(one, f"{one.applied.op.name}/undefined", tensors, needed, "nan", verdict)

    def _safe_at(self, application: Application, hazard: Hazard, points: tuple[float, ...]) -> bool:
        """Whether all these numbers, which the operand reaches, are in the safe region."""
        if isinstance(hazard.safe, Interval):
            return all(hazard.safe.holds(point) for point in points)
        try:
            return bool(NUMPY.all(holds(NUMPY, hazard, {**application.arguments, hazard.about: np.array(points)})))
        except FAILURES:
            return True

    def _overflow(self, one: Computed, application: Application) -> Operation | None:
        """Finite operands of moderate size, or numbers that operands reach, whose result leaves the numbers of the element type."""
        tensors = [t for t in tensors_in(one.applied) if _is_real(t) or (t.dtype is not None and t.dtype.kind in "iu")]
        values = [self.walk.values[id(t)] for t in tensors]
        dtypes = [self.walk.setting.type_of(r) for r in one.applied.results if _is_real(r)]
        grows = any(v is g for v in values for g in self.walk.growing)
        if not values or not dtypes or any(v.marks & ~(AFTER if grows else 0) for v in values):
            return None
        most = limits(dtypes[0])[1]
        reached = overflows(one.applied, self.walk.setting) or (one.applied.op.values.kind == "moves" and any(_too_large(v, dtypes[0]) for v in values))
        own = [limits(self.walk.setting.type_of(t))[1] for t in tensors]
        if not reached and not grows and (not all(map(_moderate, values, own)) or only_near_zero(application, dtypes[0])):
            return None
        needed = f"the result is at most {most:.4g} in size, the greatest {dtypes[0]}"
        return self._operation(one, f"{one.applied.op.name}/overflow", tensors, needed, "inf", "unsafe" if reached and not one.conditions else "possible")

    def _operation(self, one: Computed, code: str, tensors: list[TensorType], needed: str, yields: str, verdict: str) -> Operation:
        real = [t for t in tensors if _is_real(t)] or tensors
        grid = self.walk.values[id(real[0])].grid
        causes, sources = ((), ()) if verdict == "safe" else self._causes(tensors)
        applied = one.applied
        about = tuple(map(id, tensors))
        return Operation(applied.op.name, applied.spelling, code, one.span, (grid.least, grid.most), needed, yields, verdict, causes, sources, about)

    def _causes(self, tensors: list[TensorType]) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """The sources from which tensors are computed, nearest first."""
        walk, seen = self.walk, set[int]()
        names: list[str] = []
        sources: list[int] = []
        pending = list(tensors)
        while pending and len(names) < MOST_CAUSES:
            tensor = pending.pop(0)
            if id(tensor) in seen:
                continue
            seen.add(id(tensor))
            makers = walk.makers.get(id(tensor), ())
            if makers:
                pending += makers
            elif tensor.contents is None:
                sources.append(id(tensor))
                name = walk.settings.names.get(id(tensor)) or walk.reasons.get(id(tensor)) or "an input"
                if name not in names:
                    names.append(name)
        return tuple(names), tuple(sources)


def _about(application: Application, hazard: Hazard) -> Iterator[TensorType]:
    for name in hazard.about.split():
        value = application.one.arguments.get(name)
        for t in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(t, TensorType):
                yield t


def _is_real(tensor: TensorType) -> bool:
    return tensor.dtype is None or tensor.dtype.kind == "f"


def _moderate(value: Value, most: float) -> bool:
    """Whether the square of each element is a number of the type; constants may be of any size."""
    grid = value.grid
    return max(-grid.least, grid.most) <= (most**0.5 if most > 1e30 else 0.99 * most) or bool((grid.box.lo == grid.box.hi).all())


def _too_large(value: Value, dtype: DType | None) -> bool:
    """Whether elements reach a number that an element type does not have."""
    return any(np.isfinite(point) and not NUMPY.isfinite(typed(NUMPY, point, dtype)) for point in value.points)


def _yielded(hazard: Hazard) -> str:
    return "nan" if "nan" in hazard.yields and "inf" not in hazard.yields else "inf" if "nan" not in hazard.yields else "inf or nan"
