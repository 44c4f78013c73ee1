"""A program that is right, and the same with an input that is too wide."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pair:
    right: str
    wrong: str


def pair(text: str, mark: str = "C", right: int = 3) -> Pair:
    """The texts with a number, and with one more, in place of a letter."""
    right_text, wrong_text = (re.sub(rf"\b{mark}\b", str(number), text) for number in (right, right + 1))
    return Pair(right_text, wrong_text)
