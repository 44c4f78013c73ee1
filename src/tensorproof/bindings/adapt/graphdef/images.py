"""GraphDef nodes of images and boxes."""

from __future__ import annotations

from tensorproof.bindings.adapt.tensorflow.shared import Arguments, at_least, ranked, vector, whole, with_shape
from tensorproof.bindings.adapters import Run, Value, takes
from tensorproof.ops.inputs import Int, Ints, Tensor
from tensorproof.terms import FLOAT32, INT32, DType, Shape, TensorType, disj, eq

_TWO = Ints("size", loose=True, one=False, least=1)


def _resized(run: Run, x: TensorType, size: Value) -> Shape:
    shape, sizes = ranked(run, x, 4).shape, vector(run, size, "size")
    if sizes is None:
        return Shape((shape[0], run.fresh("height"), run.fresh("width"), shape[3]))
    run.require("size", len(sizes) == 2, f"two sizes are wanted, and there are {len(sizes)}", ("size",))
    if any(type(n) is int and n < 0 for n in sizes):
        raise run.give_up(f"images of the size {sizes!r}, which TensorFlow refuses when the node runs")
    return Shape((shape[0], *(run.fresh("size") if n is None else n for n in sizes), shape[3]))


_METHODS = {"ResizeBilinear": "bilinear", "ResizeBicubic": "bicubic", "ResizeArea": "area", "ResizeNearestNeighbor": "nearest"}


def _scaled(run: Run, a: Arguments, dtype: DType | None) -> TensorType:
    shape = _resized(run, a["x"], a["size"])
    flags = {k: bool(a[k]) for k in ("align_corners", "half_pixel_centers") if k in a}
    return run.shaped("resize_image", shape, dtype, x=a["x"], size=tuple(shape[1:3]), axis=1, method=_METHODS[run.name.rpartition(".")[2]], **flags)


@takes(Tensor("x", "N H W C"), _TWO)
def resize_float(a: Arguments, run: Run) -> TensorType:
    return _scaled(run, a, FLOAT32)


def resize(a: Arguments, run: Run) -> TensorType:
    return _scaled(run, a, a["x"].dtype)


def _gradient(run: Run, a: Arguments, shape: Shape, dtype: DType | None, method: str) -> TensorType:
    size = tuple(shape[1:3]) if shape.known else None
    return run.shaped(
        "resize_image_gradient",
        shape,
        dtype,
        y=a["y"],
        x=a.get("x"),
        size=size,
        method=method,
        align_corners=bool(a.get("align_corners")),
        half_pixel_centers=bool(a.get("half_pixel_centers")),
    )


def resize_grad(a: Arguments, run: Run) -> TensorType:
    return _gradient(run, a, a["x"].shape, a["x"].dtype, "bilinear")


def resize_back(a: Arguments, run: Run) -> TensorType:
    return _gradient(run, a, _resized(run, a["y"], a["size"]), a["y"].dtype, "nearest")


def crop_and_resize(a: Arguments, run: Run) -> TensorType:
    boxes, index = ranked(run, a["boxes"], 2, "boxes"), ranked(run, a["index"], 1, "index")
    ranked(run, a["x"], 4)
    run.require("boxes", eq(boxes.shape[0], index.shape[0]), f"{boxes.shape[0]!r} boxes go with {index.shape[0]!r} indices", ("boxes", "index"))
    run.require("boxes", eq(boxes.shape[1], 4), f"a box has 4 numbers, and here {boxes.shape[1]!r}", ("boxes",))
    shape = _resized(run, a["x"], a["size"])
    return run.shaped(
        "crop_and_resize",
        (boxes.shape[0], *shape[1:]),
        FLOAT32,
        x=a["x"],
        boxes=a["boxes"],
        index=a["index"],
        size=tuple(shape[1:3]),
        method=a.get("method") or "bilinear",
        extrapolation_value=a.get("extrapolation_value") or 0.0,
    )


def image_with_scalar(a: Arguments, run: Run) -> TensorType:
    at_least(run, a["x"], 3)
    ranked(run, a["factor"], 0, "factor")
    return with_shape(run, run.row.op, a["x"], a["x"].shape, factor=a["factor"])


def rgb(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    if not x.shape.known:
        return with_shape(run, run.row.op, x, x.shape)
    run.require("channels", eq(x.shape[-1], 3), f"the last axis must hold 3 colours, and has {x.shape[-1]!r}", ("x",))
    return with_shape(run, run.row.op, x, (*x.shape[:-1], 3))


@takes(Tensor("boxes", "N 4"), Tensor("scores", "N"), Int("most", loose=True), Tensor("iou", ""), Tensor("score", ""))
def non_max_suppression(a: Arguments, run: Run) -> TensorType:
    boxes, scores = ranked(run, a["boxes"], 2, "boxes"), ranked(run, a["scores"], 1, "scores")
    for name in ("most", "iou", "score"):
        if isinstance(a.get(name), TensorType):
            ranked(run, a[name], 0, name)
    run.require("boxes", eq(boxes.shape[0], scores.shape[0]), f"{boxes.shape[0]!r} boxes go with {scores.shape[0]!r} scores", ("boxes", "scores"))
    run.require("boxes", eq(boxes.shape[1], 4), f"a box has 4 numbers, and here {boxes.shape[1]!r}", ("boxes",))
    overlap = a["iou"] if a.get("iou") is not None else a.get("iou_threshold")
    return run.shaped(
        "non_max_suppression", (run.fresh("selected"),), INT32, boxes=a["boxes"], scores=a["scores"], most=whole(a["most"]), iou=overlap, score=a.get("score")
    )


def draw_boxes(a: Arguments, run: Run) -> TensorType:
    x, boxes = ranked(run, a["x"], 4).shape, ranked(run, a["boxes"], 3, "boxes").shape
    depth = x[3]
    run.require("channels", disj(eq(depth, 1), eq(depth, 3), eq(depth, 4)), f"an image has 1, 3 or 4 channels, and here {depth!r}", ("x",))
    run.require("batch", eq(x[0], boxes[0]), f"{boxes[0]!r} lists of boxes go with {x[0]!r} images", ("boxes", "x"))
    run.require("boxes", eq(boxes[2], 4), f"a box has 4 numbers, and here {boxes[2]!r}", ("boxes",))
    return with_shape(run, "draw_boxes", a["x"], x, boxes=a["boxes"], colours=a.get("colors"))
