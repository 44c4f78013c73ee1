"""A campaign: which jobs there are, in which order, who runs them, and when to stop."""

from __future__ import annotations

import queue
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from itertools import count
from random import Random
from time import monotonic
from typing import Any

from tensorproof.equivalence.api import Api, chosen
from tensorproof.equivalence.campaigns.job import Job, Result
from tensorproof.equivalence.campaigns.store import Store
from tensorproof.equivalence.campaigns.worker import Death, InternalError, Worker, after
from tensorproof.equivalence.drawing import BLOCK
from tensorproof.equivalence.rule import Rule, never
from tensorproof.equivalence.rules import rules_of

MOST_DEATHS = 8
"""How often one job may end its worker."""
MOST_BLOCKS = 1000
EAGER = "eager"
EAGER_SHARE = 3.0
MODELS_SHARE = 0.25
"""How much time the rules without compilation get, and each rule on models; a rule says itself how much its compiled calls get."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a campaign runs. It gives the same jobs in the same order for the same plan."""

    library: str
    seed: int = 0
    globs: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    """Names of rules; all of the library without one."""
    missing: Mapping[str, str] = field(default_factory=dict[str, str])
    """Rules that cannot run here."""

    def chosen_rules(self) -> tuple[Rule, ...]:
        return tuple(r for r in rules_of(self.library) if (not self.rules or r.name in self.rules) and r.name not in self.missing)

    def lanes(self) -> dict[str, Iterator[Job]]:
        """The jobs of all rules without compilation, and those of each other rule: block after block over all names, in a drawn order.

        Of names of one function (`tf.reduce_sum`, `tf.math.reduce_sum`) one comes first in each block, the others after all such; among these, a rule's
        `first` names come before the others.
        """
        named, by = chosen(self.library, self.globs), self.chosen_rules()
        found = {EAGER: self._blocks(EAGER, lambda block: self._eager(named, by, block))}
        for rule in by:
            if rule.batched:
                found[rule.name] = self._blocks(rule.name, partial(self._batched, named, rule), rule.first)
            if rule.subjects:
                found[f"{rule.name} of models"] = self._blocks(rule.name, partial(self._subjects, rule))
        return found

    def _blocks(self, lane: str, jobs: Callable[[int], Iterator[Job]], first: Callable[[Api], bool] = never) -> Iterator[Job]:
        named = chosen(self.library, self.globs)
        early = {api.name for api in named if first(api)}
        for block in range(MOST_BLOCKS):
            drawn = list(jobs(block))
            if not drawn:
                return
            Random(f"{self.seed}:{lane}:{block}").shuffle(drawn)
            turns = _turns(named, block)
            yield from sorted(drawn, key=lambda job: (turns.get(job.apis[0], 0), job.apis[0] not in early))

    def _eager(self, named: tuple[Api, ...], by: tuple[Rule, ...], block: int) -> Iterator[Job]:
        eager = [r for r in by if not r.batched and r.pairs is not None]
        for api in named:
            if own := tuple(r.name for r in eager if r.fits(api)):
                yield self._job(EAGER, (api.name,), own, block)

    def _batched(self, named: tuple[Api, ...], rule: Rule, block: int) -> Iterator[Job]:
        fitting = [api.name for api in named if rule.fits(api)]
        Random(f"{self.seed}:{rule.name}:{block}").shuffle(fitting)
        turns, early = _turns(named, block), {api.name for api in named if rule.first(api)}
        fitting.sort(key=lambda name: (turns[name], name not in early))
        for at in range(0, len(fitting), rule.chunk):
            yield self._job(rule.name, tuple(fitting[at : at + rule.chunk]), (rule.name,), block)

    def _subjects(self, rule: Rule, block: int) -> Iterator[Job]:
        for subject in rule.subjects:
            if not self.globs or any(fnmatchcase(subject, glob) for glob in self.globs):
                yield self._job(f"{rule.name} of models", (subject,), (rule.name,), block)

    def _job(self, lane: str, names: tuple[str, ...], rules: tuple[str, ...], block: int) -> Job:
        return Job(f"{block}:{lane}:{names[0]}" + (f"+{len(names) - 1}" if len(names) > 1 else ""), self.library, names, rules, block, self.seed)


def _turns(named: tuple[Api, ...], block: int) -> dict[str, int]:
    """The place of each name among those that seem to name one function, the shortest first; another one is the first in the next block."""
    families: dict[tuple[str, ...], list[str]] = {}
    for api in sorted(named, key=lambda api: (".compat." in api.name, len(api.name), api.name)):
        words = api.name.split(".")
        families.setdefault((words[0], words[-1].lower(), *(op.name for op in api.operators)), []).append(api.name)
    return {name: (at - block) % len(family) for family in families.values() for at, name in enumerate(family)}


@dataclass(frozen=True, slots=True)
class Budget:
    """When to stop: after some seconds, or after a number of calls (jobs are taken whole, in the plan's order)."""

    seconds: float = 0.0
    calls: int = 0


Progress = Callable[[dict[str, float]], None]


class Campaign:
    """Runs a plan on local workers and records it."""

    def __init__(self, plan: Plan, store: Store, budget: Budget, jobs: int = 1, preload: str = "", progress: Progress | None = None) -> None:
        self.plan, self.store, self.budget, self.workers = plan, store, budget, jobs
        self.preload, self.progress = preload, progress
        self._results: queue.Queue[dict[str, Any] | BaseException | None] = queue.Queue()
        self._stop, self._lock = threading.Event(), threading.Lock()
        self._lanes: dict[str, Iterator[Job]] = {}
        self._done: set[str] = set()
        self._left = budget.calls
        self._spent: defaultdict[str, float] = defaultdict(float)

    def _next(self) -> Job | None:
        """The next job that is not recorded yet. Under a budget of calls lanes take turns; else the lane that has had the least time is next."""
        while self._lanes:
            lane = next(iter(self._lanes)) if self.budget.calls else min(self._lanes, key=self._share)
            job = next(self._lanes[lane], None)
            if job is None:
                del self._lanes[lane]
                continue
            if self.budget.calls:
                self._lanes[lane] = self._lanes.pop(lane)  # to the end
                if self._left <= 0:
                    return None
                self._left -= BLOCK * len(job.apis)
            if job.key not in self._done:
                return job
        return None

    def _begin(self) -> None:
        self._done, self._lanes, self._left = self.store.done(), self.plan.lanes(), self.budget.calls

    def waiting(self) -> Iterator[Job]:
        """The jobs that are not recorded yet, for who runs them elsewhere; lanes take turns."""
        self._begin()
        while (job := self._next()) is not None:
            self._spent[job.key.split(":")[1]] += 1
            yield job

    def _share(self, lane: str) -> float:
        fractions = {EAGER: EAGER_SHARE, **{rule.name: rule.share for rule in self.plan.chosen_rules() if rule.batched}}
        return self._spent[lane] / fractions.get(lane, MODELS_SHARE)

    def run(self) -> None:
        """Until the budget ends. Each result is recorded as it comes."""
        end = monotonic() + self.budget.seconds if self.budget.seconds else None
        self._begin()
        threads = [threading.Thread(target=self._serve, args=(end,), daemon=True) for _ in range(self.workers)]
        for thread in threads:
            thread.start()
        running = len(threads)
        try:
            while running:
                result = self._results.get()
                if result is None:
                    running -= 1
                elif isinstance(result, BaseException):
                    raise result
                else:
                    self.store.record(result)
                    if self.progress is not None:
                        self.progress(self.store.totals())
        finally:
            self._stop.set()
            for thread in threads:
                thread.join(timeout=5)

    def _serve(self, end: float | None) -> None:
        worker = Worker(self.plan.library, self.preload)
        try:
            while not self._stop.is_set() and (end is None or monotonic() < end):
                with self._lock:
                    job = self._next()
                if job is None:
                    break
                began = monotonic()
                result = run_job(worker, job, lambda: self._stop.is_set() or (end is not None and monotonic() > end + 60))
                with self._lock:
                    self._spent[job.key.split(":")[1]] += monotonic() - began
                if result is not None:
                    self._results.put(result)
        except BaseException as error:
            self._results.put(error)
        finally:
            worker.close()
            self._results.put(None)


def run_job(worker: Worker, job: Job, late: Callable[[], bool] = lambda: False) -> dict[str, Any] | None:
    """The result of a job, with a finding for each call that ended the worker. None when it is too late for another try."""
    crashes: list[dict[str, Any]] = []
    for _ in count():
        try:
            answer = worker.run(job)
        except InternalError as mistake:  # ours: the job is lost, the campaign is not, and the report says so
            return {**Result(job.key).as_json(), "findings": [*crashes, _mistake(job, mistake)]}
        if not isinstance(answer, Death):
            return {**answer, "findings": [*answer["findings"], *crashes]}
        if late():
            return None
        again = after(job, answer)
        if not answer.mark.endswith(" *"):
            crashes.append(_crash(worker, job, answer))
        if len(crashes) >= MOST_DEATHS or again == job:
            return {**Result(job.key).as_json(), "findings": crashes}
        job = again
    return None


def _mistake(job: Job, mistake: InternalError) -> dict[str, Any]:
    return {
        "api": job.apis[0], "rule": job.rules[0], "number": 0, "about": "", "kind": "internal error", "verdict": "internal error",
        "symptom": str(mistake).splitlines()[0][:200], "words": str(mistake), "wrong_side": "", "opinion": "", "call": None, "pair": None,
    }  # fmt: skip


def _crash(worker: Worker, job: Job, death: Death) -> dict[str, Any]:
    """A call that ended its worker, as a finding."""
    api, number, rule = death.mark.split(" ") if death.mark.count(" ") == 2 else (job.apis[0], "0", "-")
    found = worker.ask({"describe": {"api": api, "number": int(number), "rule": rule, "seed": job.seed}})
    hang = death.why.startswith("no answer")
    return {
        "api": api, "rule": "plain call" if rule == "-" else rule, "number": int(number), "about": "", "kind": "crash", "verdict": "finding",
        "symptom": "hang" if hang else death.why, "words": f"the process ends: {death.why}" if not hang else f"the call gives {death.why}",
        "wrong_side": "right" if rule != "-" else "left", "opinion": "", "call": None, "pair": None, **({} if isinstance(found, Death) else found),
    }  # fmt: skip
