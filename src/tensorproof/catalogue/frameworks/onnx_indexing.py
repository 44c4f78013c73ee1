"""Gathering, scattering and resizing as ONNX has them."""

from __future__ import annotations

from struct import pack, unpack
from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.frameworks.onnx_tensors import X, axes_in, length_of
from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Like, Same
from tensorproof.ops.facts import MOVES, selects
from tensorproof.ops.families import replaced
from tensorproof.ops.inputs import Anything, Axis, Bool, Choice, Float, Floats, Int, Ints, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op
from tensorproof.ops.storage import known, small
from tensorproof.ops.window import scaled
from tensorproof.terms.dtypes import ALL_INTS, BOOL, FLOATS, INDEX
from tensorproof.terms.ints import Dim, Term, bounds, product
from tensorproof.terms.predicates import conj, eq, ge, le, lt
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.frameworks.formulas import onnx_moves as moves
    from tensorproof.catalogue.frameworks.formulas import onnx_resizing as resizing
else:
    moves = later("catalogue.frameworks.formulas.onnx_moves")
    resizing = later("catalogue.frameworks.formulas.onnx_resizing")

# --- gathering ---------------------------------------------------------------------------------------------------------------------


def gathered(c: Call) -> TensorType:
    x, index, axis, batch = c.tensor("x"), c.tensor("index"), c["dim"], c["batch_dims"]
    n = x.shape[axis]
    for at in index.contents or () if not c["lenient"] else ():
        c.require("range", conj(le(-n, at), lt(at, n)), f"index {at!r} is out of range: axis {axis} of x has size {n!r}", ("index", "x"))
    made = Shape((*x.shape[:axis], *index.shape[batch:], *x.shape[axis + 1 :]))
    contents = None
    inside = not c["lenient"] or all(type(v) is int and type(n) is int and 0 <= v < n for v in index.contents or ())
    if not batch and inside and known(x) and index.contents is not None and all(type(v) is int for v in index.contents) and small(made):
        outer, inner = int(product(x.shape[:axis])), int(product(x.shape[axis + 1 :]))  # type: ignore[arg-type]
        held = x.contents or ()
        contents = tuple(held[(o * n + at % n) * inner + i] for o in range(outer) for at in index.contents for i in range(inner))
    return x.but(shape=made, contents=contents, strides=None)


GATHER_SLICES = Op(
    "gather_slices",
    (Tensor("x", "S ..."), Tensor("index", "...", INDEX, values="index:dim")),
    (Axis("dim", 0, scalar_ok=False), Int("batch_dims", 0), Bool("lenient", False)),
    gathered,
    Like("x"),
    values=selects("index"),
    evaluate=moves.gathered,
    doc="The slices of an axis that an index tensor names; its axes, but for the first `batch_dims`, which are those of x, take the place of that axis. "
    "`lenient`: an index out of range is not an error.",
)


def gathered_elements(c: Call) -> Shape:
    x, index, axis = c.shape("x"), c.shape("index"), c["dim"]
    c.require("rank", len(x) == len(index), f"index {index!r} must have the rank of x {x!r}", ("x", "index"))
    for i, (a, b) in enumerate(zip(index, x)):
        if i != axis:
            c.require("size", le(a, b), f"axis {i} of the index is {a!r}, and that of x only {b!r}", ("x", "index"))
    n = x[axis]
    for at in c.contents("index") or ():
        c.require("range", conj(le(-n, at), lt(at, n)), f"index {at!r} is out of range: axis {axis} of x has size {n!r}", ("index", "x"))
    return index


GATHER_ELEMENTS = Op(
    "gather_elements",
    (Tensor("x", "S ..."), Tensor("index", "...", INDEX, values="index:", draw="I ...")),
    (Axis("dim", 0, scalar_ok=False),),
    gathered_elements,
    Like("x"),
    values=selects("index"),
    evaluate=moves.gathered_elements,
    doc="Single elements, named by an index along one axis.",
)


def scattered(c: Call) -> Shape:
    x, index, y = c.shape("x"), c.shape("index"), c.shape("y")
    c.require("rank", len(x) == len(index), f"index {index!r} must have the rank of x {x!r}", ("x", "index"))
    for i, (a, b) in enumerate(zip(index, x)):
        c.require("size", i == c["dim"] or le(a, b), f"axis {i} of the index is {a!r}, and that of x only {b!r}", ("x", "index"))
    c.require("updates", len(y) == len(index), f"the updates {y!r} must have the shape of the index {index!r}", ("y", "index"))
    for a, b in zip(index, y):
        c.require("updates", eq(a, b), f"the updates {y!r} must have the shape of the index {index!r}", ("y", "index"))
    return x


SCATTER_ELEMENTS = Op(
    "scatter_elements",
    (Tensor("x", "S ..."), Tensor("index", "...", INDEX, values="index:", draw="I ..."), Tensor("y", draw="I ...")),
    (Axis("dim", 0, scalar_ok=False), Choice("reduction", ("none", "add", "mul", "max", "min"), "none")),
    scattered,
    Same("x", "y"),
    evaluate=moves.scattered,
    doc="x with single elements replaced or joined with others.",
)


def compressed(c: Call) -> Shape:
    x, axis, condition = c.shape("x"), c["dim"], c.tensor("condition")
    whole = x.numel if axis is None else x[axis]
    if condition.contents is None:
        kept: Dim = c.fresh("kept", 0, bounds(whole)[1])
    else:
        chosen = [i for i, v in enumerate(condition.contents) if v]
        kept = len(chosen)
        c.require(
            "condition",
            lt(max(chosen, default=-1), whole),
            f"element {max(chosen, default=0)} is chosen and there are {whole!r} to choose from",
            ("condition", "x"),
        )
    return Shape((kept,)) if axis is None else replaced(x, axis, kept)


COMPRESS = Op(
    "compress",
    (Tensor("x", "S ..."), Tensor("condition", "M", frozenset({BOOL}))),
    (Axis("dim", None, optional=True, scalar_ok=False),),
    compressed,
    Like("x"),
    data_dependent=True,
    values=selects("condition"),
    evaluate=moves.chosen,
    doc="The slices of an axis, or the elements, where a condition is true.",
)


def one_hot(c: Call) -> Shape:
    x, depth, axis = c.shape("x"), c["depth"], c["dim"]
    c.require("axis", -len(x) - 1 <= axis <= len(x), f"axis {axis} is out of range for a result of rank {len(x) + 1}", ("dim", "x"))
    n = c.fresh("depth") if isinstance(depth, TensorType) else int(depth) if isinstance(depth, float) else depth
    c.require("depth", ge(n, 0), f"the depth must not be negative, and is {n!r}", "depth")
    at = axis % (len(x) + 1)
    return Shape((*x[:at], n, *x[at:]))


ONE_HOT_VALUES = Op(
    "one_hot_values",
    (Tensor("x", "X ...", ALL_INTS | FLOATS), Tensor("values", "2")),
    (Anything("depth"), Int("dim", -1)),
    one_hot,
    Like("values"),
    evaluate=moves.hot_values,
    doc="A new axis that holds the second value at the place that x names and the first elsewhere.",
)


def reverse_sequence(c: Call) -> Shape:
    x, lengths, batch, time = c.shape("x"), c.shape("lengths"), c["batch_dim"], c["time_dim"]
    usual = {batch, time} == {0, 1} or not c["first_two"]
    c.require("axis", usual, f"batch and time are the first two axes, and are {batch} and {time}", ("batch_dim", "time_dim"))
    c.equal("batch", lengths[0], x[batch], "there are {a} lengths and {b} sequences", ("lengths", "x"))
    return x


REVERSE_SEQUENCE = Op(
    "reverse_sequences",
    (Tensor("x", "A B ..."), Tensor("lengths", "L", INDEX)),
    (Int("batch_dim", 1, least=0), Int("time_dim", 0, least=0), Bool("first_two", True)),
    reverse_sequence,
    Like("x"),
    values=MOVES,
    evaluate=moves.turned_sequences,
    doc="Every sequence of a batch turned round, up to its length.",
)


def written(c: Call) -> Shape:
    x, y, axis = c.shape("x"), c.shape("y"), c["dim"]
    c.require("rank", len(x) == len(y), f"the update {y!r} must have the rank of the cache {x!r}", ("x", "y"))
    c.require("axis", axis != 0, "the first axis is the batch, along which nothing is written", "dim")
    for i, (a, b) in enumerate(zip(x, y)):
        holds = le(b, a) if i == axis else eq(a, b)
        c.require("update", holds, f"the update {y!r} does not fit into the cache {x!r} at axis {i}", ("x", "y"))
    return x


TENSOR_WRITE = Op(
    "cache_update",
    (Tensor("x", "N ..."), Tensor("y", "N ..."), Tensor("index", "N", INDEX, optional=True, default=None)),
    (Axis("dim", -2, scalar_ok=False), Choice("mode", ("linear", "circular"), "linear")),
    written,
    Same("x", "y"),
    evaluate=moves.written,
    doc="A cache with a stretch of an axis written anew.",
)


# --- resizing ----------------------------------------------------------------------------------------------------------------------


def _float32(value: float) -> float:
    rounded: float = unpack("f", pack("f", value))[0]
    return rounded


def scaled_axis(c: Call, size: Dim, factor: float) -> Dim:
    """The whole part of size * factor in float32, as the standard computes it."""
    if not isinstance(size, Term):
        return int(_float32(size * _float32(factor)))
    made = scaled(size, float(factor))
    return c.fresh("resized") if made is None else made


def resized(c: Call) -> Shape:
    x, sizes, scales, axes = c.shape("x"), c["size"], c["scale"], c["dim"]
    places = axes_in(c, axes, len(x)) if axes is not None else tuple(range(len(x)))
    given_sizes, given_scales = _some(c, "size"), _some(c, "scale")
    c.require("size", given_sizes != given_scales or (c["older"] and not places), "either scales or sizes must be given, and not both", ("size", "scale"))
    if c["coordinate_transformation_mode"] == "tf_crop_and_resize":
        regions = c.given("roi") and eq(c.shape("roi")[0], 2 * len(places))
        c.require("roi", regions, f"roi must hold the begin and the end of the region along {len(places)} axes", ("roi", "coordinate_transformation_mode"))
    name = "size" if given_sizes else "scale"
    count = length_of(c, name)
    c.require(name, count in (None, len(places)), f"{count} numbers are given for {len(places)} axes", (name, "x"))
    values = sizes if given_sizes else scales
    if isinstance(values, TensorType):
        values = values.contents
    made = list(x)
    if values is None:
        for axis in places:
            made[axis] = c.fresh("resized")
        return Shape(made)
    c.require("mode", c["mode"] != "cubic" or not c["older"], "cubic interpolation is younger than this opset", "mode")
    c.require("policy", given_sizes or c["policy"] == "stretch", f"the policy {c['policy']!r} is about sizes, and scales are given", ("policy", "scale"))
    if given_scales:
        for axis, factor in zip(places, values):
            c.require("scale", factor > 0, f"a scale must be positive, and is {factor!r}", "scale")
            made[axis] = scaled_axis(c, x[axis], factor)
        return Shape(made)
    for n in values:
        c.require("size", ge(n, 0), f"a size cannot be negative, and is {n!r}", "size")
    return Shape(_kept_aspect(c, made, places, values))


def _some(c: Call, name: str) -> bool:
    """Whether sizes or scales are given; an empty vector stands for none."""
    return c.given(name) and length_of(c, name) != 0


def _kept_aspect(c: Call, made: list[Any], places: tuple[int, ...], sizes: tuple[Any, ...]) -> list[Any]:
    policy = c["policy"]
    if policy == "stretch":
        for axis, n in zip(places, sizes):
            made[axis] = n
        return made
    if not all(type(made[axis]) is int and type(n) is int and made[axis] for axis, n in zip(places, sizes)):
        for axis in places:
            made[axis] = c.fresh("resized")
        return made
    factors = [n / made[axis] for axis, n in zip(places, sizes)]
    factor = min(factors) if policy == "not_larger" else max(factors)
    for axis in places:
        made[axis] = int(made[axis] * factor + 0.5)
    return made


_POLICIES = ("stretch", "not_larger", "not_smaller")
_TRANSFORMATIONS = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize")
RESIZE = Op(
    "resize_axes",
    (X, Tensor("roi", "R", FLOATS, optional=True, default=None, draw="0")),
    (
        Floats("scale", None, loose=True),
        Ints("size", None, optional=True, loose=True, one=False),
        Ints("dim", None, optional=True),
        Choice("policy", _POLICIES, "stretch"),
        Choice("mode", ("nearest", "linear", "cubic"), "nearest"),
        Bool("older", False),
        Choice("coordinate_transformation_mode", _TRANSFORMATIONS, "half_pixel"),
        Choice("nearest_mode", ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"), "round_prefer_floor"),
        Bool("antialias", False),
        Bool("exclude_outside", False),
        Float("cubic_coeff_a", -0.75),
        Float("extrapolation_value", 0.0),
    ),
    resized,
    Like("x"),
    evaluate=resizing.resized,
    doc="Axes interpolated to other sizes, given as sizes or as scales.",
)
