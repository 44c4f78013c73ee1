"""What sorting, ranks and histograms compute."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any

from tensorproof.ops.evaluation import Arguments, Undefined, axes, changed, part
from tensorproof.ops.record import Evaluate, Formula

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def in_lines(np: Numpy, x: Array, dim: Any) -> tuple[Array, tuple[int, ...]]:
    """x with the chosen axes (all for None) put together as the last one, and the axes."""
    rank = len(x.shape)
    chosen = tuple(range(rank)) if dim is None else tuple(i % max(rank, 1) for i in ((dim,) if isinstance(dim, int) else dim))
    if not rank:
        return x.reshape(1), ()
    rest = [i for i in range(rank) if i not in chosen]
    moved = np.transpose(x, (*rest, *chosen))
    length = 1
    for i in chosen:
        length *= x.shape[i]
    return moved.reshape((*moved.shape[: len(rest)], length)), chosen


def kept(np: Numpy, made: Array, a: Arguments, chosen: tuple[int, ...]) -> Array:
    """What came out of lines, with axes of size 1 where `keepdim` asks for them."""
    return np.expand_dims(made, chosen) if a["keepdim"] and chosen else made


def order(np: Numpy, x: Array, dim: int, descending: bool = False) -> Array:
    """The places of the elements in order; equal ones keep theirs, nan counts as the greatest."""
    if not descending:
        return np.argsort(x, axis=dim, kind="stable")
    turned = np.argsort(np.flip(x, dim), axis=dim, kind="stable")
    return np.flip(np.subtract(x.shape[dim] - 1, turned), dim)


def sort(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    x, dim = a["x"], a["dim"]
    if not x.shape:
        return x, np.zeros((), np.int64)
    values = np.sort(x, axis=dim)
    return np.flip(values, dim) if a["descending"] else values, order(np, x, dim, a["descending"])


def _in_one_order(np: Numpy, values: Array, dim: int) -> None:
    """Sorted numbers must differ where their places are asked for: which of equal ones comes first is up to the library."""
    if not hasattr(values, "of") and np.any(np.equal(part(values, dim, slice(1, None)), part(values, dim, slice(None, -1)))):
        raise Undefined("which of equal elements comes first")


def argsort(np: Numpy, a: Arguments) -> Array:
    values, places = sort(np, a)
    if values.shape:
        _in_one_order(np, values, a["dim"])
    return places


def topk(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    if not a["x"].shape:
        return a["x"], np.zeros((), np.int64)
    if not a["sorted"] and a["k"] > 1:
        raise Undefined("the order of what is not sorted")
    values, places = sort(np, changed(a, descending=a["largest"]))
    _in_one_order(np, values, a["dim"])
    return part(values, a["dim"], slice(0, a["k"])), part(places, a["dim"], slice(0, a["k"]))


def kthvalue(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    x, dim = a["x"], a["dim"]
    if not x.shape:
        return x, np.zeros((), np.int64)
    chosen = slice(a["k"] - 1, a["k"]) if a["keepdim"] else a["k"] - 1
    values, places = sort(np, changed(a, descending=False))
    _in_one_order(np, values, dim)
    return part(values, dim, chosen), part(places, dim, chosen)


def _middle(np: Numpy, line: Array, skips: bool) -> tuple[Array, Array]:
    """The lower median of the last axis, and the first place where it stands."""
    n = line.shape[-1]
    if n == 0:
        return np.full(line.shape[:-1], float("nan")), np.zeros(line.shape[:-1], np.int64)
    nan = np.isnan(line)
    places = order(np, line, -1)
    if skips:
        at = np.maximum(np.subtract(n - np.sum(nan, axis=-1, keepdims=True), 1) // 2, 0)
        return np.take_along_axis(np.sort(line, axis=-1), at, -1)[..., 0], np.take_along_axis(places, at, -1)[..., 0]
    lost, value = np.any(nan, axis=-1), np.sort(line, axis=-1)[..., (n - 1) // 2]
    return np.where(lost, float("nan"), value) if line.dtype.kind == "f" else value, np.where(lost, np.argmax(nan, axis=-1), places[..., (n - 1) // 2])


def median(skips: bool = False, places: bool = False) -> Evaluate:
    """The lower median along axes, with its place where `places`; nan is the median of what holds nan, unless it is skipped."""

    def evaluate(np: Numpy, a: Arguments) -> Array | tuple[Array, ...]:
        line, chosen = in_lines(np, a["x"], axes(a))
        found = tuple(kept(np, one, a, chosen).reshape(()) if not a["x"].shape else kept(np, one, a, chosen) for one in _middle(np, line, skips))
        return found if places else found[0]

    return evaluate


def mode(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    """The least of the most frequent elements, and the last place where it stands."""
    line, chosen = in_lines(np, a["x"], axes(a))
    line, n = np.asarray(line), line.shape[-1]
    often = np.sum(np.equal(line[..., :, None], line[..., None, :]), axis=-1)
    best = np.max(often, axis=-1, keepdims=True)
    value = np.min(np.where(often == best, line, np.max(line, axis=-1, keepdims=True)), axis=-1, keepdims=True)
    place = n - 1 - np.argmax(np.flip(line == value, -1), axis=-1)
    shape = None if a["x"].shape else ()
    made = [kept(np, one, a, chosen) for one in (value[..., 0], place)]
    return tuple(one if shape is None else one.reshape(shape) for one in made)


_BETWEEN: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "linear": lambda np, low, high, share: np.add(low, np.multiply(np.subtract(high, low), share)),
    "lower": lambda np, low, high, share: low,
    "higher": lambda np, low, high, share: np.where(share > 0, high, low),
    "midpoint": lambda np, low, high, share: np.where(share > 0, np.multiply(np.add(low, high), 0.5), low),
}


def quantile(skips: bool = False) -> Formula:
    def evaluate(np: Numpy, a: Arguments) -> Array:
        x, q, method = a["x"], np.asarray(a["q"]), a["method"] or a["interpolation"]
        if np.any((q < 0) | (q > 1)):
            raise Undefined("a share of less than none or more than all")
        if a["method"] is not None and a["method"] not in (*_BETWEEN, "nearest"):
            function = np.nanquantile if skips else np.quantile
            return function(np.asarray(x), q, axis=a["dim"] if x.shape else None, method=method, keepdims=bool(a["keepdim"]))
        line, chosen = in_lines(np, x, a["dim"])
        made = _ranked(np, line, q, method, skips)
        if a["keepdim"] and chosen:
            made = np.expand_dims(made, tuple(i + len(q.shape) for i in chosen))
        return made

    return evaluate


def _ranked(np: Numpy, line: Array, q: Any, method: str, skips: bool) -> Array:
    """The quantiles of the last axis, those of each q first."""
    n, lead = line.shape[-1], line.shape[:-1]
    if n == 0:
        return np.full((*q.shape, *lead), float("nan"))
    nan = np.isnan(line)
    count = np.sum(np.where(nan, 0, 1), axis=-1, keepdims=True) if skips else np.full((*lead, 1), n)
    at = np.maximum(np.multiply(q.reshape(-1), np.subtract(np.asarray(count), 1)), 0)
    exact = at
    if method == "nearest":
        at = np.round(at)
    below = np.floor(at).astype(np.int64)
    values = np.sort(line, axis=-1)
    low, high = np.take_along_axis(values, below, -1), np.take_along_axis(values, np.minimum(below + 1, n - 1), -1)
    made = _BETWEEN["lower" if method == "nearest" else method](np, low, np.where(at == below, low, high), np.subtract(at, below))
    if method != "linear" and np.any(_decided_by_rounding(np, exact, q.reshape(-1), method)):
        if not hasattr(made, "of"):
            raise Undefined("a quantile between two elements or at one, as its place is rounded")
        around = (np.take_along_axis(values, np.clip(below + i, 0, n - 1), -1) for i in (-1, 1))
        made = reduce(lambda x, y: x.of("either", y), around, made)
    lost = np.equal(count, 0) if skips else np.any(nan, axis=-1, keepdims=True)
    made = np.where(lost, float("nan"), made) if line.dtype.kind == "f" else made
    return np.moveaxis(made, -1, 0).reshape((*q.shape, *lead))


def _decided_by_rounding(np: Numpy, at: Array, q: Array, method: str) -> Array:
    """Whether rounding decides on which side of an element, or of the middle between two, a place lies."""
    off = at - 0.5 if method == "nearest" else at
    return (np.abs(off - np.rint(off)) < 1e-5) & (np.rint(q * 2) != q * 2)


def distinct(consecutive: bool) -> Evaluate:
    """Distinct elements, or slices along an axis, with what is asked for beside them; the order of what is not sorted is not defined."""

    def evaluate(np: Numpy, a: Arguments) -> tuple[Array, ...]:
        x, dim = np.asarray(a["x"]), a["dim"]
        flat = x.reshape(-1, 1) if dim is None else np.moveaxis(x, dim, 0).reshape(x.shape[dim], -1)
        if a["as_met"] and a["results"][0] is not None and a["results"][0].step and a["results"][0].bits < 32 and np.sum(flat == 0) > 1:
            raise Undefined("of half precision TensorFlow takes 0 and -0 apart")
        if consecutive:
            new = np.concatenate([np.ones(min(1, len(flat)), bool), np.any(flat[1:] != flat[:-1], axis=1)])
            index, inverse = np.flatnonzero(new), np.cumsum(new) - 1
        else:
            _, index, inverse = np.unique(flat, axis=0, return_index=True, return_inverse=True)
            if a["as_met"]:
                turned = np.argsort(index)
                index, inverse = index[turned], np.argsort(turned)[inverse.reshape(-1)]
            elif not a["sorted"] and len(index) > 1:
                raise Undefined
        counts = np.bincount(inverse.reshape(-1), minlength=len(index))
        made = [x.reshape(-1)[index] if dim is None else np.take(x, index, axis=dim)]
        made += [index] if a["return_index"] else []
        made += [inverse.reshape(x.shape) if dim is None else inverse.reshape(-1)] if a["return_inverse"] else []
        made += [counts] if a["return_counts"] else []
        return tuple(made)

    return evaluate
