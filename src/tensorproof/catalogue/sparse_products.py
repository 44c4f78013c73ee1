"""Reference functions of products with sparse matrices, on all their elements."""

from __future__ import annotations

from typing import Any

from tensorproof.ops.evaluation import Arguments, Undefined


def product(np: Any, a: Arguments) -> Any:
    """Other reductions than sums run over the elements that are stored."""
    if a["reduce"] not in (None, "sum"):
        raise Undefined
    return np.matmul(a["x"], a["y"])


def sampled(np: Any, a: Arguments) -> Any:
    made = np.add(np.multiply(a["beta"], a["x"]), np.multiply(a["alpha"], np.matmul(a["y"], a["z"])))
    return np.where(a["x"] != 0, made, 0)
