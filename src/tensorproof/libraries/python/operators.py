"""operator and math: operators as functions on any value, and numbers."""

from __future__ import annotations

import ast
import math
import operator
from functools import partial
from typing import Any

from tensorproof.libraries.model import KindModel, Run
from tensorproof.libraries.plain import native
from tensorproof.terms import TensorType, Term, absolute, ceildiv, floordiv, lower, negate
from tensorproof.values import REAL, Args, Choice, Key, Kwargs, Machine, Model, Unknown, Value, slot

WANTED: Key[tuple[Any, ...]] = slot("wanted")
NAMED: Key[Kwargs] = slot("named")


_BINARY: dict[str, type[ast.operator]] = {
    "add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "truediv": ast.Div, "floordiv": ast.FloorDiv, "mod": ast.Mod, "pow": ast.Pow,
    "matmul": ast.MatMult, "and_": ast.BitAnd, "or_": ast.BitOr, "xor": ast.BitXor, "lshift": ast.LShift, "rshift": ast.RShift, "concat": ast.Add,
}  # fmt: skip
_COMPARE: dict[str, type[ast.cmpop]] = {
    "eq": ast.Eq, "ne": ast.NotEq, "lt": ast.Lt, "le": ast.LtE, "gt": ast.Gt, "ge": ast.GtE, "is_": ast.Is, "is_not": ast.IsNot,
}  # fmt: skip
_UNARY: dict[str, type[ast.unaryop]] = {"neg": ast.USub, "pos": ast.UAdd, "inv": ast.Invert, "invert": ast.Invert}


def _binary(op: type[ast.operator], in_place: bool) -> Run:
    return lambda m, args, kwargs, node: m.binary(op, args[0], args[1], node, in_place)


def _compare(op: type[ast.cmpop]) -> Run:
    return lambda m, args, kwargs, node: m.compare(op, args[0], args[1], node)


def _unary(op: type[ast.unaryop]) -> Run:
    return lambda m, args, kwargs, node: m.unary(op, args[0], node)


def _set_item(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    m.set_item(args[0], args[1], args[2], node)


def _del_item(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    m.delete_item(args[0], args[1], node)


def _getter(kind: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    if not args:
        raise m.raised("TypeError", f"{kind} needs an argument", node, "call/arguments")
    return Model(f"operator.{kind}", m.heap.space({"wanted": args, "named": kwargs}))


def _get_items(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    found = tuple(m.item(args[0], index, node) for index in me.space[WANTED])
    return found[0] if len(found) == 1 else found


def _get_attributes(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    def one(path: str) -> Any:
        value = args[0]
        for name in path.split("."):
            value = m.attribute(value, name, node)
        return value

    found = tuple(one(path) for path in me.space[WANTED])
    return found[0] if len(found) == 1 else found


def _call_method(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    name, *given = me.space[WANTED]
    return m.call(m.attribute(args[0], name, node), tuple(given), me.space[NAMED], node)


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
    **{f"operator.{name}": _binary(op, False) for name, op in _BINARY.items()},
    **{f"operator.i{name.rstrip('_')}": _binary(op, True) for name, op in _BINARY.items()},
    **{f"operator.{name}": _compare(op) for name, op in _COMPARE.items()},
    **{f"operator.{name}": _unary(op) for name, op in _UNARY.items()},
    "operator.contains": lambda m, a, k, n: m.compare(ast.In, a[1], a[0], n), "operator.getitem": lambda m, a, k, n: m.item(a[0], a[1], n),
    "operator.setitem": _set_item, "operator.delitem": _del_item, "operator.truth": lambda m, a, k, n: m.truth(a[0], n),
    "operator.not_": lambda m, a, k, n: negate(m.truth(a[0], n)), "operator.abs": lambda m, a, k, n: m.call(abs, a, k, n),
    "operator.index": lambda m, a, k, n: a[0] if isinstance(a[0], Term) else m.call(operator.index, a, k, n),
    "operator.countOf": partial(native, operator.countOf), "operator.indexOf": partial(native, operator.indexOf),
    "operator.length_hint": lambda m, a, k, n: m.call(len, a[:1], {}, n),
    "operator.itemgetter": partial(_getter, "itemgetter"), "operator.attrgetter": partial(_getter, "attrgetter"),
    "operator.methodcaller": partial(_getter, "methodcaller"),
    **{f"math.{name}": partial(native, getattr(math, name)) for name in _MATH if callable(getattr(math, name))},
    **{f"math.{name}": partial(_real, name) for name in ("sqrt", "log", "log2", "log10", "log1p", "exp", "sin", "cos", "tan", "tanh", "pow")},
    **{f"math.{name}": partial(_tested, name) for name in ("isnan", "isinf", "isfinite")},
    "math.floor": partial(_rounded, "floor"), "math.ceil": partial(_rounded, "ceil"), "math.trunc": partial(_rounded, "trunc"), "math.prod": _prod,
    "math.fabs": lambda m, a, k, n: absolute(a[0]) if isinstance(a[0], Term) else m.call(math.fabs, a, k, n),
}  # fmt: skip
VALUES: dict[str, Run] = {f"math.{name}": getattr(math, name) for name in _MATH if not callable(getattr(math, name))}
KINDS = {
    "operator.itemgetter": KindModel(call=_get_items), "operator.attrgetter": KindModel(call=_get_attributes),
    "operator.methodcaller": KindModel(call=_call_method),
}  # fmt: skip
