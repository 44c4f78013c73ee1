"""A mask that comes with a tensor reaches the layer that it is given to."""

from __future__ import annotations

from typing import Any

import pytest

from tensorproof.frontends.python.explore import explore
from tensorproof.frontends.python.modules.source import parse

PROGRAM = """
import numpy as np
from tensorflow import keras
words = np.array([[1, 2, 0], [3, 0, 0]])
x = keras.layers.Embedding(5, 4, mask_zero={zero})(words)
y = keras.layers.{layer}(x{states})
"""


def alone(text: str) -> list[bool]:
    """Whether each recurrent layer of a program depends on its inputs alone."""
    found: list[bool] = []

    def ended(m: Any) -> None:
        applied = [one.applied for one in m.path.program.records if getattr(one, "applied", None) is not None]
        found.extend(one.arguments["alone"] for one in applied if one.op.name == "recurrent_layer")

    explore(parse("program.py", text), ended=ended, record=True)
    return found


@pytest.mark.parametrize("layer", ["LSTM(3)", "GRU(3, return_sequences=True)", "SimpleRNN(2)", "Bidirectional(keras.layers.LSTM(2))"])
@pytest.mark.parametrize("zero", [False, True])
def test_a_mask_reaches_a_recurrent_layer(layer: str, zero: bool) -> None:
    made = alone(PROGRAM.format(layer=layer, zero=zero, states=""))
    assert made and all(one is not zero for one in made)


def test_a_mask_comes_beside_states() -> None:
    assert alone(PROGRAM.format(layer="SimpleRNN(2)", zero=True, states=", initial_state=np.zeros((2, 2), 'float32')")) == [False]
