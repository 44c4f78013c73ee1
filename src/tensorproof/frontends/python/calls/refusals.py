"""Which exception a library raises when an operator refuses its arguments (`bindings/raises` holds what was measured)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.call import Outcome
from tensorproof.bindings.raises import classes
from tensorproof.bindings.raises.circumstances import circumstances
from tensorproof.ops.record import Requirement
from tensorproof.terms.tensor import TensorType
from tensorproof.values.objects import List

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter

_TRACED = "tf.traced"
"""Where the machine keeps the graph of the function that is traced now."""


def is_traced(state: Mapping[str, object], values: Iterable[object]) -> bool:
    """Whether a call describes what is computed later: in a traced function, or on a symbolic tensor."""
    return state.get(_TRACED) is not None or any(_symbolic(value) for value in values)


def _symbolic(value: object) -> bool:
    items: Any = value
    if isinstance(value, (tuple, list)):
        return any(_symbolic(v) for v in items)
    return isinstance(value, TensorType) and (value.graph is not None or bool(value.taped))


def kinds(m: Interpreter, name: str, outcome: Outcome, refused: Requirement, given: Sequence[object] = ()) -> tuple[str, ...]:
    """The classes of which the exception of a refusal is one, the likeliest first. Its message is still that of the operator, without the program's names.

    TensorFlow tries to make a tensor of a None that it is given, and a tensor of the other side's type of a number, text or list beside an operator."""
    if refused.code == "call/arguments" and name.startswith("tf.") and any(value is None for value in given):
        return ("ValueError",)
    if refused.code.endswith("/dtype") and name.startswith("tf.Tensor.__") and any(isinstance(value, (float, str, bytes, List, tuple)) for value in given):
        return ("TypeError",)
    return classes(name, refused.code, refused.message, is_traced(m.model_state, outcome.bound.values()), circumstances(outcome.bound))
