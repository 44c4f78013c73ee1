"""Every entry of every library file is found under its own name: none is shadowed, none is out of reach."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tensorproof.libraries import homes, registry, results
from tensorproof.libraries.keras.names import canonical
from tensorproof.terms.records import replace

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
make_homes = importlib.import_module("make_homes")
FILES = make_homes.declared()
PLAIN = {file: [name for name in names if not name.endswith(".*")] for file, names in FILES.items()}


def test_no_name_is_declared_twice() -> None:
    assert make_homes.twice(FILES) == {}


def test_two_files_with_one_name_are_seen() -> None:
    assert make_homes.twice({"a": ["x", "y"], "b": ["y"]}) == {"y": ["a", "b"]}


def test_the_table_is_fresh() -> None:
    assert make_homes.TARGET.read_text(encoding="utf-8") == make_homes.text(FILES), "run python tools/make_homes.py"


def _is(found: Any, model: Any, rows: Mapping[str, Any]) -> bool:
    """Whether it is the model of the table, with the methods that are rows of results.txt."""
    return found is model or (found == replace(model, methods=found.methods) and set(found.methods) == {*rows, *model.methods})


@pytest.mark.parametrize("file", PLAIN)
def test_every_entry_is_found_under_its_own_name(file: str) -> None:
    module = registry.file_named(file)
    for name, run in getattr(module, "FUNCTIONS", {}).items():
        assert registry.function(name) is run, name
    for name, model in getattr(module, "CLASSES", {}).items():
        assert _is(registry.class_model(name), model, results.of_owner("class", name)), name
    for name, model in getattr(module, "KINDS", {}).items():
        assert _is(registry.kind_model(name), model, results.of_owner("object", name)), name
    assert {name: homes.home(name) for name in PLAIN[file]} == dict.fromkeys(PLAIN[file], file)


@pytest.mark.parametrize("file", PLAIN)
def test_no_entry_has_a_name_that_is_read_as_another(file: str) -> None:
    """`tf.keras.initializers.Zeros` is `keras.initializers.Zeros`: an entry under the first would never be asked for."""
    assert {name: canonical(name) for name in PLAIN[file] if canonical(name) != name} == {}


@pytest.mark.parametrize("file", [file for file, names in FILES.items() if names != PLAIN[file]])
def test_a_file_that_answers_for_a_family_has_a_function_for_it(file: str) -> None:
    module = registry.file_named(file)
    for name in module.SPEAKS_FOR:
        assert homes.family(f"{name}.anything") == file
    assert callable(module.others)
