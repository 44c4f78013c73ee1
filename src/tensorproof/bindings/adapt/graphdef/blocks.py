"""GraphDef nodes of diagonals, bands and blocks: matrix_diag, space_to_batch, space_to_depth."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.graphdef.elementwise import merged, narrowed
from tensorproof.bindings.adapt.tensorflow.shapes import pairs
from tensorproof.bindings.adapt.tensorflow.shared import Arguments, anew, at_least, ranked, same_types, somewhere, vector, with_shape
from tensorproof.bindings.adapt.tensorflow.windows import channels_last
from tensorproof.bindings.adapters import Run, Value, takes
from tensorproof.ops.inputs import Ints, Pairs, Tensor
from tensorproof.terms import Dim, Shape, TensorType, conj, eq, ge, minimum, product


def diag(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    return with_shape(run, "tensor_diag", x, Shape((*x.shape, *x.shape)) if x.shape.known else somewhere(run))


def diag_part(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    if not x.shape.known:
        return with_shape(run, "tensor_diag_part", x, somewhere(run))
    half = len(x.shape) // 2
    run.require("rank", len(x.shape) % 2 == 0 and half > 0, f"x must have an even rank of at least 2, and is {x.shape!r}", ("x",))
    return with_shape(run, "tensor_diag_part", x, merged(run, [Shape(x.shape[:half]), Shape(x.shape[half:])], ("x",)))


def matrix_diag(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    return with_shape(run, "diag_embed", x, Shape((*x.shape, x.shape[-1])) if x.shape.known else somewhere(run))


def matrix_diag_part(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 2)
    if not x.shape.known:
        return with_shape(run, "diagonal", x, somewhere(run), dim1=-2, dim2=-1)
    return run("diagonal", x=x, dim1=-2, dim2=-1)


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


def _blocks(run: Run, value: Value) -> tuple[Any, ...] | None:
    return vector(run, value, "block")


@takes(Tensor("x"), Ints("block", loose=True, least=1), Pairs("paddings", of="block"))
def space_to_batch(a: Arguments, run: Run) -> TensorType:
    return _batched(a["x"], a["block"], a["paddings"], run, out=False)


def space_to_batch_old(a: Arguments, run: Run) -> TensorType:
    return _batched(a["x"], a["block"], a["paddings"], run, out=False)


def batch_to_space_old(a: Arguments, run: Run) -> TensorType:
    return _batched(a["x"], a["block"], a["crops"], run, out=True)


def batch_to_space(a: Arguments, run: Run) -> TensorType:
    return _batched(a["x"], a["block"], a["crops"], run, out=True)


def _batched(x: TensorType, block: Value, rows: Value, run: Run, out: bool) -> TensorType:
    op, name = ("batch_to_space", "crops") if out else ("space_to_batch", "paddings")
    given, shape = x, x.shape
    if isinstance(block, int):  # the old form: one size for two axes of an image
        shape, block = ranked(run, x, 4).shape, (block, block)
    blocks = _blocks(run, block)
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
    last = channels_last(a["data_format"])
    x = narrowed(run, a["x"], 4)
    if last:
        return run(run.row.op, x=x, block=a["block"])
    image = run("permute", x=x, dim=(0, 2, 3, 1))
    return run("permute", x=run(run.row.op, x=image, block=a["block"]), dim=(0, 3, 1, 2))
