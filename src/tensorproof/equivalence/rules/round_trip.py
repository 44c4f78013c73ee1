"""A tensor that is stored and read back is what it was; so is what an operator makes of it after the inverse operator."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.call import Call, Input, text
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule
from tensorproof.equivalence.tables import table
from tensorproof.ops.inputs import REQUIRED
from tensorproof.terms.dtypes import DType

_SAVED = """import io
def back(y):
    file = io.BytesIO()
    torch.save(y, file)
    file.seek(0)
    return torch.load(file)
"""
CONVERSIONS = {
    "torch.save": _SAVED,
    "numpy": "back = lambda y: torch.from_numpy(y.numpy())\n",
    "dlpack": "back = torch.from_dlpack\n",
    "list": "back = lambda y: torch.tensor(y.tolist(), dtype=y.dtype).reshape(y.shape)\n",
    "sparse": "back = lambda y: y.to_sparse().to_dense()\n",
    "bytes": "back = lambda y: torch.frombuffer(bytearray(y.numpy().tobytes()), dtype=y.dtype).reshape(y.shape)\n",
}
"""Ways in which any tensor is stored and read back."""
_EXACT = ("float64", "float32", "complex64", "complex128", "int64", "int32", "bool", "uint8")


def _applies(api: Api) -> bool:
    return not api.random and not any(op.opaque for op in api.operators)


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    conversion = tuple(CONVERSIONS)[call.number % len(CONVERSIONS)]
    made = call.expression(dialect)
    yield Pair(made, f"{CONVERSIONS[conversion]}torch.utils._pytree.tree_map_only(torch.Tensor, back, {made})", call.setup(dialect), conversion)
    if call.api.op in table("torch_inverses") and not call.special and len(call.api.operators) == 1:
        yield from _inverted(call, dialect, made)


def _inverted(call: Call, dialect: Dialect, made: str) -> Iterator[Pair]:
    op, row = call.api.operators[0], call.api.rows[0]
    given = {p.name: p.default for p in op.attributes if p.default is not REQUIRED} | dict(row.fixed)
    ours = {a.theirs: a.ours for row in call.api.rows for a in (*row.arguments, *(row.call_arguments or ()))}
    given |= {ours.get(name, name): value for name, value in {**(call.init or {}), **call.bound()}.items()}
    first, inverse = given.get(op.inputs[0].name), table("torch_inverses")[op.name]
    wanted = re.findall(r"\{(\w+)\}", inverse)
    if any(x.label not in _EXACT for x in call.inputs.values()) or not set(wanted) <= given.keys() or given.get("n") is not None:
        return
    if any(isinstance(v, DType) for v in given.values()) or any(a.gathers for a in row.arguments) or any("mask" in name for name in given):
        return
    if not isinstance(first, (Input, tuple, list)) or any(given[name] is None for name in wanted if name != "norm"):
        return
    right = f"y = {made}\n{inverse.format(**{name: text(given[name], dialect) for name in wanted})}"
    yield Pair(text(first, dialect), right, call.setup(dialect), "inverse", compare="numbers", loose=10.0)


RULE = Rule("round-trip", "inverse", "what it was = stored and read back, or inverted", ("torch",), _pairs, _applies, number=13,
            unsupported=r"^(?!.*INTERNAL ASSERT)")  # fmt: skip
