"""What layers and models of Keras hold: the layers inside, the weights, and the methods that speak of them. The same for a library's layer, a model and an
object of one of the program's classes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from tensorproof.libraries import mapped, nothing, registry
from tensorproof.libraries.keras import auto_config
from tensorproof.libraries.keras.models import graph as keras_graph
from tensorproof.libraries.keras.models.order import layers_of
from tensorproof.terms import BOOL, Shape, TensorType, conj, eq, product
from tensorproof.values import TEXT, Args, Dict, Instance, Key, Kwargs, Layer, List, Machine, Model, Unknown, Value, slot

MODELS = ("keras.Sequential", "keras.Model")
"""The kinds of models that the library itself makes."""
HELD: Key[tuple[Value, ...]] = slot("*held*")
"""The layers that a layer of the library wraps."""
WEIGHTS: Key[tuple[tuple[Value, TensorType], ...]] = slot("*weights*")
"""The variables that `add_weight` made, each with its name."""


def is_layer(value: Value) -> bool:
    """Whether a value is a layer or a model of Keras."""
    if isinstance(value, Layer):
        return value.module is not None and value.module.row.framework == "keras"
    if isinstance(value, Instance):
        return registry.derives_from(value, "keras.Layer")
    return isinstance(value, Model) and value.kind.startswith(("keras.layers.", *MODELS))


def is_model(value: Value) -> bool:
    """Whether a value is a model: Sequential, functional, or an object of a class of the program that derives from one."""
    if isinstance(value, Instance):
        return registry.derives_from(value, "keras.Model")
    return isinstance(value, Model) and value.kind in MODELS


def _layers_in(value: Value) -> Iterator[Value]:
    if is_layer(value):
        yield value
    elif isinstance(value, (List, tuple)):
        for one in value.items if isinstance(value, List) else value:
            yield from _layers_in(one)
    elif isinstance(value, Dict):
        for one in value.items.values():
            yield from _layers_in(one)
    elif isinstance(value, Instance):  # tf.Module and its like
        for one in value.space.values():
            if isinstance(one, (Layer, Model, Instance)) and one is not value:
                yield from _layers_in(one)


def children(m: Machine, value: Value) -> list[Value]:
    """The layers that a layer or model holds itself, each once."""
    found: dict[int, Value] = {}
    if isinstance(value, Layer):
        inner = [v for v in value.tensors.values() if is_layer(v)] if value.module is not None else []
        found = {id(v): v for v in inner}
    elif isinstance(value, Model):
        if value.kind in MODELS:
            return [one for one in layers_of(m, value) if not (isinstance(one, Model) and one.kind == "keras.layers.InputLayer")]
        found = {id(v): v for v in value.space.get(HELD, ())}
    elif isinstance(value, Instance):
        inside = [*(children(m, value.native) if isinstance(value.native, Model) else ()), *(value.space.values())]
        for one in inside:
            for layer in _layers_in(one):
                if layer is not value:
                    found.setdefault(id(layer), layer)
    return list(found.values())


def own_weights(value: Any) -> list[TensorType]:
    """The variables that a layer holds itself: trainable ones first."""
    if isinstance(value, Layer):
        return [*value.module.parameters.values(), *value.module.buffers.values()] if value.module is not None else []
    found = [t for _, t in value.space.get(WEIGHTS, ())]
    if isinstance(value, Instance):
        if isinstance(value.native, Layer):
            found = [*own_weights(value.native), *found]
        held = [v for v in value.space.values() if isinstance(v, TensorType) and v.parameter and v.framework == "tf" and not any(v is f for f in found)]
        found += held
    return [*(t for t in found if t.requires_grad), *(t for t in found if not t.requires_grad)]


def walk_layers(m: Machine, value: Value, learns: bool = True, seen: set[int] | None = None) -> Iterator[tuple[Any, bool]]:
    """A layer and all layers in it, each with whether it is trained."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return
    seen.add(id(value))
    learns = learns and not frozen(value)
    yield value, learns
    for child in children(m, value):
        yield from walk_layers(m, child, learns, seen)


def walk_weights(m: Machine, value: Value) -> Iterator[tuple[TensorType, bool]]:
    """The variables of a layer and of all layers in it, each with whether it is trained."""
    for layer, learns in walk_layers(m, value):
        for t in own_weights(layer):
            yield (t.but(framework="tf", parameter=True) if t.framework != "tf" or not t.parameter else t), learns and t.requires_grad


def all_weights(m: Machine, value: Value) -> list[TensorType]:
    return [t for t, _ in walk_weights(m, value)]


def frozen(value: Any) -> bool:
    """Whether `trainable = False` was set."""
    if isinstance(value, Layer):
        return value.module is not None and value.module.arguments.get("trainable", True) is False
    return value.space.get("trainable", True) is False


def is_built(m: Machine, value: Any) -> bool:
    if isinstance(value, Layer):
        return value.module is None or bool(value.module.built)
    if isinstance(value, Model) and value.kind == "keras.Sequential":
        return value.space.get("*input*") is not None or value.space.get("*first*") is not None
    return value.space.get("built") is True or (isinstance(value, Model) and value.kind != "keras.Sequential")


def _count_params(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if incomplete(m, me):
        return Unknown("count_params", number="int")
    if not is_built(m, me):
        raise m.raised("ValueError", f"count_params of {keras_graph.layer_name(me)}, which is not built yet: it has no weights", node, "keras/unbuilt")
    total: Any = 0
    for t in all_weights(m, me):
        total = total + product(t.shape)
    return total


def _get_weights(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if incomplete(m, me):
        return Unknown("weights")
    return List(m.heap.row(t.but(framework="numpy", parameter=False, requires_grad=False) for t in all_weights(m, me)))


def _set_weights(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    given = m.iterate(args[0] if args else kwargs.get("weights"), node)
    if given is None or incomplete(m, me):
        m.gap("set_weights", node, "of unknown weights")
        return
    mine, name = all_weights(m, me), keras_graph.layer_name(me)
    if len(given) != len(mine):
        note = "" if is_built(m, me) else "; it is not built yet"
        raise m.raised("ValueError", f"set_weights gives {len(given)} arrays and {name} has {len(mine)} weights{note}", node, "keras/weights")
    for i, (new, old) in enumerate(zip(given, mine)):
        if isinstance(new, TensorType) and new.shape.known and old.shape.known:
            same = conj(*(eq(a, b) for a, b in zip(new.shape, old.shape))) if len(new.shape) == len(old.shape) else False
            if same is False:
                raise m.raised("ValueError", f"weight {i} of {name} is {old.shape!r} and the array {new.shape!r}", node, "keras/weights")
            m.require("keras/weights", same, f"weight {i} of {name} is {old.shape!r} and the array {new.shape!r}", node)


def _add_loss(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """Layers take further losses; a model that was put together of layers does not."""
    if isinstance(me, Model) and me.kind == "keras.Model":
        raise m.raised("NotImplementedError", "add_loss is not available on a functional model: call it in a layer", node, "keras/add-loss")


def _config(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`get_config`: a dict that the program extends by its own entries."""
    items: dict[str, Value] = {"name": keras_graph.layer_name(me), "trainable": not frozen(me), "dtype": "float32"}
    if isinstance(me, Layer) and me.module is not None:
        items.update({a.theirs: me.module.arguments.get(a.ours) for a in me.module.row.arguments if a.theirs not in ("input_shape", "input_dim", "weights")})
    if isinstance(me, Instance):
        given, named = auto_config.entries(m, me, node)
        items.update(given)
        if not named:
            del items["name"]
    return Dict(m.heap.entries(items))


def _compute_mask(m: Machine, me: Layer | Model | Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`compute_mask`: that of a layer that makes one, else the mask that is given."""
    name = me.module.name if isinstance(me, Layer) and me.module is not None else ""
    x = args[0] if args else kwargs.get("inputs")
    if name not in ("keras.layers.Embedding", "keras.layers.Masking"):
        return args[1] if len(args) > 1 else kwargs.get("previous_mask", kwargs.get("mask"))
    if isinstance(me, Layer) and me.module is not None and name == "keras.layers.Embedding" and me.module.arguments.get("mask_zero") is not True:
        return None
    if not isinstance(x, TensorType) or not x.shape.known:
        return m.gap("compute_mask", node, "the inputs are not known")
    shape = x.shape if name == "keras.layers.Embedding" else Shape(x.shape[:-1])
    return x.but(shape=shape, dtype=BOOL, framework="tf", taped=False, contents=None, weak=False, base=None, strides=None, facts=None)


METHODS: dict[str, Any] = {
    "count_params": _count_params, "get_weights": _get_weights, "set_weights": _set_weights, "get_config": _config, "add_loss": _add_loss,
    "add_metric": nothing, "add_update": nothing, "get_build_config": _config, "build_from_config": nothing, "reset_states": nothing,
    "reset_state": nothing, "load_own_variables": nothing, "save_own_variables": nothing,
    "compute_mask": _compute_mask,
    "quantize": nothing, "rematerialized_call": nothing,
}  # fmt: skip


def incomplete(m: Machine, me: Value, seen: set[int] | None = None) -> bool:
    """Whether something that was not understood may have left a layer without its weights."""
    seen = set() if seen is None else seen
    if not m.path.gaps or id(me) in seen:
        return False
    seen.add(id(me))
    return not is_built(m, me) or any(incomplete(m, child, seen) for child in children(m, me))


_WEIGHTS = ("weights", "variables", "trainable_weights", "trainable_variables", "non_trainable_weights", "non_trainable_variables")


def attribute(m: Machine, me: Value, name: str, node: ast.AST) -> Value:
    """What every layer and model tells of itself; NotImplemented for other names."""
    if name in _WEIGHTS and incomplete(m, me):
        return Unknown(name)
    match name:
        case "weights" | "variables":
            return List(m.heap.row(all_weights(m, me)))
        case "trainable_weights" | "trainable_variables":
            return List(m.heap.row(t for t, learns in walk_weights(m, me) if learns))
        case "non_trainable_weights" | "non_trainable_variables":
            return List(m.heap.row(t for t, learns in walk_weights(m, me) if not learns))
        case "name":
            return keras_graph.layer_name(me)
        case "path":
            return TEXT
        case "trainable":
            return not frozen(me)
        case "built":
            return is_built(m, me)
        case "losses" | "metrics" | "metrics_names" | "updates" | "metrics_variables":
            return _kept(m, me, name)
        case "dtype" | "compute_dtype" | "variable_dtype":
            return _dtype(me)
        case "dtype_policy" | "input_spec" | "activity_regularizer":
            return None if name == "activity_regularizer" else Unknown(name)
        case "supports_masking" | "stateful" | "dynamic":
            return False
        case "autocast":
            return True
        case "input" | "output":
            return _end(m, me, name, node)
        case _:
            return NotImplemented


def _kept(m: Machine, me: Value, name: str) -> Value:
    held = me.space.get(f"*{name}*") if isinstance(me, (Instance, Model)) else None
    return List(m.heap.row()) if held is None else held


def _dtype(me: Any) -> Value:
    given = None
    if isinstance(me, Layer):
        given = me.module.arguments.get("dtype") if me.module is not None else None
    else:
        given = me.space.get("*dtype*")
    made = keras_graph.element_type(given)
    return made.label if made is not None else TEXT


def _end(m: Machine, me: Value, name: str, node: ast.AST) -> Value:
    """`layer.output`: of its first call with a KerasTensor."""
    steps = keras_graph.calls_of(m, me)
    if not steps:
        message = f"the layer {keras_graph.layer_name(me)} was never called with a KerasTensor and so has no {name}"
        raise m.raised("AttributeError", message, node, "keras/unbuilt")
    step = steps[0]
    if name == "output":
        return step.result
    given = step.args[0] if step.args else next(iter(step.kwargs.values()), None)
    return mapped(m, given, lambda t: t)
