"""Saved models of Keras (`.keras`). Needs no Keras."""

from tensorproof.frontends.keras.reader import SavedModel, read

__all__ = ["SavedModel", "read"]
