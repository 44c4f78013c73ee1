"""Limits of the whole numbers in a tensor: the places that argmax, max, sort and topk give, and what is computed from them.

All numbers lie within a limit; whether the ends occur is not known (`index_ranges` keeps ranges whose ends do occur, and reports by them). So a limit proves
that an index lies inside, and never that it lies outside.
"""

from __future__ import annotations

from typing import Any

from tensorproof.libraries.label_ranges import of as range_of
from tensorproof.terms.ints import Dim, Term
from tensorproof.terms.tensor import TensorType
from tensorproof.values.objects import Dict, List

Limit = tuple[Dim, Dim]
"""The least, and what all stay below."""
_TABLE = "limits"
_PLACES = frozenset(["argmax", "argmin", "argsort", "multinomial", "nanargmax", "nanargmin", "argpartition"])
_SECOND = frozenset(["max", "min", "sort", "topk", "mode", "median", "kthvalue", "cummax", "cummin", "top_k"])
"""Operators whose second result holds places."""
_SAME = frozenset([
    "view", "reshape", "permute", "t", "T", "unsqueeze", "squeeze", "contiguous", "clone", "detach", "expand", "expand_as", "repeat", "flip", "roll", "tile",
    "flatten", "movedim", "transpose", "from_numpy", "numpy", "as_tensor", "cpu", "cuda", "view_as", "reshape_as", "repeat_interleave", "ravel", "to", "long",
    "int", "type", "pin_memory", "swapaxes", "asarray", "array", "tensor", "astype", "copy", "cast", "constant", "convert_to_tensor", "expand_dims", "gather",
    "take", "index_select", "masked_select", "boolean_mask", "unique", "narrow", "select", "split", "chunk", "unbind", "__getitem__", "identity", "data",
    "permutation", "choice", "type_as", "float", "double", "array_split", "unstack", "stop_gradient",
])  # fmt: skip
_JOINED = frozenset(["cat", "concat", "stack", "hstack", "vstack", "concatenate", "append"])
_PAIRS = {"__add__": "add", "__radd__": "add", "add": "add", "__sub__": "sub", "sub": "sub", "subtract": "sub", "__mul__": "mul", "__rmul__": "mul",
          "mul": "mul", "multiply": "mul", "__mod__": "mod", "remainder": "mod", "floormod": "mod", "__floordiv__": "div", "floor_divide": "div"}  # fmt: skip


def of(m: Any, tensor: Any) -> Limit | None:
    """The limit of a tensor, of its range where only that is known, or of a whole number."""
    if type(tensor) is int:
        return tensor, tensor + 1
    if not isinstance(tensor, TensorType):
        return None
    held = m.model_state.get(_TABLE, {}).get(id(tensor))
    return held[1] if held is not None and held[0] is tensor else range_of(m, tensor)


def note(m: Any, tensor: Any, limit: Limit | None) -> None:
    if limit is not None and isinstance(tensor, TensorType) and tensor.contents is None:
        m.model_state.setdefault(_TABLE, {})[id(tensor)] = (tensor, limit)


def follow(m: Any, word: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
    """Called after every call of an operator that gave tensors."""
    if word in _PLACES:
        note(m, result, _places(word, args, kwargs))
    elif word in _SECOND:
        if isinstance(result, tuple) and len(result) == 2:
            note(m, result[1], _places(word, args, kwargs))
    elif not args:
        return
    elif word in _SAME:
        same(m, args[0], result)
    elif word in _JOINED:
        parts = args[0].items if isinstance(args[0], List) else args[0] if isinstance(args[0], tuple) else ()
        note(m, result, _joined([of(m, p) for p in parts]))
    elif word in _PAIRS and len(args) == 2 and isinstance(result, TensorType):
        if (m.bounds or _TABLE in m.model_state) and result.contents is None and result.dtype is not None and result.dtype.is_integer:
            note(m, result, _paired(_PAIRS[word], of(m, args[0]), of(m, args[1])))
    elif word in ("clamp", "clip", "clip_by_value"):
        note(m, result, _clamped(args, kwargs))


def same(m: Any, source: Any, result: Any) -> Any:
    """What only moves, chooses or casts the numbers of another tensor."""
    known = of(m, source) if isinstance(source, TensorType) and (m.bounds or _TABLE in m.model_state or source.contents) else None
    if known is not None:
        for one in result.items if isinstance(result, List) else result if isinstance(result, tuple) else (result,):
            note(m, one, known)
    return result


def collated(m: Any, samples: list[Any], batch: Any) -> Any:
    """A batch of samples like these."""
    if isinstance(batch, TensorType):
        note(m, batch, _joined([of(m, one) for one in samples]))
    elif isinstance(batch, (List, tuple)):
        listed = [one.items if isinstance(one, List) else one for one in samples]
        if all(isinstance(one, (tuple, list)) for one in listed):
            for i, part in enumerate(batch.items if isinstance(batch, List) else batch):
                collated(m, [one[i] for one in listed if len(one) > i], part)
    elif isinstance(batch, Dict) and all(isinstance(one, Dict) for one in samples):
        for key, part in batch.items.items():
            collated(m, [one.items[key] for one in samples if key in one.items], part)
    return batch


def _joined(known: list[Limit | None]) -> Limit | None:
    if not known or any(k is None or type(k[0]) is not int or type(k[1]) is not int for k in known):
        return known[0] if known and known[0] is not None and all(k == known[0] for k in known) else None
    return min(k[0] for k in known if k), max(k[1] for k in known if k)  # type: ignore[type-var]


def _places(word: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Limit | None:
    """The places along an axis."""
    x = args[0] if args else kwargs.get("input", kwargs.get("a", kwargs.get("x")))
    if not isinstance(x, TensorType) or not x.shape.known:
        return None
    at = 2 if word in ("topk", "kthvalue") else 1
    axis = kwargs.get("dim", kwargs.get("axis", args[at] if len(args) > at else "none"))
    if word in ("multinomial", "top_k") or (axis == "none" and word not in ("argmax", "argmin", "nanargmax", "nanargmin")):
        axis = -1
    elif axis == "none" and x.framework in ("tf", "keras"):
        axis = 0 if x.framework == "tf" else None
    if axis in ("none", None):
        return 0, x.shape.numel
    return (0, x.shape[axis]) if type(axis) is int and -len(x.shape) <= axis < len(x.shape) else None


def _paired(word: str, a: Limit | None, b: Limit | None) -> Limit | None:
    """The limit of a sum, a product, a remainder of whole numbers."""
    if word == "mod" and b is not None and type(b[0]) is int and b[0] > 0:
        return 0, b[1] - 1
    if a is None or b is None or any(type(v) is not int for v in (*a, *b)):
        return None
    low, high, least, most = a[0], a[1] - 1, b[0], b[1] - 1
    match word:
        case "add":
            return low + least, high + most + 1
        case "sub":
            return low - most, high - least + 1
        case "mul":
            ends = [x * y for x in (low, high) for y in (least, most)]
            return min(ends), max(ends) + 1  # type: ignore[type-var]
        case "div" if type(least) is int and least > 0 and type(low) is int and low >= 0:
            return 0, high // least + 1
    return None


def _clamped(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Limit | None:
    low = args[1] if len(args) > 1 else kwargs.get("min", kwargs.get("a_min"))
    high = args[2] if len(args) > 2 else kwargs.get("max", kwargs.get("a_max"))
    return (low, high + 1) if isinstance(low, (int, Term)) and isinstance(high, (int, Term)) else None
