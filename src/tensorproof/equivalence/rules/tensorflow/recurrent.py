"""Recurrent layers written in two ways: one step at a time with the cell, over the reversed sequence, unrolled, in two directions, time-major."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random

from tensorproof.equivalence.api import Api, apis
from tensorproof.equivalence.arrays import Array
from tensorproof.equivalence.call import Call, Input
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule


def _applies(api: Api) -> bool:
    """A layer that has a cell by its name."""
    return api.name.startswith("keras.layers.") and any(other.name == f"{api.name}Cell" for other in apis("keras"))


def _sequence(call: Call) -> str:
    first = call.args[0] if call.args else next(iter(call.kwargs.values()), None)
    return first.name if isinstance(first, Input) and len(call.inputs) == 1 and call.inputs[first.name].data.size else ""


def _same_weights(call: Call, dialect: Dialect, changes: str) -> str:
    """The lines that make the layer again with another configuration and the same weights."""
    made = f"other = {call.api.name}.from_config({{**layer.get_config(), {changes}}})"
    return f"{call.expression(dialect)}\n{made}\nother.build(layer.get_build_config()['input_shape'])\nother.set_weights(layer.get_weights())\n"


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    x, init = _sequence(call), call.init or {}
    if not x or init.get("stateful"):
        return
    setup, left = call.setup(dialect), call.expression(dialect)
    steps = f"state = None\nfor t in range({x}.shape[1]):\n    out, state = layer.cell({x}[:, t], state if state else layer.get_initial_state({x}.shape[0]))"
    plain = not init.get("return_sequences") and not init.get("return_state") and not init.get("go_backwards") and not init.get("mask")
    if plain:
        yield Pair(left, f"{left}\n{steps}\nout", setup, about="time-major", loose=10.0)
    reverse = _same_weights(call, dialect, "'go_backwards': not layer.go_backwards")
    yield Pair(left, f"{reverse}other(tf.reverse({x}, [1]))", setup, about="reversed", loose=10.0)
    unrolled = _same_weights(call, dialect, "'unroll': True")
    yield Pair(left, unrolled + call.expression(dialect, None, "other"), setup, about="unrolled", loose=10.0)


_MERGED = (("concat", "tf.concat([f, b], -1)"), ("sum", "f + b"), ("mul", "f * b"), ("ave", "(f + b) / 2"))
"""What `merge_mode` stands for."""


def _own(subject: str, random: Random, dialect: Dialect) -> tuple[Mapping[str, Array], Iterable[Pair]]:
    """The forward layer on the sequence and the backward layer on the same, its outputs put in order again."""
    import numpy as np

    (mode, merged), whole = random.choice(_MERGED), random.random() < 0.5
    cell = f"keras.layers.{subject.rpartition(' ')[2]}({random.randint(1, 3)}, return_sequences={whole})"
    setup = dialect.layer(f'keras.layers.Bidirectional({cell}, merge_mode="{mode}")')
    numbers = np.random.default_rng(random.getrandbits(32)).uniform(-2, 2, (random.randint(1, 3), random.randint(1, 4), random.randint(1, 3)))
    backward = "tf.reverse(layer.backward_layer(a), [1])" if whole else "layer.backward_layer(a)"
    lines = f"layer(a)\nf, b = layer.forward_layer(a), {backward}\n{merged}"
    return {"a": Array("float32", np.round(numbers, 2).astype("float32"))}, [Pair("layer(a)", lines, setup, about="two directions", loose=10.0)]


RULE = Rule("tf-recurrent", "data format", "recurrent layers = their cells step by step, in time-major order", ("tensorflow", "keras"), _pairs, _applies,
            number=10, special=False, own=_own,
            subjects=("keras.layers.Bidirectional LSTM", "keras.layers.Bidirectional GRU", "keras.layers.Bidirectional SimpleRNN"),
            unsupported="unroll|mask|stateful")  # fmt: skip
