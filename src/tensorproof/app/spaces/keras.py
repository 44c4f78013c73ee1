"""A saved model of Keras whose hyperparameters are bound to the parameters of a space: the program that builds it gets the values in place of those in
its configuration, so that all weights follow."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from difflib import get_close_matches
from typing import Any

from tensorproof.app.models.keras import OURS, at_layer, source_of
from tensorproof.app.program import Options
from tensorproof.app.spaces.naming import once_each
from tensorproof.app.spaces.programs import standing_for
from tensorproof.diagnostics.diagnostic import Gap
from tensorproof.diagnostics.errors import BadInput
from tensorproof.diagnostics.span import Span
from tensorproof.engines.space.models import inputs
from tensorproof.engines.space.models.arguments import refuse
from tensorproof.engines.space.models.naming import AXIS, INPUT, PARTS
from tensorproof.engines.space.parameters import Parameter
from tensorproof.engines.space.scenarios import Given
from tensorproof.frontends import keras
from tensorproof.frontends.python.explore import explore
from tensorproof.frontends.python.modules.chosen_values import constant
from tensorproof.ops.record import Requirement
from tensorproof.solve import limits
from tensorproof.terms.ints import Term
from tensorproof.terms.predicates import ge
from tensorproof.terms.records import dataclass, replace
from tensorproof.values.directives import Directives
from tensorproof.values.path import Path, Stated

_OF_NO_VECTOR = ("name", "layers", "input_layers", "output_layers", "batch_shape")
"""What a configuration holds beside hyperparameters."""


@dataclass(frozen=True, slots=True)
class _Target:
    """A key in the configuration of a layer, or what a word says of an input."""

    layer: str
    word: str
    index: int | None = None
    of_input: bool = False


class KerasSpace:
    """Analyses the program that builds a saved model, with some values of its configuration chosen."""

    def __init__(self, path: str, parameters: Sequence[Parameter], options: Options) -> None:
        self.path = path
        self.options = options
        self.given = keras.configuration(path)
        self.layers = dict(_layers(self.given))
        self.form = next((c["data_format"] for c in self.layers.values() if c.get("data_format") in (inputs.FIRST, inputs.LAST)), inputs.LAST)
        self.parameters = {p.name: p for p in parameters}
        named = self._given(options)
        self.targets = {p.name: named.get(p.name) or self._target(p) for p in parameters}
        once_each(path, self.targets)

    def analyse(self, given: Given) -> list[Path]:
        """The paths with a symbol for each parameter that is None, and others as they are given."""
        config, values = deepcopy(self.given), dict[str, Any]()
        layers = dict(_layers(config))
        for number, (name, value) in enumerate(given.items()):
            values[f"chosen{number}"] = self._standing(name) if value is None else value
            self._put(layers, self.targets[name], keras.Chosen(f"chosen{number}"))
        for name in filter(self._is_format, given):
            layer, form = self.targets[name].layer, given[name]
            changes = {"format": self.parameters[name].values[0] if form is None else form}
            layers[layer]["batch_shape"] = list(inputs.arranged(tuple(layers[layer]["batch_shape"]), changes, self.form, layer))
        model = keras.built(self.path, config, {})
        source = source_of(self.path, model)
        source = replace(source, tree=_Put(values).visit(source.tree), directives=Directives(advise=True))
        with limits.limited(self.options.time_limit):
            found = explore(source, stop_at_error=True).paths
        own = [] if not given else [*self._sizes(given, values)]
        return [self._at_layers(path, model, own, self._undecided(given)) for path in found]

    def _standing(self, name: str) -> Any:
        p = self.parameters[name]
        return p.values[0] if self._is_listed(name) else standing_for(p)

    def _is_listed(self, name: str) -> bool:
        """Whether a parameter is analysed value by value: a format, an element type, or negative numbers, which have meanings of their own."""
        p, target = self.parameters[name], self.targets[name]
        return target.word == "dtype" or self._is_format(name) or (not target.of_input and p.whole and min(p.numbers) < 0)

    def _is_format(self, name: str) -> bool:
        return self.targets[name].of_input and self.targets[name].word == "format"

    def _undecided(self, given: Given) -> list[Gap]:
        """While a parameter that is analysed value by value is open, nothing is known."""
        open_ = [name for name in filter(self._is_listed, given) if given[name] is None and len(self.parameters[name].values) > 1]
        return [Gap(name, Span(self.path, 1, 1, 1, 2), "it is analysed value by value") for name in open_]

    def _sizes(self, given: Given, values: Mapping[str, Any]) -> Iterator[Stated]:
        for name, value in zip(given, values.values()):
            target = self.targets[name]
            if target.of_input and target.word not in inputs.WORDS and isinstance(value, (int, Term)):
                requirement = Requirement("graph/size", ge(value, 0), f"{name} is {value!r}: a size must not be negative", (name,))
                yield Stated(requirement, Span(self.path, 1, 1, 1, 2, target.layer))

    def _at_layers(self, path: Path, model: keras.SavedModel, own: list[Stated], open_: list[Gap]) -> Path:
        """The path with the layers in place of the program's lines. What Keras itself wrote is an argument that it takes."""
        ours = [one for one in path.stated if one.requirement.code in OURS]
        path.stated = [*own, *(replace(one, span=at_layer(self.path, model, one.span)) for one in path.stated if one not in ours)]
        gaps = [*open_, *path.gaps, *(Gap(one.requirement.code, one.span, one.requirement.message) for one in ours)]
        gaps += [Gap(one.code, one.span, one.message) for one in path.findings if one.code in OURS]
        path.gaps = [replace(gap, span=at_layer(self.path, model, gap.span)) for gap in gaps]
        path.later = [replace(gap, span=at_layer(self.path, model, gap.span)) for gap in path.later]
        path.findings = [replace(one, span=at_layer(self.path, model, one.span)) for one in path.findings if one.code not in OURS]
        return path

    def _put(self, layers: Mapping[str, dict[str, Any]], target: _Target, chosen: keras.Chosen) -> None:
        config = layers[target.layer]
        if not target.of_input:
            held = _holder(config, target.word) or config
            held[target.word] = _at(held[target.word], target.index, chosen)
        elif target.word == "dtype":
            config["dtype"] = chosen
        elif target.word != "format":
            axes = config["batch_shape"]
            at = int(target.word) if target.word.isdecimal() else inputs.axis_of(target.word, len(axes), self.form)
            config["batch_shape"] = _at(axes, at, chosen)

    # --- names ---

    def _given(self, options: Options) -> dict[str, _Target]:
        """Put the shapes of inputs that the user gave into the configuration; a size may be a parameter."""
        found: dict[str, _Target] = {}
        for name, given in options.inputs.items():
            if not isinstance(self.layers.get(name, {}).get("batch_shape"), list):
                raise BadInput(f"--input {name}: the model has no such input")
            sizes = given.sizes if given.sizes is not None else (None,) * given.rank
            self.layers[name]["batch_shape"] = [size if isinstance(size, int) else None for size in sizes]
            for axis, size in enumerate(sizes):
                if isinstance(size, str) and size in self.parameters:
                    if size in found:
                        raise BadInput(f"--input {name}: the parameter {size} stands for two sizes; name each axis, such as {name}[{axis}]")
                    found[size] = _Target(name, str(axis), None, True)
        return found

    def _target(self, p: Parameter) -> _Target:
        found = self._input(p) or self._layer(p)
        if found is None:
            raise self._unbound(p.name)
        return found

    def _input(self, p: Parameter) -> _Target | None:
        match, alone = PARTS.fullmatch(p.name), AXIS.fullmatch(p.name)
        layer = alone["layer"] if alone is not None and (match is None or "." not in p.name) else match["layer"] if match is not None else ""
        word = alone["index"] if alone is not None and (match is None or "." not in p.name) else match["word"] if match is not None else ""
        own = [name for name, config in self.layers.items() if isinstance(config.get("batch_shape"), list)]
        layer = own[0] if layer in INPUT and layer not in own and len(own) == 1 else layer
        if layer not in own:
            return None
        axes = self.layers[layer]["batch_shape"]
        for value in p.values:
            if word == "format":
                inputs.format_of(value, p.name)
            elif word == "dtype":
                inputs.checked_dtype(value, p.name)
            elif type(value) is not int:
                raise BadInput(f"the parameter {p.name} has the value {value}: a size is a whole number")
        known = word in inputs.WORDS or (int(word) < len(axes) if word.isdecimal() else inputs.axis_of(word, len(axes), self.form) is not None)
        return _Target(layer, word, None, True) if known else None

    def _layer(self, p: Parameter) -> _Target | None:
        match = PARTS.fullmatch(p.name)
        config = self.layers.get(match["layer"]) if match is not None else None
        held = _holder(config, match["word"]) if config is not None and match is not None else None
        if match is None or held is None:
            return None
        before, index = held[match["word"]], int(match["index"]) if match["index"] else None
        if index is not None and not (isinstance(before, list) and index < len(before)):
            return None
        if not isinstance(before, (dict, type(None))) and not (isinstance(before, list) and before and isinstance(before[0], (list, dict))):
            refuse(p.name, before, p.values)
        return _Target(match["layer"], match["word"], index)

    def _unbound(self, name: str) -> BadInput:
        match = PARTS.fullmatch(name)
        config = self.layers.get(match["layer"]) if match is not None else None
        if match is not None and config is not None:
            words = [word for word in config if word not in _OF_NO_VECTOR]
            words += inputs.words(len(config["batch_shape"]), self.form) if isinstance(config.get("batch_shape"), list) else []
            close = get_close_matches(match["word"], words, 3, 0.5) or words[:4]
            return BadInput(f"{self.path}: {match['layer']} has no hyperparameter {match['word']}; the closest names are {', '.join(close)}")
        known = [f"{layer}.{word}" for layer, config in self.layers.items() for word in config if word not in _OF_NO_VECTOR]
        close = get_close_matches(name, known, 3, 0.5)
        hint = f"; the closest names are {', '.join(close)}" if close else f"; the layers are {', '.join([*self.layers][:8])}"
        return BadInput(f"{self.path} has no layer or input with the hyperparameter {name}{hint}")


class _Put(ast.NodeTransformer):
    """Puts the chosen values in place of their variables."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return constant(self.values[node.id], node) if node.id in self.values else node


def _layers(given: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The configurations of all layers by name, those of nested models and wrapped layers included; of two with one name, the outer."""
    pending, seen = [given], set[str]()
    while pending:
        one = pending.pop(0)
        if isinstance(one, dict):
            config = one.get("config")
            if isinstance(one.get("class_name"), str) and isinstance(config, dict) and isinstance(name := config.get("name"), str) and name not in seen:
                seen.add(name)
                yield name, config
            pending += one.values()
        elif isinstance(one, list):
            pending += one


def _holder(config: dict[str, Any], word: str) -> dict[str, Any] | None:
    """The configuration that has a key: a layer's own, or that of the layer that it wraps."""
    if word in config and word not in _OF_NO_VECTOR:
        return config
    wrapped = config.get("layer")
    inner = wrapped.get("config") if isinstance(wrapped, dict) else None
    return inner if isinstance(inner, dict) and word in inner and "backward_layer" not in config else None


def _at(before: Any, index: int | None, chosen: keras.Chosen) -> Any:
    return chosen if index is None else [chosen if at == index else one for at, one in enumerate(before)]
