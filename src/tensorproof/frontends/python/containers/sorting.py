"""Sorting by Python's order of the items or of their keys."""

from __future__ import annotations

import ast
from functools import cmp_to_key
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.branching import deciding
from tensorproof.frontends.python.branching.joining import CannotJoin, join
from tensorproof.frontends.python.containers.plain_values import host
from tensorproof.frontends.python.containers.samples import sample
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.predicates import Truth
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
            _refuse_types(m, keys, node)
            return Unknown("sorted")

        exchanged = _on_one_path(m, items, keys, bool(reverse), node)
        if exchanged is not None:
            return exchanged

        def before(i: int, j: int) -> int:
            return -1 if deciding.decided(m, m.truth(m.compare(ast.Lt, keys[i], keys[j], node), node)) else 0

        order = sorted(range(len(items)), key=cmp_to_key(before), reverse=bool(reverse))
    except TypeError as error:
        raise m.raised("TypeError", f"TypeError: {error}", node) from None
    return [items[i] for i in order]


def _refuse_types(m: Interpreter, keys: list[Value], node: ast.AST) -> None:
    """Numbers that are not known have no order with None or a text."""
    try:
        sorted(sample(key) for key in keys)  # type: ignore[type-var]
    except TypeError as error:
        raise m.raised("TypeError", str(error), node) from None
    except ValueError:
        return


def _on_one_path(m: Interpreter, items: list[Value], keys: list[Value], reverse: bool, node: ast.AST) -> list[Value] | None:
    """The sorted items where they are few, or two values in turn; None elsewhere, or where two of them have no common value."""
    kinds: dict[int, list[tuple[Value, Value]]] = {}
    for key, item in zip(keys, items):
        kinds.setdefault(id(item), []).append((key, item))
    try:
        if len(kinds) == 2:
            ones, others = kinds.values()
            return _of_two(m, ones, others, reverse, node)
        return _exchanged(m, list(zip(keys, items)), reverse, node) if len(items) <= BUDGETS.containers.exchanged else None
    except CannotJoin:
        return None


def _goes_before(m: Interpreter, other: Value, one: Value, reverse: bool, node: ast.AST) -> Truth:
    """Whether what stands later comes first in the result."""
    less, than = (one, other) if reverse else (other, one)
    return m.truth(m.compare(ast.Lt, less, than, node), node)


def _of_two(m: Interpreter, ones: list[tuple[Value, Value]], others: list[tuple[Value, Value]], reverse: bool, node: ast.AST) -> list[Value]:
    """Several of one value and several of another: which comes first is one comparison."""
    one, other = ones[0], others[0]
    swap = _goes_before(m, other[0], one[0], reverse, node)
    total = len(ones) + len(others)
    first = join(swap, other[1], one[1], m.path.program)
    last = join(swap, one[1], other[1], m.path.program)
    least = min(len(ones), len(others))
    middle = one[1] if len(ones) > len(others) else other[1]
    return [first] * least + [middle] * (total - 2 * least) + [last] * least


def _exchanged(m: Interpreter, pairs: list[Any], reverse: bool, node: ast.AST) -> list[Value]:
    """By exchanges of neighbours: each place holds one of two items as the comparison says."""
    for last in range(len(pairs) - 1, 0, -1):
        for at in range(last):
            one, other = pairs[at], pairs[at + 1]
            swap = _goes_before(m, other[0], one[0], reverse, node)
            pairs[at], pairs[at + 1] = join(swap, other, one, m.path.program), join(swap, one, other, m.path.program)
    return [item for _, item in pairs]
