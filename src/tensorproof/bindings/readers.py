"""Arguments of a call by our names, read as what they must be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tensorproof.bindings.modules import Module
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.values.machine import Value


def tensor_in(a: Mapping[str, Value], name: str) -> TensorType:
    """An argument that is a tensor, as its kind demands."""
    value = a[name]
    assert isinstance(value, TensorType), f"{name} is not a tensor"
    return value


def module_in(a: Mapping[str, Value]) -> Module:
    """The layer that is called."""
    module = a["_module"]
    assert isinstance(module, Module), "a layer is called"
    return module
