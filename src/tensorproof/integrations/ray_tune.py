"""Ray Tune: a searcher that suggests no configuration which is known to fail, so that no trial is started with one.

    space = Space.of_program("train.py", {"kernel": range(1, 12), "model/heads": range(1, 9)}, entry="build")
    tune.TuneConfig(search_alg=ValidSearcher(space, OptunaSearch(metric="loss", mode="min")))

A parameter is the key of its name, at the top of the configuration or at the only place inside of it."""

from __future__ import annotations

import copy
from typing import Any

from ray.tune.search import Searcher
from ray.tune.search.util import _set_search_properties_backwards_compatible as set_properties

from tensorproof.integrations.configurations import found_in
from tensorproof.integrations.space import Space

ATTEMPTS = 1000
"""So many suggestions are tried; then there is none for the moment, and Ray asks again."""


class ValidSearcher(Searcher):  # type: ignore[misc]
    """Asks another searcher again until its suggestion may run; others are reported to it as failed. With `unknown=False` unknown vectors are rejected too."""

    def __init__(self, space: Space, searcher: Searcher, *, unknown: bool = True, attempts: int = ATTEMPTS) -> None:
        space.refuse_empty(unknown)
        self.space = space
        self.searcher = searcher
        self.unknown = unknown
        self.attempts = attempts
        self.rejected = 0
        """How many suggestions were rejected so far."""
        self._inner: dict[str, str] = {}
        super().__init__(metric=searcher.metric, mode=searcher.mode)

    def suggest(self, trial_id: str) -> dict[str, Any] | str | None:
        """The other searcher sees an id of its own for each attempt: some answer the same id with the same configuration."""
        for attempt in range(self.attempts):
            inner = trial_id if not attempt else f"{trial_id}_{attempt}"
            found: Any = self.searcher.suggest(inner)
            if found is None or found == Searcher.FINISHED:
                return found  # type: ignore[no-any-return]
            if self.space.possible(found_in(found, self.space.parameters), self.unknown):
                self._inner[trial_id] = inner
                return found  # type: ignore[no-any-return]
            self.rejected += 1
            self.searcher.on_trial_complete(inner, result=None, error=True)
        return None

    def on_trial_result(self, trial_id: str, result: dict[str, Any]) -> None:
        self.searcher.on_trial_result(self._inner.get(trial_id, trial_id), result)

    def on_trial_complete(self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False) -> None:
        self.searcher.on_trial_complete(self._inner.pop(trial_id, trial_id), result=result, error=error)

    def set_search_properties(self, metric: str | None, mode: str | None, config: dict[str, Any], **spec: object) -> bool:
        return bool(set_properties(self.searcher.set_search_properties, metric, mode, config, **spec))

    def set_max_concurrency(self, max_concurrent: int) -> bool:
        return bool(self.searcher.set_max_concurrency(max_concurrent))

    def add_evaluated_point(self, parameters: dict[str, Any], value: float, *args: object, **kwargs: object) -> None:
        self.searcher.add_evaluated_point(parameters, value, *args, **kwargs)

    def get_state(self) -> dict[str, Any]:
        return {"rejected": self.rejected, "inner": copy.copy(self._inner)}

    def set_state(self, state: dict[str, Any]) -> None:
        self.rejected, self._inner = state["rejected"], state["inner"]

    def save(self, checkpoint_path: str) -> None:
        self.searcher.save(checkpoint_path)

    def restore(self, checkpoint_path: str) -> None:
        self.searcher.restore(checkpoint_path)
