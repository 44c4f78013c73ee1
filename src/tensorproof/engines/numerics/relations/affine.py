"""Affine forms: a tensor as a sum of multiples of others, element by element, each seen through moves.

A `Form` goes through NumPy's functions as a `Box` does: sums and multiples of forms are forms, moves are kept with each term, and what is not linear raises
`NotAffine`. Terms name values by number (numbering.py): equal numbers are equal values, so that differences of equal values vanish.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import isfinite, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorproof.engines.numerics.grids.cuts import common_shape
from tensorproof.engines.numerics.grids.grid import Cuts, Grid, aligned, uniform
from tensorproof.engines.values.boxes import intervals
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.dtypes import FLOAT64

if TYPE_CHECKING:
    from tensorproof.engines.values.numpy_port import Reals

MOST_TERMS = BUDGETS.numerics.terms
_ULPS = 16.0
"""By how many units in the last place a bound may be off that was computed in float64."""
View = tuple[tuple[Any, ...], ...]
"""The moves that lead from a value to what a term shows of it: names of functions of NumPy, with their arguments."""
Key = tuple[int, View]
TOTAL = "sum"
"""The move that adds up along axes; its last argument is how many elements each total has."""


class NotAffine(Exception):
    """A function that does not keep forms."""


class Form:
    """`terms` are multiples of values seen through moves; `error` bounds what rounding added. `related`: terms have met that come from one value.

    `once`: the value is what the terms sum to, rounded once to the nearest number."""

    __array_priority__ = 3000.0
    __slots__ = ("constant", "error", "once", "related", "shape", "terms")

    def __init__(self, shape: tuple[int, ...], terms: dict[Key, float], constant: float = 0.0, error: float = 0.0, related: bool = False) -> None:
        self.shape = shape
        self.terms = terms
        self.constant = constant
        self.error = error
        self.related = related
        self.once = False

    dtype = np.dtype(np.float64)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def T(self) -> Any:
        return np.transpose(self)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        rule = RULES.get(ufunc.__name__) if method == "__call__" and not kwargs else None
        if rule is None:
            raise NotAffine(ufunc.__name__)
        return rule(*inputs)

    def __array_function__(self, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        rule = RULES.get(function.__name__)
        if rule is None:
            raise NotAffine(function.__name__)
        return rule(*args, **kwargs)

    def __getitem__(self, index: Any) -> Form:
        places = index if isinstance(index, tuple) else (index,)
        if not all(one is None or one is Ellipsis or isinstance(one, (int, slice)) for one in places):
            raise NotAffine("item")
        shape = np.broadcast_to(np.zeros(()), self.shape)[places].shape
        if shape == self.shape and all(one is Ellipsis or (isinstance(one, slice) and (one.step or 1) > 0) for one in places):
            return self
        return _seen(self, shape, ("item", *(("slice", p.start, p.stop, p.step) if isinstance(p, slice) else p for p in places)))

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotAffine("an array of a form")

    def __neg__(self) -> Form:
        return _scaled(self, -1.0)

    def astype(self, dtype: Any) -> Form:
        if np.dtype(dtype).kind != "f":
            raise NotAffine("astype")
        return self

    def reshape(self, *shape: Any) -> Any:
        return RULES["reshape"](self, shape[0] if len(shape) == 1 else shape)


def _operator(name: str, reflected: bool = False) -> Callable[..., Any]:
    return (lambda self, other: RULES[name](other, self)) if reflected else (lambda self, other: RULES[name](self, other))


for word, name in {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "true_divide"}.items():
    setattr(Form, f"__{word}__", _operator(name))
    setattr(Form, f"__r{word}__", _operator(name, True))


def _seen(form: Form, shape: tuple[int, ...], move: tuple[Any, ...], factor: float = 1.0) -> Form:
    """A form after a move of all its terms; a constant is the same in all places."""
    if shape == form.shape and move[0] in ("reshape", "broadcast_to"):
        return form
    terms = {(number, (*view, move)): c for (number, view), c in form.terms.items()}
    made = Form(shape, terms, form.constant * factor, form.error * factor, form.related)
    made.once = form.once and move[0] is not TOTAL
    return made


def _scaled(form: Form, factor: float) -> Form:
    return Form(form.shape, {key: c * factor for key, c in form.terms.items()}, form.constant * factor, form.error * abs(factor), form.related)


def _number(value: Any) -> float | None:
    if value.__class__ is Form:
        return None
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, (np.ndarray, np.generic)) and np.size(value) == 1 and np.ndim(value) == 0:
        return float(value)
    return None


def _sum(a: Any, b: Any, sign: float) -> Form:
    x, y = _number(a), _number(b)
    if x is not None:
        made = _scaled(b, sign)
        return Form(made.shape, made.terms, made.constant + x, made.error, made.related)
    if y is not None:
        return Form(a.shape, a.terms, a.constant + sign * y, a.error, a.related)
    if not isinstance(a, Form) or not isinstance(b, Form):
        raise NotAffine("add")
    shape = a.shape
    if b.shape != shape:
        shape = common_shape(shape, b.shape)
        a, b = _seen(a, shape, ("broadcast_to", shape)), _seen(b, shape, ("broadcast_to", shape))
    terms = dict(a.terms)
    met = False
    for key, c in b.terms.items():
        met = met or key in terms
        terms[key] = terms.get(key, 0.0) + sign * c
        if terms[key] == 0:
            del terms[key]
    if len(terms) > MOST_TERMS:
        raise NotAffine("too many terms")
    return Form(shape, terms, a.constant + sign * b.constant, a.error + b.error, a.related or b.related or met)


def _multiplied(a: Any, b: Any) -> Form:
    x, y = _number(a), _number(b)
    if x is not None:
        return _scaled(b, x)
    if y is not None:
        return _scaled(a, y)
    raise NotAffine("multiply")


def _divided(a: Any, b: Any) -> Form:
    y = _number(b)
    if not y or not isinstance(a, Form):
        raise NotAffine("divide")
    return _scaled(a, 1.0 / y)


def _shaped(name: str) -> Callable[..., Any]:
    """A move with arguments that are plain values; its shape is that of the same move of an array without memory."""

    def rule(form: Any, *args: Any, **kwargs: Any) -> Form:
        if not isinstance(form, Form) or not all(map(_plain, (*args, *kwargs.values()))):
            raise NotAffine(name)
        given, named = tuple(map(_frozen, args)), tuple((key, _frozen(value)) for key, value in kwargs.items())
        return _seen(form, _moved_shape(name, form.shape, given, named), (name, *given, *named))

    return rule


@lru_cache(maxsize=4096)
def _moved_shape(name: str, shape: tuple[int, ...], given: tuple[Any, ...], named: tuple[tuple[str, Any], ...]) -> tuple[int, ...]:
    """The shape after a move of NumPy."""
    made: tuple[int, ...] = getattr(np, name)(np.broadcast_to(np.zeros(()), shape), *given, **dict(named)).shape
    return made


def _plain(value: Any) -> bool:
    return value is None or isinstance(value, (int, np.integer)) or (isinstance(value, (tuple, list)) and all(map(_plain, value)))


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, (tuple, list)) else value


def _reshaped(form: Any, shape: Any, *args: Any, **kwargs: Any) -> Form:
    target = [int(n) for n in (shape if isinstance(shape, (tuple, list, np.ndarray)) else (shape,))]
    if -1 in target:
        target[target.index(-1)] = form.size // max(1, -prod(target))
    return _seen(form, tuple(target), ("reshape", tuple(target)))


def _total(form: Any, axis: Any = None, keepdims: bool = False, **kwargs: Any) -> Form:
    over = range(form.ndim) if axis is None else {a % form.ndim for a in (axis if isinstance(axis, (tuple, list)) else (axis,))}
    shape = tuple(1 if a in over else n for a, n in enumerate(form.shape) if keepdims or a not in over)
    count = form.size // max(1, prod(shape))
    return _seen(form, shape, (TOTAL, ("axis", _frozen(axis)), ("keepdims", keepdims), ("count", count)), float(count))


def _average(form: Any, axis: Any = None, keepdims: bool = False, **kwargs: Any) -> Form:
    made = _total(form, axis, keepdims)
    return _scaled(made, prod(made.shape) / max(1, form.size))


def _chosen(condition: Any, a: Any, b: Any) -> Form:
    """Where the condition surely holds, or surely not."""
    truth = np.asarray(condition)
    for taken, sure in ((a, truth.all()), (b, not truth.any())):
        if sure and isinstance(taken, Form):
            shape = np.broadcast_shapes(taken.shape, truth.shape)
            return _seen(taken, shape, ("broadcast_to", shape))
    raise NotAffine("where")


RULES: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: _sum(a, b, 1.0),
    "subtract": lambda a, b: _sum(a, b, -1.0),
    "negative": lambda a: _scaled(a, -1.0),
    "positive": lambda a: a,
    "multiply": _multiplied,
    "true_divide": _divided,
    "divide": _divided,
    "reshape": _reshaped,
    "ravel": lambda form, *args, **kwargs: _reshaped(form, (-1,)),
    "sum": _total,
    "mean": _average,
    "where": _chosen,
    "real": lambda form: form,
    "copy": lambda form, **kwargs: form,
    "shape": lambda form: form.shape,
    "ndim": lambda form: form.ndim,
    "size": lambda form, axis=None: form.size if axis is None else form.shape[axis],
}
for one in ("transpose", "swapaxes", "moveaxis", "expand_dims", "squeeze", "broadcast_to", "flip", "roll"):
    RULES[one] = _shaped(one)


def split(form: Any, parts: Any, axis: int = 0) -> list[Form]:
    n = form.shape[axis]
    ends = [*parts, n] if not isinstance(parts, int) else [sum((n + parts - 1 - j) // parts for j in range(i + 1)) for i in range(parts)]
    lead = (slice(None),) * (axis % form.ndim)
    return [form[(*lead, slice(a, b))] for a, b in zip([0, *ends], ends)]


RULES["split"] = RULES["array_split"] = split


def replayed(view: View, start: Any) -> Any:
    """The moves of a view, of another array."""
    made = start
    for move in view:
        name = move[0]
        if name == "item":
            made = made[tuple(slice(*one[1:]) if isinstance(one, tuple) else one for one in move[1:])]
        else:
            plain, named = _arguments(move)
            made = (RULES[name] if isinstance(made, Form) else getattr(np, name))(made, *plain, **named)
    return made


@lru_cache(maxsize=4096)
def _arguments(move: tuple[Any, ...]) -> tuple[list[Any], dict[str, Any]]:
    """What a function is called with beside the tensor."""
    named = {one[0]: one[1] for one in move[1:] if isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str)}
    plain = [one for one in move[1:] if not (isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str))]
    named.pop("count", None)
    return plain, named


def plain_bounds(form: Form, grids: Mapping[int, Grid]) -> Grid | None:
    """Bounds of a form where each of its values is one block; None elsewhere."""
    lo = hi = form.constant
    size = abs(lo)
    for (number, view), c in form.terms.items():
        box = grids[number].box
        if box.lo.size != 1:
            return None
        for move in view:
            if move[0] is TOTAL:
                c *= move[3][1]
        ends = c * box.lo.item(), c * box.hi.item()
        lo, hi, size = lo + min(ends), hi + max(ends), size + max(abs(ends[0]), abs(ends[1]))
    slack = form.error + (_ULPS * FLOAT64.step * size + FLOAT64.smallest_normal if form.terms else 0.0)
    return uniform(form.shape, lo - slack, hi + slack) if isfinite(size) and 0 not in form.shape else None


def in_blocks(shape: tuple[int, ...], cuts: tuple[Cuts, ...], lo: Any, hi: Any, dtype: Any = Form.dtype) -> Grid:
    """Intervals that are broadcast to these blocks, with ends that are no nan."""
    full = tuple(map(len, cuts))
    if lo.shape != full or hi.shape != full:
        lo, hi = np.broadcast_to(lo, full), np.broadcast_to(hi, full)
    return Grid(shape, cuts, intervals(lo, hi, np.zeros(full, bool), dtype))


def block_bounds(form: Form, seen: Sequence[Grid]) -> Grid | None:
    """Bounds of a form, block by block, from those of its values as its terms see them; None where ends are not finite."""
    shape, cuts, boxes = aligned(seen)
    lo: Reals | float
    hi: Reals | float
    lo = hi = np.float64(form.constant)
    size: Reals | float = np.abs(lo)
    for box, c in zip(boxes, form.terms.values()):
        one, other = c * box.lo, c * box.hi
        lo, hi = (lo + one, hi + other) if c > 0 else (lo + other, hi + one)
        size = size + np.maximum(np.abs(one), np.abs(other))
    if shape != form.shape or not np.isfinite(size).all():
        return None
    slack = form.error + (_ULPS * FLOAT64.step * size + FLOAT64.smallest_normal)
    return in_blocks(shape, cuts, lo - slack, hi + slack)


class Joined:
    """Forms one behind the other along an axis."""

    __slots__ = ("axis", "parts", "shape")

    def __init__(self, axis: int, parts: Sequence[Form]) -> None:
        first = parts[0].shape
        self.axis = axis % len(first)
        self.parts = list(parts)
        self.shape = (*first[: self.axis], sum(part.shape[self.axis] for part in parts), *first[self.axis + 1 :])


def _concatenated(parts: Any, axis: Any = 0, **kwargs: Any) -> Joined:
    if axis is None or not all(isinstance(part, Form) for part in parts):
        raise NotAffine("concatenate")
    return Joined(axis, parts)


def _stacked(parts: Any, axis: int = 0, **kwargs: Any) -> Joined:
    if not all(isinstance(part, Form) for part in parts):
        raise NotAffine("stack")
    return Joined(axis, [RULES["expand_dims"](part, axis) for part in parts])


RULES["concatenate"], RULES["stack"] = _concatenated, _stacked


class Pieced(Form):
    """A form of a tensor that was joined: a cut that lies in one part is a cut of that part."""

    __slots__ = ("joined",)

    def __init__(self, whole: Form, joined: Joined) -> None:
        super().__init__(whole.shape, whole.terms, whole.constant, whole.error, whole.related)
        self.joined = joined

    def __getitem__(self, index: Any) -> Form:
        axis = self.joined.axis
        places = index if isinstance(index, tuple) else (index,)
        if len(places) > axis and all(isinstance(one, (int, slice)) for one in places[: axis + 1]):
            at, start = places[axis], 0
            chosen = range(self.shape[axis])[at if isinstance(at, slice) else slice(at, at + 1 or None)]
            for part in self.joined.parts:
                end = start + part.shape[axis]
                if len(chosen) and chosen.step > 0 and start <= chosen[0] and chosen[-1] < end:
                    inside = slice(chosen[0] - start, chosen[-1] - start + 1, chosen.step) if isinstance(at, slice) else chosen[0] - start
                    return part[(*places[:axis], inside, *places[axis + 1 :])]
                start = end
        return super().__getitem__(index)
