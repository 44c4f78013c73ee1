"""What the catalogue says of a call's result: its reference functions on the call's own numbers, in NumPy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tensorproof.engines.generate.calls import GeneratedCall, evaluate, is_valid
from tensorproof.engines.values.evaluate import evaluate as computed
from tensorproof.equivalence.call import Call
from tensorproof.equivalence.drawing import abstract
from tensorproof.equivalence.opinion import Opinion, distance, place_of
from tensorproof.equivalence.oracle import Difference
from tensorproof.ops.evaluation import Undefined
from tensorproof.terms.tensor import TensorType


def by_catalogue(opinion: Opinion, difference: Difference, call: Call, direct: bool) -> Opinion:
    """The opinion on numbers that differ, with what the catalogue knows: results that are not defined, and which side is wrong where nothing said.

    `direct`: the left side is the call itself.
    """
    if any(op.unordered for op in call.api.operators):
        return Opinion("undefined", words="the order of the numbers is not defined")
    try:
        results = _results(call)
    except Undefined as reason:  # which of equal elements comes first, what is written twice
        return Opinion("undefined", words=str(reason))
    if opinion.wrong_side or not direct:
        return opinion
    import numpy as np

    left, right = np.asarray(difference.left), np.asarray(difference.right)
    place = place_of(difference) or 0
    if place >= len(results) or results[place].shape != left.shape:
        return opinion
    with np.errstate(all="ignore"):
        first, second = distance(left, results[place]), distance(right, results[place])
    if first == second:
        return opinion
    return replace(opinion, wrong_side="right" if second > first else "left", words=f"distance from NumPy: left {first:.3g}, right {second:.3g}")


def _results(call: Call) -> list[Any]:
    """Of a layer with weights there are none: those are not known here."""
    if any(row.creations for row in call.api.rows) or any(x.data.dtype.kind not in "biufc" for x in call.inputs.values()):
        return []
    for row in call.api.rows:
        tensors: dict[int, str] = {}
        args, kwargs = abstract(list(call.args), call, tensors), abstract(dict(call.kwargs), call, tensors)
        try:
            init = None if call.init is None else abstract(dict(call.init), call, tensors)
            outcome = evaluate(GeneratedCall(row, tuple(args), kwargs, init)).outcome
            if is_valid(outcome):
                values = computed(outcome.applied, {place: call.inputs[name].data for place, name in tensors.items()})
                return [values[id(t)] for t in _leaves(outcome.outputs) if id(t) in values]
        except Undefined:
            raise
        except Exception:  # there is no reference function, or it does not take such a call
            continue
    return []


def _leaves(outputs: object) -> list[TensorType]:
    if isinstance(outputs, TensorType):
        return [outputs]
    return [t for item in outputs for t in _leaves(item)] if isinstance(outputs, (tuple, list)) else []
