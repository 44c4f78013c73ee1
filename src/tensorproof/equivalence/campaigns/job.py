"""One job of a campaign: calls of some public names, run under some rules. The same job gives the same result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Any

from tensorproof.equivalence.api import Api, apis
from tensorproof.equivalence.arrays import Array, Raised
from tensorproof.equivalence.batch import run_batch
from tensorproof.equivalence.call import Call
from tensorproof.equivalence.catalogued import by_catalogue
from tensorproof.equivalence.drawing import calls
from tensorproof.equivalence.opinion import judge
from tensorproof.equivalence.oracle import Oracle
from tensorproof.equivalence.rule import Pair, Rule
from tensorproof.equivalence.rules import rules
from tensorproof.equivalence.running import Runner

if TYPE_CHECKING:
    from tensorproof.equivalence.dialects import Dialect

MOST_ALIKE = 3
"""Findings with one symptom that a job keeps; further ones are counted."""
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Job:
    """`rules` run on every call. `skip` are the places ("name number rule") that ended a worker before; `alone`: nothing is compiled together."""

    key: str
    library: str
    apis: tuple[str, ...]
    rules: tuple[str, ...]
    block: int
    seed: int
    skip: tuple[str, ...] = ()
    alone: bool = False

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Job:
        return cls(**{**kept, "apis": tuple(kept["apis"]), "rules": tuple(kept["rules"]), "skip": tuple(kept["skip"])})


@dataclass(slots=True)
class Result:
    """What a job found. `counts` has a row for each name and rule: calls, pairs, and pairs by verdict."""

    key: str
    calls: int = 0
    accepted: int = 0
    counts: dict[str, Counter[str]] = field(default_factory=dict[str, "Counter[str]"])
    findings: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    seconds: float = 0.0
    bare: float = 0.0
    """Seconds inside the library's own calls."""

    def count(self, api: str, rule: str) -> Counter[str]:
        return self.counts.setdefault(f"{api}\t{rule}", Counter())

    def as_json(self) -> dict[str, Any]:
        counts = {name: dict(counter) for name, counter in self.counts.items()}
        kept = {"calls": self.calls, "accepted": self.accepted, "seconds": self.seconds, "bare": self.bare}
        return {"key": self.key, **kept, "counts": counts, "findings": self.findings}


class Work:
    """Runs jobs of one library in this process."""

    def __init__(self, library: str, dialect: Dialect, say: Say = lambda _: None) -> None:
        self.dialect, self.say = dialect, say
        self.runner, self.oracle = Runner(dialect), Oracle(dialect)
        self.names = {api.name: api for api in apis(library)}
        self.rules = {rule.name: rule for rule in rules() if library in rule.libraries}

    def run(self, job: Job) -> Result:
        result = Result(job.key)
        began, self.runner.seconds = perf_counter(), 0.0
        chosen = [self.rules[name] for name in job.rules]
        if any(rule.ready() for rule in chosen):
            return result
        for rule in chosen:
            if rule.own is not None and job.apis[0] in rule.subjects:
                self._own(rule, job, result)
        named = [self.names[name] for name in job.apis if name in self.names]
        if any(rule.batched for rule in chosen):
            self._batched(named, chosen, job, result)
        else:
            for api in named:
                self._eager(api, chosen, job, result)
        result.seconds, result.bare = perf_counter() - began, self.runner.seconds
        return result

    def _calls(self, api: Api, job: Job, result: Result, rule: Rule | None = None) -> Iterator[Call]:
        """The calls of a block; of a batched rule, those that it tries."""
        if not self.dialect.exists(api.name):
            return
        for call in calls(api, job.seed, job.block):
            if rule is None or (rule.special if call.special else (call.number + job.block) % rule.thin == 0):
                result.calls += 1
                yield call

    def _plain(self, call: Call) -> Pair:
        """The call itself, for rules that compare with it; also what tells whether the library takes it."""
        text = call.expression(self.dialect)
        return Pair(text, text, setup=call.setup(self.dialect))

    def _accepted(self, call: Call, job: Job, result: Result) -> bool:
        mark = f"{call.api.name} {call.number} -"
        if mark in job.skip:
            return False
        self.say(mark)
        pair = self._plain(call)
        with self.dialect.quiet(False), self.dialect.checking():
            names = self.runner.prepared(pair.setup, call.inputs)
            taken = not isinstance(names, Raised) and not isinstance(self.runner.side(pair.left, names, call.inputs), Raised)
        result.accepted += taken
        return taken

    def _eager(self, api: Api, chosen: list[Rule], job: Job, result: Result) -> None:
        for call in self._calls(api, job, result):
            if not self._accepted(call, job, result):
                continue
            for rule in chosen:
                if rule.pairs is not None and (rule.special or not call.special):
                    self._compare(api.name, rule, rule.pairs(call, self.dialect), call.inputs, call, job, result)

    def _own(self, rule: Rule, job: Job, result: Result) -> None:
        """Pairs that the rule draws itself: models."""
        assert rule.own is not None
        for subject in job.apis:
            for number in range(job.block * 2, job.block * 2 + 2):
                random = Random(f"{job.seed}:{rule.name}:{subject}:{number}")
                inputs, pairs = rule.own(subject, random, self.dialect)
                call = Call(Api(subject, ()), (), {}, None, inputs, number)
                result.calls += 1
                result.accepted += 1
                self._compare(subject, rule, pairs, inputs, call, job, result)

    def _compare(self, name: str, rule: Rule, pairs: Iterable[Pair], inputs: Mapping[str, Array], call: Call, job: Job, result: Result) -> None:
        count = result.count(name, rule.name)
        mark = f"{name} {call.number} {rule.name}"
        if mark in job.skip:
            return
        self.say(mark)
        valid = False
        for pair in pairs:
            with self.dialect.quiet(rule.gradients):
                left, right = self.runner.both(pair, inputs)
                valid |= not isinstance(left, Raised)
                self._judged(name, rule, pair, call, left, right, count, result)
        count["calls"] += valid

    def _judged(self, name: str, rule: Rule, pair: Pair, call: Call, left: object, right: object, count: Counter[str], result: Result) -> None:
        count["pairs"] += 1
        if isinstance(left, Raised) and isinstance(right, Raised):
            count["both raise"] += 1
            return
        if pair.refused and not isinstance(left, Raised):
            count["not refused"] += 1
            return
        difference = self.oracle.difference(left, right, pair.compare, pair.loose)
        if difference is None:
            count["agree"] += 1
            return
        alike = Counter(f["verdict"] for f in result.findings if (f["api"], f["rule"], f["symptom"]) == (name, rule.name, difference.symptom))
        if rule.batched and alike["finding"] >= MOST_ALIKE:  # a further opinion would compile both sides again
            count["finding"] += 1
            return
        opinion = judge(difference, pair, call.inputs, self.runner, self.oracle, left, right, rule)
        if opinion.verdict == "finding" and difference.left is not None and difference.kind == "values":
            own = {name: x for name, x in pair.inputs.items() if name in call.inputs}
            opinion = by_catalogue(opinion, difference, call.but(inputs={**call.inputs, **own}), pair.left == call.expression(self.dialect))
        count[opinion.verdict] += 1
        if opinion.verdict not in ("finding", "unsupported"):
            return
        if alike[opinion.verdict] < (MOST_ALIKE if opinion.verdict == "finding" else 1):
            result.findings.append({
                "api": name, "rule": rule.name, "number": call.number, "about": pair.about, "kind": difference.kind, "verdict": opinion.verdict,
                "symptom": difference.symptom, "words": difference.words, "wrong_side": opinion.wrong_side, "opinion": opinion.words, "call": call.as_json(),
                "documented": self.dialect.documented(name),
                "pair": pair_json(pair),
            })  # fmt: skip

    def _batched(self, named: list[Api], chosen: list[Rule], job: Job, result: Result) -> None:
        """All right sides of one compiler in one function."""
        for rule in chosen:
            assert rule.pairs is not None
            together: dict[str, list[tuple[Call, Pair]]] = {}
            for api in named:
                if not rule.fits(api):
                    continue
                for call in self._calls(api, job, result, rule):
                    if f"{api.name} {call.number} {rule.name}" not in job.skip and self._accepted(call, job, result):
                        for pair in rule.pairs(call, self.dialect):
                            assert pair.traced is not None
                            together.setdefault(pair.traced.wrap, []).append((call, pair))
            for entries in together.values():
                self._compiled(rule, entries, job, result)

    def _compiled(self, rule: Rule, entries: list[tuple[Call, Pair]], job: Job, result: Result) -> None:
        seen: set[tuple[str, int]] = set()
        with self.dialect.quiet(rule.gradients):
            lefts = []
            for call, pair in entries:
                names = self.runner.prepared(pair.setup, {**call.inputs, **pair.inputs})
                self.say(f"{call.api.name} {call.number} {rule.name}")
                lefts.append(names if isinstance(names, Raised) else self.runner.side(pair.left, names, {**call.inputs, **pair.inputs}))
            refused = [i for i, (_, pair) in enumerate(entries) if pair.refused and isinstance(lefts[i], Raised)]
            if any(pair.refused for _, pair in entries):  # most raise: together they would all be compiled again
                entries, lefts = [entries[i] for i in refused], [lefts[i] for i in refused]
            rights = run_batch(entries, self.runner, self._sayer(rule, entries), job.alone or bool(refused))
            for (call, pair), left, right in zip(entries, lefts, rights):
                count = result.count(call.api.name, rule.name)
                if (call.api.name, call.number) not in seen:
                    seen.add((call.api.name, call.number))
                    count["calls"] += not pair.refused
                self._judged(call.api.name, rule, pair, call, left, right, count, result)

    def _sayer(self, rule: Rule, entries: list[tuple[Call, Pair]]) -> Callable[[Sequence[int]], None]:
        def say(places: Sequence[int]) -> None:
            call = entries[places[0]][0]
            self.say(f"{call.api.name} {call.number} {rule.name if len(places) == 1 else '*'}")

        return say


def pair_json(pair: Pair) -> dict[str, Any]:
    return {
        "left": pair.left, "right": pair.right, "setup": pair.setup, "about": pair.about, "compare": pair.compare, "loose": pair.loose,
        "reference": pair.reference, "again": pair.again, "shown": pair.shown, "inputs": {name: x.as_json() for name, x in pair.inputs.items()},
    }  # fmt: skip
