"""The use case of `tensorproof library`: a campaign on an installed library, its groups of findings, and what was tried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from time import monotonic
from typing import Any

from tensorproof.diagnostics.errors import BadInput
from tensorproof.equivalence.api import apis, chosen
from tensorproof.equivalence.campaigns.campaign import Budget, Campaign, Plan, Progress
from tensorproof.equivalence.campaigns.store import Store
from tensorproof.equivalence.campaigns.worker import NotStarted, Worker
from tensorproof.equivalence.rules import rules_of
from tensorproof.equivalence.triage import triage

ENGINES = ("local", "spark")
LIBRARIES = ("torch", "tensorflow", "keras")
TRIAGE_SHARE = 0.4
"""The part of a budget of time that is kept for shrinking and for running scripts."""
ENOUGH_CALLS = 50


@dataclass(frozen=True, slots=True)
class Asked:
    """What a user asks for."""

    library: str
    rules: tuple[str, ...] = ()
    globs: tuple[str, ...] = ()
    seconds: float = 0.0
    calls: int = 0
    seed: int = 0
    store: str = ":memory:"
    jobs: int = 1
    engine: str = "local"
    master: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What a campaign found. `groups` are those whose script failed again in a fresh process; `doubtful` are the others."""

    asked: Asked
    version: str
    totals: Mapping[str, float]
    counts: Mapping[tuple[str, str], Counter[str]]
    groups: list[dict[str, Any]]
    doubtful: list[dict[str, Any]]
    unsupported: list[dict[str, Any]]
    mistakes: list[dict[str, Any]]
    """Jobs that an internal error of ours ended."""
    missing: Mapping[str, str]
    untried: int = 0
    """Groups that were not looked at before the budget ended."""
    seconds: float = 0.0
    names: int = field(default=0)

    def verdicts(self) -> Counter[str]:
        """Pairs by verdict, over all names and rules."""
        found: Counter[str] = Counter()
        for counter in self.counts.values():
            found.update(counter)
        return found

    def exercised(self, rules: int = 1) -> int:
        """Public names on which at least so many rules ran with at least fifty valid calls."""
        by = Counter(api for (api, _), counter in self.counts.items() if counter["calls"] >= ENOUGH_CALLS)
        return sum(n >= rules for n in by.values())


def closest(word: str, words: list[str]) -> str:
    near = get_close_matches(word, words, 3, 0.5)
    return f"; the closest {'is' if len(near) == 1 else 'are'} {', '.join(near)}" if near else ""


def checked(asked: Asked) -> None:
    """Refuse what names nothing."""
    if asked.library not in LIBRARIES:
        raise BadInput(f"library {asked.library}: there are rules for {', '.join(LIBRARIES)}")
    known = [rule.name for rule in rules_of(asked.library)]
    for name in asked.rules:
        if name not in known:
            raise BadInput(f"--rule {name}: there is no such rule for {asked.library}{closest(name, known)}; --rules lists them")
    subjects = {subject for rule in rules_of(asked.library) for subject in rule.subjects}
    for glob in asked.globs:
        if not chosen(asked.library, (glob,)) and glob not in subjects and "*" not in glob:
            raise BadInput(f"--api {glob}: no public name of {asked.library} matches{closest(glob, [a.name for a in apis(asked.library)])}")
        if not chosen(asked.library, (glob,)) and "*" in glob:
            raise BadInput(f"--api {glob}: no public name of {asked.library} matches")


def library(
    asked: Asked, progress: Progress | None = None, triaging: Callable[[int, int], None] | None = None, preload: str = "", reads_only: bool = False
) -> Report:
    """Run or resume a campaign, and look at what it found."""
    checked(asked)
    began, store = monotonic(), Store(asked.store)
    try:
        with _started(asked, preload) as worker:
            version, missing = str(worker.hello["version"]), worker.hello["missing"]
            store.agree({"library": asked.library, "version": version, "seed": asked.seed, "apis": list(asked.globs), "rules": list(asked.rules)})
            plan = Plan(asked.library, asked.seed, asked.globs, asked.rules, missing)
            if asked.rules and not plan.chosen_rules():
                raise BadInput(f"--rule {asked.rules[0]}: {missing[asked.rules[0]]}")
            budget = Budget(asked.seconds * (1 - TRIAGE_SHARE), asked.calls)
            if not reads_only:
                _campaign(asked, plan, store, budget, preload, progress)
            end = began + asked.seconds if asked.seconds else None
            groups, untried = triage(store, worker, asked.jobs, end, triaging)
        held, doubtful = ([g for g in groups if g["holds"] is holds] for holds in (True, False))
        named = len(chosen(asked.library, asked.globs))
        kept = (held, doubtful, store.findings("unsupported"), store.findings("internal error"))
        return Report(asked, version, store.totals(), store.counts(), *kept, missing, untried, monotonic() - began, named)
    finally:
        store.close()


class _started:
    """A worker that is up; it says the library's version."""

    def __init__(self, asked: Asked, preload: str) -> None:
        self.asked, self.worker = asked, Worker(asked.library, preload)

    def __enter__(self) -> Worker:
        try:
            self.worker.start()
        except NotStarted as error:
            self.worker.close()
            raise BadInput(str(error)) from None
        return self.worker

    def __exit__(self, *raised: object) -> None:
        self.worker.close()


def _campaign(asked: Asked, plan: Plan, store: Store, budget: Budget, preload: str, progress: Progress | None) -> None:
    if asked.engine == "spark":
        from tensorproof.app.library_spark import on_spark

        on_spark(plan, store, budget, asked.master, progress)
    else:
        Campaign(plan, store, budget, asked.jobs, preload, progress).run()
