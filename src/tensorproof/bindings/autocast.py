"""Element types under torch.autocast: which spellings compute in the lower precision and which in float32 (`autocast.txt`).

The lists for the CPU are found by running the real library (`tools/make_autocast.py`), those for CUDA are those of its documentation.
"""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.derivatives import out_of_place
from tensorproof.bindings.rows import Row
from tensorproof.catalogue import find
from tensorproof.ops.applied import Applied
from tensorproof.ops.record import Op, Requirement
from tensorproof.ops.session import Refused, Session
from tensorproof.terms.dtypes import BFLOAT16, FLOAT16, FLOAT32, DType
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.values.machine import Value

_FILE = os.path.join(os.path.dirname(__file__), "autocast.txt")
_SURE = {"nn.functional.mse_loss": "float", "nn.MSELoss": "float", "nn.LSTM": "lower", "nn.GRU": "lower", "nn.RNN": "lower"}


@cache
def _kinds() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {"cpu": {}, "cuda": {}}
    with open(_FILE, encoding="utf-8") as lines:
        for line in lines:
            heading, _, names = line.rstrip("\n").partition(": ")
            device, _, kind = heading.partition(" ")
            found[device].update(dict.fromkeys(names.split(), kind))
    found["cpu"].update(_SURE)
    return found


def _kind(row: Row, device: str) -> str:
    if device == "cuda":
        return _kinds()["cuda"].get(row.op, "")
    name = out_of_place(row.name).removeprefix("torch.")
    if name.startswith("aten."):  # aten.linear.default is the function that torch.nn.functional.linear calls
        plain = name.split(".")[1]
        return next((kind for home in ("", "nn.functional.", "linalg.") if (kind := _kinds()["cpu"].get(home + plain)) is not None), "")
    return _kinds()["cpu"].get(name, "")


def _tensors(value: Value) -> list[TensorType]:
    if isinstance(value, TensorType):
        return [value]
    return [t for v in value for t in _tensors(v)] if isinstance(value, (tuple, list)) else []


def cast(row: Row, arguments: dict[str, Any], session: Session) -> dict[str, Any]:
    """The arguments of a call as autocast hands them to the operator."""
    if row.framework != "torch" or row.inplace or arguments.get("out") is not None:
        return arguments
    held = [t for value in arguments.values() for t in _tensors(value) if not t.weak]
    device = "cuda" if any((t.device or "").startswith("cuda") for t in held) else "cpu"
    target = session.casts.get(device, FLOAT32)
    kind = _kind(row, device)
    if device not in session.casts or not kind:
        return arguments
    if kind == "refused":
        words = f"{row.name} is not safe under autocast: use binary_cross_entropy_with_logits, or leave the autocast region"
        raise Refused(Requirement("autocast/refused", False, words))
    wanted = None if kind.endswith("?") or target is None else target if kind == "lower" else FLOAT32
    return {name: _changed(value, wanted, row, session) for name, value in arguments.items()}


def _changed(value: Any, wanted: DType | None, row: Row, session: Session) -> Value:
    if isinstance(value, TensorType):
        if value.dtype not in (FLOAT32, FLOAT16, BFLOAT16) or value.weak or value.dtype is wanted:
            return value
        made = value.but(dtype=wanted, contents=None)
        if wanted is not None:
            session.applied.append(Applied(_cast(), {"x": value, "dtype": wanted}, (made,), row.name))
        return made
    return type(value)(_changed(v, wanted, row, session) for v in value) if type(value) in (tuple, list) else value


@cache
def _cast() -> Op:
    found = find("cast")
    assert found is not None
    return found
