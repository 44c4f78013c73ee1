from google.protobuf.internal.containers import RepeatedCompositeFieldContainer as Repeated
from google.protobuf.message import Message
from tensorflow.core.protobuf.meta_graph_pb2 import MetaGraphDef

class SavedModel(Message):
    meta_graphs: Repeated[MetaGraphDef]
