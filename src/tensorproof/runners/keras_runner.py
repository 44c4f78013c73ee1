"""Runs generated calls on the real Keras, twice: on `KerasTensor`s, which only have a shape and a type, and eagerly.

The truth is where the two agree. Import it only in a process that may load TensorFlow.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any

os.environ.setdefault("KERAS_BACKEND", "tensorflow")

import keras
import numpy as np
import tensorflow as tf

from tensorproof.runners.observed import Observed, Seen
from tensorproof.terms.dtypes import DType
from tensorproof.terms.tensor import TensorType

_HAS = {
    "bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
    "complex128", "string",
}  # fmt: skip
_NO_KERNEL = (
    "only support", "not support", "No OpKernel", "Could not find device", "NotImplemented", "XLA", "JIT compil", "Unimplemented", "could not be found",
)  # fmt: skip


class Absent(Exception):
    """An element type that Keras does not have."""


def _label(dtype: DType | None) -> str:
    if dtype is None or dtype.label not in _HAS:
        raise Absent(f"Keras has no element type {dtype!r}")
    return dtype.label


def eager(t: TensorType) -> tf.Tensor:
    """A real tensor: the known contents, else numbers between 0 and 1 (whole types: zeros)."""
    label = _label(t.dtype)
    shape = tuple(t.shape)
    assert t.dtype is not None
    if t.contents is not None and len(t.contents) == t.shape.numel:
        made = np.array(list(t.contents)).reshape(shape)
    elif t.dtype.is_float or t.dtype.is_complex:
        made = np.random.default_rng(0).random(shape)
    else:
        made = np.zeros(shape)
    return tf.constant([""] * int(t.shape.numel), shape=shape) if label == "string" else tf.cast(tf.constant(made), label)  # type: ignore[arg-type]


def symbolic(t: TensorType) -> keras.KerasTensor:
    return keras.KerasTensor(tuple(t.shape), _label(t.dtype))


def real(value: object, tensor: Callable[[TensorType], object]) -> Any:
    """Our abstract arguments as Keras's own."""
    match value:
        case TensorType():
            return tensor(value)
        case DType():
            return _label(value)
        case tuple() | list():
            return type(value)(real(v, tensor) for v in value)
        case dict():
            return {k: real(v, tensor) for k, v in value.items()}
        case _:
            return value


def observed(value: object) -> object:
    """Keras's results as plain data."""
    if isinstance(value, (keras.KerasTensor, tf.Tensor, keras.Variable, np.ndarray, np.generic)):
        dtype = value.dtype
        return Seen.of(tuple(value.shape), dtype if isinstance(dtype, str) else dtype.name, value)
    if isinstance(value, dict):
        return tuple(observed(v) for v in value.values())
    if isinstance(value, (tuple, list)):
        return tuple(observed(v) for v in value)
    return value


def find(name: str) -> Callable[..., object]:
    found: Any = keras
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    function: Callable[..., object] = found
    return function


def _once(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], init: dict[str, Any] | None, tensor: Callable[[TensorType], object]) -> Observed:
    try:
        function = find(name)
        if init is not None:
            layer: Any = function(**real(init, tensor))
            function = layer
        return Observed(observed(function(*real(args, tensor), **real(kwargs, tensor))))
    except Absent as absent:
        return Observed(aside=str(absent))
    except Exception as error:
        return Observed(error=f"{type(error).__name__}: {' '.join(str(error).split())}"[:400])


def _has_tensor(value: object) -> bool:
    if isinstance(value, (tuple, list)):
        return any(_has_tensor(v) for v in value)
    return isinstance(value, TensorType)


_CRASHES = (("AdaptiveMax", "AdaptiveAverage"), ("adaptive_max", "adaptive_average"))
"""Where eager TensorFlow ends the process (windows of one element), and what is run in its place: it accepts the same."""


def _without_numbers(outputs: object) -> object:
    """Results whose numbers say nothing, since another function made them."""
    if isinstance(outputs, Seen):
        return Seen(outputs)
    return tuple(map(_without_numbers, outputs)) if isinstance(outputs, tuple) else outputs


def _ends(name: str, args: tuple[Any, ...]) -> bool:
    """Transposed convolutions of volumes without elements divide by zero in eager TensorFlow, which ends the process."""
    return name.endswith("3DTranspose") and any(isinstance(a, TensorType) and a.shape.numel == 0 for a in args)


def run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], init: dict[str, Any] | None = None) -> Observed:
    """Call it both ways."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if _ends(name, args):
            return _once(name, args, kwargs, init, symbolic)
        other = name.replace(*_CRASHES[0]).replace(*_CRASHES[1])
        now = _once(other, args, kwargs, init, eager)
        now = now if other == name else Observed(_without_numbers(now.outputs), now.error, now.aside)
        if now.aside or not (_has_tensor(args) or _has_tensor(list(kwargs.values()))):
            return now
        traced = _once(name, args, kwargs, init, symbolic)
    if now.error and traced.error:
        return Observed(error=now.error, traced=traced.error)
    if "A KerasTensor cannot be used as input" in traced.error:  # a function that is not made for symbolic tensors
        return now
    if traced.error:
        return Observed(aside=f"only eager accepts: {traced.error}")
    if now.error:
        if any(word in now.error for word in _NO_KERNEL):
            return Observed(aside=f"no kernel: {now.error}")
        return Observed(aside=f"only symbolic accepts: {now.error}")
    if now.outputs != traced.outputs and not _fits(now.outputs, traced.outputs):
        return Observed(aside=f"eager gives {now.outputs!r}, symbolic {traced.outputs!r}")
    return now


def _fits(now: object, traced: object) -> bool:
    """Whether a symbolic result, whose axes may be None, allows the eager one. An element type that differs counts for eager."""
    if isinstance(now, tuple) and len(now) == 2 and isinstance(now[1], str):
        pair = traced
        if not (isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[1], str)):
            return False
        return now[1] == pair[1] and len(now[0]) == len(pair[0]) and all(b is None or a == b for a, b in zip(now[0], pair[0]))
    if isinstance(now, tuple) and isinstance(traced, tuple):
        return len(now) == len(traced) and all(_fits(a, b) for a, b in zip(now, traced))
    return type(now) is type(traced)
