"""Saved models of Keras: the archive in, a program out that builds the model by the calls of Keras's own interface.

The program is text for the Python front end, which knows the layers; it is never executed. `nodes` says which layer a line of it stands for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tensorproof.bindings.rows import rows
from tensorproof.diagnostics.errors import BadInput
from tensorproof.frontends.archive import Archive
from tensorproof.frontends.fields import decode, expect, field
from tensorproof.frontends.keras.values import UNKNOWN, Chosen, Values
from tensorproof.frontends.protobuf.schema import Malformed
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.records import dataclass

_MOST_LAYERS = BUDGETS.files.layers
_DEEPEST = BUDGETS.files.layer_depth
_MODELS = ("Functional", "Model", "Sequential")
_PRELUDE = """import keras
{unknown}
def result(value, index):
    if isinstance(value, dict):
        value = [value[key] for key in sorted(value)]
    return value[index] if isinstance(value, (list, tuple)) else value
"""
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True, slots=True)
class SavedModel:
    """The program that builds a saved model, in the variable `model`; the layer that each line stands for; the names of its
    inputs; and the layer or input that each variable holds or is a result of."""

    name: str
    text: str
    nodes: dict[int, str]
    inputs: tuple[str, ...]
    variables: dict[str, str]


def read(path: str | Path, shapes: Mapping[str, tuple[int | None, ...]] | None = None) -> SavedModel:
    """The model of a file; `shapes` replaces what it says of its inputs, by name. Raises `BadInput`."""
    return built(path, configuration(path), shapes)


def configuration(path: str | Path) -> dict[str, Any]:
    """The configuration in a file, as Keras writes it. Raises `BadInput`."""
    archive = Archive(Path(path))
    try:
        return expect(decode(archive.read("config.json"), "config.json"), dict, "config.json")
    except Malformed as error:
        raise BadInput(f"{path} is not a readable Keras model: it {error}.") from None
    except RecursionError:
        raise BadInput(f"{path} is not a readable Keras model: it nests too deeply.") from None


def built(path: str | Path, given: dict[str, Any], shapes: Mapping[str, tuple[int | None, ...]] | None = None) -> SavedModel:
    """The program that builds the model of a configuration. Raises `BadInput`."""
    try:
        return _program(given, Path(path).name.removesuffix(".gz").removesuffix(".keras"), shapes)
    except Malformed as error:
        raise BadInput(f"{path} is not a readable Keras model: it {error}.") from None
    except RecursionError:
        raise BadInput(f"{path} is not a readable Keras model: it nests too deeply.") from None


def parse(data: bytes, name: str = "model", shapes: Mapping[str, tuple[int | None, ...]] | None = None) -> SavedModel:
    """The model in the bytes of a configuration. Raises `Malformed`."""
    return _program(expect(decode(data, "config.json"), dict, "config.json"), name, shapes)


def _program(given: dict[str, Any], name: str, shapes: Mapping[str, tuple[int | None, ...]] | None) -> SavedModel:
    text = _Text(shapes or {})
    made = text.model(given, 0)
    text.line(f"model = {made}", name)
    lines = "\n".join(text.lines) + "\n"
    prelude = _PRELUDE.format(unknown=f"import {UNKNOWN}" if UNKNOWN in lines else "")
    return SavedModel(name, prelude + lines, text.nodes, tuple(text.inputs), text.variables)


class _Text:
    """The lines of the program so far."""

    def __init__(self, shapes: Mapping[str, tuple[int | None, ...]]) -> None:
        self._shapes = shapes
        self.lines: list[str] = []
        self.nodes: dict[int, str] = {}
        self.inputs: list[str] = []
        self.variables: dict[str, str] = {}
        self._first = _PRELUDE.count("\n") + 1
        self._count = 0
        self._values = Values(self._layer_value)
        self._depth = 0
        self._tensors: dict[tuple[str, int], str] = {}

    def line(self, text: str, node: str) -> None:
        self.nodes[self._first + len(self.lines)] = node
        self.variables[text.partition(" ")[0]] = node
        self.lines.append(text)
        if len(self.lines) > _MOST_LAYERS:
            raise Malformed(f"holds more than {_MOST_LAYERS:,} layers")

    def _variable(self, letter: str) -> str:
        self._count += 1
        return f"{letter}{self._count}"

    def _layer_value(self, given: dict[str, Any], where: str) -> str:
        """A layer among the arguments of another (`TimeDistributed`), as a variable."""
        return self.layer(given, where)

    def model(self, given: dict[str, Any], depth: int) -> str:
        """The variable that holds a model, after the lines that build it."""
        kind = field(given, "class_name", str, "the model")
        if depth > _DEEPEST:
            raise Malformed("nests models too deeply")
        config = given.get("config")
        if kind not in _MODELS or not isinstance(config, dict) or not isinstance(config.get("layers"), list):
            return self._custom(given, "the model")
        name = str(config.get("name") or kind)
        layers = [expect(layer, dict, f"{name}.layers") for layer in config["layers"]]
        made = self._sequential(layers, name, depth) if kind == "Sequential" else self._functional(layers, config, name, depth)
        return made

    def _custom(self, given: dict[str, Any], where: str) -> str:
        """A class whose code is not in the file."""
        variable = self._variable("c")
        self.line(f"{variable} = {self._values.unknown(given, where)}()", str(given.get("name") or given.get("class_name")))
        return variable

    def layer(self, given: dict[str, Any], where: str, depth: int = 0) -> str:
        """The variable that holds a layer or a nested model."""
        kind = field(given, "class_name", str, where)
        config = expect(given.get("config") or {}, dict, f"{where}.config")
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Malformed("nests layers too deeply")
        try:
            if kind in _MODELS and isinstance(config.get("layers"), list):
                return self.model(given, depth + 1)
            made = self._values.constructed(given, where)
            variable = self._variable("l")
            self.line(f"{variable} = {made}", str(given.get("name") or config.get("name") or kind))
            return variable
        finally:
            self._depth -= 1

    def _input(self, given: dict[str, Any], where: str, depth: int) -> str:
        config = field(given, "config", dict, where)
        shape = config.get("batch_shape", config.get("batch_input_shape"))
        sizes = expect(shape, list, f"{where}.batch_shape")
        if not all(size is None or isinstance(size, Chosen) or (isinstance(size, int) and not isinstance(size, bool)) for size in sizes):
            raise Malformed(f"has an input {where} of the shape {sizes}")
        variable = self._variable("t")
        name = str(config.get("name") or where)
        dtype = self._values.dtype(config.get("dtype") or "float32")
        given_shape = self._shapes.get(name, tuple(sizes)) if not depth else tuple(sizes)
        self.line(f"{variable} = keras.Input(batch_shape={given_shape!r}, dtype={dtype}, name={name!r})", name)
        if not depth:
            self.inputs.append(name)
        return variable

    def _sequential(self, layers: list[dict[str, Any]], name: str, depth: int) -> str:
        """Layers one after the other. A model that was never built has no input: it is built as far as Keras builds it."""
        first = layers[0] if layers else {}
        start = self._input(first, name, depth) if first.get("class_name") == "InputLayer" else None
        held = [(self.layer(layer, name, depth), str(layer.get("config", {}).get("name", "")) or name) for layer in layers[start is not None :]]
        if start is None:
            variable = self._variable("m")
            self.line(f"{variable} = keras.Sequential([{', '.join(one for one, _ in held)}])", name)
            return variable
        now = start
        for one, node in held:
            now, before = self._variable("t"), now
            self.line(f"{now} = {one}({before})", node)
        variable = self._variable("m")
        self.line(f"{variable} = keras.Model({start}, {now})", name)
        return variable

    def _functional(self, layers: list[dict[str, Any]], config: dict[str, Any], name: str, depth: int) -> str:
        tensors: dict[tuple[str, int], str] = {}
        self._tensors, around = tensors, self._tensors
        held: dict[str, tuple[str, dict[str, Any]]] = {}
        waiting: list[tuple[str, int, Any]] = []
        for given in layers:
            layer = str(given.get("name") or given.get("config", {}).get("name") or "")
            if layer in held or (layer, 0) in tensors:
                raise Malformed(f"has two layers named {layer}")
            if given.get("class_name") == "InputLayer":
                tensors[layer, 0] = self._input(given, layer, depth)
                continue
            held[layer] = ("" if _is_operation(given) else self.layer(given, layer, depth), given)
            for index, node in enumerate(expect(given.get("inbound_nodes") or [], list, f"{layer}.inbound_nodes")):
                waiting.append((layer, index, node))
        self._call_all(waiting, held, tensors)
        self._tensors = around
        ends = [self._values.structure(config.get(key), tensors, f"{name}.{key}") for key in ("input_layers", "output_layers")]
        variable = self._variable("m")
        self.line(f"{variable} = keras.Model(inputs={ends[0]}, outputs={ends[1]})", name)
        return variable

    def _call_all(self, waiting: list[tuple[str, int, Any]], held: dict[str, tuple[str, dict[str, Any]]], tensors: dict[tuple[str, int], str]) -> None:
        """Call each layer when what it reads is there."""
        while waiting:
            left: list[tuple[str, int, Any]] = []
            for layer, index, node in waiting:
                if not all(one in tensors for one in self._values.read_by(node)):
                    left.append((layer, index, node))
                    continue
                variable, given = held[layer]
                arguments = self._values.arguments(node, tensors, layer)
                made = self._operation(given, node, arguments, layer) if not variable else f"{variable}({arguments})"
                tensors[layer, index] = self._variable("t")
                self.line(f"{tensors[layer, index]} = {made}", layer)
            if len(left) == len(waiting):
                raise Malformed(f"has a layer {left[0][0]} that waits for its own result, or for a layer that it does not hold")
            waiting = left

    def _operation(self, given: dict[str, Any], node: object, arguments: str, layer: str) -> str:
        """A function of `keras.ops` that became a layer: `LogSoftmax` is `keras.ops.log_softmax`."""
        name = _WORD.sub("_", field(given, "class_name", str, layer)).lower()
        config = {key: value for key, value in (given.get("config") or {}).items() if key != "name" and value is not None}
        if name == "get_item":
            return self._values.item(node, self._tensors, layer)
        first: list[str] = []
        for argument in rows(f"keras.ops.{name}")[0].arguments if rows(f"keras.ops.{name}") else ():  # einsum(subscripts, *operands)
            if argument.theirs not in config:
                break
            first.append(self._values.value(config.pop(argument.theirs), {}, layer))
        options = self._values.keywords(config, layer)
        return f"keras.ops.{name}({', '.join(filter(None, (*first, arguments, options)))})"


def _is_operation(given: dict[str, Any]) -> bool:
    return str(given.get("module") or "").startswith("keras.src.ops.")
