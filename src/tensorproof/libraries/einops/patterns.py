"""The pattern language of einops: `b (h p) ... -> b h (p ...)`. Parsing only; sizes are found in einops_model."""

from __future__ import annotations

from keyword import iskeyword

from tensorproof.terms.records import dataclass

ELLIPSIS = "…"


class BadPattern(Exception):
    """A pattern that einops refuses; the text says why."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a pattern: groups of axes. `...` is the axis ELLIPSIS; a number is an axis without a name, written `#2:3` for the third 2."""

    groups: tuple[tuple[str, ...], ...]
    composed: tuple[bool, ...]

    @property
    def axes(self) -> tuple[str, ...]:
        return tuple(a for g in self.groups for a in g)

    @property
    def has_ellipsis(self) -> bool:
        return ELLIPSIS in self.axes


def number_of(axis: str) -> int | None:
    """The size of an axis that is written as a number."""
    return int(axis[1:].partition(":")[0]) if axis.startswith("#") else None


def _name(word: str, count: int, underscore: bool) -> str:
    if word.isdecimal():
        if int(word) == 0:
            raise BadPattern("an axis cannot have the size 0")
        return f"#{int(word)}:{count}"
    if word == "_" and underscore:
        return f"_{count}"
    if not word.isidentifier() or word[0] == "_" or word[-1] == "_":
        raise BadPattern(f"{word!r} is not a name of an axis: names begin with a letter and do not end with an underscore")
    if iskeyword(word) and word not in ("in", "is", "as", "or", "if"):
        return word
    return word


def parse_side(text: str, underscore: bool = False) -> Side:
    """One side, with every error that can be known without a tensor."""
    if "." in text and (text.replace("...", "").count(".") or text.count("...") != 1):
        raise BadPattern("an ellipsis is written ... and stands at most once on a side")
    spaced = text.replace("...", f" {ELLIPSIS} ").replace("(", " ( ").replace(")", " ) ")
    groups: list[tuple[str, ...]] = []
    composed: list[bool] = []
    inside: list[str] | None = None
    seen: set[str] = set()
    for count, word in enumerate(spaced.split()):
        if word == "(":
            if inside is not None:
                raise BadPattern("parentheses do not nest")
            inside = []
        elif word == ")":
            if inside is None:
                raise BadPattern("a parenthesis is closed that was not opened")
            groups.append(tuple(inside))
            composed.append(True)
            inside = None
        else:
            axis = ELLIPSIS if word == ELLIPSIS else _name(word, count, underscore)
            if axis in seen:
                raise BadPattern(f"the axis {word} stands twice on one side")
            seen.add(axis)
            if number_of(axis) == 1:
                if inside is None:
                    groups.append(())
                    composed.append(False)
            elif inside is not None:
                inside.append(axis)
            else:
                groups.append((axis,))
                composed.append(False)
    if inside is not None:
        raise BadPattern("a parenthesis is not closed")
    return Side(tuple(groups), tuple(composed))


def parse(pattern: str) -> tuple[Side, Side]:
    """Both sides of a pattern."""
    if pattern.count("->") != 1:
        raise BadPattern("a pattern has one -> between its sides")
    left, right = (parse_side(t) for t in pattern.split("->"))
    for group, whole in zip(left.groups, left.composed):
        if whole and ELLIPSIS in group:
            raise BadPattern("an ellipsis may not stand in parentheses on the left side")
    if right.has_ellipsis and not left.has_ellipsis:
        raise BadPattern("the right side has an ellipsis and the left side has none")
    return left, right


def check_names(operation: str, left: Side, right: Side, given: set[str]) -> None:
    """That each operation finds its axes on the sides where it needs them."""
    mine, theirs = {a for a in left.axes if number_of(a) is None}, {a for a in right.axes if number_of(a) is None}
    numbers = [a for side in (left, right) for a in side.axes if number_of(a) is not None]
    if operation == "rearrange":
        if numbers:
            raise BadPattern(f"rearrange takes no axis that is the number {number_of(numbers[0])}; only 1 may stand in its pattern")
        if mine != theirs:
            odd = sorted(mine ^ theirs)[0]
            raise BadPattern(f"the axis {odd.replace(ELLIPSIS, '...')} stands on one side only")
    elif operation == "repeat":
        if mine - theirs:
            raise BadPattern(f"the axis {sorted(mine - theirs)[0]} is missing on the right side")
        lost = sorted(theirs - mine - given - {ELLIPSIS})
        if lost:
            raise BadPattern(f"the new axis {lost[0]} has no size: give {lost[0]}=…")
        if any(number_of(a) is not None for a in left.axes):
            raise BadPattern("repeat takes no number other than 1 on its left side")
    elif theirs - mine:
        raise BadPattern(f"the axis {sorted(theirs - mine)[0]} stands on the right side only")
    elif any(number_of(a) is not None for a in right.axes):
        raise BadPattern("reduce takes no number other than 1 on its right side")
    unused = sorted(given - mine - theirs)
    if unused:
        raise BadPattern(f"a size is given for {unused[0]}, which is not in the pattern")
