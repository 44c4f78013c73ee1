"""The arguments of the libraries' functions, classes and methods, and whether a call fits them. The tables are written by `tools/signatures.py`."""

from __future__ import annotations

import ast
import os
from functools import cache, lru_cache

from tensorproof.terms.records import dataclass
from tensorproof.values import Args, Kwargs, Machine, Summary

FILES = {"torch": "torch", "torchvision": "torchvision", "tf": "tensorflow", "keras": "keras", "numpy": "numpy"}
"""The table of each root name; those of the standard library stand in one table."""


@dataclass(frozen=True, slots=True)
class Form:
    """One way to call: what can be given by position, by name, and what must be given."""

    placed: tuple[str, ...]
    named: frozenset[str]
    needed: tuple[str, ...]
    more_placed: bool
    more_named: bool | frozenset[str]
    """Whether other names may be given (`**kwargs`), or which, where it is known what takes them in the end."""
    other_names: dict[str, str]
    """Second names of arguments, each with the first: torch takes `axis` for `dim`."""


@cache
def _text(file: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), f"{file}.txt"), encoding="utf-8") as stream:
        return stream.read()


def row(name: str) -> str | None:
    """The line of a name in its table. A table is searched as one text: a program uses few of its names."""
    if name.endswith(".__init__"):
        found = row(name.removesuffix(".__init__"))
        return None if found is None else " | ".join(f"/self {one}" for one in found.split(" | "))
    found = _line(name)
    if found is None and name.startswith("tf."):  # a line may stand under the name of either version
        old = "tf.compat.v1."
        found = _line("tf." + name.removeprefix(old) if name.startswith(old) else old + name.removeprefix("tf."))
    return found


def _line(name: str) -> str | None:
    text = _text(FILES.get(name.partition(".")[0], "python"))
    before = f"\n{name} "
    start = text.find(before) + len(before)
    return None if start < len(before) else text[start : text.find("\n", start)]


@cache
def forms(name: str) -> tuple[Form, ...]:
    """The forms of a name; none when its arguments are not known."""
    found = row(name)
    return () if found is None else tuple(_form(one.split()) for one in found.split(" | "))


def names(name: str) -> list[str]:
    """The arguments of a function by their names, in the order of its first form."""
    found = row(name)
    words = [] if found is None else found.split(" | ")[0].split()
    return [word.strip("*/=").partition("|")[0] for word in words if word.strip("*-") and not word.startswith("**")]


def _form(words: list[str]) -> Form:
    more = next((word[2:] for word in words if word.startswith("**")), None)
    words = [word for word in words if word != "-" and not word.startswith("**")]
    plain = [word for word in words if word.strip("*")]
    spelled = {word: word.strip("*/=").split("|") for word in plain}
    return Form(
        tuple(spelled[word][0] for word in plain if not word.startswith("*")),
        frozenset(name for word in plain if not word.startswith("/") for name in spelled[word]),
        tuple(spelled[word][0] for word in plain if not word.endswith("=")),
        "*" in words,
        frozenset(more.split("|")) if more else more is not None,
        {other: first for first, *others in spelled.values() for other in others},
    )


def check(m: Machine, name: str, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """Refuse a call that the function would refuse for the number or the names of its arguments. Of a method the object is the first argument.

    Calls that models make of each other are not looked at.
    """
    if m.in_library == (m.frames[-1].library if m.frames else 0) + 1:
        refuse(m, name, args, kwargs, node)


def refuse(m: Machine, name: str, args: Args, kwargs: Kwargs, node: ast.AST) -> Form | None:
    """The form that a call fits; None when the arguments are not known. A call that fits none is an error of the program."""
    known = forms(name)
    if not known or Summary in map(type, args) or (kwargs and set(map(type, kwargs)) != {str}):
        return known[0] if len(known) == 1 else None
    fitting = _fitting(name, len(args), tuple(kwargs))
    if fitting is not None:
        return fitting
    words = [misfit(form, name, args, kwargs) for form in known]
    wrong = [w for w in words if " has no argument " in w]
    raise m.raised("TypeError", wrong[0] if len(wrong) == len(words) else next(w for w in words if w not in wrong), node, "call/arguments")


@lru_cache(maxsize=10_000)
def _fitting(name: str, placed: int, named: tuple[str, ...]) -> Form | None:
    """The first form of a function that takes so many arguments by position, and these by name."""
    return next((form for form in forms(name) if not misfit(form, name, (None,) * placed, dict.fromkeys(named))), None)


def misfit(form: Form, name: str, args: Args, kwargs: Kwargs) -> str:
    """Why a call does not fit a form; nothing when it does."""
    short = name.rpartition(".")[2]
    if len(args) > len(form.placed) and not form.more_placed:
        own = int(form.placed[:1] == ("self",))
        return f"{short} takes {len(form.placed) - own} arguments by position, {len(args) - own} are given"
    filled = form.placed[: len(args)]
    first = {form.other_names.get(key, key) for key in kwargs}
    for key in kwargs:
        if key not in form.named and not (key in form.more_named if isinstance(form.more_named, frozenset) else form.more_named):
            return f"{short} has no argument {key}"
        if form.other_names.get(key, key) in filled and key in form.named:
            return f"{short} gets {key} twice"
    missing = next((one for one in form.needed if one not in filled and one not in first), None)
    return "" if missing is None else f"{short} needs {missing}"
