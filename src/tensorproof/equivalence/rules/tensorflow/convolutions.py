"""Convolutions and pools that can be written in two ways: padding, a further axis, one channel at a time, two steps, a kernel with zeros between."""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.call import Call
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule
from tensorproof.equivalence.rules.tensorflow.windows import Windows, by_our_names, changed, is_depthwise, is_transposed, is_windowed, windows

_LIBRARIES = ("tensorflow", "keras")


def _is_convolution(api: Api) -> bool:
    return is_windowed(api) and not is_transposed(api) and any("conv" in op.name for op in api.operators)


def _is_pool(api: Api) -> bool:
    return is_windowed(api) and any("max_pool" in op.name for op in api.operators) and "argmax" not in api.name


def _word(call: Call, word: str) -> str:
    return word if call.api.name.startswith("keras.") else word.upper()


def _same_padding(call: Call, dialect: Dialect) -> Iterable[Pair]:
    """A pool takes the greatest number of a window, so that the padding is the least."""
    w = windows(call)
    if w is None or w.padding.lower() != "same" or "LSTM" in call.api.name:
        return
    least = f", constant_values={w.x}.dtype.min" if _is_pool(call.api) else ""
    padded = changed(call, dialect, {w.theirs["padding"]: _word(call, "valid")}, f"tf.pad({w.x}, {w.same()}{least})")
    yield Pair(call.expression(dialect), padded, call.setup(dialect))


def _stuffed(weight: str, w: Windows, channels: tuple[int, ...]) -> str:
    """The kernel with zeros between its elements."""
    text, sizes = weight, list(w.kernel)
    for i, d in enumerate(w.dilation):
        if d > 1:
            widths = [[0, 0]] * (i + 1) + [[0, d - 1]] + [[0, 0]] * (w.axes - i - 1 + len(channels))
            sizes[i] *= d
            text = f"tf.reshape(tf.pad(tf.expand_dims({text}, {i + 1}), {widths}), {[*sizes, *channels]})"
    ends = ", ".join(f":{(k - 1) * d + 1}" for k, d in zip(w.kernel, w.dilation))
    return f"{text}[{ends}]"


def _dilated(call: Call, dialect: Dialect) -> Iterable[Pair]:
    w = windows(call)
    if w is None or max(w.dilation) == 1 or w.theirs.get("dilation") is None:
        return
    if call.init is not None:
        yield from _dilated_layer(call, dialect, w)
        return
    channels = call.inputs[w.weight].shape[w.axes :]
    one = 1 if call.api.name.startswith("keras.") else [1] * _length(call, w)
    plain = changed(call, dialect, {w.theirs["dilation"]: one}, w.x, _stuffed(w.weight, w, channels))
    yield Pair(call.expression(dialect), plain, call.setup(dialect))


def _dilated_layer(call: Call, dialect: Dialect, w: Windows) -> Iterable[Pair]:
    """A layer with a larger kernel; its other weights are the same."""
    bound, _ = by_our_names(call)
    out = bound.get("depth_multiplier", 1) if is_depthwise(call.api) else bound.get("filters")
    if "eparable" in call.api.name or not isinstance(out, int) or "kernel" not in w.theirs:
        return
    sizes = tuple((k - 1) * d + 1 for k, d in zip(w.kernel, w.dilation))
    weights = f"[{_stuffed('layer.get_weights()[0]', w, (w.shape[-1], out))}, *layer.get_weights()[1:]]"
    plain = changed(call, dialect, {w.theirs["dilation"]: 1, w.theirs["kernel"]: sizes}, w.x, weights=weights)
    yield Pair(call.expression(dialect), plain, call.setup(dialect), loose=4.0)


def _length(call: Call, w: Windows) -> int:
    """How many numbers the dilation was given with."""
    given = by_our_names(call)[0].get("dilation")
    return len(given) if isinstance(given, (tuple, list)) else w.axes


def _by_channel(call: Call, dialect: Dialect) -> Iterable[Pair]:
    """Each channel of the image with its own part of the kernel."""
    w = windows(call)
    if w is None or w.axes != 2 or (call.init is None and (not w.weight or len(call.inputs) != 2)):
        return
    stride, dilation, kernel = list(w.stride), list(w.dilation), w.weight or "layer.kernel.value"
    one = f'tf.nn.conv2d({_image(call, w)}[..., i:i + 1], {kernel}[:, :, i:i + 1], {stride}, "{w.padding.upper()}", dilations={dilation})'
    yield _in_steps(call, dialect, f"tf.concat([{one} for i in range({w.shape[-1]})], -1)")


def _image(call: Call, w: Windows) -> str:
    return w.x if call.init is None else "image"


def _in_steps(call: Call, dialect: Dialect, text: str) -> Pair:
    """The call against a text for what it computes; a layer adds its bias and applies its activation, and has its weights after its first call."""
    left, setup = call.expression(dialect), call.setup(dialect)
    if call.init is None:
        return Pair(left, text, loose=4.0)
    image = f"image = tf.cast({call.bound()['inputs'].name}, layer.compute_dtype)"
    return Pair(left, f"{image}\nlayer.activation({text} + (layer.bias.value if layer.use_bias else 0))", f"{setup}\n{left}", loose=10.0)


def _two_steps(call: Call, dialect: Dialect) -> Iterable[Pair]:
    w = windows(call)
    names = list(call.inputs)
    if w is None or w.axes != 2 or (call.init is None and (not w.weight or len(names) != 3)):
        return
    if call.init is not None and max(w.dilation) > 1 and max(w.stride) > 1:  # the first step takes one of them alone
        return
    depthwise, pointwise = (w.weight, names[2]) if call.init is None else ("layer.depthwise_kernel.value", "layer.pointwise_kernel.value")
    first = f'tf.nn.depthwise_conv2d({_image(call, w)}, {depthwise}, {[1, *w.stride, 1]}, "{w.padding.upper()}", dilations={list(w.dilation)})'
    yield _in_steps(call, dialect, f'tf.nn.conv2d({first}, {pointwise}, 1, "VALID")')


def _further(name: str) -> str:
    for a, b in (("1d", "2d"), ("2d", "3d"), ("1D", "2D"), ("2D", "3D")):
        if a in name:
            return name.replace(a, b)
    return ""


def _further_axis(call: Call, dialect: Dialect) -> Iterable[Pair]:
    """The image as one slice of a volume, with a kernel of depth one."""
    w, name = windows(call), _further(call.api.name)
    if w is None or w.padding.lower() not in ("same", "valid") or not name or not dialect.exists(name) or "data_format" in call.kwargs or "LSTM" in name:
        return
    ours = {"stride": [1, *w.stride], "dilation": [1, *w.dilation], "kernel": [1, *w.kernel]}
    if call.init is None:
        if not name.startswith("tf.nn.") or len(call.args) + len(call.kwargs) > 4 or max(w.dilation) > 1 or name.endswith("2d"):
            return
        kernel = f"tf.expand_dims({w.weight}, 0)" if w.weight else str([1, 1, *w.kernel, 1])
        right = f'{name}(tf.expand_dims({w.x}, 1), {kernel}, {[1, 1, *w.stride, 1]}, "{w.padding.upper()}")[:, 0]'
    else:
        given = {w.theirs[k]: tuple(v) for k, v in ours.items() if k in w.theirs and w.theirs[k] in call.init}
        weights = "[w[None] if w.ndim > 1 else w for w in layer.get_weights()]" if not _is_pool(call.api) else ""
        right = changed(call, dialect, given, f"tf.expand_dims({w.x}, 1)", "", name, weights)
        body, _, last = right.rpartition("\n")
        right = f"{body}\n{last}[:, 0]"
    yield Pair(call.expression(dialect), right, call.setup(dialect), loose=4.0)


RULES = (
    Rule("tf-same-padding", "api redundancy", 'padding "same" = explicit padding', _LIBRARIES, _same_padding,
         lambda a: _is_convolution(a) or _is_pool(a), number=2, special=False),
    Rule("tf-further-axis", "api redundancy", "an image = one slice of a volume", _LIBRARIES, _further_axis,
         lambda a: (_is_convolution(a) or _is_pool(a)) and not is_depthwise(a) and bool(_further(a.name)), number=3, special=False,
         unsupported="on-spatial|CPU|DHWC"),
    Rule("tf-depthwise", "api redundancy", "a depthwise convolution = one convolution a channel", _LIBRARIES, _by_channel,
         lambda a: _is_convolution(a) and "epthwise" in a.name, number=4, special=False),
    Rule("tf-separable", "api redundancy", "a separable convolution = depthwise, then pointwise", _LIBRARIES, _two_steps,
         lambda a: _is_convolution(a) and "eparable" in a.name, number=5, special=False),
    Rule("tf-dilated", "api redundancy", "a dilated convolution = a kernel with zeros between", _LIBRARIES, _dilated,
         lambda a: _is_convolution(a), number=6, special=False),
)  # fmt: skip
