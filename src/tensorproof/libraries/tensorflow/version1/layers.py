"""tf.layers of TensorFlow 1. What a layer demands is its spelling; here are its variables: their names, scopes, reuse and shapes."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import KindModel, Run, argument
from tensorproof.libraries.tensorflow import tape
from tensorproof.libraries.tensorflow.version1.graph import UPDATES, begin, collect, graph, operation
from tensorproof.libraries.tensorflow.version1.variables import current, prefix, reuses, shared
from tensorproof.terms import FLOAT32, Predicate, Shape, TensorType, Term
from tensorproof.values import Args, Key, Kwargs, List, Machine, Model, Table, Unknown, Value, slot

LAYERS: Key[Table[int]] = slot("layers")
WORD: Key[str] = slot("word")
KWARGS: Key[Kwargs] = slot("kwargs")
ARGS: Key[Args] = slot("args")
FULL: Key[str] = slot("full")
_WINDOWS = {"conv1d": 1, "conv2d": 2, "conv3d": 3, "conv2d_transpose": 2, "conv3d_transpose": 3, "separable_conv1d": 1, "separable_conv2d": 2}
DEFAULTS = {
    "dense": "dense", "conv1d": "conv1d", "conv2d": "conv2d", "conv3d": "conv3d", "conv2d_transpose": "conv2d_transpose",
    "conv3d_transpose": "conv3d_transpose",
    "separable_conv2d": "separable_conv2d", "separable_conv1d": "separable_conv1d", "batch_normalization": "batch_normalization",
}  # fmt: skip


def layer_scope(m: Machine, name: Value, default: str) -> str:
    """The full name of a layer's scope: its own, or the next of its kind inside the scope at work."""
    if isinstance(name, str):
        return f"{prefix(m)}{name}"
    inside = current(m)
    home = graph(m).space if inside is None else inside.space
    counts = home.get(LAYERS)
    if counts is None:
        m.heap.set(home, LAYERS, m.heap.entries())
        counts = home[LAYERS]
    seen = counts.get(default, 0)
    m.heap.set(counts, default, seen + 1)
    return f"{prefix(m)}{default}" + (f"_{seen}" if seen else "")


def known_channels(m: Machine, word: str, x: Value, first: bool, node: ast.AST) -> None:
    """A layer makes its kernel when it is called: the axis of channels must be given then."""
    if isinstance(x, TensorType) and x.taped and x.shape.known and len(x.shape) > 1 and tape.shown(m, x.shape[1 if first else -1]) is None:
        message = f"the axis of features of the inputs of {word} must be known when the graph is built, and is None"
        raise m.raised("ValueError", message, node, "layer/inputs")


def kernel_shape(word: str, x: TensorType, units: Value, kernel: Value, channels_first: bool) -> Shape | None:
    """The shape of a layer's kernel; None where it is unknown."""
    if not x.shape.known or not len(x.shape) or not isinstance(units, (int, Term)):
        return None
    depth = x.shape[1] if channels_first and len(x.shape) > 1 else x.shape[-1]
    if word == "dense":
        return Shape((depth, units))
    sizes = kernel.items if isinstance(kernel, List) else kernel
    n = _WINDOWS[word]
    if isinstance(sizes, (int, Term)):
        sizes = (sizes,) * n
    if not isinstance(sizes, (tuple, list)) or not all(isinstance(s, (int, Term)) for s in sizes):
        return None
    sizes = tuple(sizes) * (n if len(sizes) == 1 else 1)
    return Shape((*sizes, units, depth) if "transpose" in word else (*sizes, depth, units))


def make_variables(
    m: Machine, word: str, x: Value, units: Value, kernel: Value, full: str, reuse: Value, bias: bool, first: bool, node: ast.AST, trainable: bool = True
) -> None:
    """The variables that a layer makes or takes again."""
    if not isinstance(x, TensorType):
        return
    shape = kernel_shape(word, x, units, kernel, first)
    if shape is None or any(tape.shown(m, d) is None for d in shape):
        return
    dtype = x.dtype if x.dtype is not None and x.dtype.is_float else FLOAT32
    shared(m, f"{full}/kernel", shape, dtype, reuse, node, trainable)
    if bias:
        shared(m, f"{full}/bias", Shape((units,)), dtype, reuse, node, trainable)


def _layer(word: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    begin(m)
    x, units = argument(args, kwargs, 0, "inputs"), argument(args, kwargs, 1, "units" if word == "dense" else "filters")
    known_channels(m, word, x, kwargs.get("data_format") == "channels_first", node)
    made = m.spelling(f"tf.layers.{word}", args, kwargs, node)
    kernel = None if word == "dense" else argument(args, kwargs, 2, "kernel_size")
    reuse = kwargs.get("reuse")
    again = reuse if reuse is not None and reuse is not False else reuses(m)
    full = layer_scope(m, kwargs.get("name"), DEFAULTS[word])
    first = kwargs.get("data_format") == "channels_first"
    make_variables(m, word, x, units, kernel, full, again, kwargs.get("use_bias") is not False, first, node, kwargs.get("trainable") is not False)
    return made


def normalised(m: Machine, x: Value, name: Value, reuse: Value, axis: Value, node: ast.AST, default: str = "batch_normalization") -> None:
    """The variables of a batch normalisation, and its updates."""
    full = layer_scope(m, name, default)
    if isinstance(x, TensorType) and x.shape.known and isinstance(axis, int) and -len(x.shape) <= axis < len(x.shape):
        depth = x.shape[axis]
        if tape.shown(m, depth) is not None:
            for one, learns in (("gamma", True), ("beta", True), ("moving_mean", False), ("moving_variance", False)):
                shared(m, f"{full}/{one}", Shape((depth,)), FLOAT32, reuse, node, learns)
    collect(m, UPDATES, operation(m, (x,), node))


def _batch_normalization(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    begin(m)
    kwargs = {k: v for k, v in kwargs.items() if k != "training"}  # a tensor, as often as not; it changes no shape
    made = m.spelling("tf.layers.batch_normalization", args, kwargs, node)
    reuse = kwargs.get("reuse")
    again = reuse if reuse is not None and reuse is not False else reuses(m)
    normalised(m, argument(args, kwargs, 0, "inputs"), kwargs.get("name"), again, argument(args, kwargs, 1, "axis", -1), node)
    return made


def _rate(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """(x, what decides how much is dropped) → x: a tensor that decides is one number."""
    x, rate = args
    if isinstance(rate, TensorType) and rate.shape.known:
        m.require("dropout/rate", len(rate.shape) == 0, f"the rate of a dropout is one number, and has shape {rate.shape!r}", node)
    return x


def _dropout(name: str, words: tuple[str, ...], m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """A dropout whose rate, or whose training, may be a tensor."""
    given, named = list(args), dict(kwargs)
    x = given[0] if given else named.get("x", named.get("inputs"))
    for word in words:
        at = 1 if word == words[0] else 4 if word == "training" and name.startswith("tf.layers") else 99
        value = given[at] if len(given) > at else named.get(word)
        if isinstance(value, (TensorType, Predicate)) or (value is not None and isinstance(value, Unknown)):
            if isinstance(value, TensorType):
                x = tape.step(m, "the rate of a dropout", _rate, (x, value), {}, node)
            stand_in: Value = False if word == "training" else 0.5
            if len(given) > at:
                given[at] = stand_in
            else:
                named[word] = stand_in
    if given:
        given[0] = x
    else:
        named["x" if "x" in named else "inputs"] = x
    return m.spelling(name, tuple(given), named, node)


def _object(word: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    return Model("tf.layers.Layer", m.heap.space({"word": word, "args": args, "kwargs": tuple(kwargs.items()), "name": kwargs.get("name"), "full": None}))


def _call(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    word, more = me.space[WORD], me.space[KWARGS]
    named = dict(more)
    named.update({k: v for k, v in kwargs.items() if k == "training"})
    x = argument(args, kwargs, 0, "inputs")
    made = m.spelling(f"tf.layers.{word}", (x, *me.space[ARGS]), named, node)
    if word in _WINDOWS or word == "dense":
        again = me.space[FULL] is not None
        if not again:
            m.heap.set(me.space, FULL, layer_scope(m, named.get("name"), DEFAULTS[word]))
        given = (x, *me.space[ARGS])
        units, kernel = argument(given, named, 1, "units" if word == "dense" else "filters"), argument(given, named, 2, "kernel_size")
        first = named.get("data_format") == "channels_first"
        make_variables(m, word, x, units, kernel, me.space[FULL], again or reuses(m), named.get("use_bias") is not False, first, node)
    return made


_CLASSES = {
    "Dense": "dense", "Conv1D": "conv1d", "Conv2D": "conv2d", "Conv3D": "conv3d", "Conv2DTranspose": "conv2d_transpose", "Flatten": "flatten",
    "Dropout": "dropout", "BatchNormalization": "batch_normalization", "MaxPooling2D": "max_pooling2d", "AveragePooling2D": "average_pooling2d",
    "MaxPooling1D": "max_pooling1d", "AveragePooling1D": "average_pooling1d", "SeparableConv2D": "separable_conv2d",
}  # fmt: skip
FUNCTIONS: dict[str, Run] = {
    **{f"tf.layers.{w}": partial(_layer, w) for w in ("dense", *_WINDOWS)}, "tf.layers.batch_normalization": _batch_normalization,
    "tf.nn.dropout": partial(_dropout, "tf.nn.dropout", ("rate", "keep_prob")),
    "tf.layers.dropout": partial(_dropout, "tf.layers.dropout", ("rate", "training")),
    "tf.compat.v1.nn.dropout": partial(_dropout, "tf.compat.v1.nn.dropout", ("keep_prob", "rate")),
    **{f"tf.layers.{c}": partial(_object, w) for c, w in _CLASSES.items()},
}  # fmt: skip
KINDS: dict[str, KindModel] = {"tf.layers.Layer": KindModel(methods={"apply": _call}, call=_call, open=True, passed=True)}
