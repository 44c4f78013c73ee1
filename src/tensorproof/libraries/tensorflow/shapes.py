"""tf.TensorShape: what it can, and which axes of a tensor static inference does not know.

An axis is open (None in `x.shape`) when a symbol in its size was declared open: a placeholder's None, an axis that `input_signature` leaves out,
a batch inside `Dataset.map`. In eager code every size is a number.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from tensorproof.libraries.model import KindModel
from tensorproof.libraries.tensorflow.tape import OPEN
from tensorproof.terms import Origin, TensorType, Term, Truth, conj, eq, ge, le, negate, product, symbols
from tensorproof.values import MISSING, Args, Kwargs, List, Machine, Model, Native, TensorShape, Unknown, Value

GRAPH = "tf.graph mode"
"""Where the machine counts how deep it is inside functions that TensorFlow traces."""


def leave_open(m: Machine, size: Value) -> None:
    """From here on the program sees None for this symbol."""
    m.model_state.setdefault(OPEN, set()).update(symbols(size))


def static_size(m: Machine, size: Value, traced: bool = False) -> Value:
    """A size as the program sees it: None when it is open, and in a graph when it depends on data."""
    if not isinstance(size, Term):
        return size
    known, tape = m.model_state.get(OPEN, ()), m.model_state.get("tape")
    open_sizes = () if tape is None else tape.open
    if any(s in known or s.args[0] in open_sizes or (traced and s.origin is Origin.UNMODELLED) for s in symbols(size)):
        return None
    return size


def shape_of(m: Machine, tensor: TensorType) -> Value:
    """`x.shape`."""
    if not tensor.shape.known:
        return Unknown("the shape of a tensor of unknown rank")
    traced = bool(tensor.taped) or bool(m.model_state.get(GRAPH, 0))
    return TensorShape(static_size(m, d, traced) for d in tensor.shape)


def sizes_of(m: Machine, value: Value, node: ast.AST) -> TensorShape | None:
    """A shape as a program may write it: a list, a tuple, a number, a shape; None when it is not known."""
    match value:
        case TensorShape():
            return value
        case int() | Term():
            return TensorShape((value,))
        case tuple():
            return TensorShape(_dimension(v) for v in value)
        case List():
            return TensorShape(_dimension(v) for v in value.items)
        case TensorType() if value.contents is not None:
            return TensorShape(value.contents)
        case _:
            return None


def _dimension(value: Value) -> Value:
    """A size; -1 is None in what declares a shape."""
    if isinstance(value, Model) and value.kind == "tf.Dimension":
        return value.space["value"]
    if isinstance(value, TensorType) and value.contents is not None and len(value.contents) == 1:
        return value.contents[0]
    return None if value == -1 and not isinstance(value, Term) else value


def same(a: Any, b: Any) -> Truth | None:
    """Whether two shapes are equal as Python compares them; None when that is unknown."""
    if len(a) != len(b):
        return False
    if any(isinstance(d, Unknown) for d in (*a, *b)):
        return None
    parts = [x is y if x is None or y is None else eq(x, y) for x, y in zip(a, b)]
    return conj(*parts)


def compatible(a: TensorShape, b: TensorShape) -> Truth:
    """Whether two shapes may be the same: an open axis fits any size."""
    if len(a) != len(b):
        return False
    return conj(*(True if x is None or y is None or isinstance(x, Unknown) or isinstance(y, Unknown) else eq(x, y) for x, y in zip(a, b)))


def compare(m: Machine, word: str, a: Value, b: Value, node: ast.AST) -> Value:
    """`x.shape == …`."""
    if word not in ("eq", "ne"):
        raise m.raised("TypeError", "shapes have no order", node)
    left, right = (None if v is None or isinstance(v, (str, Unknown)) else sizes_of(m, v, node) for v in (a, b))
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return Unknown(word)
    found: Truth | None = False if left is None or right is None or isinstance(a, int) or isinstance(b, int) else same(left, right)
    return Unknown(word) if found is None else found if word == "eq" else negate(found)


def attribute(m: Machine, owner: TensorShape, name: str, node: ast.AST) -> Value:
    """An attribute or method of a TensorShape."""
    match name:
        case "rank" | "ndims":
            return len(owner)
        case "dims":
            return List(m.heap.row(Model("tf.Dimension", m.heap.space({"value": d})) for d in owner))
        case _ if name in _METHODS:
            run = _METHODS[name]
            return Native(f"tf.TensorShape.{name}", lambda machine, args, kwargs, at: run(machine, owner, args, kwargs, at))
        case _ if name.startswith("__"):
            return getattr(owner, name, Unknown(name))
        case _:
            raise m.raised("AttributeError", f"a TensorShape has no attribute {name}", node)


def _other(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> TensorShape | None:
    return sizes_of(m, args[0] if args else next(iter(kwargs.values()), None), node)


def _concatenate(m: Machine, me: TensorShape, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    other = _other(m, args, kwargs, node)
    return m.gap("TensorShape.concatenate", node, "with a shape that is not known") if other is None else me + other


def _is_compatible(m: Machine, me: TensorShape, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    other = _other(m, args, kwargs, node)
    return True if other is None else compatible(me, other)


def _assert_compatible(m: Machine, me: TensorShape, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    other = _other(m, args, kwargs, node)
    if other is not None:
        m.demand("ValueError", compatible(me, other), f"the shapes {tuple(me)} and {tuple(other)} are incompatible", node, "shape/compatible")


def _ranked(order: Callable[[Any, Any], Truth], words: str, gives: bool, m: Machine, me: TensorShape, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`assert_has_rank`, `with_rank` and its like."""
    rank = args[0] if args else kwargs.get("rank")
    if isinstance(rank, (int, Term)):
        m.demand("ValueError", order(len(me), rank), f"the shape {tuple(me)} must have rank {rank}{words}", node, "shape/rank")
    return me if gives else None


def _merge(m: Machine, me: TensorShape, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    other = _other(m, args, kwargs, node)
    if other is None:
        return me
    _assert_compatible(m, me, args, kwargs, node)
    return TensorShape(b if a is None else a for a, b in zip(me, other))


def _is_full(m: Machine, me: TensorShape, args: Args, kwargs: Kwargs, node: ast.AST) -> bool:
    return all(d is not None for d in me)


def _assert_full(m: Machine, me: TensorShape, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    m.demand("ValueError", _is_full(m, me, args, kwargs, node), f"the shape {tuple(me)} is not fully known", node, "shape/open")


def _same_rank(m: Machine, me: TensorShape, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    other = _other(m, args, kwargs, node)
    if other is not None:
        m.demand("ValueError", len(me) == len(other), f"the shapes {tuple(me)} and {tuple(other)} must have the same rank", node, "shape/rank")


_METHODS: dict[str, Any] = {
    "as_list": lambda m, me, a, k, n: List(m.heap.row(me)),
    "num_elements": lambda m, me, a, k, n: None if None in [d for d in me if not isinstance(d, Term)] else product(me),
    "concatenate": _concatenate, "is_compatible_with": _is_compatible,
    "assert_is_compatible_with": _assert_compatible, "assert_has_rank": partial(_ranked, eq, "", False), "with_rank": partial(_ranked, eq, "", True),
    "with_rank_at_least": partial(_ranked, ge, " at least", True), "with_rank_at_most": partial(_ranked, le, " at most", True), "merge_with": _merge,
    "is_fully_defined": _is_full, "assert_is_fully_defined": _assert_full,
    "assert_same_rank": _same_rank,
}  # fmt: skip


def _make(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`tf.TensorShape([None, 3])`."""
    given = args[0] if args else kwargs.get("dims")
    if given is None:
        return Unknown("a shape of unknown rank")
    found = sizes_of(m, given, node)
    return m.gap("tf.TensorShape", node, "of sizes that are not known") if found is None else found


def _dimension_binary(m: Machine, word: str, a: Value, b: Value, node: ast.AST) -> Value:
    left, right = (v.space["value"] if isinstance(v, Model) and v.kind == "tf.Dimension" else v for v in (a, b))
    if left is None or right is None:
        return (left is right) is (word == "eq") if word in ("eq", "ne") else Model("tf.Dimension", m.heap.space({"value": None}))
    operators: dict[str, Any] = {"add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "floordiv": ast.FloorDiv, "mod": ast.Mod, "truediv": ast.Div}
    if word in operators:
        made = m.binary(operators[word], left, right, node)
        return Model("tf.Dimension", m.heap.space({"value": made})) if isinstance(made, (int, Term)) else made
    orders: dict[str, Any] = {"eq": ast.Eq, "ne": ast.NotEq, "lt": ast.Lt, "le": ast.LtE, "gt": ast.Gt, "ge": ast.GtE}
    return m.compare(orders[word], left, right, node) if word in orders else MISSING


def _dimension_make(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return Model("tf.Dimension", m.heap.space({"value": args[0] if args else kwargs.get("value")}))


FUNCTIONS: dict[str, Any] = {
    "tf.TensorShape": _make, "tf.compat.v1.TensorShape": _make, "tf.Dimension": _dimension_make, "tf.compat.v1.Dimension": _dimension_make,
}  # fmt: skip
KINDS: dict[str, KindModel] = {
    "tf.Dimension": KindModel(attribute=lambda m, me, name, n: me.space["value"] if name == "value" else MISSING, binary=_dimension_binary)
}
