"""A way in which a library saves a layer or a model and loads it again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tensorproof.equivalence.rule import Pair

FOLDER = "import tempfile; folder = tempfile.TemporaryDirectory(); path = folder.name\n"


@dataclass(frozen=True, slots=True)
class Method:
    """Lines that make `other` of `layer`. In them `{fresh}` stands for the line that makes a new one, `{build}` for its first call, which makes its
    weights, and `{weights}` for that and the line that sets its weights. `setup` are lines that both sides need."""

    name: str
    lines: str
    setup: str = ""
    saved: str = "layer"
    """What the loaded one must equal."""
    costly: bool = False
    """Whether it takes long: tried on a few calls."""
    lazy: bool = True
    """Whether it loads into a module whose weights have no shapes yet."""
    models: bool = False
    """Whether it takes models alone, and not layers."""
    weights: bool = True
    """Whether the loaded one shows its weights."""


def pairs(methods: Iterable[Method], setup: str, fresh: str, expression: str, weights: str) -> Iterable[Pair]:
    """`expression` calls `layer`; `weights` is what follows the layer in the expression of its weights, empty where it has none."""
    other = expression.replace("layer(", "other(", 1)
    for method in methods:
        left, right = expression.replace("layer(", f"{method.saved}(", 1), other
        if method.weights and weights:
            left, right = f"({left}, {method.saved}{weights})", f"({right}, other{weights})"
        lines = method.lines.replace("{fresh}", fresh).replace("{build}", other)
        lines = lines.replace("{weights}", f"{other}\nother.set_weights(layer.get_weights())" if weights else "").rstrip()
        yield Pair(left, f"{lines}\n{right}", f"{setup}\n{method.setup}".rstrip(), about=method.name)
