"""The hyperparameters of a saved graph by name: `conv1.kernel_size`, `conv1.strides[0]`, `input.batch`, `x[2]`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from tensorproof.bindings.rows import Argument
from tensorproof.diagnostics.errors import BadInput
from tensorproof.engines.space.models import inputs
from tensorproof.engines.space.models.arguments import arguments, edge_of, given, names_of
from tensorproof.engines.space.models.layers import Layer, Sizes, layer_of, solved
from tensorproof.engines.space.models.tracing import Place, Source, Tracing, held, is_copy
from tensorproof.graph import Constant, DeclaredShape, Graph, Node
from tensorproof.terms.records import dataclass

PARTS = re.compile(r"(?P<layer>.+)\.(?P<word>[A-Za-z_]\w*)(?:\[(?P<index>\d+)\])?")
AXIS = re.compile(r"(?P<layer>.+)\[(?P<index>\d+)\]")
INPUT = ("input", "inputs")
_SERVED = ("serving_default_", "serve_")
"""Before the names of the inputs of a SavedModel's signatures."""
_COUNTED = re.compile(r"_\d+$")
MOST_NAMES = 20_000


@dataclass(frozen=True, slots=True)
class OfInput:
    """A size, the format or the element type of an input."""

    name: str
    word: str


@dataclass(frozen=True, slots=True)
class OfLayer:
    """A size of the weights of a node, by its letter."""

    place: Place
    letter: str
    index: int | None


@dataclass(frozen=True, slots=True)
class OfNode:
    """An argument of a node: an attribute, or a small constant that it reads."""

    place: Place
    position: int
    argument: Argument
    index: int | None
    source: Source | None


Target = OfInput | OfLayer | OfNode


class Naming:
    """What the parameters of a space name in a graph."""

    def __init__(self, path: str, graph: Graph) -> None:
        self.path = path
        self.graph = graph
        self.tracing = Tracing(graph)
        self.form = _format(graph)
        self._aliases: dict[str, list[Place]] | None = None

    def targets(self, name: str) -> tuple[Target, ...]:
        """What a name stands for: one thing, or the same of all calls of one module. Raises `BadInput` with the closest names."""
        found = self._input(name)
        if found is not None:
            return tuple(OfInput(one, found.word) for one in self._alike(found.name))
        match = PARTS.fullmatch(name)
        if match is None:
            raise self._unbound(name)
        index = int(match["index"]) if match["index"] else None
        targets = self._named(match["layer"], match["word"], index) or self._named(f"{match['layer']}_", match["word"], index)
        chosen = [one for one in targets if one.place[1] == match["layer"]] or targets
        if not chosen:
            raise self._unbound(name)
        called = [one for one in chosen if self.tracing.node(one.place).attributes.get("_module") == match["layer"]]
        if len({one.place[1] for one in chosen}) > 1 and len(called) < len(chosen):
            listed = ", ".join(f"{one.place[1]}.{match['word']}" for one in chosen[:4])
            raise BadInput(f"{self.path}: {name} is a hyperparameter of {len(chosen)} nodes; name one of them: {listed}")
        return tuple(chosen)

    def _named(self, layer: str, word: str, index: int | None) -> list[OfLayer | OfNode]:
        return [one for place in self.aliases().get(layer, []) if (one := self._of(place, word, index)) is not None]

    # --- inputs ---

    def axes(self, name: str) -> tuple[Any, ...] | None:
        """The sizes that the file declares for an input."""
        shape = self.graph.nodes[name].attributes.get("shape")
        return shape.axes if isinstance(shape, DeclaredShape) else None

    def _input(self, name: str) -> OfInput | None:
        match, alone = PARTS.fullmatch(name), AXIS.fullmatch(name)
        if alone is not None and (of := self._input_named(alone["layer"])) is not None:
            axes = self.axes(of)
            if axes is not None and int(alone["index"]) < len(axes):
                return OfInput(of, alone["index"])
            raise BadInput(f"{self.path}: the input {of} has {len(axes) if axes is not None else 'an unknown number of'} axes, and no {name}")
        of = self._input_named(match["layer"]) if match is not None and match["index"] is None else None
        if of is None or match is None:
            return None
        word, axes = match["word"], self.axes(of)
        if word in inputs.WORDS:
            return OfInput(of, word)
        if axes is None:
            raise BadInput(f"{self.path}: the input {of} has no declared rank, so that {name} names no axis; give its shape with --input")
        if inputs.axis_of(word, len(axes), self.form) is not None:
            return OfInput(of, word)
        return OfInput(of, str(axes.index(word))) if word in axes else None

    def _input_named(self, layer: str) -> str | None:
        own = [one for one in self.graph.inputs if one in self.graph.nodes]
        if layer in own:
            return layer
        served = [one for one in own if _served(one) == layer]
        alone = layer in INPUT and len(set(map(_served, own))) == 1
        return served[0] if served else own[0] if alone else None

    def _alike(self, name: str) -> list[str]:
        """The inputs of all signatures that are one argument, with the same shape."""
        same = [one for one in self.graph.inputs if one in self.graph.nodes and _served(one) == _served(name)]
        return [one for one in same if self.axes(one) == self.axes(name)] if _served(name) != name else [name]

    # --- nodes ---

    def aliases(self) -> dict[str, list[Place]]:
        """The nodes that a name may mean: by their own name, the scopes around it, or the layer that holds their weights."""
        if self._aliases is None:
            self._aliases = {}
            for place, node in self.tracing.all():
                for alias in self._called(place, node):
                    self._aliases.setdefault(alias, []).append(place)
        return self._aliases

    def _called(self, place: Place, node: Node) -> Iterator[str]:
        module = node.attributes.get("_module")
        found = [node.name, node.name.strip("/"), *([module] if isinstance(module, str) and module else [])]
        scope = node.name.strip("/").rpartition("/")[0]
        last = scope.rpartition("/")[2]
        found += [scope, last] if scope else []
        if scope and node.framework == "graphdef" and _COUNTED.search(last):
            found.append(f"{_COUNTED.sub('', last)}_")  # TensorFlow counts the scopes of one name
        layer = layer_of(node)
        source = self.tracing.source(place[0], edge_of(node, layer.weights[0][0])) if layer is not None else None
        if source is not None:
            weight = self.tracing.node(source.place)
            target = weight.attributes.get("target")
            name = target if isinstance(target, str) else weight.name
            prefix = name.rpartition("." if "." in name else "/")[0]
            found += [prefix, prefix.rpartition("/")[2]]
        return iter(dict.fromkeys(filter(None, found)))

    def layer(self, place: Place) -> tuple[Layer, list[tuple[Source, str]], Sizes] | None:
        """The weights of a node that the file holds, and the sizes that they tell."""
        node = self.tracing.node(place)
        layer = layer_of(node)
        if layer is None:
            return None
        groups = next((given(node, at, one) for at, one, _ in arguments(node, self.graph.opsets) if one.theirs in ("groups", "group")), 1)
        sizes: Sizes = {"g": groups if isinstance(groups, int) else 1}
        weights: list[tuple[Source, str]] = []
        for position, axes in layer.weights:
            source = self.tracing.source(place[0], edge_of(node, position))
            if source is None and not weights:
                return None
            if source is not None:
                sizes = solved(axes, source.seen, sizes)
                weights.append((source, axes))
        bias = self._bias(place, layer, sizes) if layer.bias else None
        return layer, [*weights, *([(bias, layer.bias)] if bias is not None else [])], sizes

    def _bias(self, place: Place, layer: Layer, sizes: Sizes) -> Source | None:
        """The vector that the next node adds to the result."""
        wanted = sizes.get("O") if layer.bias == "O" else None
        for reader in self.tracing.readers(place):
            node = self.tracing.node(reader)
            if node.spelling in ("BiasAdd", "BiasAddV1", "Add", "AddV2"):
                found = [self.tracing.vector(reader[0], edge) for edge in node.inputs if edge is not None and edge.node != place[1]]
                if len(found) == 1 and found[0] is not None and (wanted is None or found[0].shape[0] == wanted):
                    return found[0]
        return None

    def _of(self, place: Place, word: str, index: int | None) -> OfLayer | OfNode | None:
        node, layer = self.tracing.node(place), self.layer(place)
        if layer is not None:
            of, _, sizes = layer
            letter = next((letter for letter, names in of.names.items() if word in names and (letter in sizes and (letter != "g" or _grouped(of)))), None)
            size = sizes.get(letter) if letter is not None else None
            if letter is not None and (index is None or (isinstance(size, tuple) and index < len(size))):
                return OfLayer(place, letter, index)
        for position, argument, tensor in self._arguments(node):
            if word in names_of(argument):
                return self._argument(place, node, position, argument, tensor, index)
        return None

    def _arguments(self, node: Node) -> list[tuple[int, Argument, bool]]:
        """The arguments of a node that computes something; what the file holds, and copies of it, have none."""
        return [] if held(node) is not None or is_copy(node) or node.name in self.graph.inputs else list(arguments(node, self.graph.opsets))

    def _argument(self, place: Place, node: Node, position: int, argument: Argument, tensor: bool, index: int | None) -> OfNode | None:
        edge = edge_of(node, position) if not argument.keyword_only or node.framework == "aten" else None
        if edge is not None:
            source = self.tracing.source(place[0], edge)
            value = self.tracing.node(source.place).attributes.get("value") if source is not None else None
            whole = isinstance(value, Constant) and value.dtype is not None and value.dtype.is_integer and (index is None or index < value.size)
            return OfNode(place, position, argument, index, source) if whole else None
        before = given(node, position, argument)
        if tensor and before is None and argument.theirs not in node.attributes:
            return None
        if index is not None and not (isinstance(before, (tuple, list)) and index < len(before)):
            return None
        return OfNode(place, position, argument, index, None)

    # --- names that nothing has ---

    def names(self) -> list[str]:
        """The names of hyperparameters, each node by its shortest name."""
        found = [f"{_served(name)}.{word}" for name in self.graph.inputs for word in self._words(name)]
        best: dict[Place, str] = {}
        for alias, places in self.aliases().items():
            for place in places:
                if len(places) == 1 or place not in best:
                    best[place] = min(best.get(place, alias), alias, key=len)
        for place, alias in best.items():
            found += [f"{alias.removesuffix('_')}.{word}" for word in self.hyperparameters(place)]
            if len(found) > MOST_NAMES:
                break
        return found

    def _words(self, name: str) -> list[str]:
        axes = self.axes(name)
        return inputs.words(len(axes) if axes is not None else None, self.form)

    def hyperparameters(self, place: Place) -> list[str]:
        """The names that a node's hyperparameters have in its own framework."""
        node, layer = self.tracing.node(place), self.layer(place)
        found: list[str] = []
        if layer is not None:
            found += [names[0] for letter, names in layer[0].names.items() if letter in layer[2] and (letter != "g" or _grouped(layer[0]))]
        for position, argument, tensor in self._arguments(node):
            if self._argument(place, node, position, argument, tensor, None) is not None and not (layer is not None and self._of_layer(layer[0], argument)):
                found.append(argument.theirs)
        return found

    def _of_layer(self, layer: Layer, argument: Argument) -> bool:
        return any(argument.theirs in names for names in layer.names.values())

    def _unbound(self, name: str) -> BadInput:
        match = PARTS.fullmatch(name)
        places = self.aliases().get(match["layer"], []) if match is not None else []
        own = [word for place in places for word in self.hyperparameters(place)]
        if match is not None and own:
            listed = list(dict.fromkeys(get_close_matches(match["word"], own, 3, 0.5) or own))
            return BadInput(f"{self.path}: {match['layer']} has no hyperparameter {match['word']}; the closest names are {', '.join(listed[:4])}")
        close = get_close_matches(name, self.names(), 3, 0.5)
        hint = f"; the closest names are {', '.join(close)}" if close else f"; the inputs are {', '.join(self.graph.inputs) or 'none'}"
        return BadInput(f"{self.path} has no node or input with the hyperparameter {name}{hint}")


def _served(name: str) -> str:
    """The name of an argument of a signature."""
    return next((name.removeprefix(prefix) for prefix in _SERVED if name.startswith(prefix)), name)


def _grouped(layer: Layer) -> bool:
    return any("/g" in axes for _, axes in layer.weights)


def _format(graph: Graph) -> str:
    """Where the model has the channels of its data."""
    if graph.framework == "graphdef":
        bodies = [graph.nodes, *(function.body.nodes for function in graph.functions.values())]
        found = [node.attributes["data_format"] for nodes in bodies for node in nodes.values() if "data_format" in node.attributes]
        text = found[0].decode("latin-1") if found and isinstance(found[0], bytes) else str(found[0]) if found else "NHWC"
        return inputs.FIRST if text.startswith("NC") else inputs.LAST
    if any(_moves_channels(graph, node) for node in graph.nodes.values()):
        return inputs.LAST
    windows = any("conv" in node.spelling.lower() or "pool" in node.spelling.lower() for node in graph.nodes.values())
    shapes = [graph.nodes[name].attributes.get("shape") for name in graph.inputs]
    images = any(isinstance(shape, DeclaredShape) and len(shape.axes or ()) > 3 for shape in shapes)
    return inputs.FIRST if windows or images else inputs.LAST


def _moves_channels(graph: Graph, node: Node) -> bool:
    """Whether a node moves the last axis of an input before those of its window."""
    perm = node.attributes.get("perm")
    read = node.spelling == "Transpose" and any(edge is not None and edge.node in graph.inputs for edge in node.inputs)
    return read and isinstance(perm, tuple) and len(perm) > 2 and perm == (0, len(perm) - 1, *range(1, len(perm) - 1))
