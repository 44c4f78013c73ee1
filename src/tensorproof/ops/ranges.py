"""Inputs whose elements a library checks: an operator refuses what is known to lie outside."""

from __future__ import annotations

from tensorproof.ops.call import Call


def in_unit(c: Call, *names: str) -> None:
    """The elements must lie between 0 and 1, where they are known."""
    for name in names:
        known = [n for n in c.tensor(name).contents or () if isinstance(n, (int, float))]
        outside = next((n for n in known if not 0 <= n <= 1), None)
        c.require("range", outside is None, f"the elements of {name} must lie between 0 and 1, and one is {outside!r}", name)
