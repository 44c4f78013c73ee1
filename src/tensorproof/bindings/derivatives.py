"""What autograd does with a spelling of PyTorch: through which inputs a gradient passes, and what it saves for that (`derivatives.txt`).

The table is made by `tools/make_derivatives.py` from the real library; an operator that it cannot try declares its own (`Op.gradient`).
`x<y,result? y<x` reads: the gradient of x needs y, and in some calls the result; the gradient of y needs x.
`mask-`: no gradient passes through the mask; of an input that is not named nothing is known.
`result1` is the second of several results, `other` a tensor that the program does not see, `params` are the parameters of a layer.
"""

from __future__ import annotations

import os
from functools import cache

from tensorproof.bindings.rows import rows
from tensorproof.catalogue import find

Derivative = dict[str, tuple[tuple[str, bool], ...] | None]
"""For each input: what is saved for its gradient, each with whether that is so in every call; None where no gradient passes through it."""

_FILE = os.path.join(os.path.dirname(__file__), "derivatives.txt")


@cache
def _rows() -> dict[str, str]:
    found: dict[str, str] = {}
    with open(_FILE, encoding="utf-8") as lines:
        for line in lines:
            facts, _, names = line.rstrip("\n").partition(": ")
            found.update(dict.fromkeys(names.split(), facts))
    return found


@cache
def derivative(name: str) -> Derivative | None:
    """The facts of a spelling, in place or not; None when there are none."""
    facts = _facts(name)
    if facts is None:
        return None
    made: Derivative = {}
    for part in facts.split() if facts != "-" else ():
        if part.endswith("-"):
            made[part[:-1]] = None
            continue
        which, _, saved = part.partition("<")
        made[which.rstrip("?")] = tuple((one.rstrip("?"), not one.endswith("?")) for one in saved.split(",") if one)
    return made


def _facts(name: str) -> str | None:
    """The row of the spelling that writes nothing. Of inputs that it does not name, or where it applies another operator, the operator's declaration."""
    plain, spelled = out_of_place(name), rows(name)
    op = find(spelled[0].op) if spelled else None
    own = op.gradient if op is not None else ""
    if own and not any(row.op == spelled[0].op for row in rows(plain)):
        return own
    made = _rows().get(plain.removeprefix("torch."))
    if made is None or not own or made == "-":
        return own or made
    named = set(map(_named, made.split()))
    return " ".join((made, *(part for part in own.split() if _named(part) not in named)))


def _named(part: str) -> str:
    return part.partition("<")[0].rstrip("?-")


def out_of_place(name: str) -> str:
    """The spelling that computes the same and writes nothing: add for add_, __add__ for __iadd__."""
    home, _, word = name.rpartition(".")
    if word == "__setitem__":
        return f"{home}.__set__"
    if word.startswith("__i") and word.endswith("__") and word not in ("__invert__", "__index__", "__int__"):
        return f"{home}.__{word[3:]}"
    return name.rstrip("_") if word.endswith("_") and not word.endswith("__") else name
