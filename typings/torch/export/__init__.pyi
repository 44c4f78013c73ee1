from collections.abc import Mapping
from io import BytesIO

from torch import Tensor
from torch.export.graph_signature import ExportGraphSignature
from torch.fx import GraphModule

class ExportedProgram:
    graph_module: GraphModule
    graph_signature: ExportGraphSignature
    state_dict: Mapping[str, Tensor]
    constants: Mapping[str, object]

def load(f: BytesIO) -> ExportedProgram: ...
