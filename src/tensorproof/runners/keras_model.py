"""A saved model of Keras, with the weights that its file holds: any layer or operation can be looked at, by its inputs and outputs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("KERAS_BACKEND", "tensorflow")

import keras
import numpy as np
import tensorflow as tf

from tensorproof.runners.searching import Look, Source, Values, judged

_keras: Any = keras
_tf: Any = tf


class Model:
    def __init__(self, path: str) -> None:
        self.model: Any = _keras.saving.load_model(path, compile=False)
        self._sources: dict[str, Source] = {}
        self._parts: dict[str, Any] = {}

    def reads(self, target: str, sources: Sequence[Source]) -> list[Source]:
        inputs = {name for one in self.model.inputs for name in (one.name, one._keras_history.operation.name)}
        found = [one for one in sources if any(name in inputs for name in one.names)]
        self._sources.update({one.name: one for one in found})
        return found

    def _part(self, target: str) -> Any:
        """From the inputs of the model to the inputs and outputs of a layer or operation."""
        if target not in self._parts:
            node = next(one for one in self.model.operations if one.name == target)._inbound_nodes[0]
            self._parts[target] = _keras.Model(self.model.inputs, [_flat(node.input_tensors), _flat(node.output_tensors)])
        return self._parts[target]

    def _fed(self, values: Values) -> list[Any]:
        found: list[Any] = []
        for one in self.model.inputs:
            names = (one.name, one._keras_history.operation.name)
            own = next((s for s in self._sources.values() if any(name in names for name in s.names)), None)
            shape = [32 if n is None else n for n in one.shape]
            value = values[own.name] if own is not None and own.name in values else np.zeros(shape)
            found.append(_tf.convert_to_tensor(np.asarray(value, _tf.as_dtype(one.dtype).as_numpy_dtype)))
        return found

    def look(self, target: str, values: Values) -> Look:
        operands, results = self._part(target)(self._fed(values), training=False)
        return judged([x.numpy() for x in operands if x.dtype.is_floating], [y.numpy() for y in results if y.dtype.is_floating])

    def slopes(self, target: str, values: Values, operand: int, goal: str) -> Values | None:
        fed = self._fed(values)
        with _tf.GradientTape() as tape:
            tape.watch([t for t in fed if t.dtype.is_floating])
            x = [t for t in self._part(target)(fed, training=False)[0] if t.dtype.is_floating][operand]
            grown = _tf.reduce_max(x) if goal == "high" else -_tf.reduce_min(x) if goal == "low" else -_tf.reduce_min(_tf.abs(x))
        made = tape.gradient(grown, fed)
        found: Values = {}
        for one, g in zip(self.model.inputs, made):
            names = (one.name, one._keras_history.operation.name)
            own = next((s.name for s in self._sources.values() if any(name in names for name in s.names)), None)
            if own is not None and g is not None:
                found[own] = np.asarray(_tf.convert_to_tensor(g), np.float64)
        return found or None


def _flat(value: Any) -> list[Any]:
    return [one for item in value for one in _flat(item)] if isinstance(value, (list, tuple)) else [value]
