"""KerasTuner's tuners, hooked: no trial is spent on values that cannot run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

keras_tuner = pytest.importorskip("keras_tuner")

from tensorproof.integrations import Space  # noqa: E402
from tensorproof.integrations.keras_tuner import only_valid  # noqa: E402

PROGRAM = """
import keras

def build(kernel, pool, groups, rate=0.1):
    x = inputs = keras.Input((8, 8, 4))
    x = keras.layers.Conv2D(8, kernel, groups=groups)(x)
    x = keras.layers.MaxPooling2D(pool)(x)
    outputs = keras.layers.Dense(1)(keras.layers.Flatten()(x))
    return keras.Model(inputs, outputs)
"""


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Space:
    file = tmp_path_factory.mktemp("keras") / "net.py"
    file.write_text(PROGRAM, "utf-8")
    return Space.of_program(str(file), {"kernel": range(1, 10), "pool": range(1, 5), "groups": [1, 2, 3, 4]}, entry="build")


def _values(hp: Any) -> object:
    """What a hypermodel asks for; nothing is built."""
    hp.Int("kernel", 1, 9)
    hp.Int("pool", 1, 4)
    hp.Choice("groups", [3, 1, 2, 4], default=3)
    hp.Float("rate", 0.1, 1.0, step=0.3)
    return object()


def _tuner(kind: str, space: Space, folder: Path, tried: list[dict[str, Any]]) -> Any:
    """A tuner of KerasTuner whose trials fail where the values cannot run, and are not trained."""
    base: Any = getattr(keras_tuner, kind)

    class Tuner(base):  # type: ignore[misc]
        def run_trial(self, trial: Any, *args: Any, **kwargs: Any) -> float:
            tried.append(dict(trial.hyperparameters.values))
            if not space.valid(tried[-1]):
                raise keras_tuner.errors.FailedTrialError("these values cannot run")
            return float(tried[-1]["kernel"])

    options: dict[str, Any] = {"max_epochs": 4} if kind == "Hyperband" else {"max_trials": 12}
    objective = keras_tuner.Objective("default_objective", "min")
    return Tuner(_values, objective=objective, directory=str(folder), project_name=kind, overwrite=True, **options)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["RandomSearch", "GridSearch", "Hyperband", "BayesianOptimization"])
def test_no_trial_is_spent(kind: str, space: Space, tmp_path: Path) -> None:
    if kind == "BayesianOptimization":
        pytest.importorskip("sklearn")
    tried: list[dict[str, Any]] = []
    tuner = _tuner(kind, space, tmp_path, tried)
    only_valid(tuner, space)
    tuner.search(verbose=0)
    assert len(tried) >= 10 and all(space.valid(values) for values in tried)
    assert all(trial.status == "COMPLETED" for trial in tuner.oracle.trials.values())


def test_what_another_oracle_proposes_is_changed_to_the_nearest_values(space: Space) -> None:
    class Stubborn(keras_tuner.Oracle):  # type: ignore[misc,name-defined]
        def populate_space(self, trial_id: str) -> dict[str, Any]:
            return {"status": "RUNNING", "values": {"kernel": 9, "pool": 1, "groups": 3, "rate": 0.7}}

    oracle = Stubborn(objective=keras_tuner.Objective("loss", "min"), max_trials=3)
    only_valid(oracle, space)
    found = oracle.populate_space("0")
    assert space.valid(found["values"]) and found["values"] == {"kernel": 8, "pool": 1, "groups": 2, "rate": 0.7}


@pytest.mark.filterwarnings("ignore")
def test_without_the_hook_a_tuner_gives_up(space: Space, tmp_path: Path) -> None:
    tried: list[dict[str, Any]] = []
    with pytest.raises(RuntimeError, match="consecutive failures"):
        _tuner("GridSearch", space, tmp_path, tried).search(verbose=0)
    assert not any(space.valid(values) for values in tried[-3:])
