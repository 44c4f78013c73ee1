"""The command finds its own modules as Python's finder does, and leaves to it what is not as usual."""

import os
import py_compile
import sys
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path

import pytest

import tensorproof
from tensorproof.cli.own_modules import Finder

ROOT = list(tensorproof.__path__)


@pytest.mark.parametrize("name", ("terms", "terms.ints", "frontends.python.machine"))
def test_a_module_is_found_as_python_finds_it(name: str) -> None:
    folder = [os.path.join(ROOT[0], *name.split(".")[:-1])]
    ours, theirs = Finder.find_spec(f"tensorproof.{name}", folder), PathFinder.find_spec(f"tensorproof.{name}", folder)
    assert ours is not None and theirs is not None
    assert (ours.origin, ours.cached, ours.has_location, ours.parent) == (theirs.origin, theirs.cached, theirs.has_location, theirs.parent)
    assert ours.submodule_search_locations == theirs.submodule_search_locations
    assert isinstance(ours.loader, SourceFileLoader) and isinstance(theirs.loader, SourceFileLoader)
    assert ours.loader.get_code(ours.name) == theirs.loader.get_code(ours.name)


def test_what_is_not_ours_is_left() -> None:
    assert Finder.find_spec("json", None) is None
    assert Finder.find_spec("json.decoder", ROOT) is None
    assert Finder.find_spec("tensorproof.no_such_module", ROOT) is None


def test_a_stale_compiled_file_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    source = tmp_path / "fresh.py"
    source.write_text("value = 1\n")
    py_compile.compile(str(source))
    assert _value(tmp_path) == 1
    source.write_text("value = 22\n")
    assert _value(tmp_path) == 22


def test_a_damaged_compiled_file_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    source = tmp_path / "fresh.py"
    source.write_text("value = 1\n")
    assert _value(tmp_path) == 1  # there is none
    compiled = Path(py_compile.compile(str(source), doraise=True) or "")
    compiled.write_bytes(b"another Python's" + compiled.read_bytes()[16:])
    assert _value(tmp_path) == 1


def _value(folder: Path) -> int:
    spec = Finder.find_spec("tensorproof.fresh", [str(folder)])
    assert spec is not None and isinstance(spec.loader, SourceFileLoader)
    code, space = spec.loader.get_code(spec.name), dict[str, int]()
    assert code is not None
    exec(code, space)
    return space["value"]
