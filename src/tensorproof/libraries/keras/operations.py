"""keras.ops that take functions or have no spelling of their own: control flow, maps, patches, conversions."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import KindModel, Run, mapped, tensors_in
from tensorproof.libraries.keras.models import graph as keras_graph
from tensorproof.terms import Origin, Shape, TensorType, Term, eq
from tensorproof.values import TEXT, Args, Kwargs, List, Machine, Named, Unknown, Value


def _by_name(names: tuple[str, ...], args: Args, kwargs: Kwargs) -> dict[str, Value]:
    return dict(zip(names, args)) | kwargs


def _as(target: str, names: tuple[str, ...], m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """A function that is one of TensorFlow's with the same arguments."""
    given = _by_name(names, args, kwargs)
    return m.call(Named(target), tuple(given[n] for n in names if n in given), {}, node)


def step(m: Machine, work: Any, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """An operation that is one step of a graph when a KerasTensor goes in."""
    return keras_graph.call(m, None, work, args, kwargs, node)


def _patches(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`extract_patches(images, size, strides=None, dilation_rate=1, padding="valid")`; one picture has no batch axis."""

    def work(machine: Machine, given: Args, named: Kwargs, at: Any) -> Value:
        by_name = _by_name(("images", "size", "strides", "dilation_rate", "padding", "data_format"), given, named)
        x, size = by_name.get("images"), _pair(machine, by_name.get("size"), at)
        strides = size if by_name.get("strides") is None else _pair(machine, by_name["strides"], at)
        rates = _pair(machine, by_name.get("dilation_rate", 1), at)
        if not isinstance(x, TensorType) or not x.shape.known or None in (size, strides, rates) or by_name.get("data_format") == "channels_first":
            return machine.gap("keras.ops.image.extract_patches", at, "an argument is not known")
        if len(x.shape) not in (3, 4):
            raise machine.raised("ValueError", f"pictures have three axes, a batch of them four, and this is {x.shape!r}", at, "im2col/rank")
        alone = len(x.shape) == 3
        batch = x.but(shape=Shape((1, *x.shape)), contents=None, framework="tf") if alone else x.but(framework="tf")
        padding = by_name.get("padding", "valid")
        words: dict[str, Value] = {"sizes": (1, *size, 1), "strides": (1, *strides, 1), "rates": (1, *rates, 1)}
        words["padding"] = padding.upper() if isinstance(padding, str) else padding
        made = machine.spelling("tf.image.extract_patches", (batch,), words, at)
        return made.but(shape=Shape(made.shape[1:])) if alone and isinstance(made, TensorType) else made

    return step(m, work, args, kwargs, node)


def _pair(m: Machine, value: Value, node: ast.AST) -> Any:
    if isinstance(value, (int, Term)):
        return (value, value)
    items = m.iterate(value, node) if isinstance(value, (List, tuple)) else None
    return tuple(items) if items is not None and len(items) == 2 else None


def _fori(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`fori_loop(lower, upper, body_fun, init_val)`: the body keeps the shapes of what it carries."""
    given = _by_name(("lower", "upper", "body_fun", "init_val"), args, kwargs)
    low, high, body, value = (given.get(n) for n in ("lower", "upper", "body_fun", "init_val"))
    if isinstance(low, int) and isinstance(high, int) and high - low <= 64:
        for i in range(low, high):
            value = m.call(body, (i, value), {}, node)
        return value
    index = m.symbol(m.name_here("i", node), 0, None, Origin.WORLD)
    after = m.call(body, (index, value), {}, node)
    return value if _same(m, value, after, node) else m.gap("keras.ops.fori_loop", node, "what it carries is not known")


def _same(m: Machine, before: Value, after: Value, node: ast.AST) -> bool:
    """Whether two nestings hold tensors of the same shapes, which is demanded."""
    if isinstance(before, TensorType) and isinstance(after, TensorType) and before.shape.known and after.shape.known:
        message = f"what a loop carries is {before.shape!r} before an iteration and {after.shape!r} after it"
        if len(before.shape) != len(after.shape):
            raise m.raised("ValueError", message, node, "while/shape")
        for a, b in zip(before.shape, after.shape):
            m.require("while/shape", eq(a, b), message, node)
        return True
    if isinstance(before, (tuple, List)) and isinstance(after, (tuple, List)):
        olds, news = (list(v.items) if isinstance(v, List) else list(v) for v in (before, after))
        return len(olds) == len(news) and all(_same(m, a, b, node) for a, b in zip(olds, news))
    return not isinstance(before, (TensorType, Unknown)) and not isinstance(after, (TensorType, Unknown))


def _scan(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`scan(f, init, xs)`: f(carry, x) → (carry, y), along the first axis."""
    given = _by_name(("f", "init", "xs", "length", "reverse", "unroll"), args, kwargs)
    xs, length = given.get("xs"), given.get("length")
    first = next((t for t in tensors_in(xs) if t.shape.known and len(t.shape)), None)
    count = first.shape[0] if first is not None else length
    if count is None or isinstance(count, Unknown):
        return m.gap("keras.ops.scan", node, "its length is not known")
    one = None if xs is None else mapped(m, xs, lambda t: t.but(shape=Shape(t.shape[1:]), contents=None))
    result = m.call(given.get("f"), (given.get("init"), one), {}, node)
    if not isinstance(result, tuple) or len(result) != 2:
        return result if isinstance(result, Unknown) else m.gap("keras.ops.scan", node, "the function does not give two results")
    if not _same(m, given.get("init"), result[0], node):
        return m.gap("keras.ops.scan", node, "what it carries is not known")
    return result[0], mapped(m, result[1], lambda t: t.but(shape=Shape((count, *t.shape)), contents=None))


def _to_numpy(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x = args[0] if args else kwargs.get("x")
    if keras_graph.is_symbolic(x):
        raise m.raised("ValueError", "a KerasTensor has no values", node, "keras/symbolic")
    return x.but(framework="numpy", parameter=False, requires_grad=False) if isinstance(x, TensorType) else m.call(Named("numpy.array"), (x,), {}, node)


def _shape(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`ops.shape`: of a KerasTensor a tuple with None for the sizes that are open."""
    x = args[0] if args else kwargs.get("x")
    return keras_graph.shown_shape(m, x) if isinstance(x, TensorType) and keras_graph.is_symbolic(x) else m.spelling("keras.ops.shape", args, kwargs, node)


def _dtype(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x = args[0] if args else kwargs.get("x")
    return x.dtype.label if isinstance(x, TensorType) and x.dtype is not None else TEXT


def _is_tensor(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x = args[0] if args else kwargs.get("x")
    return Unknown("is_tensor") if isinstance(x, Unknown) else isinstance(x, TensorType) and x.framework == "tf"


KINDS = {"keras.seed": KindModel(passed=True, open=True)}
FUNCTIONS: dict[str, Run] = {
    "keras.ops.cond": partial(_as, "tf.cond", ("pred", "true_fn", "false_fn")),
    "keras.ops.while_loop": partial(_as, "tf.while_loop", ("cond", "body", "loop_vars")),
    "keras.ops.map": partial(_as, "tf.map_fn", ("f", "xs")), "keras.ops.vectorized_map": partial(_as, "tf.vectorized_map", ("function", "elements")),
    "keras.ops.fori_loop": _fori, "keras.ops.scan": _scan, "keras.ops.convert_to_numpy": _to_numpy, "keras.ops.dtype": _dtype, "keras.ops.shape": _shape,
    "keras.ops.is_tensor": _is_tensor, "keras.ops.image.extract_patches": _patches,
    "keras.ops.custom_gradient": lambda m, a, k, n: m.call(Named("tf.custom_gradient"), a, k, n),
}  # fmt: skip
