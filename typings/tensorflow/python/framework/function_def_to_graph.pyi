from collections.abc import Mapping

from tensorflow.core.framework.function_pb2 import FunctionDef
from tensorflow.core.framework.graph_pb2 import GraphDef

def function_def_to_graph_def(fdef: FunctionDef) -> tuple[GraphDef, Mapping[str, str]]: ...
