"""Padding: sizes before and after each axis, as pairs from the last axis on."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, cast

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Like
from tensorproof.ops.facts import PADDED
from tensorproof.ops.inputs import Anything, Bool, Choice, Ints, Number, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op
from tensorproof.ops.storage import cast_one, known, small
from tensorproof.terms.dtypes import FULL_COMPLEXES, REALS
from tensorproof.terms.ints import Dim
from tensorproof.terms.predicates import disj, ge, le, lt
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.catalogue.elementwise.formulas import made_numbers
else:
    made_numbers = later("catalogue.elementwise.formulas.made_numbers")

MODES = ("constant", "reflect", "replicate", "circular", "symmetric", "linear_ramp", "maximum", "mean", "median", "minimum", "empty")
"""The last seven are NumPy's alone."""


def pairs(c: Call) -> list[tuple[Dim, Dim]]:
    """(before, after) for every axis."""
    padding, rank = c["padding"], c.rank("x")
    c.require("pairs", len(padding) % 2 == 0, f"padding must be pairs of numbers, and is {tuple(padding)!r}", "padding")
    c.require("rank", len(padding) // 2 <= rank, f"{len(padding) // 2} axes are padded and x is {c.shape('x')!r}", ("padding", "x"))
    given = [(padding[i], padding[i + 1]) for i in range(0, len(padding), 2)]
    return [*[(0, 0)] * (rank - len(given)), *given[::-1]]


def pad_shape(c: Call) -> Shape:
    mode, x = c["mode"], c.shape("x")
    c.require(
        "value", mode in ("constant", "linear_ramp") or c["value"] in (None, 0), f"a value is given with mode {mode!r}, which takes none", ("value", "mode")
    )
    c.require("mode", mode in MODES[:4] or not c.option("images"), f"there is no mode {mode!r}", "mode")
    sides = pairs(c)
    made: list[Dim] = []
    copies = c.dtype("x") is None or c.dtype("x") in REALS | FULL_COMPLEXES
    c.require(
        "dtype",
        copies or mode not in ("reflect", "replicate") or not c.option("images"),
        f"mode {mode!r} does not take {c.dtype('x')!r}",
        "x",
    )
    padded = len(c["padding"]) // 2
    if mode in ("reflect", "replicate") and c.option("images"):
        allowed = (padded + 1, padded + 2)
        c.require(
            "rank",
            padded in (1, 2, 3) and len(x) in allowed,
            f"mode {mode!r} with {padded} padded axes takes rank {padded + 1} or {padded + 2}, and x is {x!r}",
            ("x", "padding"),
        )
    if mode == "circular" and c.option("images"):
        c.require(
            "rank",
            padded <= 3 and len(x) in (padded + 1, padded + 2),
            f"mode 'circular' takes one or two axes beside the {padded} padded ones, and x is {x!r}",
            ("x", "padding"),
        )
    for axis, (n, (before, after)) in enumerate(zip(x, sides)):
        size = n + before + after
        if mode == "constant" or c["repeats"]:
            c.require("size", ge(size, 0), f"axis {axis} of size {n!r} padded by {before!r} and {after!r} has negative size", ("x", "padding"))
        elif axis >= len(x) - padded:
            _wrap(c, mode, axis, n, before, after)
            c.require("size", ge(size, 0), f"axis {axis} of size {n!r} padded by {before!r} and {after!r} has negative size", ("x", "padding"))
        elif axis >= len(x) - padded - 1 and mode in ("reflect", "replicate"):
            c.require("empty", ge(n, 1), f"axis {axis} must not be empty", "x")
        made.append(size)
    if mode in ("reflect", "replicate") and not c["repeats"]:
        some = disj(*(ge(n, 1) for n in made[len(x) - padded :]))
        c.require("size", some, f"nothing is left of {x!r} padded by {tuple(sides)!r}", ("x", "padding"))
    return Shape(made)


def _wrap(c: Call, mode: str, axis: int, n: Dim, before: Dim, after: Dim) -> None:
    """Modes that copy the tensor's own elements need enough of them."""
    for side in (before, after):
        if mode == "reflect":
            c.require(
                "reach",
                lt(side, n),
                f"reflecting {side!r} elements needs an axis longer than that, and axis {axis} has {n!r}",
                ("x", "padding"),
            )
        elif mode in ("circular", "symmetric"):
            c.require("reach", le(side, n), f"axis {axis} has {n!r} elements, and {side!r} are to be copied", ("x", "padding"))
    if mode == "replicate":
        c.require("empty", ge(n, 1), f"axis {axis} has no element to repeat", "x")


def pad_contents(c: Call) -> tuple[Any, ...] | None:
    x = c.tensor("x")
    if c["mode"] != "constant" or x.contents is None or not known(x) or x.dtype is None:
        return None
    shape, sides = pad_shape(c), cast(list[tuple[int, int]], pairs(c))
    fill = cast_one(c["value"] or 0, x.dtype)
    if not small(shape) or fill is None or not all(type(n) is int for pair in sides for n in pair):
        return None
    made: list[Any] = []
    for at in product(*map(range, shape)):
        place: Any = 0
        for i, n, (before, _) in zip(at, x.shape, sides):
            inside = 0 <= i - before < n
            place = place * n + i - before if inside and place is not None else None
        made.append(fill if place is None else x.contents[place])
    return tuple(made)


PAD = Op(
    "pad",
    (Tensor("x"),),
    (Ints("padding"), Choice("mode", MODES, "constant"), Number("value", None, optional=True, held=True), Bool("repeats", False), Anything("extent")),
    pad_shape,
    Like("x"),
    fold=pad_contents,
    doc="`padding` is (before, after) of the last axis, then of the one before it, and so on. `repeats`: the tensor's own elements are taken as often as it "
    "takes to fill the padding; `extent`: how many elements at each end a mean, median, maximum or minimum is of.",
    order="padded",
    values=PADDED,
    evaluate=made_numbers.pad,
)
