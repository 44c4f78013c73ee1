"""Fixes: the constructor argument, or the change of an argument, that mends a refused call. Each is tried before it is suggested."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tensorproof.bindings.call import Outcome
from tensorproof.bindings.modules import Module, construct
from tensorproof.bindings.options import session_of
from tensorproof.ops.session import Refused
from tensorproof.terms.dtypes import FLOATS
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType
from tensorproof.values.python_values import Layer

if TYPE_CHECKING:
    from tensorproof.values.machine import Value

_ARGUMENT = {"in_features": -1, "in_channels": 1, "num_features": 1, "num_channels": 1, "input_size": -1, "in1_features": -1, "embed_dim": -1}
"""The constructor argument that must equal an axis of the input, and which axis that is."""
_WORDS = ("features", "channels", "size", "input", "weight", "normalized_shape", "input_size")

Retry = Callable[[Module], Outcome]


def fix(code: str, outcome: Outcome, layer: Layer | None, retry: Retry | None = None, fitting: bool = False) -> str:
    """`in_features=12544`, `input.permute(0, 3, 1, 2)`, `target.squeeze(1)`, or nothing. A layer that fits another call keeps its arguments."""
    if code == "cross_entropy/target":
        return _squeezed(outcome)
    if layer is None or not isinstance(layer.module, Module) or code.rpartition("/")[2] not in _WORDS:
        return ""
    x: Value = outcome.bound.get("x")
    if not isinstance(x, TensorType) or not x.shape.known:
        return ""
    for argument in layer.module.row.arguments:
        axis = _ARGUMENT.get(argument.theirs)
        if axis is None:
            continue
        unbatched = argument.theirs == "in_channels" and len(x.shape) == 3 and layer.module.name.endswith("2d")
        at = 0 if unbatched else axis % len(x.shape) if x.shape else 0
        if at >= len(x.shape):
            return ""
        size, wanted = x.shape[at], layer.module.arguments.get(argument.ours)
        moved = _moved(x.shape, at, wanted, unbatched)
        if moved:
            return moved
        if type(size) is int and size > 0 and size != wanted and not fitting and _mends(layer.module, argument.ours, size, retry):
            return f"{argument.theirs}={size}"
    return ""


def _moved(shape: Shape, at: int, wanted: Value, unbatched: bool) -> str:
    """The change of the input's axes that puts the wanted size where it belongs, where exactly one other axis has it."""
    places = [i for i, size in enumerate(shape) if i != at and type(size) is int and size == wanted]
    rank = len(shape)
    if type(wanted) is not int or len(places) != 1 or (places[0] == 0 and not unbatched):
        return ""
    if places[0] == rank - 1 and rank - at > 2:
        return f"input.permute({', '.join(map(str, (*range(at), rank - 1, *range(at, rank - 1))))})"
    return f"input.transpose({min(at, places[0])}, {max(at, places[0])})"


def _mends(module: Module, name: str, size: int, retry: Retry | None) -> bool:
    """Whether the layer with this argument takes the call."""
    if retry is None:
        return False
    try:
        other = construct(module.row, {**module.arguments, name: size}, session_of(module.row.framework))
    except (Refused, ArithmeticError, LookupError, TypeError, ValueError):
        return False
    return retry(other).refused is None


def _squeezed(outcome: Outcome) -> str:
    """Class indices with an axis of one class."""
    x, target = outcome.bound.get("x"), outcome.bound.get("target")
    if not isinstance(x, TensorType) or not isinstance(target, TensorType) or not x.shape.known or not target.shape.known:
        return ""
    a, b = tuple(x.shape), tuple(target.shape)
    if len(a) != len(b) or len(a) < 2 or b[1] != 1 or a[1] == 1 or (*a[:1], *a[2:]) != (*b[:1], *b[2:]):
        return ""
    return "target.squeeze(1)" + (".long()" if target.dtype in FLOATS else "")
