"""Whole numbers that TensorFlow takes as tensors (axes, sizes, widths) as arguments of a traced function: nothing is known of them while it is traced.

Numbers that the call takes give the same result; numbers that it refuses are refused as well.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Iterator
from typing import Any

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.arrays import Array
from tensorproof.equivalence.call import Call, Input
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule, Traced
from tensorproof.equivalence.tracing import can_be_traced

_WRAP = "tf.function({}, autograph=False)"
_FAR = 100
"""More than any axis or size of a drawn call."""


def _applies(api: Api) -> bool:
    return api.name.startswith("tf.") and not api.is_layer and not api.is_method and can_be_traced(api)


def _whole(value: Any) -> bool:
    """Whether it is a whole number or a list of them, or of lists of one length."""
    if isinstance(value, (tuple, list)):
        return bool(value) and all(map(_whole, value)) and len({len(v) if isinstance(v, (tuple, list)) else -1 for v in value}) == 1
    return type(value) is int


def _attributes(call: Call) -> list[str]:
    return [name for name, value in call.bound().items() if name.isidentifier() and not keyword.iskeyword(name) and _whole(value) and name not in call.inputs]


def _with(call: Call, attribute: str, value: Any) -> tuple[Call, dict[str, Array]]:
    """The call with that attribute as an input, and that input."""
    import numpy as np

    names = list(call.bound())
    args = tuple(Input(attribute) if names[i] == attribute else a for i, a in enumerate(call.args))
    kwargs = {name: Input(attribute) if name == attribute else v for name, v in call.kwargs.items()}
    own = {attribute: Array("int32", np.array(value, "int32"))}
    return call.but(args=args, kwargs=kwargs, inputs={**call.inputs, **own}), own


def _chosen(call: Call) -> str:
    """One attribute, by the number of the call."""
    found = _attributes(call) if call.init is None and not call.written else []
    return found[call.number % len(found)] if found else ""


def _taken(call: Call, dialect: Dialect) -> Iterable[Pair]:
    if attribute := _chosen(call):
        made, own = _with(call, attribute, call.bound()[attribute])
        traced = Traced(_WRAP, made.expression(dialect), tuple(made.inputs))
        yield Pair(call.expression(dialect), traced.text, about=attribute, traced=traced, inputs=own)


def _broken(value: Any) -> Iterator[tuple[str, Any]]:
    """Numbers that calls tend to refuse: one of them twice, and one that is out of every range."""
    if not isinstance(value, (tuple, list)):
        yield from (("beyond", value + _FAR), ("below", value - _FAR))
        return
    if len({str(v) for v in value}) > 1:
        yield "alike", [value[0]] * len(value)
    yield "twice", [*value, value[0]]
    if not isinstance(value[0], (tuple, list)):
        yield from (("beyond", [value[0] + _FAR, *value[1:]]), ("below", [value[0] - _FAR, *value[1:]]))


def _refused(call: Call, dialect: Dialect) -> Iterable[Pair]:
    if attribute := _chosen(call):
        for about, value in _broken(call.bound()[attribute]):
            made, own = _with(call, attribute, value)
            traced = Traced(_WRAP, made.expression(dialect), tuple(made.inputs))
            yield Pair(made.expression(dialect), traced.text, about=f"{attribute} {about}", traced=traced, inputs=own, refused=True)


RULES = (
    Rule("tf-attributes", "optimization", "an attribute = the same attribute as an argument of tf.function", ("tensorflow",), _taken, _applies, number=1,
         batched=True, special=False, unsupported=".", thin=2, share=0.5),
    Rule("tf-refusals", "optimization", "what a call refuses, tf.function refuses", ("tensorflow",), _refused, _applies, number=1, batched=True,
         special=False, thin=2, share=0.5),
)  # fmt: skip
