"""keras.ops of neural networks: channels at the end, paddings by word, losses, normalisation, attention."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.keras import cross_entropy
from tensorproof.bindings.adapt.keras.convolutions import listed, transposed_conv
from tensorproof.bindings.adapt.keras.layers import first, last
from tensorproof.bindings.adapt.keras.ops import as_float, asked, common, has_axis, own
from tensorproof.bindings.adapt.keras.reductions import over
from tensorproof.bindings.adapt.numpy.arrays import tensor
from tensorproof.bindings.adapt.numpy.reductions import word
from tensorproof.bindings.adapt.steps import Steps
from tensorproof.bindings.adapters import Run, Value, tensor_in
from tensorproof.terms import BOOL, FLOAT32, FLOAT64, Dim, Shape, TensorType, conj, disj, eq, ge, gt


def _spatial(run: Run, x: TensorType) -> int:
    if not x.shape.known:
        raise run.give_up("the rank is not known")
    n = len(x.shape) - 2
    if n not in (1, 2, 3):
        raise run.refuse("rank", f"an input has a batch axis, channels and one to three others, and it is {x.shape!r}", ("x",))
    return n


def pool(a: dict[str, Value], run: Run) -> TensorType:
    x = tensor_in(a, "x")
    n = _spatial(run, x)
    word(run, a, "padding", ("valid", "same"))
    stride = a["kernel"] if a["stride"] is None else a["stride"]
    op = f"{'max' if run.row.op.startswith('max') else 'avg'}_pool{n}d"
    tuples = {k: tuple(v) if isinstance(v, (list, tuple)) else v for k, v in (("kernel", a["kernel"]), ("stride", stride))}
    own = {"count_include_pad": False} if op.startswith("avg") else {}
    return last(run, run(op, x=first(run, x, a, n), padding="same" if a["padding"] == "same" else 0, **tuples, **own), a, n)


def adaptive_pool(a: dict[str, Value], run: Run) -> TensorType:
    n = _spatial(run, tensor_in(a, "x"))
    given = a["output_size"]
    if isinstance(given, (list, tuple)) and len(given) != n:
        raise run.refuse("output_size", f"{n} sizes are wanted, and they are {given!r}", ("output_size",))
    if not isinstance(given, tuple):
        raise run.give_up("a size that is not a tuple, which only some of Keras takes")
    op = f"{run.row.op[:-2]}{n}d"
    return last(run, run(op, x=first(run, tensor_in(a, "x"), a, n), output_size=tuple(given) if isinstance(given, (list, tuple)) else given), a, n)


def _reach(run: Run, a: dict[str, Value], n: int, kernel: Shape) -> dict[str, Any]:
    padding = a["padding"]
    words = ("valid", "same", "causal") if n == 1 else ("valid", "same")
    word(run, {"padding": padding}, "padding", words)
    if padding == "causal":
        d = a["dilation"][0] if isinstance(a["dilation"], (tuple, list)) else a["dilation"]
        return {"padding": (d * (kernel[0] - 1),), "padding_end": (0,)}
    return {"padding": "same" if padding == "same" else 0}


def _kernel(run: Run, kernel: TensorType, n: int) -> TensorType:
    if len(kernel.shape) != n + 2:
        raise run.refuse("rank", f"the kernel has {n + 2} axes, and it is {kernel.shape!r}", ("kernel",))
    return run("permute", x=kernel, dim=(n + 1, n, *range(n)))


def conv(a: dict[str, Value], run: Run) -> TensorType:
    n = _spatial(run, tensor_in(a, "x"))
    kernel = _kernel(run, tensor_in(a, "kernel"), n)
    x = first(run, tensor_in(a, "x"), a, n)
    c, per = x.shape[1], kernel.shape[1]
    run.require("channels", conj(ge(per, 1), eq(c % per, 0)), f"{c!r} channels of x are not a multiple of the kernel's {per!r}", ("x", "kernel"))
    strides, dilations = (v if isinstance(v, (tuple, list)) else (v,) for v in (a["stride"], a["dilation"]))
    alone = disj(*(conj(*(eq(step, 1) for step in steps)) for steps in (strides, dilations)))
    message = f"strides {a['stride']!r} and dilations {a['dilation']!r} do not go together: one of them must be 1"
    run.require("stride", alone, message, ("stride", "dilation"))
    window = {"stride": listed(a["stride"]), "dilation": listed(a["dilation"]), **_reach(run, a, n, tensor_in(a, "kernel").shape)}
    made = run(f"conv{n}d", x=x, weight=kernel, groups=c // per, **window)
    return last(run, made, a, n)


def depthwise_conv(a: dict[str, Value], run: Run) -> TensorType:
    n = _spatial(run, tensor_in(a, "x"))
    return last(run, _depthwise(a, run, n, first(run, tensor_in(a, "x"), a, n)), a, n)


def _depthwise(a: dict[str, Any], run: Run, n: int, x: TensorType) -> TensorType:
    kernel: TensorType = a["kernel"]
    if len(kernel.shape) != n + 2:
        raise run.refuse("rank", f"the kernel has {n + 2} axes, and it is {kernel.shape!r}", ("kernel",))
    *k, c, many = kernel.shape
    run.require("channels", eq(x.shape[1], c), f"the kernel is for {c!r} channels and x has {x.shape[1]!r}", ("x", "kernel"))
    flat = run("reshape", x=run("permute", x=kernel, dim=(n, n + 1, *range(n))), size=(c * many, 1, *k))
    return run(f"conv{n}d", x=x, weight=flat, stride=listed(a["stride"]), dilation=listed(a["dilation"]), groups=c, **_reach(run, a, n, kernel.shape))


def separable_conv(a: dict[str, Value], run: Run) -> TensorType:
    n = _spatial(run, tensor_in(a, "x"))
    made = _depthwise(a, run, n, first(run, tensor_in(a, "x"), a, n))
    return last(run, run(f"conv{n}d", x=made, weight=_kernel(run, tensor_in(a, "pointwise"), n)), a, n)


def conv_transpose(a: dict[str, Value], run: Run) -> TensorType:
    n = _spatial(run, tensor_in(a, "x"))
    kernel, x = tensor_in(a, "kernel"), first(run, tensor_in(a, "x"), a, n)
    if len(kernel.shape) != n + 2:
        raise run.refuse("rank", f"the kernel has {n + 2} axes, and it is {kernel.shape!r}", ("kernel",))
    word(run, a, "padding", ("valid", "same"))
    run.require("channels", eq(x.shape[1], kernel.shape[-1]), f"the kernel is for {kernel.shape[-1]!r} channels and x has {x.shape[1]!r}", ("x", "kernel"))
    return last(run, transposed_conv(run, f"conv_transpose{n}d", x, kernel, a, lambda v: v), a, n)


def one_hot(a: dict[str, Any], run: Run) -> TensorType:
    x = tensor(a["x"])
    rank = len(x.shape) + 1
    if not -rank <= a["axis"] < rank:
        raise run.refuse("axis", f"axis {a['axis']} is out of range for a result of rank {rank}", ("axis",))
    return run.typed("one_hot_axis", asked(a, FLOAT32), x=x, depth=a["classes"], dim=a["axis"] % rank)


def multi_hot(a: dict[str, Value], run: Run) -> TensorType:
    x = tensor(a["x"])
    if a["classes"] is None or a["axis"] != -1:
        raise run.give_up("another axis than the last")
    dtype = asked(a, FLOAT32)
    hot = run.typed("one_hot_axis", dtype, x=x, depth=a["classes"], dim=-1)
    return run.typed("amax", dtype, x=hot, dim=1 if len(x.shape) > 1 else 0, empty=True)


def to_categorical(a: dict[str, Value], run: Run) -> TensorType:
    """One-hot rows; a last axis of size 1 is dropped."""
    x = tensor(a["x"])
    n = run.fresh("classes", 1) if a["classes"] is None else a["classes"]
    if a["classes"] is None and x.framework != "numpy":
        raise run.give_up("without num_classes only NumPy's arrays are counted")
    alone = len(x.shape) > 1 and x.shape[-1] == 1
    dtype = {"numpy": FLOAT64, "keras": FLOAT32, "tf": FLOAT32}.get(x.framework)
    return run.typed("one_hot_axis", dtype, x=run("squeeze", x=x, dim=-1) if alone else x, depth=n, dim=-1)


def _equal_shapes(run: Run, x: TensorType, y: TensorType, but: int | None = None) -> None:
    message = f"target {y.shape!r} and output {x.shape!r} must have the same shape"
    code = "binary_cross_entropy/shape" if run.row.name.endswith("binary_crossentropy") else "cross_entropy/shape" if "entropy" in run.row.name else "shape"
    run.require(code, len(x.shape) == len(y.shape), message, ("target", "x"))
    for i, (n, m) in enumerate(zip(x.shape, y.shape)):
        if i != but:
            run.require(code, eq(n, m), message, ("target", "x"))


def elementwise_loss(a: dict[str, Value], run: Run) -> TensorType:
    x, y = tensor(a["x"]), tensor(a["target"])
    _equal_shapes(run, x, y)
    m = Steps(run, x.dtype)
    with m.settled():
        return cross_entropy.binary(m, y, x, a["from_logits"])


def categorical(a: dict[str, Any], run: Run) -> TensorType:
    x, y = tensor(a["x"]), tensor(a["target"])
    if len(x.shape) < 1:
        raise run.refuse("rank", "the output has at least an axis of classes", ("x",))
    _equal_shapes(run, x, y)
    axis = a["axis"]
    if not -len(x.shape) <= axis < len(x.shape):
        raise run.refuse("axis", f"axis {axis} is out of range for {x.shape!r}", ("axis",))
    m = Steps(run, x.dtype)
    with m.settled():
        return cross_entropy.one_hot_categorical(m, y, x, a["from_logits"], axis)


def sparse_categorical(a: dict[str, Value], run: Run) -> TensorType:
    x, y = tensor(a["x"]), tensor(a["target"])
    if len(x.shape) < 1:
        raise run.refuse("rank", "the output has at least an axis of classes", ("x",))
    y = cross_entropy.sparse_target(run, y, x.shape)
    message = f"target {y.shape!r} must be output {x.shape!r} without its axis of classes"
    run.require("cross_entropy/shape", len(y.shape) == len(x.shape) - 1, message, ("target", "x"))
    for n, k in zip(y.shape, x.shape):
        run.require("cross_entropy/shape", eq(n, k), message, ("target", "x"))
    m = Steps(run, x.dtype)
    with m.settled():
        return cross_entropy.categorical(m, y, x, a["from_logits"])


def moments(a: dict[str, Value], run: Run) -> Value:
    x = tensor(a["x"])
    has_axis(run, x, a["dim"])
    axes = {"x": x, "dim": a["dim"], "keepdim": a["keepdim"]}
    return (over(run, "mean", x.dtype, axes), over(run, "var", x.dtype, axes, correction=0))


def _groups(query: Dim, key: Dim) -> Dim | None:
    """How many query heads share a key head: more than one where there are more of them and at least two key heads."""
    if eq(query, key) is True:
        return 1
    more = conj(gt(query, key), gt(key, 1))
    return query // key if more is True else 1 if more is False else None


def dot_product_attention(a: dict[str, Value], run: Run) -> TensorType:
    """(batch, steps, heads, features), several query heads to a key head."""
    q, k, v = tensor_in(a, "query"), tensor_in(a, "key"), tensor_in(a, "value")
    for name, t in (("query", q), ("key", k), ("value", v)):
        if len(t.shape) != 4:
            raise run.refuse("rank", f"{name} is (batch, steps, heads, features), and it is {t.shape!r}", (name,))
    for code, i in (("batch", 0), ("length", 1), ("heads", 2), ("features", 3)):
        run.require(code, eq(k.shape[i], v.shape[i]), f"axis {i} of key is {k.shape[i]!r} and of value {v.shape[i]!r}", ("key", "value"))
    for code, i in (("features", 3),):
        run.require(code, eq(q.shape[i], k.shape[i]), f"axis {i} of query is {q.shape[i]!r} and of key {k.shape[i]!r}", ("query", "key"))
    heads = q.shape[2], k.shape[2]
    groups = _groups(*heads)
    if groups is None:
        raise run.give_up("query heads that come to a whole number of key heads or not")
    run.require("heads", eq(heads[0], heads[1] * groups), f"query has {heads[0]!r} heads and key {heads[1]!r}", ("query", "key"))
    if any(isinstance(t, TensorType) and t.shape.known and 0 in t.shape for t in (a["mask"], a["bias"])):
        raise run.give_up("a mask without elements, whose sizes some kernels of TensorFlow do not compare")
    m = Steps(run, common(q, k, v))
    if groups != 1:
        k, v = (run("repeat_interleave", x=t, times=groups, dim=2) for t in (k, v))
    q, k, v = (run("permute", x=t, dim=(0, 2, 1, 3)) for t in (q, k, v))
    scale = a["scale"]
    if scale is None:
        scale = 1 / q.shape[-1] ** 0.5 if isinstance(q.shape[-1], int) and q.shape[-1] else run.typed("rsqrt", m.dtype, x=q.shape[-1])
    scores = m("mul", m("matmul", q, run("transpose", x=k, dim0=-2, dim1=-1)), scale)
    cap = a["attn_logits_soft_cap"]
    if cap is not None:
        scores = m("mul", m("tanh", m("div", scores, cap)), cap)
    if isinstance(a["bias"], TensorType):
        scores = m("add", scores, a["bias"])
    mask = a["mask"]
    if a["is_causal"]:
        steps = run("full", size=tuple(scores.shape[-2:]), value=1, dtype=BOOL)
        causal = run.typed("tril", BOOL, x=steps)
        mask = causal if mask is None else run.typed("logical_and", BOOL, x=mask, y=causal)
    if isinstance(mask, TensorType):
        least = {"float16": -0.7 * 65504, "float64": -0.7 * 1.7976931348623157e308}.get("" if m.dtype is None else m.dtype.label, -0.7 * 3.4028234663852886e38)
        scores = run.typed("where", m.dtype, condition=mask, x=scores, y=least)
    weights = m("softmax", scores, dim=-1)
    return run("permute", x=m("matmul", weights, v), dim=(0, 2, 1, 3))


def psnr(a: dict[str, Any], run: Run) -> TensorType:
    x, y = tensor_in(a, "x"), tensor_in(a, "y")
    _equal_shapes(run, x, y)
    own, m = Steps(run, common(x, y)), Steps(run, as_float(common(x, y)))
    error = own("mean", own("square", own("sub", x, y)))
    most = a["max_val"] if y.dtype is None or y.dtype.is_float else int(a["max_val"])  # it takes the element type of y
    return m("sub", m("mul", m("log10", run.typed("full", y.dtype, size=(), value=most)), 20), m("mul", m("log10", error), 10))


def shuffled(a: dict[str, Any], run: Run) -> TensorType:
    x = tensor_in(a, "x")
    if len(x.shape) != 4:
        raise run.refuse("rank", f"images are a batch, and this is {x.shape!r}", ("x",))
    run.require("factor", ge(a["factor"], 2), f"blocks have at least two elements a side, and not {a['factor']!r}", ("factor",))
    factor, last = a["factor"], a.get("data_format") != "channels_first"
    word(run, a, "data_format", (None, "channels_last", "channels_first"))
    op = run.row.op
    if op == "depth_to_space":
        c = x.shape[-1 if last else 1]
        run.require("pixel_shuffle/channels", eq(c % (factor * factor), 0), f"{c!r} channels do not divide into {factor!r} by {factor!r} blocks", ("x",))
    else:
        for n in x.shape[1:3] if last else x.shape[2:]:
            run.require("pixel_unshuffle/size", eq(n % factor, 0), f"an axis of {n!r} does not divide into blocks of {factor!r}", ("x",))
    with Steps(run, x.dtype).settled():
        whole = x if last else run("permute", x=x, dim=(0, 2, 3, 1))
        made = run.typed(op, x.dtype, x=whole, block=factor)
        return made if last else run("permute", x=made, dim=(0, 3, 1, 2))


def folding(a: dict[str, Value], run: Run) -> TensorType:
    rank = 3 if run.row.op == "col2im" else 4
    if len(tensor_in(a, "x").shape) != rank:
        raise run.refuse("rank", f"an input of rank {rank} is wanted, and it is {tensor_in(a, 'x').shape!r}", ("x",))
    return own(run, {k: listed(v) for k, v in a.items()}, tensor_in(a, "x").dtype)
