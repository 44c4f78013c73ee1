"""The greatest whole number in a tensor, where it is known as a size: lengths whose greatest is the padded size."""

from __future__ import annotations

from functools import reduce
from typing import Any

from tensorproof.libraries.whole_numbers import same_size, whole_tensor
from tensorproof.ops.applied import Applied
from tensorproof.ops.record import Op
from tensorproof.terms import Dim, TensorType, Term, learn, maximum
from tensorproof.values import List, Machine
from tensorproof.values.summaries import is_summarised, shown

_MOST = 64


def reads(op: Op) -> bool:
    return op.values_of(0).kind in _FOLLOWED


def applied(m: Machine, one: Applied) -> None:
    """Called for every operator that was applied."""
    values = one.op.values_of(0)
    if values.kind not in _FOLLOWED:
        return
    x = one.arguments.get(values.over)
    if not isinstance(x, TensorType) or (x.contents is None and (x.facts is None or x.facts.greatest is None)):
        return
    made = one.results[0]
    if values.kind == "moves":
        if len(one.results) == 2:
            _sorted(m, one, x, made)
        elif made.shape.numel == x.shape.numel:
            _moved(x, made)
    elif whole_tensor(made):
        if values.end == "greatest":
            _is(m, made, of(m, x))
        elif values.by == "index" and x.facts is not None and x.facts.front is not None and one.arguments["index"] in (x.facts.front, (x.facts.front,)):
            _is(m, made, x.facts.greatest)


_FOLLOWED = frozenset(["moves", "selects"])


def _moved(x: TensorType, made: TensorType) -> None:
    """The same elements in another shape."""
    if x.facts is not None and x.facts.greatest is not None:
        learn(made, greatest=x.facts.greatest, front=x.facts.front)


def _sorted(m: Machine, one: Applied, x: TensorType, made: TensorType) -> None:
    """The greatest of numbers in order stands at one end."""
    known, descending = of(m, x) if len(x.shape) == 1 else None, one.arguments.get("descending")
    if known is not None:
        learn(made, greatest=known, front=(0 if descending else -1) if isinstance(descending, bool) else None)


def made_of(m: Machine, source: Any, result: Any) -> None:
    """A tensor of the numbers in a list of which some are summarised."""
    items = source.items if isinstance(source, List) else source
    known = _largest(shown(items)) if isinstance(result, TensorType) and is_summarised(items) else None
    if known is not None:
        learn(result, greatest=known)


def of(m: Machine, tensor: TensorType) -> Dim | None:
    """The greatest number in a tensor, if it is a size that is known."""
    if tensor.facts is not None and tensor.facts.greatest is not None:
        return tensor.facts.greatest
    return _largest(tensor.contents or ())


def _largest(numbers: Any) -> Dim | None:
    known = list(numbers)
    if not known or len(known) > _MOST or any(type(v) not in (int, Term) for v in known):
        return None
    found: Dim = reduce(maximum, known)
    return found


def _is(m: Machine, result: TensorType, known: Dim | None) -> None:
    if known is not None:
        same_size(m, result, known)
