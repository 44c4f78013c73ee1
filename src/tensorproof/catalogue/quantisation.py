"""Quantised tensors: to, from, and the rounding of floats as if they were quantised."""

from __future__ import annotations

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Given, Like
from tensorproof.ops.families import same_shape
from tensorproof.ops.inputs import Axis, Bool, ElementType, Int, Number, Tensor
from tensorproof.ops.record import Op
from tensorproof.terms.dtypes import ANY, FLOAT32, FLOATS, INT8, INT32, QUANTISED, REALS, UINT8, DType
from tensorproof.terms.predicates import eq
from tensorproof.terms.shapes import Shape

SINGLE = frozenset({FLOAT32})
STORED = {DType.QINT8: INT8, DType.QUINT8: UINT8, DType.QINT32: INT32}
TO_QUANTISED = ElementType("dtype", optional=False, dtypes=frozenset(STORED))


def channel_scales(c: Call) -> Shape:
    """One scale and one zero point for each slice along the axis."""
    size, n = c.shape("x")[c["dim"]], c.dims["S"]
    c.require("channels", eq(size, n), f"axis {c['dim']} of x is {size!r}, and there are {n!r} scales", ("x", "scale", "dim"))
    return c.shape("x")


QUANTIZE_PER_TENSOR = Op(
    "quantize_per_tensor", (Tensor("x", "...", SINGLE),), (Number("scale"), Number("zero_point"), TO_QUANTISED), same_shape, Given("dtype")
)
QUANTIZE_DYNAMIC = Op("quantize_per_tensor_dynamic", (Tensor("x", "...", SINGLE),), (TO_QUANTISED, Bool("reduce_range")), same_shape, Given("dtype"))
QUANTIZE_PER_CHANNEL = Op(
    "quantize_per_channel",
    inputs=(Tensor("x", "... _", SINGLE), Tensor("scale", "S", FLOATS, values="positive"), Tensor("zero_point", "S", REALS)),
    attributes=(Axis("dim"), TO_QUANTISED),
    shape=channel_scales,
    dtype=Given("dtype"),
    codes={"S": "scales"},
)
DEQUANTIZE = Op("dequantize", (Tensor("x"),), (), same_shape, FLOAT32)
INT_REPR = Op("int_repr", (Tensor("x", "...", QUANTISED),), (), same_shape, lambda c: STORED.get(c.dtype("x") or DType.QINT8))


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
    "fake_quantize", (Tensor("x", "...", FLOATS),), (Number("scale"), Number("zero_point"), *LIMITS), fake_limits, Like("x")
)
FAKE_QUANTIZE_PER_CHANNEL = Op(
    "fake_quantize_per_channel",
    inputs=(Tensor("x", "... _", FLOATS), Tensor("scale", "S", SINGLE, values="positive"), Tensor("zero_point", "S", ANY)),
    attributes=(Axis("dim"), *LIMITS),
    shape=fake_channels,
    dtype=Like("x"),
    codes={"S": "scales"},
)
