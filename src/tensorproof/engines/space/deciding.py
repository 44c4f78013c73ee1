"""The verdict of single vectors, and the valid vector that is nearest to an invalid one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice, product

import numpy as np

from tensorproof.engines.space.checks import Cause, Check
from tensorproof.engines.space.listing import VALID, first_broken
from tensorproof.engines.space.parameters import Parameter, Value
from tensorproof.engines.space.scenarios import Scenario
from tensorproof.terms.budgets import BUDGETS

Vector = dict[str, Value]
MOST_CANDIDATES = BUDGETS.spaces.candidates


class Deciding:
    """Decides vectors one by one, or many at once."""

    def __init__(self, parameters: Sequence[Parameter], scenarios: Sequence[Scenario]) -> None:
        self.parameters = tuple(parameters)
        self.names = tuple(scenarios[0].fixed) if scenarios else ()
        self.scenarios = list(scenarios)
        self.positions = [{(type(v), v): i for i, v in enumerate(p.values)} for p in self.parameters]

    def scenario(self, vector: Mapping[str, Value]) -> Scenario:
        """The scenario to which a vector belongs."""
        return next(s for s in self.scenarios if all(vector[name] == value for name, value in s.fixed.items()))

    def check(self, vector: Mapping[str, Value]) -> Check | None:
        """The check that a vector breaks first, if any."""
        vector = self.counted(vector)
        scenario = self.scenario(vector)
        columns = {p.atom: np.array([p.number(vector[p.name])]) for p in scenario.parameters}
        found = int(np.broadcast_to(first_broken(columns, scenario.checks.order), (1,))[0])
        return None if found == VALID else scenario.checks.order[found]

    def counted(self, vector: Mapping[str, Value]) -> Vector:
        """The vector with the first value of each parameter that does not count."""
        counts = {p.name: p.needs is None or vector[p.needs[0]] in p.needs[1] for p in self.parameters}
        return {p.name: vector[p.name] if counts[p.name] else p.values[0] for p in self.parameters}

    def cause(self, vector: Mapping[str, Value]) -> Cause | None:
        """Why a vector cannot run, or is not known to; None for a valid one."""
        found = self.check(vector)
        return found.cause if found is not None else None

    def checks(self, vectors: Sequence[Mapping[str, Value]]) -> list[Check | None]:
        """The check that each vector breaks first."""
        result: list[Check | None] = [None] * len(vectors)
        for scenario in self.scenarios:
            own = [i for i, v in enumerate(vectors) if all(v[name] == value for name, value in scenario.fixed.items())]
            if own:
                columns = {p.atom: np.array([p.number(vectors[i][p.name]) for i in own], np.int64) for p in scenario.parameters}
                found = np.broadcast_to(first_broken(columns, scenario.checks.order), (len(own),))
                for i, at in zip(own, found):
                    result[i] = None if int(at) == VALID else scenario.checks.order[int(at)]
        return result

    def valid(self, vectors: Sequence[Mapping[str, Value]]) -> list[bool]:
        """Whether each vector is proved valid."""
        return [check is None for check in self.checks(vectors)]

    def nearest(self, vector: Mapping[str, Value], most: int = MOST_CANDIDATES) -> Vector | None:
        """A valid vector that differs in as few parameters as can be, and there by as few steps."""
        start = {p.name: p.values.index(vector[p.name]) for p in self.parameters}
        for changes in range(1, min(3, len(self.parameters)) + 1):
            best: tuple[int, Vector] | None = None
            candidates = list(islice(_changed(self.parameters, vector, changes), most))
            for candidate, good in zip(candidates, self.valid(candidates)):
                if good:
                    steps = sum(abs(p.values.index(candidate[p.name]) - start[p.name]) for p in self.parameters if candidate[p.name] != vector[p.name])
                    if best is None or steps < best[0]:
                        best = (steps, candidate)
            if best is not None:
                return best[1]
            if len(candidates) >= most:
                return None
        return None


def _changed(parameters: Sequence[Parameter], vector: Mapping[str, Value], changes: int) -> Iterator[Vector]:
    """The vectors that differ in so many parameters."""
    for chosen in combinations([p for p in parameters if not p.real], changes):
        for values in product(*([v for v in p.values if v != vector[p.name]] for p in chosen)):
            yield {**vector, **{p.name: v for p, v in zip(chosen, values)}}
