"""How many ones the masks of a program hold, as a domain: a mask that selects as many elements decides a shape.

`Facts.ones` is a count, known or a symbol, of a mask that was seen; where the tensor holds zeros and ones only it is `binary`.
"""

from __future__ import annotations

from typing import Any

from tensorproof.libraries.whole_numbers import same_size, whole_tensor
from tensorproof.ops.applied import Applied
from tensorproof.ops.ones import Counted, diagonal, opposite, spread
from tensorproof.ops.record import Op
from tensorproof.terms import BOOL, Dim, TensorType, Term, learn, upper
from tensorproof.values.port import Machine, Value

_BEGINNING = frozenset(["fills", "totals", "counts"])


def reads(op: Op) -> bool:
    return op.ones is not None or bool(op.opposite) or op.values.kind in ("fills", "totals", "counts", "moves", "joins")


def applied(m: Machine, one: Applied) -> None:
    """Called for every operator that was applied."""
    made = one.results[0] if one.results else None
    if made is None or len(one.results) > 1 or not made.shape.known:
        return
    session, op = m.session, one.op
    kind = op.values.kind
    if not session.counted and made.dtype is not BOOL and kind not in _BEGINNING and op.ones is not diagonal:
        return
    if kind in ("totals", "counts"):
        _summed(m, one, made)
        return
    count = _ones(m, one, kind, made)
    if count is not None:
        learn(made, ones=count, binary=True)
        session.counted = True
    elif made.dtype is BOOL and made.contents is None:
        count = _same_count(m, one, kind, made)
        if count is not None:
            learn(made, ones=count)
            session.counted = True


def count_of(x: TensorType) -> Dim | None:
    """The ones of a tensor that holds zeros and ones only."""
    return x.facts.ones if x.facts is not None and x.facts.binary else None


def _ones(m: Machine, one: Applied, kind: str, made: TensorType) -> Dim | None:
    """The ones of a result that holds zeros and ones only, where they are known."""
    given, values = one.arguments, one.op.values
    if kind == "fills":
        filled = given.get(str(values.by))
        if not isinstance(filled, (bool, int, float)) or filled not in (0, 1):
            return None
        return made.shape.numel if filled else 0
    if one.op.ones is not None:
        found: Dim | None = one.op.ones(Counted(given, made, count_of))
        return found
    if kind == "joins":
        return _sum_of(given[values.over])
    x = given.get(values.over) if kind == "moves" else None
    count = count_of(x) if isinstance(x, TensorType) and x.shape.known else None
    return None if count is None or x is None else spread(count, x, made)


def _sum_of(tensors: Any) -> Dim | None:
    total: Dim = 0
    for t in tensors:
        count = count_of(t)
        if count is None:
            return None
        total = total + count
    return total


def _symbol(m: Machine, mask: TensorType) -> Dim:
    """The count of a mask, one symbol for each."""
    found: Dim | None = mask.facts.ones if mask.facts is not None else None
    if found is None:
        most = upper(mask.shape.numel)
        found = m.session.fresh("nnz", 0, int(most) if most < 2**62 else None)
        learn(mask, ones=found)
        m.session.counted = True
    return found


def _summed(m: Machine, one: Applied, made: TensorType) -> None:
    """The sum of a whole mask is its count."""
    x = one.arguments.get("x")
    if whole_tensor(made) and isinstance(x, TensorType) and x.dtype is BOOL and x.shape.known and one.arguments.get("dim") is None:
        same_size(m, made, _symbol(m, x))


def _same_count(m: Machine, one: Applied, kind: str, made: TensorType) -> Dim | None:
    """The ones of a mask that has as many as another: its opposite, its copy, the same comparison made again."""
    op = one.op
    x = one.arguments.get(op.values.over if kind == "moves" else "x")
    if not isinstance(x, TensorType) or not x.shape.known:
        return None
    if op.opposite and "y" in one.arguments:
        return _compared(m, one, x, made)
    if x.dtype is not BOOL or x.shape.numel != made.shape.numel:
        return None
    if kind == "moves":
        return _symbol(m, x)
    return made.shape.numel - _symbol(m, x) if op.ones is opposite else None


def _compared(m: Machine, one: Applied, x: TensorType, made: TensorType) -> Dim | None:
    """A comparison with a number: the same again has the same count, and its opposite the rest."""
    y, op = one.arguments["y"], one.op
    number = y.contents[0] if isinstance(y, TensorType) and y.contents is not None and len(y.contents) == 1 else None
    if type(number) not in (int, float, bool, Term):
        return None
    if x.facts is None or x.facts.compared is None:
        learn(x, compared={})
    again: dict[Value, Dim] = x.facts.compared  # type: ignore[union-attr,assignment]
    word, turned = min(op.name, op.opposite), op.opposite < op.name
    if turned and word != "eq" and (x.dtype is None or x.dtype.is_float):  # nan is neither below nor above
        word, turned = op.name, False
    most = upper(made.shape.numel)
    count = again.setdefault((word, number), m.session.fresh("nnz", 0, int(most) if most < 2**62 else None))
    return made.shape.numel - count if turned else count
