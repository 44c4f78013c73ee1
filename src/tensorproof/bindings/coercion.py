"""Python values as the arguments that an operator takes: numbers and nested lists as tensors, words and types as element types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.bindings.arrays import Ragged, array_like
from tensorproof.bindings.rows import Argument, Row
from tensorproof.ops.call import GiveUp
from tensorproof.ops.inputs import Anything, ElementType, Parameter, Tensor, Tensors, is_number
from tensorproof.terms import dtypes as element_types
from tensorproof.terms.dtypes import BY_LABEL, DType
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.values.machine import Value


class Mismatch(Exception):
    """The arguments do not fit this row; another overload may take them."""


class NotKnown(Mismatch):
    """Whether the arguments fit this row is not known; another overload may take them."""


_PYTHON_TYPES: dict[str, dict[type, DType]] = {
    name: {bool: element_types.BOOL, int: ints, float: floats, complex: element_types.COMPLEX128}
    for name, ints, floats in (
        ("numpy", element_types.INT64, element_types.FLOAT64), ("torch", element_types.INT64, element_types.FLOAT64),
        ("tf", element_types.INT32, element_types.FLOAT32),
        ("keras", element_types.INT32, element_types.FLOAT32), ("onnx", element_types.INT64, element_types.FLOAT32),
    )
}  # fmt: skip


_CODES = {
    "?": "bool", "b1": "bool", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64", "u1": "uint8", "u2": "uint16", "u4": "uint32", "u8": "uint64",
    "f2": "float16", "f4": "float32", "f8": "float64", "c8": "complex64", "c16": "complex128", "half": "float16", "single": "float32", "double": "float64",
    "e": "float16", "f": "float32", "d": "float64", "i": "int32", "l": "int64", "q": "int64", "B": "uint8", "b": "int8", "h": "int16", "float": "float64",
    "int": "int64", "long": "int64", "uint": "uint64", "complex": "complex128", "bool_": "bool",
}  # fmt: skip


_TF_WORDS = {"float": "float32", "double": "float64", "half": "float16"}


def _element_type(framework: str, value: Value) -> Value:
    """An element type by its name, NumPy's short code or the Python type."""
    if isinstance(value, DType):
        return value
    if isinstance(value, str):
        found = BY_LABEL.get(value) or (BY_LABEL.get(_CODES.get(value.lstrip("<=|"), "")) if framework == "numpy" else None)
        if framework == "tf" and value in _TF_WORDS:
            found = BY_LABEL[_TF_WORDS[value]]
        if found is not None or framework != "numpy":
            return value if found is None else found
    if isinstance(value, type) and value in _PYTHON_TYPES[framework]:
        return _PYTHON_TYPES[framework][value]
    if framework == "numpy" and isinstance(value, (int, float)):
        raise Mismatch(f"an element type is expected, and this is {show(value)}")
    raise GiveUp(f"the element type {show(value)} is not modelled")


def coerce(framework: str, kind: Parameter, value: Any) -> Value:
    """Outside torch, numbers and nested lists are tensors where a tensor is wanted. A number of NumPy is a number where none is,
    unless a tensor is made of it, which takes its element type."""
    if not isinstance(kind, (Tensor, Tensors)) and kind.name != "data":
        value = _as_number(value)
    if framework == "torch":
        return _PYTHON_TYPES["torch"].get(value, value) if isinstance(value, type) and isinstance(kind, ElementType) else value
    if isinstance(value, TensorType) or value is None:
        return value
    if isinstance(kind, ElementType):
        return _element_type(framework, value)
    if framework == "tf" and isinstance(kind, (Tensor, Tensors)):
        value = _of_texts(value) if isinstance(kind, Tensor) else type(value)(map(_of_texts, value)) if type(value) in (list, tuple) else value
        if isinstance(value, TensorType):
            return value
    if isinstance(kind, Tensor) and (isinstance(value, (list, tuple)) or (is_number(value) and not kind.scalar)):
        try:
            made = array_like(framework, value)
        except Ragged:
            raise Mismatch("nested lists of unequal lengths cannot become an array") from None
        return value if made is None else _listed(framework, made, value)
    if isinstance(kind, Tensors) and isinstance(value, (list, tuple)):
        try:
            made_all = [v if isinstance(v, TensorType) else array_like(framework, v) for v in value]
            made_all = [m if m is None or m is v else _listed(framework, m, v) for m, v in zip(made_all, value)]
        except Ragged:
            raise Mismatch("nested lists of unequal lengths cannot become an array") from None
        return value if any(v is None for v in made_all) else tuple(made_all)
    return value


def _of_texts(value: Any) -> Any:
    """A text, or nested lists of texts, as TensorFlow's tensor of strings; any other value is itself."""
    if isinstance(value, (str, bytes)):
        return TensorType(Shape(()), BY_LABEL["string"], framework="tf")
    if type(value) not in (list, tuple) or not value:
        return value
    inner = [_of_texts(one) for one in value]
    first = inner[0]
    alike = all(isinstance(one, TensorType) and isinstance(old, (str, bytes, list, tuple)) and one.shape == first.shape for one, old in zip(inner, value))
    return TensorType(Shape((len(inner), *first.shape)), BY_LABEL["string"], framework="tf") if alike else value


def _listed(framework: str, made: TensorType, value: Value) -> TensorType:
    """A list for TensorFlow: as long as no tensor is in it, its element type is still open."""
    return made.but(framework="tf" if _holds_tensor(value) else "python") if framework == "tf" else made


def _holds_tensor(value: Value) -> bool:
    if isinstance(value, TensorType):
        return value.framework != "numpy"
    return isinstance(value, (list, tuple)) and any(_holds_tensor(v) for v in value)


def _as_number(value: Any) -> Value:
    """`np.prod(shape)` as a size: a number that is known."""
    if isinstance(value, TensorType):
        known = value.framework == "numpy" and value.contents is not None and value.shape.known and not value.shape
        return value.contents[0] if known and value.contents else value
    if type(value) in (tuple, list) and any(isinstance(v, TensorType) for v in value):
        return type(value)(_as_number(v) for v in value)
    return value


def without_arrays(row: Row, argument: Argument, kind: Parameter, value: Value) -> Value:
    """torch refuses NumPy's arrays where it takes tensors, and takes NumPy's numbers where it takes numbers."""
    if isinstance(value, TensorType) and value.framework == "numpy":
        if isinstance(kind, Tensor):
            return _no_array(row, argument, value, kind.scalar)
        if not isinstance(kind, (Tensors, Anything)) and value.shape.known and not value.shape and not kind.takes(value):
            raise NotKnown(f"the number given as {argument.theirs} is not known")
    elif isinstance(kind, Tensors) and isinstance(value, (list, tuple)):
        for one in value:
            if isinstance(one, TensorType) and one.framework == "numpy":
                _no_array(row, argument, one, False)
    return value


def _no_array(row: Row, argument: Argument, value: TensorType, scalar: bool) -> TensorType:
    if argument.ours in row.arrays:
        return value
    if scalar and value.shape.known and not value.shape:  # a number of NumPy
        return value.but(weak=True, framework="torch")
    if scalar and not value.shape.known:
        raise NotKnown(f"whether {argument.theirs} is an array or a number is not known")
    raise Mismatch(f"{row.name} takes a tensor as {argument.theirs}, and this is a NumPy array: write torch.from_numpy(…)")


def show(value: Value) -> str:
    """A value in an error's words."""
    if isinstance(value, TensorType):
        return f"a tensor {value!r}"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
