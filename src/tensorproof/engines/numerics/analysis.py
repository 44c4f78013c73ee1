"""The analysis of a program form: bounds of all values, and a verdict for each hazard of each applied operator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tensorproof.engines.numerics.judging import Judging
from tensorproof.engines.numerics.records import SIZE, Analysis, Operation, Settings
from tensorproof.engines.numerics.walk import Walk
from tensorproof.program.form import Record

__all__ = ["SIZE", "Analysis", "Operation", "Settings", "analyse"]


def analyse(records: Sequence[Record], given: Mapping[int, Any], settings: Settings | None = None) -> Analysis:
    """`given` holds the ranges of inputs and parameters, by the identity of their tensors: a pair of numbers for all elements, or a box.

    A tensor that no record makes and that has neither a range nor contents is not known: what is computed from it gives no warning.
    """
    made = Analysis()
    walk = Walk(given, settings or Settings(), made)
    judging = Judging(walk)
    walk.judge = judging.judge
    walk.again = len(set(map(id, records))) < len(records)
    with np.errstate(all="ignore"):
        walk.run(records)
    for operation in judging.operations():
        (made.not_analysed if operation.verdict == "unknown" else made.operations).append(operation)
    made.values = {i: value.grid for i, value in walk.values.items()}
    made.assumed_sizes = dict(walk.sizes.assumed)
    made.kept = list(records)
    walk.end()
    return made
