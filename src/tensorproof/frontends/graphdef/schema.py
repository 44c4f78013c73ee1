"""The public messages of TensorFlow that we read, as tables. Fields that tell nothing about a graph's meaning are left out."""

from __future__ import annotations

from tensorproof.frontends.protobuf.schema import (
    Kind,
    Message,
    boolean,
    elements,
    enum,
    integer,
    mapping,
    message,
    octets,
    single,
    string,
    unsigned,
)
from tensorproof.terms.dtypes import DType

_TYPES: dict[str, tuple[int, DType]] = {
    "DT_FLOAT": (1, DType.FLOAT32),
    "DT_DOUBLE": (2, DType.FLOAT64),
    "DT_INT32": (3, DType.INT32),
    "DT_UINT8": (4, DType.UINT8),
    "DT_INT16": (5, DType.INT16),
    "DT_INT8": (6, DType.INT8),
    "DT_STRING": (7, DType.STRING),
    "DT_COMPLEX64": (8, DType.COMPLEX64),
    "DT_INT64": (9, DType.INT64),
    "DT_BOOL": (10, DType.BOOL),
    "DT_QINT8": (11, DType.QINT8),
    "DT_QUINT8": (12, DType.QUINT8),
    "DT_QINT32": (13, DType.QINT32),
    "DT_BFLOAT16": (14, DType.BFLOAT16),
    "DT_QINT16": (15, DType.QINT16),
    "DT_QUINT16": (16, DType.QUINT16),
    "DT_UINT16": (17, DType.UINT16),
    "DT_COMPLEX128": (18, DType.COMPLEX128),
    "DT_HALF": (19, DType.FLOAT16),
    "DT_RESOURCE": (20, DType.RESOURCE),
    "DT_VARIANT": (21, DType.VARIANT),
    "DT_UINT32": (22, DType.UINT32),
    "DT_UINT64": (23, DType.UINT64),
    "DT_FLOAT8_E5M2": (24, DType.FLOAT8_E5M2),
    "DT_FLOAT8_E4M3FN": (25, DType.FLOAT8_E4M3FN),
    "DT_FLOAT8_E4M3FNUZ": (26, DType.FLOAT8_E4M3FNUZ),
    "DT_FLOAT8_E5M2FNUZ": (28, DType.FLOAT8_E5M2FNUZ),
    "DT_INT4": (29, DType.INT4),
    "DT_UINT4": (30, DType.UINT4),
}
_REFERENCE = 100
"""DT_FLOAT_REF is DT_FLOAT + 100: a mutable variable of that type."""

DATA_TYPE = {name: number for name, (number, _) in _TYPES.items()} | {f"{name}_REF": number + _REFERENCE for name, (number, _) in _TYPES.items()}
_BY_NUMBER = dict(_TYPES.values())


def dtype_of(number: int) -> DType | None:
    """The element type; None for DT_INVALID and for types younger than this table."""
    return _BY_NUMBER.get(number - _REFERENCE if number > _REFERENCE else number)


_DIM = Message("TensorShapeProto.Dim", integer(1, "size"))
SHAPE = Message("TensorShapeProto", message(2, "dim", lambda: _DIM, True), boolean(3, "unknown_rank"))
TENSOR = Message(
    "TensorProto",
    enum(1, "dtype", DATA_TYPE),
    message(2, "tensor_shape", lambda: SHAPE),
    octets(4, "tensor_content"),
    integer(13, "half_val", True),
    elements(5, "float_val", Kind.FLOAT),
    elements(6, "double_val", Kind.DOUBLE),
    integer(7, "int_val", True),
    octets(8, "string_val", True),
    elements(9, "scomplex_val", Kind.FLOAT),
    integer(10, "int64_val", True),
    boolean(11, "bool_val", True),
    elements(12, "dcomplex_val", Kind.DOUBLE),
    unsigned(16, "uint32_val", True),
    unsigned(17, "uint64_val", True),
    octets(18, "float8_val"),
)
_NAME_ATTR_LIST = Message("NameAttrList", string(1, "name"), mapping(2, "attr", lambda: ATTR))
_LIST = Message(
    "AttrValue.ListValue",
    octets(2, "s", True),
    integer(3, "i", True),
    single(4, "f", True),
    boolean(5, "b", True),
    enum(6, "type", DATA_TYPE, True),
    message(7, "shape", lambda: SHAPE, True),
    message(8, "tensor", lambda: TENSOR, True),
    message(9, "func", lambda: _NAME_ATTR_LIST, True),
)
ATTR: Message = Message(
    "AttrValue",
    message(1, "list", lambda: _LIST),
    octets(2, "s"),
    integer(3, "i"),
    single(4, "f"),
    boolean(5, "b"),
    enum(6, "type", DATA_TYPE),
    message(7, "shape", lambda: SHAPE),
    message(8, "tensor", lambda: TENSOR),
    string(9, "placeholder"),
    message(10, "func", lambda: _NAME_ATTR_LIST),
)
NODE = Message(
    "NodeDef",
    string(1, "name"),
    string(2, "op"),
    string(3, "input", True),
    string(4, "device"),
    mapping(5, "attr", lambda: ATTR),
    located=True,
)
_ARG = Message(
    "OpDef.ArgDef",
    string(1, "name"),
    enum(3, "type", DATA_TYPE),
    string(4, "type_attr"),
    string(5, "number_attr"),
    string(6, "type_list_attr"),
)
_OP_ATTR = Message("OpDef.AttrDef", string(1, "name"), string(2, "type"))
_OP = Message(
    "OpDef",
    string(1, "name"),
    message(2, "input_arg", lambda: _ARG, True),
    message(3, "output_arg", lambda: _ARG, True),
    message(4, "attr", lambda: _OP_ATTR, True),
)
_PAIR = Message("map of strings", string(1, "key"), string(2, "value"))
_FUNCTION = Message(
    "FunctionDef",
    message(1, "signature", lambda: _OP),
    message(3, "node_def", lambda: NODE, True),
    message(4, "ret", lambda: _PAIR, True),
)
_LIBRARY = Message("FunctionDefLibrary", message(1, "function", lambda: _FUNCTION, True))
_VERSIONS = Message("VersionDef", integer(1, "producer"), integer(2, "min_consumer"))
_IGNORED = Message("message")
GRAPH = Message(
    "GraphDef",
    message(1, "node", lambda: NODE, True),
    message(2, "library", lambda: _LIBRARY),
    integer(3, "version"),
    message(4, "versions", lambda: _VERSIONS),
    message(5, "debug_info", lambda: _IGNORED),
    strict=True,
)
_TENSOR_INFO = Message("TensorInfo", string(1, "name"), enum(2, "dtype", DATA_TYPE), message(3, "tensor_shape", lambda: SHAPE))
_SIGNATURE = Message(
    "SignatureDef",
    mapping(1, "inputs", lambda: _TENSOR_INFO),
    mapping(2, "outputs", lambda: _TENSOR_INFO),
    string(3, "method_name"),
)
_META_INFO = Message("MetaInfoDef", string(4, "tags", True), string(5, "tensorflow_version"))
META_GRAPH = Message(
    "MetaGraphDef",
    message(1, "meta_info_def", lambda: _META_INFO),
    message(2, "graph_def", lambda: GRAPH),
    message(3, "saver_def", lambda: _IGNORED),
    message(4, "collection_def", lambda: _IGNORED, True),
    mapping(5, "signature_def", lambda: _SIGNATURE),
    message(6, "asset_file_def", lambda: _IGNORED, True),
    message(7, "object_graph_def", lambda: _IGNORED),
    strict=True,
)
SAVED_MODEL = Message("SavedModel", integer(1, "saved_model_schema_version"), message(2, "meta_graphs", lambda: META_GRAPH, True), strict=True)
