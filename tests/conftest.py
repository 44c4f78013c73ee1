"""`pytest --fast`: what can be tried in about a minute without torch and TensorFlow; they are not imported even where they are installed.

Run: the architecture, the catalogue, the printed findings and the unit tests, without files that import a framework, and every eighth program, the same ones
each time. The other suites run without `--fast`, and in CI.
"""

from __future__ import annotations

import os
import re
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FRAMEWORKS = ("torch", "torchvision", "tensorflow", "keras", "onnx", "onnxruntime")
SUITES = ("architecture", "catalogue", "golden", "programs", "unit")
ONE_OF = 8
_IMPORTS = re.compile(rf"^\s*(?:import|from) (?:{'|'.join(FRAMEWORKS)})\b|importorskip|tests\.conformance", re.MULTILINE)


os.environ["TENSORPROOF_FROZEN"] = "1"  # here and in child processes, nothing may assign to a field of a frozen record


class Refused(MetaPathFinder):
    """Frameworks are not there."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name.partition(".")[0] in FRAMEWORKS:
            raise ModuleNotFoundError(f"{name} is not imported with --fast", name=name)
        return None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fast", action="store_true", help="about a minute: no torch, no TensorFlow, one program in eight")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("fast"):
        sys.meta_path.insert(0, Refused())


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if not config.getoption("fast") or not collection_path.is_relative_to(HERE):
        return None
    suite = collection_path.relative_to(HERE).parts[:1]
    if suite and (HERE / suite[0]).is_dir() and suite[0] not in SUITES:
        return True
    return True if collection_path.suffix == ".py" and _IMPORTS.search(collection_path.read_text(encoding="utf-8")) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("fast"):
        programs = [item for item in items if item.path.parent.name == "programs"]
        left = {id(item) for at, item in enumerate(programs) if at % ONE_OF}
        left |= {id(item) for item in items if item.get_closest_marker("slow") is not None}
        config.hook.pytest_deselected(items=[item for item in items if id(item) in left])
        items[:] = [item for item in items if id(item) not in left]
