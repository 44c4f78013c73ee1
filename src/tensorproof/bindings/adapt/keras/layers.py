"""Keras' layers: activations, dense and normalising layers, merges, and what all of them share."""

from __future__ import annotations

import math
from typing import Any

from tensorproof.bindings.adapt.keras import activations
from tensorproof.bindings.adapt.keras.ops import own
from tensorproof.bindings.adapt.keras.weights import at_least, einsum_shapes, of_rank, sizes
from tensorproof.bindings.adapt.numpy.arrays import LooseTensors, Real
from tensorproof.bindings.adapt.steps import Steps
from tensorproof.bindings.adapters import Run, Value, computed_in, in_type, module_in, takes, tensor_in
from tensorproof.ops.inputs import Anything, Choice
from tensorproof.terms import BOOL, FLOAT16, FLOAT32, INT32, INT64, TensorType, eq, ge

FORMAT = Choice("data_format", ("channels_last", "channels_first"), None, optional=True)


def word(run: Run, a: dict[str, Value], kind: Choice) -> Value:
    value = a.get(kind.name)
    if value is not None and value not in kind.options:
        raise run.refuse(kind.name, f"{kind.name} must be one of {', '.join(map(repr, kind.options))}, and is {value!r}", (kind.name,))
    return value


def activated(a: dict[str, Value], run: Run, made: TensorType) -> TensorType:
    """The layer's activation by its name."""
    name = a.get("activation")
    return activations.named(run, name, made) if isinstance(name, str) else made


def dense(a: dict[str, Any], run: Run) -> TensorType:
    x: TensorType = a["x"]
    held = module_in(a).parameters
    kernel: TensorType = held["kernel"]
    units = kernel.shape[1]
    run.require("linear/units", ge(units, 1), f"a dense layer has at least one unit, and this one has {units!r}", ("units",))
    if x.shape.known and len(x.shape) < 2:
        raise run.refuse("linear/rank", f"a Dense layer takes an input with 2 or more dimensions, it has {len(x.shape)}: {x.shape!r}", ("x",))
    made = run("matmul", x=computed(a, run, x), y=computed(a, run, kernel))
    if "bias" in held:
        made = run("add", x=made, y=computed(a, run, held["bias"]))
    return activated(a, run, made)


def computed(a: dict[str, Any], run: Run, x: TensorType) -> TensorType:
    """In the element type that the layer computes in."""
    return in_type(x, computed_in(module_in(a)), run.session, run.name)


def first(run: Run, x: TensorType, a: dict[str, Value], n: int) -> TensorType:
    """Channels right behind the batch."""
    return x if word(run, a, FORMAT) == "channels_first" else run("permute", x=x, dim=(0, n + 1, *range(1, n + 1)))


def last(run: Run, x: TensorType, a: dict[str, Value], n: int) -> TensorType:
    """Back to where the layer has its channels."""
    return x if a.get("data_format") == "channels_first" else run("permute", x=x, dim=(0, *range(2, n + 2), 1))


def reach_of(a: dict[str, Any], n: int) -> dict[str, Any]:
    """The paddings of a word."""
    padding = a["padding"].lower() if isinstance(a["padding"], str) else a["padding"]
    if padding == "causal":
        (k,), (d,) = sizes(module_in(a).arguments["kernel"], 1), sizes(a["dilation"], 1)
        return {"padding": (d * (k - 1),), "padding_end": (0,)}
    return {"padding": "same" if padding == "same" else 0}


def check_padding(run: Run, a: dict[str, Value], n: int, causal: bool = True) -> None:
    allowed = ("valid", "same", "causal") if n == 1 and causal else ("valid", "same")
    word(run, {"padding": a["padding"].lower() if isinstance(a["padding"], str) else a["padding"]}, Choice("padding", allowed))


def masked(a: dict[str, Any], run: Run) -> TensorType:
    """A step all of whose features have the mask's value becomes 0."""
    x: TensorType = a["x"]
    at_least(module_in(a), x, 1)
    kept = run.typed("any", BOOL, x=run.typed("ne", BOOL, x=x, y=a["mask_value"]), dim=-1, keepdim=True)
    return run.typed("mul", x.dtype, x=x, y=kept if x.dtype is None else run("cast", x=kept, dtype=x.dtype))


@takes(Real("rate", least=0.0, most=1.0), Anything("training"))
def dropped(a: dict[str, Any], run: Run) -> TensorType:
    rate = a.get("rate")
    if isinstance(rate, (int, float)) and not isinstance(rate, bool):
        run.require("noise/rate", 0 <= rate <= 1, f"the rate must lie between 0 and 1, and is {rate!r}", ("rate",))
    rank = {"1D": 3, "2D": 4, "3D": 5}.get(run.row.name[-2:])
    if rank is not None:
        of_rank(module_in(a), tensor_in(a, "x"), rank)
        word(run, a, FORMAT)
    share = {"p": float(rate)} if isinstance(rate, (int, float)) and 0 <= rate <= 1 else {}
    return run.typed(run.row.op, tensor_in(a, "x").dtype, x=a["x"], training=a.get("training") is True, **share)


def with_noise(a: dict[str, Value], run: Run) -> TensorType:
    """In training, with draws of a normal distribution added."""
    x = tensor_in(a, "x")
    kept = run("identity", x=x)
    return run.typed("add", x.dtype, x=kept, y=_draws(x, run, 0.0, a["stddev"])) if a.get("training") else kept


def scaled_by_noise(a: dict[str, Any], run: Run) -> TensorType:
    """In training, multiplied by draws of a normal distribution around 1, whose variance is rate / (1 - rate)."""
    rate, kept = a["rate"], run("identity", x=a["x"])
    known = isinstance(rate, (int, float)) and not isinstance(rate, bool)
    if known:
        run.require("noise/rate", 0 <= rate <= 1, f"the rate must lie between 0 and 1, and is {rate!r}", ("rate",))
    if not a.get("training"):
        return kept
    x = tensor_in(a, "x")
    return run.typed("mul", x.dtype, x=kept, y=_draws(x, run, 1.0, math.sqrt(rate / (1 - rate)) if known and rate < 1 else math.inf))


def _draws(x: TensorType, run: Run, mean: float, std: Value) -> TensorType:
    return run.typed("normal_fill", x.dtype, x=run("empty_like", x=x), mean=mean, std=std)


def _inputs(a: dict[str, Any], run: Run) -> tuple[TensorType, ...]:
    """The inputs; `keras.layers.add` makes a layer that casts floats as every layer does."""
    if "_module" in a:
        return tuple(a["xs"])
    return tuple(in_type(x, FLOAT32, run.session, run.name) if x.dtype is not None and x.dtype.is_float else x for x in a["xs"])


@takes(LooseTensors("xs", least=2))
def merged(a: dict[str, Value], run: Run) -> TensorType:
    """Inputs of a lower rank get axes of size 1 behind the batch axis; batches must be equal."""
    xs = _inputs(a, run)
    mean = run.row.name.lower().endswith("average")
    op = "add" if mean else run.row.op
    if op == "sub" and len(xs) != 2:
        raise run.refuse("sub/inputs", f"two inputs are subtracted, and {len(xs)} are given", ("xs",))
    if not all(x.shape.known for x in xs):
        raise run.give_up("an input's rank is not known")
    highest = max(len(x.shape) for x in xs)
    for x in xs:
        if len(x.shape) == 0:
            raise run.refuse(f"{op}/rank", "an input has no batch axis", ("xs",))
        run.require(f"{op}/batch", eq(x.shape[0], xs[0].shape[0]), f"the batches have {xs[0].shape[0]!r} and {x.shape[0]!r} elements", ("xs",))
    whole = [x if len(x.shape) == highest else run("reshape", x=x, size=(x.shape[0], *(1,) * (highest - len(x.shape)), *x.shape[1:])) for x in xs]
    made = whole[0]
    for x in whole[1:]:
        made = run(op, x=made, y=x)
    return run("div", x=made, y=len(xs)) if mean else made


def concatenated(a: dict[str, Value], run: Run) -> TensorType:
    xs = _inputs(a, run)
    if any(not x.shape.known or len(x.shape) == 0 for x in xs):
        raise run.give_up("an input's rank is not known")
    return xs[0] if len(xs) == 1 else run("cat", xs=xs, dim=a["axis"])


def dotted(a: dict[str, Value], run: Run) -> TensorType:
    xs = _inputs(a, run)
    if len(xs) != 2:
        raise run.refuse("inputs", f"two inputs are multiplied, and {len(xs)} are given", ("xs",))
    x, y = xs
    pair = sizes(a["axes"], 2)
    if len(pair) != 2:
        raise run.refuse("axes", f"axes must be one axis or two, and is {a['axes']!r}", ("axes",))
    dims = tuple(p + len(v.shape) if isinstance(p, int) and p < 0 else p for p, v in zip(pair, (x, y)))
    return run("batch_dot", x=x, y=y, dims=dims)


def einsum_dense(a: dict[str, Any], run: Run) -> TensorType:
    module = module_in(a)
    kernel, _, shape = einsum_shapes(module, tensor_in(a, "x"))
    held = module.parameters["kernel"].shape
    for i, (now, then) in enumerate(zip(kernel, held)):
        run.require("features", eq(now, then), f"axis {i} of the kernel was made as {then!r} and this input needs {now!r}", ("x",))
    xs = computed(a, run, tensor_in(a, "x")), computed(a, run, module.parameters["kernel"])
    made = run.shaped("einsum", shape, computed_in(module), xs=xs, equation=a["equation"])
    if "bias" in module.parameters:
        made = run("add", x=made, y=computed(a, run, module.parameters["bias"]))
    return activated(a, run, made)


def embedded(a: dict[str, Any], run: Run) -> TensorType:
    x: TensorType = a["index"]
    table = module_in(a).parameters["embeddings"]
    index = x if x.dtype in (INT32, INT64, None) else run("cast", x=x, dtype=INT32)
    return run.typed("embedding", computed_in(module_in(a)), index=index, weight=table)


def category_encoded(a: dict[str, Any], run: Run) -> Value:
    x: TensorType = a["x"]
    mode = word(run, a, Choice("mode", ("one_hot", "multi_hot", "count")))
    if mode == "one_hot" and len(x.shape) > 1 and x.shape[-1] == 1:
        x = run("squeeze", x=x, dim=-1)
    elif mode != "one_hot" and not len(x.shape):
        x = run("unsqueeze", x=x, dim=0)
    if mode != "one_hot" and len(x.shape) > 2 and any(eq(a, b) is not True for a, b in zip(x.shape[1:], x.shape[2:])):
        raise run.give_up("Keras joins the categories along the second axis, and gives the shape for the last")
    return run.typed("category_encoding", computed_in(module_in(a)), x=x, classes=a["classes"], mode=mode)


def curve(a: dict[str, Value], run: Run) -> TensorType:
    """A layer that is one activation with parameters."""
    x = computed(a, run, tensor_in(a, "x"))
    return own(run, {**a, "x": x}, x.dtype)


def rectified(a: dict[str, Value], run: Run) -> TensorType:
    return activations.rectified({**a, "x": computed(a, run, tensor_in(a, "x"))}, run)


def softmax(a: dict[str, Value], run: Run) -> TensorType:
    """Over one axis or several; what the mask leaves out is 0."""
    x, mask = computed(a, run, tensor_in(a, "x")), a.get("mask")
    if not isinstance(mask, TensorType):
        return activations.softmax({"x": x, "dim": a["dim"]}, run)
    mask = mask if mask.dtype is BOOL else run.typed("gt", BOOL, x=mask, y=0.5)
    least = -3e4 if x.dtype is FLOAT16 else -1e9
    made = activations.softmax({"x": run.typed("where", x.dtype, condition=mask, x=x, y=least), "dim": a["dim"]}, run)
    return run.typed("where", x.dtype, condition=mask, x=made, y=0)


def activation(a: dict[str, Value], run: Run) -> TensorType:
    """x itself, put through what is named."""
    x = run("identity", x=a["x"])
    name = a.get("activation")
    floating = x.dtype is None or x.dtype.is_float or name in ("linear", "relu", None)
    return activated(a, run, x if floating else computed(a, run, x))


def prelu(a: dict[str, Any], run: Run) -> TensorType:
    x: TensorType = a["x"]
    alpha: TensorType = module_in(a).parameters["alpha"]
    if len(x.shape) != len(alpha.shape) + 1 and len(x.shape):
        raise run.refuse("rank", f"the layer was made for inputs of rank {len(alpha.shape) + 1}, and x is {x.shape!r}", ("x",))
    for i, (n, m) in enumerate(zip(x.shape[1:], alpha.shape), 1):
        run.require("weight", True if m == 1 else eq(n, m), f"axis {i} of x is {n!r} and the layer was made for {m!r}", ("x",))
    m = Steps(run, computed_in(module_in(a)))
    with m.settled():
        return m("sub", m("relu", x), m("mul", computed(a, run, alpha), m("relu", m("neg", x))))
