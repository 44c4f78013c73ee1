"""Polynomials over atoms, immutable and hash-consed, in a normal form: the terms of `terms/ints.py`, with sums, products, division and bounds.

A dimension is a plain `int` where it is known and a `Term` where it is not. `==` is structural; `predicates.eq` makes a predicate.
Division and remainder follow Python: they round down. A divisor is taken to be non-zero (rules state that as a requirement).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from math import gcd
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from tensorproof.terms.labels import forget_labels
from tensorproof.terms.spans import INF, Bound, divided, multiplied, raised
from tensorproof.terms.texts import atom_text, term_text

if TYPE_CHECKING:
    pass


class Origin(Enum):
    """Who chooses a symbol's value decides what is reported."""

    WORLD = "world"
    USER = "user"
    UNMODELLED = "unmodelled"


class Atom:
    """An indivisible factor: a symbol, or `//`, `%`, `min`, `max`, `ite` of terms that did not simplify."""

    __slots__ = ("__weakref__", "args", "hi", "kind", "lo", "order", "origin", "texts")

    kind: str
    args: tuple[Any, ...]
    lo: Bound
    hi: Bound
    origin: Origin | None
    order: int
    texts: dict[int, str]
    """How it is written inside of so many others."""

    @property
    def name(self) -> str:
        return str(self.args[0])

    def __repr__(self) -> str:
        return self.name if self.kind == "symbol" else atom_text(self)


Monomial = tuple[tuple[Atom, int], ...]


class Term:
    """A polynomial with at least one atom; a constant is always a plain `int`."""

    __slots__ = ("__weakref__", "_bounds", "parts")

    parts: tuple[tuple[Monomial, int], ...]
    _bounds: tuple[Bound, Bound] | None

    def __add__(self, other: Dim) -> Dim:
        return _sum(((self, 1), (other, 1)))

    __radd__ = __add__

    def __sub__(self, other: Dim) -> Dim:
        return _sum(((self, 1), (other, -1)))

    def __rsub__(self, other: Dim) -> Dim:
        return _sum(((other, 1), (self, -1)))

    def __neg__(self) -> Dim:
        return _sum(((self, -1),))

    def __mul__(self, other: Dim) -> Dim:
        return _product(self, other)

    __rmul__ = __mul__

    def __pow__(self, power: int) -> Dim:
        result: Dim = 1
        for _ in range(power):
            result = result * self
        return result

    def __floordiv__(self, other: Dim) -> Dim:
        return floordiv(self, other)

    def __rfloordiv__(self, other: Dim) -> Dim:
        return floordiv(other, self)

    def __mod__(self, other: Dim) -> Dim:
        return mod(self, other)

    def __rmod__(self, other: Dim) -> Dim:
        return mod(other, self)

    def __bool__(self) -> bool:
        raise TypeError(f"the truth of the symbolic size {self!r} is not known; state a requirement instead of branching")

    def __repr__(self) -> str:
        return term_text(self.parts)


Dim = int | Term

_ATOMS: WeakValueDictionary[tuple[Any, ...], Atom] = WeakValueDictionary()
_TERMS: WeakValueDictionary[tuple[Any, ...], Term] = WeakValueDictionary()
_count = 0
_files = 0


def begin_file() -> None:
    """Forget the atoms of other files: their order decides how terms are written, and must not depend on what was checked before."""
    global _count, _files
    _count = 0
    _files += 1
    _ATOMS.clear()
    forget_labels()


def files_begun() -> int:
    """How many files were begun in this process."""
    return _files


def atom_of(kind: str, args: tuple[Any, ...], lo: Bound, hi: Bound, origin: Origin | None = None) -> Atom:
    global _count
    key = (kind, args, lo, hi, origin) if kind == "symbol" else (kind, args)
    found = _ATOMS.get(key)
    if found is None:
        found = Atom()
        _count += 1
        found.kind, found.args, found.lo, found.hi, found.origin, found.order = kind, args, lo, hi, origin, _count
        found.texts = {}
        _ATOMS[key] = found
    return found


def _term(parts: tuple[tuple[Monomial, int], ...]) -> Dim:
    """The canonical term of sorted, non-zero parts."""
    if not parts:
        return 0
    if len(parts) == 1 and not parts[0][0]:
        return parts[0][1]
    found = _TERMS.get(parts)
    if found is None:
        found = Term()
        found.parts, found._bounds = parts, None  # pyright: ignore[reportPrivateUsage]
        _TERMS[parts] = found
    return found


def rank_of(monomial: Monomial) -> tuple[int, tuple[tuple[int, int], ...]]:
    """Monomials are ordered by degree, then by their atoms, which stand in the order of their making."""
    if len(monomial) == 1:  # most are, and there are many
        ((atom, power),) = monomial
        return power, ((atom.order, power),)
    return sum([p for _, p in monomial]), tuple([(a.order, p) for a, p in monomial])


def _build(parts: Mapping[Monomial, int]) -> Dim:
    kept = [(m, c) for m, c in parts.items() if c]
    if len(kept) > 1:
        kept.sort(key=lambda part: rank_of(part[0]), reverse=True)
    return _term(tuple(kept))


def parts_of(x: Dim) -> tuple[tuple[Monomial, int], ...]:
    if isinstance(x, Term):
        return x.parts
    return (((), int(x)),) if x else ()


def single(monomial: Monomial, coefficient: int) -> Dim:
    """The term of one part."""
    return _term(((monomial, coefficient),)) if coefficient else 0


def symbol(name: str, lo: Bound = 0, hi: Bound | None = None, origin: Origin = Origin.WORLD) -> Term:
    """A size that is not known, between `lo` and `hi`; equal names with equal bounds and origin are one symbol."""
    atom = atom_of("symbol", (name,), lo, INF if hi is None else hi, origin)
    term = of_atom(atom)
    assert type(term) is Term
    return term


def of_atom(atom: Atom) -> Dim:
    if atom.lo == atom.hi and atom.kind != "symbol":
        return int(atom.lo)
    return _term(((((atom, 1),), 1),))


def _sum(addends: Iterable[tuple[Dim, int]]) -> Dim:
    total: dict[Monomial, int] = {}
    for x, sign in addends:
        for monomial, coefficient in parts_of(x):
            total[monomial] = total.get(monomial, 0) + sign * coefficient
    return _build(total)


def _times(a: Monomial, b: Monomial) -> Monomial:
    if not a or not b:
        return a or b
    powers = dict(a)
    for atom, power in b:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted(powers.items(), key=lambda factor: factor[0].order))


def _product(a: Dim, b: Dim) -> Dim:
    total: dict[Monomial, int] = {}
    right = parts_of(b)
    for m, c in parts_of(a):
        for n, d in right:
            key = _times(m, n)
            total[key] = total.get(key, 0) + c * d
    return _build(total)


def product(items: Iterable[Dim]) -> Dim:
    result: Dim = 1
    for item in items:
        result = result * item
    return result


# --- division -----------------------------------------------------------------------------------------------------


def _quotient(m: Monomial, n: Monomial) -> Monomial | None:
    """m / n where n divides m."""
    powers = dict(m)
    for atom, power in n:
        left = powers.get(atom, 0) - power
        if left < 0:
            return None
        if left:
            powers[atom] = left
        else:
            del powers[atom]
    return tuple(powers.items())


def _divide(a: Dim, b: Dim) -> tuple[Dim, Dim]:
    """(q, r) with a == q*b + r, taking out of `a` whatever the leading part of `b` divides."""
    lead, unit = parts_of(b)[0]
    quotient: dict[Monomial, int] = {}
    rest: Dim = a
    settled: dict[Monomial, int] = {}
    constant = not lead
    for _ in range(256):
        left = parts_of(rest)
        if not left:
            break
        monomial, coefficient = left[0]
        factor = _quotient(monomial, lead)
        times = coefficient // unit if constant else (coefficient // unit if coefficient % unit == 0 else 0)
        if factor is None or times == 0:
            settled[monomial] = settled.get(monomial, 0) + coefficient
            rest = _sum(((rest, 1), (_term(((monomial, coefficient),)), -1)))
            continue
        quotient[factor] = quotient.get(factor, 0) + times
        rest = _sum(((rest, 1), (_product(_term(((factor, times),)), b), -1)))
    return _build(quotient), _sum(((rest, 1), (_build(settled), 1)))


def _content(x: Dim) -> int:
    return gcd(*(c for _, c in parts_of(x)))


def _reduced(a: Dim, b: Dim) -> tuple[Dim, Dim, int]:
    """a and b without their common whole factor."""
    common = gcd(_content(a), _content(b))
    if common > 1:
        return (_term(tuple((m, c // common) for m, c in parts_of(a))), _term(tuple((m, c // common) for m, c in parts_of(b))), common)
    return a, b, 1


def floordiv(a: Dim, b: Dim) -> Dim:
    if type(a) is not Term and type(b) is not Term:
        return a // b
    if b == 1:
        return a
    if b == 0:
        raise ZeroDivisionError("division of a symbolic size by zero")
    q, r = _divide(a, b)
    if r == 0 or _within(r, b):
        return q
    r, b, _ = _reduced(r, b)
    if type(r) is not Term and type(b) is not Term:
        return q + r // b
    if type(b) is int and b > 0:  # (u // c + k) // b == (u + k*c) // (c*b)
        nested = _nested(r)
        if nested is not None:
            u, c, k = nested
            return q + floordiv(u + k * c, c * b)
    lo, hi = divided(range_of(r), range_of(b))
    return q + of_atom(atom_of("//", (r, b), lo, hi))


def _nested(r: Dim) -> tuple[Dim, int, int] | None:
    parts = parts_of(r)
    if len(parts) > 2 or parts[0][1] != 1 or len(parts[0][0]) != 1 or (len(parts) == 2 and parts[1][0]):
        return None
    atom, power = parts[0][0][0]
    if power != 1 or atom.kind != "//" or type(atom.args[1]) is not int or atom.args[1] <= 0:
        return None
    return atom.args[0], atom.args[1], parts[1][1] if len(parts) == 2 else 0


def mod(a: Dim, b: Dim) -> Dim:
    if type(a) is not Term and type(b) is not Term:
        return a % b
    if b in (1, -1):
        return 0
    if b == 0:
        raise ZeroDivisionError("remainder of a symbolic size by zero")
    _, r = _divide(a, b)
    if r == 0 or _within(r, b):
        return r
    r, b, common = _reduced(r, b)
    if type(r) is not Term and type(b) is not Term:
        return common * (r % b)
    inner = _without_remainders(r, b)
    if inner is not r:
        return common * mod(inner, b)
    lo, hi = range_of(b)
    if lo > 0:
        span: tuple[Bound, Bound] = (0, hi - 1)
        low, high = range_of(r)
        if low >= 0:
            span = (0, min(hi - 1, high))
    elif hi < 0:
        span = (lo + 1, 0)
    else:
        span = (min(lo + 1, 0), max(hi - 1, 0))
    return common * of_atom(atom_of("%", (r, b), *span))


def _without_remainders(r: Dim, b: Dim) -> Dim:
    """`x % m + y` as `x + y` where only its remainder by `b` is wanted and `b` divides `m`."""
    if type(r) is not Term or type(b) is not int or b <= 0:
        return r
    total: Dim = 0
    changed = False
    for monomial, coefficient in r.parts:
        atom = monomial[0][0] if len(monomial) == 1 and monomial[0][1] == 1 else None
        if atom is not None and atom.kind == "%" and type(atom.args[1]) is int and atom.args[1] % b == 0:
            total, changed = total + coefficient * atom.args[0], True
        else:
            total = total + single(monomial, coefficient)
    return total if changed else r


def _within(r: Dim, b: Dim) -> bool:
    """0 <= r < b, by bounds alone."""
    return range_of(r)[0] >= 0 and range_of(b - r)[0] >= 1


# --- bounds -----------------------------------------------------------------------------------------------------


def range_of(x: Dim) -> tuple[Bound, Bound]:
    if not isinstance(x, Term):
        return x, x
    known = x._bounds  # pyright: ignore[reportPrivateUsage]
    if known is None:
        lo: Bound = 0
        hi: Bound = 0
        for monomial, coefficient in x.parts:
            span: tuple[Bound, Bound] = (coefficient, coefficient)
            for atom, power in monomial:
                span = multiplied(span, raised((atom.lo, atom.hi), power))
            lo, hi = lo + span[0], hi + span[1]
        known = x._bounds = (lo, hi)  # pyright: ignore[reportPrivateUsage]
    return known


# --- reading terms -----------------------------------------------------------------------------------------------------


def sole_atom(x: Dim) -> Atom | None:
    """The atom that this term is, where it is not more than one."""
    if type(x) is Term and len(x.parts) == 1:
        monomial, coefficient = x.parts[0]
        if coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1:
            return monomial[0][0]
    return None
