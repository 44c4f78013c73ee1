"""tf.function: what is traced, when it is traced again, and what its signature takes."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries import KindModel, Run, argument
from tensorproof.libraries.tensorflow.data.elements import Opened, element_of, spec_of, tensor_of_spec, traced
from tensorproof.libraries.tensorflow.shapes import compatible
from tensorproof.libraries.tensorflow.tensors import converted
from tensorproof.libraries.tensorflow.traced import EAGER
from tensorproof.libraries.tensorflow.traces import TRACES, Traces, kind_of
from tensorproof.terms import DType, TensorType
from tensorproof.values import MISSING, Args, Bound, Dict, Function, Kwargs, List, Machine, Model, Native, TensorShape, Unknown, Value

FUNCTION = "tf.function"


def _function(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`@tf.function`, `@tf.function(input_signature=…)`, `tf.function(f)`."""
    function, signature = argument(args, kwargs, 0, "func"), argument(args, kwargs, 1, "input_signature")

    def wrap(one: Value) -> Value:
        if isinstance(one, Unknown):
            return one
        held = {"function": one, "signature": signature, "autograph": argument(args, kwargs, 2, "autograph", True)}
        held["__name__"] = getattr(one, "name", "function")
        return Model(FUNCTION, m.heap.space(held))

    if function is None:
        return Native("tf.function", lambda machine, inner, named, at: wrap(inner[0]))
    return wrap(function)


def _call_function(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A call traces the function, or runs its graph; an axis that the signature leaves out is open inside."""
    function, signature = me.space["function"], me.space["signature"]
    if m.model_state.get(EAGER) is True:
        return m.call(function, args, kwargs, node)
    traces = Traces(m, me, args[0] if args and _is_method(function) else None)
    roots = (function, *args, *kwargs.values())
    if signature is None:
        args, kwargs = tuple(_argument(m, v) for v in args), {k: _argument(m, v) for k, v in kwargs.items()}
        return traces.call(kind_of(function, args, kwargs), lambda: _traced(m, me, args, kwargs, node), roots, node)
    opened = Opened(m, node)
    bound = 1 if _is_method(function) else 0
    specs = list(signature.items if isinstance(signature, List) else signature) if isinstance(signature, (List, tuple)) else []
    inner = tuple(_opened(m, opened, value, spec, node, "concrete" in me.space) for value, spec in zip(args[bound:], specs))
    given = (*args[:bound], *inner, *args[bound + len(specs) :])
    return opened.closed(traces.call("signature", lambda: _traced(m, me, given, kwargs, node), roots, node))


def _traced(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    converted = me.space.get("autograph", True) is not False
    return _result(m, traced(m, me.space["function"], args, kwargs, node, converted=converted), node)


def _concrete(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`f.get_concrete_function(tf.TensorSpec(…))`: the function is traced now, for tensors of these shapes."""
    function, signature = me.space["function"], me.space["signature"]
    bound = 1 if args and _is_method(function) else 0
    if signature is not None and len(args) == bound:
        args = (*args, *_parts(signature))
    opened = Opened(m, node)

    def given(value: Value) -> Value:
        if not isinstance(value, Model) or value.kind != "tf.TensorSpec":
            return _argument(m, value)
        made = tensor_of_spec(m, value, node)
        if not isinstance(made, TensorType) or not made.shape.known:
            return made
        return made.but(shape=type(made.shape)(d if isinstance(d, int) else opened.size(d) for d in made.shape))

    held = (*args[:bound], *(given(v) for v in args[bound:]))
    named = {k: given(v) for k, v in kwargs.items()}
    traces = Traces(m, me, args[0] if bound else None)
    made = traces.call(
        "signature" if signature is not None else kind_of(function, held, named, frozenset(opened.added)),
        lambda: _traced(m, me, held, named, node),
        (function, *args),
        node,
    )
    opened.closed(made)
    specs = tuple(v if isinstance(v, Model) else spec_of(m, v) if isinstance(v, TensorType) else None for v in args[bound:])
    if kwargs or None in specs:
        return me
    inner = {"function": Bound(function, args[0]) if bound else function, "signature": specs, "autograph": me.space.get("autograph", True)}
    return Model(FUNCTION, m.heap.space({**inner, "__name__": me.space["__name__"], TRACES: ((0, "signature"),), "concrete": True}))


def _argument(m: Machine, value: Any) -> Value:
    """An array is given to a traced function as a tensor."""
    array = type(value) is TensorType and value.framework == "numpy" and value.shape.known and len(value.shape) > 0
    return m.path.same(value, value.but(framework="tf", base=None, strides=None)) if array else value


def _result(m: Machine, value: Value, node: ast.AST) -> Value:
    """What a traced function returns: each number of Python and each array in it is a tensor."""
    match value:
        case bool() | int() | float() | str():
            return element_of(m, value, node)
        case TensorType() if value.framework == "numpy":
            return element_of(m, value, node)
        case TensorType() if value.parameter and value.framework == "tf":
            return m.path.same(value, value.but(parameter=False, requires_grad=False))
        case List():
            return List(m.heap.row(_result(m, v, node) for v in value.items))
        case Dict():
            return Dict(m.heap.entries({k: _result(m, v, node) for k, v in value.items.items()}))
        case tuple() if type(value) is tuple:
            return tuple(_result(m, v, node) for v in value)
        case _:
            return value


def _is_method(function: Value) -> bool:
    return isinstance(function, Function) and function.owner is not None


def _opened(m: Machine, opened: Opened, value: Value, spec: Value, node: ast.AST, concrete: bool = False) -> Value:
    """An argument as the signature declares it. The graph of a concrete function is run with what it gets, and compares element types alone."""
    if isinstance(spec, (tuple, List)) and isinstance(value, (tuple, List)):
        inner = [_opened(m, opened, v, s, node, concrete) for v, s in zip(_parts(value), _parts(spec))]
        return tuple(inner) if isinstance(value, tuple) else List(m.heap.row(inner))
    if not isinstance(spec, Model) or spec.kind != "tf.TensorSpec" or isinstance(value, (Unknown, Model)):
        return value
    shape, dtype = spec.space["shape"], spec.space["dtype"]
    if not isinstance(value, TensorType) or value.framework != "tf":
        value = converted(m, value, dtype, node)
    if not isinstance(value, TensorType) or not value.shape.known:
        return value
    if isinstance(dtype, DType) and value.dtype is not None and value.dtype is not dtype:
        kind = "InvalidArgumentError" if concrete else "TypeError"
        raise m.raised(kind, f"the signature takes {dtype}, this is {value.dtype}", node, "function/signature")
    if not isinstance(shape, TensorShape) or (concrete and compatible(TensorShape(value.shape), shape) is not True):
        return value
    message = f"the signature takes {tuple(shape)}, this has shape {value.shape!r}"
    m.demand("TypeError", compatible(TensorShape(value.shape), shape), message, node, "function/signature")
    return value.but(shape=type(value.shape)(opened.size(d) if s is None else d for d, s in zip(value.shape, shape)))


def _parts(value: Any) -> list[Value]:
    return list(value.items if isinstance(value, List) else value)


def _function_attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    match name:
        case "get_concrete_function":
            return Native("get_concrete_function", lambda machine, inner, named, at: _concrete(machine, me, inner, named, at))
        case "experimental_get_tracing_count":
            held = me.space.get(TRACES) or ()
            return Native("experimental_get_tracing_count", lambda machine, inner, named, at: len(held) if isinstance(held, tuple) else Unknown("count"))
        case "python_function" | "__wrapped__":
            return me.space["function"]
        case "__doc__" | "__name__":
            return me.space["__name__"] if name == "__name__" else None
        case "input_signature":
            return me.space["signature"]
        case "structured_outputs" | "graph" | "function_spec" | "inputs" | "outputs" | "name":
            return Model("quiet", m.heap.space())
        case _:
            return MISSING


FUNCTIONS: dict[str, Run] = {"tf.function": _function}
KINDS: dict[str, KindModel] = {FUNCTION: KindModel(attribute=_function_attribute, call=_call_function, binds=True)}
