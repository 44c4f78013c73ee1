"""Messages, help, documents, docstrings and names use the field's words: path, iteration, unknown, report, alias, infer; not the ones listed here."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "tensorproof"
NOT_OURS = (
    r"told", r"nobody", r"on this way", r"on the way", r"a way that", r"no way\b", r"stands? for all",
    r"(?<!here )is no", r"(?<!here )are no", r"(?<!here )is none", r"(?<!here )are none", r"made of many",
    r"uncounted", r"gathering", r"steady", r"counted out", r"cannot be told", r"tells?", r"rounds? of (?:a|the) loop", r"a round",
)  # fmt: skip
"""Words that readers stumble on. A word of code in backticks or brackets is not meant."""
FOUND = re.compile(r"(?:(?<=\W)|^)(?:" + "|".join(NOT_OURS) + r")\b(?! (?:longer|more|less|greater|larger|smaller|fewer|attribute|argument))")


def docstrings(tree: ast.Module) -> set[int]:
    """The nodes of strings that stand as statements: docstrings, and notes under a field."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)}


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """The texts of a file that can reach a user: literals with a space in them, without docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    notes = docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in notes and " " in node.value.strip():
            yield node.lineno, node.value


def places() -> Iterator[tuple[str, str]]:
    """(place, text) of all that users read."""
    for path in sorted(SOURCE.rglob("*.py")):
        for line, text in strings(path):
            yield f"{path.relative_to(ROOT)}:{line}", text
    written = [*sorted((SOURCE / "app").glob("*.toml")), *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs" / "ops").glob("*.md"))]
    for path in written:
        for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            yield f"{path.relative_to(ROOT)}:{line}", re.sub(r"`[^`]*`", "", text)


IN_NOTES = re.compile(r"\b(?:told|[Nn]obody|uncounted|steady|counted out|made of many|on this way|on the way that|[Rr]ounds? of (?:a|the) loop)\b")
IN_NAMES = re.compile(r"(?:^|_)(?:told|untold|tells|nobody|uncounted|steady|rounds?_of|is_many)(?:_|$)|Told|Uncounted|Nobody|Steady")


def identifiers(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Names that a file gives: of functions, classes, arguments and variables."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id


def test_code_has_the_words_of_the_field() -> None:
    found: list[str] = []
    for path in sorted(SOURCE.rglob("*.py")):
        tree, place = ast.parse(path.read_text(encoding="utf-8")), path.relative_to(ROOT)
        found += [f"{place}:{line}: {name}" for line, name in identifiers(tree) if IN_NAMES.search(name)]
        notes = (node.value for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        found += [f"{place}:{note.lineno}: {match[0]!r}" for note in notes if isinstance(note.value, str) for match in [IN_NOTES.search(note.value)] if match]
        if IN_NAMES.search(path.stem):
            found.append(f"{place}: the name of the file")
    assert not found, f"{len(found)} places:\n" + "\n".join(found)


def test_users_read_the_words_of_the_field() -> None:
    found = [f"{place}: {match[0]!r} in {text.strip()[:160]}" for place, text in places() for match in [FOUND.search(text)] if match]
    assert not found, f"{len(found)} texts:\n" + "\n".join(found)
