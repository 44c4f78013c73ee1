"""The rules, one file each. A module of this folder that has `RULE` or `RULES` is found by itself."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from tensorproof.equivalence.rule import Rule


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, by name."""
    found: list[Rule] = []
    for entry in pkgutil.walk_packages(__path__, f"{__name__}."):
        if not entry.ispkg:
            module = import_module(entry.name)
            found += getattr(module, "RULES", ()) or ((module.RULE,) if hasattr(module, "RULE") else ())
    return tuple(sorted(found, key=lambda rule: rule.name))


def rules_of(library: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in rules() if library in rule.libraries)
