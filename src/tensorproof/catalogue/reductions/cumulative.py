"""Scans along one axis: running sums, products and extremes, and differences."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Given, Like, Promote, Summed, Within, float_of
from tensorproof.ops.facts import SELECTS, places
from tensorproof.ops.families import NUMERIC, replaced, same_shape
from tensorproof.ops.inputs import Anything, Axes, Axis, Bool, ElementType, Int, Number, Tensor
from tensorproof.ops.later import later, makers
from tensorproof.ops.lines import Lined, along
from tensorproof.ops.record import DTypeRule, Evaluate, Op, Out
from tensorproof.ops.storage import cast
from tensorproof.terms.dtypes import BOOL, FULL_COMPLEXES, INT64, NUMBERS, REALS, REALS_OR_BOOL, DType
from tensorproof.terms.ints import ite, maximum
from tensorproof.terms.predicates import conj, disj, eq, ge
from tensorproof.terms.promotion import Operand
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.reductions.formulas import folded_lines
    from tensorproof.catalogue.reductions.formulas import folded_lines as made
else:
    folded_lines = later("catalogue.reductions.formulas.folded_lines")
    made = makers("catalogue.reductions.formulas.folded_lines")

STORED = NUMERIC | frozenset(d for d in DType if d.is_float)


def _running(step: Callable[[Any, Any], Any], first: int) -> Callable[[Call], tuple[Any, ...] | None]:
    """`first` stands before the first element where a scan leaves the element itself out."""

    def fold(c: Call) -> tuple[Any, ...] | None:
        if (c["dtype"] is not None and not c["dtype"].is_integer) or type(c["dim"]) is not int:
            return None

        def scanned(line: Any) -> list[Any]:
            items = [int(v) if isinstance(v, bool) else v for v in line]
            done = list(accumulate(reversed(items) if c["reverse"] else items, step))
            done = [first, *done[:-1]] if c["exclusive"] and done else done
            return done[::-1] if c["reverse"] else done

        return along(c.tensor("x"), c["dim"], scanned)

    return fold


def scan(name: str, *attributes: Any, dtype: DTypeRule, fold: Any = None, evaluate: Evaluate | None = None, doc: str = "") -> Op:
    """One axis is run along, from its end where `reverse` is set; the shape stays. `exclusive`: an element's own value is left out."""
    return Op(
        name,
        (Tensor("x", "...", STORED),),
        (Axis("dim"), *attributes, Bool("exclusive", False), Bool("reverse", False)),
        same_shape,
        dtype,
        fold=fold,
        evaluate=evaluate,
        order="compact",
        doc=doc,
    )


def total(c: Call) -> DType | None:
    """The element type of running sums; a tensor of rank 0 is its own, and needs no kernel."""
    rule = Given("dtype", Summed())
    if c.shape("x") == () and c.name.endswith("_"):  # in place torch only copies the one number
        return c.dtype("x")
    return rule(c) if c.shape("x") == () else Within(rule, REALS | FULL_COMPLEXES)(c)


CUMSUM = scan(
    "cumsum", ElementType(), dtype=total, fold=_running(lambda a, b: a + b, 0),
    evaluate=made.running(lambda np, x, dim: np.cumsum(x, axis=dim), 0), doc="Running sums.",
)  # fmt: skip
CUMPROD = scan(
    "cumprod", ElementType(), dtype=total, fold=_running(lambda a, b: a * b, 1),
    evaluate=made.running(lambda np, x, dim: np.cumprod(x, axis=dim), 1), doc="Running products.",
)  # fmt: skip
LOGCUMSUMEXP = scan(
    "logcumsumexp",
    dtype=Like("x"),
    evaluate=made.running(folded_lines.running_logsumexp, float("-inf")),
    doc="Running logarithms of sums of exponentials.",
)
EXTREMES = tuple(
    Op(
        name, (Tensor("x", "...", STORED),), (Axis("dim"),), lambda c: [c.shape("x")] * 2, Lined(REALS_OR_BOOL, Like("x")),
        outputs=(Out("values", values=SELECTS), Out("indices", INT64, values=places("dim"))), doc=f"The {word} element so far, and where it stood.",
        evaluate=made.running_extreme(function),
    )
    for name, word, function in (("cummax", "greatest", "maximum"), ("cummin", "least", "minimum"))
)  # fmt: skip


def diff_shape(c: Call) -> Shape:
    x, dim = c.shape("x"), c["dim"]
    size = x[dim]
    for name in ("prepend", "append"):
        if not c.given(name):
            continue
        other = c.shape(name)
        c.require("rank", len(other) == len(x), f"{name} has rank {len(other)}, and x has rank {len(x)}", (name, "x"))
        for i, (a, b) in enumerate(zip(other, x)):
            c.require("size", i == dim or eq(a, b), f"axis {i} of {name} is {a!r}, and that of x is {b!r}", (name, "x"))
        size = size + other[dim]
    return x if c["n"] == 0 else replaced(x, dim, maximum(size - c["n"], 0))  # without a difference nothing is joined on either


def _fold_differences(c: Call) -> tuple[Any, ...] | None:
    """Of a vector of whole numbers."""
    x, dtype = c.tensor("x"), c.dtype("x")
    if x.contents is None or len(x.shape) != 1 or dtype is None or not dtype.is_integer or c["n"] != 1 or c.given("prepend") or c.given("append"):
        return None
    return cast(tuple(b - a for a, b in pairwise(x.contents)), dtype)


_DIFFERENCES = Within(Promote("x", "prepend", "append"), NUMBERS)
DIFF = Op(
    "diff",
    inputs=(
        Tensor("x", "... _", NUMERIC),
        Tensor("prepend", "...", NUMERIC, optional=True),
        Tensor("append", "...", NUMERIC, optional=True),
    ),
    attributes=(Int("n", 1, least=0), Axis("dim", -1)),
    shape=diff_shape,
    dtype=lambda c: c.dtype("x") if c["n"] == 0 else _DIFFERENCES(c),
    fold=_fold_differences,
    doc="Differences of neighbours along an axis, n times over.",
    evaluate=folded_lines.differences,
)


def _steps(c: Call) -> Shape:
    """The shape of the areas between neighbours: those of y, broadcast with the steps between the places x of its samples."""
    y, dim = c.shape("y"), c["dim"]
    n = y[dim]
    areas = replaced(y, dim, maximum(n - 1, 0))
    whole = c.op.name == "trapezoid"
    if not c.given("x"):
        return areas
    x = c.shape("x")
    if len(x) == 1:
        c.require("samples", disj(eq(x[0], n), eq(n, 0) if whole else False), f"there are {x[0]!r} places for {n!r} samples", ("x", "y"))
        return areas
    if whole and c.option("samples_broadcast") and eq(n, 0) is True:
        return areas
    padded = Shape((1,) * (len(y) - len(x)) + tuple(x))
    if not c.option("samples_broadcast"):
        c.require("rank", len(x) <= len(y), f"x has rank {len(x)}, more than y's {len(y)}", ("x", "y"))
        c.require("samples", eq(padded[dim], n), f"there are {padded[dim]!r} places for {n!r} samples", ("x", "y"))
    return c.broadcast(replaced(padded, dim, maximum(padded[dim] - 1, 0)), areas, about=("x", "y"), code="samples")


def trapezoid_type(c: Call) -> DType | None:
    """Whole numbers are halved, so they become floats; truth values are refused."""
    common = Promote("y", "x")(c)
    if c.option("no_truth_values") and BOOL in (c.dtype("y"), c.dtype("x") if c.given("x") else None):
        raise c.refuse("dtype", "truth values have no integral", ("y", "x"))
    if c.op.name == "trapezoid" and c.option("samples_broadcast") and eq(c.shape("y")[c["dim"]], 0) is True:
        return c.dtype("y")  # no areas are computed
    return float_of(c, common)


_CURVE = (Tensor("y", "... _", NUMERIC), Tensor("x", "...", NUMERIC, optional=True, draw="... _"))
_STEPS = (Number("dx", 1), Axis("dim", -1, of="y"))
TRAPEZOID = Op(
    "trapezoid", _CURVE, _STEPS, lambda c: Shape(s for i, s in enumerate(_steps(c)) if i != c["dim"]), trapezoid_type,
    doc="The integral along an axis by the trapezoidal rule.",
    evaluate=folded_lines.area,
)  # fmt: skip
CUMULATIVE_TRAPEZOID = Op(
    "cumulative_trapezoid", _CURVE, _STEPS, _steps, trapezoid_type,
    doc="Running integrals along an axis by the trapezoidal rule.",
    evaluate=lambda np, a: np.cumsum(folded_lines.trapezoids(np, a), axis=a["dim"]),
)  # fmt: skip


def _spacings(c: Call) -> list[Any]:
    """The spacing along each axis that is differentiated: a number, or the places of the samples."""
    axes, spacing = _gradient_axes(c), c["spacing"]
    if not isinstance(spacing, (tuple, list)):
        return [spacing] * len(axes)
    message = f"{len(spacing)} spacings are given for {len(axes)} axes"
    c.require("spacing", len(spacing) == len(axes), message, ("spacing", "dim"))
    return list(spacing)


def _gradient_axes(c: Call) -> tuple[int, ...]:
    return tuple(range(c.rank("x"))) if c["dim"] is None else c["dim"]


def gradient_shapes(c: Call) -> list[TensorType]:
    """One result for each axis. The places along an axis stand in for as many samples."""
    x = c.shape("x")
    made: list[TensorType] = []
    for axis, spacing in zip(_gradient_axes(c), _spacings(c)):
        c.require("size", ge(x[axis], c["edge_order"] + 1), f"axis {axis} has {x[axis]!r} samples, and edge_order = {c['edge_order']} needs more", ("x", "dim"))
        dtype, shape = float_of(c, c.dtype("x")), x
        if isinstance(spacing, TensorType) and (len(spacing.shape) or isinstance(c["spacing"], (tuple, list))):
            c.require("spacing", eq(spacing.shape.rank, 1), f"the places along axis {axis} must be a vector, and are {spacing.shape!r}", "spacing")
            n, places = x[axis], spacing.shape[0]
            fits = conj(disj(eq(places, n), eq(places, 3), eq(n, 3)), ge(places, c["edge_order"] + 1))  # inner samples broadcast with inner places
            c.require("spacing", fits, f"axis {axis} has {n!r} samples and {places!r} places", ("spacing", "x"))
            shape = replaced(x, axis, n if eq(places, n) is True else ite(eq(n, 3), places, n))
            if dtype is not None and spacing.dtype is not None:
                dtype = c.common_type([Operand(dtype, False, False), Operand(spacing.dtype, False, False)])
        elif isinstance(spacing, complex) and dtype is not None:
            dtype = dtype.complexified
        made.append(TensorType(shape, dtype))
    return made


GRADIENT = Op(
    "gradient",
    inputs=(Tensor("x", "...", NUMERIC),),
    attributes=(Anything("spacing", None, like=(None, 1.0, 2)), Axes("dim", None, scalar_ok=False), Int("edge_order", 1, least=1, most=2)),
    shape=gradient_shapes,
    counted=True,
    doc="The slope along each axis, by differences of neighbours.",
    evaluate=folded_lines.slopes,
)
