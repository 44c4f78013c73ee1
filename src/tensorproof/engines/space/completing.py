"""Vectors of which only some values are chosen: which values of another parameter still lead to a vector that may run.

A small space is decided once, as a grid of truth values. In a large one random completions are tried first, and what they leave open is counted."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import prod
from typing import Any

import numpy as np

from tensorproof.engines.space.checks import Check
from tensorproof.engines.space.counting import TooLarge, valid_values
from tensorproof.engines.space.listing import VALID, first_broken, verdicts
from tensorproof.engines.space.parameters import Parameter
from tensorproof.engines.space.scenarios import Scenario
from tensorproof.terms.budgets import BUDGETS

Array = Any
Places = dict[str, int]
"""The position of each chosen value in its domain."""
MOST_IN_GRID = BUDGETS.spaces.grid
TRIED = 1 << 16
"""How many random completions are tried at once."""
MOST_KEPT = BUDGETS.spaces.partial_examples


class Completing:
    """Decides vectors in part. Those that are unknown count as vectors that may run, if `unknown`."""

    def __init__(self, parameters: Sequence[Parameter], scenarios: Sequence[Scenario], unknown: bool = True) -> None:
        self.parameters = {p.name: p for p in parameters}
        self.scenarios = [(scenario, _deciding(scenario, unknown)) for scenario in scenarios]
        self.small = prod(len(p.values) for p in parameters) <= MOST_IN_GRID
        self.grids: dict[int, Array] = {}
        self.known: dict[tuple[str, frozenset[tuple[str, int]]], Array] = {}

    def left(self, name: str, chosen: Places) -> Array:
        """For each value of a parameter, whether a vector with it and the chosen values may run."""
        chosen = {other: at for other, at in chosen.items() if other != name}
        key = (name, frozenset(chosen.items()))
        found = self.known.get(key)
        if found is None:
            if len(self.known) >= MOST_KEPT:
                self.known.clear()
            found = self.known[key] = self._left(self.parameters[name], chosen)
        return found

    def possible(self, chosen: Places) -> bool:
        """Whether a vector with the chosen values may run."""
        name = next(iter(chosen or self.parameters))
        found = self.left(name, chosen)
        return bool(found[chosen[name]] if name in chosen else found.any())

    def core(self, chosen: Places, last: Collection[str] = ()) -> Places:
        """As few of the values of an invalid vector as are enough to rule out every vector that has them: a minimal unsatisfiable core. Parameters that
        are not in `last` are left out first."""
        kept = dict(chosen)
        for name in sorted(chosen, key=lambda one: one in last):
            fewer = {other: at for other, at in kept.items() if other != name}
            if not self.possible(fewer):
                kept = fewer
        return kept

    def _left(self, p: Parameter, chosen: Places) -> Array:
        found: Array = np.zeros(len(p.values), bool)
        for number, (scenario, checks) in enumerate(self.scenarios):
            fixed = {name: self.parameters[name].values.index(value) for name, value in scenario.fixed.items()}
            if any(chosen.get(name, at) != at for name, at in fixed.items()):
                continue
            own = {name: at for name, at in chosen.items() if name not in fixed}
            if p.name not in fixed:
                found |= self._values(number, scenario, checks, p, own)
            elif not found[fixed[p.name]]:
                found[fixed[p.name]] = self._any(number, scenario, checks, own)
        return found

    def _any(self, number: int, scenario: Scenario, checks: list[Check], chosen: Places) -> bool:
        if not scenario.parameters:
            return int(first_broken({}, checks)) == VALID
        p = next((p for p in scenario.parameters if p.name not in chosen), scenario.parameters[0])
        found = self._values(number, scenario, checks, p, chosen)
        return bool(found[chosen[p.name]] if p.name in chosen else found.any())

    def _values(self, number: int, scenario: Scenario, checks: list[Check], p: Parameter, chosen: Places) -> Array:
        chosen = {name: at for name, at in chosen.items() if name != p.name}
        if self.small:
            return self._in_grid(number, scenario, checks, p, chosen)
        found = _by_trying(scenario, checks, p, chosen)
        if not found.all():
            try:
                counted = valid_values(scenario.parameters, checks, p, chosen)
            except TooLarge:
                return found
            found = np.array([counted[at] > 0 for at in range(len(p.values))])
        return found

    def _in_grid(self, number: int, scenario: Scenario, checks: list[Check], p: Parameter, chosen: Places) -> Array:
        if number not in self.grids:
            parts = [part == VALID for _, part in verdicts(scenario.parameters, checks)]
            self.grids[number] = np.concatenate(parts).reshape([len(q.values) for q in scenario.parameters])
        found = self.grids[number][tuple(slice(None) if q.name not in chosen else slice(chosen[q.name], chosen[q.name] + 1) for q in scenario.parameters)]
        return found.any(axis=tuple(at for at, q in enumerate(scenario.parameters) if q.name != p.name))


def _deciding(scenario: Scenario, unknown: bool) -> list[Check]:
    """The checks that rule a vector out; one whose parameter does not count is decided as it stands."""
    return [check for check in scenario.checks.order if not check.cause.absent and not (unknown and check.cause.unknown)]


def _by_trying(scenario: Scenario, checks: list[Check], p: Parameter, chosen: Places) -> Array:
    """The values of a parameter with which a random completion may run."""
    rng = np.random.default_rng(0)
    places: dict[str, Array] = {
        q.name: np.full(TRIED, chosen[q.name]) if q.name in chosen else rng.integers(0, len(q.values), TRIED) for q in scenario.parameters
    }
    columns = {q.atom: np.array(q.numbers, np.int64)[places[q.name]] for q in scenario.parameters}
    good = np.broadcast_to(first_broken(columns, checks), (TRIED,)) == VALID
    found: Array = np.zeros(len(p.values), bool)
    found[places[p.name][good]] = True
    return found
