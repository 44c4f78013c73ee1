"""Pools: windows that slide over the last axes and keep one number each. Unpooling is in `unpooling`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Like, Same, ToFloat
from tensorproof.ops.facts import SELECTS
from tensorproof.ops.inputs import Attribute, Bool, Float, Floats, Int, Sizes, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op, Out, Values
from tensorproof.ops.window import AXES, advice, images, must_fit, places, places_rounded_up, scaled, span
from tensorproof.terms.dtypes import ALL_INTS, BOOL, COMPLEX32, FLOATS, FULL_FLOATS, INT64, REALS, DType, DTypes
from tensorproof.terms.ints import Dim, ceildiv
from tensorproof.terms.predicates import Truth, conj, disj, eq, ge, le, lt, ne
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.catalogue.networks.formulas import pooling as pooling_windows
else:
    pooling_windows = later("catalogue.networks.formulas.pooling")


def not_empty(c: Call, first: int) -> None:
    """Some libraries pool no empty axis from `first` on."""
    for size in c.shape("x")[first:] if c.option("no_empty_axis") else ():
        c.require("empty", ge(size, 1), f"x {c.shape('x')!r} has an axis without elements", "x")


def windows(c: Call, n: int, dilated: bool = False) -> Shape:
    """What a sliding window of `kernel` elements leaves of the last `n` axes."""
    x, kernel = c.shape("x"), c["kernel"]
    stride, padding = c["stride"] or kernel, c["padding"] or (0,) * n
    if padding == "same":
        if c.option("no_same_padding"):
            raise c.refuse("padding", "a pool does not take padding='same'", "padding")
        return Shape((*x[:-n], *(ceildiv(size, s) for size, s in zip(x[-n:], stride, strict=True))))
    after, dilation = c["padding_end"] or padding, c["dilation"] if dilated else (1,) * n
    made: list[Dim] = []
    for size, k, s, d, p, q in zip(x[-n:], kernel, stride, dilation, padding, after, strict=True):
        reach = span(k, d)
        if c.option("half_padding"):
            c.require("padding", le(2 * p, k), f"padding {p!r} is more than half of the kernel {k!r}", ("padding", "kernel"))
        if c["ceil_mode"]:
            found = places_rounded_up(size, p, q, reach, s)
            c.require("kernel", ge(found, 1), f"no window of {reach!r} elements starts in an axis of {size!r}", ("x", "kernel"))
        else:
            must_fit(c, size + p + q, reach)
            found = places(size + p + q, reach, s)
        made.append(found)
    return Shape((*x[:-n], *made))


def _sliding(n: int, *more: Attribute, padded: bool = True) -> tuple[Attribute, ...]:
    padding = (Sizes("padding", n, 0, least=0, words=("same",)), Sizes("padding_end", n, None, least=0, optional=True)) if padded else ()
    return (Sizes("kernel", n, least=1), Sizes("stride", n, None, least=1, optional=True), *padding, Bool("ceil_mode", False), *more)


def _max_dtype(c: Call) -> DType | None:
    """Some libraries pool whole numbers only where they give the places too."""
    dtype = c.tensor("x").dtype
    if c.option("whole_numbers_with_indices") and not c["return_indices"] and dtype is not None and not dtype.is_float:
        raise c.refuse("dtype", f"{c.op.name} does not take elements of type {dtype!r} without return_indices", "x")
    return dtype


def _max_pool(n: int) -> Op:
    def shape(c: Call) -> list[Shape]:
        not_empty(c, c.rank("x") - n - 1)
        return [windows(c, n, dilated=True)] * 2

    return Op(
        f"max_pool{n}d",
        inputs=(Tensor("x", images(n), REALS),),
        attributes=_sliding(n, Sizes("dilation", n, 1, least=1), Bool("return_indices", False)),
        outputs=(Out("values"), Out("indices", INT64, when="return_indices")),
        shape=shape,
        dtype=_max_dtype,
        order="format" if n > 1 else "",
        evaluate=pooling_windows.max_pool,
        advice=advice(f"max_pool{n}d"),
        values=Values("convex"),
    )


MAX_POOLS = (_max_pool(1), _max_pool(2), _max_pool(3))


def _fit_unpadded(c: Call, n: int) -> None:
    """Some libraries pool only where the kernel fits without padding."""
    if c.option("fits_unpadded"):
        for size, k in zip(c.shape("x")[-n:], c["kernel"], strict=True):
            c.require("kernel", ge(size, k), f"the kernel {k!r} is larger than the input {size!r}", ("x", "kernel"))


def _avg_pool(n: int, dtypes: DTypes) -> Op:
    def shape(c: Call) -> Shape:
        not_empty(c, c.rank("x") - n - 1)
        if c["divisor_override"] is not None:
            c.require("divisor_override", ne(c["divisor_override"], 0), "the divisor must not be 0", "divisor_override")
        _fit_unpadded(c, n)
        return windows(c, n)

    return Op(
        f"avg_pool{n}d",
        inputs=(Tensor("x", images(n), dtypes),),
        attributes=_sliding(n, Bool("count_include_pad", True), Int("divisor_override", None, optional=True)),
        shape=shape,
        dtype=Like("x"),
        order=("", "format", "rows")[n - 1],
        evaluate=pooling_windows.mean_pool,
        advice=advice(f"avg_pool{n}d"),
    )


AVG_POOLS = (_avg_pool(1, FLOATS | {INT64}), _avg_pool(2, FLOATS | {INT64}), _avg_pool(3, FULL_FLOATS | {INT64}))


def _lp_dtype(c: Call) -> DType | None:
    """A whole power of whole numbers is averaged as it is, and some libraries average int64 only."""
    dtype = c.dtype("x")
    if c.option("whole_powers_int64") and dtype is not None and dtype.is_integer and dtype is not INT64 and not isinstance(c["norm"], float):
        raise c.refuse("dtype", f"elements of type {dtype!r} are pooled by a norm that is a float, such as 2.0, and not {c['norm']!r}", ("x", "norm"))
    return ToFloat("x")(c)


def _lp_pool(n: int, floats: DTypes) -> Op:
    def shape(c: Call) -> Shape:
        not_empty(c, c.rank("x") - n - 1)
        _fit_unpadded(c, n)
        c.require("norm", c["norm"] != 0, "the norm must not be 0: its root is taken", "norm")
        return windows(c, n)

    return Op(
        f"lp_pool{n}d",
        inputs=(Tensor("x", images(n), floats | ALL_INTS | {BOOL}),),
        attributes=(Float("norm"), *_sliding(n, padded=False)),
        shape=shape,
        dtype=_lp_dtype,
        evaluate=pooling_windows.norm_pool,
    )


LP_POOLS = (_lp_pool(1, FLOATS), _lp_pool(2, FLOATS), _lp_pool(3, FULL_FLOATS))


def _wanted(c: Call, n: int) -> tuple[Dim, ...]:
    """The sizes asked for; None keeps the input's."""
    return tuple(own if size is None else size for size, own in zip(c["output_size"], c.shape("x")[-n:], strict=True))


def _plain_mean(c: Call, n: int) -> Truth:
    """Down to one element torch takes the mean, of anything that has the axes."""
    return bool(c["mean"]) and conj(*(eq(size, 1) for size in _wanted(c, n)))


def _adaptive_avg_dtype(c: Call) -> DType | None:
    """The mean knows complex numbers; where nothing is made, no element type is looked at."""
    dtype, n = c.dtype("x"), len(c["output_size"])
    if dtype is not None and dtype not in FLOATS:
        nothing = n < 3 and disj(*(eq(size, 0) for size in _wanted(c, n)))
        c.require("dtype", disj(nothing, dtype.is_complex and _plain_mean(c, n)), f"elements of type {dtype!r} are not averaged here", ("x", "output_size"))
    return dtype


_ANYTHING = frozenset(d for d in DType if d.kind in "buifc" and d.bits >= 8) - {COMPLEX32}


def _adaptive_avg(n: int) -> Op:
    def shape(c: Call) -> Shape:
        x, wanted, mean = c.shape("x"), _wanted(c, n), _plain_mean(c, n)
        c.require("rank", disj(len(x) in (n + 1, n + 2), mean), f"x must have rank {n + 1} or {n + 2}, and is {x!r}", "x")
        for size in x[1:] if n == 3 and c.option("no_empty_axis") else x[-n:]:
            c.require("empty", disj(ge(size, 1), mean), f"x {x!r} has an axis without elements", "x")
        return Shape((*x[:-n], *wanted))

    return Op(
        f"adaptive_avg_pool{n}d", (Tensor("x", images(n) if n < 2 else f"... {AXES[n]}", _ANYTHING),),
        (Sizes("output_size", n, least=0, holes=n > 1), Bool("mean", True)), shape, _adaptive_avg_dtype,
        evaluate=pooling_windows.adaptive_mean, order=("", "format", "rows")[n - 1], values=Values("convex"),
    )  # fmt: skip


def _adaptive_max(n: int) -> Op:
    def shape(c: Call) -> list[Shape]:
        not_empty(c, 1)
        return [Shape((*c.shape("x")[:-n], *_wanted(c, n)))] * 2

    return Op(
        f"adaptive_max_pool{n}d", (Tensor("x", images(n), FLOATS),),
        (Sizes("output_size", n, least=0, holes=n > 1), Bool("return_indices", False)), shape, Like("x"),
        outputs=(Out("values"), Out("indices", INT64, when="return_indices")),
        evaluate=pooling_windows.adaptive_max, order=("", "format", "rows")[n - 1], values=Values("convex"),
    )  # fmt: skip


ADAPTIVE_POOLS = tuple(make(n) for make in (_adaptive_avg, _adaptive_max) for n in (1, 2, 3))


def _fractional_size(c: Call, n: int) -> tuple[Any, ...]:
    sizes, ratio = c["output_size"], c["output_ratio"]
    if sizes is not None:
        result: tuple[Any, ...] = sizes
        return result
    if ratio is None:
        raise c.refuse("output_size", "either output_size or output_ratio must be given", ("output_size", "output_ratio"))
    ratios = ratio if isinstance(ratio, tuple) else (ratio,) * n
    c.require("output_ratio", len(ratios) == n, f"output_ratio must be {n} numbers, and is {ratio!r}", "output_ratio")
    made = tuple(scaled(size, r) for size, r in zip(c.shape("x")[-n:], ratios, strict=True))
    if any(size is None for size in made):
        raise c.give_up(f"the size {c.shape('x')!r} times {ratio!r} has no exact form")
    return made


def _fractional(n: int) -> Op:
    def shape(c: Call) -> list[Shape]:
        not_empty(c, 1)
        sizes = _fractional_size(c, n)
        if c.given("samples"):
            enough = ge(c.shape("samples")[0], c.dims.get("N", 1))
            c.require("samples", enough, f"there are samples for {c.shape('samples')[0]!r} images of {c.dims.get('N', 1)!r}", ("samples", "x"))
        for size, k, made in zip(c.shape("x")[-n:], c["kernel"], sizes, strict=True):
            c.require("output_size", ge(made, 0), f"an output of {made!r} elements cannot be made", "output_size")
            room = le(made + k - 1, size) if n == 2 else lt(made + k - 1, size)
            c.require("kernel", room, f"{made!r} windows of {k!r} elements need more than the {size!r} there are", ("x", "kernel", "output_size"))
        return [Shape((*c.shape("x")[:-n], *sizes))] * 2

    return Op(
        f"fractional_max_pool{n}d",
        inputs=(Tensor("x", images(n), FLOATS), Tensor("samples", f"_ C {n}", FLOATS, optional=True)),
        attributes=(
            Sizes("kernel", n), Sizes("output_size", n, None, optional=True), Floats("output_ratio", None, optional=True), Bool("return_indices", False),
        ),
        outputs=(Out("values", values=SELECTS), Out("indices", INT64, when="return_indices", values=Values("places", over="x", by=None))),
        shape=shape,
        dtype=Same("x", "samples"),
        codes={"C": "samples"},
        random=True,
        doc="The greatest element of each of so many windows, whose places are random.",
    )  # fmt: skip


FRACTIONAL_POOLS = (_fractional(2), _fractional(3))
