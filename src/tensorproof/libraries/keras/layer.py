"""Layers of Keras as values of the program: construction with names and objects for activations and weights, calls, attributes and methods."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from tensorproof.bindings.call import spelled
from tensorproof.bindings.names import is_public
from tensorproof.bindings.rows import rows
from tensorproof.diagnostics.diagnostic import Step
from tensorproof.libraries import Run, mapped
from tensorproof.libraries.domains import label_ranges
from tensorproof.libraries.keras import masks as keras_masks
from tensorproof.libraries.keras import state as keras_state
from tensorproof.libraries.keras import words as keras_words
from tensorproof.libraries.keras.models import graph as keras_graph
from tensorproof.ops.inputs import REQUIRED
from tensorproof.terms import Shape, TensorType, Term, eq
from tensorproof.values import Args, Cursor, Dict, Function, Instance, Kwargs, Layer, List, Machine, Method, Model, Named, Native, Unknown, Value

_OBJECTS = (Function, Native, Instance, Model, Named, Layer, Unknown, type(lambda: None))
_OLD = {"Embedding": ("input_length",), "LeakyReLU": ("alpha",), "LSTM": ("implementation", "time_major"), "GRU": ("implementation", "time_major")}
"""Arguments that Keras still takes and that say nothing of shapes."""
_OWN_SHAPE = ("keras.layers.LayerNormalization", "keras.layers.RMSNormalization")
_RENAMED = {"batch_input_shape": "batch_shape", "output_dim": "units", "nb_filter": "filters", "border_mode": "padding", "subsample": "strides"}
"""Arguments of Keras 1 and 2."""


@cache
def is_class(name: str) -> bool:
    """Whether a name is a layer with a spelling."""
    return name.startswith("keras.layers.") and spelled(name) and rows(name)[0].call_arguments is not None


LOOKED_UP = "keras.looked up"
"""Where the machine keeps the ranges of numbers that vocabularies give: which of them occur depends on the words."""
SPEAKS_FOR = ("keras.layers",)


def others(name: str) -> Run | None:
    """The construction of every layer that has a spelling and no model of its own."""
    return partial(construct, name) if is_class(name) else None


def construct(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Make a layer: what is no number or word is kept beside it."""
    short = name.rpartition(".")[2]
    theirs = [a.theirs for a in rows(name)[0].arguments]
    required = {a.theirs for a in rows(name)[0].arguments if a.default is REQUIRED}
    kwargs = {_RENAMED[k] if k in _RENAMED and k not in theirs and _RENAMED[k] in theirs else k: v for k, v in kwargs.items()}
    for old in _OLD.get(short, ()):
        value = kwargs.pop(old, None)
        if old == "alpha" and value is not None:
            kwargs["negative_slope"] = value
    kept: dict[str, Value] = {}
    positional = list(args)
    for at, (argument, value) in enumerate([*zip(theirs, args), *kwargs.items()]):
        if keras_words.kind_of(argument):
            keras_words.check(m, argument, value, node)
        if _beside(argument, value):
            kept[argument] = value
            if at < len(args):
                positional[at] = None
            elif argument in required:
                kwargs[argument] = None
            else:
                del kwargs[argument]
        if argument in ("layer", "cell", "backward_layer") and isinstance(value, Layer):
            kept[f"*{argument}*"] = value
    for word, setting in (("data_format", "data_format"), ("dtype", "policy")):
        given = keras_graph.state(m).get(("setting", setting))
        if isinstance(given, str) and word in theirs[len(args) :] and kwargs.get(word) is None and word not in kept:
            kwargs[word] = given
    made = m.spelling(name, tuple(positional), kwargs, node)
    if isinstance(made, Layer):
        made.tensors = kept
        settle(m, made)
        _check_words(m, made, node)
    return made


def _beside(argument: str, value: Value) -> bool:
    """Whether an argument is kept beside the layer, since it is an object that no spelling takes."""
    if keras_words.kind_of(argument) and isinstance(value, Dict):
        return True
    if argument == "weights":
        return value is not None
    if keras_words.kind_of(argument) or argument in ("seed", "name", "dtype", "trainable", "factor"):
        return isinstance(value, (*_OBJECTS, TensorType, List))
    return False


def settle(m: Machine, layer: Layer) -> None:
    """Give a new layer its name, and a record of its state that can be undone."""
    module = layer.own
    if isinstance(module.mode, Cursor):
        return
    if module.arguments.get("name") is None and not isinstance(layer.tensors.get("name"), Unknown):
        module.arguments["name"] = keras_graph.new_name(m, module.name.rpartition(".")[2])
    mode = m.heap.cursor()
    mode.update(module.mode)
    module.mode = mode


def _check_words(m: Machine, layer: Layer, node: ast.AST) -> None:
    noise = layer.own.arguments.get("noise_shape") if layer.own.name == "keras.layers.Dropout" else None
    sizes = noise if isinstance(noise, (tuple, list)) else ()
    if isinstance(noise, (bool, int, float, str)) or any(isinstance(n, (float, str)) or (isinstance(n, int) and n <= 0) for n in sizes):
        raise m.raised("ValueError", f"noise_shape is a tuple of positive whole numbers or None, and not {noise!r}", node, "keras/word")


def _check_words_known(m: Machine, layer: Layer, given: Value, node: ast.AST) -> None:
    """The numbers that an Embedding looks up, where they are known, are below the size of its table."""
    known, size = label_ranges.of(m, given), layer.own.arguments.get("num", layer.own.arguments.get("input_dim"))
    if known is not None and type(size) is int and type(known[0]) is int and type(known[1]) is int and (known[0] < 0 or known[1] > size):
        if known in m.model_state.get(LOOKED_UP, ()):  # the words that occur decide
            m.gap("keras.layers.Embedding", node, f"the vocabulary has {known[1]} numbers and the table {size} rows")
            return
        wrong = known[0] if known[0] < 0 else known[1] - 1
        message = f"the Embedding has {size} rows for the numbers 0 to {size - 1}, and looks up {wrong}"
        raise m.raised("InvalidArgumentError", message, node, "embedding/index", (Step(layer.span, "the layer is made here"),))


def call_layer(m: Machine, layer: Layer, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Call a layer of the library."""
    settle(m, layer)
    x: Any = args[0] if args else None
    if layer.own.arguments.get("stateful") is True and keras_graph.is_symbolic(x) and x.shape.known and x.shape and keras_graph.is_open(m, x.shape[0]):
        message = "a stateful layer needs the size of the batch: give batch_shape or batch_size to keras.Input"
        raise m.raised("ValueError", message, node, "keras/stateful", (Step(layer.span, "the layer is made here"),))
    if layer.own.name.startswith("keras.layers.") and "data" not in layer.own.row.call_arguments[0].theirs and "Encoding" not in layer.own.name:
        keras_graph.only_tensors(m, layer, args, node)
    known = {a.theirs for a in layer.own.row.call_arguments}
    named = {k: v for k, v in kwargs.items() if k in known or k not in ("training", "mask")}
    if "training" in named and (isinstance(named["training"], (TensorType, Unknown)) or not isinstance(named["training"], bool)):
        del named["training"]
    symbolic = _without_states if "initial_state" in known else _shape_alone if layer.own.built and layer.own.name in _OWN_SHAPE else None
    return keras_graph.call(m, layer, partial(_run, layer), args, named, node, None if symbolic is None else partial(symbolic, layer))


def _shape_alone(layer: Layer, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """While a graph is built these layers say that the shape stays, and do not look at their weights."""
    x = args[0] if args else None
    return m.path.same(x, x.but(contents=None)) if isinstance(x, TensorType) else _run(layer, m, args, kwargs, node)


def _without_states(layer: Layer, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """While a graph is built Keras does not look at a recurrent layer's states."""
    return _run(layer, m, args[:1], {k: v for k, v in kwargs.items() if k != "initial_state"}, node)


def _run(layer: Layer, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    module = layer.own
    waiting = [one for one in _modules(module) if not one.built]
    given = _tensors(m, layer, args, node)
    if "mask" in kwargs and not isinstance(kwargs["mask"], TensorType):
        del kwargs["mask"]
    _check_statistics(m, layer, given, node)
    if module.name == "keras.layers.Embedding" and given:
        _check_words_known(m, layer, args[0], node)
    _check_rank(m, layer, given, node)
    names = [a.theirs for a in module.row.call_arguments]
    if "query_mask" in names:
        kwargs = {**kwargs, **keras_masks.given(m, names, args, kwargs)}
    elif "initial_state" in names and args and "mask" not in kwargs and isinstance(mask := keras_masks.of(m, args[0]), TensorType):
        kwargs = {**kwargs, "mask": mask}
    result = m.run_layer(layer, given, kwargs, node)
    for one in waiting:
        if one.built:
            _note_built(m, layer, one, node)
            x, mode = given[0] if given else None, one.mode
            if one.name == "keras.layers.BatchNormalization" and isinstance(x, TensorType) and x.shape.known and one is module and isinstance(mode, Cursor):
                m.heap.set(mode, "rank", len(x.shape))
    activation = layer.tensors.get("activation")
    if isinstance(activation, Unknown) and isinstance(result, TensorType):  # an activation maps each element: that is what layers of Keras rest on
        m.gap(f"{module.name}.activation", node, "what is called is not known")
        return result
    if activation is not None and "LSTM" not in module.name and "GRU" not in module.name and "RNN" not in module.name:
        return m.call(activation, (keras_graph.mapped_result(m, result, "tf"),), {}, node)
    return result


def _check_rank(m: Machine, layer: Layer, given: tuple[Value, ...], node: ast.AST) -> None:
    """A layer that was built for inputs of a rank takes no others."""
    rank, x = layer.own.mode.get("rank"), given[0] if given else None
    if layer.own.built and isinstance(rank, int) and isinstance(x, TensorType) and x.shape.known and len(x.shape) != rank:
        message = f"the layer was built for {rank} axes and gets {x.shape!r}"
        raise m.raised("ValueError", message, node, "batch_norm/rank", (Step(layer.span, "the layer is made here"),))


def _tensors(m: Machine, layer: Layer, args: Args, node: ast.AST) -> tuple[Value, ...]:
    """Inputs as tensors: a layer takes arrays, and refuses what is none."""
    if args and args[0] is None:
        raise m.raised("ValueError", f"the layer {keras_graph.layer_name(layer)} gets None in place of a tensor", node, "keras/input")
    if (args and isinstance(args[0], (Layer, str, bool, Function))) or (args and isinstance(args[0], (Instance, Model)) and keras_state.is_layer(args[0])):
        raise m.raised("ValueError", f"the layer {keras_graph.layer_name(layer)} takes tensors, and gets something else", node, "keras/input")
    return args


def _check_statistics(m: Machine, layer: Layer, args: Args, node: ast.AST) -> None:
    """A Normalization that has learned its statistics takes inputs of that width."""
    mean = layer.own.buffers.get("mean") if layer.own.name == "keras.layers.Normalization" and layer.own.built else None
    x = args[0] if args else None
    axis = layer.own.arguments.get("dim", -1)
    if mean is None or not isinstance(x, TensorType) or not x.shape.known or len(mean.shape) != 1 or not isinstance(axis, int):
        return
    if -len(x.shape) <= axis < len(x.shape):
        message = f"the layer has learned the statistics of {mean.shape[0]!r} features and gets {x.shape[axis]!r}"
        m.require("axis_norm/size", eq(x.shape[axis], mean.shape[0]), message, node, trail=(Step(layer.span, "the layer is made here"),))


def _modules(module: Any) -> list[Any]:
    """A module and those that it wraps."""
    found = [module]
    for value in module.arguments.values():
        if hasattr(value, "row") and hasattr(value, "parameters"):
            found += _modules(value)
    return found


def _note_built(m: Machine, layer: Layer, module: Any, node: ast.AST) -> None:
    """Weights exist from now on: noted so that a branch can be undone. Their sizes must be known."""
    for name, weight in module.state().items():
        if any(keras_graph.is_open(m, d) for d in weight.shape):
            module.mode["built"] = None
            message = f"the weight {name} of {keras_graph.layer_name(layer)} would have a size that is None in the model's input"
            raise m.raised("ValueError", message, node, "keras/open-weight", (Step(layer.span, "the layer is made here"),))
    shapes = tuple((name, weight.shape) for name, weight in module.state().items())
    module.mode["built"] = None
    m.heap.set(module.mode, "built", shapes or True)


def _build(m: Machine, me: Layer, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """`layer.build(input_shape)`: the weights for inputs of this shape."""
    given = args[0] if args else next(iter(kwargs.values()), None)
    if not me.own.built:
        inputs = inputs_of_shape(m, given, node)
        if inputs is None:
            m.gap("build", node, "the shape is not known")
        else:
            call_layer(m, me, (inputs,), {}, node)


def inputs_of_shape(m: Machine, given: Value, node: ast.AST) -> Value:
    """Symbolic tensors of a shape, or a nesting of them; None when it is not known."""
    items = list(given.items) if isinstance(given, List) else list(given) if isinstance(given, tuple) else None
    if items is None or any(isinstance(i, Unknown) for i in items):
        return None
    if items and all(isinstance(i, (tuple, List)) for i in items):
        made = [inputs_of_shape(m, i, node) for i in items]
        return None if any(x is None for x in made) else List(m.heap.row(made))
    sizes = [keras_graph.open_size(m, m.name_here("size", node)) if s is None else s for s in items]
    return TensorType(Shape(sizes), framework="tf")


def shape_of_results(m: Machine, run: Callable[[Value], Value], args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`compute_output_shape(input_shape)`: the shapes of what `run` gives for inputs of a shape."""
    inputs = inputs_of_shape(m, args[0] if args else next(iter(kwargs.values()), None), node)
    if inputs is None:
        return m.gap("compute_output_shape", node, "the shape is not known")
    before = len(m.path.stated)
    result = run(inputs)
    keras_graph.not_yet(m, before)
    return mapped(m, result, lambda t: keras_graph.shown_shape(m, t))


def _compute_output_shape(m: Machine, me: Layer, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return shape_of_results(m, lambda inputs: _run(me, m, (inputs,), {}, node), args, kwargs, node)


def _adapt(m: Machine, me: Layer, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """Normalization learns its statistics: the data's last axis is the layer's."""
    data = args[0] if args else kwargs.get("data")
    if isinstance(data, TensorType) and data.shape.known and len(data.shape) > 0 and not me.own.built:
        sizes = data.shape if len(data.shape) > 1 else (*data.shape, 1)
        call_layer(m, me, (data.but(shape=Shape(sizes), framework="tf", contents=None),), {}, node)


def _initial_state(m: Machine, me: Layer, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """The zeros that a recurrent layer or cell begins with."""
    batch = args[0] if args else kwargs.get("batch_size")
    if isinstance(batch, TensorType) and batch.contents is not None and len(batch.contents) == 1:
        batch = batch.contents[0]
    units = me.own.arguments.get("units")
    if not isinstance(batch, (int, Term)) or not isinstance(units, (int, Term)):
        return m.gap("get_initial_state", node, "the batch size is not known")
    count = 2 if "LSTM" in me.own.name else 1
    return List(m.heap.row(TensorType(Shape((batch, units)), framework="tf") for _ in range(count)))


METHODS: dict[str, Any] = {
    **keras_state.METHODS, "build": _build, "compute_output_shape": _compute_output_shape, "call": call_layer, "__call__": call_layer,
    "adapt": _adapt, "get_initial_state": _initial_state,
}  # fmt: skip


def method(m: Machine, owner: Layer, name: str, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return METHODS[name](m, owner, args, kwargs, node)


def attribute(m: Machine, owner: Layer, name: str, node: ast.AST) -> Value:
    """An attribute of a layer of the library."""
    module = owner.own
    if name in METHODS:
        return Method(owner, name)
    if name in owner.tensors:
        return owner.tensors[name]
    state = module.state()
    if name in state:
        return state[name].but(framework="tf", parameter=True)
    if name == "__class__":
        return Named(module.name)
    if name in ("layer", "cell", "forward_layer", "backward_layer"):
        inner = owner.tensors.get("*layer*", owner.tensors.get("*cell*"))
        if inner is not None:
            return inner
    found = keras_state.attribute(m, owner, name, node)
    if found is not NotImplemented:
        return found
    if name in ("input_shape", "output_shape"):  # gone since Keras 3
        raise m.raised("AttributeError", f"a layer has no {name}: ask its output for its shape", node)
    for argument in module.row.arguments:
        if argument.theirs == name:
            value = module.arguments.get(argument.ours)
            if name == "activation":
                return Named(f"keras.activations.{value or 'linear'}")
            return tuple(value) if isinstance(value, list) else value
    if not module.built and name in ("kernel", "bias", "embeddings", "gamma", "beta", "moving_mean", "moving_variance", "recurrent_kernel"):
        raise m.raised("AttributeError", f"{keras_graph.layer_name(owner)} has no {name} before it is built", node, "keras/unbuilt")
    if name in ("bias", "kernel", "gamma", "beta"):
        return None
    if is_public(f"{module.name}.{name}") is False and not name.startswith("_"):
        raise m.raised("AttributeError", f"{module.name} has no attribute {name}", node)
    return m.gap(f"{module.name}.{name}", node, "no model")


def set_attribute(m: Machine, owner: Layer, name: str, value: Value, node: ast.AST) -> None:
    if name in ("trainable", "name"):
        owner.own.arguments[name if name == "trainable" else "name"] = value
    else:
        owner.tensors = {**owner.tensors, name: value}
