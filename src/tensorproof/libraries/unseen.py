"""Packages that are not seen: neither their source nor a model of them is here."""

from __future__ import annotations

import sys
from functools import cache

from tensorproof.bindings.names import is_public
from tensorproof.libraries import homes


@cache
def unseen(name: str) -> bool:
    """Whether a name belongs to a package of which nothing is known here: neither modelled, nor listed, nor Python's own."""
    root = name.partition(".")[0]
    return is_public(root) is None and not homes.is_space(root) and root not in sys.stdlib_module_names and root != "builtins"
