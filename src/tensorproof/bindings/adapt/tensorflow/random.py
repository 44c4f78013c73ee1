"""Functions of `tf.random`."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.graphdef import random as graphdef_random
from tensorproof.bindings.adapt.tensorflow.arguments import DTYPE, SIZE, Among, Nothing, as_shape
from tensorproof.bindings.adapt.tensorflow.shared import Arguments, broadcast_of, ranked, somewhere, whole
from tensorproof.bindings.adapters import Run, Value, takes, taking
from tensorproof.ops.inputs import REQUIRED, Anything, ElementType, Int, Number, Tensor
from tensorproof.terms import FLOAT32, FLOAT64, INDEX, INT32, INT64, DType, Shape, TensorType, disj, eq, lt


def _random(run: Run, a: Arguments) -> TensorType:
    """Numbers of the row's distribution: uniform from 0 to 1, or standard normal."""
    shape, dtype = as_shape(run, a["size"]), a.get("dtype") or FLOAT32
    seed = a.get("seed") if isinstance(a.get("seed"), TensorType) else None
    size = tuple(shape) if shape.known else a["size"]
    return run.shaped("random", shape, dtype, size=size, dtype=dtype, key=seed, **run.row.fixed)


def _moved(run: Run, x: TensorType, factor: Value, start: Value) -> TensorType:
    """x · factor + start"""
    return run.typed("add", x.dtype, x=run.typed("mul", x.dtype, x=x, y=factor), y=start)


@takes(SIZE, ElementType("dtype", FLOAT32, optional=False))
def random_normal(a: Arguments, run: Run) -> TensorType:
    return _moved(run, _random(run, a), a.get("stddev", 1.0), a.get("mean", 0.0))


@takes(SIZE, Number("minval", 0), Number("maxval", None, optional=True), ElementType("dtype", FLOAT32, optional=False))
def random_uniform(a: Arguments, run: Run) -> TensorType:
    """Numbers from minval up to maxval."""
    dtype = a.get("dtype") or FLOAT32
    low, high = a.get("minval", 0), 1 if a.get("maxval") is None else a["maxval"]
    width: Value = run.typed("sub", dtype, x=high, y=low) if isinstance(low, TensorType) or isinstance(high, TensorType) else high - low
    return _moved(run, _random(run, {**a, "dtype": dtype}), width, low)


_ENDS = (Int("minval", 0, least=0, most=2, loose=True), Int("maxval", least=5, loose=True))


@takes(SIZE, *_ENDS, Among(default=REQUIRED, optional=False, dtypes=INDEX))
def random_whole(a: Arguments, run: Run) -> TensorType:
    """Whole numbers from minval on, below maxval."""
    low, high = (_end(run, a, name) for name in ("minval", "maxval"))
    return _whole(run, a, low, high)


def _end(run: Run, a: Arguments, name: str) -> Value:
    """An end of whole numbers: a number, or a tensor of the type drawn."""
    value, dtype = a[name], a["dtype"]
    if isinstance(value, TensorType):
        ranked(run, value, 0, name)
        own = value.framework == "tf" and not value.weak and value.dtype is not None
        run.require("dtype", not own or value.dtype is dtype, f"{name} is {value.dtype!r}, and {dtype!r} is drawn", (name, "dtype"))
    return whole(value)


def _whole(run: Run, a: Arguments, low: Any, high: Any) -> TensorType:
    shape = as_shape(run, a["size"])
    size = tuple(shape) if shape.known else a["size"]
    plain = not isinstance(low, TensorType) and not isinstance(high, TensorType)
    if plain:
        some = disj(lt(low, high), eq(shape.numel, 0))
        run.require("range", some, f"no whole number lies from {low!r} up to, and without, {high!r}", ("minval", "maxval"))
    key = a.get("seed") if isinstance(a.get("seed"), TensorType) else None
    return run.shaped("randint" if plain else "random_integers", shape, a["dtype"], low=low, high=high, size=size, key=key)


@takes(SIZE, Tensor("y", scalar=True), Anything("beta"), ElementType("dtype", FLOAT32, optional=False, dtypes=frozenset({DType.FLOAT16, FLOAT32, FLOAT64})))
def random_gamma(a: Arguments, run: Run) -> TensorType:
    size, y = as_shape(run, a["size"]), a["y"]
    lead = y.shape if isinstance(y, TensorType) else Shape()
    dtype = a.get("dtype") or FLOAT32
    run.require("dtype", not isinstance(y, TensorType) or y.weak or y.dtype in (None, dtype), "alpha and the result must have the same dtype", ("y", "dtype"))
    rate = a.get("beta")
    if isinstance(rate, TensorType):
        lead = broadcast_of(run, [lead, rate.shape], ("y", "beta"), "add/broadcast")
    shape = Shape((*size, *lead)) if size.known and lead.known else somewhere(run)
    if isinstance(rate, TensorType) and isinstance(y, TensorType):
        y = run.shaped("add", lead, y.dtype, x=y, y=run.typed("full_like", rate.dtype, x=rate, value=0))  # each shape parameter beside each rate
    draws: TensorType = run.shaped("random_gamma", shape, dtype, y=y, size=a["size"])
    if rate is None:
        return draws
    return run.shaped("div", shape, dtype, x=draws, y=rate)


@takes(SIZE, Tensor("y", "...", frozenset({DType.FLOAT16, FLOAT32, FLOAT64, INT32, INT64}), scalar=True), DTYPE)
def random_poisson(a: Arguments, run: Run) -> TensorType:
    size, y = as_shape(run, a["size"]), a["y"]
    lead = y.shape if isinstance(y, TensorType) else Shape()
    shape = Shape((*size, *lead)) if size.known and lead.known else somewhere(run)
    return run.shaped("random_poisson", shape, a.get("dtype") or FLOAT32, y=y, size=a["size"])


categorical = taking(graphdef_random.multinomial, Tensor("x", "N C"), Int("n", least=0, loose=True), ElementType("dtype", dtypes=INDEX))


_SEED = Tensor("seed", "2", INDEX)


@takes(SIZE, _SEED, ElementType("dtype", FLOAT32, optional=False))
def stateless_normal(a: Arguments, run: Run) -> TensorType:
    _seed(run, a["seed"])
    return random_normal(a, run)


def stateless_uniform(a: Arguments, run: Run) -> TensorType:
    _seed(run, a["seed"])
    return random_uniform(a, run)


@takes(SIZE, _SEED, *_ENDS, Among(default=REQUIRED, optional=False, dtypes=INDEX))
def stateless_whole(a: Arguments, run: Run) -> TensorType:
    _seed(run, a["seed"])
    return random_whole(a, run)


_WORDS = INDEX | {DType.UINT32, DType.UINT64}


@takes(SIZE, _SEED, Nothing("minval", (None,)), Nothing("maxval", (None,)), Among(default=REQUIRED, optional=False, dtypes=_WORDS))
def stateless_any(a: Arguments, run: Run) -> TensorType:
    """Any numbers of the type."""
    _seed(run, a["seed"])
    dtype = a["dtype"]
    return _whole(run, a, int(dtype.least), int(dtype.greatest) + 1)


def _seed(run: Run, seed: Value) -> None:
    if isinstance(seed, TensorType) and seed.shape.known:
        run.require("seed", len(seed.shape) == 1 and eq(seed.shape[0], 2), f"a seed is two whole numbers, and this has shape {seed.shape!r}", ("seed",))
