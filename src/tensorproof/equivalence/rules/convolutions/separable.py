"""A depthwise convolution followed by a pointwise one and a single convolution with the product of the kernels give the same result."""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.equivalence.call import Call
from tensorproof.equivalence.convolution import convolution, is_convolution
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule

_TWICE = 2
"""Channels that the depthwise convolution makes of one."""


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    if (made := convolution(call)) is None or made.mode != "zeros" or call.init is not None:
        return
    ones = (1,) * made.axes
    own = {"deep": made.drawn((_TWICE * made.channels, 1, *made.sizes)), "point": made.drawn((3, _TWICE * made.channels, *ones))}
    depthwise = made.but(weight="deep", bias="None", groups=made.channels).text(dialect)
    last = made.but(x="between", weight="point", bias="None", stride=ones, padding=(0,) * made.axes, dilation=ones, groups=1)
    product = f"(point.reshape{(3, made.channels, _TWICE, *ones)} * deep.reshape{(1, made.channels, _TWICE, *made.sizes)}).sum(2)"
    single = made.but(weight="kernel", bias="None", groups=1).text(dialect)
    left = f"between = {depthwise}\n{last.text(dialect)}"
    yield Pair(left, f"kernel = {product}.to(deep.dtype)\n{single}", inputs=own, loose=3.0)


RULE = Rule("separable", "api redundancy", "depthwise then pointwise = one convolution with the product of the kernels", ("torch",), _pairs, is_convolution,
            number=5, special=False)  # fmt: skip
