"""Lists whose length or whose items only the data knows: the rows of a tensor as lists, the numbers of a text.

Two items stand for all of them; what differs between the two may differ between any.
"""

from __future__ import annotations

from typing import Any

from tensorproof.libraries.model import KindModel
from tensorproof.terms.dtypes import FLOAT32, INT64
from tensorproof.terms.ints import Term, lower, maximum, minimum
from tensorproof.terms.predicates import gt
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import List, Model
from tensorproof.values.python_values import Unknown

Args = tuple[Any, ...]
Named_ = dict[str, Any]


def sequence(m: Any, length: Any, first: Any, second: Any) -> Model:
    """A list of so many items like these two."""
    space = {"length": length, "first": first, "second": second}
    made = _tensor(length, first, second)
    if made is not None:
        space["tensor"] = made
    return Model("sequence", m.heap.space(space))


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return ""
    if isinstance(value, (int, Term)):
        return "int"
    return "float" if isinstance(value, float) else value.number if isinstance(value, Unknown) else ""


def _tensor(length: Any, first: Any, second: Any) -> TensorType | None:
    """What becomes of a list of numbers, or of lists of numbers of one length, where a tensor is made of it."""
    kinds = {_kind(first), _kind(second)}
    if kinds <= {"int", "float"}:
        return TensorType(Shape((length,)), FLOAT32 if "float" in kinds else INT64)
    inner = [v.space.get("tensor") if isinstance(v, Model) and v.kind == "sequence" else None for v in (first, second)]
    if inner[0] is not None and inner[1] is not None and inner[0].shape == inner[1].shape:
        return TensorType(Shape((length, *inner[0].shape)), inner[0].dtype)
    return None


def to_list(m: Any, args: Args, kwargs: Named_, node: Any) -> Any:
    """torch.Tensor.tolist: exact where the elements are few and known, else lists of numbers that nobody knows."""
    t = args[0]
    if not isinstance(t, TensorType) or not t.shape.known:
        return m.gap("tolist", node, "the rank is not known")
    small = t.shape.concrete and isinstance(t.shape.numel, int) and t.shape.numel <= 256
    if t.contents is not None or not t.shape or small:
        return m.spelling("torch.Tensor.tolist", args, kwargs, node)
    kind = "" if t.dtype is None else "float" if t.dtype.is_float else "int" if t.dtype.is_integer else ""
    value: Any = Unknown("a number in a tensor", number=kind)
    for size in reversed(t.shape):
        value = List(m.heap.row([value] * size)) if isinstance(size, int) and size <= 64 else sequence(m, size, value, value)
    return value


def draw(m: Any, args: Args, kwargs: Named_, node: Any) -> Any:
    """torch.randint: its elements lie between the bounds that it is given."""
    made = m.spelling("torch.randint", args, kwargs, node)
    ends = [a for a in args if isinstance(a, (int, Term)) and not isinstance(a, bool)]
    low, high = (ends[0], ends[1]) if len(ends) > 1 else (kwargs.get("low", 0), ends[0] if ends else kwargs.get("high"))
    if isinstance(made, TensorType) and isinstance(low, (int, Term)) and isinstance(high, (int, Term)):
        m.bounds[id(made)] = (made, low, high)
    return made


def _rounds(m: Any, me: Model, node: Any) -> Any:
    length = me.space["length"]
    least = length if isinstance(length, int) else lower(length)
    return [(True if least > at else gt(length, at), me.space[name]) for at, name in enumerate(("first", "second"))]


def _item(m: Any, me: Model, index: Any, node: Any) -> Any:
    if not isinstance(index, slice):
        return me.space["first"]
    length = me.space["length"]
    start, stop = (0 if index.start is None else index.start), (length if index.stop is None else index.stop)
    if index.step not in (None, 1) or not all(isinstance(p, (int, Term)) for p in (start, stop)):
        return m.gap("slice of a list", node, "of which the length is not known")
    if (isinstance(start, Term) and lower(start) < 0) or (isinstance(stop, Term) and lower(stop) < 0):
        return m.gap("slice of a list", node, "of which the length is not known")
    start = maximum(length + start, 0) if isinstance(start, int) and start < 0 else minimum(start, length)
    stop = maximum(length + stop, 0) if isinstance(stop, int) and stop < 0 else minimum(stop, length)
    return sequence(m, maximum(stop - start, 0), me.space["first"], me.space["second"])


def _binary(m: Any, word: str, a: Any, b: Any, node: Any) -> Any:
    if word != "add":
        return MISSING
    left, right = _parts(a), _parts(b)
    if left is None or right is None or not all(_kind(v) for v in (*left[1:], *right[1:])):
        return m.gap("+ of lists", node, "of which the items are not known")
    return sequence(m, left[0] + right[0], left[1], right[2])


def _parts(value: Any) -> tuple[Any, Any, Any] | None:
    if isinstance(value, Model) and value.kind == "sequence":
        return value.space["length"], value.space["first"], value.space["second"]
    if isinstance(value, List) and len(value.items):
        kinds = {_kind(v) for v in value.items}
        if len(value.items) == 1 or (len(kinds) == 1 and "" not in kinds):
            return len(value.items), value.items[0], value.items[-1]
    return None


KINDS = {
    "sequence": KindModel(
        length=lambda m, me, node: me.space["length"], item=_item, rounds=_rounds, items=lambda m, me, node: None, binary=_binary,
        truth=lambda m, me: gt(me.space["length"], 0), bases=("list",),
    ),
}  # fmt: skip
FUNCTIONS: dict[str, Any] = {"torch.Tensor.tolist": to_list, "torch.randint": draw}
