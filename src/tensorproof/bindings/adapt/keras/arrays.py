"""Functions of `keras.ops` that make, join, part, turn and index arrays."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.keras.ops import asked, common
from tensorproof.bindings.adapt.numpy import creation as numpy_creation
from tensorproof.bindings.adapt.numpy.arrays import tensor
from tensorproof.bindings.adapt.numpy.reductions import word
from tensorproof.bindings.adapt.steps import Steps
from tensorproof.bindings.adapt.tensorflow.sizes import inside
from tensorproof.bindings.adapters import Ragged, Run, Value, array_like, tensor_in
from tensorproof.ops.inputs import as_size, is_number, is_size
from tensorproof.terms import BOOL, FLOAT32, PY_FLOAT, Dim, Shape, TensorType, conj, eq, ge, le, lt, maximum


def ravel(a: dict[str, Value], run: Run) -> TensorType:
    return _flat(run, tensor(a["x"]))


def _flat(run: Run, x: TensorType) -> TensorType:
    return run("reshape", x=x, size=(x.shape.numel,))


def transpose(a: dict[str, Value], run: Run) -> TensorType:
    if is_size(a["axes"]):
        raise run.refuse("axes", f"the axes are a list, and {a['axes']!r} is not", ("axes",))
    x = tensor(a["x"])
    if a["axes"] is not None:
        return run("permute", x=x, dim=a["axes"])
    return run("permute", x=x, dim=tuple(reversed(range(len(x.shape))))) if x.shape.known else run("reversed_axes", x=x)


def rot90(a: dict[str, Value], run: Run) -> Value:
    if not isinstance(a["dim"], (tuple, list)) or len(a["dim"]) != 2:
        raise run.refuse("axes", f"two axes are turned, and {a['dim']!r} are given", ("dim",))
    if a["dim"][0] == a["dim"][1]:
        raise run.refuse("axes", f"two different axes are turned, and {a['dim']!r} are given", ("dim",))
    return a["x"] if type(a["k"]) is int and a["k"] % 4 == 0 and len(tensor_in(a, "x").shape) >= 2 else run.default(a)


def hstack(a: dict[str, Any], run: Run) -> TensorType:
    xs = tuple(tensor(x) for x in a["xs"])
    return run("cat", xs=xs, dim=0 if len(xs[0].shape) == 1 else 1)


def squeeze(a: dict[str, Value], run: Run) -> TensorType:
    x, dim = tensor_in(a, "x"), a["dim"]
    if dim is not None and x.shape.known:
        for axis in dim if isinstance(dim, (tuple, list)) else (dim,):
            if -len(x.shape) <= axis < len(x.shape):
                run.require("size", eq(x.shape[axis], 1), f"axis {axis} is {x.shape[axis]!r} and only an axis of 1 is squeezed", ("x", "dim"))
            else:
                raise run.refuse("axis", f"axis {axis} is out of range for {x.shape!r}", ("dim", "x"))
    return run("squeeze", x=x, dim=dim)


def append(a: dict[str, Value], run: Run) -> Value:
    x, y = tensor(a["x"]), tensor(a["y"])
    if a["axis"] is None:
        return run("cat", xs=(_flat(run, x), _flat(run, y)), dim=0)
    return run("cat", xs=(x, y), dim=a["axis"])


def pad(a: dict[str, Value], run: Run) -> TensorType:
    x, width = tensor_in(a, "x"), a["width"]
    word(run, a, "mode", ("constant", "reflect", "symmetric"))
    if a["constant_values"] is not None and a["mode"] != "constant":
        raise run.refuse("mode", "constant_values goes with mode='constant'", ("mode",))
    pairs = _pairs(run, width, len(x.shape))
    if a["mode"] != "constant":
        for n, (before, after) in zip(x.shape, pairs):
            most = n - (1 if a["mode"] == "reflect" else 0)
            for one in (before, after):
                if not is_size(width) and one != 0:
                    raise run.give_up("reflected padding by pairs")
                message = f"padding of {one!r} finds too few elements on an axis of {n!r}"
                run.require("width", True if one == 0 else le(one, most), message, ("width", "x"))
    value = a["constant_values"]
    if value is not None and not is_number(value):
        raise run.give_up("several values are padded with")
    with Steps(run, x.dtype).settled():
        ends = tuple(n for pair in reversed(pairs) for n in pair)
        return run.typed("pad", x.dtype, x=x, padding=ends, mode=a["mode"], value=value)


def _pairs(run: Run, width: Any, rank: int) -> list[tuple[Any, Any]]:
    """What is added before and after each axis: 1, (1, 2), ((1, 2),) or one pair an axis."""
    if isinstance(width, TensorType):
        raise run.give_up("the widths are not known")
    if is_size(width):
        pairs = [(width, width)] * rank
    elif width and all(is_size(w) for w in width):
        pairs = [(width[0], width[-1])] * rank
    else:
        rows = [tuple(w) if isinstance(w, (tuple, list)) else (w,) for w in width]
        pairs = [(w[0], w[-1]) for w in (rows * rank if len(rows) == 1 else rows)]
    run.require("width", len(pairs) == rank, f"{len(pairs)} pairs are given for {rank} axes", ("width", "x"))
    for before, after in pairs:
        for one in (before, after):
            run.require("width", ge(one, 0), f"a width cannot be negative, and is {one!r}", ("width",))
    return pairs


def meshgrid(a: dict[str, Any], run: Run) -> Value:
    xs = tuple(tensor(x) for x in a["xs"])
    word(run, a, "indexing", ("xy", "ij"))
    if any(len(x.shape) > 1 for x in xs):
        raise run.give_up("a grid of axes that are not vectors")
    vectors = [x if len(x.shape) else run("reshape", x=x, size=(1,)) for x in xs]
    order = [1, 0, *range(2, len(xs))] if a["indexing"] == "xy" and len(xs) > 1 else list(range(len(xs)))
    size = tuple(vectors[i].shape[0] for i in order)
    made: list[Any] = []
    for i, x in enumerate(vectors):
        laid = run("reshape", x=x, size=tuple(n if order[at] == i else 1 for at, n in enumerate(size)))
        made.append(run("expand", x=laid, size=size))
    return made


def trace(a: dict[str, Value], run: Run) -> TensorType:
    made = run("diagonal", x=a["x"], offset=a["offset"], dim1=a["axis1"], dim2=a["axis2"])
    dtype = tensor_in(a, "x").dtype
    whole = dtype is None or dtype is BOOL or dtype.is_integer
    return run("sum", x=made, dim=-1) if whole else run.typed("sum", dtype, x=made, dim=-1)


def array(a: dict[str, Value], run: Run) -> TensorType:
    data = list(a["data"]) if isinstance(a["data"], range) else a["data"]
    if isinstance(data, TensorType):
        made: TensorType | None = data.but(weak=False) if data.weak else data
    else:
        try:
            made = array_like("keras", data)
        except Ragged:
            raise run.refuse("ragged", "the nested lists have unequal lengths", ("data",)) from None
    if made is None:
        raise run.give_up("the data are not numbers that are known")
    return run("constant", data=made, dtype=asked(a, made.dtype))


def full(a: dict[str, Value], run: Run) -> TensorType:
    dtype, value = asked(a, FLOAT32), a["value"]
    if not isinstance(value, TensorType) or not len(value.shape):
        return run("full", size=a["size"], value=value, dtype=dtype)
    return run("expand", x=run("cast", x=value, dtype=dtype), size=a["size"])


def linspace(a: dict[str, Any], run: Run) -> Value:
    start, end, steps = tensor(a["start"]), tensor(a["end"]), a["steps"]
    run.require("steps", ge(steps, 0), f"a number of samples cannot be negative, and is {steps!r}", ("steps",))
    wide = bool(len(start.shape) or len(end.shape))
    if a["axis"] not in (0, -1) or (a["axis"] == -1 and wide):
        raise run.give_up("the samples stand on another axis than the first")
    dtype = asked(a, common(start, end, more=(PY_FLOAT,)))
    name = run.row.name.rpartition(".")[2]
    if dtype is BOOL or (name == "geomspace" and dtype is not None and dtype.kind not in "fc"):
        raise run.refuse("dtype", f"{name} has no values of type {dtype!r}", ("dtype",))
    m = Steps(run, common(start, end, more=(PY_FLOAT,)))
    if name == "geomspace":
        start, end = m("log10", start), m("log10", end)
    span = m("sub", end, start)
    intervals = steps if not a["endpoint"] else maximum(steps - 1, 1)
    step = m("div", span, intervals)
    count = run("arange", start=0, end=steps, dtype=m.dtype)
    at = run("reshape", x=count, size=(steps, *(1,) * len(span.shape))) if wide else count
    made = m("add", m("mul", at, step), start)
    if name != "linspace":
        made = m("pow", 10 if name == "geomspace" else a["base"], made)
    made = made if dtype is m.dtype or dtype is None else run("cast", x=made, dtype=dtype)
    return (made, step) if a.get("retstep") else made


def window(a: dict[str, Value], run: Run) -> TensorType:
    n = as_size(a["n"])
    if not is_size(n):
        raise run.give_up("the number of samples is not known")
    beta = a.get("beta")
    return run.typed("window", FLOAT32, n=n, kind=a["kind"], **({"beta": float(beta)} if isinstance(beta, (int, float)) else {}))


def size(a: dict[str, Value], run: Run) -> Value:
    return tensor_in(a, "x").shape.numel


def unstack(a: dict[str, Any], run: Run) -> Value:
    x = tensor_in(a, "x")
    if a["num"] == 0:
        raise run.give_up("no elements are asked for, which TensorFlow holds against no axis")
    if a["num"] is not None and x.shape.known and -len(x.shape) <= a["dim"] < len(x.shape):
        n = x.shape[a["dim"]]
        run.require("num", eq(n, a["num"]), f"axis {a['dim']} has {n!r} elements and num is {a['num']!r}", ("num", "x"))
    return list(run("unbind", x=x, dim=a["dim"]))


def arange(a: dict[str, Value], run: Run) -> TensorType:
    dtype = asked(a, None)
    ends = [a[n] for n in ("start", "end", "step") if a[n] is not None]
    if dtype is not None and dtype.is_integer and any(isinstance(v, float) for v in ends):
        raise run.refuse("dtype", f"a range of {dtype!r} has whole ends, not {ends!r}", ("start", "end", "step", "dtype"))
    return numpy_creation.arange({**a, "dtype": dtype}, run)


def tri(a: dict[str, Value], run: Run) -> TensorType:
    """Ones up to the diagonal that `k` names."""
    dtype = asked(a, FLOAT32)
    ones = run("full", size=(a["n"], a["n"] if a["m"] is None else a["m"]), value=1, dtype=dtype)
    return run.typed("tril", dtype, x=ones, offset=a["k"])


def eye(a: dict[str, Any], run: Run) -> Value:
    """The diagonal must lie in the matrix, or right beside it."""
    n, k = a["n"], a["k"]
    m = n if a["m"] is None else a["m"]
    if is_size(n) and is_size(m) and is_size(k):
        inside = conj(ge(m - k, 0), ge(n + k, 0))
        run.require("diagonal", True if k == 0 else inside, f"a matrix of {n!r} by {m!r} has no diagonal {k!r}", ("k",))
    if k != 0 and not (is_size(n) and m == n):
        raise run.give_up("another diagonal of a matrix that is not square, whose shape Keras may get wrong")
    return run.default(a)


def take(a: dict[str, Any], run: Run) -> TensorType:
    x, index = tensor(a["x"]), tensor(a["index"])
    if index.dtype is not None and index.dtype.kind not in "iu":
        raise run.refuse("dtype", f"indices must be whole numbers, and are {index.dtype!r}", ("index",))
    x, axis = (run("reshape", x=x, size=(x.shape.numel,)), 0) if a["dim"] is None else (x, a["dim"])
    if not -len(x.shape) <= axis < len(x.shape):
        raise run.refuse("axis", f"axis {axis} is out of range for {x.shape!r}", ("dim",))
    inside(run, index, x.shape[axis], -x.shape[axis])
    return run.typed("gather_slices", x.dtype, x=x, index=index, dim=axis, lenient=True)


def take_along_axis(a: dict[str, Value], run: Run) -> TensorType:
    x, index, dim = tensor(a["x"]), tensor_in(a, "index"), a["dim"]
    if dim is None:
        if len(index.shape) != 1:
            raise run.refuse("rank", f"indices into all elements are a vector, and they are {index.shape!r}", ("index",))
        x, dim = run("reshape", x=x, size=(x.shape.numel,)), 0
    return run.typed("take_along_dim", x.dtype, x=x, index=index, dim=dim)


def unravel(a: dict[str, Value], run: Run) -> Value:
    x = tensor(a["x"])
    size = a["size"] if isinstance(a["size"], (tuple, list)) else (a["size"],)
    if any(isinstance(n, int) and n < 0 for n in size):
        raise run.give_up("a negative size")
    return tuple(run.typed("unravel_index", x.dtype, x=x, size=tuple(size)))


def slice(a: dict[str, Any], run: Run) -> TensorType:
    x, start, sizes = tensor_in(a, "x"), a["start"], a["size"]
    if isinstance(start, TensorType) or isinstance(sizes, TensorType):
        raise run.give_up("the place is not known")
    run.require("rank", len(start) == len(sizes) == len(x.shape), f"a start and a size are given for each of the {len(x.shape)} axes", ("start", "size"))
    made: list[Dim] = []
    for n, s, m in zip(x.shape, start, sizes):
        size_ = n - s if m == -1 else m
        inside = conj(ge(s, 0), ge(size_, 0), le(s + size_, n))
        run.require("range", inside, f"{size_!r} elements from {s!r} on are not all on an axis of {n!r}", ("start", "size", "x"))
        made.append(size_)
    with Steps(run, x.dtype).settled():
        return run.typed("block_slice", x.dtype, x=x, begin=tuple(start), size=tuple(made))


def slice_update(a: dict[str, Any], run: Run) -> TensorType:
    x, start, source = tensor_in(a, "x"), a["start"], tensor_in(a, "source")
    if isinstance(start, TensorType):
        raise run.give_up("the place is not known")
    run.require(
        "rank", len(start) == len(source.shape) == len(x.shape), f"a start and a size are given for each of the {len(x.shape)} axes", ("start", "source")
    )
    for n, s, m in zip(x.shape, start, source.shape):
        if isinstance(s, int) and isinstance(n, int) and isinstance(m, int) and (s < 0 or s + m > n >= m):
            raise run.give_up("a start that TensorFlow moves inside")
        run.require("range", conj(ge(s, 0), le(s + m, n)), f"{m!r} elements from {s!r} on are not all on an axis of {n!r}", ("start", "source", "x"))
    ends = tuple(s + m for s, m in zip(start, source.shape))
    with Steps(run, x.dtype).settled():
        return run.typed("strided_slice_update", x.dtype, x=x, y=source, begin=tuple(start), end=ends, strides=(1,) * len(ends))


def scatter(a: dict[str, Value], run: Run) -> TensorType:
    index, source = tensor_in(a, "index"), tensor_in(a, "source")
    sizes = a["size"] if isinstance(a["size"], (tuple, list)) else (a["size"],)
    _placed(run, index, source, Shape(sizes))
    with Steps(run, source.dtype).settled():
        return run.typed("scatter_nd", source.dtype, index=index, y=source, size=tuple(sizes))


def _placed(run: Run, index: TensorType, source: TensorType, target: Shape) -> None:
    if len(index.shape) < 1:
        raise run.refuse("rank", "the indices have an axis of coordinates", ("index",))
    if index.dtype is not None and not index.dtype.is_integer:
        raise run.refuse("dtype", f"indices must be whole numbers, and are {index.dtype!r}", ("index",))
    k = index.shape[-1]
    if not isinstance(k, int):
        raise run.give_up("the number of coordinates is not known")
    run.require("index", k <= len(target), f"{k} coordinates are given for {len(target)} axes", ("index",))
    wanted = (*index.shape[:-1], *target[k:])
    message = f"the values are {source.shape!r} and {tuple(wanted)!r} are placed"
    run.require("source", len(wanted) == len(source.shape), message, ("source", "index"))
    for n, m in zip(wanted, source.shape):
        run.require("source", eq(n, m), message, ("source", "index"))
    if index.contents is not None:
        for i, v in enumerate(index.contents):
            run.require("range", conj(ge(v, 0), lt(v, target[i % k])), f"coordinate {v!r} is out of range for an axis of {target[i % k]!r}", ("index",))


def scatter_update(a: dict[str, Value], run: Run) -> TensorType:
    _placed(run, tensor_in(a, "index"), tensor_in(a, "source"), tensor_in(a, "x").shape)
    word(run, a, "reduction", (None, "add", "max", "min", "mul"))
    if a["reduction"] == "mul":
        raise run.give_up("products of what is there and what is placed")
    x = tensor_in(a, "x")
    with Steps(run, x.dtype).settled():
        return run.typed("tensor_scatter", x.dtype, x=x, index=a["index"], y=a["source"], reduction=a["reduction"] or "update")


def get_item(a: dict[str, Value], run: Run) -> TensorType:
    parts = a["index"] if isinstance(a["index"], tuple) else (a["index"],)
    if any(isinstance(p, list) or (isinstance(p, TensorType) and len(p.shape)) for p in parts):
        raise run.refuse("index", "TensorFlow's tensors are not indexed by tensors or lists: take and take_along_axis do that", ("index",))
    return run("getitem", x=a["x"], index=parts)
