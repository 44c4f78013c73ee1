"""What training code calls beside the optimizer: clipping of gradients, averaged models, the scaler of mixed precision, parameters as one vector."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import Bound, KindModel, Run, argument, by_signature
from tensorproof.libraries.domains import backward
from tensorproof.libraries.python.copies import deep
from tensorproof.libraries.torch.module_tree import PARAMETERS, all_tensors, is_module, walk
from tensorproof.libraries.torch.optim import READY, STAGE, STEPPED, UNSCALED, parameters_of
from tensorproof.terms import FLOAT32, INT64, Shape, TensorType, Term, Truth, conj, eq, ge, ne
from tensorproof.values import REAL, Args, Dict, Key, Kwargs, Layer, List, Machine, Model, Native, Unknown, Value, slot

SWA = "torch.optim.swa_utils."
SCALER = "torch.amp.GradScaler"
SCALED: Key[Any] = slot("scaled")
OPTIMIZERS: Key[list[Any]] = slot("optimizers")
"""All that it has stepped, on any path."""


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
    if name.startswith("clip"):  # float() makes a number of the limit
        m.call(float, (argument(args, kwargs, 1, "clip_value" if "value" in name else "max_norm", 0.0),), {}, node)
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


# --- the scaler: on the device "cuda" it is disabled where there is no GPU, so that a wrong order is an error on one machine and none on the other ---


def _scaler(m: Machine, call: Bound) -> Model:
    device = call.value("device", "cuda") if call.name == SCALER else call.name.split(".")[1]
    space = m.heap.space({"enabled": call.value("enabled", True), "device": device, SCALED: 0, OPTIMIZERS: []})
    made = Model(SCALER, space)
    growth, backoff = call.value("growth_factor", 2.0), call.value("backoff_factor", 0.5)
    if isinstance(growth, (int, float)):
        _must(m, made, "AssertionError", growth > 1, f"growth_factor must be above 1, and is {growth:g}", call.node)
    if isinstance(backoff, (int, float)):
        _must(m, made, "AssertionError", backoff < 1, f"backoff_factor must be below 1, and is {backoff:g}", call.node)
    return made


def _must(m: Machine, me: Model, kind: str, predicate: Truth, words: str, node: ast.AST) -> None:
    """What torch asserts of a scaler that is enabled."""
    if predicate is True or me.space["enabled"] is False:
        return
    if me.space["enabled"] is True and me.space["device"] == "cpu":
        m.demand(kind, predicate, words, node, "optim/scaler")
    else:
        m.gap(SCALER, node, f"{words}: an error if the scaler is enabled, which depends on the machine or on an argument")


def _must_be_scaled(m: Machine, me: Model, name: str, node: ast.AST) -> None:
    scaled = me.space[SCALED]
    known = isinstance(scaled, (int, Term))
    _must(m, me, "AssertionError", eq(scaled, 1) if known else False, f"{name} needs scaler.scale(loss) before it", node)


def _stage(me: Model, optimizer: Value) -> Any:
    """Where an optimizer stands; None where it is not followed."""
    if not hasattr(optimizer, "space"):
        return None
    if not any(one is optimizer for one in me.space[OPTIMIZERS]):
        me.space[OPTIMIZERS].append(optimizer)
    found = optimizer.space.get(STAGE, READY)
    return found if isinstance(found, (int, Term)) else None


def _must_not_be(m: Machine, me: Model, optimizer: Value, stage: int, words: str, node: ast.AST) -> None:
    now = _stage(me, optimizer)
    if now is not None:
        _must(m, me, "RuntimeError", ne(now, stage), words, node)
    elif hasattr(optimizer, "space"):
        m.gap(SCALER, node, "whether the optimizer was stepped since the last update is not known")


def _scale(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = argument(args, kwargs, 0, "outputs")
    if given is None or isinstance(given, (int, float, str)):
        raise m.raised("ValueError", "scale takes a tensor or an iterable of tensors", node, "call/arguments")
    if me.space["enabled"] is False:
        return given
    m.heap.set(me.space, SCALED, 1)
    return m.spelling("torch.Tensor.mul", (given, REAL), {}, node) if isinstance(given, TensorType) else given


def _unscale(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    optimizer = argument(args, kwargs, 0, "optimizer")
    _must_be_scaled(m, me, "unscale_", node)
    _must_not_be(m, me, optimizer, UNSCALED, "unscale_ was called on this optimizer already since the last update", node)
    _must_not_be(m, me, optimizer, STEPPED, "unscale_ is called after step: it must come before it", node)
    if hasattr(optimizer, "space"):
        m.heap.set(optimizer.space, STAGE, UNSCALED)


def _step(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    optimizer = argument(args, kwargs, 0, "optimizer")
    if is_module(optimizer) or isinstance(optimizer, TensorType) or optimizer is None:
        raise m.raised("TypeError", "the scaler steps an optimizer", node, "call/arguments")
    rest = {name: value for name, value in kwargs.items() if name != "optimizer"}
    if me.space["enabled"] is not False:
        _must(m, me, "RuntimeError", "closure" not in rest, "a scaler takes no closure", node)
        _must_be_scaled(m, me, "step", node)
        _must_not_be(m, me, optimizer, STEPPED, "step was called already since the last update: call scaler.update() once in each iteration", node)
        held = parameters_of(optimizer) if hasattr(optimizer, "space") else []
        if held and all(isinstance(p, TensorType) and backward.grad_of(m, p, node) is None for p in held):
            m.gap(SCALER, node, "step needs gradients, and what gave them to the parameters of the optimizer is not known")
        if hasattr(optimizer, "space"):
            m.heap.set(optimizer.space, STAGE, STEPPED)
    return None if isinstance(optimizer, Unknown) else m.call(m.attribute(optimizer, "step", node), args[1:], rest, node)


def _update(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    if me.space["enabled"] is False:
        return
    _must_be_scaled(m, me, "update", node)
    for optimizer in me.space[OPTIMIZERS]:
        m.heap.set(optimizer.space, STAGE, READY)


def _state(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Dict:
    names = ("scale", "growth_factor", "backoff_factor", "growth_interval", "_growth_tracker") if me.space["enabled"] is not False else ()
    return Dict(m.heap.entries(dict.fromkeys(names, REAL)))


_SCALER_METHODS: dict[str, Any] = {
    "scale": _scale, "unscale_": _unscale, "step": _step, "update": _update, "state_dict": _state, "is_enabled": lambda m, me, a, k, n: me.space["enabled"],
}  # fmt: skip
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
    **{f"torch.{home}GradScaler": by_signature(f"torch.{home}GradScaler", _scaler) for home in ("amp.", "", "cuda.amp.", "cpu.amp.", "amp.grad_scaler.")},
}  # fmt: skip
KINDS = {SCALER: KindModel(_SCALER_METHODS)}
