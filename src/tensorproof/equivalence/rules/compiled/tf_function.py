"""A function and what `tf.function` makes of it give the same result, without and with XLA.

Each input is an argument of the traced function, captured, or a constant inside.
"""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.equivalence.call import Call
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Pairs, Rule, Traced
from tensorproof.equivalence.tracing import can_be_traced, joins_elements

_NOT_TRACED = (
    "must return zero or more Tensors|not compatible with eager|eager execution|EagerTensor|symbolic|not accessible|iterating over|Python bool|__array__"
    "|has no attribute 'numpy'|NumPy array|in Graph mode|unsupported operations|constant(?! shape)|must be statically known|compile-time"
)
"""Messages that say that a value is needed while the function is traced."""

EACH_CONSTANT = 3
"""Up to so many inputs, each is tried as the constant."""


def _traced(wrap: str) -> Pairs:
    def pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
        left, setup = call.expression(dialect), call.setup(dialect)
        if setup:  # weights that are made while many calls are traced together come from another state of the random numbers
            setup = f"{setup}\n{left}"
        for about, constant, parameters in _variants(call):
            literals = {name: dialect.literal(call.inputs[name]) for name in constant}
            body = call.expression(dialect, {**literals, **{n: dialect.copied(literals[n]) for n in literals if n in call.written}})
            traced = Traced(wrap, body, parameters)
            yield Pair(left, traced.text, setup, about=about, traced=traced)

    return pairs


def _variants(call: Call) -> Iterable[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """What each input is: (about, constants, arguments); the others are captured. Of many inputs, one is the constant, by the number of the call."""
    names = tuple(call.inputs)
    yield "arguments", (), names
    if not names:
        return
    yield "captured", (), ()
    for constant in names if len(names) <= EACH_CONSTANT else (names[call.number % len(names)],):
        yield f"constant {constant}", (constant,), tuple(n for n in names if n != constant)


RULES = (
    Rule("tf-function", "optimization", "eager = tf.function", ("tensorflow", "keras"), _traced("tf.function({}, autograph=False)"), can_be_traced, number=1,
         batched=True, documented=True, unsupported=_NOT_TRACED, thin=4, share=2.0, first=joins_elements),
    Rule("xla", "optimization", "eager = tf.function compiled by XLA", ("tensorflow", "keras"), _traced("tf.function({}, autograph=False, jit_compile=True)"),
         can_be_traced, number=1, batched=True, documented=True, unsupported=_NOT_TRACED, thin=4, first=joins_elements),
)  # fmt: skip
