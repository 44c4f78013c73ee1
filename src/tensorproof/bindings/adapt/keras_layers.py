"""Keras' layers: activations, dense and normalising layers, merges, and what all of them share."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.keras_weights import at_least, einsum_shapes, named_axes, of_rank, sizes
from tensorproof.bindings.adapt.numpy_arrays import Listed, Real, Whole, Word
from tensorproof.bindings.call import Run, takes
from tensorproof.bindings.modules import Module, computed_in
from tensorproof.ops.inputs import Bool, Choice, Float, Int, Tensor, Tensors
from tensorproof.terms.dtypes import FLOAT32
from tensorproof.terms.predicates import eq, ge
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

ACTIVATIONS = frozenset(
    [
        "celu",
        "elu",
        "exponential",
        "gelu",
        "glu",
        "hard_shrink",
        "hard_sigmoid",
        "hard_silu",
        "hard_swish",
        "hard_tanh",
        "leaky_relu",
        "linear",
        "log_sigmoid",
        "log_softmax",
        "mish",
        "relu",
        "relu6",
        "selu",
        "sigmoid",
        "silu",
        "soft_shrink",
        "softmax",
        "softplus",
        "softsign",
        "sparse_plus",
        "sparse_sigmoid",
        "sparsemax",
        "squareplus",
        "swish",
        "tanh",
        "tanh_shrink",
        "threshold",
    ]
)
FORMAT = Choice("data_format", ("channels_last", "channels_first"), None, optional=True)
PADDING = Choice("padding", ("valid", "same"), "valid")


def word(run: Run, a: dict[str, Any], kind: Choice) -> Any:
    value = a.get(kind.name)
    if value is not None and value not in kind.options:
        raise run.refuse(kind.name, f"{kind.name} must be one of {', '.join(map(repr, kind.options))}, and is {value!r}", (kind.name,))
    return value


def activated(a: dict[str, Any], run: Run, made: TensorType) -> TensorType:
    """The layer's activation keeps the shape, glu halves the last axis."""
    name = a.get("activation")
    if not isinstance(name, str):
        return made
    if name not in ACTIVATIONS:
        raise run.refuse("activation", f"Keras has no activation {name!r}", ("activation",))
    return run("glu", x=made, dim=-1) if name == "glu" else made


@takes(Int("units", least=1), Tensor("x", "N ... K"), Bool("use_bias", True))
def dense(a: dict[str, Any], run: Run) -> Any:
    x: TensorType = a["x"]
    kernel: TensorType = a["_module"].parameters["kernel"]
    units = kernel.shape[1]
    run.require("units", ge(units, 1), f"a dense layer has at least one unit, and this one has {units!r}", ("units",))
    if x.shape.known and len(x.shape) < 2:
        raise run.refuse("rank", f"a dense layer takes an input of rank 2 or more, and it is {x.shape!r}", ("x",))
    made = run("matmul", x=computed(a, x), y=computed(a, kernel))
    return activated(a, run, made)


def computed(a: dict[str, Any], x: TensorType) -> TensorType:
    """In the element type that the layer computes in."""
    return x.but(dtype=computed_in(a["_module"]), contents=None)


def first(run: Run, x: TensorType, a: dict[str, Any], n: int, lead: int = 1) -> TensorType:
    """Channels right behind the batch."""
    if word(run, a, FORMAT) == "channels_first":
        return x
    made: TensorType = run("permute", x=x, dim=(*range(lead), lead + n, *range(lead, lead + n)))
    return made


def last(run: Run, x: TensorType, a: dict[str, Any], n: int, lead: int = 1) -> TensorType:
    """Back to where the layer has its channels."""
    if a.get("data_format") == "channels_first":
        return x
    made: TensorType = run("permute", x=x, dim=(*range(lead), *range(lead + 1, lead + 1 + n), lead))
    return made


def reach_of(a: dict[str, Any], n: int) -> dict[str, Any]:
    """The paddings of a word."""
    padding = a["padding"].lower() if isinstance(a["padding"], str) else a["padding"]
    if padding == "causal":
        (k,), (d,) = sizes(a["_module"].arguments["kernel"], 1), sizes(a["dilation"], 1)
        return {"padding": (d * (k - 1),), "padding_end": (0,)}
    return {"padding": "same" if padding == "same" else 0}


def check_padding(run: Run, a: dict[str, Any], n: int, causal: bool = True) -> None:
    allowed = ("valid", "same", "causal") if n == 1 and causal else ("valid", "same")
    word(run, {"padding": a["padding"].lower() if isinstance(a["padding"], str) else a["padding"]}, Choice("padding", allowed))


def axis_norm(a: dict[str, Any], run: Run) -> Any:
    module: Module = a["_module"]
    x: TensorType = a["x"]
    held = module.state()
    axes = named_axes(module, x.shape, a["dim"]) if x.shape.known else a["dim"]
    made = run(
        "axis_norm",
        x=computed(a, x),
        dim=axes,
        gamma=held.get("gamma") or held.get("scale"),
        beta=held.get("beta"),
        mean=held.get("moving_mean"),
    )
    return made.but(dtype=computed_in(module))


def group_norm(a: dict[str, Any], run: Run) -> Any:
    x: TensorType = a["x"]
    held = a["_module"].state()
    groups = x.shape[a["dim"]] if a["groups"] == -1 else a["groups"]
    if len(x.shape) < 2:
        raise run.give_up("an input without a batch axis")
    return run("axis_group_norm", x=computed(a, x), groups=groups, dim=a["dim"], gamma=held.get("gamma"), beta=held.get("beta"))


@takes(Float("stddev", least=0.0))
def same(a: dict[str, Any], run: Run) -> Any:
    """A layer whose output is like its input."""
    if run.row.name.endswith("Masking"):
        at_least(a["_module"], a["x"], 1)
    return run(run.row.op, x=a["x"])


@takes(Real("rate", least=0.0, most=1.0))
def dropped(a: dict[str, Any], run: Run) -> Any:
    rate = a.get("rate")
    if isinstance(rate, (int, float)) and not isinstance(rate, bool):
        run.require("rate", 0 <= rate <= 1, f"the rate must lie between 0 and 1, and is {rate!r}", ("rate",))
    rank = {"1D": 3, "2D": 4, "3D": 5}.get(run.row.name[-2:])
    if rank is not None:
        of_rank(a["_module"], a["x"], rank)
        word(run, a, FORMAT)
    return run("noise", x=a["x"])


def _inputs(a: dict[str, Any]) -> tuple[TensorType, ...]:
    """The inputs; `keras.layers.add` makes a layer that casts floats as every layer does."""
    if "_module" in a:
        return tuple(a["xs"])
    return tuple(x.but(dtype=FLOAT32, contents=None) if x.dtype is not None and x.dtype.is_float else x for x in a["xs"])


@takes(Tensors("xs", least=1))
def merged(a: dict[str, Any], run: Run) -> Any:
    """Inputs of a lower rank get axes of size 1 behind the batch axis; batches must be equal."""
    xs = _inputs(a)
    if run.row.name.lower().endswith("subtract") and len(xs) != 2:
        raise run.refuse("inputs", f"two inputs are subtracted, and {len(xs)} are given", ("xs",))
    if not all(x.shape.known for x in xs):
        raise run.give_up("an input's rank is not known")
    highest = max(len(x.shape) for x in xs)
    for x in xs:
        if len(x.shape) == 0:
            raise run.refuse("rank", "an input has no batch axis", ("xs",))
        run.require("batch", eq(x.shape[0], xs[0].shape[0]), f"the batches have {xs[0].shape[0]!r} and {x.shape[0]!r} elements", ("xs",))
    whole = [x.but(shape=Shape((x.shape[0], *(1,) * (highest - len(x.shape)), *x.shape[1:]))) for x in xs]
    made = whole[0]
    for x in whole[1:]:
        made = run(run.row.op, x=made, y=x)
    return run("div", x=made, y=len(xs)) if run.row.name.lower().endswith("average") else made


@takes(Tensors("xs", least=1), Int("axis", -1))
def concatenated(a: dict[str, Any], run: Run) -> Any:
    xs = _inputs(a)
    if any(not x.shape.known or len(x.shape) == 0 for x in xs):
        raise run.give_up("an input's rank is not known")
    return xs[0] if len(xs) == 1 else run("cat", xs=xs, dim=a["axis"])


@takes(Tensors("xs", "N P C | N C", least=2), Whole("axes", least=-1, most=2))
def dotted(a: dict[str, Any], run: Run) -> Any:
    xs = _inputs(a)
    if len(xs) != 2:
        raise run.refuse("inputs", f"two inputs are multiplied, and {len(xs)} are given", ("xs",))
    x, y = xs
    pair = sizes(a["axes"], 2)
    if len(pair) != 2:
        raise run.refuse("axes", f"axes must be one axis or two, and is {a['axes']!r}", ("axes",))
    dims = tuple(p + len(v.shape) if isinstance(p, int) and p < 0 else p for p, v in zip(pair, (x, y)))
    return run("batch_dot", x=x, y=y, dims=dims)


@takes(
    Tensor("x", "_ _ _ | _ _"),
    Choice("equation", ("ab,bc->ac", "...a,ab->...b", "abc,cde->abde")),
    Listed("output_shape", shape=True),
    Choice("bias_axes", ("c", "e", "de", "b"), None, optional=True),
)
def einsum_dense(a: dict[str, Any], run: Run) -> Any:
    module: Module = a["_module"]
    kernel, _, shape = einsum_shapes(module, a["x"])
    held = module.parameters["kernel"].shape
    for i, (now, then) in enumerate(zip(kernel, held)):
        run.require("features", eq(now, then), f"axis {i} of the kernel was made as {then!r} and this input needs {now!r}", ("x",))
    return activated(a, run, computed(a, a["x"]).but(shape=shape))


@takes(Int("input_dim", least=1), Int("output_dim", least=1), Tensor("index", "..."))
def embedded(a: dict[str, Any], run: Run) -> Any:
    x: TensorType = a["index"]
    table = a["_module"].parameters["embeddings"]
    return x.but(shape=Shape((*x.shape, table.shape[1])), dtype=computed_in(a["_module"]), contents=None)


@takes(Choice("mode", ("one_hot", "multi_hot", "count"), "multi_hot"), Int("classes", least=1))
def category_encoded(a: dict[str, Any], run: Run) -> Any:
    x: TensorType = a["x"]
    mode = word(run, a, Choice("mode", ("one_hot", "multi_hot", "count")))
    if mode == "one_hot":
        shape = (*x.shape[:-1], a["classes"]) if len(x.shape) > 1 and x.shape[-1] == 1 else (*x.shape, a["classes"])
    else:
        shape = (*x.shape[:-1], a["classes"]) if len(x.shape) else (a["classes"],)
    return computed(a, x).but(shape=Shape(shape))


@takes(Real("scale", least=0.0), Whole("dim", -1, least=-1, most=-1))
def rescaled(a: dict[str, Any], run: Run) -> Any:
    return computed(a, a["x"])


@takes(Whole("dim", -1, least=-1, most=-1))
def softmax(a: dict[str, Any], run: Run) -> Any:
    """Over one axis or several."""
    axes = a["dim"]
    made = computed(a, a["x"])
    for axis in axes if isinstance(axes, (tuple, list)) else (axes,):
        made = run("softmax", x=made, dim=axis)
    return made


@takes(Word("activation", ("relu", "softmax", "tanh", "gelu", "glu", "linear", "swish")))
def activation(a: dict[str, Any], run: Run) -> Any:
    made = activated(a, run, a["x"])
    return (
        made
        if made.dtype is None or made.dtype.is_float or a.get("activation") in ("linear", "relu", None)
        else made.but(dtype=computed_in(a["_module"]))
    )


def prelu(a: dict[str, Any], run: Run) -> Any:
    x: TensorType = a["x"]
    alpha: TensorType = a["_module"].parameters["alpha"]
    if len(x.shape) != len(alpha.shape) + 1 and len(x.shape):
        raise run.refuse("rank", f"the layer was made for inputs of rank {len(alpha.shape) + 1}, and x is {x.shape!r}", ("x",))
    for i, (n, m) in enumerate(zip(x.shape[1:], alpha.shape), 1):
        run.require("weight", True if m == 1 else eq(n, m), f"axis {i} of x is {n!r} and the layer was made for {m!r}", ("x",))
    return computed(a, x)
