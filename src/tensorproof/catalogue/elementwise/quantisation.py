"""Quantised tensors: to, from, and the rounding of floats as if they were quantised."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Given, Like, Same
from tensorproof.ops.families import same_shape
from tensorproof.ops.inputs import Anything, Bool, ElementType, Float, Int, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op
from tensorproof.terms.dtypes import FLOAT16, FLOAT32, FLOATS, INT8, INT32, REALS, UINT8, DType
from tensorproof.terms.predicates import eq
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.catalogue.elementwise.formulas import quantisation as formulas
else:
    formulas = later("catalogue.elementwise.formulas.quantisation")

SINGLE = frozenset({FLOAT32})
STORED = {DType.QINT8: INT8, DType.QUINT8: UINT8, DType.QINT32: INT32}
TO_QUANTISED = ElementType("dtype", optional=False, dtypes=frozenset(STORED))
IN_BYTES = ElementType("dtype", optional=False, dtypes=frozenset({DType.QINT8, DType.QUINT8}))
CHANNEL = Int("dim", least=0)
BY_TENSORS = (Tensor("step", "...", optional=True, default=None), Tensor("zero", "...", optional=True, default=None))
"""A scale and a zero point that are tensors of one element stand in the place of the numbers."""


def channel_scales(c: Call) -> Shape:
    """One scale and one zero point for each slice along the axis, which may not be negative."""
    rank = c.rank("x")
    c.require("axis", c["dim"] < rank, f"dim = {c['dim']} is out of range: x has {rank} dimensions", ("dim", "x"))
    size, n = c.shape("x")[c["dim"]], c.dims["S"]
    c.require("channels", eq(size, n), f"axis {c['dim']} of x is {size!r}, and there are {n!r} scales", ("x", "scale", "dim"))
    return c.shape("x")


def quantised_channels(c: Call) -> Shape:
    zero_type = c.dtype("zero_point")
    if c["dtype"] is DType.QINT32 and zero_type is not None and zero_type.is_float:
        raise c.give_up("torch 2.13 dies of an illegal instruction on qint32 with zero points that are floats")
    return channel_scales(c)


QUANTIZE_PER_TENSOR = Op(
    "quantize_per_tensor",
    (Tensor("x", "...", SINGLE), *BY_TENSORS),
    (Float("scale"), Int("zero_point"), TO_QUANTISED),
    same_shape,
    Given("dtype"),
    evaluate=formulas.per_tensor,
)
QUANTIZE_DYNAMIC = Op(
    "quantize_per_tensor_dynamic", (Tensor("x", "...", SINGLE),), (IN_BYTES, Bool("reduce_range")), same_shape, Given("dtype"),
    evaluate=formulas.dynamic,
)  # fmt: skip
QUANTIZE_PER_CHANNEL = Op(
    "quantize_per_channel",
    inputs=(Tensor("x", "... _", SINGLE), Tensor("scale", "S", FLOATS, values="positive"), Tensor("zero_point", "S", REALS)),
    attributes=(CHANNEL, TO_QUANTISED),
    shape=quantised_channels,
    dtype=Given("dtype"),
    codes={"S": "scales"},
    evaluate=formulas.per_channel,
)
DEQUANTIZE = Op("dequantize", (Tensor("x"),), (), same_shape, FLOAT32, evaluate=formulas.restored)
INT_REPR = Op(
    "int_repr", (Tensor("x", "...", frozenset(STORED)),), (), same_shape, lambda c: STORED.get(c.dtype("x") or DType.QINT8),
    evaluate=lambda np, a: a["x"],
)  # fmt: skip


def fake_limits(c: Call) -> Shape:
    low, high, zero = c["low"], c["high"], c["zero_point"]
    if isinstance(low, int) and isinstance(high, int):
        c.require("limits", low <= high, f"quant_min = {low} must not be above quant_max = {high}", ("low", "high"))
        if isinstance(zero, int):
            c.require("zero-point", low <= zero <= high, f"zero_point = {zero} must lie between {low} and {high}", "zero_point")
    return c.shape("x")


def fake_channels(c: Call) -> Shape:
    return fake_limits(c) and channel_scales(c)


LIMITS = (Int("low"), Int("high"))
FAKE_QUANTIZE = Op(
    "fake_quantize",
    (Tensor("x", "...", FLOATS), *BY_TENSORS),
    (Float("scale"), Int("zero_point"), *LIMITS),
    fake_limits,
    Like("x"),
    evaluate=formulas.fake,
    surrogate=True,
)
RANGE = (Tensor("low", "", FLOATS, scalar=True), Tensor("high", "", FLOATS, scalar=True))
BITS = (Int("bits", 8), Bool("narrow", False))
FAKE_QUANTIZE_RANGE = Op(
    "fake_quantize_range", (Tensor("x", "...", FLOATS), *RANGE), BITS, any_rank(same_shape), Like("x"),
    doc="x rounded to one of 2**bits values from low to high, which are moved so that 0 is one of them; narrow: to one value less.",
    evaluate=formulas.fake_range, surrogate=True,
)  # fmt: skip
FAKE_QUANTIZE_RANGE_GRADIENT = Op(
    "fake_quantize_range_gradient", (Tensor("x", "...", FLOATS), Tensor("y", "...", FLOATS), *RANGE), BITS, any_rank(same_shape), Same("x", "y"),
    doc="The gradient x where y lies in the range of fake_quantize_range, and 0 elsewhere.",
    evaluate=formulas.fake_range_gradient,
)  # fmt: skip
QUANTIZE_AND_DEQUANTIZE = Op(
    "quantize_and_dequantize", (Tensor("x", "...", FLOATS), *RANGE),
    (Bool("signed_input", True), Int("bits", 8), Bool("range_given", False), Anything("round_mode", "HALF_TO_EVEN"), Bool("narrow", False), Int("axis", -1)),
    any_rank(same_shape), Like("x"), doc="x rounded to one of 2**bits values that are spread over the range given, or over that of x.",
    evaluate=formulas.there_and_back, surrogate=True,
)  # fmt: skip
FAKE_QUANTIZE_PER_CHANNEL = Op(
    "fake_quantize_per_channel",
    inputs=(Tensor("x", "... _", FLOATS), Tensor("scale", "S", SINGLE, values="positive"), Tensor("zero_point", "S", frozenset({INT32, FLOAT16, FLOAT32}))),
    attributes=(CHANNEL, *LIMITS),
    shape=fake_channels,
    dtype=Like("x"),
    codes={"S": "scales"},
    evaluate=formulas.fake_per_channel,
    surrogate=True,
)
