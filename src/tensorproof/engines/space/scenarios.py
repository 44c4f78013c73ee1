"""Which parameters stay symbolic through one analysis, and which are enumerated.

All are symbolic at first. Where that leaves something that is not understood, or requirements over more than the parameters, and the program alone does
not, the parameters that cost this are given their values one by one (a layer count, a choice of block)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from tensorproof.diagnostics.errors import BadInput
from tensorproof.diagnostics.span import Span
from tensorproof.engines.space.checks import NOT_FOLLOWED, Cause, Check, Checks, checks_of
from tensorproof.engines.space.listing import verdicts
from tensorproof.engines.space.parameters import Parameter, Value, dimension, vectors
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.predicates import Truth, conj, disj, eq, negate
from tensorproof.terms.records import dataclass
from tensorproof.terms.substitution import symbols
from tensorproof.values.path import Path

Given = Mapping[str, Value | None]
"""A value for each parameter that is enumerated, None for each that stays symbolic; others keep what the program has."""
Analyse = Callable[[Given], list[Path]]
MOST_ANALYSES = BUDGETS.spaces.analyses
MOST_LISTED = BUDGETS.spaces.combinations


@dataclass(frozen=True, slots=True)
class Scenario:
    """The vectors that share the values in `fixed`; the others are decided by `checks`."""

    fixed: dict[str, Value]
    parameters: tuple[Parameter, ...]
    checks: Checks

    @property
    def vectors(self) -> int:
        return vectors(self.parameters)


@dataclass(frozen=True, slots=True)
class _Lost:
    """What an analysis did not understand: gaps by their place, and requirements that stand on more than the parameters."""

    gaps: frozenset[tuple[str, object]]
    strange: frozenset[tuple[str, object]]

    def more_than(self, other: _Lost) -> bool:
        return bool(self.gaps - other.gaps or self.strange - other.strange)


class Planning:
    """Makes the scenarios of a space with as few analyses as it can."""

    def __init__(self, parameters: Sequence[Parameter], analyse: Analyse, most: int = MOST_ANALYSES, strict: bool = False) -> None:
        self.parameters = tuple(parameters)
        self.analyse = analyse
        self.left = most
        self.strict = strict
        self.base: _Lost | None = None
        self.costly: dict[str, bool] = {}

    def scenarios(self) -> list[Scenario]:
        return self._split({}, self._one({}))

    def _one(self, fixed: dict[str, Value]) -> Checks:
        if self.left <= 0:
            raise BadInput(
                "too many parameters decide which statements run: their values give more than "
                f"{MOST_ANALYSES:,} combinations, each of which is analysed by itself; give them fewer values"
            )
        self.left -= 1
        return self._checks(self.analyse({p.name: fixed.get(p.name) for p in self.parameters}), fixed)

    def _checks(self, paths: list[Path], fixed: Mapping[str, Value]) -> Checks:
        open_ = self._open(fixed)
        found = checks_of(paths, frozenset(p.atom for p in open_), self.strict)
        if found.order and found.order[-1].cause is NOT_FOLLOWED and not _reached(open_, found.order):
            found.order.pop()
        found.order[:0] = [Check(absent, TWIN) for absent in absences(self.parameters, fixed) if absent is not False]
        return found

    def _open(self, fixed: Mapping[str, Value]) -> tuple[Parameter, ...]:
        return tuple(p for p in self.parameters if p.name not in fixed)

    def _split(self, fixed: dict[str, Value], checks: Checks) -> list[Scenario]:
        open_ = self._open(fixed)
        enumerated = self._to_enumerate(checks, open_, fixed)
        if enumerated is None:
            return [Scenario(fixed, open_, checks)]
        found: list[Scenario] = []
        for value in enumerated.values:
            inner = {**fixed, enumerated.name: value}
            found += self._split(inner, self._one(inner))
        return found

    def _to_enumerate(self, checks: Checks, open_: tuple[Parameter, ...], fixed: dict[str, Value]) -> Parameter | None:
        """The parameter that is to be enumerated next, if one is."""
        lost = _lost(checks)
        if not (lost.gaps or lost.strange) or not open_ or not lost.more_than(self._base()):
            return None
        costly = [p for p in open_ if self._costs(p)]
        if not costly:
            costly = list(islice((p for p in sorted(open_, key=lambda p: len(p.values)) if self._helps(p, fixed)), 1))
        if not costly:
            named = {atom.name for check in checks.strange for atom in symbols(check.broken)}
            costly = [p for p in open_ if p.name in named] or list(open_)
        costly = [p for p in costly if not p.endless and len(p.values) <= self.left]
        return min(costly, key=lambda p: len(p.values), default=None)

    def _helps(self, p: Parameter, fixed: dict[str, Value]) -> bool:
        """Whether one parameter alone, the others symbolic, costs nothing when it has a value: with the others in the middle it may not be reached."""
        if self.left > 0 and not _lost(self._one({**fixed, p.name: p.values[len(p.values) // 2]})).more_than(self._base()):
            self.costly[p.name] = True
        return self.costly[p.name]

    def _base(self) -> _Lost:
        """What is lost of the program as it stands, or with the values in the middle of their domains."""
        if self.base is None:
            middle = {p.name: p.values[len(p.values) // 2] for p in self.parameters}
            alone, chosen = _lost(self._checks(self.analyse({}), middle)), _lost(self._one(middle))
            self.base = _Lost(alone.gaps & chosen.gaps, alone.strange & chosen.strange)
        return self.base

    def _costs(self, p: Parameter) -> bool:
        """Whether one parameter alone, the others in the middle of their domains, costs something when it is symbolic."""
        if p.name not in self.costly:
            others = {q.name: q.values[len(q.values) // 2] for q in self.parameters if q is not p}
            self.left -= 1
            self.costly[p.name] = _lost(self._checks(self.analyse({**others, p.name: None}), others)).more_than(self._base())
        return self.costly[p.name]


TWIN = Cause("", "another vector stands for this one", Span("", 1, 1, 1, 1), absent=True)


def absences(parameters: Sequence[Parameter], fixed: Mapping[str, Value]) -> list[Truth]:
    """What makes a vector another's twin: a parameter that does not count has another value than its first."""
    known = {p.name: p for p in parameters}

    def is_one(p: Parameter, values: Sequence[Value]) -> Truth:
        if p.name in fixed:
            return fixed[p.name] in values
        return disj(*(eq(dimension(p), p.number(v)) for v in values))

    return [conj(negate(is_one(known[p.needs[0]], p.needs[1])), negate(is_one(p, p.values[:1]))) for p in parameters if p.needs is not None]


def _reached(parameters: Sequence[Parameter], checks: Sequence[Check]) -> bool:
    """Whether some vector breaks the last check and none before it, or there are too many to see."""
    if any(p.endless for p in parameters) or vectors(parameters) > MOST_LISTED:
        return True
    last = len(checks) - 1
    return any((part == last).any() for _, part in verdicts(parameters, checks))


def _lost(checks: Checks) -> _Lost:
    gaps = {(c.cause.code, c.cause.span) for c in checks.order if c.cause.unknown}
    return _Lost(frozenset(gaps), frozenset((c.cause.code, c.cause.span) for c in checks.strange))
