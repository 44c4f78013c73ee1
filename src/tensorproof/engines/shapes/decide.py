"""Decides a path: which of its requirements hold for every value, which for none, and what breaks the others."""

from __future__ import annotations

from tensorproof.diagnostics.diagnostic import Certainty, Diagnostic, Severity, Verdict
from tensorproof.solve.layered import LayeredSolver
from tensorproof.solve.port import Answer
from tensorproof.terms.ints import Origin, symbols
from tensorproof.terms.predicates import negate
from tensorproof.values.path import Path, Stated


def decide(path: Path) -> tuple[Verdict, list[Diagnostic]]:
    """The verdict of a path and its findings.

    A requirement over world symbols is an error as soon as one value breaks it; over user or unmodelled symbols only when no value works.
    What an earlier requirement demands is taken for granted later: the program would have stopped there.
    """
    findings = list(path.findings)
    undecided = bool(path.gaps)
    solver = LayeredSolver()
    for stated in path.stated:
        predicate = stated.requirement.predicate
        if isinstance(predicate, bool):
            continue
        proved = solver.proves(predicate)
        if proved:
            continue
        possible = solver.check([(stated.requirement.code, predicate)]).answer
        if possible is Answer.UNSAT:
            findings.append(_finding(stated, Certainty.ALWAYS, {}))
            break
        origins = {atom.origin for atom in symbols(predicate)}
        if proved is False and origins == {Origin.WORLD}:
            witness = solver.check([("not", negate(predicate))]).witness
            findings.append(_finding(stated, Certainty.POSSIBLE, dict(witness)))
            break
        if origins != {Origin.USER} or proved is None or possible is Answer.UNKNOWN:
            undecided = True
        solver.assume(predicate)
    if any(f.severity is Severity.ERROR for f in findings):
        return Verdict.INVALID, findings
    return (Verdict.UNKNOWN if undecided else Verdict.VALID), findings


def _finding(stated: Stated, certainty: Certainty, witness: dict[str, int]) -> Diagnostic:
    requirement = stated.requirement
    return Diagnostic(
        requirement.code, Severity.ERROR, requirement.message, stated.span, certainty, witness, stated.trail, requirement.detail
    )
