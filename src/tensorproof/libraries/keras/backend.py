"""keras.backend: the old functions under `K`, each a function of TensorFlow, and Keras' settings (also under keras.config)."""

from __future__ import annotations

import ast
from ast import literal_eval
from functools import partial
from typing import Any

from tensorproof.libraries import KindModel, Run, mapped
from tensorproof.libraries.keras.models import graph as keras_graph
from tensorproof.libraries.results.facts import facts
from tensorproof.terms import DType, Shape, TensorType, Term, eq
from tensorproof.values import Args, Kwargs, List, Machine, Model, Named, Unknown, Value

_SAID = {form: [pair.split("=") for pair in said.split()] for form, said in facts("keras/backend").items()}


def _values(args: Args, kwargs: Kwargs) -> tuple[Any, ...]:
    return (*args, *kwargs.values())


def _same(target: str) -> Run:
    return lambda m, args, kwargs, node: m.spelling(target, _values(args, {k: v for k, v in kwargs.items() if k not in ("dtype", "name")})[:1], {}, node)


def _two(target: str) -> Run:
    return lambda m, args, kwargs, node: m.spelling(target, _values(args, kwargs)[:2], {}, node)


def _reduced(target: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = dict(zip(("x", "axis", "keepdims"), args)) | kwargs
    x = given.get("x")
    if isinstance(x, TensorType) and target == "tf.reduce_mean" and x.dtype is not None and x.dtype.label == "bool":
        x = m.spelling("tf.cast", (x, "float32"), {}, node)
    return m.spelling(target, (x,), {"axis": given.get("axis"), "keepdims": given.get("keepdims", False)}, node)


def _with_axis(target: str, default: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    first, *rest = _values(args, {k: v for k, v in kwargs.items() if k != "axis"})
    axis = kwargs.get("axis", rest[0] if rest else literal_eval(default))
    return m.spelling(target, (first,), {"axis": axis}, node)


def _clip(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, low, high = _values(args, kwargs)[:3]
    return m.spelling("tf.clip_by_value", (x, low, high), {}, node)


def _int_shape(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x = args[0] if args else kwargs.get("x")
    return keras_graph.shown_shape(m, x) if isinstance(x, TensorType) else m.gap("keras.backend.int_shape", node, "of something that is not a tensor")


def _ndim(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x = args[0] if args else kwargs.get("x")
    return len(x.shape) if isinstance(x, TensorType) and x.shape.known else Unknown("rank")


def _dtype(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x = args[0] if args else kwargs.get("x")
    return x.dtype.label if isinstance(x, TensorType) and x.dtype is not None else Unknown("dtype")


def _batch_flatten(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x = _values(args, kwargs)[0]
    if not isinstance(x, TensorType) or not x.shape.known:
        return m.gap("keras.backend.batch_flatten", node, "its input is not known")
    rest: Value = 1
    for size in x.shape[1:]:
        rest = rest * size
    return m.spelling("tf.reshape", (x, (-1, rest)), {}, node)


def _made(target: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    given = {k: v for k, v in kwargs.items() if k != "name" and v is not None}
    return m.spelling(target, args[:2], given, node)


def _random(target: str, names: tuple[str, ...], m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = dict(zip(("shape", *names, "dtype"), args)) | kwargs
    return m.spelling(target, (given.get("shape"),), {k: v for k, v in given.items() if k in (*names, "dtype") and v is not None}, node)


def _dot(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, y = _values(args, kwargs)[:2]
    if isinstance(x, TensorType) and isinstance(y, TensorType) and x.shape.known and y.shape.known and (len(x.shape) > 2 or len(y.shape) > 2):
        return m.spelling("tf.tensordot", (x, y), {"axes": ((len(x.shape) - 1,), (max(len(y.shape) - 2, 0),))}, node)
    return m.spelling("tf.matmul", (x, y), {}, node)


def _batch_dot(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = dict(zip(("x", "y", "axes"), args)) | kwargs
    x, y, axes = given.get("x"), given.get("y"), given.get("axes")
    if not isinstance(x, TensorType) or not isinstance(y, TensorType):
        return m.gap("keras.backend.batch_dot", node, "an argument is not known")
    if axes is None:
        axes = (len(x.shape) - 1, 1 if len(y.shape) == 2 else len(y.shape) - 2)
    return m.spelling("keras.layers.dot", (List(m.heap.row((x, y))),), {"axes": axes}, node)


def _repeat(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`repeat(x, n)`: a matrix becomes n equal steps."""
    x, n = _values(args, kwargs)[:2]
    if isinstance(x, TensorType) and x.shape.known and len(x.shape) == 2 and isinstance(n, (int, Term)):
        return x.but(shape=Shape((x.shape[0], n, x.shape[1])), contents=None)
    return m.gap("keras.backend.repeat", node, "its input is not known")


def _repeat_elements(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = dict(zip(("x", "rep", "axis"), args)) | kwargs
    return m.spelling("tf.repeat", (given.get("x"), given.get("rep")), {"axis": given.get("axis")}, node)


def _loss(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = dict(zip(("target", "output", "from_logits", "axis"), args)) | kwargs
    named = {"from_logits": given.get("from_logits", False)}
    target, output = given.get("target", given.get("y_true")), given.get("output", given.get("y_pred"))
    return m.spelling(f"keras.ops.{name}", (target, output), named, node)


def _cast(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, dtype = _values(args, kwargs)[:2]
    return m.spelling("keras.ops.cast" if keras_graph.is_symbolic(x) else "tf.cast", (x, dtype), {}, node)


def _variable(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    from tensorproof.libraries.tensorflow.tensors import variable

    given = dict(zip(("value", "dtype", "name"), args)) | kwargs
    return variable(m, (given.get("value"),), {"dtype": given["dtype"]} if isinstance(given.get("dtype"), (str, DType)) else {}, node)


def _value(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x = args[0] if args else kwargs.get("x")
    return x.but(framework="numpy", parameter=False) if isinstance(x, TensorType) else x


def _setting(word: str, default: Value) -> tuple[Value, Value]:
    def tell(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        return keras_graph.state(m).get(("setting", word), default)

    def put(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
        value = args[0] if args else next(iter(kwargs.values()), None)
        if word == "data_format" and isinstance(value, str) and value not in ("channels_last", "channels_first"):
            raise m.raised("ValueError", f"the data format is 'channels_last' or 'channels_first', and not {value!r}", node, "keras/data-format")
        m.heap.set(keras_graph.state(m), ("setting", word), value)

    return tell, put


_FLOATX, _SET_FLOATX = _setting("floatx", "float32")
_FORMAT, _SET_FORMAT = _setting("data_format", "channels_last")
_EPSILON, _SET_EPSILON = _setting("epsilon", 1e-7)


def _clear(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """Names start anew."""
    kept = keras_graph.state(m)
    for key in [k for k in kept if isinstance(k, tuple) and k[0] == "name"]:
        m.heap.set(kept, key, 0)


def _switch(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = dict(zip(("condition", "then_expression", "else_expression"), args)) | kwargs
    then, other = given.get("then_expression"), given.get("else_expression")
    then = then if isinstance(then, TensorType) else m.call(then, (), {}, node)
    other = other if isinstance(other, TensorType) else m.call(other, (), {}, node)
    return m.spelling("tf.where", (given.get("condition"), then, other), {}, node)


def _phase(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = dict(zip(("x", "alt"), args)) | kwargs
    chosen = given.get("x")
    return chosen if isinstance(chosen, TensorType) else m.call(chosen, (), {}, node)


def _standard(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    value = args[0] if args else kwargs.get("dtype")
    made = keras_graph.element_type(value)
    return made.label if made is not None else value


def _function(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`K.function(inputs, outputs)`: a model that gives arrays."""
    from tensorproof.libraries.keras.models.models import make_functional

    given = dict(zip(("inputs", "outputs"), args)) | kwargs
    made = make_functional(m, given.get("inputs"), given.get("outputs"), None, node)
    return Model("keras.backend.function", m.heap.space({"model": made})) if isinstance(made, Model) else made


def _call_function(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    result = m.call(me.space["model"], args, {}, node)
    return mapped(m, result, lambda t: t.but(framework="numpy"))


def _ctc_cost(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`ctc_batch_cost(y_true, y_pred, input_length, label_length)`: one number for each sample."""
    y_true, y_pred, steps, labels = _values(args, kwargs)[:4]
    for name, value, rank in (("y_true", y_true, 2), ("y_pred", y_pred, 3), ("input_length", steps, 2), ("label_length", labels, 2)):
        if not isinstance(value, TensorType) or not value.shape.known:
            return m.gap("keras.backend.ctc_batch_cost", node, f"{name} is not known")
        if len(value.shape) != rank:
            raise m.raised("ValueError", f"{name} of ctc_batch_cost has {rank} axes, and is {value.shape!r}", node, "ctc_loss/rank")
        m.require("ctc_loss/batch", eq(value.shape[0], y_pred.shape[0]), f"{name} is {value.shape!r} and y_pred {y_pred.shape!r}: the batches differ", node)
    return y_pred.but(shape=Shape((y_pred.shape[0], 1)), contents=None)


KINDS = {"keras.backend.function": KindModel(call=_call_function)}
_FUNCTIONS: dict[str, object] = {
    "ctc_batch_cost": _ctc_cost, "update": lambda m, a, k, n: a[1], "hard_sigmoid": _same("tf.sigmoid"),
    "map_fn": lambda m, a, k, n: m.call(Named("tf.map_fn"), a[:2], {}, n),
    "reverse": lambda m, a, k, n: m.spelling("tf.reverse", (a[0], a[1] if isinstance(a[1], (List, tuple)) else (a[1],)), {}, n),
    "bias_add": lambda m, a, k, n: m.spelling("tf.nn.bias_add", a[:2], {}, n),
    **{k: _same(v) for k, v in _SAID["one"]}, **{k: _two(v) for k, v in _SAID["two"]}, **{k: partial(_reduced, v) for k, v in _SAID["reduced"]},
    **{k: partial(_with_axis, target, default) for k, v in _SAID["axis"] for target, _, default in [v.partition(",")]},
    "clip": _clip,
    "relu": lambda m, a, k, n: m.spelling("tf.nn.relu", (a[0] if a else k["x"],), {}, n),
    "int_shape": _int_shape, "ndim": _ndim, "dtype": _dtype,
    "flatten": lambda m, a, k, n: m.spelling("tf.reshape", (_values(a, k)[0], (-1,)), {}, n),
    "batch_flatten": _batch_flatten,
    "zeros": partial(_made, "tf.zeros"), "ones": partial(_made, "tf.ones"), "constant": partial(_made, "tf.constant"), "eye": partial(_made, "tf.eye"),
    "arange": partial(_made, "tf.range"),
    "random_normal": partial(_random, "tf.random.normal", ("mean", "stddev")), "random_uniform": partial(_random, "tf.random.uniform", ("minval", "maxval")),
    "truncated_normal": partial(_random, "tf.random.truncated_normal", ("mean", "stddev")), "dot": _dot, "batch_dot": _batch_dot, "repeat": _repeat,
    "repeat_elements": _repeat_elements, "categorical_crossentropy": partial(_loss, "categorical_crossentropy"),
    "sparse_categorical_crossentropy": partial(_loss, "sparse_categorical_crossentropy"), "binary_crossentropy": partial(_loss, "binary_crossentropy"),
    "cast": _cast,
    "cast_to_floatx": lambda m, a, k, n: _cast(m, (a[0], "float32"), {}, n) if isinstance(a[0], TensorType) else a[0],
    "transpose": lambda m, a, k, n: m.spelling("tf.transpose", _values(a, k)[:1], {}, n),
    "variable": _variable, "get_value": _value, "eval": _value, "floatx": _FLOATX,
    "set_floatx": _SET_FLOATX, "epsilon": _EPSILON, "set_epsilon": _SET_EPSILON, "image_data_format": _FORMAT, "set_image_data_format": _SET_FORMAT,
    "is_keras_tensor": lambda m, a, k, n: keras_graph.is_symbolic(a[0] if a else k.get("x")),
    "is_tensor": lambda m, a, k, n: isinstance(a[0], TensorType) and a[0].framework == "tf", "clear_session": _clear,
    "switch": _switch, "in_train_phase": _phase, "in_test_phase": _phase,
    "standardize_dtype": _standard, "is_float_dtype": lambda m, a, k, n: "float" in str(_standard(m, a, k, n)),
    "is_int_dtype": lambda m, a, k, n: "int" in str(_standard(m, a, k, n)), "function": _function,
    "dropout": lambda m, a, k, n: m.spelling("tf.nn.dropout", a[:2], {}, n),
}  # fmt: skip
_CONFIG = ("floatx", "set_floatx", "epsilon", "set_epsilon", "image_data_format", "set_image_data_format")


def _policy(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    value = args[0] if args else next(iter(kwargs.values()), None)
    name = value.space.get("name") if isinstance(value, Model) else value
    if isinstance(name, str) and keras_graph.element_type(name) is None:
        raise m.raised("ValueError", f"Keras has no policy named {name!r}", node, "keras/word")
    m.heap.set(keras_graph.state(m), ("setting", "policy"), name if isinstance(name, str) else None)


def _make_policy(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    name = args[0] if args else kwargs.get("name")
    made = keras_graph.element_type(name)
    items = {"name": name, "compute_dtype": made.label if made is not None else name, "variable_dtype": "float32" if "mixed" in str(name) else name}
    return Model("keras.policy", m.heap.space(items))


def _tell_policy(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return _make_policy(m, (keras_graph.state(m).get(("setting", "policy")) or "float32",), {}, node)


FUNCTIONS: dict[str, Any] = {
    **{f"keras.backend.{k}": v for k, v in _FUNCTIONS.items()}, **{f"keras.config.{k}": _FUNCTIONS[k] for k in _CONFIG},
    **{f"keras.{home}.{word}": _policy for home, word in (
        ("config", "set_dtype_policy"), ("mixed_precision", "set_global_policy"), ("mixed_precision", "set_dtype_policy"),
        ("mixed_precision.experimental", "set_policy"))},
    **{f"keras.{word}": _make_policy for word in (
        "mixed_precision.Policy", "DTypePolicy", "mixed_precision.DTypePolicy", "mixed_precision.experimental.Policy", "dtype_policies.DTypePolicy")},
    "keras.config.dtype_policy": _tell_policy, "keras.mixed_precision.global_policy": _tell_policy, "keras.mixed_precision.dtype_policy": _tell_policy,
}  # fmt: skip
