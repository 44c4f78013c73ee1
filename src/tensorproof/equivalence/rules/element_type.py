"""The same numbers in a narrow and in a wide element type give the same result, where the narrow one holds it."""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.call import Call
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule
from tensorproof.equivalence.rules.strided import is_about_memory

WIDER = {
    "float16": "float32", "bfloat16": "float32", "float32": "float64", "complex64": "complex128", "uint8": "int64", "int8": "int32", "int16": "int64",
    "int32": "int64",
}  # fmt: skip


def _applies(api: Api) -> bool:
    return not api.random and not is_about_memory(api) and not any(op.opaque for op in api.operators)


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    """All inputs of a kind together, since most operators want one element type."""
    wide = {name: f"{name}.to({dialect.dtype(WIDER[x.label])})" for name, x in call.inputs.items() if x.label in WIDER}
    if wide and not call.written:
        right = call.expression(dialect, wide, "layer.double()" if call.init is not None else "")
        yield Pair(call.expression(dialect), right, call.setup(dialect), compare="numbers")


RULE = Rule("element-type", "data format", "a narrow element type = a wide one, for numbers that both hold", ("torch",), _pairs, _applies, number=12,
            special=False, unsupported=r"^(?!.*INTERNAL ASSERT)")  # fmt: skip
