"""Keras layers: channels at the end, weights made at the first call, paddings by word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tensorproof.bindings.adapt.numpy_arrays import Listed, Real, Sized, Whole, Word
from tensorproof.bindings.call import Run, takes
from tensorproof.bindings.modules import Module, computed_in
from tensorproof.ops.call import GiveUp, Refused, Session
from tensorproof.ops.inputs import Anything, Bool, Choice, Float, Int, Ints, Sizes, Tensor, Tensors
from tensorproof.ops.record import Requirement
from tensorproof.terms.dtypes import BY_LABEL, FLOAT32, FLOATS, DType
from tensorproof.terms.ints import Dim
from tensorproof.terms.predicates import disj, eq, ge
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

ACTIVATIONS = frozenset(
    ["celu", "elu", "exponential", "gelu", "glu", "hard_shrink", "hard_sigmoid", "hard_silu", "hard_swish", "hard_tanh", "leaky_relu", "linear", "log_sigmoid", "log_softmax", "mish", "relu", "relu6", "selu", "sigmoid", "silu", "soft_shrink", "softmax", "softplus", "softsign", "sparse_plus", "sparse_sigmoid", "sparsemax", "squareplus", "swish", "tanh", "tanh_shrink", "threshold"]
)
FORMAT = Choice("data_format", ("channels_last", "channels_first"), None, optional=True)
PADDING = Choice("padding", ("valid", "same"), "valid")


# --- weights -----------------------------------------------------------------------------------------------------------------


def variable_type(module: Module) -> DType:
    given = module.arguments.get("dtype")
    if isinstance(given, str):
        given = BY_LABEL.get(given, FLOAT32)
    return given if isinstance(given, DType) else FLOAT32


def weight(module: Module, name: str, *shape: Dim) -> None:
    module.parameters[name] = TensorType(Shape(shape), variable_type(module), requires_grad=True)


def state(module: Module, name: str, *shape: Dim) -> None:
    module.buffers[name] = TensorType(Shape(shape), variable_type(module))


def sizes(value: Any, n: int) -> tuple[Dim, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * n


def refused(module: Module, code: str, message: str, about: tuple[str, ...] = ()) -> Refused:
    return Refused(Requirement(f"{module.row.op}/{code}", False, message, about))


def of_rank(module: Module, x: TensorType, *ranks: int) -> Shape:
    """The shape, of one of these ranks."""
    if not x.shape.known:
        raise refused(module, "rank", f"{module.name} needs an input of known rank", ("x",))
    if len(x.shape) not in ranks:
        words = " or ".join(map(str, ranks))
        raise refused(module, "rank", f"{module.name} takes an input of rank {words}, and it is {x.shape!r}", ("x",))
    return x.shape


def at_least(module: Module, x: TensorType, rank: int) -> Shape:
    if x.shape.known and len(x.shape) < rank:
        raise refused(module, "rank", f"{module.name} takes an input of rank {rank} or more, and it is {x.shape!r}", ("x",))
    return x.shape


def channels(module: Module, shape: Shape) -> Dim:
    return shape[1] if module.arguments.get("data_format") == "channels_first" else shape[-1]


def dense_weights(module: Module, names: Mapping[str, Any], session: Session) -> None:
    shape = at_least(module, names["x"], 2)
    weight(module, "kernel", shape[-1], names["units"])
    if names["use_bias"]:
        weight(module, "bias", names["units"])


def conv_weights(module: Module, names: Mapping[str, Any], session: Session) -> None:
    n = int(module.row.op[-2])
    shape = of_rank(module, names["x"], n + 2)
    kernel, c, groups = sizes(names["kernel"], n), channels(module, shape), names["groups"]
    if eq(c % groups, 0) is False:
        raise refused(module, "groups", f"{c!r} channels do not divide into {groups!r} groups", ("x", "groups"))
    weight(module, "kernel", *kernel, c // groups, names["filters"])
    if names["use_bias"]:
        weight(module, "bias", names["filters"])


def transposed_weights(module: Module, names: Mapping[str, Any], session: Session) -> None:
    n = int(module.row.op[-2])
    shape = of_rank(module, names["x"], n + 2)
    weight(module, "kernel", *sizes(names["kernel"], n), names["filters"], channels(module, shape))
    if names["use_bias"]:
        weight(module, "bias", names["filters"])


def depthwise_weights(module: Module, names: Mapping[str, Any], session: Session) -> None:
    n = int(module.row.op[-2])
    c, many = channels(module, of_rank(module, names["x"], n + 2)), names["depth_multiplier"]
    weight(module, "kernel", *sizes(names["kernel"], n), c, many)
    if names["use_bias"]:
        weight(module, "bias", c * many)


def separable_weights(module: Module, names: Mapping[str, Any], session: Session) -> None:
    n = int(module.row.op[-2])
    c, many = channels(module, of_rank(module, names["x"], n + 2)), names["depth_multiplier"]
    weight(module, "depthwise_kernel", *sizes(names["kernel"], n), c, many)
    weight(module, "pointwise_kernel", *(1,) * n, c * many, names["filters"])
    if names["use_bias"]:
        weight(module, "bias", names["filters"])


def _axes(module: Module, shape: Shape, given: Any) -> tuple[int, ...]:
    rank = len(shape)
    found = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    for axis in found:
        if not -rank <= axis < rank:
            raise refused(module, "axis", f"axis {axis} is out of range for an input {shape!r}", ("dim", "x"))
    return tuple(sorted(found)) if isinstance(given, (tuple, list)) else found


def norm_weights(module: Module, names: Mapping[str, Any], session: Session) -> None:
    shape = at_least(module, names["x"], 1)
    wanted = tuple(shape[a] for a in _axes(module, shape, names["dim"]))
    if "scale" not in module.arguments:  # RMSNormalization
        weight(module, "scale", *wanted)
        return
    if names["scale"]:
        weight(module, "gamma", *wanted)
    if names["center"]:
        weight(module, "beta", *wanted)
    if module.name.endswith("BatchNormalization"):
        state(module, "moving_mean", *wanted)
        state(module, "moving_variance", *wanted)
        for name in ("moving_stddev", "renorm_mean", "renorm_stddev") if names["renorm"] else ():
            state(module, name, *wanted)


def prelu_weights(module: Module, names: Mapping[str, Any], session: Session) -> None:
    shape = list(names["x"].shape[1:])
    shared = names["shared_axes"]
    for axis in (shared if isinstance(shared, (tuple, list)) else (shared,)) if shared is not None else ():
        shape[axis - 1] = 1
    weight(module, "alpha", *shape)


GATES = {"SimpleRNN": (1, 1), "LSTM": (4, 2), "GRU": (3, 1)}


def gates(name: str) -> tuple[int, int]:
    """How many gates and how many states a recurrent layer has."""
    return GATES[name.rpartition(".")[2].removesuffix("Cell")]


def recurrent_weights(module: Module, names: Mapping[str, Any], session: Session) -> None:
    cell = module.name.endswith("Cell")
    if cell and names["x"].shape.known and len(names["x"].shape) != 2:
        raise GiveUp(f"{module.name}: an input that is no matrix")
    shape = of_rank(module, names["x"], 2 if cell else 3)
    number, _ = gates(module.name)
    units = names["units"]
    weight(module, "kernel", shape[-1], number * units)
    weight(module, "recurrent_kernel", units, number * units)
    if names["use_bias"]:
        twice = number == 3 and names.get("reset_after", True)
        weight(module, "bias", *((2, number * units) if twice else (number * units,)))


def conv_lstm_weights(module: Module, names: Mapping[str, Any], session: Session) -> None:
    n = int(module.row.op[-2])
    shape = of_rank(module, names["x"], n + 3)
    c = shape[2] if names["data_format"] == "channels_first" else shape[-1]
    kernel, filters = sizes(names["kernel"], n), names["filters"]
    weight(module, "kernel", *kernel, c, 4 * filters)
    weight(module, "recurrent_kernel", *kernel, filters, 4 * filters)
    if names["use_bias"]:
        weight(module, "bias", 4 * filters)


def attention_weights(module: Module, names: Mapping[str, Any], session: Session) -> None:
    """query, key, value and attention_output are dense layers of their own."""
    query, value = of_rank(module, names["query"], *range(2, 9)), of_rank(module, names["value"], *range(2, 9))
    key = value if names["key"] is None else of_rank(module, names["key"], *range(2, 9))
    if "head_dim" in names:
        width, values = names["head_dim"], names["head_dim"]
        query_heads, heads, out = names["query_heads"], names["heads"], (query[-1],)
    else:
        width, query_heads, heads = names["key_dim"], names["heads"], names["heads"]
        values = names["value_dim"] or width
        given = names["output_shape"]
        out = (query[-1],) if given is None else tuple(given) if isinstance(given, (tuple, list)) else (given,)
    for name, source, n, size in (("query", query, query_heads, width), ("key", key, heads, width), ("value", value, heads, values)):
        _heads(module, name, source[-1], n, size)
        if name == "key" and names.get("use_gate"):
            _heads(module, "gate", query[-1], query_heads, values)
    weight(module, "attention_output/kernel", query_heads, values, *out)
    if names["use_bias"]:
        weight(module, "attention_output/bias", *out)


def _heads(module: Module, name: str, features: Dim, heads: Dim, size: Dim) -> None:
    weight(module, f"{name}/kernel", features, heads, size)
    if module.arguments["use_bias"]:
        weight(module, f"{name}/bias", heads, size)


def scale_weights(module: Module, names: Mapping[str, Any], session: Session) -> None:
    additive = module.name.endswith("AdditiveAttention")
    if names["use_scale"]:
        weight(module, "scale", *((names["xs"][0].shape[-1],) if additive else ()))
    if names.get("score") == "concat":
        weight(module, "concat_score_weight")


def einsum_weights(module: Module, names: Mapping[str, Any], session: Session) -> None:
    kernel, bias, _ = _einsum_dense(module, names["x"])
    weight(module, "kernel", *kernel)
    if bias is not None:
        weight(module, "bias", *bias)


# --- what layers compute ----------------------------------------------------------------------------------------------------


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
    made = run("matmul", x=_computed(a, x), y=_computed(a, kernel))
    return activated(a, run, made)


def _computed(a: dict[str, Any], x: TensorType) -> TensorType:
    """In the element type that the layer computes in."""
    return x.but(dtype=computed_in(a["_module"]), contents=None)


def first(run: Run, x: TensorType, a: dict[str, Any], n: int, lead: int = 1) -> TensorType:
    """Channels right behind the batch."""
    if word(run, a, FORMAT) == "channels_first":
        return x
    return run("permute", x=x, dim=(*range(lead), lead + n, *range(lead, lead + n)))


def last(run: Run, x: TensorType, a: dict[str, Any], n: int, lead: int = 1) -> TensorType:
    """Back to where the layer has its channels."""
    if a.get("data_format") == "channels_first":
        return x
    return run("permute", x=x, dim=(*range(lead), *range(lead + 1, lead + 1 + n), lead))


def _reach(a: dict[str, Any], n: int) -> dict[str, Any]:
    """The paddings of a word."""
    padding = a["padding"].lower() if isinstance(a["padding"], str) else a["padding"]
    if padding == "causal":
        (k,), (d,) = sizes(a["_module"].arguments["kernel"], 1), sizes(a["dilation"], 1)
        return {"padding": (d * (k - 1),), "padding_end": (0,)}
    return {"padding": "same" if padding == "same" else 0}


def _words(run: Run, a: dict[str, Any], n: int, causal: bool = True) -> None:
    allowed = ("valid", "same", "causal") if n == 1 and causal else ("valid", "same")
    word(run, {"padding": a["padding"].lower() if isinstance(a["padding"], str) else a["padding"]}, Choice("padding", allowed))


_CONV = (
    Choice("padding", ("valid", "same"), "valid"), FORMAT, Int("filters", least=1), Sizes("kernel", 2, least=1), Int("groups", 1, least=1), Bool("use_bias", True),
    Int("depth_multiplier", 1, least=1),
)  # fmt: skip


@takes(*_CONV)
def conv(a: dict[str, Any], run: Run) -> Any:
    n = int(run.row.op[-2])
    module: Module = a["_module"]
    kernel = module.parameters["kernel"]
    of_rank(module, a["x"], n + 2)
    _words(run, a, n)
    x = first(run, a["x"], a, n)
    turned = run("permute", x=kernel, dim=(n + 1, n, *range(n)))
    made = run(run.row.op, x=x, weight=_computed(a, turned), stride=a["stride"], dilation=a["dilation"], groups=a["groups"], **_reach(a, n))
    return activated(a, run, last(run, made, a, n))


_CAUSAL = (Choice("padding", ("valid", "same", "causal"), "valid"), *_CONV[1:])


@takes(*_CAUSAL)
def conv1(a: dict[str, Any], run: Run) -> Any:
    """Over one axis a convolution may be causal."""
    return conv(a, run)


@takes(*_CONV)
def depthwise(a: dict[str, Any], run: Run) -> Any:
    n = int(run.row.op[-2])
    module: Module = a["_module"]
    of_rank(module, a["x"], n + 2)
    _words(run, a, n, causal=False)
    made = _depthwise(a, run, n, first(run, a["x"], a, n), module.parameters["kernel"])
    return activated(a, run, last(run, made, a, n))


def _depthwise(a: dict[str, Any], run: Run, n: int, x: TensorType, kernel: TensorType) -> TensorType:
    *k, c, many = kernel.shape
    flat = _computed(a, kernel).but(shape=Shape((c * many, 1, *k)))
    run.require("channels", eq(x.shape[1], c), f"the layer was made for {c!r} channels and x has {x.shape[1]!r}", ("x",))
    return run(run.row.op, x=x, weight=flat, stride=a["stride"], dilation=a["dilation"], groups=c, **_reach(a, n))


@takes(*_CONV)
def separable(a: dict[str, Any], run: Run) -> Any:
    n = int(run.row.op[-2])
    module: Module = a["_module"]
    of_rank(module, a["x"], n + 2)
    _words(run, a, n, causal=False)
    made = _depthwise(a, run, n, first(run, a["x"], a, n), module.parameters["depthwise_kernel"])
    point = _computed(a, run("permute", x=module.parameters["pointwise_kernel"], dim=(n + 1, n, *range(n))))
    made = run(run.row.op, x=made, weight=point)
    return activated(a, run, last(run, made, a, n))


@takes(*_CONV, Sizes("output_padding", 2, None, least=0, optional=True))
def transposed(a: dict[str, Any], run: Run) -> Any:
    """"same" gives size · stride, "valid" at least the kernel's reach more; `output_padding` is added."""
    n = int(run.row.op[-2])
    module: Module = a["_module"]
    of_rank(module, a["x"], n + 2)
    _words(run, a, n, causal=False)
    x = first(run, a["x"], a, n)
    kernel = module.parameters["kernel"]
    run.require("channels", eq(x.shape[1], kernel.shape[-1]), f"the layer was made for {kernel.shape[-1]!r} channels and x has {x.shape[1]!r}", ("x",))
    extra = a["output_padding"]
    if isinstance(extra, (tuple, list)) and len(extra) != n:
        raise run.refuse("output_padding", f"output_padding must be one whole number or {n}, and is {extra!r}", ("output_padding",))
    wanted: list[Dim] = []
    from tensorproof.terms.ints import maximum

    for i, (size, k, s, d) in enumerate(zip(x.shape[2:], kernel.shape[:n], sizes(a["stride"], n), sizes(a["dilation"], n), strict=True)):
        reach, more = d * (k - 1) + 1, None if extra is None else sizes(extra, n)[i]
        if more is not None:
            run.require("output_padding", ge(s, more + 1), f"output_padding {more!r} must be less than the stride {s!r}", ("output_padding", "stride"))
        if a["padding"].lower() == "same":
            wanted.append(size * s if more is None else (size - 1) * s + reach % 2 + more)
        else:
            wanted.append((size - 1) * s + (maximum(reach, s) if more is None else reach + more))
    made = _computed(a, x).but(shape=Shape((x.shape[0], kernel.shape[-2], *wanted)))
    return activated(a, run, last(run, made, a, n))


@takes(Sizes("kernel", 2, least=1), PADDING, FORMAT, Sizes("stride", 2, None, least=1, optional=True))
def pool(a: dict[str, Any], run: Run) -> Any:
    n = int(run.row.op[-2])
    of_rank(a["_module"], a["x"], n + 2)
    _words(run, a, n, causal=False)
    stride = a["stride"] if a["stride"] is not None else a["kernel"]
    padding = "same" if a["padding"].lower() == "same" else 0
    made = run(run.row.op, x=first(run, a["x"], a, n), kernel=_listed(a["kernel"]), stride=_listed(stride), padding=padding)
    return last(run, made, a, n)


def _listed(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@takes(FORMAT, Bool("keepdim", False))
def global_pool(a: dict[str, Any], run: Run) -> Any:
    n = int(run.row.name[-2])
    of_rank(a["_module"], a["x"], n + 2)
    begin = 2 if word(run, a, FORMAT) == "channels_first" else 1
    return run(run.row.op, x=a["x"], dim=tuple(range(begin, begin + n)), keepdim=a["keepdim"])


@takes(FORMAT, Sizes("output_size", 2, least=1))
def adaptive_pool(a: dict[str, Any], run: Run) -> Any:
    n = int(run.row.op[-2])
    of_rank(a["_module"], a["x"], n + 2)
    made = run(run.row.op, x=first(run, a["x"], a, n), output_size=_listed(a["output_size"]))
    return last(run, made, a, n)


def axis_norm(a: dict[str, Any], run: Run) -> Any:
    module: Module = a["_module"]
    x: TensorType = a["x"]
    held = module.state()
    axes = _axes(module, x.shape, a["dim"]) if x.shape.known else a["dim"]
    made = run("axis_norm", x=_computed(a, x), dim=axes, gamma=held.get("gamma") or held.get("scale"), beta=held.get("beta"), mean=held.get("moving_mean"))
    return made.but(dtype=computed_in(module))


def group_norm(a: dict[str, Any], run: Run) -> Any:
    x: TensorType = a["x"]
    held = a["_module"].state()
    groups = x.shape[a["dim"]] if a["groups"] == -1 else a["groups"]
    if len(x.shape) < 2:
        raise run.give_up("an input without a batch axis")
    return run("axis_group_norm", x=_computed(a, x), groups=groups, dim=a["dim"], gamma=held.get("gamma"), beta=held.get("beta"))


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


@takes(Real("factor", least=0.0, most=1.0), Real("height_factor", least=0.0, most=1.0), Real("width_factor", least=0.0, most=1.0))
def augmented(a: dict[str, Any], run: Run) -> Any:
    of_rank(a["_module"], a["x"], 3, 4)
    if run.row.name.endswith("Brightness") and a["x"].dtype is not None and not a["x"].dtype.is_float:
        return a["x"].but(dtype=None, contents=None)  # eager keeps whole numbers, symbolic says float32
    return _computed(a, a["x"])


# --- shapes ------------------------------------------------------------------------------------------------------------------


def _pairs(value: Any, n: int) -> list[tuple[Dim, Dim]]:
    """3, (1, 2) or ((1, 1), (2, 2)): what is added or cut before and after each of `n` axes."""
    if not isinstance(value, (tuple, list)):
        return [(value, value)] * n
    if n == 1:
        return [(value[0], value[1])]
    return [(v[0], v[1]) if isinstance(v, (tuple, list)) else (v, v) for v in value]


def _framed(a: dict[str, Any], run: Run, n: int, value: Any) -> tuple[tuple[Dim, ...], tuple[Dim, ...]]:
    pairs = _pairs(value, n)
    if len(pairs) != n:
        raise run.refuse("padding", f"{n} axes need {n} numbers or pairs, and {value!r} is given", ("padding",))
    begin = 2 if word(run, a, FORMAT) == "channels_first" else 1
    lead, after = ((0, 0),) * begin, ((0, 0),) * (2 - begin)
    whole = [*lead, *pairs, *after]
    for low, high in whole:
        run.require("padding", ge(low, 0), f"a number of elements cannot be negative, and is {low!r}", ("padding",))
        run.require("padding", ge(high, 0), f"a number of elements cannot be negative, and is {high!r}", ("padding",))
    return tuple(p[0] for p in whole), tuple(p[1] for p in whole)


@takes(FORMAT, Sized("cropping", 2, 1, least=0))
def cropped(a: dict[str, Any], run: Run) -> Any:
    n = int(run.row.name[-2])
    of_rank(a["_module"], a["x"], n + 2)
    before, after = _framed(a, run, n, a["cropping"])
    begin = 2 if a.get("data_format") == "channels_first" else 1
    for size in a["x"].shape[begin : begin + n]:
        run.require("size", ge(size, 1), "nothing can be cropped from an empty axis", ("x",))
    return run("crop", x=a["x"], before=before, after=after)


@takes(FORMAT, Sized("padding", 2, 1, least=0))
def padded(a: dict[str, Any], run: Run) -> Any:
    n = int(run.row.name[-2])
    x = a["x"]
    of_rank(a["_module"], x, n + 2)
    before, after = _framed(a, run, n, a["padding"])
    return x.but(shape=Shape(s + b + e for s, b, e in zip(x.shape, before, after)), contents=None)


@takes(FORMAT, Sizes("factors", 2, 2, least=1), Choice("interpolation", ("nearest", "bilinear", "bicubic", "lanczos3", "lanczos5"), "nearest"))
def upsampled(a: dict[str, Any], run: Run) -> Any:
    n = int(run.row.name[-2])
    of_rank(a["_module"], a["x"], n + 2)
    begin = 2 if word(run, a, FORMAT) == "channels_first" else 1
    given = sizes(a["factors"], n)
    if len(given) != n:
        raise run.refuse("factors", f"size must be one whole number or {n}, and is {a['factors']!r}", ("factors",))
    word(run, a, Choice("interpolation", ("nearest", "bilinear", "bicubic", "lanczos3", "lanczos5")))
    return run("repeat_axes", x=a["x"], factors=(*(1,) * begin, *given, *(1,) * (2 - begin)))


@takes(FORMAT)
def flattened(a: dict[str, Any], run: Run) -> Any:
    x: TensorType = a["x"]
    word(run, a, FORMAT)
    if not x.shape.known:
        raise run.give_up("the rank is not known")
    at_least(a["_module"], x, 1)
    if len(x.shape) < 2:
        return x.but(shape=Shape((*x.shape, 1)))
    return run("flatten", x=x, start=1, end=-1)


@takes(Listed("size", shape=True))
def reshaped(a: dict[str, Any], run: Run) -> Any:
    """The batch stays; -1 is what is left of the others."""
    x: TensorType = a["x"]
    at_least(a["_module"], x, 1)
    target = sizes(a["size"], 1)
    one = x.but(shape=Shape(x.shape[1:]), contents=None)
    made = run("reshape", x=one, size=target)
    return made.but(shape=Shape((x.shape[0], *made.shape)))


@takes(Ints("dims"))
def permuted(a: dict[str, Any], run: Run) -> Any:
    dims = tuple(a["dims"])
    if sorted(dims) != list(range(1, len(dims) + 1)):
        raise run.refuse("dims", f"dims must be a permutation of 1 to {len(dims)}, and is {dims!r}", ("dims",))
    of_rank(a["_module"], a["x"], len(dims) + 1)
    return run("permute", x=a["x"], dim=(0, *dims))


@takes(Int("n", least=1))
def repeated(a: dict[str, Any], run: Run) -> Any:
    x = a["x"]
    of_rank(a["_module"], x, 2)
    return x.but(shape=Shape((x.shape[0], a["n"], x.shape[1])), contents=None)


# --- several inputs -------------------------------------------------------------------------------------------------------


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
    dims = tuple(p + len(v.shape) if p < 0 else p for p, v in zip(pair, (x, y)))
    return run("batch_dot", x=x, y=y, dims=dims)


# --- time and attention ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class States(Tensors):
    """A list of states, or one."""

    def takes(self, value: Any) -> bool:
        return True

    def read(self, value: Any) -> Any:
        return value


_STATES = Anything("states")
_CELL_STATES = States("states", "N units", FLOATS)


@takes(Int("units", least=1), _STATES, Bool("use_bias", True), Bool("reset_after", True))
def recurrent(a: dict[str, Any], run: Run) -> Any:
    module: Module = a["_module"]
    number, count = gates(module.name)
    held = module.parameters
    of_rank(module, a["x"], 3)
    states = a.get("states")
    if isinstance(states, TensorType):
        states = (states,)
    made = run(
        "recurrent_layer", x=_computed(a, a["x"]), kernel=_computed(a, held["kernel"]), recurrent_kernel=_computed(a, held["recurrent_kernel"]),
        gates=number, count=count, return_sequences=a["return_sequences"], return_state=a["return_state"],
        states=None if states is None else tuple(_computed(a, s) for s in states),
    )  # fmt: skip
    return made if a["return_state"] else made[0]


@takes(Int("units", least=1), _CELL_STATES, Bool("use_bias", True), Bool("reset_after", True), Tensor("x", "N C"))
def recurrent_cell(a: dict[str, Any], run: Run) -> Any:
    module: Module = a["_module"]
    number, count = gates(module.name)
    held = module.parameters
    states = a["states"]
    alone = isinstance(states, TensorType)
    given = (states,) if alone else tuple(states)
    made = run(
        "recurrent_cell", x=_computed(a, a["x"]), kernel=_computed(a, held["kernel"]), recurrent_kernel=_computed(a, held["recurrent_kernel"]),
        gates=number, count=count, states=tuple(_computed(a, s) for s in given),
    )  # fmt: skip
    return (made[0], made[1] if alone else list(made[1:]))


@takes(Int("filters", least=1), Sizes("kernel", 2, least=1), PADDING, FORMAT, Tensor("x", "..."), _STATES, Bool("return_sequences", False), Bool("return_state", False))
def conv_lstm(a: dict[str, Any], run: Run) -> Any:
    n = int(run.row.op[-2])
    module: Module = a["_module"]
    shape = of_rank(module, a["x"], n + 3)
    _words(run, a, n, causal=False)
    step = a["x"].but(shape=Shape((shape[0], *shape[2:])), contents=None)
    turned = run("permute", x=module.parameters["kernel"], dim=(n + 1, n, *range(n)))
    made = run(
        run.row.op, x=first(run, step, a, n), weight=_computed(a, turned), stride=a["stride"], dilation=a["dilation"], **_reach(a, n)
    )
    made = made.but(shape=Shape((made.shape[0], a["filters"], *made.shape[2:])))
    made = last(run, made, a, n)
    out = made.but(shape=Shape((made.shape[0], shape[1], *made.shape[1:]))) if a["return_sequences"] else made
    return (out, made, made) if a["return_state"] else out


@takes(Tensors("xs", least=2), Choice("score", ("dot", "concat"), "dot"), Bool("return_scores", False))
def attention(a: dict[str, Any], run: Run) -> Any:
    xs = tuple(a["xs"])
    if len(xs) not in (2, 3):
        raise run.refuse("inputs", f"query, value and perhaps key are wanted, and {len(xs)} inputs are given", ("xs",))
    score = a.get("score", "concat")
    key = xs[2] if len(xs) == 3 else None
    return run("dot_attention", query=xs[0], value=xs[1], key=key, score=score, return_scores=bool(a.get("return_scores")))


_Q = (Tensor("query", "N T C"), Tensor("value", "N S D"), Tensor("key", "N S E", optional=True, default=None))


@takes(*_Q, Int("heads", least=1), Int("key_dim", least=1), Int("value_dim", None, least=1, optional=True), Bool("return_scores", False))
def multi_head(a: dict[str, Any], run: Run) -> Any:
    module: Module = a["_module"]
    query, value = a["query"], a["value"]
    key = value if a["key"] is None else a["key"]
    held = module.parameters
    if a.get("attention_axes") is not None:
        raise run.give_up("attention_axes is not modelled")
    for name, x in (("query", query), ("key", key), ("value", value)):
        kernel = held[f"{name}/kernel"]
        run.require("features", eq(x.shape[-1], kernel.shape[0]), f"the layer was made for {kernel.shape[0]!r} features of {name} and it has {x.shape[-1]!r}", (name,))
    if not len(query.shape) == len(value.shape) == len(key.shape) == 3:
        if len(query.shape) < 3 or len(value.shape) < 3 or len(key.shape) < 3:
            raise run.refuse("rank", f"query, value and key have a batch axis, steps and features, and are {query.shape!r}, {value.shape!r} and {key.shape!r}", ("query",))
        raise run.give_up("attention over more than one axis is not modelled")
    for code, i, about in (("batch", 0, "query"), ("length", 1, "value")):
        other = value if i else query
        run.require(code, eq(key.shape[i], other.shape[i]), f"axis {i} of key is {key.shape[i]!r} and of {about} {other.shape[i]!r}", ("key", about))
    run.require("batch", eq(value.shape[0], query.shape[0]), f"the batches of query and value have {query.shape[0]!r} and {value.shape[0]!r} elements", ("query", "value"))
    out = held["attention_output/kernel"].shape
    made = _computed(a, query).but(shape=Shape((query.shape[0], query.shape[1], *out[2:])))
    scores = made.but(shape=Shape((query.shape[0], out[0], query.shape[1], key.shape[1])))
    return (made, scores) if a.get("return_scores") else made


def wrapped(a: dict[str, Any], run: Run) -> Any:
    """TimeDistributed: the layer inside sees one step."""
    from tensorproof.bindings.call import call_module

    inner, x = a["layer"], a["x"]
    if not isinstance(inner, Module) or not x.shape.known:
        raise run.give_up("the layer inside is not known")
    if len(x.shape) < 3:
        raise run.refuse("rank", f"an input has a batch axis, steps and features, and it is {x.shape!r}", ("x",))
    step = x.but(shape=Shape((x.shape[0], *x.shape[2:])), contents=None)
    made = _inside(call_module(inner, (step,), None, run.session))
    a["_module"].parameters.update(inner.parameters)
    a["_module"].buffers.update(inner.buffers)
    return made.but(shape=Shape((made.shape[0], x.shape[1], *made.shape[1:])))


def _inside(outcome: Any) -> Any:
    if outcome.refused is not None:
        raise Refused(outcome.refused)
    if outcome.unknown is not None:
        raise GiveUp(outcome.unknown)
    return outcome.outputs


@takes(_STATES)
def bidirectional(a: dict[str, Any], run: Run) -> Any:
    """The layer inside runs both ways; the outputs are merged, the states follow each other."""
    from tensorproof.bindings.call import call_module

    inner, mode = a["layer"], a["merge_mode"]
    if not isinstance(inner, Module):
        raise run.give_up("the layer inside is not known")
    word(run, a, Choice("merge_mode", ("sum", "mul", "concat", "ave", None)))
    made = _inside(call_module(inner, (a["x"],), None, run.session))
    for way in ("forward", "backward"):
        a["_module"].parameters.update({f"{way}/{name}": held for name, held in inner.parameters.items()})
    outs, states = (made[0], list(made[1:])) if isinstance(made, (tuple, list)) else (made, [])
    joined: list[Any] = [outs, outs] if mode is None else [run("cat", xs=(outs, outs), dim=-1) if mode == "concat" else outs]
    whole = [*joined, *states, *states]
    return tuple(whole) if len(whole) > 1 else whole[0]


def _einsum_dense(module: Module, x: TensorType) -> tuple[tuple[Dim, ...], tuple[Dim, ...] | None, Shape]:
    """The shapes of kernel, bias and output that an equation such as "abc,cd->abd" asks for."""
    equation: Any = module.arguments["equation"]
    given: Any = module.arguments["output_shape"]
    left, arrow, out = equation.replace(" ", "").partition("->")
    inputs, comma, kernel = left.partition(",")
    if not arrow or not comma:
        raise refused(module, "equation", f"an equation reads like 'ab,bc->ac', and is {equation!r}", ("equation",))
    wanted = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    dots = inputs.startswith("...") or out.startswith("..."), inputs.endswith("...") or out.endswith("...")
    inputs, out = inputs.replace("...", ""), out.replace("...", "")
    shape = list(x.shape)
    if len(shape) < len(inputs) or (not any(dots) and len(shape) != len(inputs)):
        raise refused(module, "rank", f"the equation {equation!r} does not fit an input {x.shape!r}", ("x", "equation"))
    extra = len(shape) - len(inputs)
    lead, tail = (shape[:extra], []) if dots[0] else ([], shape[len(inputs) :]) if dots[1] else ([], [])
    named = dict(zip(inputs, shape[extra:] if dots[0] else shape[: len(inputs)]))
    if any(dots):
        full = ([None] * (len(out) + extra) + list(wanted))[-(len(out) + extra) :]
    else:
        full = [None, *wanted]
        if len(full) < len(out):
            raise refused(module, "output_shape", f"output_shape {given!r} tells too few axes of {out!r}", ("output_shape",))
    for n in wanted:
        if n is not None and ge(n, 0) is False:
            raise refused(module, "output_shape", f"a size cannot be negative, and output_shape is {given!r}", ("output_shape",))
    made: list[Dim] = []
    for i, letter in enumerate(out):
        told = full[i + (extra if dots[0] else 0)]
        if letter in named:
            if told is not None and eq(told, named[letter]) is False:
                raise refused(module, "output_shape", f"axis {letter!r} is {named[letter]!r} in x and {told!r} in output_shape {given!r}", ("x",))
        elif told is None:
            raise refused(module, "output_shape", f"output_shape {given!r} must tell the size of axis {letter!r}", ("output_shape",))
        else:
            named[letter] = told
        made.append(named[letter])
    axes: Any = module.arguments["bias_axes"]
    missing = [c for c in kernel if c not in named]
    if missing:
        raise refused(module, "equation", f"axis {missing[0]!r} of the kernel is neither in the input nor in the output of {equation!r}", ("equation",))
    bias = None
    for letter in axes or "":
        if letter not in out:
            raise refused(module, "bias_axes", f"axis {letter!r} of bias_axes is not in the output of {equation!r}", ("bias_axes",))
    if axes:
        at = [out.index(c) for c in axes if c in out]
        bias = tuple(named[c] if c in axes else 1 for c in out[min(at) :]) if at else None
    return tuple(named[c] for c in kernel), bias, Shape((*lead, *made, *tail))


@takes(Tensor("x", "_ _ _ | _ _"), Choice("equation", ("ab,bc->ac", "...a,ab->...b", "abc,cde->abde")), Listed("output_shape", shape=True), Choice("bias_axes", ("c", "e", "de", "b"), None, optional=True))
def einsum_dense(a: dict[str, Any], run: Run) -> Any:
    module: Module = a["_module"]
    kernel, _, shape = _einsum_dense(module, a["x"])
    held = module.parameters["kernel"].shape
    for i, (now, then) in enumerate(zip(kernel, held)):
        run.require("features", eq(now, then), f"axis {i} of the kernel was made as {then!r} and this input needs {now!r}", ("x",))
    return activated(a, run, _computed(a, a["x"]).but(shape=shape))


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
    return _computed(a, x).but(shape=Shape(shape))


@takes(FORMAT, Int("height", least=1), Int("width", least=1))
def resized(a: dict[str, Any], run: Run) -> Any:
    x: TensorType = a["x"]
    of_rank(a["_module"], x, 3, 4)
    end = word(run, a, FORMAT) == "channels_first"
    made = run("resize_image", x=x, size=(a["height"], a["width"]), axis=len(x.shape) - 2 if end else len(x.shape) - 3)
    erratic = run.row.name.endswith("Resizing") and x.dtype is not None and not x.dtype.is_float  # eager keeps it, symbolic says float32
    return made.but(dtype=None if erratic else computed_in(a["_module"]))


@takes(Real("scale", least=0.0))
def rescaled(a: dict[str, Any], run: Run) -> Any:
    return _computed(a, a["x"])


@takes(Whole("dim", -1, least=-1, most=-1))
def softmax(a: dict[str, Any], run: Run) -> Any:
    """Over one axis or several."""
    axes = a["dim"]
    made = _computed(a, a["x"])
    for axis in axes if isinstance(axes, (tuple, list)) else (axes,):
        made = run("softmax", x=made, dim=axis)
    return made


@takes(Word("activation", ("relu", "softmax", "tanh", "gelu", "glu", "linear", "swish")))
def activation(a: dict[str, Any], run: Run) -> Any:
    made = activated(a, run, a["x"])
    return made if made.dtype is None or made.dtype.is_float or a.get("activation") in ("linear", "relu", None) else made.but(dtype=computed_in(a["_module"]))


def prelu(a: dict[str, Any], run: Run) -> Any:
    x: TensorType = a["x"]
    alpha: TensorType = a["_module"].parameters["alpha"]
    if len(x.shape) != len(alpha.shape) + 1 and len(x.shape):
        raise run.refuse("rank", f"the layer was made for inputs of rank {len(alpha.shape) + 1}, and x is {x.shape!r}", ("x",))
    for i, (n, m) in enumerate(zip(x.shape[1:], alpha.shape), 1):
        run.require("weight", True if m == 1 else eq(n, m), f"axis {i} of x is {n!r} and the layer was made for {m!r}", ("x",))
    return _computed(a, x)


@takes(*_Q, Int("heads", least=1), Int("query_heads", least=1), Int("head_dim", least=1), Bool("return_scores", False))
def grouped(a: dict[str, Any], run: Run) -> Any:
    """As multi-head attention; every head of key and value serves several of the query."""
    query, value = a["query"], a["value"]
    run.require("features", eq(query.shape[-1], value.shape[-1]), f"query has {query.shape[-1]!r} features and value {value.shape[-1]!r}", ("query", "value"))
    return multi_head(a, run)


@takes(Real("factor", least=0.0, most=1.0), Tensor("x", "N H W 3 | H W 3"))
def coloured(a: dict[str, Any], run: Run) -> Any:
    """Works on red, green and blue (or on gray)."""
    x: TensorType = a["x"]
    of_rank(a["_module"], x, 3, 4)
    c = x.shape[-3] if word(run, a, FORMAT) == "channels_first" else x.shape[-1]
    run.require("channels", disj(eq(c, 3), eq(c, 1)), f"an image has 3 channels, or 1, and this one has {c!r}", ("x",))
    return x.but(contents=None) if run.row.name.endswith("Grayscale") else _computed(a, x)


@takes(Whole("factor", least=1, most=8))
def posterised(a: dict[str, Any], run: Run) -> Any:
    return augmented(a, run)
