"""Calls of a library's layers: their hooks, and the operator that they apply."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.call import Outcome, call_module
from tensorproof.bindings.modules import Module
from tensorproof.bindings.partial_calls import call_module_partly
from tensorproof.frontends.python.attributes import library_names
from tensorproof.frontends.python.calls import outcomes
from tensorproof.frontends.python.calls.chosen_arguments import distributed_call
from tensorproof.frontends.python.tensors import tensors
from tensorproof.libraries import layers
from tensorproof.libraries.torch.module_tree import COMPUTED
from tensorproof.values.heap import MISSING
from tensorproof.values.python_values import Layer, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def call_layer(m: Interpreter, layer: Layer, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """Call a library's layer, with its hooks."""
    if layer.hooks:
        return layers.call_hooked(m, layer, args, kwargs, node, lambda given, named: forward_of_layer(m, layer, given, named, node))
    return forward_of_layer(m, layer, args, kwargs, node)


def forward_of_layer(m: Interpreter, layer: Layer, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """What a layer computes, without its hooks: the `forward` that the program assigned to it or to its class, or its own."""
    if "forward" in layer.tensors:
        return m.call(layer.tensors["forward"], args, kwargs, node)
    if "library names" in m.model_state and layer.module is not None:
        assigned = library_names.written(m, f"{layer.module.name}.forward")
        if assigned is not MISSING:
            return m.call(assigned, (layer, *args), kwargs, node)
        if library_names.layer_called(m, layer.module.row.op, node):
            return Unknown("what a layer gives")
    return own_forward(m, layer, args, kwargs, node)


def own_forward(m: Interpreter, layer: Layer, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """What a layer computes as the library defines it."""
    if layer.module is None:
        return layers.call_container(m, layer, args, kwargs, node)
    if COMPUTED not in layer.tensors:
        return _as_declared(m, layer, args, kwargs, node)
    module = _module(layer)
    kept = dict(module.parameters)
    module.parameters.update(layers.computed_values(m, layer, node))
    try:
        return _as_declared(m, layer, args, kwargs, node)
    finally:  # the next call computes them anew, and so does each use
        module.parameters.update(kept)


def _as_declared(m: Interpreter, layer: Layer, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """What a layer with the tensors that it has computes."""
    distributed = distributed_call(m, args, kwargs, lambda a, k: own_forward(m, layer, a, k, node))
    if distributed is not MISSING:
        return distributed
    if _module(layer).row.framework == "keras":
        name = _module(layer).name
        if name.startswith("keras.losses."):
            if name.endswith(".SparseCategoricalCrossentropy"):
                from tensorproof.libraries.keras.training.losses import called

                called(m, layer, args, kwargs, node)
            return layers.keras_result(m, name, run_layer(m, layer, args, kwargs, node), args, kwargs, len(m.path.stated))
        return layers.call_keras_layer(m, layer, args, kwargs, node)
    return run_layer(m, layer, args, kwargs, node)


def run_layer(m: Interpreter, layer: Layer, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """Apply a layer's operator to tensors."""
    plain_args, plain_kwargs = tensors.plain(m, args, node), {k: tensors.plain(m, v, node) for k, v in kwargs.items()}
    if tensors.has_unknown(plain_args) or (plain_kwargs and tensors.has_unknown(tuple(plain_kwargs.values()))):
        return _partly_known(m, layer, plain_args, plain_kwargs, args, kwargs, node)
    m.session.site = f"@{getattr(node, 'lineno', 0)}"
    if not layer.own.built and layer.own.row.framework == "torch":  # a lazy layer gets its parameters here
        m.remember(layer, "module", layer.module)

    def again(module: Module) -> Outcome:
        if "reshaped parameters" not in m.model_state:
            return call_module(module, plain_args, plain_kwargs, m.session)
        with _current(m, module):
            return call_module(module, plain_args, plain_kwargs, m.session)

    outcome = again(_module(layer))
    return outcomes.taken(m, layer.own.name, outcome, args, kwargs, node, layer, lambda: again(_module(layer)), again)


def _module(layer: Layer) -> Module:
    assert isinstance(layer.module, Module)
    return layer.module


def _partly_known(m: Interpreter, layer: Layer, given: Any, named: dict[str, Value], args: Value, kwargs: Value, node: ast.AST) -> Value:
    """A layer that gets something that is not known: what it gives whatever that is. That it works is not proved."""
    m.session.site = f"@{getattr(node, 'lineno', 0)}"
    outcome = call_module_partly(_module(layer), given, named, m.session)
    if outcome is None or outcome.unknown is not None:
        return m.gap(layer.own.name, node, "an argument is not known")
    if outcome.refused is None:
        m.gap(layer.own.name, node, "an argument is not known")
    return outcomes.taken(m, layer.own.name, outcome, args, kwargs, node, layer)


@contextmanager
def _current(m: Interpreter, module: Module) -> Iterator[None]:
    """A layer with its parameters as they are described now: `layer.weight.data = …` may have given one another shape."""
    kept = dict(module.parameters)
    module.parameters.update({name: m.memory.current(t) for name, t in kept.items()})
    try:
        yield
    finally:
        module.parameters.update(kept)
