"""Other ways to a library's names: each is brought to the one name under which it is modelled."""

from __future__ import annotations

from functools import cache

from tensorproof.bindings.names import is_public
from tensorproof.libraries.tf_aliases import home

_ROOTS = {"tensorflow": "tf"}
_KERAS_HOMES = ("layers", "models", "utils", "losses", "optimizers", "callbacks", "metrics", "regularizers", "initializers", "constraints", "datasets", "backend", "preprocessing")


@cache
def canonical(name: str) -> str:
    """The public name of something that programs also reach by an old or a private way (`keras.layers.core.Dense`, `tf.keras.…`, `tf.compat.v1.…`)."""
    root, _, rest = name.partition(".")
    root = _ROOTS.get(root, root)
    full = home(f"{root}.{rest}" if rest else root)
    return _keras(full) if full.startswith("keras.") else full


def _keras(name: str) -> str:
    for way in ("keras.src.", "keras.api.", "keras._tf_keras.keras."):
        name = "keras." + name.removeprefix(way) if name.startswith(way) else name
    if name.startswith("keras.engine."):
        last = name.rpartition(".")[2]
        return {"Input": "keras.Input", "Model": "keras.Model", "Layer": "keras.layers.Layer", "InputSpec": "keras.layers.InputSpec"}.get(last, name)
    parts = name.split(".")
    if len(parts) > 3 and parts[1] in _KERAS_HOMES and is_public(name) is not True:
        short = f"keras.{parts[1]}.{parts[-1]}"
        return short if is_public(short) else name
    return name
