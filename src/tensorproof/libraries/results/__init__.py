"""Functions and methods of which all that a model says is the kind of thing they give. Their rows are in `results.txt`:

`os: mkdir remove -> nothing` are functions; `object file: close -> nothing` are methods of what a library makes, and `class abc.ABC: f -> nothing` of a class
that a program may derive from. A kind is a word below, mostly with a reason: `unknown a level`, `object threading.Lock`.
"""

from __future__ import annotations

import os
from ast import literal_eval
from collections import defaultdict
from collections.abc import Callable

from tensorproof.libraries.model import Run
from tensorproof.values.objects import Model
from tensorproof.values.port import Value
from tensorproof.values.python_values import BYTES, REAL, TEXT, WHOLE, Unknown

_FILE = os.path.join(os.path.dirname(__file__), "results.txt")
_FIXED: dict[str, Value] = {"nothing": None, "true": True, "false": False, "text": TEXT, "bytes": BYTES, "real": REAL, "whole": WHOLE}
_OF_REASON: dict[str, Callable[[str], Value]] = {
    "unknown": Unknown,
    "text": lambda reason: Unknown(reason, text=True),
    "whole": lambda reason: Unknown(reason, number="int"),
    "real": lambda reason: Unknown(reason, number="float"),
    "flag": lambda reason: Unknown(reason, number="bool"),
    "is": literal_eval,
}


def _gives(kind: str, name: str) -> Run:
    """The model of a function or method of this kind; the last four arguments are the machine's, the call's and its place."""
    word, _, rest = kind.partition(" ")
    if word in ("object", "quiet", "context"):
        made = rest or word
        return lambda m, *call: Model(made, m.heap.space())
    if word == "self":
        return lambda m, me, *call: me
    if word == "first":
        return lambda m, args, *call: args[0]
    if word == "gap":
        return lambda m, *call: m.gap(name, call[-1], rest)
    value = _OF_REASON[word](rest) if rest else _FIXED[word]
    return lambda m, *call: value


def _read() -> dict[str, dict[str, dict[str, Run]]]:
    """What the file says, by the sort of owner (`object`, `class`, or none for functions), the owner and the name."""
    found: dict[str, dict[str, dict[str, Run]]] = defaultdict(lambda: defaultdict(dict))
    with open(_FILE, encoding="utf-8") as lines:
        for line in lines:
            left, _, kind = line.rstrip("\n").partition(" -> ")
            owner, _, names = left.partition(": ")
            sort, _, home = owner.partition(" ") if " " in owner else ("", "", owner)
            for name in names.split():
                found[sort][home][name] = _gives(kind, f"{home}.{name}")
    return found


_ROWS = _read()
FUNCTIONS: dict[str, Run] = {f"{home}.{name}": run for home, names in _ROWS[""].items() for name, run in names.items()}


def of_object(kind: str) -> dict[str, Run]:
    """The methods of what a library makes that are rows."""
    return _ROWS["object"].get(kind, {})


def of_class(name: str) -> dict[str, Run]:
    """The methods of a class that are rows."""
    return _ROWS["class"].get(name, {})
