"""Sorting by Python's order of the items or of their keys."""

from __future__ import annotations

import ast
from functools import cmp_to_key
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.branching import deciding
from tensorproof.frontends.python.containers.plain_values import host
from tensorproof.terms.tensor import TensorType
from tensorproof.values.python_values import Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def _comparable(m: Interpreter, keys: list[Value], node: ast.AST) -> None:
    """Sorting asks for the truth of `a < b`: that of two tensors of several elements is refused, as is that of two tuples that are equal before them."""
    for a, b in pairwise(keys):
        while type(a) is tuple and type(b) is tuple and a and b:
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if type(x) is TensorType or type(x) is not type(y) or x != y), None)
            if at is None or not all(isinstance(v, (int, float, str)) for v in (*a[:at], *b[:at])):
                break
            a, b = a[at], b[at]
        if type(a) is TensorType and type(b) is TensorType and a is not b:
            m.truth(m.compare(ast.Lt, b, a, node), node)


def sort_items(m: Interpreter, items: list[Value], key: Value, reverse: Value, node: ast.AST) -> Any:
    keys = [v if key is None else m.call(key, (v,), {}, node) for v in items]
    _comparable(m, keys, node)
    try:
        order = sorted(range(len(items)), key=lambda i: host(m, keys[i]), reverse=bool(reverse))
    except ValueError:
        if len(items) > 64 or any(isinstance(k, (Unknown, TensorType)) for k in keys):
            return Unknown("sorted")

        def before(i: int, j: int) -> int:
            return -1 if deciding.decided(m, m.truth(m.compare(ast.Lt, keys[i], keys[j], node), node)) else 0

        order = sorted(range(len(items)), key=cmp_to_key(before), reverse=bool(reverse))
    except TypeError as error:
        raise m.raised("TypeError", f"TypeError: {error}", node) from None
    return [items[i] for i in order]
