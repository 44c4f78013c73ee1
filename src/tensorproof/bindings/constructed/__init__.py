"""Which values the constructors of a library's classes refuse and take, as the library itself said (`tools/make_constructed.py` writes the tables).

A value is known by its kind (`kind`): `-`, `0`, `1` and `+` are whole numbers, `.-` `.0` `.5` `.1` `.+` those with a fraction by where they lie about 0 and 1,
`True` `False` `None` themselves, `(+,0)` and `[+,0]` tuples and lists of kinds, `'` a word. The first line lists the kinds that were tried. A line
` CLASS.ARGUMENT … : EXCEPTION=KIND KIND … | ? KIND … | 'WORD …` says which of them are refused, of which some values are, and, where `'` (any other word) is
refused, the words that are taken. `EXCEPTION~OTHER,OTHER=KIND …`: refused where none of these others is given. What was tried and is not named is taken.
` CLASS.! : EXCEPTION ARGUMENT …`: one of these must be given. `T` and `L` stand for all tuples and
lists that were tried, `T2` for those of two kinds, `TN` for those of tuples, and `!KIND` takes one out again.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any, NamedTuple

FILES = ("keras", "torch", "tf")


class Line(NamedTuple):
    """What one argument of a constructor takes."""

    refused: dict[str, str]
    """The class of the exception, by the kind of the value; with the arguments that may change this behind a `~`."""
    open: frozenset[str]
    words: frozenset[str]


@cache
def _table(library: str) -> tuple[tuple[str, ...], str]:
    """The kinds that were tried, and the lines, which are searched as one text: a program uses few of the names."""
    path = os.path.join(os.path.dirname(__file__), f"{library}.txt")
    with open(path, encoding="utf-8") as stream:
        return tuple(stream.readline().split()), stream.read()


def group(of: str) -> tuple[str, str] | None:
    """Which groups a sequence's kind belongs to, the larger one first."""
    if of[0] not in "([":
        return None
    all_of_them = "T" if of[0] == "(" else "L"
    return all_of_them, all_of_them + ("N" if of[1] in "([" or of[-2] in ")]" else str(len(of[1:-1].split(",")) if len(of) > 2 else 0))


def written(kinds: list[str], tried: list[str]) -> str:
    """Kinds as they stand in a line."""
    left, words = dict.fromkeys(kinds), list[str]()
    for level in (0, 1):
        groups: dict[str, list[str]] = {}
        for of in tried:
            if (places := group(of)) and of not in words and places[0] not in words:
                groups.setdefault(places[level], []).append(of)
        for name, members in groups.items():
            missing = [one for one in members if one not in left]
            if 3 * len(missing) < len(members) > 2:
                words += [name, *(f"!{one}" for one in missing)]
                left = {one: None for one in left if one not in members}
    return " ".join([*left, *words])


def read(text: str, tried: Iterable[str]) -> list[str]:
    """The kinds of a part of a line."""
    found: dict[str, None] = {}
    for word in text.split():
        if word[0] == "!":
            del found[word[1:]]
        elif word[0] in "TL" and word != "True":
            found.update(dict.fromkeys(of for of in tried if word in (group(of) or ())))
        else:
            found[word] = None
    return list(found)


def _text(name: str, argument: str) -> str | None:
    library, _, short = name.partition(".")
    table = _table(library)[1] if library in FILES else ""
    start = table.find(f" {short}.{argument} ")
    return None if start < 0 else table[start : table.find("\n", start)].partition(" : ")[2]


@cache
def _line(name: str, argument: str) -> Line | None:
    text = _text(name, argument)
    if text is None:
        return None
    tried = _table(name.partition(".")[0])[0]
    refused: dict[str, str] = {}
    still: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    for part in filter(None, text.split(" | ")):
        if part.startswith("? "):
            still = frozenset(read(part[2:], tried))
        elif part.startswith("'"):
            words = frozenset(word[1:] for word in part.split())
        else:
            exception, _, kinds = part.partition("=")
            refused.update(dict.fromkeys(read(kinds, tried), exception))
    return Line(refused, still, words)


def kind(value: Any) -> str:
    """The kind of a plain value; nothing for any other value. A word's kind is `'`."""
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return "-" if value < 0 else "+" if value > 1 else str(value)
    if isinstance(value, float):
        return "" if not math.isfinite(value) else ".-" if value < 0 else ".+" if value > 1 else ".5" if 0 < value < 1 else f".{value:.0f}"
    if isinstance(value, str):
        return "'" if value else ""
    if type(value) in (tuple, list):
        inner = [kind(one) for one in value]
        ends = "()" if type(value) is tuple else "[]"
        return f"{ends[0]}{','.join('+' if one == '1' else one for one in inner)}{ends[1]}" if all(inner) else ""
    return ""


def refused(name: str, argument: str, value: Any) -> tuple[str, tuple[str, ...]]:
    """The class of the exception by which a constructor refuses a value, and which other arguments may change that; nothing where it does not refuse."""
    return _refused_number(name, argument, type(value).__name__, value) if type(value) in (int, float, bool) else _refused(name, argument, value)


@lru_cache(maxsize=10_000)
def _refused_number(name: str, argument: str, of: str, value: float) -> tuple[str, tuple[str, ...]]:
    """The same of a number; equal ones of several types are not one."""
    return _refused(name, argument, value)


def _refused(name: str, argument: str, value: Any) -> tuple[str, tuple[str, ...]]:
    line = _line(name, argument)
    if line is None:
        return "", ()
    of = kind(value)
    found = "" if of == "'" and _listed(value, line) else line.refused.get(of, "") or _of_group(name, line, of)
    exception, _, others = found.partition("~")
    return exception, tuple(one for one in others.split(",") if one and one != argument)


def _listed(word: str, line: Line) -> bool:
    """Whether a word is taken; where it is in capitals and without them, also as a mixture."""
    return word in line.words or {word.lower(), word.upper()} <= line.words


def _of_group(name: str, line: Line, of: str) -> str:
    """A sequence of a kind that was not tried: refused where all others with so many items are."""
    if of[:1] not in ("(", "[") or of in (tried := _table(name.partition(".")[0])[0]):
        return ""
    alike = [one for one in tried if group(one) == group(of)]
    return line.refused[alike[0]] if alike and all(one in line.refused for one in alike) else ""


def words(name: str, argument: str) -> frozenset[str]:
    """The words that an argument takes, where it takes no other."""
    line = _line(name, argument)
    return frozenset() if line is None else line.words


def missing(name: str, given: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """The class of the exception where none of these arguments is given."""
    exception, needed = _needed(name)
    return ("", ()) if any(one in given for one in needed) else (exception, needed)


@cache
def _needed(name: str) -> tuple[str, tuple[str, ...]]:
    """The arguments of which one must be given, and the class of the exception."""
    text = _text(name, "!")
    exception, *needed = text.split() if text else ("",)
    return exception, tuple(needed)


def taken(name: str, argument: str, value: Any) -> bool:
    """Whether a constructor was seen to take such a value, its other arguments as they are by default."""
    line = _line(name, argument)
    if line is None:
        return False
    of = kind(value)
    return of in _table(name.partition(".")[0])[0] and of not in line.open and (of not in line.refused or (of == "'" and _listed(value, line)))
