"""Which whole numbers a tensor may hold: kept for labels from known data and for drawn numbers, through what only moves, cuts or casts them."""

from __future__ import annotations

from typing import Any

from tensorproof.terms.ints import Dim
from tensorproof.terms.tensor import TensorType
from tensorproof.values.objects import List

KEEPS = frozenset({
    "astype", "reshape", "flatten", "ravel", "squeeze", "expand_dims", "copy", "cast", "array", "asarray", "convert_to_tensor", "constant", "asanyarray",
    "transpose", "take", "gather", "repeat", "tile", "identity", "int", "swapaxes", "ascontiguousarray", "numpy", "shuffle", "permutation",
})  # fmt: skip
"""Functions and methods whose result holds nothing but what their first argument holds."""
JOINS = frozenset({"concatenate", "concat", "append", "hstack", "vstack", "stack"})
_UNCHANGED: Any = object()


def note(m: Any, tensor: TensorType, low: Dim, high: Dim) -> TensorType:
    """This tensor holds whole numbers from `low` on that stay below `high`."""
    m.bounds[id(tensor)] = (tensor, low, high)
    return tensor


def of(m: Any, tensor: Any) -> tuple[Any, Any] | None:
    """What a tensor may hold: the least, and what all stay below."""
    if not isinstance(tensor, TensorType):
        return None
    found = m.bounds.get(id(tensor))
    if found is not None and found[0] is tensor:
        return found[1], found[2]
    if tensor.contents and all(type(v) is int or (type(v) is float and v.is_integer()) for v in tensor.contents):
        return int(min(tensor.contents)), int(max(tensor.contents)) + 1
    return None


def keep(m: Any, old: Any, new: Any) -> Any:
    """A tensor made of some of the numbers of another."""
    known = of(m, old) if m.bounds or (isinstance(old, TensorType) and old.contents) else None
    if known is not None and isinstance(new, TensorType) and new is not old:
        note(m, new, *known)
    return new


def follow(m: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: TensorType) -> None:
    """Called after every call that gave a tensor."""
    word = name.rpartition(".")[2]
    if word == "randint":
        _drawn(m, args, kwargs, result)
    elif word in ("ones", "ones_like"):
        note(m, result, 1, 2)
    elif not m.bounds:
        return
    elif (word in KEEPS and args) or (word == "__getitem__" and len(args) > 1 and _cuts(args[1])):
        keep(m, args[0], result)
    elif word in JOINS and args:
        _joined(m, args[0], result)


def _cuts(index: Any) -> bool:
    """Whether an index takes rows by their place alone: a choice by value may take just some labels."""
    parts = index if isinstance(index, tuple) else (index,)
    return all(isinstance(p, (slice, int)) or p is None or p is Ellipsis for p in parts)


def _joined(m: Any, parts: Any, result: TensorType) -> None:
    given = parts.items if isinstance(parts, List) else parts if isinstance(parts, tuple) else ()
    known = [of(m, p) for p in given]
    if known and all(k is not None and type(k[0]) is int and type(k[1]) is int for k in known):
        note(m, result, min(k[0] for k in known if k), max(k[1] for k in known if k))


def _drawn(m: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: TensorType) -> None:
    """numpy.random.randint(low, high=None, size=None): below `low` where there is no `high`."""
    given = dict(zip(("low", "high", "size"), args)) | kwargs
    low, high = given.get("low"), given.get("high")
    if result.framework == "numpy" and type(low) is int and (high is None or type(high) is int):
        note(m, result, *((0, low) if high is None else (low, high)))
