"""The public messages of ONNX that we read, as tables. Documentation strings and metadata are left out."""

from __future__ import annotations

from tensorproof.frontends.protobuf.schema import Kind, Message, elements, integer, message, octets, single, string, unsigned
from tensorproof.terms.dtypes import DType

_TYPES = {
    1: DType.FLOAT32,
    2: DType.UINT8,
    3: DType.INT8,
    4: DType.UINT16,
    5: DType.INT16,
    6: DType.INT32,
    7: DType.INT64,
    8: DType.STRING,
    9: DType.BOOL,
    10: DType.FLOAT16,
    11: DType.FLOAT64,
    12: DType.UINT32,
    13: DType.UINT64,
    14: DType.COMPLEX64,
    15: DType.COMPLEX128,
    16: DType.BFLOAT16,
    17: DType.FLOAT8_E4M3FN,
    18: DType.FLOAT8_E4M3FNUZ,
    19: DType.FLOAT8_E5M2,
    20: DType.FLOAT8_E5M2FNUZ,
    21: DType.UINT4,
    22: DType.INT4,
    24: DType.FLOAT8_E8M0FNU,
}


def dtype_of(number: int) -> DType | None:
    """The element type; None for UNDEFINED and for types younger than this table."""
    return _TYPES.get(number)


_PAIR = Message("StringStringEntryProto", string(1, "key"), string(2, "value"))
_DIM = Message("TensorShapeProto.Dimension", integer(1, "dim_value"), string(2, "dim_param"))
_SHAPE = Message("TensorShapeProto", message(1, "dim", lambda: _DIM, True))
_TENSOR_TYPE = Message("TypeProto.Tensor", integer(1, "elem_type"), message(2, "shape", lambda: _SHAPE))
_IGNORED = Message("message")
_TYPE = Message(
    "TypeProto",
    message(1, "tensor_type", lambda: _TENSOR_TYPE),
    message(4, "sequence_type", lambda: _IGNORED),
    message(5, "map_type", lambda: _IGNORED),
    message(8, "sparse_tensor_type", lambda: _TENSOR_TYPE),
    message(9, "optional_type", lambda: _IGNORED),
)
_VALUE = Message("ValueInfoProto", string(1, "name"), message(2, "type", lambda: _TYPE))
TENSOR = Message(
    "TensorProto",
    integer(1, "dims", True),
    integer(2, "data_type"),
    elements(4, "float_data", Kind.FLOAT),
    integer(5, "int32_data", True),
    octets(6, "string_data", True),
    integer(7, "int64_data", True),
    string(8, "name"),
    octets(9, "raw_data"),
    elements(10, "double_data", Kind.DOUBLE),
    unsigned(11, "uint64_data", True),
    message(13, "external_data", lambda: _PAIR, True),
    integer(14, "data_location"),
)
_SPARSE = Message("SparseTensorProto", message(1, "values", lambda: TENSOR), message(2, "indices", lambda: TENSOR), integer(3, "dims", True))
_ATTRIBUTE = Message(
    "AttributeProto",
    string(1, "name"),
    single(2, "f"),
    integer(3, "i"),
    octets(4, "s"),
    message(5, "t", lambda: TENSOR),
    message(6, "g", lambda: GRAPH),
    single(7, "floats", True),
    integer(8, "ints", True),
    octets(9, "strings", True),
    message(10, "tensors", lambda: TENSOR, True),
    message(11, "graphs", lambda: GRAPH, True),
    message(14, "tp", lambda: _TYPE),
    message(15, "type_protos", lambda: _TYPE, True),
    integer(20, "type"),
    string(21, "ref_attr_name"),
    message(22, "sparse_tensor", lambda: _SPARSE),
    message(23, "sparse_tensors", lambda: _SPARSE, True),
)
ATTRIBUTE_FIELDS = {
    1: "f",
    2: "i",
    3: "s",
    4: "t",
    5: "g",
    6: "floats",
    7: "ints",
    8: "strings",
    9: "tensors",
    10: "graphs",
    11: "sparse_tensor",
    12: "sparse_tensors",
    13: "tp",
    14: "type_protos",
}
"""Which field of an AttributeProto holds its value, by `type`. Files older than IR version 2 leave `type` out."""
ELEMENT_TYPE_ATTRIBUTES = frozenset({"to", "dtype", "output_dtype", "output_datatype", "stash_type", "precision", "softmax_precision", "qk_matmul_precision"})
"""Attributes that hold a number of `TensorProto.DataType`, in every operator that has them."""
_NODE = Message(
    "NodeProto",
    string(1, "input", True),
    string(2, "output", True),
    string(3, "name"),
    string(4, "op_type"),
    message(5, "attribute", lambda: _ATTRIBUTE, True),
    string(7, "domain"),
    string(8, "overload"),
)
GRAPH: Message = Message(
    "GraphProto",
    message(1, "node", lambda: _NODE, True),
    string(2, "name"),
    message(5, "initializer", lambda: TENSOR, True),
    message(11, "input", lambda: _VALUE, True),
    message(12, "output", lambda: _VALUE, True),
    message(13, "value_info", lambda: _VALUE, True),
    message(15, "sparse_initializer", lambda: _SPARSE, True),
)
_OPSET = Message("OperatorSetIdProto", string(1, "domain"), integer(2, "version"))
_FUNCTION = Message(
    "FunctionProto",
    string(1, "name"),
    string(4, "input", True),
    string(5, "output", True),
    string(6, "attribute", True),
    message(7, "node", lambda: _NODE, True),
    message(9, "opset_import", lambda: _OPSET, True),
    string(10, "domain"),
    message(11, "attribute_proto", lambda: _ATTRIBUTE, True),
    string(13, "overload"),
)
MODEL = Message(
    "ModelProto",
    integer(1, "ir_version"),
    string(2, "producer_name"),
    string(3, "producer_version"),
    message(7, "graph", lambda: GRAPH),
    message(8, "opset_import", lambda: _OPSET, True),
    message(25, "functions", lambda: _FUNCTION, True),
)
