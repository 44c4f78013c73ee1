"""What a layer or a model gives for an example does not depend on the other examples of the batch; nor do losses, summed or averaged over them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from typing import Any

from tensorproof.equivalence.arrays import Array
from tensorproof.equivalence.call import Call
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.models import SUBJECTS, drawn_model
from tensorproof.equivalence.models.batches import Batch, batch_of, may_have
from tensorproof.equivalence.models.preparing import prepared
from tensorproof.equivalence.rule import Pair, Rule


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    batch = batch_of(call)
    if batch is None:
        return
    step = 1 if call.number % 2 else max(1, batch.size // 2)
    names = {name: f"{name}[{':, ' * axis}i:i + {step}]" for name, axis in batch.axes.items()}
    part = call.expression(dialect, names)
    yield Pair(call.expression(dialect), _joined(part, batch, step, dialect), call.setup(dialect), about=f"{step} at a time")


def _joined(part: str, batch: Batch, step: int, dialect: Dialect) -> str:
    """The results of all parts of the batch as the result of the whole."""
    each = f"for i in range(0, {batch.size}, {step})"
    if batch.reduction == "sum":
        return f"sum({part} {each})"
    if batch.reduction == "mean":
        return f"sum({part} * min({step}, {batch.size} - i) {each}) / {batch.size}"
    if isinstance(batch.results, int):
        return f"{_concatenate(dialect)}([{part} {each}], {batch.results})"
    return f"parts = [{part} {each}]\n{_tuple(batch.results, 'p', dialect)}"


def _tuple(axes: Any, part: str, dialect: Dialect) -> str:
    """One result after the other: each is the same result of all parts, joined."""
    if isinstance(axes, int):
        return f"{_concatenate(dialect)}([{part} for p in parts], {axes})"
    items = [_tuple(axis, f"{part}[{i}]", dialect) for i, axis in enumerate(axes)]
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def _concatenate(dialect: Dialect) -> str:
    return "torch.cat" if dialect.name == "torch" else "tf.concat"


def _models(subject: str, random: Random, dialect: Dialect) -> tuple[Mapping[str, Array], Iterable[Pair]]:
    model = drawn_model(subject, random, dialect.name)
    if model is None:
        return {}, ()
    count = model.inputs["x"].shape[0]
    step = random.choice((1, 2, count - 1))
    setup = "\n".join(prepared(model, dialect))
    return model.inputs, _of_torch(setup, count, step) if dialect.name == "torch" else _of_keras(setup, count, step)


def _of_torch(setup: str, count: int, step: int) -> Iterable[Pair]:
    """Outputs by parts and through a DataLoader, the loss, and the share of right answers."""
    loss, loader = "nn.functional.cross_entropy", "torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y)"
    yield Pair("layer(x)", f"torch.cat([layer(part) for part in x.split({step})])", setup, about="outputs")
    yield Pair("layer(x)", f"torch.cat([layer(part) for part, _ in {loader}, batch_size={step})])", setup, about="outputs through a DataLoader")
    each = f"for i in range(0, {count}, {step})"
    cut = f"[i:i + {step}]"
    yield Pair(f"{loss}(layer(x), y)", f"sum({loss}(layer(x{cut}), y{cut}) * len(y{cut}) {each}) / {count}", setup, about="loss")
    yield Pair("(layer(x).argmax(1) == y).sum()", f"sum((layer(x{cut}).argmax(1) == y{cut}).sum() {each})", setup, about="accuracy")


def _of_keras(setup: str, count: int, step: int) -> Iterable[Pair]:
    """Outputs by parts and by `predict`; the loss and metrics of `evaluate`."""
    yield Pair("layer(x)", f"tf.concat([layer(x[i:i + {step}]) for i in range(0, {count}, {step})], 0)", setup, about="outputs")
    yield Pair("layer(x)", f"tf.constant(layer.predict(x, batch_size={step}, verbose=0))", setup, about="outputs of predict")
    loss = "keras.losses.SparseCategoricalCrossentropy(from_logits=True)"
    metrics = '["sparse_categorical_accuracy", keras.metrics.SparseTopKCategoricalAccuracy(2)]'
    compiled = f"{setup}\nlayer.compile(loss={loss}, metrics={metrics})"
    yield Pair(
        f"layer.evaluate(x, y, batch_size={count}, verbose=0)", f"layer.evaluate(x, y, batch_size={step}, verbose=0)", compiled, about="loss and metrics",
        loose=10.0,
    )  # fmt: skip


RULE = Rule("batch-size", "model evaluation", "a batch = its examples one after the other", ("torch", "tensorflow", "keras"), _pairs, may_have, number=15,
            special=False, subjects=SUBJECTS, own=_models)  # fmt: skip
