"""tf.debugging: assertions on ranks, shapes, types and values. What is not known of values is assumed to hold, as the program demands it; that real numbers
which were computed are equal is a gap."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from functools import partial
from typing import Any

from tensorproof.libraries.plain import argument, nothing
from tensorproof.libraries.tensorflow.tensors import converted
from tensorproof.terms import DType, TensorType, Term, conj, eq, ge, predicates
from tensorproof.values import Args, Dict, Kwargs, List, Machine, TensorShape, Unknown, Value

_ORDERS = {"equal": "eq", "none_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge"}


def _compared(word: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """assert_equal and its like: the shapes must broadcast, and values that are known must compare so."""
    given = [argument(args, kwargs, 0, "x"), argument(args, kwargs, 1, "y")]
    if any(isinstance(v, Unknown) or (isinstance(v, TensorShape) and None in v) for v in given):
        return
    x, y = (converted(m, tuple(v) if isinstance(v, TensorShape) else v, None, node) for v in given)
    if not isinstance(x, TensorType) or not isinstance(y, TensorType):
        return
    m.spelling("tf.equal" if x.dtype is y.dtype else "tf.not_equal", (x, y.but(dtype=x.dtype)), {}, node)
    if word == "equal" and x.graph is None and y.graph is None and None in (x.contents, y.contents) and x.dtype is not None and x.dtype.is_float:
        m.gap("tf.debugging.assert_equal", node, "whether real numbers that were computed are equal is not known")
    if x.contents is None or y.contents is None or (len(x.contents) not in (1, len(y.contents)) and len(y.contents) != 1):
        return
    count = max(len(x.contents), len(y.contents))
    pairs = list(zip(x.contents * (count // len(x.contents)) if x.contents else (), y.contents * (count // len(y.contents)) if y.contents else ()))
    shown = [v[0] if len(v) == 1 else list(v) for v in (x.contents, y.contents)]
    message = f"assert_{word} does not hold: {shown[0]!r} and {shown[1]!r}"
    if all(isinstance(v, (int, float)) for pair in pairs for v in pair):
        holds: Any = all(getattr(operator, _ORDERS[word])(a, b) for a, b in pairs)
    elif all(isinstance(v, (int, Term)) for pair in pairs for v in pair):
        holds = conj(*(getattr(predicates, _ORDERS[word])(a, b) for a, b in pairs))
    else:
        return
    m.demand("InvalidArgumentError", holds, message, node, "assert/values")


def _assert(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """`tf.Assert`: a condition that is known must hold."""
    condition = argument(args, kwargs, 0, "condition")
    if condition is False or (isinstance(condition, TensorType) and condition.contents in ((False,), (0,)) and condition.graph is None):
        raise m.raised("InvalidArgumentError", "this condition is false", node, "assert/values")


def _signed(word: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """assert_positive and its like, of elements that are known."""
    x = argument(args, kwargs, 0, "x")
    held = x.contents if isinstance(x, TensorType) and x.graph is None else (x,)
    if held and all(isinstance(v, (int, float)) for v in held) and not all(getattr(operator, word)(v, 0) for v in held):
        raise m.raised("InvalidArgumentError", f"each element must be {word} 0, and they are {list(held)}", node, "assert/values")


def _shape_of(m: Machine, value: Value, node: ast.AST) -> Any:
    if isinstance(value, Unknown):
        return None
    t = value if isinstance(value, TensorType) else converted(m, value, None, node)
    return t.shape if isinstance(t, TensorType) and t.shape.known else None


def _rank(order: Callable[[Any, Any], Any], words: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    shape, rank = _shape_of(m, argument(args, kwargs, 0, "x", kwargs.get("tensor")), node), argument(args, kwargs, 1, "rank")
    if shape is not None and isinstance(rank, (int, Term)):
        m.demand("ValueError", order(len(shape), rank), f"the rank must be {rank!r}{words}, the shape is {shape!r}", node, "assert/rank")


def _rank_in(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    shape, ranks = _shape_of(m, argument(args, kwargs, 0, "x"), node), m.iterate(argument(args, kwargs, 1, "ranks"), node)
    if shape is not None and ranks and all(isinstance(r, int) for r in ranks):
        m.demand("ValueError", len(shape) in ranks, f"the rank must be one of {ranks}, the shape is {shape!r}", node, "assert/rank")


def _scalar(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    shape = _shape_of(m, argument(args, kwargs, 0, "tensor"), node)
    if shape is not None:
        m.demand("ValueError", len(shape) == 0, f"one number is expected, the shape is {shape!r}", node, "assert/rank")
    return argument(args, kwargs, 0, "tensor")


def _type(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    t, wanted = argument(args, kwargs, 0, "tensor"), argument(args, kwargs, 1, "tf_type")
    if isinstance(t, TensorType) and isinstance(wanted, DType) and t.dtype is not None:
        m.demand("TypeError", t.dtype is wanted, f"the element type must be {wanted}, and is {t.dtype}", node, "assert/type")


def _shapes(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """`assert_shapes([(x, ("B", "D")), …])`: a letter is one size everywhere, a number is that size."""
    given = argument(args, kwargs, 0, "shapes")
    pairs = [tuple(p) for p in given.items.items()] if isinstance(given, Dict) else m.iterate(given, node)
    sizes: dict[Value, Any] = {}
    for pair in pairs or ():
        parts = m.iterate(pair, node)
        if parts is None or len(parts) != 2:
            return
        shape, wanted = _shape_of(m, parts[0], node), parts[1]
        names = list(wanted) if isinstance(wanted, (tuple, str)) else list(wanted.items) if isinstance(wanted, List) else None
        if shape is None or names is None:
            continue
        if any(n in (Ellipsis, "*", "...") for n in names):
            continue
        if len(names) != len(shape):
            raise m.raised("ValueError", f"the shape {shape!r} must have rank {len(names)}", node, "assert/shapes")
        for name, size in zip(names, shape):
            if name is None or name == ".":
                continue
            known = name if isinstance(name, (int, Term)) else sizes.setdefault(name, size)
            m.demand("ValueError", eq(known, size), f"the size {name} is {known!r} and {size!r}", node, "assert/shapes")


def _first(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return argument(args, kwargs, 0, "tensor", kwargs.get("x"))


_SIGNS = {"positive": "gt", "negative": "lt", "non_negative": "ge", "non_positive": "le"}
_VALUES = ("assert_near", "assert_integer", "assert_proper_iterable")
_CHECKS: dict[str, object] = {
    **{f"assert_{w}": partial(_compared, w) for w in _ORDERS}, "assert_rank": partial(_rank, eq, ""), "assert_rank_in": _rank_in,
    "assert_rank_at_least": partial(_rank, ge, " at least"),
    "assert_scalar": _scalar, "assert_type": _type, "assert_shapes": _shapes, **dict.fromkeys(_VALUES, nothing),
    **{f"assert_{w}": partial(_signed, order) for w, order in _SIGNS.items()}, "Assert": _assert,
}  # fmt: skip
FUNCTIONS: dict[str, object] = {
    **{f"{home}.{name}": run for name, run in _CHECKS.items() for home in ("tf", "tf.debugging")}, "tf.debugging.check_numerics": _first,
    "tf.debugging.assert_all_finite": _first, "tf.verify_tensor_all_finite": _first,
}  # fmt: skip
