"""Attributes that a program gives to tensors: torch keeps them with the tensor object, NumPy takes none."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Choice
from tensorproof.values.python_values import Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

_READ_ONLY = {
    "torch": frozenset(
        ("H", "T", "_base", "_version", "device", "dtype", "grad_fn", "is_cpu", "is_cuda", "is_leaf", "is_meta", "is_mps", "is_nested", "is_quantized",
         "is_sparse", "is_sparse_csr", "itemsize", "layout", "mH", "mT", "name", "nbytes", "ndim", "output_nr", "retains_grad", "shape")
    ),
    "numpy": frozenset(("T", "base", "flags", "itemsize", "mT", "nbytes", "ndim", "size")),
}  # fmt: skip
_GIVEN = "tensor attributes"
"""The names that the program has given to some tensor, in the machine's state."""


def keep(m: Interpreter, owner: TensorType, name: str, value: Value, node: ast.AST) -> None:
    """`x.name = value`, of a name that has no meaning of its own."""
    if name in _READ_ONLY.get(owner.framework, ()):
        raise m.raised("AttributeError", f"the attribute {name} of a tensor cannot be set", node)
    if owner.framework == "torch" and not name.startswith("__"):
        m.model_state.setdefault(_GIVEN, set()).add(name)
        m.heap.set(m.memory.object_of(owner), _key(name), value)
    elif owner.framework == "numpy" and name == "shape":
        made = m.spelling("numpy.reshape", (owner, value), {}, node)
        if isinstance(made, TensorType):
            m.memory.change(owner, m.memory.current(made))
    elif owner.framework == "numpy" and name not in ("dtype", "strides", "real", "imag", "flat", "data") and not name.startswith("__"):
        raise m.raised("AttributeError", f"an array of NumPy takes no attribute {name}", node)
    else:
        m.gap(f"Tensor.{name} = …", node)


def kept(m: Interpreter, owner: TensorType, name: str) -> Value:
    """What the program has put there, or MISSING."""
    if name not in m.model_state.get(_GIVEN, ()):
        return MISSING
    found = m.memory.object_of(owner).get(_key(name), MISSING)
    if found is MISSING:  # a tensor that a join or a loop has described anew may be one that has it
        return MISSING if m.memory.is_own(owner) else Unknown(name)
    return Unknown(name) if type(found) is Choice and MISSING in (found.then, found.other) else found


def drop(m: Interpreter, owner: TensorType, name: str, node: ast.AST) -> None:
    """`del x.name`."""
    if owner.framework not in _READ_ONLY or name in ("grad", "data", "requires_grad"):
        m.gap(f"del Tensor.{name}", node)
    elif kept(m, owner, name) is MISSING:
        raise m.raised("AttributeError", f"there is no attribute {name} to delete", node)
    elif _key(name) in m.memory.object_of(owner):
        m.heap.delete(m.memory.object_of(owner), _key(name))


def _key(name: str) -> str:
    return f".{name}"
