"""A space as a Python object: verdicts, causes, partial vectors, and several spaces in one process."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from tensorproof.diagnostics.errors import BadInput
from tensorproof.integrations import Space, Verdict

NET = Path(__file__).parent / "net.py"
DOMAINS: dict[str, Any] = {"kernel": range(1, 13), "stride": range(1, 5), "width": [8, 12], "heads": range(1, 9), "act": ["relu", "gelu"]}
GOOD = {"kernel": 3, "stride": 1, "width": 12, "heads": 3, "act": "relu"}


@pytest.fixture(scope="module")
def space() -> Space:
    return Space.of_program(str(NET), DOMAINS, entry="build")


def test_a_vector_has_a_verdict_and_a_cause(space: Space) -> None:
    assert space.verdict(GOOD) is Verdict.VALID and space.valid(GOOD) and space.cause(GOOD) is None and space.explain(GOOD) == ""
    bad = {**GOOD, "heads": 5, "learning_rate": 0.1}
    cause = space.cause(bad)
    assert space.verdict(bad) is Verdict.INVALID and cause is not None and cause.category and str(cause.span.line) in space.explain(bad)
    assert space.nearest(bad) in ({**GOOD, "heads": 4}, {**GOOD, "heads": 6}) and space.nearest(GOOD) == GOOD


def test_the_core_of_an_invalid_vector_is_minimal(space: Space) -> None:
    assert space.core({**GOOD, "heads": 5}) == {"heads": 5} and space.core({**GOOD, "width": 8, "heads": 3}) == {"width": 8, "heads": 3}
    assert space.core(GOOD) == {}
    for vector in list(space.vectors(Verdict.INVALID))[::97]:
        core = space.core(vector)
        assert not space.possible(core) and all(space.possible({n: v for n, v in core.items() if n != name}) for name in core)


def test_counts_and_lists_agree(space: Space) -> None:
    for verdict in Verdict:
        assert space.count(verdict) == len(list(space.vectors(verdict)))
    assert space.count() + space.count(Verdict.INVALID) == 12 * 4 * 2 * 8 * 2
    assert all(space.valid(v) for v in space.vectors()) and "heads divides width" in space.region()
    assert sum(group.count for group in space.causes()) == space.count(Verdict.INVALID)


def test_values_that_are_chosen_so_far(space: Space) -> None:
    assert space.allowed("heads", {"width": 8}) == [1, 2, 4, 8]
    assert space.allowed("width", {"heads": 3, "kernel": 2}) == [12]
    assert not space.possible({"heads": 5}) and space.possible({}) and space.possible({"heads": 8, "act": "gelu"})


def test_a_large_space_completes_vectors_as_a_small_one_does(space: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensorproof.engines.space.completing.MOST_IN_GRID", 0)
    monkeypatch.setattr("tensorproof.engines.space.completing.TRIED", 7)
    large = Space.of_program(str(NET), DOMAINS, entry="build")
    for chosen in ({}, {"width": 8}, {"heads": 6}, {"heads": 5}, {"kernel": 12, "stride": 4}):
        for name in set(DOMAINS) - set(chosen):
            assert large.allowed(name, chosen) == space.allowed(name, chosen), (name, chosen)


def test_spaces_live_beside_each_other(space: Space) -> None:
    before = [space.verdict({**GOOD, "heads": heads}) for heads in range(1, 9)]
    other = Space.of_program(str(NET), {**DOMAINS, "heads": range(1, 5), "kernel": range(1, 40)}, entry="build")
    again = Space.of_program(str(NET), DOMAINS, entry="build")
    assert [space.verdict({**GOOD, "heads": heads}) for heads in range(1, 9)] == before
    assert other.verdict({**GOOD, "kernel": 39}) is Verdict.INVALID and space.allowed("heads", {"width": 8}) == [1, 2, 4, 8]
    assert again.report.analyses == space.report.analyses and again.region() == space.region()


def test_a_space_travels_to_other_processes(space: Space) -> None:
    there: Space = pickle.loads(pickle.dumps(space))
    assert (there.count(), there.region()) == (space.count(), space.region())
    assert all(there.explain({**GOOD, "heads": heads}) == space.explain({**GOOD, "heads": heads}) for heads in range(1, 9))
    assert there.allowed("heads", {"width": 8}) == [1, 2, 4, 8]


def test_a_parameter_that_counts_only_with_another() -> None:
    space = Space.of_program(str(NET), {**DOMAINS, "attention": [True, False], "heads": "1..8 if attention=true"}, entry="build")
    without = {name: value for name, value in GOOD.items() if name != "heads"}
    assert space.valid({**without, "attention": False}) and space.valid({**without, "attention": False, "heads": 5})
    assert not space.valid({**GOOD, "attention": True, "heads": 5}) and space.allowed("attention", {"heads": 5}) == [False]
    with pytest.raises(BadInput, match="no value for heads"):
        space.valid({**without, "attention": True})


def test_inputs_and_numpy_numbers(tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    file = tmp_path / "net.py"
    file.write_text("from torch import nn\ndef build(x, kernel):\n    return nn.Conv2d(3, 4, kernel)(x)\n", "utf-8")
    space = Space.of_program(str(file), {"kernel": numpy.arange(1, 6), "size": range(1, 6)}, entry="build", inputs={"x": (2, 3, "size", "size")})
    assert space.count() == 15 and space.region() == ["kernel <= size"] and space.valid({"kernel": numpy.int64(3), "size": 3})


def test_a_space_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET.read_text("utf-8"), "utf-8")
    text = "program = 'net.py'\nentry = 'build'\n[param]\nheads = '1..8'\n[default]\nkernel = 3\nstride = 1\nwidth = 12\n"
    (tmp_path / "space.toml").write_text(text, "utf-8")
    assert Space.of_file(str(tmp_path / "space.toml")).count() == 5


@pytest.mark.parametrize(
    "domains, about",
    [
        ({**DOMAINS, "heads": []}, "heads: there is no value"),
        ({**DOMAINS, "heads": [None]}, "which is not a number, text or truth value"),
        ({**DOMAINS, "heads": "8..1"}, "there is no value"),
        ({**DOMAINS, "heads": range(10**7)}, "at most 1,000,000 values"),
        ({**DOMAINS, "head": [1]}, "the closest names are heads"),
    ],
)
def test_domains_that_do_not_fit(domains: dict[str, Any], about: str) -> None:
    with pytest.raises(BadInput, match=about):
        Space.of_program(str(NET), domains, entry="build")


@pytest.mark.parametrize(
    "vector, about",
    [
        ({**GOOD, "heads": 9}, "heads=9 is not a value of the space"),
        ({**GOOD, "heads": 3.0}, "heads=3.0 is not a value of the space"),
        ({"kernel": 3, "stride": 1, "width": 12, "head": 3, "act": "relu"}, "no value for heads; the closest names are head"),
    ],
)
def test_vectors_that_do_not_fit(space: Space, vector: dict[str, Any], about: str) -> None:
    with pytest.raises(BadInput, match=about):
        space.verdict(vector)
