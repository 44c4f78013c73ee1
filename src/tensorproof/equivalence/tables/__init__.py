"""Tables from an operator's name to a text, one line each: `NAME, NAME: TEXT`. A line that begins with `#` is a comment."""

from __future__ import annotations

import os
from functools import cache


@cache
def table(name: str) -> dict[str, str]:
    """The table `name.txt` of this folder."""
    found: dict[str, str] = {}
    with open(os.path.join(os.path.dirname(__file__), f"{name}.txt"), encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                names, _, text = line.rstrip("\n").partition(": ")
                found.update(dict.fromkeys(names.split(", "), text))
    return found
