"""The call that an adapter makes, its arguments and what they are read with: what adapters import from here."""

from __future__ import annotations

from tensorproof.bindings.arrays import Ragged, array_like
from tensorproof.bindings.call import Outcome, Run, computed, formula, operator, spelled
from tensorproof.bindings.forms import takes, taking
from tensorproof.bindings.modules import Module, computed_in, in_type
from tensorproof.bindings.readers import module_in, tensor_in
from tensorproof.ops.call import Call, GiveUp, Refused, Session
from tensorproof.ops.record import Op, Requirement
from tensorproof.ops.session import python_number
from tensorproof.values.port import Value

__all__ = [
    "Call", "GiveUp", "Module", "Op", "Outcome", "Ragged", "Refused", "Requirement", "Run", "Session", "Value", "array_like", "computed", "computed_in",
    "formula", "in_type", "module_in", "operator", "python_number", "spelled", "takes", "taking", "tensor_in",
]  # fmt: skip
