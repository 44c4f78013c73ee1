"""GraphDef nodes of neural networks and linear algebra, with the gradients that graphs for training hold."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.tensorflow import Arguments, Window, anew, at_least, labels_agree, ranked, same_types, somewhere, tensor, vector
from tensorproof.bindings.adapt.tf_windows import channels_last, convolve, depthwise, pooled, spatial, to_front, windowed
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Anything, Bool, Choice, ElementType, Int, Ints, Tensor, Tensors
from tensorproof.terms.dtypes import COMPLEX64, FLOAT32, INDEX, INT32, INT64
from tensorproof.terms.ints import Dim, Term, ite, minimum
from tensorproof.terms.predicates import disj, eq, ge
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

_FORMAT = Choice("data_format", ("NHWC", "NCHW"), "NHWC")
_FORMAT3 = Choice("data_format", ("NDHWC", "NCDHW"), "NDHWC")
_PADDING = Choice("padding", ("SAME", "VALID"))
_DTYPE = ElementType("dtype", optional=False)


def _fourfold(name: str) -> Ints:
    """A number for each axis; only the spatial ones are free."""
    return Ints(name, least=1, one=False)


_WINDOW = (_fourfold("stride"), _PADDING, _FORMAT, _fourfold("dilation"), Anything("explicit_paddings", ()))
_FIVE = ([1, 1, 1, 1, 1], [1, 2, 1, 1, 1], [1, 1, 2, 2, 1], [1, 1, 1, 2, 1])
_WINDOW3 = (Window("stride", _FIVE), _PADDING, _FORMAT3, Window("dilation", _FIVE[:1]))

# --- products --------------------------------------------------------------------------------------------------------------------


@takes(Tensor("x", "N K"), Tensor("y", "K M"), Bool("transpose_a", False), Bool("transpose_b", False))
def matmul(a: Arguments, run: Run) -> TensorType:
    x, y = ranked(run, a["x"], 2), ranked(run, a["y"], 2, "y")
    if a["transpose_a"]:
        x = anew(x, x.shape[::-1])
    if a["transpose_b"]:
        y = anew(y, y.shape[::-1])
    made: TensorType = run("matmul", x=x, y=y)
    return made


@takes(Tensor("x", "... N K"), Tensor("y", "... K M"), Bool("adj_x", False), Bool("adj_y", False), _DTYPE)
def batch_matmul(a: Arguments, run: Run) -> TensorType:
    x, y = a["x"], a["y"]
    at_least(run, x, 2)
    at_least(run, y, 2, "y")
    if not run.name.endswith("V3"):
        same_types(run, a, "x", "y")
    dtype = a.get("dtype") or x.dtype
    if not x.shape.known or not y.shape.known:
        return tensor(somewhere(run), dtype)
    if a["adj_x"]:
        x = anew(x, (*x.shape[:-2], x.shape[-1], x.shape[-2]))
    if a["adj_y"]:
        y = anew(y, (*y.shape[:-2], y.shape[-1], y.shape[-2]))
    if run.name.endswith("BatchMatMul"):
        run.require("rank", len(x.shape) == len(y.shape), f"x {x.shape!r} and y {y.shape!r} must have as many axes", ("x", "y"))
        for m, n in zip(x.shape[:-2], y.shape[:-2]):
            run.require("batch", eq(m, n), f"the batch axes are {m!r} and {n!r}, and must be equal", ("x", "y"))
    made = run("matmul", x=x.but(dtype=None), y=y.but(dtype=None))
    result: TensorType = made.but(dtype=dtype)
    return result


@takes(Tensors("xs"), Anything("equation"))
def einsum(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "xs")
    equation = a["equation"]
    text = equation.decode("latin-1") if isinstance(equation, bytes) else equation
    if any(not x.shape.known for x in a["xs"]):
        return anew(a["xs"][0], somewhere(run))
    labels_agree(run, text, tuple(a["xs"]))
    made: TensorType = run("einsum", xs=a["xs"], equation=text)
    return made


def cross(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "y")
    x, y = a["x"], a["y"]
    at_least(run, x, 1)
    if x.shape.known and y.shape.known:
        run.require("rank", len(x.shape) == len(y.shape), f"x {x.shape!r} and y {y.shape!r} must have one shape", ("x", "y"))
        for m, n in zip(x.shape, y.shape):
            run.require("shape", eq(m, n), f"x {x.shape!r} and y {y.shape!r} must have one shape", ("x", "y"))
        run.require("three", eq(x.shape[-1], 3), f"the last axis must have size 3, and has {x.shape[-1]!r}", ("x",))
    return anew(x, x.shape)


# --- convolutions ----------------------------------------------------------------------------------------------------------------


def _full_format(run: Run, a: Arguments, *names: str) -> None:
    """Strides and dilations of a node name every axis."""
    rank = 5 if "D" in a["data_format"] and len(a["data_format"]) == 5 else 4
    for name in names:
        value = a.get(name)
        if isinstance(value, (tuple, list)):
            run.require(name, len(value) == rank, f"{name} must have {rank} numbers, and is {value!r}", (name,))


@takes(Tensor("x", "N H W C"), Tensor("weight", "h w C M"), *_WINDOW)
def conv2d(a: Arguments, run: Run) -> TensorType:
    _full_format(run, a, "stride", "dilation")
    return convolve(run, a["x"], a["weight"], 2, a["stride"], a["padding"], a.get("explicit_paddings"), a["dilation"], a["data_format"])


@takes(Tensor("x", "N D H W C"), Tensor("weight", "d h w C M"), *_WINDOW3)
def conv3d(a: Arguments, run: Run) -> TensorType:
    _full_format(run, a, "stride", "dilation")
    return convolve(run, a["x"], a["weight"], 3, a["stride"], a["padding"], None, a["dilation"], a["data_format"])


@takes(Tensor("x", "N H W C"), Tensor("weight", "h w C M"), *_WINDOW)
def depthwise_conv2d(a: Arguments, run: Run) -> TensorType:
    _full_format(run, a, "stride", "dilation")
    return depthwise(run, a["x"], a["weight"], a["stride"], a["padding"], a.get("explicit_paddings"), a["dilation"], a["data_format"])


def _five(run: Run, a: Arguments) -> None:
    for name in ("stride", "dilation"):
        given = a.get(name)
        enough = given is None or name == "dilation" or len(given) >= 5
        run.require(name, enough, f"{name} must have 5 numbers, and is {given!r}", (name,))


_SIZES = Ints("sizes", shape=True, loose=True, one=False)


def _stated_sizes(run: Run, value: Any, rank: int, y: TensorType) -> TensorType:
    """A result whose shape is a vector argument of `rank` numbers."""
    sizes = vector(run, value, "sizes")
    if sizes is None:
        return anew(y, [run.fresh("size") for _ in range(rank)])
    run.require("sizes", len(sizes) == rank, f"sizes must be {rank} numbers, and are {len(sizes)}", ("sizes",))
    for n in sizes:
        run.require("sizes", n is None or ge(n, -1), f"a size cannot be negative, and the shape is {sizes!r}", ("sizes",))
    return anew(y, [run.fresh("size") if n is None or n == -1 else n for n in sizes])


@takes(_SIZES, Tensor("weight", "h w C M"), Tensor("y", "N H W M"), *_WINDOW)
def conv2d_backprop_input(a: Arguments, run: Run) -> TensorType:
    """The transposed convolution, with its shape given. `sizes` may leave out the batch and the channels."""
    same_types(run, a, "weight", "y")
    weight, image = ranked(run, a["weight"], 4, "weight"), to_front(ranked(run, a["y"], 4, "y"), channels_last(a["data_format"]))
    run.require(
        "channels",
        eq(image.shape[1], weight.shape[3]),
        f"y has {image.shape[1]!r} channels and the weight makes {weight.shape[3]!r}",
        ("y", "weight"),
    )
    sizes = vector(run, a["sizes"], "sizes")
    if sizes is not None and len(sizes) == 4 and sizes[0] is not None and sizes[0] != -1:
        run.require(
            "batch",
            eq(sizes[0], image.shape[0]),
            f"the batch is {image.shape[0]!r} and the output asked for has {sizes[0]!r}",
            ("sizes", "y"),
        )
    if sizes is not None and len(sizes) == 2:
        y, last = ranked(run, a["y"], 4, "y"), channels_last(a["data_format"])
        height, width = (run.fresh("size") if n is None else n for n in sizes)
        return anew(y, (y.shape[0], height, width, weight.shape[2]) if last else (y.shape[0], weight.shape[2], height, width))
    return _stated_sizes(run, a["sizes"], 4, a["y"])


@takes(_SIZES, Tensor("weight", "d h w C M"), Tensor("y", "N D H W M"), *_WINDOW3)
def conv3d_backprop_input(a: Arguments, run: Run) -> TensorType:
    _five(run, a)
    same_types(run, a, "weight", "y")
    return _stated_sizes(run, a["sizes"], 5, a["y"])


@takes(_SIZES, Tensor("weight", "h w C M"), Tensor("y", "N H W M"), *_WINDOW)
def backprop_input(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "weight", "y")
    return _stated_sizes(run, a["sizes"], 4, a["y"])


@takes(Tensor("x", "N H W C"), _SIZES, Tensor("y", "N H W M"), *_WINDOW)
def backprop_filter(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "y")
    return _stated_sizes(run, a["sizes"], 4, a["y"])


@takes(Tensor("x", "N D H W C"), _SIZES, Tensor("y", "N D H W M"), *_WINDOW3)
def backprop_filter3(a: Arguments, run: Run) -> TensorType:
    _five(run, a)
    same_types(run, a, "x", "y")
    return _stated_sizes(run, a["sizes"], 5, a["y"])


@takes(Tensor("x", "N H W C"), Tensor("weight", "h w C"), _fourfold("stride"), _fourfold("dilation"), _PADDING)
def dilation2d(a: Arguments, run: Run) -> TensorType:
    """A greyscale dilation: the greatest of x plus the weight in each window."""
    a = {**a, "data_format": "NHWC"}
    _full_format(run, a, "stride", "dilation")
    same_types(run, a, "x", "weight")
    x, weight = ranked(run, a["x"], 4), ranked(run, a["weight"], 3, "weight")
    run.require(
        "channels", eq(x.shape[3], weight.shape[2]), f"x has {x.shape[3]!r} channels and the weight {weight.shape[2]!r}", ("x", "weight")
    )
    strides, dilations = (spatial(run, a[n], 2, True, n) for n in ("stride", "dilation"))
    sizes = [windowed(run, s, k, t, d, a["padding"]) for s, k, t, d in zip(x.shape[1:3], weight.shape[:2], strides, dilations)]
    return anew(x, (x.shape[0], *sizes, x.shape[3]))


@takes(Tensor("x", "N ... C"), Tensor("bias", "C"), _FORMAT)
def bias_add(a: Arguments, run: Run) -> TensorType:
    x, bias = a["x"], ranked(run, a["bias"], 1, "bias")
    same_types(run, a, "x", "bias")
    last = channels_last(a.get("data_format") or "NHWC")
    at_least(run, x, 2 if last else 3)
    if not x.shape.known:
        return anew(x, x.shape)
    at = len(x.shape) - 1 if last else 1
    run.require(
        "bias", eq(x.shape[at], bias.shape[0]), f"bias has {bias.shape[0]!r} elements and x {x.shape[at]!r} channels", ("bias", "x")
    )
    return anew(x, (*x.shape[:at], bias.shape[0] if isinstance(x.shape[at], Term) else x.shape[at], *x.shape[at + 1 :]))


@takes(Tensor("y"), _FORMAT)
def bias_add_grad(a: Arguments, run: Run) -> TensorType:
    y, last = a["y"], channels_last(a["data_format"])
    at_least(run, y, 2 if last else 3, "y")
    return anew(y, (y.shape[-1 if last else 1],) if y.shape.known else (run.fresh("channels"),))


# --- pools -----------------------------------------------------------------------------------------------------------------------

_POOL = (_fourfold("kernel"), _fourfold("stride"), _PADDING, _FORMAT, Anything("explicit_paddings", ()))
_POOL3 = (Window("kernel", _FIVE), Window("stride", _FIVE), _PADDING, _FORMAT3)


def _numbers(run: Run, value: Any, n: int, name: str) -> Any:
    """The numbers of a kernel that may be a tensor."""
    if not isinstance(value, TensorType):
        return value
    found = vector(run, value, name)
    return found if found is not None and None not in found else tuple(run.fresh(name, 1) if 0 < i < n - 1 else 1 for i in range(n))


@takes(Tensor("x", "N H W C"), *_POOL)
def pool2d(a: Arguments, run: Run) -> TensorType:
    a = {**a, "kernel": _numbers(run, a["kernel"], 4, "kernel"), "stride": _numbers(run, a["stride"], 4, "stride")}
    _full_format(run, a, "kernel", "stride")
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
    _full_format(run, a, "kernel", "stride")
    return _deep(run, a, 3)


@takes(Tensor("x", "N H W C"), _fourfold("kernel"), _fourfold("stride"), _PADDING, _DTYPE)
def pool_with_argmax(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    a = {**a, "data_format": "NHWC"}
    _full_format(run, a, "kernel", "stride")
    run.require("kernel", all(k >= 1 for k in a["kernel"]), f"the kernel must be at least 1, and is {a['kernel']!r}", ("kernel",))
    made = _deep(run, a, 2)
    return made, made.but(dtype=a.get("dtype") or INT64)


@takes(Tensor("x", "N H W C"), Tensor("values", "N h w C"), Tensor("y", "N h w C"), *_POOL)
def pool_grad(a: Arguments, run: Run) -> TensorType:
    """The gradient has the shape of what was pooled."""
    _full_format(run, a, "kernel", "stride")
    same_types(run, a, "x", "values", "y")
    return anew(a["x"], ranked(run, a["x"], 4).shape)


@takes(Tensor("x", "N D H W C"), Tensor("values", "N d h w C"), Tensor("y", "N d h w C"), *_POOL3)
def pool_grad3(a: Arguments, run: Run) -> TensorType:
    _full_format(run, a, "kernel", "stride")
    same_types(run, a, "values", "x")
    return anew(a["y"], ranked(run, a["x"], 5).shape)


@takes(_SIZES, Tensor("y", "N H W C"), *_POOL)
def avg_pool_grad(a: Arguments, run: Run) -> TensorType:
    _full_format(run, a, "kernel", "stride")
    return _stated_sizes(run, a["sizes"], 4, a["y"])


@takes(_SIZES, Tensor("y", "N D H W C"), *_POOL3)
def avg_pool_grad3(a: Arguments, run: Run) -> TensorType:
    _full_format(run, a, "kernel", "stride")
    return _stated_sizes(run, a["sizes"], 5, a["y"])


@takes(Tensor("x", "N H W C"), _fourfold("kernel"), _fourfold("stride"), _fourfold("dilation"), _PADDING)
def patches(a: Arguments, run: Run) -> TensorType:
    """Windows of an image, flattened into the channels."""
    a = {**a, "data_format": "NHWC"}
    _full_format(run, a, "kernel", "stride", "dilation")
    x = ranked(run, a["x"], 4)
    kernel, strides, dilations = (spatial(run, a[n], 2, True, n) for n in ("kernel", "stride", "dilation"))
    sizes = [windowed(run, s, k, t, d, a["padding"], overhang=True) for s, k, t, d in zip(x.shape[1:3], kernel, strides, dilations)]
    return anew(x, (x.shape[0], *sizes, kernel[0] * kernel[1] * x.shape[3]))


# --- normalisation ---------------------------------------------------------------------------------------------------------------

_BATCH_FORMAT = Choice("data_format", ("NHWC", "NCHW"), "NHWC")
_PER_CHANNEL = tuple(Tensor(n, "C") for n in ("weight", "bias"))


def _channel(run: Run, x: TensorType, vectors: dict[str, TensorType], data_format: str) -> tuple[TensorType, Dim]:
    """x with its channels, which every vector must have as many of."""
    x = ranked(run, x, 5 if len(data_format) == 5 else 4)
    at = len(x.shape) - 1 if channels_last(data_format) else 1
    channels = x.shape[at]
    for name, value in vectors.items():
        (n,) = ranked(run, value, 1, name).shape
        run.require("channels", eq(n, channels), f"{name} has {n!r} elements and x {channels!r} channels", (name, "x"))
        channels = n if isinstance(channels, Term) else channels
    return anew(x, (*x.shape[:at], channels, *x.shape[at + 1 :])), channels


@takes(
    Tensor("x", "N H W C"),
    *_PER_CHANNEL,
    Tensor("mean", "C"),
    Tensor("variance", "C"),
    Bool("training", True),
    Anything("data_format", "NHWC"),
)
def fused_batch_norm(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    """The normalised batch, its statistics, and reserves for the gradient."""
    names = ["weight", "bias"]
    factor = a.get("exponential_avg_factor")
    if not a["training"]:
        names += ["mean", "variance"]
    x, channels = _channel(run, a["x"], {n: a[n] for n in names}, a["data_format"])
    wide = same_types(run, a, "weight", "bias", "mean", "variance")
    statistics = tensor((channels,), wide)
    reserve = (tensor(somewhere(run), wide),) if run.name.endswith("V3") else ()
    del factor
    return (anew(a["x"], x.shape), *(statistics,) * 4, *reserve)


@takes(
    Tensor("y", "N H W C"), Tensor("x", "N H W C"), Tensor("weight", "C"), Tensor("mean", "C"), Tensor("variance", "C"), Tensor("spare", "C"),
    Bool("training", True), Anything("data_format", "NHWC"),
)  # fmt: skip
def fused_batch_norm_grad(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x, channels = _channel(run, a["x"], {n: a[n] for n in ("weight", "mean", "variance")}, a["data_format"])
    same_types(run, a, "x", "y")
    y, _ = _channel(run, a["y"], {}, a["data_format"])
    at = len(x.shape) - 1 if channels_last(a["data_format"]) else 1
    run.require("channels", eq(y.shape[at], channels), f"the gradient has {y.shape[at]!r} channels and x {channels!r}", ("y", "x"))
    wide = same_types(run, a, "weight", "mean", "variance") if not run.name.endswith("Norm") else a["weight"].dtype
    vector_ = tensor((channels,), wide)
    empty = tensor((0,), wide)
    return anew(a["y"], y.shape if not isinstance(y.shape[at], Term) else x.shape), vector_, vector_, empty, empty


@takes(Tensor("x", "N H W C"), *(Tensor(n, "C") for n in ("mean", "variance", "bias", "weight")))
def global_normalization(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "mean", "variance", "bias", "weight")
    x, _ = _channel(run, a["x"], {n: a[n] for n in ("mean", "variance", "bias", "weight")}, "NHWC")
    return x


def lrn(a: Arguments, run: Run) -> TensorType:
    x = ranked(run, a["x"], 4)
    return anew(x, x.shape)


@takes(Tensor("x"))
def l2_loss(a: Arguments, run: Run) -> TensorType:
    return anew(a["x"], ())


# --- losses ----------------------------------------------------------------------------------------------------------------------


@takes(Tensor("x", "N C"), Tensor("target", "N C"))
def softmax_cross_entropy(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    """Logits and labels broadcast to one matrix."""
    x, target = a["x"], a["target"]
    same_types(run, a, "x", "target")
    if not x.shape.known or not target.shape.known:
        shape = ranked(run, x if x.shape.known else target, 2).shape if x.shape.known or target.shape.known else ranked(run, x, 2).shape
    else:
        shape = run("add", x=x.but(dtype=None), y=target.but(dtype=None)).shape
        run.require("rank", len(shape) == 2, f"logits {x.shape!r} and labels {target.shape!r} must broadcast to a matrix", ("x", "target"))
    return anew(x, shape[:1]), anew(x, shape)


@takes(Tensor("x", "N C"), Tensor("target", "N", INDEX))
def sparse_cross_entropy(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x, target = ranked(run, a["x"], 2), ranked(run, a["target"], 1, "target")
    run.require(
        "batch", eq(x.shape[0], target.shape[0]), f"{x.shape[0]!r} rows of logits go with {target.shape[0]!r} labels", ("x", "target")
    )
    n = target.shape[0] if isinstance(x.shape[0], Term) else x.shape[0]
    return anew(x, (n,)), anew(x, (n, x.shape[1]))


@takes(Tensor("x", "T N C"), Tensor("target_indices", "L 2"), Tensor("target_values", "L"), Tensor("lengths", "N"))
def ctc_loss(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x = ranked(run, a["x"], 3)
    indices, values = ranked(run, a["target_indices"], 2, "target_indices"), ranked(run, a["target_values"], 1, "target_values")
    lengths = ranked(run, a["lengths"], 1, "lengths")
    run.require(
        "labels",
        eq(indices.shape[0], values.shape[0]),
        f"{indices.shape[0]!r} label places go with {values.shape[0]!r} labels",
        ("target_values",),
    )
    run.require(
        "batch", eq(lengths.shape[0], x.shape[1]), f"{lengths.shape[0]!r} lengths go with a batch of {x.shape[1]!r}", ("lengths", "x")
    )
    return anew(x, (lengths.shape[0] if isinstance(x.shape[1], Term) else x.shape[1],)), anew(x, x.shape)


# --- images ----------------------------------------------------------------------------------------------------------------------

_TWO = Ints("size", loose=True, one=False, least=1)


def _resized(run: Run, x: TensorType, size: Any) -> Shape:
    x, sizes = ranked(run, x, 4), vector(run, size, "size")
    if sizes is None:
        return Shape((x.shape[0], run.fresh("height"), run.fresh("width"), x.shape[3]))
    run.require("size", len(sizes) == 2, f"two sizes are wanted, and there are {len(sizes)}", ("size",))
    return Shape((x.shape[0], *(run.fresh("size") if n is None else n for n in sizes), x.shape[3]))


@takes(Tensor("x", "N H W C"), _TWO)
def resize_float(a: Arguments, run: Run) -> TensorType:
    return tensor(_resized(run, a["x"], a["size"]), FLOAT32)


@takes(Tensor("x", "N H W C"), _TWO)
def resize(a: Arguments, run: Run) -> TensorType:
    return anew(a["x"], _resized(run, a["x"], a["size"]))


@takes(Tensor("y", "N h w C"), Tensor("x", "N H W C"))
def resize_grad(a: Arguments, run: Run) -> TensorType:
    return anew(a["x"], a["x"].shape)


@takes(Tensor("y", "N h w C"), _TWO)
def resize_back(a: Arguments, run: Run) -> TensorType:
    return anew(a["y"], _resized(run, a["y"], a["size"]))


@takes(Tensor("x", "N H W C"), Tensor("boxes", "B 4"), Tensor("index", "B", frozenset({INT32}), values="index:N"), _TWO)
def crop_and_resize(a: Arguments, run: Run) -> TensorType:
    x, boxes, index = ranked(run, a["x"], 4), ranked(run, a["boxes"], 2, "boxes"), ranked(run, a["index"], 1, "index")
    run.require(
        "boxes", eq(boxes.shape[0], index.shape[0]), f"{boxes.shape[0]!r} boxes go with {index.shape[0]!r} indices", ("boxes", "index")
    )
    run.require("boxes", eq(boxes.shape[1], 4), f"a box has 4 numbers, and here {boxes.shape[1]!r}", ("boxes",))
    shape = _resized(run, x, a["size"])
    return tensor((boxes.shape[0], *shape[1:]), FLOAT32)


@takes(Tensor("x", "... C"), Tensor("factor", ""))
def image_with_scalar(a: Arguments, run: Run) -> TensorType:
    at_least(run, a["x"], 3)
    ranked(run, a["factor"], 0, "factor")
    return anew(a["x"], a["x"].shape)


@takes(Tensor("x", "... 3"))
def rgb(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    if not x.shape.known:
        return anew(x, x.shape)
    run.require("channels", eq(x.shape[-1], 3), f"the last axis must hold 3 colours, and has {x.shape[-1]!r}", ("x",))
    return anew(x, (*x.shape[:-1], 3))


@takes(Tensor("boxes", "N 4"), Tensor("scores", "N"), Int("most", loose=True), Tensor("iou", ""), Tensor("score", ""))
def non_max_suppression(a: Arguments, run: Run) -> TensorType:
    boxes, scores = ranked(run, a["boxes"], 2, "boxes"), ranked(run, a["scores"], 1, "scores")
    for name in ("most", "iou", "score"):
        if isinstance(a.get(name), TensorType):
            ranked(run, a[name], 0, name)
    run.require(
        "boxes", eq(boxes.shape[0], scores.shape[0]), f"{boxes.shape[0]!r} boxes go with {scores.shape[0]!r} scores", ("boxes", "scores")
    )
    run.require("boxes", eq(boxes.shape[1], 4), f"a box has 4 numbers, and here {boxes.shape[1]!r}", ("boxes",))
    return tensor((run.fresh("selected"),), INT32)


@takes(Tensor("x", "N H W C"), Tensor("boxes", "N B 4"))
def draw_boxes(a: Arguments, run: Run) -> TensorType:
    x, boxes = ranked(run, a["x"], 4), ranked(run, a["boxes"], 3, "boxes")
    depth = x.shape[3]
    run.require("channels", disj(eq(depth, 1), eq(depth, 3), eq(depth, 4)), f"an image has 1, 3 or 4 channels, and here {depth!r}", ("x",))
    run.require("batch", eq(x.shape[0], boxes.shape[0]), f"{boxes.shape[0]!r} lists of boxes go with {x.shape[0]!r} images", ("boxes", "x"))
    run.require("boxes", eq(boxes.shape[2], 4), f"a box has 4 numbers, and here {boxes.shape[2]!r}", ("boxes",))
    return anew(x, x.shape)


# --- linear algebra --------------------------------------------------------------------------------------------------------------


def _square(run: Run, x: TensorType, name: str = "x") -> TensorType:
    at_least(run, x, 2, name)
    if not x.shape.known:
        return x
    *lead, n, m = x.shape
    run.require("square", eq(n, m), f"{name} must be a square matrix, and is {x.shape!r}", (name,))
    side = m if isinstance(n, Term) else n
    return anew(x, (*lead, side, side))


@takes(Tensor("x", "... N N"))
def square_matrix(a: Arguments, run: Run) -> TensorType:
    return _square(run, a["x"])


@takes(Tensor("x", "... N N"))
def determinant(a: Arguments, run: Run) -> TensorType:
    x = _square(run, a["x"])
    return anew(x, x.shape[:-2] if x.shape.known else somewhere(run))


@takes(Tensor("x", "... N N"), Tensor("y", "... N M"))
def matrix_solve(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "y")
    x, y = _square(run, a["x"]), a["y"]
    at_least(run, y, 2, "y")
    if not x.shape.known or not y.shape.known:
        return anew(x, somewhere(run))
    run.require("rows", eq(x.shape[-1], y.shape[-2]), f"the matrix has {x.shape[-1]!r} rows and the right side {y.shape[-2]!r}", ("x", "y"))
    if run.name.endswith("MatrixSolve"):
        run.require("rank", len(x.shape) == len(y.shape), f"x {x.shape!r} and y {y.shape!r} must have as many axes", ("x", "y"))
        for m, n in zip(x.shape[:-2], y.shape[:-2]):
            run.require("batch", eq(m, n), f"the batch axes are {m!r} and {n!r}, and must be equal", ("x", "y"))
    lead = run("add", x=anew(x, x.shape[:-2]).but(dtype=None), y=anew(y, y.shape[:-2]).but(dtype=None)).shape
    return anew(x, (*lead, x.shape[-1], y.shape[-1]))


@takes(Tensor("x", "... N M"), Bool("compute_uv", True), Bool("full_matrices", False))
def svd(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x = a["x"]
    at_least(run, x, 2)
    if not x.shape.known:
        return tuple(anew(x, somewhere(run)) for _ in range(3))
    *lead, m, n = x.shape
    p = minimum(m, n)
    if not a["compute_uv"]:
        return anew(x, (*lead, p)), anew(x, (0,)), anew(x, (0,))
    full = a["full_matrices"]
    return anew(x, (*lead, p)), anew(x, (*lead, m, m if full else p)), anew(x, (*lead, n, n if full else p))


@takes(Tensor("x", "... N M"), Bool("full_matrices", False))
def qr(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x = a["x"]
    at_least(run, x, 2)
    if not x.shape.known:
        return anew(x, somewhere(run)), anew(x, somewhere(run))
    *lead, m, n = x.shape
    p = m if a["full_matrices"] else minimum(m, n)
    return anew(x, (*lead, m, p)), anew(x, (*lead, p, n))


@takes(Tensor("x", "... N N"), Bool("compute_v", True))
def eigen(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x = _square(run, a["x"])
    if not x.shape.known:
        return anew(x, somewhere(run)), anew(x, somewhere(run))
    return anew(x, x.shape[:-1]), anew(x, x.shape) if a["compute_v"] else anew(x, (0,))


def _transform(n: int) -> Any:
    @takes(Tensor("x"))
    def fft(a: Arguments, run: Run) -> TensorType:
        at_least(run, a["x"], n)
        return anew(a["x"], a["x"].shape)

    return fft


fft1, fft2, fft3 = _transform(1), _transform(2), _transform(3)
_LENGTH = Ints("size", loose=True, one=False, least=1)


def _length(run: Run, value: Any) -> Dim:
    size = vector(run, value, "size")
    if size is None:
        made: Dim = run.fresh("length")
        return made
    run.require("size", len(size) == 1, f"the length of the transform is a vector of 1, not of {len(size)}", ("size",))
    result: Dim = run.fresh("length") if size[0] is None else size[0]
    return result


@takes(Tensor("x", "... N"), _LENGTH, _DTYPE)
def rfft(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    dtype = a.get("dtype") or COMPLEX64
    n = _length(run, a["size"])
    return tensor((*x.shape[:-1], ite(eq(n, 0), 0, n // 2 + 1)) if x.shape.known else somewhere(run), dtype)


@takes(Tensor("x", "... N"), _LENGTH, _DTYPE)
def irfft(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    n = _length(run, a["size"])
    return tensor((*x.shape[:-1], n) if x.shape.known else somewhere(run), a.get("dtype") or FLOAT32)
