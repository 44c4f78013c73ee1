from collections.abc import MutableMapping

from google.protobuf.internal.containers import RepeatedCompositeFieldContainer as Repeated
from google.protobuf.message import Message
from tensorflow.core.framework.node_def_pb2 import NodeDef
from tensorflow.core.framework.op_def_pb2 import OpDef

class FunctionDef(Message):
    signature: OpDef
    node_def: Repeated[NodeDef]
    ret: MutableMapping[str, str]

class FunctionDefLibrary(Message):
    function: Repeated[FunctionDef]
