"""A saved graph with other hyperparameters: attributes, the weights whose sizes follow from them, and its inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tensorproof.diagnostics.errors import BadInput
from tensorproof.engines.space.models import inputs
from tensorproof.engines.space.models.arguments import arguments, elements, given, key_of, refuse, varied, window_of
from tensorproof.engines.space.models.layers import Sizes, shape_of
from tensorproof.engines.space.models.naming import Naming, OfInput, OfLayer, OfNode, Target
from tensorproof.engines.space.models.tracing import Place, Source
from tensorproof.graph import Constant, DeclaredShape, Edge, Graph, Node
from tensorproof.ops.record import Requirement
from tensorproof.terms.dtypes import DType
from tensorproof.terms.ints import Dim, Term
from tensorproof.terms.predicates import ge
from tensorproof.terms.records import replace

_CONSTANTS = ("Const", "HostConst")
_KEPT = ("role", "target", "requires_grad", "container", "shared_name")


class Changing:
    """One choice of values for hyperparameters of a graph."""

    def __init__(self, naming: Naming, targets: Mapping[str, tuple[Target, ...]], values: Mapping[str, Any]) -> None:
        self.naming = naming
        self.changed: dict[Place, Node] = {}
        self.added: dict[Place, Node] = {}
        self.stated: list[tuple[str, Requirement]] = []
        """What the values themselves must meet, by node."""
        layers: dict[Place, dict[str, tuple[OfLayer, Any]]] = {}
        fed: dict[str, dict[str, Any]] = {}
        for name, value in values.items():
            for target in targets[name]:
                if isinstance(target, OfInput):
                    fed.setdefault(target.name, {})[target.word] = value
                elif isinstance(target, OfLayer):
                    layers.setdefault(target.place, {})[name] = (target, value)
                else:
                    self._argument(target, value)
        for place, given_ in layers.items():
            self._layer(place, given_)
        for name, changes in fed.items():
            self._input(name, changes)

    def graph(self) -> Graph:
        """The graph; what the file claims of intermediate results no longer counts."""
        graph = self.naming.graph
        functions = {name: replace(f, body=replace(f.body, nodes=self._nodes(name, f.body.nodes))) for name, f in graph.functions.items()}
        return replace(graph, nodes=self._nodes("", graph.nodes), functions=functions, declared={})

    def _nodes(self, function: str, nodes: Mapping[str, Node]) -> dict[str, Node]:
        added = {name: node for (of, name), node in self.added.items() if of == function}
        return {**added, **{name: _without_claims(self.changed.get((function, name), node)) for name, node in nodes.items()}}

    def _node(self, place: Place) -> Node:
        return self.changed.get(place) or self.naming.tracing.node(place)

    def _argument(self, target: OfNode, value: object) -> None:
        if target.source is not None:
            self._constant(target, target.source.place, value)
            return
        layer = self.naming.layer(target.place)
        window = window_of(self._node(target.place), layer[1][0][0].seen if layer is not None else None)
        self.changed[target.place] = varied(self._node(target.place), target.position, target.argument, value, target.index, window)

    def _constant(self, target: OfNode, place: Place, value: object) -> None:
        """Give a node a constant of its own: others may read the one in the file."""
        held, reader = self._node(place), self._node(target.place)
        into, at = self.changed, place
        if reader.framework != "aten":
            edge = reader.inputs[target.position]
            into, at = self.added, (target.place[0], f"{held.name}@{reader.name}")
            held = self.added.get(at) or replace(held, name=at[1], control=())
            if edge is not None and edge.node != at[1]:
                read = tuple(Edge(at[1]) if position == target.position else one for position, one in enumerate(reader.inputs))
                self.changed[target.place] = replace(reader, inputs=read)
        constant = held.attributes.get("value")
        made = elements(constant, value, target.index) if isinstance(constant, Constant) else None
        if made is not None:
            into[at] = replace(held, attributes={**held.attributes, "value": made})

    def _layer(self, place: Place, given_: Mapping[str, tuple[OfLayer, Any]]) -> None:
        """Change the sizes of a layer's weights, and the attributes that repeat them."""
        found = self.naming.layer(place)
        if found is None:
            return
        layer, weights, sizes = found
        new: Sizes = dict(sizes)
        for name, (target, value) in given_.items():
            before = new[target.letter]
            if target.index is not None and isinstance(before, tuple):
                new[target.letter] = tuple(value if at == target.index else one for at, one in enumerate(before))
            else:
                new[target.letter] = (value,) * len(before) if isinstance(before, tuple) else value
            self._not_negative(place[1], name, value)
        for attribute, letter in layer.attributes.items():
            if new.get(letter) != sizes.get(letter):
                self._repeat(place, attribute, new[letter])
        for source, axes in weights:
            shape = shape_of(axes, source.seen, new)
            if shape and shape != source.seen:
                self._weight(source, shape)

    def _repeat(self, place: Place, attribute: str, value: Any) -> None:
        node = self._node(place)
        for position, argument, _ in arguments(node, self.naming.graph.opsets):
            if argument.theirs == attribute and (given(node, position, argument) is not None or attribute != "kernel_shape"):
                self.changed[place] = replace(node, attributes={**node.attributes, key_of(node, position, argument): value})

    def _weight(self, source: Source, seen: tuple[Dim, ...]) -> None:
        """Put an open tensor of another shape in place of a weight."""
        shape: list[Dim] = list(source.shape)
        for axis, size in zip(source.axes, seen):
            shape[axis] = size
        node = self._node(source.place)
        value, dtype = node.attributes.get("value"), node.attributes.get("dtype")
        kept = {key: node.attributes[key] for key in _KEPT if key in node.attributes}
        kept["dtype"] = dtype if isinstance(dtype, DType) else value.dtype if isinstance(value, Constant) else None
        kept["shape"] = DeclaredShape(tuple(shape))
        spelling = "Input" if node.framework != "graphdef" else "Placeholder" if node.spelling in _CONSTANTS else node.spelling
        self.changed[source.place] = replace(node, spelling=spelling, inputs=(), attributes=kept)
        for place in source.reshaped:
            self._initial(place, source.shape, tuple(shape))
        if node.framework == "graphdef" and node.spelling not in _CONSTANTS:
            for constant in self.naming.tracing.initial_values(source.place):
                self._initial(constant, source.shape, tuple(shape))
            for slot in self.naming.tracing.slots(source.place):
                self._weight(slot, tuple(shape))

    def _initial(self, place: Place, before: tuple[int, ...], shape: tuple[Dim, ...]) -> None:
        """A constant from which the initial value of a variable is made: the value itself, or its shape."""
        node = self.naming.tracing.node(place)
        value = node.attributes.get("value")
        if not isinstance(value, Constant):
            return
        if value.shape == before:
            made = {"dtype": value.dtype, "shape": DeclaredShape(shape)}
            self.changed[place] = replace(node, spelling="Placeholder", inputs=(), control=(), attributes=made)
            return
        sizes = value.contents() if len(value.shape) == 1 else None
        if sizes is not None and sizes == before:
            self.changed[place] = replace(node, attributes={**node.attributes, "value": replace(value, raw=None, later=None, values=shape)})
        elif sizes is not None and len(before) == 1 and [size for size in sizes if size != 1] == [size for size in before if size != 1]:
            made_of = tuple(shape[0] if size == before[0] and at == len(sizes) - 1 - sizes[::-1].index(before[0]) else size for at, size in enumerate(sizes))
            self.changed[place] = replace(node, attributes={**node.attributes, "value": replace(value, raw=None, later=None, values=made_of)})

    def _input(self, name: str, changes: dict[str, Any]) -> None:
        node = self.naming.tracing.node(("", name))
        axes = self.naming.axes(name)
        attributes = dict(node.attributes)
        if axes is not None:
            attributes["shape"] = DeclaredShape(inputs.arranged(axes, changes, self.naming.form, name))
        if "dtype" in changes:
            dtype = attributes["dtype"] = inputs.checked_dtype(changes["dtype"], name)
            self._pinned(name, node.attributes.get("dtype"), dtype)
        for word, value in changes.items():
            if word not in inputs.WORDS:
                self._not_negative(name, f"{name}.{word}", value)
        self.changed["", name] = replace(node, attributes=attributes)

    def _not_negative(self, node: str, name: str, value: object) -> None:
        if isinstance(value, (int, Term)):
            self.stated.append((node, Requirement("graph/size", ge(value, 0), f"{name} is {value!r}: a size must not be negative", (name,))))

    def _pinned(self, name: str, before: Any, dtype: DType) -> None:
        """The nodes of a GraphDef say which element type they read."""
        if self.naming.graph.framework != "graphdef" or before is dtype:
            return
        for reader in self.naming.tracing.readers(("", name)):
            said = [one for value in self.naming.tracing.node(reader).attributes.values() for one in (value if isinstance(value, tuple) else (value,))]
            if before in said:
                message = f"{reader[1]} reads {before}, and {name} gives {dtype}; they must be equal"
                self.stated.append((reader[1], Requirement("graph/dtype", False, message, (name,))))
                return


def stays_symbolic(target: Target, values: tuple[Any, ...]) -> bool:
    """Whether a symbol may stand for whole numbers: a negative one among arguments, and 0 in a shape, have meanings of their own."""
    return not isinstance(target, OfNode) or min(values) >= (0 if target.source is None else 1)


def check_values(naming: Naming, name: str, target: Target, values: tuple[Any, ...]) -> None:
    """Refuse values that are not values of a hyperparameter. Raises `BadInput`."""
    if isinstance(target, OfInput):
        for value in values:
            if target.word == "format":
                inputs.format_of(value, name)
            elif target.word == "dtype":
                inputs.checked_dtype(value, name)
            elif type(value) is not int:
                raise BadInput(f"the parameter {name} has the value {value}: a size is a whole number")
        return
    if isinstance(target, OfLayer) or target.source is not None:
        wrong = next((value for value in values if type(value) is not int), None)
        if wrong is not None:
            raise BadInput(f"the parameter {name} has the value {wrong}: a whole number is needed")
        return
    refuse(name, given(naming.tracing.node(target.place), target.position, target.argument), values)


def _without_claims(node: Node) -> Node:
    if "_output_shapes" not in node.attributes:
        return node
    return replace(node, attributes={key: value for key, value in node.attributes.items() if key != "_output_shapes"})
