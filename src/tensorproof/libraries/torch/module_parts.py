"""What torch takes as a part of a module, and in the place of one: modules in containers, buffers, parameters (nn.Parameter), names that are free."""

from __future__ import annotations

import ast
from functools import cache
from typing import Any

from tensorproof.bindings.unknown_arguments import open_tensor
from tensorproof.libraries.torch.module_tree import BUFFERS, PARAMETERS, TEMPORARY, is_module
from tensorproof.terms import FLOAT32, Shape
from tensorproof.terms.tensor import TensorType
from tensorproof.values import Args, Class, Dict, Function, Instance, Key, Kwargs, Layer, List, Machine, Set, Unknown, Value, slot
from tensorproof.values.python_values import AFTER_ERROR

_PLAIN = (bool, int, float, str, tuple, List, Dict)
_OF_DICTS = ("clear", "items", "keys", "pop", "update", "values")


def remember(m: Machine, owner: Layer) -> None:
    """Must be called before the parts of a container change: a branch that is left undoes it."""
    m.remember(owner, "children", owner.children)
    m.remember(owner, "names", owner.names)


def set_child(m: Machine, owner: Layer, name: str, module: Value) -> None:
    """A part under a name, in the place of the one that it had."""
    remember(m, owner)
    if name in owner.names:
        at = owner.names.index(name)
        owner.children = (*owner.children[:at], module, *owner.children[at + 1 :])
    else:
        owner.children, owner.names = (*owner.children, module), (*owner.names, name)


def no_module(value: Value) -> bool:
    """Whether a value is surely no module."""
    if isinstance(value, Instance):
        return all(isinstance(one, Class) or one is object for one in value.cls.mro)
    return isinstance(value, (*_PLAIN, TensorType, Function))


def check_modules(m: Machine, values: Any, node: ast.AST) -> None:
    """Containers take modules only."""
    bad = next((one for one in values if no_module(one)), None)
    if bad is not None:
        raise m.raised("TypeError", f"{shown(bad)} is not a Module", node, "call/arguments")


def check_keys(m: Machine, keys: Any, node: ast.AST) -> None:
    """Keys of a ModuleDict become names of its parts: without a dot, and not those of its own attributes."""
    for key in keys:
        if isinstance(key, str) and ("." in key or key in _taken()):
            reason = "must not hold a dot" if "." in key else "is an attribute of every ModuleDict"
            raise m.raised("KeyError", f"the key {key!r} {reason}", node)


@cache
def _taken() -> frozenset[str]:
    from tensorproof.bindings.names import public

    return frozenset((*_OF_DICTS, *(name.rpartition(".")[2] for name in public("torch") if name.startswith("torch.nn.Module."))))


def check_buffer(m: Machine, value: Value, node: ast.AST) -> None:
    if isinstance(value, _PLAIN) or (isinstance(value, TensorType) and value.framework != "torch"):
        raise m.raised("TypeError", f"a buffer is a tensor or None, and not {shown(value)}", node, "call/arguments")


def check_parameter(m: Machine, value: Value, node: ast.AST) -> None:
    if isinstance(value, _PLAIN) or (isinstance(value, TensorType) and not value.parameter):
        raise m.raised("TypeError", f"a parameter is an nn.Parameter or None, and not {shown(value)}", node, "call/arguments")


def check_mode(m: Machine, mode: Value, node: ast.AST) -> None:
    if isinstance(mode, (int, float, str)) and not isinstance(mode, bool):
        raise m.raised("ValueError", f"the training mode is True or False, and not {mode!r}", node)


def shown(value: Value) -> str:
    if isinstance(value, TensorType):
        return "a NumPy array" if value.framework == "numpy" else "a tensor"
    if isinstance(value, Instance):
        return f"a {value.cls.name}"
    return "a function" if isinstance(value, Function) else f"a {type(value).__name__.lower()}"


def parameter(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    data = args[0] if args else kwargs.get("data")
    if data is None:
        data = TensorType(Shape((0,)), FLOAT32)
    if type(data) is Unknown and data is not AFTER_ERROR and not (data.text or data.number or data.octets):
        m.gap("torch.nn.Parameter", node, "an argument is not known")
        m.session.site = f"@{getattr(node, 'lineno', 0)}"
        data = open_tensor(data, "torch", m.session)
    if not isinstance(data, TensorType):
        return m.gap("torch.nn.Parameter", node, "of something that is not a tensor")
    if data.framework == "numpy":
        raise m.raised("AttributeError", "nn.Parameter takes a tensor, and this is a NumPy array: write torch.from_numpy(…)", node)
    grad = kwargs.get("requires_grad", args[1] if len(args) > 1 else True)
    if type(grad) in (int, float, str, type(None)):
        raise m.raised("TypeError", f"requires_grad is True or False, and not {grad!r}", node, "call/arguments")
    if grad is True and data.dtype is not None and not (data.dtype.is_float or data.dtype.is_complex):
        words = f"only tensors of floating point and complex type can require gradients, and this is {data.dtype!r}: use requires_grad=False"
        raise m.raised("RuntimeError", words, node, "requires_grad/dtype")
    return m.path.taken(data, m.memory.sharing(data.but(parameter=True, requires_grad=grad is True, contents=None, grad=None), data))


FUNCTIONS: dict[str, Any] = {"torch.nn.Parameter": parameter, "torch.nn.parameter.Parameter": parameter}


EMPTIED: Key[tuple[str, ...]] = slot("<emptied>")
"""The names of the parts that were set to None, which only a module or None may get again."""
_NO_PARTS = (int, float, str, tuple, List, Dict, Set)


def _by_hand(m: Machine) -> bool:
    """Whether the program may change the dicts in which a module keeps its parameters, which is not followed."""
    return any("._parameters" in text or "._buffers" in text for text in m.texts())


def refuse(m: Machine, name: str, value: Value, parameter: bool, node: ast.AST) -> None:
    """A parameter is replaced by a parameter or None, a buffer by a tensor or None."""
    if _by_hand(m):
        return
    if isinstance(value, TensorType):
        if parameter and value.framework == "torch" and not value.parameter:
            words = f"{name} is a parameter, and only an nn.Parameter or None can take its place: write {name}.data = …, or nn.Parameter(…)"
            raise m.raised("TypeError", words, node, "module/parameter")
    elif isinstance(value, _NO_PARTS):
        kind = "a parameter" if parameter else "a buffer"
        raise m.raised("TypeError", f"{name} is {kind}, and a {type(value).__name__.lower()} cannot take its place", node, "module/parameter")


def refuse_in_place_of_module(m: Machine, name: str, value: Value, node: ast.AST) -> None:
    """A part is replaced by a module, or None; a parameter takes its place too."""
    if isinstance(value, TensorType) and value.parameter:
        return
    if isinstance(value, (*_NO_PARTS, TensorType, Function)):
        words = f"{name} is a module, and a {type(value).__name__.lower()} cannot take its place"
        raise m.raised("TypeError", words, node, "module/parameter")


def stored(m: Machine, me: Instance, name: str, value: Value, node: ast.AST) -> None:
    if name in me.space.get(PARAMETERS, ()):
        refuse(m, name, value, True, node)
    elif name in me.space.get(BUFFERS, ()):
        refuse(m, name, value, False, node)
    elif is_module(me.space.get(name)) or name in me.space.get(EMPTIED, ()):
        refuse_in_place_of_module(m, name, value, node)
        if value is None:
            m.heap.set(me.space, EMPTIED, (*me.space.get(EMPTIED, ()), name))


def deleted(m: Machine, me: Instance, name: str) -> None:
    """A name that was deleted is free again."""
    for which in (PARAMETERS, BUFFERS, TEMPORARY, EMPTIED):
        if name in me.space.get(which, ()):
            m.heap.set(me.space, which, tuple(n for n in me.space[which] if n != name))
