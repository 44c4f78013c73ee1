"""Gradients by the tape and by finite differences agree, in double precision (`tf.test.compute_gradient` gives both)."""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.arrays import Array
from tensorproof.equivalence.call import Call
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule
from tensorproof.ops.record import Op

MOST = 12
"""Numbers in the input that is differentiated: one evaluation of the call for each."""


def _applies(api: Api) -> bool:
    return not api.random and not api.is_layer and not any(op.opaque or op.surrogate or _stops(op) for op in api.operators)


def _stops(op: Op) -> bool:
    """Whether it is there to let no gradient through, whatever its result depends on."""
    return bool(op.gradient) and all(part.endswith("-") for part in op.gradient.split())


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    """With respect to one input, by the number of the call."""
    chosen = [name for name, x in call.inputs.items() if x.is_float and 0 < x.data.size <= MOST]
    if not chosen or call.written:
        return
    name = chosen[call.number % len(chosen)]
    wide = {n: Array("float64", x.data.astype("float64")) for n, x in call.inputs.items() if x.is_float}
    function = f"f = lambda {name}: {call.expression(dialect)}"
    setup = "\n".join(filter(None, (call.setup(dialect), function)))
    both = "tf.test.compute_gradient(f, [{}], delta={})[{}][0]"
    yield Pair(both.format(name, "1e-5", 1), both.format(name, "1e-5", 0), setup, about=name, loose=100.0, inputs=wide, again=both.format(name, "1e-3", 1))


RULE = Rule("gradient", "differentiation", "gradients by the tape = finite differences", ("tensorflow", "keras"), _pairs, _applies, special=False,
            gradients=True, unsupported="gradient|differentiable|LookupError|has no attribute|must be|multiple")  # fmt: skip
