"""Recurrent cells of TensorFlow 1: BasicRNNCell, GRUCell, LSTMCell and the wrappers. A call is the matrix products that the cell really makes."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.diagnostics.span import Span
from tensorproof.libraries import ClassModel, KindModel, Run, argument
from tensorproof.terms import FLOAT32, Dim, Outputs, Shape, TensorType, Term
from tensorproof.values import MISSING, Args, Instance, Key, Kwargs, List, Machine, Model, Unknown, Value, slot

CELLS: Key[tuple[Value, ...]] = slot("cells")
KIND: Key[str] = slot("kind")
UNITS: Key[Dim] = slot("units")
PROJECTION: Key[Dim | None] = slot("projection")
INPUTS: Key[tuple[Dim, Span] | None] = slot("inputs")
CELL = "tf.nn.rnn_cell.RNNCell"


def state_tuple(c: Value, h: Value) -> Outputs:
    """LSTMStateTuple."""
    return Outputs.named((c, h), ("c", "h"))


def _make(kind: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    units = argument(args, kwargs, 0, "num_units")
    if not isinstance(units, (int, Term)) or isinstance(units, bool):
        if isinstance(units, (TensorType, str, float, List, tuple)) or units is None:
            raise m.raised("TypeError", f"{kind} needs a whole number of units", node, "cell/units")
        return m.gap(f"tf.nn.rnn_cell.{kind}", node, "its number of units is not known")
    space = {"kind": kind, "units": units, "inputs": None, "projection": kwargs.get("num_proj"), "tuple": kwargs.get("state_is_tuple", True) is not False}
    return Model(CELL, m.heap.space(space), m.user_span(node))


def _multi(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    cells = m.iterate(argument(args, kwargs, 0, "cells"), node)
    if cells is None:
        return m.gap("tf.nn.rnn_cell.MultiRNNCell", node, "its cells are not known")
    if not cells:
        raise m.raised("ValueError", "MultiRNNCell needs one cell at least", node, "cell/units")
    flat = argument(args, kwargs, 1, "state_is_tuple") is False
    return Model(CELL, m.heap.space({"kind": "Multi", "cells": tuple(cells), "tuple": not flat}), m.user_span(node))


def _wrapper(kind: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    inner = argument(args, kwargs, 0, "cell")
    return Model(CELL, m.heap.space({"kind": kind, "cells": (inner,), "size": argument(args, kwargs, 1, "output_size")}), m.user_span(node))


def state_size(m: Machine, cell: Value, node: ast.AST) -> Value:
    if not (isinstance(cell, Model) and cell.kind == CELL):
        return m.attribute(cell, "state_size", node)
    kind = cell.space[KIND]
    if kind == "Multi":
        return tuple(state_size(m, c, node) for c in cell.space[CELLS])
    if "cells" in cell.space:
        return state_size(m, cell.space[CELLS][0], node)
    units, out = cell.space[UNITS], cell.space[PROJECTION] or cell.space[UNITS]
    if "LSTM" in kind:
        return state_tuple(units, out) if cell.space["tuple"] else units + out
    return units


def output_size(m: Machine, cell: Value, node: ast.AST) -> Value:
    if not (isinstance(cell, Model) and cell.kind == CELL):
        return m.attribute(cell, "output_size", node)
    if cell.space[KIND] == "OutputProjectionWrapper":
        return cell.space["size"]
    if "cells" in cell.space:
        return output_size(m, cell.space[CELLS][-1], node)
    return cell.space[PROJECTION] or cell.space[UNITS]


def _zeros(m: Machine, batch: Value, size: Value, dtype: Value, node: ast.AST) -> Value:
    if isinstance(size, Outputs):
        return size.like(_zeros(m, batch, s, dtype, node) for s in size)
    if isinstance(size, List):
        return tuple(_zeros(m, batch, s, dtype, node) for s in size.items)
    if isinstance(size, tuple):
        return tuple(_zeros(m, batch, s, dtype, node) for s in size)
    return m.spelling("tf.zeros", ([batch, size],), {"dtype": dtype}, node)


def zero_state(m: Machine, cell: Value, batch: Value, dtype: Value, node: ast.AST) -> Value:
    """`cell.zero_state(batch_size, dtype)`."""
    return _zeros(m, batch, state_size(m, cell, node), dtype, node)


def call_cell(m: Machine, cell: Value, inputs: Value, state: Value, node: ast.AST) -> Value:
    """(output, new state)."""
    if isinstance(cell, Instance) or not (isinstance(cell, Model) and cell.kind == CELL):
        return m.call(cell, (inputs, state), {}, node)
    kind = cell.space[KIND]
    if kind == "Multi":
        return _call_multi(m, cell, inputs, state, node)
    if "cells" in cell.space:
        return _call_wrapped(m, cell, inputs, state, node)
    if not isinstance(inputs, TensorType) or not inputs.shape.known:
        return m.gap(f"a call of {kind}", node, "its input is not known"), state
    if len(inputs.shape) != 2:
        raise m.raised("ValueError", f"{kind} takes inputs of rank 2 (batch, features), and got {inputs.shape!r}", node, "cell/rank")
    return _call_plain(m, cell, inputs, state, node)


def _call_plain(m: Machine, cell: Model, inputs: TensorType, state: Value, node: ast.AST) -> Value:
    from tensorproof.diagnostics.diagnostic import Step
    from tensorproof.libraries.tensorflow.tape import shown

    kind, units, projection = cell.space[KIND], cell.space[UNITS], cell.space[PROJECTION]
    out = projection or units
    depth = shown(m, inputs.shape[1])
    if depth is None:
        raise m.raised("ValueError", f"the last axis of the inputs of {kind} must be known when the graph is built", node, "cell/inputs")
    built = cell.space[INPUTS]
    if built is None:
        built = (depth, m.user_span(node))
        m.heap.set(cell.space, INPUTS, built)
    first, place = built
    lstm, gru = "LSTM" in kind, "GRU" in kind
    if lstm and cell.space["tuple"]:
        pair = state.items if isinstance(state, List) else state
        if not isinstance(pair, tuple) and not isinstance(pair, list):
            raise m.raised("TypeError", f"the state of {kind} is a pair (c, h)", node, "cell/state")
        if len(pair) != 2:
            raise m.raised("ValueError", f"the state of {kind} is a pair (c, h), and {len(pair)} values were given", node, "cell/state")
        c, h = pair
    elif lstm:
        c, h = m.item(state, (slice(None), slice(None, units)), node), m.item(state, (slice(None), slice(units, None)), node)
    else:
        c, h = None, state
    if depth is not first:
        from tensorproof.terms.predicates import eq

        message = f"this cell was built for inputs of {first!r} features and gets {depth!r}"
        m.require("cell/inputs", eq(depth, first), message, node, trail=(Step(place, f"it is first called here, with {first!r} features"),))
    if isinstance(h, TensorType) and h.shape.known and len(h.shape) != 2:
        raise m.raised("ValueError", f"the state of {kind} has rank 2 (batch, units), and this one is {h.shape!r}", node, "cell/state")
    rows = first + out
    gates = 4 * units if lstm else 2 * units if gru else units
    joined = m.spelling("tf.concat", ([inputs, h], 1), {}, node)
    kernel = TensorType(Shape((rows, gates)), FLOAT32 if inputs.dtype is None else inputs.dtype, framework="tf", parameter=True)
    product = m.spelling("tf.matmul", (joined, kernel), {}, node)
    if lstm:
        new_c = m.spelling("tf.multiply", (c, m.item(product, (slice(None), slice(0, units)), node)), {}, node)
        new_h = m.spelling("tf.tanh", (new_c,), {}, node)
        if projection is not None:
            new_h = m.spelling("tf.matmul", (new_h, kernel.but(shape=Shape((units, projection)))), {}, node)
        packed = state_tuple(new_c, new_h) if cell.space["tuple"] else m.spelling("tf.concat", ([new_c, new_h], 1), {}, node)
        return new_h, packed
    if gru:
        reset = m.spelling("tf.multiply", (m.item(product, (slice(None), slice(0, units)), node), h), {}, node)
        new_h = m.spelling("tf.tanh", (reset,), {}, node)
    else:
        new_h = m.spelling("tf.tanh", (product,), {}, node)
    return new_h, new_h


def _call_multi(m: Machine, cell: Model, inputs: Value, state: Value, node: ast.AST) -> Value:
    cells = cell.space[CELLS]
    parts = state.items if isinstance(state, List) else state
    if not cell.space["tuple"]:
        return m.gap("MultiRNNCell", node, "with state_is_tuple=False"), state
    if isinstance(parts, Unknown):
        return m.gap("MultiRNNCell", node, "its state is not known"), state
    if not isinstance(parts, (tuple, list)) or len(parts) != len(cells):
        raise m.raised("ValueError", f"the state of {len(cells)} cells is a tuple of as many states", node, "cell/state")
    new: list[Value] = []
    for one, held in zip(cells, parts):
        inputs, after = _pair(m, call_cell(m, one, inputs, held, node))
        new.append(after)
    return inputs, tuple(new)


def _pair(m: Machine, value: Value) -> Any:
    return value.items if isinstance(value, List) else value if isinstance(value, tuple) else (value, value)


def _call_wrapped(m: Machine, cell: Model, inputs: Value, state: Value, node: ast.AST) -> Value:
    kind, inner = cell.space[KIND], cell.space[CELLS][0]
    if kind == "InputProjectionWrapper":
        inputs = m.spelling("tf.layers.dense", (inputs, cell.space["size"]), {}, node)
    output, after = _pair(m, call_cell(m, inner, inputs, state, node))
    if kind == "ResidualWrapper":
        output = m.spelling("tf.add", (inputs, output), {}, node)
    elif kind == "OutputProjectionWrapper":
        output = m.spelling("tf.layers.dense", (output, cell.space["size"]), {}, node)
    return output, after


def _called(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return call_cell(m, me, argument(args, kwargs, 0, "inputs"), argument(args, kwargs, 1, "state"), node)


def _attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    if name == "state_size":
        return state_size(m, me, node)
    if name == "output_size":
        return output_size(m, me, node)
    return MISSING


def _zero_method(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return zero_state(m, me, argument(args, kwargs, 0, "batch_size"), argument(args, kwargs, 1, "dtype", FLOAT32), node)


def _call_instance(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return m.call(m.attribute(me, "call", node), args[:2], {k: v for k, v in kwargs.items() if k != "scope"}, node)


_KINDS = ("BasicRNNCell", "RNNCell", "GRUCell", "BasicLSTMCell", "LSTMCell", "LayerNormBasicLSTMCell", "LSTMBlockCell", "GRUBlockCell", "GRUBlockCellV2",
          "CoupledInputForgetGateLSTMCell", "IndRNNCell")  # fmt: skip
FUNCTIONS: dict[str, Run] = {
    **{f"tf.nn.rnn_cell.{k}": partial(_make, k) for k in _KINDS if k != "RNNCell"}, "tf.nn.rnn_cell.MultiRNNCell": _multi,
    **{f"tf.nn.rnn_cell.{k}": partial(_wrapper, k) for k in ("DropoutWrapper", "ResidualWrapper", "DeviceWrapper", "OutputProjectionWrapper",
        "InputProjectionWrapper")},
    "tf.nn.rnn_cell.LSTMStateTuple": lambda m, a, k, n: state_tuple(argument(a, k, 0, "c"), argument(a, k, 1, "h")),
}  # fmt: skip
CLASSES = {
    CELL: ClassModel(CELL, methods={"zero_state": _zero_method}, init=lambda m, me, a, k, n: None, call=_call_instance, closed=False),
}  # fmt: skip
KINDS: dict[str, KindModel] = {CELL: KindModel(methods={"zero_state": _zero_method, "call": _called}, attribute=_attribute, call=_called, open=True)}
