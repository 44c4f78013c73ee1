"""A call and the same call mapped over a `tf.data.Dataset` of its inputs give the same result; what goes through a Dataset comes out as it was."""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.call import Call
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule
from tensorproof.equivalence.rules.spellings import outcome_of


def _applies(api: Api) -> bool:
    return not api.random and not any(op.opaque for op in api.operators)


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    """By the number of the call: one input goes through a Dataset in slices, all go through as they are, or the call is mapped over one."""
    names = ", ".join(call.inputs)
    if not names or call.written:
        return
    setup, left = call.setup(dialect), call.expression(dialect)
    whole = f"tf.data.Dataset.from_tensors(({names},))"
    sliced = [name for name, x in call.inputs.items() if x.data.ndim and x.shape[0]]
    if call.number % 4 == 0 and (mapped := _mapped(call, left)):
        yield Pair(left, f"next(iter({whole}.map(lambda {names}: {mapped}, num_parallel_calls=2)))", setup, about="mapped")
    elif call.number % 2 and sliced:
        x = sliced[call.number // 2 % len(sliced)]
        yield Pair(left, f"{x} = next(iter(tf.data.Dataset.from_tensor_slices({x}).batch({call.inputs[x].shape[0]})))\n{left}", setup, about="sliced")
    else:
        yield Pair(left, f"{names}, = next(iter({whole}.prefetch(1)))\n{left}", setup, about="whole")


def _mapped(call: Call, left: str) -> str:
    """What is mapped: a Dataset makes one tensor of a list, and keeps a tuple. Empty where it is not known which the call gives."""
    outcome = outcome_of(call, {}) if call.api.rows else None
    if outcome is None:
        return ""
    return f"tuple({left})" if isinstance(outcome.outputs, (tuple, list)) else left


RULE = Rule("dataset", "data format", "direct = through a tf.data.Dataset", ("tensorflow", "keras"), _pairs, _applies, number=11, documented=True,
            unsupported="symbolic|eager execution|EagerTensor|not accessible|must return zero or more Tensors|NumPy|in Graph mode|Python bool"
                        "|Unsupported return|Attempt to convert")  # fmt: skip
