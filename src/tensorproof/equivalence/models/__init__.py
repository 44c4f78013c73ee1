"""Models with random weights and statistics that are not trivial, as text: what rules over models are tried on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from random import Random
from typing import Any

from tensorproof.equivalence.arrays import Array

SUBJECTS = (
    "models.convolutional", "models.residual", "models.separable", "models.normalised", "models.lstm", "models.gru", "models.transformer",
    "models.embedding", "models.encoder_decoder", "models.tied",
)  # fmt: skip
"""Architectures, by the names that a campaign lists. Each library has a text for those that it can build."""
CLASSES = 4
"""How many numbers a model gives for each example; targets are below."""


@dataclass(frozen=True, slots=True)
class Model:
    """`classes` are lines that define its own layers, `made` is the expression that makes it. The inputs are `x` and the targets `y`."""

    made: str
    inputs: Mapping[str, Array]
    classes: str = ""
    own: tuple[str, ...] = ()
    """The names of the classes that it defines."""


def drawn_model(subject: str, random: Random, library: str) -> Model | None:
    """A model of that architecture; None where the library has no text for it."""
    module: Any = import_module(f"tensorproof.equivalence.models.{'torch' if library == 'torch' else 'keras'}_models")
    make = module.MODELS.get(subject)
    if make is None:
        return None
    made: Model = make(random)
    return made


def images(random: Random, *shape: int, label: str = "float32") -> Array:
    """Random pictures, with numbers between 0 and 1."""
    import numpy as np

    source = np.random.default_rng(random.getrandbits(64))
    return Array(label, np.round(source.uniform(0.0, 1.0, shape), 3).astype(label))


def whole(random: Random, below: int, *shape: int) -> Array:
    """Random tokens or targets."""
    import numpy as np

    return Array("int64", np.random.default_rng(random.getrandbits(64)).integers(0, below, shape))
