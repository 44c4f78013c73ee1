"""Other ways to the names of TensorFlow 1: each is brought to the one name under which it is modelled."""

from __future__ import annotations

from functools import cache

from tensorproof.bindings.call import spelled
from tensorproof.libraries import registry
from tensorproof.libraries.constants import constant
from tensorproof.libraries.results.facts import others


@cache
def home(name: str) -> str:
    """The name under which a name is modelled."""
    if not name.startswith("tf"):
        return name
    for prefix, to in others("tensorflow/version1/aliases").items():
        if name == prefix or name.startswith(prefix if prefix.endswith(".") else prefix + "."):
            return to + name.removeprefix(prefix)
    if name.startswith("tf.compat.v1.") and not registry.known(name):
        plain = "tf." + name.removeprefix("tf.compat.v1.")
        if registry.known(plain) or constant(plain)[0] or (spelled(plain) and not spelled(name)):
            return plain
    return name
