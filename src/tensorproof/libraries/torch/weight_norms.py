"""weight_norm, spectral_norm and parametrizations: the weight of a layer is computed from other tensors before each call, and is no parameter of its own."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial, reduce
from typing import Any

from tensorproof.libraries.plain import argument
from tensorproof.libraries.torch.module_parts import remember, set_child
from tensorproof.libraries.torch.module_state import HOOKED
from tensorproof.libraries.torch.module_tree import BUFFERS, COMPUTED
from tensorproof.terms import Shape, TensorType, conj, eq, floordiv
from tensorproof.values import Args, Class, Instance, Kwargs, Layer, Machine, Value

Parts = dict[str, TensorType]
RECIPES = "_recipes"
"""Under this key a layer holds by name how each tensor is computed, with the axis of a norm, and whether it is parametrized."""


def _weight_of(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> tuple[Layer, str, TensorType] | None:
    """The layer, the name of its tensor, and the tensor, where they are known."""
    layer, name = argument(args, kwargs, 0, "module"), argument(args, kwargs, 1, "tensor_name" if "tensor_name" in kwargs else "name", "weight")
    if not isinstance(layer, Layer) or layer.module is None or not isinstance(name, str) or not layer.module.built:
        return None
    weight = layer.module.parameters.get(name)
    if isinstance(weight, TensorType):
        return layer, name, weight
    if name in layer.tensors or any(made.name == name for made in layer.module.row.creations):
        return None
    raise m.raised("ValueError", f"{layer.module.name} has no parameter {name}", node, "module/parameter")


def _hold(m: Machine, layer: Layer, parameters: Parts, buffers: Parts, computed: tuple[str, ...] = ()) -> None:
    m.remember(layer, "tensors", layer.tensors)
    held = {COMPUTED: (*layer.tensors.get(COMPUTED, ()), *computed), BUFFERS: (*layer.tensors.get(BUFFERS, ()), *buffers)}
    layer.tensors = {**layer.tensors, **parameters, **buffers, **held}


def computed(m: Machine, layer: Layer, node: ast.AST, *given: Value) -> None:
    """A layer gets the tensors that are computed from others."""
    made = values(m, layer, node, *given)
    if made and layer.module is not None:
        m.remember(layer, "module", layer.module)
        layer.module.parameters.update(made)


def values(m: Machine, layer: Layer, node: ast.AST, *given: Value) -> Parts:
    """The tensors of a layer that are computed from others, as those are now; what is given for one needs the inverse of a parametrization."""
    found: Parts = {}
    for name, (kind, dim, parametrized) in layer.tensors.get(RECIPES, {}).items():
        if given and parametrized:
            m.gap("layer.parametrizations", node, "what is assigned goes through the inverse of the parametrization")
        home = _part_of(_part_of(layer, "parametrizations"), name) if parametrized else layer
        size, direction, whole = (home.tensors.get(one if parametrized else f"{name}_{old}") for one, old in _PARTS)
        if kind == "norm":
            made = m.spelling("torch._weight_norm", (direction, size, dim), {}, node)
        elif kind == "spectral":
            made = m.spelling("torch.Tensor.mul", (whole, 1.0), {}, node)
        else:
            made = reduce(lambda value, part: m.call(part, (value,), {}, node), home.children, whole)
        if isinstance(made, TensorType):
            found[name] = made
    return found


_PARTS = (("original0", "g"), ("original1", "v"), ("original", "orig"))


def _part_of(layer: Layer, name: str) -> Layer:
    found: Layer = layer.children[layer.names.index(name)]
    return found


def _learn(m: Machine, layer: Layer, name: str, recipe: tuple[str, int, bool], node: ast.AST) -> None:
    """A tensor that two recipes make is followed where both are modules of the program."""
    known = layer.tensors.get(RECIPES, {})
    if name in known and not known[name][2] and known[name][0] == recipe[0]:
        raise m.raised("RuntimeError", f"{name} of this layer has such a norm already", node, "module/parameter")
    kept = {key: value for key, value in known.items() if key != name}
    if name not in layer.tensors.get(COMPUTED, ()) or known.get(name) == recipe == ("", 0, True):
        kept[name] = recipe
    m.remember(layer, "tensors", layer.tensors)
    layer.tensors = {**layer.tensors, RECIPES: kept}


def _removed(kind: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """The tensor is a parameter of the layer again."""
    layer, name = argument(args, kwargs, 0, "module"), argument(args, kwargs, 1, "name" if kind else "tensor_name", "weight")
    if not isinstance(layer, Layer) or layer.module is None or not isinstance(name, str):
        m.gap("torch.nn.utils", node, "the layer from which a norm is removed is not known")
        return layer
    recipe = layer.tensors.get(RECIPES, {}).get(name)
    if recipe is None and name in layer.tensors.get(COMPUTED, ()):
        m.gap("torch.nn.utils", node, "how the tensor is computed is not known")
        return layer
    if recipe is None or recipe[2] is bool(kind) or (kind and recipe[0] != kind):
        raise m.raised("ValueError", f"{name} of this layer is not computed in this way", node, "module/parameter")
    computed(m, layer, node)
    if kind == "spectral":  # the hooks that load and save its parts stay
        m.model_state[HOOKED] = True
    m.remember(layer, "module", layer.module)
    layer.module.parameters[name] = _part(layer.module.parameters[name])
    m.remember(layer, "tensors", layer.tensors)
    gone = {f"{name}_{old}" for old in ("g", "v", "orig", "u")} if kind else set()
    held = {key: value for key, value in layer.tensors.items() if key not in gone}
    for key in (COMPUTED, BUFFERS):
        held[key] = tuple(one for one in held.get(key, ()) if one != name and one not in gone)
    layer.tensors = {**held, RECIPES: {key: value for key, value in held[RECIPES].items() if key != name}}
    if not kind:
        home = _part_of(layer, "parametrizations")
        owner, last = (home, name) if len(home.names) > 1 else (layer, "parametrizations")
        remember(m, owner)
        kept = [(one, child) for one, child in zip(owner.names, owner.children) if one != last]
        owner.names, owner.children = tuple(one for one, _ in kept), tuple(child for _, child in kept)
    return layer


def _home(m: Machine, layer: Layer, name: str, part: Value, parameters: Parts, node: ast.AST) -> None:
    """The module `layer.parametrizations.NAME` holds what the tensor is computed from, and the modules that compute it."""
    _hold(m, layer, {}, {}, (name,))
    for word, kind in (("parametrizations", "torch.nn.ModuleDict"), (name, "torch.nn.ModuleList")):
        if word not in layer.names:
            set_child(m, layer, word, Layer(None, m.user_span(node), (), kind))
        layer = layer.children[layer.names.index(word)]
    _hold(m, layer, {k: t for k, t in parameters.items() if k not in layer.tensors}, {})
    set_child(m, layer, str(len(layer.names)), part)


def _normed(parametrized: bool, maker: Callable[[TensorType, int], tuple[Parts, Parts]], m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """The weight is computed; its parts are parameters and buffers under names of their own."""
    found, dim = _weight_of(m, args, kwargs, node), argument(args, kwargs, 2, "dim", 0)
    if found is None:
        return argument(args, kwargs, 0, "module")
    layer, name, weight = found
    parameters, buffers = maker(weight, dim if isinstance(dim, int) else 0)
    _learn(m, layer, name, ("norm" if "v" in parameters or "original1" in parameters else "spectral", dim if isinstance(dim, int) else 0, parametrized), node)
    if parametrized:
        part = Layer(None, m.user_span(node), (), "torch.nn.Module")
        _hold(m, part, {}, buffers)
        _home(m, layer, name, part, parameters, node)
    else:
        _hold(m, layer, {f"{name}_{k}": t for k, t in parameters.items()}, {f"{name}_{k}": t for k, t in buffers.items()}, (name,))
    return layer


def _register(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """The tensor becomes what the module makes of it, which must be like it."""
    layer, part = argument(args, kwargs, 0, "module"), argument(args, kwargs, 2, "parametrization")
    found = _weight_of(m, args, kwargs, node)
    inverse = isinstance(part, Instance) and any(isinstance(one, Class) and "right_inverse" in one.space for one in part.cls.mro)
    made = None if found is None or kwargs.get("unsafe") or inverse else m.call(part, (found[2],), {}, node)
    if found is None or not isinstance(made, TensorType) or not made.shape.known or not found[2].shape.known:
        m.gap("torch.nn.utils.parametrize.register_parametrization", node, "what the parametrization gives is not known")
        return layer
    layer, name, weight = found
    fits = len(made.shape) == len(weight.shape) and conj(*map(eq, made.shape, weight.shape))
    m.require("module/parameter", fits, f"a parametrization must keep the shape {weight.shape!r} of {name}, and gives {made.shape!r}", node)
    _learn(m, layer, name, ("", 0, True), node)
    _home(m, layer, name, part, {"original": _part(weight)}, node)
    return layer


def _is_parametrized(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    layer, name = argument(args, kwargs, 0, "module"), argument(args, kwargs, 1, "tensor_name", None)
    if not isinstance(layer, Layer):
        return m.gap("torch.nn.utils.parametrize.is_parametrized", node, "of a module that is not followed")
    return "parametrizations" in layer.names and (name is None or name in _part_of(layer, "parametrizations").names)


def _part(weight: TensorType, shape: Shape | None = None, parameter: bool = True) -> TensorType:
    """A tensor of its own, as the weight is or with another shape."""
    changed = weight.but(contents=None, strides=None, base=None, grad=None, parameter=parameter, requires_grad=parameter)
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


def _weight_norm(size: str, direction: str, weight: TensorType, dim: int) -> tuple[Parts, Parts]:
    return {size: _part(weight, _lengths(weight, dim)), direction: _part(weight)}, {}


def _spectral_norm(whole: str, u: str, v: str, weight: TensorType, dim: int) -> tuple[Parts, Parts]:
    left, right = _matrix(weight, dim)
    return {whole: _part(weight)}, {u: _part(weight, left, False), v: _part(weight, right, False)}


FUNCTIONS: dict[str, object] = {
    "torch.nn.utils.weight_norm": partial(_normed, False, partial(_weight_norm, "g", "v")),
    "torch.nn.utils.spectral_norm": partial(_normed, False, partial(_spectral_norm, "orig", "u", "v")),
    "torch.nn.utils.parametrizations.weight_norm": partial(_normed, True, partial(_weight_norm, "original0", "original1")),
    "torch.nn.utils.parametrizations.spectral_norm": partial(_normed, True, partial(_spectral_norm, "original", "_u", "_v")),
    "torch.nn.utils.parametrize.register_parametrization": _register,
    "torch.nn.utils.parametrize.remove_parametrizations": partial(_removed, ""),
    "torch.nn.utils.parametrize.is_parametrized": _is_parametrized,
    "torch.nn.utils.remove_weight_norm": partial(_removed, "norm"),
    "torch.nn.utils.remove_spectral_norm": partial(_removed, "spectral"),
}
