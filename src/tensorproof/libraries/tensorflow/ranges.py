"""Whole numbers in tensors of TensorFlow that must lie in a range: labels below the number of classes, indices below the number of rows."""

from __future__ import annotations

import ast

from tensorproof.libraries.domains.label_ranges import of
from tensorproof.libraries.plain import argument
from tensorproof.libraries.tensorflow.tensors import converted
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
