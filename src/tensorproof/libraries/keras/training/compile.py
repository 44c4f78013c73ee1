"""Model.compile, and how losses, metrics and targets are dealt out to a model's outputs."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.diagnostics.diagnostic import Step
from tensorproof.libraries import bind
from tensorproof.libraries.keras.models.saving import STATE
from tensorproof.libraries.keras.training import losses, metrics, optimizers
from tensorproof.terms import FLOAT32, Shape, TensorType
from tensorproof.values import Args, Dict, Function, Instance, Kwargs, Layer, List, Machine, Model, Named, Value


def bound(m: Machine, name: str, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> dict[str, Any]:
    """The arguments of a method of a model by their names."""
    call = bind(m, f"keras.Model.{name}", (me, *args), kwargs, node)
    if call.named:
        raise m.raised("TypeError", f"{name} has no argument {next(iter(call.named))}", node, "call/arguments")
    return {word: value for word, value in call.values.items() if word != "self"}


def compile_(m: Machine, me: Any, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    given = bound(m, "compile", me, args, kwargs, node)
    optimizer = optimizers.resolved(m, given.get("optimizer", "rmsprop"), node)
    for name in ("metrics", "weighted_metrics"):
        value = given.get(name)
        if isinstance(value, (str, Model, Layer, Function, Named)):
            raise m.raised("ValueError", f"{name} takes a list or a dict, not a single metric", node, "keras/metrics")
    weights = given.get("loss_weights")
    if isinstance(weights, int) and weights:
        raise m.raised("ValueError", "loss_weights takes a real number, a list or a dict", node, "keras/loss-weights")
    state = {k: given.get(k) for k in ("loss", "loss_weights", "metrics", "weighted_metrics", "run_eagerly")}
    m.heap.set(me.space, STATE, Model("keras.compiled", m.heap.space({**state, "optimizer": optimizer}), m.user_span(node)))
    m.heap.set(me.space, "optimizer", optimizer)
    m.heap.set(me.space, "loss", given.get("loss"))
    m.heap.set(me.space, "stop_training", False)


def state_of(me: Any) -> Any:
    return me.space.get(STATE)


def trail(state: Model) -> tuple[Step, ...]:
    return () if state.span is None else (Step(state.span, "the model is compiled here"),)


def outputs(output: Value) -> tuple[list[Value], list[Value] | None]:
    """The outputs of a model one by one, and their keys where they stand in a dict."""
    if isinstance(output, Dict):
        return list(output.items.values()), list(output.items)
    if isinstance(output, (List, tuple)):
        flat: list[Value] = []
        for one in output.items if isinstance(output, List) else output:
            flat += outputs(one)[0]
        return flat, None
    return [output], None


def _listed(value: Value) -> list[Value] | None:
    return list(value.items) if isinstance(value, List) else list(value) if type(value) is tuple else None


def targets(m: Machine, given: Value, count: int, names: list[Value] | None, used: list[bool], node: ast.AST) -> list[Value]:
    """The target of each output."""
    if isinstance(given, Dict):
        if names is not None and all(n in given.items for n, u in zip(names, used) if u):
            return [given.items.get(n) for n in names]
        if names is None and len(given.items) == count:
            return list(given.items.values())
        raise m.raised("KeyError", f"the targets are named {list(given.items)}, and the outputs {names}", node, "keras/outputs")
    listed = _listed(given)
    if count == 1:
        return [listed[0] if listed is not None and len(listed) == 1 else given]
    if listed is None:
        if given is not None and sum(used) == 1:
            return [given if u else None for u in used]
        listed = [given]
    if len(listed) == count:
        return listed
    if len(listed) == sum(used):
        left = iter(listed)
        return [next(left) if u else None for u in used]
    raise m.raised("ValueError", f"the model has {count} outputs, and gets {len(listed)} targets", node, "keras/outputs")


def dealt_losses(m: Machine, state: Model, count: int, names: list[Value] | None, node: ast.AST) -> list[Value]:
    """The loss of each output; None for those without."""
    loss = state.space["loss"]
    if isinstance(loss, Dict):
        if names is None or set(names) != set(loss.items):
            known = set() if names is None else set(names)
            if names is None or not (set(loss.items) <= known and count == 1):
                raise m.raised("ValueError", f"the losses are named {list(loss.items)}, and the outputs {names}", node, "keras/outputs", trail(state))
        return [loss.items.get(n) for n in names]
    listed = _listed(loss)
    if listed is None:
        return [loss] * count
    if count == 1:
        return [listed[0]] if listed else [None]
    if len(listed) > count:
        raise m.raised("KeyError", f"there are {len(listed)} losses for {count} outputs", node, "keras/outputs", trail(state))
    return [*listed, *(None,) * (count - len(listed))]


def dealt_metrics(m: Machine, state: Model, which: str, count: int, names: list[Value] | None, node: ast.AST) -> list[list[Value]]:
    """The metrics of each output."""
    given = state.space[which]
    if given is None or (isinstance(given, (List, Dict)) and not given.items) or given == ():
        return [[] for _ in range(count)]
    if count == 1:
        return [_flat(given)]
    listed = _listed(given)
    if listed is not None and len(listed) == count:
        return [_flat(v) for v in listed]
    if isinstance(given, Dict) and names is not None and set(given.items) <= set(names):
        return [_flat(given.items.get(n)) for n in names]
    what = f"there are {len(listed)}" if listed is not None else f"they are named {list(given.items)}" if isinstance(given, Dict) else "there is one"
    message = f"a model with {count} outputs takes metrics for each output: {what}, and the outputs are {names or count}"
    raise m.raised("ValueError", message, node, "keras/metrics", trail(state))


def _flat(value: Value) -> list[Value]:
    if value is None:
        return []
    listed = list(value.items.values()) if isinstance(value, Dict) else _listed(value)
    return [value] if listed is None else [v for one in listed for v in _flat(one)]


def compute_loss(m: Machine, state: Model, target: Value, output: Value, weight: Value, names: list[Value] | None, node: ast.AST, activation: str = "",
                 training: bool = False) -> Value:  # fmt: skip
    """The loss of a batch; `training`: its derivatives are computed."""
    found, keys = outputs(output)
    keys = keys if keys is not None else names
    if state.space["loss"] is None:
        return TensorType(Shape(), FLOAT32, framework="tf")
    dealt = dealt_losses(m, state, len(found), keys, node)
    used = [loss is not None for loss in dealt]
    _weights_fit(m, state, used, node)
    wanted = targets(m, target, len(found), keys, used, node)
    weights = targets(m, weight, len(found), keys, used, node) if isinstance(weight, (List, tuple, Dict)) else [weight] * len(found)
    for loss, t, o, w in zip(dealt, wanted, found, weights):
        if loss is not None:
            made = losses.apply(m, loss, t, o, w, node, activation if len(found) == 1 else "", trail(state))
            if training and m.path.program is not None and isinstance(made, TensorType):
                m.path.program.differentiated((made,))
    return TensorType(Shape(), FLOAT32, framework="tf")


def _weights_fit(m: Machine, state: Model, used: list[bool], node: ast.AST) -> None:
    weights = state.space["loss_weights"]
    count = len(_listed(weights) or ()) if isinstance(weights, (List, tuple)) else len(weights.items) if isinstance(weights, Dict) else None
    loss = state.space["loss"]
    given = len(_listed(loss) or ()) if isinstance(loss, (List, tuple)) else len(loss.items) if isinstance(loss, Dict) else None
    if count is not None and given is not None and count != given:
        raise m.raised("ValueError", f"there are {given} losses and {count} loss_weights", node, "keras/loss-weights", trail(state))


def compute_metrics(m: Machine, state: Model, target: Value, output: Value, weight: Value, names: list[Value] | None, node: ast.AST) -> None:
    """A batch goes into the compiled metrics."""
    found, keys = outputs(output)
    keys = keys if keys is not None else names
    m.heap.set(state.space, "measured", True)
    for which in ("metrics", "weighted_metrics"):
        dealt = dealt_metrics(m, state, which, len(found), keys, node)
        if not any(dealt) or target is None:
            continue
        wanted = targets(m, target, len(found), keys, [bool(d) for d in dealt], node)
        for some, t, o in zip(dealt, wanted, found):
            for one in some:
                if t is not None:
                    metrics.apply(m, metrics.resolved(m, one, t, o, node, trail(state)), t, o, None, node)


def reset_metrics(m: Machine, state: Model, node: ast.AST) -> None:
    """Before a pass over the data, once there was one: the metrics forget what they hold."""
    if state.space.get("measured") is True:
        for which in ("metrics", "weighted_metrics"):
            for one in _flat(state.space[which]):
                metrics.reset(m, one, node)


def _name(one: Value) -> str | None:
    if isinstance(one, str):
        return one
    if isinstance(one, (Model, Instance)):
        name = one.space.get("name")
        return name if isinstance(name, str) else None
    if isinstance(one, Layer) and one.module is not None:
        name = one.module.arguments.get("name")
        return name if isinstance(name, str) else None
    if isinstance(one, Function):
        return "lambda" if one.name == "<lambda>" else one.name
    return one.name.rpartition(".")[2] if isinstance(one, Named) else None


def result_names(m: Machine, state: Model, count: int, names: list[Value] | None) -> list[str] | None:
    """The names under which `fit` and `evaluate` tell their results; None when they are unknown."""
    found: list[str] = ["loss"]
    loss = state.space["loss"]
    if count > 1:
        if names is None:
            return None
        dealt = [loss.items.get(n) for n in names] if isinstance(loss, Dict) else _listed(loss)
        dealt = [loss] * count if dealt is None else [*dealt, *(None,) * (count - len(dealt))]
        some = [n for n, one in zip(names, dealt) if one is not None]
        names_of_losses = [f"{n}_loss" for n in some] if len(some) > 1 else []
    else:
        names_of_losses = []
    for which in ("metrics", "weighted_metrics"):
        given = state.space[which]
        if given is None:
            continue
        listed = _listed(given)
        per = [_flat(given)] if count == 1 else [_flat(v) for v in listed] if listed is not None and len(listed) == count else [
            _flat(given.items.get(n)) for n in names or ()] if isinstance(given, Dict) else None  # fmt: skip
        if per is None:
            return None
        for at, some_metrics in enumerate(per):
            for one in some_metrics:
                name = _name(one)
                if name is None:
                    return None
                name = name if count == 1 else f"{(names or [])[at]}_{name}"
                while name in found:
                    name += "_1"
                found.append(name)
    return [*found, *names_of_losses]
