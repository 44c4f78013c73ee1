"""Layers that hold a function or other layers of the program: Lambda, TimeDistributed, Bidirectional, RNN around a cell, Wrapper."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import KindModel, Run, bind, mapped
from tensorproof.libraries.keras import layer as keras_layer
from tensorproof.libraries.keras import state as keras_state
from tensorproof.libraries.keras.models import graph as keras_graph
from tensorproof.libraries.keras.state import HELD, is_layer
from tensorproof.libraries.tensorflow.tape import tensors_in
from tensorproof.terms import Shape, TensorType, Term, eq
from tensorproof.values import MISSING, Args, Dict, Instance, Kwargs, Layer, List, Machine, Model, Named, Unknown, Value


def made(m: Machine, kind: str, items: Kwargs, kwargs: Kwargs, node: ast.AST) -> Model:
    """A layer that is kept as a record."""
    name = kwargs.get("name")
    space = m.heap.space({**items, "name": keras_graph.new_name(m, kind.rpartition(".")[2]) if name is None else name})
    if isinstance(kwargs.get("input_shape"), (tuple, List)):
        given = kwargs["input_shape"]
        space["*input_shape*"] = tuple(given.items) if isinstance(given, List) else given
    return Model(kind, space, m.user_span(node))


def attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    """An attribute of a layer that is kept as a record."""
    if name == "__class__":
        return Named(me.kind)
    if name in me.space:
        return me.space[name]
    found = keras_state.attribute(m, me, name, node)
    return MISSING if found is NotImplemented else found


def _compute_output_shape(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return keras_layer.shape_of_results(m, lambda inputs: m.call(me, (inputs,), {}, node), args, kwargs, node)


def kind(work: Any, symbolic: Any = None, **methods: Value) -> KindModel:
    """A layer whose work is `work(me, machine, args, kwargs, node)`."""

    def call(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        return keras_graph.call(m, me, partial(work, me), args, kwargs, node, None if symbolic is None else partial(symbolic, me))

    def build(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
        return None

    own = {**keras_state.METHODS, "call": call, "__call__": call, "build": build, "compute_output_shape": _compute_output_shape, **methods}
    return KindModel(own, attribute, call=call, bases=("keras.Layer",))


def _lambda(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = bind(m, "keras.layers.Lambda", args, kwargs, node).values
    items = {"function": given["function"], "*shape*": given.get("output_shape"), "*arguments*": given.get("arguments")}
    return made(m, "keras.layers.Lambda", items, kwargs, node)


def _run_lambda(me: Model, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    more = me.space["*arguments*"]
    named = {str(k): v for k, v in more.items.items()} if isinstance(more, Dict) else {}
    return m.call(me.space["function"], args[:1], {**named, **{k: v for k, v in kwargs.items() if k not in ("training", "mask")}}, node)


def _shape_of_lambda(me: Model, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """While a graph is built `output_shape` is believed."""
    stated = me.space["*shape*"]
    first = next(iter(tensors_in(args[0])), None) if args else None
    if stated is None or first is None:
        return _run_lambda(me, m, args, kwargs, node)
    if not isinstance(stated, (tuple, List)):
        stated = m.call(stated, (mapped(m, args[0], lambda t: keras_graph.shown_shape(m, t)),), {}, node)
        items = m.iterate(stated, node) if isinstance(stated, (tuple, List)) else None
    else:
        inner = m.iterate(stated, node)
        items = None if inner is None else [first.shape[0], *inner]
    if items is None or not all(s is None or isinstance(s, (int, Term)) for s in items):
        return _run_lambda(me, m, args, kwargs, node)
    sizes = [s if s is not None else first.shape[0] if i == 0 else keras_graph.open_size(m, m.name_here("size", node)) for i, s in enumerate(items)]
    return first.but(shape=Shape(sizes), contents=None)


def _wrapper(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    word = "cell" if name == "RNN" else "layer"
    inner = args[0] if args else kwargs.get(word)
    if name == "Bidirectional" and isinstance(inner, Layer) and not any(w in inner.own.name for w in ("LSTM", "GRU", "RNN", "Bidirectional")):
        raise m.raised("TypeError", f"Bidirectional takes a recurrent layer, and not {inner.own.name}", node, "keras/wrapper")
    if isinstance(inner, Layer) and (name == "TimeDistributed" or not kwargs.get("backward_layer")):
        return keras_layer.construct(f"keras.layers.{name}", m, args, kwargs, node)
    if isinstance(inner, Unknown) or inner is None:
        return m.gap(f"keras.layers.{name}", node, f"its {word} is not known")
    cells = list(inner.items) if isinstance(inner, List) else list(inner) if isinstance(inner, tuple) else [inner]
    if not all(is_layer(c) for c in cells):
        raise m.raised("ValueError", f"{name} takes a {word}, and this is not one", node, "keras/wrapper")
    given = bind(m, f"keras.layers.{name}", args, kwargs, node).values
    items: dict[str, Value] = {HELD: tuple(cells), "layer": inner, "cell": inner}
    items.update({k: v for k, v in given.items() if k not in ("layer", "cell")})
    return made(m, f"keras.layers.{name}", items, kwargs, node)


def _run_distributed(me: Model, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """The layer inside sees one step of time."""
    x = args[0] if args else kwargs.get("inputs")
    if not isinstance(x, TensorType) or not x.shape.known:
        return m.gap("TimeDistributed", node, "its input is not known")
    if len(x.shape) < 3:
        raise m.raised("ValueError", f"TimeDistributed takes a batch axis, steps and features, and its input is {x.shape!r}", node, "keras/input-rank")
    step = x.but(shape=Shape((x.shape[0], *x.shape[2:])), contents=None)
    result = m.call(me.space["layer"], (step,), {}, node)
    if not isinstance(result, TensorType) or not result.shape.known:
        return result if isinstance(result, Unknown) else m.gap("TimeDistributed", node, "of a layer with several results")
    return result.but(shape=Shape((result.shape[0], x.shape[1], *result.shape[1:])), contents=None)


def _run_bidirectional(me: Model, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Both ways; the outputs are merged."""
    result = m.call(me.space["layer"], args, {k: v for k, v in kwargs.items() if k != "mask"}, node)
    mode = me.space.get("merge_mode", "concat")
    outs, states = (result[0], list(result[1:])) if isinstance(result, tuple) else (result, [])
    if not isinstance(outs, TensorType):
        return m.gap("Bidirectional", node, "of a layer that is not understood")
    if mode == "concat":
        joined: list[Value] = [m.spelling("tf.concat", (List(m.heap.row((outs, outs))), -1), {}, node)]
    else:
        joined = [outs, outs] if mode is None else [outs]
    whole = [*joined, *states, *states]
    return tuple(whole) if len(whole) > 1 else whole[0]


def _state_sizes(m: Machine, cell: Value, node: ast.AST) -> list[Any] | None:
    """The sizes of a cell's states, each a tuple."""
    size = m.attribute(cell, "state_size", node) if not isinstance(cell, Layer) else cell_sizes(cell)
    if isinstance(size, (int, Term)):
        return [(size,)]
    items = m.iterate(size, node) if isinstance(size, (List, tuple)) else None
    if items is None:
        return None
    return [(i,) if isinstance(i, (int, Term)) else tuple(m.iterate(i, node) or ()) for i in items]


def cell_sizes(cell: Layer) -> Value:
    units = cell.own.arguments.get("units")
    return (units, units) if "LSTM" in cell.own.name else units


def _run_rnn(me: Model, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A cell, or cells on top of each other, along the axis of time."""
    x = args[0] if args else kwargs.get("sequences", kwargs.get("inputs"))
    if not isinstance(x, TensorType) or not x.shape.known:
        return m.gap("RNN", node, "its input is not known")
    if len(x.shape) < 3:
        raise m.raised("ValueError", f"RNN takes a batch axis, steps and features, and its input is {x.shape!r}", node, "keras/input-rank")
    value: Any = x.but(shape=Shape((x.shape[0], *x.shape[2:])), contents=None)
    initial = kwargs.get("initial_state", args[1] if len(args) > 1 else None)
    given = _as_states(m, initial, node) if isinstance(initial, (List, tuple, TensorType)) else []
    states: list[Value] = []
    for cell in me.space[HELD]:
        sizes = _state_sizes(m, cell, node)
        if sizes is None or any(not isinstance(s, (int, Term)) for one in sizes for s in one):
            return m.gap("RNN", node, "the cell's state_size is not known")
        fresh = [value.but(shape=Shape((x.shape[0], *one)), contents=None) for one in sizes]
        mine = given[len(states) : len(states) + len(fresh)] or fresh
        _check_given_states(m, mine, fresh, node)
        result = m.call(cell, (value, List(m.heap.row(mine))), {}, node)
        if isinstance(result, Unknown):
            return result
        if not isinstance(result, tuple) or len(result) != 2:
            raise m.raised("ValueError", "a cell gives its output and its states", node, "keras/cell")
        value, after = result
        later = _as_states(m, after, node)
        if len(later) != len(fresh):
            raise m.raised("ValueError", f"the cell has {len(fresh)} states and gives back {len(later)}", node, "keras/cell")
        _check_next_states(m, later, mine, node)
        states += later
    if not isinstance(value, TensorType):
        return m.gap("RNN", node, "the cell's output is not known")
    out = value.but(shape=Shape((value.shape[0], x.shape[1], *value.shape[1:]))) if me.space.get("return_sequences") is True else value
    return (out, *states) if me.space.get("return_state") is True else out


def _as_states(m: Machine, value: Value, node: ast.AST) -> list[Value]:
    """The states in a list or a tuple; a single value is one state."""
    return list(m.iterate(value, node) or ()) if isinstance(value, (List, tuple)) else [value]


def _check_given_states(m: Machine, given: list[Value], wanted: list[Any], node: ast.AST) -> None:
    """The states that a call starts with have the sizes that the cell declares, apart from the batch axis."""
    for mine, declared in zip(given, wanted):
        if isinstance(mine, TensorType) and mine.shape.known:
            message = f"a state is {declared.shape!r}, and {mine.shape!r} is given"
            if len(mine.shape) != len(declared.shape):
                raise m.raised("ValueError", message, node, "keras/state")
            for a, b in zip(mine.shape[1:], declared.shape[1:]):
                m.require("keras/state", eq(a, b), message, node)


def _check_next_states(m: Machine, new: list[Value], old: list[Value], node: ast.AST) -> None:
    """A step of a cell keeps the shapes of its states."""
    for after, before in zip(new, old):
        if isinstance(after, TensorType) and isinstance(before, TensorType) and after.shape.known and before.shape.known:
            message = f"a state is {before.shape!r} before a step and {after.shape!r} after it"
            if len(after.shape) != len(before.shape):
                raise m.raised("ValueError", message, node, "keras/cell")
            for a, b in zip(after.shape, before.shape):
                m.require("keras/cell", eq(a, b), message, node)


def _shape_of_rnn(me: Model, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """While a graph is built the cells are built and not run: their sizes are believed."""
    from tensorproof.libraries.keras.custom import ensure_built

    x = args[0] if args else kwargs.get("sequences", kwargs.get("inputs"))
    cells = me.space[HELD]
    if not isinstance(x, TensorType) or not x.shape.known or len(x.shape) != 3 or not all(isinstance(c, (Instance, Layer)) for c in cells):
        return _run_rnn(me, m, args, kwargs, node)
    value = x.but(shape=Shape((x.shape[0], x.shape[2])), contents=None)
    states: list[Value] = []
    for cell in cells:
        sizes = _state_sizes(m, cell, node)
        stated = isinstance(cell, Instance) and ("output_size" in cell.space or m.in_class(cell.cls, "output_size") is not MISSING)
        size = m.attribute(cell, "output_size", node) if stated else sizes[0][0] if sizes and sizes[0] else None
        if sizes is None or not isinstance(size, (int, Term)) or any(not isinstance(s, (int, Term)) for one in sizes for s in one):
            return _run_rnn(me, m, args, kwargs, node)
        before = [value.but(shape=Shape((x.shape[0], *one))) for one in sizes]
        if isinstance(cell, Instance):
            ensure_built(m, cell, (value,), {}, node)
        else:
            m.call(cell, (value, List(m.heap.row(before))), {}, node)
        states += before
        value = value.but(shape=Shape((x.shape[0], size)))
    out = value.but(shape=Shape((x.shape[0], x.shape[1], value.shape[1]))) if me.space.get("return_sequences") is True else value
    return (out, *states) if me.space.get("return_state") is True else out


def _stacked(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`StackedRNNCells(cells)`: RNN takes the list of cells as well."""
    return args[0] if args else kwargs.get("cells")


def _as_list(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    inner = args[0] if args else kwargs.get("cell")
    if isinstance(inner, Layer):
        return keras_layer.construct("keras.layers.RNN", m, args, kwargs, node)
    return _wrapper("RNN", m, args, kwargs, node)


def _merge(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """`layers.add([a, b])`: makes the layer and calls it."""
    given = args[0] if args else kwargs.get("inputs")
    layer = keras_layer.construct(f"keras.layers.{name}", m, args[1:], {k: v for k, v in kwargs.items() if k != "inputs"}, node)
    return m.call(layer, (given,), {}, node) if isinstance(layer, Layer) else layer


FUNCTIONS: dict[str, Run] = {
    **{f"keras.layers.{name.lower()}": partial(_merge, name) for name in ("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum", "Concatenate",
        "Dot")},
    "keras.layers.Lambda": _lambda, "keras.layers.TimeDistributed": partial(_wrapper, "TimeDistributed"),
    "keras.layers.Bidirectional": partial(_wrapper, "Bidirectional"),
    "keras.layers.RNN": _as_list, "keras.layers.StackedRNNCells": _stacked,
}  # fmt: skip
KINDS: dict[str, Any] = {
    "keras.layers.Lambda": kind(_run_lambda, _shape_of_lambda), "keras.layers.TimeDistributed": kind(_run_distributed),
    "keras.layers.Bidirectional": kind(_run_bidirectional), "keras.layers.RNN": kind(_run_rnn, _shape_of_rnn),
}  # fmt: skip
