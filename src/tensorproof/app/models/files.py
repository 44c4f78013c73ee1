"""Saved models of any format as program forms: what their nodes compute, and the ranges of the weights that the files hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tensorproof.app.models.check import gaps, graphs, inputs, not_entered, refusals, untyped
from tensorproof.app.models.form import ModelForm
from tensorproof.app.program import Options
from tensorproof.diagnostics.errors import BadInput
from tensorproof.diagnostics.span import Span
from tensorproof.engines.numerics.inputs.graph_inputs import numbered
from tensorproof.engines.shapes.found import Found
from tensorproof.engines.shapes.propagate import propagate
from tensorproof.engines.shapes.sources import source
from tensorproof.engines.values.stored import bounds_of
from tensorproof.graph import Graph
from tensorproof.program.form import Source
from tensorproof.terms.tensor import TensorType


def model_forms(path: str, options: Options, weights: bool = True) -> Iterator[ModelForm]:
    """The program forms of a saved model, one for each of its graphs; without `weights` nothing is known of its parameters. Raises `BadInput`."""
    if options.arguments or options.entry is not None:
        raise BadInput(f"{path} is a saved model: it takes no program arguments and no --entry")
    if path.removesuffix(".gz").endswith(".keras"):
        from tensorproof.app.models.keras_forms import keras_forms  # which runs a program

        yield from keras_forms(path, options)
        return
    for graph in graphs(path):
        own = inputs(graph, options)
        given, assumed = numbered(graph, own, {})
        made, refused = of_graph(path, graph, given if weights else {**_open(graph), **given}, weights)
        if refused and assumed:
            from tensorproof.app.models.sizes import fitting_sizes

            given, assumed = numbered(graph, own, fitting_sizes(path, graph, options))
            made, _ = of_graph(path, graph, given if weights else {**_open(graph), **given}, weights)
        made.shapes.update(assumed)
        yield made


def _open(graph: Graph) -> dict[str, TensorType]:
    """The parameters of an exported program without their elements."""
    held = {name: source(node) for name, node in graph.nodes.items() if node.attributes.get("role") == "parameter"}
    return {name: made[0].but(contents=None, parameter=True) for name, made in held.items() if made}


def of_graph(path: str, graph: Graph, given: Mapping[str, TensorType], held: bool = True) -> tuple[ModelForm, bool]:
    """The program form of a graph, whose inputs are as given, and whether a node does not take them; `held`: with the ranges of the weights that it holds."""
    found = propagate(graph, given, path)
    names: dict[int, list[str]] = {}
    for node, outputs in found.outputs.items():
        for i, tensor in enumerate(outputs):
            names.setdefault(id(tensor), []).append(node if i == 0 else f"{node}:{i}")
    for name, tensor in found.sources:
        if name not in names.setdefault(id(tensor), []):
            names[id(tensor)].append(name)
    left = [*gaps(path, found), *refusals(path, found), *not_entered(path, graph, found), *untyped(path, graph)]
    return ModelForm([*(ranges(path, found) if held else ()), *found.program.records], names, left, [found]), bool(found.refused)


def ranges(path: str, found: Found) -> list[Source]:
    """The ranges of constants that are too large to be kept element by element."""
    made: list[Source] = []
    for node, tensor, constant in found.constants:
        bounds = bounds_of(constant) if tensor.contents is None else None
        if bounds is not None:
            made.append(Source(tensor, "weights in the file", *bounds, Span(path, 1, 1, 1, 2, node)))
    return made
