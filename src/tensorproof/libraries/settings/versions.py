"""`__version__` of the libraries whose names depend on their version."""

from __future__ import annotations

from tensorproof.bindings.names import versions
from tensorproof.libraries.model import Run

_OF = {"torch": "torch", "tf": "tensorflow", "keras": "keras", "numpy": "numpy"}


def _text(library: str) -> Run:
    return lambda m: versions.text(library)


VALUES: dict[str, Run] = {
    **{f"{root}.__version__": _text(library) for root, library in _OF.items()}, "tf.VERSION": _text("tensorflow"), "tf.version.VERSION": _text("tensorflow"),
    "torch.version.__version__": _text("torch"),
}  # fmt: skip
