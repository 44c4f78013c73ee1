"""Functions of `tf.random`, and those that make tensors of values and shapes."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.graphdef.elementwise import merged
from tensorproof.bindings.adapt.tensorflow.shared import DTYPE, Arguments, same_types
from tensorproof.bindings.adapt.tensorflow.sizes import as_shape, broadcast_of, ranked, somewhere, whole, with_shape
from tensorproof.bindings.adapters import Run, Value, takes
from tensorproof.ops.inputs import Anything, Tensor
from tensorproof.terms import FLOAT32, FLOAT64, INT32, DType, Shape, TensorType, Term, disj, eq, ge, lt


def _random(run: Run, a: Arguments) -> TensorType:
    """Numbers of the row's distribution: uniform from 0 to 1, or standard normal."""
    shape, dtype = as_shape(run, a["size"]), a.get("dtype") or FLOAT32
    size = tuple(shape) if shape.known else a["size"]
    return run.shaped("random", shape, dtype, size=size, dtype=dtype, key=_key(run, a), **run.row.fixed)


def _key(run: Run, a: Arguments) -> TensorType | None:
    """The tensor from which draws follow, where it is one: two whole numbers for draws without a state."""
    seed = a.get("seed")
    if not isinstance(seed, TensorType):
        return None
    if "stateless" in run.name and seed.shape.known:
        run.require("seed", len(seed.shape) == 1 and eq(seed.shape[0], 2), f"a seed is two whole numbers, and this has shape {seed.shape!r}", ("seed",))
    return seed


def _moved(run: Run, x: TensorType, factor: Value, start: Value) -> TensorType:
    """x · factor + start"""
    return run.typed("add", x.dtype, x=run.typed("mul", x.dtype, x=x, y=factor), y=start)


def random_normal(a: Arguments, run: Run) -> TensorType:
    return _moved(run, _random(run, a), a.get("stddev", 1.0), a.get("mean", 0.0))


def random_uniform(a: Arguments, run: Run) -> TensorType:
    """Numbers from minval up to maxval."""
    dtype = a.get("dtype") or FLOAT32
    low, high = a.get("minval", 0), 1 if a.get("maxval") is None else a["maxval"]
    width: Value = run.typed("sub", dtype, x=high, y=low) if isinstance(low, TensorType) or isinstance(high, TensorType) else high - low
    return _moved(run, _random(run, {**a, "dtype": dtype}), width, low)


def random_whole(a: Arguments, run: Run) -> TensorType:
    """Whole numbers from minval on, below maxval."""
    low, high = (_end(run, a, name) for name in ("minval", "maxval"))
    return _whole(run, a, low, high)


def _end(run: Run, a: Arguments, name: str) -> Value:
    """An end of whole numbers: a number, or a tensor of the type drawn."""
    value, dtype = a[name], a["dtype"]
    if isinstance(value, TensorType):
        ranked(run, value, 0, name)
        own = value.framework == "tf" and not value.weak and value.dtype is not None
        run.require("dtype", not own or value.dtype is dtype, f"{name} is {value.dtype!r}, and {dtype!r} is drawn", (name, "dtype"))
    return whole(value)


def _whole(run: Run, a: Arguments, low: Any, high: Any) -> TensorType:
    shape = as_shape(run, a["size"])
    size = tuple(shape) if shape.known else a["size"]
    plain = not isinstance(low, TensorType) and not isinstance(high, TensorType)
    if plain:
        some = disj(lt(low, high), eq(shape.numel, 0))
        run.require("range", some, f"no whole number lies from {low!r} up to, and without, {high!r}", ("minval", "maxval"))
    return run.shaped("randint" if plain else "random_integers", shape, a["dtype"], low=low, high=high, size=size, key=_key(run, a))


def random_gamma(a: Arguments, run: Run) -> TensorType:
    size, y = as_shape(run, a["size"]), a["y"]
    lead = y.shape if isinstance(y, TensorType) else Shape()
    dtype = a.get("dtype") or FLOAT32
    run.require("dtype", not isinstance(y, TensorType) or y.weak or y.dtype in (None, dtype), "alpha and the result must have the same dtype", ("y", "dtype"))
    rate = a.get("beta")
    if isinstance(rate, TensorType):
        lead = broadcast_of(run, [lead, rate.shape], ("y", "beta"), "add/broadcast")
    shape = Shape((*size, *lead)) if size.known and lead.known else somewhere(run)
    if isinstance(rate, TensorType) and isinstance(y, TensorType):
        y = run.shaped("add", lead, y.dtype, x=y, y=run.typed("full_like", rate.dtype, x=rate, value=0))  # each shape parameter beside each rate
    draws: TensorType = run.shaped("random_gamma", shape, dtype, y=y, size=a["size"])
    if rate is None:
        return draws
    return run.shaped("div", shape, dtype, x=draws, y=rate)


def random_poisson(a: Arguments, run: Run) -> TensorType:
    size, y = as_shape(run, a["size"]), a["y"]
    lead = y.shape if isinstance(y, TensorType) else Shape()
    shape = Shape((*size, *lead)) if size.known and lead.known else somewhere(run)
    return run.shaped("random_poisson", shape, a.get("dtype") or FLOAT32, y=y, size=a["size"])


def stateless_any(a: Arguments, run: Run) -> TensorType:
    """Any numbers of the type."""
    dtype = a["dtype"]
    return _whole(run, a, int(dtype.least), int(dtype.greatest) + 1)


def zeros(a: Arguments, run: Run) -> TensorType:
    given = a["size"]
    if isinstance(given, TensorType) and given.shape.known and not len(given.shape):  # one number is a shape of one axis here
        given = (whole(given),) if given.contents is not None else (run.session.number_in(given),)
    return _filled(run, given, run.row.fixed["value"], a.get("dtype") or FLOAT32)


def _filled(run: Run, given: Value, value: Value, dtype: DType | None) -> TensorType:
    """A tensor full of one value, with a symbol for each size that is not known."""
    shape = as_shape(run, given)
    if not shape.known:
        return run.shaped("full", shape, dtype, size=given, value=value, dtype=dtype)
    return run.typed("full", dtype, size=tuple(shape), value=value, dtype=dtype)


def fill(a: Arguments, run: Run) -> TensorType:
    value = ranked(run, a["value"], 0, "value") if isinstance(a["value"], TensorType) else a["value"]
    return _filled(run, a["size"], value, value.dtype)


def eye(a: Arguments, run: Run) -> TensorType:
    n, m = whole(a["n"]), whole(a.get("m"))
    n = run.fresh("rows") if isinstance(n, TensorType) else n
    m = n if m is None else run.fresh("columns") if isinstance(m, TensorType) else m
    lead = as_shape(run, a["size"]) if a.get("size") is not None else Shape()
    dtype = a.get("dtype") or FLOAT32
    made: TensorType = run.typed("eye", dtype, n=n, m=m, dtype=dtype)
    if not lead.known or len(lead):
        return with_shape(run, "expand", made, (*lead, n, m) if lead.known else somewhere(run), size=(*lead, n, m) if lead.known else a["size"])
    return made


def range(a: Arguments, run: Run) -> TensorType:
    """From start to limit; with one argument, from 0 to it."""
    start, end, step = a["start"], a.get("end"), a.get("step")
    if end is None:
        start, end = 0, start
    values = [v.contents[0] if isinstance(v, TensorType) and v.contents else v for v in (start, end, step)]
    typed = [v.dtype for v in (start, end, step) if isinstance(v, TensorType) and v.dtype is not None and not v.weak]
    dtype = a.get("dtype") or (typed[0] if typed else FLOAT32 if any(isinstance(v, float) for v in values) else INT32)
    broken = dtype.is_integer and any(isinstance(v, float) for v in values)
    run.require("dtype", not broken, f"{values!r} make no range of {dtype!r}", ("start", "end", "step"))
    if any(isinstance(v, TensorType) for v in values) or (any(isinstance(v, Term) for v in values) and any(isinstance(v, float) for v in values)):
        return run.shaped("arange", Shape((run.fresh("range"),)), dtype, start=start, end=end, step=step, dtype=dtype)
    return run("arange", start=values[0], end=values[1], step=values[2], dtype=dtype)


def linspace(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "start", "end")
    kinds = [v.dtype for v in (a["start"], a["end"]) if isinstance(v, TensorType) and v.dtype is not None]
    dtype = kinds[0] if kinds else FLOAT32
    dtype = FLOAT64 if dtype.is_integer else dtype
    steps = whole(a["steps"])
    n = run.fresh("steps") if isinstance(steps, TensorType) else steps
    run.require("steps", ge(n, 0), f"the number of steps must not be negative, and is {n!r}", ("steps",))
    first = a["start"].shape if isinstance(a["start"], TensorType) else Shape()
    return run.shaped("linspace", Shape((n, *first)), dtype, start=a["start"], end=a["end"], steps=n, dtype=dtype)


@takes(Tensor("data"), DTYPE, Anything("size"))
def constant(a: Arguments, run: Run) -> TensorType:
    """Numbers, nested lists or a tensor; a shape may spread one number."""
    x, size = a["data"], a.get("size")
    dtype = a.get("dtype") or x.dtype
    if not x.weak and a.get("dtype") is not None and x.dtype is not None:
        run.require("dtype", a["dtype"] is x.dtype, f"a tensor of {x.dtype!r} does not become {a['dtype']!r} here: use tf.cast", ("data", "dtype"))
    held = dtype is x.dtype or (dtype is not None and dtype.is_integer and x.dtype is not None and x.dtype.is_integer)
    constant: TensorType = run.typed("constant", dtype, data=x if held or x.contents is None else x.but(contents=None), dtype=dtype)
    if size is None:
        return constant
    shape = as_shape(run, size)
    if shape.known and x.shape.known:
        n, m = shape.numel, x.shape.numel
        run.require("size", disj(eq(n, m), eq(m, 1)), f"{m!r} elements do not make the shape {shape!r}", ("size", "data"))
        if m == 1:
            one = with_shape(run, "reshape", constant, (), size=()) if len(x.shape) else constant
            return with_shape(run, "expand", one, shape, size=tuple(shape))
    return with_shape(run, "reshape", constant, shape, size=size)


def ensure_shape(a: Arguments, run: Run) -> TensorType:
    size = a["size"]
    if size is None:
        return run("identity", x=a["x"])
    wanted = size if isinstance(size, Shape) else Shape(run.fresh("any") if n is None or n == -1 else n for n in size)
    return run("ensure_shape", x=a["x"], size=wanted)


def placeholder(a: Arguments, run: Run) -> TensorType:
    size = a.get("size")
    shape = somewhere(run, "placeholder") if size is None else Shape(run.fresh("placeholder") if n is None or n == -1 else n for n in size)
    return run.shaped("stated", shape, a["dtype"], size=tuple(shape) if shape.known else None, dtype=a["dtype"])


def placeholder_with_default(a: Arguments, run: Run) -> TensorType:
    size = a.get("size")
    made = somewhere(run) if size is None else Shape(run.fresh("placeholder") if n is None or n == -1 else n for n in size)
    merged(run, [a["x"].shape, made], ("x", "size"))
    return run.shaped("placeholder_with_default", made, a["x"].dtype, x=a["x"], size=made)


def get_variable(a: Arguments, run: Run) -> TensorType:
    size, given = a.get("size"), a.get("initializer")
    if isinstance(given, TensorType):
        return _stated(run, given.shape, a.get("dtype") or given.dtype)
    if size is None:
        raise run.give_up("the shape of the variable is not given")
    return _stated(run, as_shape(run, (size,) if isinstance(size, int) else size), a.get("dtype") or FLOAT32)


def _stated(run: Run, shape: Shape, dtype: DType | None) -> TensorType:
    """A variable: what it holds the session decides."""
    return run.shaped("stated", shape, dtype, size=tuple(shape) if shape.known else None, dtype=dtype)
