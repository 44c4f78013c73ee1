"""The element type that results when operands of several types meet, in each framework.

An answer of None: the framework refuses (or has no such type). These are the rules of promotion alone: which types an operator has a
kernel for is the operator's own declaration (torch promotes two `qint8` to `qint8`, and `torch.add` then refuses them).
The weak operands, Python numbers, count by their kind only; the width of their `dtype` is not read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise

from tensorproof.terms.dtypes import (
    ALL_INTS,
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
    INT8,
    INT16,
    INT32,
    INT64,
    QUANTISED,
    UINT64,
    DType,
)
from tensorproof.terms.records import dataclass


@dataclass(frozen=True, slots=True)
class Operand:
    dtype: DType
    weak: bool = False
    """A Python number."""
    zero_dim: bool = False


PY_BOOL, PY_INT, PY_FLOAT, PY_COMPLEX = (Operand(d, weak=True) for d in (BOOL, INT64, FLOAT64, COMPLEX128))

_RANK = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}
_FLOAT8 = frozenset(d for d in DType if d.kind == "f" and d.bits == 8)


# --- torch -----------------------------------------------------------------------------------------------------------------------

_TORCH_HAS = frozenset(DType) - {DType.QINT16, DType.QUINT16, DType.STRING, DType.RESOURCE, DType.VARIANT}
_TORCH_ALONE = QUANTISED | _FLOAT8 | {DType.INT4}  # no promotion with any other type
_TORCH_BARE = frozenset({DType.UINT16, DType.UINT32, UINT64, DType.UINT4})  # "barebones unsigned": promoted with floats only


@cache
def _torch_pair(a: DType, b: DType) -> DType | None:
    """torch.promote_types."""
    if a not in _TORCH_HAS or b not in _TORCH_HAS:
        return None
    if a is b:
        return a
    if a in _TORCH_ALONE or b in _TORCH_ALONE:
        return None
    low, high = (a, b) if _RANK[a.kind] <= _RANK[b.kind] else (b, a)
    if low in _TORCH_BARE or high in _TORCH_BARE:
        return high if high.kind == "f" else None
    if high.kind == "c":
        parts = _torch_pair(low.real, high.real)
        return None if parts is None else parts.complexified
    if _RANK[low.kind] < _RANK[high.kind]:
        return high
    if low.bits == high.bits:  # float16 with bfloat16, uint8 with int8
        return FLOAT32 if high.kind == "f" else INT16
    return low if low.bits > high.bits else high


def _torch_complex(dtype: DType) -> DType | None:
    """The complex type that a float tensor turns into beside a complex operand of a lower category."""
    return None if dtype in _FLOAT8 else COMPLEX64 if dtype is BFLOAT16 else dtype.complexified


@cache
def _torch_combine(high: DType, low: DType) -> DType | None:
    """`high` of the category that decides, `low` of the next: only a higher kind of `low` changes the result."""
    if high.kind == "c":
        return high
    if high.kind == "f":
        return _torch_complex(high) if low.kind == "c" else high
    if low.kind == "c":
        return low
    return _torch_pair(high, low) if high is BOOL or low.kind == "f" else high


def torch_promote(operands: Sequence[Operand], default_float: DType = FLOAT32) -> DType | None:
    """torch.result_type, for any number of operands. Order matters only to a refusal: torch folds from the left."""
    categories: list[DType | None] = [None, None, None]  # dimensioned tensors, zero-dimensional tensors, Python numbers
    for operand in operands:
        dtype: DType | None = operand.dtype
        category = 1 if operand.zero_dim else 0
        if operand.weak:
            category = 2
            dtype = {"b": BOOL, "f": default_float, "c": _torch_complex(default_float)}.get(operand.dtype.kind, INT64)
            if dtype is None:
                return None
        held = categories[category]
        if (joined := _torch_pair(dtype if held is None else held, dtype)) is None:
            return None
        categories[category] = joined
    result: DType | None = None
    for dtype in reversed(categories):  # numbers first: torch too combines the lower two before it looks at the highest
        if dtype is not None:
            result = dtype if result is None else _torch_combine(dtype, result)
            if result is None:
                return None
    return result


def torch_can_cast(source: DType, target: DType) -> bool:
    """torch.can_cast: whether an in-place or `out=` result of type `source` may be written to a tensor of type `target`."""
    if source not in _TORCH_HAS or target not in _TORCH_HAS:
        return False
    if source.kind == "c":
        return target.kind == "c"
    if source.kind == "f" and target in ALL_INTS:
        return False
    return source is BOOL or target is not BOOL


# --- TensorFlow ------------------------------------------------------------------------------------------------------------------

_TF_NUMBER = {"b": BOOL, "u": INT32, "i": INT32, "f": FLOAT32, "c": COMPLEX128}  # a Python number that meets no tensor
_TF_FROM_BOOL = frozenset({BOOL, UINT64, INT32, INT64, FLOAT16, FLOAT32, FLOAT64, COMPLEX128})  # odd, and so
_TF_ABSENT = frozenset({DType.COMPLEX32, DType.FLOAT8_E8M0FNU})
_TF_FROM_FLOAT = FLOATS | FULL_COMPLEXES | {DType.FLOAT8_E4M3FN, DType.FLOAT8_E5M2}
_TF_FROM_INT = ALL_INTS | FLOATS | FULL_COMPLEXES | QUANTISED | {DType.INT4, DType.UINT4}
_TF_FROM = {"b": _TF_FROM_BOOL, "i": _TF_FROM_INT, "u": _TF_FROM_INT, "f": _TF_FROM_FLOAT, "c": FULL_COMPLEXES}
_TF_WIDE = (_TF_FROM_INT | _TF_FROM_FLOAT) - QUANTISED
_TF_FROM_IN_GRAPH = _TF_FROM | {"b": _TF_WIDE | {BOOL}, "i": _TF_WIDE, "u": _TF_WIDE}


def tf_promote(operands: Sequence[Operand], first_decides: bool = False, graph: bool = False) -> DType | None:
    """TensorFlow without new-style promotion: tensors must agree, and Python numbers are converted to the tensors' type.

    That is the rule of operators (`1 + x`) and, when eager, of most functions. Where `first_decides` (`tf.add`; most functions inside
    `tf.function` or a TF 1 graph) a number in first place is a tensor of int32, float32, complex128 or bool at once: `tf.add(1, x)` fails.
    In a `graph` True and False turn into any number.
    """
    if not operands:
        return None
    if first_decides and operands[0].weak:
        result = _TF_NUMBER[operands[0].dtype.kind]
    else:
        result = next((o.dtype for o in operands if not o.weak), None) or _TF_NUMBER[operands[0].dtype.kind]
    takes = _TF_FROM_IN_GRAPH if graph else _TF_FROM
    agree = all(result in takes[o.dtype.kind] if o.weak else o.dtype is result for o in operands)
    return result if agree and result not in _TF_ABSENT else None


# --- Keras -----------------------------------------------------------------------------------------------------------------------

# Each chain rises. "int" and "float" are Python numbers; a Python complex or bool is an ordinary complex128 or bool.
_KERAS_CHAINS = (
    "bool int uint8 uint16 uint32 uint64 float bfloat16 float32 float64 complex128",
    "int int8 int16 int32 int64 float float16 float32 complex64 complex128",
    "uint8 int16, uint16 int32, uint32 int64, int complex64",
)
_KERAS_STEPS = [pair for chains in _KERAS_CHAINS for chain in chains.split(", ") for pair in pairwise(chain.split())]
_KERAS_NODE = {"b": "bool", "u": "int", "i": "int", "f": "float", "c": "complex128"}
_KERAS_NARROW = {UINT64: DType.UINT32, COMPLEX128: COMPLEX64}
_KERAS_NARROW_64 = _KERAS_NARROW | {INT64: INT32, FLOAT64: FLOAT32}


@cache
def _keras_bounds(node: str) -> frozenset[str]:
    return frozenset({node}).union(*(_keras_bounds(above) for below, above in _KERAS_STEPS if below == node))


@cache
def _keras_join(nodes: frozenset[str]) -> DType | None:
    if nodes == frozenset({"string"}):
        return DType.STRING
    common = frozenset[str].intersection(*map(_keras_bounds, nodes))
    least = next((node for node in common if common <= _keras_bounds(node)), "")
    known = all("complex128" in _keras_bounds(node) for node in nodes)
    return {"int": INT32, "float": FLOAT32}.get(least, BY_LABEL.get(least)) if known else None


def keras_promote(operands: Sequence[Operand], backend: str = "tensorflow") -> DType | None:
    """keras.backend.result_type with floatx float32. uint64 and complex128 come out in half the width; so do all 64-bit types of a
    backend other than TensorFlow's."""
    if not operands:
        return FLOAT32
    result = _keras_join(frozenset(_KERAS_NODE[o.dtype.kind] if o.weak else o.dtype.label for o in operands))
    return None if result is None else (_KERAS_NARROW if backend == "tensorflow" else _KERAS_NARROW_64).get(result, result)


# --- NumPy -----------------------------------------------------------------------------------------------------------------------

_ML_DTYPES = _FLOAT8 | {BFLOAT16}  # of the package ml_dtypes
_ML_FIRST = frozenset({DType.FLOAT8_E4M3FN, DType.FLOAT8_E4M3FNUZ, DType.FLOAT8_E5M2FNUZ})  # among these the first operand wins
_NUMPY_HAS = ALL_INTS | FLOATS | FULL_COMPLEXES | _FLOAT8 | {BOOL}
_INT_BY_BITS = {8: INT8, 16: INT16, 32: INT32, 64: INT64}
_FLOAT_BY_BITS = {8: FLOAT16, 16: FLOAT32, 32: FLOAT64, 64: FLOAT64}  # the float type that holds an integer of so many bits


@cache
def _numpy_pair(a: DType, b: DType) -> DType | None:
    if a not in _NUMPY_HAS or b not in _NUMPY_HAS:
        return None
    if a is b:
        return a
    low, high = (a, b) if _RANK[a.kind] <= _RANK[b.kind] else (b, a)
    if low is BOOL:
        return high
    if high.kind == "c":
        real = _numpy_pair(FLOAT32 if low in _ML_DTYPES else low.real, high.real)
        return None if real is None else real.complexified
    if high.kind == "f" and low.kind in "iu":
        if high in _ML_DTYPES:
            return high if low.bits == 8 else _FLOAT_BY_BITS[low.bits]
        return max(high, _FLOAT_BY_BITS[low.bits], key=lambda d: d.bits)
    if high.kind == "f":
        if low in _ML_FIRST and high in _ML_FIRST:
            return a
        return FLOAT64 if FLOAT64 in (low, high) else FLOAT32
    if low.kind == high.kind:
        return low if low.bits > high.bits else high
    unsigned, signed = (low, high) if low.kind == "u" else (high, low)
    if signed.bits > unsigned.bits:
        return signed
    return FLOAT64 if unsigned.bits == 64 else _INT_BY_BITS[2 * unsigned.bits]


@cache
def _numpy_number(result: DType, kind: str) -> DType:
    """`result` beside a Python number of that kind (NEP 50): changed only where the number's kind is higher."""
    if kind == "f" and result in _ML_DTYPES:
        return FLOAT32  # ml_dtypes knows no weak float
    if _RANK[kind] <= _RANK[result.kind]:
        return result
    if kind == "c":
        return COMPLEX64 if result.kind == "f" and result is not FLOAT64 else COMPLEX128
    return FLOAT64 if kind == "f" else INT64


def numpy_promote(operands: Sequence[Operand]) -> DType | None:
    """NumPy 2: as np.add, or np.result_type for more operands. Of ml_dtypes, bfloat16 and float8; complex32, int4 and uint4 are None."""
    # The highest kind first, as NumPy does: int16, uint16, float32 give float32, and not float64 by way of int32.
    tensors = sorted((o.dtype for o in operands if not o.weak), key=lambda d: -_RANK.get(d.kind, 0))
    result: DType | None = None
    for dtype in tensors:
        if (result := _numpy_pair(dtype if result is None else result, dtype)) is None:
            return None
    numbers = {o.dtype.kind for o in operands if o.weak}
    if not numbers:
        return result
    return _numpy_number(BOOL if result is None else result, max(numbers, key=lambda kind: _RANK[kind]))


# --- all of them -----------------------------------------------------------------------------------------------------------------


def onnx_promote(operands: Sequence[Operand]) -> DType | None:
    """ONNX has no promotion and no Python numbers: all equal."""
    return operands[0].dtype if len({operand.dtype for operand in operands}) == 1 else None


_PROMOTE: dict[str, Callable[[Sequence[Operand]], DType | None]] = {
    "torch": torch_promote,
    "tf": tf_promote,
    "keras": keras_promote,
    "numpy": numpy_promote,
    "onnx": onnx_promote,
}


def promote(framework: str, operands: Sequence[Operand]) -> DType | None:
    return _PROMOTE[framework](operands)


@cache
def to_float(framework: str, dtype: DType, default_float: DType = FLOAT32) -> DType | None:
    """What log and sin return. Not quite what mean does: NumPy's gives float64 for every integer type, TensorFlow's gives integers."""
    match framework:
        case "torch":
            return default_float if dtype is BOOL or dtype in ALL_INTS else dtype if dtype.kind in "fc" else None
        case "keras":
            return keras_promote((Operand(dtype), PY_FLOAT))
        case "numpy":
            return None if dtype not in _NUMPY_HAS else dtype if dtype.kind in "fc" else _FLOAT_BY_BITS[dtype.bits]
        case "tf":
            return dtype if dtype in FLOATS | FULL_COMPLEXES else None
        case "onnx":
            return dtype if dtype in FLOATS else None
        case _:
            raise KeyError(framework)
