"""Windows that slide over the last axes: what convolutions, pools and folds share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from tensorproof.ops.call import Call
from tensorproof.ops.record import Requirement
from tensorproof.terms.ints import Dim, ceildiv, minimum
from tensorproof.terms.predicates import conj, disj, eq, ge, le, lt, negate
from tensorproof.terms.shapes import Shape
from tensorproof.terms.substitution import symbols

AXES = {1: "X", 2: "Y X", 3: "Z Y X"}
"""The names of the spatial axes in layouts."""


def images(n: int) -> str:
    """The layout of `n` spatial axes behind channels, with or without a batch."""
    return f"N C {AXES[n]} | C {AXES[n]}"


def span(kernel: Dim, dilation: Dim = 1) -> Dim:
    """The reach of a dilated kernel."""
    return dilation * (kernel - 1) + 1


def places(size: Dim, reach: Dim, stride: Dim = 1) -> Dim:
    """How many windows fit into a (padded) size."""
    return (size - reach) // stride + 1


def places_rounded_up(size: Dim, before: Dim, after: Dim, reach: Dim, stride: Dim) -> Dim:
    """As `places`, with a last window that may overhang, provided that it starts inside the input or the padding before it."""
    found = ceildiv(size + before + after - reach, stride) + 1
    if ge(reach, after + stride) is True:  # then the last window always starts inside
        return found
    return minimum(found, ceildiv(size + before, stride))


def same_sides(kernel: Iterable[Dim], dilation: Iterable[Dim]) -> list[tuple[Dim, Dim]]:
    """The padding before and after each axis that keeps its size at stride 1."""
    totals = [span(k, d) - 1 for k, d in zip(kernel, dilation, strict=True)]
    return [(total // 2, total - total // 2) for total in totals]


def must_fit(c: Call, padded: Dim, reach: Dim, about: str = "kernel") -> None:
    """State that the kernel fits into the padded input."""
    c.require("kernel", ge(padded, reach), f"the kernel covers {reach!r} elements of an axis, x has {padded!r} with its padding", ("x", about))


def advice(name: str) -> Callable[[Mapping[str, Any]], Iterator[Requirement]]:
    """A stride above the kernel skips data. The kernel is an argument, or that of the weight. Images should have the layer's format."""

    def skipped(a: Mapping[str, Any]) -> Iterator[Requirement]:
        yield from _formats(name, a["x"].shape)
        weight = a.get("weight")
        kernel = a.get("kernel") or (weight.shape[2:] if weight is not None and weight.shape.known else ())
        for k, s in dict.fromkeys(zip(kernel, a.get("stride") or kernel)):
            if le(s, k) is not True:
                message = f"the stride {s!r} is above the kernel {k!r}: elements between the windows are skipped"
                yield Requirement(f"{name}/skipped", True, message, ("stride", "kernel"), advised=le(s, k))

    return skipped


def _formats(name: str, x: Shape) -> Iterator[Requirement]:
    """Images whose channels stand at the other end: the axis that is read as channels is as long as one side, and the other side has 1, 3 or 4 elements."""
    if not x.known or len(x) != 4:
        return
    _, channels, height, width = x
    for side, other, data, layer in ((height, width, "last", "first"), (width, height, "first", "last")):
        if not _related(channels, side):
            continue
        swapped = conj(eq(channels, side), disj(*(eq(other, count) for count in IMAGE_CHANNELS)), lt(other, channels))
        if swapped is not False:
            message = f"{channels!r} channels of {height!r} x {width!r} elements look like channels-{data} images in a channels-{layer} layer"
            yield Requirement(f"{name}/format", True, message, ("x",), advised=negate(swapped))


IMAGE_CHANNELS = (1, 3, 4)


def _related(a: Dim, b: Dim) -> bool:
    """Whether two sizes are equal by more than a coincidence of independent parameters: they are numbers, or share a symbol."""
    return a is b or (isinstance(a, int) and isinstance(b, int)) or bool(symbols(a) & symbols(b))


def scaled(size: Dim, factor: Dim | float) -> Dim | None:
    """The whole part of size * factor as the frameworks' doubles give it; None where a symbolic size has no such term."""
    if not isinstance(factor, float):
        return size * factor
    if isinstance(size, int):
        return int(size * factor)
    from fractions import Fraction  # with decimals it takes 2 ms to load, and few programs resize

    ratio = Fraction(factor).limit_denominator(4096)
    return size * ratio.numerator // ratio.denominator if float(ratio) == factor else None
