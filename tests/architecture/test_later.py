"""Functions that are imported when they are called exist, and none of their modules is loaded by declarations alone."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from tensorproof.catalogue import everything
from tensorproof.catalogue.where import WHERE
from tensorproof.ops.later import Later

FUNCTIONS = [op.evaluate for op in everything().values() if isinstance(op.evaluate, Later)]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f"{f.module}.{f.name}")
def test_the_function_exists(function: Later) -> None:
    assert callable(getattr(import_module(function.module), function.name))


def test_declarations_load_no_formulas() -> None:
    later = sorted({f.module for f in FUNCTIONS})
    assert len(later) > 20
    load = f"import sys; from tensorproof.catalogue import in_file; [in_file(f) for f in {sorted(set(WHERE.values()))!r}]"
    code = f"{load}; print(sorted(set({later!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
