"""Training of Keras models: fit, evaluate, predict and their steps, each kind of batch once."""

from __future__ import annotations

from typing import Any

from tensorproof.libraries import keras_batches as batches
from tensorproof.libraries import keras_callbacks as callbacks
from tensorproof.libraries.keras_arrays import unpacked
from tensorproof.libraries.keras_compile import bound, compile_, compute_loss, compute_metrics, outputs, result_names, state_of, trail
from tensorproof.libraries.keras_optimizers import try_schedule
from tensorproof.libraries.keras_saving import keep_model
from tensorproof.libraries.model import KindModel
from tensorproof.libraries.sequences import sequence
from tensorproof.terms.dtypes import FLOAT32
from tensorproof.terms.ints import Origin, Term
from tensorproof.terms.predicates import eq, implies
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Bound, Dict, Function, Instance, List, Model
from tensorproof.values.python_values import REAL, Layer, Named, Unknown

_FIT = ("x", "y", "batch_size", "epochs", "verbose", "callbacks", "validation_split", "validation_data", "shuffle", "class_weight", "sample_weight",
        "initial_epoch", "steps_per_epoch", "validation_steps", "validation_batch_size", "validation_freq")  # fmt: skip
_EVALUATE = ("x", "y", "batch_size", "verbose", "sample_weight", "steps", "callbacks", "return_dict")
_PREDICT = ("x", "batch_size", "verbose", "steps", "callbacks")
MOST_EPOCHS = 512
"""The results of so many epochs are kept one by one."""
Args = tuple[Any, ...]
Words = dict[str, Any]


def _compiled(m: Any, me: Any, node: Any) -> Any:
    state = state_of(me)
    if state is None:
        raise m.raised("ValueError", "the model is not compiled: call compile() first", node, "keras/not-compiled")
    return state


def _own(m: Any, me: Any, name: str) -> Any:
    """A step that the program itself wrote; None when it did not."""
    found = m.in_class(me.cls, name) if isinstance(me, Instance) else MISSING
    return Bound(found, me) if isinstance(found, (Function, Bound)) else None


def _names(m: Any, me: Any) -> list[Any] | None:
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
        return last_activation(m, last)
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


def _packed(x: Any, y: Any, weight: Any) -> Any:
    if y is None:
        return (x,) if isinstance(x, tuple) else x
    return (x, y) if weight is None else (x, y, weight)


def _step(m: Any, me: Any, data: tuple[Any, Any, Any], training: bool, node: Any) -> Any:
    """One batch: by the program's own step, or by Keras' own. Gives the model's output where that is known, else what the step returns."""
    own = _own(m, me, "train_step" if training else "test_step")
    if own is not None:
        return m.call(own, (_packed(*data),), {}, node)
    return _default_step(m, me, data, training, node)


def _call(m: Any, me: Any, x: Any, training: bool, node: Any) -> Any:
    from tensorproof.libraries import keras_models

    return keras_models.call_model(m, me, x, training, node)


def _default_step(m: Any, me: Any, data: tuple[Any, Any, Any], training: bool, node: Any) -> Any:
    x, y, weight = data
    output = _call(m, me, x, training, node)
    if isinstance(output, Unknown):
        return output
    own = _own(m, me, "compute_loss")
    if own is not None:
        m.call(own, (), _wanted(own, {"x": x, "y": y, "y_pred": output, "sample_weight": weight, "training": training}), node)
    else:
        _loss(m, me, y, output, weight, node)
    own = _own(m, me, "compute_metrics")
    if own is not None:
        m.call(own, (x, y, output, weight), {}, node)
    else:
        compute_metrics(m, state_of(me), y, output, weight, _names(m, me), node)
    return output


def _wanted(own: Any, given: Words) -> Words:
    node = own.function.code.node.args
    names = {a.arg for a in (*node.posonlyargs, *node.args, *node.kwonlyargs)}
    return given if node.kwarg is not None else {k: v for k, v in given.items() if k in names}


def _loss(m: Any, me: Any, y: Any, output: Any, weight: Any, node: Any) -> Any:
    state = state_of(me)
    if state.space["loss"] is None and _adds_no_loss(m, me):
        raise m.raised("ValueError", "there is no loss to compute: compile() got none", node, "keras/no-loss", trail(state))
    return compute_loss(m, state, y, output, weight, _names(m, me), node, last_activation(m, me))


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


def _run(m: Any, me: Any, data: batches.Batches, training: bool, word: str, node: Any) -> Any:
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
        made = m.branching.choose(condition, lambda b=batch: _step(m, me, b, training, node), lambda: None)
        first = made if at == 0 else first
    return first


# --- fit ---


def fit(m: Any, me: Any, args: Args, kwargs: Words, node: Any) -> Any:
    given = bound(m, "fit", _FIT, args, kwargs, node)
    state = _compiled(m, me, node)
    x, y, weight = given.get("x"), given.get("y"), given.get("sample_weight")
    size, steps = given.get("batch_size"), given.get("steps_per_epoch")
    held = given.get("validation_data")
    share = given.get("validation_split", 0.0)
    if held is None and (not isinstance(share, (int, float)) or share):
        parts = batches.split(m, x, y, weight, share, node)
        if parts is None:
            m.gap("Model.fit", node, "the data is not known")
            return _history(m, me, None, given, [], node)
        (x, y, weight), held = parts
    data = batches.of(m, x, y, weight, size, steps, given.get("class_weight"), node)
    given_callbacks = callbacks.listed(m, given.get("callbacks"), node)
    callbacks.attach(m, given_callbacks, me, node)
    epochs = given.get("epochs", 1)
    if isinstance(epochs, float):
        raise m.raised("TypeError", f"epochs is a whole number, not {epochs}", node, "call/arguments")
    last_epoch = epochs - 1 if isinstance(epochs, int) and epochs > 0 else None
    try_schedule(m, state.space["optimizer"], node)
    history = _history(m, me, None, given, given_callbacks, node)
    names = None
    for hook, numbered in callbacks.HOOKS[:3]:
        callbacks.run(m, given_callbacks, hook, numbered, _empty(m), node, last_epoch if "epoch" in hook else None)
    output = _run(m, me, data, True, "fit", node)
    names = _told(m, me, output)
    callbacks.run(m, given_callbacks, "on_train_batch_end", 1, callbacks.logs(m, names), node)
    callbacks.run(m, given_callbacks, "on_batch_end", 1, callbacks.logs(m, names), node)
    if held is not None:
        _validate(m, me, held, given, node)
        names = None if names is None else [*names, *(f"val_{n}" for n in names)]
    if names is not None and any(isinstance(c, Model) and c.kind.endswith("ReduceLROnPlateau") for c in given_callbacks):
        names = [*names, "learning_rate"]
    if names is not None and any(isinstance(c, Model) and c.kind.endswith("LearningRateScheduler") for c in given_callbacks):
        names = [*names, *(() if "learning_rate" in names else ("learning_rate",))]
    _fill(m, history, names, epochs, given_callbacks, node)
    _saved(m, me, given_callbacks)
    for hook, numbered in callbacks.AFTER:
        callbacks.run(m, given_callbacks, hook, numbered, callbacks.logs(m, names), node, last_epoch if "epoch" in hook else None)
    return history


def _saved(m: Any, me: Any, given_callbacks: list[Any]) -> None:
    for one in given_callbacks:
        if isinstance(one, Model) and one.kind.endswith(".ModelCheckpoint"):
            keep_model(m, one.space.get("filepath"), me)


def _empty(m: Any) -> Any:
    return Dict(m.heap.entries({}))


def _validate(m: Any, me: Any, held: Any, given: Words, node: Any) -> None:
    x, y, weight = unpacked(m, held, node)
    size = given.get("validation_batch_size") if given.get("validation_batch_size") is not None else given.get("batch_size")
    data = batches.of(m, x, y, weight, size, given.get("validation_steps"), None, node)
    _run(m, me, data, False, "fit", node)


def _told(m: Any, me: Any, output: Any) -> list[str] | None:
    """The names of the results; None where the program's own step decides them and says nothing."""
    if isinstance(output, Dict) and _own(m, me, "train_step") is not None:
        return [k for k in output.items if isinstance(k, str)]
    if isinstance(output, Unknown) or _own(m, me, "train_step") is not None or _own(m, me, "compute_metrics") is not None:
        return None
    if isinstance(me, Instance) and me.space.get("*metrics*"):
        return None
    found, keys = outputs(output)
    return result_names(m, state_of(me), len(found), keys if keys is not None else _names(m, me))


def _history(m: Any, me: Any, names: Any, given: Words, given_callbacks: list[Any], node: Any) -> Model:
    epochs = given.get("epochs", 1)
    known = isinstance(epochs, int) and 0 <= epochs <= MOST_EPOCHS and not callbacks.stops(given_callbacks)
    listed = List(m.heap.row(range(epochs))) if known else Unknown("epochs")
    made = Model("keras.History", m.heap.space({"history": Unknown("the results of training"), "epoch": listed, "model": me, "params": Unknown("parameters")}))
    m.heap.set(me.space, "history", made)
    return made


def _fill(m: Any, history: Model, names: list[str] | None, epochs: Any, given_callbacks: list[Any], node: Any) -> None:
    if names is None:
        m.heap.set(history.space, "history", Model("keras.logs", m.heap.space()))
        return
    known = isinstance(epochs, int) and 0 <= epochs <= MOST_EPOCHS and not callbacks.stops(given_callbacks)
    count = epochs if known else m.symbol(m.name_here("epochs", node), 1, epochs if isinstance(epochs, int) else None, Origin.WORLD)

    def values() -> Any:
        return List(m.heap.row([REAL] * count)) if isinstance(count, int) else sequence(m, count, REAL, REAL)

    m.heap.set(history.space, "history", Dict(m.heap.entries({n: values() for n in names})))


# --- evaluate and predict ---


def evaluate(m: Any, me: Any, args: Args, kwargs: Words, node: Any) -> Any:
    given = bound(m, "evaluate", _EVALUATE, args, kwargs, node)
    _compiled(m, me, node)
    data = batches.of(m, given.get("x"), given.get("y"), given.get("sample_weight"), given.get("batch_size"), given.get("steps"), None, node)
    given_callbacks = callbacks.listed(m, given.get("callbacks"), node)
    callbacks.attach(m, given_callbacks, me, node)
    callbacks.run(m, given_callbacks, "on_test_begin", 0, _empty(m), node)
    output = _run(m, me, data, False, "evaluate", node)
    names = _told_test(m, me, output)
    callbacks.run(m, given_callbacks, "on_test_end", 0, callbacks.logs(m, names), node)
    return _results(m, names, given.get("return_dict", False), node)


def _told_test(m: Any, me: Any, output: Any) -> list[str] | None:
    if _own(m, me, "test_step") is not None:
        return [k for k in output.items if isinstance(k, str)] if isinstance(output, Dict) else None
    return None if _own(m, me, "train_step") is not None and isinstance(me, Instance) else _told(m, me, output)


def _results(m: Any, names: list[str] | None, as_dict: Any, node: Any) -> Any:
    if names is None:
        return Unknown("the results of an evaluation")
    if as_dict is True:
        return Dict(m.heap.entries(dict.fromkeys(names, REAL)))
    return REAL if len(names) == 1 else List(m.heap.row([REAL] * len(names)))


def predict(m: Any, me: Any, args: Args, kwargs: Words, node: Any) -> Any:
    given = bound(m, "predict", _PREDICT, args, kwargs, node)
    data = batches.of(m, given.get("x"), None, None, given.get("batch_size"), given.get("steps"), None, node)
    callbacks.attach(m, callbacks.listed(m, given.get("callbacks"), node), me, node)
    if data.unknown:
        return m.gap("Model.predict", node, f"the data is not known: {data.unknown}")
    own = _own(m, me, "predict_step")
    first: Any = None
    rows: Any = None
    for at, (condition, batch) in enumerate(data.rounds):
        if any(isinstance(v, Unknown) for v in batches.leaves(batch[0])):
            return m.gap("Model.predict", node, "a part of the data is not known")

        def run(b: Any = batch) -> Any:
            return m.call(own, (_packed(*b),), {}, node) if own is not None else _call(m, me, b[0], False, node)

        made = m.branching.choose(condition, run, lambda: None)
        if at == 0:
            first = made
            leading = next((t for t in batches.leaves(batch[0]) if isinstance(t, TensorType) and t.shape), None)
            rows = leading.shape[0] if leading is not None else None
    return batches.mapped(m, first, lambda t: _whole(m, t, rows, data, node)) if not isinstance(first, List) else List(
        m.heap.row(_whole(m, t, rows, data, node) for t in first.items))  # fmt: skip


def _whole(m: Any, value: Any, rows: Any, data: batches.Batches, node: Any) -> Any:
    """The outputs of all batches, one after the other, as an array."""
    if not isinstance(value, TensorType) or not value.shape.known:
        return value
    if not value.shape:
        return TensorType(Shape((data.count if isinstance(data.count, (int, Term)) else _some(m, node),)), value.dtype, framework="numpy")
    if value.shape[0] == rows and data.samples is not None:
        count = data.samples
    elif len(data.rounds) == 1 and data.count == 1:
        count = value.shape[0]
    elif isinstance(data.count, int) and len(data.rounds) == 1 and isinstance(value.shape[0], int):
        count = data.count * value.shape[0]
    else:
        count = _some(m, node)
    return TensorType(Shape((count, *value.shape[1:])), value.dtype, framework="numpy")


def _some(m: Any, node: Any) -> Any:
    return m.symbol(m.name_here("predictions", node), 1, None, Origin.WORLD)


# --- one batch ---


def _one_batch(training: bool) -> Any:
    word = "train_on_batch" if training else "test_on_batch"
    names = ("x", "y", "sample_weight", "class_weight", "return_dict") if training else ("x", "y", "sample_weight", "return_dict")

    def run(m: Any, me: Any, args: Args, kwargs: Words, node: Any) -> Any:
        given = bound(m, word, tuple(n for n in (*names, "reset_metrics")), args, kwargs, node)
        if "reset_metrics" in given:
            raise m.raised("TypeError", f"{word} has no argument reset_metrics", node, "call/arguments")
        _compiled(m, me, node)
        x, y, weight = given.get("x"), given.get("y"), given.get("sample_weight")
        found = batches.leaves((x, y, weight))
        if any(isinstance(v, Unknown) for v in found):
            return m.gap(f"Model.{word}", node, "the batch is not known")
        made = tuple(batches.mapped(m, v, lambda a: _as_tensor(m, a, node)) for v in (x, y, weight))
        output = _step(m, me, made, training, node)
        return _results(m, _told(m, me, output) if training else _told_test(m, me, output), given.get("return_dict", False), node)

    return run


def _as_tensor(m: Any, value: Any, node: Any) -> Any:
    from tensorproof.libraries.label_ranges import keep

    found = batches.array_of(m, value, node)
    if not isinstance(found, TensorType):
        return value
    dtype = FLOAT32 if found.dtype is not None and found.dtype.is_float else found.dtype
    return keep(m, found, found.but(framework="tf", dtype=dtype))


def _predict_on_batch(m: Any, me: Any, args: Args, kwargs: Words, node: Any) -> Any:
    given = bound(m, "predict_on_batch", ("x",), args, kwargs, node)
    made = batches.mapped(m, given.get("x"), lambda a: _as_tensor(m, a, node))
    output = _call(m, me, made, False, node)
    return batches.mapped(m, output, lambda t: t.but(framework="numpy") if isinstance(t, TensorType) else t)


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
    return result_names(m, state_of(me), len(found), keys if keys is not None else _names(m, me))


def _compute_loss(m: Any, me: Any, args: Args, kwargs: Words, node: Any) -> Any:
    given = dict(zip(("x", "y", "y_pred", "sample_weight", "training"), args)) | kwargs
    _compiled(m, me, node)
    return _loss(m, me, given.get("y"), given.get("y_pred"), given.get("sample_weight"), node)


def _compute_metrics(m: Any, me: Any, args: Args, kwargs: Words, node: Any) -> Any:
    given = dict(zip(("x", "y", "y_pred", "sample_weight"), args)) | kwargs
    compute_metrics(m, _compiled(m, me, node), given.get("y"), given.get("y_pred"), given.get("sample_weight"), _names(m, me), node)
    return callbacks.logs(m, _told_names(m, me, given.get("y_pred")))


def _metrics_result(m: Any, me: Any, args: Args, kwargs: Words, node: Any) -> Any:
    return Model("keras.logs", m.heap.space())


def _nothing(m: Any, me: Any, args: Args, kwargs: Words, node: Any) -> None:
    return None


def _predict_step(m: Any, me: Any, args: Args, kwargs: Words, node: Any) -> Any:
    return _call(m, me, unpacked(m, args[0] if args else kwargs.get("data"), node)[0], False, node)


METHODS: dict[str, Any] = {
    "compile": compile_, "fit": fit, "evaluate": evaluate, "predict": predict, "train_on_batch": _one_batch(True), "test_on_batch": _one_batch(False),
    "predict_on_batch": _predict_on_batch, "train_step": _train_step(True), "test_step": _train_step(False), "predict_step": _predict_step,
    "compute_loss": _compute_loss, "compute_metrics": _compute_metrics, "get_metrics_result": _metrics_result,
    **dict.fromkeys(("reset_metrics", "make_train_function", "make_test_function", "make_predict_function"), _nothing),
}  # fmt: skip
KINDS = {"keras.History": KindModel(open=True, bases=("keras.callbacks.History",))}
