"""Whole numbers in tensors of TensorFlow: labels and indices that must lie in a range, and calls that take them where their spelling takes numbers."""

from __future__ import annotations

import ast

from tensorproof.libraries.domains.label_ranges import of
from tensorproof.libraries.plain import argument
from tensorproof.libraries.tensorflow.tensors import converted
from tensorproof.libraries.whole_numbers import size_in, whole_tensor
from tensorproof.terms.tensor import TensorType
from tensorproof.values import Args, Kwargs, List, Machine, Value


def _inside(m: Machine, numbers: Value, count: Value, what: str, code: str, node: ast.AST) -> None:
    """The numbers of a tensor, where they are known, must lie below a count."""
    known = of(m, numbers)
    if known is None or type(count) is not int or type(known[0]) is not int or type(known[1]) is not int:
        return
    if known[0] < 0 or known[1] > count:
        worst = known[0] if known[0] < 0 else known[1] - 1
        raise m.raised("InvalidArgumentError", f"{what} {worst} is not in [0, {count})", node, code)


def _sparse_loss(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    name = "tf.nn.sparse_softmax_cross_entropy_with_logits"
    made = m.spelling(name, args, kwargs, node)
    labels, logits = argument(args, kwargs, 0, "labels"), argument(args, kwargs, 1, "logits")
    if isinstance(logits, TensorType) and logits.shape.known and len(logits.shape):
        labels = converted(m, labels, None, node) if isinstance(labels, (List, tuple)) else labels
        _inside(m, labels, logits.shape[-1], "the label", "cross_entropy/labels", node)
    return made


def _lookup(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    made = m.spelling("tf.nn.embedding_lookup", args, kwargs, node)
    table = argument(args, kwargs, 0, "params")
    if isinstance(table, TensorType) and table.shape.known and len(table.shape):
        _inside(m, argument(args, kwargs, 1, "ids"), table.shape[0], "the index", "gather/range", node)
    return made


def _gather(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    made = m.spelling("tf.gather", args, kwargs, node)
    table, axis = argument(args, kwargs, 0, "params"), argument(args, kwargs, 3, "axis")
    plain = axis in (None, 0) and argument(args, kwargs, 4, "batch_dims", 0) == 0 and not isinstance(axis, TensorType)
    if plain and isinstance(table, TensorType) and table.shape.known and len(table.shape):
        _inside(m, argument(args, kwargs, 1, "indices"), table.shape[0], "the index", "gather/range", node)
    return made


FUNCTIONS: dict[str, object] = {
    "tf.nn.sparse_softmax_cross_entropy_with_logits": _sparse_loss, "tf.nn.embedding_lookup": _lookup, "tf.gather": _gather,
}  # fmt: skip


def _only(value: Value) -> Value:
    """The one item of a list; other values as they are."""
    items = value.items if isinstance(value, List) else value
    return items[0] if isinstance(items, (list, tuple)) and len(items) == 1 else value


def _expand_dims(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """The axis may be a vector of one number."""
    named = {k: _only(v) if k in ("axis", "dim") else v for k, v in kwargs.items()}
    return m.spelling("tf.expand_dims", (*args[:1], *map(_only, args[1:2]), *args[2:]), named, node)


def _range(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Ends that are tensors of one whole number each: a range from a number up to the same number and ten has ten items."""
    ends = [v for v in (*args, *kwargs.values()) if isinstance(v, TensorType)]
    if not ends or m.model_state.get("tf1") or not all(whole_tensor(v) and v.framework == "tf" and not v.taped for v in ends):
        return m.spelling("tf.range", args, kwargs, node)
    sized = [size_in(m, v) if isinstance(v, TensorType) else v for v in args]
    named = {k: size_in(m, v) if isinstance(v, TensorType) else v for k, v in kwargs.items()}
    return m.spelling("tf.range", tuple(sized), {"dtype": ends[0].dtype, **named}, node)


FUNCTIONS |= {"tf.expand_dims": _expand_dims, "tf.range": _range}
