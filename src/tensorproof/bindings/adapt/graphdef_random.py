"""GraphDef nodes that draw numbers."""

from __future__ import annotations

from tensorproof.bindings.adapt.graphdef import DTYPE
from tensorproof.bindings.adapt.graphdef_values import SIZE, of_size
from tensorproof.bindings.adapt.tensorflow import Arguments, anew, ranked, same_types, somewhere, tensor, vector, whole
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Int, Ints, Tensor
from tensorproof.terms.dtypes import INT64
from tensorproof.terms.predicates import ge
from tensorproof.terms.tensor import TensorType


@takes(SIZE, Tensor("low", ""), Tensor("high", ""))
def random_int(a: Arguments, run: Run) -> TensorType:
    dtype = same_types(run, a, "low", "high")
    for name in ("low", "high"):
        ranked(run, a[name], 0, name)
    size = of_size(run, a["size"])
    return tensor(somewhere(run) if size is None else size, dtype)


@takes(SIZE, Tensor("y"), Tensor("z"), Tensor("low"), Tensor("high"))
def random_like_first(a: Arguments, run: Run) -> TensorType:
    dtype = same_types(run, a, "y", "z", "low", "high")
    for name in ("y", "z", "low", "high"):
        if a[name].shape.known:
            run.require("rank", len(a[name].shape) <= 1, f"{name} must be a number or a vector, and has shape {a[name].shape!r}", (name,))
    size = of_size(run, a["size"])
    return tensor(somewhere(run) if size is None else size, dtype)


@takes(SIZE, Tensor("y"), DTYPE)
def random_gamma(a: Arguments, run: Run) -> TensorType:
    size, y = of_size(run, a["size"]), a["y"]
    dtype = a.get("dtype") or y.dtype
    return tensor(somewhere(run) if size is None or not y.shape.known else (*size, *y.shape), dtype)


@takes(Int("n", loose=True, least=0), DTYPE)
def multinomial(a: Arguments, run: Run) -> TensorType:
    x, n = ranked(run, a["x"], 2), whole(a["n"])
    if isinstance(n, TensorType):
        ranked(run, n, 0, "n")
        n = run.fresh("samples")
    run.require("n", ge(n, 0), f"the number of samples must not be negative, and is {n!r}", ("n",))
    return tensor((x.shape[0], n), a.get("dtype") or INT64)


@takes(Tensor("x"), Ints("size", loose=True, one=False))
def random_crop(a: Arguments, run: Run) -> TensorType:
    x, size = ranked(run, a["x"], 3), vector(run, a["size"], "size")
    if size is None:
        return anew(x, (run.fresh("height"), run.fresh("width"), x.shape[2]))
    run.require("size", len(size) == 2, f"two sizes are wanted, and there are {len(size)}", ("size",))
    return anew(x, (*(run.fresh("size") if n is None else n for n in size), x.shape[2]))
