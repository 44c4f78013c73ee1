"""Models and layers from their configuration: `get_config`, `from_config`, `to_json`, `clone_model`.

A layer that is made from the configuration of another is a new one with the same arguments and no weights yet. A functional model that is made so is
represented by the original: its layers have their weights, so that all shapes agree. A configuration that the program has changed makes what its entries say.
"""

from __future__ import annotations

import ast

from tensorproof.bindings.modules import Module
from tensorproof.libraries.keras.layer import settle
from tensorproof.libraries.keras.models import graph as keras_graph
from tensorproof.libraries.keras.models.order import LAYERS, layers_of
from tensorproof.libraries.keras.models.sequential import add, new_sequential
from tensorproof.libraries.keras.state import METHODS as STATE_METHODS
from tensorproof.libraries.keras.state import MODELS, frozen
from tensorproof.libraries.model import Run
from tensorproof.libraries.tensorflow import tape
from tensorproof.terms.tensor import TensorType
from tensorproof.values import MISSING, Args, Dict, Function, Instance, Kwargs, Layer, List, Machine, Model, Named, Unknown, Value

_TABLE = "configurations"


def twin(m: Machine, source: Value, node: ast.AST) -> Value:
    """The same architecture without the weights."""
    if isinstance(source, Layer):
        return _twin_of_layer(m, source, node)
    if isinstance(source, Model) and source.kind == "keras.Sequential":
        made = new_sequential(m, source.space["name"])
        made.span = m.user_span(node)
        start = source.space["*input*"]
        if isinstance(start, TensorType):
            m.heap.set(made.space, "*input*", tape.leaf(m, start.but(taped=False)))
        for layer in source.space[LAYERS]:
            add(m, made, twin(m, layer, node), node)
        return made
    for one in layers_of(m, source) if isinstance(source, Model) and source.kind in MODELS else (source,):
        if isinstance(one, Instance):
            check_own(m, one, node)
    return source


def check_own(m: Machine, layer: Instance, node: ast.AST) -> None:
    """A layer of the program is made again from its configuration, which has `name`, `trainable` and `dtype` beside its own arguments."""
    init = m.in_class(layer.cls, "__init__")
    if not isinstance(init, Function) or m.in_class(layer.cls, "from_config") is not MISSING:
        return
    taken = init.code.node.args
    if taken.kwarg is not None or {"name", "trainable", "dtype"} <= {a.arg for a in (*taken.args, *taken.kwonlyargs)}:
        return
    if isinstance(m.in_class(layer.cls, "get_config"), Function):
        m.gap(f"{layer.cls.name}.get_config", node, "what it leaves out is not followed")
        return
    message = f"{layer.cls.name} cannot be made from its configuration: its __init__ does not take name, trainable and dtype; add **kwargs and get_config"
    raise m.raised("TypeError", message, node, "call/arguments")


def _twin_of_layer(m: Machine, source: Layer, node: ast.AST) -> Layer:
    module = source.module
    if module is None or any(isinstance(v, (Layer, Module, Model, Instance)) for v in (*module.arguments.values(), *source.tensors.values())):
        return source
    made = Layer(Module(module.row, dict(module.arguments)), source.span, tensors=dict(source.tensors))
    settle(m, made)
    return made


def get_config(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """The configuration of a layer or model of the library, with its layers' own."""
    made = STATE_METHODS["get_config"](m, me, args, kwargs, node)
    if isinstance(me, Model) and me.kind in MODELS:
        layers = layers_of(m, me)
        entries = [_entry(m, layer, node) for layer in layers]
        start = me.space.get("*input*") if me.kind == "keras.Sequential" else None
        if isinstance(start, TensorType):
            config = Dict(m.heap.entries({"batch_shape": keras_graph.shown_shape(m, start), "dtype": "float32", "name": "input_layer", "sparse": False}))
            _remember(m, config, start)
            entries.insert(0, Dict(m.heap.entries({"module": "keras.layers", "class_name": "InputLayer", "config": config, "registered_name": None})))
        made = Dict(m.heap.entries({"name": me.space["name"], "trainable": not frozen(me), "layers": List(m.heap.row(entries))}))
    _remember(m, made, me)
    return made


def _entry(m: Machine, layer: Value, node: ast.AST) -> Value:
    if not isinstance(layer, (Layer, Model)):
        return Unknown("the configuration of a layer")
    name = layer.module.name if isinstance(layer, Layer) and layer.module is not None else layer.kind
    home, _, short = name.rpartition(".")
    return Dict(m.heap.entries({"module": home, "class_name": short, "config": get_config(m, layer, (), {}, node), "registered_name": None}))


def _remember(m: Machine, config: Value, source: Value) -> None:
    m.model_state.setdefault(_TABLE, {})[id(config)] = (config, source, _content(config))


def _source(m: Machine, config: Value) -> Value:
    """What a configuration was made of, as long as the program has not changed it."""
    held = m.model_state.get(_TABLE, {}).get(id(config))
    return held[1] if held is not None and held[0] is config and held[2] == _content(config) else None


def _content(value: Value) -> Value:
    if isinstance(value, Dict):
        return tuple((k, _content(v)) for k, v in value.items.items())
    if isinstance(value, List):
        return tuple(_content(v) for v in value.items)
    return value if isinstance(value, (str, int, float, bool, tuple, type(None))) else id(value)


def from_config(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`keras.layers.Dense.from_config(config)`, `keras.Sequential.from_config(config)`."""
    owner = name.removesuffix(".from_config")
    config = args[0] if args else kwargs.get("config")
    source = _source(m, config)
    if isinstance(source, (Layer, Model)) and owner in ("keras.Model", source.kind if isinstance(source, Model) else source.own.name):
        return twin(m, source, node)
    if owner.startswith("keras.optimizers.") and isinstance(config, Model):
        return m.call(Named(owner), (), {}, node)
    if not isinstance(config, Dict):
        return m.gap(name, node, "the configuration is not known")
    if owner == "keras.Sequential":
        return _sequential(m, config, node)
    if owner.startswith("keras.layers."):
        return m.call(Named(owner), (), {k: v for k, v in config.items.items() if isinstance(k, str) and v is not None}, node)
    return m.gap(name, node, "a changed configuration")


def _sequential(m: Machine, config: Dict, node: ast.AST) -> Value:
    """A Sequential of a configuration that the program has changed or made."""
    entries = config.items.get("layers")
    if not isinstance(entries, List) or not all(isinstance(e, Dict) and {"class_name", "config"} <= e.items.keys() for e in entries.items):
        return m.gap("keras.Sequential.from_config", node, "the configuration is not known")
    made = new_sequential(m, config.items.get("name"))
    made.span = m.user_span(node)
    for entry in (e for e in entries.items if isinstance(e, Dict)):
        word, inner = entry.items["class_name"], entry.items["config"]
        source = _source(m, inner)
        if isinstance(source, TensorType):
            m.heap.set(made.space, "*input*", tape.leaf(m, source.but(taped=False)))
        elif word == "InputLayer":
            return m.gap("keras.Sequential.from_config", node, "a changed input")
        else:
            add(m, made, twin(m, source, node) if source is not None else _deserialize(m, (entry,), {}, node), node)
    return made


def to_json(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    made = Unknown("a model as text", text=True)
    m.model_state.setdefault(_TABLE, {})[id(made)] = (made, me, id(made))
    return made


def _from_json(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    source = _source(m, args[0] if args else kwargs.get("json_string"))
    return m.gap("keras.models.model_from_json", node, "the text is not known") if source is None else twin(m, source, node)


def _clone(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`clone_model`: what a function is to change in it is not followed."""
    if kwargs.keys() - {"model", "input_tensors"} or len(args) > 2:
        m.gap("keras.models.clone_model", node, "with a function that changes layers")
    return twin(m, args[0] if args else kwargs.get("model"), node)


def _deserialize(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    entry = args[0] if args else kwargs.get("config")
    if not isinstance(entry, Dict) or not isinstance(entry.items.get("class_name"), str) or not isinstance(entry.items.get("config"), Dict):
        return m.gap("deserialize", node, "the configuration is not known")
    word = entry.items["class_name"]
    home = "keras" if word in ("Sequential", "Model") else "keras.layers"
    return from_config(f"{home}.{word}.from_config", m, (entry.items["config"],), {}, node)


METHODS: dict[str, object] = {"get_config": get_config, "to_json": to_json}
FUNCTIONS: dict[str, Run] = {
    "keras.models.clone_model": _clone, "keras.models.model_from_json": _from_json, "keras.layers.deserialize": _deserialize,
    "keras.layers.serialize": lambda m, a, k, n: _entry(m, a[0] if a else next(iter(k.values()), None), n),
}  # fmt: skip
