"""ONNX tensors, types and attributes as plain values. Data in other files is noted, never opened."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

from tensorproof.frontends.onnx.schema import ATTRIBUTE_FIELDS, ELEMENT_TYPE_ATTRIBUTES, dtype_of
from tensorproof.frontends.protobuf.schema import Decoded, Malformed
from tensorproof.graph import Attribute, Constant, DeclaredShape, Graph
from tensorproof.graph.constants import item_size
from tensorproof.terms.dtypes import DType

_EXTERNAL = 1
_HALVES = (DType.FLOAT16, DType.BFLOAT16)
_BYTES_IN_INTS = (
    DType.INT4,
    DType.UINT4,
    DType.FLOAT8_E4M3FN,
    DType.FLOAT8_E4M3FNUZ,
    DType.FLOAT8_E5M2,
    DType.FLOAT8_E5M2FNUZ,
    DType.FLOAT8_E8M0FNU,
)
_FIELD = {
    DType.FLOAT32: "float_data",
    DType.COMPLEX64: "float_data",
    DType.FLOAT64: "double_data",
    DType.COMPLEX128: "double_data",
    DType.INT64: "int64_data",
    DType.UINT32: "uint64_data",
    DType.UINT64: "uint64_data",
    DType.STRING: "string_data",
}


def constant(tensor: Decoded) -> Constant:
    """Raises `Malformed` when the elements do not fit the shape. A file whose weights were stripped is no error."""
    dtype = dtype_of(tensor.get("data_type", 0))
    shape: tuple[int, ...] = tuple(tensor.get("dims", ()))
    if any(axis < 0 for axis in shape):
        raise Malformed(f"holds a tensor {tensor.get('name', '')} of shape {shape}")
    size = math.prod(shape)
    if tensor.get("data_location") == _EXTERNAL:
        places = {pair.get("key"): pair.get("value", "") for pair in tensor.get("external_data", ())}
        return Constant(dtype, shape, missing=f"external data in {places.get('location', 'another file')}")
    raw: bytes | None = tensor.get("raw_data")
    given: Any = tensor.get(_FIELD.get(dtype, "int32_data") if dtype is not None else "", ())
    if isinstance(given, bytearray):
        raw, given = bytes(given), ()
    elif dtype in _HALVES:
        raw = struct.pack(f"<{len(given)}H", *(bits & 0xFFFF for bits in given)) if given else raw
    elif dtype in _BYTES_IN_INTS:
        raw = bytes(bits & 0xFF for bits in given) if given else raw
    if raw is not None and (raw or size == 0):
        expected = (size + 1) // 2 if dtype in (DType.INT4, DType.UINT4) else size * (item_size(dtype) or 0)
        if expected and len(raw) != expected:
            raise Malformed(f"holds a tensor {tensor.get('name', '')} of {len(raw)} bytes where its shape {shape} takes {expected}")
        return Constant(dtype, shape, raw=raw)
    if not given and size:
        return Constant(dtype, shape, missing="no data in the file")
    if len(given) != size:
        raise Malformed(f"holds a tensor {tensor.get('name', '')} of {len(given)} elements where its shape {shape} takes {size}")
    if dtype is DType.BOOL:
        return Constant(dtype, shape, values=tuple(map(bool, given)))
    return Constant(dtype, shape, values=tuple(map(plain, given)) if dtype is DType.STRING else tuple(given))


def sparse_constant(tensor: Decoded) -> Constant:
    values = tensor.get("values", {})
    return Constant(dtype_of(values.get("data_type", 0)), tuple(tensor.get("dims", ())), missing="a sparse tensor")


def declared_type(type_: Decoded) -> tuple[DType | None, DeclaredShape]:
    """Of a sequence, a map or an optional nothing is reported."""
    tensor: Decoded = type_.get("tensor_type") or type_.get("sparse_tensor_type") or Decoded()
    shape: Decoded | None = tensor.get("shape")
    axes = None if shape is None else tuple(_axis(dim) for dim in shape.get("dim", ()))
    return dtype_of(tensor.get("elem_type", 0)), DeclaredShape(axes)


def _axis(dim: Decoded) -> int | str | None:
    size = dim.get("dim_value")
    if size is not None:
        return size if size >= 0 else None
    return dim.get("dim_param") or None


def plain(data: bytes) -> str | bytes:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data


def attribute(given: Decoded, graph: Callable[[Decoded], Graph]) -> Attribute:
    """The value of an AttributeProto; `graph` reads a subgraph. A reference of a function body to its own attribute reads `$name`."""
    if reference := given.get("ref_attr_name"):
        return f"${reference}"
    field = ATTRIBUTE_FIELDS.get(given.get("type", 0))
    if field is None:
        field = next((known for known in ATTRIBUTE_FIELDS.values() if known in given), None)
        if field is None:
            return None
    singular: dict[str, Callable[[Any], Attribute]] = {
        "s": plain,
        "t": constant,
        "g": graph,
        "sparse_tensor": sparse_constant,
        "tp": declared_type,
    }
    several: dict[str, Callable[[Any], Attribute]] = {
        "strings": plain,
        "tensors": constant,
        "graphs": graph,
        "sparse_tensors": sparse_constant,
        "type_protos": declared_type,
        "floats": lambda item: item,
        "ints": lambda item: item,
    }
    if field in several:
        return tuple(map(several[field], given.get(field, ())))
    if field == "i" and given.get("name") in ELEMENT_TYPE_ATTRIBUTES:
        return dtype_of(given.get("i", 0))
    if field in singular:
        return singular[field](given.get(field, b"" if field == "s" else {}))
    made: Attribute = given.get(field, 0.0 if field == "f" else 0)
    return made
