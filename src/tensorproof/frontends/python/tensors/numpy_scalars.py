"""NumPy's numbers, `np.float32(3)`, `a.mean()`, `a[0]`: arrays of no axes with NumPy's element type, whose one element is the number where it is known."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.libraries.whole_numbers import same_size, size_in
from tensorproof.ops.storage import cast_one
from tensorproof.terms.dtypes import BOOL, FLOAT64, DType
from tensorproof.terms.ints import Term, floordiv, ite, lower
from tensorproof.terms.predicates import Predicate
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Choice, List, Native
from tensorproof.values.python_values import BYTES, Named, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

_EXACT: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv, "floordiv": operator.floordiv, "mod": operator.mod,
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
}  # fmt: skip
"""Operators that every element type rounds once: what a wider type computes, rounded, is the result."""
_WIDE: dict[str, Callable[[Value, Value], Value]] = _EXACT | {"pow": operator.pow}


def is_scalar(value: Value) -> bool:
    """Whether a value is one number of NumPy."""
    return type(value) is TensorType and value.framework == "numpy" and value.shape.known and not value.shape


def known(value: Value) -> Any:
    """A scalar's number as Python's, a Python number as it is; MISSING where it is not known, or for another value."""
    if type(value) is TensorType:
        return value.contents[0] if value.contents and is_scalar(value) else MISSING
    return value if type(value) in (int, float, bool, Term) else MISSING


def made(m: Interpreter, dtype: DType, args: tuple[Value, ...], node: ast.AST) -> Any:
    """`np.float32(x)`: a number of that type, or an array where x is one."""
    value: Any = args[0] if args else 0
    if isinstance(value, Choice):
        return m.branching.choose(value.condition, lambda: made(m, dtype, (value.then,), node), lambda: made(m, dtype, (value.other,), node))
    if isinstance(value, TensorType):
        array = value if value.framework == "numpy" else m.call(Named("numpy.asarray"), (value,), {}, node)
        return m.spelling("numpy.ndarray.astype", (array, dtype), {}, node) if isinstance(array, TensorType) else array
    if isinstance(value, List) or type(value) is tuple:
        return m.spelling("numpy.array", (value,), {"dtype": dtype}, node)
    if isinstance(value, Unknown):
        return _of_unknown(m, dtype, value, node)
    if isinstance(value, Predicate):
        value = ite(value, 1, 0)
    if isinstance(value, str):
        value = m.call(float if dtype.is_float else int, (value,), {}, node) if dtype.kind in "iuf" else MISSING
    if type(value) not in (int, float, bool, Term, complex):
        return Unknown("a number of NumPy")
    if dtype.is_integer and type(value) is int and cast_one(value, dtype) != value:
        raise m.raised("OverflowError", f"{value} is out of bounds for {dtype.label}", node)
    if dtype.is_integer and type(value) is float and not math.isfinite(value):
        raise m.raised("OverflowError" if math.isinf(value) else "ValueError", f"{value} is not a whole number: {dtype.label} cannot hold it", node)
    return scalar(dtype, value)


def scalar(dtype: DType, value: Value = MISSING) -> TensorType:
    """The number of an element type, known where a value is given that the type can hold."""
    held = None if value is MISSING else cast_one(value, dtype)
    return TensorType(Shape(()), dtype, contents=None if held is None else (held,), framework="numpy")


def _of_unknown(m: Interpreter, dtype: DType, value: Unknown, node: ast.AST) -> Value:
    if value.text and dtype.is_integer:
        return made(m, dtype, (m.call(int, (value,), {}, node),), node)
    if value.ratio is not None and dtype.is_integer and lower(value.ratio[0]) >= 0:
        return scalar(dtype, floordiv(*value.ratio))
    if not value.number and not value.text and value.ratio is None:
        return Unknown("a number or an array of NumPy")
    result = scalar(dtype)
    if dtype.is_integer and value.number == "int":
        same_size(m, result, size_in(m, value))
    return result


def attribute(m: Interpreter, owner: TensorType, name: str, node: ast.AST) -> Value:
    """An attribute that numbers of NumPy have and its arrays do not: those of Python's float and int."""
    if owner.dtype is not None and owner.dtype.kind == "s":  # an element of what a tensor of texts gave
        return m.attribute(BYTES, name, node)
    kind = {"f": float, "i": int, "u": int}.get("" if owner.dtype is None else owner.dtype.kind)
    own = owner.dtype in (None, FLOAT64) or name in ("is_integer", "as_integer_ratio", "bit_count")
    if owner.dtype is not None and (kind is None or not own or not (hasattr(kind, name) or name == "is_integer")):
        raise m.raised("AttributeError", f"a number of type {owner.dtype.label} has no attribute {name}", node)
    number = known(owner)
    if name == "is_integer" and (kind is int or type(number) is float):
        return Native(name, lambda m, args, kwargs, node: kind is int or number.is_integer())
    return getattr(number, name) if type(number) in (int, float) and hasattr(number, name) else Unknown(f"{name} of a number of NumPy")


KEEPING = ("astype", "sum", "prod", "max", "min", "mean", "copy", "squeeze", "conj")
"""Methods that give a scalar's own number, as the result's element type holds it."""


def kept(owner: TensorType, result: Any) -> Any:
    number = known(owner)
    if number is MISSING or not is_scalar(result) or result.contents is not None or result.dtype is None:
        return result
    held = cast_one(number, result.dtype)
    return result if held is None else result.but(contents=(held,))


def folded(word: str, a: Value, b: Value, result: Any) -> Value:
    """The result of an operator of scalars with its number, where both numbers are known and the operator left it open."""
    if not is_scalar(result) or result.contents is not None or result.dtype is None:
        return result
    x, y = known(a), known(b)
    if type(x) not in (int, float, bool) or type(y) not in (int, float, bool):
        return result
    dtype = _compared(a, b) if result.dtype is BOOL else result.dtype
    compute = (_WIDE if dtype is FLOAT64 else _EXACT).get(word)
    if compute is None or dtype is None:
        return result
    try:
        found = compute(cast_one(x, dtype), cast_one(y, dtype))
        held = None if isinstance(found, complex) else cast_one(found, result.dtype)
    except (ArithmeticError, TypeError, ValueError):  # NumPy warns, and gives inf, nan or 0
        return result
    return result if held is None else result.but(contents=(held,))


def _compared(a: Value, b: Value) -> DType | None:
    """The element type in which two numbers are compared: a number of Python takes that of the scalar. None where that is not exact."""
    types = [v.dtype for v in (a, b) if type(v) is TensorType]
    floats = [t for t in types if t is not None and t.is_float]
    if len(floats) == len(types):
        return max(floats, key=lambda t: t.bits)
    return FLOAT64 if all(abs(known(v)) < 2**53 for v in (a, b)) else None
