"""Values of a Keras configuration as expressions of Python: objects by their class and configuration, tensors by the layer that makes them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from tensorproof.bindings.rows import rows
from tensorproof.frontends.fields import expect, field
from tensorproof.frontends.protobuf.schema import Malformed
from tensorproof.terms.records import dataclass

UNKNOWN = "code_that_is_not_in_the_file"
"""The module of all that a file only names: classes and functions of the user."""
_TENSOR = "__keras_tensor__"
_HOMES = {
    "keras": "keras", "keras.layers": "keras.layers", "keras.initializers": "keras.initializers", "keras.regularizers": "keras.regularizers",
    "keras.constraints": "keras.constraints", "keras.activations": "keras.activations", "keras.models": "keras",
}  # fmt: skip
_OF_EVERY_LAYER = frozenset(["name", "trainable", "dtype", "autocast", "activity_regularizer"])
_NOT_ARGUMENTS = frozenset(["build_input_shape", "registered_name", "shared_object_id", "quantization_config", "zero_output_for_mask"])
_LAYERS = ("keras.layers", "keras.models", "keras", "keras.src.models.functional", "keras.src.models.sequential")


@dataclass(frozen=True, slots=True)
class Chosen:
    """A value that stands in the program as a variable of its own."""

    variable: str

    def __repr__(self) -> str:
        return self.variable


class Values:
    """Writes expressions; `layer` writes the lines of a layer and gives its variable."""

    def __init__(self, layer: Callable[[dict[str, Any], str], str]) -> None:
        self._layer = layer

    def unknown(self, given: Mapping[str, Any], where: str) -> str:
        name = str(given.get("class_name") or given.get("registered_name") or "value").rpartition(">")[2]
        return f"{UNKNOWN}.{name if name.isidentifier() else 'value'}"

    def dtype(self, given: object) -> str:
        """An element type, or the name of a policy."""
        if isinstance(given, dict):
            config = given.get("config")
            given = config.get("name") if isinstance(config, dict) else None
        return repr(given) if isinstance(given, (str, Chosen)) else "None"

    def constructed(self, given: Mapping[str, Any], where: str) -> str:
        """The call that makes an object of its configuration."""
        kind = field(given, "class_name", str, where)
        home = _HOMES.get(str(given.get("module")))
        if home is None or not kind.isidentifier() or given.get("registered_name") not in (None, kind):
            return f"{self.unknown(given, where)}()"
        config = expect(given.get("config") or {}, dict, f"{where}.config")
        name = f"{home}.{kind}"
        return f"{name}({self.keywords(_arguments(name, config), where)})"

    def keywords(self, config: Mapping[str, Any], where: str) -> str:
        if not all(isinstance(key, str) and key.isidentifier() for key in config):
            raise Malformed(f"has an argument without a proper name at {where}")
        return ", ".join(f"{key}={self.dtype(value) if key == 'dtype' else self.value(value, {}, f'{where}.{key}')}" for key, value in config.items())

    def value(self, given: object, tensors: Mapping[tuple[str, int], str], where: str) -> str:
        if given is None or isinstance(given, (bool, int, str, Chosen)):
            return repr(given)
        if isinstance(given, float):
            return repr(given) if math.isfinite(given) else f"float({str(given)!r})"
        if isinstance(given, list):
            return f"[{', '.join(self.value(item, tensors, where) for item in given)}]"
        return self._object(expect(given, dict, where), tensors, where)

    def _object(self, given: dict[str, Any], tensors: Mapping[tuple[str, int], str], where: str) -> str:
        kind = given.get("class_name")
        config = given.get("config")
        match kind:
            case None:
                return "{" + ", ".join(f"{key!r}: {self.value(value, tensors, where)}" for key, value in given.items()) + "}"
            case "__keras_tensor__":
                return self._tensor(given, tensors, where)
            case "__tuple__":
                items = [self.value(item, tensors, where) for item in given.get("items") or config or []]
                return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
            case "__ellipsis__":
                return "..."
            case "__slice__" if isinstance(config, dict):
                return f"slice({', '.join(self.value(config.get(key), tensors, where) for key in ('start', 'stop', 'step'))})"
            case "__numpy__" | "__tensor__" if isinstance(config, dict):
                return f"keras.ops.convert_to_tensor({self.value(config.get('value'), tensors, where)}, dtype={self.dtype(config.get('dtype'))})"
            case "DTypePolicy":
                return self.dtype(given)
            case "function" if isinstance(config, str) and given.get("registered_name") in (None, config):
                return repr(config)
            case _ if given.get("module") in _LAYERS and isinstance(config, dict):
                return self._layer(given, where)
            case _:
                return self.constructed(given, where) if isinstance(config, dict) else self.unknown(given, where)

    def _tensor(self, given: dict[str, Any], tensors: Mapping[tuple[str, int], str], where: str) -> str:
        layer, node, index = _history(given, where)
        if (layer, node) not in tensors:
            raise Malformed(f"reads the result {node} of {layer} at {where}, which it does not hold")
        return _result(tensors[layer, node], index)

    def arguments(self, node: object, tensors: Mapping[tuple[str, int], str], where: str) -> str:
        """The arguments of one call of a layer."""
        if isinstance(node, list):  # the form before Keras 3: [[layer, node, tensor, keywords], …]
            read = [_result(tensors[one], index) for one, index in _older(node, where)]
            return read[0] if len(read) == 1 else f"[{', '.join(read)}]"
        inside = expect(node, dict, f"{where}.inbound_nodes")
        given = [self.value(item, tensors, where) for item in expect(inside.get("args") or [], list, where)]
        named = {key: value for key, value in expect(inside.get("kwargs") or {}, dict, where).items() if value is not None}
        return ", ".join([*given, *(f"{key}={self.value(value, tensors, where)}" for key, value in named.items() if key.isidentifier())])

    def read_by(self, node: object) -> list[tuple[str, int]]:
        """The results that a call reads."""
        if isinstance(node, list):
            return [one for one, _ in _older(node, "inbound_nodes")]
        found: list[tuple[str, int]] = []
        pending: list[Any] = [node]
        while pending:
            one = pending.pop()
            if isinstance(one, dict) and one.get("class_name") == _TENSOR:
                layer, index, _ = _history(one, "inbound_nodes")
                found.append((layer, index))
            elif isinstance(one, dict):
                pending += one.values()
            elif isinstance(one, list):
                pending += one
        return found

    def structure(self, given: object, tensors: Mapping[tuple[str, int], str], where: str) -> str:
        """Lists and dicts of `[layer, node, tensor]`."""
        if isinstance(given, dict):
            return "{" + ", ".join(f"{key!r}: {self.structure(value, tensors, where)}" for key, value in given.items()) + "}"
        inside: list[Any] = expect(given, list, where)
        if len(inside) == 3 and isinstance(inside[0], str) and isinstance(inside[1], int) and isinstance(inside[2], int):
            if (inside[0], inside[1]) not in tensors:
                raise Malformed(f"names the result {inside[1]} of {inside[0]} at {where}, which it does not hold")
            return _result(tensors[inside[0], inside[1]], inside[2])
        return f"[{', '.join(self.structure(item, tensors, where) for item in inside)}]"

    def item(self, node: object, tensors: Mapping[tuple[str, int], str], where: str) -> str:
        """An operation `GetItem`: a tensor and what is looked up in it; a list stands for the tuple between the brackets."""
        given = node.get("args") if isinstance(node, dict) else None
        if not isinstance(given, list) or len(given) != 2:
            raise Malformed(f"has an index {where} without a key")
        key: Any = given[1]
        if isinstance(key, dict) and key.get("class_name") == "__tuple__":
            key = key.get("items") or key.get("config") or []
        inside = ", ".join(self.value(one, tensors, where) for one in key) or "()" if isinstance(key, list) else self.value(key, tensors, where)
        return f"{self.value(given[0], tensors, where)}[{inside}]"


def _result(variable: str, index: int) -> str:
    """One of the tensors that a call gives."""
    return f"result({variable}, {index})"


def _arguments(name: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """The entries of a configuration that the constructor takes: others that say nothing are left out."""
    known = {argument.theirs for row in rows(name) for argument in row.arguments} | _OF_EVERY_LAYER
    silent = {key for key, value in config.items() if key in _NOT_ARGUMENTS or (key not in known and value in (None, False))}
    return {key: value for key, value in config.items() if key not in silent}


def _history(given: Mapping[str, Any], where: str) -> tuple[str, int, int]:
    history = field(field(given, "config", dict, where), "keras_history", list, where)
    if len(history) != 3:
        raise Malformed(f"has a tensor without a layer at {where}")
    return expect(history[0], str, where), expect(history[1], int, where), expect(history[2], int, where)


def _older(node: list[Any], where: str) -> list[tuple[tuple[str, int], int]]:
    entries = [node] if node and isinstance(node[0], str) else node
    found: list[tuple[tuple[str, int], int]] = []
    for entry in entries:
        one = expect(entry, list, where)
        if len(one) < 3:
            raise Malformed(f"has a tensor without a layer at {where}")
        found.append(((expect(one[0], str, where), expect(one[1], int, where)), expect(one[2], int, where)))
    return found
