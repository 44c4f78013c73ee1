"""What is known of the arguments of a refused call, where the message alone does not say which exception it is: ranks, kinds of numbers, what was given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tensorproof.terms.dtypes import DType
from tensorproof.terms.tensor import TensorType


def circumstances(bound: Mapping[str, Any]) -> dict[str, str]:
    """A word for each thing that is known of the arguments, by the operator's own names for them."""
    found: dict[str, str] = {}
    for name, value in bound.items():
        if name[:1] != "_":
            found.update((f"{name}{more}", re.sub(r"\W", "_", word)) for more, word in _said(value))
    tensors = [value for value in bound.values() if isinstance(value, TensorType)]
    if len(tensors) > 1:
        found["types"] = _alike(t.dtype for t in tensors)
        if all(t.shape.known for t in tensors):
            found["ranks"] = _alike(len(t.shape) for t in tensors)
    return found


def _alike(values: Iterable[object]) -> str:
    return "equal" if len(set(values)) == 1 else "differ"


def _said(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, TensorType):
        if value.dtype is not None:
            yield ".type", value.dtype.label
        if value.shape.known:
            yield "", f"r{len(value.shape)}"
            if all(type(size) is int for size in value.shape):
                yield ".empty", str(0 in tuple(value.shape))
    elif isinstance(value, (tuple, list)):
        parts = [said for one in value for said in _said(one)]
        for kind in ("", ".type"):
            words = sorted({word for more, word in parts if more == kind})
            if words or not kind:
                yield kind, f"n{len(value)}_{'_'.join(words)}"
    elif isinstance(value, DType):
        yield "", value.label
    elif value is None or isinstance(value, (bool, str)):
        yield "", str(value)
    elif isinstance(value, (int, float)):
        yield "", "neg" if value < 0 else "zero" if value == 0 else "part" if value < 1 else "one" if value == 1 else "more"
