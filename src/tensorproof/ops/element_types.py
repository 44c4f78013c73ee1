"""Rules for the element type of a result. Each follows the promotion of the framework that spells the call."""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.ops.call import Call
from tensorproof.ops.record import DTypeRule
from tensorproof.terms.dtypes import BOOL, FLOAT32, INT32, INT64, UINT32, UINT64, DType, DTypes
from tensorproof.terms.promotion import Operand, torch_can_cast
from tensorproof.terms.tensor import TensorType


def _operands(c: Call, names: Iterable[str]) -> list[TensorType]:
    found: list[TensorType] = []
    for name in names:
        value = c[name]
        if isinstance(value, TensorType):
            found.append(value)
        elif isinstance(value, tuple):
            found.extend(v for v in value if isinstance(v, TensorType))
    return found


CONVERTED = ("numpy", "python")
"""What is no tensor of TensorFlow yet: arrays of NumPy and nested lists. They take the element type of the tensors that they meet."""


def _meeting(c: Call, operands: list[TensorType]) -> list[TensorType]:
    """Where arrays are converted, one becomes a tensor of the others' element type, whatever it holds; a list does where Python's numbers do."""
    if not c.option("converts_arrays") or all(v.weak or v.framework in CONVERTED for v in operands):
        return operands
    return [v.but(weak=True) if v.framework == "python" else v for v in operands if v.framework != "numpy"]


def promoted(c: Call, names: Iterable[str]) -> DType | None:
    """The common element type of the named inputs, by the framework's own table; None when one of them is not known."""
    operands = _meeting(c, _operands(c, names))
    if not operands or any(v.dtype is None for v in operands):
        return None
    if len({v.dtype for v in operands}) == 1 and not operands[0].weak:
        return operands[0].dtype
    result = c.common_type([Operand(v.dtype, v.weak, len(v.shape) == 0) for v in operands if v.dtype is not None])
    if result is None:
        shown = " and ".join(repr(v.dtype) for v in operands)
        raise c.refuse("dtype", f"dtypes {shown} cannot be mixed in {c.name}: convert one of them", tuple(names))
    return result


def Promote(*names: str) -> DTypeRule:
    """The common element type of the named inputs."""
    return lambda c: promoted(c, names)


def Within(rule: DTypeRule, takes: DTypes) -> DTypeRule:
    """What `rule` says, which must be one of `takes` with `typed_kernels`: those are chosen by the common type of the operands, not by each."""

    def checked(c: Call) -> DType | None:
        dtype = rule(c)
        if dtype is not None and dtype not in takes and c.option("typed_kernels"):
            first = c[c.op.inputs[0].name]
            held = not isinstance(first, TensorType) or first.dtype is None or torch_can_cast(dtype, first.dtype)
            more = "" if held else f", which {c.op.inputs[0].name} of {first.dtype!r} does not hold"
            raise c.refuse("dtype", f"{c.name} does not take operands of the common element type {dtype!r}{more}", tuple(p.name for p in c.op.inputs))
        return dtype

    return checked


def Same(*names: str) -> DTypeRule:
    """The named inputs (given ones) must have one element type, and the result has it."""

    def rule(c: Call) -> DType | None:
        operands = [v for v in _meeting(c, _operands(c, names)) if not v.weak]
        known = [v.dtype for v in operands if v.dtype is not None]
        if len(set(known)) > 1:
            given = [(name, c[name]) for name in names if c.given(name)]
            shown = ", ".join(f"{name} is {v.dtype!r}" for name, v in given if isinstance(v, TensorType) and not v.weak and v.dtype is not None)
            c.require("dtype", False, f"dtypes must be equal: {shown or ', '.join(map(repr, dict.fromkeys(known)))}", names)
        return known[0] if known else None

    return rule


def Like(name: str) -> DTypeRule:
    """The element type of one input."""

    def rule(c: Call) -> DType | None:
        operands = _operands(c, (name,))
        return operands[0].dtype if operands else None

    return rule


def float_of(c: Call, dtype: DType | None) -> DType | None:
    """What a function of real values makes of `dtype`."""
    if dtype is None or dtype.is_float or dtype.is_complex:
        return dtype
    result = c.float_type(dtype)
    if result is None:
        raise c.refuse("dtype", f"{c.name} does not take element type {dtype!r}")
    return result


def ToFloat(*names: str) -> DTypeRule:
    """Floats stay, whole numbers become the framework's float."""
    return lambda c: float_of(c, promoted(c, names))


def Real(name: str) -> DTypeRule:
    """The parts' element type of a complex input; any other stays."""

    def rule(c: Call) -> DType | None:
        dtype = c.tensor(name).dtype
        return None if dtype is None else dtype.real

    return rule


def Given(name: str = "dtype", otherwise: DTypeRule | DType = FLOAT32) -> DTypeRule:
    """The element type given as an argument, else what `otherwise` says."""

    def rule(c: Call) -> DType | None:
        given = c[name]
        if given is not None:
            made: DType | None = given
            return made
        return otherwise if isinstance(otherwise, DType) else otherwise(c)

    return rule


def Summed(name: str = "x") -> DTypeRule:
    """Sums of whole numbers and truth values are widened where the library says so: to int64, to 64 bits, or to 32 bits at least."""

    def rule(c: Call) -> DType | None:
        dtype = c.tensor(name).dtype
        if dtype is None or not (dtype.is_integer or dtype is BOOL):
            return dtype
        match c.option("sums"):
            case DType() as wide:
                return wide
            case "64_bits":
                return UINT64 if dtype.kind == "u" else INT64
            case "32_bits":
                return dtype if dtype.bits >= 32 else UINT32 if dtype.kind == "u" else INT32
            case _:
                return dtype

    return rule
