"""What TensorFlow's spellings share: axes and sizes that come as tensors, images with the channels last, "SAME" and "VALID"."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Anything, Axes, Axis, Bool, Choice, Int, Ints, Pairs, Tensor, Tensors, as_size
from tensorproof.terms.dtypes import BOOL, INDEX, INT32, INT64, DType
from tensorproof.terms.ints import Dim, Term, ceildiv, lower, upper
from tensorproof.terms.predicates import conj, disj, eq, ge, le, lt
from tensorproof.terms.records import dataclass
from tensorproof.terms.shapes import Segment, Shape, unknown_shape
from tensorproof.terms.tensor import TensorType

Arguments = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Window(Choice):
    """A number for every axis of an image batch. The generator tries the options; any other list is looked at as well."""

    def takes(self, value: Any) -> bool:
        return isinstance(value, (tuple, list, TensorType)) or (value is None and self.optional)


# --- what is known of a value ----------------------------------------------------------------------------------------------------


def somewhere(run: Run, name: str = "out") -> Shape:
    """A shape of unknown rank."""
    run.session.made += 1
    return unknown_shape(f"{name}{run.session.site}#{run.session.made}")


def tensor(shape: Any, dtype: DType | None, contents: tuple[Any, ...] | None = None) -> TensorType:
    return TensorType(shape if isinstance(shape, Shape) else Shape(shape), dtype, contents=contents, framework="tf")


def anew(x: TensorType, shape: Any) -> TensorType:
    """A tensor of x's element type and another shape."""
    return tensor(shape, x.dtype)


def ranked(run: Run, x: TensorType, rank: int, name: str = "x") -> TensorType:
    """x, whose rank must be this; unknown axes become symbols."""
    if x.shape.known:
        run.require("rank", len(x.shape) == rank, f"{name} must have rank {rank}, and has shape {x.shape!r}", (name,))
        return x
    return x.but(shape=Shape(run.fresh(f"{name}.{i}") for i in range(rank)), contents=None)


def at_least(run: Run, x: TensorType, rank: int, name: str = "x") -> None:
    if x.shape.known:
        run.require("rank", len(x.shape) >= rank, f"{name} must have rank {rank} or more, and has shape {x.shape!r}", (name,))


def few(shape: Shape) -> int | None:
    """The number of elements, where it is known and small enough to keep contents for."""
    if not shape.known or not shape.concrete:
        return None
    count = 1
    for n in shape:
        count *= int(n)
    return count if count <= 64 else None


def whole(value: Any) -> Any:
    """A whole number (or None for "not given"), or the tensor whose contents are not known."""
    return as_size(value) if isinstance(value, TensorType) else value


def vector(run: Run, value: Any, name: str, scalar: bool = False) -> tuple[Any, ...] | None:
    """The numbers of a vector, None for each that is not known; None in place of all when their count is not known."""
    if value is None:
        return None
    if isinstance(value, Shape):
        return tuple(value) if value.known else None
    if isinstance(value, TensorType):
        if value.shape.known:
            run.require(
                "rank",
                len(value.shape) == 1 or (scalar and len(value.shape) == 0),
                f"{name} must be a vector, and has shape {value.shape!r}",
                (name,),
            )
        if value.contents is not None:
            return value.contents
        if not value.shape.known:
            return None
        if len(value.shape) == 0:
            return (None,)
        return (None,) * value.shape[0] if type(value.shape[0]) is int else None
    if isinstance(value, (tuple, list)):
        return tuple(None if isinstance(v := whole(item), TensorType) else v for item in value)
    return (value,)


def axis(run: Run, value: Any, rank: int, extra: int = 0, name: str = "dim") -> Any:
    """A non-negative axis, or None when it is not known."""
    value = whole(value)
    if type(value) is not int:
        return None
    reach = rank + extra
    run.require("axis", -reach <= value < reach, f"axis {value} is out of range for rank {rank}", (name, "x"))
    return value + reach if value < 0 else value


def same_types(run: Run, a: Arguments, *names: str) -> DType | None:
    """The one element type of the named tensors."""
    found: dict[DType, str] = {}
    for name in names:
        for one in a[name] if isinstance(a[name], (tuple, list)) else (a[name],):
            if isinstance(one, TensorType) and one.dtype is not None and not one.weak:
                found.setdefault(one.dtype, name)
    run.require(
        "dtype", len(found) <= 1, f"{' and '.join(names)} must have one element type, and have {', '.join(map(repr, found))}", names
    )
    return next(iter(found), None)


PLACES = frozenset({DType.INT16, INT32, INT64})
"""What TensorFlow takes as indices."""
_OLD = {
    "dim_old": "dim", "keepdim_old": "keepdim", "filters_old": "weight", "filter_old": "weight", "input_old": "x", "dilation_old": "dilation",
    "dilations_old": "dilation", "targets_old": "target", "target_old": "target", "labels_old": "target", "size_old": "size",
}  # fmt: skip


def modern(a: Arguments) -> Arguments:
    """The arguments with those that version 1 called otherwise under their present names."""
    made = dict(a)
    for old, new in _OLD.items():
        if made.get(old) is not None:
            made[new] = made.pop(old)
    return made


# --- shapes ----------------------------------------------------------------------------------------------------------------------


@takes(Ints("size", shape=True, loose=True))
def reshape(a: Arguments, run: Run) -> TensorType:
    x, size = a["x"], vector(run, a["size"], "size")
    if size is None:
        return anew(x, somewhere(run))
    if any(n is None or (isinstance(n, Term) and lower(n) < 0) for n in size):
        return anew(x, [run.fresh("size") if n is None or (isinstance(n, Term) and lower(n) < 0) else n for n in size] if -1 not in size else
                    [run.fresh("size") if n is None or n == -1 else n for n in size])  # fmt: skip
    if not x.shape.known:
        for n in size:
            run.require("size", n == -1 or ge(n, 0), f"a size cannot be negative, and the shape is {size!r}", ("size",))
        run.require("size", sum(1 for n in size if n == -1) <= 1, f"only one size can be -1, and the shape is {size!r}", ("size",))
        return anew(x, [run.fresh("size") if n == -1 else n for n in size])
    made: TensorType = run("reshape", x=x, size=size).but(strides=None)
    return made


@takes(Axes("dim", None, loose=True), Bool("keepdim", False))
def reduce(a: Arguments, run: Run, once: bool = True) -> TensorType:
    """Axes folded away; an empty list of axes folds none, and None all. `once`: none may be named twice, which static inference does not see."""
    a = modern(a)
    x, keep = a["x"], bool(a.get("keepdim"))
    given = a["dim"]
    axes = None if given is None else vector(run, given, "dim", scalar=True)
    if given is None and x.shape.known:
        axes = tuple(range(len(x.shape)))
    dtype = run(run.row.op, x=x.but(shape=Shape((2,)), contents=None), dim=0, keepdim=False).dtype
    if not x.shape.known or axes is None or any(type(d) is not int for d in axes):
        if given is None and not keep:
            return tensor((), dtype)
        return tensor(Shape(run.fresh("axis") for _ in x.shape) if keep and x.shape.known else somewhere(run), dtype)
    found = [axis(run, d, len(x.shape)) for d in axes]
    axes = tuple(dict.fromkeys(found))
    run.require("axis", not once or len(axes) == len(found), f"axis names an axis twice: {tuple(found)!r}", ("dim",))
    if not axes:
        made: TensorType = x.but(dtype=dtype) if len(x.shape) or given is not None else run(run.row.op, x=x, dim=None, keepdim=keep)
        return made
    result: TensorType = run(run.row.op, x=x, dim=axes, keepdim=keep)
    return result


@takes(Axis("dim", 0, loose=True))
def arg_reduce(a: Arguments, run: Run) -> TensorType:
    """Where the extreme stands along one axis."""
    a = modern(a)
    x = a["x"]
    dtype = a.get("dtype") or INT64
    at_least(run, x, 1)
    if not x.shape.known or (at := axis(run, a["dim"] if a["dim"] is not None else 0, len(x.shape))) is None:
        return tensor(somewhere(run) if not x.shape.known else [run.fresh("axis") for _ in x.shape[1:]], dtype)
    made: TensorType = run(run.row.op, x=x, dim=at, keepdim=False, dtype=dtype)
    return made


@takes(Ints("dim", None, optional=True, loose=True))
def transpose(a: Arguments, run: Run) -> TensorType:
    x, order = a["x"], a.get("dim")
    if order is None:
        return run("reversed_axes", x=x).but(strides=None) if x.shape.known else anew(x, somewhere(run))
    order = vector(run, order, "dim")
    if order is None or any(type(v) is not int for v in order):
        known = len(order) if order is not None else len(x.shape) if x.shape.known else None
        return anew(x, somewhere(run) if known is None else [run.fresh("axis") for _ in range(known)])
    x = ranked(run, x, len(order))
    order = tuple(axis(run, v, len(order)) for v in order)
    run.require("axes", len(set(order)) == len(order) or "Conjugate" in run.name, f"the order {order!r} names an axis twice", ("dim",))
    return run("permute", x=x, dim=order).but(strides=None) if order else x


@takes(Axis("dim", extra=1, loose=True))
def expand_dims(a: Arguments, run: Run) -> TensorType:
    a = modern(a)
    x = a["x"]
    if not x.shape.known:
        return anew(x, somewhere(run))
    at = axis(run, a["dim"], len(x.shape), 1)
    if at is None:
        return anew(x, [run.fresh("axis") for _ in range(len(x.shape) + 1)])
    made: TensorType = run("unsqueeze", x=x, dim=at).but(strides=None)
    return made


@takes(Axes("dim", (), optional=True, unique=False))
def squeeze(a: Arguments, run: Run) -> TensorType:
    """Named axes must be 1; without names every axis of size 1 goes."""
    a = modern(a)
    x, dims = a["x"], vector(run, a.get("dim"), "dim") or ()
    if not x.shape.known:
        return anew(x, somewhere(run))
    if not dims:
        made = run("squeeze", x=x, dim=None).but(strides=None)
        result: TensorType = made if made.shape.known else made.but(shape=somewhere(run, "squeezed"))
        return result
    axes = {axis(run, d, len(x.shape)) for d in dims}
    for at in axes:
        run.require("size", eq(x.shape[at], 1), f"axis {at} has size {x.shape[at]!r}; only axes of size 1 can go", ("x", "dim"))
    found: TensorType = x.but(shape=Shape(n for i, n in enumerate(x.shape) if i not in axes), strides=None)
    return found


@takes(Tensors("xs"), Axis("dim", 0, of="xs", loose=True))
def concat(a: Arguments, run: Run) -> TensorType:
    xs: tuple[TensorType, ...] = tuple(a["xs"])
    dtype = same_types(run, a, "xs")
    rank = next((len(x.shape) for x in xs if x.shape.known), None)
    for i, x in enumerate(xs):
        run.require(
            "rank", not x.shape.known or len(x.shape) == rank, f"tensor {i} has shape {x.shape!r} and another has rank {rank}", ("xs",)
        )
        run.require("rank", not x.shape.known or len(x.shape) > 0, "a tensor without axes cannot be joined to others", ("xs",))
    if rank is None:
        return tensor(somewhere(run), dtype)
    at = axis(run, a["dim"], rank, name="dim")
    if at is None:
        return tensor([run.fresh("axis") for _ in range(rank)], dtype)
    if any(not x.shape.known for x in xs) or any(isinstance(n, Term) for x in xs for n in x.shape):
        xs = tuple(_filled(run, x, xs, at, rank) for x in xs)
    made: TensorType = run("cat", xs=xs, dim=at)
    return made


def _filled(run: Run, x: TensorType, xs: tuple[TensorType, ...], at: int, rank: int) -> TensorType:
    """x with what the others know of its axes."""
    shape = tuple(x.shape) if x.shape.known else (None,) * rank
    made: list[Dim] = []
    for i, n in enumerate(shape):
        if i == at:
            made.append(run.fresh("axis") if n is None else n)
            continue
        best = next((y.shape[i] for y in xs if y.shape.known and not isinstance(y.shape[i], Term)), None)
        if n is not None and best is not None:
            run.require("size", eq(n, best), f"axis {i} is {n!r} in one tensor and {best!r} in another: only axis {at} may differ", ("xs",))
        made.append(
            best if best is not None else n if n is not None else next((y.shape[i] for y in xs if y.shape.known), run.fresh("axis"))
        )
    return x.but(shape=Shape(made)) if Shape(made) != x.shape else x


@takes(Tensors("xs"), Axis("dim", 0, of="xs", extra=1))
def stack(a: Arguments, run: Run) -> TensorType:
    """Equal tensors along a new axis; unknown whole numbers among scalars become symbols, so that shapes stay partly known."""
    xs: tuple[TensorType, ...] = tuple(a["xs"])
    same_types(run, a, "xs")
    shape = next((x.shape for x in xs if x.shape.known), None)
    if shape is None:
        return anew(xs[0], somewhere(run))
    for i, x in enumerate(xs):
        run.require(
            "rank", not x.shape.known or len(x.shape) == len(shape), f"tensor {i} has shape {x.shape!r} and another {shape!r}", ("xs",)
        )
    at = axis(run, a["dim"], len(shape), 1)
    xs = tuple(_filled(run, x, xs, -1, len(shape)) for x in xs)
    if len(shape) == 0 and any(x.contents is not None for x in xs):
        kind = next((x.dtype for x in xs if x.dtype is not None), None)
        if kind in INDEX:
            xs = tuple(x if x.contents is not None else x.but(contents=(run.fresh("value", -(1 << 31)),)) for x in xs)
    made: TensorType = run("stack", xs=xs, dim=at)
    return made


def parts(run: Run, x: TensorType, count: int, at: int | None) -> tuple[TensorType, ...]:
    """x cut into `count` equal parts."""
    if not x.shape.known or at is None:
        return tuple(anew(x, [run.fresh("axis") for _ in x.shape] if x.shape.known else somewhere(run)) for _ in range(count))
    n = x.shape[at]
    run.require("parts", eq(n % count, 0), f"an axis of size {n!r} does not divide into {count} parts", ("x", "count"))
    return tuple(
        t.but(strides=None)
        for t in run(
            "split_sizes",
            x=x.but(shape=Shape((*x.shape[:at], n // count * count, *x.shape[at + 1 :]))),
            dim=at,
            sizes=(n // count,) * count,
        )
    )


@takes(Int("count", least=1), Axis("dim", 0, loose=True))
def split(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x = a["x"]
    at_least(run, x, 1)
    return parts(run, x, a["count"], axis(run, a["dim"], len(x.shape)) if x.shape.known else None)


@takes(Int("count", None, optional=True), Axis("dim", 0))
def unstack(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x, count = a["x"], a.get("count")
    if not x.shape.known:
        if count is None:
            raise run.give_up("the number of parts is not known")
        return tuple(anew(x, somewhere(run)) for _ in range(count))
    at_least(run, x, 1)
    at = axis(run, a["dim"], len(x.shape))
    n = x.shape[at]
    if count is None:
        count = n
    run.require("parts", eq(n, count), f"axis {at} has size {n!r} and {count!r} parts are asked for", ("x", "count"))
    if type(count) is not int:
        raise run.give_up("the number of parts is not known")
    return tuple(t.but(strides=None) for t in run("unbind", x=x.but(shape=Shape((*x.shape[:at], count, *x.shape[at + 1 :]))), dim=at))


@takes(Ints("times", loose=True, least=None, one=False))
def tile(a: Arguments, run: Run) -> TensorType:
    x, times = a["x"], vector(run, a["times"], "times")
    if times is None:
        return anew(x, [run.fresh("axis") for _ in x.shape] if x.shape.known else somewhere(run))
    x = ranked(run, x, len(times))
    for t in times:
        run.require("times", t is None or ge(t, 0), f"an axis cannot be repeated {t!r} times", ("times",))
    if any(t is None for t in times):
        return anew(x, [run.fresh("axis") if t is None else n * t for n, t in zip(x.shape, times)])
    made: TensorType = run("repeat", x=x, times=times).but(strides=None)
    return made


@takes(Tensor("x"), Pairs("paddings"), Choice("mode", ("CONSTANT", "REFLECT", "SYMMETRIC"), "CONSTANT"))
def pad(a: Arguments, run: Run) -> TensorType:
    """`paddings` is a matrix of two columns: before and after each axis."""
    x, paddings = a["x"], a["paddings"]
    mode = str(a.get("mode") or "CONSTANT").upper()
    run.require("mode", mode in ("CONSTANT", "REFLECT", "SYMMETRIC"), f"there is no padding mode {mode}", ("mode",))
    rows = pairs(run, paddings, "paddings")
    if rows is None:
        n = paddings.shape[0] if isinstance(paddings, TensorType) and paddings.shape.known and type(paddings.shape[0]) is int else None
        n = len(x.shape) if n is None and x.shape.known else n
        return anew(x, somewhere(run) if n is None else [run.fresh("axis") for _ in ranked(run, x, n).shape])
    x = ranked(run, x, len(rows))
    reach = {"REFLECT": 1, "SYMMETRIC": 0}.get(str(a.get("mode") or "CONSTANT").upper())
    made: list[Dim] = []
    for n, (before, after) in zip(x.shape, rows):
        run.require(
            "padding", conj(ge(before, 0), ge(after, 0)), f"padding cannot be negative, and is ({before!r}, {after!r})", ("paddings",)
        )
        if reach is not None:
            fits = conj(le(before + reach, n), le(after + reach, n))
            run.require(
                "padding", fits, f"padding ({before!r}, {after!r}) taken from an axis of size {n!r} is too large", ("paddings", "x")
            )
        made.append(n + before + after)
    return anew(x, made)


def pairs(run: Run, value: Any, name: str) -> list[tuple[Any, Any]] | None:
    """The rows of a matrix of two columns, or None when they are not known."""
    if isinstance(value, TensorType):
        if value.shape.known:
            run.require("rank", len(value.shape) == 2, f"{name} must be a matrix, and has shape {value.shape!r}", (name,))
            run.require("columns", eq(value.shape[1], 2), f"{name} must have two columns, and has shape {value.shape!r}", (name,))
        if value.contents is None:
            return None
        held = value.contents
        return [(held[2 * i], held[2 * i + 1]) for i in range(len(held) // 2)]
    rows = list(value)
    run.require("rank", len(rows) > 0, f"{name} must be a matrix of two columns, and is empty", (name,))
    run.require(
        "columns",
        all(isinstance(r, (tuple, list)) and len(r) == 2 for r in rows),
        f"{name} must have two columns, and is {value!r}",
        (name,),
    )
    return [(r[0], r[1]) for r in rows]


@takes(Tensor("index", "...", INDEX), Axis("dim", 0, loose=True), Int("batch_dims", 0))
def gather(a: Arguments, run: Run) -> TensorType:
    """Slices along an axis: its place is taken by the axes of the indices."""
    x, index = a["x"], a["index"]
    run.require("dtype", index.dtype is None or index.dtype in PLACES, f"indices are whole numbers of 16, 32 or 64 bits, not {index.dtype!r}", ("index",))
    at_least(run, x, 1)
    dim = a["dim"] if a.get("dim") is not None else a.get("batch_dims") or 0
    if not x.shape.known:
        return anew(x, somewhere(run))
    at = axis(run, dim, len(x.shape))
    if at is None or not index.shape.known:
        lengths = len(x.shape) - 1 + len(index.shape) if index.shape.known else None
        return anew(x, somewhere(run) if lengths is None else [run.fresh("axis") for _ in range(lengths - (a.get("batch_dims") or 0))])
    batch = a.get("batch_dims") or 0
    run.require(
        "batch_dims",
        -len(index.shape) <= batch <= len(index.shape),
        f"batch_dims {batch} is out of range for indices {index.shape!r}",
        ("batch_dims",),
    )
    batch = batch + len(index.shape) if batch < 0 else batch
    run.require("batch_dims", batch <= at, f"batch_dims {batch} lies behind the axis {at}", ("batch_dims", "dim"))
    for m, n in zip(x.shape[:batch], index.shape[:batch]):
        run.require("batch", eq(m, n), f"the batch axes are {m!r} and {n!r}, and must be equal", ("x", "index"))
    shape = Shape((*x.shape[:at], *index.shape[batch:], *x.shape[at + 1 :]))
    contents = None
    if x.contents is not None and index.contents is not None and len(x.shape) == 1 and batch == 0:
        places = [i for i in index.contents if type(i) is int and 0 <= i < len(x.contents)]
        contents = tuple(x.contents[i] for i in places) if len(places) == len(index.contents) else None
    return tensor(shape, x.dtype, contents)


@takes(Ints("size", shape=True, loose=True, one=False))
def broadcast_to(a: Arguments, run: Run) -> TensorType:
    x, size = a["x"], vector(run, a["size"], "size")
    if size is None:
        return anew(x, somewhere(run))
    if any(n is None for n in size) or not x.shape.known:
        return anew(x, [run.fresh("axis") if n is None else n for n in size])
    for n in size:
        run.require("size", ge(n, 0), f"a size cannot be negative, and the shape is {size!r}", ("size",))
    made: TensorType = run("expand", x=x, size=size).but(strides=None)
    return made


@takes(Ints("size", shape=True, loose=True))
def sized(a: Arguments, run: Run) -> TensorType:
    """A tensor whose shape is an argument: filled, random, empty."""
    size = vector(run, a["size"], "size")
    dtype = a.get("dtype")
    value = a.get("value")
    if isinstance(value, TensorType):
        run.require(
            "rank", not value.shape.known or len(value.shape) == 0, f"the value must be a scalar, and has shape {value.shape!r}", ("value",)
        )
        dtype = value.dtype
    if size is None:
        return tensor(somewhere(run), dtype)
    for n in size:
        run.require("size", n is None or ge(n, 0), f"a size cannot be negative, and the shape is {size!r}", ("size",))
    shape = Shape(run.fresh("size") if n is None else n for n in size)
    if isinstance(value, TensorType) and value.contents is not None and (count := few(shape)) is not None:
        return tensor(shape, dtype, value.contents * count)
    return tensor(shape, dtype)


def arange(a: Arguments, run: Run) -> TensorType:
    """A range whose ends may be tensors of known or unknown contents."""
    dtype = same_types(run, a, "start", "end", "step")
    ends: list[Any] = []
    for name in ("start", "end", "step"):
        value = a[name]
        if isinstance(value, TensorType):
            run.require(
                "rank", not value.shape.known or len(value.shape) == 0, f"{name} must be a scalar, and has shape {value.shape!r}", (name,)
            )
            value = value.contents[0] if value.contents else None
        ends.append(value)
    dtype = a.get("dtype") or dtype
    if any(v is None for v in ends) or (any(isinstance(v, Term) for v in ends) and any(isinstance(v, float) for v in ends)):
        return tensor((run.fresh("range"),), dtype)
    made: TensorType = run("arange", start=ends[0], end=ends[1], step=ends[2], dtype=dtype)
    return made


def labels_agree(run: Run, equation: str, xs: tuple[TensorType, ...]) -> None:
    """In TensorFlow's einsum the axes of one label are equal: none of size 1 is spread."""
    seen: dict[str, Dim] = {}
    for term, x in zip(equation.replace(" ", "").partition("->")[0].split(","), xs):
        if "..." in term or not x.shape.known or len(term) != len(x.shape):
            continue
        for label, n in zip(term, x.shape):
            first = seen.setdefault(label, n)
            run.require("label", eq(first, n), f"the label {label} stands for axes of {first!r} and {n!r}", ("xs",))


# --- windows -----------------------------------------------------------------------------------------------------------------------


def channels_last(data_format: str) -> bool:
    return data_format in ("NHWC", "NDHWC", "NWC", "NHC", "channels_last")


def to_front(x: TensorType, last: bool) -> TensorType:
    """An image batch with the channels behind the batch."""
    return x if not last else x.but(shape=Shape((x.shape[0], x.shape[-1], *x.shape[1:-1])), contents=None, strides=None)


def to_back(x: TensorType, last: bool) -> TensorType:
    return x.but(strides=None) if not last else x.but(shape=Shape((x.shape[0], *x.shape[2:], x.shape[1])), contents=None, strides=None)


def spatial(run: Run, value: Any, n: int, last: bool, name: str, whole_only: bool = True) -> tuple[Any, ...]:
    """The `n` spatial numbers of an attribute that may name all axes, one number, or the spatial ones."""
    if value is None:
        return (1,) * n
    given = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    if len(given) == 1:
        return given * n
    if len(given) == n:
        return given
    run.require(name, len(given) == n + 2, f"{name} must have {n + 2} numbers, and is {value!r}", (name,))
    inner = given[1:-1] if last else given[2:]
    if whole_only:
        outer = (given[0], given[-1]) if last else given[:2]
        run.require(
            name,
            all(type(v) is not int or v <= 1 for v in outer),
            f"{name} must be 1 for the batch and the channels, and is {value!r}",
            (name,),
        )
    return inner


def windowed(
    run: Run, size: Dim, kernel: Dim, stride: Dim, dilation: Dim, padding: str, sides: tuple[Dim, Dim] = (0, 0), overhang: bool = False
) -> Dim:
    """How many windows an axis holds; with `overhang`, none where it is a little too short."""
    run.require("stride", ge(stride, 1), f"the stride must be at least 1, and is {stride!r}", ("stride",))
    run.require("dilation", ge(dilation, 1), f"the dilation must be at least 1, and is {dilation!r}", ("dilation",))
    if padding == "SAME":
        return ceildiv(size, stride)
    reach = dilation * (kernel - 1) + 1
    padded = size + sides[0] + sides[1] + (stride if overhang else 0)
    if overhang:
        run.require("kernel", ge(padded, reach), f"the kernel reaches over {reach!r} elements and the input has {size!r}", ("x", "kernel"))
        return (padded - reach) // stride
    run.require(
        "kernel", ge(padded, reach), f"the kernel reaches over {reach!r} elements and the padded input has {padded!r}", ("x", "weight")
    )
    return (padded - reach) // stride + 1


def explicit_sides(run: Run, padding: Any, explicit: Any, n: int, last: bool) -> tuple[str, list[tuple[Dim, Dim]]]:
    """The padding's name and, where it is explicit, the numbers for each spatial axis."""
    if isinstance(padding, (tuple, list)):
        explicit = [v for pair in padding for v in (pair if isinstance(pair, (tuple, list)) else (pair,))]
        padding = "EXPLICIT"
    padding = padding.upper()
    if padding != "EXPLICIT":
        return padding, [(0, 0)] * n
    flat = tuple(explicit or ())
    run.require("padding", len(flat) == 2 * (n + 2), f"explicit padding has {2 * (n + 2)} numbers, and here {len(flat)}", ("padding",))
    run.require("padding", all(type(v) is not int or v >= 0 for v in flat), f"padding cannot be negative, and is {flat!r}", ("padding",))
    rows = [(flat[2 * i], flat[2 * i + 1]) for i in range(n + 2)]
    inner, outer = (rows[1:-1], (rows[0], rows[-1])) if last else (rows[2:], rows[:2])
    run.require(
        "padding",
        all(pair == (0, 0) for pair in outer),
        f"the batch and the channels are not padded, and the padding is {flat!r}",
        ("padding",),
    )
    return padding, list(inner)


def convolve(
    run: Run, x: TensorType, weight: TensorType, n: int, stride: Any, padding: Any, explicit: Any, dilation: Any, data_format: str
) -> TensorType:
    """A convolution with the weight's axes as TensorFlow orders them: kernel, in, out. Groups follow from the channels."""
    last = channels_last(data_format)
    x, weight = ranked(run, x, n + 2), ranked(run, weight, n + 2, "weight")
    image = to_front(x, last)
    *kernel, per_group, out = weight.shape
    channels = image.shape[1]
    run.require(
        "channels",
        conj(ge(per_group, 1), ge(channels, 1)),
        f"x has {channels!r} channels and the weight takes {per_group!r}",
        ("x", "weight"),
    )
    run.require(
        "channels",
        eq(channels % per_group, 0),
        f"x has {channels!r} channels, which the {per_group!r} of the weight do not divide",
        ("x", "weight"),
    )
    known = type(channels) is int and type(per_group) is int
    groups = channels // per_group if known else 1
    if known and groups:
        run.require("groups", eq(out % groups, 0), f"{out!r} output channels do not divide into {groups!r} groups", ("weight",))
    strides, dilations = spatial(run, stride, n, last, "stride"), spatial(run, dilation, n, last, "dilation")
    name, sides = explicit_sides(run, padding, explicit, n, last)
    if x.shape.concrete and weight.shape.concrete and all(v > 0 for v in (*x.shape, *weight.shape)):
        same = name == "SAME"
        made = run(
            f"conv{n}d", x=image.but(shape=Shape((image.shape[0], per_group * groups, *image.shape[2:]))),
            weight=weight.but(shape=Shape((out, per_group, *kernel))),
            stride=strides, padding="same" if same else tuple(b for b, _ in sides), padding_end=None if same else tuple(e for _, e in sides),
            dilation=dilations, groups=groups,
        )  # fmt: skip
        return to_back(made, last)
    sizes = [windowed(run, s, k, t, d, name, e) for s, k, t, d, e in zip(image.shape[2:], kernel, strides, dilations, sides)]
    same_types(run, {"x": x, "weight": weight}, "x", "weight")
    return to_back(anew(x, (image.shape[0], out, *sizes)), last)


def depthwise(
    run: Run, x: TensorType, weight: TensorType, stride: Any, padding: Any, explicit: Any, dilation: Any, data_format: str
) -> TensorType:
    """Each channel convolved with its own filters: weight (kernel, in, multiplier)."""
    last = channels_last(data_format)
    image, weight = to_front(ranked(run, x, 4), last), ranked(run, weight, 4, "weight")
    *kernel, channels, multiplier = weight.shape
    run.require("channels", eq(image.shape[1], channels), f"x has {image.shape[1]!r} channels and the weight {channels!r}", ("x", "weight"))
    same_types(run, {"x": x, "weight": weight}, "x", "weight")
    strides, dilations = spatial(run, stride, 2, last, "stride"), spatial(run, dilation, 2, last, "dilation")
    run.require(
        "stride", eq(strides[0], strides[1]), f"the strides of a depthwise convolution must be equal, and are {strides!r}", ("stride",)
    )
    name, sides = explicit_sides(run, padding, explicit, 2, last)
    sizes = [windowed(run, s, k, t, d, name, e) for s, k, t, d, e in zip(image.shape[2:], kernel, strides, dilations, sides)]
    return to_back(
        anew(image, (image.shape[0], (channels if isinstance(image.shape[1], Term) else image.shape[1]) * multiplier, *sizes)), last
    )


def pooled(run: Run, x: TensorType, n: int, kernel: Any, stride: Any, padding: Any, explicit: Any, data_format: str) -> TensorType:
    last = channels_last(data_format)
    image = to_front(ranked(run, x, n + 2), last)
    if n == 2 and run.row.op.startswith("max") and eq(image.shape[1], 0) is True:
        raise run.give_up("images without channels, which TensorFlow takes by the way they are padded")
    sizes, strides = spatial(run, kernel, n, last, "kernel"), spatial(run, stride, n, last, "stride")
    name, sides = explicit_sides(run, padding, explicit, n, last)
    for k in sizes:
        run.require("kernel", ge(k, 1), f"the kernel must be at least 1, and is {kernel!r}", ("kernel",))
    made = [windowed(run, s, k, t, 1, name, e) for s, k, t, e in zip(image.shape[2:], sizes, strides, sides)]
    return to_back(anew(image, (*image.shape[:2], *made)), last)


__all__ = ["BOOL", "INT32", "Anything", "Choice", "Segment", "arg_reduce", "concat", "disj", "lt", "reduce", "reshape", "upper"]
