"""Tensors made from numbers: constants, ranges, windows."""

from __future__ import annotations

from math import ceil, isfinite
from struct import pack, unpack
from typing import TYPE_CHECKING, Any

from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Given, Like
from tensorproof.ops.facts import FILLS, draws, moves
from tensorproof.ops.inputs import Anything, Bool, ElementType, Float, Int, Ints, Number, Tensor, is_size
from tensorproof.ops.later import later
from tensorproof.ops.ones import diagonal
from tensorproof.ops.record import Evaluate, Op
from tensorproof.ops.storage import cast, small
from tensorproof.terms.dtypes import (
    ALL_INTS,
    ANY,
    BOOL,
    COMPLEX32,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    FLOATS,
    INT64,
    NUMBERS,
    REALS,
    UINT16,
    UINT32,
    UINT64,
    DType,
)
from tensorproof.terms.ints import Dim, Term, ceildiv, maximum
from tensorproof.terms.predicates import ge, implies, le, lt, ne
from tensorproof.terms.shapes import Shape
from tensorproof.terms.strides import strides_or_none
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.elementwise.formulas import made_numbers
else:
    made_numbers = later("catalogue.elementwise.formulas.made_numbers")

STORED = NUMBERS | ALL_INTS | frozenset(d for d in DType if d.kind == "f")
SIZE = Ints("size", least=0, shape=True)


def default_float(c: Call) -> DType:
    return c.type_option("float") or c.session.default_float


def default_int(c: Call) -> DType:
    return c.type_option("int") or INT64


def number(value: object) -> Any:
    """The number, where a zero-dimensional tensor with known contents may stand for it."""
    return value.contents[0] if isinstance(value, TensorType) and value.contents is not None and len(value.contents) == 1 else value


def number_type(c: Call, *values: object) -> DType | None:
    """The element type that Python numbers make."""
    kinds = [v.dtype.kind if v.dtype is not None else "?" for v in values if isinstance(v, TensorType)]
    if "?" in kinds:
        return None
    if "c" in kinds or any(isinstance(v, complex) for v in values):
        return c.type_option("complex") or default_float(c).complexified
    if "f" in kinds or any(isinstance(v, float) for v in values):
        return default_float(c)
    return BOOL if all(isinstance(v, bool) for v in values) else default_int(c)


def filled(c: Call, shape: Shape, value: object, dtype: DType | None) -> tuple[Any, ...] | None:
    """The contents of a tensor full of one value."""
    if not small(shape) or isinstance(number(value), TensorType) or value is None:
        return None
    one = cast((number(value),), dtype)
    return None if one is None else one * int(shape.numel)  # type: ignore[arg-type]


def holdable(c: Call, dtype: DType | None) -> None:
    """The value must fit the element type where the library looks; a negative number may wrap round in an unsigned one."""
    value = number(c["value"])
    fits = c.option("value_fits")
    if fits and dtype in (DType.INT4, DType.UINT4):
        c.require("dtype", value == 0, f"nothing but zeros can be written into {dtype!r}", ("value", "dtype"))
    if not fits or dtype is None or not isinstance(value, (int, float)) or isinstance(value, bool) or not dtype.is_integer:
        return
    most = (1 << (dtype.bits - (dtype.kind == "i"))) - 1
    least = -most - 1 if dtype.kind == "i" else -most if isinstance(value, int) else 0
    c.require("value", least <= value <= most, f"{value!r} does not fit into {dtype!r}", ("value", "dtype"))


def full_shape(c: Call) -> Shape:
    holdable(c, full_type(c))
    return Shape(c["size"])


@any_rank
def full_like_shape(c: Call) -> Shape:
    holdable(c, like_type(c))
    made: Shape = like_shape(c)
    return made


@any_rank
def like_shape(c: Call) -> Shape:
    """The shape of x, or the one that is given."""
    return c.shape("x") if c["size"] is None else Shape(c["size"])


OTHER_SIZE = Ints("size", None, least=0, optional=True, shape=True)


full_type = Given("dtype", lambda c: number_type(c, c["value"]))

FULL = Op(
    "full",
    attributes=(SIZE, Number("value", held=True), ElementType(dtypes=STORED | {DType.INT4, DType.UINT4})),
    dtype=full_type,
    shape=full_shape,
    fold=lambda c: filled(c, Shape(c["size"]), c["value"], full_type(c)),
    values=FILLS,
    doc="A tensor of one value.",
    evaluate=lambda np, a: np.broadcast_to(a["value"], tuple(a["size"])),
)
EMPTY = Op(
    "empty",
    attributes=(SIZE, ElementType(dtypes=ANY)),
    dtype=Given("dtype", default_float),
    shape=lambda c: Shape(c["size"]),
    opaque="memory",
    doc="A tensor whose contents are not set.",
)
like_type = Given("dtype", Like("x"))
FULL_LIKE = Op(
    "full_like",
    inputs=(Tensor("x", "...", STORED | {DType.INT4, DType.UINT4}),),
    attributes=(Number("value", held=True), ElementType(dtypes=STORED), OTHER_SIZE),
    dtype=like_type,
    shape=full_like_shape,
    fold=lambda c: filled(c, like_shape(c), c["value"], like_type(c)),
    values=FILLS,
    gradient="x-",
    overlaps=True,
    evaluate=lambda np, a: np.broadcast_to(a["value"], a["x"].shape if a["size"] is None else tuple(a["size"])),
    order="copied",
)
EMPTY_LIKE = Op("empty_like", (Tensor("x"),), (ElementType(), OTHER_SIZE), like_shape, like_type, opaque="memory", order="copied")


def empty_strided_shape(c: Call) -> TensorType:
    size, stride = c["size"], c["stride"]
    c.require("stride", len(size) == len(stride), f"size has {len(size)} axes and stride {len(stride)}", ("size", "stride"))
    return TensorType(
        Shape(size),
        full_type(c) if c["dtype"] is not None else default_float(c),
        strides=strides_or_none(size, stride),
    )


EMPTY_STRIDED = Op("empty_strided", attributes=(SIZE, Ints("stride", least=0), ElementType()), shape=empty_strided_shape, opaque="memory")


def empty_permuted_shape(c: Call) -> Shape:
    size, order = c["size"], c["order"]
    c.require(
        "order",
        sorted(order) == list(range(len(size))),
        f"physical_layout must name each of the {len(size)} axes once, and is {order!r}",
        "order",
    )
    c.reordered = tuple(order) != tuple(range(len(size)))
    return Shape(size)


EMPTY_PERMUTED = Op(
    "empty_permuted", attributes=(SIZE, Ints("order"), ElementType()), dtype=Given("dtype", default_float), shape=empty_permuted_shape, opaque="memory"
)


def eye_shape(c: Call) -> Shape:
    n, m = c["n"], c["m"]
    c.require(
        "dtype",
        not c.option("typed_kernels") or c["dtype"] not in (COMPLEX32, UINT16, UINT32, UINT64),
        f"no identity is made of {c['dtype']!r}",
        "dtype",
    )
    return Shape((n, n if m is None else m))


def eye_contents(c: Call) -> tuple[Any, ...] | None:
    n, m = eye_shape(c)
    k = c["k"]
    return cast(tuple(int(j - i == k) for i in range(n) for j in range(m)), eye_type(c)) if small((n, m)) and type(k) is int else None


eye_type = Given("dtype", default_float)
EYE = Op(
    "eye",
    attributes=(Int("n", least=0), Int("m", None, least=0, optional=True), Int("k", 0), ElementType(dtypes=STORED)),
    dtype=eye_type,
    shape=eye_shape,
    fold=eye_contents,
    ones=diagonal,
    doc="Ones on the diagonal k above the main one.",
    evaluate=lambda np, a: np.eye(a["n"], a["m"], a["k"]),
)


def _ends(c: Call) -> tuple[Any, Any, Any]:
    return number(c["start"]), number(c["end"]), number(c["step"])


def arange_size(c: Call) -> Dim:
    start, end, step = _ends(c)
    if c.option("cuts_ends") and c["dtype"] is INT64:
        start, end, step = tuple[Any, ...](int(v) if isinstance(v, float) and isfinite(v) else v for v in (start, end, step))
    if any(isinstance(v, TensorType) for v in (start, end, step)):
        return c.fresh("arange")
    if any(isinstance(v, complex) for v in (start, end, step)):
        raise c.refuse("ends", f"a range has real ends, not {start!r}, {end!r}, {step!r}", ("start", "end", "step"))
    if any(isinstance(v, float) for v in (start, end, step)):
        if any(isinstance(v, Term) for v in (start, end, step)):
            return c.fresh("arange")
        c.require("step", step != 0, "a range cannot have step 0", "step")
        c.require(
            "ends",
            isfinite(start) and isfinite(end),
            f"the ends of a range must be finite, and are {start!r} and {end!r}",
            ("start", "end"),
        )
        if not c["may_be_empty"]:
            c.require(
                "direction",
                (end - start) / step >= 0,
                f"a step of {step!r} does not lead from {start!r} to {end!r}",
                ("start", "end", "step"),
            )
        made: Dim = max(0, ceil((end - start) / step))
        return made
    c.require("step", ne(step, 0), "a range cannot have step 0", "step")
    if c["may_be_empty"]:
        return maximum(0, ceildiv(end - start, step))
    for ordered in (implies(ge(step, 1), le(start, end)), implies(lt(step, 0), le(end, start))):
        c.require("direction", ordered, f"a step of {step!r} does not lead from {start!r} to {end!r}", ("start", "end", "step"))
    return ceildiv(end - start, step)


arange_type = Given("dtype", lambda c: number_type(c, c["start"], c["end"], c["step"], 0))


def arange_contents(c: Call) -> tuple[Any, ...] | None:
    start, end, step = _ends(c)
    if not all(is_size(v) for v in (start, end, step)):
        return None
    size = ceildiv(end - start, step)
    return cast(tuple(start + i * step for i in range(size)), arange_type(c)) if type(size) is int and small((size,)) else None


ARANGE = Op(
    "arange",
    attributes=(Number("start", 0), Number("end"), Number("step", 1), ElementType(dtypes=REALS), Bool("may_be_empty", False)),
    dtype=arange_type,
    shape=lambda c: Shape((arange_size(c),)),
    fold=arange_contents,
    values=draws("start", "end", "step"),
    doc="Numbers from start up to, and without, end; `may_be_empty`: none where the step leads away.",
    evaluate=made_numbers.arange,
)


def range_size(c: Call) -> Dim:
    """torch.range: the end belongs to it."""
    start, end, step = _ends(c)
    if c["dtype"] is not None and c["dtype"].is_integer:
        start, end, step = tuple[Any, ...](int(v) if isinstance(v, float) and isfinite(v) else v for v in (start, end, step))
    if any(isinstance(v, TensorType) for v in (start, end, step)):
        return c.fresh("range")
    c.require("step", ne(step, 0) if is_size(step) else step != 0, "a range cannot have step 0", "step")
    if not any(isinstance(v, Term) for v in (start, end, step)):
        c.require("direction", (end - start) * step >= 0, f"a step of {step!r} does not lead from {start!r} to {end!r}", ("start", "end", "step"))
    return (end - start) // step + 1 if all(is_size(v) for v in (start, end, step)) else int((end - start) / step) + 1


RANGE = Op(
    "inclusive_range",
    attributes=(Number("start", 0), Number("end"), Number("step", 1), ElementType(dtypes=REALS)),
    dtype=Given("dtype", default_float),
    shape=lambda c: Shape((range_size(c),)),
    evaluate=made_numbers.inclusive_range,
)


def linspace_type(c: Call) -> DType | None:
    given: DType | None = c["dtype"]
    return number_type(c, c["start"], c["end"], 0.0) if given is None else given


_MOST_SPACED = 256


def spaced_contents(c: Call) -> tuple[float, ...] | None:
    """The numbers themselves, as 32 bits hold them: rates that grow from block to block. In 64 bits as NumPy computes them."""
    low, high, steps = c["start"], c["end"], c["steps"]
    if c.option("spaced") == "doubles":
        return _spaced_doubles(c)
    plain = c.option("spaced") == "singles" and type(steps) is int and 0 < steps <= _MOST_SPACED and linspace_type(c) is FLOAT32
    if not plain or not all(type(v) in (int, float) and isfinite(v) and abs(v) < 1e30 for v in (low, high)):
        return None
    found = [low + (high - low) * i / max(steps - 1, 1) for i in range(steps)]
    return tuple(unpack("f", pack("f", v))[0] for v in found)


def _spaced_doubles(c: Call) -> tuple[float, ...] | None:
    low, high, steps = c["start"], c["end"], c["steps"]
    made = c.prescribed.dtypes[0] if c.prescribed is not None else linspace_type(c)
    known = type(steps) is int and small((steps,)) and made is FLOAT64 and all(isinstance(v, (int, float)) for v in (low, high))
    if not known:
        return None
    apart = (high - low) / max(steps - 1 if c["endpoint"] else steps, 1)
    last = [float(high)] if c["endpoint"] and steps > 1 else []
    return (*(float(low + i * apart) for i in range(steps - len(last))), *last)


def spaced(name: str, evaluate: Evaluate, *attributes: Any, doc: str = "") -> Op:
    return Op(
        name,
        doc=doc,
        attributes=(
            Number("start"), Number("end"), Int("steps", least=0), *attributes, Bool("endpoint", True), ElementType(dtypes=NUMBERS - {BOOL, COMPLEX32}),
        ),
        dtype=linspace_type,
        shape=lambda c: Shape((c["steps"],)),
        fold=spaced_contents,
        evaluate=evaluate,
    )  # fmt: skip


LINSPACE = spaced("linspace", made_numbers.linspace, doc="Numbers with equal steps between them; without the `endpoint` the last step leads to the end.")
LOGSPACE = spaced("logspace", made_numbers.logspace, Float("base", 10.0), doc="Powers of `base` with equal steps between the exponents.")
GEOMSPACE = spaced("geomspace", made_numbers.geomspace, doc="Numbers with equal quotients from one to the next.")
CONSTANT = Op(
    "constant",
    attributes=(Anything("data"), ElementType()),
    shape=any_rank(lambda c: c["data"].shape),
    dtype=lambda c: c["dtype"] or c["data"].dtype,
    fold=lambda c: cast(c["data"].contents, c["dtype"] or c["data"].dtype),
    values=moves("data"),
    gradient="data- x-",
    doc="A tensor from numbers, nested lists or another array.",
    evaluate=lambda np, a: a["data"],
)
WINDOW = Op(
    "window",
    attributes=(Int("n", least=0), Float("beta", 12.0), ElementType(dtypes=FLOATS), Anything("kind"), Bool("periodic", False)),
    dtype=Given("dtype", default_float),
    shape="n",
    doc="A window function of n samples: `kind` is hann, hamming, blackman, bartlett, kaiser (with `beta`) ...",
    evaluate=made_numbers.window,
)


def vander_shape(c: Call) -> Shape:
    *lead, n = c.shape("x")
    return Shape((*lead, n, n if c["n"] is None else c["n"]))


VANDER = Op(
    "vander",
    inputs=(Tensor("x", "... N", NUMBERS),),
    attributes=(Int("n", None, least=0, optional=True), Bool("increasing", False)),
    dtype=lambda c: INT64 if c.dtype("x") is BOOL or (c.dtype("x") or FLOAT32).is_integer else c.dtype("x"),
    shape=vander_shape,
    evaluate=made_numbers.vander,
)


def complex_type(c: Call) -> DType | None:
    x, y = c.dtype("x"), c.dtype("y")
    if x is not None and y is not None and x is not y:
        raise c.refuse("dtype", f"the parts must have the same dtype, and have {x!r} and {y!r}", ("x", "y"))
    return None if x is None else x.complexified


def parts(name: str, dtypes: frozenset[DType], evaluate: Evaluate, doc: str) -> Op:
    shape = lambda c: c.broadcast(c.shape("x"), c.shape("y"), about=("x", "y"))
    return Op(name, (Tensor("x", "...", dtypes), Tensor("y", "...", dtypes)), (), shape, complex_type, evaluate=evaluate, doc=doc)


COMPLEX = parts("complex", frozenset({FLOAT16, FLOAT32, FLOAT64}), made_numbers.with_imaginary, "Complex numbers from real and imaginary parts.")
POLAR = parts("polar", frozenset({FLOAT32, FLOAT64}), made_numbers.at_angle, "Complex numbers from length and angle.")
