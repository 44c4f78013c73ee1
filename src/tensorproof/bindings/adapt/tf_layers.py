"""The functions of `tf.layers` of version 1."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.tensorflow import Arguments, anew, at_least, ranked, somewhere
from tensorproof.bindings.adapt.tf_convolutions import FORMATS, IMAGES
from tensorproof.bindings.adapt.tf_windows import channels_last, convolve, pooled, to_back, to_front
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Anything, Int, Sizes, Tensor
from tensorproof.terms.ints import Dim, product
from tensorproof.terms.tensor import TensorType


@takes(Tensor("x"), Int("units", least=1))
def layer_dense(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 2)
    return anew(x, (*x.shape[:-1], a["units"]) if x.shape.known else somewhere(run))


def _layer_sizes(run: Run, value: Any, n: int, name: str) -> tuple[Any, ...]:
    given = tuple(value) if isinstance(value, (tuple, list)) else (value,) * n
    run.require(name, len(given) == n, f"{name} must be one whole number or {n}, and is {value!r}", (name,))
    return given


def _layer_conv(n: int) -> Any:
    @takes(
        Tensor("x", IMAGES[n]),
        Int("filters", least=1),
        Sizes("kernel", n, least=1),
        Sizes("stride", n, 1, least=1),
        Anything("padding", "valid"),
        Anything("data_format", "channels_last"),
        Sizes("dilation", n, 1, least=1),
    )
    def conv(a: Arguments, run: Run) -> TensorType:
        x, last = ranked(run, a["x"], n + 2), channels_last(a.get("data_format") or "channels_last")
        channels = x.shape[-1 if last else 1]
        weight = anew(x, (*_layer_sizes(run, a["kernel"], n, "kernel"), channels, a["filters"]))
        stride, dilation = _layer_sizes(run, a["stride"], n, "stride"), _layer_sizes(run, a.get("dilation") or 1, n, "dilation")
        return convolve(run, x, weight, n, stride, a["padding"].upper(), None, dilation, FORMATS[n][0 if last else 1])

    return conv


layer_conv1d, layer_conv2d, layer_conv3d = _layer_conv(1), _layer_conv(2), _layer_conv(3)


@takes(
    Tensor("x", "N H W C"),
    Int("filters", least=1),
    Sizes("kernel", 2, least=1),
    Sizes("stride", 2, 1, least=1),
    Anything("padding", "valid"),
    Anything("data_format", "channels_last"),
)
def layer_conv2d_transpose(a: Arguments, run: Run) -> TensorType:
    x, last = ranked(run, a["x"], 4), channels_last(a.get("data_format") or "channels_last")
    image = to_front(x, last)
    sizes: list[Dim] = []
    for n, k, s in zip(image.shape[2:], _layer_sizes(run, a["kernel"], 2, "kernel"), _layer_sizes(run, a["stride"], 2, "stride")):
        over = 0 if type(k) is int and type(s) is int and k <= s else k - s
        sizes.append(n * s if a["padding"].lower() == "same" else n * s + over)
    return to_back(anew(image, (image.shape[0], a["filters"], *sizes)), last)


def _layer_pool(n: int) -> Any:
    @takes(
        Tensor("x", IMAGES[n]),
        Sizes("kernel", n, least=1),
        Sizes("stride", n, least=1),
        Anything("padding", "valid"),
        Anything("data_format", "channels_last"),
    )
    def pool(a: Arguments, run: Run) -> TensorType:
        kernel, stride = _layer_sizes(run, a["kernel"], n, "kernel"), _layer_sizes(run, a["stride"], n, "stride")
        last = channels_last(a.get("data_format") or "channels_last")
        return pooled(run, a["x"], n, kernel, stride, a["padding"].upper(), None, FORMATS[n][0 if last else 1])

    return pool


layer_pool1d, layer_pool2d, layer_pool3d = _layer_pool(1), _layer_pool(2), _layer_pool(3)


@takes(Tensor("x", "N ..."))
def layer_flatten(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    return anew(x, (x.shape[0], product(x.shape[1:])) if x.shape.known else (run.fresh("batch"), run.fresh("features")))


@takes(Tensor("x"))
def layer_same(a: Arguments, run: Run) -> TensorType:
    return anew(a["x"], a["x"].shape)
