"""tf.TensorArray: tensors of one shape that are written one by one and stacked."""

from __future__ import annotations

import ast

from tensorproof.libraries import KindModel, Run, argument
from tensorproof.libraries.tensorflow.shapes import compatible, sizes_of
from tensorproof.libraries.tensorflow.tensors import converted
from tensorproof.libraries.tensorflow.traced import TRACED, within
from tensorproof.ops.inputs import as_size
from tensorproof.terms import Origin, Shape, TensorType, Term, conj, ge, lt
from tensorproof.values import MISSING, Args, Key, Kwargs, Machine, Model, TensorShape, Unknown, Value, slot

SHAPE: Key[TensorShape] = slot("shape")
ARRAY = "tf.TensorArray"


def _make(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    dtype, size = argument(args, kwargs, 0, "dtype"), argument(args, kwargs, 1, "size", 0)
    size = as_size(size) if isinstance(size, TensorType) else size
    given = kwargs.get("element_shape")
    space = {"dtype": dtype, "size": size, "dynamic": argument(args, kwargs, 2, "dynamic_size", False), "element": None, "top": 0,
             "shape": None if given is None else sizes_of(m, given, node)}  # fmt: skip
    return Model(ARRAY, m.heap.space(space))


def _with(m: Machine, me: Model, **changes: Value) -> Model:
    return Model(ARRAY, m.heap.space({**me.space, **changes}))


def _write(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    at, value = argument(args, kwargs, 0, "index"), argument(args, kwargs, 1, "value")
    at = as_size(at) if isinstance(at, TensorType) else at
    new = converted(m, value, me.space["dtype"] if not isinstance(value, TensorType) else None, node)
    if not isinstance(new, TensorType):
        return _with(m, me, element=Unknown("a tensor that was written"))
    if None not in (new.dtype, me.space["dtype"]) and new.dtype is not me.space["dtype"]:
        raise m.raised("InvalidArgumentError", f"an array of {me.space['dtype']} cannot hold {new.dtype}", node, "tensor_array/type")
    held, size = me.space["element"], me.space["size"]
    declared = me.space[SHAPE] if held is None else TensorShape(held.shape) if isinstance(held, TensorType) and held.shape.known else None
    if declared is not None and new.shape.known:
        message = f"an array of tensors of shape {tuple(declared)} cannot hold one of shape {new.shape!r}"
        m.demand("ValueError", compatible(TensorShape(new.shape), declared), message, node, "tensor_array/shape")
    if me.space["dynamic"] is False and isinstance(at, (int, Term)) and isinstance(size, (int, Term)):
        m.demand("OutOfRangeError", conj(ge(at, 0), lt(at, size)), f"index {at!r} is outside the array of {size!r}", node, "tensor_array/index")
    top = me.space["top"]
    reached = max(top, at + 1) if isinstance(at, int) and isinstance(top, int) else None
    return _with(m, me, element=new.but(contents=None), top=reached)


def _count(m: Machine, me: Model, node: ast.AST) -> Value:
    """How many tensors there are."""
    size, top = me.space["size"], me.space["top"]
    if me.space["dynamic"] is False:
        return size
    if isinstance(top, int) and isinstance(size, int):
        return max(top, size)
    return m.symbol(m.name_here("written", node), 1, None, Origin.UNMODELLED)


def _stack(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    held, count = me.space["element"], _count(m, me, node)
    if not isinstance(held, TensorType) or not held.shape.known or not isinstance(count, (int, Term)):
        return m.gap("TensorArray.stack", node, "of tensors that are not known")
    return within(m, held.but(shape=Shape((count, *held.shape))), m.model_state.get(TRACED))


def _concat(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    held, count = me.space["element"], _count(m, me, node)
    if not isinstance(held, TensorType) or not held.shape.known or not len(held.shape) or not isinstance(count, (int, Term)):
        return m.gap("TensorArray.concat", node, "of tensors that are not known")
    return within(m, held.but(shape=Shape((count * held.shape[0], *held.shape[1:]))), m.model_state.get(TRACED))


def _read(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    held = me.space["element"]
    return m.gap("TensorArray.read", node, "of a tensor that is not known") if held is None else within(m, held, m.model_state.get(TRACED))


def _unstack(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    t = converted(m, argument(args, kwargs, 0, "value"), None, node)
    if not isinstance(t, TensorType) or not t.shape.known or not len(t.shape):
        return m.gap("TensorArray.unstack", node, "of something that is not known")
    return _with(m, me, element=t.but(shape=Shape(t.shape[1:]), contents=None), size=t.shape[0], top=t.shape[0])


def _attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    if name == "element_shape":
        held = me.space["element"]
        return TensorShape(held.shape) if isinstance(held, TensorType) and held.shape.known else Unknown("element_shape")
    return me.space["dynamic"] if name == "dynamic_size" else MISSING


def _size(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    count = _count(m, me, node)
    return converted(m, count, None, node) if isinstance(count, (int, Term)) else Unknown("size")


FUNCTIONS: dict[str, Run] = {ARRAY: _make}
KINDS: dict[str, KindModel] = {
    ARRAY: KindModel({
        "write": _write, "stack": _stack, "read": _read, "unstack": _unstack, "concat": _concat, "size": _size,
        "gather": lambda m, me, a, k, n: m.spelling("tf.gather", (_stack(m, me, (), {}, n), argument(a, k, 0, "indices")), {}, n),
    }, _attribute),
}  # fmt: skip
