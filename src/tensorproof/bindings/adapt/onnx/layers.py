"""ONNX layers that a table row cannot say: windows, normalisation, softmax and losses over any axes, outputs that depend on the opset, grids."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.onnx.nodes import number as number_in
from tensorproof.bindings.adapt.onnx.nodes import unknown, whole_numbers
from tensorproof.bindings.adapters import Run, Value, takes, tensor_in
from tensorproof.ops.inputs import Anything, Choice, Int
from tensorproof.terms import BOOL, FLOAT32, DType, Shape, TensorType, conj, disj, eq, ge, lt
from tensorproof.terms.ints import product


def max_pool(a: dict[str, Value], run: Run) -> Value:
    """Places are counted along all axes of x."""
    found = run.default(a)
    return found if run.row.opsets[1] >= 8 or not isinstance(found, tuple) else found[0]


def global_pool(a: dict[str, Value], run: Run) -> TensorType:
    """One number for each channel."""
    x = tensor_in(a, "x")
    if not x.shape.known:
        return unknown(run, x.dtype)
    order = {"ord": a["ord"]} if "ord" in a else {}
    if len(x.shape) == 2:  # every element by itself
        return run.typed(run.row.op, x.dtype, x=run("unsqueeze", x=x, dim=-1), dim=(-1,), keepdim=False, **order)
    return run.typed(run.row.op, x.dtype, x=x, dim=tuple(range(2, len(x.shape))), keepdim=True, **order)


def batch_norm(a: dict[str, Any], run: Run) -> Value:
    """Since opset 14 the running statistics come out in training only; before, where the node names them."""
    if run.row.opsets[0] < 14:
        made = run.several({**a, "outputs": a["count"] or 1, "one_type": True, "training": (a["count"] or 1) > 1 and not a.get("is_test")})
        return made if a["count"] and a["count"] > 1 else made[0]
    made = run.several({**a, "outputs": 3 if a["training"] else 1})
    return made if a["training"] else made[0]


def dropout(a: dict[str, Value], run: Run) -> Value:
    """In training since opset 12 only, where the node says so. The mask is of truth values since opset 10."""
    x, training = tensor_in(a, "x"), a.get("training")
    still = training is None or (isinstance(training, TensorType) and training.contents == (False,))
    held = BOOL if run.row.opsets[0] >= 10 else x.dtype
    if still:
        return run("identity", x=x), run.typed("full_like", held, x=x, value=1, dtype=held)
    share = number_in(a["p"])
    made = run.shaped("native_dropout", [x.shape, x.shape], x.dtype, held, x=x, p=share if isinstance(share, float) else 0.5, training=True)
    return made[0], made[1]


def grid_sample(a: dict[str, Any], run: Run) -> TensorType:
    """Any number of axes; the last axis of the grid holds a place in each."""
    x, grid = tensor_in(a, "x"), tensor_in(a, "grid")
    words = ("linear", "nearest", "cubic") if run.row.opsets[1] >= 20 else ("bilinear", "nearest", "bicubic")
    run.require("mode", a["mode"] in (None, *words), f"mode must be one of {words!r}, and is {a['mode']!r}", ("mode",))
    run.require("padding_mode", a["padding_mode"] in ("zeros", "border", "reflection"), f"there is no padding_mode {a['padding_mode']!r}", ("padding_mode",))
    if not x.shape.known or not grid.shape.known:
        return unknown(run, x.dtype)
    n = len(x.shape) - 2
    run.require("rank", len(grid.shape) == len(x.shape) and n >= 1, f"x {x.shape!r} and grid {grid.shape!r} must have the same rank", ("x", "grid"))
    numbers = grid.shape[-1]
    run.require("grid", conj(ge(numbers, n), lt(numbers, n + 1)), f"the grid's last axis holds {numbers!r} numbers and x has {n} spatial axes", ("grid", "x"))
    run.require("batch", conj(ge(x.shape[0], grid.shape[0]), ge(grid.shape[0], x.shape[0])), f"batches of {x.shape[0]!r} and {grid.shape[0]!r}", ("x", "grid"))
    mode = {"linear": "bilinear", "cubic": "bicubic", None: "bilinear"}.get(a["mode"], a["mode"])
    given = {"x": x, "grid": grid, "mode": mode, "padding_mode": a["padding_mode"], "align_corners": bool(a["align_corners"]), "points_inside": True}
    return run.shaped("grid_sample", Shape((x.shape[0], x.shape[1], *grid.shape[1:-1])), x.dtype, **given)


def affine_grid(a: dict[str, Value], run: Run) -> Value:
    theta, size = tensor_in(a, "x"), whole_numbers(a["size"])
    if isinstance(size, TensorType):
        return unknown(run, theta.dtype)
    run.require("size", len(size) in (4, 5), f"the size must have 4 or 5 numbers, and has {len(size)}", ("size",))
    n = len(size) - 2
    if theta.shape.known:
        run.require("rank", len(theta.shape) == 3, f"theta must have rank 3, and is {theta.shape!r}", ("x",))
        for have, want in zip(theta.shape, (size[0], n, n + 1)):
            run.require("theta", eq(have, want), f"theta {theta.shape!r} must have the shape {(size[0], n, n + 1)!r}", ("x", "size"))
    for axis in size[2:]:
        run.require("size", ge(axis, 1), f"a size must be positive, and is {axis!r}", ("size",))
    shape = Shape((size[0], *size[2:], len(size) - 2))
    return run.shaped("affine_grid", shape, theta.dtype, x=theta, size=tuple(size), align_corners=bool(a["align_corners"]))


def attention(a: dict[str, Value], run: Run) -> Value:
    mask = a.get("mask")
    if isinstance(mask, TensorType) and mask.dtype is not None and mask.dtype.is_integer:  # added as it is; truths shut out
        mask = run.typed("cast", tensor_in(a, "query").dtype, x=mask, dtype=tensor_in(a, "query").dtype)
    return run.default({**a, "mask": mask, "q_heads": a["q_heads"] or None, "kv_heads": a["kv_heads"] or None})


_POOLS = tuple(
    Choice("", options) for options in (([0, 1, 2, 0, 1, 2], [2, 3, 1, 1, 0, 3]), ([0], [0, 2], [0, 4], [0, 0]), ([0, 1, 2, 3, 4, 5], [4, 0, 6, 2, 1, 3]))
)


@takes(
    Anything("pool_int64s", like=_POOLS[:1]), Anything("ngram_counts", like=_POOLS[1:2]), Anything("columns", like=_POOLS[2:]),
    Int("min_gram_length", least=1, most=2), Int("max_gram_length", least=1, most=2), Int("max_skip_count", least=0, most=2),
    Choice("mode", ("TF", "IDF", "TFIDF")), Anything("weights", like=(Choice("", ([0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5],)),)),
)  # fmt: skip
def tf_idf(a: dict[str, Any], run: Run) -> TensorType:
    return run(
        "tf_idf", x=a["x"], columns=a["columns"], counts=tuple(a["ngram_counts"]), pool=a["pool_int64s"] or a["pool_strings"] or (), weights=a["weights"],
        mode=a["mode"], shortest=a["min_gram_length"], longest=a["max_gram_length"], skips=a["max_skip_count"],
    )  # fmt: skip


def multinomial(a: dict[str, Any], run: Run) -> TensorType:
    """Samples from every row, with replacement, by the logarithms of their probabilities."""
    x = tensor_in(a, "x")
    rows = x.shape[0] if x.shape.known and len(x.shape) == 2 else run.fresh("rows")
    if x.shape.known:
        run.require("rank", len(x.shape) == 2, f"x must have rank 2, and is {x.shape!r}", ("x",))
    return run.shaped("categorical", Shape((rows, a["n"])), a["dtype"], x=x, n=a["n"])


def of_the_rest(a: dict[str, Value], run: Run) -> Value:
    """The axes from `dim` on are one."""
    x, dim = tensor_in(a, "x"), a["dim"]
    if not x.shape.known or not isinstance(dim, int):
        return run.default(a)
    rank = len(x.shape)
    run.require("axis", -rank <= dim < max(rank, 1), f"axis {dim} is not among the {rank} axes of {x.shape!r}", ("dim", "x"))
    dim = dim % max(1, rank)
    size = (product(x.shape[:dim]), product(x.shape[dim:]))
    made = run(run.row.op, x=run("reshape", x=x, size=size), dim=1)
    return run("reshape", x=made, size=tuple(x.shape))


def _given(a: dict[str, Any], run: Run) -> dict[str, Any]:
    x, weight = a["x"], a["weight"]
    if weight is not None and weight.dtype is not None and x.dtype is not None:
        run.require("dtype", weight.dtype is x.dtype, f"x and weight must have the same dtype, and have {x.dtype!r} and {weight.dtype!r}", ("x", "weight"))
    ignored = {} if a["ignore_index"] is None else {"ignore_index": a["ignore_index"]}
    return {"x": x, "target": a["target"], "weight": weight, "reduction": a["reduction"], **ignored}


def nll_loss(a: dict[str, Value], run: Run) -> TensorType:
    return run.typed("nll_loss", tensor_in(a, "x").dtype, **_given(a, run))


def cross_entropy(a: dict[str, Value], run: Run) -> Value:
    """The loss, and the logarithms of the probabilities."""
    x, given = tensor_in(a, "x"), _given(a, run)
    if x.shape.known and tensor_in(a, "target").shape.known:
        shapes = f"target {tensor_in(a, 'target').shape!r} must have the shape of x {x.shape!r} without its classes"
        run.require("rank", len(tensor_in(a, "target").shape) == len(x.shape) - 1, shapes, ("x", "target"))
    return run.typed("cross_entropy", x.dtype, **given), run.typed("log_softmax", x.dtype, x=x, dim=1)


def _parts(a: dict[str, Any], run: Run, *names: str) -> dict[str, Any]:
    """x, the sizes of the axes that are normalised, and the weights in their shape."""
    x = a["x"]
    given = {name: a[name] for name in names if a[name] is not None}
    found = {v.dtype for v in (x, *given.values()) if v.dtype is not None}
    run.require("dtype", len(found) <= 1, f"x and its weights must have the same dtype, and have {sorted(map(repr, found))}", ("x", *given))
    rank, axis = len(x.shape), a["dim"]
    run.require("axis", -rank <= axis < rank, f"dim = {axis} is out of range: x has {rank} dimensions", ("dim", "x"))
    sizes = Shape(x.shape[axis % rank :])
    return {"x": x, "normalized_shape": tuple(sizes), "eps": a["eps"], **{name: _grown(run, name, v, sizes) for name, v in given.items()}}


def _grown(run: Run, name: str, weight: TensorType, sizes: Shape) -> TensorType:
    """The weight in this shape, into which it broadcasts."""
    shape = weight.shape
    if not shape.known or shape == sizes:
        return weight
    run.require("rank", len(shape) <= len(sizes), f"{name} {shape!r} does not broadcast into {sizes!r}", (name,))
    for m, n in zip(reversed(shape), reversed(sizes)):
        run.require(name, disj(eq(m, n), eq(m, 1)), f"{name} {shape!r} does not broadcast into {sizes!r}", (name,))
    return run.shaped("expand", sizes, weight.dtype, x=weight, size=tuple(sizes))


def group_norm(a: dict[str, Any], run: Run) -> Value:
    """All inputs have one element type; what is computed from x is computed in the type of `stash_type`, which is float32."""
    x, own = tensor_in(a, "x"), {name: a[name] for name in ("x", "weight", "bias")}
    found = {name: v.dtype for name, v in own.items() if v.dtype is not None}
    run.require("dtype", len(set(found.values())) <= 1, f"all inputs must have the same dtype, and they are {found!r}", tuple(found))
    if x.dtype is None or x.dtype is FLOAT32 or a["stash_type"] not in (1, FLOAT32):
        return run.default(a)
    return run.typed("group_norm", x.dtype, **{**own, "x": run("cast", x=x, dtype=FLOAT32)}, groups=a["groups"], eps=a["eps"])


def layer_norm(a: dict[str, Value], run: Run) -> Value:
    """Mean and inverse deviation are kept in their own type."""
    x, kept = tensor_in(a, "x"), a["stash"] if isinstance(a["stash"], DType) else FLOAT32
    if not x.shape.known:
        return TensorType(x.shape, x.dtype), unknown(run, kept), unknown(run, kept)
    given = _parts(a, run, "weight", "bias")
    over = len(given["normalized_shape"])
    lead = Shape((*x.shape[: len(x.shape) - over], *(1 for _ in range(over))))
    return run.shaped("native_layer_norm", [x.shape, lead, lead], x.dtype, kept, kept, **given)


def rms_norm(a: dict[str, Value], run: Run) -> TensorType:
    x = tensor_in(a, "x")
    return run.typed("rms_norm", x.dtype, **_parts(a, run, "weight")) if x.shape.known else TensorType(x.shape, x.dtype)
