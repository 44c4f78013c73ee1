"""Reference functions of operators that read a tensor's memory anew: other element types, strides and sizes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tensorproof.ops.evaluation import Arguments, Undefined, points
from tensorproof.ops.storage import positions
from tensorproof.terms.dtypes import DType

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy

_KINDS = ("b", "i", "u", "f", "c")


def _stored(np: Numpy, x: Array, dtype: DType) -> Array:
    """The elements as they lie in memory, in row-major order."""
    if dtype.kind not in _KINDS or dtype.bits < 8 or dtype.label.startswith("float8"):
        raise Undefined
    if dtype.label == "bfloat16":
        return (np.ravel(x).astype(np.float32).view(np.uint32) >> np.uint32(16)).astype(np.uint16)
    if dtype.label == "complex32":
        return np.ravel(np.stack([x.real, x.imag], -1)).astype(np.float16)
    return np.ravel(x).astype(dtype.label)


def _read(np: Numpy, stored: Array, dtype: DType) -> Array:
    """Memory read as elements of a type."""
    if dtype.kind not in _KINDS or dtype.bits < 8 or dtype.label.startswith("float8"):
        raise Undefined
    if dtype.label == "bfloat16":
        return (stored.view(np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32)
    if dtype.label == "complex32":
        halves = stored.view(np.float16).reshape(-1, 2).astype(np.float64)
        return halves[:, 0] + 1j * halves[:, 1]
    return stored.view(dtype.label)


def same_bits(np: Numpy, a: Arguments) -> Array:
    source, target = a["tensors"]["x"].dtype, a["results"][0]
    assert target is not None
    x = points(np, a["x"])
    last = () if source.bits == target.bits else (x.shape[-1] * source.bits // target.bits,)
    return np.reshape(_read(np, _stored(np, x, source), target), (*x.shape[: x.ndim - len(last)], *last))


def hashed_bits(np: Numpy, a: Arguments) -> Array:
    """Whole numbers as int64 and real ones as float64: the exclusive or of their bits."""
    x = points(np, a["x"])
    bits = np.atleast_1d(x.astype(np.float64 if x.dtype.kind == "f" else np.int64)).view(np.uint64).reshape(x.shape)
    dim = a["dim"]
    axis = tuple(range(x.ndim)) if dim is None else dim if isinstance(dim, int) else tuple(dim)
    return np.bitwise_xor.reduce(bits, axis=axis if x.ndim else (), keepdims=bool(a["keepdim"]))


def parts_joined(np: Numpy, a: Arguments) -> Array:
    """The last axis holds the real and the imaginary part."""
    made = np.zeros(a["x"].shape[:-1], np.complex128)
    made.real, made.imag = np.asarray(a["x"][..., 0]), np.asarray(a["x"][..., 1])
    return made


def _memory(np: Numpy, a: Arguments) -> Array:
    """The elements in the order of memory, where that is row-major."""
    if a["tensors"]["x"].strides is not None:
        raise Undefined
    return np.ravel(a["x"])


def strided(np: Numpy, a: Arguments) -> Array:
    """Where `offset` is not given, memory begins with x. Where it is, x must not be a part of a larger memory."""
    if a["offset"] is not None and a["tensors"]["x"].base is not None:
        raise Undefined
    stored = _memory(np, a)
    at = np.asarray(positions(a["size"], a["stride"]), np.int64).reshape(tuple(a["size"])) + (a["offset"] or 0)
    if at.size and int(np.max(at)) >= stored.shape[0]:
        raise Undefined
    return np.take(stored, at)


def resized(np: Numpy, a: Arguments) -> Array:
    """Elements of memory that are added are not set."""
    size, stored = tuple(a["size"]), _memory(np, a)
    if math.prod(size) > stored.shape[0]:
        raise Undefined
    last = "channels_last" in str(a["memory"])
    order = (0, *range(2, len(size)), 1) if last else tuple(range(len(size)))
    made = np.reshape(stored[: math.prod(size)], tuple(size[i] for i in order))
    return np.moveaxis(made, -1, 1) if last else made
