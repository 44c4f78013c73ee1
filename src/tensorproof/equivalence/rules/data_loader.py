"""A tensor and the batches that `torch.utils.data.DataLoader` makes of its rows, put together again, give the same result."""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.call import Call
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule

_THROUGH = (
    "torch.cat([b for (b,) in torch.utils.data.DataLoader(torch.utils.data.TensorDataset({0}), batch_size={1})])",
    'torch.cat([b["x"] for b in torch.utils.data.DataLoader([{{"x": row}} for row in {0}], batch_size={1})])',
    "torch.stack([row for row in torch.utils.data.DataLoader(list({0}), batch_size=None)])",
)
"""As a dataset of tensors, as a list of dictionaries that are collated, and row by row without batches."""


def _applies(api: Api) -> bool:
    return not api.random and not any(op.opaque for op in api.operators)


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    through = {
        name: _THROUGH[(call.number + i) % len(_THROUGH)].format(name, 1 + call.number % 3)
        for i, (name, x) in enumerate(call.inputs.items())
        if x.data.ndim and x.shape[0] and name not in call.written
    }
    if through:
        yield Pair(call.expression(dialect), call.expression(dialect, through), call.setup(dialect))


RULE = Rule("data-loader", "data format", "a tensor = its rows through a DataLoader", ("torch",), _pairs, _applies, number=11)
