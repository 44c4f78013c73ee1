"""tf.contrib.layers and slim: layer functions whose defaults arg_scope changes. The present release has them no more: they follow 1.15 and tf_slim."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import KindModel, Run, argument, listed
from tensorproof.libraries.results.facts import facts
from tensorproof.libraries.tensorflow.version1.graph import begin, operation
from tensorproof.libraries.tensorflow.version1.layers import layer_scope, make_variables, normalised
from tensorproof.libraries.tensorflow.version1.variables import NAME, reuses, variables
from tensorproof.terms import FLOAT32, Shape, TensorType, Term
from tensorproof.values import Args, Dict, Function, Kwargs, List, Machine, Model, Named, Native, Value

SCOPES = "slim arg scopes"


def _key(m: Machine, layer: Value) -> str | None:
    if isinstance(layer, (Named, Native)):
        return layer.name.rpartition(".")[2]
    if isinstance(layer, Function):
        return f"function {id(layer.code)}"
    return None


def _with_scope(m: Machine, word: str, args: Args, kwargs: Kwargs) -> dict[str, Value]:
    """The arguments by name, those that open arg scopes give included."""
    found: dict[str, Value] = {}
    for scope in m.model_state.get(SCOPES, ()):
        found.update(scope.get(word, {}))
    found.update(dict(zip(facts("tensorflow/version1/slim").get(word, "").split(), args)))
    found.update(kwargs)
    return found


def _scoped(word: str, run: Any, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    begin(m)
    return run(m, _with_scope(m, word, args, kwargs), node)


def _sizes(value: Value) -> Value:
    return tuple(value.items) if isinstance(value, List) else value


def _again(m: Machine, g: Kwargs) -> Value:
    reuse = g.get("reuse")
    return reuse if reuse is not None and reuse is not False else reuses(m)


def _name(g: Kwargs) -> Value:
    scope = g.get("scope")
    return scope.space[NAME].rpartition("/")[2] if isinstance(scope, Model) and "name" in scope.space else scope


def _finished(m: Machine, made: Value, g: Kwargs, node: ast.AST, default: Any = "tf.nn.relu") -> Value:
    """Normalisation and activation, which every layer function ends with."""
    normal, activation = g.get("normalizer_fn"), g.get("activation_fn", Named(default) if default else None)
    if normal is not None:
        named = g.get("normalizer_params")
        made = m.call(normal, (made,), dict(named.items) if isinstance(named, Dict) else {}, node)
    return made if activation is None else m.call(activation, (made,), {}, node)


def _fully_connected(m: Machine, g: Kwargs, node: ast.AST) -> Value:
    x, units = g.get("inputs"), g.get("num_outputs")
    made = m.spelling("tf.layers.dense", (x, units), {}, node)
    full = layer_scope(m, _name(g), "fully_connected")
    make_variables(m, "dense", x, units, None, full, _again(m, g), g.get("normalizer_fn") is None, False, node)
    return _finished(m, made, g, node)


def _conv(word: str, default: str, m: Machine, g: Kwargs, node: ast.AST) -> Any:
    x, units, kernel = g.get("inputs"), g.get("num_outputs"), _sizes(g.get("kernel_size"))
    named: dict[str, Value] = {"strides": _sizes(g.get("stride", 1)), "padding": g.get("padding", "SAME")}
    first = g.get("data_format") == "NCHW"
    if first:
        named["data_format"] = "channels_first"
    if word == "conv2d" and g.get("rate", 1) != 1:
        named["dilation_rate"] = _sizes(g["rate"])
    if word == "separable_conv2d":
        named["depth_multiplier"] = g.get("depth_multiplier", 1)
        if units is None:
            return _depthwise(m, g, named, node)
    made = m.spelling(f"tf.layers.{word}", (x, units, kernel), named, node)
    full = layer_scope(m, _name(g), default)
    make_variables(m, word, x, units, kernel, full, _again(m, g), g.get("normalizer_fn") is None, first, node)
    return _finished(m, made, g, node)


def _depthwise(m: Machine, g: Kwargs, named: Kwargs, node: ast.AST) -> Value:
    """separable_conv2d without outputs of its own: each channel by itself."""
    x, kernel, many = g["inputs"], _sizes(g.get("kernel_size")), named["depth_multiplier"]
    sizes = (kernel, kernel) if isinstance(kernel, (int, Term)) else kernel
    if not isinstance(x, TensorType) or not x.shape.known or not isinstance(sizes, tuple) or len(x.shape) != 4:
        return m.gap("slim.separable_conv2d", node)
    stride = named["strides"] if isinstance(named["strides"], tuple) else (named["strides"],) * 2
    weight = TensorType(Shape((*sizes, x.shape[-1], many)), FLOAT32, framework="tf", parameter=True)
    made = m.spelling("tf.nn.depthwise_conv2d", (x, weight, [1, *stride, 1], named["padding"]), {}, node)
    return _finished(m, made, g, node)


def _pool(word: str, m: Machine, g: Kwargs, node: ast.AST) -> Any:
    return m.spelling(
        f"tf.layers.{word}", (g.get("inputs"), _sizes(g.get("kernel_size")), _sizes(g.get("stride", 2))), {"padding": g.get("padding", "VALID")}, node
    )


def _batch_norm(m: Machine, g: Kwargs, node: ast.AST) -> Value:
    x = g.get("inputs")
    made = m.spelling("tf.layers.batch_normalization", (x,), {}, node)
    normalised(m, x, _name(g), _again(m, g), -1, node, "BatchNorm")
    activation = g.get("activation_fn")
    return made if activation is None else m.call(activation, (made,), {}, node)


def _same(m: Machine, g: Kwargs, node: ast.AST) -> Value:
    return m.spelling("tf.identity", (g.get("inputs"),), {}, node)


def _repeated(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, count, layer = args[:3]
    scope = kwargs.get("scope")
    if not isinstance(count, int):
        return m.gap("slim.repeat", node, "how often is not known")
    for i in range(count):
        named = {k: v for k, v in kwargs.items() if k != "scope"}
        if isinstance(scope, str):
            named["scope"] = f"{scope}/{scope}_{i + 1}"
        x = m.call(layer, (x, *args[3:]), named, node)
    return x


def _stack(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, layer = args[:2]
    for i, given in enumerate(m.iterate(args[2], node) or ()):
        inner = tuple(given.items) if isinstance(given, List) else given if isinstance(given, tuple) else (given,)
        named = {k: v for k, v in kwargs.items() if k != "scope"}
        if isinstance(kwargs.get("scope"), str):
            named["scope"] = f"{kwargs['scope']}/{kwargs['scope']}_{i + 1}"
        x = m.call(layer, (x, *inner), named, node)
    return x


def _arg_scope(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    chosen = argument(args, kwargs, 0, "list_ops_or_scope")
    if isinstance(chosen, Model) and chosen.kind == "slim scope":
        return Model("slim scope", m.heap.space({"added": chosen.space["whole"], "whole": chosen.space["whole"]}))
    named = {k: v for k, v in kwargs.items() if k != "list_ops_or_scope"}
    layers = m.iterate(chosen, node) if isinstance(chosen, (List, tuple)) else [chosen]
    added = {key: dict(named) for layer in layers or () if (key := _key(m, layer)) is not None}
    whole: dict[str, dict[str, Value]] = {}
    for scope in (*m.model_state.get(SCOPES, ()), added):
        for key, given in scope.items():
            whole[key] = {**whole.get(key, {}), **given}
    return Model("slim scope", m.heap.space({"added": added, "whole": whole}))


def _enter(m: Machine, me: Model, node: ast.AST) -> Value:
    m.model_state[SCOPES] = (*m.model_state.get(SCOPES, ()), me.space["added"])
    return me


def _leave(m: Machine, me: Model, raised: Value, node: ast.AST) -> bool:
    m.model_state[SCOPES] = m.model_state.get(SCOPES, ())[:-1]
    return False


def _add_arg_scope(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A function of the program that takes defaults from arg scopes."""
    inner = args[0]
    key = _key(m, inner)

    def call(mm: Machine, given: Args, named: Kwargs, at: Any) -> Any:
        found: dict[str, Value] = {}
        for scope in mm.model_state.get(SCOPES, ()):
            found.update(scope.get(key, {}))
        return mm.call(inner, given, {**found, **named}, at)

    return Native(f"slim.{key}", call)


def _train_op(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return operation(m, (argument(args, kwargs, 0, "total_loss", kwargs.get("loss")),), node)


def _regularizer(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return Native("a regularizer", lambda mm, a, k, n: TensorType(Shape(), FLOAT32, framework="tf"))


def _initializer(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return Model("tf1 initializer", m.heap.space({"dtype": kwargs.get("dtype")}))


def _model_variables(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return listed(m, variables(m, False, argument(args, kwargs, 0, "scope")))


def _embed(m: Machine, g: Kwargs, node: ast.AST) -> Value:
    if g.get("vocab_size") is None or g.get("embed_dim") is None:
        return m.gap("embed_sequence", node, "its sizes are not known")
    table = TensorType(Shape((g["vocab_size"], g["embed_dim"])), FLOAT32, framework="tf", parameter=True)
    return m.spelling("tf.nn.embedding_lookup", (table, g.get("ids")), {}, node)


_LAYERS: dict[str, Any] = {
    "fully_connected": _fully_connected, "conv2d": partial(_conv, "conv2d", "Conv"), "conv2d_transpose": partial(_conv, "conv2d_transpose", "Conv2d_transpose"),
    "separable_conv2d": partial(_conv, "separable_conv2d", "SeparableConv2d"), "max_pool2d": partial(_pool, "max_pooling2d"),
    "avg_pool2d": partial(_pool, "average_pooling2d"),
    "batch_norm": _batch_norm, "dropout": _same,
    "flatten": lambda m, g, n: m.spelling("tf.layers.flatten", (g.get("inputs"),), {}, n),
    "softmax": lambda m, g, n: m.spelling("tf.nn.softmax", (g.get("logits"),), {}, n),
    "one_hot_encoding": lambda m, g, n: m.spelling("tf.one_hot", (g.get("labels"), g.get("num_classes")), {}, n),
    "layer_norm": _same,
    "instance_norm": _same, "bias_add": _same, "embed_sequence": _embed, "unit_norm": _same,
}  # fmt: skip
_OTHER = {"linear": "fully_connected", "relu": "fully_connected", "convolution2d": "conv2d", "convolution": "conv2d"}


def _renamed(name: str, word: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    begin(m)
    given = _with_scope(m, word, args, kwargs)
    given.setdefault("activation_fn", None if name == "linear" else Named("tf.nn.relu"))
    return _LAYERS[word](m, given, node)


_LOSSES = {
    "softmax_cross_entropy": ("logits", "onehot_labels"), "sigmoid_cross_entropy": ("logits", "multi_class_labels"), "log_loss": ("predictions", "labels"),
    "mean_squared_error": ("predictions", "labels"), "absolute_difference": ("predictions", "labels"), "hinge_loss": ("logits", "labels"),
    "sparse_softmax_cross_entropy": ("logits", "labels"),
}  # fmt: skip


def _loss(word: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """The losses of slim take the predictions first."""
    named = {**dict(zip((*_LOSSES[word], "weights"), args)), **{"labels" if k == "target" else k: v for k, v in kwargs.items() if k != "weight"}}
    return m.call(Named(f"tf.losses.{word}"), (), named, node)


FUNCTIONS: dict[str, Run] = {
    **{f"slim.{w}": partial(_scoped, w, run) for w, run in _LAYERS.items()}, **{f"slim.layers.{w}": partial(_scoped, w, run) for w, run in _LAYERS.items()},
    **{f"slim.{n}": partial(_renamed, n, w) for n, w in _OTHER.items()}, "slim.repeat": _repeated, "slim.stack": _stack, "slim.arg_scope": _arg_scope,
    "slim.add_arg_scope": _add_arg_scope, "slim.l2_regularizer": _regularizer, "slim.l1_regularizer": _regularizer, "slim.xavier_initializer": _initializer,
    "slim.xavier_initializer_conv2d": _initializer, "slim.variance_scaling_initializer": _initializer, "slim.learning.create_train_op": _train_op,
    "slim.optimize_loss": _train_op, "slim.get_model_variables": _model_variables, "slim.get_variables": _model_variables,
    "slim.get_trainable_variables": _model_variables, "slim.get_variables_to_restore": _model_variables,
    "slim.get_or_create_global_step": lambda m, a, k, n: m.call(Named("tf.train.get_or_create_global_step"), (), {}, n),
    **{f"slim.losses.{w}": partial(_loss, w) for w in _LOSSES},
}  # fmt: skip
KINDS: dict[str, KindModel] = {"slim scope": KindModel(enter=_enter, leave=_leave)}
