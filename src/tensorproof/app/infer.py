"""The use case of `tensorproof infer`: each module's most general input contract, and what comes out."""

from __future__ import annotations

from itertools import islice, product
from pathlib import Path as FilePath
from typing import Any

from tensorproof.diagnostics.diagnostic import Diagnostic, Severity, Verdict
from tensorproof.diagnostics.errors import BadInput
from tensorproof.engines.shapes.contract import Contract, contract_of
from tensorproof.engines.shapes.decide import decide
from tensorproof.frontends.python.annotations import inputs
from tensorproof.frontends.python.entry import Entered, Input, choices, enter, entries, line_of, tensors_of
from tensorproof.frontends.python.errors import Fork
from tensorproof.frontends.python.machine import Interpreter
from tensorproof.frontends.python.modules import Modules
from tensorproof.frontends.python.places import places
from tensorproof.frontends.python.source import Source
from tensorproof.terms.predicates import Predicate
from tensorproof.terms.records import dataclass, field
from tensorproof.values.path import Path

MOST_PATHS = 16


@dataclass(slots=True)
class Inferred:
    """One module: its contract, or why no input works."""

    module: str
    contract: Contract | None
    verdict: Verdict
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])
    paths: list[Path] = field(default_factory=list[Path])
    line: int = 0


def infer(
    source: Source,
    only: str | None = None,
    given: dict[str, Input] | None = None,
    roots: tuple[FilePath, ...] = (),
    site: tuple[FilePath, ...] = (),
) -> list[Inferred]:
    """The contracts of the modules that a file defines."""
    modules = Modules(source, places(source, roots, imported=True), site)
    first = _started(modules, {})
    names = [e.name for e in entries(first)]
    if only is not None and only not in names:
        raise BadInput(f"{source.path} defines no module named {only}" + (f"; it defines {', '.join(names)}" if names else ""))
    entered = [e for e in entries(first) if only in (None, e.name)]
    taken = {a.arg for e in entered for a in tensors_of(first, e)}
    unused = next((name for name in given or {} if name not in taken), None)
    if unused is not None:
        raise BadInput(f"no module of {source.path} takes an input {unused}" + (f"; they take {', '.join(sorted(taken))}" if taken else ""))
    return [_infer_one(modules, e.name, given or {}) for e in entered]


def _started(modules: Modules, decisions: dict[Predicate, bool]) -> Interpreter:
    """An interpreter that has run the file's definitions."""
    chosen = decisions
    while True:
        run = Interpreter(modules, chosen)
        try:
            run.run()
        except Fork as fork:  # the definitions themselves fork: one of the ways is taken, and the others are a gap
            chosen = run.branching.sides(fork)[0]
            if len(chosen) > MOST_PATHS:
                return run
            continue
        return run


def _attempt(modules: Modules, name: str, choice: dict[str, Input]) -> list[Entered]:
    """All paths of one way to call a module."""
    pending: list[dict[Predicate, bool]] = [{}]
    finished: list[Entered] = []
    while pending and len(finished) < MOST_PATHS:
        run = _started(modules, pending.pop())
        entry = next(e for e in entries(run) if e.name == name)
        run.path = Path(gaps=run.path.gaps)
        try:
            finished.append(enter(run, entry, choice))
        except Fork as fork:
            if len(pending) + len(finished) < MOST_PATHS:
                pending += run.branching.sides(fork)
    return finished


def _infer_one(modules: Modules, name: str, given: dict[str, Input]) -> Inferred:
    run = _started(modules, {})
    entry = next(e for e in entries(run) if e.name == name)
    line = line_of(entry)
    arguments = tensors_of(run, entry)
    wanted = [a.arg for a in arguments]
    annotated = {a.arg: found for a in arguments if a.arg not in given and (found := inputs(a.annotation))}
    failures: list[list[Diagnostic]] = []
    working: list[tuple[dict[str, Input], list[Entered]]] = []
    told = [dict(zip(annotated, picks)) for picks in islice(product(*annotated.values()), MOST_PATHS)]
    for choice in (c for one in told for c in choices(wanted, {**one, **{k: v for k, v in given.items() if k in wanted}})):
        ways = _attempt(modules, name, choice)
        findings = [d for way in ways for d in decide(way.path)[1]]
        if any(d.severity is Severity.ERROR for d in findings):
            failures.append([d for d in findings if d.severity is Severity.ERROR])
            continue
        working.append((choice, ways))
        if len(wanted) != 1 or len(working) >= 5:
            break
        if any(i.dtype is not choice[wanted[0]].dtype for c, _ in working for i in c.values()):
            working.pop()
            break
    if not working:
        certain = _in_every(failures)
        return Inferred(name, None, Verdict.INVALID if certain else Verdict.UNKNOWN, certain, line=line)
    choice, ways = working[0]
    contract = contract_of(name, ways[0].inputs, ways[0].output, [w.path for w in ways])
    if len(working) == 5 and contract.only_last_axis():
        contract = contract.any_rank()
    verdicts = {decide(w.path)[0] for w in ways}
    verdict = Verdict.UNKNOWN if Verdict.UNKNOWN in verdicts else Verdict.VALID
    warnings = [d for w in ways for d in decide(w.path)[1]]
    return Inferred(name, contract, verdict, warnings, [w.path for w in ways], line)


def _in_every(failures: list[list[Diagnostic]]) -> list[Diagnostic]:
    """The findings that every way to call the module meets: then no input can work. A rank or an element type may be our own bad guess."""

    def told(d: Diagnostic) -> tuple[str, object]:
        return d.code, d.span

    def guessed(d: Diagnostic) -> bool:
        return d.code.startswith(("python/", "call/")) or d.code.endswith(("/rank", "/dtype", "/axis", "/axes", "/range"))

    if any(all(d.code.startswith(("python/", "call/")) for d in found) for found in failures):
        return []  # what a call could not even try proves nothing about the module
    fair = [found for found in failures if not all(map(guessed, found))]
    common = set.intersection(*({told(d) for d in found} for found in fair)) if fair else set[tuple[str, object]]()
    return [d for d in (fair[0] if fair else []) if told(d) in common and not guessed(d)]


def as_records(found: list[Inferred]) -> list[dict[str, Any]]:
    """As the JSON report has them."""
    return [
        {"module": i.module, "inputs": i.contract.inputs if i.contract else {}, "where": i.contract.where if i.contract else [],
         "outputs": i.contract.outputs if i.contract else [], "verdict": i.verdict.value}
        for i in found
    ]  # fmt: skip
