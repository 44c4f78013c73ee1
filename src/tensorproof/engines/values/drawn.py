"""Bounds of numbers that an operator draws at random, from the distribution that its declaration or an argument names; and of what it writes over."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite
from typing import TYPE_CHECKING

import numpy as np

from tensorproof.engines.values.evaluate import NotEvaluated, typed, value_of
from tensorproof.engines.values.numpy_port import NUMPY
from tensorproof.engines.values.reference import outward
from tensorproof.engines.values.rules import Box, Unbounded, boxed
from tensorproof.ops.applied import Applied
from tensorproof.ops.distributions import DISTRIBUTIONS, Bounds
from tensorproof.ops.record import Values
from tensorproof.terms.dtypes import DType
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.engines.values.bounds import Boxes
    from tensorproof.engines.values.numpy_port import Like


def open_written(one: Applied, boxes: Boxes) -> None:
    """Tensors that are written in place may hold any numbers before."""
    for name in one.op.writes:
        x = one.arguments.get(name)
        if isinstance(x, TensorType) and boxes.get(id(x)) is None and x.contents is None and _counted(x) and x.dtype is not None and x.dtype.kind in "biuf":
            shape = tuple(x.shape)
            boxes[id(x)] = outward(Box(np.full(shape, -inf), np.full(shape, inf), x.dtype.kind == "f"), x.dtype)


def drawn(one: Applied, values: Values, result: TensorType, boxes: Boxes) -> Box | None:
    """A box for random numbers; None where nothing is known of them."""
    try:
        box = _support(one, values, result, lambda value: value_of(NUMPY, value, boxes))
    except (NotEvaluated, Unbounded):
        return None
    dtype = result.dtype
    if box is None or dtype is None or _exact(box, dtype):
        return box
    if dtype.kind in "iu" and dtype.bits == 64:  # what is drawn fits into them
        return Box(np.maximum(box.lo, float(dtype.least)), np.minimum(box.hi, float(dtype.greatest)), False, dtype.label)
    return outward(box, dtype)


def _support(one: Applied, values: Values, result: TensorType, read: Callable[[object], Like | None]) -> Box | None:
    """Where the distribution's numbers lie; None where the distribution, a parameter or the shape is not known."""
    name = values.distribution or one.arguments[str(values.by)]
    if name not in DISTRIBUTIONS or result.dtype is None or result.dtype.kind == "c" or not _counted(result):
        return None
    kind, shape = DISTRIBUTIONS[name], tuple(result.shape)
    given = [one.arguments[p] for p in values.over.split() or kind.parameters]
    parameters = [_ends(read(part)) for value in given for part in (value if isinstance(value, tuple) else (value,))]
    known = [pair for pair in parameters if pair is not None]
    if len(known) < len(parameters):
        return None
    lo, hi = kind.bounds(*known)
    proper = all(isfinite(end) for pair in known for end in pair) and (lo != 0 or all(low >= kind.least for low, _ in known))  # else some libraries draw nan
    return Box(np.full(shape, lo), np.full(shape, hi), not proper)


def _counted(tensor: TensorType) -> bool:
    return tensor.shape.known and all(isinstance(n, int) for n in tensor.shape)


def _ends(value: Like | None) -> Bounds | None:
    """The least and the greatest that a parameter may be; None where that is not known. An end that is not given is anywhere."""
    if value is None:
        return -inf, inf
    box = boxed(value)
    return None if not box.size or box.nan.any() else (float(box.lo.min()), float(box.hi.max()))


def _exact(box: Box, dtype: DType) -> bool:
    """Whether real numbers between two ends stay between them when they are scaled to their width: both ends and the width are numbers of the type."""
    if dtype.kind != "f" or not box.size:
        return False
    lo, hi = box.lo.flat[0], box.hi.flat[0]
    return all(float(typed(NUMPY, n, dtype)) == n for n in (lo, hi, hi - lo) if np.isfinite(n))
