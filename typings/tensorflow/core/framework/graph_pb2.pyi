from google.protobuf.internal.containers import RepeatedCompositeFieldContainer as Repeated
from google.protobuf.message import Message
from tensorflow.core.framework.function_pb2 import FunctionDefLibrary
from tensorflow.core.framework.node_def_pb2 import NodeDef

class GraphDef(Message):
    node: Repeated[NodeDef]
    library: FunctionDefLibrary
