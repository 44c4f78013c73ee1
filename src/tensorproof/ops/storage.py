"""How tensors lie in memory: strides, views, flat positions; and what casting and counting make of known contents.

A view is described by its axes, each a size and a step; the same change of axes is applied to the steps in memory (`strides`) and
to the steps in the known contents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from struct import error, pack, unpack
from typing import Any

from tensorproof.ops.call import Call
from tensorproof.terms.dtypes import FLOAT16, FLOAT32, FLOAT64, DType
from tensorproof.terms.ints import Dim, Term, bounds
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import MOST_CONTENTS, UNKNOWN_STRIDES, TensorType


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


def row_major(shape: Sequence[Dim]) -> tuple[Dim, ...]:
    """The strides of a contiguous tensor; as in torch, an axis of size 0 counts as 1."""
    steps: list[Dim] = []
    step: Dim = 1
    for size in reversed(shape):
        steps.append(step)
        if size != 0:
            step = step * size
    return tuple(reversed(steps))


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


def cast_one(value: Any, dtype: DType) -> Any:
    """One element, converted as torch and NumPy do; None when it cannot be told."""
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
        return unpack(code, pack(code, value))[0]
    return value if value == int(value) and abs(value) <= 16 else None  # every float type holds these


def true_count(c: Call, x: TensorType) -> Dim:
    """How many elements are not zero: exact where the contents are known, else one symbol for each tensor object."""
    if whole(x.contents):
        return sum(1 for v in x.contents or () if v)
    held = c.session.counts.get(id(x))
    if held is None or held[0] is not x:
        held = (x, c.fresh("nnz", 0, bounds(x.shape.numel)[1]))
        c.session.counts[id(x)] = held
    return held[1]


# --- views ---

Axes = list[tuple[Dim, Dim]]
"""(size, step) of each axis."""


def steps_of(x: TensorType) -> tuple[Dim, ...] | None:
    """The strides, or None when they cannot be told."""
    if x.strides is None:
        return row_major(x.shape)
    return None if x.strides == UNKNOWN_STRIDES else x.strides


def strides_or_none(shape: Sequence[Dim], steps: Sequence[Dim]) -> tuple[Dim, ...] | None:
    """None where these are the strides of a contiguous tensor."""
    if any(size == 0 for size in shape):
        return None
    plain = row_major(shape)
    same = all(a is b or a == b or size == 1 for a, b, size in zip(steps, plain, shape))
    return None if same else tuple(steps)


def view(x: TensorType, change: Callable[[Axes], tuple[Axes, Dim]]) -> TensorType:
    """A view of x. `change` maps its axes to those of the view, with the offset of the first element."""
    steps = steps_of(x)
    axes, offset = change(list(zip(x.shape, steps if steps is not None else (0,) * len(x.shape))))
    shape = Shape(size for size, _ in axes)
    strides = UNKNOWN_STRIDES if steps is None else strides_or_none(shape, [step for _, step in axes])
    contents: tuple[Any, ...] | None = None
    if known(x) and small(shape) and x.contents is not None:
        if x.strides is not None:
            axes, offset = change(list(zip(x.shape, row_major(x.shape))))
        if type(offset) is int:
            contents = tuple(x.contents[p] for p in positions([a[0] for a in axes], [a[1] for a in axes], offset))  # type: ignore[misc]
    return x.but(shape=shape, strides=strides, contents=contents, weak=False)


def reshaped_strides(x: TensorType, shape: Shape) -> tuple[Dim, ...] | bool | None:
    """The strides with which the memory of x shows as `shape`; False where that needs a copy, UNKNOWN_STRIDES where it cannot be told."""
    if x.strides is None or any(size == 0 for size in shape):
        return None
    steps = steps_of(x)
    if steps is None:
        return UNKNOWN_STRIDES
    old = [(size, step) for size, step in zip(x.shape, steps) if size != 1]
    if not old:
        return None
    if not (x.shape.concrete and shape.concrete and all(type(s) is int for s in steps)):
        return _symbolic_strides(old, shape)
    runs: list[tuple[Any, Any]] = []  # stretches of axes that lie one behind the other: the count, the step of the last axis
    for size, step in old:
        if runs and runs[-1][1] == size * step:
            runs[-1] = (runs[-1][0] * size, step)
        else:
            runs.append((size, step))
    made: list[int] = []
    count, step = runs.pop()
    for size in reversed(shape):
        if size != 1 and count == 1 and runs:
            count, step = runs.pop()
        if size != 1 and count % size:
            return False
        made.append(step)
        if size != 1:
            count, step = count // size, step * size
    return strides_or_none(shape, tuple(reversed(made)))


def _symbolic_strides(old: Axes, shape: Shape) -> tuple[Dim, ...] | bool | None:
    """Where sizes are symbols: leading axes that stay as they are keep their steps; the concrete rest is decided, or it cannot be told."""
    new = [size for size in shape if size != 1]
    kept = 0
    while kept < min(len(new), len(old)) and new[kept] == old[kept][0]:
        kept += 1
    rest_old, rest_new = old[kept:], new[kept:]
    steps = [step for _, step in old[:kept]]
    if rest_old or rest_new:
        sizes = [s for s, _ in rest_old]
        if not (Shape(sizes).concrete and Shape(rest_new).concrete and all(type(s) is int for _, s in rest_old)) or not rest_old:
            return UNKNOWN_STRIDES
        rest = reshaped_strides(TensorType(Shape(sizes), strides=tuple(s for _, s in rest_old)), Shape(rest_new))
        if rest is False:
            return False
        steps.extend(row_major(rest_new) if rest is None else rest)  # type: ignore[arg-type]
    walk = iter(steps)
    made = [1 if size == 1 else next(walk) for size in shape]
    return strides_or_none(shape, made)
