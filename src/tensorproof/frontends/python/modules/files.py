"""Small questions about the files of modules and the imports of them."""

from __future__ import annotations

import ast
import os
from glob import escape, iglob

_FAILURES = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}


def takes_imports(handler: ast.ExceptHandler) -> bool:
    """Whether a handler takes what a failed import raises."""
    return handler.type is None or any(isinstance(n, ast.Name) and n.id in _FAILURES for n in ast.walk(handler.type))


def shown(path: str) -> str:
    """The path as a user would write it from here."""
    return path.removeprefix(os.path.join(os.getcwd(), ""))


def holds_python(folder: str) -> bool:
    """Whether a folder, or one right inside it, has files of Python."""
    return any(True for pattern in ("*.py", os.path.join("*", "*.py")) for _ in iglob(os.path.join(escape(folder), pattern)))
