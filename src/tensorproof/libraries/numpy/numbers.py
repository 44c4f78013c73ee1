"""NumPy's functions of single numbers that the program knows: `int(np.ceil(n / batch))`, `int(np.sqrt(49))`. Arrays go to the operators."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

from tensorproof.libraries.model import Run
from tensorproof.terms import BY_LABEL, DType, Shape, TensorType, Term, ceildiv, floordiv
from tensorproof.values import Args, Kwargs, Machine, Named, Unknown, Value

FLOAT64 = BY_LABEL["float64"]


def _number(name: str, function: Callable[[float], float]) -> Run:
    quotient = {"ceil": ceildiv, "floor": floordiv}.get(name)

    def run(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
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

    return run


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
FUNCTIONS: dict[str, Run] = {f"numpy.{name}": _number(name, function) for name, function in _OF_NUMBERS.items()} | {"numpy.issubdtype": _is_subtype}
