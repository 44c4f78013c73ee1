"""Ray Tune's searchers, wrapped: no trial is started with a configuration that cannot run."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray.tune")

from ray.tune.search import ConcurrencyLimiter, Searcher
from ray.tune.search.search_generator import SearchGenerator

from tensorproof.diagnostics.errors import BadInput
from tensorproof.integrations import Space
from tensorproof.integrations.ray_tune import ValidSearcher

NET = Path(__file__).parent / "net.py"


@pytest.fixture(scope="module")
def space() -> Space:
    return Space.of_program(str(NET), {"kernel": [3], "stride": [1], "width": [8, 12], "heads": range(1, 9)}, entry="build")


class Listed(Searcher):
    """Suggests what it is given, and remembers what is reported to it."""

    def __init__(self, configs: list[dict[str, Any]]) -> None:
        super().__init__(metric="loss", mode="min")
        self.configs, self.told = list(configs), list[tuple[str, bool]]()

    def suggest(self, trial_id: str) -> Any:
        return self.configs.pop(0) if self.configs else Searcher.FINISHED

    def on_trial_complete(self, trial_id: str, result: Any = None, error: bool = False) -> None:
        self.told.append((trial_id, error))


def _config(heads: int) -> dict[str, Any]:
    return {"rate": 0.1, "model": {"kernel": 3, "stride": 1, "width": 8, "heads": heads}}


def test_a_suggestion_that_cannot_run_is_asked_again(space: Space) -> None:
    inner = Listed([_config(heads) for heads in (3, 5, 2, 8, 7)])
    searcher = ValidSearcher(space, inner)
    assert searcher.suggest("a") == _config(2)
    assert inner.told == [("a", True), ("a_1", True)] and searcher.rejected == 2
    searcher.on_trial_result("a", {"loss": 1.0})
    searcher.on_trial_complete("a", {"loss": 1.0})
    assert inner.told[-1] == ("a_2", False)
    assert searcher.suggest("b") == _config(8) and searcher.suggest("c") == Searcher.FINISHED


def test_none_after_too_many_attempts(space: Space) -> None:
    assert ValidSearcher(space, Listed([_config(3)] * 5), attempts=3).suggest("a") is None


def test_optuna_search_suggests_valid_configurations_alone(space: Space) -> None:
    pytest.importorskip("optuna")
    from ray import tune
    from ray.tune.search.optuna import OptunaSearch

    inner = OptunaSearch(metric="loss", mode="min", seed=0)
    searcher = ConcurrencyLimiter(ValidSearcher(space, inner), max_concurrent=2)
    config = {"kernel": 3, "stride": 1, "width": tune.choice([8, 12]), "heads": tune.randint(1, 9), "rate": tune.loguniform(1e-3, 1)}
    assert searcher.set_search_properties("loss", "min", config)
    for number in range(30):
        found = searcher.suggest(str(number))
        assert space.valid({"kernel": 3, "stride": 1, **found}), found
        searcher.on_trial_complete(str(number), {"loss": float(found["heads"])})
    assert searcher.searcher.rejected > 0


def test_its_state_is_kept_with_that_of_the_other_searcher(space: Space, tmp_path: Path) -> None:
    searcher = ValidSearcher(space, Listed([_config(3), _config(4)]))
    searcher.suggest("a")
    again = ValidSearcher(space, Listed([]))
    again.set_state(pickle.loads(pickle.dumps(searcher.get_state())))
    assert again.rejected == 1
    assert isinstance(SearchGenerator(searcher), SearchGenerator)
    assert pickle.loads(pickle.dumps(searcher)).space.count() == space.count()


def test_a_name_at_two_places_is_refused(space: Space) -> None:
    with pytest.raises(BadInput, match=r"heads at encoder\.heads and decoder\.heads"):
        ValidSearcher(space, Listed([{"encoder": {"heads": 1}, "decoder": {"heads": 2}}])).suggest("a")
