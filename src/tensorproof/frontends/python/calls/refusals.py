"""Which exception a library raises when an operator refuses its arguments (`bindings/raises` holds what was measured)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tensorproof.bindings.raises import classes
from tensorproof.terms.tensor import TensorType

_TRACED = "tf.traced"
"""Where the machine keeps the graph of the function that is traced now."""


def is_traced(state: Mapping[str, object], values: Iterable[object]) -> bool:
    """Whether a call describes what is computed later: in a traced function, or on a symbolic tensor."""
    return state.get(_TRACED) is not None or any(_symbolic(value) for value in values)


def _symbolic(value: object) -> bool:
    if isinstance(value, (tuple, list)):
        items: Any = value
        return any(_symbolic(v) for v in items)
    return isinstance(value, TensorType) and (value.graph is not None or value.taped)


def kinds(name: str, code: str, traced: bool = False) -> tuple[str, ...]:
    """The classes of which the exception is one; the likeliest first."""
    return classes(name, code, traced)
