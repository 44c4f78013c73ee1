"""Random tensors: shapes, element types, and the distributions that are drawn from."""

from __future__ import annotations

from typing import Any

from tensorproof.catalogue.elementwise.creation import SIZE, STORED, default_float, number
from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Given, Like, Same
from tensorproof.ops.facts import CUTS, MOVES, drawn, draws, places
from tensorproof.ops.families import same_shape
from tensorproof.ops.inputs import Axis, Bool, Choice, ElementType, Float, Int, Ints, Number, Tensor, is_size
from tensorproof.ops.ranges import in_unit
from tensorproof.ops.record import Op, Values
from tensorproof.terms.dtypes import ALL_INTS, FLOATS, FLOATS_OR_COMPLEX, INDEX, INT64, REALS, REALS_OR_BOOL, DType
from tensorproof.terms.predicates import conj, ge, gt, le, lt
from tensorproof.terms.shapes import Shape, unknown_shape
from tensorproof.terms.tensor import TensorType

DISTRIBUTION = (
    Choice("distribution", (None, "uniform", "normal", "truncated_normal"), None),
    Float("low", 0.0), Float("high", 1.0), Float("mean", 0.0), Float("std", 1.0),
)  # fmt: skip
"""Which numbers are drawn: uniform from `low` to `high`, or normal with `mean` and `std`."""
NAMED = Values("drawn", by="distribution")

KEY = Tensor("key", "2", INDEX, optional=True, default=None)
"""The seed of draws that are always the same for it."""
RANDOM = Op(
    "random",
    inputs=(KEY,),
    attributes=(SIZE, ElementType(dtypes=FLOATS_OR_COMPLEX), *DISTRIBUTION),
    dtype=Given("dtype", default_float),
    shape=lambda c: Shape(c["size"]),
    random=True,
    values=NAMED,
    doc="Independent draws of real numbers: uniform from low to high, normal with mean and std, or that within two deviations; None where it is not said.",
)


def random_like_type(c: Call) -> DType | None:
    dtype = c["dtype"] or c.dtype("x")
    c.require("dtype", dtype is None or dtype in FLOATS_OR_COMPLEX, f"no numbers of {dtype!r} are drawn", ("x", "dtype"))
    return dtype


RANDOM_LIKE = Op(
    "random_like",
    inputs=(Tensor("x", "...", STORED),),
    attributes=(ElementType(dtypes=FLOATS_OR_COMPLEX), *DISTRIBUTION),
    dtype=random_like_type,
    shape=same_shape,
    random=True,
    values=NAMED,
    order="copied",
)


def drawn_between(c: Call) -> None:
    low, high = number(c["low"]), number(c["high"])
    if is_size(low) and is_size(high):
        c.require("range", lt(low, high), f"there is no whole number from {low!r} up to, and without, {high!r}", ("low", "high"))
        dtype = c["dtype"] or (c.dtype("x") if c.given("x") else None)
        ends = dtype.whole_ends if c.option("value_fits") and dtype is not None else None
        if ends is not None:
            c.require("bounds", conj(ge(low, ends[0]), le(high, ends[1] + 1)), f"{low!r} up to {high!r} is beyond {dtype!r}", ("low", "high"))


def randint_shape(c: Call) -> Shape:
    drawn_between(c)
    return Shape(c["size"])


def randint_like_shape(c: Call) -> Shape:
    drawn_between(c)
    return c.shape("x")


RANDINT = Op(
    "randint",
    inputs=(KEY,),
    attributes=(Int("low", 0), Int("high"), SIZE, ElementType(dtypes=REALS_OR_BOOL | ALL_INTS)),
    dtype=Given("dtype", INT64),
    shape=randint_shape,
    random=True,
    values=draws("low", "high"),
)


def randint_like_type(c: Call) -> DType | None:
    dtype = c["dtype"] or c.dtype("x")
    c.require("dtype", dtype is None or dtype in REALS_OR_BOOL | ALL_INTS, f"no whole numbers of {dtype!r} are drawn", ("x", "dtype"))
    return dtype


RANDINT_LIKE = Op(
    "randint_like",
    inputs=(Tensor("x"),),
    attributes=(Int("low", 0), Int("high"), ElementType(dtypes=REALS_OR_BOOL | ALL_INTS)),
    dtype=randint_like_type,
    shape=any_rank(randint_like_shape),
    random=True,
    values=draws("low", "high"),
    order="copied",
)
RANDPERM = Op(
    "randperm", attributes=(Int("n", least=0), ElementType(dtypes=REALS | ALL_INTS)), dtype=Given("dtype", INT64), shape="n", random=True, values=draws(0, "n"),
)  # fmt: skip


def normal_shape(c: Call) -> Shape:
    mean, std = c["mean"], c["std"]
    if std.weak:
        c.require("std", number(std) >= 0, f"the standard deviation must not be negative, and is {number(std)!r}", "std")
    return c.broadcast(*(v.shape for v in (mean, std) if isinstance(v, TensorType)), about=("mean", "std"))


NORMAL = Op(
    "normal",
    inputs=(Tensor("mean", "...", FLOATS_OR_COMPLEX, scalar=True), Tensor("std", "...", FLOATS, scalar=True, values="positive")),
    dtype=lambda c: next((c.dtype(n) for n in ("mean", "std") if not c[n].weak), default_float(c)),
    shape=normal_shape,
    random=True,
    values=drawn("normal"),
)


def bernoulli_shape(c: Call) -> Shape:
    drawn = c["p"] is not None or c.dtype("x") is None or c.dtype("x") in FLOATS
    c.require("dtype", drawn, f"the elements are probabilities, and {c.dtype('x')!r} holds none", "x")
    if c["p"] is None:
        in_unit(c, "x")
    return c.shape("x")


BERNOULLI = Op(
    "bernoulli",
    inputs=(Tensor("x", "...", REALS_OR_BOOL, values="probability"),),
    attributes=(Float("p", None, 0.0, 1.0, optional=True),),
    dtype=Like("x"),
    shape=bernoulli_shape,
    random=True,
    values=drawn("bernoulli"),
)
POISSON = Op("poisson", inputs=(Tensor("x", "...", FLOATS, values="positive"),), dtype=Like("x"), shape=same_shape, random=True, values=drawn("poisson", "x"))
BINOMIAL = Op(
    "binomial",
    inputs=(Tensor("x", "...", FLOATS, values="positive"), Tensor("y", "...", FLOATS, values="unit")),
    dtype=lambda c: (Same("x", "y") if c.option("one_type") else Like("x"))(c),
    shape=lambda c: c.broadcast(c.shape("x"), c.shape("y"), about=("x", "y")),
    random=True,
    values=drawn("binomial", "x y"),
)


def multinomial_shape(c: Call) -> Shape:
    *lead, k = c.shape("x")
    n = c["n"]
    c.require("samples", gt(n, 0), f"num_samples must be at least 1, and is {n!r}", "n")
    c.require("categories", ge(k, 1), "there is no category to draw from", "x")
    c.require("categories", le(k, 1 << 24), f"at most 2**24 categories can be drawn from, and there are {k!r}", "x")
    if not c["replacement"]:
        c.require("samples", ge(k, n), f"{n!r} different categories cannot be drawn out of {k!r}", ("n", "x"))
    weights = c.contents("x")
    if weights is not None and all(isinstance(w, (int, float)) for w in weights):
        bad = [w for w in weights if not 0 <= w < float("inf")]
        c.require("weights", not bad, f"the weight {bad[0] if bad else 0!r} is not a probability", "x")
        empty = type(k) is int and k and any(sum(weights[i : i + k]) <= 0 for i in range(0, len(weights), k))
        c.require("weights", not empty, "the weights of one draw are all zero", "x")
    return Shape((*lead, n))


MULTINOMIAL = Op(
    "multinomial",
    inputs=(Tensor("x", "N K | K", FLOATS, values="positive"),),
    attributes=(Int("n"), Bool("replacement", False)),
    dtype=INT64,
    shape=multinomial_shape,
    random=True,
    values=places(-1),
)


def distribution(
    name: str, dtypes: frozenset[Any], *attributes: Any, values: Values, open_at_zero: str = "", not_zero: str = "", ordered: tuple[str, str] | None = None
) -> Op:
    """x is filled with draws. `open_at_zero`: an argument that must be positive; `not_zero`: one that must not be 0; `ordered`: two arguments of which the
    first is not the larger."""

    def shape(c: Call) -> Shape:
        if open_at_zero and isinstance(c[open_at_zero], (int, float)):
            c.require(open_at_zero, c[open_at_zero] > 0, f"{open_at_zero} must be positive, and is {c[open_at_zero]!r}", open_at_zero)
            c.require(open_at_zero, name != "geometric_fill" or c["p"] < 1, f"p must be less than 1, and is {c[open_at_zero]!r}", open_at_zero)
        if not_zero:
            c.require(not_zero, c[not_zero] != 0, f"{not_zero} must not be 0", not_zero)
        if ordered is not None:
            low, high = c[ordered[0]], c[ordered[1]]
            if isinstance(low, (int, float)) and isinstance(high, (int, float)):
                c.require("range", low <= high, f"{ordered[0]} = {low!r} is above {ordered[1]} = {high!r}", ordered)
        return c.shape("x")

    return Op(name, (Tensor("x", "...", dtypes),), attributes, any_rank(shape), Like("x"), random=True, writes=("x",), values=values, gradient="x-")


UNIFORM = distribution(
    "uniform_fill", FLOATS_OR_COMPLEX, Number("low", 0.0), Number("high", 1.0), ordered=("low", "high"), values=drawn("uniform")
)  # fmt: skip
NORMAL_FILL = distribution("normal_fill", FLOATS_OR_COMPLEX, Number("mean", 0.0), Float("std", 1.0, 0.0), values=drawn("normal"))
CAUCHY = distribution("cauchy_fill", FLOATS, Number("median", 0.0), Number("sigma", 1.0), open_at_zero="sigma", values=drawn("cauchy"))
LOG_NORMAL = distribution("log_normal_fill", FLOATS, Number("mean", 1.0), Number("std", 2.0), open_at_zero="std", values=drawn("lognormal"))
EXPONENTIAL = distribution("exponential_fill", FLOATS, Number("rate", 1.0), open_at_zero="rate", values=drawn("exponential", "rate"))
GEOMETRIC = distribution("geometric_fill", REALS, Float("p", most=1.0), open_at_zero="p", values=drawn("geometric"))
BERNOULLI_FILL = distribution("bernoulli_fill", REALS_OR_BOOL, Float("p", 0.5, 0.0, 1.0), values=drawn("bernoulli"))
RANDOM_FILL = distribution("random_fill", REALS_OR_BOOL, Number("low", 0), Number("high", None, optional=True), values=drawn("whole"))
TRUNCATED_NORMAL_FILL = distribution(
    "truncated_normal_fill", FLOATS, Float("mean", 0.0), Float("std", 1.0), Float("low", -2.0), Float("high", 2.0), ordered=("low", "high"),
    not_zero="std", values=drawn("normal_between"),
)  # fmt: skip
ORTHOGONAL_FILL = distribution("orthogonal_fill", FLOATS, Float("gain", 1.0), values=drawn("orthogonal"))
SHUFFLE = Op(
    "shuffle", (Tensor("x"),), (Axis("dim", 0),), any_rank(same_shape), Like("x"), random=True, values=MOVES,
    doc="The slices along an axis in a random order.",
)  # fmt: skip


@any_rank
def per_parameter(c: Call) -> Any:
    """As many draws as `size` says, for each of the parameters in y."""
    size, y = c["size"], c.shape("y")
    if isinstance(size, TensorType) or not y.known:
        return unknown_shape(f"{c.op.name}{c.session.site}#{c.session.made}")
    return Shape((*size, *y))


_SIZES = Ints("size", shape=True, loose=True)
PER_PARAMETER = tuple(
    Op(name, (Tensor("y", values="positive"),), (_SIZES,), per_parameter, Like("y"), random=True, values=drawn(distributed, "y"), doc=doc)
    for name, distributed, doc in (
        ("random_gamma", "gamma", "Draws of gamma distributions of rate 1, whose shape parameters are in y."),
        ("random_poisson", "poisson", "Draws of Poisson distributions, whose rates are in y."),
    )
)


@any_rank
def as_asked(c: Call) -> Any:
    size = c["size"]
    return unknown_shape(f"{c.op.name}{c.session.site}#{c.session.made}") if isinstance(size, TensorType) else Shape(size)


RANDOM_INTEGERS = Op(
    "random_integers", (Tensor("low", ""), Tensor("high", ""), KEY), (_SIZES,), as_asked, Same("low", "high"), random=True, values=drawn("whole"),
    doc="Whole numbers from low up to, and without, high.",
)  # fmt: skip
RANDOM_TRUNCATED_NORMAL = Op(
    "random_truncated_normal", (Tensor("mean"), Tensor("std"), Tensor("low"), Tensor("high")), (_SIZES,), as_asked, Same("mean", "std", "low", "high"),
    random=True, values=drawn("normal_between"),
    doc="Draws of normal distributions between bounds; the parameters are numbers, or one for each slice along the first axis.",
)  # fmt: skip
CATEGORICAL = Op(
    "categorical", (Tensor("x", "N K"),), (Int("n"),), "N n", INT64, random=True, values=places(-1),
    doc="n classes a row, drawn with replacement by the logarithms of their weights.",
)  # fmt: skip
RANDOM_CROP = Op(
    "random_crop", (Tensor("x", "H W C"),), (Ints("size", loose=True),), lambda c: Shape((*c["size"], c.dims["C"])), Like("x"), random=True, values=CUTS,
    doc="A part of an image of this height and width, from a random place.",
)  # fmt: skip
