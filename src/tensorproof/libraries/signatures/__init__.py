"""Whether a call fits the arguments of a library function or method that has a model. The tables are written by `tools/signatures.py`."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from tensorproof.terms.records import dataclass
from tensorproof.values.python_values import Many

FILES = {"torch": "torch", "tf": "tensorflow", "keras": "keras", "numpy": "numpy"}
"""The table of each root name; those of the standard library stand in one table."""


@dataclass(frozen=True, slots=True)
class Form:
    """One way to call: what can be given by position, by name, and what must be given."""

    placed: tuple[str, ...]
    named: frozenset[str]
    needed: tuple[str, ...]
    more_placed: bool
    more_named: bool


@cache
def rows(file: str) -> dict[str, str]:
    with open(os.path.join(os.path.dirname(__file__), f"{file}.txt"), encoding="utf-8") as stream:
        return dict(line.rstrip().split(" ", 1) for line in stream)


@cache
def forms(name: str) -> tuple[Form, ...]:
    """The forms of a name; none when its arguments are not known."""
    row = rows(FILES.get(name.partition(".")[0], "python")).get(name)
    return () if row is None else tuple(_form(one.split()) for one in row.split(" | "))


def _form(words: list[str]) -> Form:
    words = [word for word in words if word != "-"]
    plain = [word for word in words if word.strip("*")]
    bare = {word: word.strip("*/=") for word in plain}
    return Form(
        tuple(bare[word] for word in plain if not word.startswith("*")),
        frozenset(bare[word] for word in plain if not word.startswith("/")),
        tuple(bare[word] for word in plain if not word.endswith("=")),
        "*" in words,
        "**" in words,
    )


def check(m: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> None:
    """Refuse a call that the function would refuse for the number or the names of its arguments. Of a method the object is the first argument.

    Calls that models make of each other are not looked at.
    """
    if m.in_library != (m.frames[-1].library if m.frames else 0) + 1:
        return
    known = forms(name)
    if not known or any(type(one) is Many for one in args) or not all(type(key) is str for key in kwargs):
        return
    words = [_misfit(form, name, args, kwargs) for form in known]
    if all(words):
        raise m.raised("TypeError", words[0], node, "call/arguments")


def _misfit(form: Form, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Why a call does not fit a form; nothing when it does."""
    short = name.rpartition(".")[2]
    if len(args) > len(form.placed) and not form.more_placed:
        own = int(form.placed[:1] == ("self",))
        return f"{short} takes {len(form.placed) - own} arguments by position, {len(args) - own} are given"
    filled = form.placed[: len(args)]
    for key in kwargs:
        if key not in form.named and not form.more_named:
            return f"{short} has no argument {key}"
        if key in filled and key in form.named:
            return f"{short} gets {key} twice"
    missing = next((one for one in form.needed if one not in filled and one not in kwargs), None)
    return "" if missing is None else f"{short} needs {missing}"
