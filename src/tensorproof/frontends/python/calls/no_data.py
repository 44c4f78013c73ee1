"""What torch makes no tensor of: containers without an order, functions, classes, and objects that stand for no number."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Class, Dict, Function, Generator, Instance, Iterator, List, Model, Native, Set
from tensorproof.values.python_values import Layer

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

_OF_DATA = frozenset(("torch.tensor", "torch.as_tensor", "torch.asarray"))
_STANDS_FOR = (
    "__array__",
    "__array_interface__",
    "__cuda_array_interface__",
    "__dlpack__",
    "__torch_function__",
    "__len__",
    "__float__",
    "__index__",
    "__int__",
)


def refuse(m: Interpreter, name: str, args: tuple[Value, ...], node: ast.AST) -> None:
    """Refuse arguments that no function of torch takes, or that holds no data where a tensor is made of it."""
    if any(type(v) is List and v.view for v in args):
        raise m.raised("TypeError", f"{name} takes a list or tuple of tensors, and no view of a dict: make a list of it first", node, "call/arguments")
    if name in _OF_DATA and args:
        data = args[0]
        text, listed = _text(data)
        if text:
            raise m.raised("ValueError" if listed else "TypeError", f"a tensor cannot be made of {text!r}", node, "call/arguments")
        if wrong := _no_data(m, data):
            raise m.raised("RuntimeError", f"a tensor cannot be made of {wrong}", node, "call/arguments")


def _text(data: Value) -> tuple[str, bool]:
    """The text that comes first, and whether it stands in a list."""
    if isinstance(data, str):
        return data or "''", False
    items = data.items if type(data) is List else data if type(data) is tuple else ()
    return (_text(items[0])[0], True) if items else ("", False)


def _no_data(m: Interpreter, value: Value) -> str:
    """What a value is, where it holds no number; empty for all others."""
    match value:
        case None:
            return "None"
        case Dict() | Set() | Iterator() | Generator() | Function() | Native() | Layer() | Class():
            return f"a {type(value).__name__.lower()}"
        case Model() if value.kind in ("object", "builtins.object"):
            return "an object"
        case Instance() if value.native is None and all(isinstance(c, Class) for c in value.cls.mro if getattr(c, "name", "") != "object"):
            return "" if any(m.in_class(value.cls, word) is not MISSING for word in _STANDS_FOR) else f"an object of {value.cls.name}"
        case List() if value.view == "" and value.items:
            return _no_data(m, value.items[0])
        case tuple() if value and type(value) is tuple:
            return _no_data(m, value[0])
        case _:
            return ""
