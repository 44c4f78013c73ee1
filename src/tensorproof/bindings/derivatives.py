"""What autograd does with a spelling of PyTorch: through which inputs a gradient passes, and what it saves for that (`derivatives.txt`).

The table is made by `tools/make_derivatives.py` from the real library. `x<y,result? y<x` reads: the gradient of x needs y, and in some calls the
result; the gradient of y needs x. `mask-`: no gradient passes through the mask; of an input that is not named nothing is known.
`result1` is the second of several results, `other` a tensor that the program does not see, `params` are the parameters of a layer.
"""

from __future__ import annotations

import os
from functools import cache

Derivative = dict[str, tuple[tuple[str, bool], ...] | None]
"""For each input: what is saved for its gradient, each with whether that is so in every call; None where no gradient passes through it."""

_FILE = os.path.join(os.path.dirname(__file__), "derivatives.txt")
_BY_HAND = {
    "Tensor.copy": "x- y<", "Tensor.__set__": "x< value< y< index-", "Tensor.__getitem__": "x<index?,other? index-",
    **dict.fromkeys(("Tensor.index_add", "index_add", "Tensor.scatter_add", "scatter_add"), "x< source<index,source? index-"),
    **dict.fromkeys(("Tensor.index_copy", "index_copy", "Tensor.scatter", "scatter"), "x<index source<index,source? index-"),
    **dict.fromkeys(("nn.RNN", "nn.GRU", "nn.LSTM", "nn.RNNCell", "nn.GRUCell", "nn.LSTMCell"), "x<other,params? params<other,params?,x? hx<other,params?"),
    **dict.fromkeys(("Tensor.zero", "Tensor.fill", "Tensor.normal", "Tensor.uniform", "Tensor.random", "Tensor.exponential", "Tensor.bernoulli"), "x-"),
}  # fmt: skip


@cache
def _rows() -> dict[str, str]:
    found: dict[str, str] = {}
    with open(_FILE, encoding="utf-8") as lines:
        for line in lines:
            facts, _, names = line.rstrip("\n").partition(": ")
            found.update(dict.fromkeys(names.split(), facts))
    return {**found, **_BY_HAND}


@cache
def derivative(name: str) -> Derivative | None:
    """The facts of a spelling, in place or not; None when there are none."""
    facts = _rows().get(out_of_place(name).removeprefix("torch."))
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


def out_of_place(name: str) -> str:
    """The spelling that computes the same and writes nothing: add for add_, __add__ for __iadd__."""
    home, _, word = name.rpartition(".")
    if word == "__setitem__":
        return f"{home}.__set__"
    if word.startswith("__i") and word.endswith("__") and word not in ("__invert__", "__index__", "__int__"):
        return f"{home}.__{word[3:]}"
    return name.rstrip("_") if word.endswith("_") and not word.endswith("__") else name
