"""A contiguous input and the same numbers with other strides give the same result."""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.call import Call
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule

_OF_MEMORY = frozenset({
    "stride", "is_contiguous", "storage_offset", "data_ptr", "as_strided", "as_strided_", "as_strided_scatter", "empty_like", "view", "resize_",
})  # fmt: skip


def is_about_memory(api: Api) -> bool:
    """Whether its result depends on how its input lies in memory, or on the bits of its numbers."""
    return api.name.rpartition(".")[2] in _OF_MEMORY or any(op.name == "view_dtype" for op in api.operators)


def _applies(api: Api) -> bool:
    return not api.random and not is_about_memory(api)


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    """Each input in turn: every second column of a wider tensor, or a transposed one."""
    setup, left = call.setup(dialect), call.expression(dialect)
    for name, x in call.inputs.items():
        if x.data.ndim and x.data.size and name not in call.written:
            strided = f"torch.stack([{name}, {name}], -1)[..., 0]" if x.data.ndim < 2 or call.number % 2 else f"{name}.mT.contiguous().mT"
            yield Pair(left, call.expression(dialect, {name: strided}), setup, about=name)


RULE = Rule("strided", "memory layout", "a contiguous input = the same input with other strides", ("torch",), _pairs, _applies, documented=True,
            unsupported="contiguous|with stride")  # fmt: skip
