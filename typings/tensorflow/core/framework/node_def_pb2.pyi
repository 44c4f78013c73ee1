from collections.abc import MutableMapping

from google.protobuf.internal.containers import RepeatedCompositeFieldContainer as Repeated
from google.protobuf.message import Message
from tensorflow.core.framework.attr_value_pb2 import AttrValue

class NodeDef(Message):
    name: str
    op: str
    device: str
    input: Repeated[str]
    attr: MutableMapping[str, AttrValue]
