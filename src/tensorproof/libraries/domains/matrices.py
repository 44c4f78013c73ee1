"""Matrices that can be inverted or factorised, as a domain: what is drawn is regular, a product with its own transpose is not negative definite.

A matrix of which nothing is known and that the program computed makes `cholesky`, `inv` and `solve` a gap; one that was given to it is taken to be as it
should.
"""

from __future__ import annotations

import ast
from math import prod
from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.algebra.formulas.matrix_kinds import INVERTED, KEPT, PRODUCTS, READ, TURNED
from tensorproof.libraries.domains import bounds
from tensorproof.ops.applied import Applied
from tensorproof.ops.record import Op
from tensorproof.terms import TensorType, learn
from tensorproof.values.port import Machine

if TYPE_CHECKING:
    from fractions import Fraction

_NEGATED = {"definite": "negative", "negative": "definite", "regular": "regular"}
_REGULAR = ("definite", "regular", "negative")


def reads(op: Op) -> bool:
    return op.name in READ or op.values.kind in ("drawn", "moves")


def applied(m: Machine, one: Applied) -> None:
    for made in one.results:
        if made.shape.known and len(made.shape) >= 2 and made.shape[-1] == made.shape[-2]:
            kind = _kind(one, made)
            if kind:
                learn(made, matrix=kind)


def of(x: Any) -> str:
    if not isinstance(x, TensorType):
        return ""
    if x.facts is not None and x.facts.matrix:
        return x.facts.matrix
    if x.parameter:
        return "regular"
    known = _rows(x)
    return "" if known is None else _numbered(known)


def _kind(one: Applied, made: TensorType) -> str:
    name, given = one.op.name, one.arguments
    if name == "cov":
        return "semidefinite"
    if name.startswith("eye"):
        return "definite" if given.get("k", 0) == 0 else ""
    if one.op.values.kind == "drawn":
        return "regular" if made.facts is not None and made.facts.drawn is not None else ""
    x, y = given.get("x"), given.get("y")
    if name in KEPT or (name in TURNED and len(made.shape) == 2):
        return of(x)
    if one.op.values.kind == "moves" and isinstance(x, TensorType) and x.parameter:
        return "regular"
    match name:
        case "inv":
            return of(x)
        case "neg":
            return _NEGATED.get(of(x), "")
        case "diag_embed":
            found = bounds.of(x)
            return "definite" if found is not None and found[0] > 0 else ""
        case "mul" | "div":
            return _scaled(x, y) or (_scaled(y, x) if name == "mul" else "")
        case "add":
            return _sum(of(x), of(y))
    return _square(x, y) if name in PRODUCTS else ""


def _scaled(x: Any, y: Any) -> str:
    """A matrix times a number: of either sign it stays regular, a positive one keeps the rest."""
    number = bounds.of(y)
    if number is None or (isinstance(y, TensorType) and not y.weak and (not y.shape.known or len(y.shape) > 0)):
        return ""
    if number[0] > 0:
        return of(x)
    return _NEGATED.get(of(x), "") if number[1] < 0 else ""


def _sum(a: str, b: str) -> str:
    if "definite" in (a, b):
        return "definite" if {a, b} <= {"definite", "semidefinite"} else "regular" if "regular" in (a, b) else ""
    return "semidefinite" if a == b == "semidefinite" else ""


def _square(x: Any, y: Any) -> str:
    """x times its transpose: definite where x was drawn with at least as many columns as rows."""
    if not isinstance(x, TensorType) or not isinstance(y, TensorType) or not x.shape.concrete or not y.shape.concrete or len(x.shape) != len(y.shape):
        return ""
    if x.base is not None and x.base is y.base and tuple(x.shape) == (*y.shape[:-2], y.shape[-1], y.shape[-2]) and _turned(x, y):
        drawn = any(t.facts is not None and t.facts.drawn is not None for t in (x, y))
        return "definite" if drawn and x.shape[-1] >= x.shape[-2] else "semidefinite"
    return "regular" if of(x) in _REGULAR and of(y) in _REGULAR else ""


def _turned(x: TensorType, y: TensorType) -> bool:
    """Whether one shows the other with its last two axes changed."""
    if x.shape[-1] == 1 or x.shape[-2] == 1:
        return True
    one, other = (_strides(t) for t in (x, y))
    return one is not None and other is not None and one[-1] == other[-2] and one[-2] == other[-1]


def _strides(t: TensorType) -> tuple[Any, ...] | None:
    if t.strides is not None:
        return t.strides if len(t.strides) == len(t.shape) else None
    made: list[Any] = []
    step: Any = 1
    for size in reversed(t.shape):
        made.append(step)
        step = step * size
    return tuple(reversed(made))


def _rows(x: TensorType) -> list[list[list[Fraction]]] | None:
    """The matrices of which all numbers are known."""
    if not x.contents or not x.shape.concrete or len(x.shape) < 2 or x.shape[-1] != x.shape[-2] or not 1 <= x.shape[-1] <= 16:
        return None
    if not all(type(v) in (int, float, bool) and abs(v) < 1e9 for v in x.contents):
        return None
    sizes = [size for size in x.shape if isinstance(size, int)]
    from fractions import Fraction  # which loads decimal: few programs need it

    n, numbers = sizes[-1], [Fraction(v) for v in x.contents]
    size = n * n
    numbers = numbers * prod(sizes) if len(numbers) == 1 else numbers
    return [[numbers[at + i * n : at + (i + 1) * n] for i in range(n)] for at in range(0, len(numbers), size)]


def _numbered(matrices: list[list[list[Fraction]]]) -> str:
    if all(_definite(rows) for rows in matrices):
        return "definite"
    if all(rows[0][0] > 0 and all(v == rows[0][0] for row in rows for v in row) for rows in matrices):
        return "semidefinite"
    return "regular" if all(_determinant(rows) != 0 for rows in matrices) else "singular"


def _definite(rows: list[list[Fraction]]) -> bool:
    n = len(rows)
    return all(rows[i][j] == rows[j][i] for i in range(n) for j in range(i)) and all(_determinant([row[:k] for row in rows[:k]]) > 0 for k in range(1, n + 1))


def _determinant(rows: list[list[Fraction]]) -> Fraction:
    from fractions import Fraction

    rows, found = [list(row) for row in rows], Fraction(1)
    for at in range(len(rows)):
        pivot = next((i for i in range(at, len(rows)) if rows[i][at]), None)
        if pivot is None:
            return Fraction(0)
        if pivot != at:
            rows[at], rows[pivot], found = rows[pivot], rows[at], -found
        found *= rows[at][at]
        for i in range(at + 1, len(rows)):
            factor = rows[i][at] / rows[at][at]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[at])]
    return found


_KINDS = {"torch": "_LinAlgError", "numpy": "LinAlgError", "tf": "InvalidArgumentError"}
"""What each framework raises. TensorFlow factorises what is not definite into numbers that are not finite."""


def demands(name: str) -> bool:
    return name in INVERTED or name == "cholesky" or name == "matrix_power"


def check(m: Machine, one: Applied, node: ast.AST) -> None:
    """A matrix that is factorised must be positive definite, one that is inverted regular."""
    x = one.arguments.get("x")
    name, kind = one.op.name, _KINDS.get(one.results[0].framework if one.results else "")
    if kind is None:
        return
    power = one.arguments.get("n")
    if name == "cholesky" and kind != "InvalidArgumentError":
        demand(m, x, True, node, one.spelling, "cholesky/definite", kind)
    elif name in INVERTED or (name == "matrix_power" and type(power) is int and power < 0):
        demand(m, x, False, node, one.spelling, f"{name}/singular", kind)


def demand(m: Machine, x: Any, definite: bool, node: ast.AST, spelling: str, code: str, kind: str) -> None:
    found = of(x)
    if found == "definite" or (found in _REGULAR and not definite) or not isinstance(x, TensorType) or not x.shape.known or x.shape.numel == 0:
        return
    if found == "negative" or (x.contents is not None and found):
        raise m.raised(kind, "the matrix is not positive definite" if definite else "the matrix is singular: it has no inverse", node, code)
    if bounds.of(x) is not None:
        m.gap(spelling, node, f"whether the matrix is {'positive definite' if definite else 'regular'} is not known")
