"""The functions of `tf.layers` of version 1."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.graphdef.convolutions import transposed
from tensorproof.bindings.adapt.tensorflow.convolutions import FORMATS, IMAGES
from tensorproof.bindings.adapt.tensorflow.shared import Arguments, at_least, ranked, somewhere, with_shape
from tensorproof.bindings.adapt.tensorflow.windows import channels_last, convolve, pooled, to_front
from tensorproof.bindings.adapters import Run, Value, takes
from tensorproof.ops.inputs import Anything, Int, Sizes, Tensor
from tensorproof.terms import Dim, Shape, TensorType, product


def layer_dense(a: Arguments, run: Run) -> TensorType:
    """x times the layer's own weight, plus its own bias."""
    x = a["x"]
    at_least(run, x, 2)
    features = x.shape[-1] if x.shape.known else run.fresh("features")
    weight = _variable(run, x, a["units"], features)
    bias = _variable(run, x, a["units"]) if a.get("use_bias", True) else None
    shape = Shape((*x.shape[:-1], a["units"])) if x.shape.known else somewhere(run)
    return _activated(run, a, with_shape(run, "linear", x, shape, weight=weight, bias=bias))


def _variable(run: Run, x: TensorType, *size: Dim) -> TensorType:
    """A variable that the layer makes, of the element type of its input."""
    return run.typed("empty", x.dtype, size=size, dtype=x.dtype)


def _activated(run: Run, a: Arguments, made: TensorType) -> TensorType:
    """What an activation that the program gives makes of numbers is not known."""
    if a.get("activation") is None:
        return made
    return run.typed("activation", made.dtype, x=made)


def _layer_sizes(run: Run, value: Value, n: int, name: str) -> tuple[Any, ...]:
    given = tuple(value) if isinstance(value, (tuple, list)) else (value,) * n
    run.require(name, len(given) == n, f"{name} must be one whole number or {n}, and is {value!r}", (name,))
    return given


def _layer_conv(n: int) -> Value:
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
        weight = _variable(run, x, *_layer_sizes(run, a["kernel"], n, "kernel"), channels, a["filters"])
        stride, dilation = _layer_sizes(run, a["stride"], n, "stride"), _layer_sizes(run, a.get("dilation") or 1, n, "dilation")
        made = convolve(run, a["x"], weight, n, stride, a["padding"].upper(), None, dilation, FORMATS[n][0 if last else 1])
        return _activated(run, a, _shifted(run, a, made, n, last))

    return conv


def _shifted(run: Run, a: Arguments, made: TensorType, n: int, last: bool) -> TensorType:
    """The layer's own bias added to its channels."""
    if not a.get("use_bias", True):
        return made
    bias = _variable(run, made, a["filters"], *(() if last else (1,) * n))
    return with_shape(run, "add", made, made.shape, y=bias)


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
    kernel, strides = _layer_sizes(run, a["kernel"], 2, "kernel"), _layer_sizes(run, a["stride"], 2, "stride")
    sizes: list[Dim] = []
    for n, k, s in zip(image.shape[2:], kernel, strides):
        over = 0 if type(k) is int and type(s) is int and k <= s else k - s
        sizes.append(n * s if a["padding"].lower() == "same" else n * s + over)
    result = Shape((x.shape[0], *sizes, a["filters"]) if last else (x.shape[0], a["filters"], *sizes))
    weight = _variable(run, x, *kernel, a["filters"], image.shape[1])
    given = {"weight": weight, "y": a["x"], "data_format": FORMATS[2][0 if last else 1], "stride": strides, "padding": a["padding"].upper()}
    return _activated(run, a, _shifted(run, a, transposed(run, given, 2, result), 2, last))


def _layer_pool(n: int) -> Value:
    @takes(
        Tensor("x", IMAGES[n]), Sizes("kernel", n, least=1), Sizes("stride", n, least=1), Anything("padding", "valid"), Anything("data_format", "channels_last")
    )
    def pool(a: Arguments, run: Run) -> TensorType:
        kernel, stride = _layer_sizes(run, a["kernel"], n, "kernel"), _layer_sizes(run, a["stride"], n, "stride")
        last = channels_last(a.get("data_format") or "channels_last")
        return pooled(run, a["x"], n, kernel, stride, a["padding"].upper(), None, FORMATS[n][0 if last else 1])

    return pool


layer_pool1d, layer_pool2d, layer_pool3d = _layer_pool(1), _layer_pool(2), _layer_pool(3)


def layer_flatten(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    size = (x.shape[0], product(x.shape[1:])) if x.shape.known else (run.fresh("batch"), run.fresh("features"))
    return with_shape(run, "reshape", x, size, size=size)


def layer_dropout(a: Arguments, run: Run) -> TensorType:
    x, noise = a["x"], a.get("noise_shape")
    return with_shape(run, "dropout", x, x.shape, p=a.get("rate", 0.5), training=a.get("training", False), mask=noise)


def layer_batch_norm(a: Arguments, run: Run) -> TensorType:
    """Each channel normalised, by the batch or by the layer's own running statistics, then scaled and shifted by its own weights."""
    x, at = a["x"], a.get("axis", -1)
    training = a.get("training") is True
    if x.shape.known and len(x.shape) == 1:
        row = layer_batch_norm({**a, "x": run("unsqueeze", x=x, dim=0), "axis": 1}, run)
        return with_shape(run, "squeeze", row, x.shape, dim=(0,))
    known = x.shape.known and len(x.shape) >= 2 and type(at) is int and -len(x.shape) <= at < len(x.shape)
    if not known:
        return with_shape(run, "batch_norm", x, x.shape, training=training, eps=a.get("epsilon", 1e-3))
    at = at % len(x.shape)
    order = (*(i for i in range(len(x.shape)) if i != at),)
    order = (order[0], at, *order[1:])
    image = x if at == 1 else run("permute", x=x, dim=order)
    given = {name: _variable(run, x, x.shape[at]) for name, wanted in (("weight", "scale"), ("bias", "center")) if a.get(wanted, True)}
    if not training:
        given |= {name: _variable(run, x, x.shape[at]) for name in ("running_mean", "running_var")}
    made = with_shape(run, "batch_norm", image, image.shape, **given, training=training, eps=a.get("epsilon", 1e-3))
    if at == 1:
        return made
    back = tuple(order.index(i) for i in range(len(order)))
    return run("permute", x=made, dim=back)
