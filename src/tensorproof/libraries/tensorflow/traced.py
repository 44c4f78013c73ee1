"""Functions that TensorFlow traces: their tensors stand for values that come later, and Python cannot look into them.

A tensor that an operator makes inside `tf.function`, `Dataset.map` or a step of `Model.fit` knows its graph (`TensorType.graph`). It has no `numpy()`,
no truth, no length and no items of its own. AutoGraph turns the statements of `tf.function` and `Dataset.map` into operators, not those of code that
Keras calls. When the function has returned, the tensors that the program kept are of no use.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from tensorproof.libraries.tensorflow.data.kept import LAST
from tensorproof.terms.tensor import Graph, Outputs, TensorType
from tensorproof.values import Dict, List, Machine, Model, Set, Value

TRACED = "tf.traced"
"""Where the machine keeps the graph of the function that is traced now."""
CONVERTED = "tf.converted"
"""Where it keeps whether AutoGraph turns the statements that run now into operators."""
SHAPELESS = "tf.without a static shape"
"""Where it keeps whether a traced `tf.py_function` gave a tensor whose shape TensorFlow does not know."""
LEFT = "tf.left graphs"
"""Where it keeps whether a function was traced before."""
EAGER = "tf.functions run eagerly"
"""Where it keeps what `tf.config.run_functions_eagerly` said."""


@contextmanager
def tracing(m: Machine, word: str, converted: bool) -> Iterator[Graph]:
    """What runs inside is traced."""
    state = m.model_state
    before = state.get(TRACED), state.get(CONVERTED, False)
    graph = state[TRACED] = Graph(word)
    state[CONVERTED] = converted
    try:
        yield graph
    finally:
        state[TRACED], state[CONVERTED] = before
        graph.open = False
        state[LEFT] = True


@contextmanager
def untraced(m: Machine) -> Iterator[None]:
    """What runs inside computes at once, as in `tf.py_function` and `tf.init_scope`."""
    before, m.model_state[TRACED] = m.model_state.get(TRACED), None
    try:
        yield
    finally:
        m.model_state[TRACED] = before


@contextmanager
def converting(m: Machine, wanted: bool = True) -> Iterator[None]:
    """What runs inside may ask for the truth of a tensor without values, as `tf.cond` does; what Keras calls may not."""
    before, m.model_state[CONVERTED] = m.model_state.get(CONVERTED, False), wanted
    try:
        yield
    finally:
        m.model_state[CONVERTED] = before


def is_symbolic(value: Value) -> bool:
    """Whether a value is a tensor without values of its own."""
    return type(value) is TensorType and value.graph is not None


def within(m: Machine, value: Value, graph: Graph | None) -> Any:
    """Tensors as a function sees its arguments, or as its caller sees what it returns."""
    if type(value) is TensorType:
        if value.framework not in ("tf", "keras") or value.parameter or value.taped or value.graph is graph:
            return value
        return m.path.same(value, value.but(graph=graph))
    if type(value) is Model and value.kind == "tf.data.Dataset":
        return _dataset(m, value, graph)
    return _mapped(m, value, lambda v: within(m, v, graph))


def _dataset(m: Machine, value: Model, graph: Graph | None) -> Model:
    """A dataset that a traced function makes: its elements belong to no graph."""
    element, last = value.space["element"], value.space[LAST]
    changed = within(m, element, graph), None if last is None else (last[0], within(m, last[1], graph))
    same = changed[0] is element and (last is None or (changed[1] is not None and changed[1][1] is last[1]))
    return value if same else Model(value.kind, m.heap.space({**value.space, "element": changed[0], "last": changed[1]}))


def _mapped(m: Machine, value: Value, act: Callable[[Value], Value]) -> Value:
    """A structure whose parts are changed; the value itself where none is."""
    match value:
        case Outputs():
            parts = [act(v) for v in value]
            return value.like(parts) if any(a is not b for a, b in zip(parts, value)) else value
        case tuple():
            parts = [act(v) for v in value]
            return tuple(parts) if type(value) is tuple and any(a is not b for a, b in zip(parts, value)) else value
        case List():
            parts = [act(v) for v in value.items]
            return List(m.heap.row(parts)) if any(a is not b for a, b in zip(parts, value.items)) else value
        case Dict():
            held = {k: act(v) for k, v in value.items.items()}
            return Dict(m.heap.entries(held)) if any(held[k] is not v for k, v in value.items.items()) else value
        case _:
            return value


def held(value: Value) -> Iterator[TensorType]:
    """The tensors without values in what is given to a function."""
    if type(value) is TensorType:
        if value.graph is not None:
            yield value
        return
    parts: Any = value if isinstance(value, (tuple, list)) else value.items.values() if isinstance(value, Dict) else None
    if isinstance(value, (List, Set)):
        parts = value.items
    for one in parts or ():
        yield from held(one)


def observed(m: Machine, name: str, result: Value, args: Any, kwargs: Any, node: ast.AST) -> Value:
    """The result of an operator as a tensor of the graph. A tensor of a function that has returned is refused, and NumPy takes none."""
    if m.model_state.get(LEFT):
        left = next((t for t in held((*args, *kwargs.values())) if t.graph is not None and not t.graph.open), None)
        if left is not None:
            refuse_left(m, left, node)
    return within(m, result, m.model_state.get(TRACED))


def refuse_left(m: Machine, tensor: TensorType, node: ast.AST) -> None:
    word = tensor.graph.word if tensor.graph is not None else "tf.function"
    message = f"this tensor {tensor!r} was made while {word} was traced, and has no value here: return it from there"
    raise m.raised("TypeError", message, node, "graph/scope")


_OF_SHAPE = frozenset(f"numpy.{w}" for w in ("shape", "ndim", "size", "iterable", "isscalar", "array_str", "array_repr", "get_printoptions", "info"))
"""Functions of NumPy that look at no elements."""


def refuse_arrays(m: Machine, name: str, args: Any, kwargs: Any, node: ast.AST) -> None:
    """NumPy computes at once, and asks a tensor for its elements."""
    found = None if name in _OF_SHAPE else next(held((*args, *kwargs.values())), None)
    if found is not None:
        word = found.graph.word if found.graph is not None else "tf.function"
        message = f"{name} needs the elements of {found!r}, which has none while {word} is traced: use TensorFlow's own function"
        raise m.raised("NotImplementedError", message, node, "graph/numpy")


def converts(m: Machine, value: TensorType) -> bool:
    """Whether AutoGraph makes an operator of a statement or a function of Python that gets this tensor."""
    return bool(m.model_state.get(CONVERTED)) and value.graph is not None and value.graph.open


def branches(m: Machine, value: Value) -> Any:
    """What AutoGraph makes of a statement that asks for the truth of this value; None where Python decides."""
    if type(value) is not TensorType or value.graph is None or value.framework != "tf" or not converts(m, value):
        return None
    return import_module("tensorproof.libraries.tensorflow.graph_branches")


def refuse(m: Machine, what: str, value: TensorType, node: ast.AST, kind: str = "TypeError") -> None:
    """Python asks for a value that is not there."""
    word = value.graph.word if value.graph is not None else "tf.function"
    raise m.raised(kind, f"{what} asks for the value of {value!r}, which is not known while {word} is traced", node, "graph/python")


def refuse_truth(m: Machine, value: Any, node: ast.AST, what: str) -> None:
    """Where AutoGraph changes nothing: `assert`, the conditions of comprehensions, `bool(x)`."""
    if is_symbolic(value):
        refuse(m, what, value, node)
