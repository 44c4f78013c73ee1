"""The methods of tuples."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.containers.equality import count
from tensorproof.frontends.python.containers.list_methods import index

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def method(m: Interpreter, owner: tuple[Any, ...], name: str, args: tuple[Value, ...], node: ast.AST) -> Value:
    if name == "count":
        return count(m, owner, args[0], node)
    if name == "numel":
        from tensorproof.terms.ints import product

        return product(owner)
    return index(m, owner, args[0], node, *args[1:])
