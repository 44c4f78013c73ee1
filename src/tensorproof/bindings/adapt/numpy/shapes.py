"""NumPy's functions that give an array another shape or another order of elements."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.numpy.arrays import Whole, Word, tensor
from tensorproof.bindings.adapt.numpy.reductions import no_list, word
from tensorproof.bindings.adapt.torch import questions
from tensorproof.bindings.adapters import Run, Value, takes, tensor_in
from tensorproof.ops.inputs import as_size, is_number, is_size
from tensorproof.ops.storage import steps_of
from tensorproof.terms import COMPLEX128, FLOAT64, Shape, TensorType, ceildiv, conj, eq, ge, strides_or_none


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
    x, axis, start = tensor_in(a, "x"), a["axis"], a["start"]
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


def atleast(a: dict[str, Value], run: Run) -> TensorType:
    return run("atleast", x=a["x"], least=int(run.row.name[-2]))


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


def fliplr(a: dict[str, Value], run: Run) -> TensorType:
    if len(tensor_in(a, "x").shape) < 2:
        raise run.refuse("rank", f"a matrix is flipped, and this is {tensor_in(a, 'x').shape!r}", ("x",))
    return _backwards(run, tensor_in(a, "x"), (1,))


def flipud(a: dict[str, Value], run: Run) -> TensorType:
    if len(tensor_in(a, "x").shape) < 1:
        raise run.refuse("rank", "a number has no axis to flip", ("x",))
    return _backwards(run, tensor_in(a, "x"), (0,))


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


@takes(Whole("width", least=0), Word("mode", _MODES, "constant"))
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
