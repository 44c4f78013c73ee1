"""Random terms, kept beside a plain tree of the same expression so that Python itself is the judge."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from tensorproof.terms.ints import Atom, Dim, Term, floordiv, ite, maximum, minimum, mod, sole_atom, symbol
from tensorproof.terms.predicates import Truth, conj, disj, eq, le, lt, ne, negate

SYMBOLS = (("a", -7, 9), ("b", 0, 12), ("c", 1, 5), ("n", 1, None), ("m", None, None))
Tree = tuple[Any, ...]


@dataclass(frozen=True)
class Sample:
    """A term, and the tree that it was made from."""

    term: Dim
    tree: Tree


def make_symbol(name: str) -> Term:
    lo, hi = next((lo, hi) for n, lo, hi in SYMBOLS if n == name)
    return symbol(name, float("-inf") if lo is None else lo, hi)


def atoms() -> dict[str, Atom]:
    found: dict[str, Atom] = {}
    for name, _, _ in SYMBOLS:
        atom = sole_atom(make_symbol(name))
        assert atom is not None
        found[name] = atom
    return found


def draw_values(random: Random) -> dict[str, int]:
    return {name: random.randint(-30 if lo is None else lo, 30 if hi is None else hi) for name, lo, hi in SYMBOLS}


def draw(random: Random, depth: int) -> Sample:
    """A random term of at most this depth. Divisors are never zero: they are a non-zero constant, or a symbol that is positive, or its negative."""
    if depth == 0 or random.random() < 0.15:
        if random.random() < 0.35:
            value = random.randint(-9, 9)
            return Sample(value, ("const", value))
        name = random.choice(SYMBOLS)[0]
        return Sample(make_symbol(name), ("symbol", name))
    kind = random.choice(("+", "+", "-", "*", "*", "//", "%", "min", "max", "ite"))
    left = draw(random, depth - 1)
    if kind in ("//", "%"):
        right = _divisor(random)
        made = floordiv(left.term, right.term) if kind == "//" else mod(left.term, right.term)
        return Sample(made, (kind, left.tree, right.tree))
    right = draw(random, depth - 1)
    match kind:
        case "+":
            return Sample(left.term + right.term, ("+", left.tree, right.tree))
        case "-":
            return Sample(left.term - right.term, ("-", left.tree, right.tree))
        case "*":
            return Sample(left.term * right.term, ("*", left.tree, right.tree))
        case "min":
            return Sample(minimum(left.term, right.term), ("min", left.tree, right.tree))
        case "max":
            return Sample(maximum(left.term, right.term), ("max", left.tree, right.tree))
        case _:
            predicate, tree = draw_predicate(random, depth - 1)
            return Sample(ite(predicate, left.term, right.term), ("ite", tree, left.tree, right.tree))


def _divisor(random: Random) -> Sample:
    choice = random.randrange(5)
    if choice < 2:
        value = random.choice((1, 2, 3, 4, 8, -1, -2, -3, -5))
        return Sample(value, ("const", value))
    name = random.choice(("c", "n"))
    plain = Sample(make_symbol(name), ("symbol", name))
    if choice == 2:
        return plain
    factor = random.choice((2, 3, -1, -2))
    return Sample(factor * plain.term, ("*", ("const", factor), plain.tree))


_COMPARE = {"eq": eq, "ne": ne, "le": le, "lt": lt}


def draw_predicate(random: Random, depth: int) -> tuple[Truth, Tree]:
    if depth > 0 and random.random() < 0.3:
        (a, ta), (b, tb) = draw_predicate(random, depth - 1), draw_predicate(random, depth - 1)
        kind = random.choice(("and", "or", "not"))
        if kind == "not":
            return negate(a), ("not", ta)
        return (conj(a, b) if kind == "and" else disj(a, b)), (kind, ta, tb)
    kind = random.choice(tuple(_COMPARE))
    left, right = draw(random, max(0, depth - 1)), draw(random, max(0, depth - 1))
    return _COMPARE[kind](left.term, right.term), (kind, left.tree, right.tree)


def judge(tree: Tree, values: dict[str, int]) -> Any:
    """What Python makes of the tree."""
    kind, *args = tree
    if kind == "const":
        return args[0]
    if kind == "symbol":
        return values[args[0]]
    a = judge(args[0], values)
    if kind == "ite":
        return judge(args[1], values) if a else judge(args[2], values)
    if kind == "not":
        return not a
    b = judge(args[1], values)
    match kind:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "//":
            return a // b
        case "%":
            return a % b
        case "min":
            return min(a, b)
        case "max":
            return max(a, b)
        case "eq":
            return a == b
        case "ne":
            return a != b
        case "le":
            return a <= b
        case "lt":
            return a < b
        case "and":
            return a and b
        case _:
            return a or b
