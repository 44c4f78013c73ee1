"""How many ones a tensor of zeros and ones holds: `eye`, `ones`, `tril` and what is made of them. A mask that selects as many elements decides a shape."""

from __future__ import annotations

from typing import Any

from tensorproof.terms.dtypes import BOOL
from tensorproof.terms.ints import Dim, floordiv, minimum
from tensorproof.terms.tensor import TensorType

Counts = dict[int, tuple[TensorType, Dim]]
"""By the tensor's identity: the tensor (so that it lives on) and its count."""
COPIES = frozenset(
    [
        "bool",
        "byte",
        "int",
        "long",
        "float",
        "double",
        "half",
        "short",
        "to",
        "type",
        "astype",
        "view",
        "reshape",
        "flatten",
        "permute",
        "transpose",
        "t",
        "T",
        "mT",
        "contiguous",
        "clone",
        "detach",
        "unsqueeze",
        "squeeze",
        "cuda",
        "cpu",
        "view_as",
        "reshape_as",
        "numpy",
        "ravel",
        "movedim",
        "swapaxes",
        "diag_embed",
        "copy",
        "asarray",
        "as_tensor",
        "from_numpy",
        "flip",
        "roll",
        "requires_grad_",
        "squeeze_",
        "unsqueeze_",
    ]
)
OPPOSITES = frozenset(["__invert__", "logical_not", "bitwise_not"])
_TURNED = {"eq": ("eq", False), "ne": ("eq", True), "lt": ("lt", False), "ge": ("lt", True), "gt": ("gt", False), "le": ("gt", True)}
COMPARISONS = {f"{bars}{word}{bars}": meant for word, meant in _TURNED.items() for bars in ("", "__")}
"""Each comparison as another one, and whether it is the opposite of that."""
_ALL = frozenset(["ones", "ones_like", "new_ones"])
_NONE = frozenset(["zeros", "zeros_like", "new_zeros"])


def ones_in(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, known: Counts) -> Dim | None:
    """The count for the result of a call, or None when it is not known or the result holds other numbers too."""
    if not isinstance(result, TensorType) or not result.shape.known:
        return None
    word = name.rpartition(".")[2]
    if word in _ALL:
        return result.shape.numel
    if word in _NONE:
        return 0
    if word == "eye":
        return minimum(result.shape[0], result.shape[1])
    if word in ("full", "full_like", "new_full"):
        filled = args[2 if word == "new_full" else 1] if len(args) > (2 if word == "new_full" else 1) else kwargs.get("fill_value")
        numel = result.shape.numel
        return numel if filled in (True, 1) and isinstance(filled, (bool, int)) else 0 if filled in (False, 0) and isinstance(filled, (bool, int)) else None
    if word in ("cat", "concat", "stack", "vstack", "hstack"):
        return _sum_of(args[0] if args else kwargs.get("tensors"), known)
    if not args or not isinstance(args[0], TensorType) or not args[0].shape.known:
        return None
    x, mine = args[0], count_of(args[0], known)
    other = args[1] if len(args) > 1 else None
    if mine is None:
        return None
    numel, whole = result.shape.numel, x.shape.numel
    if word in COPIES:
        return mine if word == "diag_embed" or numel == whole else None
    if word in OPPOSITES:
        return numel - mine if x.dtype is BOOL or word == "logical_not" else None
    if word in ("repeat", "expand", "tile", "expand_as") and whole != 0:
        return floordiv(numel, whole) * mine
    if word in ("tril", "triu") and mine == whole and len(x.shape) == 2:
        diagonal = other if isinstance(other, int) else kwargs.get("diagonal", 0)
        return _triangle(word, x.shape[0], x.shape[1], diagonal) if isinstance(diagonal, int) else None
    if word == "diag" and len(x.shape) == 1:
        return mine
    if word == "fill_diagonal_" and len(x.shape) == 2 and other in (0, 1, True, False):
        short = minimum(x.shape[0], x.shape[1])
        return whole - short if not other and mine == whole else short if other and mine == 0 else None
    return _with_number(word, other, mine, whole, numel) if not isinstance(other, TensorType) else _with_mask(word, x, other, mine, whole, known)


def _with_number(word: str, other: Any, mine: Dim, whole: Dim, numel: Dim) -> Dim | None:
    if other not in (0, 1) or numel != whole:
        return None
    ones_kept = (word, int(other)) in {("__eq__", 1), ("eq", 1), ("__ne__", 0), ("ne", 0), ("__gt__", 0), ("gt", 0), ("__ge__", 1), ("ge", 1), ("__mul__", 1)}
    turned = (word, int(other)) in {("__eq__", 0), ("eq", 0), ("__ne__", 1), ("ne", 1), ("__lt__", 1), ("lt", 1), ("__le__", 0), ("le", 0), ("__rsub__", 1)}
    return mine if ones_kept else whole - mine if turned else None


def _with_mask(word: str, x: TensorType, other: TensorType, mine: Dim, whole: Dim, known: Counts) -> Dim | None:
    theirs = count_of(other, known)
    if theirs is None or tuple(x.shape) != tuple(other.shape):
        return None
    if word in ("__sub__", "sub", "__xor__", "logical_xor") and mine == whole:
        return whole - theirs
    if word in ("__and__", "logical_and", "__mul__", "mul"):
        return theirs if mine == whole else mine if theirs == whole else None
    return None


def _sum_of(tensors: Any, known: Counts) -> Dim | None:
    items = getattr(tensors, "items", tensors)
    if not isinstance(items, (list, tuple)):
        return None
    total: Dim = 0
    for t in items:
        count = count_of(t, known) if isinstance(t, TensorType) else None
        if count is None:
            return None
        total = total + count
    return total


def count_of(x: TensorType, known: Counts) -> Dim | None:
    held = known.get(id(x))
    return held[1] if held is not None and held[0] is x else None


def _triangle(word: str, rows: Dim, columns: Dim, diagonal: int) -> Dim | None:
    """The size of a triangle of a matrix."""
    if isinstance(rows, int) and isinstance(columns, int):
        below = sum(min(max(i + diagonal + 1, 0), columns) for i in range(rows)) if word == "tril" else 0
        above = sum(min(max(columns - i - diagonal, 0), columns) for i in range(rows)) if word == "triu" else 0
        return below + above
    if rows != columns or diagonal not in (-1, 0, 1):
        return None
    wide, narrow = floordiv(rows * (rows + 1), 2), floordiv(rows * (rows - 1), 2)
    if diagonal == 0:
        return wide
    inner = (word == "tril") == (diagonal == -1)
    return narrow if inner else None
