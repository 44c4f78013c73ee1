"""A rule knows no framework: what libraries do differently are options of operators, said in `bindings/options`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tensorproof.bindings.options import options
from tensorproof.catalogue import find
from tensorproof.catalogue.where import WHERE

SOURCE = Path(__file__).parents[2] / "src" / "tensorproof"
RULES = [path for folder in ("catalogue", "ops") for path in sorted((SOURCE / folder).rglob("*.py"))]
FRAMEWORKS = ("torch", "tf", "keras", "numpy", "onnx")
ARRAYS = {"ops/element_types.py": 3}
"""Comparisons of what made a tensor, not of what computes it: arrays and lists that are no tensors of TensorFlow yet."""


def _is_framework(node: ast.expr) -> bool:
    return (isinstance(node, ast.Attribute) and node.attr == "framework") or (isinstance(node, ast.Name) and node.id == "framework")


def compared(path: Path) -> Iterator[int]:
    """The lines where a framework is compared with anything but another one."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Match) and _is_framework(node.subject):
            yield node.lineno
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(map(_is_framework, sides)) and not all(map(_is_framework, sides)):
                yield node.lineno


def test_no_rule_asks_for_the_framework() -> None:
    found = {path.relative_to(SOURCE).as_posix(): lines for path in RULES if (lines := list(compared(path)))}
    left = {name: lines for name, lines in found.items() if len(lines) > ARRAYS.get(name, 0)}
    assert left == {}, 'read an option, c.option("name"), which bindings/options states for the library'


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_options_name_operators(framework: str) -> None:
    assert sorted(set(options(framework)) - set(WHERE) - {"*"}) == []


def _is_attribute(operator: str, word: str) -> bool:
    op = find(operator)
    return op is not None and op.parameter(word) is not None


def test_every_option_is_read_and_every_read_option_stated() -> None:
    attributes = {word for framework in FRAMEWORKS for name, given in options(framework).items() for word in given if _is_attribute(name, word)}
    read = {word for path in RULES for word in re.findall(r'option\("(\w+)"\)|"(\w+)" in session\.everywhere', path.read_text(encoding="utf-8"))}
    stated = {word for framework in FRAMEWORKS for given in options(framework).values() for word in given}
    assert sorted({a or b for a, b in read} ^ (stated - attributes)) == []
