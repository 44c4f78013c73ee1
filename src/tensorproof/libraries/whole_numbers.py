"""Whole numbers that are unknown where a size is needed: read from a tensor, or a tensor of one element itself."""

from __future__ import annotations

import ast
from math import inf
from typing import Any

from tensorproof.ops import whole
from tensorproof.ops.applied import Applied
from tensorproof.ops.record import Op
from tensorproof.terms import Dim, DType, Origin, TensorType, Term, conj, ge, le, learn, lower, upper
from tensorproof.terms.records import replace
from tensorproof.values import NOWHERE, WHOLE, Machine, Unknown, Value
from tensorproof.values.python_values import DRAWN

_LIMITS = "limits of numbers"


def size_in(m: Machine, value: Value) -> Dim:
    """The size that stands for a whole number that is unknown, the same each time that this very number is used."""
    if isinstance(value, TensorType):
        return _number(m, value)
    held = m.model_state.setdefault("sizes", {})
    found = held.get(id(value))
    if found is None or found[0] is not value:
        found = held[id(value)] = (value, m.session.fresh("n"))
    return found[1]  # type: ignore[no-any-return]


def held_size(m: Machine, value: Value) -> Dim | None:
    """The size that stands for a whole number where it is known or was named before; None for anything else."""
    found = m.model_state.get("sizes", {}).get(id(value)) if type(value) is Unknown and value is not WHOLE else None
    return found[1] if found is not None and found[0] is value else exact_size(value)


def exact_size(value: Value) -> Dim | None:
    """A whole number that is known or has a name; None for anything else, also for a truth value."""
    return value if isinstance(value, (int, Term)) and not isinstance(value, bool) else None


def _number(m: Machine, t: TensorType, node: ast.AST = NOWHERE) -> Dim:
    """The number in a tensor of one element: between the bounds that it was drawn from, where they are known."""
    known = t.facts
    if known is not None and known.number is None and known.span is not None:
        learn(t, number=between(m, "item", known.span[0], known.span[1] - 1, node))
    return m.session.number_in(t)


def same_size(m: Machine, value: Value, size: Dim) -> None:
    """From here on this number is this size where one is needed."""
    if isinstance(value, TensorType):
        learn(value, number=size)
    else:
        m.model_state.setdefault("sizes", {})[id(value)] = (value, size)


def reads(op: Op) -> bool:
    return op.values.kind in ("sums", "moves")


def applied(m: Machine, one: Applied) -> None:
    """Called for every operator that was applied: a number that is larger by a known one is a size that is larger by it."""
    values = one.op.values
    if values.kind != "sums" or not whole_tensor(one.results[0]) or m.model_state.get("tf1") or one.arguments["alpha"] != 1:
        return
    x, y = one.arguments["x"], one.arguments["y"]
    more, begun, by = values.whole is whole.sums, _known(x), _known(y)
    if by is not None and whole_tensor(x) and not x.taped:
        same_size(m, one.results[0], size_in(m, x) + (by if more else -by))
    elif begun is not None and whole_tensor(y) and not y.taped:
        same_size(m, one.results[0], begun + (size_in(m, y) if more else -size_in(m, y)))


def _known(x: TensorType) -> int | None:
    """A whole number of Python."""
    known = x.contents[0] if x.weak and x.contents is not None and len(x.contents) == 1 else None
    return known if type(known) is int else None


def whole_tensor(value: Value) -> bool:
    """Whether a tensor is one whole number that is unknown."""
    return isinstance(value, TensorType) and value.contents is None and value.dtype is not None and value.dtype.is_integer and value.shape.numel == 1


def between(m: Machine, word: str, low: Any, high: Any, node: ast.AST) -> Any:
    """A whole number from low to high, both included; the world chooses it."""
    if type(low) not in (int, Term) or type(high) not in (int, Term):
        return Unknown(word)
    if low == high:
        return low
    least, most = lower(low), upper(high)
    made = m.symbol(m.name_here(word, node), int(least) if least > -(2**62) else -(2**62), int(most) if most < 2**62 else None, Origin.WORLD)
    for fact in (ge(made, low), le(made, high)):
        m.assume(fact)
    return made


def number_in(dtype: DType | None) -> Unknown:
    """A number that is read from a tensor of an element type."""
    return Unknown("a number in a tensor", number="" if dtype is None else {"f": "float", "i": "int", "u": "int", "b": "bool"}.get(dtype.kind, ""))


def drawn_number(t: TensorType) -> Unknown | None:
    """The real number in a tensor that was drawn."""
    if t.facts is None or not t.facts.chance or t.dtype is None or t.dtype.kind != "f":
        return None
    drawn = t.facts.drawn
    return replace(DRAWN, least=drawn[1], below=drawn[2]) if drawn is not None and drawn[0] == "uniform" else DRAWN


def number_of(m: Machine, t: TensorType, node: ast.AST) -> Value:
    """The number in a tensor of one element: between the bounds that it was drawn from, else one that is unknown."""
    if "vmap" in m.model_state and m.model_state["vmap"]["many"].get(id(t)) is t:
        raise m.raised("RuntimeError", "inside of vmap a tensor stands for many, and gives no number", node, "vmap/number")
    if t.facts is not None and t.facts.span is not None:
        return _number(m, t, node)
    made = drawn_number(t) or number_in(t.dtype)
    if made.least is None and t.facts is not None and t.facts.bounds is not None and abs(t.facts.bounds[0]) < inf:
        made = replace(made, least=t.facts.bounds[0])
    if whole_tensor(t):
        low, past = (t.facts.limit if t.facts is not None else None) or (None, None)
        if type(low) is int and type(past) is int:
            made = replace(made, least=low, below=past)
        same_size(m, made, size_in(m, t))
        if t.facts is not None and t.facts.limit is not None:
            m.model_state.setdefault(_LIMITS, {})[id(made)] = (made, t.facts)
    return made


def misses(m: Machine, value: Value, count: int) -> bool:
    """Whether a whole number may be a place that a sequence of so many items has not: it was drawn, or chosen among numbers of which nothing is known."""
    if type(value) is Unknown and value.below is not None and value.least is not None:
        return value.least < -count or value.below > count
    held = m.model_state.get(_LIMITS, {}).get(id(value))
    facts = value.facts if isinstance(value, TensorType) else held[1] if held is not None and held[0] is value else None
    if facts is None or facts.limit is None:
        return facts is not None and facts.chance
    low, past = facts.limit
    return conj(ge(low, -count), ge(count, past)) is False
