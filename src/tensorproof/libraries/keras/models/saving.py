"""Saving and loading of Keras models: what the program itself has saved under a name comes back under that name; files are never read."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from tensorproof.libraries.keras import auto_config
from tensorproof.libraries.keras.models import configs
from tensorproof.libraries.keras.models import graph as keras_graph
from tensorproof.libraries.keras.models.order import layers_of
from tensorproof.libraries.plain import argument
from tensorproof.terms import TensorType, eq
from tensorproof.values import MISSING, NOWHERE, Args, Class, Dict, Function, Instance, Kwargs, List, Machine, Model, Native, Value

STATE = "*compiled*"
"""Where a model keeps what it was compiled with."""
WEIGHTS = "weights of "
"""Before a path under which weights alone were saved."""


def path_of(value: Value) -> str | None:
    """A path that is known."""
    if isinstance(value, Model) and value.kind == "pathlib.Path":
        value = value.space.get("text")
    return value if isinstance(value, str) else None


def _keep(m: Machine, path: str | None, value: Value, prefix: str = "") -> None:
    files = m.model_state["files"]
    if path is None:  # any file may be written over
        for known in [k for k in files if isinstance(k, str)]:
            m.heap.delete(files, known)
    else:
        m.heap.set(files, prefix + path, value)


def keep_model(m: Machine, path: Value, model: Value) -> None:
    """A callback saves the model under a path; one with places for numbers names no file that we know."""
    text = path_of(path)
    if text is not None and "{" not in text:
        _keep(m, text, model)
        _keep(m, text, _shapes(m, model, NOWHERE), WEIGHTS)


def _save(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    path = path_of(argument(args, kwargs, 0, "filepath"))
    if kwargs.get("save_format") == "tf":
        raise m.raised("ValueError", "save_format='tf' is no longer supported: save as .keras, or export()", node, "keras/path")
    if path is not None and not path.endswith((".keras", ".h5", ".hdf5")):
        raise m.raised("ValueError", f"a model is saved under a path that ends in .keras or .h5, not {path!r}", node, "keras/path")
    _asked(m, path, argument(args, kwargs, 1, "overwrite", True), node)
    for one in own_layers(m, me):
        auto_config.saved(m, one, node)
    _keep(m, path, me)
    if path is not None:
        _keep(m, path, _shapes(m, me, node), WEIGHTS)


def _asked(m: Machine, path: str | None, overwrite: Value, node: ast.AST) -> None:
    """Without `overwrite` Keras asks at the terminal whether a file that is there may be written over."""
    if overwrite is not True and (path is None or {path, WEIGHTS + path} & set(m.model_state["files"])):
        m.gap("save", node, "whether the file is there, and may be written over, is asked at the terminal")


def _save_weights(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    path = path_of(argument(args, kwargs, 0, "filepath"))
    if path is not None and not path.endswith(".weights.h5"):
        raise m.raised("ValueError", f"weights are saved under a path that ends in .weights.h5, not {path!r}", node, "keras/path")
    if isinstance(me, (Model, Instance)) and m.attribute(me, "built", node) is False:
        raise m.raised("ValueError", "the model is not built yet, and has no weights to save: call it on data first", node, "keras/weights")
    _asked(m, path, argument(args, kwargs, 1, "overwrite", True), node)
    _keep(m, path, _shapes(m, me, node), WEIGHTS)


def _shapes(m: Machine, me: Value, node: ast.AST) -> tuple[Any, ...] | None:
    """The shapes of a model's weights in order; None when they are not known."""
    found = m.attribute(me, "weights", node)
    items = list(found.items) if isinstance(found, List) else None
    if items is None:
        return None
    tensors = [i.space.get("tensor") if isinstance(i, Model) else i for i in items]
    known = [t.shape for t in tensors if isinstance(t, TensorType) and t.shape.known]
    return tuple(known) if len(known) == len(tensors) else None


def _load_weights(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    path = path_of(argument(args, kwargs, 0, "filepath"))
    if path is not None and not path.endswith((".h5", ".hdf5", ".keras")) and "." in path.rpartition("/")[2]:
        raise m.raised("ValueError", f"weights are loaded from a .weights.h5, .h5 or .keras file, not from {path!r}", node, "keras/path")
    saved = None if path is None else m.model_state["files"].get(WEIGHTS + path)
    if saved is None or kwargs.get("skip_mismatch") is True or kwargs.get("by_name") is True:
        return
    mine = _shapes(m, me, node)
    if mine is None:
        return
    if not mine:
        raise m.raised("ValueError", "the model has no weights yet: build it before loading", node, "keras/weights")
    if len(mine) > len(saved):
        raise m.raised("ValueError", f"the model has {len(mine)} weights, and the file {len(saved)}", node, "keras/weights")
    for at, (a, b) in enumerate(zip(mine, saved)):
        message = f"weight {at} is {a!r} in the model and {b!r} in the file"
        if len(a) != len(b):
            raise m.raised("ValueError", message, node, "keras/weights")
        for p, q in zip(a, b):
            m.require("keras/weights", eq(p, q), message, node)


def load_model(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """keras.models.load_model."""
    path = path_of(argument(args, kwargs, 0, "filepath"))
    if path is not None and not path.endswith((".keras", ".h5", ".hdf5", ".zip")):
        raise m.raised("ValueError", f"models are loaded from .keras or .h5 files, not from {path!r}", node, "keras/path")
    found = MISSING if path is None else m.model_state["files"].get(path, MISSING)
    if not isinstance(found, (Model, Instance)):
        return m.gap("keras.models.load_model", node, "a saved model is not read")
    compiles = kwargs.get("compile", True) is not False
    check(m, found, {**dict(zip(("custom_objects",), args[1:])), **kwargs}, found.space.get(STATE) if compiles else None, node)
    for one in own_layers(m, found):
        configs.check_own(m, one, node)
        if one.space.get(auto_config.LOST) is True:
            m.gap(
                "keras.models.load_model",
                node,
                f"{one.cls.name} is made again without the arguments that it was given: a keras.Model saves them only by get_config",
            )
    space = {k: v for k, v in found.space.items() if k != STATE or compiles}
    if isinstance(found, Model):
        return Model(found.kind, m.heap.space(space), found.span)
    return Instance(found.cls, m.heap.space(space), found.span, found.native)


METHODS: dict[str, object] = {"save": _save, "save_weights": _save_weights, "load_weights": _load_weights}
FUNCTIONS: dict[str, object] = {"keras.models.load_model": load_model}


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


FUNCTIONS |= {
    _HOME + "register_keras_serializable": register, _HOME + "get_custom_objects": named_objects, _HOME + "custom_object_scope": _scope,
    "keras.config.enable_unsafe_deserialization": _unsafe,
}  # fmt: skip
