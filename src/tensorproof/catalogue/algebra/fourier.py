"""Fourier transforms, of vectors and in several dimensions, and their short-time form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Given, Like, float_of, promoted
from tensorproof.ops.facts import MOVES
from tensorproof.ops.families import NUMERIC
from tensorproof.ops.inputs import Anything, Axes, Axis, Bool, Choice, ElementType, Float, Int, Ints, Tensor
from tensorproof.ops.later import later, makers
from tensorproof.ops.record import Op
from tensorproof.terms.dtypes import FLOATS, FLOATS_OR_COMPLEX, FULL_COMPLEXES, FULL_FLOATS, DType
from tensorproof.terms.ints import Dim, ite, minimum
from tensorproof.terms.predicates import conj, disj, eq, ge, gt, le, lt
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.catalogue.algebra.formulas import fourier as fourier_transforms
    from tensorproof.catalogue.algebra.formulas import fourier as made
else:
    fourier_transforms = later("catalogue.algebra.formulas.fourier")
    made = makers("catalogue.algebra.formulas.fourier")

NORM = Choice("norm", (None, "forward", "backward", "ortho"), None)
WHOLE, FORWARD, BACKWARD = "whole", "forward", "backward"
"""Complex to complex; real to half a spectrum; half a spectrum to real."""


def spectrum(c: Call, kind: str) -> DType | None:
    """Complex numbers come out, or real ones of half a spectrum."""
    dtype = c.dtype("x")
    if dtype is None:
        return None
    if kind == FORWARD and dtype.is_complex:
        raise c.refuse("dtype", f"{c.name} takes real numbers, not {dtype!r}", "x")
    made = float_of(c, dtype)
    if c.option("typed_kernels") and made is not None and made not in FULL_FLOATS | FULL_COMPLEXES:
        raise c.refuse("dtype", f"{c.name} has no transform for {dtype!r} on the CPU", "x")
    return None if made is None else made.real if kind == BACKWARD else made.complexified


def transformed(c: Call, axes: tuple[int, ...], lengths: tuple[Any, ...], kind: str) -> Shape:
    """Each axis at its length; the last, in a half spectrum, at half of it or twice."""
    made = list(c.shape("x"))
    for i, (axis, length) in enumerate(zip(axes, lengths)):
        last = i == len(axes) - 1
        n: Dim = length if length is not None else 2 * (made[axis] - 1) if last and kind == BACKWARD else made[axis]
        if c.option("empty_transforms") and made[axis] == 0 and length is None:
            continue
        c.require("length", ge(n, 1), f"the transform along axis {axis} has length {n!r}, and must have at least 1", ("x", "n"))
        made[axis] = n // 2 + 1 if last and kind == FORWARD else n
    if c.option("no_empty_axis") and axes and any(size == 0 for i, size in enumerate(made) if i not in axes):
        raise c.refuse("empty", f"there is nothing to transform in {c.shape('x')!r}", "x")
    return Shape(made)


def one(name: str, kind: str, doc: str) -> Op:
    """Along one axis, padded or cut to `n`."""
    return Op(
        name, (Tensor("x", "_ ...", NUMERIC),), (Int("n", None, optional=True), Axis("dim", -1), NORM),
        lambda c: transformed(c, (c["dim"],), (c["n"],), kind), lambda c: spectrum(c, kind), order="own", evaluate=made.along_axis(name), doc=doc,
    )  # fmt: skip


def several_shape(c: Call, kind: str) -> Shape:
    size, axes, rank = c["size"], c["dim"], c.rank("x")
    if axes is None:
        axes = tuple(range(rank)) if size is None else tuple(range(rank - len(size), rank))
    if size is not None:
        c.require("size", len(size) <= rank, f"size names {len(size)} lengths, and the tensor has rank {rank}", ("size", "x"))
        c.require("size", len(size) == len(axes), f"size names {len(size)} lengths for {len(axes)} axes", ("size", "dim"))
    if kind != WHOLE:
        c.require("axis", len(axes) > 0, "at least one axis must be transformed", "dim")
    lengths = (None,) * len(axes) if size is None else tuple(None if isinstance(n, int) and n == -1 else n for n in size)
    return transformed(c, axes, lengths, kind)


def several(name: str, kind: str, doc: str) -> Op:
    """Along several axes, padded or cut to `size`."""
    return Op(
        name, (Tensor("x", "...", NUMERIC),), (Ints("size", None, optional=True), Axes("dim", None, scalar_ok=False), NORM),
        lambda c: several_shape(c, kind), lambda c: spectrum(c, kind), order="own", evaluate=made.along_axes(name), doc=doc,
    )  # fmt: skip


ONE = tuple(
    one(name, kind, doc)
    for name, kind, doc in (
        ("fft", WHOLE, "The Fourier transform along an axis."),
        ("ifft", WHOLE, "The inverse Fourier transform along an axis."),
        ("rfft", FORWARD, "The Fourier transform of real numbers: half a spectrum."),
        ("irfft", BACKWARD, "Real numbers from half a spectrum."),
        ("hfft", BACKWARD, "The transform of half a Hermitian signal: real."),
        ("ihfft", FORWARD, "The inverse of hfft."),
    )
)
SEVERAL = tuple(
    several(name, kind, doc)
    for name, kind, doc in (
        ("fftn", WHOLE, "The Fourier transform along several axes."),
        ("ifftn", WHOLE, "The inverse Fourier transform along several axes."),
        ("rfftn", FORWARD, "The Fourier transform of real numbers along several axes."),
        ("irfftn", BACKWARD, "Real numbers from half a spectrum along several axes."),
        ("hfftn", BACKWARD, "The transform of a half Hermitian signal along several axes."),
        ("ihfftn", FORWARD, "The inverse of hfftn."),
    )
)


def shifted(c: Call) -> Shape:
    c.require("rank", not c.option("no_rank_zero") or c.rank("x") > 0, "a tensor of rank 0 has nothing to shift", "x")
    return c.shape("x")


SHIFTS = tuple(
    Op(
        name,
        (Tensor("x", "..."),),
        (Axes("dim", None, unique=False, scalar_ok=False),),
        shifted,
        Like("x"),
        evaluate=made.shifting(name),
        values=MOVES,
        doc=doc,
    )
    for name, doc in (("fftshift", "The zero frequency moved to the middle."), ("ifftshift", "The inverse of fftshift."))
)


def frequencies(name: str, count: Any, doc: str) -> Op:
    def shape(c: Call) -> Shape:
        made = count(c["n"])
        c.require("n", ge(made, 0), f"there are no frequencies of a transform of length {c['n']!r}", "n")
        return Shape((made,))

    dtype = Given("dtype", lambda c: c.type_option("float") or c.session.default_float)
    return Op(name, attributes=(Int("n"), Float("d", 1.0), ElementType(dtypes=FLOATS)), shape=shape, dtype=dtype, evaluate=made.frequency_list(name), doc=doc)


FFTFREQ = frequencies("fftfreq", lambda n: n, "The frequencies of a transform of length n.")
RFFTFREQ = frequencies("rfftfreq", lambda n: ite(lt(n, 0), -(-n // 2), n // 2) + 1, "The frequencies of half a spectrum of length n.")


OVERLAP_AND_ADD = Op(
    "overlap_and_add", (Tensor("x", "... F L", NUMERIC),), (Int("step", least=1),),
    lambda c: Shape((*c.lead["x"], (c.dims["F"] - 1) * c["step"] + c.dims["L"])), Like("x"),
    evaluate=fourier_transforms.overlapped, doc="The sum of frames, each `step` elements behind the one before.",
)  # fmt: skip


# --- short time ---------------------------------------------------------------------------------------------------------------

WINDOW = Tensor("window", "W", FLOATS_OR_COMPLEX, optional=True, default=None)
FRAMES = (
    Int("n_fft"),
    Int("hop", None, optional=True),
    Int("win", None, optional=True),
    Bool("center", True),
    Bool("onesided", None, optional=True),
    Bool("normalized", False),
)


def framed(c: Call) -> tuple[Dim, Dim, Dim]:
    """Length of the transform, of the step and of the window, held against each other."""
    n = c["n_fft"]
    hop = c["hop"] if c["hop"] is not None else n // 4
    win = c["win"] if c["win"] is not None else n
    c.require("n_fft", ge(n, 1), f"n_fft must be at least 1, and is {n!r}", "n_fft")
    c.require("hop", ge(hop, 1), f"the step between frames must be at least 1, and is {hop!r}", "hop")
    c.require("win", conj(ge(win, 1), le(win, n)), f"the window of {win!r} must fit into n_fft = {n!r}", ("win", "n_fft"))
    if c.given("window"):
        c.equal("window", c.dims["W"], win, "the window has {a} values, and must have {b}", ("window", "win"))
    return n, hop, win


def stft_shape(c: Call) -> Shape:
    """(batch,) frequencies, frames, and real and imaginary part where the result is not complex."""
    n, hop, _ = framed(c)
    x = c.shape("x")
    length = x[-1]
    for size in x[:-1]:
        c.require("empty", ge(size, 1), "there is no signal to transform", "x")
    if c["center"]:
        if c["pad_mode"] not in ("reflect", "constant", "replicate", "circular"):
            raise c.refuse("pad_mode", f"there is no padding {c['pad_mode']!r}", "pad_mode")
        if c["pad_mode"] == "circular":
            c.require("length", ge(length, n // 2), f"the signal of {length!r} does not wrap around {n // 2!r} samples", ("x", "n_fft"))
        if c["pad_mode"] == "reflect":
            c.require("length", gt(length, n // 2), f"reflecting {n // 2!r} samples needs a longer signal than {length!r}", ("x", "n_fft"))
        length = length + 2 * (n // 2)
    c.require("length", ge(length, n), f"the signal of {length!r} is shorter than one frame of {n!r}", ("x", "n_fft"))
    rows = n // 2 + 1 if _half(c) else n
    parts = () if _complex(c) else (2,)
    return Shape((*x[:-1], rows, 1 + (length - n) // hop, *parts))


def _imaginary(c: Call) -> bool:
    """Whether the signal or the window is complex."""
    window = c.dtype("window") if c.given("window") else None
    signal = c.dtype("x")
    return (signal is not None and signal.is_complex) or (window is not None and window.is_complex)


def _half(c: Call) -> bool:
    half = c["onesided"] if c["onesided"] is not None else not _imaginary(c)
    c.require("onesided", not (half and _imaginary(c)), "a complex signal has no one-sided spectrum", ("onesided", "x"))
    return half


def _complex(c: Call) -> bool:
    wanted = c["return_complex"]
    if wanted is None:
        c.require("return_complex", _imaginary(c), "return_complex must be given for a real signal", "return_complex")
        return True
    made: bool = wanted
    return made


def stft_type(c: Call) -> DType | None:
    made = promoted(c, ("x", "window") if c.given("window") else ("x",))
    if made is None:
        return None
    if made.real not in FULL_FLOATS:
        raise c.refuse("dtype", f"{c.name} has no transform for {made!r} on the CPU", "x")
    return made.complexified if _complex(c) else made.real


STFT = Op(
    "stft",
    inputs=(Tensor("x", "T | B T", FLOATS_OR_COMPLEX), WINDOW),
    attributes=(
        *FRAMES,
        Anything("pad_mode", "reflect"),
        Bool("return_complex", None, optional=True),
    ),
    shape=stft_shape,
    dtype=stft_type,
    evaluate=fourier_transforms.short_time,
    order="own",
    doc="The spectra of overlapping frames of a signal.",
)


def istft_shape(c: Call) -> Shape:
    n, hop, win = framed(c)
    x = c.shape("x")
    rows, frames = x[-2], x[-1]
    c.require("empty", ge(x.numel, 1), "the spectrum is empty", "x")
    half = False if c["onesided"] is None and c["return_complex"] else c["onesided"]
    wanted = eq(rows, n // 2 + 1) if half else eq(rows, n) if half is False else disj(eq(rows, n), eq(rows, n // 2 + 1))
    c.require("rows", wanted, f"the spectrum has {rows!r} frequencies, which is not a spectrum of n_fft = {n!r}", ("x", "n_fft"))
    c.require("hop", le(hop, win), f"the step {hop!r} leaves gaps between windows of {win!r}", ("hop", "win"))
    c.require("return_complex", not (half and c["return_complex"]), "a one-sided spectrum gives a real signal", ("onesided", "return_complex"))
    window = c.dtype("window") if c.given("window") else None
    real = window is None or not window.is_complex or c["return_complex"]
    c.require("return_complex", real, "a complex window gives a complex signal", ("window", "return_complex"))
    first, total = (n - win) // 2, n + hop * (frames - 1)
    start = n // 2 if c["center"] else 0
    end = minimum(total, start + c["length"]) if c["length"] is not None else total - start
    if c["center"] and c["length"] is None:
        c.require("n_fft", ge(n, 2), f"nothing is left of frames of {n!r} that are centred", ("n_fft", "center"))
    c.require("empty", gt(end, start), f"no sample is left of {total!r} when {start!r} are cut off at the ends", ("x", "center"))
    reach = conj(le(first, start), ge(first + win + hop * (frames - 1), end))
    c.require("window", reach, f"windows of {win!r} in frames of {n!r} leave samples at the ends uncovered", ("win", "center", "length", "n_fft"))
    if c["length"] is not None:
        c.require("length", ge(c["length"], 1), f"length must be at least 1, and is {c['length']!r}", "length")
        return Shape((*x[:-2], c["length"]))
    return Shape((*x[:-2], n + hop * (frames - 1) - (2 * (n // 2) if c["center"] else 0)))


def istft_type(c: Call) -> DType | None:
    dtype = promoted(c, ("x", "window") if c.given("window") else ("x",))
    return None if dtype is None else dtype if c["return_complex"] else dtype.real


ISTFT = Op(
    "istft",
    inputs=(Tensor("x", "F T | B F T", FULL_COMPLEXES), WINDOW),
    attributes=(*FRAMES, Int("length", None, optional=True), Bool("return_complex", False)),
    shape=istft_shape,
    dtype=istft_type,
    evaluate=fourier_transforms.short_time_inverse,
    doc="The signal of overlapping frames' spectra.",
)
