"""What training code calls beside the optimizer: clipping of gradients, averaged models, parameters as one vector."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import Run, argument
from tensorproof.libraries.python.copies import deep
from tensorproof.libraries.torch.module_tree import PARAMETERS, all_tensors, is_module, walk
from tensorproof.terms import FLOAT32, INT64, Shape, TensorType, conj, eq, ge
from tensorproof.values import Args, Kwargs, Layer, List, Machine, Native, Unknown, Value

SWA = "torch.optim.swa_utils."


def _tensors(m: Machine, name: str, given: Value, node: ast.AST) -> list[Any] | None:
    """The tensors that a function over parameters is given; None when they are not known."""
    if is_module(given):
        raise m.raised("TypeError", f"{name} takes parameters, this is a module: write model.parameters()", node, "call/arguments")
    if isinstance(given, TensorType):
        return [given]
    found: list[Value] | None = None if isinstance(given, Unknown) else m.iterate(given, node)
    return None if found is None or not all(isinstance(t, TensorType) for t in found) else found


def _checked(name: str, first: str, result: Any, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A function of torch.nn.utils over parameters, whose result does not depend on them."""
    _tensors(m, name, argument(args, kwargs, 0, first), node)
    return result(m)


def _norm(m: Machine) -> TensorType:
    return TensorType(Shape(()), FLOAT32)


def _to_vector(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    found = _tensors(m, "parameters_to_vector", argument(args, kwargs, 0, "parameters"), node)
    if not found:
        return m.gap("torch.nn.utils.parameters_to_vector", node, "the parameters are not known")
    return m.spelling("torch.cat", (List(m.heap.row([m.spelling("torch.Tensor.reshape", (t, -1), {}, node) for t in found])),), {}, node)


def _from_vector(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    vector, found = argument(args, kwargs, 0, "vec"), _tensors(m, "vector_to_parameters", argument(args, kwargs, 1, "parameters"), node)
    if not isinstance(vector, TensorType):
        if isinstance(vector, Unknown):
            m.gap("torch.nn.utils.vector_to_parameters", node, "the vector is not known")
            return
        raise m.raised("TypeError", "vector_to_parameters takes a tensor", node, "call/arguments")
    if found is None:
        m.gap("torch.nn.utils.vector_to_parameters", node, "the parameters are not known")
        return
    total = sum((t.shape.numel for t in found), 0)
    said = f"the parameters need {total!r} elements, and the vector has {vector.shape.numel!r}"
    m.require("reshape/elements", ge(vector.shape.numel, total), said, node)


# --- averaged models ---


def _averaged(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    model = args[0] if args else kwargs["model"]
    if isinstance(model, Unknown):
        return m.gap(SWA + "AveragedModel", node, "the model is not known")
    made = Layer(None, m.user_span(node), (deep(m, model, {}, node),), "wrapper", ("module",))
    functions = {name: argument(args, kwargs, at, name) for at, name in ((2, "avg_fn"), (3, "multi_avg_fn"))}
    made.tensors = {"n_averaged": TensorType(Shape(()), INT64, contents=(0,)), **{name: one for name, one in functions.items() if one is not None}}
    return made


def update_parameters(m: Machine, me: Layer, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """AveragedModel.update_parameters: the averaging function of the program is run on the first parameters."""
    model = argument(args, kwargs, 0, "model")
    if not is_module(model):
        if not isinstance(model, Unknown):
            raise m.raised("TypeError", "update_parameters takes the model", node, "call/arguments")
        return
    own, new = ([t for _, t in all_tensors(one, PARAMETERS)] for one in (me.children[0], model))
    count = me.tensors["n_averaged"]
    for a, b in zip(own, new):
        if a.shape.known and b.shape.known and (count.contents == (0,) or "multi_avg_fn" not in me.tensors):
            fits = len(b.shape) <= len(a.shape) and conj(*(True if y == 1 else eq(x, y) for x, y in zip(a.shape[::-1], b.shape[::-1])))
            m.require("checkpoint/shape", fits, f"a parameter has shape {a.shape!r} in the averaged model and {b.shape!r} in the model", node)
    if count.contents == (0,):  # the first model is copied
        m.remember(me, "tensors", me.tensors)
        me.tensors = {**me.tensors, "n_averaged": count.but(contents=None)}
        return
    if own and new and "avg_fn" in me.tensors:
        m.call(me.tensors["avg_fn"], (own[0], new[0], count), {}, node)
    if own and new and "multi_avg_fn" in me.tensors:
        m.call(me.tensors["multi_avg_fn"], (List(m.heap.row(own)), List(m.heap.row(new)), count), {}, node)


def _update_bn(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """update_bn calls the model with the batches of the loader; it does so only where the model has a batch normalisation."""
    loader, model = argument(args, kwargs, 0, "loader"), argument(args, kwargs, 1, "model")
    if is_module(model) and not any(isinstance(one, Layer) and one.module is not None and "BatchNorm" in one.module.name for _, one in walk(model)):
        return
    first = m.call(next, (m.call(iter, (loader,), {}, node),), {}, node)
    if type(first) is tuple:
        first = first[0] if first else first
    elif isinstance(first, List):
        first = first.items[0] if first.items else Unknown("a batch")
    if isinstance(first, Unknown) or not is_module(model):
        m.gap(SWA + "update_bn", node, "the batches are not known")
    else:
        m.call(model, (first,), {}, node)


def _average_function(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return Native(name, lambda machine, inner, named, at: inner[0] if "multi" not in name else None)


UTILS = "torch.nn.utils."
FUNCTIONS: dict[str, Run] = {
    **{UTILS + n: partial(_checked, n, "parameters", _norm) for n in ("clip_grad_norm_", "clip_grad_norm")},
    **{f"{UTILS}clip_grad.{n}": partial(_checked, n, "parameters", _norm) for n in ("clip_grad_norm_", "clip_grad_norm")},
    UTILS + "get_total_norm": partial(_checked, "get_total_norm", "tensors", _norm),
    **{UTILS + n: partial(_checked, n, "parameters", lambda m: None) for n in ("clip_grad_value_", "clip_grads_with_norm_")},
    UTILS + "clip_grad.clip_grad_value_": partial(_checked, "clip_grad_value_", "parameters", lambda m: None),
    UTILS + "parameters_to_vector": _to_vector, UTILS + "vector_to_parameters": _from_vector,
    SWA + "AveragedModel": _averaged, SWA + "update_bn": _update_bn,
    **{SWA + n: partial(_average_function, n) for n in ("get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn", "get_swa_multi_avg_fn")},
}  # fmt: skip
