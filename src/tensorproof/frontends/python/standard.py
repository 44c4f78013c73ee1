"""Which modules of the standard library run as they are or are read from their source, and how long a sequence may be."""

from __future__ import annotations

from tensorproof.terms.budgets import BUDGETS

PURE_MODULES = ("math", "cmath", "operator", "itertools", "fractions", "string", "functools", "collections")
FROM_SOURCE = frozenset(("_collections_abc", "bisect", "collections", "difflib", "graphlib", "heapq", "statistics"))
"""Modules of which names without a model are read from the source of the running Python."""
MOST_ITEMS = BUDGETS.containers.items
