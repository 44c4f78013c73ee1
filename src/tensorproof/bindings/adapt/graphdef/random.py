"""GraphDef nodes that draw numbers."""

from __future__ import annotations

from tensorproof.bindings.adapt.graphdef.elementwise import DTYPE
from tensorproof.bindings.adapt.graphdef.values import SIZE, of_size
from tensorproof.bindings.adapt.tensorflow.shared import Arguments, ranked, same_types, somewhere, vector, whole, with_shape
from tensorproof.bindings.adapters import Run, Value, takes
from tensorproof.ops.inputs import Tensor
from tensorproof.terms import INT64, DType, Shape, TensorType, ge


def _drawn(run: Run, a: Arguments, dtype: DType | None, tail: Shape | None = None, **parameters: Value) -> TensorType:
    """What the row's operator draws: as many as the shape argument says, and that for each parameter in `tail`."""
    size = of_size(run, a["size"])
    known = size is not None and (tail is None or tail.known)
    shape = Shape((*(size or ()), *(tail or ()))) if known else somewhere(run)
    return run.shaped(run.row.op, shape, dtype, size=a["size"] if size is None else tuple(size), **parameters)


def random_int(a: Arguments, run: Run) -> TensorType:
    dtype = same_types(run, a, "low", "high")
    for name in ("low", "high"):
        ranked(run, a[name], 0, name)
    return _drawn(run, a, dtype, low=a["low"], high=a["high"])


def random_like_first(a: Arguments, run: Run) -> TensorType:
    """A batch of draws for each of the parameters along its first axis."""
    dtype = same_types(run, a, "y", "z", "low", "high")
    for name in ("y", "z", "low", "high"):
        if a[name].shape.known:
            run.require("rank", len(a[name].shape) <= 1, f"{name} must be a number or a vector, and has shape {a[name].shape!r}", (name,))
    return _drawn(run, a, dtype, mean=a["y"], std=a["z"], low=a["low"], high=a["high"])


@takes(SIZE, Tensor("y"), DTYPE)
def random_gamma(a: Arguments, run: Run) -> TensorType:
    """Draws of distributions whose parameters are the elements of y."""
    return _drawn(run, a, a.get("dtype") or a["y"].dtype, a["y"].shape, y=a["y"])


def multinomial(a: Arguments, run: Run) -> TensorType:
    """Classes drawn by the logarithms of their weights, with replacement."""
    rows, n = ranked(run, a["x"], 2).shape[0], whole(a["n"])
    if isinstance(n, TensorType):
        ranked(run, n, 0, "n")
        n = run.fresh("samples")
    run.require("n", ge(n, 0), f"the number of samples must not be negative, and is {n!r}", ("n",))
    return run.shaped("categorical", (rows, n), a.get("dtype") or INT64, x=a["x"], n=n)


def random_crop(a: Arguments, run: Run) -> TensorType:
    x, size = a["x"], vector(run, a["size"], "size")
    depth = ranked(run, x, 3).shape[2]
    if size is None:
        return with_shape(run, "random_crop", x, (run.fresh("height"), run.fresh("width"), depth), size=a["size"])
    run.require("size", len(size) == 2, f"two sizes are wanted, and there are {len(size)}", ("size",))
    made = tuple(run.fresh("size") if n is None else n for n in size)
    return with_shape(run, "random_crop", x, (*made, depth), size=made)
