from google.protobuf.internal.containers import RepeatedCompositeFieldContainer as Repeated
from google.protobuf.message import Message

class NameAttrList(Message):
    name: str

class ListValue(Message):
    type: Repeated[int]
    func: Repeated[NameAttrList]

class AttrValue(Message):
    type: int
    s: bytes
    func: NameAttrList
    list: ListValue
