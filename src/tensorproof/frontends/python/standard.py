"""Which modules of the standard library run as they are or are read from their source, and how long a sequence may be."""

from __future__ import annotations

import builtins
from typing import Any

from tensorproof.terms.budgets import BUDGETS

PURE_MODULES = ("math", "cmath", "operator", "itertools", "fractions", "string", "functools", "collections")
FROM_SOURCE = frozenset(
    ("_collections_abc", "bisect", "collections", "contextlib", "difflib", "functools", "graphlib", "heapq", "operator", "reprlib", "statistics")
)
"""Modules of which names without a model are read from the source of the running Python."""
MOST_ITEMS = BUDGETS.containers.items
BUILTINS: dict[str, Any] = {
    name: getattr(builtins, name)
    for name in dir(builtins)
    if not name.startswith("_") and (callable(getattr(builtins, name)) or name in ("True", "False", "None", "Ellipsis", "NotImplemented"))
} | {"__debug__": True, "__import__": __import__}
