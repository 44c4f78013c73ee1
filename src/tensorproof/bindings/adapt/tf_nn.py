"""Functions of `tf.nn` for activations, normalisation and look-ups."""

from __future__ import annotations

from tensorproof.bindings.adapt import graphdef_convolutions, graphdef_values
from tensorproof.bindings.adapt.tensorflow import Arguments, anew, at_least, axis, modern, ranked, same_types, somewhere, tensor, vector
from tensorproof.bindings.adapt.tf_windows import channels_last
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Anything, Axes, Axis, Bool, Choice, ElementType, Float, Int, Tensor
from tensorproof.terms.dtypes import FLOAT32, INDEX, INT32, INT64, DType
from tensorproof.terms.predicates import disj, eq
from tensorproof.terms.tensor import TensorType


@takes(Choice("data_format", ("NHWC", "NCHW"), "NHWC"))
def space_depth(a: Arguments, run: Run) -> TensorType:
    x, last = ranked(run, a["x"], 4), channels_last(a.get("data_format") or "NHWC")
    s = x.shape
    image = x if last else anew(x, (s[0], s[2], s[3], s[1]))
    made = run("depth_to_space" if "depth_to_space" in run.name else "space_to_depth", x=image, block=a["block"])
    return made if last else anew(made, (made.shape[0], made.shape[3], made.shape[1], made.shape[2]))


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
