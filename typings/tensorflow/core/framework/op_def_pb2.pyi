from google.protobuf.internal.containers import RepeatedCompositeFieldContainer as Repeated
from google.protobuf.message import Message
from tensorflow.core.framework.attr_value_pb2 import AttrValue

class OpDef(Message):
    class ArgDef(Message):
        name: str
        type: int
        type_attr: str
        number_attr: str
        type_list_attr: str
        is_ref: bool

    class AttrDef(Message):
        name: str
        type: str
        allowed_values: AttrValue

    name: str
    input_arg: Repeated[ArgDef]
    output_arg: Repeated[ArgDef]
    attr: Repeated[AttrDef]
