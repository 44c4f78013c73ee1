"""The lines that make a model with statistics that are not trivial."""

from __future__ import annotations

from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.models import Model


def prepared(model: Model, dialect: Dialect) -> list[str]:
    """Lines that make `layer`, in evaluation, with statistics of a batch."""
    classes = [model.classes] if model.classes else []
    made = f"{dialect.seed}; layer = {model.made}"
    if dialect.name == "torch":
        return ["from torch import nn", *classes, made, "layer(x)", "layer.eval()"]
    return [*classes, made, "layer(x, training=True)"]
