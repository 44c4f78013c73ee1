"""Decides a path: which of its requirements hold for every value, which for none, and what breaks the others."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations

from tensorproof.diagnostics.diagnostic import Certainty, Diagnostic, Gap, Severity, Verdict
from tensorproof.diagnostics.span import Span
from tensorproof.solve.layered import LayeredSolver
from tensorproof.solve.limits import OutOfBudget
from tensorproof.solve.port import Answer
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.ints import Atom, Origin, of_atom
from tensorproof.terms.predicates import Predicate, Truth, conj, disj, eq, gt, implies, ne, negate
from tensorproof.terms.records import dataclass, field, replace
from tensorproof.terms.samples import of_each_text, place_of
from tensorproof.terms.substitution import symbols
from tensorproof.values.path import Path, Stated
from tensorproof.values.python_values import AFTER_ERROR


def decide(path: Path) -> tuple[Verdict, list[Diagnostic]]:
    """The verdict of a path and its findings."""
    verdict, findings, _ = weigh(path)
    return (Verdict.VALID, []) if verdict is Verdict.UNREACHABLE else (verdict, findings)


def weigh(path: Path) -> tuple[Verdict, list[Diagnostic], Verdict]:
    """The verdict of a path, its findings, and the verdict that is left when all its errors are ignored.

    A path that ends at the program's own guard, whatever is chosen on it, proves nothing: it is `unreachable`, and its findings are those guards.
    A requirement over world symbols is an error as soon as one value breaks it; over user or unmodelled symbols only when no value works.
    Requirements that stay open are kept on the path, as the reason of an unknown verdict.
    What an earlier requirement demands is taken for granted later, also where it failed: what is reported then is another error.
    """
    path.open = []
    weighing = _Weighing(path, list(path.findings), bool(path.gaps))
    for stated in path.stated:
        if weighing.is_repeated(stated):
            continue
        if stated.requirement.predicate is False and not stated.facts:
            weighing.findings.append(_finding(stated, Certainty.ALWAYS, {}))
            weighing.failed.add((stated.requirement.code, stated.span))
            continue
        before = len(weighing.findings)
        try:
            error, open_, proved = _decide_one(weighing.solver, stated, weighing.findings, path, weighing.guards)
        except OutOfBudget:  # what is left stays open, unless it fails for certain
            weighing.leave_rest_open(stated)
            break
        if stated.caught and len(weighing.findings) > before:
            del weighing.findings[before:]
            weighing.leave_open(stated)
            break  # the program goes on in the handler, which is not followed
        if open_ and len(weighing.findings) > before and weighing.every_path_fails(stated):
            error, open_ = True, False
        if open_:
            weighing.leave_open(stated)
        if error:
            weighing.blame(stated, before)
        if proved and not weighing.go_on_after(stated, error):  # what was proved from what is known adds nothing to it
            break  # nothing that comes later can be distinguished from this error
    return weighing.verdict()


@dataclass(slots=True)
class _Weighing:
    """What is known of a path while its requirements are decided in order."""

    path: Path
    findings: list[Diagnostic]
    undecided: bool
    guards: list[Diagnostic] = field(default_factory=list[Diagnostic])
    solver: LayeredSolver = field(default_factory=LayeredSolver)
    seen: set[object] = field(default_factory=set[object])
    blamed: set[object] = field(default_factory=set[object])
    failed: set[tuple[str, Span]] = field(default_factory=set[tuple[str, Span]])
    """Where an error is reported already: the other iterations of a loop that fail there are the same bug."""

    def is_repeated(self, stated: Stated) -> bool:
        """Whether a requirement holds anyway, or the same was decided before."""
        requirement = stated.requirement
        predicate = requirement.predicate
        key = (predicate, stated.facts) if predicate is not False else (requirement.code, requirement.message, stated.span, stated.facts)
        if predicate is True or key in self.seen or (requirement.code, stated.span) in self.failed:
            return True
        self.seen.add(key)
        return False

    def every_path_fails(self, stated: Stated) -> bool:
        """Whether the program fails whatever the unknown truth values on the way to this place are: where they are others, it failed or raised before."""
        last = self.findings[-1]
        if last.severity is not Severity.WARNING or not self.solver.proves(conj(*stated.facts)):
            return False
        earlier = [f for f in self.findings[:-1] if f.span == last.span and f.severity is last.severity and f.code == last.code]
        self.findings = [*(f for f in self.findings[:-1] if f not in earlier), replace(last, severity=Severity.ERROR, certainty=Certainty.ALWAYS)]
        return True

    def leave_open(self, stated: Stated) -> None:
        self.undecided = True
        if not any(g.span == stated.span and g.callee == stated.requirement.code for g in self.path.open):
            self.path.open.append(Gap(stated.requirement.code, stated.span, stated.requirement.message))

    def leave_rest_open(self, stated: Stated) -> None:
        self.undecided = True
        self.path.open.append(Gap(stated.requirement.code, stated.span, f"the time is used up: {stated.requirement.message}"))
        certain = [_finding(s, Certainty.ALWAYS, {}) for s in self.path.stated if s.requirement.predicate is False and not s.facts]
        self.findings += [f for f in certain if not any(_same_place(f, known) for known in self.findings)]

    def blame(self, stated: Stated, before: int) -> None:
        """Note the error found last; drop what was found since `before` where the same sizes, or the same place, were blamed already."""
        predicate = stated.requirement.predicate
        self.failed.add((stated.requirement.code, stated.span))
        if predicate is False:
            return
        if self.blamed & symbols(predicate) or any(_same_place(f, self.findings[-1]) for f in self.findings[:before]):
            del self.findings[before:]
        self.blamed |= symbols(predicate)

    def go_on_after(self, stated: Stated, error: bool) -> bool:
        """Take a requirement for granted; False when nothing is left then."""
        predicate = stated.requirement.predicate
        held = implies(conj(*stated.facts), predicate)
        if not error:
            self.solver.assume(held)
            return True
        return predicate is False or _taken_to_hold(self.solver, held)

    def verdict(self) -> tuple[Verdict, list[Diagnostic], Verdict]:
        path = self.path
        unknown = self.undecided or path.lost or path.later
        if any(f.severity is Severity.ERROR for f in self.findings):
            return Verdict.INVALID, self.findings, Verdict.UNKNOWN if unknown or path.cut or path.ended else Verdict.VALID
        if not unknown and self.guards and path.ended and not path.left:
            return Verdict.UNREACHABLE, self.guards, Verdict.UNREACHABLE
        verdict = Verdict.UNKNOWN if unknown else Verdict.VALID
        return verdict, self.findings, verdict


def fails_on_every_path(paths: list[Path], finding: Diagnostic) -> bool:
    """Whether the paths on which a place fails for certain are all that there are, whatever the unknown truth values are that tell them apart."""
    ways = [
        conj(*s.facts) for p in paths for s in p.stated if s.requirement.predicate is False and (s.requirement.code, s.span) == (finding.code, finding.span)
    ]
    if not ways:
        return False
    try:
        return LayeredSolver().proves(disj(*ways)) is True
    except OutOfBudget:
        return False


def _same_place(a: Diagnostic, b: Diagnostic) -> bool:
    return a.severity is b.severity and a.code == b.code and a.span == b.span


def _taken_to_hold(solver: LayeredSolver, held: Truth) -> bool:
    """Assume what an error demands, so that what comes later is not blamed for the same; False when nothing is left then."""
    with solver.scope():
        solver.assume(held)
        if solver.check().answer is Answer.UNSAT:
            return False
    solver.assume(held)
    return True


def _decide_one(solver: LayeredSolver, stated: Stated, findings: list[Diagnostic], path: Path, guards: list[Diagnostic]) -> tuple[bool, bool, bool]:
    """(an error was found, the requirement stays open, it adds to what is known). Where all was understood, an unknown truth value is the world's."""
    predicate = stated.requirement.predicate
    with solver.scope():
        for fact in stated.facts:
            solver.assume(fact)
        if any(map(_after_error, stated.facts)):
            return False, True, True  # only an error that was found before leads here
        proved = solver.proves(predicate) if predicate is not False else False
        if proved:
            return False, False, False
        reached = solver.check().answer if stated.facts else Answer.SAT
        if reached is Answer.UNSAT:
            return False, False, False
        possible = Answer.UNSAT if predicate is False else solver.check([(stated.requirement.code, predicate)]).answer
        if stated.requirement.code == "python/raise" and not stated.certain and any(map(_chosen_outside, stated.facts)):
            guards.append(_finding(stated, Certainty.POSSIBLE, {}))
            return False, False, True  # the program's own guard against what it may get: raising there is what it is for
        if possible is Answer.UNSAT:
            return _never_holds(solver, stated, findings, path, reached)
        if stated.requirement.code == "python/assert" and has_flag(predicate):
            return False, False, True
        return _may_fail(solver, stated, findings, not path.gaps, path.fed, proved, possible)


def _never_holds(solver: LayeredSolver, stated: Stated, findings: list[Diagnostic], path: Path, reached: Answer) -> tuple[bool, bool, bool]:
    """No value that reaches this place works; what selects the path here never excuses it."""
    if path.gaps and any(map(has_flag, stated.facts)) and not _reached_in_some_world(solver, stated.facts, path.of_worlds):
        # the path here may depend on something that was not understood: reported, and neither an error nor proved
        findings.append(replace(_finding(stated, Certainty.POSSIBLE, {}), severity=Severity.WARNING))
        return False, True, True
    if reached is Answer.UNKNOWN:
        return False, True, True
    witness = _asked_of(stated, solver.check().witness) if stated.facts else {}
    findings.append(_finding(stated, Certainty.POSSIBLE if stated.facts else Certainty.ALWAYS, witness))
    return True, False, True


def _may_fail(
    solver: LayeredSolver, stated: Stated, findings: list[Diagnostic], understood: bool, fed: bool, proved: bool | None, possible: Answer
) -> tuple[bool, bool, bool]:
    """Some value may work and it is not proved that all do: whose values they are decides."""
    predicate = stated.requirement.predicate
    origins = {Origin.USER if fed and atom.origin is Origin.WORLD else atom.origin for atom in symbols(predicate)}
    if proved is None:
        return False, True, True
    if origins == {Origin.WORLD} or (understood and not origins):
        witness = solver.check([("not", negate(predicate))]).witness
        found = _finding(stated, Certainty.POSSIBLE, _asked_of(stated, witness))
        rare = stated.requirement.code in _RARE
        findings.append(replace(found, severity=Severity.WARNING) if rare else found)
        return not rare, False, True
    if origins == {Origin.USER}:
        _pinned(solver, stated, findings)
        return False, possible is Answer.UNKNOWN or _fixes_samples(solver, predicate) or _ties_texts(solver, predicate), True
    held = origins == {Origin.USER, Origin.WORLD} and _some_choice_holds(solver, predicate)
    return False, not held, True


def _asked_of(stated: Stated, witness: Mapping[str, int]) -> dict[str, int]:
    """The values of a witness on which the requirement, or the path to it, depends: other symbols may have any."""
    asked = {atom.name for truth in (stated.requirement.predicate, *stated.facts) for atom in symbols(truth)}
    return {name: value for name, value in witness.items() if name in asked}


def _fixes_samples(solver: LayeredSolver, predicate: Truth) -> bool:
    """Whether a requirement leaves one value alone to a number that each sample has anew (the words of a text), although it speaks of several samples."""
    places: dict[str, list[Atom]] = {}
    for atom in symbols(predicate):
        places.setdefault(place_of(atom), []).append(atom)
    for samples in places.values():
        if len(samples) > 1:
            with solver.scope():
                solver.assume(conj(predicate, *(eq(of_atom(one), of_atom(samples[0])) for one in samples[1:])))
                found = solver.check()
                if found.answer is Answer.SAT and samples[0].name in found.witness:
                    solver.assume(ne(of_atom(samples[0]), found.witness[samples[0].name]))
                    if solver.check().answer is Answer.UNSAT:
                        return True
    return False


def _ties_texts(solver: LayeredSolver, predicate: Truth) -> bool:
    """Whether a requirement fails for two texts wherever one of them is the longer, or for two that are short."""
    lengths = [of_atom(atom) for atom in sorted(filter(of_each_text, symbols(predicate)), key=lambda atom: atom.order)]
    for one, other in permutations(lengths[:_FEW_TEXTS], 2):
        with solver.scope():
            solver.assume(conj(predicate, gt(one, 1), gt(other, one)))
            if solver.check().answer is Answer.UNSAT:
                return True
            solver.assume(conj(eq(one, _SHORT_TEXT), eq(other, _SHORT_TEXT + 1)))
            if solver.check().answer is Answer.UNSAT:
                return True
    return False


def _some_choice_holds(solver: LayeredSolver, predicate: Truth) -> bool:
    """Whether the user can choose values with which a requirement holds whatever the data are; the one choice that a witness names is tried."""
    witness = solver.check([("holds", predicate)]).witness
    chosen = [atom for atom in symbols(predicate) if atom.origin is Origin.USER]
    if not all(atom.name in witness for atom in chosen):
        return False
    with solver.scope():
        for atom in chosen:
            solver.assume(eq(of_atom(atom), witness[atom.name]))
        return solver.proves(predicate) is True


_RARE = {"batch_norm/values"}
"""What fails for one remainder of the data's length only, as a last batch of one sample: reported as a warning while that length is not known."""
_FEW_TEXTS = 4
"""How many texts are compared with each other."""
_SHORT_TEXT = 2
"""A length that some text has: those that are cut at a greater one differ still."""
_ANY_NUMBER = -(2**63)
"""The least value of a number that the user types."""
_MOST_VALUES = BUDGETS.deciding.counterexamples


def _pinned(solver: LayeredSolver, stated: Stated, findings: list[Diagnostic]) -> None:
    """A requirement that leaves a number of the command line no more than a few values is reported, with those values."""
    predicate = stated.requirement.predicate
    typed = symbols(predicate)
    if len(typed) != 1 or next(iter(typed)).lo != _ANY_NUMBER or stated.requirement.code.startswith("python/"):
        return
    if stated.requirement.code.endswith(("/target", "/index")):  # labels and indices are those of the data
        return
    atom = next(iter(typed))
    one = of_atom(atom)
    values: list[int] = []
    with solver.scope():
        solver.assume(predicate)
        while len(values) <= _MOST_VALUES:
            found = solver.check()
            if found.answer is not Answer.SAT or atom.name not in found.witness:
                break
            values.append(found.witness[atom.name])
            solver.assume(ne(one, values[-1]))
    if not values or len(values) > _MOST_VALUES or found.answer is not Answer.UNSAT:
        return
    kept = sorted(v for v in values if v > 0) or sorted(values)
    name = str(atom.args[0])
    warning = replace(_finding(stated, Certainty.POSSIBLE, {}), severity=Severity.WARNING)
    message = f"{name} must be {' or '.join(map(str, kept))}: {stated.requirement.message}"
    if not any(f.severity is Severity.WARNING and f.span == warning.span and f.message == message for f in findings):
        findings.append(replace(warning, message=message))


def _reached_in_some_world(solver: LayeredSolver, facts: tuple[Predicate, ...], free: frozenset[str]) -> bool:
    """Whether some answers of the machine alone lead here, whatever is not understood."""
    led = conj(*(_without_doubt(fact, free) for fact in facts)) if free else False
    if led is False:
        return False
    with solver.scope():
        solver.assume(led)
        return solver.check().answer is Answer.SAT


def _without_doubt(fact: Truth, free: frozenset[str]) -> Truth:
    """What makes a fact hold with no truth value but these."""
    if isinstance(fact, bool) or not has_flag(fact):
        return fact
    if fact.kind == "flag":
        return fact if fact.args[0] in free else False
    parts = [_without_doubt(part, free) for part in fact.args]
    return conj(*parts) if fact.kind == "and" else disj(*parts)


def has_flag(fact: Truth) -> bool:
    """Whether an unknown truth value takes part."""
    if isinstance(fact, bool):
        return False
    return fact.kind == "flag" or (fact.kind in ("and", "or") and any(has_flag(part) for part in fact.args))


def _after_error(fact: Truth) -> bool:
    """Whether a truth is that of a value which an error left."""
    if isinstance(fact, bool):
        return False
    if fact.kind == "flag":
        return str(fact.args[0]).startswith(AFTER_ERROR.reason)
    return fact.kind in ("and", "or", "not") and any(_after_error(part) for part in fact.args)


def _chosen_outside(fact: Truth) -> bool:
    """Whether a way is chosen by something that no analysis knows, or by the user: the program's own `raise` there is no bug."""
    if isinstance(fact, bool):
        return False
    if fact.kind == "flag":
        return True
    if fact.kind in ("and", "or", "not"):
        return any(_chosen_outside(part) for part in fact.args)
    return any(atom.origin is not Origin.WORLD for atom in symbols(fact))


def _finding(stated: Stated, certainty: Certainty, witness: dict[str, int]) -> Diagnostic:
    requirement = stated.requirement
    return Diagnostic(requirement.code, Severity.ERROR, requirement.message, stated.span, certainty, witness, stated.trail, requirement.detail, stated.fix)
