"""Numbers that were drawn one by one and then only shifted and scaled: how likely such a number lies outside of a range."""

from __future__ import annotations

from math import erf, inf, sqrt
from typing import Any

from tensorproof.ops.applied import Applied
from tensorproof.ops.record import Values
from tensorproof.terms.facts import Drawn
from tensorproof.terms.tensor import TensorType


def number(value: Any) -> float | None:
    """A number, or that in a tensor of one element."""
    if isinstance(value, TensorType):
        value = value.contents[0] if value.contents is not None and len(value.contents) == 1 else None
    return float(value) if isinstance(value, (int, float)) and abs(value) < inf else None


def of(one: Applied, values: Values) -> Drawn | None:
    """The distribution of each element of the results."""
    given, name = one.arguments, one.op.name
    if values.kind == "drawn":
        kind = values.distribution or given.get(str(values.by))
        a, b = (number(given.get(word)) for word in (("low", "high") if kind == "uniform" else ("mean", "std")))
        return (str(kind), a, b) if kind in ("uniform", "normal") and a is not None and b is not None else None
    if values.kind in ("moves", "cuts"):
        x = given.get(values.over)
        if not isinstance(x, TensorType) or x.facts is None or x.facts.drawn is None:
            return None
        return x.facts.drawn if all(r.dtype is x.dtype and not _more(r, x) for r in one.results) else None
    if name == "neg":
        return _scaled(given["x"], -1.0, 0.0)
    return _arithmetic(name, given) if values.kind in ("sums", "multiplies", "divides") else None


def _arithmetic(name: str, given: dict[str, Any]) -> Drawn | None:
    if given.get("alpha", 1) != 1 or given.get("rounding") is not None:
        return None
    x, y = given["x"], given["y"]
    by, other = number(y), number(x)
    if by is not None and name in ("add", "sub"):
        return _scaled(x, 1.0, by if name == "add" else -by)
    if by and name in ("mul", "div"):
        return _scaled(x, by if name == "mul" else 1 / by, 0.0)
    if other is None or name not in ("add", "sub", "mul"):
        return None
    return _scaled(y, other, 0.0) if name == "mul" else _scaled(y, 1.0 if name == "add" else -1.0, other)


def _more(made: TensorType, x: TensorType) -> bool:
    """Whether a result may hold some elements several times."""
    made_count, count = made.shape.numel, x.shape.numel
    return not isinstance(made_count, int) or not isinstance(count, int) or made_count > count


def _scaled(x: Any, factor: float, more: float) -> Drawn | None:
    drawn = x.facts.drawn if isinstance(x, TensorType) and x.facts is not None else None
    if drawn is None or factor == 0:
        return None
    kind, a, b = drawn
    if kind == "normal":
        return kind, a * factor + more, abs(b * factor)
    low, high = a * factor + more, b * factor + more
    return kind, min(low, high), max(low, high)


def share_outside(drawn: Drawn, low: float, high: float) -> float:
    """How likely an element lies outside of two numbers."""
    kind, a, b = drawn
    if kind == "uniform":
        inside = max(0.0, min(b, high) - max(a, low))
        return 1 - inside / (b - a) if b > a else float(not low <= a <= high)
    if b == 0:
        return float(not low <= a <= high)
    below, above = (0.5 * (1 + erf((end - a) / (b * sqrt(2)))) if abs(end) < inf else (0.0 if end < 0 else 1.0) for end in (low, high))
    return 1 - (above - below)
