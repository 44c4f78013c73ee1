"""A dense argument and the same argument kept sparse give the same numbers."""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.arrays import Array
from tensorproof.equivalence.call import Call, Input
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule

_TWICE = "torch.sparse_coo_tensor(torch.cat([{0}.nonzero().mT] * 2, 1), torch.cat([{0}[{0} != 0] / 2] * 2), {0}.shape)"
"""Each element stands there twice, as two halves."""


def _applies(api: Api) -> bool:
    return not api.random and not any(op.opaque for op in api.operators)


def _thinned(x: Array) -> Array:
    """With zeros at half of the places, the same ones in each matrix of a batch (which compressed storage asks for)."""
    import numpy as np

    kept = np.random.default_rng(x.data.size).random(x.shape[-2:]) < 0.5
    return x.but(np.where(kept, np.where(x.data == 0, 1, x.data), 0))


def _sparse_already(call: Call) -> set[str]:
    given = [*call.args, *call.kwargs.values()]
    return {v.name for v in given if isinstance(v, Input) and v.storage != "strided"}


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    setup = call.setup(dialect)
    for name, x in call.inputs.items():
        if not x.data.ndim or name in call.written or name in _sparse_already(call):
            continue
        texts = {storage: dialect.converted(name, storage) for storage in ("sparse_coo", *(("sparse_csr", "sparse_csc") if x.data.ndim > 1 else ()))}
        if x.is_float:
            texts["sparse_coo, not coalesced"] = _TWICE.format(name)
        own = {name: _thinned(x)}
        for storage, text in texts.items():
            yield Pair(call.expression(dialect), call.expression(dialect, {name: text}), setup, about=f"{name}: {storage}", inputs=own)


RULE = Rule("sparse", "data structure", "a dense argument = a sparse one", ("torch",), _pairs, _applies, number=8, special=False,
            unsupported="[Ss]parse|strided|layout|coalesced|storage|stride|contiguous|not allowed on|of format|to match, but|specified elements")  # fmt: skip
