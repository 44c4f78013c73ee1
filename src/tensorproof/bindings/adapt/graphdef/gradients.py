"""GraphDef nodes of gradients, as the arithmetic that they are: of elementwise functions and of normalisation; steps of optimisers."""

from __future__ import annotations

from math import nan, prod

from tensorproof.bindings.adapt.graphdef.elementwise import merged
from tensorproof.bindings.adapt.steps import Steps
from tensorproof.bindings.adapt.tensorflow.shared import Arguments, same_types
from tensorproof.bindings.adapt.tensorflow.sizes import ranked, somewhere
from tensorproof.bindings.adapt.tensorflow.windows import backed, channels_last, fronted
from tensorproof.bindings.adapters import Run, Value, takes
from tensorproof.ops.inputs import Tensor
from tensorproof.terms import INDEX, Dim, DType, Shape, TensorType, Term, broadcast, eq


@takes(Tensor("x"), Tensor("y"))
def of_features(a: Arguments, run: Run) -> TensorType:
    """x is the gradient behind the function, and y what the function was applied to, or gave."""
    return _alike(run, a).formula(a)


@takes(Tensor("x", draw="N M"), Tensor("y", draw="N M"))
def of_value(a: Arguments, run: Run) -> TensorType:
    """x is the value of the function, and y the gradient behind it; the result has the shape of the value."""
    return Steps(run, same_types(run, a, "x", "y"), a["x"].shape).formula(a)


@takes(Tensor("x", draw="N M"), Tensor("y", draw="N M"))
def of_conjugate(a: Arguments, run: Run) -> TensorType:
    """As `of_value`, of the conjugate of a value that is complex."""
    dtype = same_types(run, a, "x", "y")
    steps = Steps(run, dtype, a["x"].shape)
    return steps.formula({**a, "x": steps("conj", a["x"])} if dtype is not None and dtype.is_complex else a)


def _alike(run: Run, a: Arguments) -> Steps:
    """Steps on tensors of one element type and one shape."""
    dtype = same_types(run, a, "x", "y")
    return Steps(run, dtype, merged(run, [a["x"].shape, a["y"].shape], ("x", "y")))


def fake_quantised_grad(a: Arguments, run: Run) -> TensorType:
    return _alike(run, a)("fake_quantize_range_gradient", **a)


def assign_sum(a: Arguments, run: Run) -> TensorType:
    """A variable that is added to, or taken from: the row's first operator says which."""
    return run("assign", x=a["x"], y=_alike(run, a)(run.row.op, a["x"], a["y"]))


_RATES = frozenset((
    "alpha", "lr", "rho", "momentum", "epsilon", "beta", "beta1", "beta2", "beta1_power", "beta2_power", "l1", "l2", "lr_power", "l2_shrinkage", "logbase",
    "sign_decay", "global_step",
))  # fmt: skip


def _stepped(a: Arguments, run: Run, sparse: bool) -> Shape:
    """The variable's shape, with what its slots know of it."""
    tensors = {k: v for k, v in a.items() if isinstance(v, TensorType)}
    shape: Shape = tensors["var"].shape
    typed = [v for k, v in tensors.items() if k not in ("indices", "global_step") and v.dtype is not None]
    run.require("dtype", len({v.dtype for v in typed}) <= 1, "variable, slots, gradient and rates must have the same dtype", tuple(tensors))
    for name, value in tensors.items():
        if name in _RATES:
            ranked(run, value, 0, name)
        elif name not in ("grad", "indices") or not sparse:
            shape = merged(run, [shape, value.shape], ("var", name), "slot")
    return shape


def _step(a: Arguments, run: Run, shape: Shape) -> TensorType:
    return run.shaped(run.row.op, shape, a["var"].dtype, **a)


def optimiser(a: Arguments, run: Run) -> TensorType:
    """One step: slots and gradient have the variable's shape, rates are scalars."""
    return _step(a, run, _stepped(a, run, sparse=False))


def sparse_optimiser(a: Arguments, run: Run) -> TensorType:
    shape = _stepped(a, run, sparse=True)
    grad, index = a["grad"], ranked(run, a["indices"], 1, "indices")
    if shape.known and grad.shape.known:
        run.require("rank", len(grad.shape) == len(shape), f"the gradient {grad.shape!r} must have as many axes as the variable {shape!r}", ("grad", "var"))
        merged(run, [grad.shape, Shape((index.shape[0], *shape[1:]))], ("grad", "indices"), "gradient")
    return _step(a, run, shape)


_SLOTS = ("var", "accum", "m", "v", "accum_update", "linear", "ms", "mom", "mg", "gradient_accumulator", "gradient_squared_accumulator")
_DRAWN = {"lr": "rate", "lr_power": "decay"}
_SCALARS = tuple(Tensor(n, "", values=_DRAWN.get(n, "")) for n in _RATES)
takes(*(Tensor(n) for n in (*_SLOTS, "grad")), *_SCALARS)(optimiser)
takes(
    *(Tensor(n, draw="V ...") for n in _SLOTS), Tensor("grad", draw="K ..."), *_SCALARS, Tensor("indices", "K", INDEX, values="index:V"),
)(sparse_optimiser)  # fmt: skip


def _channel(run: Run, x: TensorType, vectors: dict[str, TensorType], data_format: str) -> tuple[Shape, Dim]:
    """The shape of x and its channels, which every vector must have as many of."""
    shape = ranked(run, x, 5 if len(data_format) == 5 else 4).shape
    at = len(shape) - 1 if channels_last(data_format) else 1
    channels = shape[at]
    for name, value in vectors.items():
        (n,) = ranked(run, value, 1, name).shape
        run.require("channels", eq(n, channels), f"{name} has {n!r} elements and x {channels!r} channels", (name, "x"))
        channels = n if isinstance(channels, Term) else channels
    return Shape((*shape[:at], channels, *shape[at + 1 :])), channels


def _normalised(run: Run, x: TensorType, shape: Shape, data_format: str, **arguments: Value) -> tuple[TensorType, TensorType]:
    """The images with their channels in front, and what a batch norm makes of them, in the order of x."""
    last = channels_last(data_format)
    image = fronted(run, x, len(shape), last)
    front = Shape((shape[0], shape[-1], *shape[1:-1])) if last else shape
    made = run.shaped("batch_norm", front, x.dtype, x=image, **arguments)
    return image, backed(run, made, last)


def fused_batch_norm(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    """The normalised batch, its statistics, and reserves for the gradient."""
    names = ["weight", "bias"] if a["training"] else ["weight", "bias", "mean", "variance"]
    shape, channels = _channel(run, a["x"], {n: a[n] for n in names}, a["data_format"])
    wide = same_types(run, a, "weight", "bias", "mean", "variance")
    mean, variance, factor = a["mean"], a["variance"], a.get("exponential_avg_factor")
    held = all(t.shape.known and len(t.shape) == 1 and eq(t.shape[0], channels) is True for t in (mean, variance))
    image, made = _normalised(
        run, a["x"], shape, a["data_format"], weight=a["weight"], bias=a["bias"], training=a["training"], eps=a["epsilon"], momentum=factor,
        running_mean=mean if held or not a["training"] else None, running_var=variance if held or not a["training"] else None,
    )  # fmt: skip
    statistics: tuple[TensorType, ...]
    if a["training"]:
        found, spread, own = _statistics(run, image, channels, wide)
        if held and factor not in (None, 1.0):
            statistics = (_following(run, mean, found, factor), _following(run, variance, spread, factor), found, own)
        else:
            statistics = (found, spread, found, own)
    else:
        statistics = kept_statistics(run, a["x"], mean, variance) * 2
    reserve = (run.shaped("empty", somewhere(run), wide, size=(0,), dtype=wide),) if run.name.endswith("V3") else ()
    return (made, *statistics, *reserve)


def kept_statistics(run: Run, x: TensorType, *held: TensorType) -> tuple[TensorType, ...]:
    """The statistics that were given, or nan for a batch without elements."""
    if eq(x.shape.numel, 0) is not True:
        return tuple(run("identity", x=t) for t in held)
    return tuple(run.shaped("full", t.shape, t.dtype, size=tuple(t.shape), value=nan, dtype=t.dtype) for t in held)


def _statistics(run: Run, image: TensorType, channels: Dim, dtype: DType | None) -> tuple[TensorType, ...]:
    """The means of the channels, their variances as an estimate for all data, and as they are."""
    axes = tuple(i for i in range(len(image.shape)) if i != 1)
    mean = run.shaped("mean", (channels,), dtype, x=image, dim=axes, keepdim=False)
    return mean, *(run.shaped("var", (channels,), dtype, x=image, dim=axes, keepdim=False, correction=n) for n in (one_less(image), 0))


def one_less(image: TensorType) -> int:
    """What is taken off the number of elements for the variance of a batch. That of one number is 0."""
    return 0 if eq(prod(n for i, n in enumerate(image.shape) if i != 1), 1) is True else 1


def _following(run: Run, held: TensorType, new: TensorType, factor: float | None) -> TensorType:
    """A running statistic, moved towards that of the batch."""
    return run.shaped("lerp", new.shape, new.dtype, x=held, y=new, weight=factor if factor is not None else 1.0)


def fused_batch_norm_grad(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    shape, channels = _channel(run, a["x"], {n: a[n] for n in ("weight", "mean", "variance")}, a["data_format"])
    same_types(run, a, "x", "y")
    last = channels_last(a["data_format"])
    behind, _ = _channel(run, a["y"], {}, a["data_format"])
    at = len(shape) - 1 if last else 1
    run.require("channels", eq(behind[at], channels), f"the gradient has {behind[at]!r} channels and x {channels!r}", ("y", "x"))
    wide = same_types(run, a, "weight", "mean", "variance") if not run.name.endswith("Norm") else a["weight"].dtype
    result = shape if isinstance(behind[at], Term) else behind
    front = Shape((result[0], result[-1], *result[1:-1])) if last else result
    made, weight, bias = run.shaped(
        "batch_norm_gradient", [front, (channels,), (channels,)], a["y"].dtype, wide, wide, y=fronted(run, a["y"], len(shape), last, "y"),
        x=fronted(run, a["x"], len(shape), last), weight=a["weight"], mean=a["mean"], variance=a["variance"], kept=a.get("spare"), eps=a["epsilon"],
        training=a["training"],
    )  # fmt: skip
    return backed(run, made, last), weight, bias, *(run.typed("full", wide, size=(0,), value=0, dtype=wide) for _ in range(2))


def global_normalization(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "mean", "variance", "bias", "weight")
    shape, _ = _channel(run, a["x"], {n: a[n] for n in ("mean", "variance", "bias", "weight")}, "NHWC")
    weight = a["weight"] if a["scale_after_normalization"] else None
    _, made = _normalised(
        run, a["x"], shape, "NHWC", running_mean=a["mean"], running_var=a["variance"], weight=weight, bias=a["bias"], training=False,
        eps=a["variance_epsilon"],
    )  # fmt: skip
    return made


def lrn(a: Arguments, run: Run) -> TensorType:
    """x / (bias + alpha · the sum of squares of the channels around) ^ beta; the operator's alpha is for their mean."""
    image = fronted(run, a["x"], 4, True)
    size = 2 * a["depth_radius"] + 1
    made = run.shaped("local_response_norm", image.shape, a["x"].dtype, x=image, size=size, alpha=a["alpha"] * size, beta=a["beta"], k=a["bias"])
    return backed(run, made, True)


def l2_loss(a: Arguments, run: Run) -> TensorType:
    """Half the sum of squares."""
    x = a["x"]
    total = run.shaped("sum", (), x.dtype, x=run.typed("square", x.dtype, x=x), dim=None, keepdim=False)
    return run.shaped("mul", (), x.dtype, x=total, y=0.5)


def _spread(run: Run, x: TensorType, shape: Shape) -> TensorType:
    """x as one of this shape, to which it broadcasts."""
    return x if x.shape == shape else run.shaped("expand", shape, x.dtype, x=x, size=tuple(shape))


def softmax_cross_entropy(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    """Logits and labels broadcast to one matrix. The losses, and their gradient by the logits."""
    x, target = a["x"], a["target"]
    same_types(run, a, "x", "target")
    if not x.shape.known or not target.shape.known:
        shape = ranked(run, x if x.shape.known else target, 2).shape if x.shape.known or target.shape.known else ranked(run, x, 2).shape
    else:
        shape = broadcast([x.shape, target.shape], lambda holds, m, n: run.require("broadcast", holds, _apart(m, n), ("x", "target")))
        run.require("rank", len(shape) == 2, f"logits {x.shape!r} and labels {target.shape!r} must broadcast to a matrix", ("x", "target"))
    logits, labels = _spread(run, x, shape), _spread(run, target, shape)
    losses = run.shaped("cross_entropy", shape[:1], x.dtype, x=logits, target=labels, reduction="none")
    likely = run.shaped("softmax", shape, x.dtype, x=logits, dim=1)
    return losses, run.shaped("sub", shape, x.dtype, x=likely, y=labels)


def _apart(m: Dim, n: Dim) -> str:
    return f"sizes {m!r} and {n!r} do not broadcast: they must be equal, or one of them 1"


def sparse_cross_entropy(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x, target = ranked(run, a["x"], 2), ranked(run, a["target"], 1, "target")
    run.require("batch", eq(x.shape[0], target.shape[0]), f"{x.shape[0]!r} rows of logits go with {target.shape[0]!r} labels", ("x", "target"))
    n = target.shape[0] if isinstance(x.shape[0], Term) else x.shape[0]
    shape = (n, x.shape[1])
    losses = run.shaped("cross_entropy", (n,), x.dtype, x=a["x"], target=a["target"], reduction="none", ignore_index=None)
    labels = run.shaped("one_hot_axis", shape, x.dtype, x=a["target"], depth=x.shape[1], on=1, off=0, dtype=x.dtype)
    likely = run.shaped("softmax", shape, x.dtype, x=a["x"], dim=1)
    return losses, run.shaped("sub", shape, x.dtype, x=likely, y=labels)


def ctc_loss(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x = ranked(run, a["x"], 3)
    indices, values = ranked(run, a["target_indices"], 2, "target_indices"), ranked(run, a["target_values"], 1, "target_values")
    lengths = ranked(run, a["lengths"], 1, "lengths")
    run.require("labels", eq(indices.shape[0], values.shape[0]), f"{indices.shape[0]!r} label places go with {values.shape[0]!r} labels", ("target_values",))
    run.require("batch", eq(lengths.shape[0], x.shape[1]), f"{lengths.shape[0]!r} lengths go with a batch of {x.shape[1]!r}", ("lengths", "x"))
    batch = lengths.shape[0] if isinstance(x.shape[1], Term) else x.shape[1]
    return run.shaped("ctc_loss_of_places", [(batch,), x.shape], x.dtype, x.dtype, **a)
