"""Bounds of the numbers in a tensor that the program made, as a domain: what a loss that takes probabilities, or an index, is judged by.

A tensor that was given to the program (read from a file, an argument) has no bounds: it is taken to hold what it should. What is drawn or computed has some,
and where they do not prove that a range is kept, that is a gap.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from math import inf, trunc

from tensorproof.catalogue.elementwise.formulas import drawn_numbers
from tensorproof.catalogue.elementwise.formulas.real_bounds import ABOVE_ZERO, along_axis, are_whole, computed, of
from tensorproof.ops.applied import Applied, given_values
from tensorproof.ops.record import Op
from tensorproof.terms import BUDGETS, DType, TensorType
from tensorproof.terms.facts import Bounds, learn, learn_bounds
from tensorproof.values.port import Machine

__all__ = ["applied", "of", "reads"]
_COARSE = (-inf, -1.0, 0.0, ABOVE_ZERO, 1.0, inf)


def reads(op: Op) -> bool:
    return True


def applied(m: Machine, one: Applied) -> None:
    """Keep what holds of the results of an operator."""
    for at, made in enumerate(one.results):
        if made.contents is not None or made.dtype is None or made.dtype.kind not in "iuf":
            continue
        values = given_values(one, at)
        found = computed(one, values, at) if made.facts is None or made.facts.span is None else None
        if found is None:
            if made.facts is not None and (rows := along_axis(one, made)) is not None:
                learn(made, rows=rows)
            continue
        low, high = _held(made.dtype, found)
        chance, steps = _descent(one)
        if steps > BUDGETS.containers.steps_of_bounds:  # bounds of a loop must come to rest
            low, high = _COARSE[bisect_right(_COARSE, low) - 1], _COARSE[bisect_left(_COARSE, high)]
        rows = along_axis(one, made) if steps <= BUDGETS.containers.steps_of_bounds else None
        drawn, whole = drawn_numbers.of(one, values), are_whole(one, values)
        learn_bounds(made, (low, high), steps, chance, drawn, rows, whole)


def _descent(one: Applied) -> tuple[bool, int]:
    """Whether random numbers took part in what an operator made, and how many operators computed it, one after another."""
    chance, steps = one.op.random, 0
    for value in one.arguments.values():
        kind = value.__class__
        if kind is TensorType or kind is tuple or kind is list:
            for t in (value,) if kind is TensorType else value:
                if t.__class__ is TensorType and (facts := t.facts) is not None:
                    chance = chance or facts.chance
                    if facts.steps >= steps:
                        steps = facts.steps + 1
    return chance, steps


def _held(dtype: DType, found: Bounds) -> Bounds:
    """What an element type makes of these numbers: whole ones are cut, those that do not fit may be any."""
    if dtype.kind == "f":
        return found
    low, high = (end if abs(end) == inf else float(trunc(end)) for end in found)
    least = -(2.0 ** (dtype.bits - 1)) if dtype.kind == "i" else 0.0
    most = least + 2.0**dtype.bits - 1
    return (low, high) if least <= low and high <= most else (least, most)
