"""TensorProto, TensorShapeProto and AttrValue as plain values. Every encoding of elements that TensorFlow writes is understood."""

from __future__ import annotations

import math
import struct
from typing import Any

from tensorproof.frontends.graphdef.schema import dtype_of
from tensorproof.frontends.protobuf.schema import Decoded, Malformed
from tensorproof.graph import Attribute, Constant, DeclaredShape, FunctionRef
from tensorproof.graph.constants import item_size
from tensorproof.terms.dtypes import DType

_SMALL_INTS = (
    DType.INT32,
    DType.INT16,
    DType.INT8,
    DType.UINT8,
    DType.UINT16,
    DType.QINT8,
    DType.QUINT8,
    DType.QINT16,
    DType.QUINT16,
    DType.QINT32,
    DType.INT4,
    DType.UINT4,
)
_FIELD = {
    DType.FLOAT32: "float_val",
    DType.FLOAT64: "double_val",
    DType.STRING: "string_val",
    DType.INT64: "int64_val",
    DType.BOOL: "bool_val",
    DType.UINT32: "uint32_val",
    DType.UINT64: "uint64_val",
    DType.FLOAT16: "half_val",
    DType.BFLOAT16: "half_val",
    DType.COMPLEX64: "scomplex_val",
    DType.COMPLEX128: "dcomplex_val",
} | dict.fromkeys(_SMALL_INTS, "int_val")


def declared_shape(shape: Decoded) -> DeclaredShape:
    if shape.get("unknown_rank"):
        return DeclaredShape(None)
    sizes: list[int] = [dim.get("size", 0) for dim in shape.get("dim", ())]
    return DeclaredShape(tuple(size if size >= 0 else None for size in sizes))


def constant(tensor: Decoded) -> Constant:
    """Raises `Malformed` when the elements do not fit the shape, as TensorFlow refuses such a file."""
    dtype = dtype_of(tensor.get("dtype", 0))
    axes = declared_shape(tensor.get("tensor_shape", {})).axes
    shape = tuple(axis for axis in axes if isinstance(axis, int)) if axes is not None else ()
    if axes is None or len(shape) < len(axes):
        raise Malformed("holds a constant whose shape is not fully known")
    size = math.prod(shape)
    raw: bytes | None = tensor.get("tensor_content") or (tensor.get("float8_val") or None)
    if raw is not None:
        width = item_size(dtype)
        if width is not None and len(raw) != size * width:
            raise Malformed(f"holds a constant of {len(raw)} bytes where its shape {shape} takes {size * width}")
        return Constant(dtype, shape, raw=raw)
    field = _FIELD.get(dtype) if dtype is not None else None
    given: Any = tensor.get(field, ()) if field is not None else ()
    if isinstance(given, bytearray):
        raw = bytes(given)
        width = item_size(dtype) or 1
        given_count = len(raw) // width
        result = Constant(dtype, shape, raw=raw) if raw else Constant(dtype, shape, values=())
    else:
        values = _values(dtype, given)
        given_count = len(values)
        result = Constant(dtype, shape, values=values)
    if given_count > size:
        raise Malformed(f"holds a constant of {given_count} elements where its shape {shape} takes {size}")
    return result


def _values(dtype: DType | None, given: list[Any]) -> tuple[Any, ...]:
    if dtype is DType.FLOAT16 or dtype is DType.BFLOAT16:
        raw = struct.pack(f"<{len(given)}H", *(bits & 0xFFFF for bits in given))
        return Constant(dtype, (len(given),), raw=raw).contents(len(given)) or ()
    if dtype is not None and dtype.is_complex:
        return tuple(complex(given[i], given[i + 1]) for i in range(0, len(given) - 1, 2))
    if dtype is DType.STRING:
        return tuple(map(plain, given))
    return tuple(given)


def plain(data: bytes) -> str | bytes:
    """Text where it is text: attributes such as `padding` are declared as bytes."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data


def attribute(value: Decoded) -> Attribute:
    """The one value an AttrValue holds; None when it holds none. A placeholder of a function body reads `$T`."""
    for kind, given in value.items():
        match kind:
            case "list":
                return _items(given)
            case "placeholder":
                return f"${given}"
            case _:
                return _item(kind, given)
    return None


def _items(value: Decoded) -> tuple[Attribute, ...]:
    for kind, given in value.items():
        return tuple(_item(kind, item) for item in given)
    return ()


def _item(kind: str, given: Any) -> Attribute:
    match kind:
        case "s":
            return plain(given)
        case "type":
            return dtype_of(given)
        case "shape":
            return declared_shape(given)
        case "tensor":
            return constant(given)
        case "func":
            return FunctionRef(given.get("name", ""), {name: attribute(value) for name, value in given.get("attr", {}).items()})
        case _:
            made: Attribute = given
            return made
