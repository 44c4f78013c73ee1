"""Calls of TensorFlow that take a little more than their spelling says."""

from __future__ import annotations

import ast

from tensorproof.libraries.whole_numbers import size_in, whole_tensor
from tensorproof.terms.tensor import TensorType
from tensorproof.values import Args, Kwargs, List, Machine, Value


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


FUNCTIONS: dict[str, object] = {"tf.expand_dims": _expand_dims, "tf.range": _range}
