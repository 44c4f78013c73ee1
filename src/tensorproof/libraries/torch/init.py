"""`torch.nn.init`: functions that fill a tensor, without a record for gradients, and give it back."""

from __future__ import annotations

import ast
import math
from functools import partial
from typing import Any

from tensorproof.bindings.adapt.torch.creation import gain
from tensorproof.bindings.rows import rows
from tensorproof.libraries.plain import argument
from tensorproof.libraries.torch.modes import without_grad
from tensorproof.terms.tensor import TensorType
from tensorproof.values import REAL, Args, Kwargs, Layer, List, Machine, Value

_NAMES = (
    "uniform_", "normal_", "constant_", "ones_", "zeros_", "eye_", "dirac_", "xavier_uniform_", "xavier_normal_", "kaiming_uniform_", "kaiming_normal_",
    "trunc_normal_", "orthogonal_", "sparse_",
)  # fmt: skip


def _filled(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    x = args[0] if args else kwargs.get("tensor")
    if x is None or isinstance(x, (bool, int, float, str, tuple, List, Layer)):
        kind = "list" if isinstance(x, List) else type(x).__name__
        raise m.raised("AttributeError", f"{name} takes a tensor, and this is an object of type {kind}", node, "python/attribute")
    if not isinstance(x, TensorType):
        return x
    spelled, given = f"torch.nn.init.{name}", {k: v for k, v in kwargs.items() if k != "generator"}
    if all(v is None or isinstance(v, (int, float, str)) for v in (*args[1:], *(v for k, v in given.items() if k != "tensor"))):
        return without_grad(m, lambda: m.spelling(spelled, args, given, node))
    row = rows(spelled)[0]
    if row.ranks.get("x") == "2.." and x.shape.known and len(x.shape) < 2:
        raise m.raised("ValueError", f"{name} needs a tensor of rank 2 or more, and this is {x.shape!r}", node, f"{row.op}/rank")
    return m.memory.write(x)


def _gain(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    word, slope = argument(args, kwargs, 0, "nonlinearity"), argument(args, kwargs, 1, "param")
    found = gain(word, slope) if isinstance(word, str) else None
    return REAL if found is None else found


def _fans(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """How many inputs and outputs one element of a layer's weight has."""
    x = argument(args, kwargs, 0, "tensor")
    if not isinstance(x, TensorType) or not x.shape.known:
        return m.gap("torch.nn.init._calculate_fan_in_and_fan_out", node, "of a tensor whose sizes are not known")
    if len(x.shape) < 2:
        raise m.raised("ValueError", f"a weight with fewer than two axes has no fan-in: this is {x.shape!r}", node)
    out, taken, *window = x.shape
    return taken * math.prod(window), out * math.prod(window)


FUNCTIONS: dict[str, object] = {
    **{f"torch.nn.init.{name}": partial(_filled, name) for name in _NAMES},
    **{f"torch.nn.init.{name.removesuffix('_')}": partial(_filled, name) for name in _NAMES},
    "torch.nn.init.calculate_gain": _gain,
    "torch.nn.init._calculate_fan_in_and_fan_out": _fans,
}
