"""Bounds of the real numbers that operators compute, by those of their inputs: by the kind of values that a declaration names, or by the operator.

None is said of numbers that were given to the program, and of what is made of those alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf, isnan
from struct import pack, unpack
from typing import Any

from tensorproof.ops.applied import Applied
from tensorproof.ops.distributions import DISTRIBUTIONS
from tensorproof.ops.record import Values
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.dtypes import BOOL
from tensorproof.terms.facts import ANYTHING, Bounds, hull
from tensorproof.terms.ints import Term
from tensorproof.terms.ints import bounds as ends_of
from tensorproof.terms.records import dataclass
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

ABOVE_ZERO = 1e-300
"""The least of numbers that are positive."""
_BELOW_ONE = 1 - 2.0**-24
"""The greatest number that is drawn between 0 and 1 in single precision; a multiple of it stays below the factor."""


def of(value: Any) -> Bounds | None:
    """The least and the greatest of a number, or of the elements of a tensor; None where they were given to the program."""
    if not isinstance(value, TensorType):
        if type(value) in (int, float, bool):
            return ANYTHING if isnan(value) else (float(value), float(value))
        if type(value) is Term:
            low, high = ends_of(value)
            return -inf if low is None else float(low), inf if high is None else float(high)
        return value.ends if type(value) is _Part else None
    if value.contents and all(type(v) in (int, float, bool) for v in value.contents):
        return ANYTHING if any(isnan(v) for v in value.contents) else (float(min(value.contents)), float(max(value.contents)))
    if value.contents and len(value.contents) == 1:
        return of(value.contents[0])
    if value.dtype is BOOL:
        return 0.0, 1.0
    facts = value.facts
    if facts is not None:
        pair = facts.span or facts.limit
        if pair and (first := of(pair[0])) is not None and (past := of(pair[1])) is not None:
            return first[0], past[1] - 1
        if facts.bounds is not None:
            return facts.bounds
    return ANYTHING if value.parameter else None


def computed(one: Applied, values: Values, at: int) -> Bounds | None:
    given, name = one.arguments, one.op.name
    if values.probabilities == "numbers":
        return 0.0, 1.0
    rule = (_NAMED.get(name) if at == 0 else None) or _RULES.get(values.kind)
    if rule is not None:
        return rule(given, values, at)
    return ANYTHING if any(of(t) is not None and not (t.weak and t.contents is not None) for t in _tensors(given)) else None


def _tensors(given: dict[str, Any]) -> Iterator[TensorType]:
    for value in given.values():
        kind = value.__class__
        if kind is TensorType:
            yield value
        elif kind is tuple or kind is list:
            yield from (one for one in value if one.__class__ is TensorType)


def _nth(value: Any, at: int) -> Any:
    return value[at] if isinstance(value, tuple) and at < len(value) else value


def _each(given: dict[str, Any], over: str) -> list[Any]:
    return [t for name in over.split() for t in (given[name] if isinstance(given[name], (tuple, list)) else (given[name],))]


def _together(values: list[Any]) -> Bounds | None:
    found: Bounds | None = None
    for one in values:
        found = hull(found, of(one))
    return found


def _monotone(given: dict[str, Any], values: Values, at: int) -> Bounds | None:
    x, on = of(given["x"]), values.on
    assert values.function is not None
    found = _image(values.function, (on.lo, on.hi) if x is None else (max(x[0], on.lo), min(x[1], on.hi)))
    return found if x is not None or _finite(found) else None


def _finite(x: Bounds) -> bool:
    return x[0] > -inf and x[1] < inf


def _within(given: dict[str, Any], values: Values, at: int) -> Bounds | None:
    """What its declaration bounds; where only one end is known, what was given to the program stays as it was."""
    found = values.bounds.lo, values.bounds.hi
    first = given.get("x")
    return None if not _finite(found) and isinstance(first, TensorType) and of(first) is None else found


def _image(function: Callable[[float], float], x: Bounds) -> Bounds:
    found: list[float] = []
    for end in x:
        try:
            value = function(end)
        except (ValueError, OverflowError, ZeroDivisionError):
            return ANYTHING
        if not isinstance(value, (int, float)) or isnan(value):
            return ANYTHING
        found.append(float(value))
    return min(found), max(found)


def _assumed(x: Bounds | None, y: Bounds | None) -> tuple[Bounds, Bounds] | None:
    """The bounds of two operands. What was given beside a number is taken to lie between 0 and 1, as where it is used later."""
    if x is None and y is None:
        return None
    return x or (0.0, 1.0), y or (0.0, 1.0)


def _sums(given: dict[str, Any], values: Values, at: int) -> Bounds | None:
    pair = _assumed(of(given["x"]), of(given["y"]))
    if pair is None or given["alpha"] != 1:
        return None if pair is None else ANYTHING
    x, y = pair
    return _checked(x[0] + y[0], x[1] + y[1])


def _differences(given: dict[str, Any], values: Values, at: int) -> Bounds | None:
    pair = _assumed(of(given["x"]), of(given["y"]))
    if pair is None or given["alpha"] != 1:
        return None if pair is None else ANYTHING
    x, y = pair
    return _checked(x[0] - y[1], x[1] - y[0])


def _products(given: dict[str, Any], values: Values, at: int) -> Bounds | None:
    pair = _assumed(of(given["x"]), of(given["y"]))
    if pair is None:
        return None
    ends = [0.0 if p == 0 or q == 0 else p * q for p in pair[0] for q in pair[1]]
    low, high = min(ends), max(ends)
    return (0.0, high) if given["x"] is given["y"] and low < 0 else (low, high)


def _quotients(given: dict[str, Any], values: Values, at: int) -> Bounds | None:
    pair = _assumed(of(given["x"]), of(given["y"]))
    if pair is None:
        return None
    x, y = pair
    if given.get("rounding") is not None or y[0] <= 0 <= y[1]:
        return (0.0, inf) if x[0] >= 0 and y[0] >= 0 else ANYTHING
    ends = [0.0 if p == 0 else p / q for p in x for q in y if not (abs(p) == inf and abs(q) == inf)]
    return (min(ends), max(ends)) if len(ends) == 4 else ANYTHING


def _remainders(given: dict[str, Any], values: Values, at: int) -> Bounds | None:
    y = of(given["y"])
    return ANYTHING if y is None or y[0] <= 0 <= y[1] else (min(0.0, y[0]), max(0.0, y[1]))


def _checked(low: float, high: float) -> Bounds:
    return (-inf if isnan(low) else low), (inf if isnan(high) else high)


def _totals(given: dict[str, Any], values: Values, at: int) -> Bounds | None:
    """Of at least one number and at most as many as there are along the axis, or in all."""
    x, axis = given["x"], given.get("dim")
    found = of(x)
    if found is None:
        return None
    axis = axis[0] if isinstance(axis, (tuple, list)) and len(axis) == 1 else axis
    rows = x.facts.rows if x.facts is not None else None
    if rows is not None and type(axis) is int and axis % len(x.shape) == rows[0] and values.kind == "totals":
        return sum(low for low, _ in rows[1]), sum(high for _, high in rows[1])
    along = x.shape[axis] if type(axis) is int and x.shape.known and -len(x.shape) <= axis < len(x.shape) else x.shape.numel if x.shape.known else inf
    most = along if type(along) is int else inf
    return min(found[0] * most, found[0]) if found[0] else 0.0, max(found[1] * most, found[1]) if found[1] else 0.0


_WHOLE = frozenset(["bernoulli", "bernoulli_fill", "poisson", "round", "floor", "ceil", "trunc", "one_hot", "sign", "eye"])


def are_whole(one: Applied, values: Values) -> bool:
    """Whether a result holds whole numbers, in whatever type."""
    if one.op.name in _WHOLE:
        return True
    x = one.arguments.get(values.over) if values.kind in ("moves", "cuts", "selects") else None
    if not isinstance(x, TensorType) or x.dtype is None:
        return False
    return x.dtype.kind in "biu" or (x.facts is not None and x.facts.whole)


@dataclass(frozen=True, slots=True)
class _Part:
    """The bounds of one element, as an argument."""

    ends: Bounds


_ELEMENTWISE, _RULED = frozenset(["sums", "multiplies", "divides", "increasing", "decreasing"]), frozenset(["pow", "round"])
"""Kinds of values that a result has element by element, and operators that have a rule of their own for it."""
_ROUNDING = {"float32": 2.0**-21, "float64": 2.0**-49}
"""The relative error of a function on numbers of a type, with some to spare."""


def along_axis(one: Applied, made: TensorType) -> tuple[int, tuple[Bounds, ...]] | None:
    """The bounds along an axis: of each element of a vector of which the elements are nearly known, and of a product with a known vector."""
    kind, name = one.op.values.kind, one.op.name
    if kind == "bounded" and len(one.results) == 1 and isinstance(x := one.arguments.get(one.op.values.over), TensorType) and x.shape.concrete and x.shape:
        return 1, tuple((0.0, float(size - 1)) for size in x.shape)
    if (kind not in _ELEMENTWISE and name not in _RULED) or made.dtype is None or not made.shape.known:
        return None
    if len(made.shape) == 1 and made.dtype.label in _ROUNDING:
        parts_of = {name: _elements(value, made.shape[0]) for name, value in one.arguments.items() if isinstance(value, TensorType)}
        if parts_of and None not in parts_of.values():
            return _each_element(one, parts_of, made)
    return _rows_of_product(one, made) if name == "mul" else None


def _elements(x: TensorType, count: Any) -> list[_Part] | None:
    """The bounds of each element of a vector, or of one number for all."""
    if not x.shape.concrete or len(x.shape) > 1 or type(count) is not int or count > BUDGETS.containers.bounds_of_elements:
        return None
    if x.contents is not None:
        found = [_Part((float(v), float(v))) for v in x.contents if type(v) in (int, float, bool)]
    else:
        found = [_Part(ends) for ends in x.facts.rows[1]] if x.facts is not None and x.facts.rows is not None else []
    return found if len(found) == count else found * count if len(found) == 1 else None


def _each_element(one: Applied, parts_of: dict[str, Any], made: TensorType) -> tuple[int, tuple[Bounds, ...]] | None:
    values, name = one.op.values, one.op.name
    rule = _NAMED.get(name) or _RULES[values.kind]
    error = 0.0 if name in _WHOLE else _ROUNDING[made.dtype.label] if made.dtype is not None else inf
    found: list[Bounds] = []
    for i in range(len(next(iter(parts_of.values())))):
        given = {**one.arguments, **{word: at[i] for word, at in parts_of.items()}}
        ends, exact = rule(given, values, 0), values.kind in ("sums", "multiplies", "divides") or (name == "pow" and of(given["y"]) in ((0, 0), (1, 1)))
        if ends is None or not _finite(ends):
            return None
        low, high = ends
        found.append(ends if exact and low == high == _single(low) else (low - abs(low) * error, high + abs(high) * error))
    return 0, tuple(found)


def _single(value: float) -> float:
    """A number as single precision holds it."""
    return float(unpack("f", pack("f", value))[0]) if abs(value) < 1e38 else inf


def _rows_of_product(one: Applied, made: TensorType) -> tuple[int, tuple[Bounds, ...]] | None:
    x, y = one.arguments["x"], one.arguments["y"]
    known, other = (x, y) if isinstance(x, TensorType) and x.contents else (y, x)
    if not isinstance(known, TensorType) or not known.contents or not 1 < len(known.contents) <= 16 or of(other) is None:
        return None
    wide = [at for at, size in enumerate(known.shape) if size != 1]
    if len(wide) != 1 or not all(type(v) in (int, float) for v in known.contents):
        return None
    return wide[0] + len(made.shape) - len(known.shape), tuple(_products({"x": other, "y": v}, one.op.values, 0) or ANYTHING for v in known.contents)


def _places(given: dict[str, Any], values: Values, at: int) -> Bounds | None:
    """Positions along the axes of x. Where there are several axes, which of them a number belongs to is not followed."""
    x = given.get("x", given.get("condition"))
    shape = x.shape if isinstance(x, TensorType) else Shape(())
    return (0.0, float(max(0, shape[0] - 1))) if shape.known and len(shape) == 1 and type(shape[0]) is int else None


def _bins(given: dict[str, Any], values: Values, at: int) -> Bounds | None:
    edges = given.get("boundaries", given.get("x"))
    along = edges.shape[-1] if isinstance(edges, TensorType) and edges.shape.known and edges.shape else len(edges) if isinstance(edges, (tuple, list)) else None
    return (0.0, float(along)) if type(along) is int else None


def _overwritten(given: dict[str, Any], values: Values, at: int) -> Bounds | None:
    return None if of(given["x"]) is None else _mixed(given, values, at)


def _fills(given: dict[str, Any], values: Values, at: int) -> Bounds | None:
    return of(given[values.by]) if isinstance(values.by, str) and values.by in given else None


def _draws(given: dict[str, Any], values: Values, at: int) -> Bounds | None:
    found = [of(given.get(v)) if isinstance(v, str) else of(v) for v in (values.low, values.high)]
    return ANYTHING if found[0] is None or found[1] is None else (min(found[0][0], found[1][0]), max(found[0][1], found[1][1]))


def _drawn_bounds(given: dict[str, Any], values: Values, at: int) -> Bounds | None:
    name = values.distribution or given.get(str(values.by))
    known = DISTRIBUTIONS.get(name) if isinstance(name, str) else None
    if known is None:
        return ANYTHING
    names = values.over.split() or known.parameters
    found = [of(given.get(one)) for one in names]
    if any(one is None for one in found) or len(found) != len(known.parameters):
        return known.bounds(*([ANYTHING] * len(known.parameters)))
    low, high = known.bounds(*found)
    return (low, low + (high - low) * _BELOW_ONE) if name == "uniform" and high < inf else (low, high)


def _moved(given: dict[str, Any], values: Values, at: int) -> Bounds | None:
    return of(_nth(given[values.over], at))


def _mixed(given: dict[str, Any], values: Values, at: int) -> Bounds | None:
    return _together(_each(given, values.over))


def _convex(given: dict[str, Any], values: Values, at: int) -> Bounds | None:
    return of(given.get("x"))


def _dot(given: dict[str, Any], values: Values, at: int) -> Bounds | None:
    """Sums of products: of anything, unless one factor is zero."""
    factors = [of(v) for name, v in given.items() if isinstance(v, TensorType) and name != "bias"]
    if (0.0, 0.0) in factors:
        return (0.0, 0.0) if given.get("bias") is None else of(given["bias"])
    return None if all(bounds is None for bounds in factors) else ANYTHING


def _absolute(given: dict[str, Any], values: Values, at: int) -> Bounds | None:
    x = of(given["x"])
    return None if x is None else (0.0 if x[0] <= 0 <= x[1] else min(map(abs, x)), max(map(abs, x)))


def _squares(given: dict[str, Any], values: Values, at: int) -> Bounds | None:
    x = _absolute(given, values, at)
    return None if x is None else (x[0] * x[0], x[1] * x[1])


def _clamped(given: dict[str, Any], values: Values, at: int) -> Bounds | None:
    x, low, high = of(given["x"]), of(given.get("low")), of(given.get("high"))
    if x is None:
        x = ANYTHING if low is not None and high is not None else None
    if x is None or (low is None and given.get("low") is not None) or (high is None and given.get("high") is not None):
        return x
    least, most = low or (-inf, -inf), high or (inf, inf)
    return min(max(x[0], least[0]), most[0]), min(max(x[1], least[1]), most[1])


def _powers(given: dict[str, Any], values: Values, at: int) -> Bounds | None:
    x, y = of(given["x"]), of(given["y"])
    if x is None or y is None:
        return None if x is None else ANYTHING
    if y == (2.0, 2.0):
        return _squares(given, values, at)
    if x[0] < 0 or y[0] != y[1] or (y[0] <= 0 and x[0] == 0):
        return (0.0, inf) if x[0] >= 0 else ANYTHING
    return _image(lambda end: end ** y[0], x)


def _padded(given: dict[str, Any], values: Values, at: int) -> Bounds | None:
    """Means and sums in which zeros take part."""
    x = of(given.get("x"))
    return None if x is None else hull(x, (0.0, 0.0))


def _rounded(given: dict[str, Any], values: Values, at: int) -> Bounds | None:
    x = of(given["x"])
    return None if x is None or given.get("decimals") not in (0, None) else _image(lambda end: end if abs(end) == inf else round(end), x)


def _exponentials(given: dict[str, Any], values: Values, at: int) -> Bounds | None:
    """They never come to 0."""
    found = _monotone(given, values, at) if values.function is not None else None if of(given["x"]) is None else (0.0, inf)
    return None if found is None else (max(found[0], ABOVE_ZERO), found[1])


def _filled(given: dict[str, Any], values: Values, at: int) -> Bounds | None:
    return _together([given.get("x"), given.get("value")])


_NAMED: dict[str, Callable[[dict[str, Any], Values, int], Bounds | None]] = {
    "sub": _differences, "remainder": _remainders, "abs": _absolute, "square": _squares, "clamp": _clamped, "hardtanh": _clamped, "pow": _powers,
    "avg_pool1d": _padded, "avg_pool2d": _padded, "avg_pool3d": _padded, "tril": _padded, "triu": _padded, "diag_embed": _padded, "round": _rounded,
    "exp": _exponentials, "exp2": _exponentials, "softplus": _exponentials, "sigmoid": _exponentials,
    "cumsum": _totals, "nonzero": _places, "where_true": _places, "searchsorted": _bins, "bucketize": _bins, "setitem": _overwritten,
    "masked_fill": _filled, "index_fill": _filled, "eye": lambda given, values, at: (0.0, 1.0), "kthvalue": _convex, "topk": _convex, "max_along": _convex,
    "min_along": _convex, "sort": _convex, "median_along": _convex, "unique": _convex, "unique_consecutive": _convex, "cummax": _convex, "cummin": _convex,
}  # fmt: skip
_RULES: dict[str, Callable[[dict[str, Any], Values, int], Bounds | None]] = {
    "moves": _moved, "cuts": _moved, "selects": _moved, "joins": _mixed, "mixes": _mixed, "fills": _fills, "increasing": _monotone, "decreasing": _monotone,
    "sums": _sums, "multiplies": _products, "divides": _quotients, "totals": _totals, "draws": _draws, "drawn": _drawn_bounds, "convex": _convex, "dot": _dot,
    "counts": lambda given, values, at: (0.0, inf), "places": lambda given, values, at: None, "bounded": _within,
}  # fmt: skip
