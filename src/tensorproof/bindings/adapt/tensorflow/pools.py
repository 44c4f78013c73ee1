"""Pools of `tf.nn`."""

from __future__ import annotations

from tensorproof.bindings.adapt.tensorflow.convolutions import FORMATS, axes_of, layout_of, needed
from tensorproof.bindings.adapt.tensorflow.shared import Arguments, modern
from tensorproof.bindings.adapt.tensorflow.windows import pooled, spatial
from tensorproof.bindings.adapters import Run
from tensorproof.terms import INT64, TensorType, ge


def pool_nd(a: Arguments, run: Run) -> TensorType:
    """A pool over as many axes as the operator has."""
    return _pooled(run, needed(run, a, "x", "kernel", "stride", "padding"), axes_of(run))


def _pooled(run: Run, a: Arguments, n: int) -> TensorType:
    return pooled(run, a["x"], n, a["kernel"], a["stride"], a["padding"], None, layout_of(a, n))


def pool_any(a: Arguments, run: Run) -> TensorType:
    """A pool over as many axes as the input has between batch and channels."""
    a = needed(run, a, "x", "kernel", "stride", "padding")
    x = a["x"]
    n = len(x.shape) - 2 if x.shape.known and not run.name.startswith("tf.compat.v1.") else 2
    run.require("rank", n in (1, 2, 3), f"x must have rank 3, 4 or 5, and is {x.shape!r}", ("x",))
    return pooled(run, x, n, a["kernel"], a["stride"], a["padding"], None, a.get("data_format") or FORMATS[n][0])


def pool_with_argmax(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    a = {**a, "data_format": a.get("data_format") or "NHWC"}
    if run.name.startswith("tf.compat.v1."):
        for name in ("kernel", "stride"):
            run.require(name, isinstance(a[name], (tuple, list)) and len(a[name]) == 4, f"{name} must have 4 numbers, and is {a[name]!r}", (name,))
    made = _pooled(run, needed(run, a, "x", "kernel", "stride", "padding"), 2)
    sizes = {name: spatial(run, a[name], 2, True, name) for name in ("kernel", "stride")}
    batch = bool(a.get("include_batch_in_index"))
    places: TensorType = run.shaped(
        "max_pool_positions", made.shape, a.get("dtype") or INT64, x=a["x"], values=made, **sizes, padding=a["padding"], include_batch=batch,
    )  # fmt: skip
    return made, places


def pool(a: Arguments, run: Run) -> TensorType:
    """A pool over as many axes as the window has."""
    a = modern(a)
    kernel, word = tuple(a["kernel"]), str(a["pooling_type"])
    run.require("pooling_type", word in ("AVG", "MAX"), f"pooling_type must be 'AVG' or 'MAX', and is {word!r}", ("pooling_type",))
    floats = a["x"].dtype is None or a["x"].dtype.is_float
    run.require("dtype", floats or a["pooling_type"] == "MAX", f"elements of type {a['x'].dtype!r} are not averaged", ("x",))
    n = len(kernel)
    run.require("kernel", n in (1, 2, 3), f"the window must have one, two or three axes, and is {kernel!r}", ("kernel",))
    stride = tuple(a.get("stride") or (1,) * n)
    run.require("stride", len(stride) == n, f"stride must have {n} numbers, and is {stride!r}", ("stride",))
    for s, k in zip(stride, kernel):
        run.require("stride", ge(k, s), f"a stride of {s!r} leaves gaps between windows of {k!r}", ("stride", "kernel"))
    fits = n == 2 or not isinstance(a.get("padding"), (tuple, list))
    run.require("padding", fits, f"a window of {n} axes takes 'SAME' or 'VALID' as padding and no list, and got {a.get('padding')!r}", ("padding",))
    if a.get("dilations") is not None or a.get("dilation") is not None:
        raise run.give_up("a pool with dilation")
    return pooled(run, a["x"], n, kernel, stride, a.get("padding") or "VALID", None, layout_of(a, n), word.lower())
