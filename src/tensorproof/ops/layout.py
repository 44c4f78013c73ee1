"""Layout strings: "N C H W | C H W" names the axes of a tensor, `...` stands for any number of leading axes, `|` gives
alternatives by rank. A name that stands twice is an equality; a number is a fixed size; an expression (`C*r*r`, `*kernel`) is
allowed where a shape is built and not where one is read."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from tensorproof.terms.ints import Dim, ceildiv, maximum, minimum
from tensorproof.terms.records import dataclass


@dataclass(frozen=True, slots=True)
class Alternative:
    """One layout: the axes before `...`, whether there is a `...`, and the axes after it."""

    before: tuple[str, ...]
    open: bool
    after: tuple[str, ...]

    @property
    def least(self) -> int:
        return len(self.before) + len(self.after)

    def fits(self, rank: int) -> bool:
        return rank >= self.least if self.open else rank == self.least


@lru_cache(maxsize=4096)
def alternatives(layout: str) -> tuple[Alternative, ...]:
    found: list[Alternative] = []
    for text in layout.split("|"):
        names = text.split()
        if "..." in names:
            at = names.index("...")
            found.append(Alternative(tuple(names[:at]), True, tuple(names[at + 1 :])))
        else:
            found.append(Alternative(tuple(names), False, ()))
    return tuple(found)


@lru_cache(maxsize=4096)
def ranks_in_words(layout: str) -> str:
    """The ranks that a layout allows, in plain words."""
    found = alternatives(layout)
    closed = sorted({a.least for a in found if not a.open})
    words = [str(r) for r in closed] + [f"{a.least} or more" for a in found if a.open]
    return " or ".join(words)


def sizes(value: Any, n: int) -> tuple[Dim, ...]:
    """`n` sizes: those given, or the one given for all of them."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * n


_BUILTINS: dict[str, Any] = {"__builtins__": {}, "min": minimum, "max": maximum, "ceildiv": ceildiv, "sizes": sizes}


@lru_cache(maxsize=4096)
def _code(expression: str) -> Any:
    return compile(expression, "<layout>", "eval")


def value_of(expression: str, names: Mapping[str, Any]) -> Any:
    """An axis expression such as `Cin//groups`, over bound axes and attributes. The text is ours, never a user's."""
    if expression in names:
        return names[expression]
    if expression.lstrip("-").isdigit():
        return int(expression)
    return eval(_code(expression), _BUILTINS, names if type(names) is dict else dict(names))


@lru_cache(maxsize=4096)
def _tokens(layout: str) -> tuple[str, ...]:
    return tuple(layout.split())


def build(layout: str, names: Mapping[str, Any], lead: tuple[Dim, ...] = ()) -> tuple[Dim, ...]:
    """The shape that a layout describes; `...` becomes `lead`, `*name` splices a tuple."""
    result: list[Dim] = []
    for token in _tokens(layout):
        if token == "...":
            result.extend(lead)
        elif token.startswith("*"):
            result.extend(value_of(token[1:], names))
        else:
            result.append(value_of(token, names))
    return tuple(result)
