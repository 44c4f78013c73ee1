"""What is known of the elements of a tensor beside their type. The facts live with the tensor (`TensorType.facts`).

Domains learn them from the operators that are applied (libraries/domains.py). A description of the same elements keeps them, a write ends them
(`TensorType.but`), branches join them here, and loops compare and widen them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, Any

from tensorproof.terms.ints import Dim, ite
from tensorproof.terms.records import dataclass, replace

if TYPE_CHECKING:
    from tensorproof.terms.predicates import Truth
    from tensorproof.terms.tensor import TensorType

Pair = tuple[Dim, Dim]
Bounds = tuple[float, float]
Drawn = tuple[str, float, float]
"""`("uniform", least, greatest)` or `("normal", mean, deviation)`."""


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """Facts about elements. What is known of them makes two descriptions no different: all facts equal each other, and None."""

    span: Pair | None = None
    """Whole numbers from the first on that stay below the second. Both ends occur."""
    limit: Pair | None = None
    """The same, and the ends need not occur."""
    possible: bool = False
    """Whether each number within the limit may occur: places that were chosen by numbers of which nothing is known."""
    number: Dim | None = None
    """The whole number in a tensor of one element, as a size."""
    ones: Dim | None = None
    """How many elements are not zero."""
    binary: bool = False
    """Whether these are ones, and all others zeros."""
    greatest: Dim | None = None
    """The greatest element."""
    front: int | None = None
    """The place of the greatest among elements in order, 0 or -1."""
    probabilities: bool = False
    """Whether they are probabilities: not negative, with the sum 1 along an axis."""
    signed: bool = False
    """Whether each element is negative for some draw of random numbers or of initial parameters."""
    cut: Any = None
    """The warning for the case that a layer takes rows that hold parts of several samples, as these do."""
    compared: dict[Any, Dim] | None = None
    """How often each comparison with a number holds, by the comparison and the number."""
    implied: tuple[tuple[TensorType, Any, Any], ...] | None = None
    """Of a mask, or of the places where it holds: the tensors that were compared, and between which ends their elements lie where it holds and where not."""
    bounds: Bounds | None = None
    """The least and the greatest that an element can be. None where the elements were given to the program: they are taken to be as they should."""
    rows: tuple[int, tuple[Bounds, ...]] | None = None
    """An axis, and the bounds of each part of the tensor along it, where they differ: what was multiplied by a known vector."""
    whole: bool = False
    """Whether they are whole numbers, in a float type."""
    matrix: str = ""
    """Of the matrices in the last two axes: "regular" (almost surely), "semidefinite", "definite" or "negative" (definite); symmetric
    where one of the last three."""
    chance: bool = False
    """Whether random numbers took part in them."""
    steps: int = 0
    """How many operators computed the bounds, one after another."""
    drawn: Drawn | None = None
    """The distribution of each element, where it was drawn by itself and then only shifted and scaled."""

    def __eq__(self, other: object) -> bool:
        return other is None or isinstance(other, Facts)

    def __hash__(self) -> int:
        return hash(None)

    def mapped(self, change: Callable[[Any], Any]) -> Facts:
        """The same facts in other terms."""
        new: dict[str, Any] = {name: tuple(map(change, found)) for name in _PAIRS if (found := getattr(self, name)) is not None}
        same = all(a is b for name, pair in new.items() for a, b in zip(pair, getattr(self, name)))
        for name in _TERMS:
            new[name] = change(getattr(self, name))
            same = same and new[name] is getattr(self, name)
        return self if same else replace(self, **new, compared=None, implied=None)


_PAIRS = ("span", "limit")
_TERMS = ("number", "ones", "greatest")
_TRUTHS = ("possible", "binary", "probabilities", "signed", "whole")
_NONE = Facts()
SIGNED = Facts(signed=True)
ANYTHING: Bounds = (float("-inf"), float("inf"))
MADE = Facts(bounds=ANYTHING)
"""What is known of elements that the program computed in some way."""


def learn(tensor: TensorType, **facts: Any) -> None:
    """These facts hold of a tensor. They are about this very description, which never changes otherwise."""
    object.__setattr__(tensor, "facts", replace(tensor.facts or _NONE, **facts))


def learn_bounds(
    tensor: TensorType, bounds: Bounds, steps: int, chance: bool, drawn: Drawn | None, rows: tuple[int, tuple[Bounds, ...]] | None, whole: bool
) -> None:
    """What is known of the numbers that an operator computed. Descriptions of which no more is known are one object."""
    if tensor.facts is not None:
        learn(tensor, bounds=bounds, steps=steps, chance=chance, drawn=drawn, rows=rows, whole=whole)
        return
    object.__setattr__(tensor, "facts", _computed(bounds, steps, chance, drawn, rows, whole))


@lru_cache(maxsize=10_000)
def _computed(bounds: Bounds, steps: int, chance: bool, drawn: Drawn | None, rows: tuple[int, tuple[Bounds, ...]] | None, whole: bool) -> Facts:
    return Facts(bounds=bounds, steps=steps, chance=chance, drawn=drawn, rows=rows, whole=whole)


def carry(old: TensorType, new: TensorType) -> None:
    """A tensor with the same elements."""
    if old.facts is not None:
        object.__setattr__(new, "facts", old.facts)


def forget(tensor: TensorType) -> None:
    """Nothing is known of the elements of a variable that got others."""
    object.__setattr__(tensor, "facts", None)


def of_each(facts: Facts | None) -> Facts | None:
    """What holds of each element by itself, and so of a tensor with more or fewer of them."""
    if facts is None:
        return None
    kept = {name: getattr(facts, name) for name in ("span", "limit", "possible", "bounds", "signed", "whole", "chance", "steps", "drawn")}
    return Facts(**kept)


def of_numbers(ends: Iterable[Pair | None]) -> Facts | None:
    """What holds of the elements that are whole numbers with these ends, each known number by itself; None where one has no known ends."""
    low, past, exact = None, None, True
    for pair in ends:
        if pair is None or type(pair[0]) is not int or type(pair[1]) is not int:
            return None
        low, past = min(pair[0], pair[0] if low is None else low), max(pair[1], pair[1] if past is None else past)
        exact = exact and pair[1] - pair[0] == 1
    if low is None or past is None:
        return None
    bounds = float(low), float(past - 1)
    return Facts(span=(low, past), bounds=bounds) if exact else Facts(limit=(low, past), possible=True, bounds=bounds, chance=True)


def of_any(every: Iterable[Facts | None]) -> Facts | None:
    """What holds of each element of one of several tensors."""
    found = list(every)
    shared = of_each(reduce(common, found))
    ends = of_numbers(None if one is None else one.span or one.limit for one in found)
    if shared is None or ends is None or shared.span is not None or shared.limit is not None:
        return shared
    return replace(shared, limit=ends.span or ends.limit, possible=True)


def same(a: Facts | None, b: Facts | None) -> bool:
    """Whether two tensors hold the same numbers, as far as that is known. Numbers that the data choose anew are alike, those that count are not."""
    if a is b:
        return True
    a, b = a or _NONE, b or _NONE
    if a.bounds != b.bounds or a.drawn != b.drawn or a.rows != b.rows:
        return False
    return all(getattr(a, name) == getattr(b, name) for name in _PAIRS) and not any(_counts(getattr(a, name), getattr(b, name)) for name in _TERMS)


def _counts(a: Dim | None, b: Dim | None) -> bool:
    """Whether two numbers differ by a known one."""
    return a is not b and a is not None and b is not None and type(step := b - a) is int and step != 0


def common(a: Facts | None, b: Facts | None) -> Facts | None:
    """What is said of both of two tensors."""
    if a is b or a is None or b is None:
        return a if a is b else _bounded(a, b)
    equal = {name: x for name in (*_PAIRS, *_TERMS) if (x := getattr(a, name)) is not None and x == getattr(b, name)}
    truths = {name: getattr(a, name) and getattr(b, name) for name in _TRUTHS}
    return Facts(**equal, **truths, **_numbers(a, b), cut=a.cut if a.cut is b.cut else None)


def _numbers(a: Facts, b: Facts) -> dict[str, Any]:
    """What holds of the numbers in one of two tensors."""
    drawn, matrix = a.drawn if a.drawn == b.drawn else None, a.matrix if a.matrix == b.matrix else ""
    return {"bounds": hull(a.bounds, b.bounds), "steps": max(a.steps, b.steps), "chance": a.chance or b.chance, "drawn": drawn, "matrix": matrix}


def hull(a: Bounds | None, b: Bounds | None) -> Bounds | None:
    """The bounds of what is one of two."""
    if a is None or b is None or a == b:
        return b if a is None else a
    return min(a[0], b[0]), max(a[1], b[1])


def _bounded(a: Facts | None, b: Facts | None) -> Facts | None:
    """What holds of one of two tensors, of which one has no facts at all."""
    found = hull(a.bounds if a is not None else None, b.bounds if b is not None else None)
    return None if found is None else Facts(bounds=found)


def joined(p: Truth, a: Facts | None, b: Facts | None) -> Facts | None:
    """What holds of a tensor that is one of two: the first where p holds."""
    if a is b or a is None or b is None:
        return a if a is b else _bounded(a, b)
    found: dict[str, Any] = {name: ite(p, x, y) for name in _TERMS if (x := getattr(a, name)) is not None and (y := getattr(b, name)) is not None}
    one, other = a.limit or a.span, b.limit or b.span
    if a.span is not None and b.span is not None:
        found["span"] = _either(p, a.span, b.span)
    elif one is not None and other is not None:
        found["limit"] = _either(p, one, other)
    front = a.front if a.front == b.front else None
    truths = {name: getattr(a, name) and getattr(b, name) for name in _TRUTHS}
    return Facts(**found, **truths, **_numbers(a, b), front=front, cut=a.cut if a.cut is b.cut else None)


def _either(p: Truth, a: Pair, b: Pair) -> Pair:
    return a if a == b else (ite(p, a[0], b[0]), ite(p, a[1], b[1]))


def widened(wide: Facts | None, value: Facts | None, change: Callable[[Dim, Dim], Dim]) -> Facts | None:
    """What holds of the tensors of many iterations: each number that differs as `change` describes it."""
    if wide is None or value is None:
        return None if _bounded(wide, value) is None else MADE
    found: dict[str, Any] = {}
    for name in _TERMS:
        a, b = getattr(wide, name), getattr(value, name)
        if a is not None and b is not None:
            found[name] = a if a == b else change(a, b)
    if wide.span is not None and value.span is not None:
        found["span"] = tuple(x if x == y else change(x, y) for x, y in zip(wide.span, value.span))
    elif (limit := wide.limit or wide.span) is not None and limit == (value.limit or value.span):
        found["limit"] = limit
    if wide.bounds is not None or value.bounds is not None:
        found["bounds"] = wide.bounds if wide.bounds == value.bounds else ANYTHING
        found["drawn"] = wide.drawn if wide.drawn == value.drawn else None
    return Facts(**found, **{name: getattr(wide, name) and getattr(value, name) for name in _TRUTHS})


def covers(wide: Facts | None, value: Facts | None, holds: Callable[[Dim, Dim], bool]) -> bool:
    """Whether all that is said of a description holds of a value; `holds` compares two numbers."""
    if wide is None or wide is value:
        return True
    value = value or _NONE
    if (wide.bounds is not None and hull(wide.bounds, value.bounds) != wide.bounds) or wide.drawn not in (None, value.drawn):
        return False
    if wide.rows not in (None, value.rows) or (wide.implied is not None and wide.implied is not value.implied):
        return False
    if wide.span is not None and (value.span is None or not all(map(holds, wide.span, value.span))):
        return False
    if wide.limit is not None and wide.limit != (value.limit or value.span):
        return False
    if any((a := getattr(wide, name)) is not None and ((b := getattr(value, name)) is None or not holds(a, b)) for name in _TERMS):
        return False
    return all(getattr(wide, name) <= getattr(value, name) for name in _TRUTHS) and wide.cut in (None, value.cut) and wide.front in (None, value.front)
