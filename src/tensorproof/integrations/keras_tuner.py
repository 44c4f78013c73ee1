"""KerasTuner: a hook by which a tuner tries no values that are known to fail.

    tuner = keras_tuner.RandomSearch(build, objective="val_loss", max_trials=50)
    only_valid(tuner, space)
    tuner.search(x, y)

Without it a tuner stops after three failed trials in a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras_tuner

from tensorproof.integrations.configurations import found_in
from tensorproof.integrations.space import Space

ATTEMPTS = 10_000


class _Valid:
    """The oracle's own ways to values, each asked again until these may run."""

    def __init__(self, oracle: Any, space: Space, unknown: bool) -> None:
        self.space = space
        self.unknown = unknown
        self.random: Callable[[], Any] = oracle._random_values
        self.populate: Callable[[str], Any] = oracle.populate_space
        self.following: Callable[[Any], Any] | None = getattr(oracle, "_get_next_combination", None)

    def runs(self, values: Any) -> bool:
        return self.space.possible(found_in(values, self.space.parameters), self.unknown)

    def random_values(self) -> Any:
        """Random values that may run; None when none are left, as the oracle has it."""
        for _ in range(ATTEMPTS):
            values = self.random()
            if values is None or self.runs(values):
                return values
        return None

    def next_combination(self, values: Any) -> Any:
        """The next combination of a grid that may run."""
        assert self.following is not None
        values = self.following(values)
        while values is not None and not self.runs(values):
            values = self.following(values)
        return values

    def populate_space(self, trial_id: str) -> Any:
        """Values from elsewhere (a grid's defaults, a model's optimum) are changed to the next of the grid, or the nearest that may run."""
        answer = self.populate(trial_id)
        values = answer.get("values")
        if answer["status"] != "RUNNING" or values is None or self.runs(values):
            return answer
        if self.following is not None:
            values = self.next_combination(values)
            return {"status": "RUNNING" if values is not None else "STOPPED", "values": values}
        return {**answer, "values": {**values, **self.space.repaired(found_in(values, self.space.parameters), self.unknown)}}


def only_valid(tuner: keras_tuner.Tuner | keras_tuner.Oracle, space: Space, *, unknown: bool = True) -> None:
    """Let a tuner, or an oracle, try only values that may run; with `unknown=False` only those that are proved to."""
    space.refuse_empty(unknown)
    oracle: Any = getattr(tuner, "oracle", tuner)
    valid = _Valid(oracle, space, unknown)
    oracle._random_values = valid.random_values
    oracle.populate_space = valid.populate_space
    if valid.following is not None:
        oracle._get_next_combination = valid.next_combination
