"""GraphDef nodes of diagonals, bands and blocks: matrix_diag, space_to_batch, space_to_depth."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.graphdef import merged
from tensorproof.bindings.adapt.tensorflow import Arguments, anew, at_least, ranked, same_types, somewhere, vector
from tensorproof.bindings.adapt.tf_shapes import pairs
from tensorproof.bindings.adapt.tf_windows import channels_last
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Anything, Choice, Int, Ints, Pairs, Tensor
from tensorproof.terms.ints import Dim, product
from tensorproof.terms.predicates import conj, eq, ge
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType


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
