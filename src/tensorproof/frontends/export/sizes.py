"""Symbolic sizes of an exported program: sympy's text of an expression, `2*s0` or `Mul(Integer(2), Symbol('s0'))`, as a term over named sizes."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tensorproof.terms.ints import Dim, Origin, Term, absolute, ceildiv, floordiv, maximum, minimum, mod, product, symbol

_LONGEST = 2000
_FUNCTIONS: dict[str, Callable[..., Dim]] = {
    "Max": maximum, "Min": minimum, "Mod": mod, "PythonMod": mod, "FloorDiv": floordiv, "CleanDiv": floordiv, "CeilDiv": ceildiv, "Abs": absolute,
    "Add": lambda *items: sum(items[1:], items[0]), "Mul": lambda *items: product(items), "Integer": lambda number: number,
}  # fmt: skip
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Dim]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b, ast.FloorDiv: floordiv, ast.Mod: mod,
}  # fmt: skip
_DATA = "u"
"""Symbols that depend on data begin with it."""


class Sizes:
    """The named sizes of one program, with the ranges that it states."""

    def __init__(self, ranges: dict[str, tuple[int, int | None]]) -> None:
        self._ranges = ranges

    def named(self, name: str) -> Dim:
        """A size of an input, which is not empty, or one that depends on data."""
        lo, hi = self._ranges.get(name, (0, None))
        if lo == hi:
            return lo
        return symbol(name, lo, hi, Origin.UNMODELLED) if name.startswith(_DATA) else symbol(name, max(lo, 1), hi, Origin.USER)

    def parse(self, text: str) -> Dim:
        """The term; an expression that is not understood is a symbol of its own."""
        if len(text) <= _LONGEST:
            try:
                return self._term(ast.parse(text.strip(), mode="eval").body)
            except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
                pass
        return symbol(text[:_LONGEST], origin=Origin.UNMODELLED)

    def _term(self, node: ast.expr) -> Dim:
        match node:
            case ast.Constant(value=int() as number) if not isinstance(number, bool):
                return number
            case ast.Name(id=name):
                return self.named(name)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return 0 - self._term(inner)
            case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int() as power)) if 0 <= power <= 8:
                base = self._term(left)
                return base**power if isinstance(base, Term) else int(base**power)
            case ast.BinOp(left=left, op=operation, right=right) if type(operation) in _OPERATORS:
                return _OPERATORS[type(operation)](self._term(left), self._term(right))
            case ast.Call(func=ast.Name(id="Symbol"), args=[ast.Constant(value=str() as name)]):
                return self.named(name)
            case ast.Call(func=ast.Name(id="Pow"), args=[base, ast.Call(args=[ast.Constant() as power])]):
                return self._term(ast.BinOp(base, ast.Pow(), power))
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=given) if name in _FUNCTIONS and given:
                return _FUNCTIONS[name](*map(self._term, given))
            case _:
                raise ValueError(ast.dump(node))
