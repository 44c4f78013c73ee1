"""ConfigSpace's forbidden clauses forbid what is invalid, and nothing else."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest

ConfigSpace = pytest.importorskip("ConfigSpace")

from tensorproof.diagnostics.errors import BadInput  # noqa: E402
from tensorproof.integrations import Space, Verdict  # noqa: E402
from tensorproof.integrations.configspace import clauses, to_configspace  # noqa: E402

NET = Path(__file__).parent / "net.py"
DOMAINS: dict[str, Any] = {"kernel": range(10, 19), "stride": [1, 2, 4], "width": [8, 12], "attention": [True, False], "heads": "1..4 if attention=true"}


def test_the_clauses_forbid_the_invalid_vectors_alone() -> None:
    space = Space.of_program(str(NET), DOMAINS, entry="build")
    found = to_configspace(space, seed=0)
    for kernel, stride, width, attention, heads in product(range(10, 19), [1, 2, 4], [8, 12], [True, False], range(1, 5)):
        vector = {"kernel": kernel, "stride": stride, "width": width, "attention": attention} | ({"heads": heads} if attention else {})
        try:
            ConfigSpace.Configuration(found, values=vector)
            legal = True
        except ConfigSpace.exceptions.ForbiddenValueError:
            legal = False
        assert legal is space.valid(vector), vector


def test_samples_are_valid() -> None:
    space = Space.of_program(str(NET), {**DOMAINS, "act": ["relu", "gelu"]}, entry="build")
    assert all(space.valid(dict(one)) for one in to_configspace(space, seed=0).sample_configuration(100))


def test_enumerated_parameters_stand_in_the_clauses(tmp_path: Path) -> None:
    file = tmp_path / "net.py"
    text = "import torch\nfrom torch import nn\ndef build(depth, size):\n    x = torch.zeros(1, 1, size, size)\n"
    file.write_text(text + "    for i in range(depth):\n        x = nn.MaxPool2d(2)(x)\n    return x\n", "utf-8")
    space = Space.of_program(str(file), {"depth": range(1, 6), "size": range(2, 20)}, entry="build")
    assert space.count(Verdict.UNKNOWN) == 0
    found = to_configspace(space, seed=0)
    assert all(space.valid(dict(one)) for one in found.sample_configuration(100))
    forbidden = {(d, s) for d in range(1, 6) for s in range(2, 20) if any(_in(clause, {"depth": d - 1, "size": s - 2}) for clause in clauses(space))}
    assert len(forbidden) == space.count(Verdict.INVALID)


def _in(clause: Any, places: dict[str, int]) -> bool:
    return all(places[name] in some for name, some in clause)


def test_a_space_without_a_valid_vector_is_refused() -> None:
    with pytest.raises(BadInput, match="no vector of the space is valid"):
        to_configspace(Space.of_program(str(NET), {"kernel": [30, 31], "stride": [1], "width": [8], "heads": [1]}, entry="build"))
