"""The one program form every engine reads. It records what a file says and knows no operator's meaning."""

from tensorproof.graph.constants import Constant
from tensorproof.graph.graph import (
    Attribute,
    DeclaredShape,
    Edge,
    Function,
    FunctionRef,
    Graph,
    Node,
)

__all__ = ["Attribute", "Constant", "DeclaredShape", "Edge", "Function", "FunctionRef", "Graph", "Node"]
