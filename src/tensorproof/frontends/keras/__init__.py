"""Saved models of Keras (`.keras`). Needs no Keras."""

from tensorproof.frontends.keras.reader import SavedModel, built, configuration, read
from tensorproof.frontends.keras.values import Chosen

__all__ = ["Chosen", "SavedModel", "built", "configuration", "read"]
