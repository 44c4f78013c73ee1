"""A saved model of Keras, with the weights that its file holds: any layer or operation can be looked at, by its inputs and outputs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("KERAS_BACKEND", "tensorflow")

import keras
import numpy as np
import tensorflow as tf

from tensorproof.runners.searching import Look, Source, Values, judged


class _Watch:
    """Keeps what an operation of a name takes and gives at each of its calls, while a model runs."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.calls: list[tuple[list[tf.Tensor], list[tf.Tensor]]] = []

    def __enter__(self) -> _Watch:
        self._plain = [(owner, owner.__call__) for owner in (keras.Layer, keras.Operation)]
        for owner, plain in self._plain:
            owner.__call__ = self._around(plain)  # type: ignore[method-assign]
        return self

    def __exit__(self, *raised: object) -> None:
        for owner, plain in self._plain:
            owner.__call__ = plain  # type: ignore[method-assign]

    def _around(self, plain: Callable[..., object]) -> Callable[..., object]:
        def call(me: keras.Operation, *args: object, **kwargs: object) -> object:
            made = plain(me, *args, **kwargs)
            if me.name == self.target:
                self.calls.append((_floats([args, kwargs]), _floats(made)))
            return made

        return call


class Model:
    def __init__(self, path: str) -> None:
        self.model = keras.saving.load_model(path, compile=False)
        self._sources: dict[str, Source] = {}

    def reads(self, target: str, sources: Sequence[Source]) -> list[Source]:
        inputs = {name for one in self.model.inputs for name in _names(one)}
        found = [one for one in sources if any(name in inputs for name in one.names)]
        self._sources.update({one.name: one for one in found})
        return found

    def _own(self, tensor: keras.KerasTensor) -> Source | None:
        return next((one for one in self._sources.values() if any(name in _names(tensor) for name in one.names)), None)

    def _fed(self, values: Values) -> list[tf.Tensor]:
        found: list[tf.Tensor] = []
        for one in self.model.inputs:
            own = self._own(one)
            value = values[own.name] if own is not None and own.name in values else np.zeros([32 if n is None else n for n in one.shape])
            found.append(tf.convert_to_tensor(np.asarray(value, tf.as_dtype(one.dtype).as_numpy_dtype)))
        return found

    def _ran(self, target: str, fed: list[tf.Tensor]) -> list[tuple[list[tf.Tensor], list[tf.Tensor]]]:
        with _Watch(target) as watch:
            self.model(fed if len(fed) > 1 else fed[0], training=False)
        if not watch.calls:
            raise LookupError(f"the model runs no layer {target}")
        return watch.calls

    def look(self, target: str, values: Values) -> Look:
        seen = [judged([x.numpy() for x in operands], [y.numpy() for y in results]) for operands, results in self._ran(target, self._fed(values))]
        return next((one for one in seen if one.bad), seen[0])

    def slopes(self, target: str, values: Values, part: int, goal: str) -> Values | None:
        fed = self._fed(values)
        with tf.GradientTape() as tape:
            tape.watch([t for t in fed if t.dtype.is_floating])
            operands, results = self._ran(target, fed)[0]
            x = [*operands, *results][part]
            grown = tf.reduce_max(x) if goal == "high" else -tf.reduce_min(x) if goal == "low" else -tf.reduce_min(tf.abs(x))
        found: Values = {}
        for one, g in zip(self.model.inputs, tape.gradient(grown, fed)):
            own = self._own(one)
            if own is not None and g is not None:
                found[own.name] = np.asarray(tf.convert_to_tensor(g), np.float64)
        return found or None


def _names(tensor: keras.KerasTensor) -> tuple[str, str]:
    return tensor.name, tensor._keras_history.operation.name


def _floats(value: object) -> list[tf.Tensor]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [one for item in value for one in _floats(item)]
    return [value] if isinstance(value, tf.Tensor) and value.dtype.is_floating else []
