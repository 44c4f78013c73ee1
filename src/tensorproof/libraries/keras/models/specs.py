"""Inputs and outputs of any model of Keras, functional or sequential, as symbolic tensors and by their names."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries.keras.models import graph as keras_graph
from tensorproof.libraries.keras.models.sequential import ends
from tensorproof.libraries.tensorflow import tape
from tensorproof.terms.tensor import TensorType
from tensorproof.values import Dict, Instance, Machine, Model, Value


def call_model(m: Machine, model: Value, inputs: Value, training: Value, node: ast.AST) -> Value:
    """Call any model with data, for training or not."""
    return m.call(model, (inputs,), {} if training is None else {"training": training}, node)


def graph_of(model: Value) -> Any:
    """The functional model that a value is: itself, or the one that an object of the program's class was made from."""
    return model.native if isinstance(model, Instance) and isinstance(model.native, Model) else model


def input_specs(m: Machine, model: Value) -> list[TensorType] | None:
    """The model's inputs as symbolic tensors, in order; None when they are not known yet."""
    found = ends_of(m, model)
    return None if found is None else tape.tensors_in(found[0])


def input_names(m: Machine, model: Value) -> list[Value] | None:
    found = ends_of(m, model)
    if found is None:
        return None
    if isinstance(found[0], Dict):
        return list(found[0].items)
    return [keras_graph.input_layer(m, t).space["name"] if tape.is_leaf(m, t) else None for t in tape.tensors_in(found[0])]


def output_names(m: Machine, model: Value) -> list[Value] | None:
    """The names by which losses may be given: those of the layers that make the outputs, or the keys of a dict of outputs."""
    found = ends_of(m, model)
    if found is None:
        return None
    if isinstance(found[1], Dict):
        return list(found[1].items)
    names: list[Value] = []
    for one in tape.tensors_in(found[1]):
        step = keras_graph.made_by(m, one)
        layer = None if step is None else keras_graph.layer_of(m, step)
        names.append(None if layer is None else keras_graph.layer_name(layer))
    return names


def ends_of(m: Machine, model: Value) -> tuple[Value, Value] | None:
    return ends(m, graph_of(model))
