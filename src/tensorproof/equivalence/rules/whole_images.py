"""Images as whole numbers and as real numbers between 0 and 1, with the result scaled back, are the same but for rounding."""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.arrays import Array
from tensorproof.equivalence.call import Call, Input
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule
from tensorproof.equivalence.rules.spellings import outcome_of
from tensorproof.ops.inputs import Tensor
from tensorproof.terms.dtypes import DType
from tensorproof.terms.tensor import TensorType

SCALED = frozenset({"moves", "cuts", "selects", "joins", "mixes", "convex", "totals"})
"""Facts about values (`ops.record.Values`) that hold for scaled numbers as well: the result is scaled like the input."""
_WHOLE = ("uint8", "int16", "int32", "int64")


def _applies(api: Api) -> bool:
    return bool(api.operators) and not api.random and all(op.values.kind in SCALED and not op.opaque and not op.outputs for op in api.operators)


def _pixels(x: Array, label: str) -> Array:
    import numpy as np

    return Array(label, np.random.default_rng(x.data.size).integers(0, 256, x.shape).astype(label))


def _images(call: Call) -> list[str]:
    """The inputs that hold pixels: all those of which the result is made. Empty where another input holds numbers too, other than places."""
    op = call.api.operators[0]
    ours = {a.theirs: a.ours for row in call.api.rows for a in row.arguments}
    found = []
    for theirs, value in call.bound().items():
        if not isinstance(value, Input):
            continue
        name, parameter = ours.get(theirs, ""), op.parameter(ours.get(theirs, ""))
        if name in op.values.over.split() or (not op.values.over and parameter is op.inputs[0]):
            found.append(value.name)
        elif not (isinstance(parameter, Tensor) and parameter.values.startswith(("index", "place"))) and call.inputs[value.name].label != "bool":
            return []
    return found


def _changes_type(call: Call) -> bool:
    """Whether whole numbers become others, or truth values."""
    if any("dtype" in row.fixed for row in call.api.rows) or any(isinstance(v, DType) for v in call.bound().values()):
        return True
    made = getattr(outcome_of(call, {}), "outputs", None)
    return isinstance(made, TensorType) and made.dtype is not None and made.dtype.kind not in "iu"


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    images = _images(call)
    label = _WHOLE[call.number % len(_WHOLE)]
    own = {name: _pixels(call.inputs[name], label) for name in images}
    if not images or call.init is not None or call.written or _changes_type(call.but(inputs={**call.inputs, **own})):
        return
    real = call.expression(dialect, {name: f"({name} / 255.0)" for name in images})
    yield Pair(call.expression(dialect), f"({real} * 255.0).round()", inputs=own, compare="numbers")


RULE = Rule("whole-images", "data format", "images as whole numbers = images as real numbers, scaled", ("torch",), _pairs, _applies, number=9, special=False,
            unsupported=r"^(?!.*INTERNAL ASSERT)")  # fmt: skip
