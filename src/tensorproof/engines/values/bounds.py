"""Bounds of what applied operators compute, from bounds of their inputs: boxes, each two arrays. The facts of declarations narrow them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tensorproof.engines.values.conversion import sums_fit
from tensorproof.engines.values.drawn import drawn, open_written
from tensorproof.engines.values.evaluate import NotEvaluated, arguments_of, contents_of, numbers_in, value_of
from tensorproof.engines.values.numpy_port import NUMPY
from tensorproof.engines.values.reference import computed, flushed, outward
from tensorproof.engines.values.rounding import Rounding
from tensorproof.engines.values.rules import Box, Unbounded, boxed
from tensorproof.ops.applied import Applied, parts
from tensorproof.ops.evaluation import Undefined, Undetermined
from tensorproof.ops.record import Values
from tensorproof.terms.dtypes import DType
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.engines.values.numpy_port import Like

Boxes = dict[int, Box | None]
"""Bounds by the identity of tensors; None where nothing is known."""


def bounds(applied: Sequence[Applied], given: Mapping[int, Like]) -> Boxes:
    """Bounds of the values of all results (boxes), by the identity of their tensors; `given` holds those of the inputs. None where nothing is known."""
    boxes: Boxes = {i: flushed(boxed(v)) for i, v in given.items()}
    with np.errstate(all="ignore"):
        for one in applied:
            for tensor in _constants(one):
                if id(tensor) not in boxes:
                    boxes[id(tensor)] = flushed(boxed(contents_of(NUMPY, tensor)))
            bound(one, boxes)
    return boxes


def _constants(one: Applied) -> Iterator[TensorType]:
    """The real tensors among the arguments whose contents are known: what is computed of them is rounded as well."""
    for value in one.arguments.values():
        for tensor in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(tensor, TensorType) and not tensor.weak and tensor.dtype is not None and tensor.dtype.kind == "f" and numbers_in(tensor):
                yield tensor


def bound(one: Applied, boxes: Boxes) -> None:
    """Put bounds of the results of one applied operator, by the identity of their tensors; None where nothing is known."""
    open_written(one, boxes)
    found: Iterable[Like | None]
    try:
        found, nearest = _computed(one, boxes)
    except (NotEvaluated, Unbounded, Undefined, Undetermined):
        found, nearest = [None] * len(one.results), False
    for i, (result, part) in enumerate(zip(one.results, found)):
        fact = fact_of(one, i)
        if result.dtype is not None and result.dtype.kind == "c":
            boxes[id(result)] = None
            continue
        if fact.kind == "drawn":
            boxes[id(result)] = drawn(one, fact, result, boxes)
            continue
        box = None if part is None or getattr(part, "dtype", np.dtype(float)).kind == "c" else boxed(_made(part, result.dtype))
        if box is not None and not (fact.kind in _KEPT and _of_one_type(one, fact, result)):
            box = outward(box, result.dtype, nearest)
        boxes[id(result)] = _narrowed(result, box, _stated(one, fact, boxes), fact.kind == "convex" and not sums_fit(one, result.dtype))


def _computed(one: Applied, boxes: Boxes) -> tuple[Iterable[Like], bool]:
    """Bounds of each result by the reference function, and whether a library rounds them but once, to the nearest number."""
    if one.op.evaluate is None:
        raise NotEvaluated(one.op.name)
    made, nearest = computed(NUMPY, one, parts(one).types, arguments_of(NUMPY, one, boxes))
    found = (made,) if len(one.results) == 1 and not isinstance(made, tuple) else made
    if Rounding.lost and not (one.op.order == "like" and len(one.op.inputs) == 1):
        return [_open(part) for part in found], nearest
    return found, nearest


def _open(made: Like) -> Box:
    """Any numbers: what a computation gives behind an overflow depends on its order, which libraries choose. Whole numbers stay."""
    box = boxed(made)
    return Box(np.full(box.shape, -np.inf), np.inf, True, box.dtype) if box.dtype.kind == "f" else box


def fact_of(one: Applied, i: int) -> Values:
    """The declared fact of a result: the output's own, or the operator's where that is about all results or this is the first."""
    outputs = one.op.outputs
    own = outputs[i].values if i < len(outputs) and (len(outputs) == len(one.results) or i == 0) else None
    return own or (one.op.values if i == 0 or one.op.counted else Values())


_AMONG = ("convex", "moves", "cuts", "selects", "joins", "mixes")
"""Kinds of facts by which elements lie between the least and the greatest of the inputs."""


def _made(part: Like, dtype: DType | None) -> Like:
    """Numbers that come from no tensor: where some of them cancel, they are off by as much as the largest is."""
    if hasattr(part, "of") or dtype is None or dtype.kind != "f" or not dtype.step:
        return part
    array = np.asarray(part)
    if array.dtype.kind != "f" or not array.size or not np.all(np.isfinite(array)) or np.all(array == np.rint(array)):
        return part
    error = 16 * dtype.step * np.max(np.abs(array))
    return Box(array - error, array + error, False, array.dtype)


_KEPT = ("moves", "cuts", "selects", "joins")
"""Kinds of facts by which elements are those of the inputs."""


def _of_one_type(one: Applied, values: Values, result: TensorType) -> bool:
    """Whether the inputs that elements come from have the element type of the result, and no number is given beside them: nothing is rounded then."""
    named = [one.arguments.get(name) for name in (values.over or "x").split()]
    inputs = [x for value in named for x in (value if isinstance(value, (tuple, list)) else (value,))]
    if any(type(value) is float for value in one.arguments.values()):
        return False
    return all(isinstance(x, TensorType) and x.dtype is result.dtype and not x.weak for x in inputs)


def _stated(one: Applied, values: Values, boxes: Boxes) -> tuple[float, float] | None:
    """The bounds that a declared fact gives."""

    def number(value: object) -> object:
        return one.arguments[value] if isinstance(value, str) else value

    if values.kind == "bounded":
        return values.bounds.lo, values.bounds.hi
    if values.kind == "draws":
        low, high = number(values.low), number(values.high)
        return (float(low), float(max(low, high - 1))) if isinstance(low, int) and isinstance(high, int) and values.step == 1 else None
    if values.kind not in (*_AMONG, "places"):
        return None
    try:
        named = [value_of(NUMPY, one.arguments[name], boxes) for name in (values.over or "x").split()]
        inputs = [boxed(x) for x in named for x in (x if isinstance(x, tuple) else (x,)) if x is not None]
    except (NotEvaluated, Unbounded):
        return None
    if not inputs or not all(x.size for x in inputs):
        return None
    if values.kind == "places":
        axis = number(values.by)
        size = inputs[0].size if axis is None else inputs[0].shape[axis] if isinstance(axis, int) and inputs[0].ndim else 1
        return 0.0, float(size - 1 + int(values.high))
    return min(float(x.lo.min()) for x in inputs), max(float(x.hi.max()) for x in inputs)


def _narrowed(result: TensorType, box: Box | None, stated: tuple[float, float] | None, overflows: bool) -> Box | None:
    """The stated bounds, met with those that were computed."""
    if stated is None or not result.shape.known:
        return box
    if box is None:
        shape = tuple(result.shape)
        if not all(isinstance(n, int) for n in shape):
            return None
        real = result.dtype is None or result.dtype.kind == "f"
        return outward(Box(np.full(shape, stated[0]), np.full(shape, stated[1]), real), result.dtype)
    return met(box, outward(Box(*stated), result.dtype), overflows)


def met(box: Box, around: Box, overflows: bool = False) -> Box:
    """Computed bounds met with stated ones, which are about the elements of inputs: a window of padding alone has none. `overflows`: infinite ends stay."""
    if box.lo.size == around.lo.size == 1 and not overflows and box.lo.ndim >= around.lo.ndim:
        a, b, c, d = box.lo.item(), box.hi.item(), around.lo.item(), around.hi.item()
        if a >= c and b <= d and a <= b:
            return box
    lo, hi = np.maximum(around.lo, box.lo), np.minimum(around.hi, box.hi)
    if overflows:
        lo, hi = np.where(np.isneginf(box.lo), box.lo, lo), np.where(np.isposinf(box.hi), box.hi, hi)
    if np.any(lo > hi):
        lo, hi = np.where(lo > hi, box.lo, lo), np.where(lo > hi, box.hi, hi)
    return Box(lo, hi, box.nan, box.dtype)
