"""Order statistics, covariance and histograms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Like, Promote, ToFloat, Within
from tensorproof.ops.facts import SELECTS, places
from tensorproof.ops.families import NUMERIC, reduced_shape, reduction
from tensorproof.ops.inputs import Anything, Axis, Bool, Choice, Floats, Int, Number, Tensor, is_size
from tensorproof.ops.later import later, makers
from tensorproof.ops.lines import Lined
from tensorproof.ops.record import NON_NEGATIVE, Interval, Op, Out, Values
from tensorproof.terms.dtypes import ALL_INTS, BOOL, COMPLEXES, FLOAT32, FLOAT64, FLOATS, FULL_FLOATS, INT64, REALS_OR_BOOL, DType
from tensorproof.terms.ints import Dim, Term, lower
from tensorproof.terms.predicates import conj, disj, eq, ge, ne
from tensorproof.terms.promotion import Operand, promote
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.reductions.formulas import counted_bins, order_statistics
    from tensorproof.catalogue.reductions.formulas import order_statistics as made
else:
    counted_bins = later("catalogue.reductions.formulas.counted_bins")
    order_statistics = later("catalogue.reductions.formulas.order_statistics")
    made = makers("catalogue.reductions.formulas.order_statistics")

STORED = NUMERIC | frozenset(d for d in DType if d.is_float)
COUNTS = Values("bounded", bounds=NON_NEGATIVE)
PAIR = (Out("values", values=SELECTS), Out("indices", INT64, values=places("dim")))
MEDIAN = reduction("median", NUMERIC, dtype=Like("x"), values=SELECTS, doc="The (lower) median.", evaluate=made.median())
NANMEDIAN = reduction("nanmedian", NUMERIC, dtype=Like("x"), values=SELECTS, doc="The (lower) median of what is not NaN.", evaluate=made.median(skips=True))
MEDIAN_ALONG = reduction(
    "median_along",
    NUMERIC,
    dtype=Like("x"),
    nonempty=True,
    one_axis=True,
    outputs=PAIR,
    doc="The median along an axis, and where it stands.",
    evaluate=made.median(places=True),
)
NANMEDIAN_ALONG = reduction(
    "nanmedian_along",
    NUMERIC,
    dtype=Like("x"),
    nonempty=True,
    one_axis=True,
    outputs=PAIR,
    doc="The same, of what is not NaN.",
    evaluate=made.median(skips=True, places=True),
)
MODE = reduction(
    "mode", STORED, dtype=Lined(REALS_OR_BOOL, Like("x")), nonempty=True, one_axis=True, outputs=PAIR,
    doc="The most frequent element along an axis, and where it stands.",
    evaluate=order_statistics.mode,
)  # fmt: skip


def quantile_shape(c: Call) -> Shape:
    x, q = c.shape("x"), c.tensor("q")
    along = x if c["dim"] is None or not c.option("empty_beside") else Shape((x[c["dim"]],)) if len(x) else Shape()
    for size in () if c["empty_is_nan"] else along:
        c.require("empty", ge(size, 1), f"the tensor {x!r} is empty and has no quantile", "x")
    for value in q.contents or ():
        inside = isinstance(value, Term) or 0 <= value <= 1
        c.require("q", inside, f"q = {value!r} must lie between 0 and 1", "q")
    c.require("q", len(q.shape) <= 1, f"q must be a number or a vector, and has rank {len(q.shape)}", "q")
    return Shape((*q.shape, *reduced_shape(c)))


def quantile_type(c: Call) -> DType | None:
    x, q = c.tensor("x"), c.tensor("q")
    if not c.option("one_type"):
        return ToFloat("x")(c)
    if not q.weak and q.dtype is not None and x.dtype is not None and q.dtype is not x.dtype:
        raise c.refuse("dtype", f"q has element type {q.dtype!r}, and x has {x.dtype!r}; they must be one", ("q", "x"))
    return x.dtype


INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")
QUANTILES = tuple(
    Op(
        name, (Tensor("x", "...", NUMERIC), Tensor("q", "...", scalar=True, values="unit")),
        (
            Axis("dim", None, optional=True), Bool("keepdim", False), Choice("interpolation", INTERPOLATIONS, "linear"), Anything("method"),
            Bool("empty_is_nan", False),
        ),
        quantile_shape, quantile_type, doc=doc, evaluate=made.quantile(skips), values=Values("convex"),
    )
    for name, skips, doc in (
        ("quantile", False, "The values below which shares q of the elements lie; `method`: NumPy's name of another rule than `interpolation` has."),
        ("nanquantile", True, "The same, of what is not NaN."),
    )
)  # fmt: skip


def cov_shape(c: Call) -> Shape:
    x = c.shape("x")
    count: Dim = x[-1] if len(x) else 1
    for name in ("fweights", "aweights"):
        if c.given(name):
            weights = c.shape(name)
            c.require(name, len(weights) <= 1, f"{name} must be a vector, and has rank {len(weights)}", name)
            c.equal(name, weights[0] if len(weights) else 1, count, f"{name} holds {{a}} weights for {{b}} observations", (name, "x"))
            negative = any(not isinstance(v, Term) and v < 0 for v in c.contents(name) or ())
            c.require(name, not negative, f"{name} must not be negative", name)
    if len(x) < 2 or x[0] == 1:  # one variable: a variance, of rank 0
        return Shape()
    if lower(x[0]) < 2:
        raise c.give_up("whether there is one variable or more decides the rank")
    return Shape((x[0], x[0]))


def cov_type(c: Call) -> DType | None:
    """One weight without axes has a say only where x is not of floats. With `typed_kernels` one observation that `aweights` alone weighs keeps its own type."""
    x, own = c.dtype("x"), ToFloat("x")(c)
    if not c.given("aweights"):
        return own
    alone = not any(len(c.shape(name)) for name in ("fweights", "aweights") if c.given(name))
    if alone and x is not None and (x.is_float or x.is_complex):
        return own
    common = ToFloat("x", "aweights")(c)
    if not c.option("typed_kernels") or c.given("fweights") or own is None:
        return common
    if alone:
        return own
    count: Dim = c.shape("x")[-1] if c.rank("x") else 1
    weight = c.dtype("aweights")
    fits = weight is None or promote("torch", (Operand(own), Operand(weight))) is own
    c.require("dtype", fits or ne(count, 1), f"one observation of {own!r} is not weighted by {weight!r}", ("x", "aweights"))
    return common if common is own or lower(count) > 1 else own if count == 1 else None


COV = Op(
    "cov",
    inputs=(
        Tensor("x", "N M | M | ", NUMERIC),
        Tensor("fweights", "...", ALL_INTS, optional=True, default=None, values="positive"),
        Tensor("aweights", "...", FLOATS, optional=True, default=None, values="positive"),
    ),
    attributes=(Int("correction", 1),),
    shape=cov_shape,
    dtype=cov_type,
    doc="The covariance of variables (rows) over observations (columns).",
    evaluate=counted_bins.covariance,
)
CORRCOEF = Op(
    "corrcoef",
    (Tensor("x", "N M | M | ", NUMERIC),),
    (Bool("whole_mean", False),),
    lambda c: cov_shape(c),
    ToFloat("x"),
    evaluate=counted_bins.correlation,
    doc="Correlation coefficients of rows. `whole_mean`: the means are cut to whole numbers.",
    values=Values("bounded", bounds=Interval(-1.0001, 1.0001)),
)


def ordered(c: Call, lo: Any, hi: Any) -> None:
    below = isinstance(lo, (int, float)) and isinstance(hi, (int, float)) and hi < lo
    c.require("range", not below, f"the range's end {hi!r} is below its start {lo!r}", ("min", "max"))


def histc_shape(c: Call) -> Shape:
    ordered(c, c["min"], c["max"])
    return Shape((c["bins"],))


HISTC = Op(
    "histc", (Tensor("x", "...", NUMERIC),), (Int("bins", 100, least=1), Number("min", 0), Number("max", 0)), histc_shape, Like("x"),
    doc="How many elements fall into each of equal bins.",
    evaluate=counted_bins.histc,
    values=COUNTS,
)  # fmt: skip


def edges(c: Call, bins: Any) -> tuple[Dim, Dim]:
    """The numbers of bins and of edges, from a number or a vector of edges."""
    if isinstance(bins, TensorType):
        c.require("bins", len(bins.shape) == 1, f"the edges must be a vector, and have rank {len(bins.shape)}", "bins")
        c.require("bins", ge(bins.shape[0], 2), f"a bin lies between two edges, and there are {bins.shape[0]!r}", "bins")
        if bins.dtype is not None and c.dtype("x") is not None and c.prescribed is None:
            c.require(
                "dtype",
                bins.dtype is c.dtype("x"),
                f"the edges have element type {bins.dtype!r}, and x has {c.dtype('x')!r}",
                ("bins", "x"),
            )
        return bins.shape[0] - 1, bins.shape[0]
    if not is_size(bins):
        raise c.give_up("the bins are not known")
    c.require("bins", ge(bins, 1), f"bins must be at least 1, and is {bins!r}", "bins")
    return bins, bins + 1


def histogram_shape(c: Call) -> list[Shape]:
    _weighted(c, c.shape("x").numel)
    held, cuts = edges(c, c["bins"])
    _has_ends(c, c["bins"])
    limits = c["range"]
    if limits is not None:
        c.require("range", len(limits) == 2, f"range must hold two numbers, and is {limits!r}", "range")
        ordered(c, *limits)
    return [Shape((held,)), Shape((cuts,))]


def _has_ends(c: Call, bins: Any) -> None:
    """With `typed_kernels` half precision is taken where no ends have to be found among the elements."""
    dtype = c.dtype("x")
    if c.option("typed_kernels") and dtype is not None and dtype not in FULL_FLOATS and is_size(bins) and c["range"] is None:
        empty = eq(c.shape("x").numel, 0)
        c.require("dtype", empty, f"{c.name} takes {dtype!r} with a range or with the edges of the bins alone", ("x", "bins"))


def _weighted(c: Call, count: Dim) -> None:
    if c.given("weight"):
        c.equal("weight", c.shape("weight").numel, count, "there are {a} weights for {b} elements", ("weight", "x"))
        if None not in (c.dtype("weight"), c.dtype("x")) and c.prescribed is None:
            c.require("dtype", c.dtype("weight") is c.dtype("x"), "weight and x must have the same dtype", ("weight", "x"))


WEIGHT = Tensor("weight", "...", NUMERIC, optional=True, default=None)
HISTOGRAM = Op(
    "histogram",
    inputs=(Tensor("x", "...", FLOATS), WEIGHT),
    attributes=(Anything("bins", 10), Floats("range", None), Bool("density", False)),
    shape=histogram_shape,
    dtype=Like("x"),
    outputs=(Out("hist"), Out("bin_edges")),
    doc="How many elements fall into each bin, and the bins' edges.",
    evaluate=counted_bins.histogram,
)


def histogramdd_shape(c: Call) -> list[Any]:
    """`bins`: one for each of the innermost axis's coordinates."""
    bins, x = c["bins"], c.tensor("x")
    _weighted(c, Shape(x.shape[:-1]).numel)
    if c.given("weight"):
        own = c.shape("weight")
        same = len(own) == len(x.shape) - 1 and conj(*(eq(p, q) for p, q in zip(own, x.shape)))
        c.require("weight", same, f"weights of {own!r} are not one for each point of {x.shape!r}", ("weight", "x"))
    depth = x.shape[-1]
    if is_size(bins):
        if not isinstance(depth, int):
            raise c.give_up("the number of coordinates is not known")
        bins = (bins,) * depth
    c.equal("bins", len(bins), depth, "there are bins for {a} coordinates, and the tensor has {b}", ("bins", "x"))
    if c["range"] is not None:
        c.require("range", len(c["range"]) == 2 * len(bins), f"range must hold {2 * len(bins)} numbers, and holds {len(c['range'])}", "range")
    found = [edges(c, b) for b in bins]
    _has_ends(c, bins[0] if bins else 1)
    return [Shape(held for held, _ in found), *(Shape((cuts,)) for _, cuts in found)]


HISTOGRAMDD = Op(
    "histogramdd",
    inputs=(Tensor("x", "_ ... _", FLOATS), WEIGHT),
    attributes=(Anything("bins", 10), Floats("range", None), Bool("density", False)),
    shape=histogramdd_shape,
    dtype=Like("x"),
    counted=True,
    doc="Counts over a grid of bins in several dimensions, and the edges along each.",
    evaluate=counted_bins.histogramdd,
)


def bincount_shape(c: Call) -> Shape:
    contents, least, most = c.contents("x"), c["minlength"], c["maxlength"]
    if c.given("weight"):
        held, n = c.shape("weight")[0], c.dims["N"]
        c.require("weight", disj(eq(held, n), eq(n, 0)), f"there are {held!r} weights for {n!r} elements", ("weight", "x"))
    if contents is not None and all(isinstance(v, int) for v in contents):
        c.require("negative", all(v >= 0 for v in contents), "a number to be counted is negative", "x")
        if isinstance(least, int) and (most is None or isinstance(most, int)):
            count = max(least, max(contents, default=-1) + 1)
            return Shape((count if most is None else min(count, most),))
    return Shape((c.fresh("bins", least if isinstance(least, int) and most is None else 0),))


BINCOUNT = Op(
    "bincount",
    inputs=(Tensor("x", "N", ALL_INTS), Tensor("weight", "_", NUMERIC, optional=True, default=None)),
    attributes=(Int("minlength", 0, least=0), Int("maxlength", None, optional=True)),
    shape=bincount_shape,
    dtype=lambda c: INT64 if not c.given("weight") or c.dims["N"] == 0 else FLOAT32 if c.dtype("weight") is FLOAT32 else FLOAT64,
    data_dependent=True,
    doc="How often each whole number occurs; those from `maxlength` on are not counted.",
    evaluate=counted_bins.bincount,
)
HISTOGRAM_FIXED_WIDTH = Op(
    "histogram_fixed_width", (Tensor("x", "...", NUMERIC), Tensor("limits", "2", NUMERIC)), (Int("bins", 100, least=1),),
    any_rank(lambda c: Shape((c["bins"],))), INT64,
    doc="How many elements fall into each of equal bins between two limits; what lies beyond counts with the first or the last.",
    evaluate=counted_bins.fixed_width,
    values=COUNTS,
)  # fmt: skip
CONFUSION_MATRIX = Op(
    "confusion_matrix", (Tensor("x", "...", ALL_INTS), Tensor("y", "...", ALL_INTS), WEIGHT), (Int("count"),),
    any_rank(lambda c: Shape((c["count"], c["count"]))), INT64,
    doc="How often (or with what weight) each class in x goes with each class in y.",
    evaluate=counted_bins.confusion,
)  # fmt: skip


def dist_type(c: Call) -> DType | None:
    """Norms are real; truth values have no difference in some libraries."""
    made = Within(Promote("x", "y"), FLOATS | COMPLEXES)(c)
    if c.option("no_truth_values") and BOOL in (c.dtype("x"), c.dtype("y")):
        raise c.refuse("dtype", "truth values have no difference", ("x", "y"))
    return None if made is None else made.real


DIST = Op(
    "dist",
    inputs=(Tensor("x", "...", NUMERIC), Tensor("y", "...", NUMERIC)),
    attributes=(Number("p", 2),),
    shape=lambda c: c.broadcast(c.shape("x"), c.shape("y"), about=("x", "y"))[:0],
    dtype=dist_type,
    doc="The p-norm of the difference.",
    values=COUNTS,
    evaluate=lambda np, a: counted_bins.p_norm(np, np.subtract(a["x"], a["y"]), a["p"]),
)
