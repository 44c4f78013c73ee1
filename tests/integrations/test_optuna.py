"""Optuna's own samplers, wrapped: no trial is spent on a vector that cannot run."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

optuna = pytest.importorskip("optuna")
pytest.importorskip("torch")

from tensorproof.diagnostics.errors import BadInput  # noqa: E402
from tensorproof.integrations import Space  # noqa: E402
from tensorproof.integrations.optuna import ValidSampler, check, domains  # noqa: E402

NET = Path(__file__).parent / "net.py"
DISTRIBUTIONS = {
    "kernel": optuna.distributions.IntDistribution(1, 12),
    "stride": optuna.distributions.IntDistribution(1, 4),
    "width": optuna.distributions.CategoricalDistribution([8, 12]),
    "heads": optuna.distributions.IntDistribution(1, 8),
    "rate": optuna.distributions.FloatDistribution(1e-3, 1.0),
}
SAMPLERS: dict[str, Any] = {
    "random": lambda: optuna.samplers.RandomSampler(seed=1),
    "tpe": lambda: optuna.samplers.TPESampler(seed=1, n_startup_trials=5),
    "tpe, one parameter at a time": lambda: optuna.samplers.TPESampler(seed=1, multivariate=False, n_startup_trials=5),
    "nsga": lambda: optuna.samplers.NSGAIISampler(seed=1, population_size=8),
    "qmc": lambda: optuna.samplers.QMCSampler(seed=1),
}


@pytest.fixture(scope="module")
def space() -> Space:
    return Space.of_program(str(NET), domains(DISTRIBUTIONS), entry="build")


@pytest.fixture(autouse=True)
def quiet() -> None:
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)


def _build() -> Any:
    spec = importlib.util.spec_from_file_location("net", NET)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.build


def _objective(trial: Any) -> float:
    values = {name: trial._suggest(name, one) for name, one in DISTRIBUTIONS.items()}
    _build()(**{name: value for name, value in values.items() if name != "rate"})
    return float(values["kernel"] + values["heads"] + values["rate"])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SAMPLERS)
def test_no_trial_is_spent(name: str, space: Space) -> None:
    sampler = ValidSampler(space, SAMPLERS[name]())
    study = optuna.create_study(sampler=sampler)
    study.optimize(_objective, n_trials=20)
    assert [trial.state.name for trial in study.trials] == ["COMPLETE"] * 20
    assert sampler.rejected > 0


@pytest.mark.filterwarnings("ignore")
def test_no_trial_is_spent_in_threads(space: Space) -> None:
    study = optuna.create_study(sampler=ValidSampler(space, optuna.samplers.TPESampler(seed=1, n_startup_trials=5)))
    study.optimize(_objective, n_trials=16, n_jobs=3)
    assert [trial.state.name for trial in study.trials] == ["COMPLETE"] * 16


def test_a_sampler_that_repeats_itself_is_changed_to_the_nearest_values(space: Space) -> None:
    class Stubborn(optuna.samplers.RandomSampler):  # type: ignore[misc,name-defined]
        def infer_relative_search_space(self, study: Any, trial: Any) -> Any:
            return {name: one for name, one in DISTRIBUTIONS.items() if name != "rate"}

        def sample_relative(self, study: Any, trial: Any, search_space: Any) -> Any:
            return {"kernel": 12, "stride": 1, "width": 8, "heads": 7}

    study = optuna.create_study(sampler=ValidSampler(space, Stubborn(seed=0)))
    study.optimize(_objective, n_trials=1)
    assert {name: study.trials[0].params[name] for name in ("kernel", "stride", "width", "heads")} == {"kernel": 12, "stride": 1, "width": 8, "heads": 8}


def test_enqueued_values_are_kept(space: Space) -> None:
    study = optuna.create_study(sampler=ValidSampler(space, optuna.samplers.RandomSampler(seed=2)))
    for _ in range(10):
        study.enqueue_trial({"heads": 3})
    study.optimize(_objective, n_trials=10)
    assert all(trial.params["heads"] == 3 and trial.params["width"] == 12 for trial in study.trials)


def test_a_line_of_the_objective_prunes_with_the_reason(space: Space) -> None:
    reasons = []

    def objective(trial: Any) -> float:
        values = {name: trial._suggest(name, one) for name, one in DISTRIBUTIONS.items()}
        try:
            check(trial, space)
        except optuna.TrialPruned as pruned:
            reasons.append(str(pruned))
            raise
        _build()(**{name: value for name, value in values.items() if name != "rate"})
        return 0.0

    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=15)
    assert {trial.state.name for trial in study.trials} == {"COMPLETE", "PRUNED"} and all("net.py:" in reason for reason in reasons)


def test_a_study_with_other_values_than_the_space_is_refused(space: Space) -> None:
    study = optuna.create_study(sampler=ValidSampler(space, optuna.samplers.RandomSampler(seed=0)))
    with pytest.raises(BadInput, match="the study samples heads=9"):
        study.optimize(lambda trial: float(trial.suggest_int("heads", 1, 9)), n_trials=1)


def test_a_space_without_a_valid_vector_is_refused() -> None:
    none = Space.of_program(str(NET), {"kernel": [3], "stride": [1], "width": [8], "heads": [3, 5]}, entry="build")
    with pytest.raises(BadInput, match=r"no vector of the space is valid: .*heads"):
        ValidSampler(none)
