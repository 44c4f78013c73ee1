"""The program's own layers and models: classes that derive from keras.Layer, keras.Model, keras.Sequential, or from one of Keras' layers."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial
from typing import Any

from tensorproof.diagnostics.diagnostic import Step
from tensorproof.libraries import ClassModel, mapped, nothing, tensors_in
from tensorproof.libraries.keras import auto_config
from tensorproof.libraries.keras import layer as keras_layer
from tensorproof.libraries.keras import masks as keras_masks
from tensorproof.libraries.keras import state as keras_state
from tensorproof.libraries.keras import words as keras_words
from tensorproof.libraries.keras.models import graph as keras_graph
from tensorproof.libraries.keras.models import models as keras_models
from tensorproof.libraries.keras.models import saving as keras_saving
from tensorproof.libraries.results.facts import facts
from tensorproof.libraries.tensorflow import initial_values
from tensorproof.libraries.tensorflow.traced import converting
from tensorproof.terms import FLOAT32, DType, Shape, TensorType, Term
from tensorproof.values import MISSING, Args, Kwargs, Layer, Machine, Named, Unknown, Value
from tensorproof.values.objects import Bound, Class, Dict, Function, Instance, List, Model, Native, StaticMethod

_BASE = ("name", "trainable", "dtype", "autocast", "activity_regularizer", "input_shape", "input_dim", "batch_input_shape", "batch_shape", "dynamic", "weights")
_READY = "*ready*"
"""Whether the library's own `__init__` has run."""


def _init_layer(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    unknown = [k for k in kwargs if k not in _BASE]
    if unknown:
        raise m.raised("ValueError", f"{me.cls.name} passes the argument {unknown[0]} to Keras, which does not know it", node, "call/arguments")
    if args:
        raise m.raised("TypeError", "super().__init__ of a Keras layer takes arguments by name only", node, "call/arguments")
    _prepare(m, me, kwargs)


def _prepare(m: Machine, me: Instance, kwargs: Kwargs) -> None:
    auto_config.remember(m, me)
    name = kwargs.get("name")
    m.heap.set(me.space, "name", keras_graph.new_name(m, me.cls.name) if name is None else name)
    m.heap.set(me.space, _READY, True)
    policy = keras_graph.state(m).get(("setting", "policy"))
    if isinstance(policy, str):
        m.heap.set(me.space, "*dtype*", policy)
    for word, kept in (("trainable", "trainable"), ("dtype", "*dtype*")):
        if word in kwargs:
            m.heap.set(me.space, kept, kwargs[word])
    if isinstance(given := kwargs.get("input_shape"), (tuple, List)):
        m.heap.set(me.space, "*input_shape*", tuple(given.items) if isinstance(given, List) else given)


def _init_model(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    given = dict(zip(("inputs", "outputs", "name"), args)) | kwargs
    if "inputs" in given and "outputs" in given:
        made = keras_models.make_functional(m, given["inputs"], given["outputs"], given.get("name"), node)
        if isinstance(made, Model):
            m.remember(me, "native", me.native)
            me.native = made
        _prepare(m, me, {k: v for k, v in given.items() if k in _BASE})
        return
    _init_layer(m, me, args, kwargs, node)


def _init_sequential(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    made = m.call(Named("keras.Sequential"), args, kwargs, node)
    if isinstance(made, Model):
        m.remember(me, "native", me.native)
        me.native = made
    _prepare(m, me, kwargs)


def _call(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`layer(x)`: built at the first call, then `call`."""
    if _READY not in me.space:
        message = f"{me.cls.name} does not call super().__init__() before it is used"
        raise m.raised("RuntimeError", message, node, "keras/init", () if me.span is None else (Step(me.span, "the object is made here"),))
    keras_graph.only_tensors(m, me, args, node)
    shape = m.in_class(me.cls, "compute_output_shape")
    symbolic = partial(_shape_only, me, shape) if isinstance(shape, Function) else None
    return keras_graph.call(m, me, partial(_run, me), args, kwargs, node, symbolic)


def _run(me: Instance, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    args = tuple(_input(m, me, a, node) for a in args)
    kwargs = {k: _input(m, me, v, node) for k, v in kwargs.items()}
    ensure_built(m, me, args, kwargs, node)
    found = m.in_class(me.cls, "call")
    if found is MISSING:
        raise m.raised("NotImplementedError", f"{me.cls.name} has no call", node, "module/forward")
    names = _parameters(found)
    given = dict(zip(names, args)) if names is not None else {}
    training = kwargs.get("training", given.get("training"))
    if training is None:
        training = keras_graph.state(m)["training"]
        if training is not None and names is not None and "training" in names and "training" not in given:
            kwargs = {**kwargs, "training": training}
    kwargs = {**kwargs, **keras_masks.given(m, names, args, kwargs)}
    for word in ("training", "mask"):
        if names is not None and word not in names and word in kwargs and not (isinstance(found, Function) and found.code.node.args.kwarg is not None):
            kwargs = {k: v for k, v in kwargs.items() if k != word}
    with keras_graph.training(m, training), converting(m, False):
        return m.call(found.function if isinstance(found, StaticMethod) else Bound(found, me), args, kwargs, node)


def _input(m: Machine, me: Instance, value: Value, node: ast.AST) -> Value:
    """Arrays become tensors, and floats are cast to the layer's own type."""
    wanted = keras_graph.element_type(me.space.get("*dtype*"))

    def dressed(t: TensorType) -> TensorType:
        made = keras_masks.carry(m, t, t.but(framework="tf")) if t.framework == "numpy" else t
        if not _is_cast(made, wanted):
            return made
        cast = m.spelling("tf.cast", (made, wanted), {}, node)
        return keras_masks.carry(m, made, cast) if isinstance(cast, TensorType) else made

    return mapped(m, value, dressed) if any(t.framework == "numpy" or _is_cast(t, wanted) for t in tensors_in(value)) else value


def _is_cast(t: TensorType, wanted: DType | None) -> bool:
    return t.dtype is not None and t.dtype.is_float and wanted is not None and t.dtype is not wanted and not t.parameter


def _parameters(function: Value) -> list[str] | None:
    """The names of a method's parameters behind `self`; None when they are not known."""
    if not isinstance(function, Function):
        return None
    a = function.code.node.args
    return [p.arg for p in [*a.posonlyargs, *a.args][1:]] + [p.arg for p in a.kwonlyargs]


def _shape_only(me: Instance, shape: Value, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """While a graph is built, a layer that tells its output's shape is not run."""
    ensure_built(m, me, args, kwargs, node)
    first = args[0] if args else next(iter(kwargs.values()), None)
    stated = m.call(Bound(shape, me), (_shown(m, first),), {}, node)
    made = _of_shape(m, stated, first, node)
    return m.gap(f"{me.cls.name}.compute_output_shape", node, "its result is not known") if made is None else made


def _of_shape(m: Machine, stated: Value, like: Value, node: ast.AST) -> Value:
    items = list(stated.items) if isinstance(stated, List) else list(stated) if isinstance(stated, tuple) else None
    if items is None or any(isinstance(i, Unknown) for i in items):
        return None
    if items and all(isinstance(i, (tuple, List)) for i in items):
        made = [_of_shape(m, i, like, node) for i in items]
        return None if any(x is None for x in made) else List(m.heap.row(made)) if isinstance(stated, List) else tuple(made)
    source = like if isinstance(like, TensorType) else next(iter(tensors_in(like)), None)
    sizes: list[Value] = []
    for i, size in enumerate(items):
        if size is None:
            old = source.shape[i] if source is not None and i < len(source.shape) and keras_graph.is_open(m, source.shape[i]) else None
            size = old if old is not None else keras_graph.open_size(m, m.name_here("size", node))
        if not isinstance(size, (int, Term)):
            return None
        sizes.append(size)
    return TensorType(Shape(sizes), source.dtype if source is not None else FLOAT32, framework="tf")


def _shown(m: Machine, value: Value) -> Value:
    """The shapes of a nesting of tensors, as `build` gets them."""
    return mapped(m, value, lambda t: keras_graph.shown_shape(m, t))


def ensure_built(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    if me.space.get("built") is True:
        return
    build = m.in_class(me.cls, "build")
    if isinstance(build, Function):
        call = m.in_class(me.cls, "call")
        names = _parameters(build) or []
        wanted = [n for n in names if n not in ("args", "kwargs")]
        given = [*zip(_parameters(call) or [], args), *kwargs.items()]
        shapes = {f"{name}_shape": _shown(m, value) for name, value in given if tensors_in(value)}
        if len(wanted) == 1:
            first = args[0] if args else next((v for _, v in given if tensors_in(v)), None)
            m.call(Bound(build, me), (_shown(m, first),), {}, node)
        elif wanted and all(n in shapes for n in wanted):
            m.call(Bound(build, me), (), {n: shapes[n] for n in wanted}, node)
        elif not wanted:
            m.call(Bound(build, me), (), {}, node)
        else:
            m.call(Bound(build, me), (), {n: s for n, s in shapes.items() if n in wanted}, node)
    m.heap.set(me.space, "built", True)
    if not isinstance(me.native, Model):
        m.heap.set(me.space, _LOCKED, True)


def _build(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """The library's own `build`: it notes that the layer is built, and builds the layer of Keras that a class derives from."""
    m.heap.set(me.space, "built", True)
    if isinstance(me.native, Layer):
        keras_layer.METHODS["build"](m, me.native, args, kwargs, node)
    elif isinstance(me.native, Model):
        keras_models.METHODS["build"](m, me.native, args, kwargs, node)


def add_weight(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A variable of the layer."""
    order = ("shape", "initializer", "dtype", "trainable", "autocast", "regularizer", "constraint", "aggregation", "overwrite_with_gradient", "name")
    if args and isinstance(args[0], str):
        raise m.raised("ValueError", f"add_weight takes its name by keyword: add_weight(shape=…, name={args[0]!r})", node, "call/arguments")
    given = dict(zip(order, args)) | kwargs
    for word in ("initializer", "regularizer", "constraint"):
        keras_words.check(m, word, given.get(word), node)
    if _READY not in me.space:
        raise m.raised("RuntimeError", f"{me.cls.name} does not call super().__init__() before add_weight", node, "keras/init")
    shape = given.get("shape", ())
    sizes = list(shape.items) if isinstance(shape, List) else list(shape) if isinstance(shape, tuple) else None
    if shape is None:
        sizes = []
    if sizes is None:
        if isinstance(shape, (int, float, str)):
            raise m.raised("ValueError", f"the shape of a weight is a tuple, and this is {shape!r}", node, "keras/weight-shape")
        return m.gap("add_weight", node, "the shape is not known")
    if any(s is None for s in sizes) or any(keras_graph.is_open(m, s) for s in sizes):
        shown = tuple(None if keras_graph.is_open(m, s) else s for s in sizes)
        raise m.raised("ValueError", f"the sizes of a weight must be known, and the shape is {shown}", node, "keras/open-weight")
    if any(isinstance(s, (float, str, tuple, List)) for s in sizes):
        raise m.raised("ValueError", f"the shape of a weight holds whole numbers, and is {tuple(sizes)!r}", node, "keras/weight-shape")
    if not all(isinstance(s, (int, Term)) for s in sizes):
        return m.gap("add_weight", node, "the shape is not known")
    learns = given.get("trainable", True) is not False
    dtype = given.get("dtype") or me.space.get("*dtype*")
    made = TensorType(Shape(sizes), keras_graph.element_type(dtype), framework="tf", parameter=True, requires_grad=learns)
    initial_values.started(m, made, initial_values.of(given.get("initializer") or "glorot_uniform", tuple(sizes)))
    m.heap.set(me.space, keras_state.WEIGHTS, (*me.space.get(keras_state.WEIGHTS, ()), (given.get("name"), made)))
    return made


def _attribute(m: Machine, me: Instance, name: str, node: ast.AST) -> Value:
    if name.startswith("*"):
        return MISSING
    if _READY not in me.space and name in ("name", "trainable", "built", "dtype", "weights"):
        raise m.raised("AttributeError", f"{me.cls.name} has no {name}: super().__init__() was not called", node, "keras/init")
    if isinstance(me.native, Layer):
        return keras_layer.attribute(m, me.native, name, node)
    if isinstance(me.native, Model):
        if name in ("inputs", "outputs", "input_shape", "output_shape", "input", "output", "input_names", "output_names"):
            return keras_models.end(m, me, name, node)
        if name == "layers":
            return List(m.heap.row(keras_models.all_layers(m, me.native)))
    found = keras_state.attribute(m, me, name, node)
    if found is not NotImplemented:
        return found
    if name in ("optimizer", "loss", "history", "compiled_loss", "compiled_metrics", "stop_training", "loss_tracker"):
        return me.space.get(f"*{name}*", Unknown(name)) if keras_state.is_model(me) else MISSING
    if name == "layers":
        return List(m.heap.row(keras_state.children(m, me)))
    return Unknown(name) if name.startswith("_") and not name.startswith("__") else MISSING


def _library_call(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`super().call(x)`, or the call of a class that derives from one of Keras' layers or models."""
    if isinstance(me.native, (Layer, Model)):
        return m.call(me.native, args, kwargs, node)
    raise m.raised("NotImplementedError", f"{me.cls.name} has no call", node, "module/forward")


def _compute_output_shape(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return keras_layer.shape_of_results(m, lambda inputs: _run(me, m, (inputs,), {}, node), args, kwargs, node)


def _member(m: Machine, cls: Class, name: str) -> Any:
    """`Cls.from_config(config)`."""
    if name != "from_config":
        return MISSING

    def run(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        config = args[0] if args else kwargs.get("config")
        if isinstance(config, Dict):
            return machine.call(cls, (), dict(config.items), node)
        return machine.gap("from_config", node, "the configuration is not known")

    return Native("from_config", run)


LAYER_METHODS: dict[str, Any] = {
    **keras_state.METHODS, "add_weight": add_weight, "add_variable": add_weight, "build": _build, "compute_output_shape": _compute_output_shape,
    "call": _library_call,
}  # fmt: skip


_EXTRA: dict[str, object] = {"summary": nothing, "get_layer": keras_models.get_layer, "export": nothing, **keras_saving.METHODS}
MODEL_METHODS: dict[str, Any] = {**_EXTRA, **keras_models.training_methods()}


def _inner(word: str, m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if not isinstance(me.native, Model):
        raise m.raised("AttributeError", f"{me.cls.name} has no {word}: super().__init__() was not called", node, "keras/init")
    return keras_models.METHODS[word](m, me.native, args, kwargs, node)


def _init_wrapper(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """`layers.Wrapper(layer)`: keeps the layer inside under that name."""
    _init_layer(m, me, args[1:], {k: v for k, v in kwargs.items() if k != "layer"}, node)
    m.heap.set(me.space, "layer", args[0] if args else kwargs.get("layer"))


TRACKED = "keras.tracked"
"""Where the machine keeps the lists that layers hold."""
_LOCKED = "*locked*"
_READ_ONLY = frozenset(facts("keras/attributes")["computed"].split())
"""Attributes of a layer that Keras computes."""


def _stored(m: Machine, me: Instance, name: str, value: Value, node: ast.AST) -> None:
    if name in _READ_ONLY:
        raise m.raised("AttributeError", f"{name} is an attribute that Keras computes, and cannot be set", node, "keras/attribute")
    held = list(value.items.values() if isinstance(value, Dict) else value.items) if isinstance(value, (List, Dict)) else [value]
    if isinstance(value, (List, Dict)):
        m.model_state.setdefault(TRACKED, {})[id(value)] = (value, me)
    refuse_locked(m, me, held, node)


def refuse_locked(m: Machine, me: Instance, values: Sequence[Value], node: ast.AST) -> None:
    """Layers that are given to a layer after it was built. Its first call may run before it counts as built: in its own methods nothing is refused."""
    if any(frame.space.get("self") is me for frame in m.frames):
        return
    if me.space.get(_LOCKED) and any(map(keras_state.is_layer, values)):
        message = f"{me.cls.name} is built already, and gets another layer: make all of them in __init__ or build"
        raise m.raised("ValueError", message, node, "keras/locked")


def appended(m: Machine, owner: List | Dict, values: Sequence[Value], node: ast.AST) -> None:
    """What is put into a list that a layer holds."""
    tracked = m.model_state[TRACKED].get(id(owner))
    if tracked is not None:
        found = [v for one in values for v in (one.items if isinstance(one, List) else one if type(one) is tuple else (one,))]
        refuse_locked(m, tracked[1], found, node)


def _stored_in_model(m: Machine, me: Instance, name: str, value: Value, node: ast.AST) -> None:
    if name in ("layers", "metrics_names", "compiled_metrics", "distribute_strategy"):
        raise m.raised("AttributeError", f"{name} is an attribute that Keras computes, and cannot be set", node, "keras/attribute")
    _stored(m, me, name, value, node)


FUNCTIONS, KINDS = keras_models.CONSTRUCTORS, keras_models.OBJECTS
CLASSES = {
    "keras.layers.Wrapper": ClassModel("keras.layers.Wrapper", bases=("keras.Layer",), init=_init_wrapper),
    "keras.Layer": ClassModel("keras.Layer", methods=LAYER_METHODS, init=_init_layer, call=_call, attribute=_attribute, member=_member, stored=_stored),
    "keras.Model": ClassModel("keras.Model", bases=("keras.Layer",), methods=MODEL_METHODS, init=_init_model, stored=_stored_in_model),
    "keras.Sequential": ClassModel(
        "keras.Sequential", bases=("keras.Model",), methods={"add": partial(_inner, "add"), "pop": partial(_inner, "pop")}, init=_init_sequential
    ),
}


def layer_class(name: str) -> ClassModel | None:
    """What one of Keras' layers does for a class that derives from it: `super().__init__` makes it, `call` runs it."""
    if not keras_layer.is_class(name):
        return None

    def init(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
        made = m.call(Named(name), args, kwargs, node)
        if isinstance(made, Layer):
            m.remember(me, "native", me.native)
            me.native = made
        _prepare(m, me, {k: v for k, v in kwargs.items() if k in _BASE})

    return ClassModel(name, bases=("keras.Layer",), init=init)
