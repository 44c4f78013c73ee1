"""What `load_model` must find by name: classes and functions of the program are registered, given as `custom_objects`, or not found."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tensorproof.libraries.keras.models import graph as keras_graph
from tensorproof.libraries.keras.models.order import layers_of
from tensorproof.values import Args, Class, Dict, Function, Instance, Kwargs, List, Machine, Model, Native, Value

_REGISTERED, _ALL, _UNSAFE = "keras.registered", "keras.scope of names", "keras.unsafe"
_HOME = "keras.saving."


def register(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`@register_keras_serializable(...)`: the class itself, which is found by its name from now on."""

    def run(machine: Machine, given: Args, named: Kwargs, at: ast.AST) -> Value:
        if given:
            machine.model_state.setdefault(_REGISTERED, {})[id(given[0])] = given[0]
        return given[0] if given else None

    plain = args and not isinstance(args[0], (str, List)) and not kwargs
    return run(m, args, {}, node) if plain else Native("register", run)


def named_objects(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`get_custom_objects()`: a dict that the program fills."""
    kept = keras_graph.state(m)
    if "custom objects" not in kept:
        kept["custom objects"] = Dict(m.heap.entries({}))
    return kept["custom objects"]


def _scope(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    m.model_state[_ALL] = True  # what a scope holds, and how long, is not followed
    return Model("context", m.heap.space())


def _unsafe(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    m.model_state[_UNSAFE] = True


def check(m: Machine, model: Model | Instance, kwargs: Kwargs, compiled: Value, node: ast.AST) -> None:
    """Whether all that a saved model is made of is found."""
    given = kwargs.get("custom_objects")
    if m.model_state.get(_ALL) or (given is not None and not isinstance(given, Dict)):
        return
    known = keras_graph.state(m).get("custom objects")
    names = {k for held in (given, known) if isinstance(held, Dict) for k in held.items}
    registered = m.model_state.get(_REGISTERED, {})
    for one in (*_parts(m, model), *(_words(compiled) if compiled is not None else ())):
        if isinstance(one, Function) and isinstance(one.code.node, ast.Lambda):
            if kwargs.get("safe_mode", True) is not False and not m.model_state.get(_UNSAFE):
                message = "a Lambda layer around a lambda is not loaded unless safe_mode=False: write a layer or a registered function"
                raise m.raised("ValueError", message, node, "keras/load")
            continue
        named = one.cls if isinstance(one, Instance) else one
        name = named.name if isinstance(named, (Class, Function)) else None
        if name is not None and name not in names and id(named) not in registered:
            message = f"{name} is not found by its name: decorate it with @keras.saving.register_keras_serializable() or give it as custom_objects"
            raise m.raised("TypeError", message, node, "keras/load")


def own_layers(m: Machine, model: Value) -> list[Instance]:
    """The layers of the program's own classes that are made again when a model is loaded."""
    return [one for one in _parts(m, model) if isinstance(one, Instance)]


def _parts(m: Machine, model: Value) -> Iterator[Value]:
    """The program's own layers and functions in a model; of a model of its own class that alone is made by name."""
    if isinstance(model, Instance):
        yield model
    elif isinstance(model, Model) and model.kind in ("keras.Sequential", "keras.Model"):
        for layer in layers_of(m, model):
            yield from _parts(m, layer)
    elif isinstance(model, Model) and model.kind == "keras.layers.Lambda":
        yield model.space.get("function")


def _words(compiled: Value) -> Iterator[Value]:
    """The program's own losses and metrics of a compiled model."""
    waiting = [compiled.space.get(k) for k in ("loss", "metrics", "weighted_metrics")] if isinstance(compiled, Model) else []
    while waiting:
        one = waiting.pop()
        if isinstance(one, (List, tuple)):
            waiting.extend(one.items if isinstance(one, List) else one)
        elif isinstance(one, Dict):
            waiting.extend(one.items.values())
        elif (isinstance(one, Function) and not isinstance(one.code.node, ast.Lambda)) or isinstance(one, Instance):
            yield one


FUNCTIONS: dict[str, object] = {
    _HOME + "register_keras_serializable": register, _HOME + "get_custom_objects": named_objects, _HOME + "custom_object_scope": _scope,
    "keras.config.enable_unsafe_deserialization": _unsafe,
}  # fmt: skip
