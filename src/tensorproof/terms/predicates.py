"""Predicates over symbolic integers. A predicate that is known is a plain `bool`; `Predicate` is what is not known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import gcd
from typing import Any
from weakref import WeakValueDictionary

from tensorproof.terms.ints import Atom, Dim, Term, lower, parts_of, single, upper
from tensorproof.terms.substitution import substitute, symbols


class Predicate:
    """`kind` is eq, ne, le (the term against zero), and, or, or flag (a named truth value with its polarity)."""

    __slots__ = ("__weakref__", "args", "kind")

    kind: str
    args: tuple[Any, ...]

    def terms(self) -> Iterable[Any]:
        """What this stands on: terms or further predicates."""
        return () if self.kind == "flag" else self.args

    def substitute(self, values: Mapping[Any, Any]) -> Truth:
        """With other terms for its symbols, and other flags for flags by their names."""
        match self.kind:
            case "eq":
                return eq(substitute(self.args[0], values), 0)
            case "ne":
                return ne(substitute(self.args[0], values), 0)
            case "le":
                return le(substitute(self.args[0], values), 0)
            case "flag":
                other = values.get(self.args[0])
                return self if other is None else other if self.args[1] else negate(other)
            case kind:
                parts = [p.substitute(values) for p in self.args]
                return conj(*parts) if kind == "and" else disj(*parts)

    def __bool__(self) -> bool:
        raise TypeError(f"whether {self!r} holds is not known; state it as a requirement instead of branching")

    def __repr__(self) -> str:
        match self.kind:
            case "flag":
                return str(self.args[0]) if self.args[1] else f"not {self.args[0]}"
            case "and" | "or":
                return "(" + f" {self.kind} ".join(map(repr, self.args)) + ")"
            case _:
                left, right = _sides(self.args[0])
                return f"{left!r} {SIGNS[self.kind]} {right!r}"


Truth = bool | Predicate
SIGNS = {"eq": "==", "ne": "!=", "le": "<="}
_ALL: WeakValueDictionary[tuple[Any, ...], Predicate] = WeakValueDictionary()


def _make(kind: str, args: tuple[Any, ...]) -> Predicate:
    key = (kind, args)
    found = _ALL.get(key)
    if found is None:
        found = Predicate()
        found.kind, found.args = kind, args
        _ALL[key] = found
    return found


def _sides(x: Dim) -> tuple[Dim, Dim]:
    """The term as left and right side of a comparison, the negative parts moved over."""
    left: Dim = 0
    right: Dim = 0
    for monomial, coefficient in parts_of(x):
        part = single(monomial, abs(coefficient))
        if coefficient > 0:
            left = left + part
        else:
            right = right + part
    return left, right


def _primitive(x: Term) -> tuple[Term, int]:
    """The term without the whole factor of its symbolic parts, and that factor."""
    return x, gcd(*(c for m, c in x.parts if m))


def eq(a: Dim, b: Dim) -> Truth:
    if type(a) is not Term and type(b) is not Term:
        return a == b
    if a is b:
        return True
    difference = a - b
    if type(difference) is not Term:
        return difference == 0
    if lower(difference) > 0 or upper(difference) < 0:
        return False
    term, factor = _primitive(difference)
    constant = term.parts[-1][1] if not term.parts[-1][0] else 0
    if constant % factor:
        return False
    return _make("eq", (_scaled(term, factor if term.parts[0][1] > 0 else -factor),))


def _scaled(term: Term, factor: int) -> Dim:
    if factor == 1:
        return term
    total: Dim = 0
    for monomial, coefficient in term.parts:
        total = total + single(monomial, coefficient // factor)
    return total


def ne(a: Dim, b: Dim) -> Truth:
    return negate(eq(a, b))


def le(a: Dim, b: Dim) -> Truth:
    if not isinstance(a, Term) and not isinstance(b, Term):
        return a <= b
    difference = a - b
    if not isinstance(difference, Term):
        return difference <= 0
    if upper(difference) <= 0:
        return True
    if lower(difference) > 0:
        return False
    term, factor = _primitive(difference)
    if factor > 1:  # 2x - 3 <= 0 is x - 1 <= 0
        constant = term.parts[-1][1] if not term.parts[-1][0] else 0
        whole = _scaled(term, 1) - constant
        assert type(whole) is Term
        return le(_scaled(whole, factor) - (-constant // factor), 0)
    return _make("le", (term,))


def lt(a: Dim, b: Dim) -> Truth:
    return le(a + 1, b)


def ge(a: Dim, b: Dim) -> Truth:
    return le(b, a)


def gt(a: Dim, b: Dim) -> Truth:
    return le(b + 1, a)


def flag(name: str) -> Predicate:
    """A truth value that is not known: a random branch, a mode."""
    return _make("flag", (name, True))


def _joined(kind: str, items: Iterable[Truth]) -> Truth:
    neutral = kind == "and"
    kept: dict[Predicate, None] = {}
    for item in items:
        if isinstance(item, bool):
            if item is not neutral:
                return item
        elif item.kind == kind:
            kept.update(dict.fromkeys(item.args))
        else:
            kept[item] = None
    if not kept:
        return neutral
    for item in kept:
        if item.kind not in ("and", "or") and negate(item) in kept:  # the opposite of a disjunction is a conjunction, which stands here by its parts
            return not neutral
    return next(iter(kept)) if len(kept) == 1 else _make(kind, tuple(kept))


def conj(*items: Truth) -> Truth:
    return _joined("and", items)


def disj(*items: Truth) -> Truth:
    return _joined("or", items)


def negate(item: Truth) -> Truth:
    if isinstance(item, bool):
        return not item
    match item.kind:
        case "eq":
            return _make("ne", item.args)
        case "ne":
            return _make("eq", item.args)
        case "le":
            return ge(item.args[0], 1)
        case "flag":
            return _make("flag", (item.args[0], not item.args[1]))
        case kind:
            return _joined("or" if kind == "and" else "and", [negate(part) for part in item.args])


def implies(a: Truth, b: Truth) -> Truth:
    return disj(negate(a), b)


def evaluate(item: Truth, values: Mapping[Atom, Dim], flags: Mapping[str, bool] | None = None) -> bool:
    """The truth with a number for every symbol."""
    if isinstance(item, bool):
        return item
    match item.kind:
        case "flag":
            return (flags or {})[item.args[0]] is item.args[1]
        case "and":
            return all(evaluate(p, values, flags) for p in item.args)
        case "or":
            return any(evaluate(p, values, flags) for p in item.args)
        case kind:
            value = substitute(item.args[0], values)
            assert type(value) is int, f"no value for {symbols(value)}"
            return value == 0 if kind == "eq" else value != 0 if kind == "ne" else value <= 0
