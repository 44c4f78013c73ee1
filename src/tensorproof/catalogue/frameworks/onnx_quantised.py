"""Quantised arithmetic as ONNX has it: whole numbers with scales and zero points as separate inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.algebra.contraction import matmul_shape
from tensorproof.catalogue.frameworks.onnx_windows import convolved, sliding
from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Like
from tensorproof.ops.inputs import ElementType, Int, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import DTypeRule, Evaluate, Op, Out
from tensorproof.terms.dtypes import ANY, FLOAT32, FLOATS, INT8, INT32, UINT8, DType
from tensorproof.terms.ints import Dim, ceildiv
from tensorproof.terms.predicates import conj, disj, eq
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.catalogue.frameworks.formulas import onnx_quantised as f
else:
    f = later("catalogue.frameworks.formulas.onnx_quantised")

BYTES = frozenset({INT8, UINT8})
REAL32 = frozenset({FLOAT32})


def point_fits(c: Call, name: str, count: Dim) -> None:
    """One number for all, or one for each of `count` rows or channels, which may stand as a column."""
    if c.given(name):
        shape = c.shape(name)
        single = len(shape) == 0 or conj(*(eq(n, 1) for n in shape))
        rows = shape[0] if len(shape) == 1 else shape[-2] if len(shape) > 1 else 1
        c.require(name, disj(single, eq(shape.numel, rows) if len(shape) < 3 else True), f"{name} {shape!r} must be one number, or one for each row", name)
        c.require(name, disj(single, eq(rows, count)), f"{name} {shape!r} must be one number or {count!r}", name)


def with_types_of(**pairs: str) -> Any:
    """State that zero points have the element types of what they belong to."""

    def check(c: Call) -> None:
        for point, owner in pairs.items():
            if c.given(point) and c.dtype(point) is not None and c.dtype(owner) is not None:
                same = c.dtype(point) is c.dtype(owner)
                c.require("dtype", same, f"{point} is {c.dtype(point)!r} and must have the element type of {owner}, {c.dtype(owner)!r}", (point, owner))

    return check


def _single(shape: Shape) -> bool:
    """A number, or a vector of one."""
    return len(shape) == 0 or shape == (1,)


def _scales(c: Call) -> Shape:
    """One scale for all, one for each position of an axis, or one for each block along it; zero points have the scales' shape."""
    x, scale, axis, block = c.shape("x"), c.shape("scale"), c["dim"], c["block"]
    if c.given("zero_point") and not (_single(scale) and _single(c.shape("zero_point"))):
        point = c.shape("zero_point")
        c.require("zero_point", len(point) == len(scale), f"scale {scale!r} and zero point {point!r} must have the same shape", ("scale", "zero_point"))
        for a, b in zip(scale, point):
            c.require("zero_point", eq(a, b), f"scale {scale!r} and zero point {point!r} must have the same shape", ("scale", "zero_point"))
    if len(scale) == 0:
        return x
    if len(scale) == 1 and not block and scale[0] == 1:
        return x
    c.require("axis", -len(x) <= axis < len(x), f"axis {axis} is out of range for x {x!r}", ("dim", "x"))
    if not block:
        c.require("scale", len(scale) == 1, f"scales are one number or a vector, and have shape {scale!r}", "scale")
        c.equal("scale", scale[0], x[axis], "there are {a} scales and the axis has {b} elements", ("scale", "x"))
        return x
    c.require("scale", len(scale) == len(x), f"scales of blocks have the rank of x {x!r}, and are {scale!r}", ("scale", "x"))
    for i, (a, b) in enumerate(zip(scale, x)):
        wanted = ceildiv(b, block) if i == axis % len(x) else b
        c.require("scale", eq(a, wanted), f"axis {i} of the scales is {a!r} and must be {wanted!r}", ("scale", "x"))
    return x


def _quantised(c: Call) -> DType | None:
    point = c.dtype("zero_point") if c.given("zero_point") else None
    if point is not None and c["dtype"] is not None:
        c.require("dtype", point is c["dtype"], f"the zero point is {point!r} and output_dtype {c['dtype']!r}", ("zero_point", "dtype"))
    return point if c.given("zero_point") else c["dtype"] or UINT8


def _dequantised(c: Call) -> DType | None:
    with_types_of(zero_point="x")(c)
    return c["dtype"] or c.dtype("scale")


_AXIS = (Int("dim", 1), Int("block", 0), ElementType("dtype"))


def _linear(name: str, dtypes: Any, dtype: DTypeRule, doc: str, evaluate: Evaluate | None = None) -> Op:
    return Op(
        name,
        (Tensor("x", "...", dtypes), Tensor("scale", "...", FLOATS), Tensor("zero_point", "...", ANY, optional=True, default=None)),
        _AXIS,
        _scales,
        dtype,
        evaluate=evaluate,
        doc=doc,
    )


QUANTIZE_LINEAR = _linear("quantize_linear", FLOATS | {INT32}, _quantised, "Numbers divided by scales and rounded, plus zero points.", f.quantised)
DEQUANTIZE_LINEAR = _linear("dequantize_linear", ANY, _dequantised, "Whole numbers less their zero points, times their scales.", f.dequantised)
DYNAMIC_QUANTIZE = Op(
    "dynamic_quantize",
    (Tensor("x", "...", REAL32),),
    (),
    lambda c: [c.shape("x"), Shape(), Shape()],
    UINT8,
    outputs=(Out("y", UINT8), Out("scale", FLOAT32), Out("zero_point", UINT8)),
    doc="Numbers quantised by the range that they have.",
    evaluate=f.dynamic,
)


def _integer_matmul(c: Call) -> Shape:
    with_types_of(x_zero_point="x", y_zero_point="y")(c)
    for side, count in (("x", c.dims.get("N", 1)), ("y", c.dims.get("M", 1))):
        for name in (f"{side}_zero_point", f"{side}_scale"):
            if c.op.parameter(name) is not None and (side == "x" or c.rank("y") > 1 or c.given(name)):
                point_fits(c, name, count)
    for name in ("scale", "zero_point"):
        if c.op.parameter(name) is not None:
            point_fits(c, name, 1)
    return matmul_shape(c)


def _points(*names: str, dtypes: Any = BYTES) -> tuple[Tensor, ...]:
    return tuple(Tensor(name, "...", dtypes, optional=True, default=None, draw=" | 1") for name in names)


def _number(name: str, dtypes: Any = ANY) -> Tensor:
    return Tensor(name, "...", dtypes, draw=" | 1")


_LEFT, _RIGHT = Tensor("x", "... N K | K", BYTES), Tensor("y", "... K M | K", BYTES)
MATMUL_INTEGER = Op(
    "matmul_integer",
    (_LEFT, _RIGHT, *_points("x_zero_point", "y_zero_point")),
    (),
    _integer_matmul,
    INT32,
    codes={"K": "inner"},
    doc="The product of quantised matrices, in 32 bits.",
    evaluate=f.integer_product,
)
QLINEAR_MATMUL = Op(
    "qlinear_matmul",
    (
        _LEFT,
        _number("x_scale", FLOATS),
        _number("x_zero_point"),
        _RIGHT,
        _number("y_scale", FLOATS),
        _number("y_zero_point"),
        _number("scale", FLOATS),
        _number("zero_point"),
    ),
    (),
    _integer_matmul,
    Like("zero_point"),
    codes={"K": "inner"},
    doc="The product of quantised matrices, quantised again.",
    evaluate=f.quantised_product,
)


def _integer_conv(c: Call) -> Shape:
    with_types_of(x_zero_point="x", weight_zero_point="weight")(c)
    for name in ("x_scale", "x_zero_point", "weight_scale", "weight_zero_point", "scale", "zero_point"):
        if c.op.parameter(name) is not None:
            point_fits(c, name, c.shape("weight")[0] if name.startswith("weight") else 1)
    return convolved(c)


_IMAGE, _WEIGHT = Tensor("x", "N C X ...", BYTES), Tensor("weight", "M K x ...", BYTES, draw="M C x ...")
CONV_INTEGER = Op(
    "conv_integer",
    (_IMAGE, _WEIGHT, *_points("x_zero_point", "weight_zero_point")),
    sliding(kernel=False),
    _integer_conv,
    INT32,
    doc="Convolution of quantised images, in 32 bits.",
    evaluate=f.integer_convolution,
)
QLINEAR_CONV = Op(
    "qlinear_conv",
    (
        _IMAGE,
        _number("x_scale", REAL32),
        _number("x_zero_point"),
        _WEIGHT,
        _number("weight_scale", REAL32),
        _number("weight_zero_point"),
        _number("scale", REAL32),
        _number("zero_point"),
        Tensor("bias", "M", frozenset({INT32}), optional=True, default=None),
    ),
    sliding(kernel=False),
    _integer_conv,
    Like("zero_point"),
    codes={"M": "bias"},
    doc="Convolution of quantised images, quantised again.",
    evaluate=f.quantised_convolution,
)
