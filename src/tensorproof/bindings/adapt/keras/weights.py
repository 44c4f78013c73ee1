"""The weights that Keras layers make at their first call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tensorproof.bindings.adapters import GiveUp, Module, Refused, Requirement, Session, Value, tensor_in
from tensorproof.terms import BY_LABEL, FLOAT32, INT32, Dim, DType, Shape, TensorType, eq, ge


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
        raise refused(module, "rank", f"{module.name} takes an input with {words} dimensions, it has {len(x.shape)}: {x.shape!r}", ("x",))
    return x.shape


def at_least(module: Module, x: TensorType, rank: int) -> Shape:
    if x.shape.known and len(x.shape) < rank:
        raise refused(module, "rank", f"{module.name} takes an input with {rank} or more dimensions, it has {len(x.shape)}: {x.shape!r}", ("x",))
    return x.shape


def channels(module: Module, shape: Shape) -> Dim:
    made: Dim = shape[1] if module.arguments.get("data_format") == "channels_first" else shape[-1]
    return made


def _with_bias(module: Module, names: Mapping[str, Any], bias: Dim, *kernel: Dim) -> None:
    """A kernel, and a bias of this size where the layer has one."""
    weight(module, "kernel", *kernel)
    if names["use_bias"]:
        weight(module, "bias", bias)


def _window(module: Module, names: Mapping[str, Any]) -> tuple[tuple[Dim, ...], Dim]:
    """The sizes of the windows of a convolution, and the channels of its input."""
    n = int(module.row.op[-2])
    return sizes(names["kernel"], n), channels(module, of_rank(module, tensor_in(names, "x"), n + 2))


def dense_weights(module: Module, names: Mapping[str, Any], session: Session) -> None:
    _with_bias(module, names, names["units"], at_least(module, tensor_in(names, "x"), 2)[-1], names["units"])


def conv_weights(module: Module, names: Mapping[str, Any], session: Session) -> None:
    (kernel, c), groups, filters = _window(module, names), names["groups"], names["filters"]
    if eq(c % groups, 0) is False:
        raise refused(module, "groups", f"{c!r} channels do not divide into {groups!r} groups", ("x", "groups"))
    _with_bias(module, names, filters, *kernel, c // groups, filters)


def transposed_weights(module: Module, names: Mapping[str, Any], session: Session) -> None:
    kernel, c = _window(module, names)
    _with_bias(module, names, names["filters"], *kernel, names["filters"], c)


def depthwise_weights(module: Module, names: Mapping[str, Any], session: Session) -> None:
    (kernel, c), many = _window(module, names), names["depth_multiplier"]
    _with_bias(module, names, c * many, *kernel, c, many)


def separable_weights(module: Module, names: Mapping[str, Any], session: Session) -> None:
    (kernel, c), many, filters = _window(module, names), names["depth_multiplier"], names["filters"]
    weight(module, "depthwise_kernel", *kernel, c, many)
    weight(module, "pointwise_kernel", *(1,) * len(kernel), c * many, filters)
    if names["use_bias"]:
        weight(module, "bias", filters)


def named_axes(module: Module, shape: Shape, given: Value) -> tuple[int, ...]:
    rank = len(shape)
    found = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    for axis in found:
        if not -rank <= axis < rank:
            raise refused(module, "axis", f"axis {axis} is out of range for an input {shape!r}", ("dim", "x"))
    return tuple(sorted(found)) if isinstance(given, (tuple, list)) else found


def norm_weights(module: Module, names: Mapping[str, Any], session: Session) -> None:
    shape = at_least(module, tensor_in(names, "x"), 1)
    wanted = tuple(shape[a] for a in named_axes(module, shape, names["dim"]))
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
    shape = list(tensor_in(names, "x").shape[1:])
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
    if cell and (given := tensor_in(names, "x").shape).known and len(given) != 2:
        raise GiveUp(f"{module.name}: an input that is not a matrix")
    shape = of_rank(module, tensor_in(names, "x"), 2 if cell else 3)
    number, _ = gates(module.name)
    units = names["units"]
    weight(module, "kernel", shape[-1], number * units)
    weight(module, "recurrent_kernel", units, number * units)
    if names["use_bias"]:
        twice = number == 3 and names.get("reset_after", True)
        weight(module, "bias", *((2, number * units) if twice else (number * units,)))


def conv_lstm_weights(module: Module, names: Mapping[str, Any], session: Session) -> None:
    n = int(module.row.op[-2])
    shape = of_rank(module, tensor_in(names, "x"), n + 3)
    c = shape[2] if names["data_format"] == "channels_first" else shape[-1]
    filters: Dim = names["filters"]
    kernel = sizes(names["kernel"], n)
    weight(module, "kernel", *kernel, c, 4 * filters)
    weight(module, "recurrent_kernel", *kernel, filters, 4 * filters)
    if names["use_bias"]:
        weight(module, "bias", 4 * filters)


def attention_weights(module: Module, names: Mapping[str, Any], session: Session) -> None:
    """query, key, value and attention_output are dense layers of their own."""
    width: Dim
    values: Dim
    heads: Dim
    query_heads: Dim
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
    kernel, bias, _ = einsum_shapes(module, tensor_in(names, "x"))
    weight(module, "kernel", *kernel)
    if bias is not None:
        weight(module, "bias", *bias)


def einsum_shapes(module: Module, x: TensorType) -> tuple[tuple[Dim, ...], tuple[Dim, ...] | None, Shape]:
    """The shapes of kernel, bias and output that an equation such as "abc,cd->abd" asks for."""
    equation: str = module.arguments["equation"]
    left, arrow, out = equation.replace(" ", "").partition("->")
    inputs, comma, kernel = left.partition(",")
    if not arrow or not comma:
        raise refused(module, "equation", f"an equation reads like 'ab,bc->ac', and is {equation!r}", ("equation",))
    dots = inputs.startswith("...") or out.startswith("..."), inputs.endswith("...") or out.endswith("...")
    inputs, out = inputs.replace("...", ""), out.replace("...", "")
    shape = list(x.shape)
    if len(shape) < len(inputs) or (not any(dots) and len(shape) != len(inputs)):
        raise refused(module, "rank", f"the equation {equation!r} does not fit an input {x.shape!r}", ("x", "equation"))
    extra = len(shape) - len(inputs)
    lead, tail = (shape[:extra], []) if dots[0] else ([], shape[len(inputs) :]) if dots[1] else ([], [])
    named = dict(zip(inputs, shape[extra:] if dots[0] else shape[: len(inputs)]))
    given = _output_sizes(module, out, extra if any(dots) else None)
    made = _output_axes(module, out, given[extra if dots[0] else 0 :], named)
    missing = [c for c in kernel if c not in named]
    if missing:
        message = f"axis {missing[0]!r} of the kernel is neither in the input nor in the output of {equation!r}"
        raise refused(module, "equation", message, ("equation",))
    return tuple(named[c] for c in kernel), _bias_shape(module, out, named), Shape((*lead, *made, *tail))


def _output_sizes(module: Module, out: str, extra: int | None) -> list[Any]:
    """What output_shape says of each axis of the output, None where it says nothing; `extra`: how many axes an ellipsis stands for."""
    given: Value = module.arguments["output_shape"]
    wanted = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    if extra is not None:
        full = ([None] * (len(out) + extra) + list(wanted))[-(len(out) + extra) :]
    else:
        full = [None, *wanted]
        if len(full) < len(out):
            raise refused(module, "output_shape", f"output_shape {given!r} gives too few axes of {out!r}", ("output_shape",))
    if any(n is not None and ge(n, 0) is False for n in wanted):
        raise refused(module, "output_shape", f"a size cannot be negative, and output_shape is {given!r}", ("output_shape",))
    return full


def _output_axes(module: Module, out: str, given: list[Any], named: dict[str, Dim]) -> list[Dim]:
    """The sizes of the output's named axes; those that the input does not have are added to `named`."""
    shown: Value = module.arguments["output_shape"]
    for letter, size in zip(out, given):
        if letter in named:
            if size is not None and eq(size, named[letter]) is False:
                raise refused(module, "output_shape", f"axis {letter!r} is {named[letter]!r} in x and {size!r} in output_shape {shown!r}", ("x",))
        elif size is None:
            raise refused(module, "output_shape", f"output_shape {shown!r} must give the size of axis {letter!r}", ("output_shape",))
        else:
            named[letter] = size
    return [named[letter] for letter in out]


def _bias_shape(module: Module, out: str, named: dict[str, Dim]) -> tuple[Dim, ...] | None:
    """The shape of the bias: from the first of its axes on, 1 where it has none."""
    axes: str | None = module.arguments["bias_axes"]
    for letter in axes or "":
        if letter not in out:
            message = f"axis {letter!r} of bias_axes is not in the output of {module.arguments['equation']!r}"
            raise refused(module, "bias_axes", message, ("bias_axes",))
    if not axes:
        return None
    return tuple(named[c] if c in axes else 1 for c in out[min(out.index(c) for c in axes) :])


def normalization_weights(module: Module, names: Mapping[str, Any], session: Session) -> None:
    """Normalization keeps its statistics as weights, unless they are given."""
    if names["mean"] is None and names["variance"] is None:
        shape = at_least(module, tensor_in(names, "x"), 1)
        axis = names["dim"]
        wanted = () if axis is None else tuple(shape[a] for a in named_axes(module, shape, axis))
        state(module, "mean", *wanted)
        state(module, "variance", *wanted)
        module.buffers["count"] = TensorType(Shape(), INT32)
