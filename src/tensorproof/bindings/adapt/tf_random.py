"""Functions of `tf.random`."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt import graphdef_random
from tensorproof.bindings.adapt.tensorflow import Arguments, anew, somewhere, tensor
from tensorproof.bindings.adapt.tf_arguments import DTYPE, SIZE, as_shape
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Anything, ElementType, Int, Number, Tensor
from tensorproof.terms.dtypes import FLOAT32, FLOAT64, INDEX, INT32, INT64, DType
from tensorproof.terms.predicates import eq
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType


def _random(run: Run, a: Arguments, default: DType = FLOAT32) -> TensorType:
    return tensor(as_shape(run, a["size"]), a.get("dtype") or default)


@takes(SIZE, ElementType("dtype", FLOAT32, optional=False))
def random_normal(a: Arguments, run: Run) -> TensorType:
    return _random(run, a)


@takes(SIZE, Number("minval", 0), Number("maxval", None, optional=True), ElementType("dtype", FLOAT32, optional=False))
def random_uniform(a: Arguments, run: Run) -> TensorType:
    dtype = a.get("dtype") or FLOAT32
    run.require("dtype", dtype.is_float or dtype in INDEX, f"uniform numbers are floats, int32 or int64, not {dtype!r}", ("dtype",))
    run.require("maxval", dtype.is_float or a.get("maxval") is not None, "whole numbers need maxval", ("maxval",))
    _whole_ends(run, a, dtype)
    return _random(run, a)


@takes(
    SIZE,
    Tensor("y", scalar=True),
    Anything("beta"),
    ElementType("dtype", FLOAT32, optional=False, dtypes=frozenset({DType.FLOAT16, FLOAT32, FLOAT64})),
)
def random_gamma(a: Arguments, run: Run) -> TensorType:
    size, y = as_shape(run, a["size"]), a["y"]
    lead = y.shape if isinstance(y, TensorType) else Shape()
    dtype = a.get("dtype") or FLOAT32
    run.require(
        "dtype",
        not isinstance(y, TensorType) or y.weak or y.dtype in (None, dtype),
        "alpha and the result must have one element type",
        ("y", "dtype"),
    )
    if isinstance(a.get("beta"), TensorType):
        lead = run("add", x=anew(y, lead), y=a["beta"]).shape
    return tensor((*size, *lead) if size.known and lead.known else somewhere(run), dtype)


@takes(SIZE, Tensor("y", "...", frozenset({DType.FLOAT16, FLOAT32, FLOAT64, INT32, INT64}), scalar=True), DTYPE)
def random_poisson(a: Arguments, run: Run) -> TensorType:
    return random_gamma({**a, "y": a["y"].but(dtype=a.get("dtype") or FLOAT32) if isinstance(a["y"], TensorType) else a["y"]}, run)


@takes(Tensor("x", "N C"), Int("n", least=0, loose=True), ElementType("dtype", dtypes=INDEX))
def categorical(a: Arguments, run: Run) -> TensorType:
    return graphdef_random.multinomial(a, run)


_SEED = Tensor("seed", "2", INDEX)


@takes(SIZE, _SEED, ElementType("dtype", FLOAT32, optional=False))
def stateless_normal(a: Arguments, run: Run) -> TensorType:
    _seed(run, a["seed"])
    return _random(run, a)


@takes(SIZE, _SEED, Number("minval", 0), Number("maxval", None, optional=True), ElementType("dtype", FLOAT32, optional=False))
def stateless_uniform(a: Arguments, run: Run) -> TensorType:
    _seed(run, a["seed"])
    dtype = a.get("dtype") or FLOAT32
    allowed = dtype.is_float or dtype in INDEX or dtype in (DType.UINT32, DType.UINT64)
    run.require("dtype", allowed, f"uniform numbers are floats or whole numbers of 32 and 64 bits, not {dtype!r}", ("dtype",))
    run.require("maxval", dtype.is_float or a.get("maxval") is not None, "whole numbers need maxval", ("maxval",))
    _whole_ends(run, a, dtype)
    return _random(run, a)


def _whole_ends(run: Run, a: Arguments, dtype: DType) -> None:
    """Ends of whole numbers are whole."""
    for name in ("minval", "maxval"):
        run.require(
            name, dtype.is_float or not isinstance(a.get(name), float), f"{name} = {a.get(name)!r} is no {dtype!r}", (name, "dtype")
        )


def _seed(run: Run, seed: Any) -> None:
    if isinstance(seed, TensorType) and seed.shape.known:
        run.require(
            "seed",
            len(seed.shape) == 1 and eq(seed.shape[0], 2),
            f"a seed is two whole numbers, and this has shape {seed.shape!r}",
            ("seed",),
        )
