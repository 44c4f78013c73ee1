"""The CPU and the meta device agree on shapes and element types."""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.call import Call
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule


def _applies(api: Api) -> bool:
    return not any(op.data_dependent for op in api.operators)


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    if call.inputs:
        setup = call.setup(dialect)
        moved = {name: f'{name}.to("meta")' for name in call.inputs}
        right = call.expression(dialect, moved, 'layer.to("meta")' if call.init is not None else "")
        yield Pair(call.expression(dialect), right, setup, compare="types")


RULE = Rule("meta", "backend", "the CPU = the meta device, for shapes and element types", ("torch",), _pairs, _applies, special=False, documented=True,
            unsupported="on meta tensors|meta device|meta tensor|device meta is not|device type meta|be on (the )?CPU")  # fmt: skip
