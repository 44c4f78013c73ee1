"""Which modules of the standard library run as they are, and how long a sequence may be."""

from __future__ import annotations

PURE_MODULES = ("math", "cmath", "operator", "itertools", "fractions", "string", "functools", "collections")
MOST_ITEMS = 100_000
"""Longer sequences are not spelled out."""
