"""NumPy's universal functions: `out` and `where`, loops by element type; and what the other NumPy adapters share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorproof.bindings.adapters import Run, Value, formula, operator, python_number, tensor_in
from tensorproof.ops.inputs import Choice, Float, Int, Ints, Sizes, Tensor, Tensors
from tensorproof.ops.storage import copied_strides
from tensorproof.terms import BOOL, BY_LABEL, COMPLEX128, FLOAT16, FLOAT64, INT32, DType, Operand, TensorType, dataclass, eq, promote, to_float


class Loose:
    """A kind that tells the generator what to draw, and takes whatever a caller gives: the function looks at it itself."""

    __slots__ = ()

    def takes(self, value: Value) -> bool:
        return True

    def read(self, value: Value) -> Value:
        return value


@dataclass(frozen=True, slots=True)
class Whole(Loose, Int):
    """Mostly a whole number."""


@dataclass(frozen=True, slots=True)
class Real(Loose, Float):
    """Mostly a real number."""


@dataclass(frozen=True, slots=True)
class Sized(Loose, Sizes):
    """Mostly sizes, one an axis."""


@dataclass(frozen=True, slots=True)
class Listed(Loose, Ints):
    """Mostly a list of whole numbers."""


@dataclass(frozen=True, slots=True)
class Word(Loose, Choice):
    """Mostly a word."""


@dataclass(frozen=True, slots=True)
class LooseTensors(Loose, Tensors):
    """Mostly a list of arrays."""


@dataclass(frozen=True, slots=True)
class Data(Tensor):
    """An array for the generator; anything for a caller."""

    def takes(self, value: Value) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Vector(Tensor):
    """An array of one axis, and no other."""

    def takes(self, value: Value) -> bool:
        return isinstance(value, TensorType) and value.shape.known and len(value.shape) == 1


_KINDS = {"b": 0, "u": 1, "i": 2, "f": 3, "c": 4}


def tensor(value: Value) -> TensorType:
    return value if isinstance(value, TensorType) else python_number(value)


def _can_cast(source: DType, target: DType) -> bool:
    """Casting of the same kind, as `out=` and in-place operators want it."""
    return _KINDS[source.kind] <= _KINDS[target.kind]


def written(made: Value, a: dict[str, Value], run: Run) -> Value:
    """The result, or the array given as `out`, which it must fit and into which it is copied."""
    _no_signature(a, run)
    out = a.get("out")
    if isinstance(out, tuple) and len(out) == 1:
        (out,) = out
    if not isinstance(out, TensorType) or not isinstance(made, TensorType):
        return made
    _fits(made, out, run)
    return _put(made, out, run)


def _put(made: TensorType, out: TensorType, run: Run) -> TensorType:
    """The array with a result copied into it."""
    return run.shaped("copy_into", out.but(contents=None), out.dtype, x=out, y=made)


def _fits(made: TensorType, out: TensorType, run: Run) -> None:
    if made.shape.known and out.shape.known:
        short = len(made.shape) <= len(out.shape)
        message = f"a result {made.shape!r} does not fit into an array {out.shape!r}"
        run.require("out", short, message, ("x",))
        for a, b in zip(reversed(made.shape), reversed(out.shape)):
            run.require("out", True if a == 1 else eq(a, b), message, ("x",))
    if made.dtype is not None and out.dtype is not None and not _can_cast(made.dtype, out.dtype):
        raise run.refuse("out", f"a result of type {made.dtype!r} cannot be written into an array of {out.dtype!r}", ("x",))


def typed(made: Value, a: dict[str, Value], run: Run) -> Any:
    """The result in the element type that was asked for."""
    dtype = dtype_of(a)
    if dtype is None or not isinstance(made, TensorType) or made.dtype is dtype:
        return made
    return run("cast", x=made, dtype=dtype)


def spelled(a: dict[str, Value], run: Run) -> Value:
    """The row's formula, in the element type that was asked for, and in `out`."""
    return written(typed(formula(run, a, run), a, run), a, run)


def selecting(mask: TensorType, run: Run) -> TensorType:
    """A mask given as `where`: truth values, and nothing else."""
    if mask.dtype not in (None, BOOL):
        raise run.refuse("where", f"where selects by truth values, and has element type {mask.dtype!r}", ("where",))
    return mask


def _selected(made: TensorType, a: dict[str, Value], run: Run) -> TensorType:
    """The result where the mask `where` is true; elsewhere what was in `out`, or what lies in new memory."""
    mask, out = a.get("where"), a.get("out")
    if not isinstance(mask, TensorType):
        return made
    rest = out if isinstance(out, TensorType) else run.typed("empty_like", made.dtype, x=made)
    return run.typed("where", made.dtype, condition=selecting(mask, run), x=made, y=rest)


_ORDER = (
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip
_FLOATING = "atan2 copysign heaviside hypot logaddexp logaddexp2 nextafter cbrt deg2rad rad2deg signbit"
_SMOOTH = "exp exp2 expm1 log log2 log10 log1p sqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh"
_LOOPS: dict[str, str] = {
    **dict.fromkeys(_FLOATING.split(), "f"),
    **dict.fromkeys(["bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"], "biu"),
    **dict.fromkeys(["bitwise_left_shift", "bitwise_right_shift", "gcd", "lcm"], "iu"),
    **dict.fromkeys(["remainder", "fmod"], "iuf"),
    **dict.fromkeys(["pow", "conj", "square", "reciprocal", "sign", "neg", "positive", "sub"], "iufc"),
    **dict.fromkeys(_SMOOTH.split(), "fc"),
    **dict.fromkeys(["floor", "ceil", "trunc"], "biuf"),
    **dict.fromkeys(["add", "mul", "maximum", "minimum", "fmax", "fmin", "abs"], "biufc"),
    "div": "iufc", "float_power": "fc",
}  # fmt: skip
"""The kinds of element type that a universal function has loops for; the first loop that every operand casts to safely runs."""
_NO_BOOLS = ("gcd", "lcm", "neg", "positive", "sub", "sign")


def _loop(kinds: str, operands: list[TensorType]) -> DType | None:
    """The element type in which a universal function runs (Python numbers count by their kind only, NEP 50)."""
    firm = [v.dtype for v in operands if not v.weak and v.dtype is not None]
    if any(v.weak for v in operands):
        whole = promote("numpy", [Operand(v.dtype, v.weak) for v in operands if v.dtype is not None])
        firm = [whole] if whole is not None else firm
    for label in _ORDER:
        loop = BY_LABEL[label]
        if loop.kind in kinds and all(promote("numpy", [Operand(d), Operand(loop)]) is loop for d in firm):
            return loop
    return None


def ufunc(a: dict[str, Value], run: Run) -> Any:
    """Any universal function: `where` broadcasts with the operands, `dtype` is the loop's."""
    return written(_selected(looped(run.row.op, a, run), a, run), a, run)


def _no_signature(a: dict[str, Value], run: Run) -> None:
    """`signature=` chooses a loop in place of the operands."""
    if a.get("signature") is not None or a.get("sig") is not None:
        raise run.give_up("the loop is chosen by `signature`")


def looped(op: str, a: dict[str, Value], run: Run) -> TensorType:
    """The operator, in the element type of the loop that NumPy runs for these operands."""
    _no_signature(a, run)
    name = run.row.name.rpartition(".")[2]
    kinds = "iuf" if op == "div" and a.get("rounding") else "f" if name == "fabs" else _LOOPS.get(op)
    operands = {n: tensor(a[n]) for n in ("x", "y") if n in a}
    options = {k: v for k, v in a.items() if operator(op).parameter(k) is not None and k not in (*operands, "dtype")}
    given = list(operands.values())
    if kinds is None or any(v.dtype is None for v in given):
        return run(op, **options, **operands)
    asked = dtype_of(a)
    loop = asked or _loop(kinds, given)
    alone = all(v.dtype is BOOL for v in given)
    if (
        loop is None
        or loop.kind not in kinds
        or (alone and op in _NO_BOOLS)
        or any(v.dtype is not None and not v.weak and not _can_cast(v.dtype, loop) for v in given)
    ):
        shown = " and ".join(repr(v.dtype) for v in given)
        raise run.refuse("dtype", f"{run.row.name} does not take element type {shown}", tuple(operands))
    if asked is not None:
        operands = {n: v if v.weak or v.dtype is loop else run("cast", x=v, dtype=loop) for n, v in operands.items()}
    return run.typed(op, _result(op, loop, a), **options, **operands)


def _result(op: str, loop: DType, a: dict[str, Value]) -> DType:
    """The element type that a loop gives."""
    if operator(op).dtype is BOOL:
        return BOOL
    if op == "float_power":
        return COMPLEX128 if loop.is_complex else FLOAT64
    if op == "div" and loop.kind in "iu" and not a.get("rounding"):
        return FLOAT64
    return loop.real if op == "abs" else loop


def dtype_of(a: dict[str, Value]) -> DType | None:
    """The element type that was asked for."""
    given = a.get("dtype")
    return given if isinstance(given, DType) else BY_LABEL.get(given) if isinstance(given, str) else None


def inplace(a: dict[str, Any], run: Run) -> TensorType:
    x: TensorType = a["x"]
    if run.row.op == "matmul":
        if len(x.shape) < 1 or len(tensor(a["y"]).shape) < 2:
            raise run.refuse("rank", f"a matrix product in place needs a second operand of rank 2 or more, and it is {tensor(a['y']).shape!r}", ("y",))
        made = run.one(a)
        while len(made.shape) > len(x.shape) and made.shape[0] == 1:
            made = run("squeeze", x=made, dim=(0,))
        message = f"a result {made.shape!r} does not fit into an array {x.shape!r}"
        run.require("out", len(made.shape) == len(x.shape), message, ("x",))
        for p, q in zip(made.shape, x.shape):
            run.require("out", eq(p, q), message, ("x",))
    else:
        made = ufunc(a, run)
    _fits(made, x, run)
    if made.shape.known and len(made.shape) > len(x.shape):
        raise run.refuse("out", f"a result {made.shape!r} does not fit into an array {x.shape!r}", ("x",))
    return _put(made, x, run)


def rint(a: dict[str, Value], run: Run) -> Value:
    """Whole numbers become floats."""
    x = tensor(a["x"])
    loop = dtype_of(a) or _loop("fc", [x])
    return written(_selected(run.typed("round", loop, x=x), a, run), a, run)


def _both(made: Iterable[Value], a: dict[str, Value], run: Run) -> tuple[Value, ...]:
    """Two results, each in the array that is given for it: by position, or as the pair `out`."""
    _no_signature(a, run)
    pair = a["out"] if isinstance(a["out"], (tuple, list)) else (a["out1"], a["out2"])
    return tuple(written(one, {"out": out}, run) for one, out in zip(made, pair))


def frexp(a: dict[str, Value], run: Run) -> Value:
    x = tensor(a["x"])
    loop = _loop("f", [x])
    if loop is None:
        raise run.refuse("dtype", f"frexp does not take element type {x.dtype!r}", ("x",))
    return _both(run.typed("frexp", loop, INT32, x=x), a, run)


def ldexp(a: dict[str, Value], run: Run) -> Value:
    x, y = tensor(a["x"]), tensor(a["y"])
    loop = _loop("f", [x])
    if loop is None or (y.dtype is not None and (y.dtype.kind not in "biu" or y.dtype.label == "uint64")):
        raise run.refuse("dtype", f"ldexp does not take element types {x.dtype!r} and {y.dtype!r}", ("x", "y"))
    return written(_selected(run.typed("ldexp", loop, x=x, y=y), a, run), a, run)


def divmod(a: dict[str, Value], run: Run) -> Value:
    made = (looped("div", {"x": a["x"], "y": a["y"], "rounding": "floor"}, run), looped("remainder", {"x": a["x"], "y": a["y"]}, run))
    return _both(made, a, run)


def modf(a: dict[str, Value], run: Run) -> Value:
    """The fraction, and the whole part as a float."""
    x = tensor(a["x"])
    loop = _loop("f", [x])
    if loop is None:
        raise run.refuse("dtype", f"modf does not take element type {x.dtype!r}", ("x",))
    return _both((run.typed("frac", loop, x=x), run.typed("trunc", loop, x=x)), a, run)


def clip(a: dict[str, Value], run: Run) -> Value:
    low, high = a["low"], a["high"]
    if "min" in a:
        if low == "missing" and high == "missing":
            low, high = a["min"], a["max"]
        elif "missing" in (low, high) or a["min"] is not None or a["max"] is not None:
            raise run.refuse("call/arguments", "both bounds must be given, either as a_min and a_max or as min and max", ("low", "high"))
    x = tensor_in(a, "x")
    if low is None and high is None:
        if x.dtype is BOOL:
            raise run.refuse("dtype", "truth values are not bounded by nothing", ("x",))
        return x
    return written(typed(run("clamp", x=x, low=low, high=high), a, run), a, run)


def where(a: dict[str, Value], run: Run) -> TensorType:
    return run("where", condition=nonzero(tensor(a["condition"]), run), x=a["x"], y=a["y"])


def nonzero(x: TensorType, run: Run) -> TensorType:
    """The truth values of numbers."""
    if x.dtype is BOOL and not x.weak:
        return x
    return run("ne", x=x, y=0)


def angle(a: dict[str, Value], run: Run) -> TensorType:
    x = tensor_in(a, "x")
    dtype = x.dtype
    if dtype is not None:
        given, dtype = dtype, dtype.real if dtype.is_complex else to_float("numpy", dtype) if not dtype.is_float else dtype
        dtype = FLOAT64 if given.kind in "iub" else dtype
    made = run.typed("angle", dtype, x=x)
    return run("rad2deg", x=made) if a.get("deg") else made


def sinc(a: dict[str, Value], run: Run) -> TensorType:
    dtype = tensor_in(a, "x").dtype
    return run.typed("sinc", FLOAT64, x=a["x"]) if dtype is not None and dtype.kind in "iub" else run("sinc", x=a["x"])


def i0(a: dict[str, Value], run: Run) -> TensorType:
    x = tensor_in(a, "x")
    if x.dtype is not None and x.dtype.is_complex:
        raise run.refuse("dtype", "i0 takes no complex numbers", ("x",))
    return run.typed("i0", x.dtype if x.dtype is not None and x.dtype.is_float else FLOAT64, x=x)


def rounded(a: dict[str, Value], run: Run) -> Value:
    x = tensor_in(a, "x")
    if x.dtype is BOOL and a["decimals"] != 0:
        raise run.refuse("dtype", "truth values have no decimals", ("x",))
    return written(run.typed("round", FLOAT16 if x.dtype is BOOL else x.dtype, x=x, decimals=a["decimals"]), a, run)


def cast(a: dict[str, Value], run: Run) -> TensorType:
    if not isinstance(a["dtype"], DType):
        raise run.give_up("the element type is not known")
    made: TensorType = run("cast", x=a["x"], dtype=a["dtype"])
    return made if made.strides is None or a.get("copy") is False else run.noted(made, strides=copied_strides(made, absolute=True))


def along(x: TensorType, dim: int | None, run: Run) -> tuple[TensorType, int]:
    """An array and the axis that is meant; without one, all its elements as one vector."""
    if dim is None or len(x.shape) == 0:
        x = flattened(x, run)
    axis = 0 if dim is None else dim
    if not -len(x.shape) <= axis < len(x.shape):
        raise run.refuse("axis", f"axis {axis} is out of range for {x.shape!r}", ("dim",))
    return x, axis


def flattened(x: TensorType, run: Run) -> TensorType:
    """All elements as one vector."""
    if x.shape.known and len(x.shape) == 1:
        return x
    return run("reshape", x=x, size=(x.shape.numel,))


def isclose(a: dict[str, Any], run: Run) -> Value:
    if any(isinstance(a.get(n), (int, float)) and a[n] < 0 for n in ("rtol", "atol")):
        raise run.give_up("a negative tolerance")
    return run.default(a)
