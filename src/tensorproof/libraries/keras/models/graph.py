"""Keras' symbolic tensors: `keras.Input`, layers called on a KerasTensor, and which layer made which tensor. The steps themselves are on the tape.

A layer that is called with a KerasTensor is one step. Inside it the tensors are TensorFlow's, with open axes (None); what it demands of open axes is not
demanded yet: Keras does not know them either, and the data that a model is later called with decides.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from tensorproof.libraries import leaves, mapped
from tensorproof.libraries.keras import masks as keras_masks
from tensorproof.libraries.tensorflow import shapes as tf_shapes
from tensorproof.libraries.tensorflow import tape
from tensorproof.libraries.tensorflow.traced import tracing, within
from tensorproof.ops.record import Requirement
from tensorproof.terms import BY_LABEL, FLOAT32, DType, Outputs, Shape, TensorType, Term, replace, symbols
from tensorproof.values import TEXT, Args, Dict, Instance, Key, Kwargs, Layer, List, Machine, Method, Model, Native, Space, Unknown, Value, slot

INSIDE: Key[int] = slot("inside")
Work = Callable[[Any, tuple[Any, ...], dict[str, Any], Any], Any]
"""What a layer does with tensors: `work(machine, args, kwargs, node)`."""
BATCH = "batch"


def state(m: Machine) -> Space:
    """What is kept of Keras in a run: counters of names, calls of layers by their identity, what the current call is for."""
    found = m.model_state.get("keras")
    if found is None:
        found = m.model_state["keras"] = m.heap.space({"training": None, "inside": 0})
        found.born = -1
    return found


def snake(word: str) -> str:
    """`BatchNormalization` → `batch_normalization`, as Keras makes it."""
    word = re.sub(r"\W+", "", word)
    word = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", word)
    return re.sub("([a-z])([A-Z])", r"\1_\2", word).lower()


def new_name(m: Machine, word: str) -> Value:
    """The name of the next layer of a class; a text that is not known where branches made different numbers of them."""
    kept, key = state(m), ("name", snake(word))
    count = kept.get(key, 0)
    if type(count) is not int:
        return TEXT
    m.heap.set(kept, key, count + 1)
    return f"{key[1]}_{count}" if count else key[1]


def is_symbolic(value: Value) -> bool:
    """Whether a value is a KerasTensor."""
    return isinstance(value, TensorType) and value.framework == "keras"


def holds_symbolic(value: Value) -> bool:
    """Whether a KerasTensor stands somewhere in a nesting."""
    return any(map(is_symbolic, leaves(value)))


def is_open(m: Machine, size: Value) -> bool:
    """Whether Keras shows None for a size."""
    if not isinstance(size, Term):
        return False
    found = m.model_state.get("tape")
    return found is not None and (any(s.args[0] in found.open for s in symbols(size)) or tf_shapes.static_size(m, size) is None)


def shown_shape(m: Machine, tensor: TensorType) -> Any:
    """`x.shape` of a KerasTensor, and what `build` gets: a tuple with None for open axes."""
    if not tensor.shape.known:
        return Unknown("the shape of a tensor of unknown rank")
    return tuple(None if is_open(m, d) else d for d in tensor.shape)


def open_size(m: Machine, name: str) -> Value:
    made = tape.open_axis(m, name)
    tf_shapes.leave_open(m, made)
    return made


def symbolic_input(m: Machine, sizes: Args, dtype: DType | None, node: ast.AST) -> TensorType:
    """A leaf with these sizes; None is an open axis. All batches of a program are one symbol, since a model's inputs have one batch."""
    axes: list[Value] = []
    for i, size in enumerate(sizes):
        if size is None:
            size = open_size(m, BATCH if i == 0 else m.name_here("size", node))
        axes.append(size)
    return tape.leaf(m, TensorType(Shape(axes), dtype, framework="keras"))


def element_type(value: Value) -> DType | None:
    """An element type as Keras takes it: a word, or TensorFlow's own."""
    if value is None:
        return FLOAT32
    if isinstance(value, DType):
        return value
    return BY_LABEL.get(value.removeprefix("mixed_")) if isinstance(value, str) else None


def call(m: Machine, layer: Value, work: Work, args: Args, kwargs: Kwargs, node: ast.AST, symbolic: Work | None = None) -> Value:
    """Call a layer: at once with tensors, as a step of the graph with KerasTensors. `symbolic` is used in place of `work` while the graph is built."""
    if not (holds_symbolic(args) or holds_symbolic(tuple(kwargs.values()))):
        return masked(m, layer, args, kwargs, mapped_result(m, work(m, args, kwargs, node), "tf"), node)
    before = len(m.path.stated)

    def again(machine: Machine, given: Args, named: Kwargs, at: Any) -> Value:
        inside = holds_symbolic(given) or holds_symbolic(tuple(named.values()))
        dress = partial(graph_tensor, machine)
        given = mapped(machine, given, dress)
        named = {k: mapped(machine, v, dress) for k, v in named.items()}
        if not inside:
            return masked(machine, layer, given, named, mapped_result(machine, work(machine, given, named, at), "tf"), at)
        kept = state(machine)
        kept[INSIDE] += 1
        try:
            with tracing(machine, layer_name(layer), False) as traced:
                enter = partial(_moved, machine, traced)
                given, named = mapped(machine, given, enter), {k: mapped(machine, v, enter) for k, v in named.items()}
                made = mapped(machine, (symbolic or work)(machine, given, named, at), partial(_moved, machine, None))
                return masked(machine, layer, given, named, mapped_result(machine, made, "keras"), at)
        finally:
            kept[INSIDE] -= 1

    result = tape.step(m, layer_name(layer), again, args, kwargs, node, composite=not isinstance(layer, Layer))
    not_yet(m, before)
    note_call(m, layer, result)
    return result


def _moved(m: Machine, graph: Any, tensor: TensorType) -> TensorType:
    """A tensor in another graph, with its mask."""
    return keras_masks.carry(m, tensor, within(m, tensor, graph))


def masked(m: Machine, layer: Value, args: Args, kwargs: Kwargs, result: Value, node: ast.AST) -> Value:
    """The result of a layer, with its mask."""
    keras_masks.after(m, layer, args, kwargs, result, node)
    return result


def only_tensors(m: Machine, layer: Value, args: Args, node: ast.AST) -> None:
    """Keras takes nothing but tensors by position: `layer(x, True)` is refused."""
    written = node.args if isinstance(node, ast.Call) and len(node.args) == len(args) else [None] * len(args)
    for value, text in zip(args, written):
        literal = text is not None and _has_literal(text)
        for one in _leaves(value):
            if isinstance(one, (bool, str)) or (literal and isinstance(one, (int, float))):
                message = f"{layer_name(layer)} takes tensors by position, and gets {one!r}: give it by its name"
                raise m.raised("ValueError", message, node, "keras/positional")


def _leaves(value: Value) -> Iterator[Value]:
    if isinstance(value, List) or type(value) is tuple:
        for one in value.items if isinstance(value, List) else value:
            yield from _leaves(one)
    else:
        yield value


def _has_literal(text: ast.AST) -> bool:
    """Whether numbers are written out in an expression: those of variables may be NumPy's."""
    return any(map(_has_literal, text.elts)) if isinstance(text, (ast.Tuple, ast.List)) else isinstance(text, ast.Constant)


def graph_tensor(m: Machine, tensor: TensorType) -> TensorType:
    """A KerasTensor as a layer's `call` sees it."""
    return keras_masks.carry(m, tensor, tensor.but(framework="tf", taped=False)) if tensor.framework == "keras" else tensor


def mapped_result(m: Machine, value: Value, framework: str) -> Value:
    """Results as tensors of this framework; the program's variables stay what they are."""

    def change(tensor: TensorType) -> TensorType:
        return tensor if tensor.framework == framework else keras_masks.carry(m, tensor, tensor.but(framework=framework, taped=False))

    return mapped(m, value, change) if _differs(value, framework) else value


def _differs(value: Value, framework: str) -> bool:
    if isinstance(value, TensorType):
        return value.framework != framework
    if isinstance(value, (tuple, list, List)):
        return any(_differs(v, framework) for v in (value.items if isinstance(value, List) else value))
    return isinstance(value, Dict) and any(_differs(v, framework) for v in value.items.values())


def not_yet(m: Machine, before: int) -> None:
    """What was demanded of open axes while a graph is built is not demanded: Keras does not know them. Places in the list stay."""
    stated = m.path.stated
    for i in range(before, len(stated)):
        wanted = stated[i].requirement
        if wanted.predicate is not True and wanted.predicate is not False and any(is_open(m, s) for s in symbols(wanted.predicate)):
            stated[i] = replace(stated[i], requirement=Requirement(wanted.code, True, wanted.message, wanted.about))


def operated(m: Machine, name: str, result: Value, args: Args, kwargs: Kwargs, before: int) -> Value:
    """The result of an operator spelled in Keras: symbolic when an argument is, else a tensor of the backend."""
    if holds_symbolic(args) or holds_symbolic(tuple(kwargs.values())):
        not_yet(m, before)
        return mapped_result(m, tuple(result) if isinstance(result, Outputs) else result, "keras")
    return mapped_result(m, result, "tf")


def refuse_symbolic(m: Machine, name: str, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """TensorFlow's and NumPy's own functions do not take a KerasTensor."""
    if "keras" in m.model_state and (holds_symbolic(args) or holds_symbolic(tuple(kwargs.values()))):
        what = "TensorFlow" if name.startswith("tf.") else "NumPy" if name.startswith("numpy.") else name.partition(".")[0]
        message = f"a KerasTensor cannot be given to {name}, a function of {what}: use keras.ops, or call it inside a layer"
        raise m.raised("ValueError", message, node, "keras/symbolic")


def input_layer(m: Machine, tensor: TensorType) -> Any:
    """The input layer of a leaf; one is made for a tensor at which a model was cut."""
    found: Any = state(m).get(("input", id(tensor)))
    if found is None or found[0] is not tensor:
        layer = Model("keras.layers.InputLayer", m.heap.space({"name": new_name(m, "InputLayer"), "*tensor*": tensor}))
        found = state(m)[("input", id(tensor))] = (tensor, layer)
    return found[1]


def layer_name(layer: Value) -> Any:
    """A layer's own name."""
    if isinstance(layer, Layer):
        return layer.module.arguments.get("name") or layer.module.name.rpartition(".")[2] if layer.module is not None else layer.kind
    if isinstance(layer, (Instance, Model)):
        found = layer.space.get("name")
        return found if found is not None else layer.cls.name if isinstance(layer, Instance) else layer.kind
    return "operation" if layer is None else str(layer)


def note_call(m: Machine, layer: Value, result: Value) -> None:
    """Remember the step in which a layer was called."""
    made = tape.tensors_in(result) if layer is not None else []
    by = made_by(m, made[0]) if made else None
    if by is not None:
        kept = state(m)
        past = kept.get(("calls", id(layer)), (layer,))
        if isinstance(past, tuple):
            m.heap.set(kept, ("calls", id(layer)), (*past, by))
        m.heap.set(kept, ("step", by.number), layer)


def calls_of(m: Machine, layer: Value) -> tuple[Any, ...]:
    """The steps in which a layer was called with KerasTensors."""
    past = state(m).get(("calls", id(layer)), (layer,))
    return past[1:] if isinstance(past, tuple) else ()


def made_by(m: Machine, tensor: TensorType) -> Any:
    """The step that made a KerasTensor; None for an input."""
    found = tape.tape_of(m).made.get(id(tensor))
    return found[1] if found is not None else None


def layer_of(m: Machine, step: Any) -> Value:
    """The layer of a step; None for an operator."""
    return state(m).get(("step", step.number))


@contextmanager
def training(m: Machine, value: Value) -> Iterator[None]:
    """The training mode of layers called inside, where they are given none."""
    kept = state(m)
    old = kept["training"]
    if value is not None:
        kept["training"] = value
    try:
        yield
    finally:
        kept["training"] = old


def attribute(m: Machine, owner: TensorType, name: str, node: ast.AST) -> Value:
    match name:
        case "shape":
            return shown_shape(m, owner)
        case "_keras_shape":
            return shown_shape(m, owner)
        case "get_shape":
            return Native("get_shape", lambda machine, args, kwargs, at: shown_shape(machine, owner))
        case "ndim":
            return len(owner.shape) if owner.shape.known else Unknown("rank")
        case "dtype":
            return owner.dtype.label if owner.dtype is not None else TEXT
        case "name":
            return TEXT
        case "sparse" | "ragged":
            return False
        case "reshape" | "squeeze":
            return Native(name, lambda machine, args, kwargs, at: machine.spelling(f"keras.ops.{name}", (owner, *_sizes(args, name)), kwargs, at))
        case "node" | "record_history" | "_keras_history":
            return Unknown(name)
        case _ if name.startswith("__"):
            return Method(owner, name)
        case _:
            raise m.raised("AttributeError", f"a KerasTensor has no attribute {name}", node)


def _sizes(args: Args, name: str) -> tuple[Value, ...]:
    return (args,) if name == "reshape" and len(args) != 1 else args


OPERATORS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "true_divide", "floordiv": "floor_divide", "mod": "mod", "pow": "power", "matmul": "matmul",
    "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "and": "logical_and", "or": "logical_or",
    "xor": "logical_xor", "neg": "negative", "abs": "absolute", "invert": "logical_not", "getitem": "get_item",
}  # fmt: skip


def operator(name: str, args: Args) -> tuple[str, tuple[Value, ...]]:
    """`keras.KerasTensor.__radd__` → keras.ops.add with the operands in their order."""
    word = name.rpartition(".")[2].strip("_")
    if word in OPERATORS:
        return f"keras.ops.{OPERATORS[word]}", args
    if word[:1] == "r" and word[1:] in OPERATORS:
        return f"keras.ops.{OPERATORS[word[1:]]}", args[::-1]
    return name, args
