"""Small questions about the files of modules and the imports of them."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator

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


_APART = bytes(c if c < 128 and (chr(c).isalnum() or c == ord("_")) else ord(" ") for c in range(256))


def words_of(text: str) -> frozenset[bytes]:
    """The words of a text. A name that stands in it as a whole has all its words among them."""
    return frozenset(text.encode(errors="replace").translate(_APART).split())


_REMARKS = r"""
    (?: (?<=:) [ \t]* \n \s* | \A \s* (?: \#.*\n \s* )* ) [rRuU]? (\"\"\"|''') (?s:.)*? (?<!\\) \1  # a docstring
    | \#.*
    | ^([ \t]*from) [ \t]+ [\w.]+
    | ( (\"\"\"|''') (?s:.)*? (?<!\\) \4 | "(?: [^"\\\n] | \\(?s:.) )*" | '(?: [^'\\\n] | \\(?s:.) )*' )
"""


def without_remarks(text: str) -> str:
    """A module's text without its docstrings, comments, and the modules that it imports from: a name that stands there alone registers nothing."""
    return re.sub(_REMARKS, lambda found: found[3] or found[2] or "", text, flags=re.VERBOSE | re.MULTILINE)


def places_of(text: str, key: str) -> Iterator[int]:
    """Where a name stands in a text as a whole."""
    at = text.find(key)
    while at >= 0:
        around = text[at - 1 : at] + text[at + len(key) : at + len(key) + 1]
        if not any(c.isalnum() or c == "_" for c in around):
            yield at
        at = text.find(key, at + 1)


def registers(text: str, key: str) -> bool:
    """Whether a module's text registers something under a name: it defines a function or class of this name, or has it in quotes outside functions."""
    for at in places_of(text, key):
        before = text[text.rfind("\n", 0, at) + 1 : at]
        if before[-1:] in ("'", '"') and text[at + len(key) : at + len(key) + 1] == before[-1]:
            if not in_function(text, at):
                return True
        elif re.fullmatch(r"(?:async\s+)?(?:def|class)\s+", before):
            return True
    return False


def in_function(text: str, place: int) -> bool:
    """Whether the last line before a place that is not indented, nor closes a bracket, begins a function."""
    start = text.rfind("\n", 0, place) + 1
    if not text[start:place][:1].isspace():
        return False
    while start and (text[start].isspace() or text[start] in ")]}#"):
        start = text.rfind("\n", 0, start - 1) + 1
    return re.match(r"(?:async\s+)?def\b", text[start:place]) is not None
