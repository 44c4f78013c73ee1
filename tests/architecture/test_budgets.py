"""Limits of an analysis stand in one record (`terms/budgets.py`); a file that needs one reads it there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "tensorproof"
LISTED = Path(__file__).parent / "other_limits.txt"
NAME = re.compile(r"_?[A-Z_]*(?:MOST|LONGEST|DEEPEST|WIDEST|SECONDS|ENOUGH|ROUNDS|BUDGET)[A-Z_]*")


def own_limits(tree: ast.Module) -> list[str]:
    """The constants of a module that are limits by their name, and are numbers written there."""
    found = []
    for node in tree.body:
        if not isinstance(node, ast.Assign) or any(isinstance(part, (ast.Name, ast.Dict)) for part in ast.walk(node.value)):
            continue
        if isinstance(node.targets[0], ast.Name) and NAME.fullmatch(node.targets[0].id):
            found.append(node.targets[0].id)
    return found


def test_a_limit_is_found_by_its_name() -> None:
    assert own_limits(ast.parse("MOST_PATHS = 64\nMOST_ITEMS = BUDGETS.containers.items\nNAMES = 3\n_DEEPEST = 1 << 3\n")) == ["MOST_PATHS", "_DEEPEST"]


def test_limits_stand_in_the_record() -> None:
    """Listed apart: how much a message or a page shows, limits of single library models and functions, and those of the library tester."""
    found = {f"{path.relative_to(SOURCE)} {name}" for path in SOURCE.rglob("*.py") for name in own_limits(ast.parse(path.read_text(encoding="utf-8")))}
    listed = set(LISTED.read_text(encoding="utf-8").splitlines())
    assert found - listed == set(), "a limit of the analysis belongs into terms/budgets.py; one of what is shown into other_limits.txt"
    assert listed - found == set(), "no longer there: leave it out of other_limits.txt"
