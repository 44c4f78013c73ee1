"""Normalisations: by batch, instance, layer, group, root mean square, neighbouring channels, and by a norm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Like, Promote, Same, ToFloat
from tensorproof.ops.families import same_shape
from tensorproof.ops.hazards import region
from tensorproof.ops.inputs import Attribute, Axes, Axis, Bool, Float, Int, Ints, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import DTypeRule, Op, Out
from tensorproof.ops.statements import SameSize, Side
from tensorproof.terms.dtypes import BFLOAT16, FLOAT16, FLOAT32, FLOATS, FULL_COMPLEXES, FULL_FLOATS, INT64, DType
from tensorproof.terms.ints import Dim, minimum
from tensorproof.terms.predicates import conj, disj, eq, ge
from tensorproof.terms.records import replace
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.networks.formulas import normalisation as formulas
else:
    formulas = later("catalogue.networks.formulas.normalisation")

_HALVES = (FLOAT16, BFLOAT16)


def _parameter_dtype(c: Call, names: tuple[str, ...]) -> DType | None:
    """The one element type of the parameters: the input's, or float32 beside an input of half precision. None when there are none."""
    x = c.tensor("x").dtype
    known = {n: c.tensor(n).dtype for n in names if c.given(n) and c.tensor(n).dtype is not None}
    found = set(known.values())
    if c.option("parameters_like_x") and x is not None and found and not (found == {x} or (x in _HALVES and found == {FLOAT32})):
        shown = ", ".join(f"{n} {d!r}" for n, d in known.items())
        raise c.refuse("dtype", f"the parameters must all have the element type of x, {x!r}, or float32 beside half precision; they are {shown}", ("x", *known))
    return found.pop() if found else None


def _with_parameters(*names: str) -> DTypeRule:
    """The element type of x, with that of its parameters checked."""

    def rule(c: Call) -> DType | None:
        _parameter_dtype(c, names)
        return c.tensor("x").dtype

    return rule


def _holds(c: Call, name: str, count: Dim, code: str = "") -> None:
    """A vector has so many elements. Some libraries do not look where there are no channels."""
    if c.given(name):
        own = c.shape(name)
        empty = bool(c.option("no_channels_unchecked")) and len(own) == 1 and eq(count, 0)
        message = f"{name} has {own.numel!r} elements, it must have {count!r}"
        takes = SameSize("channels", Side("x", count), Side(name, own.numel))
        c.require(code or name, disj(eq(own.numel, count), empty), takes if code == "channels" else message, (name, "x"))


def _not_empty(c: Call, name: str, count: Dim) -> None:
    """Some libraries scale no empty set of channels."""
    if c.option("no_empty_scale"):
        c.require("empty", ge(count, 1), f"there are no channels for {name} to scale or shift", (name, "x"))


def _channels(c: Call, channels: Dim) -> None:
    for name in ("running_mean", "running_var"):
        _holds(c, name, channels, "channels")
    for name in ("weight", "bias"):
        _holds(c, name, channels)


def _running(c: Call, needed: bool) -> None:
    """Running statistics: both or none of them, and both where they are used."""
    mean, var, about = c.given("running_mean"), c.given("running_var"), ("running_mean", "running_var")
    c.require("running", mean == var, "running_mean and running_var must be given together", about)
    c.require("running", mean or not needed, "without statistics of the batch, running_mean and running_var must be given", about)


_STATISTICS = (
    Tensor("running_mean", "...", FLOATS, optional=True, default=None, draw="C"), Tensor("running_var", "...", FLOATS, optional=True, default=None, draw="C"),
)  # fmt: skip
_AFFINE = (Tensor("weight", "...", FLOATS, optional=True, default=None), Tensor("bias", "...", FLOATS, optional=True, default=None))
_VECTORS = (Tensor("weight", "C", FLOATS, optional=True, default=None), Tensor("bias", "C", FLOATS, optional=True, default=None))
_CODES = {"C": "channels"}
_ALL = ("running_mean", "running_var", "weight", "bias")
_MOMENTUM = (Float("momentum", 0.1, optional=True), Float("eps", 1e-5))


def _scaled(c: Call) -> None:
    for name in ("weight", "bias"):
        if c.given(name):
            _not_empty(c, name, c.shape(name).numel)
            if _nothing(c):
                c.require("rank", len(c.shape(name)) > 0, f"{name} must have rank 1, and is {c.shape(name)!r}", name)
                if len(c.shape(name)) > 1:
                    raise c.give_up(f"whether a row of {name} broadcasts with nothing")


def _nothing(c: Call) -> bool:
    """Whether the library hands a tensor without elements on before it looks at the rest."""
    return bool(c.option("passes_empty")) and c.shape("x").concrete and c.shape("x").numel == 0


def _vectors(c: Call, *names: str) -> None:
    for name in names:
        if c.given(name):
            c.require("rank", len(c.shape(name)) == 1, f"{name} must have rank 1, and is {c.shape(name)!r}", name)


def _batch_norm_shape(c: Call) -> Shape:
    _scaled(c)
    if _nothing(c):
        _running(c, needed=not c["training"])
        return c.shape("x")
    _vectors(c, "running_mean", "running_var")
    channels = c.dims.get("C", 0)
    if c.rank("x") == 1:  # torch takes a vector, if it is empty
        c.require("rank", eq(c.shape("x")[0], 0), f"x must have rank 2 or more, and is {c.shape('x')!r}", "x")
    _running(c, needed=not c["training"])
    _channels(c, channels)
    return c.shape("x")


BATCH_NORM = Op(
    "batch_norm",
    inputs=(Tensor("x", "N C ... | N", FLOATS), *_STATISTICS, *_AFFINE),
    attributes=(Bool("training", False), *_MOMENTUM),
    shape=_batch_norm_shape,
    dtype=_with_parameters(*_ALL),
    order="format",
    evaluate=formulas.batch_norm,
    constants=("running_mean", "running_var"),
    hazards=region("batch_norm/variance", "running_var eps", "running_var + eps is positive outside of training", "inf or nan", formulas.batch_has_spread),
)


def _native_batch_norm_shape(c: Call) -> list[Any]:
    c.require("rank", c.rank("x") >= 2, f"x must have rank 2 or more, and is {c.shape('x')!r}", "x")
    c.require("empty", disj(not c["training"], ge(c.shape("x").numel, 1)), f"x has no elements: {c.shape('x')!r}", "x")
    shape = _batch_norm_shape(c)
    kept = Shape((c.dims.get("C", 0) if c["training"] else 0,))
    dtype = _parameter_dtype(c, _ALL) or c.dtype("x")
    return [shape, TensorType(kept, dtype), TensorType(kept, dtype)]


NATIVE_BATCH_NORM = Op(
    "native_batch_norm",
    inputs=BATCH_NORM.inputs,
    attributes=BATCH_NORM.attributes,
    outputs=(Out("y"), Out("mean"), Out("invstd")),
    shape=_native_batch_norm_shape,
    dtype=BATCH_NORM.dtype,
    doc="As batch_norm, with the statistics that the gradient needs; none of them outside of training.",
    evaluate=formulas.native_batch_norm,
    constants=("running_mean", "running_var"),
)


def _instance_norm_shape(c: Call) -> Shape:
    _running(c, needed=not c["use_input_stats"])
    for name in _ALL if not _nothing(c) else ():
        if c.given(name):
            own = c.shape(name).numel
            c.equal("channels", own, c.dims["C"], SameSize("channels", Side("x", c.dims["C"]), Side(name, own)), ("x", name))
    for name in ("weight", "bias"):
        if c.given(name):
            c.require("rank", len(c.shape(name)) <= 1, f"{name} must have rank 1, and is {c.shape(name)!r}", name)
            _not_empty(c, name, minimum(c.dims["N"], c.shape(name).numel))
    return c.shape("x")


def _instance_norm_dtype(c: Call) -> DType | None:
    """The statistics are converted, if they are of one type."""
    Same("running_mean", "running_var")(c)
    return _with_parameters("weight", "bias")(c)


INSTANCE_NORM = Op(
    "instance_norm",
    inputs=(Tensor("x", "N C ...", FLOATS), *_STATISTICS, *(replace(t, layout="...", draw="C") for t in _VECTORS)),
    attributes=(Bool("use_input_stats", True), *_MOMENTUM),
    shape=_instance_norm_shape,
    dtype=_instance_norm_dtype,
    codes=_CODES,
    order="rows",
    evaluate=formulas.instance_norm,
    constants=("running_mean", "running_var"),
)


def _group_norm_shape(c: Call) -> Shape:
    channels, groups = c.dims["C"], c["groups"]
    c.require("groups", eq(channels % groups, 0), f"{channels!r} channels do not divide into {groups!r} groups", ("x", "groups"))
    return c.shape("x")


GROUP_NORM = Op(
    "group_norm",
    inputs=(Tensor("x", "N C ...", FLOATS), *_VECTORS),
    attributes=(Int("groups", least=1), Float("eps", 1e-5)),
    shape=_group_norm_shape,
    dtype=_with_parameters("weight", "bias"),
    codes=_CODES,
    order="format",
    evaluate=formulas.group_norm,
)


def _native_group_norm_shape(c: Call) -> list[Any]:
    x, channels = c.shape("x"), c["channels"]
    c.equal("size", x.numel, c["batch"] * channels * c["size"], "x has {a} elements and the sizes given make {b}", ("x", "batch", "channels", "size"))
    c.require("groups", eq(channels % c["groups"], 0), f"{channels!r} channels do not divide into {c['groups']!r} groups", ("channels", "groups"))
    for name in ("weight", "bias"):
        _holds(c, name, channels)
    kept, dtype = Shape((c["batch"], c["groups"])), _parameter_dtype(c, ("weight", "bias")) or c.dtype("x")
    return [x, TensorType(kept, dtype), TensorType(kept, dtype)]


NATIVE_GROUP_NORM = Op(
    "native_group_norm",
    inputs=(Tensor("x", "...", FLOATS), Tensor("weight", "K", FLOATS, optional=True), Tensor("bias", "K", FLOATS, optional=True)),
    attributes=(Int("batch"), Int("channels"), Int("size"), Int("groups", least=1), Float("eps", 1e-5)),
    outputs=(Out("y"), Out("mean"), Out("rstd")),
    shape=_native_group_norm_shape,
    dtype=Like("x"),
    codes={"K": "bias"},
    evaluate=lambda np, a: formulas.grouped(np, a, a["batch"], a["channels"]),
)


def _trailing(c: Call) -> Shape:
    """The last axes of x, and each parameter, have the normalised shape."""
    x, wanted = c.shape("x"), Shape(c["normalized_shape"])
    n = len(wanted)
    c.require("normalized_shape", n >= 1, "normalized_shape must name at least one axis", "normalized_shape")
    fits = len(x) >= n and conj(*(eq(a, b) for a, b in zip(x[-n:], wanted, strict=True)))
    c.require("normalized_shape", fits, f"normalized_shape is {wanted!r}, the last axes of x are {Shape(x[-n:])!r}", ("x", "normalized_shape"))
    for name in ("weight", "bias"):
        if c.given(name):
            own = c.shape(name)
            same = len(own) == n and conj(*(eq(a, b) for a, b in zip(own, wanted, strict=True)))
            c.require(name, same, f"{name} is {own!r} and must be {wanted!r}", (name, "normalized_shape"))
    return x


_NORMALIZED: tuple[Attribute, ...] = (Ints("normalized_shape", shape=True), Float("eps", 1e-5, optional=True))
LAYER_NORM = Op(
    "layer_norm", (Tensor("x", "...", FLOATS), *_AFFINE), _NORMALIZED, _trailing, _with_parameters("weight", "bias"),
    order="compact", evaluate=formulas.layer_norm,
    hazards=region("layer_norm/variance", "x eps", "the variance of x + eps is positive", "nan", formulas.layer_has_spread),
)  # fmt: skip


def _lead_of(c: Call) -> Shape:
    """The shape with 1 for each normalised axis."""
    x, n = _trailing(c), len(c["normalized_shape"])
    return Shape((*x[:-n], *(1 for _ in range(n))))


def _native_layer_norm_shape(c: Call) -> list[Any]:
    kept, dtype = _lead_of(c), _parameter_dtype(c, ("weight", "bias")) or c.dtype("x")
    return [c.shape("x"), TensorType(kept, dtype), TensorType(kept, dtype)]


NATIVE_LAYER_NORM = Op(
    "native_layer_norm",
    inputs=LAYER_NORM.inputs,
    attributes=_NORMALIZED,
    outputs=(Out("y"), Out("mean"), Out("rstd")),
    shape=_native_layer_norm_shape,
    dtype=LAYER_NORM.dtype,
    evaluate=formulas.native_layer_norm,
)
_RMS = FLOATS | FULL_COMPLEXES
RMS_NORM = Op(
    "rms_norm", (Tensor("x", "...", _RMS), Tensor("weight", "...", _RMS, optional=True, default=None)), _NORMALIZED, _trailing, Like("x"),
    evaluate=formulas.rms_norm,
    hazards=region("rms_norm/size", "x eps", "the mean square of x + eps is positive", "nan", formulas.layer_has_size),
)  # fmt: skip


def _fused_rms_norm_shape(c: Call) -> list[Any]:
    """torch counts the normalised axes and does not look at their sizes; a weight broadcasts."""
    dtype, x, count = c.dtype("x"), c.shape("x"), len(c["normalized_shape"])
    c.require("normalized_shape", count <= max(len(x), 1), f"{count} axes of {x!r} are to be normalised", ("normalized_shape", "x"))
    made = c.broadcast(x, c.shape("weight"), about=("x", "weight"), code="weight") if c.given("weight") else x
    count = min(count or len(x), len(x))
    return [made, TensorType(Shape((*x[: len(x) - count], *[1] * count)), FLOAT32 if dtype in _HALVES else dtype)]


FUSED_RMS_NORM = Op(
    "fused_rms_norm", RMS_NORM.inputs, _NORMALIZED, _fused_rms_norm_shape, Like("x"), outputs=(Out("y"), Out("rstd")),
    evaluate=formulas.fused_rms_norm,
)  # fmt: skip


def _response_dtype(c: Call) -> DType | None:
    """Above rank 3 torch averages in three dimensions, which half precision has no kernel for."""
    dtype = c.dtype("x")
    if c.option("no_halves_in_3d") and c.rank("x") > 3 and dtype is not None and dtype not in FULL_FLOATS | {INT64}:
        raise c.refuse("dtype", f"x of rank {c.rank('x')} cannot have elements of type {dtype!r} here", "x")
    if c.shape("x").concrete and c.shape("x").numel == 0:  # torch gives an empty tensor back as it is
        return dtype
    return ToFloat("x")(c)


LOCAL_RESPONSE_NORM = Op(
    "local_response_norm",
    inputs=(Tensor("x", "N C X ...", FLOATS | {INT64}),),
    attributes=(Int("size", least=1), Float("alpha", 1e-4), Float("beta", 0.75), Float("k", 1.0), Bool("odd_behind", False)),
    shape=same_shape,
    dtype=_response_dtype,
    order="like",
    evaluate=formulas.local_response_norm,
    doc="x by a power of the mean of squares of neighbouring channels. `odd_behind`: of an even number, the odd one lies behind and not before.",
)
NORMALIZE = Op(
    "normalize",
    inputs=(Tensor("x", "...", FLOATS | FULL_COMPLEXES),),
    attributes=(Float("p", 2.0), Axes("dim", 1), Float("eps", 1e-12), Bool("by_squares", False)),
    shape=same_shape,
    dtype=Like("x"),
    order="like",
    evaluate=formulas.normalize,
    hazards=region("normalize/zero", "x eps", "the norm of x, or eps in the element type of x, is positive", "nan", formulas.has_length),
    doc="x over its norm, or over eps where that is greater. `by_squares`: eps is the least of the sum of squares.",
)


def _weight_norm_shape(c: Call) -> Shape:
    direction, magnitude = c.shape("x"), c.shape("magnitude")
    if len(magnitude) > len(direction):
        raise c.give_up("magnitude has more axes than x, and torch has two answers to that")
    if c["dim"] not in (0, len(direction) - 1):  # torch's own kernel for the first and the last axis looks at no shape
        return c.broadcast(direction, magnitude, about=("x", "magnitude"))
    if eq(magnitude.numel, direction[c["dim"]]) is False or any(a != b and b != 1 for a, b in zip(reversed(direction), reversed(magnitude))):
        raise c.give_up("what torch makes of a magnitude that is longer than x")
    return direction


WEIGHT_NORM = Op(
    "weight_norm",
    inputs=(Tensor("x", "...", FLOATS), Tensor("magnitude", "...", FLOATS)),
    attributes=(Axis("dim", 0, scalar_ok=False),),
    shape=_weight_norm_shape,
    dtype=lambda c: (Same if c["dim"] in (0, len(c.shape("x")) - 1) else Promote)("x", "magnitude")(c),  # torch's own kernel is for the first and last axis
    doc="x with its length along the other axes made to be `magnitude`.",
    evaluate=formulas.weight_norm,
)


def _except_dim(c: Call) -> Shape:
    """1 for every axis but one; -1 means the norm of all."""
    x, dim = c.shape("x"), c["dim"]
    if dim == -1:
        return Shape()
    c.require("axis", -len(x) <= dim < len(x), f"dim = {dim} is out of range: x has {len(x)} dimensions", ("dim", "x"))
    return Shape(size if i == dim % len(x) else 1 for i, size in enumerate(x))


NORM_EXCEPT_DIM = Op(
    "norm_except_dim", (Tensor("x", "...", FLOATS),), (Int("pow", 2), Int("dim", 0)), _except_dim, Like("x"),
    evaluate=formulas.norm_except_dim,
)  # fmt: skip


def _renorm_shape(c: Call) -> Shape:
    c.require("rank", c.rank("x") >= 2, f"x must have rank 2 or more, and is {c.shape('x')!r}", "x")
    c.require("p", c["p"] > 0, f"the norm must be positive, and is {c['p']!r}", "p")
    return c.shape("x")


RENORM = Op(
    "renorm",
    inputs=(Tensor("x", "...", FLOATS | FULL_COMPLEXES),),
    attributes=(Float("p"), Axis("dim"), Float("most", least=0)),
    shape=_renorm_shape,
    dtype=Like("x"),
    doc="x with each slice along dim shrunk to a norm of at most `most`.",
    evaluate=formulas.renorm,
)
