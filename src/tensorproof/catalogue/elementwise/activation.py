"""Activations and the softmax family."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Given, Like, Same, Within
from tensorproof.ops.evaluation import Arguments, changed, named
from tensorproof.ops.families import elementwise, replaced, same_shape
from tensorproof.ops.hazards import region
from tensorproof.ops.inputs import Axis, Bool, Choice, ElementType, Float, Number, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Evaluate, Interval, Op, Region, Values
from tensorproof.terms.dtypes import ALL_INTS, ANY, BFLOAT16, COMPLEXES, FLOATS, FULL_COMPLEXES, FULL_FLOATS, REALS, UINT8, DType, DTypes
from tensorproof.terms.predicates import disj, eq
from tensorproof.terms.records import replace
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.ops import mathematics
    from tensorproof.ops.arrays import Array, Numpy, Operand
else:
    mathematics = later("ops.mathematics")

INF = math.inf
SAME = Like("x")
WHOLE_TOO = FLOATS | ALL_INTS


def bounded(lo: float, hi: float) -> Values:
    return Values("bounded", bounds=Interval(lo, hi))


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else 1 - 1 / (1 + math.exp(x))


def log_of_sigmoid(x: float) -> float:
    return -math.log1p(math.exp(-x)) if x >= 0 else x - math.log1p(math.exp(x))


def selu(x: float) -> float:
    return 1.0507009873554805 * (x if x > 0 else 1.6732632423543772 * math.expm1(x))


def increasing(function: Callable[[float], float]) -> Values:
    return Values("increasing", function)


# --- reference functions ---


def selu_of(np: Numpy, a: Arguments) -> Array:
    return elu_of(np, named(x=a["x"], alpha=1.6732632423543772, scale=1.0507009873554805, input_scale=1.0))


def elu_of(np: Numpy, a: Arguments) -> Array:
    """The two sides of 0, of which one is 0."""
    below = np.expm1(np.multiply(np.minimum(a["x"], 0), a["input_scale"]))
    return np.add(np.multiply(np.maximum(a["x"], 0), a["scale"]), np.multiply(below, a["alpha"] * a["scale"]))


def leaky(np: Numpy, x: Array, slope: Operand) -> Array:
    return np.add(np.maximum(x, 0), np.multiply(np.minimum(x, 0), slope))


def rrelu_of(np: Numpy, a: Arguments) -> Array:
    if a["training"]:
        return mathematics.either(np, leaky(np, a["x"], a["lower"]), leaky(np, a["x"], a["upper"]))
    return leaky(np, a["x"], (a["lower"] + a["upper"]) / 2)


def silu_of(np: Numpy, a: Arguments) -> Array:
    if a["x"].dtype.kind == "c":
        return np.multiply(a["x"], mathematics.sigmoid(np, a["x"]))
    return mathematics.curve(np, lambda x: np.true_divide(x, np.add(1.0, np.exp(np.negative(x)))), a["x"], (-1.2784645427610738,))


def mish_of(np: Numpy, a: Arguments) -> Array:
    return mathematics.curve(np, lambda x: np.multiply(x, np.tanh(np.logaddexp(0.0, x))), a["x"], (-1.1924304694193,))


def hardswish_of(np: Numpy, a: Arguments) -> Array:
    made = mathematics.curve(np, lambda x: np.multiply(x, np.clip(np.add(x, 3.0), 0.0, 6.0)) / 6.0, a["x"], (-1.5, -3.0))
    return mathematics.beside(np, made, np.multiply(6.0, np.maximum(a["x"], -3.0)))  # libraries divide last


_STEPS = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float64": 2.0**-52}


def gelu_of(np: Numpy, a: Arguments) -> Array:
    """Libraries add 1 to what may be close to -1: bounds are wider by the rounding of that sum."""
    made, x = _gelu(np, a), a["x"]
    if not hasattr(made, "of"):
        return made
    error = np.multiply(np.minimum(np.absolute(x), 16.0), 16 * _STEPS.get(mathematics.label_of(a), 2.0**-23))
    return np.subtract(made, error).of("either", np.add(made, error))


def _gelu(np: Numpy, a: Arguments) -> Array:
    """The exact one by the error function, or the approximation by tanh."""
    if a["approximate"] == "tanh":
        inner: Callable[[Array], Array] = lambda x: np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
        return mathematics.curve(np, lambda x: 0.5 * x * (1.0 + inner(x)), a["x"], (-0.7524614220710162,))
    lower = mathematics.mathematical(np, lambda x: 0.5 * math.erfc(-x / math.sqrt(2)))
    return mathematics.curve(np, lambda x: x * lower(x), a["x"], (-0.7517915246935645,))


def softplus_of(np: Numpy, a: Arguments) -> Array:
    """Linear above the threshold: there x is not below it, which bounds could not tell."""
    x, beta, threshold = a["x"], a["beta"], a["threshold"]
    scaled = np.multiply(x, beta)
    large = np.maximum(x, 0.999 * threshold / beta) if isinstance(beta, (int, float)) and beta > 0 and threshold > 0 else x
    return np.where(np.greater(scaled, threshold), large, np.true_divide(np.maximum(np.logaddexp(0.0, scaled), 0.0), beta))


def hardshrink_of(np: Numpy, a: Arguments) -> Array:
    inside = np.logical_and(np.greater_equal(a["x"], -a["lambd"]), np.less_equal(a["x"], a["lambd"]))
    return np.where(inside, 0.0, a["x"])


def softshrink_of(np: Numpy, a: Arguments) -> Array:
    return np.add(np.maximum(np.subtract(a["x"], a["lambd"]), 0), np.minimum(np.add(a["x"], a["lambd"]), 0))


def prelu_of(np: Numpy, a: Arguments) -> Array:
    """A weight for each channel stands along the second axis."""
    x, weight = a["x"], a["weight"]
    return leaky(np, x, weight.reshape(()) if weight.size == 1 else weight.reshape((-1,) + (1,) * max(0, len(x.shape) - 2)))


def glu_of(np: Numpy, a: Arguments) -> Array:
    values, gates = np.split(a["x"], 2, axis=a["dim"])
    return np.multiply(values, mathematics.sigmoid(np, gates))


def real(np: Numpy, x: Array) -> Array:
    """The result is real, so x is made real before."""
    return np.real(x) if x.dtype.kind == "c" else x


def softmax_of(np: Numpy, a: Arguments) -> Array:
    x = real(np, a["x"])
    return mathematics.softmax(np, x, a["dim"]) if x.shape else mathematics.softmax(np, x.reshape(1), 0).reshape(())


def log_softmax_of(np: Numpy, a: Arguments) -> Array:
    x = real(np, a["x"])
    return mathematics.log_softmax(np, x, a["dim"]) if x.shape else mathematics.log_softmax(np, x.reshape(1), 0).reshape(())


def softmax_gradient(np: Numpy, a: Arguments) -> Array:
    x, y = a["x"], a["y"]
    total = np.sum(np.multiply(x, y), axis=a["dim"], keepdims=True) if x.shape else np.multiply(x, y)
    return np.multiply(y, np.subtract(x, total))


# --- fixed curves ---
RELU = elementwise("relu", WHOLE_TOO, dtype=SAME, values=increasing(lambda x: max(x, 0.0)), evaluate=lambda np, a: np.maximum(a["x"], 0))
RELU6 = elementwise("relu6", WHOLE_TOO, dtype=SAME, values=increasing(lambda x: min(max(x, 0.0), 6.0)), evaluate=lambda np, a: np.clip(a["x"], 0, 6))
SIGMOID = elementwise(
    "sigmoid", FLOATS | ALL_INTS | {DType.BOOL} | FULL_COMPLEXES, values=increasing(sigmoid),
    evaluate=lambda np, a: mathematics.sigmoid(np, a["x"]),
)  # fmt: skip
HARDSIGMOID = elementwise(
    "hardsigmoid", FLOATS, values=increasing(lambda x: min(max(x / 6 + 0.5, 0.0), 1.0)),
    evaluate=lambda np, a: np.true_divide(np.clip(np.add(a["x"], 3.0), 0.0, 6.0), 6.0),
)  # fmt: skip
LOGSIGMOID = replace(
    elementwise("logsigmoid", FLOATS, values=increasing(log_of_sigmoid), evaluate=lambda np, a: mathematics.log_sigmoid(np, a["x"])),
    order="compact",
)
SELU = elementwise("selu", FLOATS, values=increasing(selu), evaluate=selu_of)
SILU = elementwise("silu", FLOATS | FULL_COMPLEXES, values=bounded(-0.27847, INF), doc="x · sigmoid(x)", evaluate=silu_of)
MISH = elementwise("mish", FLOATS, values=bounded(-0.30885, INF), doc="x · tanh(softplus(x))", evaluate=mish_of)
HARDSWISH = elementwise("hardswish", FLOATS, values=bounded(-0.37501, INF), evaluate=hardswish_of)
GELU = elementwise("gelu", FLOATS, Choice("approximate", ("none", "tanh"), "none"), values=bounded(-0.17005, INF), evaluate=gelu_of)
SOFTSIGN = elementwise(
    "softsign",
    WHOLE_TOO | FULL_COMPLEXES,
    values=increasing(lambda x: x / (1 + abs(x)) if math.isfinite(x) else math.copysign(1.0, x)),
    evaluate=lambda np, a: np.true_divide(a["x"], np.add(1.0, np.absolute(a["x"]))),
)
TANHSHRINK = elementwise(
    "tanhshrink", WHOLE_TOO | FULL_COMPLEXES, values=increasing(lambda x: x - math.tanh(x)),
    evaluate=lambda np, a: np.subtract(a["x"], np.tanh(a["x"])),
)  # fmt: skip

ACTIVATION = Op("activation", (Tensor("x", "...", ANY),), (), same_shape, SAME, opaque="program", order="like", doc="A function that the program gives.")


# --- curves with parameters ---
def real_numbers(c: Call) -> DType | None:
    """No parameter is complex."""
    for attribute in c.op.attributes:
        c.require(attribute.name, not isinstance(c[attribute.name], complex), f"{attribute.name} must be real", attribute.name)
    return c.dtype("x")


LEAKY_RELU = elementwise("leaky_relu", FLOATS, Number("slope", 0.01), dtype=real_numbers, evaluate=lambda np, a: leaky(np, a["x"], a["slope"]))
ELU = elementwise("elu", FLOATS, Number("alpha", 1.0), Number("scale", 1.0), Number("input_scale", 1.0), dtype=real_numbers, evaluate=elu_of)
SOFTPLUS = elementwise("softplus", FLOATS, Number("beta", 1.0), Number("threshold", 20.0), dtype=real_numbers, evaluate=softplus_of)
THRESHOLD = elementwise(
    "threshold",
    REALS,
    Number("threshold"),
    Number("value", held=True),
    dtype=real_numbers,
    evaluate=lambda np, a: np.where(np.less_equal(a["x"], a["threshold"]), a["value"], a["x"]),
    doc="x where above the threshold, else value",
)
HARDSHRINK = elementwise("hardshrink", FLOATS, Number("lambd", 0.5), dtype=real_numbers, evaluate=hardshrink_of)
SOFTSHRINK = elementwise("softshrink", FLOATS, Float("lambd", 0.5, least=0.0), evaluate=softshrink_of)


def celu_type(c: Call) -> DType | None:
    c.require("alpha", c["alpha"] != 0, "alpha must not be 0", "alpha")
    return real_numbers(c)


CELU = elementwise(
    "celu", FLOATS, Number("alpha", 1.0), dtype=celu_type,
    evaluate=lambda np, a: elu_of(np, named(x=a["x"], alpha=a["alpha"], scale=1.0, input_scale=1.0 / a["alpha"])),
)  # fmt: skip


def hardtanh_type(c: Call) -> DType | None:
    lo, hi = c["low"], c["high"]
    if isinstance(lo, (int, float)) and isinstance(hi, (int, float)):
        negative = c.dtype("x") is UINT8 and (lo < 0 or hi < 0)
        c.require("bounds", not negative, f"{c.dtype('x')!r} holds no negative numbers, and the bounds are {lo} and {hi}", ("low", "high"))
    return c.dtype("x")


HARDTANH = elementwise(
    "hardtanh", REALS, Float("low", -1.0), Float("high", 1.0), dtype=hardtanh_type,
    evaluate=lambda np, a: np.clip(a["x"], a["low"], a["high"]),
)  # fmt: skip


def rrelu_type(c: Call) -> DType | None:
    dtype = c.dtype("x")
    if isinstance(c["lower"], (int, float)) and isinstance(c["upper"], (int, float)):
        c.require("bounds", c["lower"] <= c["upper"], f"the lower bound {c['lower']} is above the upper bound {c['upper']}", ("lower", "upper"))
    if c["training"] and dtype is not None and dtype not in FULL_FLOATS | {BFLOAT16}:
        raise c.refuse("dtype", f"{c.name} does not take element type {dtype!r} in training", "x")
    return dtype


RRELU = Op(
    "rrelu", (Tensor("x", "...", FLOATS),), (Number("lower", 1 / 8), Number("upper", 1 / 3), Bool("training", False)), same_shape, rrelu_type,
    random=True, evaluate=rrelu_of, doc="leaky_relu with a slope drawn from [lower, upper] in training",
)  # fmt: skip


def prelu_shape(c: Call) -> Shape:
    """One weight for all, or one for each channel: the second axis, of which a tensor of rank 0 or 1 has one."""
    shape = c.shape("x")
    count = c.shape("weight").numel
    channels = shape[1] if len(shape) > 1 else 1
    c.require(
        "channels", disj(eq(count, 1), eq(count, channels)), f"weight has {count!r} elements, and must have 1 or one for each of {channels!r} channels",
        ("weight", "x"),
    )  # fmt: skip
    return shape


PRELU = Op("prelu", (Tensor("x", "...", FLOATS), Tensor("weight", "C | ", FLOATS)), (), prelu_shape, Same("x", "weight"), order="like", evaluate=prelu_of)


def glu_shape(c: Call) -> Shape:
    """One half of the axis gates the other."""
    shape = c.shape("x")
    if not shape:
        raise c.refuse("rank", f"{c.name} halves an axis, and x has none", "x")
    size = shape[c["dim"]]
    c.require("even", eq(size % 2, 0), f"axis {c['dim']} is halved, so it must be even, and is {size!r}", ("x", "dim"))
    return replaced(shape, c["dim"], size // 2)


GLU = Op("glu", (Tensor("x", "...", FLOATS),), (Axis("dim", -1),), glu_shape, SAME, order="like", evaluate=glu_of)


# --- the softmax family ---
def _finite_row(smallest: bool = False) -> Region:
    """Nothing is infinite but what the exponential makes 0, and of each row something is left."""

    def safe(np: Numpy, a: Arguments) -> Array:
        x = np.negative(a["x"]) if smallest else a["x"]
        greatest = np.max(x, axis=a["dim"], keepdims=True) if x.ndim else x
        return np.logical_and(np.greater(greatest, -INF), np.less(greatest, INF))

    return safe


@any_rank
def along_axis(c: Call) -> Shape:
    return c.shape("x")


def gradient(c: Call) -> Shape:
    """x is the gradient of the output y."""
    x, y = c.shape("x"), c.shape("y")
    c.require("shape", len(x) == len(y), f"the gradient {x!r} must have the shape of the output, {y!r}", ("x", "y"))
    for a, b in zip(x, y):
        c.require("shape", eq(a, b), f"the gradient {x!r} must have the shape of the output, {y!r}", ("x", "y"))
    return x


def softmax_type(c: Call) -> DType | None:
    """torch has kernels for floats; an empty tensor needs none."""
    rule = Given("dtype", SAME)
    return rule(c) if c.shape("x").numel == 0 else Within(rule, FLOATS)(c)


def _softmax(name: str, values: Values, doc: str, evaluate: Evaluate, takes: DTypes = ANY, smallest: bool = False) -> Op:
    words = f"the {'least' if smallest else 'greatest'} element of each row of x along dim is finite"
    return Op(
        name, (Tensor("x", "...", takes),), (Axis("dim", -1), ElementType("dtype")), along_axis,
        softmax_type, values=values, hazards=region(f"{name}/finite", "x", words, "nan", _finite_row(smallest)), doc=doc, evaluate=evaluate,
    )  # fmt: skip


def probabilities() -> Values:
    """Along the axis, numbers from 0 on that sum to 1."""
    return replace(bounded(0.0, 1.0), by="dim", probabilities="numbers")


SOFTMAX = replace(_softmax("softmax", probabilities(), "exp(x) over its sum along an axis", softmax_of), order="compact")
LOG_SOFTMAX = replace(
    _softmax("log_softmax", replace(bounded(-INF, 0.0), by="dim", probabilities="logarithms"), "the logarithm of softmax", log_softmax_of), order="compact",
)  # fmt: skip
SOFTMIN = replace(
    _softmax("softmin", probabilities(), "softmax of -x", lambda np, a: softmax_of(np, changed(a, x=np.negative(a["x"]))), REALS | COMPLEXES, True),
    order="compact",
)
SOFTMAX_BACKWARD = Op(
    "softmax_backward",
    inputs=(Tensor("x", "...", FLOATS), Tensor("y", "...", FLOATS)),
    attributes=(Axis("dim"), ElementType("dtype", optional=False)),
    shape=gradient,
    dtype=Same("x", "y"),
    evaluate=softmax_gradient,
)
GUMBEL_SOFTMAX = Op(
    "gumbel_softmax", (Tensor("x", "...", FLOATS),), (Axis("dim", -1), Float("tau", 1.0), Bool("hard", False)), same_shape, SAME,
    values=probabilities(), random=True,
)  # fmt: skip
