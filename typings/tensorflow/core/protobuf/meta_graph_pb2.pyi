from google.protobuf.internal.containers import RepeatedCompositeFieldContainer as Repeated
from google.protobuf.message import Message
from tensorflow.core.framework.graph_pb2 import GraphDef
from tensorflow.core.protobuf.saver_pb2 import SaverDef

class MetaInfoDef(Message):
    tags: Repeated[str]

class MetaGraphDef(Message):
    meta_info_def: MetaInfoDef
    graph_def: GraphDef
    saver_def: SaverDef
