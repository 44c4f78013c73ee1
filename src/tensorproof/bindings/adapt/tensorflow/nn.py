"""Functions of `tf.nn` for activations, normalisation and look-ups, and the layers of TensorFlow 1."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.graphdef.convolutions import transposed
from tensorproof.bindings.adapt.graphdef.gradients import kept_statistics, one_less
from tensorproof.bindings.adapt.tensorflow.convolutions import FORMATS, axes_of
from tensorproof.bindings.adapt.tensorflow.math import clipped
from tensorproof.bindings.adapt.tensorflow.shared import Arguments, modern, of_type, same_types
from tensorproof.bindings.adapt.tensorflow.sizes import at_least, axis, inside, known_axis, ranked, somewhere, vector, whole, with_shape
from tensorproof.bindings.adapt.tensorflow.windows import channels_last, convolve, pooled, to_front
from tensorproof.bindings.adapters import Value, takes
from tensorproof.bindings.call import Run
from tensorproof.ops.inputs import Axis
from tensorproof.terms import BOOL, FLOAT32, INT32, INT64, Dim, DType, Shape, TensorType, disj, eq, ge, le, product


@takes(Axis("dim", None, optional=True, scalar_ok=False))
def softmax(a: Arguments, run: Run) -> TensorType:
    a = modern(a)
    x, dim = a["x"], -1 if a.get("dim") is None else a["dim"]
    at_least(run, x, 1)
    if x.shape.known:
        axis(run, dim, len(x.shape))
    return with_shape(run, run.row.op, x, x.shape, dim=dim)


def crelu(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    at = known_axis(run, a["dim"], len(x.shape)) if x.shape.known else a["dim"]
    shape = Shape((*x.shape[:at], 2 * x.shape[at], *x.shape[at + 1 :])) if x.shape.known else x.shape
    both: TensorType = run.shaped("cat", shape, x.dtype, xs=(x, run.typed("neg", x.dtype, x=x)), dim=at)
    return run.typed("relu", x.dtype, x=both)


def leaky_relu(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    whole_numbers = x.dtype is not None and x.dtype.is_integer
    return run.typed("leaky_relu", FLOAT32 if whole_numbers else x.dtype, x=x, slope=a["slope"])


def bias_add(a: Arguments, run: Run) -> TensorType:
    x, bias, last = a["x"], ranked(run, a["bias"], 1, "bias"), not str(a.get("data_format") or "NHWC").startswith("NC")
    kind = same_types(run, a, "x", "bias")
    at_least(run, x, 2 if last else 3)
    if not x.shape.known:
        return run.shaped("add", x.shape, kind, x=x, y=bias)
    channels = x.shape[-1 if last else 1]
    run.require("channels", eq(channels, bias.shape[0]), f"x has {channels!r} channels and bias {bias.shape[0]!r} elements", ("x", "bias"))
    if not last:
        size = (bias.shape[0], *(1,) * (len(x.shape) - 2))
        bias = run("reshape", x=bias, size=size)
    return run.shaped("add", x.shape, kind, x=x, y=bias)


def batch_normalization(a: Arguments, run: Run) -> TensorType:
    """(x - mean) · scale + offset: everything broadcasts, and what is not x has one element type."""
    kind, x = same_types(run, a, "mean", "variance", "weight", "bias"), a["x"]
    weight, bias = a.get("weight"), a.get("bias")
    factor = run.typed("rsqrt", kind, x=run.typed("add", kind, x=a["variance"], y=a.get("variance_epsilon", 0.001)))
    if weight is not None:
        factor = run.typed("mul", kind, x=factor, y=weight)
    shift = run.typed("sub", kind, x=0 if bias is None else bias, y=run.typed("mul", kind, x=a["mean"], y=factor))
    scaled = run.typed("mul", x.dtype, x=x, y=of_type(run, factor, x.dtype))
    return run.typed("add", x.dtype, x=scaled, y=of_type(run, shift, x.dtype))


def fused_batch_norm(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x = ranked(run, a["x"], 4)
    channels = x.shape[-1 if channels_last(a.get("data_format") or "NHWC") else 1]
    given = {n: a[n] for n in ("weight", "bias", "mean", "variance") if isinstance(a.get(n), TensorType)}
    for name, value in given.items():
        (n,) = ranked(run, value, 1, name).shape
        run.require("channels", eq(n, channels), f"{name} has {n!r} elements and x {channels!r} channels", (name, "x"))
    if not a.get("training", True):
        run.require("statistics", "mean" in given and "variance" in given, "outside of training mean and variance must be given", ("mean", "variance"))
    return _fused(run, x, a, channels_last(a.get("data_format") or "NHWC"))


def _fused(run: Run, x: TensorType, a: Arguments, last: bool) -> tuple[TensorType, ...]:
    """The batch normalised, and the mean and the variance that were used (that of a batch over one element less), or the new running ones."""
    training = bool(a.get("training", True))
    image = run("permute", x=x, dim=(0, 3, 1, 2)) if last else x
    mean, variance = (None, None) if training else (a["mean"], a["variance"])
    made = run.typed(
        "batch_norm", x.dtype, x=image, running_mean=mean, running_var=variance, weight=a["weight"], bias=a["bias"], training=training,
        eps=a.get("epsilon", 0.001),
    )  # fmt: skip
    made = run("permute", x=made, dim=(0, 2, 3, 1)) if last else made
    if not training:
        return made, *kept_statistics(run, x, a["mean"], a["variance"])
    shape = Shape((image.shape[1],))
    found = list(run.shaped("var_mean", [shape, shape], FLOAT32, FLOAT32, x=image, dim=(0, 2, 3), keepdim=False, correction=one_less(image)))
    share, old = a.get("exponential_avg_factor", 1.0), (a.get("variance"), a.get("mean"))
    found = [run.typed("lerp", FLOAT32, x=o, y=now, weight=share) if isinstance(o, TensorType) else now for o, now in zip(old, found)]
    return made, found[1], found[0]


def moments(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    a = modern(a)
    x, keep = a["x"], bool(a.get("keepdim"))
    axes = vector(run, a["dim"], "dim", scalar=True) or ()
    if x.shape.known:
        axes = tuple(dict.fromkeys(axis(run, d, len(x.shape)) for d in axes))
        shape = Shape(1 if i in axes else n for i, n in enumerate(x.shape) if keep or i not in axes)
    else:
        shape = somewhere(run)
    folded = x if axes else run("unsqueeze", x=x, dim=0)  # a new axis of one element, folded away, stands for none
    if x.dtype is not None and x.dtype.kind in "iu" and x.shape.known:
        return _whole_moments(run, folded, axes or (0,), shape, keep and bool(axes))
    variance, mean = run.shaped("var_mean", [shape, shape], x.dtype, x.dtype, x=folded, dim=axes or (0,), keepdim=keep and bool(axes), correction=0)
    return mean, variance


def _whole_moments(run: Run, x: TensorType, axes: tuple[int, ...], shape: Shape, keep: bool) -> tuple[TensorType, ...]:
    """Of whole numbers, mean and variance are whole too, each step of them."""
    mean = run.typed("mean", x.dtype, x=x, dim=axes, keepdim=True)
    apart = run.typed("square", x.dtype, x=run.typed("sub", x.dtype, x=x, y=mean))
    return tuple(run.shaped("mean", shape, x.dtype, x=one, dim=axes, keepdim=keep) for one in (x, apart))


def l2_normalize(a: Arguments, run: Run) -> TensorType:
    a = modern(a)
    x, given = a["x"], vector(run, a.get("dim"), "dim", scalar=True)
    axes = tuple(axis(run, d, len(x.shape)) if x.shape.known else d for d in given or ())
    least = a.get("epsilon", 1e-12)
    return with_shape(run, "normalize", x, x.shape, p=2.0, dim=None if given is None else axes, eps=least, by_squares=True)


def zero_fraction(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    zero = run.typed("eq", BOOL, x=x, y=False if x.dtype is BOOL else 0)
    return run.shaped("mean", Shape(), FLOAT32, x=run("cast", x=zero, dtype=FLOAT32), dim=None, keepdim=False)


def dropout(a: Arguments, run: Run) -> TensorType:
    x, noise = a["x"], a.get("noise_shape")
    rate = a.get("rate")
    run.require("rate", rate is None or a.get("keep_prob") is None, "give the rate of dropping or the probability of keeping, not both", ("rate", "keep_prob"))
    if isinstance(a.get("keep_prob"), (int, float)):
        run.require("rate", 0 < a["keep_prob"] <= 1, f"the probability of keeping must lie above 0, and is {a['keep_prob']!r}", ("keep_prob",))
    if isinstance(rate, (int, float)):
        run.require("rate", 0 <= rate < 1, f"the rate must lie between 0 and 1, and is {rate!r}", ("rate",))
    elif rate is None and a.get("keep_prob") is None:
        raise run.refuse("rate", "give the rate of dropping or the probability of keeping", ("rate",))
    if isinstance(noise, (tuple, list)) and x.shape.known:
        run.require("noise", len(noise) == len(x.shape), f"the noise shape {noise!r} must have the rank of x {x.shape!r}", ("noise_shape", "x"))
        for m, n in zip(noise, x.shape):
            run.require("noise", m is None or disj(eq(m, 1), eq(m, n)), f"noise of shape {noise!r} does not broadcast over x {x.shape!r}", ("noise_shape", "x"))
    kept = a.get("keep_prob")
    if kept is not None:
        rate = 1 - kept if isinstance(kept, (int, float)) else run("sub", x=1, y=kept) if isinstance(kept, TensorType) else kept
    mask = tuple(noise) if isinstance(noise, (tuple, list)) else noise
    return with_shape(run, "dropout", x, x.shape, p=rate, training=True, mask=mask)


def embedding_lookup(a: Arguments, run: Run) -> TensorType:
    weight, index = a["weight"], a["index"]
    if not isinstance(weight, TensorType) or not isinstance(index, TensorType):
        raise run.give_up("an embedding in several parts")
    whole_numbers = index.dtype is None or index.dtype in _PLACES
    run.require("embedding/dtype", whole_numbers, f"indices are whole numbers of 16, 32 or 64 bits, not {index.dtype!r}", ("index",))
    at_least(run, weight, 1, "weight")
    known = weight.shape.known and index.shape.known
    if known:
        inside(run, index, weight.shape[0])
    made = with_shape(run, "gather_slices", weight, (*index.shape, *weight.shape[1:]) if known else somewhere(run), index=index, dim=0, lenient=True)
    most = a.get("max_norm")
    if most is None or not index.shape.known or not made.shape.known:
        return made
    return clipped(run, made, most, tuple(range(len(index.shape), len(made.shape))))


_PLACES = frozenset({DType.INT16, INT32, INT64})


def top_k(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    run.require("dtype", a.get("index_type") in _PLACES | {None}, f"places are whole numbers, not {a.get('index_type')!r}", ("index_type",))
    x, k = a["x"], whole(a["k"])
    at_least(run, x, 1)
    if isinstance(k, TensorType):
        k = run.session.number_in(ranked(run, k, 0, "k"))
    run.require("k", ge(k, 0), f"k must not be negative, and is {k!r}", ("k",))
    if x.shape.known:
        run.require("k", le(k, x.shape[-1]), f"k = {k!r} is more than the {x.shape[-1]!r} elements of the last axis", ("k", "x"))
    shape = Shape((*x.shape[:-1], k)) if x.shape.known else somewhere(run)
    ordered = a.get("sorted", True) is not False
    return tuple(run.shaped("topk", [shape, shape], x.dtype, a.get("index_type") or INT32, x=x, k=k, dim=-1, largest=True, sorted=ordered))


def xw_plus_b(a: Arguments, run: Run) -> TensorType:
    x, y, bias = a["x"], a["y"], ranked(run, a["bias"], 1, "bias")
    same_types(run, a, "x", "y", "bias")
    at_least(run, x, 2)
    at_least(run, y, 2, "y")
    product = run("matmul", x=x, y=y)
    if product.shape.known:
        columns = product.shape[-1]
        run.require("linear/bias", eq(bias.shape[0], columns), f"bias has {bias.shape[0]!r} elements and the product {columns!r} columns", ("bias", "y"))
    return run.shaped("add", product.shape, product.dtype, x=product, y=bias)


def relu_layer(a: Arguments, run: Run) -> TensorType:
    made = xw_plus_b(a, run)
    return run.typed("relu", made.dtype, x=made)


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


def layer_conv(a: Arguments, run: Run) -> TensorType:
    n = axes_of(run)
    x, last = ranked(run, a["x"], n + 2), channels_last(a.get("data_format") or "channels_last")
    channels = x.shape[-1 if last else 1]
    weight = _variable(run, x, *_layer_sizes(run, a["kernel"], n, "kernel"), channels, a["filters"])
    stride, dilation = _layer_sizes(run, a["stride"], n, "stride"), _layer_sizes(run, a.get("dilation") or 1, n, "dilation")
    made = convolve(run, a["x"], weight, n, stride, a["padding"].upper(), None, dilation, FORMATS[n][0 if last else 1])
    return _activated(run, a, _shifted(run, a, made, n, last))


def _shifted(run: Run, a: Arguments, made: TensorType, n: int, last: bool) -> TensorType:
    """The layer's own bias added to its channels."""
    if not a.get("use_bias", True):
        return made
    bias = _variable(run, made, a["filters"], *(() if last else (1,) * n))
    return with_shape(run, "add", made, made.shape, y=bias)


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


def layer_pool(a: Arguments, run: Run) -> TensorType:
    n = axes_of(run)
    kernel, stride = _layer_sizes(run, a["kernel"], n, "kernel"), _layer_sizes(run, a["stride"], n, "stride")
    last = channels_last(a.get("data_format") or "channels_last")
    return pooled(run, a["x"], n, kernel, stride, a["padding"].upper(), None, FORMATS[n][0 if last else 1])


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
