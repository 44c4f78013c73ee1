"""keras.callbacks: built-in ones are quiet once their arguments are checked, those of the program have their hooks run by `epochs.py`."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import ClassModel, KindModel, Run, argument, by_signature, nothing, signatures
from tensorproof.libraries.bound import Bound as Call
from tensorproof.libraries.keras.state import is_built
from tensorproof.libraries.results.facts import facts
from tensorproof.terms.ints import Origin
from tensorproof.values import MISSING, REAL, Args, Bound, Choice, Class, Dict, Function, Instance, Kwargs, List, Machine, Model, Named, Unknown, Value

HOME = "keras.callbacks."
_SAID = facts("keras/training/callbacks")
_OWN, _NAMES, _ATTRIBUTES = (_SAID[word].split() for word in ("classes", "hooks", "attributes"))


def _make(name: str, m: Machine, call: Call) -> Model:
    given, node = call.all(), call.node
    if name == "ModelCheckpoint":
        _checkpoint(m, given, node)
    if name == "ReduceLROnPlateau" and isinstance(given.get("factor"), (int, float)) and given["factor"] >= 1.0:
        raise m.raised("ValueError", f"ReduceLROnPlateau needs a factor below 1, not {given['factor']}", node, "call/arguments")
    return Model(HOME + name, m.heap.space(given))


def _checkpoint(m: Machine, given: Kwargs, node: ast.AST) -> None:
    path, weights = given["filepath"], given.get("save_weights_only", False)
    if not isinstance(path, str):
        return
    if weights is True and not path.endswith(".weights.h5"):
        raise m.raised("ValueError", f"ModelCheckpoint with save_weights_only=True needs a path that ends in .weights.h5, not {path!r}", node, "keras/path")
    if weights is False and not path.endswith((".keras", ".h5")):
        raise m.raised("ValueError", f"ModelCheckpoint needs a path that ends in .keras, not {path!r}", node, "keras/path")
    freq = given.get("save_freq", "epoch")
    if isinstance(freq, str) and freq != "epoch":
        raise m.raised("ValueError", f"save_freq is 'epoch' or a number of batches, not {freq!r}", node, "call/arguments")


def listed(m: Machine, given: Value, node: ast.AST) -> list[Any]:
    """The callbacks that `fit` gets."""
    if given is None:
        return []
    if isinstance(given, (List, tuple)):
        return [c for one in (given.items if isinstance(given, List) else given) for c in (listed(m, one, node) if isinstance(one, (List, tuple)) else (one,))]
    return [given]


def stops(callbacks: list[Value]) -> bool:
    """Whether one of them may end the training early."""
    quiet = ("ModelCheckpoint", "TensorBoard", "CSVLogger", "History", "ProgbarLogger", "ReduceLROnPlateau", "LearningRateScheduler", "BackupAndRestore")
    return any(not (isinstance(c, Model) and c.kind.rpartition(".")[2] in quiet) for c in callbacks)


def attach(m: Machine, callbacks: list[Value], model: Value, node: ast.AST) -> None:
    for one in callbacks:
        if one is None or isinstance(one, (Named, Class, Function, str, int)):
            what = one.name if isinstance(one, (Named, Class, Function)) else repr(one)
            is_class = isinstance(one, Class) or (isinstance(one, Named) and one.name.rpartition(".")[2][:1].isupper())
            message = f"{what} is {'a class: write' if is_class else 'not a callback object'}{f' {what}(...)' if is_class else ''}"
            raise m.raised("TypeError" if is_class else "AttributeError", message, node, "keras/callback")
        if callable(one) and not isinstance(one, (Instance, Model, Unknown, Choice)):
            raise m.raised("AttributeError", "a function is not a callback object: write keras.callbacks.LambdaCallback", node, "keras/callback")
        if isinstance(one, Instance):
            if "params" not in one.space:
                m.heap.set(one.space, "params", Model("quiet", m.heap.space()))
            setter = m.in_class(one.cls, "set_model")
            if isinstance(setter, (Function, Bound)):
                m.heap.set(one.space, "model", None)
                m.call(Bound(setter, one), (model,), {}, node)
            else:
                m.heap.set(one.space, "model", model)


def own(m: Machine, callbacks: list[Value]) -> list[Any]:
    """Those whose hooks the program wrote."""
    return [c for c in callbacks if isinstance(c, Instance) or (isinstance(c, Model) and c.kind == HOME + "LambdaCallback")]


def run(m: Machine, callbacks: list[Any], hook: str, args: Args, node: ast.AST) -> None:
    """One hook of each callback."""
    for one in callbacks:
        found: Value = None
        if isinstance(one, Instance):
            found = m.in_class(one.cls, hook)
            found = Bound(found, one) if isinstance(found, (Function, Bound)) else None
        elif one.kind == HOME + "LambdaCallback":
            found = one.space.get(hook)
        if found is not None:
            m.call(found, args, {}, node)


def before_building(m: Machine, callbacks: list[Any], model: Value, node: ast.AST) -> None:
    """Keras builds a model in its first step: what a hook before that sees of the layers is not followed."""
    if not is_built(m, model):
        for one in callbacks:
            for hook in ("on_epoch_begin", "on_train_batch_begin", "on_batch_begin") if isinstance(one, Instance) else ():
                found = m.in_class(one.cls, hook)
                if isinstance(found, Function) and any(isinstance(n, ast.Attribute) and n.attr == "model" for n in ast.walk(found.code.node)):
                    m.gap(f"{one.cls.name}.{hook}", node, "the model is not built when it is called first")


def schedules(m: Machine, callbacks: list[Value], optimizer: Value, node: ast.AST, most: Value) -> None:
    """The function of a LearningRateScheduler, in any epoch. It sets the rate, which an optimizer with a schedule of its own does not let it."""
    for one in callbacks:
        if isinstance(one, Model) and one.kind == HOME + "LearningRateScheduler":
            rate = optimizer.space.get("learning_rate") if isinstance(optimizer, Model) and most is not None else None
            if isinstance(rate, Model) and rate.kind.startswith("keras.optimizers.schedules."):
                message = "a LearningRateScheduler sets the learning rate, and the optimizer has a schedule of its own"
                raise m.raised("TypeError", message, node, "optimizer/rate")
            _schedule(m, one, node, most)


def may_stop(one: Value) -> bool:
    """Whether the training may end early because of something beside the program's own callback."""
    return isinstance(one, Model) and one.kind.rpartition(".")[2] in ("EarlyStopping", "TerminateOnNaN")


def _schedule(m: Machine, one: Model, node: ast.AST, most: Any) -> None:
    function = one.space["schedule"]
    epoch = m.symbol(m.name_here("epoch", node), 0, most, Origin.WORLD)
    if isinstance(function, Function):
        given = function.code.node.args
        wanted = len(given.posonlyargs) + len(given.args)
        rate = m.call(function, (epoch, REAL) if wanted >= 2 or given.vararg is not None else (epoch,), {}, node)
        if rate is None or isinstance(rate, (str, List, tuple)):
            raise m.raised("ValueError", "the schedule of a LearningRateScheduler must return a number", node, "keras/callback")


def monitors(m: Machine, callbacks: list[Value], names: list[str] | None, node: ast.AST) -> None:
    """A callback that is not given a direction finds the metric that it watches among those of `compile`."""
    for one in callbacks:
        word = one.kind.rpartition(".")[2] if isinstance(one, Model) else ""
        watches = isinstance(one, Model) and word in ("EarlyStopping", "ReduceLROnPlateau", "ModelCheckpoint")
        if not isinstance(one, Model) or not watches or one.space.get("mode", "auto") in ("min", "max"):
            continue
        watched = one.space.get("monitor", "val_loss")
        metric = watched.removeprefix("val_") if isinstance(watched, str) else None
        if metric == "loss":
            continue
        if metric is None or names is None:
            m.gap(one.kind, node, "whether there is a metric of this name is not known")
        elif metric not in names:
            message = f"{word} watches {watched!r}, and the metrics are {', '.join(names)}: name one of them, or give mode='min' or 'max'"
            raise m.raised("ValueError", message, node, "keras/callback")


def logs(m: Machine, names: list[str] | None) -> Value:
    """What a hook learns: a number for each name."""
    if names is None:
        return Model("keras.logs", m.heap.space())
    return Dict(m.heap.entries(dict.fromkeys(names, REAL)))


def _known(m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    if name in _NAMES or name.startswith("_"):
        return MISSING
    return me.space[name] if name in me.space else Unknown(name) if name in _ATTRIBUTES else m.gap(f"{me.kind}.{name}", node, "no model")


KINDS = {
    **{HOME + n: KindModel(dict.fromkeys(_NAMES, nothing), _known, open=True, bases=(HOME + "Callback",)) for n in _OWN},
    "keras.logs": KindModel(item=lambda m, me, index, node: REAL, open=True, set_item=lambda m, me, index, value, node: None),
}  # fmt: skip


def _init(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    names = next((signatures.names(c.name) for c in me.cls.mro if isinstance(c, Named) and c.name.removeprefix(HOME) in _OWN), [])
    for name, value in {**dict(zip(names, args)), **kwargs}.items():
        m.heap.set(me.space, name, value)


def _attribute(m: Machine, me: Instance, name: str, node: ast.AST) -> Any:
    return Unknown(name) if name in ("model", "params", "validation_data", "best", "best_weights", "stopped_epoch", "best_epoch", "wait") else MISSING


def _set_model(m: Machine, me: Any, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    m.heap.set(me.space, "model", argument(args, kwargs, 0, "model"))


def _stored(m: Machine, me: Instance, name: str, value: Value, node: ast.AST) -> None:
    if name == "model":
        raise m.raised("AttributeError", "the model of a callback is set by fit: its attribute model has no setter", node, "keras/callback")


CLASSES = {
    HOME + "Callback": ClassModel(
        HOME + "Callback", methods=dict.fromkeys(_NAMES, nothing) | {"set_model": _set_model}, init=_init, attribute=_attribute, stored=_stored, closed=False
    ),
    **{HOME + n: ClassModel(HOME + n, (HOME + "Callback",), closed=False) for n in _OWN},
}
FUNCTIONS: dict[str, Run] = {HOME + n: by_signature(HOME + n, partial(_make, n)) for n in _OWN}
