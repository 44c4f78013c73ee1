"""What a requirement says, apart from the names that it says it in.

A rule states which sizes of which arguments must agree (`SameSize`, `Broadcast`), or writes a sentence in the operator's own names. A front end that knows
how the program names those arguments passes `Spoken` names, and `sentence` writes the message in them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tensorproof.terms.ints import Dim
from tensorproof.terms.records import dataclass

MOST_SHAPE = 80
"""The longest shape that a message shows."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of two sizes: the argument that has it (`xs[1]`: an item of a list), the axis from the end, and the rank."""

    name: str
    size: Dim
    axis: int = -1
    rank: int = 0


@dataclass(frozen=True, slots=True)
class SameSize:
    """Two sizes must be equal. `noun`: what they count ("channels"); empty where the axis has no name of its own."""

    noun: str
    given: Side
    wanted: Side
    must: str = "they must be equal"


@dataclass(frozen=True, slots=True)
class Broadcast:
    """Two sizes of these arguments must be equal, or one of them 1."""

    names: tuple[str, ...]
    sizes: tuple[Dim, Dim]


Statement = SameSize | Broadcast


@dataclass(frozen=True, slots=True)
class Spoken:
    """How a message calls an argument, and its shape. `layer`: the layer whose parameter it is."""

    text: str
    shape: str = ""
    layer: str = ""
    option: bool = False
    """Whether it is not a tensor: its name is replaced only where the sentence says what it is or must be, since `groups` may also be a noun."""


NOUNS = {"batch": "samples", "channels": "channels", "features": "features", "boxes": "boxes", "groups": "groups", "labels": "labels", "points": "points",
         "keys": "keys", "scores": "scores", "samples": "samples", "rois": "regions", "inner": "inner"}  # fmt: skip
"""What the named axes of layouts count, by the last word of their code. "inner" is rows or columns, depending on the side."""


_ONE = {"boxes": "box"}


def stated(statement: Statement, names: Mapping[str, Spoken] | None = None) -> str:
    """The sentence of a statement, in the operator's own names where no others are given."""
    known = names or {}
    if isinstance(statement, Broadcast):
        a, b = statement.sizes
        who = [spoken(name, known).text for name in statement.names]
        which = f"{who[0]} and {who[1]} do not broadcast: sizes" if len(who) == 2 else "these shapes do not broadcast: sizes"
        return f"{which} {a!r} and {b!r} must be equal, or one of them 1{shapes(statement.names, known)}"
    given, wanted = statement.given, statement.wanted
    blamed = (given.name, wanted.name)
    if statement.noun and any(_takes(side.name, known) for side in (given, wanted)):
        if _takes(given.name, known) and not _takes(wanted.name, known):
            given, wanted = wanted, given
        taker, x = spoken(wanted.name, known), spoken(given.name, known)
        left = [name for name in blamed if not spoken(name, known).layer]
        noun = "features" if statement.noun == "inner" else statement.noun
        return f"{taker.layer or taker.text} takes {_counted(wanted.size, noun)}, {x.text} has {given.size!r}{shapes(left, known)}"
    first, second = _has(statement.noun, given, known, True), _has(statement.noun, wanted, known, False)
    return f"{first}, {second}; {statement.must}{shapes(blamed, known)}"


def _takes(name: str, known: Mapping[str, Spoken]) -> bool:
    """Whether an argument is a weight, which takes so many channels or features."""
    return bool(spoken(name, known).layer) or name == "weight"


def _has(noun: str, side: Side, known: Mapping[str, Spoken], first: bool) -> str:
    who = spoken(side.name, known).text
    if noun == "inner":
        counted = "elements" if side.rank < 2 else "columns" if side.axis == -1 else "rows" if side.axis == -2 else ""
        return f"{who} has {_counted(side.size, counted)}" if counted else f"axis {_place(side)} of {who} has size {side.size!r}"
    if noun:
        return f"{who} has {_counted(side.size, noun)}" if first else f"{who} has {side.size!r}"
    return f"axis {_place(side)} of {who} has size {side.size!r}"


def _counted(size: Dim, noun: str) -> str:
    """`1 channel`, `3 channels`."""
    return f"{size!r} {_ONE.get(noun, noun[:-1]) if size == 1 else noun}"


def _place(side: Side) -> int:
    return side.axis + side.rank if side.rank else side.axis


def spoken(name: str, known: Mapping[str, Spoken]) -> Spoken:
    return known.get(name) or Spoken(name)


def shapes(names: Sequence[str], known: Mapping[str, Spoken], said: str = "") -> str:
    """The shapes of arguments in brackets, as far as they are known and not said already."""
    shown = dict.fromkeys(
        f"{one.text} is {one.shape}"
        for one in (spoken(name, known) for name in names)
        if one.shape and one.shape not in said and len(one.shape) <= MOST_SHAPE and one.text != one.shape
    )
    return f" ({', '.join(shown)})" if shown else ""


_AFTER = r"(?=$|[,:;.)]|'s?\b| \(| = | (?:has|have|must|is|are|and|or|holds?|takes?|does|do|of|cannot|needs?|with|to|in|where|requires?|because|which|that)\b)"
"""What follows a name of an argument in a sentence; a number after it means that the word is used in its common meaning (`index 5`)."""


def renamed(message: str, names: Mapping[str, Spoken], with_shapes: bool = True) -> str:
    """A sentence in the operator's own names, with the program's names in their place, and the shapes of those that it mentions."""
    if not names:
        return message
    pattern = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    mentioned: dict[str, None] = {}

    def replaced(found: re.Match[str]) -> str:
        one = names[found[1]]
        if one.option and not message.startswith((" = ", " is ", " must "), found.end()):
            return found[0]
        mentioned[found[1]] = None
        return one.layer if one.layer and message.startswith((" has ", " takes "), found.end()) else one.text

    text = re.sub(rf"(?<![\w.'\"/(-])(?:(?:the|an?) )?({pattern}){_AFTER}", replaced, message)
    return text + shapes(list(mentioned), names, text) if with_shapes else text
