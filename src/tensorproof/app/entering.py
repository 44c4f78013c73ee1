"""Enters what a file defines and does not call. An error is reported only when it holds for every argument; what a guess of ours brings about is not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tensorproof.diagnostics.diagnostic import Certainty, Diagnostic, Gap, Severity, Verdict
from tensorproof.diagnostics.span import Span
from tensorproof.engines.shapes.decide import decide, has_flag
from tensorproof.frontends.python.entry.entry import tensor
from tensorproof.frontends.python.entry.inputs import Input
from tensorproof.frontends.python.entry.tensor_use import is_tensor
from tensorproof.frontends.python.entry.uncalled import Uncalled, call, definitions, instance, of_keras, open_arguments, picks_argument, value_of, was_entered
from tensorproof.frontends.python.errors import Dead, Fork, OutOfBudget, Raised
from tensorproof.frontends.python.machine import Interpreter
from tensorproof.frontends.python.modules.modules import Modules
from tensorproof.frontends.python.modules.package_budget import Left
from tensorproof.solve import limits
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.dtypes import FLOAT32, INT64
from tensorproof.terms.predicates import Predicate
from tensorproof.terms.records import dataclass, field, replace
from tensorproof.terms.tensor import TensorType
from tensorproof.values.path import Path

MOST_PATHS = BUDGETS.exploration.paths_of_uncalled
MOST_WORK = BUDGETS.exploration.work_of_uncalled
ENTRY_STEPS = 30_000
"""Steps of one run of one function."""
RANKS = (4, 3, 2, 5, 1, 0)
_OWN = ("python/raise", "python/not-implemented", "python/assert")
"""What a function raises on purpose."""


@dataclass(slots=True)
class Entry:
    """What came of one function or method."""

    name: str
    verdict: Verdict
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])
    gaps: list[Gap] = field(default_factory=list[Gap])
    calls: int = 0


def started(modules: Modules, decisions: dict[Predicate, bool]) -> Interpreter:
    """An interpreter that has run the file's definitions."""
    chosen = decisions
    while True:
        run = Interpreter(modules, chosen)
        try:
            run.run()
        except Left as left:
            modules.left |= {left.name}
            continue
        except Fork as fork:  # the definitions themselves fork: one of the paths is taken, and the others are a gap
            chosen = run.branching.sides(fork)[0]
            if len(chosen) > MOST_PATHS:
                return run
            continue
        return run


class Entering:
    """The runs of one file, with the work that they may take."""

    def __init__(self, modules: Modules) -> None:
        self.modules = modules
        self.work = 0

    def blamed(self, d: Diagnostic) -> bool:
        """Whether a finding speaks of the function itself."""
        return blamed(d)

    @property
    def has_work_left(self) -> bool:
        return self.work <= MOST_WORK and not limits.current().expired

    def all(self, done: set[str]) -> list[Entry]:
        """Every function and method that no run has called yet; `done` are names that were entered in another way."""
        found: list[Entry] = []
        for one in definitions(self.modules.main_source.tree):
            if one.name in done:
                continue
            value = value_of(started(self.modules, {}), one)
            if was_entered(value):
                continue
            try:
                if not self.has_work_left:
                    raise OutOfBudget
                found.append(self.one(one))
            except OutOfBudget:
                found.append(Entry(one.name, Verdict.UNKNOWN, gaps=[self._gap(one, "it was not entered: the file takes too much work")]))
                break
        return found

    def one(self, one: Uncalled) -> Entry:
        """One definition, with unknown arguments; then with a tensor for each argument that is surely one."""
        paths = self._paths(one, {})
        found = _certain(paths, self.blamed)
        gaps = list(dict.fromkeys(g for p in paths for g in p.gaps))
        if not found and any(map(_of_unknown, gaps)):
            found = self._with_tensors(one)
        calls = max((p.calls for p in paths), default=0)
        if found:
            return Entry(one.name, Verdict.INVALID, found, [], calls)
        kept = [g for g in gaps if not _of_unknown(g)]
        if not any(g.callee == f"{one.name}()" for g in kept):
            kept += self._reasons(one, paths, any(map(_of_unknown, gaps)))
        return Entry(one.name, Verdict.UNKNOWN if kept else Verdict.VALID, [], kept, calls)

    def _reasons(self, one: Uncalled, paths: list[Path], unknown: bool) -> list[Gap]:
        """Why nothing is proved of it, in one gap."""
        stopped = [d for p in paths for d in decide(p)[1] if d.severity is Severity.ERROR and d.code not in _OWN]
        open_ = any(decide(p)[0] is Verdict.UNKNOWN for p in paths)
        if not unknown and not stopped and not open_ and not picks_argument(one):
            return []
        names = open_arguments(one)
        if names:
            listed = f"`{names[0]}`" if len(names) == 1 else ", ".join(f"`{n}`" for n in names[:-1]) + f" and `{names[-1]}`"
            return [self._gap(one, f"it has no caller; its argument{'s' if names[1:] else ''} {listed} {'are' if names[1:] else 'is'} unknown")]
        if stopped:
            return [self._gap(one, f"it has no caller; entered alone it stops at line {stopped[0].span.line}: {stopped[0].message}")]
        return [self._gap(one, "it has no caller; the state of its object is unknown" if one.owner is not None else "it has no caller")]

    def _gap(self, one: Uncalled, reason: str) -> Gap:
        node = one.node
        return Gap(f"{one.name}()", Span(self.modules.main.path, node.lineno, node.col_offset + 1, node.lineno, node.col_offset + 1), reason)

    def call(self, run: Interpreter, one: Uncalled, tensors: dict[str, TensorType]) -> str:
        """Call it in this run; the text says why that could not be done, if it could not."""
        return call(run, one, tensors)

    def _paths(self, one: Uncalled, tensors: dict[str, TensorType]) -> list[Path]:
        """All paths of one way to call it."""
        pending: list[dict[Predicate, bool]] = [{}]
        finished: list[Path] = []
        while pending and len(finished) < MOST_PATHS:
            run = started(self.modules, pending.pop())
            run.path = Path()
            run.facts.clear()
            run.steps = before = max(run.steps, run.limit.steps - min(ENTRY_STEPS, run.limit.steps))
            try:
                why = self.call(run, one, tensors)
                if why:
                    run.path.gaps.append(self._gap(one, f"it was not wholly entered: {why}"))
            except Fork as fork:
                if len(pending) + len(finished) < MOST_PATHS:
                    pending += run.branching.sides(fork)
                    continue
                run.path.gaps.append(self._gap(one, f"it has more than {MOST_PATHS} paths"))
            except (OutOfBudget, RecursionError):
                run.path.gaps.append(self._gap(one, "it takes too many steps"))
            except Exception as bug:  # ours, which costs this entry alone
                run.path.gaps.append(self._gap(one, f"internal failure: {type(bug).__name__}: {bug}"))
            self.work += run.steps - before + 100
            finished.append(run.path)
        return finished

    # --- with tensors ---

    def _with_tensors(self, one: Uncalled) -> list[Diagnostic]:
        """Errors that one tensor argument meets at every rank and element type, whatever the other arguments are."""
        names = self.tensors(one)
        framework = "tf" if one.owner is not None and of_keras(started(self.modules, {}), one) else "torch"
        for name in names[:2]:
            failures: list[list[Diagnostic]] = []
            for dtype in (FLOAT32, INT64):
                for rank in RANKS:
                    given = tensor(name, Input(rank, dtype), False).but(framework=framework)
                    paths = self._paths(one, {name: given})
                    failures.append([d for p in paths for d in decide(p)[1] if d.severity is Severity.ERROR and _plain(d, p)])
                    if not failures[-1] or self.work > MOST_WORK:
                        break
                if not failures[-1]:
                    break
            found = in_every(failures) if failures[-1] and self.work <= MOST_WORK else []
            if found:
                return found
        return []

    def tensors(self, one: Uncalled) -> list[str]:
        """The arguments that are surely tensors."""
        run = started(self.modules, {})
        me: Any = None
        if one.owner is not None:
            try:
                me = instance(run, one)
            except (Raised, Dead, Fork, OutOfBudget, RecursionError):
                return []
        return [n for n in open_arguments(one) if is_tensor(run, one.node, n, me)]


def in_every(failures: list[list[Diagnostic]]) -> list[Diagnostic]:
    """The findings that every way to call a module meets: then no input can work. A rank or an element type may be our own bad guess."""

    def guessed(d: Diagnostic) -> bool:
        return not blamed(d) or d.code.endswith(("/rank", "/dtype", "/axis", "/axes", "/range"))

    if any(all(d.code.startswith(("python/", "call/")) for d in found) for found in failures):
        return []  # what a call could not even try proves nothing about the module
    fair = [found for found in failures if not all(map(guessed, found))]
    common = set.intersection(*({_key(d) for d in found} for found in fair)) if fair else set[tuple[str, object]]()
    return [d for d in (fair[0] if fair else []) if _key(d) in common and not guessed(d)]


def _certain(paths: Iterable[Path], blamed: Callable[[Diagnostic], bool]) -> list[Diagnostic]:
    """The errors that hold whatever the unknown arguments are. One behind a condition on an argument is an error when it is reached."""
    found = [replace(d, severity=Severity.ERROR) for p in paths for d in decide(p)[1] if blamed(d) and _plain(d, p)]
    return list({_key(d): d for d in found}.values())


def _key(d: Diagnostic) -> tuple[str, object]:
    return d.code, d.span


def blamed(d: Diagnostic) -> bool:
    """Python's own errors hang on the state of objects and of other files, an empty list on who fills it."""
    return not d.code.startswith(("python/", "call/")) and not d.code.endswith("/empty") and "at least" not in d.message


def _plain(d: Diagnostic, path: Path) -> bool:
    """Whether at most one unknown condition leads to it, and none decides it: several may exclude each other. That loops run at least once is none."""
    if d.certainty is Certainty.ALWAYS:
        return d.severity is Severity.ERROR
    stated = [s for s in path.stated if s.span == d.span and s.requirement.code == d.code]
    return any(sum(map(has_flag, s.facts)) <= 1 and s.requirement.predicate is False for s in stated)


def _of_unknown(gap: Gap) -> bool:
    """Whether a gap only says that an unknown argument came in."""
    return gap.follows or any(word in text for word in ("not known", "unknown") for text in (gap.reason, gap.callee))
