"""One step of training a Keras model: by Keras' own rules or by what the program wrote in train_step, compute_loss and their like."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from tensorproof.libraries.keras.data import batches
from tensorproof.libraries.keras.data.arrays import unpacked
from tensorproof.libraries.keras.models import specs as model_specs
from tensorproof.libraries.keras.models.order import layers_of
from tensorproof.libraries.keras.training import callbacks
from tensorproof.libraries.keras.training.compile import compute_loss, compute_metrics, outputs, result_names, state_of, trail
from tensorproof.libraries.plain import nothing
from tensorproof.libraries.tensorflow.traced import EAGER, TRACED, tracing, within
from tensorproof.terms import TensorType, eq, implies
from tensorproof.values import MISSING, Args, Bound, Function, Instance, Kwargs, Layer, List, Machine, Model, Named, Unknown, Value


def compiled(m: Machine, me: Value, node: ast.AST) -> Any:
    state = state_of(me)
    if state is None:
        raise m.raised("ValueError", "the model is not compiled: call compile() first", node, "keras/not-compiled")
    return state


def own_of(m: Machine, me: Value, name: str) -> Value:
    """A step that the program itself wrote; None when it did not."""
    found = m.in_class(me.cls, name) if isinstance(me, Instance) else MISSING
    return Bound(found, me) if isinstance(found, (Function, Bound)) else None


def names_of(m: Machine, me: Value) -> list[Value] | None:
    found = model_specs.output_names(m, me)
    return None if found is None or not all(isinstance(n, str) for n in found) else found


def last_activation(m: Machine, me: Value) -> str:
    """What the model's last layer ends with: "softmax", "linear" …; "" when it is unknown."""
    model = me.native if isinstance(me, Instance) and isinstance(me.native, Model) else me
    if not isinstance(model, Model) or model.kind not in ("keras.Sequential", "keras.Model"):
        return ""
    layers = layers_of(m, model)
    last = layers[-1] if layers else None
    if isinstance(last, Model):
        several = len(model_specs.output_names(m, last) or ()) > 1  # which of them is used is not followed
        return "" if several else last_activation(m, last)
    if not isinstance(last, Layer) or last.module is None:
        return ""
    word = str(last.module.name).rpartition(".")[2]
    if word == "Softmax":
        return word
    given = last.module.arguments.get("activation", MISSING)
    if given is MISSING or (given is None and word != "Dense"):
        return ""
    if given is None:
        return "linear"
    return given if isinstance(given, str) else given.name.rpartition(".")[2] if isinstance(given, Named) else ""


def packed(x: Value, y: Value, weight: Value) -> Value:
    if y is None:
        return (x,) if isinstance(x, tuple) else x
    return (x, y) if weight is None else (x, y, weight)


def in_graph(m: Machine, me: Value, word: str, data: Value, act: Callable[[Any], Value]) -> Value:
    """Run one step as Keras does: traced, and not turned by AutoGraph, unless the model was compiled to run eagerly."""
    state = state_of(me)
    if m.model_state.get(EAGER) or (state is not None and state.space.get("run_eagerly")):
        return act(data)
    with tracing(m, f"Model.{word}", False) as graph:
        found = act(within(m, data, graph))
    return within(m, found, m.model_state.get(TRACED))


def step(m: Machine, me: Value, data: tuple[Any, Any, Any], training: bool, node: ast.AST, alone: bool = False) -> Value:
    """One batch: by the program's own step, or by Keras' own. Gives the model's output where that is known, else what the step returns.

    `alone`: the batch comes from `train_on_batch`, which gives the weights even where there are none."""
    name = "train_step" if training else "test_step"
    own = own_of(m, me, name)
    word = "fit" if training else "evaluate"
    if own is None:
        return in_graph(m, me, word, data, lambda d: _default_step(m, me, d, training, node))
    found = in_graph(m, me, word, data, lambda d: m.call(own, (d if alone else packed(*d),), {}, node))
    if not alone:
        check_results(m, found, name, node)
    return found


def check_results(m: Machine, found: Value, name: str, node: ast.AST) -> None:
    """A step of the program gives Keras a dict of results."""
    if found is None:  # which metrics a model has is not followed: an empty dict of them may hold some
        raise m.raised("ValueError", f"{name} returns nothing: it returns a dict of results, such as {{'loss': loss}}", node, "keras/step")
    if isinstance(found, (TensorType, List, bool, int, float, str)) or type(found) is tuple:
        raise m.raised("AttributeError", f"{name} returns a dict of results, such as {{'loss': loss}}", node, "keras/step")


def call_on(m: Machine, me: Value, x: Value, training: bool, node: ast.AST) -> Value:
    return model_specs.call_model(m, me, x, training, node)


def _default_step(m: Machine, me: Value, data: tuple[Value, Value, Value], training: bool, node: ast.AST) -> Value:
    x, y, weight = data
    output = call_on(m, me, x, training, node)
    if isinstance(output, Unknown):
        return output
    own = own_of(m, me, "compute_loss")
    if own is not None:
        made = m.call(own, (x, y, output, weight), _wanted(own, {"training": training}), node)
        if training and m.path.program is not None and isinstance(made, TensorType):
            m.path.program.differentiated((made,))
    else:
        _loss(m, me, y, output, weight, node, training)
    own = own_of(m, me, "compute_metrics")
    if own is not None:
        m.call(own, (x, y, output, weight), {}, node)
    else:
        compute_metrics(m, state_of(me), y, output, weight, names_of(m, me), node)
    return output


def _wanted(own: Any, given: Kwargs) -> dict[str, Value]:
    node = own.function.code.node.args
    names = {a.arg for a in (*node.posonlyargs, *node.args, *node.kwonlyargs)}
    return {k: v for k, v in given.items() if k in names}


def _loss(m: Machine, me: Value, y: Value, output: Value, weight: Value, node: ast.AST, training: bool) -> Value:
    state = state_of(me)
    if state.space["loss"] is None and _adds_no_loss(m, me):
        raise m.raised("ValueError", "there is no loss to compute: compile() got none", node, "keras/no-loss", trail(state))
    return compute_loss(m, state, y, output, weight, names_of(m, me), node, last_activation(m, me), training)


def _adds_no_loss(m: Machine, me: Value) -> bool:
    """Whether no layer can add a loss of its own."""
    if not isinstance(me, Model) or me.space.get("*losses*"):
        return False
    for layer in layers_of(m, me):
        if isinstance(layer, Model) and layer.kind in ("keras.Sequential", "keras.Model"):
            if not _adds_no_loss(m, layer):
                return False
        elif not isinstance(layer, Layer) or layer.module is None or any(v is not None for k, v in layer.module.arguments.items() if "regularizer" in k) or (
            "ActivityRegularization" in layer.module.name
        ):  # fmt: skip
            return False
    return True


def _stateful(m: Machine, me: Value) -> Any:
    """The batch size that a layer with a state holds fast; None where there is none."""
    if not isinstance(me, Model):
        return None
    layers = [v for v in layers_of(m, me) if isinstance(v, Layer) and v.module is not None]
    specs = model_specs.input_specs(m, me) if any(v.own.arguments.get("stateful") is True for v in layers) else None
    return specs[0].shape[0] if specs and specs[0].shape.known and isinstance(specs[0].shape[0], int) else None


def run_batches(m: Machine, me: Value, data: batches.Batches, training: bool, word: str, node: ast.AST) -> Value:
    """Every kind of batch goes through the step; what the first gives."""
    if data.unknown:
        return m.gap(f"Model.{word}", node, f"the data is not known: {data.unknown}")
    if m.model_state.get("tf.without a static shape"):
        m.gap(f"Model.{word}", node, "what tf.py_function gives has no static shape")
    first: Value = None
    held = _stateful(m, me)
    for at, (condition, batch) in enumerate(data.iterations):
        if any(isinstance(v, Unknown) for v in batches.leaves(batch)):
            return m.gap(f"Model.{word}", node, "a part of the data is not known")
        leading = next((t for t in batches.leaves(batch[0]) if isinstance(t, TensorType) and t.shape), None)
        if held is not None and leading is not None:
            message = f"a stateful layer takes batches of {held}, and the data makes one of {leading.shape[0]!r}"
            m.require("keras/stateful", implies(condition, eq(leading.shape[0], held)), message, node)
        made = m.branching.choose(condition, partial(step, m, me, batch, training, node), lambda: None)
        first = made if at == 0 else first
    return first


def _train_step(training: bool, m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    data = args[0] if args else kwargs.get("data")
    output = _default_step(m, me, unpacked(m, data, node), training, node)
    return callbacks.logs(m, _result_names(m, me, output))


def _result_names(m: Machine, me: Value, output: Value) -> list[str] | None:
    if isinstance(output, Unknown):
        return None
    found, keys = outputs(output)
    return result_names(m, state_of(me), len(found), keys if keys is not None else names_of(m, me))


def _compute_loss(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = dict(zip(("x", "y", "y_pred", "sample_weight", "training"), args)) | kwargs
    compiled(m, me, node)
    return _loss(m, me, given.get("y"), given.get("y_pred"), given.get("sample_weight"), node, given.get("training") is not False)


def _compute_metrics(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = dict(zip(("x", "y", "y_pred", "sample_weight"), args)) | kwargs
    compute_metrics(m, compiled(m, me, node), given.get("y"), given.get("y_pred"), given.get("sample_weight"), names_of(m, me), node)
    return callbacks.logs(m, _result_names(m, me, given.get("y_pred")))


METHODS: dict[str, object] = {
    "train_step": partial(_train_step, True), "test_step": partial(_train_step, False),
    "predict_step": lambda m, me, a, k, n: call_on(m, me, unpacked(m, a[0] if a else k.get("data"), n)[0], False, n),
    "compute_loss": _compute_loss,
    "compute_metrics": _compute_metrics, "get_metrics_result": lambda m, me, a, k, n: Model("keras.logs", m.heap.space()),
    **dict.fromkeys(("reset_metrics", "make_train_function", "make_test_function", "make_predict_function"), nothing),
}  # fmt: skip
