"""A function and the formula in its documentation, in double precision, give the same numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.call import Call, Input, text
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule
from tensorproof.equivalence.rules.element_type import WIDER
from tensorproof.equivalence.tables import table
from tensorproof.ops.inputs import REQUIRED, Tensor
from tensorproof.terms.dtypes import DType

_PARAMETERS = re.compile(r"lambda ([^:]*):")
_STATISTICS = "for p in (*layer.parameters(), *layer.buffers()): p.is_floating_point() and torch.nn.init.uniform_(p, 0.5, 1.5)"
"""Weights and running statistics that are not ones and zeros."""


def _formula(api: Api) -> str:
    found = table("torch_formulas")
    return found.get(api.op, "") or ("" if api.is_layer else found.get(f"function {api.op}", ""))


def _applies(api: Api) -> bool:
    return len(api.operators) == 1 and not api.random and bool(_formula(api))


def _given(call: Call) -> dict[str, Any]:
    """The arguments by the operator's names, with the defaults of the public name. A layer's constructor and its call may use one name for two things."""
    row, op = call.api.rows[0], call.api.operators[0]
    groups = ((row.arguments, call.bound()),) if row.call_arguments is None else ((row.arguments, call.init or {}), (row.call_arguments, call.bound()))
    made = {p.name: p.default for p in op.attributes if p.default is not REQUIRED}
    for arguments, _ in groups:
        made |= {a.ours: a.default for a in arguments if a.default is not REQUIRED}
    made |= dict(row.fixed)
    for arguments, values in groups:
        ours = {a.theirs: a.ours for a in arguments}
        made |= {ours.get(name, name): value for name, value in values.items()}
    return made


def _taken(call: Call, given: dict[str, Any], parameters: dict[str, bool]) -> bool:
    """Whether the formula says what these arguments mean."""
    op = call.api.operators[0]
    for name, value in given.items():
        parameter = op.parameter(name)
        if parameter is None or name in parameters or name == "reduction":
            if parameter is None and call.init is None and value is not None and name not in ("inplace", "cudnn_enabled", "cudnn_enable"):
                return False
            continue
        if value is not None and value != getattr(parameter, "default", None) and not name.startswith("momentum"):
            return False
    return all(given.get(name) is not None for name, needed in parameters.items() if needed)


def _argument(value: object, call: Call, dialect: Dialect, tensor: bool) -> str:
    """In double precision; a number that stands for a tensor becomes one."""
    if isinstance(value, Input):
        label = _widest(call.inputs[value.name].label)
        return f"{value.name}.to({dialect.dtype(label)})" if label else text(value, dialect)
    if tensor and isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"torch.tensor({text(float(value), dialect)}, dtype=torch.float64)"
    return text(value, dialect)


def _widest(label: str) -> str:
    """The wide element type of real and complex numbers."""
    wide = WIDER.get(label, "") if label.startswith(("float", "bfloat", "complex")) else ""
    return WIDER.get(wide, wide)


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    formula, op, given = _formula(call.api), call.api.operators[0], _given(call)
    found = _PARAMETERS.match(formula)
    parameters = {p.partition("=")[0]: "=" not in p for p in found.group(1).split(", ")} if found else {}
    if call.init is not None:
        given |= {c.name: c for row in call.api.rows[:1] for c in row.creations if c.name in parameters}
    if not _taken(call, given, parameters) or any(isinstance(v, DType) for v in given.values()):
        return
    reduction = given.get("reduction", "none")
    if not any(x.is_float or x.label.startswith("complex") for x in call.inputs.values()) or not isinstance(reduction, str) or reduction == "batchmean":
        return
    made = {c.name for row in call.api.rows[:1] for c in row.creations} if call.init is not None else set()
    tensors = {p.name for p in op.inputs if isinstance(p, Tensor)}
    parts = [f"{n}=layer.{n}" if n in made else f"{n}={_argument(given[n], call, dialect, n in tensors)}" for n in parameters if n in given or n in made]
    after = f".{reduction}()" if op.parameter("reduction") is not None and reduction != "none" else ""
    setup = call.setup(dialect)
    if made:
        setup = f"{setup}\n{call.expression(dialect)}\n{_STATISTICS}" if "Lazy" in call.api.name else f"{setup}\n{_STATISTICS}"
    right = f"f = {formula}\nf({', '.join(parts)}){after}"
    right = f"layer = layer.double()\n{right}" if made else right
    yield Pair(call.expression(dialect), right, setup, compare="numbers", loose=5.0, reference=right)


RULE = Rule("formula", "api redundancy", "an operator = the formula in its documentation", ("torch",), _pairs, _applies, number=7, special=False,
            unsupported=".")  # fmt: skip
