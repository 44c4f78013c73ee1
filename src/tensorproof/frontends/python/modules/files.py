"""Small questions about the files of modules and the imports of them."""

from __future__ import annotations

import ast
import os
import re

_FAILURES = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}


def takes_imports(handler: ast.ExceptHandler) -> bool:
    """Whether a handler takes what a failed import raises."""
    return handler.type is None or any(isinstance(n, ast.Name) and n.id in _FAILURES for n in ast.walk(handler.type))


def shown(path: str) -> str:
    """The path as a user would write it from here."""
    return path.removeprefix(os.path.join(os.getcwd(), ""))


def holds_python(folder: str) -> bool:
    """Whether a folder, or one right inside it, has files of Python."""
    from glob import escape, iglob  # few programs have a folder beside them that could be meant

    return any(True for pattern in ("*.py", os.path.join("*", "*.py")) for _ in iglob(os.path.join(escape(folder), pattern)))


_LISTED = r"^__all__\s*(?::[^=\n]*)?=\s*([\[(][^\])]*[\])])[ \t]*(?:#[^\n]*)?$"


def written_list(text: str) -> list[str] | None:
    """The names in a module's `__all__`; None where they are not written out."""
    found = re.search(_LISTED, text, re.MULTILINE)
    if found is None:
        return None
    try:
        names = ast.literal_eval(found[1])
    except (ValueError, SyntaxError):
        return None
    return list(names) if isinstance(names, (list, tuple)) and all(isinstance(n, str) for n in names) else None


def mentions(text: str, key: str) -> bool:
    """Whether a text has a name as a whole word."""
    return key in text and re.search(rf"(?<!\w){re.escape(key)}(?!\w)", text) is not None


def registers(text: str, key: str) -> bool:
    """Whether a module's text registers something under a name: it defines a function or class of this name, or has it in quotes outside functions."""
    word = re.escape(key)
    if re.search(rf"^(?:async\s+)?(?:def|class)\s+{word}\b", text, re.MULTILINE):
        return True
    return any(not _in_function(text, found.start()) for found in re.finditer(rf"""(["']){word}\1""", text))


def _in_function(text: str, place: int) -> bool:
    """Whether the last line before a place that is not indented, nor closes a bracket, begins a function."""
    last = text[text.rfind("\n", 0, place) + 1 : place]
    begun = re.findall(r"^[^\s)\]}#].*", text[:place], re.MULTILINE) if last[:1].isspace() else []
    return bool(begun) and re.match(r"(?:async\s+)?def\b", begun[-1]) is not None
