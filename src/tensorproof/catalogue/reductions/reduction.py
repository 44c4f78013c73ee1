"""Reductions: axes folded away by a sum, a product, an extreme or a test. Order statistics and histograms are in `statistics`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Given, Like, Summed, ToFloat, Within, float_of
from tensorproof.ops.evaluation import numpy_reduction
from tensorproof.ops.facts import GREATEST, LEAST, places
from tensorproof.ops.families import NUMERIC, reduced_shape, reduction
from tensorproof.ops.hazards import slope
from tensorproof.ops.inputs import Axes, Bool, ElementType, Int, Number, Tensor
from tensorproof.ops.later import later, makers
from tensorproof.ops.lines import known, lines
from tensorproof.ops.record import NON_NEGATIVE, Formula, Op, Out, Values
from tensorproof.terms.dtypes import BOOL, FLOAT64, FLOATS, FULL_COMPLEXES, INT64, NUMBERS, REALS_OR_BOOL, UINT8, UINT64, DType
from tensorproof.terms.ints import Term, maximum, minimum, product
from tensorproof.terms.predicates import ge
from tensorproof.terms.records import replace

if TYPE_CHECKING:
    from tensorproof.catalogue.arrays.formulas import memory as memory_formulas
    from tensorproof.catalogue.reductions.formulas import folded_lines
    from tensorproof.catalogue.reductions.formulas import folded_lines as made
else:
    folded_lines = later("catalogue.reductions.formulas.folded_lines")
    made = makers("catalogue.reductions.formulas.folded_lines")
    memory_formulas = later("catalogue.arrays.formulas.memory")


def axes_of(c: Call) -> tuple[int, ...]:
    """The axes that a reduction folds away."""
    axes = c["dim"]
    return tuple(range(c.rank("x"))) if axes is None else axes if isinstance(axes, tuple) else (axes,)


def folded(function: Callable[[list[Any]], Any], symbolic: bool = True) -> Callable[[Call], tuple[Any, ...] | None]:
    """Exact results for small tensors of whole numbers; `symbolic` where unknown elements do no harm."""

    def fold(c: Call) -> tuple[Any, ...] | None:
        x = c.tensor("x")
        if not known(x) or (c["dtype"] is not None and not c["dtype"].is_integer):
            return None
        if not symbolic and any(isinstance(v, Term) for v in x.contents or ()):
            return None
        return tuple(function(line) for line in lines(x, axes_of(c)))

    return fold


def _numbers(line: list[Any]) -> list[Any]:
    return [int(v) if isinstance(v, bool) else v for v in line]


def _extreme(pick: Callable[..., Any]) -> Callable[[list[Any]], Any]:
    return lambda line: pick(*line) if not isinstance(line[0], bool) else bool(pick(*map(int, line)))


def averaged(c: Call) -> DType | None:
    """The element type of a mean: some libraries want floats, some make them, others keep whole numbers."""
    dtype = c.dtype("x")
    match c.option("means"):
        case "of_floats":
            chosen = c["dtype"] or dtype
            if chosen is not None and not (chosen.is_float or chosen.is_complex):
                raise c.refuse("dtype", f"{c.name} has no value of type {chosen!r}; convert to a float first or give dtype=", "x")
            return chosen
        case "doubles":
            return c["dtype"] or (FLOAT64 if dtype is not None and dtype.kind in "iub" else dtype)
        case "floats":
            return float_of(c, dtype)
        case _:
            return dtype


def spread(c: Call) -> DType | None:
    """The element type of a variance: real."""
    dtype = averaged(c)
    return None if dtype is None else dtype.real


DTYPE = ElementType("dtype")
STORED = NUMERIC | frozenset(d for d in DType if d.is_float)
"""What may be summed when `dtype` says into what: float8 too."""
total = Within(Given("dtype", Summed()), REALS_OR_BOOL | FULL_COMPLEXES)
"""The element type of a sum: what torch has a kernel for."""
CORRECTION = Number("correction", 1, optional=True)
SPREAD = Values("bounded", bounds=NON_NEGATIVE)


def nan_total(c: Call) -> DType | None:
    """Sums that look for NaN are of real numbers (torch)."""
    made = total(c)
    dtype = c.dtype("x") or made
    if c.option("real_only") and made is not None and dtype is not None and (dtype.is_complex or (made.is_complex and dtype.is_float)):
        raise c.refuse("dtype", f"{c.name} does not sum complex numbers", ("x", "dtype"))
    return made


SUM = reduction(
    "sum", STORED, DTYPE, dtype=total, fold=folded(lambda v: sum(_numbers(v))), values=Values("totals", over="x"), doc="The sum over axes.",
    evaluate=made.summed("sum"),
)  # fmt: skip
NANSUM = reduction(
    "nansum", STORED, DTYPE, dtype=nan_total, doc="The sum of what is not NaN.",
    evaluate=lambda np, a: folded_lines.nan_sum(np, folded_lines.cast_first(np, a), folded_lines.over(a)),
)  # fmt: skip
PROD = reduction("prod", STORED, DTYPE, dtype=total, fold=folded(lambda v: product(_numbers(v))), doc="The product over axes.", evaluate=made.summed("prod"))
MEAN = reduction(
    "mean", STORED, DTYPE, dtype=Within(averaged, FLOATS | FULL_COMPLEXES), values=Values("convex"), doc="The mean over axes.",
    evaluate=made.summed("mean"),
)  # fmt: skip
NANMEAN = reduction("nanmean", STORED, DTYPE, dtype=Within(averaged, FLOATS), doc="The mean of what is not NaN.", evaluate=made.reduced(folded_lines.nan_mean))
AMAX = reduction(
    "amax",
    NUMERIC,
    dtype=Like("x"),
    nonempty=True,
    values=GREATEST,
    fold=folded(_extreme(maximum)),
    evaluate=numpy_reduction("max"),
    doc="The greatest element.",
)
AMIN = reduction(
    "amin",
    NUMERIC,
    dtype=Like("x"),
    nonempty=True,
    values=LEAST,
    fold=folded(_extreme(minimum)),
    evaluate=numpy_reduction("min"),
    doc="The least element.",
)
NANMAX = reduction(
    "nanmax", NUMERIC, dtype=Like("x"), nonempty=True, values=Values("convex"), doc="The greatest element that is not NaN.",
    evaluate=made.reduced(made.nan_extreme("max")),
)  # fmt: skip
NANMIN = reduction(
    "nanmin", NUMERIC, dtype=Like("x"), nonempty=True, values=Values("convex"), doc="The least element that is not NaN.",
    evaluate=made.reduced(made.nan_extreme("min")),
)  # fmt: skip
AMINMAX = reduction(
    "aminmax",
    NUMERIC,
    dtype=Like("x"),
    nonempty=True,
    one_axis=True,
    outputs=(Out("min", values=LEAST), Out("max", values=GREATEST)),
    doc="The least and the greatest element.",
    evaluate=lambda np, a: (np.min(a["x"], **folded_lines.over(a)), np.max(a["x"], **folded_lines.over(a))),
)
MAX_ALONG, MIN_ALONG = (
    reduction(
        name, NUMERIC, dtype=Like("x"), nonempty=True, one_axis=True,
        outputs=(Out("values", values=GREATEST if word == "greatest" else LEAST), Out("indices", INT64, values=places("dim"))),
        doc=f"The {word} element along an axis, and where it stands.", evaluate=made.extreme_along(name[:3]),
    )
    for name, word in (("max_along", "greatest"), ("min_along", "least"))
)  # fmt: skip
EXTREMES = (MAX_ALONG, MIN_ALONG)


def place_type(c: Call) -> DType:
    """Indices are int64, unless an argument says otherwise (TensorFlow)."""
    return c["dtype"] or INT64


ARGMAX = reduction(
    "argmax", NUMERIC, DTYPE, dtype=place_type, nonempty=True, one_axis=True,
    fold=folded(lambda v: v.index(max(v)), symbolic=False), values=places("dim"), doc="Where the greatest element stands.",
    evaluate=numpy_reduction("argmax"),
)  # fmt: skip
ARGMIN = reduction(
    "argmin", NUMERIC, DTYPE, dtype=place_type, nonempty=True, one_axis=True,
    fold=folded(lambda v: v.index(min(v)), symbolic=False), values=places("dim"), doc="Where the least element stands.",
    evaluate=numpy_reduction("argmin"),
)  # fmt: skip


def truth_type(c: Call) -> DType:
    """uint8 is a truth value too where the library says so."""
    return UINT8 if c.option("keeps_uint8") and c.dtype("x") is UINT8 else BOOL


ANY = reduction(
    "any",
    NUMERIC,
    dtype=truth_type,
    fold=folded(lambda v: any(v), symbolic=False),
    empty_is_all=False,
    doc="Whether any element is true.",
    evaluate=numpy_reduction("any"),
)
ALL = reduction(
    "all",
    NUMERIC,
    dtype=truth_type,
    fold=folded(lambda v: all(v), symbolic=False),
    empty_is_all=False,
    doc="Whether every element is true.",
    evaluate=numpy_reduction("all"),
)


def count_type(c: Call) -> DType:
    """Some types are counted only along axes where the library says so."""
    if c.option("some_types_by_axes") and c["dim"] is None and c.dtype("x") not in NUMBERS | {None}:
        raise c.refuse("dtype", f"{c.name} does not count all elements of type {c.dtype('x')!r}; name the axes", ("x", "dim"))
    return place_type(c)


COUNT_NONZERO = reduction(
    "count_nonzero", STORED, DTYPE, dtype=count_type, fold=folded(lambda v: sum(1 for e in v if e), symbolic=False),
    values=Values("counts", over="x"), doc="How many elements are not zero.",
    evaluate=numpy_reduction("count_nonzero"),
)  # fmt: skip
LOGSUMEXP = replace(
    reduction("logsumexp", NUMERIC, dtype=ToFloat("x"), doc="The logarithm of the sum of exponentials.", evaluate=made.reduced(folded_lines.logsumexp)),
    order="compact",
)
VAR = reduction("var", NUMERIC, CORRECTION, dtype=spread, values=SPREAD, doc="The variance over axes.", evaluate=folded_lines.variance)
STD = reduction("std", NUMERIC, CORRECTION, dtype=spread, values=SPREAD, doc="The standard deviation over axes.", evaluate=folded_lines.deviation)
STD = replace(STD, gradient_hazards=slope("std/gradient", "x", "the deviation is not 0", lambda np, a: np.greater(folded_lines.deviation(np, a), 0.0)))
NANVAR = reduction("nanvar", NUMERIC, CORRECTION, dtype=spread, values=SPREAD, doc="The variance of what is not NaN.", evaluate=folded_lines.nan_variance)
NANSTD = reduction(
    "nanstd", NUMERIC, CORRECTION, dtype=spread, values=SPREAD, doc="The standard deviation of what is not NaN.",
    evaluate=lambda np, a: np.sqrt(folded_lines.nan_variance(np, a)),
)  # fmt: skip


def _moments(name: str, evaluate: Formula, doc: str) -> Op:
    def shape(c: Call) -> list[Any]:
        made = reduced_shape(c)
        x = c.tensor("x")
        return [made, x.but(shape=made, contents=None, strides=None, weak=False, dtype=averaged(c))]

    return Op(
        name, (Tensor("x", "...", NUMERIC),), (Axes("dim", None, empty_is_all=True), Bool("keepdim", False), CORRECTION), shape, spread,
        outputs=(Out(name.partition("_")[0]), Out("mean")), doc=doc,
        evaluate=lambda np, a: (evaluate(np, a), folded_lines.average(np, a)), values=SPREAD,
    )  # fmt: skip


VAR_MEAN = _moments("var_mean", folded_lines.variance, "The variance and the mean over axes.")
STD_MEAN = _moments("std_mean", folded_lines.deviation, "The standard deviation and the mean over axes.")


def hashed(c: Call) -> DType:
    c.require("empty", c["dim"] is not None or ge(c.shape("x").numel, 1), "a tensor without elements has a hash only along a given axis", "x")
    return UINT64


HASH_TENSOR = reduction(
    "hash_tensor", NUMERIC, Int("mode", 0, least=0, most=0), dtype=hashed, doc="The exclusive or of the elements' bits.", evaluate=memory_formulas.hashed_bits
)
