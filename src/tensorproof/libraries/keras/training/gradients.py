"""Gradients that an optimizer of Keras applies: each fits the shape of its variable."""

from __future__ import annotations

import ast

from tensorproof.libraries import argument, registry
from tensorproof.libraries.tensorflow.data.elements import scalar
from tensorproof.terms import TensorType, conj, disj, eq
from tensorproof.values import MISSING, Args, Instance, Kwargs, List, Machine, Model, Unknown, Value


def apply_gradients(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`opt.apply_gradients(zip(grads, variables))`."""
    given = argument(args, kwargs, 0, "grads_and_vars")
    if isinstance(given, Unknown):
        return None
    pairs = m.iterate(given, node)
    if pairs is None:
        return None
    halves: list[tuple[Value, Value]] = []
    for pair in pairs:
        if isinstance(pair, Unknown):
            return None
        parts = m.iterate(pair, node)
        if parts is None:
            return None
        if len(parts) != 2:
            raise m.raised("ValueError", f"apply_gradients takes pairs of gradient and variable, here are {len(parts)} values", node, "optimizer/pairs")
        if isinstance(pair, TensorType):
            message = "apply_gradients takes pairs of gradient and variable, and a row of a tensor is not a variable: write [(gradient, variable)]"
            raise m.raised("AttributeError", message, node, "optimizer/pairs")
        halves.append((parts[0], parts[1]))
    plain = isinstance(me, Model) and me.kind.endswith(".SGD") and not me.space.get("momentum")
    _check(m, [(_tensor(m, g, node), v) for g, v in halves], node, exact=plain)
    _same_variables(m, me, [v for _, v in halves], node)
    return scalar("int64")


def _tensor(m: Machine, gradient: Value, node: ast.AST) -> Value:
    """A list of tensors in place of a gradient is stacked, and a number is a tensor without axes."""
    return m.spelling("tf.convert_to_tensor", (gradient,), {}, node) if isinstance(gradient, (List, tuple, int, float)) else gradient


_KNOWN = "variables of the first call"
"""Where an optimizer keeps the variables that it was first applied to; no attribute of the program has this name."""


def _same_variables(m: Machine, me: Value, variables: list[Value], node: ast.AST) -> None:
    """An optimizer of Keras 3 keeps a state for the variables of its first call, and knows no others."""
    made = m.model_state.get("tf1 names", {})  # tf.Variable, which stays one object; a layer of Keras tells its weights anew
    if not isinstance(me, Model) or not all(type(v) is TensorType and id(v) in made and made[id(v)][0] is v for v in variables):
        return
    known = me.space.get(_KNOWN)
    if known is None:
        m.heap.set(me.space, _KNOWN, tuple(variables))
    elif type(known) is tuple and all(not any(v is k for k in known) for v in variables):
        message = "this optimizer was first applied to other variables, and Keras 3 lets it change only those: make one optimizer for each model"
        raise m.raised("ValueError", message, node, "optimizer/variables")


def apply(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`opt.apply(grads, variables)`."""
    grads, variables = argument(args, kwargs, 0, "grads"), argument(args, kwargs, 1, "trainable_variables")
    if variables is None or isinstance(variables, Unknown) or isinstance(grads, Unknown):
        return None
    first, second = m.iterate(grads, node), m.iterate(variables, node)
    if first is not None and second is not None:
        if len(first) != len(second):
            raise m.raised("ValueError", f"{len(first)} gradients for {len(second)} variables", node, "optimizer/pairs")
        _check(m, list(zip(first, second)), node)
    return None


def _check(m: Machine, pairs: list[tuple[Value, Value]], node: ast.AST, exact: bool = False) -> None:
    """Gradients fit their variables. `exact`: they are subtracted as they are, and must not broadcast; moments do."""
    if pairs and all(g is None for g, _ in pairs):
        raise m.raised("ValueError", "no gradients for any variable: the loss does not depend on them, or they were not watched", node, "optimizer/none")
    if not pairs:
        raise m.raised("ValueError", "there are no variables to change", node, "optimizer/none")
    for gradient, held in pairs:
        if isinstance(gradient, TensorType) and gradient.parameter and isinstance(held, TensorType) and not held.parameter:
            raise m.raised("AttributeError", "the variable comes second: a pair is (gradient, variable)", node, "optimizer/pairs")
        variable = registry.tensor_of(held) if isinstance(held, (Model, Instance)) else held
        if variable is not MISSING and isinstance(gradient, TensorType) and isinstance(variable, TensorType) and gradient.shape.known and variable.shape.known:
            fits = len(gradient.shape) == len(variable.shape) if exact else len(gradient.shape) <= len(variable.shape)
            sizes = zip(reversed(gradient.shape), reversed(variable.shape))
            agree = conj(*(eq(a, b) if exact else disj(eq(a, b), eq(a, 1)) for a, b in sizes)) if fits else False
            message = f"a gradient of shape {gradient.shape!r} cannot change a variable of shape {variable.shape!r}"
            if agree is False:
                raise m.raised("InvalidArgumentError", message, node, "optimizer/shapes")
            m.require("optimizer/shapes", agree, message, node)
