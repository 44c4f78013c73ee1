"""Names of huggingface_hub that model packages use: they keep a class or function as it is, and their answers from the network are not known."""

from __future__ import annotations

import ast

from tensorproof.libraries.model import ClassModel
from tensorproof.values import Kwargs, Machine, Unknown, Value

_ROOT = "huggingface_hub"
MIXINS = ("PyTorchModelHubMixin", "ModelHubMixin")
"""Their classes only gain `from_pretrained`, `save_pretrained` and `push_to_hub`."""


def _derived(m: Machine, cls: Value, keywords: Kwargs, node: ast.AST) -> Value:
    """A class that derives from a mixin may say things about itself (`library_name=…`, `tags=…`), which only a model card shows."""
    return cls


CLASSES = {
    f"{_ROOT}.{name}": ClassModel(f"{_ROOT}.{name}", made=_derived, member=lambda m, cls, name: Unknown(f"{_ROOT}.{name}"), closed=False) for name in MIXINS
}
