"""What the paths of one analysis say of each vector: which requirement it breaks first, and where nothing is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from tensorproof.diagnostics.diagnostic import Severity
from tensorproof.diagnostics.span import Span
from tensorproof.engines.space.categories import ORDER, UNSUPPORTED_FORMAT, category_of
from tensorproof.ops.record import Requirement
from tensorproof.solve.layered import LayeredSolver
from tensorproof.solve.port import Answer
from tensorproof.terms.ints import Atom, Origin
from tensorproof.terms.predicates import Truth, conj, disj, negate
from tensorproof.terms.records import dataclass, field, replace
from tensorproof.terms.substitution import symbols
from tensorproof.values.path import Path, Stated


@dataclass(frozen=True, slots=True)
class Cause:
    """Why vectors are invalid, or unknown: a requirement at its place, or what was not understood."""

    code: str
    message: str
    span: Span
    category: str = ""
    unknown: bool = False
    absent: bool = False
    """Not a cause, but a mark of vectors that are another's twin: a parameter that does not count has another value than its first."""
    warning: bool = False
    """Whether it runs and is wrong all the same: it makes a vector invalid only when the user asks for it."""


@dataclass(frozen=True, slots=True)
class Check:
    """The vectors that a cause concerns: those for which `broken` holds. `required` is what must hold, for the words of the region."""

    broken: Truth
    cause: Cause
    required: Truth = True


@dataclass(slots=True)
class Checks:
    """The checks of one analysis in the order of the program; the first that a vector breaks is its cause."""

    order: list[Check] = field(default_factory=list[Check])
    strange: list[Check] = field(default_factory=list[Check])
    """Those that stand on something other than the parameters."""
    warnings: list[Check] = field(default_factory=list[Check])
    """What is wrong with vectors that run."""

    @property
    def causes(self) -> list[Cause]:
        return list(dict.fromkeys(check.cause for check in self.order))


def checks_of(paths: Iterable[Path], parameters: frozenset[Atom], strict: bool = False) -> Checks:
    """The checks of all paths. What a path did not understand makes its vectors unknown, unless they break a requirement.

    What is advised is a warning about vectors that run, and where the user is strict a cause of its own."""
    found, gaps, seen = Checks(), list[Check](), set[Any]()
    paths = list(paths)
    for path in paths:
        for stated in _ordered(path.stated):
            requirement = stated.requirement
            if requirement.advised is not True:
                found.warnings.append(_advised(stated))
            if requirement.predicate is True or (requirement.predicate, stated.facts, requirement.code, stated.span) in seen:
                continue
            seen.add((requirement.predicate, stated.facts, requirement.code, stated.span))
            for check in _checks(stated):
                _add(found, check, parameters)
        for finding in path.findings:
            if finding.severity is Severity.ERROR:
                cause = Cause(finding.code, finding.message, finding.span, category_of(Requirement(finding.code, False, finding.message)))
                _add(found, Check(_possible(conj(*path.facts)), cause, False), parameters)
        gaps += _gaps(path)
    found.warnings = [w for w in dict.fromkeys(found.warnings) if not flags(w.broken) and symbols(w.broken) <= parameters]
    found.order += found.warnings if strict else ()
    for gap in [*gaps, Check(negate(_covered(paths, parameters)), NOT_FOLLOWED)]:
        _add(found, gap, parameters)
    found.order.sort(key=lambda check: check.cause.unknown)  # what is not known never hides what is
    return found


NOT_FOLLOWED = Cause("the program", "no path that was followed leads here: there are too many", Span("", 1, 1, 1, 1), unknown=True)


def _covered(paths: Sequence[Path], parameters: frozenset[Atom]) -> Truth:
    """The vectors of the paths that were followed."""
    own = [[_possible(fact) for fact in path.facts] for path in paths]
    return disj(*(conj(*(fact for fact in facts if symbols(fact) <= parameters)) for facts in own))


def _ordered(stated: Sequence[Stated]) -> Iterator[Stated]:
    """The requirements as they were stated, those of one operator in one call by their categories: what is wrong with a value in itself comes first."""
    for _, group in groupby(stated, lambda s: (s.call, s.requirement.code.partition("/")[0]) if s.call else id(s)):
        one = list(group)
        yield from sorted(one, key=lambda s: ORDER.index(category_of(s.requirement))) if len(one) > 1 else one


def _checks(stated: Stated) -> list[Check]:
    """Where the data may have another format, that is a check of its own."""
    requirement = stated.requirement
    where = _possible(conj(*stated.facts))
    broken, required = conj(where, negate(requirement.predicate)), disj(negate(where), requirement.predicate)
    cause = Cause(requirement.code, requirement.message, stated.span, category_of(requirement))
    if requirement.misplaced is False:
        return [Check(broken, cause, required)]
    message = f"{requirement.message}: the channels stand at the other end"
    return [Check(conj(broken, requirement.misplaced), replace(cause, message=message, category=UNSUPPORTED_FORMAT), required), Check(broken, cause, required)]


def _advised(stated: Stated) -> Check:
    requirement = stated.requirement
    where = _possible(conj(*stated.facts))
    cause = Cause(requirement.code, requirement.message, stated.span, category_of(requirement), warning=True)
    return Check(conj(where, negate(requirement.advised)), cause, disj(negate(where), requirement.advised))


def _gaps(path: Path) -> list[Check]:
    where = _possible(conj(*path.facts)) if not path.ended else True
    gaps = [*path.gaps, *path.later]
    found = [Check(where, Cause(gap.callee, gap.reason or "this call was not understood", gap.span, unknown=True)) for gap in gaps]
    if path.lost and not gaps:
        span = path.stated[-1].span if path.stated else Span("", 1, 1, 1, 1)
        found.append(Check(where, Cause("the program", "what follows an error was not followed", span, unknown=True)))
    return found


def _possible(fact: Truth) -> Truth:
    """A condition with every unknown truth value (a random branch) taken as it leads here."""
    if isinstance(fact, bool):
        return fact
    if fact.kind == "flag":
        return True
    if fact.kind in ("and", "or"):
        parts = [_possible(part) for part in fact.args]
        return conj(*parts) if fact.kind == "and" else disj(*parts)
    return fact


def _add(found: Checks, check: Check, parameters: frozenset[Atom]) -> None:
    if check.broken is False:
        return
    if not flags(check.broken) and symbols(check.broken) <= parameters:
        found.order.append(check)
        return
    found.strange.append(check)
    found.order.append(_approximated(check, parameters))


def _approximated(check: Check, parameters: frozenset[Atom]) -> Check:
    """A requirement that also stands on what is no parameter. It is broken where that is so whatever the parameters are and who decides is the data;
    else the vectors for which that cannot be ruled out are unknown."""
    kept = [p for p in _parts(check.broken) if not flags(p) and symbols(p) <= parameters]
    rest = [p for p in _parts(check.broken) if p not in kept]
    origins = {atom.origin for p in rest for atom in symbols(p)}
    solver = LayeredSolver()
    for part in rest:
        solver.assume(part)
    answer = solver.check().answer
    if answer is Answer.UNSAT:
        return Check(False, check.cause)
    data = origins <= {Origin.WORLD} and not any(symbols(p) & parameters for p in rest) and answer is Answer.SAT
    if data and not check.cause.unknown:
        return Check(conj(*kept), check.cause, check.required)
    message = f"{check.cause.message} (this depends on more than the parameters)"
    return Check(conj(*kept), Cause(check.cause.code, message, check.cause.span, check.cause.category, unknown=True))


def _parts(p: Truth) -> Sequence[Truth]:
    return p.args if not isinstance(p, bool) and p.kind == "and" else (p,)


def flags(p: Truth) -> frozenset[str]:
    """The named truth values that a predicate stands on, those in conditions of terms included."""
    found: set[str] = set()
    pending: list[Any] = [p]
    seen: set[int] = set()
    while pending:
        item = pending.pop()
        if isinstance(item, (bool, int)) or id(item) in seen:
            continue
        seen.add(id(item))
        if getattr(item, "kind", "") == "flag":
            found.add(str(item.args[0]))
        elif isinstance(item, Atom):
            pending += [] if item.kind == "symbol" else item.args
        elif hasattr(item, "parts"):
            pending += [atom for monomial, _ in item.parts for atom, _ in monomial]
        elif hasattr(item, "terms"):
            pending += item.terms()
    return frozenset(found)
