"""NumPy's functions where they need more than a renaming: `out` and `where`, axes of None that flatten, its own element types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tensorproof.bindings.arrays import Ragged, array_like
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.call import python_number
from tensorproof.ops.inputs import REQUIRED, Anything, Axes, Axis, Bool, Choice, ElementType, Float, Index, Int, Ints, Number, Sizes, Tensor, Tensors, as_size, is_number, is_size
from tensorproof.terms.dtypes import BOOL, BY_LABEL, COMPLEX64, COMPLEX128, FLOAT16, FLOAT32, FLOAT64, INT32, INT64, DType
from tensorproof.terms.ints import Dim, Term, maximum, minimum
from tensorproof.terms.predicates import conj, disj, eq, ge, le, lt, ne
from tensorproof.terms.promotion import Operand, promote, to_float
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

class Loose:
    """A kind that tells the generator what to draw, and takes whatever a caller gives: the function looks at it itself."""

    __slots__ = ()

    def takes(self, value: Any) -> bool:
        return True

    def read(self, value: Any) -> Any:
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
class Many(Loose, Tensors):
    """Mostly a list of arrays."""


@dataclass(frozen=True, slots=True)
class Data(Tensor):
    """An array for the generator; anything for a caller."""

    def takes(self, value: Any) -> bool:
        return True


_KINDS = {"b": 0, "u": 1, "i": 2, "f": 3, "c": 4}


def tensor(value: Any) -> TensorType:
    return value if isinstance(value, TensorType) else python_number(value)


def _can_cast(source: DType, target: DType) -> bool:
    """Casting of the same kind, as `out=` and in-place operators want it."""
    return _KINDS[source.kind] <= _KINDS[target.kind]


def written(made: Any, a: dict[str, Any], run: Run) -> Any:
    """The result, or the array given as `out`, which it must fit."""
    out = a.get("out")
    if isinstance(out, tuple) and len(out) == 1:
        (out,) = out
    if not isinstance(out, TensorType) or not isinstance(made, TensorType):
        return made
    _fits(made, out, run)
    return out.but(contents=None)


def _fits(made: TensorType, out: TensorType, run: Run) -> None:
    if made.shape.known and out.shape.known:
        short = len(made.shape) <= len(out.shape)
        message = f"a result {made.shape!r} does not fit into an array {out.shape!r}"
        run.require("out", short, message, ("x",))
        for a, b in zip(reversed(made.shape), reversed(out.shape)):
            run.require("out", True if a == 1 else eq(a, b), message, ("x",))
    if made.dtype is not None and out.dtype is not None and not _can_cast(made.dtype, out.dtype):
        raise run.refuse("out", f"a result of type {made.dtype!r} cannot be written into an array of {out.dtype!r}", ("x",))


def typed(made: Any, a: dict[str, Any]) -> Any:
    dtype = dtype_of(a)
    return made.but(dtype=dtype, contents=None) if dtype is not None and isinstance(made, TensorType) else made


_ORDER = (
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip
_FLOATING = "atan2 copysign heaviside hypot logaddexp logaddexp2 nextafter cbrt deg2rad rad2deg signbit"
_LOOPS: dict[str, str] = {
    **dict.fromkeys(_FLOATING.split(), "f"),
    **dict.fromkeys("bitwise_and bitwise_or bitwise_xor bitwise_not".split(), "biu"),
    **dict.fromkeys("bitwise_left_shift bitwise_right_shift gcd lcm".split(), "iu"),
    **dict.fromkeys("remainder fmod".split(), "iuf"),
    **dict.fromkeys("pow conj square reciprocal sign neg positive sub".split(), "iufc"),
    **dict.fromkeys("exp exp2 expm1 log log2 log10 log1p sqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh".split(), "fc"),
    **dict.fromkeys("floor ceil trunc".split(), "biuf"),
    **dict.fromkeys("add mul maximum minimum fmax fmin abs".split(), "biufc"),
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


def ufunc(a: dict[str, Any], run: Run) -> Any:
    """Any universal function: `where` broadcasts with the operands, `dtype` is the loop's."""
    op, name = run.row.op, run.row.name.rpartition(".")[2]
    kinds = "iuf" if op == "div" and a.get("rounding") else "f" if name == "fabs" else _LOOPS.get(op)
    names = [n for n in ("x", "y") if n in a]
    given = [tensor(a[n]) for n in names]
    b = {k: v for k, v in a.items() if k not in ("where", "dtype", "out")}
    if kinds is None or any(v.dtype is None for v in given):
        made = run.default(b)
    else:
        loop = dtype_of(a) or _loop(kinds, given)
        alone = all(v.dtype is BOOL for v in given)
        if loop is None or loop.kind not in kinds or (alone and op in _NO_BOOLS) or any(v.dtype is not None and not v.weak and not _can_cast(v.dtype, loop) for v in given):
            shown = " and ".join(repr(v.dtype) for v in given)
            raise run.refuse("dtype", f"{run.row.name} does not take element type {shown}", tuple(names))
        for n, v in zip(names, given):
            b[n] = v.but(dtype=loop, weak=False, contents=v.contents if loop.kind in "biu" else None)
        made = run.default(b)
        if op == "float_power":
            made = made.but(dtype=COMPLEX128 if loop.is_complex else FLOAT64)
        elif made.dtype is not BOOL:
            made = made.but(dtype=FLOAT64 if op == "div" and loop.kind in "iu" and not a.get("rounding") else loop.real if op == "abs" else loop)
    mask = a.get("where")
    if isinstance(mask, TensorType):
        made = made.but(shape=run("where", condition=mask.but(dtype=BOOL), x=made, y=made).shape)
    return written(made, a, run)


def dtype_of(a: dict[str, Any]) -> DType | None:
    """The element type that was asked for."""
    given = a.get("dtype")
    return given if isinstance(given, DType) else BY_LABEL.get(given) if isinstance(given, str) else None


def inplace(a: dict[str, Any], run: Run) -> Any:
    x: TensorType = a["x"]
    if run.row.op == "matmul":
        if len(x.shape) < 1 or len(tensor(a["y"]).shape) < 2:
            raise run.refuse("rank", f"a matrix product in place needs a second operand of rank 2 or more, and it is {tensor(a['y']).shape!r}", ("y",))
        made = run.default(a)
        while len(made.shape) > len(x.shape) and made.shape[0] == 1:
            made = made.but(shape=Shape(made.shape[1:]))
        message = f"a result {made.shape!r} does not fit into an array {x.shape!r}"
        run.require("out", len(made.shape) == len(x.shape), message, ("x",))
        for p, q in zip(made.shape, x.shape):
            run.require("out", eq(p, q), message, ("x",))
    else:
        made = ufunc(a, run)
    _fits(made, x, run)
    if made.shape.known and len(made.shape) > len(x.shape):
        raise run.refuse("out", f"a result {made.shape!r} does not fit into an array {x.shape!r}", ("x",))
    return x.but(contents=None)


def rint(a: dict[str, Any], run: Run) -> Any:
    """Whole numbers become floats."""
    x = tensor(a["x"])
    loop = dtype_of(a) or _loop("fc", [x])
    return written(x.but(dtype=loop, contents=None), a, run)


def frexp(a: dict[str, Any], run: Run) -> Any:
    x = tensor(a["x"])
    loop = _loop("f", [x])
    if loop is None:
        raise run.refuse("dtype", f"frexp does not take element type {x.dtype!r}", ("x",))
    return (x.but(dtype=loop, contents=None), x.but(dtype=INT32, contents=None))


def ldexp(a: dict[str, Any], run: Run) -> Any:
    x, y = tensor(a["x"]), tensor(a["y"])
    loop = _loop("f", [x])
    if loop is None or (y.dtype is not None and (y.dtype.kind not in "biu" or y.dtype.label == "uint64")):
        raise run.refuse("dtype", f"ldexp does not take element types {x.dtype!r} and {y.dtype!r}", ("x", "y"))
    return written(run("mul", x=x.but(dtype=loop, contents=None), y=y.but(dtype=loop, weak=False, contents=None)), a, run)


def product(a: dict[str, Any], run: Run) -> Any:
    return written(typed(run.default({k: v for k, v in a.items() if k != "dtype"}), a), a, run)


def matvec(a: dict[str, Any], run: Run) -> Any:
    return _with_vector(a, run, "x", "y")


def vecmat(a: dict[str, Any], run: Run) -> Any:
    return _with_vector(a, run, "y", "x")


def _with_vector(a: dict[str, Any], run: Run, matrix: str, vector: str) -> Any:
    m, v = a[matrix], a[vector]
    if len(m.shape) < 2 or len(v.shape) < 1:
        raise run.refuse("rank", f"a matrix and a vector are multiplied, and they are {m.shape!r} and {v.shape!r}", ("x", "y"))
    row = vector == "x"
    wide = v.but(shape=Shape((*v.shape[:-1], 1, v.shape[-1]) if row else (*v.shape, 1)))
    made = run("matmul", x=wide, y=m) if row else run("matmul", x=m, y=wide)
    return made.but(shape=Shape((*made.shape[:-2], made.shape[-1]) if row else made.shape[:-1]))


def divmod(a: dict[str, Any], run: Run) -> Any:
    made = ufunc({"x": a["x"], "y": a["y"], "rounding": "floor"}, run)
    return (made, made.but(contents=None))


def modf(a: dict[str, Any], run: Run) -> Any:
    x = tensor(a["x"])
    loop = _loop("f", [x])
    if loop is None:
        raise run.refuse("dtype", f"modf does not take element type {x.dtype!r}", ("x",))
    return (x.but(dtype=loop, contents=None), x.but(dtype=loop, contents=None))


def truth(a: dict[str, Any], run: Run) -> Any:
    """A plain True or False; unequal shapes are unequal arrays."""
    if run.row.op == "allclose":
        run("isclose", x=a["x"], y=a["y"])
    return TensorType(Shape(), BOOL)


@takes(Tensor("low", "...", optional=True, scalar=True), Tensor("high", "...", optional=True, scalar=True))
def clip(a: dict[str, Any], run: Run) -> Any:
    low, high = a["low"], a["high"]
    if "min" in a:
        if low == "missing" and high == "missing":
            low, high = a["min"], a["max"]
        elif "missing" in (low, high) or a["min"] is not None or a["max"] is not None:
            raise run.refuse("call/arguments", "both bounds must be given, either as a_min and a_max or as min and max", ("low", "high"))
    x = a["x"]
    if low is None and high is None:
        if x.dtype is BOOL:
            raise run.refuse("dtype", "truth values are not bounded by nothing", ("x",))
        return x
    return written(typed(run("clamp", x=x, low=low, high=high), a), a, run)


@takes(Tensor("condition", "..."))
def where(a: dict[str, Any], run: Run) -> Any:
    return run("where", condition=tensor(a["condition"]).but(dtype=BOOL), x=a["x"], y=a["y"])


def imag(a: dict[str, Any], run: Run) -> Any:
    x = a["x"]
    return x.but(dtype=None if x.dtype is None else x.dtype.real, contents=None, strides=None)


def angle(a: dict[str, Any], run: Run) -> Any:
    x = a["x"]
    dtype = x.dtype
    if dtype is not None:
        dtype = dtype.real if dtype.is_complex else to_float("numpy", dtype) if not dtype.is_float else dtype
        dtype = FLOAT64 if x.dtype.kind in "iub" else dtype
    return x.but(dtype=dtype, contents=None)


def sinc(a: dict[str, Any], run: Run) -> Any:
    made = run("sinc", x=a["x"])
    return made.but(dtype=FLOAT64) if a["x"].dtype is not None and a["x"].dtype.kind in "iub" else made


def i0(a: dict[str, Any], run: Run) -> Any:
    x = a["x"]
    if x.dtype is not None and x.dtype.is_complex:
        raise run.refuse("dtype", "i0 takes no complex numbers", ("x",))
    return x.but(dtype=x.dtype if x.dtype is not None and x.dtype.is_float else FLOAT64, contents=None)


@takes(Int("decimals", 0))
def rounded(a: dict[str, Any], run: Run) -> Any:
    x = a["x"]
    if x.dtype is BOOL and a["decimals"] != 0:
        raise run.refuse("dtype", "truth values have no decimals", ("x",))
    made = x.but(dtype=FLOAT16 if x.dtype is BOOL else x.dtype)
    return written(made, a, run)


def cast(a: dict[str, Any], run: Run) -> Any:
    if not isinstance(a["dtype"], DType):
        raise run.give_up("the element type is not known")
    return run("cast", x=a["x"], dtype=a["dtype"])


# --- reductions -----------------------------------------------------------------------------------------------------------


def _masked(a: dict[str, Any], run: Run) -> None:
    mask = a.get("where")
    if isinstance(mask, TensorType):
        run("where", condition=mask.but(dtype=BOOL), x=a["x"], y=a["x"])


def no_list(a: dict[str, Any], run: Run) -> None:
    """NumPy takes a tuple of axes, and no list."""
    if isinstance(a.get("dim"), list):
        raise run.refuse("axis", f"several axes are given as a tuple, not as the list {a['dim']!r}", ("dim",))


def reduced(a: dict[str, Any], run: Run) -> Any:
    _masked(a, run)
    no_list(a, run)
    x: TensorType = a["x"]
    if run.row.name.endswith("nanmean") and a["dtype"] is not None and x.dtype is not None and x.dtype.kind in "fc" and a["dtype"].kind not in "fc":
        raise run.refuse("dtype", f"the mean of {x.dtype!r} is no {a['dtype']!r}", ("x", "dtype"))
    if run.row.op in ("amax", "amin") and is_number(a.get("initial")):
        return written(run("sum", x=x, dim=a["dim"], keepdim=a["keepdim"]).but(dtype=x.dtype), a, run)
    if a["dim"] in ((), []) and x.shape.known:
        return written(run.default({**a, "dim": None}).but(shape=x.shape, contents=None), a, run)
    if run.row.name.endswith("ptp") and x.dtype is BOOL:
        raise run.refuse("dtype", "the extent of truth values is not defined: NumPy does not subtract them", ("x",))
    return written(run.default(a), a, run)


@takes(Number("ddof", 0), Number("correction", None, optional=True))
def spread(a: dict[str, Any], run: Run) -> Any:
    _masked(a, run)
    no_list(a, run)
    if a.get("correction") is not None and a["ddof"] != 0:
        raise run.refuse("correction", "ddof and correction say the same thing: give one of them", ("ddof", "correction"))
    correction = a["ddof"] if a.get("correction") is None else a["correction"]
    if a["dim"] in ((), []) and a["x"].shape.known:
        return a["x"].but(dtype=run(run.row.op, x=a["x"], dim=None).dtype, contents=None)
    made = run(run.row.op, x=a["x"], dim=a["dim"], keepdim=a["keepdim"], correction=correction)
    return written(typed(made, a), a, run)


def arg(a: dict[str, Any], run: Run) -> Any:
    if isinstance(a["dim"], (tuple, list)):
        raise run.refuse("axis", "one axis is searched, not several", ("dim",))
    return written(run.default(a), a, run)


def middle(a: dict[str, Any], run: Run) -> Any:
    """The median: whole numbers become float64."""
    return _float(a, run, run("sum", x=a["x"], dim=a["dim"], keepdim=a["keepdim"]))


def _float(a: dict[str, Any], run: Run, made: TensorType) -> Any:
    dtype = a["x"].dtype
    return written(made.but(dtype=dtype if dtype is None or dtype.kind in "fc" else FLOAT64, contents=None), a, run)


@takes(Tensor("q", "Q | ", values="unit", scalar=True), Axes("dim", None))
def quantile(a: dict[str, Any], run: Run) -> Any:
    x: TensorType = a["x"]
    if x.dtype is not None and x.dtype.is_complex:
        raise run.refuse("dtype", "complex numbers have no order", ("x",))
    if x.dtype is BOOL and tensor(a["q"]).dtype is not None and tensor(a["q"]).dtype.kind in "iub":
        raise run.give_up("whole fractions of truth values")
    if x.dtype is BOOL:
        raise run.refuse("dtype", "quantiles of truth values are not defined: NumPy does not subtract them", ("x",))
    q = tensor(a["q"])
    if q.dtype is not None and q.dtype.is_complex:
        raise run.refuse("dtype", "the fractions must be real", ("q",))
    made = run("sum", x=x, dim=a["dim"], keepdim=a["keepdim"])
    dtype = promote("numpy", [Operand(FLOAT64 if x.dtype.kind in "iu" else x.dtype), Operand(q.dtype or FLOAT64, q.weak)]) if x.dtype is not None else None
    if q.dtype is not None and q.dtype.kind in "iub":
        dtype = None  # NumPy's own rule for whole fractions is erratic
    return written(made.but(shape=Shape((*q.shape, *made.shape)), dtype=dtype, contents=None), a, run)


@takes(Tensor("weights", "...", optional=True, default=None))
def average(a: dict[str, Any], run: Run) -> Any:
    x, w = a["x"], a["weights"]
    made = run("mean", x=x, dim=a["dim"], keepdim=a["keepdim"])
    if w is not None:
        axes = a["dim"] if isinstance(a["dim"], (tuple, list)) else (a["dim"],)
        same = len(w.shape) == len(x.shape)
        if not same:
            if a["dim"] is None or len(w.shape) != len(axes):
                raise run.refuse("weights", f"weights {w.shape!r} do not fit x {x.shape!r} without their axis", ("weights", "x"))
        against = x.shape if same else [x.shape[i] for i in axes]
        for n, m in zip(w.shape, against):
            run.require("weights", eq(n, m), f"weights {w.shape!r} do not fit x {x.shape!r}", ("weights", "x"))
        made = made.but(dtype=None if None in (made.dtype, w.dtype) else promote("numpy", [Operand(made.dtype), Operand(w.dtype)] + ([Operand(FLOAT64)] if w.dtype.kind in "iub" else [])))
    return (made, made) if a["returned"] else made


def cumulative(a: dict[str, Any], run: Run) -> Any:
    x = a["x"]
    if a["dim"] is None:
        x, dim = _flat(x), 0
    else:
        dim = a["dim"]
    if len(x.shape) == 0:
        x = x.but(shape=Shape((1,)))
    dtype = a.get("dtype")
    if dtype is None and x.dtype is not None and x.dtype.kind in "iub":
        dtype = run("sum", x=x).dtype
    made = run(run.row.op, x=x, dim=dim)
    return written(made if dtype is None else made.but(dtype=dtype), a, run)


def _flat(x: TensorType) -> TensorType:
    return x.but(shape=Shape((x.shape.numel,)), strides=None)


@takes(Tensor("prepend", "...", optional=True, default=None), Tensor("append", "...", optional=True, default=None))
def diff(a: dict[str, Any], run: Run) -> Any:
    if len(a["x"].shape) == 0:
        raise run.refuse("rank", "differences need at least one axis", ("x",))
    return run.default(a)


def ediff1d(a: dict[str, Any], run: Run) -> Any:
    x = a["x"]
    size = maximum(x.shape.numel - 1, 0)
    for name in ("to_begin", "to_end"):
        if a[name] is not None:
            size = size + (a[name].shape.numel if isinstance(a[name], TensorType) else len(a[name]) if isinstance(a[name], (list, tuple)) else 1)
    if x.dtype is BOOL:
        raise run.refuse("dtype", "NumPy does not subtract truth values", ("x",))
    return x.but(shape=Shape((size,)), contents=None, strides=None)


def _ordered(x: TensorType) -> TensorType:
    """NumPy orders complex numbers too, by their real parts first."""
    return x.but(dtype=FLOAT32) if x.dtype is not None and x.dtype.is_complex else x


@takes(Axis("dim", -1, optional=True))
def sorted(a: dict[str, Any], run: Run) -> Any:
    x = a["x"] if a["dim"] is not None else _flat(a["x"])
    dim = 0 if a["dim"] is None else a["dim"]
    if len(x.shape) == 0:
        raise run.refuse("rank", "a number cannot be sorted", ("x",))
    return run("sort", x=_ordered(x), dim=dim)[0].but(dtype=x.dtype)


@takes(Axis("dim", -1, optional=True))
def argsorted(a: dict[str, Any], run: Run) -> Any:
    x = a["x"] if a["dim"] is not None and len(a["x"].shape) else _flat(a["x"])
    return run("argsort", x=_ordered(x), dim=0 if a["dim"] is None else a["dim"]).but(dtype=INT64)


@takes(Int("kth"), Axis("dim", -1, optional=True))
def partitioned(a: dict[str, Any], run: Run) -> Any:
    made = sorted(a, run) if run.row.op == "sort" else argsorted(a, run)
    flat = a["dim"] is None
    size = made.shape[0 if flat else a["dim"]] if len(made.shape) else 1
    for k in a["kth"] if isinstance(a["kth"], (tuple, list)) else (a["kth"],):
        if is_size(k):
            run.require("kth", disj(eq(size, 0), conj(lt(k, size), ge(k, 0 - size))), f"element {k!r} does not exist on an axis of {size!r}", ("kth", "x"))
    return made


def unique(a: dict[str, Any], run: Run) -> Any:
    x: TensorType = a["x"]
    if a["dim"] is None:
        made = run("unique", x=x, return_inverse=True, return_counts=True)
        values = made[0] if isinstance(made, tuple) else made
    else:
        if not -len(x.shape) <= a["dim"] < len(x.shape):
            raise run.refuse("axis", f"axis {a['dim']} is out of range for {x.shape!r}", ("dim", "x"))
        at = a["dim"] % len(x.shape)
        many = run.fresh("unique", 0, x.shape[at] if isinstance(x.shape[at], int) else None)
        values = x.but(shape=Shape((*x.shape[:at], many, *x.shape[at + 1 :])), contents=None, strides=None)
    outs: list[Any] = [values]
    count = values.shape[a["dim"] if a["dim"] is not None else 0]
    line = TensorType(Shape((count,)), INT64)
    if a["return_index"]:
        outs.append(line)
    if a["return_inverse"]:
        shape = x.shape if a["dim"] is None else Shape((x.shape[a["dim"]],))
        outs.append(TensorType(shape, INT64))
    if a["return_counts"]:
        outs.append(line)
    return tuple(outs) if len(outs) > 1 else values


@takes(Tensor("x", "N"), Tensor("y", "...", scalar=True))
def searchsorted(a: dict[str, Any], run: Run) -> Any:
    if len(a["x"].shape) != 1:
        raise run.refuse("rank", f"places are sought in a vector, and it is {a['x'].shape!r}", ("x",))
    y = tensor(a["y"])
    word(run, a, "side", ("left", "right"))
    if run.row.name.endswith("digitize") and "c" in [v.dtype.kind for v in (y, a["x"]) if v.dtype is not None]:
        raise run.refuse("dtype", "complex numbers have no order", ("x", "y"))
    order = a.get("sorter")
    if isinstance(order, TensorType):
        run.require("sorter", len(order.shape) == 1, f"sorter is a vector, and it is {order.shape!r}", ("sorter",))
        run.require("sorter", eq(order.shape[0], a["x"].shape[0]), f"sorter has {order.shape[0]!r} elements and x has {a['x'].shape[0]!r}", ("sorter", "x"))
    return y.but(dtype=INT64, contents=None, weak=False)


def word(run: Run, a: dict[str, Any], name: str, options: tuple[Any, ...]) -> None:
    if name in a and a[name] not in options:
        raise run.refuse(name, f"{name} must be one of {', '.join(map(repr, options))}, and is {a[name]!r}", (name,))


@takes(Anything("bins", 10), Anything("range"))
def histogram(a: dict[str, Any], run: Run) -> Any:
    bins = a["bins"]
    if isinstance(bins, str):
        n: Any = run.fresh("bins", 1)
    elif isinstance(bins, TensorType):
        n = bins.shape[0] - 1
    else:
        n = len(bins) - 1 if isinstance(bins, (list, tuple)) else bins
        run.require("bins", ge(n, 1), f"there must be at least one bin, and there are {n!r}", ("bins",))
    weight = a["weight"]
    if isinstance(weight, TensorType):
        run.require("weight", len(weight.shape) == len(a["x"].shape), f"weights {weight.shape!r} do not fit {a['x'].shape!r}", ("weight", "x"))
        for p, q in zip(weight.shape, a["x"].shape):
            run.require("weight", eq(p, q), f"weights {weight.shape!r} do not fit {a['x'].shape!r}", ("weight", "x"))
    counted = FLOAT64 if a["density"] else INT64 if weight is None else weight.dtype
    x = a["x"].dtype
    edges = FLOAT32 if x is FLOAT32 else FLOAT16 if x is FLOAT16 else FLOAT64
    return (TensorType(Shape((n,)), counted), TensorType(Shape((n + 1,)), edges if is_size(bins) else FLOAT64))


def cov(a: dict[str, Any], run: Run) -> Any:
    x: TensorType = a["x"]
    if a.get("fweights") is not None or a.get("aweights") is not None:
        raise run.give_up("weighted observations")
    if len(x.shape) > 2:
        raise run.refuse("rank", f"observations are a matrix, and they are {x.shape!r}", ("x",))
    rows = 1 if len(x.shape) < 2 else x.shape[0 if a["rowvar"] else 1]
    if a["y"] is not None:
        rows = rows + (1 if len(a["y"].shape) < 2 else a["y"].shape[0 if a["rowvar"] else 1])
    dtype = a.get("dtype") or (None if x.dtype is None else promote("numpy", [Operand(x.dtype), Operand(FLOAT64)]))
    return TensorType(Shape((rows, rows)) if isinstance(rows, Term) or rows != 1 else Shape(), dtype)


# --- shapes -----------------------------------------------------------------------------------------------------------------


@takes(Ints("size", shape=True))
def reshape(a: dict[str, Any], run: Run) -> Any:
    word(run, a, "order", ("C", "F", "A"))
    x = a["x"] if a.get("order", "C") == "C" else a["x"].but(contents=None)
    size = a["size"] if isinstance(a["size"], (tuple, list)) else (a["size"],)
    return run("reshape", x=x, size=tuple(-1 if isinstance(n, int) and n < 0 else n for n in size))  # any negative size means -1


def ravel(a: dict[str, Any], run: Run) -> Any:
    word(run, a, "order", ("C", "F", "A", "K"))
    x = a["x"] if a["order"] == "C" else a["x"].but(contents=None)
    return x.but(shape=Shape((x.shape.numel,)), strides=None)


@takes(Axes("axes", None))
def transpose(a: dict[str, Any], run: Run) -> Any:
    axes = a["axes"]
    if isinstance(axes, (tuple, list)) and len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))):
        (axes,) = axes
    if axes is None or (axes in ((), []) and run.row.name.startswith("numpy.ndarray")):
        return run("reversed_axes", x=a["x"])
    return run("permute", x=a["x"], dim=axes)


@takes(Axis("axis"), Int("start", 0))
def rollaxis(a: dict[str, Any], run: Run) -> Any:
    x, axis, start = a["x"], a["axis"], a["start"]
    rank = len(x.shape)
    if not -rank <= axis < rank or not -rank <= start <= rank:
        raise run.refuse("axis", f"axis {axis} or start {start} is out of range for rank {rank}", ("axis", "start"))
    axis, start = axis % rank, start + rank if start < 0 else start
    start = start - 1 if axis < start else start
    order = [i for i in range(rank) if i != axis]
    order.insert(start, axis)
    return run("permute", x=x, dim=tuple(order))


@takes(Axes("dim", None))
def squeeze(a: dict[str, Any], run: Run) -> Any:
    """Only axes of size 1 are squeezed; a named one of another size is an error."""
    no_list(a, run)
    x, dim = a["x"], a["dim"]
    if dim is not None and x.shape.known:
        for axis in dim if isinstance(dim, (tuple, list)) else (dim,):
            if len(x.shape) and -len(x.shape) <= axis < len(x.shape):
                run.require("size", eq(x.shape[axis], 1), f"axis {axis} is {x.shape[axis]!r} and only an axis of 1 is squeezed", ("x", "dim"))
    return run("squeeze", x=x, dim=dim)


@takes(Axes("axis", optional=False))
def expand_dims(a: dict[str, Any], run: Run) -> Any:
    x: TensorType = a["x"]
    axes = a["axis"] if isinstance(a["axis"], (tuple, list)) else (a["axis"],)
    rank = len(x.shape) + len(axes)
    for axis in axes:
        if not -rank <= axis < rank:
            raise run.refuse("axis", f"axis {axis} is out of range for a result of rank {rank}", ("axis",))
    at = {axis % rank for axis in axes}
    if len(at) != len(axes):
        raise run.refuse("axis", f"an axis is named twice in {axes!r}", ("axis",))
    old = iter(x.shape)
    return x.but(shape=Shape(1 if i in at else next(old) for i in range(rank)), strides=None)


def atleast(a: dict[str, Any], run: Run) -> Any:
    x: TensorType = a["x"]
    n = int(run.row.name[-2])
    missing = n - len(x.shape)
    if missing <= 0:
        return x
    lead = (1,) * (1 if n == 3 and missing == 2 else missing if n < 3 or missing == 3 else 0)
    return x.but(shape=Shape((*lead, *x.shape, *(1,) * (missing - len(lead)))), strides=None)


@takes(Ints("size", shape=True))
def broadcast_to(a: dict[str, Any], run: Run) -> Any:
    x: TensorType = a["x"]
    size = a["size"] if isinstance(a["size"], (tuple, list)) else (a["size"],)
    message = f"an array {x.shape!r} does not broadcast to {tuple(size)!r}"
    run.require("rank", len(size) >= len(x.shape), message, ("x", "size"))
    for n, m in zip(reversed(x.shape), reversed(size)):
        run.require("size", True if n == 1 else eq(n, m), message, ("x", "size"))
    for m in size:
        run.require("size", ge(m, 0), "a size cannot be negative", ("size",))
    return x.but(shape=Shape(size), contents=None, strides=None)


@takes(Axes("dim", None))
def flip(a: dict[str, Any], run: Run) -> Any:
    dim = tuple(range(len(a["x"].shape))) if a["dim"] is None else a["dim"]
    return run("flip", x=a["x"], dim=dim)


def fliplr(a: dict[str, Any], run: Run) -> Any:
    if len(a["x"].shape) < 2:
        raise run.refuse("rank", f"a matrix is flipped, and this is {a['x'].shape!r}", ("x",))
    return run("flip", x=a["x"], dim=(1,))


def flipud(a: dict[str, Any], run: Run) -> Any:
    if len(a["x"].shape) < 1:
        raise run.refuse("rank", "a number has no axis to flip", ("x",))
    return run("flip", x=a["x"], dim=(0,))


@takes(Whole("shift", 1), Whole("axis", None, least=0, most=0, optional=True))
def roll(a: dict[str, Any], run: Run) -> Any:
    x, axis = a["x"], a["axis"]
    axes = () if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    for one in axes:
        if not -len(x.shape) <= one < len(x.shape):
            raise run.refuse("axis", f"axis {one} is out of range for {x.shape!r}", ("axis",))
    return x.but(contents=None, strides=None)


@takes(Ints("times", least=0))
def tile(a: dict[str, Any], run: Run) -> Any:
    x = a["x"]
    times = a["times"] if isinstance(a["times"], (tuple, list)) else (a["times"],)
    times = (1,) * (len(x.shape) - len(times)) + tuple(times)
    for n in times:
        run.require("times", ge(n, 0), f"an array cannot be repeated {n!r} times", ("times",))
    return run("repeat", x=x, times=times)


@takes(Whole("times", least=0), Axis("dim", None, optional=True))
def repeat(a: dict[str, Any], run: Run) -> Any:
    x, times = a["x"], a["times"]
    if a["dim"] is None or len(x.shape) == 0:
        x = _flat(x)
    axis = 0 if a["dim"] is None else a["dim"]
    if not -len(x.shape) <= axis < len(x.shape):
        raise run.refuse("axis", f"axis {axis} is out of range for {x.shape!r}", ("dim",))
    n = x.shape[axis]
    if isinstance(times, (list, tuple)):
        run.require("times", True if len(times) == 1 else eq(len(times), n), f"{len(times)} counts are given for an axis of {n!r}", ("times", "x"))
        total = n * times[0] if len(times) == 1 else sum(times)
        low: Any = 0 if any(t < 0 for t in times) else 1
        run.require("times", low == 1 or not times, "a count must not be negative", ("times",))
    elif isinstance(times, TensorType) and len(times.shape):
        total = run.fresh("repeated") if times.contents is None else sum(times.contents)
    elif is_size(as_size(times)):
        total = n * as_size(times)
        run.require("times", ge(as_size(times), 0), f"elements cannot be repeated {times!r} times", ("times",))
    else:
        raise run.give_up("the counts are not known")
    shape = list(x.shape)
    shape[axis] = total
    return x.but(shape=Shape(shape), contents=None, strides=None)


def _arrays(xs: Any) -> tuple[TensorType, ...]:
    """One array stands for the list of its rows."""
    if isinstance(xs, TensorType):
        return (xs.but(shape=Shape(xs.shape[1:]), contents=None),) * (xs.shape[0] if isinstance(xs.shape[0], int) else 1)
    return tuple(xs)


@takes(Axis("dim", 0, of="xs", optional=True))
def concatenate(a: dict[str, Any], run: Run) -> Any:
    xs = tuple(a["xs"])
    if a["dim"] is None:
        made = run("cat", xs=tuple(_flat(x) for x in xs), dim=0)
    else:
        if any(len(x.shape) == 0 for x in xs):
            raise run.refuse("rank", "numbers cannot be joined; give axis=None or arrays", ("xs",))
        made = run("cat", xs=xs, dim=a["dim"])
    return written(typed(made, a), a, run)


def stack(a: dict[str, Any], run: Run) -> Any:
    return written(typed(run("stack", xs=a["xs"], dim=a["dim"]), a), a, run)


def _stacked(a: dict[str, Any], run: Run, least: int, dim: Any) -> Any:
    xs = tuple(_atleast(x, least) for x in a["xs"])
    where_ = dim if isinstance(dim, int) else dim(xs[0])
    return typed(run("cat", xs=xs, dim=where_), a)


def _atleast(x: TensorType, rank: int) -> TensorType:
    if len(x.shape) >= rank:
        return x
    shape = tuple(x.shape)
    if rank == 1:
        shape = (1,)
    elif rank == 2:
        shape = (1,) * (2 - len(shape)) + shape
    else:
        shape = (1, 1, 1) if not shape else (1, *shape, 1) if len(shape) == 1 else (*shape, 1)
    return x.but(shape=Shape(shape), strides=None)


def vstack(a: dict[str, Any], run: Run) -> Any:
    return _stacked(a, run, 2, 0)


def hstack(a: dict[str, Any], run: Run) -> Any:
    return _stacked(a, run, 1, lambda x: 0 if len(x.shape) == 1 else 1)


def dstack(a: dict[str, Any], run: Run) -> Any:
    return _stacked(a, run, 3, 2)


def column_stack(a: dict[str, Any], run: Run) -> Any:
    xs = tuple(x if len(x.shape) >= 2 else x.but(shape=Shape((x.shape.numel, 1)), strides=None) for x in a["xs"])
    return run("cat", xs=xs, dim=1)


@takes(Tensor("x"), Tensor("y", "...", scalar=True), Axis("axis", None, optional=True))
def append(a: dict[str, Any], run: Run) -> Any:
    x, y = a["x"], tensor(a["y"])
    y = y.but(weak=False, dtype=INT64 if y.weak and y.dtype.kind == "i" else FLOAT64 if y.weak and y.dtype.kind == "f" else y.dtype)
    if a["axis"] is None:
        return run("cat", xs=(_flat(x), _flat(y)), dim=0)
    if len(x.shape) == 0:
        raise run.refuse("rank", "a number has no axis", ("x",))
    return run("cat", xs=(x, y), dim=a["axis"])


@takes(Whole("at", least=1))
def split(a: dict[str, Any], run: Run) -> Any:
    """Equal parts, or else an error."""
    at, x, dim = a["at"], a["x"], a["dim"]
    if is_size(as_size(at)) and x.shape.known and len(x.shape) and isinstance(dim, int) and -len(x.shape) <= dim < len(x.shape):
        parts = as_size(at)
        run.require("parts", ge(parts, 1), f"an array is split into at least one part, not {parts!r}", ("at",))
        run.require("parts", eq(x.shape[dim] % parts, 0), f"an axis of {x.shape[dim]!r} does not split into {parts!r} equal parts", ("x", "at"))
    return array_split(a, run)


@takes(Whole("at", least=1))
def array_split(a: dict[str, Any], run: Run) -> Any:
    x, at = a["x"], a["at"]
    if len(x.shape) == 0:
        raise run.refuse("rank", "a number cannot be split", ("x",))
    return list(run("tensor_split", x=x, at=tuple(at) if isinstance(at, list) else at, dim=a["dim"]))


def _split_along(a: dict[str, Any], run: Run, least: int, dim: int) -> Any:
    if len(a["x"].shape) < least:
        raise run.refuse("rank", f"an array of rank {least} or more is split, and this is {a['x'].shape!r}", ("x",))
    return split({**a, "dim": dim}, run)


@takes(Whole("at", least=1))
def hsplit(a: dict[str, Any], run: Run) -> Any:
    return _split_along(a, run, 1, 0 if len(a["x"].shape) == 1 else 1)


@takes(Whole("at", least=1))
def vsplit(a: dict[str, Any], run: Run) -> Any:
    return _split_along(a, run, 2, 0)


@takes(Whole("at", least=1))
def dsplit(a: dict[str, Any], run: Run) -> Any:
    return _split_along(a, run, 3, 2)


_MODES = ("constant", "edge", "linear_ramp", "maximum", "mean", "median", "minimum", "reflect", "symmetric", "wrap", "empty")


@takes(Whole("width", least=0), Word("mode", _MODES, "constant"))
def pad(a: dict[str, Any], run: Run) -> Any:
    x, width = a["x"], a["width"]
    if not isinstance(a["mode"], str):
        raise run.give_up("padding by a function")
    word(run, a, "mode", _MODES)
    rank = len(x.shape)
    if isinstance(width, TensorType):
        if width.contents is None:
            raise run.give_up("the widths are not known")
        flat = width.contents
        width = flat[0] if len(flat) == 1 else flat if len(width.shape) == 1 else tuple(zip(flat[::2], flat[1::2]))
    if is_size(width):
        pairs: list[Any] = [(width, width)] * rank
    elif width and all(is_size(w) for w in width):
        if len(width) not in (1, 2):
            raise run.refuse("width", f"pad_width {width!r} is neither a number, a pair nor a pair an axis", ("width",))
        pairs = [(width[0], width[-1])] * rank
    else:
        pairs = [(w[0], w[-1]) for w in width]
        pairs = pairs * rank if len(pairs) == 1 else pairs
    if len(pairs) != rank:
        raise run.refuse("width", f"{len(pairs)} pairs are given for {rank} axes", ("width", "x"))
    made: list[Dim] = []
    for n, (before, after) in zip(x.shape, pairs):
        run.require("width", conj(ge(before, 0), ge(after, 0)), f"a width cannot be negative, and is {(before, after)!r}", ("width",))
        if a["mode"] not in ("constant", "empty") and n == 0:
            run.require("empty", conj(eq(before, 0), eq(after, 0)), "an empty axis cannot be extended with its own values", ("x",))
        made.append(n + before + after)
    return x.but(shape=Shape(made), contents=None, strides=None)


def meshgrid(a: dict[str, Any], run: Run) -> Any:
    xs = tuple(_flat(x) for x in a["xs"])
    word(run, a, "indexing", ("xy", "ij"))
    if not xs:
        return ()
    made = run("meshgrid", xs=xs, indexing=a["indexing"])
    if not a["sparse"]:
        return made
    order = {0: 1, 1: 0} if a["indexing"] == "xy" and len(xs) > 1 else {}
    return tuple(x.but(shape=Shape(x.shape[0] if j == order.get(i, i) else 1 for j in range(len(xs)))) for i, x in enumerate(xs))


@takes(Int("k", 0))
def diag(a: dict[str, Any], run: Run) -> Any:
    x, k = a["x"], a["k"]
    if len(x.shape) == 1:
        n = x.shape[0] + maximum(k, 0 - k)
        return x.but(shape=Shape((n, n)), contents=None, strides=None)
    if len(x.shape) != 2:
        raise run.refuse("rank", f"a vector or a matrix has a diagonal here, and this is {x.shape!r}", ("x",))
    return run("diagonal", x=x, offset=k, dim1=0, dim2=1)


@takes(Int("k", 0))
def diagflat(a: dict[str, Any], run: Run) -> Any:
    return diag({**a, "x": _flat(a["x"])}, run)


@takes(Int("offset", 0))
def triangle(a: dict[str, Any], run: Run) -> Any:
    x = a["x"]
    if len(x.shape) == 0:
        raise run.refuse("rank", "a number has no triangle", ("x",))
    if len(x.shape) == 1:
        return x.but(shape=Shape((x.shape[0], x.shape[0])), contents=None)
    return run(run.row.op, x=x.but(dtype=FLOAT32), offset=a["offset"]).but(dtype=x.dtype)


def trace(a: dict[str, Any], run: Run) -> Any:
    x: TensorType = a["x"]
    made = run("diagonal", x=x, offset=a["offset"], dim1=a["axis1"], dim2=a["axis2"])
    return written(run("sum", x=made, dim=-1, dtype=a["dtype"]).but(contents=None), a, run)


def matrix_trace(a: dict[str, Any], run: Run) -> Any:
    return trace({**a, "axis1": -2, "axis2": -1}, run)


# --- places -----------------------------------------------------------------------------------------------------------------


@takes(Tensor("index", "...", frozenset({INT64, INT32}), values="index"), Axis("dim", None, optional=True))
def take(a: dict[str, Any], run: Run) -> Any:
    x, index = a["x"], tensor(a["index"])
    word(run, a, "mode", ("raise", "wrap", "clip"))
    if index.dtype is not None and (index.dtype.kind in "fc" or index.dtype.label == "uint64"):
        raise run.refuse("dtype", f"indices must be whole numbers, and are {index.dtype!r}", ("index",))
    if a["dim"] is None or len(x.shape) == 0:
        x = _flat(x)
    axis = 0 if a["dim"] is None else a["dim"]
    if not -len(x.shape) <= axis < len(x.shape):
        raise run.refuse("axis", f"axis {axis} is out of range for {x.shape!r}", ("dim",))
    n = x.shape[axis]
    axis %= len(x.shape)
    if a["mode"] == "raise":
        for v in index.contents or ():
            run.require("index", conj(lt(v, n), ge(v, 0 - n)), f"index {v!r} is out of range for an axis of {n!r}", ("index", "x"))
    if index.contents is None and index.shape.numel != 0:
        run.require("index", ge(n, 1), "nothing can be taken from an empty axis", ("x",))
    return written(x.but(shape=Shape((*x.shape[:axis], *index.shape, *x.shape[axis + 1 :])), contents=None, strides=None), a, run)


@takes(Axis("dim", -1, optional=True))
def take_along_axis(a: dict[str, Any], run: Run) -> Any:
    x, index = a["x"], a["index"]
    if index.dtype is not None and index.dtype.kind not in "iu":
        raise run.refuse("dtype", f"indices must be whole numbers, and are {index.dtype!r}", ("index",))
    if a["dim"] is None:
        if len(index.shape) != 1:
            raise run.refuse("rank", f"without an axis the indices are a vector, and they are {index.shape!r}", ("index",))
        return x.but(shape=index.shape, contents=None, strides=None)
    axis = a["dim"]
    if len(x.shape) != len(index.shape):
        raise run.refuse("rank", f"x {x.shape!r} and the indices {index.shape!r} must have one rank", ("x", "index"))
    if not -len(x.shape) <= axis < len(x.shape):
        raise run.refuse("axis", f"axis {axis} is out of range for {x.shape!r}", ("dim",))
    axis %= len(x.shape)
    lead = run("broadcast_tensors", xs=(x.but(shape=Shape((*x.shape[:axis], 1, *x.shape[axis + 1 :]))), index))[0].shape
    for v in index.contents or ():
        run.require("index", conj(lt(v, x.shape[axis]), ge(v, 0 - x.shape[axis])), f"index {v!r} is out of range for an axis of {x.shape[axis]!r}", ("index",))
    return x.but(shape=Shape((*lead[:axis], index.shape[axis], *lead[axis + 1 :])), contents=None, strides=None)


@takes(Tensor("x"), Tensor("condition", "N"))
def compress(a: dict[str, Any], run: Run) -> Any:
    x, mask = a["x"], a["condition"]
    if isinstance(mask, TensorType) and len(mask.shape) != 1:
        raise run.refuse("condition", f"a vector of truth values selects, and this is {mask.shape!r}", ("condition",))
    if a["dim"] is None:
        x = _flat(x)
    axis = 0 if a["dim"] is None else a["dim"]
    if not -len(x.shape) <= axis < len(x.shape):
        raise run.refuse("axis", f"axis {axis} is out of range for {x.shape!r}", ("dim",))
    axis %= len(x.shape)
    n = x.shape[axis]
    if not isinstance(mask, TensorType) or le(mask.shape[0], n) is False:
        raise run.give_up("the condition is longer than the axis, or not known")
    count = run.fresh("kept", 0, n if isinstance(n, int) else None)
    return x.but(shape=Shape((*x.shape[:axis], count, *x.shape[axis + 1 :])), contents=None, strides=None)


@takes(Tensor("x"), Tensor("condition"))
def extract(a: dict[str, Any], run: Run) -> Any:
    n = a["x"].shape.numel
    if le(a["condition"].shape.numel, n) is False:
        raise run.give_up("the condition is longer than the array")
    return a["x"].but(shape=Shape((run.fresh("kept", 0, n if isinstance(n, int) else None),)), contents=None, strides=None)


@takes(Tensor("x"))
def nonzero(a: dict[str, Any], run: Run) -> Any:
    if len(a["x"].shape) == 0:
        raise run.refuse("rank", "a number has no places", ("x",))
    return run("where_true", condition=a["x"])


@takes(Tensor("x"))
def flatnonzero(a: dict[str, Any], run: Run) -> Any:
    return run("where_true", condition=_flat(a["x"]))[0]


@takes(Tensor("x"))
def argwhere(a: dict[str, Any], run: Run) -> Any:
    x = a["x"]
    (count,) = run("where_true", condition=_flat(x))[0].shape
    return TensorType(Shape((count, len(x.shape))), INT64)


@takes(Tensor("x"), Whole("obj", least=0), Axis("axis", None, optional=True))
def delete(a: dict[str, Any], run: Run) -> Any:
    x, obj = a["x"], as_size(a["obj"])
    x, axis = (_flat(x), 0) if a["axis"] is None else (x, a["axis"])
    if not -len(x.shape) <= axis < len(x.shape):
        raise run.refuse("axis", f"axis {axis} is out of range for {x.shape!r}", ("axis",))
    axis %= len(x.shape)
    n = x.shape[axis]
    if is_size(obj):
        run.require("index", conj(lt(obj, n), ge(obj, 0 - n)), f"element {obj!r} does not exist on an axis of {n!r}", ("obj", "x"))
        left: Any = n - 1
    else:
        left = run.fresh("left", 0, n if isinstance(n, int) else None)
    return x.but(shape=Shape((*x.shape[:axis], left, *x.shape[axis + 1 :])), contents=None, strides=None)


@takes(Tensor("x"), Whole("obj", least=0), Tensor("values", "", scalar=True), Axis("axis", None, optional=True))
def insert(a: dict[str, Any], run: Run) -> Any:
    x, obj = a["x"], as_size(a["obj"])
    x, axis = (_flat(x), 0) if a["axis"] is None else (x, a["axis"])
    if not -len(x.shape) <= axis < len(x.shape):
        raise run.refuse("axis", f"axis {axis} is out of range for {x.shape!r}", ("axis",))
    axis %= len(x.shape)
    n = x.shape[axis]
    values = tensor(a["values"])
    if not is_size(obj) or len(values.shape):
        return x.but(shape=Shape((*x.shape[:axis], run.fresh("grown", n if isinstance(n, int) else 0), *x.shape[axis + 1 :])), contents=None, strides=None)
    run.require("index", conj(ge(n, obj), ge(obj, 0 - n)), f"place {obj!r} does not exist on an axis of {n!r}", ("obj", "x"))
    return x.but(shape=Shape((*x.shape[:axis], n + 1, *x.shape[axis + 1 :])), contents=None, strides=None)


@takes(Ints("size", least=0, shape=True))
def resize(a: dict[str, Any], run: Run) -> Any:
    size = a["size"] if isinstance(a["size"], (tuple, list)) else (a["size"],)
    for n in size:
        run.require("size", ge(n, 0), f"a size cannot be negative, and the shape is {tuple(size)!r}", ("size",))
    return a["x"].but(shape=Shape(size), contents=None, strides=None)


@takes(Tensor("y", "...", scalar=True))
def isin(a: dict[str, Any], run: Run) -> Any:
    return a["x"].but(dtype=BOOL, contents=None)


@takes(Tensor("xp", "P"), Tensor("fp", "P"))
def interp(a: dict[str, Any], run: Run) -> Any:
    xp, fp = a["xp"], a["fp"]
    if len(xp.shape) != 1 or len(fp.shape) != 1:
        raise run.refuse("rank", f"points are vectors, and are {xp.shape!r} and {fp.shape!r}", ("xp", "fp"))
    run.require("points", eq(xp.shape[0], fp.shape[0]), f"there are {xp.shape[0]!r} points and {fp.shape[0]!r} values", ("xp", "fp"))
    run.require("points", ge(xp.shape[0], 1), "there are no points to interpolate between", ("xp",))
    if a["x"].dtype is not None and a["x"].dtype.is_complex:
        raise run.refuse("dtype", "the places must be real", ("x",))
    if xp.dtype is not None and xp.dtype.is_complex:
        raise run.refuse("dtype", "the points must be real", ("xp",))
    return a["x"].but(dtype=COMPLEX128 if fp.dtype is not None and fp.dtype.is_complex else FLOAT64, contents=None)


def gradient(a: dict[str, Any], run: Run) -> Any:
    x, axis = a["x"], a["axis"]
    axes = tuple(range(len(x.shape))) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    if not axes:
        raise run.give_up("a gradient over no axis")
    if x.dtype is BOOL:
        raise run.refuse("dtype", "NumPy does not subtract truth values", ("x",))
    for one in axes:
        if not -len(x.shape) <= one < len(x.shape):
            raise run.refuse("axis", f"axis {one} is out of range for {x.shape!r}", ("axis",))
        run.require("size", ge(x.shape[one], a["edge_order"] + 1), f"an axis of {x.shape[one]!r} is too short for a gradient", ("x",))
    made = x.but(dtype=x.dtype if x.dtype is not None and x.dtype.kind in "fc" else FLOAT64, contents=None)
    return made if len(axes) == 1 else tuple(made for _ in axes)


@takes(Choice("mode", ("full", "same", "valid"), "full"))
def convolve(a: dict[str, Any], run: Run) -> Any:
    return run("convolve_vectors", x=_atleast(a["x"], 1), y=_atleast(a["y"], 1), mode=a["mode"])


@takes(Tensor("x", "...", frozenset({INT64, INT32}), values="index"), Ints("size", least=1, shape=True))
def unravel(a: dict[str, Any], run: Run) -> Any:
    x = tensor(a["x"])
    size = a["size"] if isinstance(a["size"], (tuple, list)) else (a["size"],)
    if x.dtype is not None and x.dtype.kind not in "iu":
        raise run.refuse("dtype", f"indices must be whole numbers, and are {x.dtype!r}", ("x",))
    total: Any = 1
    for n in size:
        total = total * n
    for v in x.contents or ():
        run.require("index", conj(ge(v, 0), lt(v, total)), f"index {v!r} does not lie in {tuple(size)!r}", ("x", "size"))
    return tuple(x.but(dtype=INT64, contents=None, weak=False) for _ in size)


# --- products --------------------------------------------------------------------------------------------------------------


def dot(a: dict[str, Any], run: Run) -> Any:
    """Numbers scale; else the last axis of x with the last but one of y."""
    x, y = tensor(a["x"]), tensor(a["y"])
    if len(x.shape) == 0 or len(y.shape) == 0:
        return run("mul", x=x, y=y)
    return written(run("tensordot", x=x, y=y, dim=(len(x.shape) - 1,), dim2=(max(len(y.shape) - 2, 0),)), a, run)


def vdot(a: dict[str, Any], run: Run) -> Any:
    x, y = _flat(a["x"]), _flat(a["y"])
    return run("tensordot", x=x, y=y, dim=(0,), dim2=(0,))


def outer(a: dict[str, Any], run: Run) -> Any:
    x, y = _flat(a["x"]), _flat(a["y"])
    return written(run("mul", x=x.but(shape=Shape((x.shape[0], 1))), y=y.but(contents=None)), a, run)


def outer_vectors(a: dict[str, Any], run: Run) -> Any:
    for name in ("x", "y"):
        if len(a[name].shape) != 1:
            raise run.refuse("rank", f"two vectors are multiplied, and one is {a[name].shape!r}", (name,))
    return outer(a, run)


@takes(Tensor("x", "... 3"), Tensor("y", "... 3"))
def cross(a: dict[str, Any], run: Run) -> Any:
    x, y = a["x"], a["y"]
    if x.dtype is BOOL and y.dtype is BOOL:
        raise run.refuse("dtype", "NumPy does not subtract truth values", ("x", "y"))
    if (a["axisa"], a["axisb"], a["axisc"], a["axis"]) not in ((-1, -1, -1, None), (-1, -1, -1, -1)):
        raise run.give_up("other axes than the last")
    if len(x.shape) == 0 or len(y.shape) == 0:
        raise run.refuse("rank", "vectors have an axis", ("x", "y"))
    for name, v in (("x", x), ("y", y)):
        if isinstance(v.shape[-1], int) and v.shape[-1] == 2:
            raise run.give_up("vectors of two components")
        run.require("size", eq(v.shape[-1], 3), f"a vector has 3 components, and {name} has {v.shape[-1]!r}", (name,))
    return run("mul", x=x, y=y).but(contents=None)


@takes(Axis("dim", -1))
def cross3(a: dict[str, Any], run: Run) -> Any:
    x, y, dim = a["x"], a["y"], a["dim"]
    if dim != -1:
        raise run.give_up("another axis than the last")
    return cross({"x": x, "y": y, "axisa": -1, "axisb": -1, "axisc": -1, "axis": None}, run)


@takes(Anything("operands"), Anything("equation", REQUIRED))
def einsum(a: dict[str, Any], run: Run) -> Any:
    from tensorproof.bindings.adapt import contraction

    return written(typed(contraction.einsum(a, run), a), a, run)


# --- arrays from numbers ----------------------------------------------------------------------------------------------------


@takes(Data("data"), ElementType("dtype"))
def array(a: dict[str, Any], run: Run) -> Any:
    data = a["data"]
    if isinstance(data, range):
        data = list(data)
    if isinstance(data, TensorType):
        made: TensorType | None = data.but(weak=False, strides=None)
    else:
        try:
            made = array_like("numpy", data)
        except Ragged:
            raise run.refuse("ragged", "the nested lists have unequal lengths", ("data",)) from None
    if made is None:
        raise run.give_up("the data are not numbers that are known")
    made = run("constant", data=made, dtype=a["dtype"] if isinstance(a["dtype"], DType) else None)
    least = 1 if run.row.name.endswith(("contiguousarray", "fortranarray")) else a.get("ndmin", 0)
    missing = least - len(made.shape) if isinstance(least, int) else 0
    return made.but(shape=Shape((*(1,) * missing, *made.shape))) if missing > 0 else made


def filled(a: dict[str, Any], run: Run) -> Any:
    return run("full", size=a["size"], value=a["value"], dtype=a["dtype"] or FLOAT64)


@takes(Tensor("value", "", scalar=True))
def full(a: dict[str, Any], run: Run) -> Any:
    value = a["value"]
    if isinstance(value, TensorType):
        made = run("empty", size=a["size"], dtype=a["dtype"] or value.dtype)
        return broadcast_to({"x": value.but(dtype=made.dtype, weak=False), "size": made.shape}, run)
    return run("full", size=a["size"], value=value, dtype=a["dtype"])


@takes(Ints("shape", None, least=0, optional=True, shape=True), Number("value"))
def like(a: dict[str, Any], run: Run) -> Any:
    x = a["x"]
    if a["shape"] is not None:
        for n in a["shape"] if isinstance(a["shape"], (tuple, list)) else (a["shape"],):
            run.require("size", ge(n, 0), f"a size cannot be negative, and is {n!r}", ("shape",))
        x = x.but(shape=Shape(a["shape"] if isinstance(a["shape"], (tuple, list)) else (a["shape"],)), contents=None)
    made = x.but(dtype=a["dtype"] or x.dtype, contents=None, strides=None, weak=False)
    value = a["value"]
    kind = made.dtype.kind if made.dtype is not None else "f"
    if is_number(value) and made.shape.concrete and made.shape.numel <= 4096 and kind in "iub" and isinstance(value, int):  # type: ignore[operator]
        made = made.but(contents=(bool(value) if kind == "b" else int(value),) * int(made.shape.numel))  # type: ignore[arg-type]
    return made


@takes(Number("end", None, optional=True), Number("step", 1, optional=True))
def arange(a: dict[str, Any], run: Run) -> Any:
    start, end = (0, a["start"]) if a["end"] is None else (a["start"], a["end"])
    return run("arange", start=start, end=end, step=1 if a["step"] is None else a["step"], dtype=a["dtype"])


@takes(Real("start"), Real("end"), Int("steps", 50, least=0))
def linspace(a: dict[str, Any], run: Run) -> Any:
    """Ends may be arrays; a new axis stands first."""
    start, end = tensor(a["start"]), tensor(a["end"])
    ends = run("add", x=start, y=end)
    kinds = {v.dtype.kind for v in (start, end) if v.dtype is not None}
    weak = start.weak and end.weak
    natural = COMPLEX128 if "c" in kinds else FLOAT64
    if not weak and ends.dtype in (FLOAT32, FLOAT16, COMPLEX64):
        natural = FLOAT64 if ends.dtype is not COMPLEX64 else COMPLEX128
    run.require("steps", ge(a["steps"], 0), f"a number of samples cannot be negative, and is {a['steps']!r}", ("steps",))
    if run.row.name.endswith("geomspace"):
        run.require("ends", a["start"] != 0 and a["end"] != 0, "a geometric sequence has no zero", ("start", "end"))
    made = TensorType(Shape((a["steps"], *ends.shape)), a["dtype"] or natural)
    if a["axis"] not in (0, -1) or (a["axis"] == -1 and len(ends.shape)):
        raise run.give_up("the samples stand on another axis than the first")
    return (made, TensorType(Shape(), FLOAT64)) if a.get("retstep") else made


@takes(Int("n", None, least=0, optional=True))
def vander(a: dict[str, Any], run: Run) -> Any:
    x = a["x"]
    if len(x.shape) != 1:
        raise run.refuse("rank", f"powers are taken of a vector, and this is {x.shape!r}", ("x",))
    n = x.shape[0] if a["n"] is None else a["n"]
    return TensorType(Shape((x.shape[0], n)), None if x.dtype is None else promote("numpy", [Operand(x.dtype), Operand(INT64)]))


def indices(a: dict[str, Any], run: Run) -> Any:
    size = a["size"] if isinstance(a["size"], (tuple, list)) else (a["size"],)
    dtype = a["dtype"] or INT64
    if dtype is BOOL:
        raise run.give_up("places as truth values")
    run("full", size=size, value=0, dtype=dtype)
    if a["sparse"]:
        return tuple(TensorType(Shape(n if i == j else 1 for j, n in enumerate(size)), dtype) for i in range(len(size)))
    return TensorType(Shape((len(size), *size)), dtype)


@takes(Int("rows"), Int("columns", None, optional=True))
def triangle_indices(a: dict[str, Any], run: Run) -> Any:
    columns = a["rows"] if a["columns"] is None else a["columns"]
    made = run(run.row.op, rows=maximum(a["rows"], 0), columns=maximum(columns, 0), offset=a["offset"])
    one = TensorType(Shape(made.shape[1:]), INT64)
    return (one, one)


# --- numpy.linalg and numpy.fft ---------------------------------------------------------------------------------------------


def no_halves(a: dict[str, Any], run: Run) -> None:
    for name in ("x", "y"):
        v = a.get(name)
        if isinstance(v, TensorType) and v.dtype is FLOAT16:
            raise run.refuse("dtype", "numpy.linalg takes no float16", (name,))


def _floats(x: TensorType) -> TensorType:
    """Whole numbers are computed as float64."""
    return x.but(dtype=FLOAT64, contents=None) if x.dtype is not None and x.dtype.kind in "iub" else x


def linalg(a: dict[str, Any], run: Run) -> Any:
    no_halves(a, run)
    b = {k: _floats(v) if isinstance(v, TensorType) else v for k, v in a.items()}
    if "y" in b and isinstance(b["x"], TensorType) and b["x"].dtype is not None and b["y"].dtype is not None:
        common = promote("numpy", [Operand(b["x"].dtype), Operand(b["y"].dtype)])
        b["x"], b["y"] = b["x"].but(dtype=common), b["y"].but(dtype=common)
    if run.row.op in ("eigh", "eigvalsh") and isinstance(a.get("triangle"), str) and a["triangle"].upper() not in ("L", "U"):
        raise run.refuse("triangle", f"UPLO must be 'L' or 'U', and is {a['triangle']!r}", ("triangle",))
    return run.default(b)


@takes(Choice("mode", ("reduced", "complete", "r"), "reduced"))
def qr(a: dict[str, Any], run: Run) -> Any:
    no_halves(a, run)
    if a["mode"] == "raw":
        raise run.give_up("mode='raw'")
    word(run, a, "mode", ("reduced", "complete", "r"))
    made = run("qr", x=_floats(a["x"]), mode=a["mode"])
    return made[1] if a["mode"] == "r" else made


def svd(a: dict[str, Any], run: Run) -> Any:
    no_halves(a, run)
    x = _floats(a["x"])
    return run("svd", x=x, full_matrices=a["full_matrices"]) if a["compute_uv"] else run("svdvals", x=x)


def eig(a: dict[str, Any], run: Run) -> Any:
    """Real where all eigenvalues are: the element type cannot be told."""
    no_halves(a, run)
    made = run(run.row.op, x=_floats(a["x"]))
    loose = a["x"].dtype is None or not a["x"].dtype.is_complex
    if not loose:
        return made
    return tuple(m.but(dtype=None) for m in made) if isinstance(made, tuple) else made.but(dtype=None)


def _hermitian(a: dict[str, Any], run: Run) -> None:
    shape = a["x"].shape
    if a.get("hermitian") and any(isinstance(n, int) and n == 0 for n in shape):
        raise run.give_up("an empty hermitian matrix")
    if a.get("hermitian") and len(shape) >= 2:
        run.require("square", eq(shape[-1], shape[-2]), f"a hermitian matrix is square, and this one is {shape!r}", ("x",))


def pinv(a: dict[str, Any], run: Run) -> Any:
    no_halves(a, run)
    _hermitian(a, run)
    return run("pinv", x=_floats(a["x"]))


def matrix_rank(a: dict[str, Any], run: Run) -> Any:
    no_halves(a, run)
    x = a["x"]
    _hermitian(a, run)
    if len(x.shape) < 2:
        return TensorType(Shape(), INT64)
    return run("matrix_rank", x=_floats(x)).but(dtype=INT64)


def lstsq(a: dict[str, Any], run: Run) -> Any:
    no_halves(a, run)
    x, y = _floats(a["x"]), _floats(a["y"])
    if len(x.shape) != 2 or len(y.shape) not in (1, 2):
        raise run.refuse("rank", f"a matrix and a vector or a matrix are wanted, and they are {x.shape!r} and {y.shape!r}", ("x", "y"))
    run.require("rows", eq(x.shape[0], y.shape[0]), f"x has {x.shape[0]!r} rows and y {y.shape[0]!r}", ("x", "y"))
    dtype = promote("numpy", [Operand(x.dtype or FLOAT64), Operand(y.dtype or FLOAT64)])
    assert dtype is not None
    rest = y.shape[1] if len(y.shape) == 2 else 1
    found = run.fresh("residuals", 0, rest if isinstance(rest, int) else None)
    small = minimum(x.shape[0], x.shape[1])
    return (
        TensorType(Shape((x.shape[1], *y.shape[1:])), dtype), TensorType(Shape((found,)), dtype.real), TensorType(Shape(), INT32), TensorType(Shape((small,)), dtype.real),
    )  # fmt: skip


def _normed(x: TensorType) -> DType | None:
    if x.dtype is None:
        return None
    return FLOAT64 if x.dtype.kind in "iub" else x.dtype.real


_ORDERS = Choice("ord", (None, 1, 2, float("inf"), -float("inf")), None, optional=True)


@takes(_ORDERS, Axes("dim", None))
def norm(a: dict[str, Any], run: Run) -> Any:
    """Without `ord` the norm of everything; one axis: of vectors; two: of matrices."""
    x, dim, order = a["x"], a["dim"], a["ord"]
    no_list(a, run)
    axes = None if dim is None else tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    rank = len(x.shape)
    if axes is None and order is not None:
        if rank not in (1, 2):
            raise run.refuse("rank", f"a norm of order {order!r} is one of a vector or a matrix, and this is {x.shape!r}", ("x",))
        axes = tuple(range(rank))
    if axes is not None and len(axes) not in (1, 2):
        raise run.refuse("axis", f"a norm goes over one axis or two, and {len(axes)} are named", ("dim",))
    if axes is not None and len(axes) == 1 and isinstance(order, str):
        raise run.refuse("ord", f"a vector has no norm {order!r}", ("ord",))
    if axes is not None and len(axes) == 2 and order not in (None, "fro", "nuc", 1, -1, 2, -2, float("inf"), -float("inf")):
        raise run.refuse("ord", f"a matrix has no norm {order!r}", ("ord",))
    if order not in (None, "fro") and any(isinstance(n, int) and n == 0 for n in x.shape):
        raise run.give_up("a norm of an empty array")
    if order is not None and axes is not None:
        extremes = (float("inf"), -float("inf")) if len(axes) == 1 else (1, -1, 2, -2, float("inf"), -float("inf"))
        if order in extremes:
            at = axes if len(axes) == 1 or order in (2, -2) else (axes[1] if order in (1, -1) else axes[0],)
            for i in at if len(axes) == 1 else ():
                run.require("empty", ge(x.shape[i], 1), "an empty vector has no largest element", ("x",))
            if len(axes) == 2 and any(isinstance(x.shape[i], int) and x.shape[i] == 0 for i in axes):
                raise run.give_up("a norm of an empty matrix")
    made = run("sum", x=x, dim=axes, keepdim=a["keepdim"])
    return made.but(dtype=_normed(x), contents=None)


@takes(Choice("ord", (1, 2, 3), 2))
def vector_norm(a: dict[str, Any], run: Run) -> Any:
    no_list(a, run)
    return run("sum", x=a["x"], dim=a["dim"], keepdim=a["keepdim"]).but(dtype=_normed(a["x"]), contents=None)


@takes(Choice("ord", ("fro",), "fro"))
def matrix_norm(a: dict[str, Any], run: Run) -> Any:
    if len(a["x"].shape) < 2:
        raise run.refuse("rank", f"a matrix has two axes, and this is {a['x'].shape!r}", ("x",))
    return norm({**a, "dim": (-2, -1)}, run)


@takes(_ORDERS)
def cond(a: dict[str, Any], run: Run) -> Any:
    no_halves(a, run)
    x = a["x"]
    if len(x.shape) < 2:
        raise run.refuse("rank", f"a matrix has two axes, and this is {x.shape!r}", ("x",))
    for n in x.shape[-2:]:
        run.require("empty", ge(n, 1), "an empty matrix has no condition number", ("x",))
    if a["ord"] not in (None, 2, -2):
        run.require("square", eq(x.shape[-1], x.shape[-2]), f"the inverse of a square matrix is taken, and this one is {x.shape!r}", ("x",))
    return TensorType(Shape(x.shape[:-2]), _normed(_floats(x)))


@takes(Int("n", None, least=1, optional=True), Ints("size", None, least=1, optional=True))
def fourier(a: dict[str, Any], run: Run) -> Any:
    """float16 and float32 are transformed in single precision."""
    x = a["x"]
    if x.dtype is FLOAT16:
        x = x.but(dtype=FLOAT32)
    elif x.dtype is not None and x.dtype.kind in "iub":
        x = x.but(dtype=FLOAT64, contents=None)
    if len(x.shape) == 0:
        if run.row.op in ("fftn", "ifftn") and a["dim"] is None and a["size"] is None:
            return a["x"]
        raise run.refuse("rank", "a number has no axis to transform", ("x",))
    if run.row.op.endswith("n") and isinstance(a["dim"], (tuple, list)) and len({d % len(x.shape) for d in a["dim"]}) < len(a["dim"]):
        raise run.give_up("an axis is transformed twice")
    if run.row.op.endswith("n") and a["dim"] is not None and not isinstance(a["dim"], (tuple, list)):
        raise run.refuse("axis", f"the axes are a list, and {a['dim']!r} is not", ("dim",))
    if x.dtype is not None and x.dtype.is_complex and run.row.op in ("rfft", "rfftn", "ihfft"):
        raise run.refuse("dtype", f"{run.row.op} takes real numbers", ("x",))
    word(run, a, "norm", (None, "backward", "ortho", "forward"))
    b = {**a, "x": x}
    if isinstance(a.get("size"), (tuple, list)):
        axes = a["dim"] if a["dim"] is not None else tuple(range(-len(a["size"]), 0))
        if len(axes) == len(a["size"]) and all(-len(x.shape) <= d < len(x.shape) for d in axes):
            b["size"] = tuple(x.shape[d] if n == -1 else n for n, d in zip(a["size"], axes))
    if run.row.op == "irfftn" and x.dtype is not None and not x.dtype.is_complex:
        b["x"] = x.but(dtype=x.dtype.complexified)
    return written(run.default(b), a, run)


# --- chance -------------------------------------------------------------------------------------------------------------------


@takes(Ints("size", None, least=0, optional=True, shape=True))
def random(a: dict[str, Any], run: Run) -> Any:
    size = a["size"]
    sizes = () if size is None else tuple(size) if isinstance(size, (tuple, list)) else (size,)
    return run("random", size=sizes, dtype=FLOAT64)


_PARAMETER = Tensor("low", "...", scalar=True, values="positive")


@takes(Ints("size", None, least=0, optional=True, shape=True), Real("low", 0.5, least=0.25, most=1.0), Real("high", 0.5, least=0.5, most=1.0))
def distribution(a: dict[str, Any], run: Run) -> Any:
    """The parameters broadcast, and must broadcast to the size where one is given."""
    made = tensor(a["low"])
    if a.get("high") is not None:
        made = run("add", x=made, y=tensor(a["high"]))
    shape = made.shape
    if a["size"] is not None:
        size = a["size"] if isinstance(a["size"], (tuple, list)) else (a["size"],)
        shape = broadcast_to({"x": made, "size": size}, run).shape
    return TensorType(shape, INT64 if a.get("whole") else FLOAT64)


@takes(Whole("low", least=1), Whole("high", None, least=10, optional=True), Ints("size", None, least=0, optional=True, shape=True))
def randint(a: dict[str, Any], run: Run) -> Any:
    if a["dtype"] is not None and isinstance(a["dtype"], DType) and a["dtype"].kind not in "iub":
        raise run.refuse("dtype", f"whole numbers are drawn, not {a['dtype']!r}", ("dtype",))
    low, high = as_size(a["low"]), as_size(a["high"])
    if is_size(low) and (high is None or is_size(high)):
        first, past = (0, low) if high is None else (low, high)
        run.require("range", lt(first, past), f"no whole number lies from {first!r} up to {past!r}", ("low", "high"))
    size = a["size"]
    sizes = () if size is None else tuple(size) if isinstance(size, (tuple, list)) else (size,)
    return run("random", size=sizes, dtype=FLOAT64).but(dtype=a["dtype"] or INT64)


@takes(Whole("x", least=1))
def permutation(a: dict[str, Any], run: Run) -> Any:
    x = as_size(a["x"])
    if isinstance(x, TensorType):
        if len(x.shape) == 0:
            raise run.give_up("a number in an array")
        return x.but(contents=None, strides=None)
    return run("randperm", n=maximum(x, 0), dtype=INT64)


@takes(Whole("x", least=1), Ints("size", None, least=0, optional=True, shape=True))
def choice(a: dict[str, Any], run: Run) -> Any:
    x, size = as_size(a["x"]), a["size"]
    sizes = () if size is None else tuple(size) if isinstance(size, (tuple, list)) else (size,)
    if isinstance(x, (list, tuple)):
        x = array_like("numpy", x)
    if isinstance(x, TensorType) and len(x.shape) != 1:
        raise run.refuse("rank", f"elements of a vector are drawn, and this is {x.shape!r}", ("x",))
    made = run("random", size=sizes, dtype=FLOAT64)
    if not a["replace"]:
        many = x.shape[0] if isinstance(x, TensorType) else x
        run.require("count", ge(many, made.shape.numel), f"{made.shape.numel!r} elements cannot be drawn from {many!r} without putting them back", ("x", "size"))
    return made.but(dtype=x.dtype if isinstance(x, TensorType) else INT64)


@takes(ElementType("dtype"))
def view(a: dict[str, Any], run: Run) -> Any:
    return a["x"] if a["dtype"] is None else run("view_dtype", x=a["x"], dtype=a["dtype"])


__all__ = ["Bool", "Tensors"]


@takes(Int("n"))
def window(a: dict[str, Any], run: Run) -> Any:
    """A window of no samples where n is not positive."""
    return TensorType(Shape((maximum(a["n"], 0),)), FLOAT64)


@takes(Int("n"), Int("m", None, optional=True))
def tri(a: dict[str, Any], run: Run) -> Any:
    n, m = a["n"], a["n"] if a["m"] is None else a["m"]
    return TensorType(Shape((maximum(n, 0), maximum(m, 0))), dtype_of(a) or FLOAT64)


def moved(a: dict[str, Any], run: Run) -> Any:
    """As torch, but a number has no axes to move."""
    if len(a["x"].shape) == 0 and a.get("source") not in ((), []):
        raise run.refuse("axis", "a number has no axis", ("x",))
    return run.default(a)


def trapezoid(a: dict[str, Any], run: Run) -> Any:
    if a["x"] is not None and (len(a["x"].shape) > 1 or le(2, a["x"].shape.numel) is not True):
        raise run.give_up("places that are no vector")
    if a["x"] is not None and -len(a["y"].shape) <= a["dim"] < len(a["y"].shape):
        n, m = a["y"].shape[a["dim"]], a["x"].shape[0]
        run.require("samples", disj(eq(n, m), eq(n, 2), eq(m, 2)), f"there are {m!r} places for {n!r} samples", ("x", "y"))
        if eq(n, m) is not True:
            raise run.give_up("as many places as samples cannot be told")
    made = run.default(a)
    return made.but(dtype=FLOAT64) if a["y"].dtype is not None and a["y"].dtype.kind in "iub" else made


def shifted(a: dict[str, Any], run: Run) -> Any:
    if len(a["x"].shape) == 0:
        raise run.refuse("rank", "a number has no axis", ("x",))
    return run.default(a)


def isclose(a: dict[str, Any], run: Run) -> Any:
    return run("isclose", x=a["x"], y=a["y"])


def vecdot(a: dict[str, Any], run: Run) -> Any:
    """The axis counts in each operand by itself; the others broadcast."""
    x, y, dim = a["x"], a["y"], a["dim"]
    moved_: list[TensorType] = []
    for name, v in (("x", x), ("y", y)):
        if not -len(v.shape) <= dim < len(v.shape):
            raise run.refuse("axis", f"axis {dim} is out of range for {name} {v.shape!r}", ("dim", name))
        at = dim % len(v.shape)
        moved_.append(v.but(shape=Shape((*v.shape[:at], *v.shape[at + 1 :], v.shape[at])), contents=None))
    p, q = moved_
    run.require("inner", eq(p.shape[-1], q.shape[-1]), f"vectors of {p.shape[-1]!r} and {q.shape[-1]!r} elements have no dot product", ("x", "y"))
    made = run("mul", x=p, y=q)
    return written(typed(made.but(shape=Shape(made.shape[:-1])), a), a, run)


@takes(Int("n", least=1))
def frequencies(a: dict[str, Any], run: Run) -> Any:
    run.require("n", ne(a["n"], 0), "a window of no samples has no frequencies", ("n",))
    if isinstance(a["n"], int) and a["n"] < 0:
        raise run.give_up("a negative number of samples")
    run.require("spacing", a["d"] != 0, "the spacing of samples must not be 0", ("d",))
    return run.default({**a, "dtype": FLOAT64})


def places(index: Any) -> tuple[Any, ...]:
    """What stands between the brackets, with lists as the arrays that they are."""
    parts = index if isinstance(index, tuple) else (index,)
    return tuple(array_like("numpy", part) or part if isinstance(part, list) else part for part in parts)


@takes(Index("index"))
def getitem(a: dict[str, Any], run: Run) -> Any:
    return run("getitem", x=a["x"], index=places(a["index"]))


@takes(Index("index"), Tensor("value", "...", scalar=True))
def setitem(a: dict[str, Any], run: Run) -> Any:
    index = places(a["index"])
    if isinstance(a["value"], TensorType) and len(a["value"].shape) and all(is_size(part) for part in index) and len(index) == len(a["x"].shape):
        raise run.refuse("value", f"an array {a['value'].shape!r} is not put into the place of one number", ("value", "index"))
    return run("setitem", x=a["x"], index=index, value=a["value"])


@takes(Data("x", "..."))
def scalar(a: dict[str, Any], run: Run) -> Any:
    """np.float32(3), or of an array."""
    x = a["x"]
    label = run.row.name.rpartition(".")[2].rstrip("_")
    dtype = {"float": FLOAT64, "int": INT64, "double": FLOAT64, "single": FLOAT32, "half": FLOAT16}.get(label) or BY_LABEL[label]
    if not isinstance(x, TensorType):
        found = array_like("numpy", x)
        if found is None:
            raise run.give_up("the value is not a number that is known")
        x = found
    return run("cast", x=x, dtype=dtype)
