"""Libraries with a bug, one file for each rule that must find it.

A file says the rule (`RULE`), the library (`LIBRARY`), the public name or the model whose calls show the bug (`API`), and how the library is changed
(`patch`, which gets a function like `setattr`). It imports the library inside `patch` alone.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

Replace = Callable[[Any, str, Any], None]


def patches() -> list[ModuleType]:
    """All of them, by name."""
    return [import_module(f"{__name__}.{entry.name}") for entry in sorted(pkgutil.iter_modules(__path__), key=lambda e: e.name)]
