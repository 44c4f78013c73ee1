from collections.abc import Mapping, Sequence

from onnx import AttributeProto

class AttrType:
    value: int

class Attribute:
    type: AttrType
    description: str
    default_value: AttributeProto

class FormalParameter:
    name: str

class OpSchema:
    inputs: Sequence[FormalParameter]
    outputs: Sequence[FormalParameter]
    attributes: Mapping[str, Attribute]
    doc: str
    deprecated: bool

def onnx_opset_version() -> int: ...
def get_schema(op_type: str, max_inclusive_version: int, domain: str) -> OpSchema: ...
