"""Element types and the sets of them that operators accept. Promotion lives in `promotion`."""

from __future__ import annotations

from enum import Enum


class DType(Enum):
    """An element type; `kind` is one of b(ool) u(nsigned) i(nt) f(loat) c(omplex) q(uantised) s(tring) o(paque)."""

    BOOL = ("bool", "b", 8)
    UINT8 = ("uint8", "u", 8)
    UINT16 = ("uint16", "u", 16)
    UINT32 = ("uint32", "u", 32)
    UINT64 = ("uint64", "u", 64)
    INT8 = ("int8", "i", 8)
    INT16 = ("int16", "i", 16)
    INT32 = ("int32", "i", 32)
    INT64 = ("int64", "i", 64)
    INT4 = ("int4", "i", 4)
    UINT4 = ("uint4", "u", 4)
    FLOAT8_E4M3FN = ("float8_e4m3fn", "f", 8)
    FLOAT8_E5M2 = ("float8_e5m2", "f", 8)
    FLOAT8_E4M3FNUZ = ("float8_e4m3fnuz", "f", 8)
    FLOAT8_E5M2FNUZ = ("float8_e5m2fnuz", "f", 8)
    FLOAT8_E8M0FNU = ("float8_e8m0fnu", "f", 8)
    FLOAT16 = ("float16", "f", 16)
    BFLOAT16 = ("bfloat16", "f", 16)
    FLOAT32 = ("float32", "f", 32)
    FLOAT64 = ("float64", "f", 64)
    COMPLEX32 = ("complex32", "c", 32)
    COMPLEX64 = ("complex64", "c", 64)
    COMPLEX128 = ("complex128", "c", 128)
    QINT8 = ("qint8", "q", 8)
    QUINT8 = ("quint8", "q", 8)
    QINT16 = ("qint16", "q", 16)
    QUINT16 = ("quint16", "q", 16)
    QINT32 = ("qint32", "q", 32)
    STRING = ("string", "s", 0)
    RESOURCE = ("resource", "o", 0)
    VARIANT = ("variant", "o", 0)

    def __init__(self, label: str, kind: str, bits: int) -> None:
        self.label = label
        self.kind = kind
        self.bits = bits

    @property
    def is_float(self) -> bool:
        return self.kind == "f"

    @property
    def is_complex(self) -> bool:
        return self.kind == "c"

    @property
    def is_integer(self) -> bool:
        """Whole numbers, bool left out."""
        return self.kind in "iu"

    @property
    def real(self) -> DType:
        """The element type of the parts of a complex number; any other type is its own."""
        return _REAL.get(self, self)

    @property
    def complexified(self) -> DType:
        """The complex type whose parts are this float type; any other type is its own."""
        return _COMPLEX.get(self, self)

    @property
    def greatest(self) -> float:
        """The greatest finite number of the type; infinite where that is not known."""
        if self.kind in "iu":
            return (1 << (self.bits - (self.kind == "i"))) - 1
        return _LIMITS_OF[self][0]

    @property
    def least(self) -> float:
        """The least finite number of the type."""
        return -self.greatest if self.kind not in "iu" else 0 if self.kind == "u" else -(1 << (self.bits - 1))

    @property
    def whole_ends(self) -> tuple[int, int] | None:
        """The least and the greatest whole number that may be drawn as this type; None where each one of 64 bits may."""
        if self is DType.BOOL:
            return 0, 1
        return (int(self.least), int(self.greatest)) if self.kind in "iu" or self is DType.FLOAT16 else None

    @property
    def smallest_normal(self) -> float:
        """The least positive number that keeps all its digits; numbers below it may count as 0."""
        return _LIMITS_OF[self][1]

    @property
    def step(self) -> float:
        """The distance from 1 to the next number."""
        return _LIMITS_OF[self][2]

    def __repr__(self) -> str:
        return self.label

    __str__ = __repr__

    __hash__ = object.__hash__


_LIMITS = {
    "unknown": (float("inf"), 0.0, 0.0),
    "float8_e4m3fn": (448.0, 2.0**-6, 2.0**-3),
    "float8_e5m2": (57344.0, 2.0**-14, 2.0**-2),
    "float16": (65504.0, 2.0**-14, 2.0**-10),
    "bfloat16": (2.0**128 - 2.0**120, 2.0**-126, 2.0**-7),
    "float32": (2.0**128 - 2.0**104, 2.0**-126, 2.0**-23),
    "float64": (1.7976931348623157e308, 2.0**-1022, 2.0**-52),
}
"""Of real types by label: the greatest finite number, the least positive number with all digits, and the distance from 1 to the next number."""
_REAL = {DType.COMPLEX32: DType.FLOAT16, DType.COMPLEX64: DType.FLOAT32, DType.COMPLEX128: DType.FLOAT64}
_COMPLEX = {real: name for name, real in _REAL.items()}
_LIMITS_OF = {d: _LIMITS.get(d.real.label, _LIMITS["unknown"]) for d in DType}
BY_LABEL: dict[str, DType] = {d.label: d for d in DType}

BOOL, UINT8, INT8, INT16, INT32, INT64 = DType.BOOL, DType.UINT8, DType.INT8, DType.INT16, DType.INT32, DType.INT64
UINT16, UINT32, UINT64 = DType.UINT16, DType.UINT32, DType.UINT64
FLOAT16, BFLOAT16, FLOAT32, FLOAT64 = DType.FLOAT16, DType.BFLOAT16, DType.FLOAT32, DType.FLOAT64
COMPLEX32, COMPLEX64, COMPLEX128 = DType.COMPLEX32, DType.COMPLEX64, DType.COMPLEX128

DTypes = frozenset[DType]


def of_kind(kinds: str) -> DTypes:
    return frozenset(d for d in DType if d.kind in kinds and d.bits >= 8 and (d.kind != "f" or d.bits >= 16))


ANY: DTypes = frozenset(DType)
BOOLS: DTypes = frozenset({BOOL})
INTS: DTypes = frozenset({UINT8, INT8, INT16, INT32, INT64})
ALL_INTS: DTypes = INTS | {UINT16, UINT32, UINT64}
FLOATS: DTypes = frozenset({FLOAT16, BFLOAT16, FLOAT32, FLOAT64})
FLOATS8: DTypes = frozenset(d for d in DType if d.kind == "f" and d.bits == 8)
FULL_FLOATS: DTypes = frozenset({FLOAT32, FLOAT64})
COMPLEXES: DTypes = frozenset({COMPLEX32, COMPLEX64, COMPLEX128})
FULL_COMPLEXES: DTypes = frozenset({COMPLEX64, COMPLEX128})
REALS: DTypes = INTS | FLOATS
PRODUCTS: DTypes = frozenset(d for d in FLOATS8 if d.label != "float8_e8m0fnu")
"""The 8-bit floats that torch multiplies as matrices."""
REALS_OR_BOOL: DTypes = REALS | BOOLS
NUMBERS: DTypes = REALS_OR_BOOL | COMPLEXES
FLOATS_OR_COMPLEX: DTypes = FLOATS | COMPLEXES
LINALG: DTypes = FULL_FLOATS | FULL_COMPLEXES
INDEX: DTypes = frozenset({INT32, INT64})
FLOAT8S: DTypes = frozenset(d for d in DType if d.kind == "f" and d.bits == 8)
QUANTISED: DTypes = of_kind("q")

_SETS: dict[DTypes, str] = {
    BOOLS: "bool", ALL_INTS: "integers", INTS: "signed integers or uint8", FLOATS: "floating-point numbers", FULL_FLOATS: "float32 or float64",
    COMPLEXES: "complex numbers", FULL_COMPLEXES: "complex64 or complex128", REALS: "integers or floating-point numbers",
    REALS_OR_BOOL: "bool, integers or floating-point numbers", NUMBERS: "any number", FLOATS_OR_COMPLEX: "floating-point or complex numbers",
    LINALG: "float32, float64, complex64 or complex128", INDEX: "int32 or int64", FLOAT8S: "8-bit floating-point numbers", QUANTISED: "quantised numbers",
    ANY: "any dtype",
}  # fmt: skip
"""Sets of element types that have a name."""


def in_words(dtypes: DTypes) -> str:
    """A set of element types: its name, or the union of named sets and single types."""
    if dtypes in _SETS:
        return _SETS[dtypes]
    left, parts = set(dtypes), list[str]()
    for named in (ALL_INTS, INTS, FLOATS, FULL_FLOATS, COMPLEXES, FULL_COMPLEXES, FLOAT8S, QUANTISED):
        if named <= left:
            parts.append(_SETS[named])
            left -= named
    parts = [d.label for d in DType if d in left] + parts
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}" if parts else "no dtype"
