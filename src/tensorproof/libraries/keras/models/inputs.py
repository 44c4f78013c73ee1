"""`keras.Input`, input layers, and whether what a model is called with fits its inputs."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.diagnostics.diagnostic import Step
from tensorproof.libraries.domains.label_ranges import keep
from tensorproof.libraries.keras import masks as keras_masks
from tensorproof.libraries.keras import state as keras_state
from tensorproof.libraries.keras.models import graph as keras_graph
from tensorproof.libraries.model import KindModel
from tensorproof.libraries.tensorflow import tape
from tensorproof.terms import FLOAT32, Shape, TensorType, Term, eq
from tensorproof.values import MISSING, Args, Choice, Dict, Key, Kwargs, List, Machine, Model, Named, Unknown, Value, slot

TENSOR: Key[TensorType] = slot("*tensor*")
_ARGUMENTS = ("shape", "batch_size", "dtype", "sparse", "ragged", "batch_shape", "name", "tensor", "optional")


def _sizes(m: Machine, given: Value, what: str, node: ast.AST) -> tuple[Value, ...] | None:
    """A shape as the program writes it; None when it is not known."""
    if isinstance(given, (int, float, str, Term)) or given is None:
        raise m.raised("ValueError", f"{what} is a tuple of sizes, and this is {given!r}", node, "keras/input")
    items = m.iterate(given, node) if isinstance(given, (List, tuple)) else list(given) if isinstance(given, list) else None
    if items is None or any(isinstance(i, Unknown) for i in items):
        return None
    bad = next((i for i in items if i is not None and not isinstance(i, (int, Term))), None)
    if bad is not None:
        if isinstance(bad, (str, float, tuple, List)):
            raise m.raised("ValueError", f"{what} holds sizes, and one is {bad!r}", node, "keras/input")
        return None
    if any(isinstance(i, int) and i < 0 for i in items):
        raise m.raised("ValueError", f"a size cannot be negative, and {what} is {tuple(items)!r}", node, "keras/input")
    return tuple(items)


def make_input(m: Machine, shape: Value, batch_size: Value, batch_shape: Value, dtype: Value, name: Value, node: ast.AST) -> Value:
    """A symbolic tensor with its input layer."""
    if batch_shape is not None:
        sizes = _sizes(m, batch_shape, "batch_shape", node)
    else:
        rest = _sizes(m, shape, "shape", node)
        sizes = None if rest is None else (batch_size, *rest)
    if sizes is None:
        return m.gap("keras.Input", node, "the shape is not known")
    if isinstance(dtype, Choice):
        return m.gap("keras.Input", node, "its element type is one of several")
    made = keras_graph.symbolic_input(m, sizes, keras_graph.element_type(dtype) if dtype is not None else FLOAT32, node)
    word = keras_graph.new_name(m, "InputLayer") if name is None else name
    layer = Model("keras.layers.InputLayer", m.heap.space({"name": word, "*tensor*": made}), m.user_span(node))
    keras_graph.state(m)[("input", id(made))] = (made, layer)
    return made


def _input(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    given = dict(zip(_ARGUMENTS, args)) | kwargs
    tensor = given.get("tensor", given.get("input_tensor"))
    if tensor is not None:
        if isinstance(tensor, Unknown):
            return m.gap("keras.Input", node, "the tensor is not known")
        if not keras_graph.is_symbolic(tensor):
            raise m.raised("ValueError", "the tensor of an Input is a KerasTensor", node, "keras/input")
        return tensor
    shape, whole = given.get("shape", given.get("input_shape", MISSING)), given.get("batch_shape", given.get("batch_input_shape"))
    if shape is MISSING and whole is None:
        raise m.raised("ValueError", "an Input needs its shape", node, "keras/input")
    if shape is not MISSING and shape is not None and whole is not None:
        raise m.raised("ValueError", "an Input gets shape or batch_shape, not both", node, "keras/input")
    return make_input(m, None if shape is MISSING else shape, given.get("batch_size"), whole, given.get("dtype"), given.get("name"), node)


def _input_layer(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    made = _input(m, args, kwargs, node)
    return made if isinstance(made, Unknown) else keras_graph.input_layer(m, made)


def matched(m: Machine, model: Any, wanted: Value, given: Value, node: ast.AST) -> list[Value] | None:
    """What is given for each input, in their order; None when it is not known."""
    starts = tape.tensors_in(wanted)
    name = model.space["name"]
    if isinstance(given, Unknown):
        return None
    if isinstance(given, Dict):
        keys = list(wanted.items) if isinstance(wanted, Dict) else [keras_graph.input_layer(m, t).space["name"] for t in starts]
        missing = [k for k in keys if k not in given.items]
        if missing and len(starts) == len(given.items) == 1:
            return list(given.items.values())
        if missing:
            raise m.raised("ValueError", f"{name} has the inputs {keys} and gets {list(given.items)}: {missing[0]!r} is missing", node, "keras/inputs")
        return [given.items[k] for k in keys]
    values = list(given.items) if isinstance(given, List) else list(given) if type(given) is tuple else [given]
    if len(values) != len(starts):
        if len(starts) == 1 and len(values) > 1 and not all(isinstance(v, TensorType) for v in values):
            return [m.spelling("tf.convert_to_tensor", (given,), {}, node)]
        raise m.raised("ValueError", f"{name} has {len(starts)} inputs, and {len(values)} are given", node, "keras/inputs")
    return values


def fitted(m: Machine, model: Any, value: Value, wanted: TensorType, node: ast.AST, exact: bool, stated_shape: bool = False) -> Any:
    """A tensor as an input takes it: of its rank (an axis of 1 at the end may be missing or too much), its sizes where `exact`, and its element type.

    Where just one of the two ends in an axis of 1, Keras does not compare the last axes; with `stated_shape` the result has the one of the input, since
    the layers inside are not run while a graph is built."""
    if isinstance(value, (int, float, bool, List, tuple)):
        value = m.spelling("tf.convert_to_tensor", (value,), {}, node)
    if not isinstance(value, TensorType) or not value.shape.known or not wanted.shape.known:
        return value
    name = model.space["name"]
    shape = value.shape
    expected = tuple(None if keras_graph.is_open(m, d) else d for d in wanted.shape)
    if len(shape) == len(wanted.shape) + 1 and shape[-1] == 1:
        shape = Shape(shape[:-1])
    elif len(shape) == len(wanted.shape) - 1 and wanted.shape[-1] == 1:
        shape = Shape((*shape, 1))
    elif len(shape) != len(wanted.shape):
        raise m.raised("ValueError", f"{name} takes {expected} and is given {shape!r}", node, "keras/input-rank", _made(m, model))
    if exact:
        loose = len(shape) > 1 and (shape[-1] == 1) is not (wanted.shape[-1] == 1)
        for i, (size, want) in enumerate(zip(shape[: len(shape) - loose], wanted.shape)):
            if i and not keras_graph.is_open(m, want) and size is not want:
                same = eq(size, want)
                if same is False:
                    raise m.raised("ValueError", f"{name} takes {expected} and is given {shape!r}", node, "keras/input-shape", _made(m, model))
                if not keras_graph.is_open(m, size):
                    m.require("keras/input-shape", same, f"{name} takes {expected} and is given {shape!r}", node, trail=_made(m, model))
        if loose and stated_shape:
            shape = Shape((*shape[:-1], wanted.shape[-1]))
    made = value.but(shape=shape, dtype=wanted.dtype, contents=None, weak=False, parameter=False, framework="tf", taped=False)
    return keep(m, value, keras_masks.carry(m, value, made))


def _made(m: Machine, model: Any) -> tuple[Step, ...]:
    return (Step(model.span, "the model is made here"),) if model.span is not None else ()


def _attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    match name:
        case "input" | "output":
            return me.space["*tensor*"]
        case "batch_shape":
            return keras_graph.shown_shape(m, me.space[TENSOR])
        case "__class__":
            return Named(me.kind)
        case _ if name in me.space:
            return me.space[name]
        case _:
            found = keras_state.attribute(m, me, name, node)
            return MISSING if found is NotImplemented else found


def _spec(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return Model("keras.InputSpec", m.heap.space({"*given*": tuple(kwargs.items()), **{k: v for k, v in kwargs.items() if not isinstance(v, Unknown)}}))


KINDS = {"keras.layers.InputLayer": KindModel(keras_state.METHODS, _attribute, bases=("keras.Layer",)), "keras.InputSpec": KindModel(open=True, passed=True)}
FUNCTIONS: dict[str, Any] = {"keras.Input": _input, "keras.layers.InputLayer": _input_layer, "keras.InputSpec": _spec}
