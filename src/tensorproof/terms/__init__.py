"""Symbolic integers, predicates, shapes, element types and tensor types: what models and adapters import from here."""

from __future__ import annotations

from tensorproof.terms.dtypes import (
    ALL_INTS,
    ANY,
    BFLOAT16,
    BOOL,
    BY_LABEL,
    COMPLEX64,
    COMPLEX128,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    FLOATS,
    FULL_COMPLEXES,
    INDEX,
    INT32,
    INT64,
    REALS,
    REALS_OR_BOOL,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    DType,
)
from tensorproof.terms.ints import Atom, Dim, Origin, Term, absolute, ceildiv, floordiv, ite, lower, maximum, minimum, mod, product, sole_atom, symbol, upper
from tensorproof.terms.predicates import Predicate, Truth, conj, disj, eq, ge, gt, implies, le, lt, ne, negate
from tensorproof.terms.promotion import PY_FLOAT, Operand, promote, to_float, torch_can_cast
from tensorproof.terms.records import dataclass, field, replace
from tensorproof.terms.shapes import Segment, Shape, broadcast, unknown_shape
from tensorproof.terms.strides import row_major, strides_or_none
from tensorproof.terms.tensor import SOMEWHERE, UNKNOWN_STRIDES, History, Outputs, TensorType

__all__ = [
    "ALL_INTS", "ANY", "BFLOAT16", "BOOL", "BY_LABEL", "COMPLEX64", "COMPLEX128", "FLOAT16", "FLOAT32", "FLOAT64", "FLOATS", "FULL_COMPLEXES", "INDEX",
    "INT32", "INT64", "PY_FLOAT", "REALS", "REALS_OR_BOOL", "SOMEWHERE", "UINT8", "UINT16", "UINT32", "UINT64", "UNKNOWN_STRIDES", "Atom", "DType", "Dim",
    "History", "Operand", "Origin", "Outputs", "Predicate", "Segment", "Shape", "TensorType", "Term", "Truth", "absolute", "broadcast", "ceildiv", "conj",
    "dataclass", "disj", "eq", "field", "floordiv", "ge", "gt", "implies", "ite", "le", "lower", "lt", "maximum", "minimum", "mod", "ne", "negate", "product",
    "promote", "replace", "row_major", "sole_atom", "strides_or_none", "symbol", "to_float", "torch_can_cast", "unknown_shape", "upper",
]  # fmt: skip
