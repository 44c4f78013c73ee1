from typing import ClassVar

from google.protobuf.internal.containers import RepeatedCompositeFieldContainer as Repeated
from google.protobuf.message import Message
from onnx import checker as checker
from onnx import defs as defs
from onnx import helper as helper
from onnx import numpy_helper as numpy_helper
from onnx import reference as reference
from onnx import shape_inference as shape_inference

class TensorProto(Message):
    name: str
    FLOAT: ClassVar[int]
    UINT8: ClassVar[int]
    INT8: ClassVar[int]
    UINT16: ClassVar[int]
    INT16: ClassVar[int]
    INT32: ClassVar[int]
    INT64: ClassVar[int]
    STRING: ClassVar[int]
    BOOL: ClassVar[int]
    FLOAT16: ClassVar[int]
    DOUBLE: ClassVar[int]
    UINT32: ClassVar[int]
    UINT64: ClassVar[int]
    COMPLEX64: ClassVar[int]
    COMPLEX128: ClassVar[int]
    BFLOAT16: ClassVar[int]
    FLOAT8E4M3FN: ClassVar[int]
    FLOAT8E4M3FNUZ: ClassVar[int]
    FLOAT8E5M2: ClassVar[int]
    FLOAT8E5M2FNUZ: ClassVar[int]
    FLOAT8E8M0: ClassVar[int]
    UINT4: ClassVar[int]
    INT4: ClassVar[int]

class AttributeProto(Message):
    TENSOR: ClassVar[int]
    FLOAT: ClassVar[int]
    FLOATS: ClassVar[int]
    INTS: ClassVar[int]
    name: str
    i: int
    s: bytes
    ints: Repeated[int]
    g: GraphProto
    graphs: Repeated[GraphProto]

class NodeProto(Message):
    op_type: str
    input: Repeated[str]
    output: Repeated[str]
    attribute: Repeated[AttributeProto]

class Dimension(Message):
    dim_value: int

class TensorShapeProto(Message):
    dim: Repeated[Dimension]

class TypeProtoTensor(Message):
    elem_type: int
    shape: TensorShapeProto

class TypeProto(Message):
    tensor_type: TypeProtoTensor

class ValueInfoProto(Message):
    name: str
    type: TypeProto

class OperatorSetIdProto(Message):
    version: int

class GraphProto(Message):
    node: Repeated[NodeProto]
    input: Repeated[ValueInfoProto]
    output: Repeated[ValueInfoProto]
    initializer: Repeated[TensorProto]

class ModelProto(Message):
    graph: GraphProto

def load_model_from_string(s: bytes) -> ModelProto: ...
