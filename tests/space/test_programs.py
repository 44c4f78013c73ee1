"""Every vector's verdict is what the real library says (programs.md)."""

from __future__ import annotations

import random
import re
import warnings
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tensorproof.app.program import Options
from tensorproof.app.spaces.report import space
from tensorproof.engines.space.deciding import Deciding
from tensorproof.engines.space.parameters import parameter

MOST_RUN = 150
PROGRAMS = [
    (title, text)
    for title, text in re.findall(r"^## (.+?)\n.*?```python\n(.*?)```", (Path(__file__).parent / "programs.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
]


@pytest.mark.parametrize("text", [text for _, text in PROGRAMS], ids=[title for title, _ in PROGRAMS])
def test_verdicts_are_true(text: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    file = tmp_path / "program.py"
    file.write_text(text, "utf-8")
    parameters = [parameter(line) for line in re.findall(r"^# param: (.+)$", text, re.MULTILINE)]
    found = space(str(file), parameters, Options((), "build"))
    deciding = Deciding(found.parameters, found.scenarios)
    names: dict[str, Any] = {"__name__": "program"}
    exec(compile(text, str(file), "exec"), names)
    vectors = [dict(zip([p.name for p in parameters], values)) for values in product(*(p.values for p in parameters))]
    vectors = [v for v in vectors if all(p.needs is None or v[p.needs[0]] in p.needs[1] or v[p.name] == p.values[0] for p in parameters)]
    assert found.vectors == len(vectors) and not found.unknown
    for vector in random.Random(0).sample(vectors, min(MOST_RUN, len(vectors))):
        cause = deciding.cause(vector)
        assert (cause is None) is _runs(names["build"], vector), (vector, cause)


def _runs(build: Any, vector: dict[str, Any]) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            build(**vector)
        except Exception:
            return False
    return True
