"""Runs generated calls on the real TensorFlow, twice: in a graph, with placeholders, and eagerly.

Where the two disagree on acceptance the observation is set aside: TensorFlow itself is not of one mind. Import it only in a process
that may load TensorFlow.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any, TypeGuard

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from tensorproof.runners.observed import Observed, Seen
from tensorproof.terms.dtypes import DType
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

Function = Callable[..., object]
NO_KERNEL = (
    "NeedsHandle",
    "does not support eager execution", "is not compatible with eager execution", "Could not find device for node", "No OpKernel was registered",
    "only supported on GPU", "not supported on CPU", "not supported for CPU", "CPU implementation", "currently only supports",
    "only supports the NHWC", "only supports NHWC", "does not support CPU",
)  # fmt: skip


def dtype_of(dtype: DType) -> tf.DType:
    return tf.as_dtype(dtype.label)


def value_of(t: TensorType) -> NDArray[Any]:
    """The numbers of a tensor: the known contents, else a half everywhere (whole types: zeros)."""
    assert t.dtype is not None
    shape, kind = tuple(t.shape), dtype_of(t.dtype)
    if t.dtype is DType.STRING:
        return np.full(shape, b"a", dtype=object)
    if t.contents is not None and len(t.contents) == t.shape.numel:
        return np.array(list(t.contents), dtype=object).reshape(shape).astype(kind.as_numpy_dtype)
    return np.full(shape, 0.5 if t.dtype.kind in "fc" else 0).astype(kind.as_numpy_dtype)


def in_graph(t: TensorType) -> tf.Tensor:
    if t.contents is not None:
        return tf.constant(value_of(t), dtype=dtype_of(t.dtype), shape=tuple(t.shape))  # type: ignore[arg-type]
    return tf.compat.v1.placeholder(dtype_of(t.dtype), tuple(t.shape))  # type: ignore[arg-type]


def eagerly(t: TensorType) -> tf.Tensor:
    return tf.constant(value_of(t), dtype=dtype_of(t.dtype), shape=tuple(t.shape))  # type: ignore[arg-type]


def real(value: object, tensor: Callable[[TensorType], object]) -> Any:
    """Our abstract arguments as TensorFlow's own."""
    match value:
        case TensorType():
            return tensor(value)
        case DType():
            return dtype_of(value)
        case Shape():
            return list(value)
        case tuple() | list():
            return type(value)(real(v, tensor) for v in value)
        case dict():
            return {k: real(v, tensor) for k, v in value.items()}
        case _:
            return value


class InGraph:
    """A tensor of a graph, which is run when its numbers are asked for: variables hold their first values then."""

    def __init__(self, tensor: tf.Tensor | tf.Variable) -> None:
        self.tensor = tensor

    def numpy(self) -> object:
        graph = self.tensor.graph
        with graph.as_default(), tf.compat.v1.Session(graph=graph) as session:
            session.run(tf.compat.v1.global_variables_initializer())
            return session.run(self.tensor)


def _is_tensor(value: object) -> TypeGuard[tf.Tensor | tf.Variable]:
    return tf.is_tensor(value) or isinstance(value, tf.Variable)


def observed(value: object) -> object:
    """Results as plain data; an unknown shape or axis is None."""
    if isinstance(value, tf.IndexedSlices):
        return observed(value.values)
    if isinstance(value, (tf.SparseTensor, tf.RaggedTensor)):
        return value
    if _is_tensor(value):
        shape = value.shape
        real = InGraph(value) if tf.is_tensor(value) and not hasattr(value, "numpy") else value
        return Seen.of(None if shape.rank is None else tuple(shape.as_list()), value.dtype.base_dtype.name, real)
    if isinstance(value, tf.TensorShape):
        return value
    if isinstance(value, (tuple, list)):
        return tuple(observed(v) for v in value)
    return value


def complete(seen: object) -> bool:
    """Whether every shape in it is known."""
    if isinstance(seen, tuple) and len(seen) == 2 and isinstance(seen[1], str):
        return seen[0] is not None and None not in seen[0]
    return all(complete(s) for s in seen) if isinstance(seen, tuple) else True


def said(error: BaseException) -> str:
    text = str(error).strip()
    return f"{type(error).__name__}: {text.splitlines()[0] if text else ''}"[:300]


def refusal(words: str, traced: str = "") -> Observed:
    """A refusal, or an operator that this version has no more."""
    return Observed(aside=words) if "is not available in GraphDef version" in words else Observed(error=words, traced=traced)


def both(graph: Callable[[], object], eager: Callable[[], object], careful: bool = False, by_graph: bool = False) -> Observed:
    """Run the call both ways and compare.

    `careful`: what a graph refuses is not tried eagerly, where some kernels end the process. `by_graph`: where both take it and differ
    in the result, what the graph infers counts.
    """
    tf.random.set_seed(0)
    seen: object = None
    refused = ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with tf.Graph().as_default():
                seen = observed(graph())
        except Exception as error:
            if careful:
                return refusal(said(error))
            refused = said(error)
        try:
            made = observed(eager())
        except Exception as error:
            words = said(error)
            if refused:
                return refusal(refused) if "is not available in GraphDef version" in refused else refusal(words, refused)
            if "do not yet support dilation rates" in words:  # before it looks at anything, and a graph looks at less
                return Observed(aside=words)
            if any(w in words for w in NO_KERNEL):
                return Observed(seen, inferred=True)
            return Observed(aside=f"a graph takes it, eager execution does not: {words}")
    if refused:
        return Observed(aside=f"eager execution takes it, a graph does not: {refused}")
    return Observed(_with_numbers(seen, made) if by_graph and complete(seen) else made)


def _with_numbers(seen: object, made: object) -> object:
    """Shapes and element types as a graph infers them, with the numbers of eager execution."""
    if isinstance(seen, Seen):
        return Seen.of(seen[0], seen[1], made.real) if isinstance(made, Seen) else seen
    if isinstance(seen, tuple) and isinstance(made, tuple) and len(seen) == len(made):
        return tuple(map(_with_numbers, seen, made))
    return seen


def find(name: str) -> list[Function]:
    """The functions of that public name: that of version 2 and that of version 1, as far as they exist."""
    found: list[Function] = []
    for root in (tf, tf.compat.v1):
        one: Any = root
        for part in name.split(".")[1:]:
            one = getattr(one, part, None)
        if one is not None and one not in found:
            found.append(one)
    if not found:
        raise AttributeError(f"TensorFlow has no {name}")
    return found


def _call(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], tensor: Callable[[TensorType], object]) -> object:
    functions = find(name)
    given, named = real(args, tensor), real(kwargs, tensor)
    if name.startswith("tf.Tensor.") and not callable(functions[0]):
        return functions[0].__get__(given[0])
    for i, function in enumerate(functions):
        try:
            return function(*given, **named)
        except (TypeError, ValueError) as error:  # the arguments may be those of the other version
            wrong = any(
                w in str(error)
                for w in (
                    "unexpected keyword argument",
                    "required positional argument",
                    "multiple values for",
                    "positional arguments but",
                    "Received: strides=['",
                    "invalid literal for int()",
                )
            )
            if not wrong or i + 1 == len(functions):
                raise
    raise AssertionError(name)


def run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], init: dict[str, Any] | None = None) -> Observed:
    """Call a public function of TensorFlow."""
    try:
        find(name)
    except AttributeError as missing:
        return Observed(aside=str(missing))
    careful = any(word in name for word in ("conv", "pool", "fft"))
    return both(lambda: _call(name, args, kwargs, in_graph), lambda: _call(name, args, kwargs, eagerly), careful)
