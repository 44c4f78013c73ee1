"""operator and math: operators as functions on any value, and numbers."""

from __future__ import annotations

import ast
import math
import operator
from functools import partial
from typing import Any

from tensorproof.libraries.model import Run
from tensorproof.libraries.plain import native
from tensorproof.terms import TensorType, Term, absolute, ceildiv, floordiv, lower
from tensorproof.values import REAL, Args, Choice, Kwargs, Machine, Unknown, Value


def _rounded(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """floor, ceil and trunc: exact on whole numbers and on their quotients."""
    match args[0]:
        case Term():
            return args[0]
        case Unknown(ratio=(above, below)):
            if name == "ceil":
                return ceildiv(above, below)
            return floordiv(above, below) if name == "floor" or lower(above) >= 0 else Unknown(name)
        case Choice():
            choice = args[0]
            return m.branching.choose(
                choice.condition, lambda: _rounded(name, m, (choice.then,), {}, node), lambda: _rounded(name, m, (choice.other,), {}, node)
            )
        case _:
            return m.call(getattr(math, name), args, kwargs, node)


def _prod(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    found = m.iterate(args[0], node)
    if found is None:
        return Unknown("prod")
    total = kwargs.get("start", 1)
    for one in found:
        total = m.binary(ast.Mult, total, one, node)
    return total


def _real(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A function of real numbers: of a number that is unknown it is one."""
    args = _numbers(m, args, node)
    numbers = all(isinstance(a, (Term, int, float)) or (isinstance(a, Unknown) and (a.number or a.ratio)) for a in args)
    if numbers and any(isinstance(a, (Term, Unknown)) for a in args):
        return REAL
    return m.call(getattr(math, name), args, kwargs, node)


def _numbers(m: Machine, args: Args, node: ast.AST) -> tuple[Value, ...]:
    """Tensors of one number as that number, which is what the functions of math make of them first."""
    return tuple(m.call(float, (a,), {}, node) if isinstance(a, TensorType) else a for a in args)


def _tested(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """isnan, isinf, isfinite: of an unknown number the result is unknown."""
    args = _numbers(m, args, node)
    if args and isinstance(args[0], Unknown) and (args[0].number or args[0].ratio):
        return m.open_truth(name, node)
    return m.call(getattr(math, name), args, kwargs, node)


_MATH = [name for name in dir(math) if not name.startswith("_")]
FUNCTIONS: dict[str, Run] = {
    **{f"operator.{name}": partial(native, getattr(operator, name)) for name in ("countOf", "indexOf")},
    "operator.index": lambda m, a, k, n: a[0] if isinstance(a[0], Term) else m.call(operator.index, a, k, n),
    **{f"math.{name}": partial(native, getattr(math, name)) for name in _MATH if callable(getattr(math, name))},
    **{f"math.{name}": partial(_real, name) for name in ("sqrt", "log", "log2", "log10", "log1p", "exp", "sin", "cos", "tan", "tanh", "pow")},
    **{f"math.{name}": partial(_tested, name) for name in ("isnan", "isinf", "isfinite")},
    "math.floor": partial(_rounded, "floor"), "math.ceil": partial(_rounded, "ceil"), "math.trunc": partial(_rounded, "trunc"), "math.prod": _prod,
    "math.fabs": lambda m, a, k, n: absolute(a[0]) if isinstance(a[0], Term) else m.call(math.fabs, a, k, n),
}  # fmt: skip
VALUES: dict[str, Run] = {f"math.{name}": getattr(math, name) for name in _MATH if not callable(getattr(math, name))}
