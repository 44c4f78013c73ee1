"""Seeded mutants of TensorFlow and Keras programs with what TensorFlow 2.21 did with them (`benchmarks/tf_mutants.py --store` writes them).

Those that fail are found at a line of TensorFlow's traceback, at the edit, or with one of them on the trail; those that run get no error.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tensorproof.app.check import check_source
from tensorproof.app.program import Options
from tensorproof.diagnostics.diagnostic import Severity
from tensorproof.frontends.python.modules.source import parse

MUTANTS = [json.loads(line) for line in Path(__file__).with_name("mutants_tf.jsonl").read_text(encoding="utf-8").splitlines()]


def errors(mutant: dict[str, Any]) -> list[Any]:
    program = check_source(parse("program.py", mutant["text"]), Options(arguments=tuple(mutant["arguments"])))
    return [d for d in program.diagnostics if d.severity is Severity.ERROR]


@pytest.mark.parametrize("mutant", [m for m in MUTANTS if m["error"]], ids=lambda m: f"{m['kind']}: {m['program']}")
def test_a_mutant_that_fails_is_found(mutant: dict[str, Any]) -> None:
    found = errors(mutant)
    told = {span.line for d in found for span in (d.span, *(step.span for step in d.trail))}
    assert told & set(mutant["lines"]), [d.message for d in found]


@pytest.mark.parametrize("mutant", [m for m in MUTANTS if not m["error"]], ids=lambda m: f"{m['kind']}: {m['program']}")
def test_a_mutant_that_runs_gets_no_error(mutant: dict[str, Any]) -> None:
    assert not errors(mutant)


def test_there_are_forty_of_ten_kinds() -> None:
    assert len(MUTANTS) >= 40 and len({m["kind"] for m in MUTANTS}) >= 10
