"""GraphDef nodes of pools and patches, with their gradients."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.graphdef import DTYPE
from tensorproof.bindings.adapt.graphdef_convolutions import FIVE, FORMAT, FORMAT3, PADDING, SIZES, fourfold, full_format, stated_sizes
from tensorproof.bindings.adapt.tensorflow import Arguments, Window, anew, ranked, same_types, vector
from tensorproof.bindings.adapt.tf_windows import channels_last, pooled, spatial, windowed
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Anything, Tensor
from tensorproof.terms.dtypes import INT64
from tensorproof.terms.predicates import ge
from tensorproof.terms.tensor import TensorType

_POOL = (fourfold("kernel"), fourfold("stride"), PADDING, FORMAT, Anything("explicit_paddings", ()))
_POOL3 = (Window("kernel", FIVE), Window("stride", FIVE), PADDING, FORMAT3)


def _numbers(run: Run, value: Any, n: int, name: str) -> Any:
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
        run.require(
            "stride",
            all(type(s) is not int or s >= 1 for s in stride[1:]),
            f"the stride must be at least 1, and is {stride!r}",
            ("stride",),
        )
    if (kernel[at] != 1 or run.name.endswith("V2")) and "Max" in run.name and n == 2:
        x = ranked(run, a["x"], n + 2)
        for k in kernel[1:] if not run.name.endswith("V2") else ():
            run.require("kernel", ge(k, 1), f"the kernel must be at least 1, and is {kernel!r}", ("kernel",))
        sizes = [windowed(run, s, k, t, 1, a["padding"]) for s, k, t in zip(x.shape[1:], kernel[1:], stride[1:])]
        return anew(x, (x.shape[0], *sizes))
    return pooled(run, a["x"], n, kernel, stride, a["padding"], a.get("explicit_paddings"), a["data_format"])


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
    return made, made.but(dtype=a.get("dtype") or INT64)


@takes(Tensor("x", "N H W C"), Tensor("values", "N h w C"), Tensor("y", "N h w C"), *_POOL)
def pool_grad(a: Arguments, run: Run) -> TensorType:
    """The gradient has the shape of what was pooled."""
    full_format(run, a, "kernel", "stride")
    same_types(run, a, "x", "values", "y")
    return anew(a["x"], ranked(run, a["x"], 4).shape)


@takes(Tensor("x", "N D H W C"), Tensor("values", "N d h w C"), Tensor("y", "N d h w C"), *_POOL3)
def pool_grad3(a: Arguments, run: Run) -> TensorType:
    full_format(run, a, "kernel", "stride")
    same_types(run, a, "values", "x")
    return anew(a["y"], ranked(run, a["x"], 5).shape)


@takes(SIZES, Tensor("y", "N H W C"), *_POOL)
def avg_pool_grad(a: Arguments, run: Run) -> TensorType:
    full_format(run, a, "kernel", "stride")
    return stated_sizes(run, a["sizes"], 4, a["y"])


@takes(SIZES, Tensor("y", "N D H W C"), *_POOL3)
def avg_pool_grad3(a: Arguments, run: Run) -> TensorType:
    full_format(run, a, "kernel", "stride")
    return stated_sizes(run, a["sizes"], 5, a["y"])


@takes(Tensor("x", "N H W C"), fourfold("kernel"), fourfold("stride"), fourfold("dilation"), PADDING)
def patches(a: Arguments, run: Run) -> TensorType:
    """Windows of an image, flattened into the channels."""
    a = {**a, "data_format": "NHWC"}
    full_format(run, a, "kernel", "stride", "dilation")
    x = ranked(run, a["x"], 4)
    kernel, strides, dilations = (spatial(run, a[n], 2, True, n) for n in ("kernel", "stride", "dilation"))
    sizes = [windowed(run, s, k, t, d, a["padding"], overhang=True) for s, k, t, d in zip(x.shape[1:3], kernel, strides, dilations)]
    return anew(x, (x.shape[0], *sizes, kernel[0] * kernel[1] * x.shape[3]))
