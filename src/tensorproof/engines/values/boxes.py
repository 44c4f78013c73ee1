"""Bounds of values: a `Box` is an array of intervals that goes through NumPy's functions in place of an array.

The reference function of an operator, called with boxes, gives bounds of what it computes: NumPy hands its functions to `Box` (`__array_ufunc__`,
`__array_function__`), and each primitive has its rule here. What has none raises `Unbounded`, and nothing is known of the values then.
A value may be nan where `nan` says so; nan lies in no interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorproof.engines.values.open_ends import Pair, Total, open_of
from tensorproof.engines.values.rounding import Rounding, Several, filled, one_outwards, outwards
from tensorproof.engines.values.single import TRUTH, Plain, ends_of
from tensorproof.engines.values.whole_numbers import ends, fitting, wrapped
from tensorproof.terms.dtypes import DType

if TYPE_CHECKING:
    from tensorproof.engines.values.numpy_port import ElementType, Like, Numbers, Reals, Truths

Rule = Callable[..., Any]


class Unbounded(Exception):
    """A function of NumPy without a rule for bounds."""


_REAL = np.dtype(np.float64)
_WITHOUT: list[Truths] = [np.zeros((1,) * rank, bool) for rank in range(9)]
"""For each rank: one element that is not nan."""
_WITH: list[Truths] = [np.ones((1,) * rank, bool) for rank in range(9)]
"""For each rank: one element that may be nan."""


class Box:
    """Intervals [lo, hi], element by element. `kind` is that of the elements: b, i, f."""

    __array_priority__ = 1000.0
    __slots__ = ("dtype", "hi", "lo", "nan")
    lo: Reals
    hi: Reals
    nan: Truths
    dtype: ElementType

    def __init__(self, lo: Numbers | float, hi: Numbers | float, nan: Numbers | np.bool_ | bool = False, dtype: Any = None) -> None:
        low, high = _end(lo, 0), _end(hi, 1)
        if low.shape != high.shape:
            shape = np.broadcast_shapes(low.shape, high.shape)
            low, high = np.broadcast_to(low, shape), np.broadcast_to(high, shape)
        plain = nan is False or (isinstance(nan, np.ndarray) and nan.shape == low.shape and nan.dtype == bool)
        if low.size == 1 and plain and low.ndim < len(_WITHOUT) and (a := low.item()) == a and (b := high.item()) == b:
            self.lo, self.hi, self.nan = low, high, nan if isinstance(nan, np.ndarray) else _WITHOUT[low.ndim]
            self.dtype = _REAL if dtype is None else np.dtype(dtype)
            return
        lost = (low != low) | (high != high)
        if lost.any():
            low, high = np.where(lost, -math.inf, low), np.where(lost, math.inf, high)
            nan = np.asarray(nan) | lost
        self.lo, self.hi = low, high
        flags = np.asarray(nan, bool)
        if flags.shape != low.shape:
            flags = np.broadcast_to(flags, low.shape) if flags.any() else np.zeros(low.shape, bool)
        self.nan = flags
        self.dtype = _REAL if dtype is None else np.dtype(dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.lo.shape

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(self.lo.size)

    @property
    def T(self) -> Box:
        return _one(moved(np.transpose, self))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        rule = RULES.get(name)
        if rule is None or "out" in kwargs or kwargs.get("where", True) is not True:
            raise Unbounded(name)
        return settled(name, rule(*map(boxed, inputs), **kwargs))

    def __array_function__(self, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        rule = RULES.get(function.__name__)
        if rule is None:
            raise Unbounded(function.__name__)
        return settled(function.__name__, rule(*args, **kwargs))

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        """The numbers, where each interval is a point."""
        if self.nan.any() or (self.lo != self.hi).any():
            raise Unbounded("a plain array of a box")
        return self.lo.astype(self.dtype)

    def __index__(self) -> int:
        return int(self.__array__())

    def __getitem__(self, index: Any) -> Box:
        index = _places(index)
        return Box(self.lo[index], self.hi[index], self.nan[index], self.dtype)

    def __setitem__(self, index: Any, value: Any) -> None:
        index, put = _places(index), boxed(value)
        for side in ("lo", "hi", "nan"):
            array = getattr(self, side).copy()  # it may be a view of another box, or read-only
            array[index] = getattr(put, side)
            setattr(self, side, array)

    def __len__(self) -> int:
        return self.shape[0]

    def __bool__(self) -> bool:
        raise Unbounded("a truth that is not known")

    def astype(self, dtype: Any) -> Box:
        """A cast: to whole numbers it cuts off, and what does not fit is anything."""
        target = np.dtype(dtype)
        if target.kind == "b":
            return RULES["not_equal"](self, boxed(0))  # type: ignore[no-any-return]
        if target.kind in "iu" and self.dtype.kind != "b":
            return Box(*fitting(self.lo, self.hi, self.nan, target, self.dtype.kind != "f"), False, target)
        return Box(self.lo, self.hi, self.nan, target)

    def reshape(self, *shape: Any) -> Box:
        if self.lo.size == 1 and len(shape) == 1 and isinstance(shape[0], tuple):
            made = Box.__new__(Box)
            made.lo, made.hi, made.nan, made.dtype = self.lo.reshape(shape[0]), self.hi.reshape(shape[0]), self.nan.reshape(shape[0]), self.dtype
            return made
        return _one(moved(np.reshape, self, shape[0] if len(shape) == 1 else shape))

    def ravel(self) -> Box:
        return _one(moved(np.ravel, self))

    def transpose(self, *axes: Any) -> Box:
        return _one(moved(np.transpose, self, (axes[0] if len(axes) == 1 else axes) or None))

    def sum(self, *args: Any, **kwargs: Any) -> Any:
        return settled("sum", RULES["sum"](self, *args, **kwargs))

    def mean(self, *args: Any, **kwargs: Any) -> Any:
        return settled("mean", RULES["mean"](self, *args, **kwargs))

    def max(self, *args: Any, **kwargs: Any) -> Any:
        return RULES["max"](self, *args, **kwargs)

    def min(self, *args: Any, **kwargs: Any) -> Any:
        return RULES["min"](self, *args, **kwargs)

    def copy(self) -> Box:
        return Box(self.lo, self.hi, self.nan, self.dtype)

    def of(self, name: str, *args: Any, **kwargs: Any) -> Box:
        """A function that NumPy has not, by the name of its rule."""
        made: Box = settled(name, RULES[name](self, *args, **kwargs))
        return made

    if TYPE_CHECKING:  # set below

        def __add__(self, other: Like) -> Box: ...
        def __radd__(self, other: Like) -> Box: ...
        def __sub__(self, other: Like) -> Box: ...
        def __rsub__(self, other: Like) -> Box: ...
        def __mul__(self, other: Like) -> Box: ...
        def __rmul__(self, other: Like) -> Box: ...
        def __truediv__(self, other: Like) -> Box: ...
        def __neg__(self) -> Box: ...
        def __abs__(self) -> Box: ...


def interval(lo: float, hi: float, rank: int, dtype: ElementType = _REAL, nan: bool = False) -> Box:
    """A box of one interval, whose ends are no nan."""
    made = Box.__new__(Box)
    made.lo, made.hi = filled((1,) * rank, lo), filled((1,) * rank, hi)
    made.nan = (_WITH if nan else _WITHOUT)[rank] if rank < len(_WITHOUT) else np.full((1,) * rank, nan)
    made.dtype = dtype
    return made


def intervals(lo: Reals, hi: Reals, nan: Truths, dtype: ElementType) -> Box:
    """A box of arrays of one shape, whose ends are no nan."""
    if lo.__class__ is not np.ndarray:  # NumPy makes numbers of arrays without axes
        return Box(lo, hi, nan, dtype)
    made = Box.__new__(Box)
    made.lo, made.hi, made.nan, made.dtype = lo, hi, nan, dtype
    return made


def nearest_once(box: Box, dtype: DType, kind: Any) -> Box:
    """One interval with its ends rounded to the nearest numbers of an element type of NumPy; numbers without all digits may count as 0."""
    number, small = getattr(np, dtype.label), dtype.smallest_normal
    lo, hi = float(number(box.lo.item())), float(number(box.hi.item()))
    return interval(0.0 if 0 < lo < small else lo, 0.0 if -small < hi < 0 else hi, box.lo.ndim, np.dtype(kind), box.nan.item())


ROUNDED = set[str]()
"""Functions whose results a library rounds; others move, choose or compare numbers."""
_WHOLE = set[str]()
"""Functions that are exact on whole numbers that are not too large."""
NEAREST = frozenset(["add", "subtract", "multiply", "true_divide"])
"""Functions whose exact result every library rounds to the nearest number."""
WRAPPED = set[str]()
"""Functions of whole numbers that may leave the range of their element type."""


def settled(name: str, made: Any) -> Any:
    """The results of a function as a library may get them."""
    if name not in ROUNDED and name not in WRAPPED:
        return made
    if isinstance(made, tuple):
        return tuple(settled(name, part) for part in made)
    if isinstance(made, Box) and made.dtype.kind in "iu":
        return Box(*wrapped(made.lo, made.hi, made.dtype), made.nan, made.dtype)
    if not isinstance(made, Box) or made.dtype.kind != "f" or name not in ROUNDED:
        return made
    if made.lo.size == 1:
        return interval(*one_settled(name, made.lo.item(), made.hi.item()), made.ndim, made.dtype, made.nan.item())
    if _left_as_it_is(name):
        Rounding.over = Rounding.over or _beyond(made)
        return made
    lo, hi = outwards(made.lo, made.hi)
    if name in _WHOLE and (same := made.lo == made.hi).any():
        exact = same & (np.abs(made.lo) * Rounding.step < 1) & (made.lo == np.rint(made.lo))
        lo, hi = np.where(exact, made.lo, lo), np.where(exact, made.hi, hi)
    return intervals(lo, hi, made.nan, made.dtype)


def _left_as_it_is(name: str) -> bool:
    """Whether what a function gives is rounded at the end, and not here."""
    Rounding.lost = Rounding.lost or Rounding.over
    Rounding.count += 1
    if not Rounding.late:
        return False
    if Rounding.count > 1:
        raise Several
    Rounding.single = Rounding.single or name in NEAREST
    return name in NEAREST


def one_settled(name: str, lo: float, hi: float) -> tuple[float, float]:
    """One interval of real numbers as a library may get it."""
    if name not in ROUNDED:
        return lo, hi
    if _left_as_it_is(name):
        Rounding.over = Rounding.over or Rounding.greatest < max(-lo, hi) < math.inf
        return lo, hi
    if name in _WHOLE and lo == hi and abs(lo) * Rounding.step < 1 and lo.is_integer():
        return lo, hi
    return one_outwards(lo, hi, 0.0)


def _beyond(made: Box) -> bool:
    """Whether finite ends are not numbers of the element type."""
    return bool((np.maximum(-made.lo, made.hi)[np.isfinite(made.lo) & np.isfinite(made.hi)] > Rounding.greatest).any())


def _operator(name: str, reflected: bool = False) -> Rule:
    def call(self: Box, other: Any = None) -> Any:
        rule = RULES[name]
        if other is None:
            return settled(name, rule(self))
        return settled(name, rule(boxed(other), self) if reflected else rule(self, boxed(other)))

    return call


for word, rule in {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "true_divide", "pow": "power", "matmul": "matmul", "mod": "remainder",
                   "floordiv": "floor_divide"}.items():  # fmt: skip
    setattr(Box, f"__{word}__", _operator(rule))
    setattr(Box, f"__r{word}__", _operator(rule, True))
for word, rule in {"neg": "negative", "abs": "absolute", "invert": "logical_not"}.items():
    setattr(Box, f"__{word}__", _operator(rule))
for word, rule in {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal", "ne": "not_equal", "and": "logical_and",
                   "or": "logical_or"}.items():  # fmt: skip
    setattr(Box, f"__{word}__", _operator(rule))


def boxed(value: Like) -> Box:
    """A value as a box; an array is a box of points."""
    if isinstance(value, Box):
        return value
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise Unbounded(f"elements of kind {array.dtype.kind}")
    return Box(array, array, False, array.dtype)


def _end(value: Numbers | float, side: int) -> Reals:
    """The lower or upper ends of intervals, in float64."""
    array = np.asarray(value)
    if array.dtype is _REAL:
        return array
    return ends(array)[side] if array.dtype.kind in "iu" else np.asarray(array, np.float64)


def _one(made: Any) -> Box:
    assert isinstance(made, Box)
    return made


def _places(index: Any) -> Any:
    """An index without boxes: those of points are arrays."""
    if isinstance(index, tuple):
        return tuple(map(_places, index))
    return np.asarray(index) if isinstance(index, Box) else index


def moved(function: Any, box: Any, *args: Any, **kwargs: Any) -> Any:
    """A function that only moves elements, or takes some of them."""
    x = boxed(box)
    lo = function(x.lo, *args, **kwargs)
    if x.lo.size == 1 and lo.__class__ is np.ndarray and lo.size == 1:
        return interval(lo.item(), x.hi.item(), lo.ndim, x.dtype) if not x.nan.item() else Box(lo, np.full(lo.shape, x.hi.item()), True, x.dtype)
    hi, nan = function(x.hi, *args, **kwargs), function(x.nan, *args, **kwargs)
    if isinstance(lo, (list, tuple)):
        return type(lo)(Box(*parts, x.dtype) for parts in zip(lo, hi, nan))
    return intervals(lo, hi, nan, x.dtype)


def joined(function: Any, boxes: Any, *args: Any, **kwargs: Any) -> Any:
    """A function that puts several together."""
    parts = [boxed(b) for b in boxes]
    dtype = np.result_type(*(p.dtype for p in parts))
    lo, hi, nan = (function([getattr(p, side) for p in parts], *args, **kwargs) for side in ("lo", "hi", "nan"))
    return Box(lo, hi, nan, dtype)


RULES: dict[str, Rule] = {}
ON_ARRAYS: dict[str, Rule] = {}
"""The same without a look at whether all operands are one interval each."""
PLAIN: dict[str, tuple[Plain, bool]] = {}
"""The rules for one interval in plain numbers, and whether they give truths."""
PAIRS: dict[str, Pair] = {}
"""The same of two intervals whose ends may be infinite."""
TOTALS: dict[str, Total] = {}
"""The same of reductions."""


def register(
    names: str, rule: Rule, rounded: bool = False, whole: bool = False, wraps: bool = False, plain: Plain | None = None, truths: bool = False,
    pair: Pair | None = None, total: Total | None = None,
) -> None:  # fmt: skip
    """A rule, and the same for one interval in `plain` numbers, which gives `truths` or real numbers; `pair` and `total` take infinite ends as well.
    `rounded` where a library rounds what it gives, `whole` where that is exact on whole numbers, `wraps` where those may leave their range."""
    for name in names.split():
        RULES[name] = rule if plain is None else _plainly(plain, truths, rule, pair)
        ON_ARRAYS[name] = rule
        if plain is not None:
            PLAIN[name] = plain, truths
        if pair is not None:
            PAIRS[name] = pair
        if total is not None:
            TOTALS[name] = total
        if rounded:
            ROUNDED.add(name)
        if whole:
            _WHOLE.add(name)
        if wraps:
            WRAPPED.add(name)


def _plainly(plain: Plain, truths: bool, rule: Rule, pair: Pair | None) -> Rule:
    """A rule that is asked where operands are not one interval each; `truths` says what the `plain` one gives, `pair` has the same for infinite ends."""
    dtype = TRUTH if truths else _REAL

    def either(*given: Any, **kwargs: Any) -> Any:
        if kwargs:
            return rule(*given, **kwargs)
        found = ends_of(given, not truths)
        made = None if found is None else plain(*found[0])
        if made is not None and found is not None and isfinite(made[0]) and isfinite(made[1]):
            return interval(*made, found[1], dtype)
        ends = open_of(given) if pair is not None else None
        if pair is None or ends is None:
            return rule(*given)
        lo, hi, nan = pair(*ends[0])
        return interval(lo, hi, ends[1], _REAL, nan)

    return either


def kind_of(*boxes: Box) -> ElementType:
    if len(boxes) == 2 and boxes[0].dtype is boxes[1].dtype is _REAL:
        return _REAL
    return np.result_type(*(b.dtype for b in boxes))


def float_of(*boxes: Box) -> ElementType:
    kind = kind_of(*boxes)
    return kind if kind.kind in "fc" else np.dtype(np.float64)
