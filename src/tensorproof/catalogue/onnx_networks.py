"""Layers as ONNX has them: products with optional transposes, normalisations from an axis on, recurrences, attention, losses, spectra."""

from __future__ import annotations

from typing import Any

from tensorproof.catalogue.onnx_tensors import axes_in
from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Like, Same
from tensorproof.ops.families import reduction, replaced, same_shape
from tensorproof.ops.inputs import Anything, Axis, Bool, Choice, Float, Int, Ints, Tensor
from tensorproof.ops.record import Op, Out
from tensorproof.terms.dtypes import ALL_INTS, FLOAT32, FLOATS, INDEX, INT32, INT64, DType
from tensorproof.terms.ints import Dim
from tensorproof.terms.predicates import conj, disj, eq, le
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

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
    "gemm", (Tensor("x", "N K", _MATRIX), Tensor("y", "A B", _MATRIX), maybe("bias", "...", _MATRIX)), (Bool("transpose_x", False), Bool("transpose_y", False)),
    gemm_shape, Same("x", "y", "bias"), doc="alpha times the product of two matrices, either of them transposed, plus beta times a bias that broadcasts into it.",
)  # fmt: skip
SWIGLU = Op("swiglu", (Tensor("x", "...", FLOATS), Tensor("y", "...", FLOATS)), (), lambda c: _equal_shapes(c, "x", "y"), Same("x", "y"), doc="The swish of x times y.")


def _equal_shapes(c: Call, a: str, b: str) -> Shape:
    left, right = c.shape(a), c.shape(b)
    c.require("shape", len(left) == len(right), f"{a} {left!r} and {b} {right!r} must have one shape", (a, b))
    for m, n in zip(left, right):
        c.require("shape", eq(m, n), f"{a} {left!r} and {b} {right!r} must have one shape", (a, b))
    return left


# --- reductions that have no name of their own elsewhere -----------------------------------------------------------------------------

REDUCTIONS = tuple(
    reduction(name, REALS, dtype=Like("x"), doc=words)
    for name, words in (
        ("norm1", "The sum of absolute values over axes."), ("norm2", "The root of the sum of squares over axes."), ("log_sum", "The logarithm of the sum over axes."),
        ("log_sum_exp", "The logarithm of the sum of exponentials over axes."), ("sum_of_squares", "The sum of squares over axes."),
    )
)  # fmt: skip


# --- normalisations ----------------------------------------------------------------------------------------------------------------


def _stash(c: Call) -> DType:
    return c["stash"] or FLOAT32


def from_axis(c: Call) -> list[Any]:
    x, axis = c.shape("x"), c["dim"]
    for name in ("weight", "bias"):
        if c.op.parameter(name) is not None and c.given(name):
            fits_into(c, name, Shape(x[axis:]))
    kept = TensorType(Shape((*x[:axis], *(1 for _ in x[axis:]))), _stash(c))
    return [x, kept, kept]


_FROM = (Axis("dim", -1, scalar_ok=False), Float("eps", 1e-5), Anything("stash"))
LAYER_NORM = Op(
    "layer_norm_from", (Tensor("x", "X ...", FLOATS), Tensor("weight", "...", FLOATS), maybe("bias")), _FROM, from_axis, Same("x", "weight", "bias"),
    outputs=(Out("y"), Out("mean"), Out("inverse_deviation")), doc="Normalisation over all axes from one on; mean and inverse deviation are kept in their own type.",
)  # fmt: skip
RMS_NORM = Op(
    "rms_norm_from", (Tensor("x", "X ...", FLOATS), Tensor("weight", "...", FLOATS)), _FROM, lambda c: from_axis(c)[0], Same("x", "weight"),
    doc="Division by the root mean square over all axes from one on.",
)  # fmt: skip


def batch_norm_shape(c: Call) -> list[Any]:
    """Running statistics come out in training only; before opset 14, those of the batch too."""
    kept = TensorType(Shape((c.dims["C"],)), c.dtype("running_mean"))
    return [c.shape("x"), *([kept] * (c["outputs"] - 1))]


BATCH_NORM = Op(
    "batch_norm_running",
    (Tensor("x", "N C ...", FLOATS), *(Tensor(name, "C", FLOATS) for name in ("weight", "bias", "running_mean", "running_var"))),
    (Int("outputs", 1),), batch_norm_shape, Like("x"), counted=True, codes={"C": "channels"}, doc="Normalisation of each channel over the batch, with the running statistics that come out.",
)  # fmt: skip


def grouped(c: Call) -> Shape:
    channels, groups = c.dims["C"], c["groups"]
    c.require("groups", eq(channels % groups, 0), f"{channels!r} channels do not divide into {groups!r} groups", ("x", "groups"))
    for name in ("weight", "bias"):
        c.equal(name, c.shape(name)[0], groups, f"{name} has {{a}} elements and there are {{b}} groups", (name, "groups"))
    return c.shape("x")


GROUP_NORM = Op(
    "group_norm_by_group", (Tensor("x", "N C X ...", FLOATS), Tensor("weight", "G", FLOATS), Tensor("bias", "G", FLOATS)), (Int("groups", least=1), Float("eps", 1e-5)),
    grouped, Same("x", "weight", "bias"), codes={"G": "groups"}, doc="Normalisation of groups of channels, with one weight and bias for each group.",
)  # fmt: skip
LP_NORMALIZE = Op("lp_normalize", (Tensor("x", "X ...", FLOATS),), (Axis("dim", -1, scalar_ok=False), Int("p", 2, least=1, most=2)), same_shape, Like("x"), doc="Division by the norm along an axis.")


def standardised(c: Call) -> Shape:
    axes_in(c, c["dim"], c.rank("x"))
    return c.shape("x")


MEAN_VARIANCE = Op("mean_variance_normalize", (Tensor("x", "...", FLOATS),), (Ints("dim", (0, 2, 3)),), standardised, Like("x"), doc="Mean 0 and variance 1 over axes.")


# --- recurrences -------------------------------------------------------------------------------------------------------------------


def _recurrent(c: Call, gates: int) -> list[Shape]:
    time, batch = (c.dims["A"], c.dims["B"]) if not c["batch_first"] else (c.dims["B"], c.dims["A"])
    directions = 2 if c["direction"] == "bidirectional" else 1
    hidden = c.shape("weight_hh")[2]
    c.equal("directions", c.dims["D"], directions, f"the weights hold {{a}} directions and direction={c['direction']!r} has {{b}}", ("weight_ih", "direction"))
    c.equal("gates", c.dims["G"], gates * hidden, f"the weights hold {{a}} rows and {gates} gates of {hidden!r} units need {{b}}", ("weight_ih", "weight_hh"))
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
            Tensor("x", "A B I", FLOATS), Tensor("weight_ih", "D G I", FLOATS, draw=f"1 {gates}*H I"), Tensor("weight_hh", "D G H", FLOATS, draw=f"1 {gates}*H H"),
            maybe("bias", draw=f"1 {2 * gates}*H"), maybe("lengths", "...", frozenset({INT32}), draw="B"), maybe("hx", draw="1 B H"), *more,
        ),
        (Choice("direction", ("forward", "reverse", "bidirectional"), "forward"), Int("hidden_size", None, least=1, optional=True), Bool("batch_first", False)),
        lambda c: _recurrent(c, gates), Same("x", "weight_ih", "weight_hh", "bias", "hx", *(m.name for m in more)), outputs=outputs,
        codes={"D": "directions", "G": "gates", "I": "input"}, doc=f"One layer of a recurrent network with {gates} gate(s), with directions as an axis of their own.",
    )  # fmt: skip


RECURRENCES = (_recurrence("rnn", 1), _recurrence("gru", 3), _recurrence("lstm", 4, maybe("cx", draw="1 B H"), maybe("peephole", draw="1 3*H")))


# --- attention ---------------------------------------------------------------------------------------------------------------------


def _heads(c: Call, name: str, heads: str) -> tuple[Dim, Dim, Dim, Dim]:
    """Batch, heads, length and head size of a tensor that keeps heads as an axis, or packs them into the last one."""
    shape = c.shape(name)
    if len(shape) == 4:
        return shape[0], shape[1], shape[2], shape[3]
    n = c[heads]
    c.require(heads, n is not None, f"{name} {shape!r} packs its heads, so {heads} must be given", (name, heads))
    c.require(heads, eq(shape[2] % n, 0), f"{shape[2]!r} does not divide into {n!r} heads", (name, heads))
    return shape[0], n, shape[1], shape[2] // n


def attention_shape(c: Call) -> list[Shape]:
    (b, hq, sq, d), (bk, hk, sk, dk), (bv, hv, sv, dv) = _heads(c, "query", "q_heads"), _heads(c, "key", "kv_heads"), _heads(c, "value", "kv_heads")
    packed = c.rank("query") == 3
    c.require("rank", c.rank("query") == c.rank("key") == c.rank("value"), "query, key and value must have one rank", ("query", "key", "value"))
    c.require("batch", conj(eq(b, bk), eq(b, bv)), f"the batches are {b!r}, {bk!r} and {bv!r}, and must be equal", ("query", "key", "value"))
    c.equal("length", sk, sv, "there are {a} keys and {b} values", ("key", "value"))
    c.equal("heads", hk, hv, "keys have {a} heads and values {b}", ("key", "value"))
    c.equal("size", d, dk, "the head size is {a} in query and {b} in key", ("query", "key"))
    c.require("heads", eq(hq % hk, 0) if hk != 0 else True, f"{hq!r} heads of query do not divide among {hk!r} of key", ("query", "key"))
    c.require("past", c.given("past_key") == c.given("past_value"), "past_key and past_value must be given together", ("past_key", "past_value"))
    past: Dim = c.shape("past_key")[2] if c.given("past_key") else 0
    total = past + sk
    out = Shape((b, sq, hq * dv)) if packed else Shape((b, hq, sq, dv))
    return [out, Shape((b, hk, total, d)), Shape((b, hk, total, dv)), Shape((b, hq, sq, total))]


ATTENTION = Op(
    "attention_with_past",
    (
        Tensor("query", "_ _ _ _ | _ _ _", FLOATS, draw="B H S D"), Tensor("key", "_ _ _ _ | _ _ _", FLOATS, draw="B H T D"),
        Tensor("value", "_ _ _ _ | _ _ _", FLOATS, draw="B H T V"), maybe("mask", "...", REALS | {DType.BOOL}, draw="S T"),
        maybe("past_key", "_ _ _ _", draw="B H P D"), maybe("past_value", "_ _ _ _", draw="B H P V"), maybe("lengths", "B", frozenset({INT64})),
    ),
    (Int("q_heads", None, optional=True, least=1), Int("kv_heads", None, optional=True, least=1), Bool("causal", False)),
    attention_shape, Same("query", "key", "past_key"), outputs=(Out("y"), Out("present_key"), Out("present_value"), Out("scores")),
    doc="Scaled dot-product attention in groups of heads, with the keys and values of the steps before.",
)  # fmt: skip


def linear_attention_shape(c: Call) -> list[Any]:
    (b, t, wq), wk, wv, hq, hk = c.shape("query"), c.shape("key")[2], c.shape("value")[2], c["q_heads"], c["kv_heads"]
    for size, heads, name in ((wq, hq, "query"), (wk, hk, "key"), (wv, hk, "value")):
        c.require("heads", eq(size % heads, 0), f"{name} of width {size!r} does not divide into {heads!r} heads", name)
    c.require("heads", eq(hq % hk, 0), f"{hq!r} heads of query do not divide among {hk!r} of key", ("q_heads", "kv_heads"))
    c.equal("size", wq // hq, wk // hk, "the head size is {a} in query and {b} in key", ("query", "key"))
    state = Shape((b, hk, wk // hk, wv // hk))
    c.require("decay", "gated" not in c["rule"] or c.given("decay"), f"the rule {c['rule']!r} needs a decay", ("decay", "rule"))
    c.require("beta", "delta" not in c["rule"] or c.given("beta"), f"the rule {c['rule']!r} needs a beta", ("beta", "rule"))
    if c.given("past"):
        for a, n in zip(c.shape("past"), state):
            c.require("past", eq(a, n), f"the state {c.shape('past')!r} must have the shape {state!r}", ("past", "key"))
    for name, widths in (("decay", (hk, wk)), ("beta", (1, hk))):
        if c.given(name):
            width = c.shape(name)[2]
            c.require(name, disj(*(eq(width, w) for w in widths)), f"{name} of width {width!r} must have one of {widths!r}", (name, "key"))
    dtype = c.dtype("past") if c.given("past") else c.dtype("query")
    return [Shape((b, t, hq * (wv // hk))), TensorType(state, dtype)]


LINEAR_ATTENTION = Op(
    "linear_attention",
    (
        Tensor("query", "B T Q", FLOATS, draw="B T d"), Tensor("key", "B T K", FLOATS, draw="B T d"), Tensor("value", "B T V", FLOATS, draw="B T v"),
        maybe("past", "B _ _ _", draw="B 1 d v"), maybe("decay", "B T _", draw="B T d"), maybe("beta", "B T _", draw="B T 1"),
    ),
    (Int("q_heads", least=1), Int("kv_heads", least=1), Choice("rule", ("linear", "gated", "delta", "gated_delta"), "gated_delta")),
    linear_attention_shape, Same("query", "key", "value"), outputs=(Out("y"), Out("state")), doc="Attention by a state that is updated step by step.",
)  # fmt: skip


def rotary_shape(c: Call) -> Shape:
    x = c.shape("x")
    if len(x) == 3:
        c.require("heads", c["heads"] is not None and c["heads"] > 0, f"x {x!r} packs its heads, so num_heads must be given", ("x", "heads"))
    for a, b in zip(c.shape("cos"), c.shape("sin")):
        c.require("cache", eq(a, b), f"the caches {c.shape('cos')!r} and {c.shape('sin')!r} must have one shape", ("cos", "sin"))
    width = x[3] if len(x) == 4 else x[2] // c["heads"]
    turned = c["size"] or width
    c.require("size", eq(turned % 2, 0), f"{turned!r} numbers are turned in pairs", ("x", "size"))
    c.require("cache", eq(2 * c.dims["R"], turned), f"the caches hold {c.dims['R']!r} angles for the {turned!r} numbers that are turned", ("cos", "x"))
    wanted = 2 if c.given("index") else 3
    c.require("cache", c.rank("cos") == c.rank("sin") == wanted, f"the caches must have rank {wanted} here", ("cos", "sin"))
    return x


ROTARY = Op(
    "rotary_embedding", (Tensor("x", "N H S D | N S W", FLOATS, draw="N H S 2*R"), Tensor("cos", "... R", FLOATS, draw="P R"), Tensor("sin", "... R", FLOATS, draw="P R"), maybe("index", "N S", frozenset({INT64}))),
    (Int("heads", None, optional=True), Int("size", 0), Bool("interleaved", False)), rotary_shape, Same("x", "cos", "sin"), doc="Positions as rotations of pairs of numbers.",
)  # fmt: skip


# --- losses ------------------------------------------------------------------------------------------------------------------------


def class_loss(c: Call) -> list[Shape]:
    x, target = c.shape("x"), c.shape("target")
    c.require("rank", len(target) == len(x) - 1, f"target {target!r} must have the shape of x {x!r} without its classes", ("x", "target"))
    for a, b in zip(target, (x[0], *x[2:])):
        c.require("target", eq(a, b), f"target {target!r} must have the shape of x {x!r} without its classes", ("x", "target"))
    made = target if c["reduction"] == "none" else Shape()
    return [made, x][: max(1, len(c.op.outputs))]


_LOSS = (Tensor("x", "N C ...", FLOATS), Tensor("target", "...", INDEX, values="index:C"), maybe("weight", "C"))
_REDUCTION = Choice("reduction", ("mean", "sum", "none"), "mean")
NLL = Op("class_likelihood_loss", _LOSS, (_REDUCTION,), lambda c: class_loss(c)[0], Same("x", "weight"), codes={"C": "classes"}, doc="The negative log likelihood of the classes in target.")
CROSS_ENTROPY = Op(
    "class_cross_entropy", _LOSS, (_REDUCTION,), class_loss, Same("x", "weight"), outputs=(Out("loss"), Out("log_probability")), codes={"C": "classes"},
    doc="The cross entropy of the softmax of x with the classes in target, and the logarithm of that softmax.",
)  # fmt: skip


# --- spectra -----------------------------------------------------------------------------------------------------------------------


def dft_shape(c: Call) -> Shape:
    x, axis, length = c.shape("x"), c["dim"], c["length"]
    if isinstance(axis, TensorType):
        return Shape(c.fresh("size") for _ in x)
    c.require("axis", axis != len(x) - 1, "the last axis holds real and imaginary parts and is not transformed", "dim")
    c.require("parts", disj(eq(x[-1], 1), eq(x[-1], 2)), f"the last axis holds one part or two, and has size {x[-1]!r}", "x")
    back = c["onesided"] and c["inverse"]
    if c["onesided"]:
        c.require("parts", eq(x[-1], 2 if back else 1), f"one-sided spectra belong to real signals, and the last axis has size {x[-1]!r}", ("x", "onesided"))
    n = c.fresh("length", 1) if isinstance(length, TensorType) else length if length is not None else 2 * (x[axis] - 1) if back else x[axis]
    made = replaced(x, axis, n // 2 + 1 if c["onesided"] and not c["inverse"] else n)
    return Shape((*made[:-1], 1 if back else 2))


DFT = Op(
    "dft_parts", (Tensor("x", "... T _", FLOATS),),
    (Int("length", None, optional=True, least=1, loose=True), Axis("dim", -2, loose=True, scalar_ok=False), Bool("inverse", False), Bool("onesided", False)),
    dft_shape, Like("x"), doc="The discrete Fourier transform of an axis; the last axis holds real and imaginary parts.",
)  # fmt: skip


def stft_shape(c: Call) -> Shape:
    (batch, signal, parts), step, length = c.shape("x"), c["step"], c["length"]
    c.require("parts", disj(eq(parts, 1), eq(parts, 2)), f"the last axis holds one part or two, and has size {parts!r}", "x")
    if length is None:
        length = c.shape("window")[0] if c.given("window") else signal
    elif isinstance(length, TensorType):
        length = c.shape("window")[0] if c.given("window") else c.fresh("length", 1)
    elif c.given("window"):
        c.equal("window", c.shape("window")[0], length, "the window has {a} elements and frame_length is {b}", ("window", "length"))
    c.require("length", le(length, signal), f"a frame of {length!r} is longer than the signal of {signal!r}", ("x", "length"))
    frames = c.fresh("frames") if isinstance(step, TensorType) else (signal - length) // step + 1
    return Shape((batch, frames, length // 2 + 1 if c["onesided"] else length, 2))


STFT = Op(
    "stft_parts", (Tensor("x", "B L _", FLOATS), maybe("window", "W")),
    (Int("step", least=1, loose=True), Int("length", None, optional=True, least=1, loose=True), Bool("onesided", True)), stft_shape, Same("x", "window"),
    doc="Spectra of frames of a signal; the last axis holds real and imaginary parts.",
)  # fmt: skip
DET = Op("determinant", (Tensor("x", "... N N", FLOATS),), (), lambda c: Shape(c.shape("x")[:-2]), Like("x"), codes={"N": "square"}, doc="The determinants of square matrices.")
