"""finfo and iinfo of NumPy and torch: the limits of an element type. NumPy's are numbers of that type, torch's are Python's."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries.model import Run
from tensorproof.terms import BY_LABEL, DType, Shape, TensorType
from tensorproof.values import Args, Kwargs, Machine, Model, Unknown, Value

_FLOATS = {"float16": (5, 10), "bfloat16": (8, 7), "float32": (8, 23), "float64": (11, 52)}
"""The bits of exponent and fraction."""
_PLAIN: dict[Value, str] = {float: "float64", int: "int64", "float": "float64", "int": "int64"}


def _wanted(m: Machine, args: Args, kwargs: Kwargs, home: str) -> Value:
    given = args[0] if args else kwargs.get("type" if home == "torch" else "dtype", kwargs.get("int_type"))
    if given is None and home == "torch":
        return m.session.default_float
    if isinstance(given, TensorType):
        return given.dtype
    return given if isinstance(given, DType) else BY_LABEL.get(str(_PLAIN.get(given, given))) if isinstance(given, (str, type)) else given


def _limits(m: Machine, home: str, dtype: DType, numbers: Kwargs) -> Model:
    if home == "numpy" and dtype.is_float:
        numbers = {name: TensorType(Shape(()), dtype, contents=(number,), framework="numpy") for name, number in numbers.items()}
    named: Value = dtype.label if home == "torch" else dtype
    return Model("object", m.heap.space({**numbers, "bits": dtype.bits, "dtype": named}))


def _finfo(home: str) -> Run:
    def run(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
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

    return run


def _iinfo(home: str) -> Run:
    def run(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        dtype = _wanted(m, args, kwargs, home)
        if not isinstance(dtype, DType):
            return Unknown("the limits of an element type that is not known")
        if not dtype.is_integer:
            raise m.raised("TypeError" if home == "torch" else "ValueError", f"iinfo takes an integer type, not {dtype!r}: use finfo", node)
        low = 0 if dtype.kind == "u" else -(2 ** (dtype.bits - 1))
        return _limits(m, home, dtype, {"max": low + 2**dtype.bits - 1, "min": low})

    return run


FUNCTIONS: dict[str, object] = {f"{home}.{name}": make(home) for home in ("torch", "numpy") for name, make in (("finfo", _finfo), ("iinfo", _iinfo))}
