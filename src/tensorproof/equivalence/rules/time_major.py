"""Sequences with the batch first and with the time first give the same result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.call import Call, Input
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule
from tensorproof.ops.record import Op

_SEQUENCES = frozenset({"input", "query", "key", "value", "src", "tgt", "memory", "padded_sequences"})
"""Arguments whose first two axes are batch and time. Masks and states have an order of their own."""


def _applies(api: Api) -> bool:
    return any(a.theirs == "batch_first" for row in api.rows for a in row.arguments)


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    given = call.bound()
    sequences = [v.name for name, v in given.items() if name in _SEQUENCES and isinstance(v, Input)]
    swapped = {name: f"{name}.transpose(0, 1)" for name in sequences if call.inputs[name].data.ndim > 2 or call.init is None}
    if call.init is not None:
        if not swapped:
            return
        other = call.but(init=_flipped(call.init)).setup(dialect).replace("layer = ", "other = ")
        yield Pair(call.expression(dialect), _back(call.expression(dialect, swapped, "other"), call.api.operators[0]), f"{call.setup(dialect)}\n{other}")
        return
    at = [a.theirs for a in call.api.rows[0].arguments].index("batch_first")
    if at < len(call.args):
        flipped = call.but(args=(*call.args[:at], not call.args[at], *call.args[at + 1 :]))
    else:
        flipped = call.but(kwargs=_flipped(call.kwargs))
    yield Pair(call.expression(dialect), _back(flipped.expression(dialect, swapped), call.api.operators[0]))


def _flipped(given: Mapping[str, Any]) -> dict[str, Any]:
    return {**given, "batch_first": not given.get("batch_first", False)}


def _back(made: str, op: Op) -> str:
    """The result with its axes in the other order: that of the first result where there are several. Packed and unpadded sequences have no such order."""
    if op.counted or (op.outputs and op.outputs[0].name == "data"):
        return made
    if not op.outputs:
        return f"{made}.transpose(0, 1)"
    return f"first, *rest = {made}\n(first.transpose(0, 1), *rest)"


RULE = Rule("time-major", "data format", "batch first = time first", ("torch",), _pairs, _applies, number=10)
