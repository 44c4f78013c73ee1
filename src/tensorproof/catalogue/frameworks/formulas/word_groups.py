"""How often groups of words, given as whole numbers, stand in rows of words: the reference function of `tf_idf`, with NumPy."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tensorproof.ops.evaluation import Arguments, Undefined, plain

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def _groups(a: Arguments) -> dict[tuple[Any, ...], int]:
    """The groups of words in the pool, which stand there by their length, with their columns."""
    found: dict[tuple[Any, ...], int] = {}
    number, pool, counts = 0, list(a["pool"]), [*a["counts"], len(a["pool"])]
    for length, (first, last) in enumerate(pairwise(counts), 1):
        for at in range(first, last - length + 1, length):
            if a["shortest"] <= length <= a["longest"]:
                found[tuple(pool[at : at + length])] = a["columns"][number]
            number += 1
    return found


def counted_words(np: Numpy, a: Arguments) -> Array:
    if not 1 <= a["shortest"] <= a["longest"] or a["skips"] < 0 or a["mode"] not in ("TF", "IDF", "TFIDF"):
        raise Undefined
    words, groups = plain(np, a["x"]), _groups(a)
    made = np.zeros((*words.shape[:-1], max(a["columns"], default=-1) + 1))
    rows = [words.tolist()] if words.ndim == 1 else words.tolist()
    for row, found in zip(rows, [made] if words.ndim == 1 else made):
        for step in range(1, a["skips"] + 2):
            for length in range(max(a["shortest"], 1 if step == 1 else 2), a["longest"] + 1):
                for first in range(len(row) - step * (length - 1)):
                    column = groups.get(tuple(row[first : first + step * (length - 1) + 1 : step]))
                    if column is not None:
                        found[column] += 1
    if a["mode"] == "TF":
        return made
    weights = np.ones(made.shape[-1:]) if not a["weights"] else np.asarray(a["weights"])[: made.shape[-1]]
    return np.where(made > 0, weights, 0.0) if a["mode"] == "IDF" else made * weights
