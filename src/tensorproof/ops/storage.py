"""How tensors lie in memory: strides, views, flat positions; and what casting and counting make of known contents.

A view is described by its axes, each a size and a step; the same change of axes is applied to the steps in memory (`strides`) and
to the steps in the known contents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from struct import error, pack, unpack
from typing import Any

from tensorproof.ops.call import Call
from tensorproof.terms.dtypes import FLOAT16, FLOAT32, FLOAT64, DType
from tensorproof.terms.facts import learn
from tensorproof.terms.ints import Dim, Term, bounds, ceildiv, ite, maximum, minimum, product
from tensorproof.terms.predicates import Truth, conj, disj, eq, ge, le, lt
from tensorproof.terms.shapes import Shape
from tensorproof.terms.strides import channels_last, compact, copied, laid_like, row_major, strides_or_none, suggests_last
from tensorproof.terms.tensor import MOST_CONTENTS, UNKNOWN_STRIDES, Start, TensorType


def small(shape: Iterable[Any]) -> bool:
    """Whether a tensor of this shape may keep its contents."""
    count = 1
    for size in shape:
        if type(size) is not int:
            return False
        count *= size
    return count <= MOST_CONTENTS


def known(x: TensorType) -> bool:
    return x.contents is not None and x.shape.concrete


def whole(contents: tuple[Any, ...] | None) -> bool:
    """Whether the contents are known and free of symbols."""
    return contents is not None and not any(isinstance(v, Term) for v in contents)


def positions(sizes: Sequence[int], steps: Sequence[int], offset: int = 0) -> list[int]:
    """The flat positions that sizes and steps walk over, in row-major order."""
    found = [offset]
    for size, step in zip(sizes, steps):
        found = [p + i * step for p in found for i in range(size)]
    return found


# --- contents ---


def cast(contents: tuple[Any, ...] | None, dtype: DType | None) -> tuple[Any, ...] | None:
    """The contents as elements of `dtype`; None when that is not exact or not known."""
    if contents is None or dtype is None:
        return None
    made: list[Any] = []
    for value in contents:
        one = cast_one(value, dtype)
        if one is None:
            return None
        made.append(one)
    return tuple(made)


def settled(x: TensorType, function: Callable[[float], Any]) -> tuple[Any, ...] | None:
    """What a function that never falls makes of the elements of a vector, where it makes the same of the least and the greatest that each can be."""
    rows = x.facts.rows if x.facts is not None and x.contents is None else None
    if rows is None or len(x.shape) != 1:
        return None
    try:
        found = [(function(low), function(high)) for low, high in rows[1]]
    except (OverflowError, ValueError):
        return None
    return tuple(low for low, _ in found) if all(low == high for low, high in found) else None


def cast_one(value: Any, dtype: DType) -> Any:
    """One element, converted as torch and NumPy do; None when it is unknown."""
    try:
        match dtype.kind:
            case "b":
                return None if isinstance(value, Term) else bool(value)
            case "i" | "u":
                return value if isinstance(value, Term) else _wrapped(int(value), dtype)
            case "f":
                return None if isinstance(value, (Term, complex)) else _rounded(float(value), dtype)
            case "c":
                return None if isinstance(value, Term) else complex(value)
            case _:
                return None
    except (OverflowError, ValueError, TypeError, error):
        return None


def _wrapped(value: int, dtype: DType) -> int:
    low = -(1 << (dtype.bits - 1)) if dtype.kind == "i" else 0
    return (value - low) % (1 << dtype.bits) + low


def _rounded(value: float, dtype: DType) -> float | None:
    if dtype is FLOAT64 or value != value or value in (float("inf"), float("-inf")):
        return value
    if dtype in (FLOAT32, FLOAT16):
        code = "f" if dtype is FLOAT32 else "e"
        made: float | None = unpack(code, pack(code, value))[0]
        return made
    return value if value == int(value) and abs(value) <= 16 else None  # every float type holds these


def true_count(c: Call, x: TensorType) -> Dim:
    """How many elements are not zero: exact where the contents are known, else one symbol for each tensor object."""
    if whole(x.contents):
        return sum(1 for v in x.contents or () if v)
    known = x.facts.ones if x.facts is not None else None
    if known is None:
        known = c.fresh("nnz", 0, bounds(x.shape.numel)[1])
        learn(x, ones=known)
        c.session.counted = True
    return known


# --- views ---

Axes = list[tuple[Dim, Dim]]
"""(size, step) of each axis."""


def steps_of(x: TensorType) -> tuple[Dim, ...] | None:
    """The strides, or None when they are unknown."""
    if x.strides is None:
        return row_major(x.shape)
    return None if x.strides == UNKNOWN_STRIDES else x.strides


def view(x: TensorType, change: Callable[[Axes], tuple[Axes, Dim]]) -> TensorType:
    """A view of x. `change` maps its axes to those of the view, with the offset of the first element."""
    steps = steps_of(x)
    axes, offset = change(list(zip(x.shape, steps if steps is not None else (0,) * len(x.shape))))
    shape = Shape(size for size, _ in axes)
    strides = UNKNOWN_STRIDES if steps is None else strides_or_none(shape, [step for _, step in axes])
    start = x.start if steps is not None and type(offset) is int and offset == 0 else moved(x.start, offset if steps is not None else None)
    contents: tuple[Any, ...] | None = None
    if known(x) and small(shape) and x.contents is not None:
        if x.strides is not None:
            axes, offset = change(list(zip(x.shape, row_major(x.shape))))
        if type(offset) is int:
            contents = tuple(x.contents[p] for p in positions([a[0] for a in axes], [a[1] for a in axes], offset))  # type: ignore[misc]
    return x.but(shape=shape, strides=strides, contents=contents, weak=False, start=start)


def moved(start: Start | None, offset: Dim | None) -> Start:
    """The start of a view, so many elements behind another."""
    before = 0 if start is None else start.at
    return Start(None if before is None or offset is None else before + offset)


def reshaped(x: TensorType, shape: Shape) -> tuple[tuple[Dim, ...] | None, Truth]:
    """The strides with which the memory of x shows as `shape`, and what must hold for that: False where it needs a copy.

    The strides are UNKNOWN_STRIDES where they are unknown.
    """
    if x.strides is None or any(size == 0 for size in shape):
        return None, True
    steps = steps_of(x)
    if steps is None:
        return UNKNOWN_STRIDES, True
    old = [(size, step) for size, step in zip(x.shape, steps) if size != 1]
    new = [size for size in shape if size != 1]
    made: list[Dim] = []
    conditions: list[Truth] = []
    while old and new:
        taken_old, taken_new = _block(old, new)
        inner = _merged(old[:taken_old], new[:taken_new], conditions)
        if inner is None:
            return UNKNOWN_STRIDES, True
        made.extend(inner)
        del old[:taken_old], new[:taken_new]
    if old or new:
        return UNKNOWN_STRIDES, True
    walk = iter(made)
    return strides_or_none(shape, [1 if size == 1 else next(walk) for size in shape]), conj(*conditions)


def _block(old: Axes, new: list[Dim]) -> tuple[int, int]:
    """How many leading axes of each make the same number of elements: in the end all of them, since both shapes hold as many."""
    for i in range(1, len(old) + 1):
        count = product(size for size, _ in old[:i])
        total: Dim = 1
        for j, size in enumerate(new, 1):
            total = total * size
            if total is count or total == count:
                return i, j
    return len(old), len(new)


def _merged(old: Axes, new: list[Dim], conditions: list[Truth]) -> tuple[Dim, ...] | None:
    """The steps of new axes in place of old ones; None when they are unknown. What must hold is added to `conditions`."""
    for (size, step), (after, inner) in pairwise(old):
        if step == after * inner:
            continue
        if len(new) > 1 and not all(type(n) is int for n in (*new, *(n for n, _ in old))):
            return None
        holds = disj(eq(step, after * inner), eq(size, 1), eq(after, 1), *(eq(n, 0) for n, _ in old))
        conditions.append(holds)
    step = old[-1][1]
    return tuple(step * n for n in row_major(new))


def is_compact(x: TensorType) -> bool:
    """Whether a tensor surely is contiguous."""
    if x.strides is None or not x.shape.known:
        return x.strides is None
    return x.strides != UNKNOWN_STRIDES and compact(x.shape, x.strides)


def channels_last_suggested(x: TensorType) -> bool | None:
    """Whether torch takes it for pictures with the channels last."""
    if x.strides is None or (x.shape.known and len(x.shape) not in (4, 5)):
        return False
    steps = steps_of(x) if x.shape.known else None
    return None if steps is None else suggests_last(x.shape, steps)


def copied_strides(x: TensorType, absolute: bool = False) -> tuple[Dim, ...] | None:
    """The strides of a copy as `clone` makes it: dense, the axes in the order in which they lie in x; `absolute`: whichever way they run."""
    steps = steps_of(x) if x.shape.known else None
    if x.strides is None or steps is None:
        return x.strides
    made = copied(x.shape, steps, absolute=absolute)
    return UNKNOWN_STRIDES if made is None else strides_or_none(x.shape, made)


def strides_of_format(shape: Shape, memory: object) -> tuple[Dim, ...] | None:
    """The strides that a memory format asks for."""
    ranks = {"channels_last": 4, "channels_last_3d": 5}
    word = str(memory).removeprefix("torch.")
    if word not in ranks or len(shape) != ranks[word]:
        return None
    return strides_or_none(shape, channels_last(shape))


def format_strides(x: TensorType, memory: object, copies: bool) -> tuple[Dim, ...] | None:
    """The strides of x in a memory format; `copies`: even where it lies so that torch takes it to have that already."""
    word = str(memory).removeprefix("torch.")
    if word in ("None", "preserve_format") or not x.shape.known:
        return copied_strides(x) if copies else x.strides
    last = {"channels_last": 4, "channels_last_3d": 5}.get(word) == len(x.shape)
    if not copies:
        suggested = channels_last_suggested(x)
        if suggested is None or suggested is last:
            return x.strides if suggested is last else UNKNOWN_STRIDES
    return strides_or_none(x.shape, channels_last(x.shape)) if last else None


# --- results ---


def like_operands(tensors: list[TensorType], shape: Shape, absolute: bool) -> tuple[Dim, ...] | None:
    """The strides of an elementwise result."""
    wide = [t for t in tensors if not t.weak]
    laid = [(t.shape, steps) for t in wide if t.shape.known and (steps := steps_of(t)) is not None]
    if len(laid) < len(wide):
        return UNKNOWN_STRIDES
    made = laid_like(shape, laid, len(wide) < len(tensors), absolute=absolute)
    return UNKNOWN_STRIDES if made is None else strides_or_none(shape, made)


def _of_format(last: bool | None, shape: Shape) -> tuple[Dim, ...] | None:
    return None if last is False or len(shape) not in (4, 5) else UNKNOWN_STRIDES if last is None else strides_or_none(shape, channels_last(shape))


def copied_like(tensors: list[TensorType], shape: Shape, absolute: bool) -> tuple[Dim, ...] | None:
    """The strides of a new tensor like the first one."""
    return copied_strides(tensors[0], absolute) if tensors[0].shape == shape else UNKNOWN_STRIDES


def _as_first(call: Call, tensors: list[TensorType], shape: Shape) -> tuple[Dim, ...] | None:
    """Pictures in the format of the first input."""
    return _of_format(channels_last_suggested(tensors[0]), shape) if len(shape) in (4, 5) else UNKNOWN_STRIDES


def _padded(call: Call, tensors: list[TensorType], shape: Shape) -> tuple[Dim, ...] | None:
    """A border of one number keeps the format; others do so in part."""
    made = _as_first(call, tensors, shape)
    bordered = call["mode"] == "constant" and all(ge(n, 0) is True for n in call["padding"])
    return made if made is None or bordered else UNKNOWN_STRIDES


def _stacked(call: Call, tensors: list[TensorType], shape: Shape) -> tuple[Dim, ...] | None:
    """torch joins the inputs as they are along the axis before which the new one stands, and then splits that axis; at the end, each gets an axis first."""
    dim = call["dim"]
    last = [channels_last_suggested(t) if dim < len(shape) - 1 else _grown(t, dim) for t in tensors]
    return None if len(shape) < 4 or False in last else UNKNOWN_STRIDES


def _grown(x: TensorType, dim: int) -> bool | None:
    """Whether x with one more axis of size 1 is taken for pictures with the channels last."""
    steps = steps_of(x) if x.shape.known else None
    if steps is None:
        return None
    own = x.shape[dim] * steps[dim] if dim < len(steps) else 1
    return suggests_last((*x.shape[:dim], 1, *x.shape[dim:]), (*steps[:dim], own, *steps[dim:]))


def _joined(call: Call, tensors: list[TensorType], shape: Shape) -> tuple[Dim, ...] | None:
    """The channels come last where they do so in all inputs."""
    known = [channels_last_suggested(t) for t in tensors]
    return _of_format(False if False in known else None if None in known else True, shape)


def _convolved(call: Call, tensors: list[TensorType], shape: Shape) -> tuple[Dim, ...] | None:
    """The channels come last where they do so in the pictures or in the weight; a GPU does not follow them in double precision."""
    known = [channels_last_suggested(t) for t in tensors[:2]]
    if all(last is False for last in known) and all(t.strides is None or len(t.shape) == 4 for t in tensors[:2]):
        return None
    real = all(t.dtype is not None and t.dtype.is_float and (t.dtype is not FLOAT64 or t.device in (None, "cpu")) for t in tensors)
    if len(shape) != 4 or not real or any(len(t.shape) != 4 for t in tensors[:2]):
        return UNKNOWN_STRIDES
    return _of_format(True if True in known else None, shape)


def _rows(call: Call, tensors: list[TensorType], shape: Shape) -> tuple[Dim, ...] | None:
    return None


FORMATS = {"rows": _rows, "format": _as_first, "padded": _padded, "stacked": _stacked, "joined": _joined, "channels": _convolved}
"""How torch lays out results of operators that keep a format of their own."""


# --- slices ---


def span(n: Dim, start: Any, stop: Any, step: Any) -> tuple[Dim, Dim]:
    """The first position and the number of positions of a slice of an axis of size n, as Python has it."""
    if type(step) is int and step < 0:
        first = n - 1 if start is None else maximum(minimum(from_end(start, n), n - 1), -1)
        last: Dim = -1 if stop is None else maximum(minimum(from_end(stop, n), n - 1), -1)
        return first, maximum(0, ceildiv(last - first, step))
    first = 0 if start is None else _clamped(start, n)
    backwards = lt(0 if start is None else start, 0), lt(n if stop is None else stop, 0)
    begin, end = 0 if start is None else start, n if stop is None else stop
    match backwards:  # the same length in fewer terms where the signs are known
        case (False, False):
            length = minimum(end, n) - begin
        case (True, False):
            length = minimum(end, n) - maximum(begin + n, 0) if stop is not None else minimum(n, -begin)
        case (False, True):
            length = n + end - begin
        case (True, True):
            length = minimum(end - begin, n + end)
        case _:
            length = _clamped(end, n) - first
    return first, maximum(0, length if step == 1 else ceildiv(length, step))


def from_end(at: Dim, n: Dim) -> Dim:
    negative = lt(at, 0)
    return ite(negative, at + n, at) if not isinstance(negative, bool) else at + n if negative else at


def _clamped(at: Dim, n: Dim) -> Dim:
    if at is n:
        return n
    negative = lt(at, 0)
    if negative is True:
        return maximum(at + n, 0)
    if negative is False:
        return minimum(at, n)
    return ite(negative, maximum(at + n, 0), minimum(at, n))


def sliced(x: TensorType, dim: int, first: Dim, length: Dim, step: Dim = 1) -> TensorType:
    def change(axes: list[tuple[Dim, Dim]]) -> tuple[list[tuple[Dim, Dim]], Dim]:
        stride = axes[dim][1]
        return [*axes[:dim], (length, stride * step), *axes[dim + 1 :]], first * stride if length != 0 else 0

    return view(x, change)


def selected(c: Call, x: TensorType, dim: int, at: Dim) -> TensorType:
    """One position of an axis; out of range is refused."""
    n = x.shape[dim]
    c.require("range", conj(le(-n, at), lt(at, n)), f"index {at!r} is out of range: axis {dim} of x has size {n!r}", ("index", "x"))
    place = from_end(at, n)
    return view(x, lambda axes: (axes[:dim] + axes[dim + 1 :], place * axes[dim][1] if n != 0 else 0))
