"""The greatest whole number in a tensor, where it is known as a size: lengths whose greatest is the padded size."""

from __future__ import annotations

from functools import reduce
from typing import Any

from tensorproof.libraries.whole_numbers import same_size, whole_tensor
from tensorproof.ops.applied import Applied
from tensorproof.ops.record import Op
from tensorproof.terms.ints import Dim, Term, maximum
from tensorproof.terms.tensor import TensorType
from tensorproof.values.many import shown, uncounted
from tensorproof.values.objects import List

_MOST = 64
_TABLES = ("greatest", "front")


def reads(op: Op) -> bool:
    return op.values_of(0).kind in _FOLLOWED


def applied(m: Any, one: Applied) -> None:
    """Called for every operator that was applied."""
    values = one.op.values_of(0)
    if values.kind not in _FOLLOWED:
        return
    x = one.arguments.get(values.over)
    if not isinstance(x, TensorType) or (x.contents is None and "greatest" not in m.model_state):
        return
    made = one.results[0]
    if values.kind == "moves":
        if len(one.results) == 2:
            _sorted(m, one, x, made)
        elif made.shape.numel == x.shape.numel:
            carry(m, x, made)
    elif whole_tensor(made):
        if values.end == "greatest":
            _is(m, made, of(m, x))
        elif values.by == "index" and "front" in m.model_state:
            held, index = m.model_state["front"].get(id(x)), one.arguments["index"]
            if held is not None and held[0] is x and index in (held[2], (held[2],)):
                _is(m, made, held[1])


_FOLLOWED = frozenset(["moves", "selects"])


def carry(m: Any, old: TensorType, new: TensorType) -> None:
    for name in _TABLES:
        table = m.model_state.get(name)
        if table is not None:
            held = table.get(id(old))
            if held is not None and held[0] is old:
                table[id(new)] = (new, *held[1:])


def _sorted(m: Any, one: Applied, x: TensorType, made: TensorType) -> None:
    """The greatest of numbers in order stands at one end."""
    known, descending = of(m, x) if len(x.shape) == 1 else None, one.arguments.get("descending")
    if known is not None:
        _table(m, "greatest")[id(made)] = (made, known)
        if isinstance(descending, bool):
            _table(m, "front")[id(made)] = (made, known, 0 if descending else -1)


def made_of(m: Any, source: Any, result: Any) -> None:
    """A tensor of the numbers in a list of which some are not counted out."""
    items = source.items if isinstance(source, List) else source
    known = _largest(shown(items)) if isinstance(result, TensorType) and uncounted(items) else None
    if known is not None:
        _table(m, "greatest")[id(result)] = (result, known)


def of(m: Any, tensor: TensorType) -> Dim | None:
    """The greatest number in a tensor, if it is a size that is known."""
    held = m.model_state.get("greatest", {}).get(id(tensor))
    if held is not None and held[0] is tensor:
        return held[1]  # type: ignore[no-any-return]
    return _largest(tensor.contents or ())


def _largest(numbers: Any) -> Dim | None:
    known = list(numbers)
    if not known or len(known) > _MOST or any(type(v) not in (int, Term) for v in known):
        return None
    found: Dim = reduce(maximum, known)
    return found


def _is(m: Any, result: TensorType, known: Dim | None) -> None:
    if known is not None:
        same_size(m, result, known)


def _table(m: Any, name: str) -> dict[int, Any]:
    return m.model_state.setdefault(name, {})  # type: ignore[no-any-return]
