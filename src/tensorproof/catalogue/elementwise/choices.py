"""Bounds and choices: clamp, where, and the places of what is not zero."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.contents import each
from tensorproof.ops.element_types import Promote, Within
from tensorproof.ops.evaluation import Arguments, numpy, plain
from tensorproof.ops.facts import LIMITED, mixes
from tensorproof.ops.families import NUMERIC, broadcast_shape
from tensorproof.ops.inputs import Tensor
from tensorproof.ops.record import NON_NEGATIVE, Op, Values
from tensorproof.ops.storage import true_count
from tensorproof.terms.dtypes import (
    ALL_INTS,
    BOOL,
    BOOLS,
    FLOAT8S,
    INT64,
    NUMBERS,
    REALS_OR_BOOL,
    UINT8,
    DType,
)
from tensorproof.terms.ints import maximum, minimum

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


@any_rank
def clamp_shape(c: Call) -> Any:
    c.require("bounds", c.given("low") or c.given("high"), f"{c.name} needs a lower or an upper bound", ("low", "high"))
    return broadcast_shape(c)


def _fold_clamp(c: Call) -> Any:
    names = tuple(n for n in ("x", "low", "high") if c.given(n))

    def bounded(x: Any, *limits: Any) -> Any:
        for name, limit in zip(names[1:], limits):
            x = maximum(x, limit) if name == "low" else minimum(x, limit)
        return x

    return each(c, bounded, names, Promote("x", "low", "high")(c))


def limited(np: Numpy, a: Arguments) -> Array:
    x = a["x"] if a["low"] is None else np.maximum(a["x"], a["low"])
    return x if a["high"] is None else np.minimum(x, a["high"])


def clamped(c: Call) -> DType | None:
    """The common type. Some libraries clamp truth values by one tensor and not by numbers."""
    dtype = Within(Promote("x", "low", "high"), REALS_OR_BOOL)(c)
    if c.option("truth_values_by_tensor") and dtype is BOOL:
        bounds = [v for v in (c["low"], c["high"]) if v is not None]
        c.require("dtype", len(bounds) == 1 and not bounds[0].weak, f"{c.name} does not take truth values with these bounds", "x")
    return dtype


CLAMP = Op(
    "clamp",
    inputs=(Tensor("x", "...", NUMERIC), *(Tensor(name, "...", NUMERIC, optional=True, scalar=True, held=True) for name in ("low", "high"))),
    shape=clamp_shape,
    dtype=clamped,
    fold=_fold_clamp,
    order="like",
    evaluate=limited,
    values=LIMITED,
)
WHERE = Op(
    "where",
    inputs=(Tensor("condition", "...", BOOLS | {UINT8}), Tensor("x", "...", scalar=True), Tensor("y", "...", scalar=True)),
    shape=broadcast_shape,
    dtype=Promote("x", "y"),
    order="like",
    values=mixes("x y", "condition"),
    evaluate=numpy("where", "condition", "x", "y"),
    fold=lambda c: each(c, lambda k, x, y: x if k else y, ("condition", "x", "y"), Promote("x", "y")(c)),
)


def true_places(c: Call) -> list[tuple[Any]]:
    """One index vector an axis, as long as the condition has ones."""
    return [(true_count(c, c.tensor("condition")),)] * max(c.rank("condition"), 1)


WHERE_TRUE = Op(
    "where_true", inputs=(Tensor("condition", "...", NUMBERS | ALL_INTS | FLOAT8S),), shape=true_places, dtype=INT64, counted=True, data_dependent=True,
    doc="the places of what is not zero, one index vector an axis", values=Values("bounded", bounds=NON_NEGATIVE, over="condition"),
    evaluate=lambda np, a: np.nonzero(np.atleast_1d(plain(np, np.not_equal(a["condition"], 0)))),
)  # fmt: skip
