"""A call whose axis is a symbol: every axis that it may be is tried, and the results are joined, each size an if-then-else of the symbol."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from tensorproof.ops.applied import Applied
from tensorproof.ops.inputs import Axes, Axis
from tensorproof.ops.record import Op, Requirement
from tensorproof.ops.session import GiveUp, Refused, Session
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.ints import Term, ite, lower, upper
from tensorproof.terms.predicates import Predicate, Truth, conj, disj, eq, implies, negate
from tensorproof.terms.records import replace
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import UNKNOWN_STRIDES, Outputs, TensorType

MOST_TRIED = BUDGETS.deciding.axes_tried

Apply = Callable[[Op, dict[str, Any], Session, str], Any]


def is_symbolic(parameter: object, value: object) -> bool:
    """Whether an argument is an axis that is not a known number."""
    if type(parameter) is Axis:
        return type(value) is Term
    return type(parameter) is Axes and type(value) is tuple and any(type(v) is Term for v in value)


def joined(op: Op, arguments: dict[str, Any], names: list[str], session: Session, name: str, apply: Apply) -> Any:
    """The result of the call, joined over the axes that the symbols may be; None where an input's rank is not known."""
    symbols = dict.fromkeys(v for n in names for v in _parts(arguments[n]) if type(v) is Term)
    reach = _reach(op, arguments, names)
    if reach is None:
        return None
    choices = [[k for k in range(reach) if _condition(t, k, reach) is not False] for t in symbols]
    _require(session, op, _all_possible([[_condition(t, k, reach) for k in ks] for t, ks in zip(symbols, choices)]), names, reach)
    tried = list(product(*choices))
    if len(tried) > MOST_TRIED:
        raise GiveUp(f"{name}: the axes are not known numbers")
    results: list[tuple[Truth, Any]] = []
    applied = len(session.applied)
    for picked in tried:
        chosen = dict(zip(symbols, picked))
        condition = conj(*(_condition(t, k, reach) for t, k in chosen.items()))
        fixed = {n: tuple(chosen.get(v, v) for v in arguments[n]) if isinstance(arguments[n], tuple) else chosen[arguments[n]] for n in names}
        one = _tried(op, {**arguments, **fixed}, session, name, apply, condition)
        if one is not None:
            results.append((condition, one))
    if not results:
        raise Refused(Requirement(f"{op.name}/axis", False, f"no axis is possible for {', '.join(names)}", tuple(names)))
    del session.applied[applied:]
    made = _join(results, name)
    session.applied.append(Applied(op, arguments, (made,) if isinstance(made, TensorType) else tuple(made), name))
    return made


def _all_possible(cases: list[list[Truth]]) -> Truth:
    return conj(*(disj(*alternatives) for alternatives in cases))


def _parts(value: object) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _reach(op: Op, arguments: dict[str, Any], names: list[str]) -> int | None:
    """How many axes there are to choose from; None where that is not known, or differs between the arguments."""
    found: set[int] = set()
    for name in names:
        kind: Any = op.parameter(name)
        owner = arguments.get(kind.of)
        owner = owner[0] if isinstance(owner, tuple) and owner else owner
        if not isinstance(owner, TensorType) or not owner.shape.known:
            return None
        rank = len(owner.shape) + getattr(kind, "extra", 0)
        found.add(1 if rank == 0 and kind.scalar_ok else rank)
    return found.pop() if len(found) == 1 else None


def _condition(axis: Term, k: int, reach: int) -> Truth:
    if upper(axis) < k - reach or lower(axis) > k:
        return False
    return disj(eq(axis, k), eq(axis, k - reach))


def _require(session: Session, op: Op, holds: Truth, names: list[str], reach: int) -> None:
    requirement = Requirement(f"{op.name}/axis", holds, f"{' and '.join(names)} must be from {-reach} to {reach - 1}: x has {reach} axes", tuple(names))
    if holds is False:
        raise Refused(requirement)
    if holds is not True:
        session.requirements.append(requirement)


def _tried(op: Op, arguments: dict[str, Any], session: Session, name: str, apply: Apply, condition: Truth) -> Any:
    """The result for one choice of axes, whose requirements hold under its condition; None where it is refused, so that the choice is excluded."""
    before = len(session.requirements)
    try:
        made = apply(op, arguments, session, name)
    except Refused as refused:
        del session.requirements[before:]
        session.requirements.append(replace(refused.requirement, predicate=negate(condition)))
        return None
    session.requirements[before:] = [replace(r, predicate=implies(condition, r.predicate)) for r in session.requirements[before:]]
    return made


def _join(results: list[tuple[Truth, Any]], name: str) -> Any:
    first = results[0][1]
    if isinstance(first, TensorType):
        return _tensor([(c, made) for c, made in results], name)
    if any(len(made) != len(first) for _, made in results):
        raise GiveUp(f"{name}: the number of results depends on an axis that is not a known number")
    made = [_join([(c, one[i]) for c, one in results], name) for i in range(len(first))]
    return first.like(made) if isinstance(first, Outputs) else tuple(made)


def _tensor(results: list[tuple[Truth, Any]], name: str) -> TensorType:
    tensors: list[TensorType] = [made for _, made in results]
    last = tensors[-1]
    if all(t == last for t in tensors):
        return last
    if any(not t.shape.known or len(t.shape) != len(last.shape) or t.dtype is not last.dtype for t in tensors):
        raise GiveUp(f"{name}: the rank of the result depends on an axis that is not a known number")
    sizes = []
    for i in range(len(last.shape)):
        size = last.shape[i]
        for condition, made in reversed(results[:-1]):
            size = ite(condition, made.shape[i], size) if isinstance(condition, Predicate) else made.shape[i]
        sizes.append(size)
    rows = all(t.strides is None for t in tensors)
    return last.sized(Shape(sizes), strides=None if rows else UNKNOWN_STRIDES)
