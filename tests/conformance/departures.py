"""Calls in which a library departs from what it documents: the evaluator of ONNX, which is no standard, from the standard's text and from its runtime, and
kernels whose counts overflow."""

from __future__ import annotations

from collections.abc import Callable

from tensorproof.engines.generate import calls


def _beyond(call: calls.GeneratedCall) -> bool:
    """SAME with a stride beyond the window, where the evaluator pads by numbers below 0 and the standard and its runtime pad nothing, or with a dilation,
    which the evaluator leaves out of the padding."""
    stride = call.kwargs.get("strides") or ()
    far = any(s > k for s, k in zip(stride, call.kwargs["kernel_shape"])) or {*(call.kwargs.get("dilations") or [1])} != {1}
    return str(call.kwargs.get("auto_pad")).startswith("SAME") and far


def _half_before(call: calls.GeneratedCall) -> bool:
    """Rounded up, the last window lacks two elements or more."""
    x, kernel = call.args[0] if call.args else call.kwargs["X"], call.kwargs["kernel_shape"]
    made, n = call.outcome.made.shape[2:], len(kernel)
    given = {name: call.kwargs.get(name) or [1] * n for name in ("strides", "dilations")}
    pads = call.kwargs.get("pads") or [0] * 2 * n
    sizes = zip(x.shape[2:], made, kernel, given["strides"], given["dilations"], pads[:n], pads[n:])
    return bool(call.kwargs.get("ceil_mode")) and any((m - 1) * s + (k - 1) * d + 1 - size - p - q > 1 for size, m, k, s, d, p, q in sizes)


def _in_groups(call: calls.GeneratedCall) -> bool:
    """Groups of more than one channel, or with a bias: the evaluator takes outputs for inputs, and the first numbers of the bias for each."""
    given = {**dict(zip("XWB", call.args)), **call.kwargs}
    groups = given.get("group", 1)
    return groups != 1 and (given.get("B") is not None or given["W"].shape[1] != 1 or given["X"].shape[1] != groups)


def _early(call: calls.GeneratedCall) -> bool:
    """The evaluator knows shares along one axis alone, as they are from opset 13 on."""
    return call.row.opsets[1] < 13


def _apart(call: calls.GeneratedCall) -> bool:
    """Logits that are so far apart that the share of one of them is 0."""
    logits = call.args[0] if call.args else call.kwargs["scores"]
    return max((abs(n) for n in logits.contents or ()), default=0.0) > 20.0


def _double(call: calls.GeneratedCall) -> bool:
    return any(getattr(getattr(value, "dtype", None), "label", "") == "float64" for value in (*call.args, *call.kwargs.values()))


def _narrow(call: calls.GeneratedCall) -> bool:
    """A smoothed image of one column and several rows: the kernel of torch gives the first row for each where the height changes."""
    smooth = call.kwargs.get("antialias") or call.name.endswith("_aa") or (len(call.args) > 6 and call.args[6])
    x, made = call.args[0] if call.args else call.kwargs["input"], call.outcome.made
    return bool(smooth) and made.shape[-1] == 1 and made.shape[-2] != x.shape[-2]


def _long(call: calls.GeneratedCall) -> bool:
    """Whole numbers with more digits than single precision has."""
    x = call.args[0] if call.args else call.kwargs["X"]
    return x.dtype.kind in "iu" and any(abs(n) > 2**24 for n in x.contents or ())


def _no_columns(call: calls.GeneratedCall) -> bool:
    """A right-hand side without columns."""
    return 0 in [one.arguments["y"].shape[-1] for one in call.outcome.applied if one.op.name == "lstsq"]


def _at_zero(call: calls.GeneratedCall) -> bool:
    return any(n == 0 for one in call.outcome.applied for n in one.arguments["x"].contents or ())


def endless(call: calls.GeneratedCall) -> bool:
    """Whether a library does not return: TensorFlow rejects draws of a Poisson distribution for ever where they do not fit into the element type, and takes
    whole turns off a hue one by one."""
    if call.name == "graphdef.AdjustHue":
        return any(abs(n) > 1e4 for n in (call.args[1] if len(call.args) > 1 else call.kwargs["delta"]).contents or ())
    if "random_poisson" not in call.row.operators:
        return False
    most = min((1e38, *(made.dtype.greatest for one in call.outcome.applied for made in one.results if made.dtype is not None)))
    return any(not abs(n) < most for value in (*call.args, *call.kwargs.values()) for n in getattr(value, "contents", None) or ())


def _beside_the_image(call: calls.GeneratedCall) -> bool:
    """Steps of more than one over an axis that is shorter than the window: the kernel of oneDNN reads what lies beside the image."""
    return any(
        k > n and s > 1
        for one in call.outcome.applied
        if one.op.name == "conv3d"
        for n, k, s in zip(one.arguments["x"].shape[2:], one.arguments["weight"].shape[2:], one.arguments["stride"])
    )


DEPARTURES: dict[str, tuple[tuple[Callable[[calls.GeneratedCall], bool], tuple[int, ...]], ...]] = {
    "onnx.MaxPool": (
        (_beyond, (0, 1)),
        # the evaluator pads as for SAME_UPPER
        (lambda call: call.kwargs.get("auto_pad") == "SAME_LOWER", (0, 1)),
        # with a stride of 1 the evaluator counts places within one channel and by the sizes of the result
        (lambda call: {*(call.kwargs.get("strides") or [1]), *(call.kwargs.get("dilations") or [1])} == {1}, (1,)),
    ),
    # the evaluator puts half of what the last window lacks before the first
    "onnx.AveragePool": ((_beyond, (0,)), (_half_before, (0,))),
    # the evaluator computes in single precision
    "onnx.AffineGrid": ((_double, (0,)),),
    "onnx.DeformConv": ((_double, (0,)),),
    "onnx.ConvTranspose": ((_in_groups, (0,)),),
    # windows over padding or beyond it: the evaluator takes a mean of what is inside times the size of the kernel, where the standard takes the sum
    "onnx.LpPool": ((lambda call: bool(call.kwargs.get("ceil_mode")) or str(call.kwargs.get("auto_pad")).startswith("SAME"), (0,)),),
    # the evaluator runs over as many channels as there are images
    "onnx.LRN": ((lambda call: (x := call.args[0] if call.args else call.kwargs["X"]).shape[0] != x.shape[1], (0,)),),
    **{f"onnx.{name}": ((_early, (0,)),) for name in ("Softmax", "LogSoftmax", "Hardmax")},
    # the evaluator adds the difference of the two values, which loses their digits or overflows
    "onnx.OneHot": ((lambda call: max(map(abs, {**dict(enumerate(call.args)), **call.kwargs}.get(2, call.kwargs.get("values")).contents)) > 100, (0,)),),
    # the evaluator takes the cosine of a rounded pi, where a short window is 0
    "onnx.HannWindow": ((lambda call: not call.kwargs.get("periodic", 1) and (call.args or [call.kwargs.get("size")])[0] in (2, 3), (0,)),),
    # the evaluator sums without absolute values
    "onnx.LpNormalization": ((lambda call: call.kwargs.get("p", 2) == 1, (0,)),),
    # the evaluator takes the real parts, and weights in single precision of whole numbers with more digits
    "onnx.Resize": ((lambda call: (call.args[0] if call.args else call.kwargs["X"]).dtype.is_complex or _long(call), (0,)),),
    # the evaluator rounds weights to whole numbers
    "onnx.GridSample": ((lambda call: call.kwargs.get("mode") != "nearest" and (call.args[0] if call.args else call.kwargs["X"]).dtype.kind in "iub", (0,)),),
    **dict.fromkeys(("graphdef.Conv3D", "tf.nn.conv3d", "tf.compat.v1.nn.conv3d"), ((_beside_the_image, (0,)),)),
    # the standard wants zero points of floats to be 0
    "onnx.DequantizeLinear": ((lambda call: (call.args[0] if call.args else call.kwargs["x"]).dtype.label.startswith("float8"), (0,)),),
    # of nothing but zeros, the evaluator divides the scale 1 by 255
    "onnx.DynamicQuantizeLinear": ((lambda call: not any((call.args[0] if call.args else call.kwargs["x"]).contents or (1,)), (1,)),),
    # counts beyond 64 bits wrap around
    "torch.poisson": ((lambda call: max(call.args[0].contents or (0,)) > 2.0**62, (0,)),),
    "torch.nn.functional.interpolate": ((_narrow, (0,)),),
    **{f"torch.ops.aten._upsample_{mode}2d_aa": ((_narrow, (0,)),) for mode in ("bilinear", "bicubic", "lanczos")},
    # the choice of the results takes the flag at one place for the other
    "torch.unique_consecutive": ((lambda call: len(call.args) > 1, (0, 1, 2)),),
    # nan at the pole at 0, where the limit from either side is infinite
    **dict.fromkeys(("tf.digamma", "tf.math.digamma", "tf.compat.v1.digamma", "tf.compat.v1.math.digamma", "graphdef.Digamma"), ((_at_zero, (0,)),)),
    # of a right-hand side without columns, LAPACK gives the rank 0
    **{f"torch.{name}": ((_no_columns, (2,)),) for name in ("linalg.lstsq", "ops.aten.linalg_lstsq")},
    # the evaluator takes the logarithm of shares, which come to 0
    "onnx.SoftmaxCrossEntropyLoss": ((_apart, (0, 1)),),
}
"""By spelling: calls, and the outputs of them that are not compared."""


def departing(call: calls.GeneratedCall) -> set[int]:
    """The outputs of a call that are not compared."""
    return {i for holds, places in DEPARTURES.get(call.name, ()) if holds(call) for i in places}
