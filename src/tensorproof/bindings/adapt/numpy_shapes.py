"""NumPy's other shapes of the same elements, joining, taking apart, and places."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt import questions
from tensorproof.bindings.adapt.numpy_arrays import Whole, Word, flat, tensor, typed, written
from tensorproof.bindings.adapt.numpy_reductions import no_list, word
from tensorproof.bindings.arrays import array_like
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Axes, Axis, Choice, ElementType, Index, Int, Ints, Tensor, as_size, is_size
from tensorproof.terms.dtypes import BOOL, COMPLEX128, FLOAT32, FLOAT64, INT32, INT64, UINT8
from tensorproof.terms.ints import Dim, maximum, minimum
from tensorproof.terms.predicates import conj, eq, ge, le, lt
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType


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
                run.require(
                    "size", eq(x.shape[axis], 1), f"axis {axis} is {x.shape[axis]!r} and only an axis of 1 is squeezed", ("x", "dim")
                )
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
        x = flat(x)
    axis = 0 if a["dim"] is None else a["dim"]
    if not -len(x.shape) <= axis < len(x.shape):
        raise run.refuse("axis", f"axis {axis} is out of range for {x.shape!r}", ("dim",))
    n = x.shape[axis]
    if isinstance(times, (list, tuple)):
        run.require(
            "times", True if len(times) == 1 else eq(len(times), n), f"{len(times)} counts are given for an axis of {n!r}", ("times", "x")
        )
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
        made = run("cat", xs=tuple(flat(x) for x in xs), dim=0)
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
    kind = y.dtype.kind if y.weak and y.dtype is not None else ""
    y = y.but(weak=False, dtype={"i": INT64, "f": FLOAT64}.get(kind, y.dtype))
    if a["axis"] is None:
        return run("cat", xs=(flat(x), flat(y)), dim=0)
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
        run.require(
            "parts", eq(x.shape[dim] % parts, 0), f"an axis of {x.shape[dim]!r} does not split into {parts!r} equal parts", ("x", "at")
        )
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
    xs = tuple(flat(x) for x in a["xs"])
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
    return diag({**a, "x": flat(a["x"])}, run)


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


@takes(Tensor("index", "...", frozenset({INT64, INT32}), values="index"), Axis("dim", None, optional=True))
def take(a: dict[str, Any], run: Run) -> Any:
    x, index = a["x"], tensor(a["index"])
    word(run, a, "mode", ("raise", "wrap", "clip"))
    if index.dtype is not None and (index.dtype.kind in "fc" or index.dtype.label == "uint64"):
        raise run.refuse("dtype", f"indices must be whole numbers, and are {index.dtype!r}", ("index",))
    if a["dim"] is None or len(x.shape) == 0:
        x = flat(x)
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
        run.require(
            "index",
            conj(lt(v, x.shape[axis]), ge(v, 0 - x.shape[axis])),
            f"index {v!r} is out of range for an axis of {x.shape[axis]!r}",
            ("index",),
        )
    return x.but(shape=Shape((*lead[:axis], index.shape[axis], *lead[axis + 1 :])), contents=None, strides=None)


@takes(Tensor("x"), Tensor("condition", "N"))
def compress(a: dict[str, Any], run: Run) -> Any:
    x, mask = a["x"], a["condition"]
    if isinstance(mask, TensorType) and len(mask.shape) != 1:
        raise run.refuse("condition", f"a vector of truth values selects, and this is {mask.shape!r}", ("condition",))
    if a["dim"] is None:
        x = flat(x)
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
    return run("where_true", condition=flat(a["x"]))[0]


@takes(Tensor("x"))
def argwhere(a: dict[str, Any], run: Run) -> Any:
    x = a["x"]
    (count,) = run("where_true", condition=flat(x))[0].shape
    return TensorType(Shape((count, len(x.shape))), INT64)


@takes(Tensor("x"), Whole("obj", least=0), Axis("axis", None, optional=True))
def delete(a: dict[str, Any], run: Run) -> Any:
    x, obj = a["x"], as_size(a["obj"])
    x, axis = (flat(x), 0) if a["axis"] is None else (x, a["axis"])
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
    x, axis = (flat(x), 0) if a["axis"] is None else (x, a["axis"])
    if not -len(x.shape) <= axis < len(x.shape):
        raise run.refuse("axis", f"axis {axis} is out of range for {x.shape!r}", ("axis",))
    axis %= len(x.shape)
    n = x.shape[axis]
    values = tensor(a["values"])
    if not is_size(obj) or len(values.shape):
        return x.but(
            shape=Shape((*x.shape[:axis], run.fresh("grown", n if isinstance(n, int) else 0), *x.shape[axis + 1 :])),
            contents=None,
            strides=None,
        )
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


@takes(ElementType("dtype"))
def view(a: dict[str, Any], run: Run) -> Any:
    return a["x"] if a["dtype"] is None else run("view_dtype", x=a["x"], dtype=a["dtype"])


def moved(a: dict[str, Any], run: Run) -> Any:
    """As torch, but a number has no axes to move."""
    if len(a["x"].shape) == 0 and a.get("source") not in ((), []):
        raise run.refuse("axis", "a number has no axis", ("x",))
    return run.default(a)


def places(index: Any) -> tuple[Any, ...]:
    """What stands between the brackets, with lists as the arrays that they are; bytes are numbers here, and masks in torch alone."""
    parts = index if isinstance(index, tuple) else (index,)
    found = tuple(array_like("numpy", part) or part if isinstance(part, list) else part for part in parts)
    return tuple(part.but(dtype=INT64) if isinstance(part, TensorType) and part.dtype is UINT8 else part for part in found)


@takes(Index("index"))
def getitem(a: dict[str, Any], run: Run) -> Any:
    return run("getitem", x=a["x"], index=places(a["index"]))


@takes(Index("index"), Tensor("value", "...", scalar=True))
def setitem(a: dict[str, Any], run: Run) -> Any:
    index = places(a["index"])
    if (
        isinstance(a["value"], TensorType)
        and len(a["value"].shape)
        and all(is_size(part) for part in index)
        and len(index) == len(a["x"].shape)
    ):
        raise run.refuse("value", f"an array {a['value'].shape!r} is not put into the place of one number", ("value", "index"))
    return run("setitem", x=a["x"], index=index, value=a["value"])


def shape_tuple(a: dict[str, Any], run: Run) -> Any:
    """np.shape, np.ndim and np.size are plain Python values."""
    shape = tensor(a["x"]).shape
    name = run.row.name.rpartition(".")[2]
    if name == "size" and a.get("axis") is not None:
        return shape[a["axis"]]
    if name == "shape" and not shape.known:
        raise run.give_up("the rank is not known")
    return shape.rank if name == "ndim" else shape.numel if name == "size" else tuple(shape)


@takes(Tensor("x"), Tensor("y"))
def set_operation(a: dict[str, Any], run: Run) -> Any:
    """A sorted vector without repetitions; how long, only the data tell."""
    x, y = tensor(a["x"]), tensor(a["y"])
    numel = {"intersect1d": minimum(x.shape.numel, y.shape.numel), "setdiff1d": x.shape.numel}.get(run.row.name[6:], x.shape.numel + y.shape.numel)
    if a.get("return_indices"):
        raise run.give_up("the places of common elements")
    dtype = x.dtype if run.row.name.endswith("setdiff1d") else run("cat", xs=(flat(x), flat(y)), dim=0).dtype
    return TensorType(Shape((run.fresh("elements", 0, numel if isinstance(numel, int) else None),)), dtype)


def tolist(a: dict[str, Any], run: Run) -> Any:
    """Python's numbers, which are float64 and complex128 to NumPy."""
    x: TensorType = a["x"]
    wide = {"f": FLOAT64, "c": COMPLEX128}.get(x.dtype.kind if x.dtype is not None else "", x.dtype)
    return questions.tolist({"x": x.but(dtype=wide)}, run)


def nothing(a: dict[str, Any], run: Run) -> Any:
    """What works in place and returns None."""
    return None
