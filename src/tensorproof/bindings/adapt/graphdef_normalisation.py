"""GraphDef nodes of normalisation and losses."""

from __future__ import annotations

from tensorproof.bindings.adapt.tensorflow import Arguments, anew, ranked, same_types, somewhere, tensor
from tensorproof.bindings.adapt.tf_windows import channels_last
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Anything, Bool, Choice, Tensor
from tensorproof.terms.dtypes import INDEX
from tensorproof.terms.ints import Dim, Term
from tensorproof.terms.predicates import eq
from tensorproof.terms.tensor import TensorType

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
