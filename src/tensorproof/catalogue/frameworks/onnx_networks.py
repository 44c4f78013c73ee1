"""Layers as ONNX has them: products with optional transposes, normalisations from an axis on, recurrences, losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.frameworks.onnx_tensors import axes_in
from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Like, Same
from tensorproof.ops.families import same_shape
from tensorproof.ops.inputs import Axis, Bool, Choice, Float, Int, Ints, Tensor
from tensorproof.ops.later import later, makers
from tensorproof.ops.record import Op, Out
from tensorproof.terms.dtypes import ALL_INTS, FLOATS, INT32
from tensorproof.terms.predicates import disj, eq
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.frameworks.formulas import onnx_networks as f
    from tensorproof.catalogue.frameworks.formulas import onnx_networks as made
else:
    f = later("catalogue.frameworks.formulas.onnx_networks")
    made = makers("catalogue.frameworks.formulas.onnx_networks")

REALS = ALL_INTS | FLOATS


def maybe(name: str, layout: str = "...", dtypes: Any = FLOATS, draw: str = "") -> Tensor:
    """An input that may be left out."""
    return Tensor(name, layout, dtypes, optional=True, default=None, draw=draw)


def fits_into(c: Call, name: str, into: Shape) -> None:
    """State that an input broadcasts to a shape and not beyond it."""
    shape = c.shape(name)
    c.require("rank", len(shape) <= len(into), f"{name} {shape!r} does not broadcast into {into!r}", name)
    for a, b in zip(reversed(shape), reversed(into)):
        c.require(name, disj(eq(a, b), eq(a, 1)), f"{name} {shape!r} does not broadcast into {into!r}", name)


# --- products ----------------------------------------------------------------------------------------------------------------------


def gemm_shape(c: Call) -> Shape:
    x, y = c.shape("x"), c.shape("y")
    rows, inner = (x[1], x[0]) if c["transpose_x"] else x
    other, columns = (y[1], y[0]) if c["transpose_y"] else y
    c.equal("inner", inner, other, "the inner axes are {a} and {b}, and must be equal", ("x", "y"))
    made = Shape((rows, columns))
    if c.given("bias"):
        fits_into(c, "bias", made)
    return made


_MATRIX = REALS - frozenset(d for d in ALL_INTS if d.bits < 32)
GEMM = Op(
    "gemm",
    (Tensor("x", "N K", _MATRIX), Tensor("y", "A B", _MATRIX), maybe("bias", "...", _MATRIX)),
    (Bool("transpose_x", False), Bool("transpose_y", False), Float("alpha", 1.0), Float("beta", 1.0)),
    gemm_shape,
    Same("x", "y", "bias"),
    doc="alpha times the product of two matrices, either of them transposed, plus beta times a bias that broadcasts into it.",
    evaluate=f.gemm,
)
SWIGLU = Op(
    "swiglu",
    (Tensor("x", "...", FLOATS), Tensor("y", "...", FLOATS)),
    (Float("alpha", 1.0),),
    lambda c: _equal_shapes(c, "x", "y"),
    Same("x", "y"),
    doc="The swish of x times y.",
    evaluate=f.swish_product,
)


def _equal_shapes(c: Call, a: str, b: str) -> Shape:
    left, right = c.shape(a), c.shape(b)
    c.require("shape", len(left) == len(right), f"{a} {left!r} and {b} {right!r} must have the same shape", (a, b))
    for m, n in zip(left, right):
        c.require("shape", eq(m, n), f"{a} {left!r} and {b} {right!r} must have the same shape", (a, b))
    return left


# --- normalisations ----------------------------------------------------------------------------------------------------------------


def batch_norm_shape(c: Call) -> list[Any]:
    """Running statistics come out in training only; before opset 14, those of the batch too."""
    Same("running_mean", "running_var")(c)
    if c["one_type"]:
        Same("x", "weight", "running_mean")(c)
    Same("weight", "bias")(c)
    kept = TensorType(Shape((c.dims["C"],)), c.dtype("running_mean"))
    return [c.shape("x"), *([kept] * (c["outputs"] - 1))]


BATCH_NORM = Op(
    "batch_norm_running",
    (Tensor("x", "N C ...", FLOATS), *(Tensor(name, "C", FLOATS) for name in ("weight", "bias", "running_mean", "running_var"))),
    (Int("outputs", 1), Bool("one_type", False), Float("eps", 1e-5), Float("momentum", 0.9), Bool("training", False)),
    batch_norm_shape,
    Like("x"),
    counted=True,
    codes={"C": "channels"},
    doc="Normalisation of each channel by the running statistics, or in training by those of the batch; the running statistics come out, then the others.",
    evaluate=f.batch_norm,
)


def grouped(c: Call) -> Shape:
    channels, groups = c.dims["C"], c["groups"]
    c.require("groups", eq(channels % groups, 0), f"{channels!r} channels do not divide into {groups!r} groups", ("x", "groups"))
    for name in ("weight", "bias"):
        c.equal(name, c.shape(name)[0], groups, f"{name} has {{a}} elements and there are {{b}} groups", (name, "groups"))
    return c.shape("x")


GROUP_NORM = Op(
    "group_norm_by_group",
    (Tensor("x", "N C X ...", FLOATS), Tensor("weight", "G", FLOATS), Tensor("bias", "G", FLOATS)),
    (Int("groups", least=1), Float("eps", 1e-5)),
    grouped,
    Same("x", "weight", "bias"),
    codes={"G": "groups"},
    doc="Normalisation of groups of channels, with one weight and bias for each group.",
    evaluate=f.group_norm,
)
LP_NORMALIZE = Op(
    "lp_normalize",
    (Tensor("x", "X ...", FLOATS),),
    (Axis("dim", -1, scalar_ok=False), Int("p", 2, least=1, most=2)),
    same_shape,
    Like("x"),
    doc="Division by the norm along an axis.",
    evaluate=f.unit_length,
)


def standardised(c: Call) -> Shape:
    axes_in(c, c["dim"], c.rank("x"))
    return c.shape("x")


MEAN_VARIANCE = Op(
    "mean_variance_normalize",
    (Tensor("x", "...", FLOATS),),
    (Ints("dim", (0, 2, 3)),),
    standardised,
    Like("x"),
    doc="Mean 0 and variance 1 over axes.",
    evaluate=f.standardised,
)


# --- recurrences -------------------------------------------------------------------------------------------------------------------


def _recurrent(c: Call, gates: int) -> list[Shape]:
    time, batch = (c.dims["A"], c.dims["B"]) if not c["batch_first"] else (c.dims["B"], c.dims["A"])
    directions = 2 if c["direction"] == "bidirectional" else 1
    hidden = c.shape("weight_hh")[2]
    c.equal(
        "directions",
        c.dims["D"],
        directions,
        f"the weights hold {{a}} directions and direction={c['direction']!r} has {{b}}",
        ("weight_ih", "direction"),
    )
    c.equal(
        "gates",
        c.dims["G"],
        gates * hidden,
        f"the weights hold {{a}} rows and {gates} gates of {hidden!r} units need {{b}}",
        ("weight_ih", "weight_hh"),
    )
    if c["hidden_size"] is not None:
        c.equal("hidden", hidden, c["hidden_size"], "the weights hold {a} units and hidden_size is {b}", ("weight_hh", "hidden_size"))
    state = (batch, directions, hidden) if c["batch_first"] else (directions, batch, hidden)
    wanted = {"bias": (directions, 2 * gates * hidden), "lengths": (batch,), "hx": state, "cx": state, "peephole": (directions, 3 * hidden)}
    for name, shape in wanted.items():
        if c.op.parameter(name) is not None and c.given(name):
            given = c.shape(name)
            c.require("rank", len(given) == len(shape), f"{name} must have shape {shape!r}, and has {given!r}", name)
            for a, b in zip(given, shape):
                c.require(name, eq(a, b), f"{name} must have shape {shape!r}, and has {given!r}", (name, "x"))
    every = (batch, time, directions, hidden) if c["batch_first"] else (time, directions, batch, hidden)
    return [Shape(every), Shape(state), Shape(state)][: len(c.op.outputs)]


def _recurrence(name: str, gates: int, *more: Tensor) -> Op:
    outputs = (Out("y"), Out("h"), Out("c"))[: 3 if more else 2]
    return Op(
        f"{name}_onnx",
        (
            Tensor("x", "A B I", FLOATS),
            Tensor("weight_ih", "D G I", FLOATS, draw=f"1 {gates}*H I"),
            Tensor("weight_hh", "D G H", FLOATS, draw=f"1 {gates}*H H"),
            maybe("bias", draw=f"1 {2 * gates}*H"),
            maybe("lengths", "...", frozenset({INT32}), draw="B"),
            maybe("hx", draw="1 B H"),
            *more,
        ),
        (
            Choice("direction", ("forward", "reverse", "bidirectional"), "forward"),
            Int("hidden_size", None, least=1, optional=True),
            Bool("batch_first", False),
            *((Bool("linear_before_reset", False),) if name == "gru" else ()),
        ),
        lambda c: _recurrent(c, gates),
        Same("x", "weight_ih", "weight_hh", "bias", "hx", *(m.name for m in more)),
        outputs=outputs,
        codes={"D": "directions", "G": "gates", "I": "input"},
        evaluate=made.recurrence(name, gates),
        doc=f"One layer of a recurrent network with {gates} gate(s), with directions as an axis of their own.",
    )


RECURRENCES = (_recurrence("rnn", 1), _recurrence("gru", 3), _recurrence("lstm", 4, maybe("cx", draw="1 B H"), maybe("peephole", draw="1 3*H")))
