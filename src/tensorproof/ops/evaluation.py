"""Reference functions that many operators share: a function of NumPy on the operator's inputs, moves and reductions along axes."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import TYPE_CHECKING, Any

from tensorproof.ops.record import Formula

if TYPE_CHECKING:
    from tensorproof.ops.arguments import Arguments as Arguments
    from tensorproof.ops.arrays import Array, Numpy, Operand, Reduction
else:
    Arguments = Mapping[str, Any]


class Undetermined(Exception):
    """A number that decides a shape or a place is known by its bounds only."""


class Undefined(Exception):
    """A value that the inputs do not determine, such as the order of what is not sorted."""


class AtRandom(Undefined):
    """A value that is drawn; it has bounds still."""


class ByRounding(AtRandom):
    """A value that the rounding of a step decides; it has bounds still."""


def changed(a: Arguments, /, **given: object) -> Arguments:
    """The arguments with others in place of some, or besides."""
    made: dict[str, Any] = {**a, **given}
    return made


def named(**given: object) -> Arguments:
    """Arguments for another reference function."""
    made: dict[str, Any] = given
    return made


def plain(np: Numpy, value: Array) -> Array:
    """The array of whole numbers that decide shapes or places: bounds must leave no choice of them."""
    if not hasattr(value, "of"):
        return value
    if np.any(value.lo != value.hi) or np.any(value.nan):
        raise Undetermined
    return value.lo.astype(np.int64)


def open_places(np: Numpy, value: Array) -> bool:
    """Whether numbers that name places are known by their bounds only."""
    return hasattr(value, "lo") and bool(np.any(value.lo != value.hi) or np.any(value.nan))


def points(np: Numpy, value: Array) -> Array:
    """The array of numbers that decide what is computed, such as coordinates: bounds must leave no choice of them."""
    if not hasattr(value, "of"):
        return value
    if np.any(value.lo != value.hi) or np.any(value.nan):
        raise Undetermined
    return value.lo.astype(np.int64 if value.dtype.kind in "biu" else np.float64)


def around(np: Numpy, x: Array, array: Array, error: Operand) -> Array:
    """An array that a library rounds, beside x: where x is bounds, it is bounds as well, as wide as the error."""
    return x.of("widened", array, error) if hasattr(x, "of") else array


def numpy(function: str, *names: str) -> Formula:
    """The function of NumPy of that name, on these inputs (`x` where none is named)."""
    chosen = names or ("x",)
    return lambda np, a: getattr(np, function)(*(a[name] for name in chosen))


def as_results(a: Arguments, name: str) -> Any:
    """A number in the type of the results: whole ones take it without its fraction."""
    number, dtype = a[name], a["results"][0]
    return int(number) if dtype is not None and dtype.kind in "biu" and isinstance(number, float) else number


def axes(a: Arguments, name: str = "dim") -> int | tuple[int, ...] | None:
    """The axes of a reduction as NumPy takes them; None for all. They may be given as tensors of one axis."""
    dim = a[name]
    if dim is None or isinstance(dim, int):
        return dim
    if all(isinstance(axis, int) for axis in dim):
        return tuple(dim)
    return tuple(index(axis) for part in dim for axis in (part if getattr(part, "ndim", 0) else (part,)))


def numpy_reduction(function: str) -> Formula:
    """A reduction of NumPy along `dim`, with `keepdim`."""

    def evaluate(np: Numpy, a: Arguments) -> Array:
        reduced: Reduction = getattr(np, function)
        if not a["x"].shape:  # an axis of a tensor without axes
            return reduced(a["x"])
        return reduced(a["x"], axis=axes(a), keepdims=bool(a["keepdim"]))

    return evaluate


def where_nan(np: Numpy, x: Array, value: Operand) -> Array:
    """x with another value in place of nan."""
    return np.where(np.isnan(x), value, x)


def part(x: Array, dim: int, chosen: object) -> Array:
    """x with a slice, or places, of one axis."""
    return x[(slice(None),) * (dim % len(x.shape)) + (chosen,)]
