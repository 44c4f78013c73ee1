"""Runs a program along all its paths: once, and again for every decision that could not be joined."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from tensorproof.diagnostics.diagnostic import Gap
from tensorproof.diagnostics.span import Span
from tensorproof.frontends.python.errors import Fork, OutOfBudget
from tensorproof.frontends.python.frame_room import with_room
from tensorproof.frontends.python.machine import Interpreter
from tensorproof.frontends.python.modules.modules import Modules
from tensorproof.frontends.python.modules.package_budget import Left
from tensorproof.frontends.python.modules.places import places
from tensorproof.frontends.python.modules.source import Source
from tensorproof.program.recorder import Recorder
from tensorproof.solve import limits
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.predicates import Predicate
from tensorproof.terms.records import dataclass
from tensorproof.values.path import Path

if TYPE_CHECKING:
    from tensorproof.values.machine import Value

MOST_PATHS = BUDGETS.exploration.paths
MOST_AFTER_ERROR = BUDGETS.exploration.paths_after_error
TO_GO_ON = 0.75
"""The share of the limit's steps, over all replays, after which no other path is begun."""
_RECURSION = 20_000


@dataclass(slots=True)
class Explored:
    """All paths of a program, and the last run (for what an editor shows)."""

    paths: list[Path]
    last: Interpreter


@with_room
def explore(
    source: Source,
    argv: tuple[str, ...] = (),
    roots: tuple[str, ...] = (),
    site: tuple[str, ...] = (),
    inputs: Mapping[str, Value] | None = None,
    ended: Callable[[Interpreter], None] | None = None,
    stop_at_error: bool = False,
    record: bool = False,
    world: Mapping[Predicate, bool] | None = None,
    left: frozenset[str] = frozenset(),
) -> Explored:
    """`stop_at_error` ends a path where CPython would end.
    `inputs` are names that the main file finds bound; `ended` gets every path while its memory is still there; `record` asks for the program form.
    `world` holds answers of the machine with which every path begins, `left` names packages whose source is not read."""
    modules = Modules(source, places(source, roots), site, left=left)
    pending: list[dict[Predicate, bool]] = [dict(world or {})]
    finished: list[Path] = []
    forks: Counter[str] = Counter()
    work, most = 0, int(limits.current().steps * TO_GO_ON)
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _RECURSION))
    try:
        while True:
            run = Interpreter(modules, pending.pop(), argv)
            run.stop_at_error = stop_at_error
            run.path.program = Recorder() if record else None
            modules.main.space.update(inputs or {})
            try:
                finished.append(run.run())
                if ended is not None:
                    ended(run)
            except Fork as fork:
                paths = MOST_PATHS if not run.failures else MOST_AFTER_ERROR
                spent = len(finished) + len(pending) + 2 > paths or work + run.steps > most
                if too_much := _leaves(forks, fork, run, modules.left, spent):
                    modules = modules.without(too_much)  # what was entered before does not count
                    pending, finished, work = [dict(world or {})], [], 0
                    continue
                if spent:
                    return _given_up(source, finished, run)
                pending += run.branching.sides(fork)
            except Left as left_out:
                if left_out.name in modules.left:
                    return _given_up(source, finished, run, run.limit.sentence)
                modules = modules.without({left_out.name})
                pending, finished, work = [dict(world or {})], [], 0
                continue
            except OutOfBudget as out:
                return _given_up(source, finished, run, str(out))
            work += run.steps
            if pending and (work > most or run.limit.expired):
                return _given_up(source, finished, run)
            if not pending:
                return Explored(finished, run)
    finally:
        sys.setrecursionlimit(before)


def _leaves(forks: Counter[str], fork: Fork, run: Interpreter, left: frozenset[str], spent: bool) -> frozenset[str]:
    """A call into a package, what is imported from it, or all of it, without which the program is better followed: it made too many paths,
    their replays cost too much, or what may be `spent` on paths ends in it."""
    name = next((name for name in (fork.place, fork.imported, fork.package) if name and name not in left), "")
    forks[name] += max(1, round(run.steps * BUDGETS.exploration.forks_in_package / (run.limit.steps * BUDGETS.exploration.share_of_forks)))
    return frozenset([name] if name and (spent or forks[name] > BUDGETS.exploration.forks_in_package) else ())


def _given_up(source: Source, finished: list[Path], run: Interpreter, reason: str = "") -> Explored:
    """The paths so far; those that were not run are a gap."""
    reason = reason or f"the program has more than {MOST_PATHS} paths, or they take too long"
    (run.path.later if run.failures else run.path.gaps).append(Gap("the rest of the paths", Span(source.path, 1, 1, 1, 1), reason))
    if run.path not in finished:
        finished.append(run.path)
    return Explored(finished, run)
