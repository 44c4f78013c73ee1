"""Functions of `tf.nn`, and of version 1's `tf.layers` and `tf.losses`."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt import graphdef, graphdef_convolutions, graphdef_values
from tensorproof.bindings.adapt.tensorflow import Arguments, anew, at_least, axis, modern, ranked, same_types, somewhere, tensor, vector, whole
from tensorproof.bindings.adapt.tf_windows import channels_last, convolve, depthwise, explicit_sides, pooled, spatial, to_back, to_front, windowed
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Anything, Axes, Axis, Bool, Choice, ElementType, Float, Int, Ints, Sizes, Tensor
from tensorproof.terms.dtypes import FLOAT32, INDEX, INT32, INT64, DType
from tensorproof.terms.ints import Dim, Term, product
from tensorproof.terms.predicates import disj, eq, ge
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

_PADDING = Choice("padding", ("SAME", "VALID"))
_FORMATS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}
_IMAGES = {1: "N W C", 2: "N H W C", 3: "N D H W C"}
_KERNELS = {1: "w C M", 2: "h w C M", 3: "d h w C M"}
_FLIPPED = {1: "w M C", 2: "h w M C", 3: "d h w M C"}


def _format(n: int) -> Choice:
    return Choice("data_format", _FORMATS[n], _FORMATS[n][0], optional=True)


def _kinds(n: int, kernels: dict[int, str] = _KERNELS) -> tuple[Any, ...]:
    stride = Sizes("stride", n, least=1) if n < 3 or kernels is _FLIPPED else Ints("stride", least=1, one=False)
    return (
        Tensor("x", _IMAGES[n]),
        Tensor("weight", kernels[n]),
        stride,
        _PADDING,
        _format(n),
        Sizes("dilation", n, None, least=1, optional=True),
    )


def _layout(a: Arguments, n: int) -> str:
    return a.get("data_format") or _FORMATS[n][0]


def _needed(run: Run, a: Arguments, *names: str) -> Arguments:
    """Version 1 gives None as the default of what it demands all the same."""
    a = modern(a)
    for name in names:
        run.require(name, a.get(name) is not None, f"{run.name} is missing its {name}", (name,))
    return a


# --- convolutions ----------------------------------------------------------------------------------------------------------------


def _batched(run: Run, x: TensorType, n: int, conv: Any, several: bool = True) -> TensorType:
    """A convolution of a batch that may have several axes."""
    extra = len(x.shape) - n - 2 if several and x.shape.known else 0
    if extra <= 0:
        result: TensorType = conv(x)
        return result
    lead = x.shape[: extra + 1]
    made = conv(anew(x, (product(lead), *x.shape[extra + 1 :])))
    return anew(made, (*lead, *made.shape[1:]))


def _conv(n: int) -> Any:
    @takes(*_kinds(n))
    def conv(a: Arguments, run: Run) -> TensorType:
        a = _needed(run, a, "x", "weight", "stride", "padding")
        if n == 3:
            for name in ("stride", "dilation"):
                full = a.get(name) is None or (isinstance(a[name], (tuple, list)) and len(a[name]) == 5)
                run.require(name, full, f"{name} must have 5 numbers, and is {a[name]!r}", (name,))
        return _batched(
            run,
            a["x"],
            n,
            lambda x: convolve(run, x, a["weight"], n, a["stride"], a["padding"], None, a.get("dilation"), _layout(a, n)),
            n < 3,
        )

    return conv


conv1d, conv2d, conv3d = _conv(1), _conv(2), _conv(3)


@takes(Tensor("x", "N H W C"), Tensor("weight", "h w C M"), Int("dilation", least=1), _PADDING)
def atrous_conv2d(a: Arguments, run: Run) -> TensorType:
    if a["x"].shape.known and a["x"].shape.numel == 0:
        raise run.give_up("an empty batch is spread over blocks")
    for k in a["weight"].shape[:2] if a["weight"].shape.known else ():
        run.require("kernel", ge(k, 1), f"a kernel has at least one element, and this is {a['weight'].shape!r}", ("weight",))
    return _batched(run, a["x"], 2, lambda x: convolve(run, x, a["weight"], 2, 1, a["padding"], None, a["dilation"], "NHWC"))


@takes(
    Tensor("x", "N H W C"),
    Tensor("weight", "h w C M"),
    Sizes("stride", 2, None, least=1, optional=True),
    Choice("padding", ("SAME", "VALID"), "VALID"),
    Anything("data_format"),
    Sizes("dilation", 2, None, least=1, optional=True),
)
def convolution(a: Arguments, run: Run) -> TensorType:
    """A convolution over as many axes as the weight has kernel axes."""
    a = _needed(run, a, "weight")
    weight = a["weight"]
    if not weight.shape.known:
        return anew(a["x"], somewhere(run))
    n = len(weight.shape) - 2
    run.require("rank", n in (1, 2, 3), f"the weight {weight.shape!r} must have one, two or three kernel axes", ("weight",))
    if a["x"].shape.known and a["x"].shape.numel == 0:
        raise run.give_up("an empty batch is spread over blocks")
    steps = [
        v
        for name in ("stride", "dilation")
        for v in (any(type(n) is int and n > 1 for n in spatial(run, a.get(name) or 1, n, channels_last(_layout(a, n)), name)),)
    ]
    run.require("stride", not all(steps), "strides and dilations are not both more than 1", ("stride", "dilation"))
    for k in weight.shape[:-2]:
        run.require("kernel", ge(k, 1), f"a kernel has at least one element, and this is {weight.shape!r}", ("weight",))
    return _batched(
        run, a["x"], n, lambda x: convolve(run, x, weight, n, a.get("stride") or 1, a["padding"], None, a.get("dilation"), _layout(a, n))
    )


@takes(
    Tensor("x", "N H W C"),
    Tensor("weight", "h w C M"),
    Ints("stride", least=1, one=False),
    _PADDING,
    _format(2),
    Sizes("dilation", 2, None, least=1, optional=True),
)
def depthwise_conv2d(a: Arguments, run: Run) -> TensorType:
    a = modern(a)
    if a["x"].shape.known and a["x"].shape.numel == 0:
        raise run.give_up("an empty input")
    stride = tuple(a["stride"])
    run.require("stride", len(stride) == 4, f"stride must have 4 numbers, and is {stride!r}", ("stride",))
    dilation = a.get("dilation")
    run.require(
        "dilation",
        dilation is None or (isinstance(dilation, (tuple, list)) and len(dilation) == 2),
        f"dilation is two numbers, not {dilation!r}",
        ("dilation",),
    )
    if dilation is not None and any(d != 1 for d in dilation) and any(s != 1 for s in stride):
        raise run.give_up("strides beside dilations, which the documentation forbids and TensorFlow takes")
    return depthwise(run, a["x"], a["weight"], stride, a["padding"], None, dilation, _layout(a, 2))


@takes(
    Tensor("x", "N H W C"),
    Tensor("weight", "h w C M"),
    Tensor("pointwise", "1 1 _ O"),
    Ints("stride", least=1, one=False),
    _PADDING,
    _format(2),
    Sizes("dilation", 2, None, least=1, optional=True),
)
def separable_conv2d(a: Arguments, run: Run) -> TensorType:
    middle = depthwise_conv2d(a, run)
    point = ranked(run, a["pointwise"], 4, "pointwise")
    for i in (0, 1):
        run.require(
            "pointwise", eq(point.shape[i], 1), f"the pointwise weight must begin with (1, 1), and is {point.shape!r}", ("pointwise",)
        )
    deep = ranked(run, a["weight"], 4, "weight").shape
    run.require(
        "pointwise",
        eq(point.shape[2], deep[2] * deep[3]),
        f"the pointwise weight takes {point.shape[2]!r} channels and gets {deep[2] * deep[3]!r}",
        ("pointwise", "weight"),
    )
    return convolve(run, middle, point, 2, 1, "VALID", None, None, _layout(a, 2))


def _conv_transpose(n: int) -> Any:
    @takes(*_kinds(n, _FLIPPED), Ints("sizes", shape=True, loose=True, one=False, least=1))
    def conv_transpose(a: Arguments, run: Run) -> TensorType:
        """The result's shape is an argument, which the windows must lead to."""
        a = _needed(run, a, "x", "weight", "sizes", "stride")
        lenient = run.name.startswith("tf.compat.v1.") and n == 3  # there nothing is held against the shape asked for
        if run.name.startswith("tf.compat.v1.") and n > 1:
            a = {**a, "dilation": None}  # read, and not used
        last = channels_last(_layout(a, n))
        x, weight = to_front(ranked(run, a["x"], n + 2), last), ranked(run, a["weight"], n + 2, "weight")
        same_types(run, a, "x", "weight")
        *kernel, out, channels = weight.shape
        if x.shape.numel == 0:
            raise run.give_up("nothing is checked of an empty input")
        run.require(
            "channels", eq(x.shape[1], channels), f"x has {x.shape[1]!r} channels and the weight takes {channels!r}", ("x", "weight")
        )
        sizes = vector(run, a["sizes"], "sizes")
        if sizes is None or None in sizes:
            return to_back(anew(x, [run.fresh("size") for _ in x.shape]), last)
        full = len(sizes) == n + 2
        run.require("sizes", full or (len(sizes) == n and n == 2), f"sizes must be {n + 2} numbers, and are {len(sizes)}", ("sizes",))
        if full:
            given = to_front(anew(x, sizes), last).shape
            run.require(
                "batch",
                lenient or eq(given[0], x.shape[0]),
                f"the batch is {x.shape[0]!r} and the output asked for has {given[0]!r}",
                ("sizes", "x"),
            )
            run.require(
                "channels", eq(given[1], out), f"the weight makes {out!r} channels and {given[1]!r} are asked for", ("sizes", "weight")
            )
            inner = given[2:]
        else:
            inner = sizes
        strides, dilations = spatial(run, a["stride"], n, last, "stride"), spatial(run, a.get("dilation"), n, last, "dilation")
        name, sides = explicit_sides(run, a["padding"], None, n, last)
        for size, k, s, d, e, found in zip(inner, kernel, strides, dilations, sides, x.shape[2:]):
            wanted = windowed(run, size, k, s, d, name, e)
            run.require(
                "sizes",
                lenient or eq(wanted, found),
                f"an output of {size!r} comes from {wanted!r} windows, and x has {found!r}",
                ("sizes", "x"),
            )
        asked = full and (lenient or not run.name.startswith("tf.compat.v1."))  # static inference of the present release knows the input's batch only
        batch = to_front(anew(x, sizes), last).shape[0] if asked else x.shape[0]
        return to_back(anew(x, (batch, out, *inner)), last)

    return conv_transpose


conv1d_transpose, conv2d_transpose, conv3d_transpose = _conv_transpose(1), _conv_transpose(2), _conv_transpose(3)


@takes(
    Tensor("x", "N H W C"),
    Tensor("weight", "h w C"),
    Ints("stride", least=1, one=False),
    _PADDING,
    Choice("data_format", ("NHWC",)),
    Ints("dilation", least=1, one=False),
)
def dilation2d(a: Arguments, run: Run) -> TensorType:
    a = _needed(run, a, "x", "weight", "stride", "dilation")
    return graphdef_convolutions.dilation2d(a, run)


# --- pools -----------------------------------------------------------------------------------------------------------------------


def _pool(n: int) -> Any:
    @takes(Tensor("x", _IMAGES[n]), Sizes("kernel", n, least=1), Sizes("stride", n, least=1), _PADDING, _format(n))
    def pool(a: Arguments, run: Run) -> TensorType:
        a = _needed(run, a, "x", "kernel", "stride", "padding")
        return pooled(run, a["x"], n, a["kernel"], a["stride"], a["padding"], None, _layout(a, n))

    return pool


pool1d, pool2d, pool3d = _pool(1), _pool(2), _pool(3)


@takes(Tensor("x", "N W C | N H W C | N D H W C"), Sizes("kernel", 2, least=1), Sizes("stride", 2, least=1), _PADDING, Anything("data_format"))
def pool_any(a: Arguments, run: Run) -> TensorType:
    """A pool over as many axes as the input has between batch and channels."""
    a = _needed(run, a, "x", "kernel", "stride", "padding")
    x = a["x"]
    n = len(x.shape) - 2 if x.shape.known and not run.name.startswith("tf.compat.v1.") else 2
    run.require("rank", n in (1, 2, 3), f"x must have rank 3, 4 or 5, and is {x.shape!r}", ("x",))
    return pooled(run, x, n, a["kernel"], a["stride"], a["padding"], None, a.get("data_format") or _FORMATS[n][0])


@takes(
    Tensor("x", "N H W C"),
    Sizes("kernel", 2, least=1),
    Sizes("stride", 2, least=1),
    _PADDING,
    Choice("data_format", ("NHWC",), "NHWC"),
    ElementType("dtype", INT64, dtypes=INDEX),
)
def pool_with_argmax(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    a = {**a, "data_format": a.get("data_format") or "NHWC"}
    if run.name.startswith("tf.compat.v1."):
        for name in ("kernel", "stride"):
            run.require(
                name, isinstance(a[name], (tuple, list)) and len(a[name]) == 4, f"{name} must have 4 numbers, and is {a[name]!r}", (name,)
            )
    made = pool2d(a, run)
    return made, made.but(dtype=a.get("dtype") or INT64)


@takes(
    Tensor("x", "N H W C"),
    Ints("kernel", least=1, one=False),
    Choice("pooling_type", ("AVG", "MAX")),
    Ints("stride", None, least=1, optional=True, one=False),
    Choice("padding", ("SAME", "VALID"), "VALID"),
    Anything("data_format"),
)
def pool(a: Arguments, run: Run) -> TensorType:
    """A pool over as many axes as the window has."""
    a = modern(a)
    kernel = tuple(a["kernel"])
    floats = a["x"].dtype is None or a["x"].dtype.is_float
    run.require("dtype", floats or a["pooling_type"] == "MAX", f"elements of type {a['x'].dtype!r} are not averaged", ("x",))
    n = len(kernel)
    run.require("kernel", n in (1, 2, 3), f"the window must have one, two or three axes, and is {kernel!r}", ("kernel",))
    stride = tuple(a.get("stride") or (1,) * n)
    run.require("stride", len(stride) == n, f"stride must have {n} numbers, and is {stride!r}", ("stride",))
    for s, k in zip(stride, kernel):
        run.require("stride", ge(k, s), f"a stride of {s!r} leaves gaps between windows of {k!r}", ("stride", "kernel"))
    if a.get("dilations") is not None or a.get("dilation") is not None:
        raise run.give_up("a pool with dilation")
    return pooled(run, a["x"], n, kernel, stride, a.get("padding") or "VALID", None, _layout(a, n))


@takes(Choice("data_format", ("NHWC", "NCHW"), "NHWC"))
def space_depth(a: Arguments, run: Run) -> TensorType:
    x, last = ranked(run, a["x"], 4), channels_last(a.get("data_format") or "NHWC")
    s = x.shape
    image = x if last else anew(x, (s[0], s[2], s[3], s[1]))
    made = run("depth_to_space" if "depth_to_space" in run.name else "space_to_depth", x=image, block=a["block"])
    return made if last else anew(made, (made.shape[0], made.shape[3], made.shape[1], made.shape[2]))


# --- activations and normalisation -----------------------------------------------------------------------------------------------


@takes(Axis("dim", None, optional=True, scalar_ok=False))
def softmax(a: Arguments, run: Run) -> TensorType:
    a = modern(a)
    x, dim = a["x"], -1 if a.get("dim") is None else a["dim"]
    at_least(run, x, 1)
    if x.shape.known:
        axis(run, dim, len(x.shape))
    return anew(x, x.shape)


@takes(Tensor("x"), Axis("dim", -1))
def crelu(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    if not x.shape.known:
        return anew(x, x.shape)
    at = axis(run, a["dim"], len(x.shape))
    return anew(x, (*x.shape[:at], 2 * x.shape[at], *x.shape[at + 1 :]))


@takes(Float("slope", 0.2))
def leaky_relu(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    whole_numbers = x.dtype is not None and x.dtype.is_integer
    return tensor(x.shape, FLOAT32 if whole_numbers else x.dtype)


@takes(Tensor("x", "N ... C"), Tensor("bias", "C"), Choice("data_format", ("NHWC", "NCHW"), None, optional=True))
def bias_add(a: Arguments, run: Run) -> TensorType:
    return graphdef_convolutions.bias_add({**a, "data_format": "NCHW" if str(a.get("data_format") or "NHWC").startswith("NC") else "NHWC"}, run)


@takes(
    Tensor("x"),
    *(Tensor(n) for n in ("mean", "variance")),
    *(Tensor(n, optional=True) for n in ("bias", "weight")),
    Float("variance_epsilon", 0.001),
)
def batch_normalization(a: Arguments, run: Run) -> TensorType:
    """(x - mean) · scale + offset: everything broadcasts, and what is not x has one element type."""
    same_types(run, a, "mean", "variance", "weight", "bias")
    made = a["x"].but(dtype=None, contents=None)
    for name in ("mean", "variance", "weight", "bias"):
        if isinstance(a.get(name), TensorType):
            made = run("add", x=made, y=a[name].but(dtype=None))
    return anew(a["x"], made.shape)


@takes(
    Tensor("x", "N H W C"),
    Tensor("weight", "C"),
    Tensor("bias", "C"),
    Tensor("mean", "C", optional=True),
    Tensor("variance", "C", optional=True),
    Bool("training", True),
    Anything("data_format", "NHWC"),
)
def fused_batch_norm(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x = ranked(run, a["x"], 4)
    channels = x.shape[-1 if channels_last(a.get("data_format") or "NHWC") else 1]
    given = {n: a[n] for n in ("weight", "bias", "mean", "variance") if isinstance(a.get(n), TensorType)}
    for name, value in given.items():
        (n,) = ranked(run, value, 1, name).shape
        run.require("channels", eq(n, channels), f"{name} has {n!r} elements and x {channels!r} channels", (name, "x"))
    if not a.get("training", True):
        run.require(
            "statistics",
            "mean" in given and "variance" in given,
            "outside of training mean and variance must be given",
            ("mean", "variance"),
        )
    statistics = tensor((channels,), FLOAT32)
    return anew(x, x.shape), statistics, statistics


@takes(Axes("dim"), Bool("keepdim", False, optional=True))
def moments(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    a = modern(a)
    x, keep = a["x"], bool(a.get("keepdim"))
    if not x.shape.known:
        return anew(x, somewhere(run)), anew(x, somewhere(run))
    gone = {axis(run, d, len(x.shape)) for d in vector(run, a["dim"], "dim", scalar=True) or ()}
    made = anew(x, [1 if i in gone else n for i, n in enumerate(x.shape) if keep or i not in gone])
    return made, made


@takes(Axes("dim", None))
def l2_normalize(a: Arguments, run: Run) -> TensorType:
    a = modern(a)
    x = a["x"]
    for d in vector(run, a.get("dim"), "dim", scalar=True) or ():
        if x.shape.known:
            axis(run, d, len(x.shape))
    return anew(x, x.shape)


@takes(Tensor("x"))
def zero_fraction(a: Arguments, run: Run) -> TensorType:
    return tensor((), FLOAT32)


@takes(Float("rate", None, least=0.0, most=0.9, optional=True), Float("keep_prob", None, optional=True), Anything("noise_shape"))
def dropout(a: Arguments, run: Run) -> TensorType:
    x, noise = a["x"], a.get("noise_shape")
    rate = a.get("rate")
    run.require(
        "rate",
        rate is None or a.get("keep_prob") is None,
        "give the rate of dropping or the probability of keeping, not both",
        ("rate", "keep_prob"),
    )
    if isinstance(a.get("keep_prob"), (int, float)):
        run.require(
            "rate", 0 < a["keep_prob"] <= 1, f"the probability of keeping must lie above 0, and is {a['keep_prob']!r}", ("keep_prob",)
        )
    if isinstance(rate, (int, float)):
        run.require("rate", 0 <= rate < 1, f"the rate must lie between 0 and 1, and is {rate!r}", ("rate",))
    elif rate is None and a.get("keep_prob") is None:
        raise run.refuse("rate", "give the rate of dropping or the probability of keeping", ("rate",))
    if isinstance(noise, (tuple, list)) and x.shape.known:
        run.require(
            "noise", len(noise) == len(x.shape), f"the noise shape {noise!r} must have the rank of x {x.shape!r}", ("noise_shape", "x")
        )
        for m, n in zip(noise, x.shape):
            run.require(
                "noise",
                m is None or disj(eq(m, 1), eq(m, n)),
                f"noise of shape {noise!r} does not broadcast over x {x.shape!r}",
                ("noise_shape", "x"),
            )
    return anew(x, x.shape)


@takes(Tensor("weight", "V ..."), Tensor("index", "...", INDEX, values="index:V"), Anything("max_norm"))
def embedding_lookup(a: Arguments, run: Run) -> TensorType:
    weight, index = a["weight"], a["index"]
    if not isinstance(weight, TensorType) or not isinstance(index, TensorType):
        raise run.give_up("an embedding in several parts")
    run.require("dtype", index.dtype is None or index.dtype in _PLACES, f"indices are whole numbers of 16, 32 or 64 bits, not {index.dtype!r}", ("index",))
    at_least(run, weight, 1, "weight")
    known = weight.shape.known and index.shape.known
    return anew(weight, (*index.shape, *weight.shape[1:]) if known else somewhere(run))


_PLACES = frozenset({DType.INT16, INT32, INT64})


@takes(Int("k", 1, least=0, loose=True), Anything("sorted"), ElementType("index_type", INT32, dtypes=_PLACES))
def top_k(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    run.require("dtype", a.get("index_type") in _PLACES | {None}, f"places are whole numbers, not {a.get('index_type')!r}", ("index_type",))
    return graphdef_values.top_k({**a, "dtype": a.get("index_type") or INT32}, run)


@takes(Tensor("x", "N K"), Tensor("y", "K M"), Tensor("bias", "M"))
def xw_plus_b(a: Arguments, run: Run) -> TensorType:
    x, y, bias = a["x"], a["y"], ranked(run, a["bias"], 1, "bias")
    same_types(run, a, "x", "y", "bias")
    at_least(run, x, 2)
    at_least(run, y, 2, "y")
    made = run("matmul", x=x, y=y)
    if not made.shape.known:
        result: TensorType = made
        return result
    run.require(
        "bias",
        eq(bias.shape[0], made.shape[-1]),
        f"bias has {bias.shape[0]!r} elements and the product {made.shape[-1]!r} columns",
        ("bias", "y"),
    )
    found: TensorType = made
    return found


# --- losses ----------------------------------------------------------------------------------------------------------------------


@takes(Tensor("x", "... C"), Tensor("target", "... C"), Axis("dim", -1, optional=True))
def softmax_cross_entropy(a: Arguments, run: Run) -> TensorType:
    """One loss for each row of classes."""
    run.require("axis", a.get("dim") is None or a.get("dim_old") is None, "give the axis once", ("dim",))
    a = _needed(run, a, "x", "target")
    x, target = a["x"], a["target"]
    at_least(run, x, 1)
    at_least(run, target, 1, "target")
    if not x.shape.known or not target.shape.known:
        return anew(x, somewhere(run))
    dim = -1 if a.get("dim") is None else a["dim"]
    run.require(
        "axis",
        isinstance(dim, int) and dim >= -1,
        f"the classes stand on the last axis (-1) or on one counted from the front, not on {dim!r}",
        ("dim",),
    )
    sides = [(v.shape, axis(run, dim, len(v.shape))) for v in (x, target)]
    tables = [Shape((product(n for i, n in enumerate(s) if i != at), s[at])) for s, at in sides]
    rows = run("add", x=anew(x, tables[0]).but(dtype=None), y=anew(x, tables[1]).but(dtype=None)).shape[0]
    run.require("rows", eq(rows, tables[0][0]), f"logits {x.shape!r} and labels {target.shape!r} do not go together", ("x", "target"))
    return anew(x, [n for i, n in enumerate(x.shape) if i != sides[0][1]])


@takes(Tensor("x", "... C"), Tensor("target", "...", INDEX))
def sparse_cross_entropy(a: Arguments, run: Run) -> TensorType:
    a = _needed(run, a, "x", "target")
    x, target = a["x"], a["target"]
    at_least(run, x, 1)
    if not x.shape.known or not target.shape.known:
        return anew(x, target.shape)
    run.require(
        "rank",
        len(target.shape) == len(x.shape) - 1,
        f"labels {target.shape!r} must have one axis less than the logits {x.shape!r}",
        ("target", "x"),
    )
    for m, n in zip(target.shape, x.shape):
        run.require("batch", eq(m, n), f"labels {target.shape!r} do not go with logits {x.shape!r}", ("target", "x"))
    return anew(x, target.shape)


def _alike(run: Run, a: Arguments, x: str = "x", y: str = "target") -> Shape:
    """The one shape that two tensors must have."""
    return graphdef.merged(run, [a[x].shape, a[y].shape], (x, y))


def _broadcast_rows(run: Run, a: Arguments) -> Shape:
    """The shape of a loss of tf.losses: its two tensors must have one when the graph is built, and a batch of one that is fed broadcasts in the run."""
    first, second = a["x"].shape, a["target"].shape
    if first.known and second.known and len(first) == len(second) > 0 and type(first[0]) is int and type(second[0]) is int and 1 in (first[0], second[0]):
        rows = max(first[0], second[0])
        first, second = Shape((rows, *first[1:])), Shape((rows, *second[1:]))
    return graphdef.merged(run, [first, second], ("x", "target"))


@takes(Tensor("x"), Tensor("target"))
def sigmoid_cross_entropy(a: Arguments, run: Run) -> TensorType:
    a = _needed(run, a, "x", "target")
    same_types(run, a, "x", "target")
    return anew(a["x"], _alike(run, a))


@takes(Tensor("x"), Tensor("target"), Tensor("weight", "", scalar=True))
def weighted_cross_entropy(a: Arguments, run: Run) -> TensorType:
    a = _needed(run, a, "x", "target")
    same_types(run, a, "x", "target")
    made = anew(a["x"], _alike(run, a))
    return run("mul", x=made, y=a["weight"]) if a.get("weight") is not None else made


_REDUCTION = ("none", "weighted_mean", "weighted_sum", "weighted_sum_by_nonzero_weights", "weighted_sum_over_batch_size")


def _reduced(run: Run, a: Arguments, losses: Shape, dtype: DType | None) -> TensorType:
    """The losses, weighted, and summed to one number unless `reduction` says "none"."""
    weight = a.get("weight")
    if isinstance(weight, TensorType) and weight.shape.known and losses.known and len(weight.shape):
        run.require(
            "weights",
            len(weight.shape) == len(losses),
            f"weights {weight.shape!r} must be a scalar or have the rank of the losses {losses!r}",
            ("weight",),
        )
        for m, n in zip(weight.shape, losses):
            run.require(
                "weights",
                disj(eq(m, 1), eq(m, n)),
                f"weights {weight.shape!r} do not broadcast over the losses {losses!r}",
                ("weight", "x"),
            )
    return tensor(losses if str(a.get("reduction")).lower() == "none" else (), dtype)


_LOSS = (
    Choice("reduction", _REDUCTION, "weighted_sum_by_nonzero_weights"),
    Anything("weight"),
    Anything("scope"),
    Anything("loss_collection"),
)


@takes(Tensor("x", "N C"), Tensor("target", "N C"), *_LOSS)
def losses_softmax(a: Arguments, run: Run) -> TensorType:
    shape = _broadcast_rows(run, a)
    return _reduced(run, a, Shape(shape[:-1]) if shape.known else shape, a["x"].dtype)


@takes(Tensor("x", "... C"), Tensor("target", "...", INDEX), *_LOSS)
def losses_sparse(a: Arguments, run: Run) -> TensorType:
    x, target = a["x"], a["target"]
    if x.shape.known and target.shape.known and len(target.shape) == len(x.shape):
        run.require(
            "labels",
            eq(target.shape[-1], 1),
            f"labels {target.shape!r} must have one axis less than the logits {x.shape!r}",
            ("target", "x"),
        )
        target = anew(target, target.shape[:-1])
    return _reduced(run, a, sparse_cross_entropy({"x": x, "target": target}, run).shape, x.dtype)


@takes(Tensor("x"), Tensor("target"), *_LOSS)
def losses_same(a: Arguments, run: Run) -> TensorType:
    return _reduced(run, a, _broadcast_rows(run, a), FLOAT32)


@takes(Tensor("x"), Tensor("target"), *_LOSS)
def losses_sigmoid(a: Arguments, run: Run) -> TensorType:
    return _reduced(run, a, _broadcast_rows(run, a), a["x"].dtype)


@takes(Tensor("x"), Tensor("target"), Axis("dim", None, optional=True), *_LOSS)
def losses_cosine(a: Arguments, run: Run) -> TensorType:
    a = modern(a)
    shape = _alike(run, a)
    if a.get("dim") is None:
        raise run.refuse("axis", "the axis of the cosine must be given", ("dim",))
    if shape.known:
        at = axis(run, a["dim"], len(shape))
        shape = Shape(1 if i == at else n for i, n in enumerate(shape))
    return _reduced(run, a, shape, FLOAT32)


@takes(Tensor("x"), *_LOSS)
def losses_weighted(a: Arguments, run: Run) -> TensorType:
    return _reduced(run, a, a["x"].shape, a["x"].dtype)


# --- tf.layers of version 1 ------------------------------------------------------------------------------------------------------


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
        Tensor("x", _IMAGES[n]),
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
        return convolve(run, x, weight, n, stride, a["padding"].upper(), None, dilation, _FORMATS[n][0 if last else 1])

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
        Tensor("x", _IMAGES[n]),
        Sizes("kernel", n, least=1),
        Sizes("stride", n, least=1),
        Anything("padding", "valid"),
        Anything("data_format", "channels_last"),
    )
    def pool(a: Arguments, run: Run) -> TensorType:
        kernel, stride = _layer_sizes(run, a["kernel"], n, "kernel"), _layer_sizes(run, a["stride"], n, "stride")
        last = channels_last(a.get("data_format") or "channels_last")
        return pooled(run, a["x"], n, kernel, stride, a["padding"].upper(), None, _FORMATS[n][0 if last else 1])

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


__all__ = ["Term", "ge", "whole"]
