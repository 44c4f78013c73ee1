"""Numbers that a library checks: probabilities, rates, deviations, and those of Python that an element type must hold."""

from __future__ import annotations

import ast
from functools import cache
from math import inf, isnan
from typing import Any

from tensorproof.catalogue.elementwise.formulas.demanded import NOT_NEGATIVE, PARAMETERS
from tensorproof.catalogue.elementwise.formulas.drawn_numbers import share_outside
from tensorproof.libraries.domains import bounds, label_ranges, matrices
from tensorproof.ops.applied import Applied
from tensorproof.ops.inputs import Number, Tensor
from tensorproof.ops.record import Op
from tensorproof.terms import DType, TensorType, Term, conj, disj, ge, gt, implies, ne
from tensorproof.values.port import Machine

RARE = 1e-3
"""How seldom all drawn numbers may lie inside of a range, so that it is an error to draw them."""


def check(m: Machine, applied: list[Applied], node: ast.AST) -> None:
    """What operators demand of their elements beside shapes and types."""
    for one in applied:
        if not _demands(one.op):
            continue
        matrices.check(m, one, node)
        check_held(m, one, node)
        divisor = _divisor(one.op)
        if divisor:
            _divided(m, one, one.arguments.get(divisor), node)
        if one.op.name == "binary_cross_entropy":
            _endless_slope(m, one, node)
        if one.op.name == "random_distribution" and one.results[0].framework == "numpy":
            _distributed(m, one, node)
        about = NOT_NEGATIVE.get(one.op.name)
        framework = one.results[0].framework if one.results else ""
        if about is not None and (framework == "torch" or (framework == "numpy" and about[2] != "range")):
            name, kind, word = about if framework == "torch" else (about[0], "ValueError", about[2])
            judge(m, one.arguments.get(name), name, 0.0, inf, node, f"{one.op.name}/{word}", kind, one.spelling)


@cache
def _demands(op: Op) -> bool:
    """Whether an operator may demand something of its elements: most do not, and are not looked at."""
    named = op.name in NOT_NEGATIVE or op.name == "binary_cross_entropy" or op.name == "random_distribution"
    return named or bool(_divisor(op)) or matrices.demands(op.name) or _may_convert(op)


def _endless_slope(m: Machine, one: Applied, node: ast.AST) -> None:
    """Where a prediction is 0 or 1, the slope by its target is infinite: a step along it leaves parameters that are no numbers, which the next call refuses.

    Predictions that are learnt themselves are taken to stay between; what was given as predictions may be labels.
    """
    x, target = one.arguments.get("x"), one.arguments.get("target")
    if not isinstance(target, TensorType) or not isinstance(x, TensorType) or not target.requires_grad or x.requires_grad:
        return
    found = bounds.of(x)
    if found is None or found[0] <= 0 or found[1] >= 1:
        m.gap(one.spelling, node, "whether the predictions are 0 or 1, where the gradient of the targets is infinite, is not known")


@cache
def _divisor(op: Op) -> str:
    """The input by which an operator divides whole numbers, where it does."""
    return next((hazard.about for hazard in op.hazards if hazard.whole), "")


_BY_ZERO = {"torch": "RuntimeError", "tf": "InvalidArgumentError", "keras": "InvalidArgumentError"}
"""What the quotient of whole numbers by zero raises; NumPy only warns."""


def _divided(m: Machine, one: Applied, y: Any, node: ast.AST) -> None:
    """A quotient or remainder of whole numbers has no element that is divided by zero."""
    made = one.results[0] if one.results else None
    if made is None or made.dtype is None or made.dtype.kind not in "iu" or made.framework not in _BY_ZERO or made.shape.numel == 0:
        return
    kind, code, words = _BY_ZERO[made.framework], f"{one.op.name}/zero", "whole numbers are divided by zero"
    some = ge(made.shape.numel, 1) if made.shape.known else True
    values = y.contents if isinstance(y, TensorType) else (y,)
    if values is not None:
        for value in dict.fromkeys(v for v in values if isinstance(v, (int, float, Term))):
            m.demand(kind, implies(some, ne(value, 0) if isinstance(value, Term) else value != 0), words, node, code)
        return
    span, found = label_ranges.of(m, y), bounds.of(y)
    if span is not None:
        m.demand(kind, implies(some, disj(gt(span[0], 0), ge(0, span[1]))), f"{words}: the divisors are {span[0]!r} to {span[1] - 1!r}", node, code)
    elif found == (0.0, 0.0):
        m.demand(kind, implies(some, False), words, node, code)
    elif found is not None and found[0] <= 0 <= found[1]:
        m.gap(one.spelling, node, "whether whole numbers are divided by zero is not known")


def _distributed(m: Machine, one: Applied, node: ast.AST) -> None:
    name = one.arguments.get("distribution")
    for at, (value, (low, high, beyond)) in enumerate(zip(one.arguments.get("parameters") or (), PARAMETERS.get(str(name), ()))):
        if (low, high) != (-inf, inf):
            judge(m, value, f"parameter {at + 1} of {name}", low, high, node, f"{one.op.name}/range", "ValueError", one.spelling, beyond)


def judge(m: Machine, x: Any, name: str, low: float, high: float, node: ast.AST, code: str, kind: str, what: str, beyond: bool = False) -> bool:
    """Whether the elements of x are known to lie between two numbers (`beyond`: above the first), or were given to the program."""
    found = bounds.of(x)
    if isinstance(x, TensorType) and (x.parameter or (x.shape.known and x.shape.numel == 0)):
        return True
    drawn = x.facts.drawn if isinstance(x, TensorType) and x.facts is not None else None
    if found is None or (low <= found[0] and found[1] <= high and not (beyond and found[0] == low and drawn is None)):
        return True
    where = f"not be negative{' or zero' if beyond else ''}" if low == 0 and high == inf else f"lie between {low:g} and {high:g}"
    if found[1] < low or found[0] > high or (beyond and found == (low, low)) or not isinstance(x, TensorType) or x.contents is not None:
        raise m.raised(kind, f"{name} must {where}, and is {_said(found)}", node, code)
    span = label_ranges.of(m, x)
    if span is not None:
        inside = conj(gt(span[0], int(low)) if beyond else ge(span[0], int(low)), True if high == inf else ge(int(high) + 1, span[1]))
        m.demand(kind, inside, f"the elements of {name} must {where}, and these are {span[0]!r} to {span[1] - 1!r}", node, code)
        return True
    if drawn is not None and type(x.shape.numel) is int:
        outside = share_outside(drawn, low, high)
        if (1 - outside) ** x.shape.numel < RARE:
            raise m.raised(kind, f"the elements of {name} must {where}, and about {outside:.0%} of these drawn numbers do not", node, code)
    m.gap(what, node, f"whether the elements of {name} may be used here is not known: they must {where}")
    return False


def _said(found: tuple[float, float]) -> str:
    return f"{found[0]:g}" if found[0] == found[1] else f"{found[0]:g} to {found[1]:g}"


_GREATEST = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": 3.4028234663852886e38}
_KINDS = {"torch": "RuntimeError", "numpy": "OverflowError"}


def _may_convert(op: Op) -> bool:
    """Whether numbers among an operator's arguments may become elements of its result."""
    operands = {p.name for p in op.inputs} == {"x", "y"}
    return operands or _converts(op) or bool(_held(op)) or op.parameter("data") is not None


def _converts(op: Op) -> bool:
    """Whether an operator of torch converts all its numbers."""
    return op.name == "constant" or op.name == "setitem"


def check_held(m: Machine, one: Applied, node: ast.AST) -> None:
    made = one.results[0] if one.results else None
    if made is None or made.dtype is None or made.framework not in _KINDS or made.dtype.kind not in "iuf":
        return
    chosen = _held(one.op) if made.framework == "torch" and not _converts(one.op) else None
    if chosen is not None and not chosen:
        return
    for name, value in one.arguments.items():
        if chosen is not None and name not in chosen:
            continue
        given = _of_array(one, name, value, made.dtype) if made.framework == "numpy" else _of_tensor(one, name, value, made.dtype)
        for number in given:
            if not holds(made.dtype, number, made.framework == "torch"):
                shown = f"{number:g}" if isinstance(number, float) else str(number)
                raise m.raised(_KINDS[made.framework], f"{made.dtype!r} does not hold {shown}", node, f"{one.op.name}/range")


def _of_tensor(one: Applied, name: str, value: Any, dtype: DType) -> tuple[int | float, ...]:
    """The numbers that torch converts to an element type. Into a part of a tensor it puts them by way of a tensor of their own, as it makes one of a list: half
    precision makes those infinite that it does not hold."""
    if one.op.name == "constant" or (one.op.name == "setitem" and dtype.label in ("float16", "bfloat16")):
        return _numbers(value, name == "data") if dtype.kind != "f" and not (isinstance(value, TensorType) and value.framework == "numpy") else ()
    return _numbers(value, False) if name in _held(one.op) else ()


def _of_array(one: Applied, name: str, value: Any, dtype: DType) -> tuple[int, ...]:
    """Whole numbers of Python among the operands of NumPy's arithmetic, and those that an array is made of. `where` and `clip` take any."""
    if dtype.kind == "f" or name in ("low", "high"):
        return ()
    if isinstance(value, TensorType):
        operands = {p.name for p in one.op.inputs} == {"x", "y"} and value.weak
        listed = value.framework != "numpy" and (name == "data" or name in _held(one.op))
        value = value.contents if operands or listed else None
    else:
        value = (value,) if name in _held(one.op) else None
    return tuple(v for v in value or () if type(v) is int)


@cache
def _held(op: Op) -> frozenset[str]:
    """The arguments whose numbers become elements of the result."""
    return frozenset(p.name for p in (*op.inputs, *op.attributes) if isinstance(p, (Number, Tensor)) and p.held)


def _numbers(value: Any, many: bool) -> tuple[int | float, ...]:
    """A number, or that in a tensor without axes; `many`: all those of a list."""
    if isinstance(value, TensorType):
        alone = value.contents is not None and len(value.contents) == 1 and value.shape.known and not value.shape
        values = value.contents if many or alone else None
    else:
        values = (value,)
    return tuple(v for v in values or () if isinstance(v, (int, float)) and not isinstance(v, bool))


def holds(dtype: DType, value: int | float, wraps: bool) -> bool:
    """Whether an element type holds a number. `wraps`: negative numbers stand for large ones without a sign."""
    if dtype.kind == "f":
        return isnan(value) or value in (inf, -inf) or abs(value) <= _GREATEST.get(dtype.label, inf)
    if isnan(value) or value in (inf, -inf):
        return False
    greatest = (1 << (dtype.bits - (dtype.kind == "i"))) - 1
    least = -greatest - 1 if dtype.kind == "i" else -greatest if wraps else 0
    return least <= value <= greatest
