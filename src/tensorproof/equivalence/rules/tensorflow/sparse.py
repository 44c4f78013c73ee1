"""A dense argument and the same argument as a `tf.SparseTensor` give the same numbers."""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.arrays import Array
from tensorproof.equivalence.call import Call
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule


def _applies(api: Api) -> bool:
    return not api.random and not api.is_method and not any(op.opaque for op in api.operators)


def _thinned(x: Array) -> Array:
    """With zeros at half of the places."""
    import numpy as np

    return x.but(np.where(np.random.default_rng(x.data.size).random(x.shape) < 0.5, x.data, 0))


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    """Each argument alone, and all of them."""
    names = tuple(name for name, x in call.inputs.items() if x.data.ndim and x.label not in ("bool", "uint8"))
    setup, left = call.setup(dialect), call.expression(dialect)
    for chosen in dict.fromkeys([*((name,) for name in names[:2]), names] if names and not call.written else []):
        texts = {name: f"tf.sparse.from_dense({name})" for name in chosen}
        yield Pair(left, call.expression(dialect, texts), setup, about=", ".join(chosen), inputs={name: _thinned(call.inputs[name]) for name in chosen})


RULE = Rule("tf-sparse", "data structure", "a dense argument = a sparse one", ("tensorflow", "keras"), _pairs, _applies, number=8, special=False,
            unsupported="[Ss]parse|Attempt to convert|Failed to convert|CompositeTensor|not a tensor|dense|unsupported operand|has no attribute"
                        "|EagerTensor")  # fmt: skip
