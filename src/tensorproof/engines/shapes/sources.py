"""Nodes that make tensors out of nothing but their attributes: constants, placeholders, variables, iterators, parameters."""

from __future__ import annotations

from tensorproof.engines.shapes.found import declared, not_known
from tensorproof.graph import Constant, DeclaredShape, Node
from tensorproof.terms.dtypes import DType
from tensorproof.terms.ints import Origin
from tensorproof.terms.shapes import Shape, unknown_shape
from tensorproof.terms.tensor import TensorType

FRAMEWORKS = {"graphdef": "tf", "onnx": "onnx", "aten": "torch"}
_CONSTANTS = ("Const", "Constant", "HostConst")
FROM_OUTSIDE = ("Placeholder", "PlaceholderV2", "Input")
_VARIABLES = ("VariableV2", "TemporaryVariable")
_SCALARS_ARE_SCALARS = 24
"""Before this version of GraphDef a placeholder of shape [] was one of unknown shape."""
_ITERATORS = ("IteratorGetNext", "IteratorGetNextSync")
_SILENT = ("NoOp", "Assert", "Save", "SaveV2", "SaveSlices", "ControlTrigger", "Abort", "PrintV2", "MakeIterator", "WriteSummary", "DisableCopyOnRead")
_SILENT_FAMILIES = (
    "AssignVariableOp",
    "AssignAddVariableOp",
    "AssignSubVariableOp",
    "ResourceApply",
    "ResourceSparseApply",
    "ResourceScatter",
    "InitializeTable",
    "LookupTableInsert",
    "LookupTableImport",
    "QueueClose",
    "QueueEnqueue",
    "DestroyResource",
    "Delete",
    "TensorArrayClose",
    "StackClose",
)


def is_silent(node: Node) -> bool:
    """Whether this operation of a GraphDef computes nothing to be read."""
    return node.framework == "graphdef" and (node.spelling in _SILENT or node.spelling.startswith(_SILENT_FAMILIES))


def constant_tensor(value: Constant, framework: str) -> TensorType:
    return TensorType(Shape(value.shape), value.dtype, contents=value.contents(), framework=framework)


def source(node: Node, version: int = 0) -> tuple[TensorType, ...] | None:
    """The results of a source; None when the node is something else."""
    attributes, framework = node.attributes, FRAMEWORKS[node.framework]
    if node.spelling in _CONSTANTS:
        value = attributes.get("value")
        return (constant_tensor(value, framework),) if isinstance(value, Constant) else None
    if node.spelling == "Placeholder" and 0 < version < _SCALARS_ARE_SCALARS and attributes.get("shape") == DeclaredShape(()):
        return (not_known(node.name, _dtype(node), framework),)
    if node.spelling in FROM_OUTSIDE:
        return (_declared_tensor(node, framework, Origin.USER),)
    if node.spelling == "PlaceholderWithDefault" or node.spelling in _VARIABLES:
        return (_declared_tensor(node, framework, Origin.USER),)
    if node.spelling in _ITERATORS:
        shapes, dtypes = attributes.get("output_shapes"), attributes.get("output_types")
        if isinstance(shapes, tuple) and isinstance(dtypes, tuple):
            return tuple(
                TensorType(declared(shape, f"{node.name}:{i}", Origin.WORLD), dtype, framework=framework)
                for i, (shape, dtype) in enumerate(zip(shapes, dtypes))
                if isinstance(shape, DeclaredShape) and isinstance(dtype, DType)
            )
    return None


def _declared_tensor(node: Node, framework: str, origin: Origin) -> TensorType:
    shape = node.attributes.get("shape")
    return TensorType(
        declared(shape, node.name, origin) if isinstance(shape, DeclaredShape) else unknown_shape(node.name),
        _dtype(node),
        framework=framework,
    )


def _dtype(node: Node) -> DType | None:
    dtype = node.attributes.get("dtype")
    return dtype if isinstance(dtype, DType) else None


def handle(node: Node) -> TensorType | None:
    """The tensor behind the handle of a resource variable."""
    return _declared_tensor(node, FRAMEWORKS[node.framework], Origin.USER) if node.spelling == "VarHandleOp" else None
