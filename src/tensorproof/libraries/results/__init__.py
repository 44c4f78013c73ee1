"""Functions and methods of which all that a model says is the kind of thing they give. Their rows are in `results.txt`:

`os: mkdir remove -> nothing` are functions; `object file: close -> nothing` are methods of what a library makes, and `class abc.ABC: f -> nothing` of a class
that a program may derive from; `*: seaborn -> quiet` are all names below a library's. `value csv: QUOTE_ALL -> is 1` are values; `open tfds: split -> unknown`
are objects whose attributes are unknown where nothing else says them. A kind is a word below, mostly with a reason: `unknown a level`, `object threading.Lock`.
"""

from __future__ import annotations

import os
from ast import literal_eval
from collections.abc import Callable
from functools import cache, partial

from tensorproof.libraries.model import Run
from tensorproof.libraries.plain import exception, kept
from tensorproof.terms import FLOAT32, Shape, TensorType
from tensorproof.values import BYTES, REAL, TEXT, TIME, WHOLE, Model, Named, Unknown, Value
from tensorproof.values.python_values import DRAWN, UNIT

_FILE = os.path.join(os.path.dirname(__file__), "results.txt")
_FIXED: dict[str, Value] = {
    "nothing": None, "true": True, "false": False, "text": TEXT, "bytes": BYTES, "real": REAL, "clock": TIME, "whole": WHOLE, "drawn": DRAWN, "share": UNIT,
}  # fmt: skip
_OF_REASON: dict[str, Callable[[str], Value]] = {
    "unknown": Unknown,
    "text": lambda reason: Unknown(reason, text=True),
    "whole": lambda reason: Unknown(reason, number="int"),
    "real": lambda reason: Unknown(reason, number="float"),
    "flag": lambda reason: Unknown(reason, number="bool"),
    "is": literal_eval,
}


def gives(kind: str, name: str) -> Run:
    """The model of a function or method of this kind; the last four arguments are the machine's, the call's and its place."""
    word, _, rest = kind.partition(" ")
    if word in ("object", "quiet", "context"):
        made = rest or word
        return lambda m, *call: Model(made, m.heap.space())
    if word == "self":
        return lambda m, me, *call: me
    if word == "first":
        return lambda m, args, *call: args[0]
    if word == "kept":
        return kept
    if word == "decorator":
        return lambda m, *call: kept(m, (), {}, call[-1])
    if word == "exception":
        return partial(exception, name.rpartition(".")[2])
    if word == "number":
        return lambda m, *call: TensorType(Shape(()), FLOAT32, framework=rest)
    if word == "gap":
        return lambda m, *call: m.gap(name, call[-1], rest)
    value = stands_for(kind, name)
    return lambda m, *call: value


def stands_for(kind: str, name: str) -> Value:
    """The value of a name: one that is known, or any of a kind."""
    word, _, rest = kind.partition(" ")
    if kind == "its full name":
        return Named(name)
    if kind in ("itself", "its small letters"):
        last = name.rpartition(".")[2]
        return last if kind == "itself" else last.lower()
    return _OF_REASON[word](rest) if rest else _FIXED[word]


@cache
def _text() -> str:
    with open(_FILE, encoding="utf-8") as stream:
        return "\n" + stream.read()


@cache
def said(sort: str, home: str) -> dict[str, str]:
    """The kinds of what an owner of a sort (`object`, `class`, `value`, `open`, or none for functions) has, by name. The file is searched as one text."""
    text, before = _text(), f"\n{sort} {home}: " if sort else f"\n{home}: "
    found: dict[str, str] = {}
    at = text.find(before)
    while at >= 0:
        end = text.find("\n", at + 1)
        names, _, kind = text[at + len(before) : end].partition(" -> ")
        found.update(dict.fromkeys(names.split(), kind))
        at = text.find(before, end)
    return found


@cache
def rows() -> dict[str, dict[str, dict[str, str]]]:
    """All that the file says, by the sort of owner, the owner and the name."""
    found: dict[str, dict[str, dict[str, str]]] = {"": {}, "object": {}, "class": {}, "value": {}, "open": {}}
    for owner in dict.fromkeys(line.partition(": ")[0] for line in _text().splitlines()[1:]):
        sort, _, home = owner.partition(" ") if " " in owner else ("", "", owner)
        found[sort][home] = said(sort, home)
    return found


def of_owner(sort: str, home: str) -> dict[str, Run]:
    """What an owner has by its rows: the methods of an object or a class."""
    return {name: gives(kind, f"{home}.{name}") for name, kind in said(sort, home).items()}
