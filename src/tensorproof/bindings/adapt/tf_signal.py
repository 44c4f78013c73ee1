"""Functions of `tf.signal`."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.tensorflow import Arguments, anew, at_least, axis, somewhere, tensor, vector
from tensorproof.bindings.adapt.tf_arguments import COMPLEX_OF
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Axis, Bool, ElementType, Int, Ints, Tensor
from tensorproof.terms.dtypes import BOOL, COMPLEX64, COMPLEX128, FLOAT32, FLOAT64
from tensorproof.terms.ints import Dim, ite, maximum
from tensorproof.terms.predicates import eq
from tensorproof.terms.tensor import TensorType


@takes(Tensor("x", "... N"), Ints("size", None, optional=True, one=False, least=1))
def rfft(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    n = _length(run, x, a.get("size"), x.shape[-1] if x.shape.known else None)
    return tensor(
        (*x.shape[:-1], ite(eq(n, 0), 0, n // 2 + 1)) if x.shape.known else somewhere(run),
        None if x.dtype is None else COMPLEX_OF.get(x.dtype, COMPLEX64),
    )


@takes(Tensor("x", "... N"), Ints("size", None, optional=True, one=False, least=1))
def irfft(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    n = _length(run, x, a.get("size"), maximum(0, 2 * (x.shape[-1] - 1)) if x.shape.known else None)
    if n == 0:
        raise run.give_up("a transform of no elements")
    return tensor((*x.shape[:-1], n) if x.shape.known else somewhere(run), FLOAT64 if x.dtype is COMPLEX128 else FLOAT32)


def _length(run: Run, x: TensorType, given: Any, otherwise: Any) -> Dim:
    size = vector(run, given, "size")
    if size is None:
        made: Dim = run.fresh("length") if given is not None or otherwise is None else otherwise
        return made
    run.require("size", len(size) == 1, f"the length of the transform is a vector of 1, not of {len(size)}", ("size",))
    result: Dim = run.fresh("length") if size[0] is None else size[0]
    return result


@takes(Int("n", least=1), ElementType("dtype", FLOAT32, optional=False))
def window(a: Arguments, run: Run) -> TensorType:
    dtype = a.get("dtype") or FLOAT32
    run.require("dtype", dtype.is_float, f"a window is of floats, not of {dtype!r}", ("dtype",))
    return tensor((a["n"],), dtype)


@takes(Tensor("x", "... N"), Int("length", least=1), Int("step", least=1), Bool("pad_end", False), Axis("dim", -1))
def frame(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    if not x.shape.known:
        return anew(x, somewhere(run))
    at = axis(run, a["dim"], len(x.shape))
    n, length, step = x.shape[at], a["length"], a["step"]
    run.require("dtype", not a.get("pad_end") or x.dtype is not BOOL, "truth values are not padded with numbers", ("x", "pad_end"))
    count = -(-n // step) if a.get("pad_end") else maximum(0, 1 + (n - length) // step)
    return anew(x, (*x.shape[:at], count, length, *x.shape[at + 1 :]))


@takes(
    Tensor("x", "... N"), Int("length", least=1), Int("step", least=1), Int("size", None, optional=True, least=1), Bool("pad_end", False)
)
def stft(a: Arguments, run: Run) -> TensorType:
    framed = frame({**a, "dim": -1}, run)
    n = a.get("size")
    if n is None:
        if type(a["length"]) is not int:
            raise run.give_up("the next power of two of an unknown length")
        n = 1 << max(0, (a["length"] - 1).bit_length())
    dtype = None if a["x"].dtype is None else COMPLEX_OF.get(a["x"].dtype, COMPLEX64)
    return tensor((*framed.shape[:-1], n // 2 + 1) if framed.shape.known else somewhere(run), dtype)


@takes(Tensor("x", "... F L"), Int("step", least=1))
def overlap_and_add(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 2)
    if not x.shape.known:
        return anew(x, somewhere(run))
    if x.dtype is not None and x.dtype.kind not in "iufc":
        raise run.give_up("frames that are no numbers")
    frames, length = x.shape[-2:]
    return anew(x, (*x.shape[:-2], (frames - 1) * a["step"] + length))
