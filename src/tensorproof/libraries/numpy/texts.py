"""Arrays of texts of NumPy with one axis: their length is followed, the texts are not."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries.model import KindModel, Open
from tensorproof.libraries.sequences import sequence
from tensorproof.terms import BOOL, BY_LABEL, Dim, DType, Shape, TensorType, Term, eq
from tensorproof.values import MISSING, TEXT, Args, Key, Kwargs, List, Machine, Model, Unknown, Value, slot
from tensorproof.values.summaries import length, shown

LENGTH: Key[Dim] = slot("length")
STRING = BY_LABEL["string"]
_MOST_ITEMS = 4096


def is_text(value: Value) -> bool:
    return isinstance(value, str) or (isinstance(value, Unknown) and value.text)


def texts(m: Machine, count: Value) -> Model:
    """An array of so many texts."""
    return Model("texts", m.heap.space({"length": count}))


def of_list(m: Machine, given: Value) -> Model | None:
    """The array of a list of texts, summarised or not; None for any other value."""
    if isinstance(given, Model) and given.kind == "texts":
        return texts(m, given.space[LENGTH])
    if not isinstance(given, List) or not given.items or not all(map(is_text, shown(given.items))):
        return None
    count = length(given.items)
    return None if isinstance(count, Unknown) else texts(m, count)


def _item(m: Machine, me: Model, index: Value, node: ast.AST) -> Value:
    """An item, or a part, of an array of texts: what the same index gives of an array of that length."""
    if isinstance(index, Unknown) and index.number:
        return TEXT
    part = m.item(TensorType(Shape((me.space[LENGTH],)), STRING, framework="numpy"), index, node)
    if not isinstance(part, TensorType) or not part.shape.known or len(part.shape) > 1:
        return part if isinstance(part, Unknown) else m.gap("x[…]", node, "of an array of texts")
    return texts(m, part.shape[0]) if part.shape else TEXT


def _binary(m: Machine, word: str, a: Value, b: Any, node: ast.AST) -> Value:
    """`x == "a"` is one truth value for each text; `+` joins texts."""
    me, other = (a, b) if isinstance(a, Model) and a.kind == "texts" else (b, a)
    count = me.space[LENGTH]
    listed = of_list(m, other)
    if listed is not None:
        m.demand("ValueError", eq(count, listed.space[LENGTH]), f"arrays of {count!r} and {listed.space[LENGTH]!r} texts are not compared one by one", node)
    elif not is_text(other):
        return MISSING
    if word in ("eq", "ne", "lt", "le", "gt", "ge"):
        return m.memory.made(TensorType(Shape((count,)), BOOL, framework="numpy"))
    return texts(m, count) if word == "add" else MISSING


def _astype(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    wanted = args[0] if args else kwargs.get("dtype")
    if wanted is str:
        return texts(m, me.space[LENGTH])
    wanted = {float: BY_LABEL["float64"], int: BY_LABEL["int64"]}.get(wanted, wanted) if isinstance(wanted, type) else wanted
    if isinstance(wanted, DType) and wanted.kind in "iuf":  # the texts are taken to be numbers
        return m.memory.made(TensorType(Shape((me.space[LENGTH],)), wanted, framework="numpy"))
    return Unknown("an array of texts")


def _counted(me: Model) -> bool:
    count = me.space[LENGTH]
    return isinstance(count, int) and count <= _MOST_ITEMS


KINDS = {
    "texts": KindModel(
        {
            "tolist": lambda m, me, a, k, n: sequence(m, me.space[LENGTH], TEXT, TEXT), "astype": _astype,
            "copy": lambda m, me, a, k, n: texts(m, me.space[LENGTH]),
        },
        item=_item,
        attribute=lambda m, me, name, n: {"shape": (me.space[LENGTH],), "size": me.space[LENGTH], "ndim": 1}.get(name, MISSING),
        binary=_binary, length=lambda m, me, node: me.space[LENGTH],
        items=lambda m, me, node: [TEXT] * me.space[LENGTH] if _counted(me) else None,
        iterations=lambda m, me, node: Open(me.space[LENGTH], lambda k: TEXT, 1) if isinstance(me.space[LENGTH], Term) else None,
    ),
}  # fmt: skip
