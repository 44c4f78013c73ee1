"""NumPy's arrays from numbers and from chance."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.numpy_arrays import Data, Real, Whole, dtype_of, tensor
from tensorproof.bindings.adapt.numpy_shapes import broadcast_to
from tensorproof.bindings.arrays import Ragged, array_like
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import ElementType, Int, Ints, Number, Tensor, as_size, is_number, is_size
from tensorproof.terms.dtypes import BOOL, BY_LABEL, COMPLEX64, COMPLEX128, FLOAT16, FLOAT32, FLOAT64, INT64, DType
from tensorproof.terms.ints import maximum
from tensorproof.terms.predicates import ge, lt
from tensorproof.terms.promotion import Operand, promote
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType


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
    result: TensorType = run("constant", data=made, dtype=a["dtype"] if isinstance(a["dtype"], DType) else None)
    least = 1 if run.row.name.endswith(("contiguousarray", "fortranarray")) else a.get("ndmin", 0)
    missing = least - len(result.shape) if isinstance(least, int) else 0
    return result.but(shape=Shape((*(1,) * missing, *result.shape))) if missing > 0 else result


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
    if is_number(value) and made.shape.concrete and made.shape.numel <= 4096 and kind in "iub" and isinstance(value, int):
        made = made.but(contents=(bool(value) if kind == "b" else int(value),) * int(made.shape.numel))
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
    low, high, steps = a["start"], a["end"], a["steps"]
    known = type(steps) is int and steps <= 4096 and made.dtype is FLOAT64 and weak and all(isinstance(v, (int, float)) for v in (low, high))
    if run.row.name.endswith("linspace") and known:
        apart = (high - low) / max(steps - 1 if a["endpoint"] else steps, 1)
        last = [float(high)] if a["endpoint"] and steps > 1 else []
        made = made.but(contents=(*(float(low + i * apart) for i in range(steps - len(last))), *last))
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


@takes(Ints("size", None, least=0, optional=True, shape=True))
def random(a: dict[str, Any], run: Run) -> Any:
    size = a["size"]
    sizes = () if size is None else tuple(size) if isinstance(size, (tuple, list)) else (size,)
    return run("random", size=sizes, dtype=FLOAT64)


_PARAMETER = Tensor("low", "...", scalar=True, values="positive")


@takes(
    Ints("size", None, least=0, optional=True, shape=True), Real("low", 0.5, least=0.25, most=1.0), Real("high", 0.5, least=0.5, most=1.0)
)
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
        many: Any = x.shape[0] if isinstance(x, TensorType) else x
        run.require(
            "count",
            ge(many, made.shape.numel),
            f"{made.shape.numel!r} elements cannot be drawn from {many!r} without putting them back",
            ("x", "size"),
        )
    return made.but(dtype=x.dtype if isinstance(x, TensorType) else INT64)


@takes(Int("n"))
def window(a: dict[str, Any], run: Run) -> Any:
    """A window of no samples where n is not positive."""
    return TensorType(Shape((maximum(a["n"], 0),)), FLOAT64)


@takes(Int("n"), Int("m", None, optional=True))
def tri(a: dict[str, Any], run: Run) -> Any:
    n, m = a["n"], a["n"] if a["m"] is None else a["m"]
    return TensorType(Shape((maximum(n, 0), maximum(m, 0))), dtype_of(a) or FLOAT64)


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
