"""weight_norm and spectral_norm: the weight of a layer is computed from other tensors before each call, and is no parameter of its own."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from tensorproof.libraries.plain import argument
from tensorproof.libraries.torch.module_tree import BUFFERS, COMPUTED
from tensorproof.terms import Shape, TensorType, floordiv
from tensorproof.values import Args, Kwargs, Layer, Machine

Parts = dict[str, TensorType]


def _normed(maker: Callable[[str, TensorType, int], tuple[Parts, Parts]], m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """The weight is computed; its parts are parameters and buffers under names of their own."""
    layer, name = argument(args, kwargs, 0, "module"), argument(args, kwargs, 1, "name", "weight")
    if not isinstance(layer, Layer) or layer.module is None or not isinstance(name, str) or not layer.module.built:
        return layer
    weight = layer.module.parameters.get(name)
    if not isinstance(weight, TensorType):
        if layer.module.parameters or layer.module.buffers:
            return layer
        raise m.raised("ValueError", f"{layer.module.name} has no parameter {name}", node, "module/parameter")
    dim = argument(args, kwargs, 2, "dim", 0)
    parameters, buffers = maker(name, weight, dim if isinstance(dim, int) else 0)
    m.remember(layer, "tensors", layer.tensors)
    held = {COMPUTED: (*layer.tensors.get(COMPUTED, ()), name), BUFFERS: (*layer.tensors.get(BUFFERS, ()), *buffers)}
    layer.tensors = {**layer.tensors, **parameters, **buffers, **held}
    return layer


def _part(weight: TensorType, shape: Shape | None = None, parameter: bool = True) -> TensorType:
    """A tensor of its own, as the weight is or with another shape."""
    changed = weight.but(contents=None, strides=None, base=None, parameter=parameter, requires_grad=parameter)
    return changed if shape is None else changed.but(shape=shape)


def _lengths(weight: TensorType, dim: int) -> Shape | None:
    """The length along each index of one axis."""
    return Shape(n if i == dim else 1 for i, n in enumerate(weight.shape)) if weight.shape.known else None


def _matrix(weight: TensorType, dim: int) -> tuple[Shape | None, Shape | None]:
    """The singular vectors of a weight that is seen as a matrix."""
    if not weight.shape.known or not 0 <= dim < len(weight.shape):
        return None, None
    rows = weight.shape[dim]
    return Shape((rows,)), Shape((floordiv(weight.shape.numel, rows),))


def _weight_norm(name: str, weight: TensorType, dim: int) -> tuple[Parts, Parts]:
    return {f"{name}_g": _part(weight, _lengths(weight, dim)), f"{name}_v": _part(weight)}, {}


def _spectral_norm(name: str, weight: TensorType, dim: int) -> tuple[Parts, Parts]:
    u, v = _matrix(weight, dim)
    return {f"{name}_orig": _part(weight)}, {f"{name}_u": _part(weight, u, False), f"{name}_v": _part(weight, v, False)}


def _parametrized_weight_norm(name: str, weight: TensorType, dim: int) -> tuple[Parts, Parts]:
    home = f"parametrizations.{name}.original"
    return {f"{home}0": _part(weight, _lengths(weight, dim)), f"{home}1": _part(weight)}, {}


def _parametrized_spectral_norm(name: str, weight: TensorType, dim: int) -> tuple[Parts, Parts]:
    home, (u, v) = f"parametrizations.{name}", _matrix(weight, dim)
    return {f"{home}.original": _part(weight)}, {f"{home}.0._u": _part(weight, u, False), f"{home}.0._v": _part(weight, v, False)}


FUNCTIONS: dict[str, object] = {
    "torch.nn.utils.weight_norm": partial(_normed, _weight_norm), "torch.nn.utils.spectral_norm": partial(_normed, _spectral_norm),
    "torch.nn.utils.parametrizations.weight_norm": partial(_normed, _parametrized_weight_norm),
    "torch.nn.utils.parametrizations.spectral_norm": partial(_normed, _parametrized_spectral_norm),
}  # fmt: skip
