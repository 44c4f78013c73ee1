"""NumPy's arrays from numbers and from chance."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.numpy.arrays import Real, dtype_of, tensor
from tensorproof.bindings.adapt.numpy.shapes import broadcast_to
from tensorproof.bindings.adapters import Ragged, Run, Value, array_like, takes, tensor_in
from tensorproof.ops.inputs import Ints, Number, as_size, is_size
from tensorproof.terms import UNKNOWN_STRIDES, Operand, Shape, TensorType, conj, dataclass, eq, ge, le, lt, maximum, promote
from tensorproof.terms.dtypes import BOOL, BY_LABEL, COMPLEX128, FLOAT16, FLOAT32, FLOAT64, INT64, DType


def array(a: dict[str, Value], run: Run) -> TensorType:
    data = a["data"]
    if isinstance(data, range):
        data = list(data)
    if isinstance(data, TensorType):
        made: TensorType | None = data
    else:
        try:
            made = array_like("numpy", data)
        except Ragged:
            raise run.refuse("ragged", "the nested lists have unequal lengths", ("data",)) from None
        if made is not None and isinstance(data, (list, tuple)) and data and all(isinstance(v, TensorType) for v in data):
            made = run.shaped("stack", made.shape, made.dtype, xs=tuple(data), dim=0)
    if made is None:
        raise run.give_up("the data are not numbers that are known")
    result: TensorType = run("constant", data=made, dtype=a["dtype"] if isinstance(a["dtype"], DType) else None)
    least = 1 if run.row.name.endswith(("contiguousarray", "fortranarray")) else a.get("ndmin", 0)
    missing = least - len(result.shape) if isinstance(least, int) else 0
    return run("reshape", x=result, size=(*(1,) * missing, *result.shape)) if missing > 0 else result


def full(a: dict[str, Any], run: Run) -> TensorType:
    value = a["value"]
    if not isinstance(value, TensorType):
        return run("full", size=a["size"], value=value, dtype=a["dtype"])
    dtype = a["dtype"] or value.dtype
    if len(value.shape) == 0:
        return run.typed("full", dtype, size=a["size"], value=value, dtype=dtype)
    held = value if dtype is None or value.dtype is dtype else run("cast", x=value, dtype=dtype)
    return broadcast_to({"x": held, "size": a["size"]}, run)


def like(a: dict[str, Any], run: Run) -> TensorType:
    x, size = tensor_in(a, "x"), a["shape"]
    if size is not None:
        size = tuple(size) if isinstance(size, (tuple, list)) else (size,)
        for n in size:
            run.require("size", ge(n, 0), f"a size cannot be negative, and is {n!r}", ("shape",))
    dtype, value = a["dtype"] or x.dtype, a.get("value")
    if isinstance(value, TensorType) and len(value.shape):
        held = value if dtype is None or value.dtype is dtype else run("cast", x=value, dtype=dtype)
        return broadcast_to({"x": held, "size": tuple(x.shape) if size is None else size}, run)
    options = {} if run.row.op == "empty_like" else {"value": a["value"]}
    made: TensorType = run.typed(run.row.op, dtype, x=x, dtype=dtype, size=size, **options)
    return made if made.strides is None or a.get("order") == "K" else run.noted(made, strides=UNKNOWN_STRIDES)


@dataclass(frozen=True, slots=True)
class Limit(Number):
    """A number, or a date as text."""

    def takes(self, value: Value) -> bool:
        return isinstance(value, str) or Number.takes(self, value)

    def read(self, value: Value) -> Value:
        return value if isinstance(value, str) else Number.read(self, value)


def arange(a: dict[str, Value], run: Run) -> TensorType:
    if isinstance(a["start"], str) or isinstance(a["end"], str):
        raise run.give_up("dates are counted")
    start, end = (0, a["start"]) if a["end"] is None else (a["start"], a["end"])
    return run("arange", start=start, end=end, step=1 if a["step"] is None else a["step"], dtype=a["dtype"])


def linspace(a: dict[str, Any], run: Run) -> Value:
    """Ends may be arrays; a new axis stands first."""
    start, end, steps = tensor(a["start"]), tensor(a["end"]), a["steps"]
    run.require("steps", ge(steps, 0), f"a number of samples cannot be negative, and is {steps!r}", ("steps",))
    if run.row.op == "geomspace":
        run.require("logspace/ends", a["start"] != 0 and a["end"] != 0, "a geometric sequence has no zero", ("start", "end"))
    if isinstance(a.get("base"), (TensorType, list, tuple)):
        raise run.give_up("the base is an array")
    plain = len(start.shape) == len(end.shape) == 0
    if a["axis"] not in (0, -1) or (a["axis"] == -1 and not plain):
        raise run.give_up("the samples stand on another axis than the first")
    kinds = {v.dtype.kind for v in (start, end) if v.dtype is not None}
    natural = COMPLEX128 if "c" in kinds else FLOAT64
    options = {"steps": steps, "endpoint": bool(a["endpoint"]), **({"base": a["base"]} if run.row.op == "logspace" else {})}
    if plain:
        made = run.typed(run.row.op, a["dtype"] or natural, start=a["start"], end=a["end"], **options)
    elif run.row.op == "linspace":
        made = _between(start, end, options, a["dtype"] or natural, run)
    else:
        raise run.give_up("the ends are arrays")
    if not a.get("retstep"):
        return made
    parts = maximum(steps - 1, 1) if a["endpoint"] else steps
    return (made, run.typed("div", FLOAT64, x=run("sub", x=end, y=start), y=parts))


def _between(start: TensorType, end: TensorType, options: dict[str, Any], dtype: DType, run: Run) -> TensorType:
    """start + share · (end - start), the shares along a new first axis."""
    apart = run("sub", x=end, y=start)
    share = run.typed("linspace", FLOAT64, start=0, end=1, **options)
    share = run("reshape", x=share, size=(options["steps"], *(1,) * len(apart.shape)))
    return run.typed("add", dtype, x=start, y=run("mul", x=share, y=apart))


def vander(a: dict[str, Value], run: Run) -> TensorType:
    x = tensor_in(a, "x")
    if len(x.shape) != 1:
        raise run.refuse("rank", f"powers are taken of a vector, and this is {x.shape!r}", ("x",))
    dtype = None if x.dtype is None else promote("numpy", [Operand(x.dtype), Operand(INT64)])
    return run.typed("vander", dtype, x=x, n=a["n"], increasing=bool(a["increasing"]))


def indices(a: dict[str, Any], run: Run) -> Value:
    size = a["size"] if isinstance(a["size"], (tuple, list)) else (a["size"],)
    dtype = a["dtype"] or INT64
    if dtype is BOOL:
        raise run.give_up("places as truth values")
    for n in size:
        run.require("full/size", ge(n, 0), f"a size cannot be negative, and the shape is {tuple(size)!r}", ("size",))
    lines = [run("arange", start=0, end=n, dtype=INT64) for n in size] or [run("arange", start=0, end=0, dtype=INT64)]
    if a["sparse"]:
        ones = [tuple(n if i == j else 1 for j, n in enumerate(size)) for i in range(len(size))]
        return tuple(_as(run("reshape", x=line, size=one), dtype, run) for line, one in zip(lines, ones))
    if not size:
        return _as(lines[0], dtype, run)
    return _as(run("stack", xs=run("meshgrid", xs=tuple(lines), indexing="ij"), dim=0), dtype, run)


def _as(x: TensorType, dtype: DType, run: Run) -> TensorType:
    return x if x.dtype is dtype else run("cast", x=x, dtype=dtype)


def triangle_indices(a: dict[str, Any], run: Run) -> Value:
    columns = a["rows"] if a["columns"] is None else a["columns"]
    made = run(run.row.op, rows=maximum(a["rows"], 0), columns=maximum(columns, 0), offset=a["offset"])
    return tuple(run("unbind", x=made, dim=0))


def random(a: dict[str, Value], run: Run) -> TensorType:
    size = a["size"]
    sizes = () if size is None else tuple(size) if isinstance(size, (tuple, list)) else (size,)
    return run("random", size=sizes, dtype=FLOAT64, distribution=a["distribution"])


@takes(Ints("size", None, least=0, optional=True, shape=True), Real("low", 0.5, least=0.25, most=1.0), Real("high", 0.5, least=0.5, most=1.0))
def distribution(a: dict[str, Value], run: Run) -> TensorType:
    """The parameters broadcast, and must broadcast to the size where one is given."""
    parameters = [tensor(a[n]) for n in ("low", "high") if a.get(n) is not None]
    dtype = INT64 if a.get("whole") else FLOAT64
    if len(parameters) == 2 and any(len(v.shape) for v in parameters if v.shape.known):
        parameters = list(run("broadcast_tensors", xs=tuple(parameters)))
    size = None if a["size"] is None else tuple(a["size"]) if isinstance(a["size"], (tuple, list)) else (a["size"],)
    if size is not None and not all(v.weak for v in parameters):
        parameters = [broadcast_to({"x": v, "size": size}, run) for v in parameters]
    name = a.get("distribution") or run.row.name.rpartition(".")[2]
    return run.typed("random_distribution", dtype, parameters=tuple(parameters), size=size, distribution=name)


def dirichlet(a: dict[str, Value], run: Run) -> TensorType:
    """Rows of numbers that sum to 1, one number for each parameter."""
    parameters = tensor(a["low"])
    run.require("rank", len(parameters.shape) == 1, f"alpha is a vector, and has shape {parameters.shape!r}", ("low",))
    size = () if a["size"] is None else tuple(a["size"]) if isinstance(a["size"], (tuple, list)) else (a["size"],)
    whole = broadcast_to({"x": parameters, "size": (*size, *parameters.shape)}, run)
    return run.typed("random_distribution", FLOAT64, parameters=(whole,), size=None, distribution="dirichlet")


def _fits(run: Run, low: Any, past: Any, dtype: Any) -> None:
    """The ends must be numbers of the type drawn."""
    if isinstance(dtype, DType) and dtype.kind in "biu" and dtype.whole_ends is not None:
        least, most = dtype.whole_ends
        run.require("bounds", conj(ge(low, least), le(past, most + 1)), f"{low!r} up to {past!r} is beyond {dtype!r}", ("low", "high", "dtype"))


def randint(a: dict[str, Any], run: Run) -> TensorType:
    if a["dtype"] is not None and isinstance(a["dtype"], DType) and a["dtype"].kind not in "iub":
        raise run.refuse("dtype", f"whole numbers are drawn, not {a['dtype']!r}", ("dtype",))
    low, high = as_size(a["low"]), as_size(a["high"])
    if is_size(low) and (high is None or is_size(high)):
        first, past = (0, low) if high is None else (low, high)
        run.require("range", lt(first, past), f"no whole number lies from {first!r} up to {past!r}", ("low", "high"))
        _fits(run, first, past, a["dtype"])
    size = a["size"]
    sizes = () if size is None else tuple(size) if isinstance(size, (tuple, list)) else (size,)
    dtype = a["dtype"] or INT64
    if any(isinstance(v, TensorType) for v in (low, high)):
        parameters = (tensor(0), tensor(low)) if high is None else (tensor(low), tensor(high))
        return run.typed("random_distribution", dtype, parameters=parameters, size=sizes if size is not None else None, distribution="whole")
    return run.typed("randint", dtype, low=0 if high is None else low, high=low if high is None else high, size=sizes)


def permutation(a: dict[str, Value], run: Run) -> TensorType:
    x = as_size(a["x"])
    if isinstance(x, TensorType):
        if len(x.shape) == 0:
            raise run.give_up("a number in an array")
        order = run("randperm", n=x.shape[0], dtype=INT64)
        return run("index_select", x=x, dim=0, index=order)
    return run("randperm", n=maximum(x, 0), dtype=INT64)


def _weights(run: Run, p: Any, population: Any) -> None:
    """The probabilities of what is drawn: one for each element, not negative, with the sum 1."""
    if p is None:
        return
    weights = tensor(p) if isinstance(p, TensorType) else array_like("numpy", p)
    if weights is None:
        raise run.give_up("the probabilities are not known")
    if not weights.shape.known or len(weights.shape) != 1:
        raise run.refuse("weights", f"p is a vector of probabilities, and has shape {weights.shape!r}", ("p",))
    count = weights.shape[0]
    run.require("weights", eq(count, population) if is_size(population) else True, f"there are {count!r} probabilities for {population!r} elements", ("p", "x"))
    if weights.contents is not None and all(isinstance(w, (int, float)) for w in weights.contents):
        least, total = min(weights.contents, default=0), sum(weights.contents)
        fits = least >= 0 and abs(total - 1) < 1e-6
        run.require("weights", fits, f"the probabilities must not be negative and sum to 1, and the least is {least:g} and the sum {total:g}", ("p",))
    elif weights.facts is not None and weights.facts.bounds is not None and type(count) is int:
        low, high = weights.facts.bounds
        drawn = weights.facts.drawn is not None
        run.require("weights", not drawn and high >= 0 and count * low <= 1.001 and count * high >= 0.999, "the probabilities must sum to 1", ("p",))


def choice(a: dict[str, Value], run: Run) -> TensorType:
    x, size = as_size(a["x"]), a["size"]
    sizes = () if size is None else tuple(size) if isinstance(size, (tuple, list)) else (size,)
    if isinstance(x, (list, tuple)):
        x = array_like("numpy", x)
    if isinstance(x, TensorType) and len(x.shape) != 1:
        raise run.refuse("rank", f"elements of a vector are drawn, and this is {x.shape!r}", ("x",))
    count, population = Shape(sizes).numel, x.shape[0] if isinstance(x, TensorType) else x
    _weights(run, a.get("p"), population)
    if a["replace"] or not is_size(population):
        drawn = run.typed("randint", INT64, low=0, high=maximum(population, 1) if is_size(population) else population, size=sizes)
    else:
        message = f"{count!r} elements cannot be drawn from {population!r} without putting them back"
        run.require("count", ge(population, count), message, ("x", "size"))
        first = run.shaped("slice", Shape((count,)), INT64, x=run("randperm", n=population, dtype=INT64), dim=0, start=0, end=count)
        drawn = run("reshape", x=first, size=sizes)
    return run("take", x=x, index=drawn) if isinstance(x, TensorType) else drawn


def window(a: dict[str, Any], run: Run) -> TensorType:
    """A window of no samples where n is not positive."""
    kind = run.row.name.rpartition(".")[2]
    shape = {"beta": a["beta"]} if kind == "kaiser" and isinstance(a.get("beta"), (int, float)) else {}
    return run.typed("window", FLOAT64, n=maximum(a["n"], 0), kind="hann" if kind == "hanning" else kind, **shape)


def tri(a: dict[str, Any], run: Run) -> TensorType:
    n, m = a["n"], a["n"] if a["m"] is None else a["m"]
    dtype = dtype_of(a) or FLOAT64
    ones = run.typed("full", dtype, size=(maximum(n, 0), maximum(m, 0)), value=1, dtype=dtype)
    return run.typed("tril", dtype, x=ones, offset=a["k"])


def scalar(a: dict[str, Value], run: Run) -> Value:
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
