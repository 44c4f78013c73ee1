"""NumPy's functions that give an array another shape or order, and that join and split arrays."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.numpy.arrays import along, flattened, tensor, typed, written
from tensorproof.bindings.adapt.numpy.reductions import no_list, word
from tensorproof.bindings.adapt.torch import questions
from tensorproof.bindings.adapters import Run, Value, array_like, tensor_in
from tensorproof.ops.inputs import as_size, is_number, is_size
from tensorproof.ops.storage import steps_of
from tensorproof.terms import COMPLEX128, FLOAT64, INT64, Shape, TensorType, ceildiv, conj, eq, ge, strides_or_none


def reshape(a: dict[str, Value], run: Run) -> TensorType:
    """In Fortran's order the first axis changes fastest."""
    word(run, a, "order", ("C", "F", "A"))
    size = a["size"] if isinstance(a["size"], (tuple, list)) else (a["size"],)
    sizes = tuple(-1 if isinstance(n, int) and n < 0 else n for n in size)  # any negative size means -1
    if a.get("order", "C") != "F":
        return run("reshape", x=a["x"], size=sizes)
    return run("reversed_axes", x=run("reshape", x=run("reversed_axes", x=a["x"]), size=sizes[::-1]))


def ravel(a: dict[str, Any], run: Run) -> TensorType:
    """All elements as one vector; `flatten` copies them."""
    word(run, a, "order", ("C", "F", "A", "K"))
    x = run("reversed_axes", x=a["x"]) if a["order"] == "F" else a["x"]
    made = run("reshape", x=x, size=(x.shape.numel,))
    return run("copy", x=made) if run.row.name.endswith("flatten") else made


def transpose(a: dict[str, Value], run: Run) -> TensorType:
    axes, x = a["axes"], tensor_in(a, "x")
    if isinstance(axes, (tuple, list)) and len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))):
        (axes,) = axes
    if axes is None or (axes in ((), []) and run.row.name.startswith("numpy.ndarray")):
        return run("permute", x=x, dim=tuple(range(len(x.shape)))[::-1]) if x.shape.known else run("reversed_axes", x=x)
    named = len(axes) if isinstance(axes, (tuple, list)) else 1
    if x.shape.known and named != len(x.shape):
        raise run.refuse("axes", f"the order names {named} axes, and the array has {len(x.shape)}", ("axes", "x"))
    return run("permute", x=x, dim=axes)


def rollaxis(a: dict[str, Any], run: Run) -> TensorType:
    x = tensor_in(a, "x")
    axis: int = a["axis"]
    start: int = a["start"]
    rank = len(x.shape)
    if not -rank <= axis < rank or not -rank <= start <= rank:
        raise run.refuse("axis", f"axis {axis} or start {start} is out of range: the tensor has {rank} dimensions", ("axis", "start"))
    axis, start = axis % rank, start + rank if start < 0 else start
    start = start - 1 if axis < start else start
    order = [i for i in range(rank) if i != axis]
    order.insert(start, axis)
    return run("permute", x=x, dim=tuple(order))


def squeeze(a: dict[str, Value], run: Run) -> TensorType:
    """Only axes of size 1 are squeezed; a named one of another size is an error."""
    no_list(a, run)
    x, dim = tensor_in(a, "x"), a["dim"]
    if dim is not None and x.shape.known:
        for axis in dim if isinstance(dim, (tuple, list)) else (dim,):
            if len(x.shape) and -len(x.shape) <= axis < len(x.shape):
                run.require("size", eq(x.shape[axis], 1), f"axis {axis} is {x.shape[axis]!r} and only an axis of 1 is squeezed", ("x", "dim"))
    return run("squeeze", x=x, dim=dim)


def expand_dims(a: dict[str, Any], run: Run) -> TensorType:
    x: TensorType = a["x"]
    axes = a["axis"] if isinstance(a["axis"], (tuple, list)) else (a["axis"],)
    rank = len(x.shape) + len(axes)
    for axis in axes:
        if not -rank <= axis < rank:
            raise run.refuse("axis", f"axis {axis} is out of range for a result of rank {rank}", ("axis",))
    at = {axis % rank for axis in axes}
    if len(at) != len(axes):
        raise run.refuse("axis", f"an axis is named twice in {axes!r}", ("axis",))
    for axis in sorted(at):
        x = run("unsqueeze", x=x, dim=axis)
    return x


def atleast_each(a: dict[str, Any], run: Run) -> Value:
    return tuple(run("atleast", x=tensor(x), least=int(run.row.name[-2])) for x in a["xs"])


def broadcast_to(a: dict[str, Any], run: Run) -> TensorType:
    x: TensorType = a["x"]
    size = a["size"] if isinstance(a["size"], (tuple, list)) else (a["size"],)
    message = f"an array {x.shape!r} does not broadcast to {tuple(size)!r}"
    run.require("rank", len(size) >= len(x.shape), message, ("x", "size"))
    for n, m in zip(reversed(x.shape), reversed(size)):
        run.require("size", True if n == 1 else eq(n, m), message, ("x", "size"))
    for m in size:
        run.require("size", ge(m, 0), "a size cannot be negative", ("size",))
    if not x.shape.known:
        return run.shaped("expand", Shape(size), x.dtype, x=x, size=tuple(size))
    return run("expand", x=x, size=tuple(size))


def flip(a: dict[str, Value], run: Run) -> TensorType:
    dim = tuple(range(len(tensor_in(a, "x").shape))) if a["dim"] is None else a["dim"]
    return _backwards(run, tensor_in(a, "x"), dim)


def _backwards(run: Run, x: TensorType, dim: Value) -> TensorType:
    """x with some axes in reverse order: a view of it, whose strides along them are negative."""
    made, steps = run("flip", x=x, dim=dim), steps_of(x)
    if steps is None or not isinstance(made, TensorType) or not made.shape.known:
        return made
    turned = {axis % len(steps) for axis in (dim if isinstance(dim, (tuple, list)) else (dim,)) if type(axis) is int and steps}
    return run.noted(made, strides=strides_or_none(made.shape, [-step if i in turned else step for i, step in enumerate(steps)]))


def roll(a: dict[str, Value], run: Run) -> TensorType:
    x, axis = tensor_in(a, "x"), a["axis"]
    axes = () if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    for one in axes:
        if not -len(x.shape) <= one < len(x.shape):
            raise run.refuse("axis", f"axis {one} is out of range for {x.shape!r}", ("axis",))
    shifts = _shifts(a["shift"], max(len(axes), 1), run)
    if axis is None:
        total = sum(shifts[1:], shifts[0])
        return run.shaped("roll", x.shape, x.dtype, x=x, shifts=(total,), dim=None)
    places = tuple(axes) * (len(shifts) if len(axes) == 1 else 1)
    return run("roll", x=x, shifts=shifts, dim=places) if places else x


def _shifts(shift: Value, count: int, run: Run) -> tuple[Any, ...]:
    """A shift for each of so many axes; a symbol where it is not known."""
    if isinstance(shift, TensorType):
        shift = run.fresh("shift") if shift.contents is None else shift.contents
    given = tuple(shift) if isinstance(shift, (tuple, list)) else (shift,)
    return given * count if len(given) == 1 else given


_WORDS = {"edge": "replicate", "wrap": "circular"}
_MODES = ("constant", "edge", "linear_ramp", "maximum", "mean", "median", "minimum", "reflect", "symmetric", "wrap", "empty")


def pad(a: dict[str, Any], run: Run) -> TensorType:
    x, width = tensor_in(a, "x"), a["width"]
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
    for n, (before, after) in zip(x.shape, pairs):
        run.require("width", conj(ge(before, 0), ge(after, 0)), f"a width cannot be negative, and is {(before, after)!r}", ("width",))
        if a["mode"] not in ("constant", "empty") and n == 0:
            run.require("empty", conj(eq(before, 0), eq(after, 0)), "an empty axis cannot be extended with its own values", ("x",))
    return _padded(x, pairs, a, run)


def _padded(x: TensorType, pairs: list[Any], a: dict[str, Any], run: Run) -> TensorType:
    """The axes one after the other where each has its own values, else all at once."""
    mode = a["mode"]
    if a.get("reflect_type", "even") != "even" and mode in ("reflect", "symmetric"):
        raise run.give_up("reflect_type='odd'")
    value = as_size(a.get("constant_values", 0) if mode == "constant" else a.get("end_values", 0) if mode == "linear_ramp" else 0)
    options = {"mode": _WORDS.get(mode, mode), "repeats": True, "extent": a.get("stat_length")}
    if is_number(value):
        padding = tuple(n for pair in reversed(pairs) for n in pair)
        return run.typed("pad", x.dtype, x=x, padding=padding, value=value if mode in ("constant", "linear_ramp") else None, **options)
    for axis, ends in enumerate(_ends(value, len(pairs), run)):
        for side, end in enumerate(ends):
            width = (pairs[axis][0], 0) if side == 0 else (0, pairs[axis][1])
            padding = (*(0,) * 2 * (len(pairs) - 1 - axis), *width)
            x = run.typed("pad", x.dtype, x=x, padding=padding, value=end, **options)
    return x


def _ends(value: Value, rank: int, run: Run) -> list[tuple[Any, Any]]:
    """The values before and after each axis."""
    if isinstance(value, (tuple, list)) and value and all(is_number(v) for v in value):
        return [(value[0], value[-1])] * rank
    if isinstance(value, (tuple, list)) and all(isinstance(v, (tuple, list)) and v and all(map(is_number, v)) for v in value) and len(value) in (1, rank):
        return [(v[0], v[-1]) for v in (value * rank if len(value) == 1 else value)]
    raise run.give_up("the values of the padding are not known")


def resize(a: dict[str, Value], run: Run) -> TensorType:
    size = a["size"] if isinstance(a["size"], (tuple, list)) else (a["size"],)
    for n in size:
        run.require("size", ge(n, 0), f"a size cannot be negative, and the shape is {tuple(size)!r}", ("size",))
    x, total = tensor_in(a, "x"), Shape(size).numel
    numel = x.shape.numel
    if isinstance(numel, int) and numel == 0:
        return run("reshape", x=run("full", size=(total,), value=0, dtype=x.dtype), size=tuple(size))
    vector = run("reshape", x=x, size=(numel,))
    many = run("repeat", x=vector, times=(ceildiv(total, numel),))
    return run("reshape", x=run.shaped("slice", Shape((total,)), x.dtype, x=many, dim=0, start=0, end=total), size=tuple(size))


def view(a: dict[str, Value], run: Run) -> Value:
    dtype = a["dtype"] or tensor_in(a, "x").dtype
    return a["x"] if dtype is None else run("view_dtype", x=a["x"], dtype=dtype)


def shape_tuple(a: dict[str, Any], run: Run) -> Value:
    """np.shape, np.ndim and np.size are plain Python values."""
    shape = tensor(a["x"]).shape
    name = run.row.name.rpartition(".")[2]
    if name == "size" and a.get("axis") is not None:
        return shape[a["axis"]]
    if name == "shape" and not shape.known:
        raise run.give_up("the rank is not known")
    return shape.rank if name == "ndim" else shape.numel if name == "size" else tuple(shape)


def tolist(a: dict[str, Any], run: Run) -> Value:
    """Python's numbers, which are float64 and complex128 to NumPy."""
    x: TensorType = a["x"]
    wide = {"f": FLOAT64, "c": COMPLEX128}.get(x.dtype.kind if x.dtype is not None else "", x.dtype)
    return questions.tolist({"x": x.but(dtype=wide)}, run)


def shuffled(a: dict[str, Value], run: Run) -> Any:
    """In place, with no result."""
    run("copy_into", x=a["x"], y=run("shuffle", x=a["x"]))


def tile(a: dict[str, Value], run: Run) -> TensorType:
    x = tensor_in(a, "x")
    times = a["times"] if isinstance(a["times"], (tuple, list)) else (a["times"],)
    times = (1,) * (len(x.shape) - len(times)) + tuple(times)
    for n in times:
        run.require("times", ge(n, 0), f"an array cannot be repeated {n!r} times", ("times",))
    return run("repeat", x=x, times=times)


def repeat(a: dict[str, Any], run: Run) -> TensorType:
    x, times = tensor_in(a, "x"), a["times"]
    x, axis = along(x, a["dim"], run)
    n = x.shape[axis]
    if isinstance(times, (list, tuple)):
        run.require("times", True if len(times) == 1 else eq(len(times), n), f"{len(times)} counts are given for an axis of {n!r}", ("times", "x"))
        low: Value = 0 if any(t < 0 for t in times) else 1
        run.require("times", low == 1 or not times, "a count must not be negative", ("times",))
        times = times[0] if len(times) == 1 else run("constant", data=array_like("numpy", list(times)), dtype=INT64)
    elif isinstance(times, TensorType) and len(times.shape):
        if times.dtype not in (None, INT64):
            times = run("cast", x=times, dtype=INT64)
    elif is_size(as_size(times)):
        times = as_size(times)
        run.require("times", ge(times, 0), f"elements cannot be repeated {times!r} times", ("times",))
    else:
        raise run.give_up("the counts are not known")
    return run("repeat_interleave", x=x, times=times, dim=axis)


def concatenate(a: dict[str, Any], run: Run) -> Value:
    xs = tuple(a["xs"])
    if a["dim"] is None:
        made = run("cat", xs=tuple(flattened(x, run) for x in xs), dim=0)
    else:
        if any(len(x.shape) == 0 for x in xs):
            raise run.refuse("rank", "numbers cannot be joined; give axis=None or arrays", ("xs",))
        made = run("cat", xs=xs, dim=a["dim"])
    return written(typed(made, a, run), a, run)


def stacked(a: dict[str, Any], run: Run) -> Value:
    """Arrays of at least the rank of the row joined along its axis; without one, vectors along their own, others along the second."""
    xs = tuple(of_rank(x, a["least"], run) for x in a["xs"])
    dim = a["dim"] if "dim" in a else 0 if len(xs[0].shape) == 1 else 1
    return typed(run("cat", xs=xs, dim=dim), a, run)


def of_rank(x: TensorType, rank: int, run: Run) -> TensorType:
    if len(x.shape) >= rank:
        return x
    return run("atleast", x=x, least=rank)


def column_stack(a: dict[str, Any], run: Run) -> TensorType:
    xs = tuple(x if len(x.shape) >= 2 else run("reshape", x=x, size=(x.shape.numel, 1)) for x in a["xs"])
    return run("cat", xs=xs, dim=1)


def append(a: dict[str, Value], run: Run) -> Value:
    x, y = tensor_in(a, "x"), tensor(a["y"])
    if y.weak and y.dtype is not None:  # a Python number is an array of NumPy's own kind
        y = run("constant", data=y, dtype={"i": INT64, "f": FLOAT64, "c": COMPLEX128}.get(y.dtype.kind, y.dtype))
    if a["axis"] is None:
        return run("cat", xs=(flattened(x, run), flattened(y, run)), dim=0)
    if len(x.shape) == 0:
        raise run.refuse("rank", "a number has no axis", ("x",))
    return run("cat", xs=(x, y), dim=a["axis"])


def split(a: dict[str, Value], run: Run) -> Value:
    """Equal parts, or else an error."""
    at, x, dim = a["at"], tensor_in(a, "x"), a["dim"]
    if is_size(as_size(at)) and x.shape.known and len(x.shape) and isinstance(dim, int) and -len(x.shape) <= dim < len(x.shape):
        parts = as_size(at)
        run.require("parts", ge(parts, 1), f"an array is split into at least one part, not {parts!r}", ("at",))
        run.require("parts", eq(x.shape[dim] % parts, 0), f"an axis of {x.shape[dim]!r} does not split into {parts!r} equal parts", ("x", "at"))
    return array_split(a, run)


def array_split(a: dict[str, Value], run: Run) -> Value:
    x, at = tensor_in(a, "x"), a["at"]
    if len(x.shape) == 0:
        raise run.refuse("rank", "a number cannot be split", ("x",))
    return list(run("tensor_split", x=x, at=tuple(at) if isinstance(at, list) else at, dim=a["dim"]))


def split_along(a: dict[str, Any], run: Run) -> Value:
    """Along the axis of the row; without one, a vector along its own, another along the second."""
    shape, least = tensor_in(a, "x").shape, a["least"]
    if len(shape) < least:
        raise run.refuse("rank", f"an array of rank {least} or more is split, and this is {shape!r}", ("x",))
    return split({**a, "dim": a.get("dim", 0 if len(shape) == 1 else 1)}, run)


def meshgrid(a: dict[str, Any], run: Run) -> Value:
    xs = tuple(flattened(x, run) for x in a["xs"])
    word(run, a, "indexing", ("xy", "ij"))
    if not xs:
        return ()
    made = run("meshgrid", xs=xs, indexing=a["indexing"])
    if not a["sparse"]:
        return made
    order = {0: 1, 1: 0} if a["indexing"] == "xy" and len(xs) > 1 else {}
    sizes = [tuple(x.shape[0] if j == order.get(i, i) else 1 for j in range(len(xs))) for i, x in enumerate(xs)]
    return tuple(run("reshape", x=x, size=size) for x, size in zip(xs, sizes))
