"""What reductions and scans compute, along axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.ops.evaluation import Arguments, axes, changed, part, where_nan
from tensorproof.ops.mathematics import beside
from tensorproof.ops.record import Evaluate, Formula
from tensorproof.terms.dtypes import BOOL

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy, Pair, Reduction

Reduced = Callable[["Numpy", "Array", dict[str, Any]], "Array"]


def over(a: Arguments) -> dict[str, Any]:
    """The axes of a reduction as arguments of NumPy; a tensor without axes has none."""
    return {"axis": axes(a), "keepdims": bool(a["keepdim"])} if a["x"].shape else {}


def cast_first(np: Numpy, a: Arguments) -> Array:
    """x, converted to `dtype` before anything is added up."""
    dtype = a["dtype"]
    if dtype is not None and dtype.kind == "f" and a["x"].dtype.kind in "iu":
        return a["x"].astype(np.float64)
    if dtype is None or dtype.kind not in "biu":
        return np.real(a["x"]) if dtype is not None and dtype.kind == "f" and a["x"].dtype.kind == "c" else a["x"]
    return a["x"].astype(bool if dtype.kind == "b" else np.int64)


def reduced(function: Reduced) -> Formula:
    """A function of x and the arguments `axis` and `keepdims`."""
    return lambda np, a: function(np, a["x"], over(a))


def summed(name: str) -> Formula:
    """A sum, a product or a mean, in the element type that is asked for. A whole mean is that of a whole sum, which may wrap around."""

    def function(np: Numpy, a: Arguments) -> Array:
        x, made = cast_first(np, a), a["results"][0]
        if name == "mean" and made is not None and made.kind in "iu" and x.dtype.kind in "iu" and x.size:
            total = np.sum(x, **over(a))
            return np.trunc(np.true_divide(total, x.size // max(1, total.size)))
        reduction: Reduction = getattr(np, name)
        return reduction(x, **over(a))

    return function


def nan_sum(np: Numpy, x: Array, along: dict[str, Any]) -> Array:
    return np.sum(where_nan(np, x, 0), **along)


def nan_count(np: Numpy, x: Array, along: dict[str, Any]) -> Array:
    return np.sum(np.where(np.isnan(x), 0, 1), **along)


def nan_mean(np: Numpy, x: Array, along: dict[str, Any]) -> Array:
    if x.dtype.kind in "biu":
        return np.mean(x, **along)
    total = nan_sum(np, x, along)
    made = np.true_divide(total, nan_count(np, x, along))
    return beside(np, np.clip(made, np.min(x, **along), np.max(x, **along)), total) if hasattr(made, "of") and x.size else made


def nan_extreme(name: str) -> Reduced:
    """The greatest or the least of what is not nan; nan where there is nothing else."""
    least = {"max": float("-inf"), "min": float("inf")}[name]

    def function(np: Numpy, x: Array, along: dict[str, Any]) -> Array:
        extreme: Reduction = getattr(np, name)
        if x.dtype.kind in "biu":
            return extreme(x, **along)
        none = np.all(np.isnan(x), **along)
        return np.where(none, float("nan"), extreme(where_nan(np, x, least), **along))

    return function


def logsumexp(np: Numpy, x: Array, along: dict[str, Any]) -> Array:
    if x.dtype.kind == "c":
        return np.log(np.sum(np.exp(x), **along))
    axis = along.get("axis")
    chosen = range(len(x.shape)) if axis is None else (axis,) if isinstance(axis, int) else axis
    for one in sorted((i % len(x.shape) for i in chosen), reverse=True):
        x = np.logaddexp.reduce(x, axis=one, keepdims=along.get("keepdims", False))
    return np.add(x, 0.0)


def correction(a: Arguments) -> float:
    return 1 if a["correction"] is None else a["correction"]


def average(np: Numpy, a: Arguments) -> Array:
    """The mean, cut to a whole number where the result holds whole numbers."""
    made = np.mean(a["x"], **over(a))
    return np.trunc(made) if _whole(a) else made


def _whole(a: Arguments) -> bool:
    return a["results"][0] is not None and a["results"][0].kind in "iu"


def variance(np: Numpy, a: Arguments) -> Array:
    if _whole(a):
        centre = average(np, changed(a, keepdim=True))
        return np.mean(np.square(np.subtract(a["x"], centre)), **over(a))
    return np.var(a["x"], ddof=correction(a), **over(a))


def deviation(np: Numpy, a: Arguments) -> Array:
    return np.std(a["x"], ddof=correction(a), **over(a))


def nan_variance(np: Numpy, a: Arguments) -> Array:
    x, along = a["x"], over(a)
    apart = np.subtract(x, nan_mean(np, x, {**along, "keepdims": True} if along else {}))
    left = np.subtract(nan_count(np, x, along), correction(a))
    return np.where(left <= 0, float("nan"), np.true_divide(nan_sum(np, np.square(np.absolute(apart)), along), np.maximum(left, 1e-300)))


def extreme_along(name: str) -> Evaluate:
    """The greatest or the least, and where the first of them stands."""
    return lambda np, a: (getattr(np, name)(a["x"], **over(a)), getattr(np, f"arg{name}")(a["x"], **over(a)))


def running(function: Callable[[Numpy, Array, int], Array], first: float) -> Formula:
    """A scan of x along `dim`, from its end where `reverse` says so; `exclusive` leaves the element itself out, with `first` before all."""

    def evaluate(np: Numpy, a: Arguments) -> Array:
        x, dim = a["x"] if a.get("dtype") is None else cast_first(np, a), a["dim"]
        if not x.shape:
            return np.full_like(x, first) if a["exclusive"] else np.add(x, 0)
        made = function(np, np.flip(x, dim) if a["reverse"] else x, dim)
        if a["exclusive"]:
            made = np.concatenate([np.full_like(part(made, dim, slice(0, 1)), first), part(made, dim, slice(0, -1))], axis=dim)
        return np.flip(made, dim) if a["reverse"] else made

    return evaluate


def running_logsumexp(np: Numpy, x: Array, dim: int) -> Array:
    return np.log(np.cumsum(np.exp(x), axis=dim)) if x.dtype.kind == "c" else np.logaddexp.accumulate(x, axis=dim)


def running_extreme(name: str) -> Evaluate:
    """The greatest or the least so far, and the last place where it stood."""

    def evaluate(np: Numpy, a: Arguments) -> tuple[Array, Array]:
        x = a["x"]
        if not x.shape:
            return x, np.zeros((), np.int64)
        extreme: Pair = getattr(np, name)
        best = extreme.accumulate(x, axis=a["dim"])
        shape = [1] * len(x.shape)
        shape[a["dim"]] = -1
        places = np.arange(x.shape[a["dim"]]).reshape(shape)
        new = np.logical_or(np.equal(x, best), np.isnan(x)) if x.dtype.kind == "f" else np.equal(x, best)
        return best, np.maximum.accumulate(np.where(new, places, np.zeros_like(places)), axis=a["dim"])

    return evaluate


def neighbours(np: Numpy, x: Array, dim: int) -> Array:
    """Differences of neighbours; truth values differ or do not."""
    later, earlier = part(x, dim, slice(1, None)), part(x, dim, slice(None, -1))
    return np.not_equal(later, earlier) if x.dtype.kind == "b" else np.subtract(later, earlier)


def differences(np: Numpy, a: Arguments) -> Array:
    x, dim = a["x"], a["dim"]
    if a["n"] == 0:
        return x
    parts = [p for p in (a["prepend"], x, a["append"]) if p is not None]
    made = np.concatenate(parts, axis=dim) if len(parts) > 1 else x
    for _ in range(min(a["n"], made.shape[dim])):
        made = neighbours(np, made, dim)
    return made


def trapezoids(np: Numpy, a: Arguments) -> Array:
    """The areas between neighbours. The sum of two truth values is whether one holds, their difference whether they differ."""
    y, x, dim = a["y"], a["x"], a["dim"]
    add = np.maximum if a["tensors"]["y"].dtype is BOOL else np.add
    means = np.multiply(add(part(y, dim, slice(1, None)), part(y, dim, slice(None, -1))), 0.5)
    if x is None:
        return np.multiply(means, a["dx"])
    if len(x.shape) == 1:
        x = x.reshape([-1 if i == dim else 1 for i in range(len(y.shape))])
    elif len(x.shape) < len(y.shape):
        x = x.reshape((*[1] * (len(y.shape) - len(x.shape)), *x.shape))
    apart = neighbours(np, x, dim)
    return np.multiply(means, np.absolute(apart) if a["tensors"]["x"].dtype is BOOL else apart)


def area(np: Numpy, a: Arguments) -> Array:
    """The sum of the trapezoids: with even steps, of all samples less half of those at the ends."""
    y, x, dim = a["y"], a["x"], a["dim"]
    if not y.shape[dim]:
        return np.zeros((*y.shape[:dim], *y.shape[dim + 1 :]))
    one_by_one = np.sum(trapezoids(np, a), axis=dim)
    if x is not None or a["tensors"]["y"].dtype is BOOL:
        return one_by_one
    ends = np.add(part(y, dim, 0), part(y, dim, -1))
    made = np.multiply(np.subtract(np.sum(y, axis=dim), np.multiply(ends, 0.5)), a["dx"])
    return made.of("either", one_by_one) if hasattr(made, "of") else made  # large numbers overflow at other places, by library


def slopes(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    """The slope along each axis: differences over two steps inside, one-sided ones at the ends."""
    x, spacing = a["x"], a["spacing"]
    axes_chosen = range(len(x.shape)) if a["dim"] is None else a["dim"]
    steps = list(spacing) if isinstance(spacing, (tuple, list)) else [spacing] * len(axes_chosen)
    return tuple(_slope(np, x, axis, 1.0 if step is None else step, a["edge_order"]) for axis, step in zip(axes_chosen, steps))


def _slope(np: Numpy, x: Array, axis: int, spacing: Any, edge_order: int) -> Array:
    n = x.shape[axis]

    def at(of: Any, start: int, stop: int) -> Any:
        return part(of, axis, slice(start, stop))

    if len(getattr(spacing, "shape", ())) == 1:
        steps = np.reshape(neighbours(np, spacing, 0), [-1 if i == axis else 1 for i in range(len(x.shape))])
    else:
        steps = np.broadcast_to(spacing, [n - 1 if i == axis else 1 for i in range(len(x.shape))])
    k = steps.shape[axis]
    before, after = at(steps, 0, k - 1), at(steps, 1, k)
    both = np.add(before, after)
    left, right = np.true_divide(np.negative(after), np.multiply(before, both)), np.true_divide(before, np.multiply(after, both))
    middle = np.true_divide(np.subtract(after, before), np.multiply(before, after))
    inner = np.add(np.add(np.multiply(left, at(x, 0, n - 2)), np.multiply(middle, at(x, 1, n - 1))), np.multiply(right, at(x, 2, n)))
    first = _edge(np, [at(x, i, i + 1) for i in range(min(n, 3))], [at(steps, i, i + 1) for i in range(min(k, 2))], edge_order)
    last = _edge(np, [at(x, n - 1 - i, n - i) for i in range(min(n, 3))], [at(steps, k - 1 - i, k - i) for i in range(min(k, 2))], edge_order, -1)
    made = np.concatenate([first, inner, last], axis=axis)
    if x.dtype.kind in "iu" and x.size:  # differences and multiples of whole numbers wrap around
        made = beside(np, made, np.where(np.greater(np.max(np.absolute(x)), 2.0**60), float("inf"), 0.0))
    return made


def _edge(np: Numpy, x: list[Array], steps: list[Array], order: int, direction: int = 1) -> Array:
    """The slope at the first of two or three neighbours, which lie in that direction."""
    if order == 1:
        return np.true_divide(np.subtract(*((x[1], x[0]) if direction > 0 else (x[0], x[1]))), steps[0])
    near, far = steps
    both = np.add(near, far)
    weights = (
        np.negative(np.true_divide(np.add(near, both), np.multiply(near, both))),
        np.true_divide(both, np.multiply(near, far)),
        np.negative(np.true_divide(near, np.multiply(far, both))),
    )
    slope = sum((np.multiply(w, one) for w, one in zip(weights[1:], x[1:])), np.multiply(weights[0], x[0]))
    for one in x:  # libraries multiply before they divide by a step that all share
        slope = beside(np, slope, np.multiply(4.0, one))
    return slope if direction > 0 else np.negative(slope)
