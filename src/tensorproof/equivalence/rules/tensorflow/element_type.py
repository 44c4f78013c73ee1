"""The same numbers in a narrow and in a wide element type give the same result, where the narrow one holds it."""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.call import Call
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule
from tensorproof.equivalence.rules.element_type import WIDER
from tensorproof.equivalence.rules.strided import is_about_memory


def _applies(api: Api) -> bool:
    return not api.random and not is_about_memory(api) and not any(op.opaque for op in api.operators)


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    """All inputs of a kind together, since most operators want one element type. A layer is made again, with the same weights."""
    wide = {name: f"tf.cast({name}, {dialect.dtype(WIDER[x.label])})" for name, x in call.inputs.items() if x.label in WIDER}
    if not wide or call.written:
        return
    right = call.expression(dialect, wide)
    if call.init is not None:
        if any(x.label == "float64" for x in call.inputs.values()) or "dtype" in call.init:
            return
        again = [call.expression(dialect), f'wide = {call.api.name}.from_config({{**layer.get_config(), "dtype": "float64"}})']
        again += ["wide.build_from_config(layer.get_build_config() or {})", "wide.set_weights(layer.get_weights())"]
        right = "\n".join([*again, call.expression(dialect, wide, "wide")])
    yield Pair(call.expression(dialect), right, call.setup(dialect), compare="numbers")


RULE = Rule("tf-element-type", "data format", "a narrow element type = a wide one, for numbers that both hold", ("tensorflow", "keras"), _pairs, _applies,
            number=12, special=False, unsupported=".")  # fmt: skip
