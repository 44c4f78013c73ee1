"""Scans along one axis: running sums, products and extremes, and differences."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Given, Like, Promote, Summed, Within, float_of
from tensorproof.ops.families import NUMERIC, replaced, same_shape
from tensorproof.ops.inputs import Axis, ElementType, Int, Number, Tensor
from tensorproof.ops.lines import Lined, along
from tensorproof.ops.record import DTypeRule, Op, Out
from tensorproof.terms.dtypes import BOOL, FULL_COMPLEXES, INT64, REALS, REALS_OR_BOOL, DType
from tensorproof.terms.ints import ite, maximum
from tensorproof.terms.predicates import disj, eq
from tensorproof.terms.shapes import Shape

STORED = NUMERIC | frozenset(d for d in DType if d.is_float)


def _running(step: Callable[[Any, Any], Any]) -> Callable[[Call], tuple[Any, ...] | None]:
    def fold(c: Call) -> tuple[Any, ...] | None:
        if c["dtype"] is not None and not c["dtype"].is_integer:
            return None
        return along(c.tensor("x"), c["dim"], lambda line: list(accumulate((int(v) if isinstance(v, bool) else v for v in line), step)))

    return fold


def scan(name: str, *attributes: Any, dtype: DTypeRule, fold: Any = None, doc: str = "") -> Op:
    """One axis is run along; the shape stays."""
    return Op(
        name,
        (Tensor("x", "...", STORED),),
        (Axis("dim"), *attributes),
        same_shape,
        dtype,
        fold=fold,
        doc=doc,
    )


def total(c: Call) -> DType | None:
    """The element type of running sums; a tensor of rank 0 is its own, and needs no kernel."""
    rule = Given("dtype", Summed())
    return rule(c) if c.shape("x") == () else Within(rule, REALS | FULL_COMPLEXES)(c)


CUMSUM = scan("cumsum", ElementType(), dtype=total, fold=_running(lambda a, b: a + b), doc="Running sums.")
CUMPROD = scan("cumprod", ElementType(), dtype=total, fold=_running(lambda a, b: a * b), doc="Running products.")
LOGCUMSUMEXP = scan("logcumsumexp", dtype=Like("x"), doc="Running logarithms of sums of exponentials.")
EXTREMES = tuple(
    Op(
        name, (Tensor("x", "...", STORED),), (Axis("dim"),), lambda c: [c.shape("x")] * 2, Lined(REALS_OR_BOOL, Like("x")),
        outputs=(Out("values"), Out("indices", INT64)), doc=f"The {word} element so far, and where it stood.",
    )
    for name, word in (("cummax", "greatest"), ("cummin", "least"))
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


DIFF = Op(
    "diff",
    inputs=(
        Tensor("x", "... _", NUMERIC),
        Tensor("prepend", "...", NUMERIC, optional=True),
        Tensor("append", "...", NUMERIC, optional=True),
    ),
    attributes=(Int("n", 1, least=0), Axis("dim", -1)),
    shape=diff_shape,
    dtype=Promote("x", "prepend", "append"),
    doc="Differences of neighbours along an axis, n times over.",
)


def _samples(c: Call) -> Shape:
    """The broadcast of y with the places x of its samples, the axis moved along."""
    y, dim = c.shape("y"), c["dim"]
    if not c.given("x"):
        return y
    x = c.shape("x")
    if len(x) == 1:
        c.require("samples", disj(eq(x[0], y[dim]), eq(y[dim], 0)), f"there are {x[0]!r} places for {y[dim]!r} samples", ("x", "y"))
        return y
    padded = Shape((1,) * (len(y) - len(x)) + tuple(x))
    c.require("rank", len(x) <= len(y), f"x has rank {len(x)}, more than y's {len(y)}", ("x", "y"))
    held, n = padded[dim], y[dim]
    steps = disj(eq(held, n), eq(n, 0), eq(held, 2), eq(n, 2))  # the steps between places broadcast with those between samples
    c.require("samples", steps if c.framework == "torch" else eq(held, n), f"there are {held!r} places for {n!r} samples", ("x", "y"))
    between = held - 1 if held == n else ite(eq(held, 2), n - 1, held - 1)
    return replaced(c.broadcast(replaced(padded, dim, 1), replaced(y, dim, 1), about=("x", "y")), dim, between + 1)


def trapezoid_type(c: Call) -> DType | None:
    """Whole numbers are halved, so they become floats; truth values are refused."""
    common = Promote("y", "x")(c)
    if c.framework == "torch" and BOOL in (c.dtype("y"), c.dtype("x") if c.given("x") else None):
        raise c.refuse("dtype", "truth values have no integral", ("y", "x"))
    return float_of(c, common)


_CURVE = (Tensor("y", "... _", NUMERIC), Tensor("x", "... _", NUMERIC, optional=True))
_STEPS = (Number("dx", 1), Axis("dim", -1, of="y"))
TRAPEZOID = Op(
    "trapezoid", _CURVE, _STEPS, lambda c: Shape(s for i, s in enumerate(_samples(c)) if i != c["dim"]), trapezoid_type,
    doc="The integral along an axis by the trapezoidal rule.",
)  # fmt: skip
CUMULATIVE_TRAPEZOID = Op(
    "cumulative_trapezoid", _CURVE, _STEPS, lambda c: replaced(_samples(c), c["dim"], maximum(_samples(c)[c["dim"]] - 1, 0)), trapezoid_type,
    doc="Running integrals along an axis by the trapezoidal rule.",
)  # fmt: skip
