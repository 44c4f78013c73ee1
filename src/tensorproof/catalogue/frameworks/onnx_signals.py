"""Spectra as ONNX has them: real and imaginary parts stand in the last axis; windows and mel bands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.catalogue.frameworks.onnx_networks import maybe
from tensorproof.catalogue.frameworks.onnx_tensors import somewhere
from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Given, Like, Same
from tensorproof.ops.families import replaced
from tensorproof.ops.inputs import Axis, Bool, Choice, ElementType, Int, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Interval, Op, Values
from tensorproof.terms.dtypes import FLOAT32, FLOATS
from tensorproof.terms.predicates import disj, eq, ge, le
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.frameworks.formulas import onnx_signals as f
else:
    f = later("catalogue.frameworks.formulas.onnx_signals")


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
    "dft_parts",
    (Tensor("x", "... T _", FLOATS),),
    (
        Int("length", None, optional=True, least=1, loose=True),
        Axis("dim", -2, loose=True, scalar_ok=False),
        Bool("inverse", False),
        Bool("onesided", False),
    ),
    dft_shape,
    Like("x"),
    doc="The discrete Fourier transform of an axis; the last axis holds real and imaginary parts.",
    evaluate=f.transform,
)


def stft_shape(c: Call) -> Shape:
    (batch, signal, parts), step, length = c.shape("x"), c["step"], c["length"]
    c.require("parts", disj(eq(parts, 1), eq(parts, 2)), f"the last axis holds one part or two, and has size {parts!r}", "x")
    if length is None:
        length = c.shape("window")[0] if c.given("window") else signal
    elif isinstance(length, TensorType):
        length = c.shape("window")[0] if c.given("window") else c.fresh("length", 1)
    elif c.given("window"):
        c.equal("window", c.shape("window")[0], length, "the window has {a} elements and frame_length is {b}", ("window", "length"))
    c.require("length", ge(length, 1), f"a frame has at least one element, and here {length!r}", ("x", "length"))
    c.require("length", le(length, signal), f"a frame of {length!r} is longer than the signal of {signal!r}", ("x", "length"))
    frames = c.fresh("frames") if isinstance(step, TensorType) else (signal - length) // step + 1
    return Shape((batch, frames, length // 2 + 1 if c["onesided"] else length, 2))


STFT = Op(
    "stft_parts",
    (Tensor("x", "B L _", FLOATS), maybe("window", "W")),
    (Int("step", least=1, loose=True), Int("length", None, optional=True, least=1, loose=True), Bool("onesided", True)),
    stft_shape,
    Same("x", "window"),
    doc="Spectra of frames of a signal; the last axis holds real and imaginary parts.",
    evaluate=f.short_time,
)


def mel_shape(c: Call) -> Shape:
    bins, length = c["bins"], c["length"]
    Same("low", "high")(c)
    if isinstance(bins, TensorType) or isinstance(length, TensorType):
        return somewhere(c, 2)
    return Shape((length // 2 + 1, bins))


MEL_WEIGHTS = Op(
    "mel_weights",
    (Tensor("low", "", FLOATS), Tensor("high", "", FLOATS)),
    (Int("bins", least=0, loose=True), Int("length", least=0, loose=True), Int("rate", least=1, loose=True), ElementType("dtype", FLOAT32)),
    mel_shape,
    Given("dtype"),
    values=Values("bounded", bounds=Interval(0.0, 1.0)),
    doc="The matrix that turns a spectrum into mel bands.",
    evaluate=f.mel_bands,
)


def window_shape(c: Call) -> Shape:
    return Shape((c.fresh("size") if isinstance(c["size"], TensorType) else c["size"],))


WINDOW_OF = Op(
    "window_of",
    (),
    (Int("size", least=1, loose=True), Bool("periodic", True), ElementType("dtype", FLOAT32), Choice("kind", ("hann", "hamming", "blackman"), "hann")),
    window_shape,
    Given("dtype"),
    doc="A window for short-time spectra.",
    evaluate=f.window,
)
