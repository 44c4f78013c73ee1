"""GraphDef nodes of pools, patches and resized images, with their gradients."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.graphdef.convolutions import at_run_time, axes_of, full_format, slide, stated_sizes
from tensorproof.bindings.adapt.tensorflow.shared import Arguments, modern, same_types
from tensorproof.bindings.adapt.tensorflow.sizes import at_least, ranked, vector, whole, with_shape
from tensorproof.bindings.adapt.tensorflow.windows import backed, channels_last, fronted, padded_as, pooled, spatial, windowed
from tensorproof.bindings.adapters import Run, Value
from tensorproof.terms import FLOAT32, INT32, INT64, DType, Shape, TensorType, disj, eq, ge


def _numbers(run: Run, value: Value, n: int, name: str) -> Value:
    """The numbers of a kernel that may be a tensor."""
    if not isinstance(value, TensorType):
        return value
    found = vector(run, value, name)
    return found if found is not None and None not in found else tuple(run.fresh(name, 1) if 0 < i < n - 1 else 1 for i in range(n))


def pool(a: Arguments, run: Run) -> TensorType:
    a = {**a, **{name: _numbers(run, a[name], axes_of(run) + 2, name) for name in ("kernel", "stride")}}
    full_format(run, a, "kernel", "stride")
    return _deep(run, a, axes_of(run))


def _deep(run: Run, a: Arguments, n: int) -> TensorType:
    """A pool; one kind may go over the channels instead."""
    last = channels_last(a["data_format"])
    kernel, stride = tuple(a["kernel"]), tuple(a["stride"])
    at = len(kernel) - 1 if last else 1
    if "Max" in run.name:
        run.require("stride", all(type(s) is not int or s >= 1 for s in stride[1:]), f"the stride must be at least 1, and is {stride!r}", ("stride",))
    if (kernel[at] != 1 or run.name.endswith("V2")) and "Max" in run.name and n == 2:
        shape = ranked(run, a["x"], n + 2).shape
        for k in kernel[1:] if not run.name.endswith("V2") else ():
            run.require("kernel", ge(k, 1), f"the kernel must be at least 1, and is {kernel!r}", ("kernel",))
        if any(type(k) is int and k < 1 for k in kernel):
            raise run.give_up(f"a kernel of {kernel!r}, which TensorFlow refuses when the node runs")
        sizes = [windowed(run, s, k, t, 1, a["padding"]) for s, k, t in zip(shape[1:], kernel[1:], stride[1:])]
        return _over_channels(run, a["x"], kernel, stride, a["padding"], Shape((shape[0], *sizes)), last)
    return pooled(run, a["x"], n, kernel, stride, a["padding"], a.get("explicit_paddings"), a["data_format"])


def _over_channels(run: Run, x: TensorType, kernel: tuple[Any, ...], stride: tuple[Any, ...], padding: str, made: Shape, last: bool) -> TensorType:
    """The greatest element of windows that reach over channels: over height and width first, then over the channels."""
    image = fronted(run, x, 4, last)
    (_, *inner, depth), (_, *steps, step) = (kernel, stride) if last else ((v[0], *v[2:], v[1]) for v in (kernel, stride))
    height, width, channels = made[1:] if last else (*made[2:], made[1])
    words = padded_as(padding, [(0, 0), (0, 0)])
    flat = run.shaped("max_pool2d", [Shape((made[0], image.shape[1], height, width))], x.dtype, x=image, kernel=tuple(inner), stride=tuple(steps), **words)
    if depth == 1 and step == 1:
        return backed(run, flat, last)
    shape = Shape((made[0], height, width, channels))
    deep = run.shaped("max_pool2d", [shape], x.dtype, x=backed(run, flat, True), kernel=(1, depth), stride=(1, step), **words)
    return deep if last else fronted(run, deep, 4, True)


def pool_with_argmax(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    a = {**a, "data_format": "NHWC"}
    full_format(run, a, "kernel", "stride")
    run.require("kernel", all(k >= 1 for k in a["kernel"]), f"the kernel must be at least 1, and is {a['kernel']!r}", ("kernel",))
    made = _deep(run, a, 2)
    places = run.shaped(
        "max_pool_positions", made.shape, a.get("dtype") or INT64, x=a["x"], values=made, kernel=spatial(run, a["kernel"], 2, True, "kernel", False),
        stride=spatial(run, a["stride"], 2, True, "stride", False), padding=a["padding"], include_batch=bool(a.get("include_batch_in_index")),
    )  # fmt: skip
    return made, places


def pool_grad(a: Arguments, run: Run) -> TensorType:
    """The gradient has the shape of what was pooled; that over three axes has an element type of its own."""
    full_format(run, a, "kernel", "stride")
    n = axes_of(run)
    same_types(run, a, "x", "values", *(("y",) if n == 2 else ()))
    shape = ranked(run, a["x"], n + 2).shape
    return at_run_time(run, lambda: _placed(run, a, n, shape))


def _placed(run: Run, a: Arguments, n: int, shape: Shape) -> TensorType:
    last, dtype = channels_last(a["data_format"]), a["x" if n == 2 else "y"].dtype
    kernel = spatial(run, a["kernel"], n, last, "kernel", False)
    image, pooled, behind = (fronted(run, a[name], n + 2, last, name) for name in ("x", "values", "y"))
    window = slide(run, a, n, image.shape[2:], kernel, last)
    made = run.shaped("max_pool_gradient", image.shape, dtype, x=image, values=pooled, y=behind, kernel=kernel, **window.words, ties=n == 3)
    moved = backed(run, made, last)
    return moved if moved.shape == shape else run.shaped("identity", shape, dtype, x=moved)


def avg_pool_grad(a: Arguments, run: Run) -> TensorType:
    n = axes_of(run)
    if n == 2 and any(isinstance(a[name], (tuple, list)) and len(a[name]) > 4 for name in ("kernel", "stride")):
        raise run.give_up("more numbers than axes, which some of TensorFlow's kernels take")
    full_format(run, a, "kernel", "stride")
    size = stated_sizes(run, a["sizes"], n + 2)
    return at_run_time(run, lambda: _spread(run, a, n, size))


def _spread(run: Run, a: Arguments, n: int, size: Shape) -> TensorType:
    last = channels_last(a["data_format"])
    kernel = spatial(run, a["kernel"], n, last, "kernel", False)
    behind = fronted(run, a["y"], n + 2, last, "y")
    front = Shape((size[0], size[-1], *size[1:-1])) if last else size
    window = slide(run, a, n, front[2:], kernel, last)
    made = run.shaped("avg_pool_gradient", front, a["y"].dtype, y=behind, size=tuple(front), kernel=kernel, **window.words, count_include_pad=False)
    return backed(run, made, last)


def patches(a: Arguments, run: Run) -> TensorType:
    """Windows of an image, flattened into the channels."""
    a = {**a, "data_format": "NHWC"}
    full_format(run, a, "kernel", "stride", "dilation")
    x = ranked(run, a["x"], 4)
    kernel, strides, dilations = (spatial(run, a[n], 2, True, n) for n in ("kernel", "stride", "dilation"))
    if any(type(k) is int and k < 1 for k in kernel):
        raise run.give_up(f"patches of {kernel!r}, which TensorFlow refuses when the node runs")
    sizes = [windowed(run, s, k, t, d, a["padding"], overhang=True) for s, k, t, d in zip(x.shape[1:3], kernel, strides, dilations)]
    shape = (x.shape[0], *sizes, kernel[0] * kernel[1] * x.shape[3])
    window = {"kernel": kernel, "stride": strides, "dilation": dilations, "padding": a["padding"]}
    return run.shaped("extract_patches", shape, x.dtype, x=a["x"], **window)


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


def resize_float(a: Arguments, run: Run) -> TensorType:
    return _scaled(run, a, FLOAT32)


def resize(a: Arguments, run: Run) -> TensorType:
    return _scaled(run, a, a["x"].dtype)


def _gradient(run: Run, a: Arguments, shape: Shape, dtype: DType | None, method: str) -> TensorType:
    size = tuple(shape[1:3]) if shape.known else None
    flags = {name: bool(a.get(name)) for name in ("align_corners", "half_pixel_centers")}
    return run.shaped("resize_image_gradient", shape, dtype, y=a["y"], x=a.get("x"), size=size, method=method, **flags)


def resize_grad(a: Arguments, run: Run) -> TensorType:
    return _gradient(run, a, a["x"].shape, a["x"].dtype, "bilinear")


def resize_back(a: Arguments, run: Run) -> TensorType:
    return _gradient(run, a, _resized(run, a["y"], a["size"]), a["y"].dtype, "nearest")


def crop_and_resize(a: Arguments, run: Run) -> TensorType:
    a = modern(a)
    boxes, index = ranked(run, a["boxes"], 2, "boxes"), ranked(run, a["index"], 1, "index")
    ranked(run, a["x"], 4)
    run.require("boxes", eq(boxes.shape[0], index.shape[0]), f"{boxes.shape[0]!r} boxes go with {index.shape[0]!r} indices", ("boxes", "index"))
    run.require("boxes", eq(boxes.shape[1], 4), f"a box has 4 numbers, and here {boxes.shape[1]!r}", ("boxes",))
    shape = _resized(run, a["x"], a["size"])
    words = {"method": a.get("method") or "bilinear", "extrapolation_value": a.get("extrapolation_value") or 0.0}
    given = {"x": a["x"], "boxes": a["boxes"], "index": a["index"], "size": tuple(shape[1:3]), **words}
    return run.shaped("crop_and_resize", (boxes.shape[0], *shape[1:]), FLOAT32, **given)


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
