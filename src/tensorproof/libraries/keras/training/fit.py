"""Training of Keras models: fit, evaluate, predict and their steps, each kind of batch once."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries.domains.label_ranges import keep
from tensorproof.libraries.keras.data import batches
from tensorproof.libraries.keras.data.arrays import array_of, unpacked
from tensorproof.libraries.keras.models.saving import keep_model
from tensorproof.libraries.keras.training import callbacks
from tensorproof.libraries.keras.training import epochs as keras_epochs
from tensorproof.libraries.keras.training.compile import bound, compile_, outputs, reset_metrics, result_names, state_of
from tensorproof.libraries.keras.training.optimizers import trains, try_schedule
from tensorproof.libraries.keras.training.steps import METHODS as STEPS
from tensorproof.libraries.keras.training.steps import call_on, compiled, in_graph, names_of, own_of, packed, run_batches, step
from tensorproof.libraries.model import KindModel
from tensorproof.libraries.sequences import sequence
from tensorproof.terms import FLOAT32, Origin, Shape, TensorType, Term, upper
from tensorproof.values import REAL, Args, Dict, Instance, Kwargs, List, Machine, Model, Unknown, Value


def fit(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = bound(m, "fit", me, args, kwargs, node)
    state = compiled(m, me, node)
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
    callbacks.schedules(m, given_callbacks, state.space["optimizer"], node, last_epoch)
    own = callbacks.own(m, given_callbacks)
    callbacks.before_building(m, own, me, node)
    eager = state.space.get("run_eagerly") is True and own_of(m, me, "train_step") is not None
    validation = _validation(m, held, given, node) if held is not None else None
    run = _Fit(m, me, data, validation, own, given_callbacks, node)
    callbacks.run(m, own, "on_train_begin", (_empty(m),), node)
    reset_metrics(m, state, node)
    if not eager or data.unknown or len(data.iterations) == 0:
        run.traced()
        trains(m, state, me, _followed(m, me, given) and not data.unknown, node)
        if validation is not None or (isinstance(epochs, int) and epochs > 1):
            reset_metrics(m, state, node)
    if own or (eager and not data.unknown):
        keras_epochs.over_epochs(
            m, me, given_callbacks, epochs, given.get("initial_epoch", 0), lambda number: run.epoch(number, eager and not data.unknown), node
        )
    if not data.unknown and epochs != 0:
        callbacks.monitors(m, given_callbacks, run.names, node)
    callbacks.run(m, own, "on_train_end", (callbacks.logs(m, run.epoch_names()),), node)
    _fill(m, history, run, given, given_callbacks, node)
    _saved(m, me, given_callbacks)
    return history


def _followed(m: Machine, me: Value, given: Kwargs) -> bool:
    """Whether the steps of a training are those of Keras, and one is made."""
    epochs = given.get("epochs", 1)
    return own_of(m, me, "train_step") is None and isinstance(epochs, int) and epochs > 0 and "initial_epoch" not in given


class _Fit:
    """What one call of `fit` runs in its epochs."""

    def __init__(
        self, m: Machine, me: Value, data: batches.Batches, validation: batches.Batches | None, own: list[Any], every: list[Value], node: ast.AST
    ) -> None:
        self.m, self.me, self.data, self.validation, self.own, self.every, self.node = m, me, data, validation, own, every, node
        self.names: list[str] | None = None
        """The names of the results of one batch."""
        self.added: list[str] = []
        """What the logs of an epoch hold when the program's callbacks have seen them."""

    def traced(self) -> None:
        """The steps with each kind of batch."""
        self.names = _named_results(self.m, self.me, run_batches(self.m, self.me, self.data, True, "fit", self.node))
        if self.validation is not None:
            run_batches(self.m, self.me, self.validation, False, "fit", self.node)

    def epoch(self, number: Value, eager: bool) -> None:
        m, own, node = self.m, self.own, self.node
        callbacks.run(m, own, "on_epoch_begin", (number, _empty(m)), node)
        step = self._eager if eager else None
        keras_epochs.over_batches(m, own, "train", self.data, lambda batch: callbacks.logs(m, self.names), step, node)
        if self.validation is not None and not self.validation.unknown:
            if eager:
                run_batches(m, self.me, self.validation, False, "fit", node)
            tested(m, own, self.validation, self.names, node)
        logs = callbacks.logs(m, self.epoch_names())
        callbacks.run(m, own, "on_epoch_end", (number, logs), node)
        self.added = [k for k in logs.items if isinstance(k, str)] if isinstance(logs, Dict) else []

    def _eager(self, batch: Any) -> None:
        found = _named_results(self.m, self.me, step(self.m, self.me, batch, True, self.node))
        self.names = found if self.names is None else self.names

    def epoch_names(self) -> list[str] | None:
        """The names of the results of one epoch."""
        if self.names is None:
            return None
        found = [*self.names, *(f"val_{n}" for n in (self.names if self.validation is not None else ()))]
        rates = any(isinstance(c, Model) and c.kind.endswith(("ReduceLROnPlateau", "LearningRateScheduler")) for c in self.every)
        return [*found, "learning_rate"] if rates else found


def tested(m: Machine, own: list[Value], data: batches.Batches, names: list[str] | None, node: ast.AST) -> None:
    """The hooks of one pass of evaluation."""
    if not own:
        return
    callbacks.run(m, own, "on_test_begin", (_empty(m),), node)
    keras_epochs.over_batches(m, own, "test", data, lambda batch: callbacks.logs(m, names), None, node)
    callbacks.run(m, own, "on_test_end", (callbacks.logs(m, names),), node)


def _saved(m: Machine, me: Value, given_callbacks: list[Value]) -> None:
    for one in given_callbacks:
        if isinstance(one, Model) and one.kind.endswith(".ModelCheckpoint"):
            keep_model(m, one.space.get("filepath"), me)


def _empty(m: Machine) -> Value:
    return Dict(m.heap.entries({}))


def _validation(m: Machine, held: Value, given: Kwargs, node: ast.AST) -> batches.Batches:
    x, y, weight = unpacked(m, held, node)
    size = given.get("validation_batch_size") if given.get("validation_batch_size") is not None else given.get("batch_size")
    return batches.of(m, x, y, weight, size, given.get("validation_steps"), None, node)


def _named_results(m: Machine, me: Value, output: Value) -> list[str] | None:
    """The names of the results; None where the program's own step decides them and says nothing."""
    if isinstance(output, Dict) and own_of(m, me, "train_step") is not None:
        return [k for k in output.items if isinstance(k, str)]
    if isinstance(output, Unknown) or own_of(m, me, "train_step") is not None or own_of(m, me, "compute_metrics") is not None:
        return None
    if isinstance(me, Instance) and me.space.get("*metrics*"):
        return None
    found, keys = outputs(output)
    return result_names(m, state_of(me), len(found), keys if keys is not None else names_of(m, me))


def _history(m: Machine, me: Any, names: Value, given: dict[str, Any], given_callbacks: list[Value], node: ast.AST) -> Model:
    known = None if callbacks.stops(given_callbacks) else _numbers(given)
    listed: Value = Unknown("epochs") if known is None else List(m.heap.row(known[0]))
    most = given.get("epochs", 1)
    if known is None and type(most) is int and most > 0:
        number = m.symbol(m.name_here("epoch", node), 0, most - 1, Origin.WORLD)
        listed = sequence(m, m.symbol(m.name_here("epochs", node), 1, most, Origin.WORLD), number, number)
    made = Model("keras.History", m.heap.space({"history": Unknown("the results of training"), "epoch": listed, "model": me, "params": Unknown("parameters")}))
    m.heap.set(me.space, "history", made)
    return made


def _numbers(given: Kwargs) -> tuple[range, list[int]] | None:
    return keras_epochs.numbers(given.get("epochs", 1), given.get("initial_epoch", 0), given.get("validation_freq", 1))


def _runs(initial: Value, epochs: Value) -> bool:
    """Whether at least one epoch surely is run."""
    last = upper(initial) if isinstance(initial, (int, Term)) else None
    return last is not None and type(epochs) is int and last < epochs


def _fill(m: Machine, history: Model, run: _Fit, given: Kwargs, given_callbacks: list[Value], node: ast.AST) -> None:
    """The results of each epoch: as many as there were, and of the validation as many as it ran."""
    names, epochs, numbers = run.epoch_names(), given.get("epochs", 1), _numbers(given)
    if names is None:
        return
    every: Value = m.symbol(m.name_here("epochs", node), 1, epochs if isinstance(epochs, int) else None, Origin.WORLD)
    validated = every
    if numbers is not None and (not callbacks.stops(given_callbacks) or not numbers[0]):
        every, validated = (len(part) for part in numbers)
    elif given.get("validation_freq", 1) != 1 or not _runs(given.get("initial_epoch", 0), epochs):
        m.gap("Model.fit", node, "how many epochs are run and validated is not known")
        return

    def values(name: str) -> Value:
        count = validated if name.startswith("val_") and name in names else every
        return List(m.heap.row([REAL] * count)) if isinstance(count, int) else sequence(m, count, REAL, REAL)

    all_names = dict.fromkeys((*names, *run.added))
    held = {n: values(n) for n in all_names if every != 0 and (validated != 0 or not n.startswith("val_"))}
    m.heap.set(history.space, "history", Dict(m.heap.entries(held)))


def evaluate(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = bound(m, "evaluate", me, args, kwargs, node)
    reset_metrics(m, compiled(m, me, node), node)
    data = batches.of(m, given.get("x"), given.get("y"), given.get("sample_weight"), given.get("batch_size"), given.get("steps"), None, node)
    given_callbacks = callbacks.listed(m, given.get("callbacks"), node)
    callbacks.attach(m, given_callbacks, me, node)
    output = run_batches(m, me, data, False, "evaluate", node)
    names = _named_test_results(m, me, output)
    if not data.unknown:
        tested(m, callbacks.own(m, given_callbacks), data, names, node)
    return _results(m, names, given.get("return_dict", False), node)


def _named_test_results(m: Machine, me: Value, output: Value) -> list[str] | None:
    if own_of(m, me, "test_step") is not None:
        return [k for k in output.items if isinstance(k, str)] if isinstance(output, Dict) else None
    return None if own_of(m, me, "train_step") is not None and isinstance(me, Instance) else _named_results(m, me, output)


def _results(m: Machine, names: list[str] | None, as_dict: Value, node: ast.AST) -> Value:
    if names is None:
        return Unknown("the results of an evaluation")
    if as_dict is True:
        return Dict(m.heap.entries(dict.fromkeys(names, REAL)))
    return REAL if len(names) == 1 else List(m.heap.row([REAL] * len(names)))


def predict(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = bound(m, "predict", me, args, kwargs, node)
    data = batches.of(m, given.get("x"), None, None, given.get("batch_size"), given.get("steps"), None, node)
    given_callbacks = callbacks.listed(m, given.get("callbacks"), node)
    callbacks.attach(m, given_callbacks, me, node)
    if data.unknown:
        return m.gap("Model.predict", node, f"the data is not known: {data.unknown}")
    own = own_of(m, me, "predict_step")
    first: Value = None
    rows: Value = None
    sizes: set[Value] = set()
    for at, (condition, batch) in enumerate(data.iterations):
        if any(isinstance(v, Unknown) for v in batches.leaves(batch[0])):
            return m.gap("Model.predict", node, "a part of the data is not known")

        def run(b: Value = batch) -> Value:
            return in_graph(m, me, "predict", b, lambda d: _prediction(m, me, own, d, node))

        made = m.branching.choose(condition, run, lambda: None)
        if at == 0:
            first = made
            leading = next((t for t in batches.leaves(batch[0]) if isinstance(t, TensorType) and t.shape), None)
            rows = leading.shape[0] if leading is not None else None
        sizes.update(t.shape[0] if isinstance(t, TensorType) and t.shape.known and t.shape else None for t in batches.leaves(made))
    if len(sizes) > 1 and data.samples is None:
        rows = None
    _predicted(m, callbacks.own(m, given_callbacks), data, first, node)
    return batches.mapped(m, first, lambda t: _whole(m, t, rows, data, node)) if not isinstance(first, List) else List(
        m.heap.row(_whole(m, t, rows, data, node) for t in first.items))  # fmt: skip


def _prediction(m: Machine, me: Value, own: Any, batch: Any, node: ast.AST) -> Value:
    if own is None:
        return call_on(m, me, batch[0], False, node)
    found = m.call(own, (packed(*batch),), {}, node)
    if found is None:
        raise m.raised("ValueError", "predict_step returns nothing: it returns the predictions", node, "keras/step")
    return found


def _predicted(m: Machine, own: list[Value], data: batches.Batches, output: Value, node: ast.AST) -> None:
    """The hooks of one pass of prediction."""
    if own:
        callbacks.run(m, own, "on_predict_begin", (_empty(m),), node)
        keras_epochs.over_batches(m, own, "predict", data, lambda batch: Dict(m.heap.entries({"outputs": output})), None, node)
        callbacks.run(m, own, "on_predict_end", (_empty(m),), node)


def _whole(m: Machine, value: Value, rows: Value, data: batches.Batches, node: ast.AST) -> Value:
    """The outputs of all batches, one after the other, as an array."""
    if not isinstance(value, TensorType) or not value.shape.known:
        return value
    if not value.shape:
        return TensorType(Shape((data.count if isinstance(data.count, (int, Term)) else _some(m, node),)), value.dtype, framework="numpy")
    if value.shape[0] == rows and data.samples is not None:
        count = data.samples
    elif len(data.iterations) == 1 and data.count == 1:
        count = value.shape[0]
    elif isinstance(data.count, int) and rows is not None and isinstance(value.shape[0], int):
        count = data.count * value.shape[0]
    else:
        count = _some(m, node)
    return TensorType(Shape((count, *value.shape[1:])), value.dtype, framework="numpy")


def _some(m: Machine, node: ast.AST) -> Value:
    return m.symbol(m.name_here("predictions", node), 1, None, Origin.UNMODELLED)


def _one_batch(training: bool, m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    word = "train_on_batch" if training else "test_on_batch"
    given = bound(m, word, me, args, kwargs, node)
    reset_metrics(m, compiled(m, me, node), node)
    x, y, weight = given.get("x"), given.get("y"), given.get("sample_weight")
    if given.get("class_weight") is not None:
        weight = batches.class_weights(m, y, weight, given["class_weight"], node)
    found = batches.leaves((x, y, weight))
    if any(isinstance(v, Unknown) for v in found):
        return m.gap(f"Model.{word}", node, "the batch is not known")
    made = tuple(batches.mapped(m, v, lambda a: _as_tensor(m, a, node)) for v in (x, y, weight))
    output = step(m, me, made, training, node, alone=True)
    if training:
        trains(m, compiled(m, me, node), me, _followed(m, me, {}), node)
    return _results(m, _named_results(m, me, output) if training else _named_test_results(m, me, output), given.get("return_dict", False), node)


def _as_tensor(m: Machine, value: Value, node: ast.AST) -> Value:
    found = array_of(m, value, node)
    if not isinstance(found, TensorType):
        return value
    dtype = FLOAT32 if found.dtype is not None and found.dtype.is_float else found.dtype
    return keep(m, found, found.but(framework="tf", dtype=dtype))


def _predict_on_batch(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = bound(m, "predict_on_batch", me, args, kwargs, node)
    made = batches.mapped(m, given.get("x"), lambda a: _as_tensor(m, a, node))
    output = call_on(m, me, made, False, node)
    return batches.mapped(m, output, lambda t: t.but(framework="numpy") if isinstance(t, TensorType) else t)


METHODS: dict[str, object] = {
    **STEPS, "compile": compile_, "fit": fit, "evaluate": evaluate, "predict": predict, "train_on_batch": partial(_one_batch, True),
    "test_on_batch": partial(_one_batch, False), "predict_on_batch": _predict_on_batch,
}  # fmt: skip
KINDS = {"keras.History": KindModel(open=True, bases=("keras.callbacks.History",))}
