"""What a worker answers: jobs, and questions of the triage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.arrays import Array
from tensorproof.equivalence.call import Call
from tensorproof.equivalence.campaigns.job import Job, Work, pair_json
from tensorproof.equivalence.drawing import BLOCK, calls
from tensorproof.equivalence.rule import Pair, Rule
from tensorproof.equivalence.script import scripts
from tensorproof.equivalence.shrink import shrunk

if TYPE_CHECKING:
    from tensorproof.equivalence.dialects import Dialect


class Served:
    """One worker's state: the loaded library and what runs jobs on it."""

    def __init__(self, library: str, dialect: Dialect, say: Callable[[str], None]) -> None:
        self.dialect, self.say = dialect, say
        self.work = Work(library, dialect, say)

    def hello(self) -> dict[str, Any]:
        missing = {name: why for name, rule in self.work.rules.items() if (why := rule.ready())}
        return {"version": self.dialect.version(), "missing": missing}

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        if "job" in request:
            return self.work.run(Job.from_json(request["job"])).as_json()
        if "describe" in request:
            return self._described(**request["describe"])
        if "pair" in request:
            call, rule = self._asked(request["pair"])
            return {"pair": self._paired(call, rule)}
        if "attempt" in request:
            return self._attempted(request["attempt"])
        if "scripts" in request:
            return {"scripts": scripts(request["scripts"], self.dialect)}
        return shrunk(self.work, request["shrink"], self.say, request.get("seconds"))

    def _described(self, api: str, number: int, rule: str, seed: int) -> dict[str, Any]:
        """A call that ended a worker, without running it."""
        known = self.work.names.get(api, Api(api, ()))
        call = next((c for c in calls(known, seed, number // BLOCK) if c.number == number), None) if known.rows or known.documented else None
        if call is None:
            return {}
        return {"call": call.as_json(), "pair": self._paired(call, self.work.rules.get(rule))}

    def _asked(self, finding: Mapping[str, Any]) -> tuple[Call, Rule | None]:
        api = self.work.names.get(finding["api"], Api(finding["api"], ()))
        return Call.from_json(finding["call"], api), self.work.rules.get(finding["rule"])

    def _paired(self, call: Call, rule: Rule | None) -> dict[str, Any]:
        """The rule's first pair of the call; the plain call where there is none."""
        pair = next(iter(rule.pairs(call, self.dialect)), None) if rule is not None and rule.pairs is not None else None
        text = call.expression(self.dialect)
        return pair_json(pair or Pair(text, text, call.setup(self.dialect)))

    def _attempted(self, finding: Mapping[str, Any]) -> dict[str, Any]:
        """Run a pair that may end this process."""
        call, rule = self._asked(finding)
        kept = finding["pair"]
        own = {name: Array.from_json(x) for name, x in kept["inputs"].items()}
        self.say(f"{finding['api']} {finding['number']} {finding['rule']}")
        with self.dialect.quiet(rule is not None and rule.gradients):
            self.work.runner.both(Pair(kept["left"], kept["right"], kept["setup"], inputs=own), call.inputs)
        return {}
