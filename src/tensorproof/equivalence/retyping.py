"""A drawn call with another element type, where the catalogue takes that. Drawing itself keeps to the common types."""

from __future__ import annotations

from random import Random
from typing import Any

from tensorproof.engines.generate.calls import GeneratedCall, evaluate, is_valid
from tensorproof.terms.dtypes import BY_LABEL, DType
from tensorproof.terms.records import replace
from tensorproof.terms.tensor import TensorType

OFTEN = 0.35
"""The share of calls that are tried with another type."""
_OTHERS = {
    "f": ("float16", "bfloat16", "float16", "bfloat16", "float64", "complex64", "complex128", "int32"),
    "i": ("int32", "int16", "int8", "uint8", "float32"),
    "u": ("int32", "uint8", "uint16"),
    "c": ("complex128", "complex64"),
    "b": ("uint8",),
}  # fmt: skip


def retyped(made: GeneratedCall, random: Random) -> GeneratedCall:
    """The call with all its tensors of one type in another type; the call as it is where the catalogue does not take that."""
    if random.random() > OFTEN:
        return made
    types = sorted({t.dtype for t in tensors_of(made) if t.dtype is not None}, key=repr)
    if not types:
        return made
    old = random.choice(types)
    new = BY_LABEL[random.choice(_OTHERS.get(old.kind, (old.label,)))]
    changed = replace(made, args=_changed(tuple(made.args), old, new), kwargs=_changed(dict(made.kwargs), old, new))
    try:
        changed = evaluate(changed)
    except Exception:  # a type that the call's own numbers do not fit
        return made
    return changed if is_valid(changed.outcome) else made


def tensors_of(made: GeneratedCall) -> list[TensorType]:
    return _tensors((*made.args, *made.kwargs.values()))


def _tensors(value: object) -> list[TensorType]:
    """The tensors whose numbers are free."""
    if isinstance(value, TensorType):
        return [value] if value.contents is None else []
    return [t for item in value for t in _tensors(item)] if isinstance(value, (tuple, list)) else []


def _changed(value: object, old: DType, new: DType) -> Any:
    match value:
        case TensorType() if value.contents is None and value.dtype is old:
            return value.but(dtype=new)
        case tuple() | list():
            return type(value)(_changed(v, old, new) for v in value)
        case dict():
            return {k: _changed(v, old, new) for k, v in value.items()}
        case _:
            return value
