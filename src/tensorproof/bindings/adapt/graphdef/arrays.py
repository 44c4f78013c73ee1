"""GraphDef nodes that reshape, cut, join and turn arrays, and move blocks between space and batch."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.graphdef.elementwise import declared, merged, narrowed
from tensorproof.bindings.adapt.tensorflow import shapes as tf_shapes
from tensorproof.bindings.adapt.tensorflow.shapes import pairs
from tensorproof.bindings.adapt.tensorflow.shared import Arguments, same_types
from tensorproof.bindings.adapt.tensorflow.sizes import anew, at_least, axis, ranked, somewhere, vector, with_shape
from tensorproof.bindings.adapt.tensorflow.windows import channels_last
from tensorproof.bindings.adapters import Run, Value, takes, taking
from tensorproof.ops.inputs import Axes, Axis, Ints, Pairs, Tensor
from tensorproof.terms import INT32, Dim, Shape, TensorType, conj, eq, ge, minimum, product


def shape_vectors(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "y")
    x, y = narrowed(run, a["x"], 1), narrowed(run, a["y"], 1, "y")
    known = type(x.shape[0]) is int and type(y.shape[0]) is int
    return run("broadcast_args", x=x, y=y) if known else run.shaped("broadcast_args", (run.fresh("rank"),), x.dtype, x=x, y=y)


def gradient_args(a: Arguments, run: Run) -> Value:
    same_types(run, a, "x", "y")
    return run("broadcast_gradient_args", x=narrowed(run, a["x"], 1), y=narrowed(run, a["y"], 1, "y"))


def one_vector(a: Arguments, run: Run) -> TensorType:
    return run(run.row.op, x=narrowed(run, a["x"], 1))


def reverse_flags(a: Arguments, run: Run) -> TensorType:
    """One flag for each axis; at most eight axes."""
    x, flags = a["x"], ranked(run, a["dims"], 1, "dims")
    if x.shape.known:
        run.require("rank", len(x.shape) <= 8, f"x may have at most 8 axes, and is {x.shape!r}", ("x",))
        run.require("flags", eq(flags.shape[0], len(x.shape)), f"{flags.shape[0]!r} flags go with {len(x.shape)} axes", ("dims", "x"))
    return run.shaped("flip_flagged", x.shape, x.dtype, x=x, flags=a["dims"])


def accumulate(a: Arguments, run: Run) -> TensorType:
    """A sum of tensors of one shape; the shape that the node states is not held against them."""
    dtype = same_types(run, a, "xs")
    return run.shaped("add_n", declared(run, a["size"]), dtype, xs=a["xs"])


def split_v(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    """Parts of given sizes, one of which may be -1 for what is left."""
    x, count, sizes = a["x"], a["count"], vector(run, a["sizes"], "sizes")
    at_least(run, x, 1)
    at = axis(run, a["dim"], len(x.shape)) if x.shape.known else None
    if sizes is not None:
        run.require("sizes", len(sizes) == count, f"{len(sizes)} sizes are given for {count} parts", ("sizes", "count"))
    if at is None:
        shapes = [Shape(run.fresh("axis") for _ in x.shape) if x.shape.known else somewhere(run) for _ in range(count)]
        return _parts(run, a, shapes, sizes, at)
    n = x.shape[at]
    if count == 1 and sizes is None:
        return _parts(run, a, [x.shape], (n,), at)
    if sizes is None or any(s is None for s in sizes):
        lengths = [run.fresh("part") if s is None or s == -1 else s for s in sizes or (None,) * count]
        return _parts(run, a, [Shape((*x.shape[:at], m, *x.shape[at + 1 :])) for m in lengths], tuple(lengths), at)
    free = [s for s in sizes if s == -1]
    run.require("sizes", len(free) <= 1, f"only one part can be -1, and the sizes are {sizes!r}", ("sizes",))
    for s in sizes:
        run.require("sizes", ge(s, -1), f"a part has at least 0 elements, and the sizes are {sizes!r}", ("sizes",))
    taken = sum(s for s in sizes if s != -1)
    rest = n - taken
    run.require("sizes", eq(rest, 0) if not free else ge(rest, 0), f"the parts {sizes!r} do not make up an axis of size {n!r}", ("sizes", "x"))
    lengths = [rest if s == -1 else s for s in sizes]
    return _parts(run, a, [Shape((*x.shape[:at], m, *x.shape[at + 1 :])) for m in lengths], tuple(lengths), at)


def _parts(run: Run, a: Arguments, shapes: list[Shape], sizes: Any, at: int | None) -> tuple[TensorType, ...]:
    stated = a["sizes"] if sizes is None or None in sizes else sizes
    return run.shaped("split_sizes", shapes, a["x"].dtype, x=a["x"], sizes=stated, dim=a["dim"] if at is None else at)


def strided_slice_grad(a: Arguments, run: Run) -> TensorType:
    """Zeros of the given shape with the gradient in the slice."""
    size = vector(run, a["size"], "size")
    for n in size or ():
        run.require("size", n is None or ge(n, -1), f"a size cannot be negative, and the shape is {size!r}", ("size",))
    shape = somewhere(run) if size is None else Shape(run.fresh("size") if n is None or n == -1 else n for n in size)
    return run.shaped("strided_slice_gradient", shape, a["y"].dtype, **a)


def strided_assign(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "y")
    return run.shaped("strided_slice_update", a["x"].shape, a["x"].dtype, **a)


def mirror_pad_grad(a: Arguments, run: Run) -> TensorType:
    rows = pairs(run, a["paddings"], "paddings")
    x = a["x"]
    if rows is None:
        shape = Shape(run.fresh("axis") for _ in x.shape) if x.shape.known else somewhere(run)
        return run.shaped("mirror_pad_gradient", shape, x.dtype, x=x, paddings=a["paddings"], mode=a["mode"])
    sizes = ranked(run, x, len(rows)).shape
    for n, (b, e) in zip(sizes, rows):
        run.require("padding", conj(ge(b, 0), ge(e, 0), ge(n, b + e)), f"padding ({b!r}, {e!r}) cannot be taken off an axis of size {n!r}", ("paddings", "x"))
    cut = Shape(n - b - e for n, (b, e) in zip(sizes, rows))
    return run.shaped("mirror_pad_gradient", cut, x.dtype, x=x, paddings=rows, mode=a["mode"])


reduce = taking(tf_shapes.reduce, Axes("dim", optional=False, loose=True, unique=False), once=False)


def dynamic_stitch(a: Arguments, run: Run) -> TensorType:
    xs = a["xs"]
    half = len(xs) // 2
    run.require("dtype", all(x.dtype in (INT32, None) for x in xs[:half]), "the places must be of element type int32", ("xs",))
    same_types(run, {"ys": xs[half:]}, "ys")
    return run("dynamic_stitch", xs=xs[:half], ys=xs[half:])


def roll(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    for name in ("shifts", "dim"):
        if a[name].shape.known:
            run.require("rank", len(a[name].shape) <= 1, f"{name} must be a number or a vector, and has shape {a[name].shape!r}", (name,))
    merged(run, [a["shifts"].shape, a["dim"].shape], ("shifts", "dim"), "shifts")
    return run.shaped("roll_by", x.shape, x.dtype, x=x, shifts=a["shifts"], dim=a["dim"])


@takes(Axis("dim", 0, loose=True))
def cumulative(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    at = axis(run, a["dim"], len(x.shape)) if x.shape.known else None
    return run.shaped(run.row.op, x.shape, x.dtype, x=x, dim=a["dim"] if at is None else at, exclusive=bool(a.get("exclusive")), reverse=bool(a.get("reverse")))


def diag_part(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    if not x.shape.known:
        return with_shape(run, "tensor_diag_part", x, somewhere(run))
    half = len(x.shape) // 2
    run.require("rank", len(x.shape) % 2 == 0 and half > 0, f"x must have an even rank of at least 2, and is {x.shape!r}", ("x",))
    return with_shape(run, "tensor_diag_part", x, merged(run, [Shape(x.shape[:half]), Shape(x.shape[half:])], ("x",)))


def matrix_set_diag(a: Arguments, run: Run) -> TensorType:
    x, y = a["x"], a["y"]
    same_types(run, a, "x", "y")
    at_least(run, x, 2)
    at_least(run, y, 1, "y")
    if x.shape.known and y.shape.known:
        wanted = Shape((*x.shape[:-2], minimum(x.shape[-2], x.shape[-1])))
        merged(run, [y.shape, wanted], ("y", "x"), "diagonal")
    places = {"dim1": len(x.shape) - 2, "dim2": len(x.shape) - 1} if x.shape.known else {"dim1": -2, "dim2": -1}
    return with_shape(run, "diagonal_scatter", x, x.shape, source=y, offset=a.get("k") or 0, **places)


@takes(Tensor("x"), Ints("block", loose=True, least=1), Pairs("paddings", of="block"))
def space_to_batch(a: Arguments, run: Run) -> TensorType:
    return _batched(a["x"], a["block"], a["paddings"], run, out=False)


def batch_to_space(a: Arguments, run: Run) -> TensorType:
    return _batched(a["x"], a["block"], a["crops"], run, out=True)


def _batched(x: TensorType, block: Value, rows: Value, run: Run, out: bool) -> TensorType:
    op, name = ("batch_to_space", "crops") if out else ("space_to_batch", "paddings")
    given, shape = x, x.shape
    if isinstance(block, int):  # the old form: one size for two axes of an image
        shape, block = ranked(run, x, 4).shape, (block, block)
    blocks = vector(run, block, "block")
    edges = pairs(run, rows, name)
    if blocks is None or not shape.known:
        unknown = Shape(run.fresh("axis") for _ in shape) if shape.known else somewhere(run)
        return with_shape(run, op, given, unknown, block=block if blocks is None else blocks, **{name: rows})
    x = anew(x, shape)
    n = len(blocks)
    run.require("rank", len(x.shape) > n, f"x {x.shape!r} must have more axes than there are blocks ({n})", ("x", "block"))
    if any(b is None for b in blocks) or edges is None:
        partly = Shape((run.fresh("batch"), *(run.fresh("axis") for _ in range(n)), *x.shape[n + 1 :]))
        return with_shape(run, op, given, partly, block=block, **{name: rows})
    run.require("blocks", len(edges) == n, f"{len(edges)} rows of padding go with {n} blocks", ("block",))
    count: Dim = product(blocks)
    sizes: list[Dim] = []
    for size, b, (before, after) in zip(x.shape[1:], blocks, edges):
        run.require("block", ge(b, 1), f"a block must be at least 1, and is {b!r}", ("block",))
        run.require("padding", conj(ge(before, 0), ge(after, 0)), f"padding and crops cannot be negative, and are ({before!r}, {after!r})", ("block",))
        if out:
            run.require("crops", ge(size * b, before + after), f"({before!r}, {after!r}) cannot be cut off an axis of size {size * b!r}", ("x",))
            sizes.append(size * b - before - after)
        else:
            padded = size + before + after
            run.require("block", eq(padded % b, 0), f"an axis of size {padded!r} does not divide into blocks of {b!r}", ("x", "block"))
            sizes.append(padded // b)
    if out:
        run.require("batch", eq(x.shape[0] % count, 0), f"a batch of {x.shape[0]!r} does not divide by {count!r}", ("x", "block"))
    made = Shape((x.shape[0] // count if out else x.shape[0] * count, *sizes, *x.shape[n + 1 :]))
    return with_shape(run, op, given, made, block=blocks, **{name: tuple(edges)})


def space_depth(a: Arguments, run: Run) -> TensorType:
    x = narrowed(run, a["x"], 4)
    if channels_last(a.get("data_format") or "NHWC"):
        return run(run.row.op, x=x, block=a["block"])
    image = run("permute", x=x, dim=(0, 2, 3, 1))
    return run("permute", x=run(run.row.op, x=image, block=a["block"]), dim=(0, 3, 1, 2))
