"""Reference functions on bounds: what they give, how often a library rounds on the way, and what is left after rounding to the element type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import frexp, isinf
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorproof.engines.values.boxes import interval, intervals, nearest_once
from tensorproof.engines.values.conversion import converted
from tensorproof.engines.values.evaluate import NARROW, typed
from tensorproof.engines.values.numpy_port import NUMPY
from tensorproof.engines.values.rounding import Rounding, Several, computed_in, one_outwards, outwards
from tensorproof.engines.values.rules import Box, boxed
from tensorproof.engines.values.whole_numbers import fitting
from tensorproof.ops.applied import Applied
from tensorproof.terms.dtypes import DType
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.engines.values.numpy_port import Made
    from tensorproof.ops.arrays import Numpy

_REAL = np.dtype(np.float64)
_ROUNDED_ONCE = frozenset(("sums", "multiplies", "divides"))
"""Facts of operators whose Python numbers are rounded to the element type before they are used."""
_SEVERAL = set[object]()
"""The operators that compute more than one function which a library rounds; sums, products and quotients with their numbers beside, such as alpha of add."""


def computed(np: Numpy, one: Applied, types: Sequence[DType | None], arguments: Mapping[str, Any]) -> tuple[Made, bool]:
    """What a reference function gives of bounds, and whether a library rounds it but once, to the nearest number."""
    op = one.op
    assert op.evaluate is not None
    arguments = converted(one, types, arguments)
    key: object = op.name
    if op.attributes and op.values.kind in _ROUNDED_ONCE:
        key = (op.name, *[v for p in op.attributes if (v := one.arguments[p.name]).__class__ is float or v.__class__ is int])
    if key not in _SEVERAL:
        Rounding.late = True
        spread = _spread(one, types, arguments) if op.values.kind in _ROUNDED_ONCE else None
        try:
            with computed_in(types):
                made = op.evaluate(np, {**arguments, **spread} if spread else arguments)
            if Rounding.count and not Rounding.single and not spread:  # the one function that was computed is rounded already
                return made, False
            if Rounding.single and (spread or _representable(one)) if Rounding.count else getattr(np, "__name__", "") == "numpy" or op.order == "like":
                return made, True
        except Several:
            _SEVERAL.add(key)
        finally:
            Rounding.late = False
    with computed_in(types):
        return op.evaluate(np, arguments), False


def _spread(one: Applied, types: Sequence[DType | None], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The Python numbers of a sum, product or quotient with what they are rounded to; none where they are numbers of all the types, or are rounded twice."""
    weak: dict[str, float] = {}
    for name, value in one.arguments.items():
        if value.__class__ is float:
            return {}
        if isinstance(value, TensorType) and value.weak and value.contents and type(value.contents[0]) is float:
            weak[name] = value.contents[0]
    if not weak or any(t is not None and t.kind == "f" and t.bits < 32 for t in types) or _representable(one):
        return {}
    made = {}
    for name, number in weak.items():
        given, rounded = arguments[name], np.float64(np.float32(number))
        made[name] = (given if hasattr(given, "of") else boxed(given)).of("either", rounded)
    return made


def _representable(one: Applied) -> bool:
    """Whether each real number that the program wrote is a number of all the element types that meet: others are rounded before they are used."""
    for value in one.arguments.values():
        if value.__class__ is float:
            if not _short(value):
                return False
        elif value.__class__ is TensorType and value.weak and value.contents and not all(_short(v) for v in value.contents if type(v) in (int, float)):
            return False
    return True


def _short(number: float) -> bool:
    """Whether all element types have a number."""
    return not number or isinf(number) or (2.0**-14 <= abs(number) <= 65504 and (frexp(number)[0] * 256).is_integer())


def outward(box: Box, dtype: DType | None, nearest: bool = False) -> Box:
    """Bounds that hold after rounding to the element type: real numbers grow by some units in the last place, and overflow is infinite.
    What is rounded to the `nearest` number stays in order."""
    if dtype is not None and dtype.kind in "biu":
        if dtype.kind == "b":
            return box.astype(bool)
        label = dtype.label if dtype.bits >= 8 else "int8" if dtype.kind == "i" else "uint8"  # NumPy knows no limits of fewer bits
        return Box(*fitting(box.lo, box.hi, box.nan, label, box.dtype.kind in "iu"), False, label)
    if dtype is not None and not dtype.step:
        return box
    kind = _REAL if box.dtype.kind in "biu" else box.dtype
    target = dtype or DType.FLOAT32
    if nearest:
        if box.lo.size == 1 and target.label not in NARROW:
            return nearest_once(box, target, kind)
        lo, hi = (np.asarray(typed(NUMPY, side, target), np.float64) for side in (box.lo, box.hi))
        return flushed(intervals(lo, hi, box.nan, kind), target.smallest_normal)
    with computed_in([target]):
        if box.lo.size == 1:
            return interval(*one_outwards(box.lo.item(), box.hi.item(), 0.0), box.lo.ndim, kind, box.nan.item())
        return Box(*outwards(box.lo, box.hi), box.nan, kind)


def flushed(box: Box, least: float | None = None) -> Box:
    """Bounds that hold for a library that takes numbers without all digits as 0."""
    if box.dtype.kind != "f":
        return box
    small = float(np.finfo(box.dtype).smallest_normal) if least is None else least
    lo, hi = np.where((box.lo > 0) & (box.lo < small), 0.0, box.lo), np.where((box.hi < 0) & (box.hi > -small), 0.0, box.hi)
    return intervals(lo, hi, box.nan, box.dtype)
