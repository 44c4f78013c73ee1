"""The greatest whole number in a tensor, where it is known as a size: lengths whose greatest is the padded size."""

from __future__ import annotations

from functools import reduce
from typing import Any

from tensorproof.libraries.whole_numbers import same_size, whole_tensor
from tensorproof.terms.ints import Dim, Term, maximum
from tensorproof.terms.tensor import TensorType
from tensorproof.values.many import shown, uncounted
from tensorproof.values.objects import List

_MOST = 64
_MADE = frozenset(["tensor", "as_tensor", "LongTensor", "IntTensor", "array", "asarray"])
_SAME = frozenset([
    "to", "long", "int", "cpu", "cuda", "clone", "detach", "contiguous", "view", "reshape", "squeeze", "unsqueeze", "flatten", "from_numpy", "numpy",
    "as_tensor", "tensor", "asarray", "array", "pin_memory",
])  # fmt: skip


def follow(m: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
    """Called after every call of torch or NumPy that gave tensors."""
    word = name.rpartition(".")[2]
    if not args:
        return
    if word in _MADE and isinstance(args[0], (List, tuple)):
        _made(m, args[0], result)
        return
    first = args[0]
    if not isinstance(first, TensorType):
        return
    if word in ("sort", "max", "amax") and first.contents is None and "greatest" not in m.model_state:
        return
    if word == "sort" and isinstance(result, tuple):
        descending = kwargs.get("descending", args[2] if len(args) > 2 else False)
        known = of(m, first) if len(first.shape) == 1 else None
        if known is not None and result and isinstance(result[0], TensorType):
            _table(m, "greatest")[id(result[0])] = (result[0], known)
            if isinstance(descending, bool):
                _table(m, "front")[id(result[0])] = (result[0], known, 0 if descending else -1)
    elif word in ("max", "amax") and len(args) == 1 and not kwargs and whole_tensor(result):
        _is(m, result, of(m, first))
    elif word == "__getitem__" and "front" in m.model_state and whole_tensor(result):
        held = _table(m, "front").get(id(first))
        if held is not None and held[0] is first and len(args) > 1 and args[1] == held[2]:
            _is(m, result, held[1])
    elif word in _SAME and "greatest" in m.model_state and isinstance(result, TensorType):
        for table in ("greatest", "front"):
            held = _table(m, table).get(id(first))
            if held is not None and held[0] is first:
                _table(m, table)[id(result)] = (result, *held[1:])


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


def _made(m: Any, source: Any, result: Any) -> None:
    items = source.items if isinstance(source, List) else source
    known = _largest(shown(items)) if isinstance(result, TensorType) and uncounted(items) else None
    if known is not None:
        _table(m, "greatest")[id(result)] = (result, known)


def _is(m: Any, result: TensorType, known: Dim | None) -> None:
    if known is not None:
        same_size(m, result, known)


def _table(m: Any, name: str) -> dict[int, Any]:
    return m.model_state.setdefault(name, {})  # type: ignore[no-any-return]
