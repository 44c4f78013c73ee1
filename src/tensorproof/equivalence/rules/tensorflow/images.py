"""Images as integers from 0 to 255 and as floats from 0 to 1 give the same result, within a step of the integers."""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.arrays import Array
from tensorproof.equivalence.call import Call
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule
from tensorproof.equivalence.rules.spellings import outcome_of
from tensorproof.equivalence.rules.tensorflow.windows import by_our_names
from tensorproof.terms.tensor import TensorType


def _applies(api: Api) -> bool:
    return ".image." in api.name and api.name.startswith("tf.") and not api.random and not any(op.opaque for op in api.operators)


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    """Results of integers are rescaled and compared as bfloat16, whose tolerance is two steps of 255. Where integers give floats, so do floats."""
    import numpy as np

    bound, _ = by_our_names(call)
    name = getattr(bound.get("x"), "name", "")
    if not name or "dtype" in bound or not call.inputs[name].data.size:
        return
    own = {name: Array("uint8", np.random.default_rng(call.number).integers(0, 256, call.inputs[name].shape).astype("uint8"))}
    outcome = outcome_of(call.but(inputs={**call.inputs, **own}), {})
    if outcome is None or not isinstance(result := outcome.outputs, TensorType) or result.dtype is None:
        return
    if result.dtype.label == "uint8":
        scaled = "tf.cast(tf.clip_by_value(tf.cast(r, tf.float32){}, 0.0, 1.0), tf.bfloat16)"
        left = f"r = {call.expression(dialect)}\n" + scaled.format(" / 255")
        right = f"r = {call.expression(dialect, {name: f'tf.image.convert_image_dtype({name}, tf.float32)'})}\n" + scaled.format("")
        yield Pair(left, right, inputs=own)
    elif len(call.inputs) == 1:
        yield Pair(call.expression(dialect), call.expression(dialect, {name: f"tf.cast({name}, {dialect.dtype(result.dtype.label)})"}), inputs=own)


RULE = Rule("tf-images", "data format", "images as integers = images as floats, rescaled", ("tensorflow",), _pairs, _applies, number=9, special=False,
            unsupported=".")  # fmt: skip
