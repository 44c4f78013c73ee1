"""Recurrent networks of TensorFlow 1: dynamic_rnn, static_rnn and their bidirectional forms, over the cells of `cells`."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries import argument, listed, signatures
from tensorproof.libraries.tensorflow import tape
from tensorproof.libraries.tensorflow.version1.cells import call_cell, zero_state
from tensorproof.terms import Shape, TensorType, conj, eq
from tensorproof.values import Args, Kwargs, List, Machine, Unknown, Value


def _named(name: str, args: Args, kwargs: Kwargs) -> dict[str, Value]:
    """The arguments of a function of tf.nn by their names; None for those that are not given."""
    return {word: argument(args, kwargs, i, word) for i, word in enumerate(signatures.names(f"tf.nn.{name}"))}


def _start(m: Machine, cell: Value, state: Value, dtype: Value, batch: Value, node: ast.AST) -> Value:
    """The state before the first step."""
    if state is not None:
        return state
    if dtype is None:
        raise m.raised("ValueError", "without an initial state the dtype must be given", node, "rnn/dtype")
    return zero_state(m, cell, batch, dtype, node)


def _checked(m: Machine, cell: Value, node: ast.AST) -> None:
    if isinstance(cell, (TensorType, List, tuple, int, float, str)):
        raise m.raised("TypeError", "the first argument must be a cell, and the inputs come second", node)


def same_state(m: Machine, before: Value, after: Value, node: ast.AST) -> None:
    """A step must leave the state as it found it."""
    if isinstance(before, TensorType) and isinstance(after, TensorType):
        if before.shape.known and after.shape.known:
            agree = len(before.shape) == len(after.shape) and conj(*(eq(a, b) for a, b in zip(before.shape, after.shape)))
            m.require("rnn/state", agree, f"a step makes a state of shape {after.shape!r} from one of shape {before.shape!r}", node)
        return
    olds, news = (v.items if isinstance(v, List) else v for v in (before, after))
    if isinstance(olds, (tuple, list)) and isinstance(news, (tuple, list)):
        if len(olds) != len(news):
            raise m.raised("ValueError", "a step must give a state of the same structure", node, "rnn/state")
        for a, b in zip(olds, news):
            same_state(m, a, b, node)


def _unrolled(m: Machine, args: tuple[Any, ...], kwargs: Kwargs, node: ast.AST) -> Value:
    """What all steps gave together: (inputs, output of a step) → outputs with the axis of time."""
    inputs, output, at = args
    if not isinstance(output, TensorType) or not output.shape.known:
        return output
    lead = (output.shape[0], inputs.shape[1]) if at == 1 else (inputs.shape[0], output.shape[0])
    return TensorType(Shape((*lead, *output.shape[1:])), output.dtype, framework="tf")


def _lengths(m: Machine, args: tuple[Any, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    lengths, inputs, at = args
    if isinstance(lengths, TensorType) and lengths.shape.known and inputs.shape.known:
        agree = len(lengths.shape) == 1 and eq(lengths.shape[0], inputs.shape[1 - at])
        batch = inputs.shape[1 - at]
        m.require("rnn/lengths", agree, f"sequence_length has shape {lengths.shape!r}, and must have one number for each of the {batch!r} sequences", node)
    return inputs


def dynamic(m: Machine, g: Kwargs, node: ast.AST) -> Any:
    """(outputs, last state)."""
    cell, inputs = g["cell"], g["inputs"]
    _checked(m, cell, node)
    if isinstance(inputs, (List, tuple)):
        inputs = m.spelling("tf.convert_to_tensor", (inputs,), {}, node)
    if not isinstance(inputs, TensorType):
        return m.gap("tf.nn.dynamic_rnn", node, "its inputs are not known"), Unknown("state")
    at = 0 if g["time_major"] is True else 1
    if inputs.shape.known and len(inputs.shape) < 3:
        raise m.raised("ValueError", f"dynamic_rnn takes inputs of rank 3 (batch, time, features), and got {inputs.shape!r}", node, "rnn/rank")
    if not inputs.shape.known:
        return m.gap("tf.nn.dynamic_rnn", node, "the rank of its inputs is not known"), Unknown("state")
    lengths = g["sequence_length"]
    if lengths is not None:
        lengths = lengths if isinstance(lengths, TensorType) else m.spelling("tf.convert_to_tensor", (lengths,), {}, node)
        inputs = tape.step(m, "sequence_length", _lengths, (lengths, inputs, at), {}, node)
    first = m.item(inputs, (slice(None), 0) if at == 1 else 0, node)
    batch = m.item(m.spelling("tf.shape", (inputs,), {}, node), 1 - at, node)
    before = _start(m, cell, g["initial_state"], g["dtype"], batch, node)
    found = call_cell(m, cell, first, before, node)
    pair = found.items if isinstance(found, List) else found
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        return m.gap("tf.nn.dynamic_rnn", node, "what its cell gives is not known"), Unknown("state")
    output, after = pair
    after = _kept(m, before, after, node)
    outputs = tape.step(m, "tf.nn.dynamic_rnn", _unrolled, (inputs, output, at), {}, node)
    return outputs, after


def _kept(m: Machine, before: Value, after: Value, node: ast.AST) -> Value:
    """The state's shape is an invariant; recorded as a step, so that it is asked again in every run."""

    def run(mm: Machine, args: Args, kwargs: Kwargs, at: Any) -> Any:
        same_state(mm, args[0], args[1], at)
        return args[1]

    return tape.step(m, "the state of a cell", run, (before, after), {}, node)


def _bidirectional(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    g = _named("bidirectional_dynamic_rnn", args, kwargs)
    directions = [dynamic(m, {**g, "cell": g[f"cell_{w}"], "initial_state": g[f"initial_state_{w}"]}, node) for w in ("fw", "bw")]
    return (directions[0][0], directions[1][0]), (directions[0][1], directions[1][1])


def static(m: Machine, g: Kwargs, node: ast.AST) -> Any:
    """(list of outputs, last state)."""
    cell, inputs = g["cell"], g["inputs"]
    _checked(m, cell, node)
    if isinstance(inputs, TensorType):
        raise m.raised("TypeError", "static_rnn takes a list of tensors, one for each step", node, "rnn/inputs")
    steps = m.iterate(inputs, node)
    if steps is None:
        return m.gap("tf.nn.static_rnn", node, "its inputs are not known"), Unknown("state")
    if not steps:
        raise m.raised("ValueError", "static_rnn needs one input at least", node, "rnn/inputs")
    if isinstance(steps[0], TensorType):
        if steps[0].shape.known and not steps[0].shape:
            raise m.raised("ValueError", "inputs of static_rnn have a batch axis", node, "rnn/inputs")
        batch = m.item(m.spelling("tf.shape", (steps[0],), {}, node), 0, node)
    else:
        batch = None
    before = _start(m, cell, g["initial_state"], g["dtype"], batch, node)
    outputs: list[Value] = []
    for one in steps:
        found = call_cell(m, cell, one, before, node)
        pair = found.items if isinstance(found, List) else found
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            return m.gap("tf.nn.static_rnn", node, "what its cell gives is not known"), Unknown("state")
        before = _kept(m, before, pair[1], node)
        outputs.append(pair[0])
    return listed(m, outputs), before


def _static_rnn(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return static(m, _named("static_rnn", args, kwargs), node)


def _static_both(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    g = _named("static_bidirectional_rnn", args, kwargs)
    directions = [static(m, {**g, "cell": g[f"cell_{w}"], "initial_state": g[f"initial_state_{w}"]}, node) for w in ("fw", "bw")]
    if isinstance(directions[0][0], Unknown) or isinstance(directions[1][0], Unknown):
        return Unknown("outputs"), directions[0][1], directions[1][1]
    joined = [m.spelling("tf.concat", ([a, b], 1), {}, node) for a, b in zip(directions[0][0].items, directions[1][0].items)]
    return listed(m, joined), directions[0][1], directions[1][1]


def _stacked_both(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """tf.contrib.rnn.stack_bidirectional_dynamic_rnn."""
    names = ("cells_fw", "cells_bw", "inputs", "initial_states_fw", "initial_states_bw", "dtype", "sequence_length")
    g = {word: argument(args, kwargs, i, word) for i, word in enumerate(names)}
    forward, backward = m.iterate(g["cells_fw"], node), m.iterate(g["cells_bw"], node)
    if forward is None or backward is None:
        return m.gap("stack_bidirectional_dynamic_rnn", node, "its cells are not known")
    inputs = g["inputs"]
    states: tuple[list[Value], list[Value]] = ([], [])
    for cells in zip(forward, backward):
        directions = [dynamic(m, {**g, "inputs": inputs, "cell": c, "initial_state": None, "time_major": False}, node) for c in cells]
        inputs = m.spelling("tf.concat", ([directions[0][0], directions[1][0]], 2), {}, node)
        for held, direction in zip(states, directions):
            held.append(direction[1])
    return inputs, tuple(states[0]), tuple(states[1])


FUNCTIONS: dict[str, object] = {
    "tf.nn.dynamic_rnn": lambda m, a, k, n: dynamic(m, _named("dynamic_rnn", a, k), n),
    "tf.nn.bidirectional_dynamic_rnn": _bidirectional, "tf.nn.static_rnn": _static_rnn, "tf.nn.rnn": _static_rnn,
    "tf.nn.static_bidirectional_rnn": _static_both, "tf.nn.rnn_cell.static_rnn": _static_rnn, "tf.nn.rnn_cell.static_bidirectional_rnn": _static_both,
    "tf.nn.rnn_cell.stack_bidirectional_dynamic_rnn": _stacked_both,
}  # fmt: skip
