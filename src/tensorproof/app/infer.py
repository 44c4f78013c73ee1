"""The use case of `tensorproof infer`: each module's most general input contract, and what comes out."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice, product
from typing import Any

from tensorproof.app.entering import MOST_PATHS, Entering, in_every, started
from tensorproof.diagnostics.diagnostic import Diagnostic, Gap, Severity, Verdict
from tensorproof.diagnostics.errors import BadInput
from tensorproof.diagnostics.span import Span
from tensorproof.engines.shapes.contract import Contract, contract_of
from tensorproof.engines.shapes.decide import decide
from tensorproof.frontends.python.entry.annotations import inputs
from tensorproof.frontends.python.entry.entry import Entered, choices, enter, entries, line_of, tensors_of
from tensorproof.frontends.python.entry.inputs import Input
from tensorproof.frontends.python.entry.uncalled import changed_attributes_of, definitions
from tensorproof.frontends.python.errors import Fork, OutOfBudget
from tensorproof.frontends.python.modules.modules import Modules
from tensorproof.frontends.python.modules.places import places
from tensorproof.frontends.python.modules.source import Source
from tensorproof.program.recorder import Recorder
from tensorproof.solve import limits
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.predicates import Predicate
from tensorproof.terms.records import dataclass, field
from tensorproof.terms.tensor import TensorType
from tensorproof.values.objects import Class, Function
from tensorproof.values.path import Path

MANY_TRIES = 10
"""Modules are entered many times, mostly in vain: so many steps count as one."""
MOST_RANKS = BUDGETS.exploration.ranks


@dataclass(slots=True)
class Inferred:
    """One module: its contract, or why no input works."""

    module: str
    contract: Contract | None
    verdict: Verdict
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])
    paths: list[Path] = field(default_factory=list[Path])
    line: int = 0
    inputs: dict[str, TensorType] = field(default_factory=dict[str, TensorType])
    """What it was entered with, on the first path."""


def infer(
    source: Source,
    only: str | None = None,
    given: dict[str, Input] | None = None,
    roots: tuple[str, ...] = (),
    site: tuple[str, ...] = (),
    shared: Modules | None = None,
    record: bool = False,
) -> list[Inferred]:
    """The contracts of the modules that a file defines; `record` asks for the program form of each path."""
    modules = shared or Modules(source, places(source, roots, imported=True), site)
    first = started(modules, {})
    names = [e.name for e in entries(first)]
    if only is not None and only not in names:
        raise BadInput(f"{source.path} defines no module named {only}" + (f"; it defines {', '.join(names)}" if names else ""))
    entered = [e for e in entries(first) if only in (None, e.name)]
    taken = {a.arg for e in entered for a in tensors_of(first, e)}
    unused = next((name for name in given or {} if name not in taken), None)
    if unused is not None:
        raise BadInput(f"no module of {source.path} takes an input {unused}" + (f"; they take {', '.join(sorted(taken))}" if taken else ""))
    return [_within_limit(modules, e, given or {}, record) for e in entered]


def _within_limit(modules: Modules, entry: Class | Function, given: dict[str, Input], record: bool) -> Inferred:
    """One module's contract; where the file's limit is reached, nothing is known of it."""
    limit = limits.current()
    try:
        limit.spend(0)
        return _infer_one(modules, entry.name, given, record)
    except (OutOfBudget, StopIteration):  # or the file did not come to define it
        line = line_of(entry)
        path = Path(gaps=[Gap(entry.name, Span(modules.main.path, line, 1, line, 1), limit.sentence)])
        return Inferred(entry.name, None, Verdict.UNKNOWN, paths=[path], line=line)


def _attempt(modules: Modules, name: str, choice: dict[str, Input], record: bool) -> list[Entered]:
    """All paths of one way to call a module."""
    pending: list[dict[Predicate, bool]] = [{}]
    finished: list[Entered] = []
    while pending and len(finished) < MOST_PATHS:
        run = started(modules, pending.pop())
        entry = next(e for e in entries(run) if e.name == name)
        run.path = Path(gaps=run.path.gaps, program=Recorder() if record else None)
        try:
            finished.append(enter(run, entry, choice))
            limits.current().work += run.steps // MANY_TRIES
        except OutOfBudget as spent:
            run.lost_rest(str(spent))
            return [*finished, Entered(name, path=run.path, failed=True)]
        except Fork as fork:
            if len(pending) + len(finished) < MOST_PATHS:
                pending += run.branching.sides(fork)
    return finished


def _infer_one(modules: Modules, name: str, given: dict[str, Input], record: bool) -> Inferred:
    run = started(modules, {})
    entry = next(e for e in entries(run) if e.name == name)
    line = line_of(entry)
    arguments = tensors_of(run, entry)
    wanted = [a.arg for a in arguments]
    annotated = {a.arg: found for a in arguments if a.arg not in given and (found := inputs(a.annotation))}
    declared = {*annotated, *given}
    annotations = [dict(zip(annotated, picks)) for picks in islice(product(*annotated.values()), MOST_PATHS)]
    mine = {k: v for k, v in given.items() if k in wanted}
    tries = (choice for one in annotations for choice in choices(wanted, {**one, **mine}))
    working, failures = _tried(modules, name, wanted, tries, record)
    if not working:
        return _refused(modules, name, line, failures, wanted, declared)
    paths = working[0]
    contract = contract_of(name, paths[0].inputs, paths[0].output, [p.path for p in paths])
    if len(working) == MOST_RANKS and contract.only_last_axis():
        contract = contract.any_rank()
    verdicts = {decide(p.path)[0] for p in paths}
    verdict = Verdict.UNKNOWN if Verdict.UNKNOWN in verdicts else Verdict.VALID
    warnings = [d for p in paths for d in decide(p.path)[1]] if set(wanted) <= declared else []  # a rank that we guessed is no reason to warn
    return Inferred(name, contract, verdict, warnings, [p.path for p in paths], line, paths[0].inputs)


def _tried(
    modules: Modules, name: str, wanted: list[str], tries: Iterable[dict[str, Input]], record: bool
) -> tuple[list[list[Entered]], list[list[Diagnostic]]]:
    """The paths of each choice of inputs that works, and the errors of those that do not. A module of one input is tried with several ranks of one type."""
    failures: list[list[Diagnostic]] = []
    working: list[tuple[dict[str, Input], list[Entered]]] = []
    for choice in tries:
        paths = _attempt(modules, name, choice, record)
        errors = [d for p in paths for d in decide(p.path)[1] if d.severity is Severity.ERROR]
        if errors:
            failures.append(errors)
            continue
        working.append((choice, paths))
        if len(wanted) != 1 or len(working) >= MOST_RANKS:
            break
        if any(i.dtype is not choice[wanted[0]].dtype for c, _ in working for i in c.values()):
            working.pop()
            break
    return [paths for _, paths in working], failures


def _refused(modules: Modules, name: str, line: int, failures: list[list[Diagnostic]], wanted: list[str], annotated: set[str]) -> Inferred:
    """No way to call a module works: an error where every argument is surely a tensor and every rank was tried, or where it holds for unknown arguments."""
    forward = next((one for one in definitions(modules.main_source.tree) if one.name in (f"{name}.forward", name)), None)
    entering = Entering(modules)
    sure = forward is not None and not changed_attributes_of(forward) and set(wanted) <= {*annotated, *entering.tensors(forward)}
    certain = in_every(failures) if sure and len(wanted) <= 2 else []
    if certain or forward is None:
        return Inferred(name, None, Verdict.INVALID if certain else Verdict.UNKNOWN, certain, line=line)
    entry = entering.one(forward)
    return Inferred(name, None, entry.verdict, entry.diagnostics, [Path(gaps=entry.gaps, calls=entry.calls)], line)


def as_records(found: list[Inferred]) -> list[dict[str, Any]]:
    """As the JSON report has them."""
    return [
        {"module": i.module, "inputs": i.contract.inputs if i.contract else {}, "where": i.contract.where if i.contract else [],
         "outputs": i.contract.outputs if i.contract else [], "verdict": i.verdict.value}
        for i in found
    ]  # fmt: skip
