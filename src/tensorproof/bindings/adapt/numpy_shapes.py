"""NumPy's functions that give an array another shape or another order of elements."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt import questions
from tensorproof.bindings.adapt.numpy_arrays import Whole, Word, tensor
from tensorproof.bindings.adapt.numpy_reductions import no_list, word
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Axes, Axis, ElementType, Int, Ints, is_size
from tensorproof.terms.dtypes import COMPLEX128, FLOAT64
from tensorproof.terms.ints import Dim
from tensorproof.terms.predicates import conj, eq, ge
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


@takes(Ints("size", least=0, shape=True))
def resize(a: dict[str, Any], run: Run) -> Any:
    size = a["size"] if isinstance(a["size"], (tuple, list)) else (a["size"],)
    for n in size:
        run.require("size", ge(n, 0), f"a size cannot be negative, and the shape is {tuple(size)!r}", ("size",))
    return a["x"].but(shape=Shape(size), contents=None, strides=None)


@takes(ElementType("dtype"))
def view(a: dict[str, Any], run: Run) -> Any:
    return a["x"] if a["dtype"] is None else run("view_dtype", x=a["x"], dtype=a["dtype"])


def moved(a: dict[str, Any], run: Run) -> Any:
    """As torch, but a number has no axes to move."""
    if len(a["x"].shape) == 0 and a.get("source") not in ((), []):
        raise run.refuse("axis", "a number has no axis", ("x",))
    return run.default(a)


def shape_tuple(a: dict[str, Any], run: Run) -> Any:
    """np.shape, np.ndim and np.size are plain Python values."""
    shape = tensor(a["x"]).shape
    name = run.row.name.rpartition(".")[2]
    if name == "size" and a.get("axis") is not None:
        return shape[a["axis"]]
    if name == "shape" and not shape.known:
        raise run.give_up("the rank is not known")
    return shape.rank if name == "ndim" else shape.numel if name == "size" else tuple(shape)


def tolist(a: dict[str, Any], run: Run) -> Any:
    """Python's numbers, which are float64 and complex128 to NumPy."""
    x: TensorType = a["x"]
    wide = {"f": FLOAT64, "c": COMPLEX128}.get(x.dtype.kind if x.dtype is not None else "", x.dtype)
    return questions.tolist({"x": x.but(dtype=wide)}, run)


def nothing(a: dict[str, Any], run: Run) -> Any:
    """What works in place and returns None."""
    return None
