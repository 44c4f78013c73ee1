"""Saved models of any format as program forms: what their nodes compute, and the ranges of the weights that the files hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tensorproof.app.check import Options
from tensorproof.app.keras_files import at_layer, saved, source_of
from tensorproof.app.models import graphs, inputs
from tensorproof.diagnostics.diagnostic import Gap
from tensorproof.diagnostics.errors import BadInput
from tensorproof.diagnostics.span import Span
from tensorproof.engines.shapes.found import Found
from tensorproof.engines.shapes.propagate import propagate
from tensorproof.engines.values.stored import bounds_of
from tensorproof.frontends import keras
from tensorproof.frontends.python.explore import explore
from tensorproof.frontends.python.machine import Interpreter
from tensorproof.graph import Graph
from tensorproof.program.form import Computed, Loop, Record, Source
from tensorproof.terms.records import dataclass, field, replace
from tensorproof.terms.tensor import TensorType


@dataclass(slots=True)
class ModelForm:
    """The program form of one graph. `names` are those of nodes and layers, by the identity of their tensors."""

    records: Sequence[Record]
    names: dict[int, list[str]]
    gaps: list[Gap] = field(default_factory=list[Gap])
    kept: list[object] = field(default_factory=list[object])
    """What holds the named tensors, so that their identities stay theirs."""


def model_forms(path: str, options: Options) -> Iterator[ModelForm]:
    """The program forms of a saved model: one for each of its graphs. Raises `BadInput`."""
    if options.arguments or options.entry is not None:
        raise BadInput(f"{path} is a saved model: it takes no program arguments and no --entry")
    if path.removesuffix(".gz").endswith(".keras"):
        yield from _of_keras(path, options)
        return
    for graph in graphs(path):
        yield of_graph(path, graph, inputs(graph, options))


def of_graph(path: str, graph: Graph, given: Mapping[str, TensorType]) -> ModelForm:
    """The program form of a graph, whose inputs are as given."""
    found = propagate(graph, given, path)
    names: dict[int, list[str]] = {}
    for node, outputs in found.outputs.items():
        for i, tensor in enumerate(outputs):
            names.setdefault(id(tensor), []).append(node if i == 0 else f"{node}:{i}")
    gaps = [Gap(name, Span(path, 1, 1, 1, 2, node), "the operator is not known") for node, name in found.missing]
    gaps += [Gap(node, Span(path, 1, 1, 1, 2, node), why) for node, why in found.unknown]
    return ModelForm([*weights(path, found), *found.program.records], names, gaps, [found])


def weights(path: str, found: Found) -> list[Source]:
    """The ranges of constants that are too large to be kept element by element."""
    made: list[Source] = []
    for node, tensor, constant in found.constants:
        bounds = bounds_of(constant) if tensor.contents is None else None
        if bounds is not None:
            made.append(Source(tensor, "weights in the file", *bounds, Span(path, 1, 1, 1, 2, node)))
    return made


def _of_keras(path: str, options: Options) -> Iterator[ModelForm]:
    """The program that builds a model, with the layers in place of its lines."""
    model = saved(path, options)
    names: dict[int, list[str]] = {}
    kept: list[object] = []

    def ended(m: Interpreter) -> None:
        for variable, value in m.modules.main.space.items():
            if isinstance(value, TensorType) and variable in model.variables:
                names.setdefault(id(value), []).append(model.variables[variable])
                kept.append(value)

    for one in explore(source_of(path, model), ended=ended, record=True).paths:
        if one.program is not None:
            gaps = [replace(gap, span=at_layer(path, model, gap.span)) for gap in (*one.gaps, *one.later)]
            yield ModelForm([_at_layers(path, model, record) for record in one.program.records], names, gaps, kept)


def _at_layers(path: str, model: keras.SavedModel, record: Record) -> Record:
    if isinstance(record, Loop):
        return replace(record, body=tuple(_at_layers(path, model, one) for one in record.body), span=at_layer(path, model, record.span))
    return replace(record, span=at_layer(path, model, record.span)) if isinstance(record, (Computed, Gap)) else record
