"""NumPy's functions of single numbers that the program knows (`int(np.ceil(n / batch))`), and the limits of element types (finfo, iinfo)."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from functools import partial
from typing import Any

from tensorproof.libraries.model import Run
from tensorproof.terms import BY_LABEL, DType, Shape, TensorType, Term, ceildiv, floordiv
from tensorproof.values import Args, Kwargs, Machine, Model, Named, Unknown, Value

FLOAT64 = BY_LABEL["float64"]


def _number(name: str, function: Callable[[float], float], m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    quotient = {"ceil": ceildiv, "floor": floordiv}.get(name)
    given = args[0] if len(args) == 1 and not kwargs else None
    found: Value = None
    if isinstance(given, TensorType) and given.framework == "numpy" and given.shape.known and not given.shape and given.contents and given.dtype is FLOAT64:
        given = given.contents[0]
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        try:
            found = float(function(given))
        except (ValueError, OverflowError):
            found = None
    elif isinstance(given, Unknown) and given.ratio is not None and quotient is not None:
        found = quotient(*given.ratio)
    elif isinstance(given, Term) and quotient is not None:
        found = given
    if found is None:
        return m.spelling(f"numpy.{name}", args, kwargs, node)
    return TensorType(Shape(()), FLOAT64, contents=(found,), framework="numpy")


_KINDS = {
    "generic": "biufc", "number": "iufc", "floating": "f", "integer": "iu", "signedinteger": "i", "unsignedinteger": "u", "inexact": "fc",
    "complexfloating": "c", "bool_": "b", "bool": "b",
}  # fmt: skip
_PLAIN = {float: "float64", int: "int64", bool: "bool"}


def of_kind(dtype: DType, wanted: Value) -> bool | None:
    """Whether an element type is one of a kind such as `np.floating`; None where that is unknown."""
    if isinstance(wanted, DType):
        return dtype is wanted
    kinds = _KINDS.get(wanted.name.removeprefix("numpy.")) if isinstance(wanted, Named) and wanted.name.startswith("numpy.") else None
    return None if kinds is None else dtype.kind in kinds


def _is_subtype(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given, wanted = [_PLAIN.get(a, a) if isinstance(a, type) else a for a in args] if len(args) == 2 else (None, None)
    dtype = BY_LABEL.get(given) if isinstance(given, str) else given
    found = of_kind(dtype, BY_LABEL.get(wanted, wanted) if isinstance(wanted, str) else wanted) if isinstance(dtype, DType) else None
    return m.open_truth("issubdtype", node) if found is None else found


_OF_NUMBERS: dict[str, Callable[[float], float]] = {
    "ceil": math.ceil, "floor": math.floor, "trunc": math.trunc, "fix": math.trunc, "rint": round, "round": round, "around": round,
    "sqrt": math.sqrt, "log": math.log, "log2": math.log2, "log10": math.log10, "exp": math.exp,
}  # fmt: skip
FUNCTIONS: dict[str, Run] = {f"numpy.{name}": partial(_number, name, function) for name, function in _OF_NUMBERS.items()} | {"numpy.issubdtype": _is_subtype}


_FLOATS = {"float16": (5, 10), "bfloat16": (8, 7), "float32": (8, 23), "float64": (11, 52)}
"""The bits of exponent and fraction."""
_LIMITED: dict[Value, str] = {float: "float64", int: "int64", "float": "float64", "int": "int64"}


def _wanted(m: Machine, args: Args, kwargs: Kwargs, home: str) -> Value:
    given = args[0] if args else kwargs.get("type" if home == "torch" else "dtype", kwargs.get("int_type"))
    if given is None and home == "torch":
        return m.session.default_float
    if isinstance(given, TensorType):
        return given.dtype
    return given if isinstance(given, DType) else BY_LABEL.get(str(_LIMITED.get(given, given))) if isinstance(given, (str, type)) else given


def _limits(m: Machine, home: str, dtype: DType, numbers: Kwargs) -> Model:
    if home == "numpy" and dtype.is_float:
        numbers = {name: TensorType(Shape(()), dtype, contents=(number,), framework="numpy") for name, number in numbers.items()}
    named: Value = dtype.label if home == "torch" else dtype
    return Model("object", m.heap.space({**numbers, "bits": dtype.bits, "dtype": named}))


def _finfo(home: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    dtype = _wanted(m, args, kwargs, home)
    if not isinstance(dtype, DType):
        return Unknown("the limits of an element type that is not known")
    real = {"complex64": BY_LABEL["float32"], "complex128": BY_LABEL["float64"]}.get(dtype.label, dtype)
    if real.label not in _FLOATS:
        if real.is_float:
            return Unknown("the limits of an element type")
        raise m.raised("TypeError" if home == "torch" else "ValueError", f"finfo takes a floating point type, not {dtype!r}: use iinfo", node)
    exponent, fraction = _FLOATS[real.label]
    bias = 2 ** (exponent - 1) - 1
    most, tiny = (2.0 - 2.0**-fraction) * 2.0**bias, 2.0 ** (1 - bias)
    numbers = {"eps": 2.0**-fraction, "max": most, "min": -most, "tiny": tiny, "smallest_normal": tiny, "resolution": 10.0 ** -int(fraction * 0.30103)}
    return _limits(m, home, real, numbers)


def _iinfo(home: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    dtype = _wanted(m, args, kwargs, home)
    if not isinstance(dtype, DType):
        return Unknown("the limits of an element type that is not known")
    if not dtype.is_integer:
        raise m.raised("TypeError" if home == "torch" else "ValueError", f"iinfo takes an integer type, not {dtype!r}: use finfo", node)
    low = 0 if dtype.kind == "u" else -(2 ** (dtype.bits - 1))
    return _limits(m, home, dtype, {"max": low + 2**dtype.bits - 1, "min": low})


FUNCTIONS |= {f"{home}.{name}": partial(make, home) for home in ("torch", "numpy") for name, make in (("finfo", _finfo), ("iinfo", _iinfo))}
