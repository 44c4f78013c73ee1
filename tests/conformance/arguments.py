"""The tensors in the arguments of a call, through its lists and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tensorproof.terms.tensor import TensorType


def tensors(value: Any) -> Iterator[TensorType]:
    """All tensors, in order."""
    if isinstance(value, TensorType):
        yield value
    elif isinstance(value, (tuple, list)):
        for one in value:
            yield from tensors(one)
    elif isinstance(value, dict):
        yield from tensors(tuple(value.values()))


def with_tensors(value: Any, change: Callable[[TensorType], TensorType]) -> Any:
    """The same arguments with each tensor as `change` gives it."""
    if isinstance(value, TensorType):
        return change(value)
    if type(value) in (tuple, list):
        return type(value)(with_tensors(v, change) for v in value)
    if isinstance(value, dict):
        return {k: with_tensors(v, change) for k, v in value.items()}
    return value
