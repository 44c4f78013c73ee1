"""Where the weights of a node come from: through copies, casts, transpositions and calls of functions, to what the file holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tensorproof.graph import Attribute, Constant, DeclaredShape, Edge, FunctionRef, Graph, Node
from tensorproof.terms.records import dataclass, replace

Place = tuple[str, str]
"""A node by the function that it stands in, empty for the graph itself, and its name."""
_FARTHEST = 64
_COPIES = frozenset(
    ["Identity", "RefIdentity", "ReadVariableOp", "Enter", "RefEnter", "Cast", "StopGradient", "Dropout", "alias", "detach", "detach_", "clone", "contiguous"]
)
_HELD = ("Const", "HostConst", "VariableV2", "Variable", "VarHandleOp")


@dataclass(frozen=True, slots=True)
class Source:
    """A weight: the node that holds it, and which of its axes each axis of the value is."""

    place: Place
    shape: tuple[int, ...]
    axes: tuple[int, ...]
    reshaped: tuple[Place, ...] = ()
    """The constants by which a vector is given further axes of size 1 on its way."""

    @property
    def seen(self) -> tuple[int, ...]:
        """The shape as the reader sees it."""
        return tuple(self.shape[axis] for axis in self.axes)


class Tracing:
    """The nodes of a graph and of its functions."""

    def __init__(self, graph: Graph) -> None:
        self.nodes: dict[str, Mapping[str, Node]] = {"": graph.nodes, **{name: function.body.nodes for name, function in graph.functions.items()}}
        self._callers: dict[str, list[Place]] | None = None
        self._readers: dict[Place, list[Place]] | None = None

    def node(self, place: Place) -> Node:
        return self.nodes[place[0]][place[1]]

    def source(self, function: str, edge: Attribute, farthest: int = _FARTHEST) -> Source | None:
        """The constant, variable or parameter that a value is; None where it is something else."""
        if not isinstance(edge, Edge) or not farthest:
            return None
        node = self.nodes[function].get(edge.node)
        if node is None:
            return None
        spelling = node.spelling.partition(".")[0] if node.framework == "aten" else node.spelling
        if (shape := held(node)) is not None:
            return Source((function, node.name), shape, tuple(range(len(shape))))
        if spelling == "_Arg":
            return self._argument(function, node, farthest - 1)
        if spelling in _COPIES and node.inputs:
            return self.source(function, node.inputs[0], farthest - 1)
        turned = _turned(node, spelling)
        if turned is None or not node.inputs:
            return None
        before = self.source(function, node.inputs[0], farthest - 1)
        if before is None:
            return None
        order = turned or tuple(reversed(range(len(before.axes))))
        return replace(before, axes=tuple(before.axes[axis] for axis in order)) if sorted(order) == list(range(len(before.axes))) else None

    def vector(self, function: str, edge: Attribute, reshaped: tuple[Place, ...] = ()) -> Source | None:
        """A weight with one axis, also where axes of size 1 are added and taken away again."""
        node = self.nodes[function].get(edge.node) if isinstance(edge, Edge) else None
        if node is not None and node.spelling in ("Squeeze", "Reshape") and node.inputs and len(reshaped) < _FARTHEST:
            shape = self.source(function, node.inputs[1]) if node.spelling == "Reshape" and len(node.inputs) > 1 else None
            return self.vector(function, node.inputs[0], reshaped if shape is None else (*reshaped, shape.place))
        found = self.source(function, edge)
        return replace(found, reshaped=reshaped) if found is not None and len(found.shape) == 1 else None

    def readers(self, place: Place) -> list[Place]:
        """The nodes that read a result of a node, in its own graph."""
        if self._readers is None:
            self._readers = {}
            for function, nodes in self.nodes.items():
                for node in nodes.values():
                    for edge in node.inputs:
                        if edge is not None:
                            self._readers.setdefault((function, edge.node), []).append((function, node.name))
        return self._readers.get(place, [])

    def initial_values(self, variable: Place) -> Iterator[Place]:
        """The constants from which the initial value of a variable is computed."""
        pending = [(at[0], edge.node) for at in self.readers(variable) if self.node(at).spelling == "Assign" and (edge := self.node(at).inputs[-1]) is not None]
        seen: set[Place] = set()
        while pending and len(seen) < _FARTHEST:
            place = pending.pop()
            if place in seen or place == variable:
                continue
            seen.add(place)
            node = self.node(place)
            if node.spelling in ("Const", "HostConst"):
                yield place
            elif node.spelling not in _HELD:
                pending += [(place[0], edge.node) for edge in node.inputs if edge is not None]

    def slots(self, variable: Place) -> Iterator[Source]:
        """The variables that an optimizer keeps beside another one, under its name and in its shape."""
        own = held(self.node(variable))
        for name, node in self.nodes[variable[0]].items():
            if name.startswith(f"{variable[1]}/") and node.spelling in ("VariableV2", "Variable", "VarHandleOp") and held(node) == own and own is not None:
                yield Source((variable[0], name), own, tuple(range(len(own))))

    def _argument(self, function: str, node: Node, farthest: int) -> Source | None:
        """What callers give for a parameter of a function, where it is one weight."""
        position = list(self.nodes[function]).index(node.name)
        found: set[Source | None] = set()
        for caller in self.callers(function):
            calling = self.node(caller)
            inputs = calling.inputs[1:] if calling.spelling in ("If", "StatelessIf", "Case", "StatelessCase") else calling.inputs
            found.add(self.source(caller[0], inputs[position], farthest) if position < len(inputs) else None)
        return found.pop() if len(found) == 1 else None

    def callers(self, function: str) -> list[Place]:
        if self._callers is None:
            self._callers = {}
            for place, node in self.all():
                for name in (node.spelling, *functions_in(node.attributes.values())):
                    if name in self.nodes:
                        self._callers.setdefault(name, []).append(place)
        return self._callers.get(function, [])

    def all(self) -> Iterator[tuple[Place, Node]]:
        for function, nodes in self.nodes.items():
            for node in nodes.values():
                yield (function, node.name), node


def functions_in(values: object) -> Iterator[str]:
    """The functions that attributes name."""
    for value in values if isinstance(values, (tuple, list)) or (hasattr(values, "__iter__") and not isinstance(values, (str, bytes))) else (values,):
        if isinstance(value, FunctionRef):
            yield value.name
        elif isinstance(value, tuple):
            yield from functions_in(value)


def is_copy(node: Node) -> bool:
    """Whether a node hands on what it gets."""
    return node.spelling in _COPIES or node.spelling == "_Arg"


def held(node: Node) -> tuple[int, ...] | None:
    """The shape of what the file holds at a node; None where it is not a weight, or its shape is not all known."""
    value, shape = node.attributes.get("value"), node.attributes.get("shape")
    own = node.spelling in _HELD if node.framework == "graphdef" else node.spelling == "Constant" or node.attributes.get("role") is not None
    if not own:
        return None
    if isinstance(value, Constant):
        return value.shape
    if isinstance(shape, DeclaredShape) and shape.axes is not None:
        sizes = tuple(axis for axis in shape.axes if isinstance(axis, int))
        return sizes if len(sizes) == len(shape.axes) else None
    return None


def _turned(node: Node, spelling: str) -> tuple[int, ...] | None:
    """The order of axes that a transposition gives, empty for the reverse; None where the node is none."""
    perm = node.attributes.get("perm") if node.framework == "onnx" else node.attributes.get("1")
    if (node.framework, spelling) in (("onnx", "Transpose"), ("aten", "permute")):
        return tuple(axis for axis in perm if isinstance(axis, int)) if isinstance(perm, tuple) else ()
    if node.framework == "aten" and spelling in ("t", "numpy_T"):
        return (1, 0)
    if node.framework == "aten" and spelling == "transpose" and {node.attributes.get("1"), node.attributes.get("2")} in ({0, 1}, {-1, -2}, {0, -1}, {1, -2}):
        return (1, 0)
    return None
