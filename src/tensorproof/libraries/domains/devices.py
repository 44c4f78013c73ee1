"""Devices as a domain: where each tensor lies, and that an operator's tensors lie together.

The device of a tensor is known where an operator made it or where it is a parameter; None is the CPU. A tensor without axes on the CPU goes with any other.
Nothing is looked at until the program names a device other than the CPU.
"""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.bindings.call import Outcome
from tensorproof.terms.tensor import Outputs, TensorType
from tensorproof.values import Layer, Machine, Value

_ACROSS = frozenset(["copy_", "__setitem__", "to", "type_as", "cpu", "cuda", "set_", "set_data", "pin_memory", "index_put_", "index_put", "type"])
"""What takes tensors of several devices."""
_MOVES = frozenset(["to", "cpu", "cuda", "type_as", "copy_"])
"""What copies the elements, perhaps to another device."""
_OF_INPUTS = ("_like", "normal", "torch.Tensor")
"""How names end that have an argument for the device and do not ask for the default: the device of their input, or the CPU, is taken."""
_ANYWHERE = frozenset(["lengths", "repeats"])
"""Inputs that may lie elsewhere."""


def normal(device: str) -> str:
    """ "cuda" is the first of the GPUs."""
    return "cuda:0" if device == "cuda" else device


def _known(m: Machine, t: TensorType) -> str | None:
    """The device of a tensor; None when it is not known."""
    now = m.memory.current(t)
    if now.device is not None:
        return normal(now.device)
    return "cpu" if now.grad is not None or now.parameter else None


def _named(value: Value, name: str) -> list[tuple[str, TensorType]]:
    if isinstance(value, TensorType):
        return [] if value.weak or value.framework != "torch" or (value.shape.known and not len(value.shape)) else [(name, value)]
    return [one for v in value for one in _named(v, name)] if isinstance(value, (tuple, list)) else []


def seen(m: Machine, device: Value) -> None:
    """The program names a device."""
    if isinstance(device, str) and device != "cpu":
        m.model_state["devices"] = "meta" if device == "meta" else True


def applied(m: Machine, name: str, outcome: Outcome, result: Value, node: ast.AST, layer: Layer | None) -> Value:
    """The results of an operator with their device; refuses tensors that lie apart."""
    bound = outcome.bound
    given = bound.get("device") if layer is None else None  # that of a layer says where its parameters were made
    seen(m, bound.get("device"))
    for value in bound.get("args", ()) if isinstance(bound.get("args"), (tuple, list)) else ():
        seen(m, value)
    if isinstance(result, TensorType):
        seen(m, result.device)
    if not m.model_state.get("devices") or not name.startswith("torch"):
        return result
    word = name.rpartition(".")[2]
    if m.model_state["devices"] == "meta":
        _refuse_meta(m, word, bound, result, node)
    if word in _ACROSS:
        return result
    default = m.session.default_device
    if default is not None and given is None and "device" in bound and layer is None and not name.endswith(_OF_INPUTS) and not word.startswith("new_"):
        return _on(result, default)
    held = [(n, t, _known(m, t)) for n, value in bound.items() for n, t in _named(value, n) if not n.startswith("_") and n not in _ANYWHERE]
    places = {where for n, _, where in held if where is not None and not (n == "index" and (word == "__getitem__" or m.model_state["devices"] == "meta"))}
    if len(places) > 1:
        _refuse(m, word, held, node)
    if isinstance(given, str):
        return _on(result, given)
    if not places and m.model_state["devices"] == "meta":  # numbers in tensors without axes
        places = {"meta" for n, t in bound.items() if not n.startswith("_") and _on_meta(m, t)}
    other = next((where for where in places if where != "cpu"), None)
    return _on(result, other) if other is not None else result


def _refuse(m: Machine, word: str, held: list[tuple[str, TensorType, str | None]], node: ast.AST) -> None:
    known = [(_called(m, n, t), where) for n, t, where in held if where is not None]
    first = known[0]
    second = next(one for one in known if one[1] != first[1])
    words = f"the tensors of {word} must be on the same device: {first[0]} is on {first[1]}, {second[0]} is on {second[1]}"
    raise m.raised("RuntimeError", words, node, "device/mismatch")


def _called(m: Machine, name: str, t: TensorType) -> str:
    """The name that the program bound a tensor to, else the argument's."""
    bound = m.made_at.get(id(t))
    return bound[1] if bound is not None and bound[0] is t else "the input" if name == "x" else name


def _on(value: Any, device: str) -> Value:
    if isinstance(value, TensorType):
        return value if value.framework != "torch" or value.device == device else value.but(device=device)
    if isinstance(value, Outputs):
        return value.like([_on(v, device) for v in value])
    return type(value)(_on(v, device) for v in value) if type(value) in (tuple, list) else value


def move(m: Machine, tensors: list[TensorType], device: Value) -> None:
    """A module is moved: its parameters and buffers are, each in its place."""
    seen(m, device)
    if isinstance(device, str) and m.model_state.get("devices"):
        for t in tensors:
            now = m.memory.current(t)
            if normal(now.device or "cpu") != normal(device):
                m.memory.relabel(t, now.but(device=str(device)))


def refuse_values(m: Machine, t: TensorType, word: str, node: ast.AST, kind: str = "RuntimeError") -> None:
    """The elements of a tensor on the meta device are not there to be read."""
    if m.model_state.get("devices") and _on_meta(m, t):
        raise m.raised(kind, f"{word} needs the elements of a tensor, and one on the meta device has none", node, "device/meta")


def _on_meta(m: Machine, value: Value) -> bool:
    return isinstance(value, TensorType) and (m.memory.current(value).device or "").startswith("meta")


def _refuse_meta(m: Machine, word: str, bound: dict[str, Value], result: Value, node: ast.AST) -> None:
    x = bound.get("x")
    if word == "copy_":
        if isinstance(x, TensorType) and not _on_meta(m, x):
            for value in bound.values():
                if isinstance(value, TensorType):
                    refuse_values(m, value, word, node, "NotImplementedError")
    elif isinstance(x, TensorType) and (word == "equal" or (x.shape.concrete and _counted(result)) or (word in _MOVES and _elsewhere(result))):
        refuse_values(m, x, word, node, "NotImplementedError")


def _elsewhere(result: Value) -> bool:
    return isinstance(result, TensorType) and not (result.device or "meta").startswith("meta")


def _counted(result: Value) -> bool:
    """Whether a size of a result is a count of elements: what gets tensors of known sizes gives others only by their values."""
    parts = result if isinstance(result, (tuple, Outputs)) else (result,)
    return any(isinstance(part, TensorType) and part.shape.known and not part.shape.concrete for part in parts)


def constructed(m: Machine, device: Value) -> None:
    """A layer is made there, or where all are that name no device."""
    seen(m, device if device is not None else m.session.default_device)
