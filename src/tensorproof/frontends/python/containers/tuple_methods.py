"""The methods of tuples."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.containers.equality import count, surely_same

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def method(m: Interpreter, owner: tuple[Any, ...], name: str, args: tuple[Value, ...], node: ast.AST) -> Value:
    if name == "count":
        return count(m, owner, args[0], node)
    if name == "numel":
        from tensorproof.terms.ints import product

        return product(owner)
    for i, x in enumerate(owner):
        if surely_same(m, x, args[0], node):
            return i
    raise m.raised("ValueError", "the item is not in the tuple", node)
