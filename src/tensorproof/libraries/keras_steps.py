"""One step of training a Keras model: by Keras' own rules or by what the program wrote in train_step, compute_loss and their like."""

from __future__ import annotations

from typing import Any

from tensorproof.libraries import keras_batches as batches
from tensorproof.libraries import keras_callbacks as callbacks
from tensorproof.libraries.keras_arrays import unpacked
from tensorproof.libraries.keras_compile import compute_loss, compute_metrics, outputs, result_names, state_of, trail
from tensorproof.terms.predicates import eq, implies
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Bound, Function, Instance, Model
from tensorproof.values.python_values import Layer, Named, Unknown

Args = tuple[Any, ...]
Words = dict[str, Any]


def compiled(m: Any, me: Any, node: Any) -> Any:
    state = state_of(me)
    if state is None:
        raise m.raised("ValueError", "the model is not compiled: call compile() first", node, "keras/not-compiled")
    return state


def own_of(m: Any, me: Any, name: str) -> Any:
    """A step that the program itself wrote; None when it did not."""
    found = m.in_class(me.cls, name) if isinstance(me, Instance) else MISSING
    return Bound(found, me) if isinstance(found, (Function, Bound)) else None


def names_of(m: Any, me: Any) -> list[Any] | None:
    from tensorproof.libraries import keras_models

    found = keras_models.output_names(m, me)
    return None if found is None or not all(isinstance(n, str) for n in found) else found


def last_activation(m: Any, me: Any) -> str:
    """What the model's last layer ends with: "softmax", "linear" …; "" when it cannot be told."""
    from tensorproof.libraries import keras_models

    model = me.native if isinstance(me, Instance) and isinstance(me.native, Model) else me
    if not isinstance(model, Model) or model.kind not in ("keras.Sequential", "keras.Model"):
        return ""
    layers = keras_models.layers_of(m, model)
    last = layers[-1] if layers else None
    if isinstance(last, Model):
        several = len(keras_models.output_names(m, last) or ()) > 1  # which of them is used is not followed
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


# --- steps ---


def packed(x: Any, y: Any, weight: Any) -> Any:
    if y is None:
        return (x,) if isinstance(x, tuple) else x
    return (x, y) if weight is None else (x, y, weight)


def step(m: Any, me: Any, data: tuple[Any, Any, Any], training: bool, node: Any) -> Any:
    """One batch: by the program's own step, or by Keras' own. Gives the model's output where that is known, else what the step returns."""
    own = own_of(m, me, "train_step" if training else "test_step")
    if own is not None:
        return m.call(own, (packed(*data),), {}, node)
    return _default_step(m, me, data, training, node)


def call_on(m: Any, me: Any, x: Any, training: bool, node: Any) -> Any:
    from tensorproof.libraries import keras_models

    return keras_models.call_model(m, me, x, training, node)


def _default_step(m: Any, me: Any, data: tuple[Any, Any, Any], training: bool, node: Any) -> Any:
    x, y, weight = data
    output = call_on(m, me, x, training, node)
    if isinstance(output, Unknown):
        return output
    own = own_of(m, me, "compute_loss")
    if own is not None:
        m.call(own, (), _wanted(own, {"x": x, "y": y, "y_pred": output, "sample_weight": weight, "training": training}), node)
    else:
        _loss(m, me, y, output, weight, node)
    own = own_of(m, me, "compute_metrics")
    if own is not None:
        m.call(own, (x, y, output, weight), {}, node)
    else:
        compute_metrics(m, state_of(me), y, output, weight, names_of(m, me), node)
    return output


def _wanted(own: Any, given: Words) -> Words:
    node = own.function.code.node.args
    names = {a.arg for a in (*node.posonlyargs, *node.args, *node.kwonlyargs)}
    return given if node.kwarg is not None else {k: v for k, v in given.items() if k in names}


def _loss(m: Any, me: Any, y: Any, output: Any, weight: Any, node: Any) -> Any:
    state = state_of(me)
    if state.space["loss"] is None and _adds_no_loss(m, me):
        raise m.raised("ValueError", "there is no loss to compute: compile() got none", node, "keras/no-loss", trail(state))
    return compute_loss(m, state, y, output, weight, names_of(m, me), node, last_activation(m, me))


def _adds_no_loss(m: Any, me: Any) -> bool:
    """Whether no layer can add a loss of its own."""
    from tensorproof.libraries import keras_models

    if not isinstance(me, Model) or me.space.get("*losses*"):
        return False
    for layer in keras_models.layers_of(m, me):
        if isinstance(layer, Model) and layer.kind in ("keras.Sequential", "keras.Model"):
            if not _adds_no_loss(m, layer):
                return False
        elif not isinstance(layer, Layer) or layer.module is None or any(v is not None for k, v in layer.module.arguments.items() if "regularizer" in k) or (
            "ActivityRegularization" in layer.module.name
        ):  # fmt: skip
            return False
    return True


def _stateful(m: Any, me: Any) -> Any:
    """The batch size that a layer with a state holds fast; None where there is none."""
    from tensorproof.libraries import keras_models

    if not isinstance(me, Model):
        return None
    layers = [v for v in keras_models.layers_of(m, me) if isinstance(v, Layer) and v.module is not None]
    specs = keras_models.input_specs(m, me) if any(v.module.arguments.get("stateful") is True for v in layers) else None
    return specs[0].shape[0] if specs and specs[0].shape.known and isinstance(specs[0].shape[0], int) else None


def run_batches(m: Any, me: Any, data: batches.Batches, training: bool, word: str, node: Any) -> Any:
    """Every kind of batch goes through the step; what the first gives."""
    if data.unknown:
        return m.gap(f"Model.{word}", node, f"the data is not known: {data.unknown}")
    first: Any = None
    held = _stateful(m, me)
    for at, (condition, batch) in enumerate(data.rounds):
        if any(isinstance(v, Unknown) for v in batches.leaves(batch)):
            return m.gap(f"Model.{word}", node, "a part of the data is not known")
        leading = next((t for t in batches.leaves(batch[0]) if isinstance(t, TensorType) and t.shape), None)
        if held is not None and leading is not None:
            message = f"a stateful layer takes batches of {held}, and the data makes one of {leading.shape[0]!r}"
            m.require("keras/stateful", implies(condition, eq(leading.shape[0], held)), message, node)
        made = m.branching.choose(condition, lambda b=batch: step(m, me, b, training, node), lambda: None)
        first = made if at == 0 else first
    return first


# --- what a program's own step calls ---


def _train_step(training: bool) -> Any:
    def run(m: Any, me: Any, args: Args, kwargs: Words, node: Any) -> Any:
        data = args[0] if args else kwargs.get("data")
        output = _default_step(m, me, unpacked(m, data, node), training, node)
        return callbacks.logs(m, _told_names(m, me, output))

    return run


def _told_names(m: Any, me: Any, output: Any) -> list[str] | None:
    if isinstance(output, Unknown):
        return None
    found, keys = outputs(output)
    return result_names(m, state_of(me), len(found), keys if keys is not None else names_of(m, me))


def _compute_loss(m: Any, me: Any, args: Args, kwargs: Words, node: Any) -> Any:
    given = dict(zip(("x", "y", "y_pred", "sample_weight", "training"), args)) | kwargs
    compiled(m, me, node)
    return _loss(m, me, given.get("y"), given.get("y_pred"), given.get("sample_weight"), node)


def _compute_metrics(m: Any, me: Any, args: Args, kwargs: Words, node: Any) -> Any:
    given = dict(zip(("x", "y", "y_pred", "sample_weight"), args)) | kwargs
    compute_metrics(m, compiled(m, me, node), given.get("y"), given.get("y_pred"), given.get("sample_weight"), names_of(m, me), node)
    return callbacks.logs(m, _told_names(m, me, given.get("y_pred")))


def _metrics_result(m: Any, me: Any, args: Args, kwargs: Words, node: Any) -> Any:
    return Model("keras.logs", m.heap.space())


def _nothing(m: Any, me: Any, args: Args, kwargs: Words, node: Any) -> None:
    return None


def _predict_step(m: Any, me: Any, args: Args, kwargs: Words, node: Any) -> Any:
    return call_on(m, me, unpacked(m, args[0] if args else kwargs.get("data"), node)[0], False, node)


METHODS: dict[str, Any] = {
    "train_step": _train_step(True), "test_step": _train_step(False), "predict_step": _predict_step, "compute_loss": _compute_loss,
    "compute_metrics": _compute_metrics, "get_metrics_result": _metrics_result,
    **dict.fromkeys(("reset_metrics", "make_train_function", "make_test_function", "make_predict_function"), _nothing),
}  # fmt: skip
