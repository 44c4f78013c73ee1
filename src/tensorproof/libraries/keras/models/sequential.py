"""keras.Sequential: layers that follow each other. Where the input is known each layer is called as it is added; else at the first call."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.diagnostics.diagnostic import Step
from tensorproof.diagnostics.span import Span
from tensorproof.libraries.keras.models import graph as keras_graph
from tensorproof.libraries.keras.models.inputs import fitted, make_input
from tensorproof.libraries.keras.models.order import LAYERS
from tensorproof.libraries.keras.state import is_layer
from tensorproof.libraries.tensorflow import tape
from tensorproof.terms.tensor import TensorType
from tensorproof.values import Args, Choice, Instance, Key, Kwargs, Layer, List, Machine, Model, Named, Unknown, Value, slot

LATE: Key[Span] = slot("*late*")
MADE: Key[tuple[Value, ...]] = slot("*made*")


def ends(m: Machine, model: Value) -> tuple[Value, Any] | None:
    """The inputs and outputs of a model of the library; None when they are not known yet."""
    if not isinstance(model, Model):
        return None
    if model.kind == "keras.Model":
        return model.space["*inputs*"], model.space["*outputs*"]
    if model.kind != "keras.Sequential" or model.space["*input*"] is None:
        return None
    made = model.space[MADE]
    return model.space["*input*"], made[-1] if made else model.space["*input*"]


def new_sequential(m: Machine, name: Value) -> Model:
    items = {"name": keras_graph.new_name(m, "Sequential") if name is None else name, "*layers*": (), "*input*": None, "*made*": (), "*first*": None}
    return Model("keras.Sequential", m.heap.space(items))


def make(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    trainable = args[1] if len(args) > 1 else kwargs.get("trainable", True)
    if isinstance(trainable, (str, float)) or type(trainable) is int:
        raise m.raised("ValueError", f"trainable of a Sequential is True or False, and is {trainable!r}", node, "call/arguments")
    given = args[0] if args else kwargs.get("layers")
    made = new_sequential(m, kwargs.get("name", args[2] if len(args) > 2 else None))
    made.span = m.user_span(node)
    if given is None:
        return made
    if is_layer(given):
        raise m.raised("TypeError", "Sequential takes a list of layers, and gets one layer", node, "keras/sequential")
    layers = m.iterate(given, node)
    if layers is None:
        return m.gap("keras.Sequential", node, "of unknown layers")
    for layer in layers:
        add(m, made, layer, node)
    return made


def add(m: Machine, me: Model, layer: Any, node: ast.AST) -> None:
    """One more layer; where the input is known the layer is called at once."""
    held = me.space
    if isinstance(layer, Choice):
        layer = Unknown("layer")  # one of several
    if isinstance(layer, Unknown):
        m.gap("Sequential.add", node, "the layer is not known")
        m.heap.set(held, LAYERS, (*held[LAYERS], layer))
        if held["*input*"] is not None:
            m.heap.set(held, MADE, (*held[MADE], layer))
        return
    if (keras_graph.is_symbolic(layer) and tape.is_leaf(m, layer)) or (isinstance(layer, Model) and layer.kind == "keras.layers.InputLayer"):
        if held["*input*"] is not None:
            raise m.raised("ValueError", "a Sequential has its input first, and this one has layers already", node, "keras/sequential")
        if held[LAYERS]:
            m.heap.set(held, "*late*", m.user_span(node))
            return
        m.heap.set(held, "*input*", layer if isinstance(layer, TensorType) else layer.space["*tensor*"])
        return
    if not is_layer(layer):
        what = "the result of a layer" if isinstance(layer, TensorType) else "a class: write its brackets" if isinstance(layer, Named) else "no layer"
        raise m.raised("ValueError", f"a Sequential holds layers, and this is {what}", node, "keras/sequential")
    name = keras_graph.layer_name(layer)
    if isinstance(name, str) and any(keras_graph.layer_name(one) == name for one in held[LAYERS] if not isinstance(one, Unknown)):
        raise m.raised("ValueError", f"this Sequential has a layer named {name!r} already", node, "keras/name")
    if not held[LAYERS] and held["*input*"] is None:
        m.heap.set(held, "*input*", _input_of(m, layer, node))
    if held["*input*"] is not None:
        before = held[MADE][-1] if held[MADE] else held["*input*"]
        result = before if isinstance(before, Unknown) else m.call(layer, (before,), {}, node)
        if not keras_graph.is_symbolic(result) and not isinstance(result, Unknown):
            message = "a layer inside a Sequential gives one tensor, and this one gives several"
            raise m.raised("ValueError", message, node, "keras/sequential")
        m.heap.set(held, MADE, (*held[MADE], result))
    m.heap.set(held, LAYERS, (*held[LAYERS], layer))


def _input_of(m: Machine, layer: Value, node: ast.AST) -> Value:
    """The input that the first layer tells: `input_shape=`, `input_dim=`, or the input of a model."""
    if isinstance(layer, Layer):
        given = layer.own.arguments
        own = any(a.theirs == "input_dim" and not a.keyword_only for a in layer.own.row.arguments)  # of an Embedding, where it is the vocabulary
        if given.get("input_shape") is None and given.get("input_dim") is not None and not own:
            return make_input(m, (given["input_dim"],), None, None, given.get("dtype"), None, node)
        if given.get("input_shape") is not None:
            return make_input(m, given["input_shape"], given.get("batch_size"), None, _input_type(layer), None, node)
        for word in ("batch_shape", "batch_input_shape"):
            if given.get(word) is not None:
                return make_input(m, None, None, given[word], _input_type(layer), None, node)
    if isinstance(layer, (Instance, Model)) and isinstance(layer.space.get("*input_shape*"), tuple):
        return make_input(m, layer.space["*input_shape*"], None, None, None, None, node)
    known = ends(m, layer) if isinstance(layer, Model) else None
    if known is not None and isinstance(known[0], TensorType):
        return tape.leaf(m, known[0].but(taped=False))
    return None


def _input_type(layer: Layer) -> Value:
    return layer.own.arguments.get("dtype") if isinstance(layer.own.arguments.get("dtype"), str) else None


def _refuse_late(m: Machine, me: Model, node: ast.AST) -> None:
    """An input behind other layers is noticed when the model is built."""
    late = me.space.get(LATE)
    if late is not None:
        message = "a Sequential has its input first, and this one has layers before it"
        raise m.raised("ValueError", message, node, "keras/sequential", (Step(late, "the input is added here"),))


def build(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    given = args[0] if args else kwargs.get("input_shape")
    _refuse_late(m, me, node)
    if me.space["*input*"] is not None or given is None:
        return
    if isinstance(given, int):
        return
    sizes = m.iterate(given, node)
    if sizes is None or any(isinstance(s, Unknown) for s in sizes):
        m.gap("Sequential.build", node, "the shape is not known")
        return
    if sizes and all(isinstance(s, (tuple, List)) for s in sizes):
        m.gap("Sequential.build", node, "of several inputs")
        return
    _materialise(m, me, make_input(m, None, None, tuple(sizes), None, None, node), node)


def _materialise(m: Machine, me: Model, start: Value, node: ast.AST) -> None:
    """Run a symbolic input through the layers."""
    value, made = start, []
    for layer in me.space[LAYERS]:
        value = value if isinstance(value, Unknown) else m.call(layer, (value,), {}, node)
        made.append(value)
    m.heap.set(me.space, "*input*", start)
    m.heap.set(me.space, MADE, tuple(made))


def ensure_ends(m: Machine, me: Model, node: ast.AST) -> None:
    """After its first call with data a Sequential knows its input: the symbolic one is made when it is asked for."""
    if me.kind == "keras.Sequential" and me.space["*input*"] is None and isinstance(me.space["*first*"], TensorType):
        first = me.space["*first*"]
        start = tape.leaf(m, first.but(framework="keras", contents=None, weak=False, parameter=False, taped=False))
        _materialise(m, me, start, node)


def run(me: Model, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    held = me.space
    _refuse_late(m, me, node)
    if not held[LAYERS] and held["*input*"] is None:
        raise m.raised("ValueError", "a Sequential without layers is called", node, "keras/sequential")
    value = args[0] if args else next((v for k, v in kwargs.items() if k in ("inputs", "x")), None)
    reference = held["*input*"] if held["*input*"] is not None else held["*first*"]
    parts = list(value.items if isinstance(value, List) else value) if isinstance(value, (List, tuple)) else []
    if parts and all(isinstance(one, TensorType) for one in parts):
        if held["*input*"] is None and len(parts) > 1:
            return m.gap("Sequential", node, "a list of several tensors is given to layers that are not built")
        value = parts[0]  # Keras leaves out the others
    if isinstance(reference, TensorType):
        value = fitted(m, me, value, reference, node, exact=False)
    elif isinstance(value, TensorType):
        m.heap.set(held, "*first*", value)
    with_training = {k: v for k, v in kwargs.items() if k == "training" and v is not None}
    for layer in held[LAYERS]:
        m.step()
        value = m.call(layer, (value,), {} if isinstance(layer, Instance) else with_training, node)
    return value
