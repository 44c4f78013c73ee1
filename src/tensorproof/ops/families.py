"""Families: the common rules that make the median operator a few lines.

Each function returns an `Op`; `shape` rules that several operators share stand here under plain names.
"""

from __future__ import annotations

from typing import Any

from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Promote, Summed, ToFloat, Within
from tensorproof.ops.inputs import Attribute, Axes, Axis, Bool, ElementType, Tensor
from tensorproof.ops.record import DTypeRule, Evaluate, Hazard, Op, Out, Values
from tensorproof.terms.dtypes import BOOL, FLOAT8S, INT64, NUMBERS, REALS_OR_BOOL, DType, DTypes, of_kind
from tensorproof.terms.ints import Dim
from tensorproof.terms.shapes import Shape, shape_from
from tensorproof.terms.tensor import TensorType

UNKNOWN = Values()
"""Nothing is known of the values."""


@any_rank
def same_shape(c: Call) -> Shape:
    """The shape of the first input."""
    return c.shape(c.op.inputs[0].name)


@any_rank
def broadcast_shape(c: Call) -> Shape:
    """The broadcast of every tensor input that was given."""
    named = [(p.name, c[p.name]) for p in c.op.inputs]
    shapes = [v.shape for _, v in named if isinstance(v, TensorType)]
    return c.broadcast(*shapes, about=[n for n, v in named if v is not None])


def elementwise(
    name: str,
    dtypes: DTypes = NUMBERS,
    *attributes: Attribute,
    dtype: DTypeRule | DType | None = None,
    values: Values = UNKNOWN,
    hazards: tuple[Hazard, ...] = (),
    fold: Any = None,
    evaluate: Evaluate | None = None,
    doc: str = "",
) -> Op:
    """One input, one output of the same shape. Whole numbers become floats unless `dtype` says otherwise."""
    return Op(
        name, (Tensor("x", "...", dtypes),), attributes, same_shape, dtype if dtype is not None else ToFloat("x"),
        values=values, hazards=hazards, fold=fold, evaluate=evaluate, order="like", doc=doc,
    )  # fmt: skip


def pairwise(
    name: str,
    dtypes: DTypes = NUMBERS,
    *attributes: Attribute,
    dtype: DTypeRule | DType | None = None,
    values: Values = UNKNOWN,
    hazards: tuple[Hazard, ...] = (),
    fold: Any = None,
    ones: Any = None,
    opposite: str = "",
    evaluate: Evaluate | None = None,
    doc: str = "",
) -> Op:
    """Two inputs that broadcast against each other; either may be a Python number."""
    return Op(
        name, (Tensor("x", "...", dtypes, scalar=True), Tensor("y", "...", dtypes, scalar=True)), attributes, broadcast_shape,
        dtype if dtype is not None else Promote("x", "y"), values=values, hazards=hazards, fold=fold, evaluate=evaluate,
        ones=ones, opposite=opposite, order="like", doc=doc,
    )  # fmt: skip


NUMERIC: DTypes = of_kind("buifc") | FLOAT8S
"""Every element type that some framework computes with."""


def promoting(
    name: str,
    takes: DTypes,
    *attributes: Attribute,
    dtype: DTypeRule | None = None,
    values: Values = UNKNOWN,
    hazards: tuple[Hazard, ...] = (),
    fold: object = None,
    ones: object = None,
    operands: DTypes = NUMERIC,
    evaluate: Evaluate | None = None,
    doc: str = "",
) -> Op:
    """Two inputs that broadcast, of any element types whose common one (what `dtype` makes of them) torch `takes`."""
    rule = Within(dtype if dtype is not None else Promote("x", "y"), takes)
    return pairwise(name, operands, *attributes, dtype=rule, values=values, hazards=hazards, fold=fold, ones=ones, evaluate=evaluate, doc=doc)


def reduced_shape(c: Call, x: str = "x", dim: str = "dim", keep: str = "keepdim") -> Shape:
    """The shape without the reduced axes, or with 1 in their place."""
    axes = c[dim]
    shape = c.shape(x)
    gone = range(len(shape)) if axes is None else (axes,) if isinstance(axes, int) else axes
    if c[keep]:
        return Shape(1 if i in gone else size for i, size in enumerate(shape))
    return Shape(size for i, size in enumerate(shape) if i not in gone)


def reduction(
    name: str,
    dtypes: DTypes = NUMBERS,
    *attributes: Attribute,
    dtype: DTypeRule | DType | None = None,
    nonempty: bool = False,
    one_axis: bool = False,
    outputs: tuple[Out, ...] = (),
    values: Values = UNKNOWN,
    fold: Any = None,
    empty_is_all: bool = True,
    evaluate: Evaluate | None = None,
    doc: str = "",
) -> Op:
    """Axes are folded away (`dim`, `keepdim`). `nonempty`: a reduced axis of size 0 is refused, unless the option `empty` is set."""

    @any_rank
    def shape(c: Call) -> Any:
        if not c.shape("x").known:
            c.session.made += 1
            whole = c["dim"] is None and not c["keepdim"]
            if c["dim"] is not None:
                c.leave_rank_open()
            unknown = Shape() if whole else shape_from(f"{name}{c.session.site}#{c.session.made}", [c.shape("x")])
            return [unknown] * len(outputs) if outputs else unknown
        most = c.option("most_axes")
        c.require("rank", not isinstance(most, int) or c.rank("x") <= most, f"{c.name} takes at most {most} axes, and x has {c.rank('x')}", "x")
        if nonempty and not c["empty"] and not c.option("extremes_of_nothing"):
            axes = c["dim"]
            sizes = c.shape("x") if axes is None else [c.shape("x")[a] for a in ((axes,) if isinstance(axes, int) else axes) if len(c.shape("x"))]
            for size in sizes:
                from tensorproof.terms.predicates import ge

                what = "of a tensor without elements" if axes is None else "over an axis of size 0"
                c.require("empty", ge(size, 1), f"{c.name} {what} has no value", ("x", "dim"))
        result = reduced_shape(c)
        return [result] * len(outputs) if outputs else result

    axis: Attribute = Axis("dim", None, optional=True) if one_axis else Axes("dim", None, empty_is_all=empty_is_all)
    return Op(
        name, (Tensor("x", "...", dtypes),), (axis, Bool("keepdim", False), *attributes, *((Bool("empty", False),) if nonempty else ())), shape,
        dtype if dtype is not None else Summed("x"), outputs=outputs, values=values, fold=fold, evaluate=evaluate, order="rows", doc=doc,
    )  # fmt: skip


def comparison(name: str, dtypes: DTypes = REALS_OR_BOOL, evaluate: Evaluate | None = None, doc: str = "") -> Op:
    """Two inputs that broadcast; the result is truth values."""

    def dtype(c: Call) -> DType:
        Promote("x", "y")(c)
        return BOOL

    return pairwise(name, dtypes, dtype=dtype, evaluate=evaluate, doc=doc)


def moved(shape: Shape, order: tuple[int, ...]) -> Shape:
    """The axes in another order."""
    return Shape(shape[i] for i in order)


def replaced(shape: Shape, axis: int, size: Dim) -> Shape:
    """The shape with one axis of another size."""
    return Shape((*shape[:axis], size, *shape[axis + 1 :]))


__all__ = [
    "INT64", "NUMERIC", "ElementType", "broadcast_shape", "comparison", "elementwise", "moved", "pairwise", "promoting", "reduced_shape", "reduction",
    "replaced", "same_shape",
]  # fmt: skip
