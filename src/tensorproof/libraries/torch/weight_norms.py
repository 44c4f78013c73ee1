"""weight_norm and spectral_norm: the weight of a layer is computed from other tensors before each call, and is no parameter of its own."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries.model import Run
from tensorproof.libraries.plain import argument
from tensorproof.terms import Shape, TensorType
from tensorproof.values import Args, Kwargs, Layer, Machine

COMPUTED = "_computed"
"""Under this name a layer keeps the names of its computed weights."""


def _normed(*parts: str) -> Run:
    """Under the old names, `weight_g` has the length along each index of one axis, and `weight_v` or `weight_orig` is the weight as it was."""

    def run(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        layer, name = argument(args, kwargs, 0, "module"), argument(args, kwargs, 1, "name", "weight")
        if not isinstance(layer, Layer) or layer.module is None or not isinstance(name, str) or not layer.module.built:
            return layer
        weight = layer.module.parameters.get(name)
        if not isinstance(weight, TensorType):
            if layer.module.parameters or layer.module.buffers:
                return layer
            raise m.raised("ValueError", f"{layer.module.name} has no parameter {name}", node, "module/parameter")
        dim = argument(args, kwargs, 2, "dim", 0)
        lengths = Shape(n if i == dim else 1 for i, n in enumerate(weight.shape)) if type(dim) is int and weight.shape.known else None
        plain = weight.but(parameter=False)
        own = {f"{name}_{part}": plain if part != "g" or lengths is None else plain.but(shape=lengths, contents=None, strides=None) for part in parts}
        layer.tensors = {**layer.tensors, **own, COMPUTED: (*layer.tensors.get(COMPUTED, ()), name)}
        return layer

    return run


FUNCTIONS: dict[str, object] = {
    "torch.nn.utils.weight_norm": _normed("g", "v"), "torch.nn.utils.spectral_norm": _normed("orig"),
    "torch.nn.utils.parametrizations.weight_norm": _normed(), "torch.nn.utils.parametrizations.spectral_norm": _normed(),
}  # fmt: skip
