"""Names of the hyperparameters of a saved model."""

from __future__ import annotations

from collections.abc import Mapping

from tensorproof.diagnostics.errors import BadInput


def once_each(path: str, targets: Mapping[str, object]) -> None:
    """Refuse two parameters that name one hyperparameter. Raises `BadInput`."""
    names = list(targets)
    for at, name in enumerate(names):
        twin = next((other for other in names[:at] if targets[other] == targets[name]), None)
        if twin is not None:
            raise BadInput(f"{path}: the parameters {twin} and {name} are one hyperparameter; give one of them")
