"""The scaler of mixed precision: in which order its methods may be called.

On the device "cuda" a scaler is disabled where there is no GPU: a wrong order is an error on one machine and none on the other, and is counted as a gap.
"""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries.bound import Bound, by_signature
from tensorproof.libraries.domains import backward
from tensorproof.libraries.model import KindModel
from tensorproof.libraries.plain import argument, nothing
from tensorproof.libraries.torch.module_tree import is_module
from tensorproof.libraries.torch.optim import READY, STAGE, STEPPED, UNSCALED, parameters_of
from tensorproof.terms import TensorType, Term, Truth, eq, ne
from tensorproof.values import REAL, Args, Dict, Key, Kwargs, Machine, Model, Unknown, Value, slot

SCALER = "torch.amp.GradScaler"
SCALED: Key[Any] = slot("scaled")
OPTIMIZERS: Key[list[Any]] = slot("optimizers")
"""All that it has stepped, on any path."""


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
        if held and all(isinstance(p, TensorType) and backward.grad_of(m, p) is None for p in held):
            _must(m, me, "AssertionError", False, "step needs gradients, and no parameter of the optimizer has one", node)
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


_METHODS: dict[str, Any] = {
    "scale": _scale, "unscale_": _unscale, "step": _step, "update": _update, "state_dict": _state, "is_enabled": lambda m, me, a, k, n: me.space["enabled"],
    **dict.fromkeys(("load_state_dict", "set_growth_factor", "set_backoff_factor", "set_growth_interval"), nothing),
    **dict.fromkeys(("get_scale", "get_growth_factor", "get_backoff_factor"), lambda m, me, a, k, n: REAL),
    "get_growth_interval": lambda m, me, a, k, n: Unknown("an interval", number="int"),
}  # fmt: skip
FUNCTIONS = {f"torch.{home}GradScaler": by_signature(f"torch.{home}GradScaler", _scaler) for home in ("amp.", "", "cuda.amp.", "cpu.amp.", "amp.grad_scaler.")}
KINDS = {SCALER: KindModel(_METHODS)}
