"""GraphDef nodes of elementwise, array and state operators: what their attributes and tensor-valued arguments mean for the operators."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt import tf_joins, tf_shapes
from tensorproof.bindings.adapt.tensorflow import Arguments, anew, at_least, axis, few, ranked, same_types, somewhere, tensor, vector, whole
from tensorproof.bindings.adapt.tf_joins import parts
from tensorproof.bindings.adapt.tf_shapes import pairs
from tensorproof.bindings.adapt.tf_windows import channels_last
from tensorproof.bindings.call import Run, takes
from tensorproof.catalogue.tensorflow_arrays import agreed
from tensorproof.ops.call import Call
from tensorproof.ops.inputs import Anything, Axes, Axis, Bool, Choice, ElementType, Int, Ints, Pairs, Tensor, Tensors
from tensorproof.terms.dtypes import BOOL, FLOAT32, FLOAT64, INDEX, INT32, INT64, DType
from tensorproof.terms.ints import Dim, Term, product
from tensorproof.terms.predicates import conj, disj, eq, ge, le
from tensorproof.terms.shapes import Shape, broadcast
from tensorproof.terms.tensor import TensorType

STRING = DType.STRING
_DTYPE = ElementType("dtype", optional=False)


def merged(run: Run, shapes: list[Shape], about: tuple[str, ...], code: str = "shape") -> Shape:
    """The one shape that all of these are."""
    return agreed(Call(_op(run), {}, run.session, run.name), shapes, about, code)


def _op(run: Run) -> Any:
    from tensorproof.bindings.call import operator

    return operator(run.row.op)


# --- elementwise -----------------------------------------------------------------------------------------------------------------


def same_type(a: Arguments, run: Run) -> TensorType:
    """An elementwise function that keeps whole numbers whole."""
    return anew(a["x"], a["x"].shape)


def checked_first(a: Arguments, run: Run) -> TensorType:
    """The first input, handed on."""
    first = next(v for v in a.values() if isinstance(v, TensorType))
    return anew(first, first.shape)


def second(a: Arguments, run: Run) -> TensorType:
    made: TensorType = a["y"]
    return made


@takes(Tensor("x", ""))
def scalar_first(a: Arguments, run: Run) -> TensorType:
    return ranked(run, a["x"], 0)


def filled_like(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    count = few(x.shape) if x.dtype is not None and x.dtype.is_integer else None
    return tensor(x.shape, x.dtype, None if count is None else (a["value"],) * count)


def part_of_complex(a: Arguments, run: Run) -> TensorType:
    return tensor(a["x"].shape, a.get("dtype") or FLOAT32)


def complex(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "y")
    dtype = run("add", x=a["x"], y=a["y"])
    made: TensorType = dtype.but(dtype=a["dtype"])
    return made


def cast(a: Arguments, run: Run) -> TensorType:
    made: TensorType = run("cast", x=a["x"], dtype=a["dtype"])
    return made


def softmax(a: Arguments, run: Run) -> TensorType:
    at_least(run, a["x"], 1)
    return anew(a["x"], a["x"].shape)


def quotient(a: Arguments, run: Run) -> TensorType:
    """A quotient of TensorFlow keeps the element type, be it whole or not."""
    made = run("add", x=a["x"], y=a["y"])
    result: TensorType = made.but(contents=None)
    return result


def pairwise(a: Arguments, run: Run) -> TensorType:
    """Any function of two tensors that broadcast."""
    made: TensorType = run("add", x=a["x"], y=a["y"]).but(contents=None)
    return made


@takes(Tensor("x"), Tensor("y"), Tensor("z"))
def broadcast_three(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "y", "z")
    shapes = [a[n].shape for n in "xyz"]
    known = [s for s in shapes if s.known and len(s)]
    return anew(a["x"], merged(run, known, ("x", "y", "z")) if known else shapes[0])


@takes(Bool("incompatible_shape_error", True))
def equality(a: Arguments, run: Run) -> TensorType:
    """With incompatible_shape_error off, shapes that do not broadcast give a scalar."""
    if a["incompatible_shape_error"]:
        made: TensorType = run(run.row.op, x=a["x"], y=a["y"])
        return made
    same_types(run, a, "x", "y")
    x, y = a["x"].shape, a["y"].shape
    if not x.known or not y.known or any(isinstance(n, Term) for n in (*x, *y)):
        return tensor(somewhere(run), BOOL)
    fits: list[bool] = [True]
    shape = broadcast([x, y], lambda holds, m, n: fits.append(holds is True))
    return tensor(shape if all(fits) else (), BOOL)


def approximate(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "y")
    return tensor(merged(run, [a["x"].shape, a["y"].shape], ("x", "y")), BOOL)


def first_shape(a: Arguments, run: Run) -> TensorType:
    """The gradient of an elementwise function has the shape of its first input."""
    same_types(run, a, "x", "y")
    return anew(a["x"], a["x"].shape)


@takes(Tensor("x"), Tensor("low"), Tensor("high"))
def clip(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "low", "high")
    shape = a["x"].shape
    for name in ("low", "high"):
        other = a[name].shape
        if other.known and shape.known and len(other):
            shape = merged(run, [shape, other], ("x", name))
    return anew(a["x"], shape)


@takes(Tensor("condition", "...", frozenset({BOOL})), Tensor("x"), Tensor("y"))
def select(a: Arguments, run: Run) -> TensorType:
    """The condition has the shape of the choices, or is a scalar, or a vector of their first axis."""
    same_types(run, a, "x", "y")
    condition = a["condition"].shape
    shape = merged(run, [a["x"].shape, a["y"].shape], ("x", "y"))
    if condition.known and shape.known and len(condition):
        if len(condition) == 1 and len(shape) != 1:
            run.require("condition", len(shape) > 0, "a vector does not choose between scalars", ("condition", "x"))
            run.require(
                "condition",
                eq(condition[0], shape[0]),
                f"the condition has {condition[0]!r} elements and the choices {shape[0]!r} rows",
                ("condition", "x"),
            )
        else:
            shape = merged(run, [shape, condition], ("condition", "x"), "condition")
    elif condition.known and len(condition) > 1:
        shape = condition
    return anew(a["x"], shape)


@takes(Tensor("condition", "...", frozenset({BOOL})), Tensor("x"), Tensor("y"))
def select_v2(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "y")
    made: TensorType = run("where", condition=a["condition"], x=a["x"], y=a["y"])
    return made


@takes(_DTYPE)
def bitcast(a: Arguments, run: Run) -> TensorType:
    x, dtype = a["x"], a["dtype"]
    if x.dtype is None:
        return tensor(somewhere(run), dtype)
    if not x.shape.known or x.dtype.bits == dtype.bits:
        return tensor(x.shape, dtype)
    if x.dtype.bits > dtype.bits:
        return tensor((*x.shape, x.dtype.bits // dtype.bits), dtype)
    at_least(run, x, 1)
    run.require(
        "width",
        eq(x.shape[-1], dtype.bits // x.dtype.bits),
        f"the last axis {x.shape[-1]!r} does not make one element of {dtype!r}",
        ("x", "dtype"),
    )
    return tensor(x.shape[:-1], dtype)


@takes(Tensor("x"), Tensor("low", ""), Tensor("high", ""))
def with_scalars(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "low", "high")
    for name in ("low", "high"):
        ranked(run, a[name], 0, name)
    return anew(a["x"], a["x"].shape)


# --- arrays ------------------------------------------------------------------------------------------------------------------------


@takes(Ints("size", shape=True, loose=True))
def ensure_shape(a: Arguments, run: Run) -> TensorType:
    made: TensorType = run("ensure_shape", x=a["x"], size=_declared(run, a["size"])) if a.get("size") is not None else a["x"]
    return made


@takes(Tensor("x"), Ints("size", shape=True, loose=True))
def placeholder_with_default(a: Arguments, run: Run) -> TensorType:
    """The declared shape, which the default must fit."""
    x, size = a["x"], _declared(run, a["size"])
    merged(run, [x.shape, size], ("x", "size"))
    return tensor(size, x.dtype)


def shape_vectors(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "y")
    x, y = ranked(run, a["x"], 1), ranked(run, a["y"], 1, "y")
    known = type(x.shape[0]) is int and type(y.shape[0]) is int
    return run("broadcast_args", x=x, y=y) if known else tensor((run.fresh("rank"),), x.dtype)


def gradient_args(a: Arguments, run: Run) -> Any:
    same_types(run, a, "x", "y")
    return run("broadcast_gradient_args", x=ranked(run, a["x"], 1), y=ranked(run, a["y"], 1, "y"))


def one_vector(a: Arguments, run: Run) -> TensorType:
    made: TensorType = run(run.row.op, x=ranked(run, a["x"], 1))
    return made


def _declared(run: Run, size: Any) -> Shape:
    """A shape that a node states; -1 in it stands for any size."""
    if not isinstance(size, (tuple, list)):
        return somewhere(run)
    return Shape(run.fresh("size") if type(n) is int and n < 0 else n for n in size)


@takes(Tensor("x"), Pairs("paddings"), Choice("mode", ("REFLECT", "SYMMETRIC")))
def mirror_pad(a: Arguments, run: Run) -> TensorType:
    return tf_shapes.pad(a, run)


@takes(Tensor("x"), Pairs("paddings"), Tensor("value", ""))
def pad_v2(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "value")
    return tf_shapes.pad(a, run)


@takes(Ints("dim", (), optional=True, one=False))
def squeeze(a: Arguments, run: Run) -> TensorType:
    return tf_shapes.squeeze(a, run)


def _held(run: Run, a: Arguments) -> None:
    """A variable is read as what it holds."""
    kind, dtype = a["x"].dtype, a.get("dtype")
    run.require(
        "dtype",
        None in (kind, dtype) or kind in (DType.RESOURCE, dtype),
        f"the variable holds {kind!r} and is read as {dtype!r}",
        ("x", "dtype"),
    )


@takes(Tensor("x"), Tensor("index", "...", INDEX), _DTYPE)
def resource_gather(a: Arguments, run: Run) -> TensorType:
    _held(run, a)
    return tf_shapes.gather({**a, "dim": 0}, run)


@takes(Tensor("x"), Tensor("index", "...", INDEX), _DTYPE)
def resource_gather_nd(a: Arguments, run: Run) -> TensorType:
    _held(run, a)
    made: TensorType = run("gather_nd", x=a["x"], index=a["index"])
    return made


@takes(Tensor("x"), Tensor("dims", "R", frozenset({BOOL})))
def reverse_flags(a: Arguments, run: Run) -> TensorType:
    """One flag for each axis; at most eight axes."""
    x, flags = a["x"], ranked(run, a["dims"], 1, "dims")
    if x.shape.known:
        run.require("rank", len(x.shape) <= 8, f"x may have at most 8 axes, and is {x.shape!r}", ("x",))
        run.require("flags", eq(flags.shape[0], len(x.shape)), f"{flags.shape[0]!r} flags go with {len(x.shape)} axes", ("dims", "x"))
    return anew(x, x.shape)


@takes(Tensors("xs"), Ints("size", shape=True, loose=True))
def accumulate(a: Arguments, run: Run) -> TensorType:
    """A sum of tensors of one shape; the shape that the node states is not held against them."""
    same_types(run, a, "xs")
    return anew(a["xs"][0], _declared(run, a["size"]))


@takes(Ints("sizes", loose=True), Axis("dim", loose=True), Int("count", least=1))
def split_v(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    """Parts of given sizes, one of which may be -1 for what is left."""
    x, count, sizes = a["x"], a["count"], vector(run, a["sizes"], "sizes")
    at_least(run, x, 1)
    at = axis(run, a["dim"], len(x.shape)) if x.shape.known else None
    if sizes is not None:
        run.require("sizes", len(sizes) == count, f"{len(sizes)} sizes are given for {count} parts", ("sizes", "count"))
    if at is None:
        return tuple(anew(x, [run.fresh("axis") for _ in x.shape] if x.shape.known else somewhere(run)) for _ in range(count))
    n = x.shape[at]
    if count == 1 and sizes is None:
        return (x,)
    if sizes is None or any(s is None for s in sizes):
        return tuple(
            anew(x, (*x.shape[:at], run.fresh("part") if s is None or s == -1 else s, *x.shape[at + 1 :])) for s in sizes or (None,) * count
        )
    free = [s for s in sizes if s == -1]
    run.require("sizes", len(free) <= 1, f"only one part can be -1, and the sizes are {sizes!r}", ("sizes",))
    for s in sizes:
        run.require("sizes", ge(s, -1), f"a part has at least 0 elements, and the sizes are {sizes!r}", ("sizes",))
    taken = sum(s for s in sizes if s != -1)
    rest = n - taken
    run.require(
        "sizes", eq(rest, 0) if not free else ge(rest, 0), f"the parts {sizes!r} do not make up an axis of size {n!r}", ("sizes", "x")
    )
    return tuple(anew(x, (*x.shape[:at], rest if s == -1 else s, *x.shape[at + 1 :])) for s in sizes)


_ENDS = (Ints("begin", loose=True, one=False), Ints("end", loose=True, one=False), Ints("strides", loose=True, one=False))


@takes(Ints("size", shape=True, loose=True, one=False), Tensor("y"), *_ENDS)
def strided_slice_grad(a: Arguments, run: Run) -> TensorType:
    """Zeros of the given shape with the gradient in the slice."""
    size = vector(run, a["size"], "size")
    return anew(a["y"], somewhere(run) if size is None else [run.fresh("size") if n is None else n for n in size])


@takes(Tensor("x"), Tensor("y"), *_ENDS)
def strided_assign(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "y")
    return anew(a["x"], a["x"].shape)


@takes(Tensor("x"), Pairs("paddings"), Choice("mode", ("REFLECT", "SYMMETRIC")))
def mirror_pad_grad(a: Arguments, run: Run) -> TensorType:
    return pad_grad(a, run)


@takes(Tensor("x"), Pairs("paddings"))
def pad_grad(a: Arguments, run: Run) -> TensorType:
    rows = pairs(run, a["paddings"], "paddings")
    x = a["x"]
    if rows is None:
        return anew(x, [run.fresh("axis") for _ in x.shape] if x.shape.known else somewhere(run))
    x = ranked(run, x, len(rows))
    for n, (b, e) in zip(x.shape, rows):
        run.require(
            "padding",
            conj(ge(b, 0), ge(e, 0), ge(n, b + e)),
            f"padding ({b!r}, {e!r}) cannot be taken off an axis of size {n!r}",
            ("paddings", "x"),
        )
    return anew(x, [n - b - e for n, (b, e) in zip(x.shape, rows)])


@takes(Tensor("on", ""), Tensor("off", ""))
def one_hot(a: Arguments, run: Run) -> TensorType:
    on, off = a["on"], a["off"]
    dtype = same_types(run, a, "on", "off")
    for name in ("on", "off"):
        if isinstance(a[name], TensorType):
            ranked(run, a[name], 0, name)
    if isinstance(a["depth"], TensorType):
        ranked(run, a["depth"], 0, "depth")
    made: TensorType = run("one_hot_axis", x=a["x"], depth=whole(a["depth"]), on=on, off=off, dim=a["dim"], dtype=dtype)
    return made


@takes(Int("start", loose=True), Int("end", loose=True), Int("step", loose=True, least=1))
def arange(a: Arguments, run: Run) -> TensorType:
    return tf_shapes.arange({**a, "dtype": same_types(run, a, "start", "end", "step") or INT32}, run)


@takes(Tensors("xs", least=2), Axis("dim", 0, of="xs", loose=True))
def concat(a: Arguments, run: Run) -> TensorType:
    run.require("xs", len(a["xs"]) >= 2, f"a concatenation takes at least two tensors, and here {len(a['xs'])}", ("xs",))
    return tf_joins.concat(a, run)


@takes(Tensors("xs", "N", INDEX, least=2))
def concat_offset(a: Arguments, run: Run) -> Any:
    run.require("xs", len(a["xs"]) >= 2, f"offsets are those of at least two shapes, and here of {len(a['xs'])}", ("xs",))
    same_types(run, a, "xs")
    return run("concat_offset", xs=a["xs"], dim=a["dim"])


@takes(Tensors("xs"))
def shape_n(a: Arguments, run: Run) -> Any:
    same_types(run, a, "xs")
    return run("shapes_of", xs=a["xs"], dtype=a["dtype"])


@takes(Axes("dim", optional=False, loose=True, unique=False))
def reduce(a: Arguments, run: Run) -> TensorType:
    return tf_shapes.reduce(a, run, once=False)


@takes(Ints("dim", loose=True, one=False))
def transpose(a: Arguments, run: Run) -> TensorType:
    return tf_shapes.transpose(a, run)


@takes(Int("count", least=1), Axis("dim", 0))
def unpack(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    return tf_joins.unstack(a, run)


@takes(Ints("size", shape=True, loose=True, one=False), ElementType("dtype", optional=False))
def sized(a: Arguments, run: Run) -> TensorType:
    return tf_shapes.sized(a, run)


@takes(Ints("size", shape=True, loose=True, one=False), Tensor("seed", "2", INDEX), ElementType("dtype", optional=False))
def stateless(a: Arguments, run: Run) -> TensorType:
    seed = ranked(run, a["seed"], 1, "seed")
    run.require("seed", eq(seed.shape[0], 2), f"a seed is two whole numbers, and this has {seed.shape[0]!r}", ("seed",))
    return tf_shapes.sized(a, run)


@takes(Ints("size", shape=True, loose=True, one=False), Tensor("value", ""))
def fill(a: Arguments, run: Run) -> TensorType:
    return tf_shapes.sized(a, run)


@takes(Tensor("start", ""), Tensor("end", ""), Int("steps", loose=True, least=1))
def linspace(a: Arguments, run: Run) -> TensorType:
    dtype = same_types(run, a, "start", "end")
    for name in ("start", "end"):
        ranked(run, a[name], 0, name)
    steps = whole(a["steps"])
    if isinstance(steps, TensorType):
        ranked(run, steps, 0, "steps")
        return tensor((run.fresh("steps"),), dtype)
    run.require("steps", ge(steps, 1), f"there must be at least one step, and there are {steps!r}", ("steps",))
    return tensor((steps,), dtype)


@takes(Tensors("xs", "...", frozenset({INT32})))
def dynamic_stitch(a: Arguments, run: Run) -> TensorType:
    xs = a["xs"]
    half = len(xs) // 2
    same_types(run, {"ys": xs[half:]}, "ys")
    made: TensorType = run("dynamic_stitch", xs=xs[:half], ys=xs[half:])
    return made


@takes(Ints("dim", loose=True, one=False))
def reverse(a: Arguments, run: Run) -> TensorType:
    x, dims = a["x"], vector(run, a["dim"], "dim")
    if dims is None or not x.shape.known or any(type(d) is not int for d in dims):
        return anew(x, x.shape)
    axes = tuple(axis(run, d, len(x.shape)) for d in dims)
    run.require("axis", len(set(axes)) == len(axes), f"an axis is named twice: {dims!r}", ("dim",))
    made: TensorType = run("flip", x=x, dim=axes).but(strides=None) if axes else x
    return made


@takes(Tensor("lengths", "...", INDEX), Int("dim"), Int("batch_dim", 0))
def reverse_sequence(a: Arguments, run: Run) -> TensorType:
    x, lengths = a["x"], ranked(run, a["lengths"], 1, "lengths")
    if not x.shape.known:
        return anew(x, x.shape)
    for name in ("dim", "batch_dim"):
        run.require("axis", 0 <= a[name] < len(x.shape), f"{name} = {a[name]} is out of range for x {x.shape!r}", (name, "x"))
    run.require("axis", a["dim"] != a["batch_dim"], "the batch axis cannot be the one that is reversed", ("dim", "batch_dim"))
    batch = x.shape[a["batch_dim"]]
    run.require("lengths", eq(batch, lengths.shape[0]), f"{lengths.shape[0]!r} lengths go with a batch of {batch!r}", ("lengths", "x"))
    return anew(x, x.shape)


@takes(Tensor("shifts", "...", INDEX), Tensor("dim", "...", INDEX))
def roll(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    for name in ("shifts", "dim"):
        if a[name].shape.known:
            run.require("rank", len(a[name].shape) <= 1, f"{name} must be a number or a vector, and has shape {a[name].shape!r}", (name,))
    merged(run, [a["shifts"].shape, a["dim"].shape], ("shifts", "dim"), "shifts")
    return anew(x, x.shape)


def where(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    return tensor((run.fresh("nonzero"), x.shape.rank), INT64)


@takes(_DTYPE)
def unique(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x = ranked(run, a["x"], 1)
    n, dtype = run.fresh("unique"), a.get("dtype") or INT32
    made = (anew(x, (n,)), tensor(x.shape, dtype))
    return (*made, tensor((n,), dtype)) if "Counts" in run.name else made


@takes(_DTYPE, Ints("dim", loose=True))
def unique_axis(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x, dims, dtype = a["x"], vector(run, a["dim"], "dim"), a.get("dtype") or INT32
    n = run.fresh("unique")
    if not x.shape.known or dims is None or any(type(d) is not int for d in dims):
        made = (anew(x, somewhere(run)), tensor((run.fresh("axis"),), dtype))
    else:
        run.require(
            "axis", len(dims) == 1 or (not dims and len(x.shape) == 1), f"one axis must be named, and there are {len(dims)}", ("dim",)
        )
        at = axis(run, dims[0] if dims else 0, len(x.shape))
        made = (anew(x, (*x.shape[:at], n, *x.shape[at + 1 :])), tensor((x.shape[at],), dtype))
    return (*made, tensor((n,), dtype)) if "Counts" in run.name else made


@takes(Tensor("x"), Tensor("y"), _DTYPE)
def list_diff(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    same_types(run, a, "x", "y")
    ranked(run, a["x"], 1)
    ranked(run, a["y"], 1, "y")
    n = run.fresh("difference")
    return anew(a["x"], (n,)), tensor((n,), a.get("dtype") or INT32)


@takes(Tensor("x"))
def diag(a: Arguments, run: Run) -> TensorType:
    at_least(run, a["x"], 1)
    return anew(a["x"], (*a["x"].shape, *a["x"].shape) if a["x"].shape.known else somewhere(run))


@takes(Tensor("x"))
def diag_part(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    if not x.shape.known:
        return anew(x, somewhere(run))
    half = len(x.shape) // 2
    run.require("rank", len(x.shape) % 2 == 0 and half > 0, f"x must have an even rank of at least 2, and is {x.shape!r}", ("x",))
    return anew(x, merged(run, [Shape(x.shape[:half]), Shape(x.shape[half:])], ("x",)))


@takes(Tensor("x"))
def matrix_diag(a: Arguments, run: Run) -> TensorType:
    at_least(run, a["x"], 1)
    x = a["x"]
    return anew(x, (*x.shape, x.shape[-1]) if x.shape.known else somewhere(run))


@takes(Tensor("x"))
def matrix_diag_part(a: Arguments, run: Run) -> TensorType:
    at_least(run, a["x"], 2)
    x = a["x"]
    return run("diagonal", x=x, dim1=-2, dim2=-1).but(strides=None) if x.shape.known else anew(x, somewhere(run))


@takes(Tensor("x"), Tensor("y"))
def matrix_set_diag(a: Arguments, run: Run) -> TensorType:
    x, y = a["x"], a["y"]
    same_types(run, a, "x", "y")
    at_least(run, x, 2)
    at_least(run, y, 1, "y")
    if x.shape.known and y.shape.known:
        from tensorproof.terms.ints import minimum

        wanted = Shape((*x.shape[:-2], minimum(x.shape[-2], x.shape[-1])))
        merged(run, [y.shape, wanted], ("y", "x"), "diagonal")
    return anew(x, x.shape)


@takes(Tensor("x"), Anything("low"), Anything("high"))
def band_part(a: Arguments, run: Run) -> TensorType:
    return anew(a["x"], a["x"].shape)


def _blocks(run: Run, value: Any) -> tuple[Any, ...] | None:
    return vector(run, value, "block")


@takes(Tensor("x"), Ints("block", loose=True, least=1), Pairs("paddings", of="block"))
def space_to_batch(a: Arguments, run: Run) -> TensorType:
    return _batched(a["x"], a["block"], a["paddings"], run, out=False)


@takes(Tensor("x", "N H W C"), Int("block", least=2), Pairs("paddings", of="block"))
def space_to_batch_old(a: Arguments, run: Run) -> TensorType:
    return _batched(a["x"], a["block"], a["paddings"], run, out=False)


@takes(Tensor("x", "N H W C"), Int("block", least=2), Pairs("crops", of="block"))
def batch_to_space_old(a: Arguments, run: Run) -> TensorType:
    return _batched(a["x"], a["block"], a["crops"], run, out=True)


@takes(Tensor("x"), Ints("block", loose=True, least=1), Pairs("crops", of="block"))
def batch_to_space(a: Arguments, run: Run) -> TensorType:
    return _batched(a["x"], a["block"], a["crops"], run, out=True)


def _batched(x: TensorType, block: Any, rows: Any, run: Run, out: bool) -> TensorType:
    if isinstance(block, int):  # the old form: one size for two axes of an image
        x, block = ranked(run, x, 4), (block, block)
    blocks = _blocks(run, block)
    edges = pairs(run, rows, "crops" if out else "paddings")
    if blocks is None or not x.shape.known:
        return anew(x, [run.fresh("axis") for _ in x.shape] if x.shape.known else somewhere(run))
    n = len(blocks)
    run.require("rank", len(x.shape) > n, f"x {x.shape!r} must have more axes than there are blocks ({n})", ("x", "block"))
    if any(b is None for b in blocks) or edges is None:
        return anew(x, (run.fresh("batch"), *(run.fresh("axis") for _ in range(n)), *x.shape[n + 1 :]))
    run.require("blocks", len(edges) == n, f"{len(edges)} rows of padding go with {n} blocks", ("block",))
    count: Dim = product(blocks)
    sizes: list[Dim] = []
    for size, b, (before, after) in zip(x.shape[1:], blocks, edges):
        run.require("block", ge(b, 1), f"a block must be at least 1, and is {b!r}", ("block",))
        run.require(
            "padding",
            conj(ge(before, 0), ge(after, 0)),
            f"padding and crops cannot be negative, and are ({before!r}, {after!r})",
            ("block",),
        )
        if out:
            run.require(
                "crops", ge(size * b, before + after), f"({before!r}, {after!r}) cannot be cut off an axis of size {size * b!r}", ("x",)
            )
            sizes.append(size * b - before - after)
        else:
            padded = size + before + after
            run.require("block", eq(padded % b, 0), f"an axis of size {padded!r} does not divide into blocks of {b!r}", ("x", "block"))
            sizes.append(padded // b)
    if out:
        run.require("batch", eq(x.shape[0] % count, 0), f"a batch of {x.shape[0]!r} does not divide by {count!r}", ("x", "block"))
    return anew(x, (x.shape[0] // count if out else x.shape[0] * count, *sizes, *x.shape[n + 1 :]))


@takes(Choice("data_format", ("NHWC", "NCHW"), "NHWC"))
def space_depth(a: Arguments, run: Run) -> TensorType:
    x, last = ranked(run, a["x"], 4), channels_last(a["data_format"])
    shape = x.shape
    image = x if last else x.but(shape=Shape((shape[0], shape[2], shape[3], shape[1])), contents=None)
    made = run(run.row.op, x=image, block=a["block"])
    result: TensorType = made if last else made.but(shape=Shape((made.shape[0], made.shape[3], made.shape[1], made.shape[2])))
    return result


@takes(Axis("dim", 0, loose=True))
def cumulative(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    if x.shape.known:
        axis(run, a["dim"], len(x.shape))
    return anew(x, x.shape)


@takes(Int("k", least=0, loose=True), _DTYPE)
def top_k(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x, k = a["x"], whole(a["k"])
    at_least(run, x, 1)
    if isinstance(k, TensorType):
        ranked(run, k, 0, "k")
        k = run.fresh("k")
    run.require("k", ge(k, 0), f"k must not be negative, and is {k!r}", ("k",))
    if not x.shape.known:
        return anew(x, somewhere(run)), tensor(somewhere(run), a.get("dtype") or INT32)
    run.require("k", le(k, x.shape[-1]), f"k = {k!r} is more than the {x.shape[-1]!r} elements of the last axis", ("k", "x"))
    shape = Shape((*x.shape[:-1], k))
    return anew(x, shape), tensor(shape, a.get("dtype") or INT32)


@takes(Tensor("x"), Int("k", loose=True, least=0))
def nth_element(a: Arguments, run: Run) -> TensorType:
    x, k = a["x"], whole(a["k"])
    at_least(run, x, 1)
    if not x.shape.known:
        return anew(x, somewhere(run))
    if not isinstance(k, TensorType):
        run.require("k", conj(ge(k, 0), ge(x.shape[-1], k + 1)), f"there is no element {k!r} among {x.shape[-1]!r}", ("k", "x"))
    return anew(x, x.shape[:-1])


@takes(Tensor("x"), Tensor("y"), Int("k", loose=True))
def in_top_k(a: Arguments, run: Run) -> TensorType:
    x, y = ranked(run, a["x"], 2), ranked(run, a["y"], 1, "y")
    run.require("batch", eq(x.shape[0], y.shape[0]), f"{x.shape[0]!r} predictions go with {y.shape[0]!r} targets", ("x", "y"))
    return tensor((x.shape[0] if isinstance(y.shape[0], Term) else y.shape[0],), BOOL)


@takes(Tensor("x"), Tensor("rows", "...", INDEX), Tensor("index", "...", INDEX))
def sparse_segment(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    merged(run, [ranked(run, a["rows"], 1, "rows").shape, ranked(run, a["index"], 1, "index").shape], ("rows", "index"), "segments")
    return anew(x, (run.fresh("segments"), *x.shape[1:]) if x.shape.known else somewhere(run))


@takes(Tensor("index", "...", INDEX), Ints("size", shape=True, loose=True, one=False), Tensor("values"), Tensor("default", ""))
def sparse_to_dense(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "values", "default")
    size = _sized(run, a["size"])
    return anew(a["values"], somewhere(run) if size is None else size)


@takes(Tensor("x", "...", frozenset({INT32})), Int("size", loose=True, least=0), Tensor("y"))
def bincount(a: Arguments, run: Run) -> TensorType:
    size = whole(a["size"])
    if isinstance(size, TensorType):
        ranked(run, size, 0, "size")
        size = run.fresh("size")
    run.require("size", ge(size, 0), f"the number of bins must not be negative, and is {size!r}", ("size",))
    return anew(a["y"], (size,))


# --- random ----------------------------------------------------------------------------------------------------------------------

_SIZE = Ints("size", shape=True, loose=True, one=False)


def _sized(run: Run, value: Any) -> Shape | None:
    size = vector(run, value, "size")
    for n in size or ():
        run.require("size", n is None or ge(n, 0), f"a size cannot be negative, and the shape is {size!r}", ("size",))
    return None if size is None else Shape(run.fresh("size") if n is None else n for n in size)


@takes(_SIZE, Tensor("low", ""), Tensor("high", ""))
def random_int(a: Arguments, run: Run) -> TensorType:
    dtype = same_types(run, a, "low", "high")
    for name in ("low", "high"):
        ranked(run, a[name], 0, name)
    size = _sized(run, a["size"])
    return tensor(somewhere(run) if size is None else size, dtype)


@takes(_SIZE, Tensor("y"), Tensor("z"), Tensor("low"), Tensor("high"))
def random_like_first(a: Arguments, run: Run) -> TensorType:
    dtype = same_types(run, a, "y", "z", "low", "high")
    for name in ("y", "z", "low", "high"):
        if a[name].shape.known:
            run.require("rank", len(a[name].shape) <= 1, f"{name} must be a number or a vector, and has shape {a[name].shape!r}", (name,))
    size = _sized(run, a["size"])
    return tensor(somewhere(run) if size is None else size, dtype)


@takes(_SIZE, Tensor("y"), _DTYPE)
def random_gamma(a: Arguments, run: Run) -> TensorType:
    size, y = _sized(run, a["size"]), a["y"]
    dtype = a.get("dtype") or y.dtype
    return tensor(somewhere(run) if size is None or not y.shape.known else (*size, *y.shape), dtype)


@takes(Int("n", loose=True, least=0), _DTYPE)
def multinomial(a: Arguments, run: Run) -> TensorType:
    x, n = ranked(run, a["x"], 2), whole(a["n"])
    if isinstance(n, TensorType):
        ranked(run, n, 0, "n")
        n = run.fresh("samples")
    run.require("n", ge(n, 0), f"the number of samples must not be negative, and is {n!r}", ("n",))
    return tensor((x.shape[0], n), a.get("dtype") or INT64)


# --- state -----------------------------------------------------------------------------------------------------------------------

_RATES = frozenset(
    [
        "alpha",
        "lr",
        "rho",
        "momentum",
        "epsilon",
        "beta",
        "beta1",
        "beta2",
        "beta1_power",
        "beta2_power",
        "l1",
        "l2",
        "lr_power",
        "l2_shrinkage",
        "logbase",
        "sign_decay",
        "global_step",
    ]
)


def _step(a: Arguments, run: Run, sparse: bool) -> TensorType:
    tensors = {k: v for k, v in a.items() if isinstance(v, TensorType)}
    first = tensors["var"]
    shape = first.shape
    typed = [v for k, v in tensors.items() if k not in ("indices", "global_step") and v.dtype is not None]
    run.require(
        "dtype", len({v.dtype for v in typed}) <= 1, "variable, slots, gradient and rates must have one element type", tuple(tensors)
    )
    for name, value in tensors.items():
        if name in _RATES:
            ranked(run, value, 0, name)
        elif name not in ("grad", "indices") or not sparse:
            shape = merged(run, [shape, value.shape], ("var", name), "slot")
    return anew(first, shape)


def optimiser(a: Arguments, run: Run) -> TensorType:
    """One step: slots and gradient have the variable's shape, rates are scalars."""
    return _step(a, run, sparse=False)


def sparse_optimiser(a: Arguments, run: Run) -> TensorType:
    made = _step(a, run, sparse=True)
    grad, index = a["grad"], ranked(run, a["indices"], 1, "indices")
    if made.shape.known and grad.shape.known:
        run.require(
            "rank",
            len(grad.shape) == len(made.shape),
            f"the gradient {grad.shape!r} must have as many axes as the variable {made.shape!r}",
            ("grad", "var"),
        )
        merged(run, [grad.shape, Shape((index.shape[0], *made.shape[1:]))], ("grad", "indices"), "gradient")
    return made


_SLOTS = tuple(
    Tensor(n)
    for n in [
        "var",
        "accum",
        "m",
        "v",
        "grad",
        "accum_update",
        "linear",
        "ms",
        "mom",
        "mg",
        "gradient_accumulator",
        "gradient_squared_accumulator",
    ]
)
for _function in (optimiser, sparse_optimiser):
    takes(*_SLOTS, *(Tensor(n, "") for n in _RATES), Tensor("indices", "K", INDEX))(_function)


@takes(Tensor("x"), Tensor("index", "...", INDEX), Tensor("y"))
def scatter_rows(a: Arguments, run: Run) -> TensorType:
    x, index, y = a["x"], a["index"], a["y"]
    same_types(run, a, "x", "y")
    scalar = y.shape.known and len(y.shape) == 0
    if x.shape.known and index.shape.known and y.shape.known and not scalar:
        merged(run, [y.shape, Shape((*index.shape, *x.shape[1:]))], ("y", "index"), "updates")
    return anew(x, x.shape)


def scatter_variable(a: Arguments, run: Run) -> TensorType:
    at_least(run, a["y"], 1, "y")
    made: TensorType = run("tensor_scatter", x=a["x"], index=a["index"], y=a["y"])
    return made


_TAG = Tensor("tag", "", frozenset({STRING}))


@takes(
    _TAG,
    Tensor("tags", "...", frozenset({STRING})),
    Tensor("values"),
    Tensor("tensor"),
    Tensors("inputs", "", frozenset({STRING})),
    Tensor("serialized_summary_metadata", "", frozenset({STRING})),
)
def summary(a: Arguments, run: Run) -> TensorType:
    """A summary is a serialised message: one string."""
    if isinstance(a.get("tag"), TensorType) and "Audio" not in run.name:
        ranked(run, a["tag"], 0, "tag")
    return tensor((), STRING)


@takes(Anything("value"), _DTYPE)
def const(a: Arguments, run: Run) -> TensorType:
    if not isinstance(a["value"], TensorType):
        raise run.give_up("the value of the constant is not known")
    return a["value"]


@takes(Tensor("x"), _DTYPE)
def read_variable(a: Arguments, run: Run) -> TensorType:
    x, dtype = a["x"], a.get("dtype")
    if x.dtype is DType.RESOURCE:
        return tensor(somewhere(run), dtype)
    run.require(
        "dtype", None in (dtype, x.dtype) or dtype is x.dtype, f"the variable holds {x.dtype!r} and is read as {dtype!r}", ("x", "dtype")
    )
    made: TensorType = x
    return made


@takes(Tensor("x"), Tensor("y", "", frozenset({BOOL})))
def switch(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    ranked(run, a["y"], 0, "y")
    return a["x"], a["x"]


@takes(Tensors("xs"))
def merge(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    xs = a["xs"]
    same_types(run, a, "xs")
    first = xs[0].shape
    if any(not x.shape.known or len(x.shape) != len(first) for x in xs):
        return anew(xs[0], somewhere(run)), tensor((), INT32)
    axes = [n if all(x.shape[i] == n for x in xs) else run.fresh("axis") for i, n in enumerate(first)]
    return anew(xs[0], axes), tensor((), INT32)


@takes(Tensor("index", "N", frozenset({INT32})))
def array_gather(a: Arguments, run: Run) -> TensorType:
    index = ranked(run, a["index"], 1, "index")
    made: TensorType = run("array_gather", index=index, size=a.get("size"), dtype=a.get("dtype"))
    return made


def array_concat(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    size = a["size"]
    shape = (run.fresh("rows"), *size) if isinstance(size, Shape) and size.known else somewhere(run)
    return tensor(shape, a["dtype"]), tensor((run.fresh("pieces"),), INT64)


@takes(Anything("x"))
def array_grad(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    return tensor((2,), DType.RESOURCE), tensor((), FLOAT32)


def unknown_each(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    return tuple(tensor(somewhere(run), d) for d in a["dtypes"])


def two_strings(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    return tensor((), STRING), tensor((), STRING)


def two_vectors(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    return tensor((run.fresh("read"),), STRING), tensor((run.fresh("read"),), STRING)


def lookup(a: Arguments, run: Run) -> TensorType:
    return anew(a["default"], a["keys"].shape)


def restore(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    """The shapes that the slice specifications write, or none known."""
    held = a["slices"].contents if isinstance(a.get("slices"), TensorType) else None
    made: list[TensorType] = []
    for i, dtype in enumerate(a["dtypes"]):
        text = held[i] if held is not None and i < len(held) else ""
        text = text.decode("latin-1") if isinstance(text, bytes) else str(text)
        sizes = text.split(" ")[:-1]
        made.append(tensor(Shape(int(n) for n in sizes) if sizes and all(n.isdigit() for n in sizes) else somewhere(run), dtype))
    return tuple(made)


# --- strings and files -----------------------------------------------------------------------------------------------------------


@takes(Tensors("xs", "...", frozenset({STRING})))
def string_join(a: Arguments, run: Run) -> TensorType:
    """Strings of one shape; scalars go with any."""
    shapes = [x.shape for x in a["xs"]]
    wide = [s for s in shapes if not s.known or len(s)]
    return tensor(merged(run, wide, ("xs",)) if wide else (), STRING)


def string_split(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    n = run.fresh("pieces")
    return tensor((n, 2), INT64), tensor((n,), STRING), tensor((2,), INT64)


@takes(Tensor("x", "...", frozenset({STRING})), _DTYPE)
def decode_raw(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    return tensor((*x.shape, run.fresh("bytes")) if x.shape.known else somewhere(run), a["dtype"])


@takes(Tensor("x", "", frozenset({STRING})), Int("channels", 0))
def decode_image(a: Arguments, run: Run) -> TensorType:
    ranked(run, a["x"], 0)
    channels, kind = a.get("channels") or 0, run.name.rpartition(".")[2]
    allowed = {"DecodeBmp": (0, 3, 4), "DecodeJpeg": (0, 1, 3)}.get(kind, (0, 1, 3, 4))
    run.require("channels", channels in allowed, f"an image has {allowed} channels, not {channels}", ("channels",))
    dtype = a.get("dtype") or DType.UINT8
    depth = 3 if kind == "DecodeGif" else channels or run.fresh("channels")
    if kind == "DecodeImage":
        return tensor(somewhere(run), dtype)
    sizes = (run.fresh("height"), run.fresh("width"), depth)
    return tensor((run.fresh("frames"), *sizes) if kind == "DecodeGif" else sizes, dtype)


@takes(Tensor("x"))
def encode_image(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    if run.name.endswith("EncodePng"):
        at_least(run, x, 3)
        return tensor(x.shape[:-3] if x.shape.known else somewhere(run), STRING)
    ranked(run, x, 3)
    return tensor((), STRING)


def string_vector(a: Arguments, run: Run) -> TensorType:
    return tensor((run.fresh("files"),), STRING)


def parse_single(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    return _parsed(a, run, ())


def parse_many(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    first = next((v for v in a.values() if isinstance(v, TensorType)), None)
    batch: Dim = first.shape[0] if first is not None and first.shape.known and len(first.shape) == 1 else run.fresh("batch")
    return _parsed(a, run, (batch,))


def _parsed(a: Arguments, run: Run, lead: tuple[Dim, ...]) -> tuple[TensorType, ...]:
    if a.get("sparse_types") is None:
        raise run.give_up("the features are not known")
    sparse, dense = tuple(a.get("sparse_types") or ()), tuple(a.get("dense_shapes") or ())
    kinds = tuple(a.get("Tdense") or ())
    rank = 1 + len(lead)
    made = [tensor((run.fresh("entries"), rank), INT64) for _ in sparse]
    made += [tensor((run.fresh("entries"),), d) for d in sparse]
    made += [tensor((rank,), INT64) for _ in sparse]
    for i, shape in enumerate(dense):
        stated: Any = shape
        known = isinstance(stated, Shape) and stated.known
        made.append(tensor((*lead, *stated) if known else somewhere(run), kinds[i] if i < len(kinds) else None))
    return tuple(made)


@takes(Tensor("x", "...", frozenset({STRING})), Tensors("xs", "", frozenset({FLOAT32, FLOAT64, INT32, INT64, STRING})))
def decode_csv(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    return tuple(tensor(a["x"].shape, x.dtype) for x in a["xs"])


@takes(Tensor("x"), Ints("size", loose=True, one=False))
def random_crop(a: Arguments, run: Run) -> TensorType:
    x, size = ranked(run, a["x"], 3), vector(run, a["size"], "size")
    if size is None:
        return anew(x, (run.fresh("height"), run.fresh("width"), x.shape[2]))
    run.require("size", len(size) == 2, f"two sizes are wanted, and there are {len(size)}", ("size",))
    return anew(x, (*(run.fresh("size") if n is None else n for n in size), x.shape[2]))


__all__ = ["FLOAT64", "disj", "parts"]
