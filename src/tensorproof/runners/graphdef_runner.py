"""Runs generated calls of GraphDef operators through `tf.raw_ops`, in a graph and eagerly (see `tf_runner`)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import tensorflow as tf
from tensorflow.core.framework.op_def_pb2 import OpDef
from tensorflow.python.framework import op_def_registry

from tensorproof.runners import tf_runner
from tensorproof.runners.observed import Observed
from tensorproof.runners.tf_runner import dtype_of, in_graph, value_of
from tensorproof.terms.dtypes import DType
from tensorproof.terms.tensor import TensorType

_ANY = {
    "list(type)": [tf.float32], "list(shape)": [[2]], "type": tf.float32, "int": 1, "string": "a", "float": 0.5, "list(int)": [1], "list(float)": [0.5],
    "shape": [2], "bool": True, "list(string)": ["a"],
}  # fmt: skip
"""A value for attributes of which nothing is said."""


_UNSAFE = frozenset({"ScatterNdAdd", "ScatterNdSub", "ScatterNdMax", "ScatterNdMin", "ScatterNdUpdate", "ResourceGather"})
"""Kernels that read axes of a variable without a check, or end the process: that inference takes a wrong call tells nothing."""


def unsafe(name: str) -> bool:
    return name.rpartition(".")[2] in _UNSAFE


class NeedsHandle(Exception):
    """An input that no generated value can stand for."""


def _grouped(definition: OpDef, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, object]:
    """Flat positional inputs by name: an input that is a list takes what the single ones leave."""
    inputs = [i for i in definition.input_arg if i.name not in kwargs]
    lists = [i for i in inputs if i.number_attr or i.type_list_attr]
    share, odd = divmod(len(args) - (len(inputs) - len(lists)), len(lists)) if lists else (0, 0)
    if odd:
        raise ValueError(f"{len(args)} inputs do not divide into {len(lists)} lists")
    found: dict[str, object] = {}
    at = 0
    for one in inputs:
        if one.number_attr or one.type_list_attr:
            found[one.name] = list(args[at : at + share])
            at += share
        elif at < len(args):
            found[one.name] = args[at]
            at += 1
    return {**found, **kwargs}


def _variable(t: TensorType, ref: bool) -> tf.Tensor:
    first = tf.compat.v1.constant_initializer(value_of(t)) if t.contents is not None else tf.compat.v1.zeros_initializer()
    made = tf.compat.v1.get_variable(f"v{id(t)}", tuple(t.shape), dtype_of(t.dtype or DType.FLOAT32), first, use_resource=not ref)
    return made._ref() if ref else made.handle


def _constant(value: object, one: OpDef.ArgDef, definition: OpDef, given: dict[str, object]) -> tf.Tensor:
    """A Python number or list where the node wants a tensor: of the type that the other inputs give it, or else the natural one."""
    kind = tf.as_dtype(one.type % 100) if one.type else None
    if kind is None and one.type_attr:
        alike = [given.get(i.name) for i in definition.input_arg if i.type_attr == one.type_attr]
        kind = next((dtype_of(v.dtype) for v in alike if isinstance(v, TensorType) and v.dtype is not None), None)
    if kind is None and one.type_attr:
        attribute = next(a for a in definition.attr if a.name == one.type_attr)
        allowed = [tf.as_dtype(t) for t in attribute.allowed_values.list.type]
        natural = tf.convert_to_tensor(value).dtype
        kind = natural if not allowed or natural in allowed else allowed[0]
    return tf.constant(value, dtype=kind)


def _placeholder(one: OpDef.ArgDef, definition: OpDef, given: dict[str, object]) -> tf.Tensor:
    """A tensor of unknown shape, of the type that the other inputs give it or the first that it takes: for what nothing is said of."""
    alike = [given.get(i.name) for i in definition.input_arg if one.type_attr and i.type_attr == one.type_attr]
    found_dtype = next((dtype_of(v.dtype) for v in alike if isinstance(v, TensorType) and v.dtype is not None), None)
    kinds = [t for a in definition.attr if a.name == one.type_attr for t in a.allowed_values.list.type]
    kind = found_dtype or tf.as_dtype(one.type % 100 if one.type else kinds[0] if kinds else 1)
    if one.is_ref:
        return tf.compat.v1.get_variable(f"ref_{one.name}", (2,), kind, tf.compat.v1.zeros_initializer(), use_resource=False)._ref()
    return tf.compat.v1.placeholder(kind)


def _input(value: object, one: OpDef.ArgDef, definition: OpDef, tensor: Callable[[TensorType], object], graph: bool, given: dict[str, object]) -> object:
    if isinstance(value, list) and (one.number_attr or one.type_list_attr):
        return [_input(v, one_of(one), definition, tensor, graph, given) for v in value]
    resource = one.type and tf.as_dtype(one.type % 100) in (tf.resource, tf.variant)
    if isinstance(value, TensorType):
        if one.is_ref and graph:
            return _variable(value, ref=True)
        if resource:
            return _variable(value, ref=False) if value.dtype not in (None, DType.RESOURCE, DType.VARIANT) else _placeholder(one, definition, given)
        return tensor(value)
    if value is None or resource:
        if not graph:
            raise NeedsHandle(one.name)
        return _placeholder(one, definition, given)
    return _constant(value, one, definition, given)


def one_of(argument: OpDef.ArgDef) -> OpDef.ArgDef:
    """The description of one item of a list argument."""
    made = type(argument)()
    made.CopyFrom(argument)
    made.ClearField("number_attr")
    made.ClearField("type_list_attr")
    return made


def _flat(value: object) -> object:
    """The outputs in one row."""
    if isinstance(value, (tuple, list)):
        return tuple(x for v in value for x in (v if isinstance(v, (tuple, list)) else (v,)))
    return () if value is None or isinstance(value, tf.Operation) else value


def _call(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], tensor: Callable[[TensorType], object], graph: bool) -> object:
    spelling = name.partition(".")[2]
    definition = op_def_registry.get(spelling)
    given = _grouped(definition, args, kwargs)
    inputs = {i.name: i for i in definition.input_arg}
    kinds = {a.name: a.type for a in definition.attr}
    ready = {
        k: _input(v, inputs[k], definition, tensor, graph, given)
        if k in inputs
        else _ANY[kinds[k]]
        if v is None and kinds[k] in _ANY
        else tf_runner.real(v, tensor)
        for k, v in given.items()
    }
    inferred = {f for i in definition.input_arg for f in (i.type_attr, i.number_attr, i.type_list_attr)}
    for one in definition.attr:
        if one.name not in ready and one.name not in inferred and not one.HasField("default_value") and one.type in _ANY:
            ready[one.name] = _ANY[one.type]
        if one.type == "func" and ready.get(one.name) is None:
            raise NeedsHandle(one.name)
    function: Callable[..., object] = getattr(tf.raw_ops, spelling)
    names = _renamed(function, definition)
    return _flat(function(**{names.get(k, k): v for k, v in ready.items()}))


def _renamed(function: Callable[..., object], definition: OpDef) -> dict[str, str]:
    """The names by which `raw_ops` knows some of a definition's inputs and attributes: in order, what is left on both sides."""
    inferred = {f for i in definition.input_arg for f in (i.type_attr, i.number_attr, i.type_list_attr)}
    theirs = [i.name for i in definition.input_arg] + [a.name for a in definition.attr if a.name not in inferred]
    shown = [p for p in inspect.signature(function).parameters if p != "name"]
    return dict(zip([n for n in theirs if n not in shown], [n for n in shown if n not in theirs]))


CAREFUL = ("Backprop", "ConjugateTranspose", "RFFT", "Abort", "Dequeue", "ReaderRead")
"""Operators whose kernels end the process, or wait for ever, on arguments that a graph takes."""


def _stateful(spelling: str) -> bool:
    """Whether it works on variables and handles, which generated calls make in a graph alone."""
    return any(word in spelling for word in CAREFUL) or any(one.is_ref or one.type % 100 in (20, 21) for one in op_def_registry.get(spelling).input_arg)


def run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], init: dict[str, Any] | None = None) -> Observed:
    """Call an operator of GraphDef."""
    spelling = name.partition(".")[2]
    if not hasattr(tf.raw_ops, spelling):
        return Observed(aside=f"raw_ops has no {spelling}")
    if any(one.type == "func" for one in op_def_registry.get(spelling).attr):
        return Observed(aside="needs a function")
    if not _stateful(spelling):
        return tf_runner.both(lambda: _call(name, args, kwargs, in_graph, True), lambda: _call(name, args, kwargs, tf_runner.eagerly, False), True, True)
    try:
        with tf.Graph().as_default():
            seen = tf_runner.observed(_call(name, args, kwargs, in_graph, True))
            return Observed(seen)
    except NeedsHandle as missing:
        return Observed(aside=f"needs a handle: {missing}")
    except Exception as error:
        return tf_runner.refusal(tf_runner.said(error))


__all__ = ["run", "value_of"]
