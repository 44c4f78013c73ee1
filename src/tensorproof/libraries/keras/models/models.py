"""keras.Sequential and functional keras.Model: how they are made, called and asked. Other files call models through `call_model`.

The program's own models are in keras_custom, training in keras_training.
"""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import KindModel, leaves, mapped, nothing
from tensorproof.libraries.keras import state as keras_state
from tensorproof.libraries.keras.models import configs as keras_configs
from tensorproof.libraries.keras.models import graph as keras_graph
from tensorproof.libraries.keras.models import saving as keras_saving
from tensorproof.libraries.keras.models.inputs import fitted, matched
from tensorproof.libraries.keras.models.order import LAYERS, layers_of
from tensorproof.libraries.keras.models.sequential import add, build, ensure_ends, make, run
from tensorproof.libraries.keras.models.specs import ends_of, graph_of, input_names, output_names
from tensorproof.libraries.tensorflow import tape
from tensorproof.values import MISSING, Args, Kwargs, List, Machine, Model, Named, Native, Unknown, Value


def make_functional(m: Machine, inputs: Value, outputs: Value, name: Value, node: ast.AST) -> Value:
    """`Model(inputs, outputs)`."""
    for word, value in (("inputs", inputs), ("outputs", outputs)):
        if any(isinstance(one, Unknown) for one in leaves(value)):
            return m.gap("keras.Model", node, f"some of its {word} are not known")
        wrong = [t for t in tape.tensors_in(value) if not keras_graph.is_symbolic(t)]
        if wrong or not tape.tensors_in(value):
            what = f"{wrong[0]!r} is a tensor with values" if wrong else "there are none"
            raise m.raised("ValueError", f"the {word} of a model are KerasTensors, made from keras.Input, and {what}", node, "keras/model")
    starts = tape.tensors_in(inputs)
    if len({id(t) for t in starts}) < len(starts):
        raise m.raised("ValueError", "a model has each input once, and one is given twice", node, "keras/model")
    _, starting = tape.steps_of(m, outputs, {id(t) for t in starts})
    missing = [t for t in starting if all(t is not s for s in starts)]
    if missing:
        word = keras_graph.input_layer(m, missing[0]).space["name"]
        message = f"an output depends on the input {word} {missing[0].shape!r}, which is not among the model's inputs"
        raise m.raised("ValueError", message, node, "keras/disconnected")
    space = m.heap.space({"name": keras_graph.new_name(m, "Functional") if name is None else name})
    kept = {"*inputs*": mapped(m, inputs, lambda t: t), "*outputs*": mapped(m, outputs, lambda t: t)}
    space.update(kept)
    return Model("keras.Model", space, m.user_span(node))


def _model(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = {**dict(zip(("inputs", "outputs", "name"), args)), **kwargs}
    if "inputs" not in given or "outputs" not in given:
        wrong = [k for k in given if k not in ("name", "trainable", "dtype", "autocast", "activity_regularizer")]
        if wrong:
            words = "Model needs inputs and outputs" if {"inputs", "outputs"} & given.keys() else f"Model has no argument named {wrong[0]}"
            raise m.raised("ValueError", words, node, "call/arguments")
        return m.gap("keras.Model()", node, "a model without inputs and outputs")
    return make_functional(m, given["inputs"], given["outputs"], given.get("name"), node)


def _run_functional(me: Model, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST, stated_shape: bool = False) -> Value:
    given = args[0] if args else next((v for k, v in kwargs.items() if k in ("inputs", "x")), None)
    starts = tape.tensors_in(me.space["*inputs*"])
    found = matched(m, me, me.space["*inputs*"], given, node)
    if found is None:
        return m.gap(f"{me.space['name']}(…)", node, "its inputs are not known")
    new = {id(start): fitted(m, me, value, start, node, True, stated_shape) for start, value in zip(starts, found)}
    if any(isinstance(v, Unknown) for v in new.values()):
        return m.gap(f"{me.space['name']}(…)", node, "its inputs are not known")
    with keras_graph.training(m, kwargs.get("training")):
        made = tape.replay(m, me.space["*outputs*"], new, node, "the model is called here")
    if isinstance(made, (list, tuple)) and len(made) == 1 and not stated_shape and not keras_graph.holds_symbolic(made):
        made = made[0]  # what runs gives a single output by itself, whatever holds it in the graph
    return mapped(m, made, lambda t: t)


def _add(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    add(m, graph_of(me), args[0] if args else kwargs["layer"], node)


def _pop(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    held = graph_of(me).space
    if not held[LAYERS]:
        raise m.raised("IndexError", "pop from a Sequential without layers", node)
    last = held[LAYERS][-1]
    m.heap.set(held, LAYERS, held[LAYERS][:-1])
    m.heap.set(held, "*made*", held["*made*"][:-1])
    return last


def call(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """Call a model."""
    if not args and not kwargs.keys() & {"inputs", "x"}:
        raise m.raised("TypeError", "a model is called with its inputs", node, "call/arguments")
    if me.kind == "keras.Sequential":
        keras_graph.only_tensors(m, me, args, node)
    elif len(args) > 1 and isinstance(args[1], bool):
        raise m.raised("TypeError", "a model gets training by its name", node, "keras/positional")
    if me.kind == "keras.Sequential":
        return keras_graph.call(m, me, partial(run, me), args, kwargs, node)
    return keras_graph.call(m, me, partial(_run_functional, me), args, kwargs, node, partial(_run_functional, me, stated_shape=True))


def get_layer(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    name, index = kwargs.get("name", args[0] if args else None), kwargs.get("index", args[1] if len(args) > 1 else None)
    layers = all_layers(m, me)
    if isinstance(index, int):
        if not -len(layers) <= index < len(layers):
            raise m.raised("ValueError", f"layer {index} is asked for and the model has {len(layers)} layers", node, "keras/layer")
        return layers[index]
    if not isinstance(name, str):
        return m.gap("get_layer", node, "the name is not known")
    names = [keras_graph.layer_name(layer) for layer in layers]
    if name in names:
        return layers[names.index(name)]
    if any(not isinstance(n, str) for n in names) or any(isinstance(layer, Unknown) for layer in layers):
        return m.gap("get_layer", node, "the layers' names are not all known")
    raise m.raised("ValueError", f"the model has no layer named {name!r}; it has {', '.join(names[:12])}", node, "keras/layer")


def all_layers(m: Machine, me: Value) -> list[Value]:
    return layers_of(m, me) if isinstance(me, Model) else keras_state.children(m, me)


def attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    if name in METHODS:
        return MISSING
    held = me.space
    match name:
        case "layers":
            return List(m.heap.row(layers_of(m, me)))
        case "inputs" | "outputs" | "input_shape" | "output_shape" | "input_names" | "output_names" | "input" | "output":
            return end(m, me, name, node)
        case "optimizer" | "loss" | "history" | "stop_training" | "compiled":
            return held.get(name, None if name != "stop_training" else False)
        case "__class__":
            return Named(me.kind)
        case "_layers":
            return List(m.heap.row(layers_of(m, me)))
    if name in held:
        return held[name]
    found = keras_state.attribute(m, me, name, node)
    if found is not NotImplemented:
        return found
    training = training_methods()
    if name in training:
        return Native(f"{me.kind}.{name}", lambda machine, args, kwargs, at: training[name](machine, me, args, kwargs, at))
    from tensorproof.bindings.names import is_public

    if is_public(f"{me.kind}.{name}") is False and not name.startswith("_"):
        raise m.raised("AttributeError", f"a {me.kind} has no attribute {name}", node)
    return MISSING


def training_methods() -> dict[str, Any]:
    """compile, fit and their like, from their own file."""
    try:
        from tensorproof.libraries.keras.training import fit as keras_training
    except ImportError:
        return {}
    return keras_training.METHODS


def end(m: Machine, me: Value, name: str, node: ast.AST) -> Value:
    """`model.inputs`, `model.output_shape` and their like."""
    graph = graph_of(me)
    if isinstance(graph, Model):
        ensure_ends(m, graph, node)
    found = ends_of(m, graph)
    if found is None:
        raise m.raised("AttributeError", f"{keras_graph.layer_name(me)} has no {name} yet: it is not built", node, "keras/unbuilt")
    side = found[0] if name.startswith("input") else found[1]
    if name in ("input_names", "output_names"):
        names = input_names(m, me) if name == "input_names" else output_names(m, me)
        return List(m.heap.row(names or ()))
    if name in ("inputs", "outputs"):
        return List(m.heap.row(tape.tensors_in(side)))
    if name in ("input", "output"):
        if isinstance(graph, Model) and graph.kind == "keras.Sequential":  # which keeps them under `inputs` and `outputs` only
            return keras_state.attribute(m, me, name, node)
        return side
    return mapped(m, side, lambda t: keras_graph.shown_shape(m, t))


def _build(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    if me.kind == "keras.Sequential":
        build(m, me, args, kwargs, node)


def _compute_output_shape(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    from tensorproof.libraries.keras.layer import shape_of_results

    return shape_of_results(m, lambda inputs: m.call(me, (inputs,), {}, node), args, kwargs, node)


METHODS: dict[str, Any] = {
    **keras_state.METHODS, "add": _add, "pop": _pop, "build": _build, "summary": nothing, "get_layer": get_layer, "call": call,
    "__call__": call, "compute_output_shape": _compute_output_shape, "export": nothing, **keras_saving.METHODS, **keras_configs.METHODS,
}  # fmt: skip
_FUNCTIONAL = {k: v for k, v in METHODS.items() if k not in ("add", "pop")}
OBJECTS = {
    "keras.Sequential": KindModel(METHODS, attribute, call=call, bases=("keras.Layer", "keras.Model")),
    "keras.Model": KindModel(_FUNCTIONAL, attribute, call=call, bases=("keras.Layer",)),
}
CONSTRUCTORS: dict[str, Any] = {"keras.Sequential": make, "keras.Model": _model}
"""The classes that programs derive from are in `keras.custom`, which declares all three under these names."""
