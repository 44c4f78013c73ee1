"""Nested Python lists as tensors: what `torch.tensor`, `np.array` and TensorFlow's conversion make of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.ops.inputs import is_number
from tensorproof.terms.dtypes import BOOL, COMPLEX64, COMPLEX128, FLOAT32, FLOAT64, INT32, INT64, DType
from tensorproof.terms.facts import of_numbers
from tensorproof.terms.ints import Term
from tensorproof.terms.promotion import Operand, promote
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import MOST_CONTENTS, TensorType
from tensorproof.values.summaries import ends_of

if TYPE_CHECKING:
    from tensorproof.values.machine import Value

_DEFAULTS: dict[str, tuple[DType, DType, DType]] = {
    "torch": (INT64, FLOAT32, COMPLEX64),
    "tf": (INT32, FLOAT32, COMPLEX128),
    "keras": (INT32, FLOAT32, COMPLEX64),
    "numpy": (INT64, FLOAT64, COMPLEX128),
    "onnx": (INT64, FLOAT32, COMPLEX64),
}


_PROMOTING = ("numpy", "torch")


class Ragged(Exception):
    """Sublists of unequal length."""


def array_like(framework: str, value: Value, dtype: DType | None = None) -> TensorType | None:
    """The tensor of a number or of nested lists of numbers; None when it holds anything else. Raises `Ragged`."""
    flat: list[Any] = []
    tensors: list[TensorType] = []
    kinds: set[DType] = set()
    shape = _walk(value, flat, tensors, kinds)
    if shape is None:
        return None
    if dtype is None:
        dtype = _common(framework, flat, tensors, kinds)
    contents = tuple(flat) if len(flat) <= MOST_CONTENTS and not any(isinstance(v, TensorType) for v in flat) else None
    facts = of_numbers(map(_ends, flat)) if contents is None and (dtype is None or dtype.kind in "iu") else None
    return TensorType(Shape(shape), dtype, contents=contents, facts=facts)


def _ends(value: Any) -> Any:
    """The ends of a number among the elements, where they are known."""
    if isinstance(value, TensorType):
        return None if value.facts is None else value.facts.span or value.facts.limit
    return ends_of(value)


def _walk(value: Any, flat: list[Any], tensors: list[TensorType], kinds: set[DType]) -> tuple[Any, ...] | None:
    if isinstance(value, TensorType):
        tensors.append(value)
        if value.contents is not None and len(value.shape) == 0:
            flat.append(value.contents[0])
        else:
            flat.append(value)
        return tuple(value.shape)
    if is_number(value):
        flat.append(value)
        kinds.add(_plain_type(value))
        return ()
    if not isinstance(value, (list, tuple)):
        return None
    items: Any = value
    if not items:
        return (0,)
    shapes: set[tuple[Any, ...]] = set()
    for item in items:
        shape = _walk(item, flat, tensors, kinds)
        if shape is None:
            return None
        shapes.add(shape)
    if len(shapes) > 1:
        raise Ragged
    return (len(items), *shapes.pop())


def _common(framework: str, flat: list[Any], tensors: list[TensorType], kinds: set[DType]) -> DType:
    whole, real, imaginary = _DEFAULTS[framework]
    types = {t.dtype for t in tensors}
    if tensors and tensors[0].dtype is not None and len(tensors) == len(flat) and (len(types) == 1 or framework not in _PROMOTING):
        return tensors[0].dtype
    if framework in _PROMOTING and types and None not in types:  # a number of Python beside NumPy's counts as a number of the default type
        defaults = {"b": BOOL, "i": whole, "f": real, "c": imaginary}
        found = promote(framework, [Operand(t) for t in (*types, *(defaults[k.kind] for k in kinds)) if t is not None])
        if found is not None:
            return found
    if any(isinstance(v, complex) for v in flat):
        return imaginary
    if not flat or any(isinstance(v, float) for v in flat):
        return real
    if all(isinstance(v, bool) for v in flat):
        return BOOL
    return whole if any(isinstance(v, (int, Term)) for v in flat) else real


def _plain_type(value: Value) -> DType:
    return BOOL if isinstance(value, bool) else FLOAT64 if isinstance(value, float) else COMPLEX128 if isinstance(value, complex) else INT64
