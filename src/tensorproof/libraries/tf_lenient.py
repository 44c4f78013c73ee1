"""Calls of TensorFlow that take a little more than their spelling says."""

from __future__ import annotations

from typing import Any

from tensorproof.values.objects import List


def _only(value: Any) -> Any:
    """The one item of a list; other values as they are."""
    items = value.items if isinstance(value, List) else value
    return items[0] if isinstance(items, (list, tuple)) and len(items) == 1 else value


def _expand_dims(m: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    """The axis may be a vector of one number."""
    named = {k: _only(v) if k in ("axis", "dim") else v for k, v in kwargs.items()}
    return m.spelling("tf.expand_dims", (*args[:1], *map(_only, args[1:2]), *args[2:]), named, node)


FUNCTIONS: dict[str, Any] = {"tf.expand_dims": _expand_dims}
