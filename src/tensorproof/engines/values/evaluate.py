"""Evaluates applied operators on arrays, by the reference functions in their declarations. NumPy is imported here, when something is evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeGuard

from tensorproof.ops.applied import Applied
from tensorproof.ops.inputs import Axis, Sizes
from tensorproof.ops.record import Op
from tensorproof.terms.dtypes import BOOL, DType
from tensorproof.terms.ints import Term
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, ElementType, Numpy

NARROW = {"bfloat16": 16, "float8_e4m3fn": 20, "float8_e5m2": 21}
"""Element types that NumPy does not have, with the number of low bits of a float32 that they drop."""


_PLAIN = frozenset((bool, int, float, complex))


class NotEvaluated(Exception):
    """An operator without a reference function, or a tensor whose values are not given."""


def evaluate(applied: Sequence[Applied], given: Mapping[int, Any]) -> dict[int, Array]:
    """The values of all results, by the identity of their tensors; `given` holds those of the inputs."""
    import numpy as np

    from tensorproof.engines.values.numpy_port import NUMPY

    values: dict[int, Array] = dict(given)
    with np.errstate(all="ignore"):
        for one in applied:
            if one.op.evaluate is None:
                raise NotEvaluated(one.op.name)
            made = one.op.evaluate(NUMPY, arguments_of(NUMPY, one, values))
            for result, value in zip(one.results, (made,) if len(one.results) == 1 and not isinstance(made, tuple) else made):
                values[id(result)] = typed(NUMPY, value, result.dtype)
    return values


def arguments_of(np: Numpy, one: Applied, values: Mapping[int, Any]) -> dict[str, Any]:
    """The arguments as values, the tensors that they are of, types and shapes of the results. Truth values are numbers where the results are."""
    chosen, sized = _attributes(one.op)
    given: dict[str, Any] = {"results": tuple([result.dtype for result in one.results]), "shapes": tuple([result.shape for result in one.results])}
    truths = BOOL in given["results"]
    for name, value in one.arguments.items():
        if value is not None and value.__class__ not in _PLAIN:
            value = value_of(np, value, values)
            if not truths and name not in chosen:  # a mask that stands between brackets stays one
                value = _counted(np, value)
        given[name] = value
    for attribute in sized:
        if isinstance(given.get(attribute.name), int):
            given[attribute.name] = _as_read(attribute, given)
    given["tensors"] = one.arguments
    return given


@cache
def _attributes(op: Op) -> tuple[frozenset[str], tuple[Sizes | Axis, ...]]:
    """The names of the attributes, and those that are sizes or axes."""
    return frozenset(one.name for one in op.attributes), tuple(one for one in op.attributes if isinstance(one, (Sizes, Axis)))


def _as_read(attribute: Sizes | Axis, given: Mapping[str, Any]) -> object:
    """An attribute as a shape rule reads it, where a spelling stated the shapes itself: one size for each axis, axes that are not negative."""
    value: int = given[attribute.name]
    if isinstance(attribute, Sizes):
        return (value,) * attribute.n if isinstance(attribute.n, int) else value
    rank: int | None = getattr(given.get(attribute.of), "ndim", None)
    return value if value >= 0 or rank is None else value + max(1, rank + attribute.extra)


def _counted(np: Numpy, value: object) -> object:
    if isinstance(value, tuple):
        return tuple([_counted(np, v) for v in value])
    return value.astype(np.int64) if _is_array(value) and value.dtype.kind == "b" else value


def _is_array(value: object) -> TypeGuard[Array]:
    return getattr(value, "dtype", None) is not None


def value_of(np: Numpy, value: object, values: Mapping[int, Any]) -> Any:
    if isinstance(value, TensorType):
        known = values.get(id(value))
        if known is None and value.contents is not None and numbers_in(value):
            known = np.asarray(value.contents[0]) if value.weak else contents_of(np, value)
        if known is None:
            raise NotEvaluated("an input without values")
        return wide(np, known)
    if isinstance(value, (tuple, list)):
        return value if value.__class__ is tuple and _PLAIN.issuperset(map(type, value)) else tuple([value_of(np, v, values) for v in value])
    if isinstance(value, Term):
        raise NotEvaluated("a number without a value")
    return value


def wide(np: Numpy, value: Array) -> Array:
    """The same numbers in the widest type of their kind: what an operator computes is rounded once, at its end."""
    kind: ElementType | None = getattr(value, "dtype", None)
    if kind is None or kind.char == "d" or kind.kind in "bOSU" or kind == np.uint64:
        return value
    target = {"f": np.float64, "V": np.float64, "c": np.complex128}.get(kind.kind, np.int64)
    return value if kind == target else value.astype(target)


def numbers_in(tensor: TensorType) -> bool:
    """Whether a tensor's contents are known as numbers."""
    held = tensor.contents
    return held is not None and (_PLAIN.issuperset(map(type, held)) or all(isinstance(n, (bool, int, float, complex)) for n in held))


def contents_of(np: Numpy, tensor: TensorType) -> Array:
    """The array of a tensor whose contents are known."""
    return typed(np, np.array(tensor.contents).reshape([int(n) for n in tensor.shape]), tensor.dtype)


def typed(np: Numpy, value: object, dtype: DType | None) -> Array:
    """An array of that element type; types that NumPy does not have are float32, rounded."""
    if dtype is None or dtype.label in ("string", "variant", "resource"):
        return np.asarray(value)
    if dtype.label in NARROW:
        return _rounded(np, np.asarray(value).astype(np.float32), NARROW[dtype.label])
    label = "complex64" if dtype.label == "complex32" else dtype.label.removeprefix("q") if dtype.kind == "q" else dtype.label
    return np.asarray(value).astype(label)


def _rounded(np: Numpy, value: Array, bits: int) -> Array:
    """A float32 array to the nearest number with `bits` low bits of the mantissa zero, ties to even."""
    whole = np.atleast_1d(value).view(np.uint32)
    half = np.uint32((1 << (bits - 1)) - 1)
    odd = (whole >> np.uint32(bits)) & np.uint32(1)
    kept = (whole + half + odd) & np.uint32(0xFFFFFFFF << bits & 0xFFFFFFFF)
    return np.where(np.isfinite(value), kept.view(np.float32).reshape(value.shape), value)
