"""A function under `tf.vectorized_map` and the same function in a loop over the batch give the same results."""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.arrays import Array
from tensorproof.equivalence.call import Call
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule, Traced


def _applies(api: Api) -> bool:
    return not api.random and not any(op.data_dependent or op.opaque for op in api.operators)


def _stacked(name: str, x: Array) -> str:
    """Two samples: the input, and half of it. Whole numbers stay, since they may be places."""
    return f"tf.stack([{name}, {name} / 2])" if x.is_float or x.label.startswith("complex") else f"tf.stack([{name}, {name}])"


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    """All inputs get a batch axis, or one of them by the number of the call."""
    names = tuple(call.inputs)
    if not names or call.written:
        return
    one = names[call.number % len(names)]
    for chosen in dict.fromkeys((names, (one,))):
        lines = [f"batch_{name} = {_stacked(name, call.inputs[name])}" for name in chosen]
        lines.append(f"f = lambda given: (lambda {', '.join(chosen)}: {call.expression(dialect)})(*given)")
        setup = "\n".join(filter(None, (call.setup(dialect), *lines)))
        batch = tuple(f"batch_{name}" for name in chosen)
        loop = f"tf.nest.map_structure(lambda *r: tf.stack(r), *map(f, zip({', '.join(f'tf.unstack({b})' for b in batch)})))"
        traced = Traced("tf.function({}, autograph=False)", f"tf.vectorized_map(f, ({', '.join(batch)},), fallback_to_while_loop=False)", batch)
        yield Pair(loop, traced.text, setup, about=", ".join(chosen), traced=traced)


RULE = Rule("vectorized-map", "vectorization", "a loop over the batch = tf.vectorized_map", ("tensorflow", "keras"), _pairs, _applies, batched=True,
            unsupported="converter|pfor|vectorized|loop.?invariant|symbolic|eager execution|EagerTensor|must return zero or more Tensors|NumPy|in Graph mode"
                        "|Python bool|unstacked|dtype: int|tf.stack|Attempt to convert|ranked|rank must be")  # fmt: skip
