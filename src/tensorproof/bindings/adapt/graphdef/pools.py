"""GraphDef nodes of pools and patches, with their gradients."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.graphdef.convolutions import FIVE, FORMAT, FORMAT3, PADDING, SIZES, at_run_time, fourfold, full_format, slide, stated_sizes
from tensorproof.bindings.adapt.graphdef.elementwise import DTYPE
from tensorproof.bindings.adapt.tensorflow.shared import Arguments, Window, ranked, same_types, vector
from tensorproof.bindings.adapt.tensorflow.windows import backed, channels_last, fronted, padded_as, pooled, spatial, windowed
from tensorproof.bindings.adapters import Run, Value, takes
from tensorproof.ops.inputs import Anything, Tensor
from tensorproof.terms import INT64, DType, Shape, TensorType, ge

_POOL = (fourfold("kernel"), fourfold("stride"), PADDING, FORMAT, Anything("explicit_paddings", ()))
_POOL3 = (Window("kernel", FIVE), Window("stride", FIVE), PADDING, FORMAT3)


def _numbers(run: Run, value: Value, n: int, name: str) -> Value:
    """The numbers of a kernel that may be a tensor."""
    if not isinstance(value, TensorType):
        return value
    found = vector(run, value, name)
    return found if found is not None and None not in found else tuple(run.fresh(name, 1) if 0 < i < n - 1 else 1 for i in range(n))


@takes(Tensor("x", "N H W C"), *_POOL)
def pool2d(a: Arguments, run: Run) -> TensorType:
    a = {**a, "kernel": _numbers(run, a["kernel"], 4, "kernel"), "stride": _numbers(run, a["stride"], 4, "stride")}
    full_format(run, a, "kernel", "stride")
    return _deep(run, a, 2)


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
    deep = run.shaped(
        "max_pool2d", [Shape((made[0], height, width, channels))], x.dtype, x=backed(run, flat, True), kernel=(1, depth), stride=(1, step), **words
    )
    return deep if last else fronted(run, deep, 4, True)


@takes(Tensor("x", "N D H W C"), *_POOL3)
def pool3d(a: Arguments, run: Run) -> TensorType:
    full_format(run, a, "kernel", "stride")
    return _deep(run, a, 3)


@takes(Tensor("x", "N H W C"), fourfold("kernel"), fourfold("stride"), PADDING, DTYPE)
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


def _max_gradient(run: Run, a: Arguments, n: int, dtype: DType | None) -> TensorType:
    """The gradient has the shape of what was pooled."""
    shape = ranked(run, a["x"], n + 2).shape
    return at_run_time(run, lambda: _placed(run, a, n, shape, dtype))


def _placed(run: Run, a: Arguments, n: int, shape: Shape, dtype: DType | None) -> TensorType:
    last = channels_last(a["data_format"])
    kernel = spatial(run, a["kernel"], n, last, "kernel", False)
    image, pooled, behind = (fronted(run, a[name], n + 2, last, name) for name in ("x", "values", "y"))
    window = slide(run, a, n, image.shape[2:], kernel, last)
    made = run.shaped("max_pool_gradient", image.shape, dtype, x=image, values=pooled, y=behind, kernel=kernel, **window.words, ties=n == 3)
    moved = backed(run, made, last)
    return moved if moved.shape == shape else run.shaped("identity", shape, dtype, x=moved)


@takes(Tensor("x", "N H W C"), Tensor("values", "N h w C"), Tensor("y", "N h w C"), *_POOL)
def pool_grad(a: Arguments, run: Run) -> TensorType:
    full_format(run, a, "kernel", "stride")
    same_types(run, a, "x", "values", "y")
    return _max_gradient(run, a, 2, a["x"].dtype)


@takes(Tensor("x", "N D H W C"), Tensor("values", "N d h w C"), Tensor("y", "N d h w C"), *_POOL3)
def pool_grad3(a: Arguments, run: Run) -> TensorType:
    full_format(run, a, "kernel", "stride")
    same_types(run, a, "values", "x")
    return _max_gradient(run, a, 3, a["y"].dtype)


def _mean_gradient(run: Run, a: Arguments, n: int) -> TensorType:
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


@takes(SIZES, Tensor("y", "N H W C"), *_POOL)
def avg_pool_grad(a: Arguments, run: Run) -> TensorType:
    if any(isinstance(a[name], (tuple, list)) and len(a[name]) > 4 for name in ("kernel", "stride")):
        raise run.give_up("more numbers than axes, which some of TensorFlow's kernels take")
    full_format(run, a, "kernel", "stride")
    return _mean_gradient(run, a, 2)


@takes(SIZES, Tensor("y", "N D H W C"), *_POOL3)
def avg_pool_grad3(a: Arguments, run: Run) -> TensorType:
    full_format(run, a, "kernel", "stride")
    return _mean_gradient(run, a, 3)


@takes(Tensor("x", "N H W C"), fourfold("kernel"), fourfold("stride"), fourfold("dilation"), PADDING)
def patches(a: Arguments, run: Run) -> TensorType:
    """Windows of an image, flattened into the channels."""
    a = {**a, "data_format": "NHWC"}
    full_format(run, a, "kernel", "stride", "dilation")
    x = ranked(run, a["x"], 4)
    kernel, strides, dilations = (spatial(run, a[n], 2, True, n) for n in ("kernel", "stride", "dilation"))
    if any(type(k) is int and k < 1 for k in kernel):
        raise run.give_up(f"patches of {kernel!r}, which TensorFlow refuses when the node runs")
    sizes = [windowed(run, s, k, t, d, a["padding"], overhang=True) for s, k, t, d in zip(x.shape[1:3], kernel, strides, dilations)]
    return run.shaped(
        "extract_patches",
        (x.shape[0], *sizes, kernel[0] * kernel[1] * x.shape[3]),
        x.dtype,
        x=a["x"],
        kernel=kernel,
        stride=strides,
        dilation=dilations,
        padding=a["padding"],
    )
