"""Normalisations of Keras, as layers and as functions: the axes that they name are brought where the general operator has its own."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.keras.cross_entropy import EPSILON
from tensorproof.bindings.adapt.keras.ops import as_float, has_axis
from tensorproof.bindings.adapt.keras.weights import named_axes
from tensorproof.bindings.adapt.numpy.arrays import tensor
from tensorproof.bindings.adapt.steps import Steps
from tensorproof.bindings.adapters import Run, Value, array_like, computed_in, in_type, module_in, tensor_in
from tensorproof.ops.inputs import is_number
from tensorproof.terms import DType, TensorType, eq, ge, le


def fits(run: Run, x: TensorType, axes: tuple[int, ...], **held: Any) -> None:
    """What scales and shifts x has the sizes of the named axes."""
    wanted = [x.shape[a] for a in axes]
    for name, v in held.items():
        if v is None:
            continue
        message = f"{name} has shape {v.shape!r} and there are {len(wanted)} normalised axes"
        run.require("axis_norm/rank", len(v.shape) == len(wanted), message, (name, "x"))
        for a, b in zip(v.shape, wanted):
            run.require("axis_norm/channels", eq(a, b), f"{name} was made for {a!r} and x {x.shape!r} has {b!r}", ("x", name))


def _moved(run: Run, x: TensorType, order: tuple[int, ...]) -> TensorType:
    return x if order == tuple(range(len(order))) else run("permute", x=x, dim=order)


def _back(run: Run, x: TensorType, order: tuple[int, ...]) -> TensorType:
    return _moved(run, x, tuple(order.index(i) for i in range(len(order))))


def batch(run: Run, x: TensorType, axis: int, dtype: DType | None, **more: Value) -> TensorType:
    """The operator `batch_norm`, which has its channels on the second axis."""
    rank = len(x.shape)
    if rank == 1:
        return run("squeeze", x=run.typed("batch_norm", dtype, x=run("unsqueeze", x=x, dim=0), **more), dim=0)
    at = axis % rank
    rest = [i for i in range(rank) if i != at]
    order = (rest[0], at, *rest[1:])
    return _back(run, run.typed("batch_norm", dtype, x=_moved(run, x, order), **more), order)


def layers(run: Run, x: TensorType, axes: tuple[int, ...], dtype: DType | None, op: str = "layer_norm", **more: Value) -> TensorType:
    """The operators `layer_norm` and `rms_norm`, which normalise the last axes."""
    rank = len(x.shape)
    last = sorted(a % rank for a in axes)
    order = (*(i for i in range(rank) if i not in last), *last)
    made = run.typed(op, dtype, x=_moved(run, x, order), normalized_shape=tuple(x.shape[i] for i in last), **more)
    return _back(run, made, order)


def _held(a: dict[str, Any], run: Run) -> tuple[TensorType, tuple[int, ...], dict[str, TensorType], DType]:
    """The input, its named axes and the layer's weights in the element type that it computes in."""
    module = module_in(a)
    x: TensorType = a["x"]
    if not x.shape.known:
        raise run.give_up("the rank is not known")
    dtype = computed_in(module)
    return x, named_axes(module, x.shape, a["dim"]), {n: in_type(t, dtype, run.session, run.name) for n, t in module.state().items()}, dtype


def batch_layer(a: dict[str, Value], run: Run) -> TensorType:
    x, axes, held, dtype = _held(a, run)
    gamma, beta, mean, variance = (held.get(n) for n in ("gamma", "beta", "moving_mean", "moving_variance"))
    fits(run, x, axes, gamma=gamma, beta=beta, mean=mean)
    if len(axes) != 1:
        raise run.give_up("batches normalised along several axes")
    with Steps(run, dtype).settled():
        return batch(
            run, x, axes[0], dtype, running_mean=mean, running_var=variance, weight=gamma, bias=beta, eps=a["epsilon"], training=a.get("training") is True,
        )  # fmt: skip


def layer_layer(a: dict[str, Value], run: Run) -> TensorType:
    x, axes, held, dtype = _held(a, run)
    fits(run, x, axes, gamma=held.get("gamma"), beta=held.get("beta"))
    with Steps(run, dtype).settled():
        return layers(run, x, axes, dtype, weight=held.get("gamma"), bias=held.get("beta"), eps=a["epsilon"])


def rms_layer(a: dict[str, Value], run: Run) -> TensorType:
    x, axes, held, dtype = _held(a, run)
    fits(run, x, axes, gamma=held.get("scale"))
    with Steps(run, dtype).settled():
        return layers(run, x, axes, dtype, "rms_norm", weight=held.get("scale"), eps=a["epsilon"])


def group_layer(a: dict[str, Any], run: Run) -> TensorType:
    x: TensorType = a["x"]
    if len(x.shape) < 2:
        raise run.give_up("an input without a batch axis")
    x, (axis,), held, dtype = _held(a, run)
    channels = x.shape[axis]
    groups = channels if a["groups"] == -1 else a["groups"]
    run.require("groups", le(groups, channels), f"{groups!r} groups are more than the {channels!r} channels", ("groups", "x"))
    run.require("groups", ge(groups, 1), f"there must be at least one group, and there are {groups!r}", ("groups",))
    run.require("groups", eq(channels % groups, 0), f"{channels!r} channels do not divide into {groups!r} groups", ("groups", "x"))
    for name in ("gamma", "beta"):
        if name in held:
            n = held[name].shape[0]
            run.require("channels", eq(n, channels), f"{name} was made for {n!r} channels and x has {channels!r}", ("x", name))
    at = axis % len(x.shape)
    rest = [i for i in range(len(x.shape)) if i != at]
    order = (rest[0], at, *rest[1:])
    with Steps(run, dtype).settled():
        made = run.typed("group_norm", dtype, x=_moved(run, x, order), groups=groups, weight=held.get("gamma"), bias=held.get("beta"), eps=a["epsilon"])
        return _back(run, made, order)


def unit_layer(a: dict[str, Value], run: Run) -> TensorType:
    x, axes, _, dtype = _held(a, run)
    return run.typed("normalize", dtype, x=x, dim=axes, eps=1e-12)


def _number(run: Run, value: Value, dtype: DType | None) -> Value:
    """A number, an array or nested lists of numbers."""
    if is_number(value):
        return value
    made = value if isinstance(value, TensorType) else array_like("keras", value)
    if made is None:
        raise run.give_up("numbers that are not known")
    return run("constant", data=made, dtype=dtype)


def rescaled(a: dict[str, Any], run: Run) -> TensorType:
    m = Steps(run, computed_in(module_in(a)))
    return m("add", m("mul", a["x"], _number(run, a["scale"], m.dtype)), _number(run, a["offset"], m.dtype))


def normalization(a: dict[str, Any], run: Run) -> TensorType:
    """Less the mean, over the root of the variance, or the other way round."""
    module = module_in(a)
    x: TensorType = a["x"]
    m = Steps(run, computed_in(module))
    given = a["mean"], a["variance"]
    if any(v is None for v in given) or "mean" in module.buffers:
        given = module.buffers["mean"], module.buffers["variance"]
    mean, variance = (_number(run, v, m.dtype) for v in given)
    dim = a["dim"]
    axes = () if dim is None or not x.shape.known else tuple(d % len(x.shape) for d in named_axes(module, x.shape, dim))
    if axes and isinstance(mean, TensorType) and axes != (len(x.shape) - 1,) and len(mean.shape) == len(axes):
        shape = tuple(n if i in axes else 1 for i, n in enumerate(x.shape))
        mean, variance = (run("reshape", x=v, size=shape) for v in (mean, variance))
    spread = m("clamp", m("sqrt", variance), low=EPSILON)
    return m("add", m("mul", x, spread), mean) if a["invert"] else m("div", m("sub", x, mean), spread)


def batch_normalization(a: dict[str, Any], run: Run) -> TensorType:
    x, dim = tensor_in(a, "x"), a["dim"]
    for name in ("gamma", "beta", "mean", "variance"):
        v = a[name]
        if v is not None and v.dtype is not None and x.dtype is not None and v.dtype is not x.dtype:
            raise run.give_up(f"{name} is {v.dtype!r} and x is {x.dtype!r}, which Keras sometimes takes")
    rank = len(x.shape)
    if not -rank <= dim < rank:
        raise run.refuse("axis_norm/axis", f"dim = {dim} is out of range: x has {rank} dimensions", ("dim", "x"))
    fits(run, x, (dim,), **{n: a[n] for n in ("gamma", "beta", "mean", "variance")})
    with Steps(run, x.dtype).settled():
        return batch(run, x, dim, x.dtype, running_mean=a["mean"], running_var=a["variance"], weight=a["gamma"], bias=a["beta"], eps=a["epsilon"])


def rms_normalization(a: dict[str, Value], run: Run) -> TensorType:
    """The scale is multiplied with the result, whichever axes were normalised."""
    x, dim, scale = tensor_in(a, "x"), a["dim"], a["gamma"]
    axes = tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    rank = len(x.shape)
    if any(not -rank <= d < rank for d in axes):
        raise run.refuse("axis_norm/axis", f"dim = {dim!r} is out of range: x has {rank} dimensions", ("dim", "x"))
    made = layers(run, x, axes, x.dtype, run.row.op, eps=EPSILON if a["epsilon"] is None else a["epsilon"])
    return made if scale is None else run.typed("mul", x.dtype, x=made, y=scale)


def layer_normalization(a: dict[str, Any], run: Run) -> TensorType:
    x, dim = tensor_in(a, "x"), a["dim"]
    axes = tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    given = {k: a.get(k) for k in ("gamma", "beta")}
    if any(v is not None and len(v.shape) != len(axes) for v in given.values()):
        raise run.give_up("a scale that broadcasts")
    rank = len(x.shape)
    if any(not -rank <= d < rank for d in axes):
        raise run.refuse("axis_norm/axis", f"dim = {dim!r} is out of range: x has {rank} dimensions", ("dim", "x"))
    fits(run, x, axes, **given)
    with Steps(run, x.dtype).settled():
        return layers(run, x, axes, x.dtype, run.row.op, weight=a["gamma"], bias=a["beta"], eps=EPSILON if a["epsilon"] is None else a["epsilon"])


def normalize(a: dict[str, Value], run: Run) -> TensorType:
    x = tensor(a["x"])
    has_axis(run, x, a["dim"])
    axes = a["dim"] if isinstance(a["dim"], (tuple, list)) else (a["dim"],)
    for axis in axes:
        if not -len(x.shape) <= axis < len(x.shape):
            raise run.refuse("axis", f"axis {axis} is out of range for {x.shape!r}", ("dim",))
    eps = EPSILON if a["epsilon"] is None else a["epsilon"]
    return run.typed("normalize", as_float(x.dtype), x=x, p=a["order"], dim=tuple(axes), eps=eps)
