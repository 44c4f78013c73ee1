"""`__version__` of the libraries whose names depend on their version."""

from __future__ import annotations

from tensorproof.bindings.names import versions
from tensorproof.libraries.model import Run

_OF = {"torch": "torch", "tf": "tensorflow", "keras": "keras", "numpy": "numpy"}


def _told(library: str) -> Run:
    return lambda m: versions.text(library)


VALUES: dict[str, Run] = {
    **{f"{root}.__version__": _told(library) for root, library in _OF.items()}, "tf.VERSION": _told("tensorflow"), "tf.version.VERSION": _told("tensorflow"),
    "torch.version.__version__": _told("torch"),
}  # fmt: skip
