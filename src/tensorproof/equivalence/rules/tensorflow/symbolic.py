"""A call on tensors and the same call on symbolic Keras tensors agree on shapes and element types."""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.call import Call
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule


def _applies(api: Api) -> bool:
    return api.name.startswith(("keras.ops.", "keras.layers.", "keras.activations.")) and not any(op.data_dependent for op in api.operators)


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    if call.inputs:
        symbolic = {name: f'keras.KerasTensor({list(x.shape)}, "{x.label}")' for name, x in call.inputs.items()}
        yield Pair(call.expression(dialect), call.expression(dialect, symbolic), call.setup(dialect), compare="types")


RULE = Rule("keras-symbolic", "backend", "tensors = symbolic Keras tensors, for shapes and element types", ("tensorflow", "keras"), _pairs, _applies,
            special=False, by_name=True, unsupported="KerasTensor cannot be used as input|symbolic|KerasTensor")  # fmt: skip
