"""Optuna: a sampler that proposes no vector which is known to fail, so that no trial is spent on one.

    space = Space.of_program("train.py", {"kernel": range(1, 12), "stride": range(1, 5)}, entry="build")
    study = optuna.create_study(sampler=ValidSampler(space, TPESampler()))

`check(trial, space)` as a line of the objective prunes a trial before it is trained, under any sampler; it is spent all the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler, TPESampler
from optuna.trial import FrozenTrial, TrialState

from tensorproof.diagnostics.errors import BadInput
from tensorproof.integrations.space import Domain, Space

ATTEMPTS = 25
"""So many proposals of the inner sampler are tried before the last one is changed to the nearest values that are allowed."""


class ValidSampler(BaseSampler):  # type: ignore[misc]
    """Asks another sampler again until its proposal may run. What is proposed one parameter at a time is tested by whether a vector that may run has these
    values; parameters that the space does not have are left to the other sampler. With `unknown=False` unknown vectors are rejected as well."""

    def __init__(self, space: Space, sampler: BaseSampler | None = None, *, unknown: bool = True, attempts: int = ATTEMPTS) -> None:
        space.refuse_empty(unknown)
        self.space = space
        self.sampler = sampler if sampler is not None else TPESampler()
        self.unknown = unknown
        self.attempts = attempts
        self.rejected = 0
        """How many proposals were rejected so far."""
        self._together: dict[int, dict[str, Any]] = {}
        self._fitting: dict[str, BaseDistribution] = {}

    def infer_relative_search_space(self, study: optuna.Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        found: dict[str, BaseDistribution] = self.sampler.infer_relative_search_space(study, trial)
        return found

    def sample_relative(self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]) -> dict[str, Any]:
        given = self._given(trial)
        last: dict[str, Any] = {}
        for _ in range(self.attempts):
            values: dict[str, Any] = self.sampler.sample_relative(study, trial, search_space)
            own = self._own(values, search_space)
            if self.space.possible({**own, **given}, self.unknown):
                break
            self.rejected += 1
            if values == last:
                values = self._repaired(values, search_space, given)
                break
            last = values
        else:
            values = self._repaired(last, search_space, given)
        self._together[trial._trial_id] = self._own(values, search_space)
        return values

    def sample_independent(self, study: optuna.Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution) -> Any:
        if param_name not in self.space.parameters:
            return self.sampler.sample_independent(study, trial, param_name, param_distribution)
        self._fits(param_name, param_distribution)
        chosen = {**self._together.get(trial._trial_id, {}), **self._given(trial)}
        value = None
        for _ in range(self.attempts):
            value = self.sampler.sample_independent(study, trial, param_name, param_distribution)
            if self.space.possible({**chosen, param_name: value}, self.unknown):
                return value
            self.rejected += 1
        return self._nearest(param_name, value, param_distribution, chosen)

    def _given(self, trial: FrozenTrial) -> dict[str, Any]:
        """The values that a trial has already: those suggested so far, and those with which it was enqueued."""
        values = {**trial.system_attrs.get("fixed_params", {}), **trial.params}
        return {name: value for name, value in values.items() if name in self.space.parameters}

    def _own(self, values: Mapping[str, Any], distributions: Mapping[str, BaseDistribution]) -> dict[str, Any]:
        found = {name: value for name, value in values.items() if name in self.space.parameters}
        for name in found:
            self._fits(name, distributions[name])
        return found

    def _repaired(self, values: Mapping[str, Any], distributions: Mapping[str, BaseDistribution], given: Mapping[str, Any]) -> dict[str, Any]:
        """The values, one after the other changed to the nearest that is allowed."""
        chosen, result = dict(given), dict(values)
        for name in self._own(values, distributions):
            if name not in given:
                result[name] = chosen[name] = self._nearest(name, values[name], distributions[name], chosen)
        return result

    def _nearest(self, name: str, value: object, distribution: BaseDistribution, chosen: Mapping[str, Any]) -> Any:
        allowed = [v for v in self.space.allowed(name, chosen, self.unknown) if _contains(distribution, v)]
        if not allowed:
            others = ", ".join(f"{key}={one}" for key, one in chosen.items())
            raise BadInput(f"no value of {name} in {distribution} is valid with {others or 'any value'}; the study must sample from the space's own domains")
        at = self.space.place(name, value) or 0
        return min(allowed, key=lambda v: abs((self.space.place(name, v) or 0) - at))

    def _fits(self, name: str, distribution: BaseDistribution) -> None:
        """Refuse a distribution with values that the space does not have."""
        if self._fitting.get(name) == distribution or self.space.parameters[name].real:
            return
        strange = next((v for v in _values(name, distribution) if self.space.place(name, v) is None), None)
        if strange is not None:
            raise BadInput(f"the study samples {name}={strange!r}, which is not a value of the space; give both the same values")
        self._fitting[name] = distribution

    def before_trial(self, study: optuna.Study, trial: FrozenTrial) -> None:
        self.sampler.before_trial(study, trial)

    def after_trial(self, study: optuna.Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        self._together.pop(trial._trial_id, None)
        self.sampler.after_trial(study, trial, state, values)

    def reseed_rng(self) -> None:
        self.sampler.reseed_rng()


def check(trial: Any, space: Space, *, unknown: bool = True) -> None:
    """Prune a trial whose values so far cannot run, with the reason; for the objective, before it trains."""
    chosen = {name: value for name, value in trial.params.items() if name in space.parameters}
    if space.possible(chosen, unknown):
        return
    whole = len(chosen) == len(space.parameters)
    raise optuna.TrialPruned(space.explain(chosen) if whole else f"no valid vector has {', '.join(f'{k}={v}' for k, v in chosen.items())}")


def domains(distributions: Mapping[str, BaseDistribution]) -> dict[str, Domain]:
    """Optuna's distributions as the domains of a space; a continuous one is left out, since it touches no shape."""
    return {name: list(_values(name, one)) for name, one in distributions.items() if not isinstance(one, FloatDistribution)}


def _values(name: str, distribution: BaseDistribution) -> Sequence[Any]:
    match distribution:
        case IntDistribution(low=low, high=high, step=step):
            return range(low, high + 1, step)
        case CategoricalDistribution(choices=choices):
            return tuple(choices)
        case _:
            raise BadInput(f"the study samples {name} from {distribution}, and the space has whole numbers or choices")


def _contains(distribution: BaseDistribution, value: object) -> bool:
    return any(value == one and type(value) is type(one) for one in _values("", distribution))
