"""Tables of facts beside the models: a line says of a name, before the colon, what stands behind it."""

from __future__ import annotations

import os
from functools import cache


@cache
def facts(table: str) -> dict[str, str]:
    """What the table `TABLE.txt` of the libraries says, by name."""
    with open(os.path.join(os.path.dirname(os.path.dirname(__file__)), f"{table}.txt"), encoding="utf-8") as lines:
        rows = (line.partition(":") for line in lines if not line.startswith("#"))
        return {name: said.strip() for name, _, said in rows}


@cache
def others(table: str) -> dict[str, str]:
    """By each word that a table says of a name, that name."""
    return {word: name for name, words in facts(table).items() for word in words.split()}
