"""Each rule finds a bug that is patched into the library, with calls drawn as in any campaign, and says nothing of the library as it is."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tensorproof.equivalence.campaigns.campaign import Budget, Campaign, Plan
from tensorproof.equivalence.campaigns.job import Job, Work
from tensorproof.equivalence.campaigns.store import Store
from tensorproof.equivalence.dialects import dialect
from tensorproof.equivalence.rules import cuda, rules
from tests.library.patches import patches

BLOCKS = 6
"""Ten calls in each."""
FEW = 1
"""Of models, and of calls that are compiled, in the library as it is."""
SEED = 3


def named(patch: ModuleType) -> str:
    return patch.__name__.rpartition(".")[2]


def is_model(patch: ModuleType) -> bool:
    return str(patch.API).startswith("models.")


def of(library: str) -> list[Any]:
    """Those of a library; models take long."""
    return [pytest.param(p, id=named(p), marks=[pytest.mark.slow] if is_model(p) else []) for p in patches() if library == p.LIBRARY]


@cache
def work(library: str) -> Work:
    pytest.importorskip(library)
    made = Work(library, dialect(library))
    if library == "torch":
        made.rules["cuda"] = cuda.rule("cpu")
    return made


def findings(patch: ModuleType, until_found: bool) -> list[dict[str, Any]]:
    """What the rule reports for the calls of the patch's name."""
    on, found, accepted = work(patch.LIBRARY), [], 0
    if why := on.rules[patch.RULE].ready():
        pytest.skip(why)
    few = (is_model(patch) or on.rules[patch.RULE].batched) and not until_found
    for block in range(FEW if few else BLOCKS):
        result = on.run(Job("test", patch.LIBRARY, (patch.API,), (patch.RULE,), block, SEED))
        accepted += result.accepted
        found += [f for f in result.findings if f["verdict"] == "finding"]
        if found and until_found:
            break
    assert accepted, f"no call of {patch.API} is accepted"
    return found


def check(patch: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [f["words"] for f in findings(patch, until_found=False)] == []
    with monkeypatch.context() as patched:
        patch.patch(patched.setattr)
        assert findings(patch, until_found=True), f"{patch.RULE} does not find: {patch.__doc__}"


@pytest.mark.parametrize("patch", of("torch"))
def test_a_bug_of_torch_is_found(patch: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    check(patch, monkeypatch)


@pytest.mark.parametrize("patch", of("tensorflow"))
def test_a_bug_of_tensorflow_or_keras_is_found(patch: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    check(patch, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("patch", patches(), ids=named)
def test_a_campaign_finds_it(patch: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In a worker, within a minute."""
    pytest.importorskip(patch.LIBRARY)
    if why := work(patch.LIBRARY).rules[patch.RULE].ready():
        pytest.skip(why)
    if patch.RULE == "cuda" and cuda.RULE.ready():
        pytest.skip(cuda.RULE.ready())
    monkeypatch.setenv("TENSORPROOF_PATCH", named(patch))
    store, plan = Store(str(tmp_path / "store.db")), Plan(patch.LIBRARY, SEED, (patch.API,), (patch.RULE,))
    rule = work(patch.LIBRARY).rules[patch.RULE]
    blocks = FEW * 2 * rule.thin if is_model(patch) or rule.batched else BLOCKS
    Campaign(plan, store, Budget(calls=10 * blocks), preload="tests.library.preload").run()
    assert store.findings()


def test_each_rule_has_a_patch() -> None:
    assert {rule.name for rule in rules()} == {patch.RULE for patch in patches()}
