"""GraphDef nodes of images and boxes."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.tensorflow import Arguments, anew, at_least, ranked, tensor, vector
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Int, Ints, Tensor
from tensorproof.terms.dtypes import FLOAT32, INT32
from tensorproof.terms.predicates import disj, eq
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

_TWO = Ints("size", loose=True, one=False, least=1)


def _resized(run: Run, x: TensorType, size: Any) -> Shape:
    x, sizes = ranked(run, x, 4), vector(run, size, "size")
    if sizes is None:
        return Shape((x.shape[0], run.fresh("height"), run.fresh("width"), x.shape[3]))
    run.require("size", len(sizes) == 2, f"two sizes are wanted, and there are {len(sizes)}", ("size",))
    return Shape((x.shape[0], *(run.fresh("size") if n is None else n for n in sizes), x.shape[3]))


@takes(Tensor("x", "N H W C"), _TWO)
def resize_float(a: Arguments, run: Run) -> TensorType:
    return tensor(_resized(run, a["x"], a["size"]), FLOAT32)


@takes(Tensor("x", "N H W C"), _TWO)
def resize(a: Arguments, run: Run) -> TensorType:
    return anew(a["x"], _resized(run, a["x"], a["size"]))


@takes(Tensor("y", "N h w C"), Tensor("x", "N H W C"))
def resize_grad(a: Arguments, run: Run) -> TensorType:
    return anew(a["x"], a["x"].shape)


@takes(Tensor("y", "N h w C"), _TWO)
def resize_back(a: Arguments, run: Run) -> TensorType:
    return anew(a["y"], _resized(run, a["y"], a["size"]))


@takes(Tensor("x", "N H W C"), Tensor("boxes", "B 4"), Tensor("index", "B", frozenset({INT32}), values="index:N"), _TWO)
def crop_and_resize(a: Arguments, run: Run) -> TensorType:
    x, boxes, index = ranked(run, a["x"], 4), ranked(run, a["boxes"], 2, "boxes"), ranked(run, a["index"], 1, "index")
    run.require(
        "boxes", eq(boxes.shape[0], index.shape[0]), f"{boxes.shape[0]!r} boxes go with {index.shape[0]!r} indices", ("boxes", "index")
    )
    run.require("boxes", eq(boxes.shape[1], 4), f"a box has 4 numbers, and here {boxes.shape[1]!r}", ("boxes",))
    shape = _resized(run, x, a["size"])
    return tensor((boxes.shape[0], *shape[1:]), FLOAT32)


@takes(Tensor("x", "... C"), Tensor("factor", ""))
def image_with_scalar(a: Arguments, run: Run) -> TensorType:
    at_least(run, a["x"], 3)
    ranked(run, a["factor"], 0, "factor")
    return anew(a["x"], a["x"].shape)


@takes(Tensor("x", "... 3"))
def rgb(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    if not x.shape.known:
        return anew(x, x.shape)
    run.require("channels", eq(x.shape[-1], 3), f"the last axis must hold 3 colours, and has {x.shape[-1]!r}", ("x",))
    return anew(x, (*x.shape[:-1], 3))


@takes(Tensor("boxes", "N 4"), Tensor("scores", "N"), Int("most", loose=True), Tensor("iou", ""), Tensor("score", ""))
def non_max_suppression(a: Arguments, run: Run) -> TensorType:
    boxes, scores = ranked(run, a["boxes"], 2, "boxes"), ranked(run, a["scores"], 1, "scores")
    for name in ("most", "iou", "score"):
        if isinstance(a.get(name), TensorType):
            ranked(run, a[name], 0, name)
    run.require(
        "boxes", eq(boxes.shape[0], scores.shape[0]), f"{boxes.shape[0]!r} boxes go with {scores.shape[0]!r} scores", ("boxes", "scores")
    )
    run.require("boxes", eq(boxes.shape[1], 4), f"a box has 4 numbers, and here {boxes.shape[1]!r}", ("boxes",))
    return tensor((run.fresh("selected"),), INT32)


@takes(Tensor("x", "N H W C"), Tensor("boxes", "N B 4"))
def draw_boxes(a: Arguments, run: Run) -> TensorType:
    x, boxes = ranked(run, a["x"], 4), ranked(run, a["boxes"], 3, "boxes")
    depth = x.shape[3]
    run.require("channels", disj(eq(depth, 1), eq(depth, 3), eq(depth, 4)), f"an image has 1, 3 or 4 channels, and here {depth!r}", ("x",))
    run.require("batch", eq(x.shape[0], boxes.shape[0]), f"{boxes.shape[0]!r} lists of boxes go with {x.shape[0]!r} images", ("boxes", "x"))
    run.require("boxes", eq(boxes.shape[2], 4), f"a box has 4 numbers, and here {boxes.shape[2]!r}", ("boxes",))
    return anew(x, x.shape)
