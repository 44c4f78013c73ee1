"""Activations of Keras, by function, by layer and by the word that a layer is given."""

from __future__ import annotations

from tensorproof.bindings.adapt.keras.ops import has_axis
from tensorproof.bindings.adapt.numpy.arrays import tensor
from tensorproof.bindings.adapters import Run, Value, computed
from tensorproof.bindings.rows import rows
from tensorproof.terms import BOOL, TensorType, product


def named(run: Run, name: str, x: TensorType) -> TensorType:
    """The activation of this name, applied to x with the defaults of `keras.activations`."""
    found = rows(f"keras.activations.{name}")
    if not found:
        raise run.refuse("activation", f"Keras has no activation {name!r}", ("activation",))
    row = found[0]
    inner = Run(row, run.session)
    inner.name = run.name
    arguments = {**{a.ours: a.default for a in row.arguments}, "x": x, **row.fixed}
    made: TensorType = computed(inner, arguments)
    return made


def soft_shrink(a: dict[str, Value], run: Run) -> TensorType:
    """x drawn towards 0 by the threshold, which Keras lets be negative."""
    x, threshold = tensor(a["x"]), a["lambd"]
    if not isinstance(threshold, (int, float)) or threshold >= 0:
        return run.typed("softshrink", x.dtype, x=x, lambd=threshold)
    low = run.typed("where", x.dtype, condition=run.typed("lt", BOOL, x=x, y=-threshold), x=run.typed("add", x.dtype, x=x, y=threshold), y=0)
    above = run.typed("gt", BOOL, x=x, y=threshold)
    return run.typed("where", x.dtype, condition=above, x=run.typed("sub", x.dtype, x=x, y=threshold), y=low)


def rectified(a: dict[str, Value], run: Run) -> TensorType:
    """x above the threshold, up to the greatest value; below it the slope counts from the threshold."""
    x = tensor(a["x"])
    slope, most, threshold = a.get("negative_slope") or 0.0, a.get("max_value"), a.get("threshold") or 0.0
    if slope != 0 and most is None and threshold == 0:
        return run.typed("leaky_relu", x.dtype, x=x, slope=slope)
    if threshold != 0:
        made = run.typed("where", x.dtype, condition=run.typed("gt", BOOL, x=x, y=threshold), x=x, y=0)
    else:
        made = run.typed("relu", x.dtype, x=x)
    if most is not None:
        made = run.typed("clamp", x.dtype, x=made, low=0, high=most)
    if slope == 0:
        return made
    below = run.typed("neg", x.dtype, x=x)
    below = run.typed("relu", x.dtype, x=below if threshold == 0 else run.typed("add", x.dtype, x=below, y=threshold))
    return run.typed("sub", x.dtype, x=made, y=run.typed("mul", x.dtype, x=below, y=slope))


def _floats(a: dict[str, Value], run: Run) -> TensorType:
    """x, which holds floats and has the axis that is named."""
    x = tensor(a["x"])
    has_axis(run, x, a["dim"])
    if x.dtype is not None and not x.dtype.is_float:
        raise run.refuse("dtype", f"{run.row.name} takes floats, not {x.dtype!r}", ("x",))
    return x


def softmax(a: dict[str, Value], run: Run) -> TensorType:
    """Along one axis, or along several or all as if they were one."""
    x, dim = _floats(a, run), a["dim"]
    if dim is None:
        flat = run("reshape", x=x, size=(x.shape.numel,))
        return run("reshape", x=run(run.row.op, x=flat, dim=0), size=tuple(x.shape))
    if not isinstance(dim, (tuple, list)):
        return run(run.row.op, x=x, dim=dim)
    if not x.shape.known:
        raise run.give_up("the rank is not known")
    rank = len(x.shape)
    axes = [d % rank for d in dim if -rank <= d < rank]
    if len(axes) != len(dim):
        raise run.refuse("axis", f"dim = {dim!r} is out of range: x has {rank} dimensions", ("dim", "x"))
    order = (*(i for i in range(rank) if i not in axes), *axes)
    turned = run("permute", x=x, dim=order)
    lead, joined = turned.shape[: rank - len(axes)], turned.shape[rank - len(axes) :]
    whole = run("reshape", x=turned, size=(*lead, product(joined)))
    back = run("reshape", x=run(run.row.op, x=whole, dim=-1), size=tuple(turned.shape))
    return run("permute", x=back, dim=tuple(order.index(i) for i in range(rank)))


def sparsemax(a: dict[str, Value], run: Run) -> TensorType:
    """As Keras computes it: the threshold comes from the sum of the running totals of the support."""
    x, dim = _floats(a, run), a["dim"]
    if not x.shape.known:
        raise run.give_up("the rank is not known")
    rank = len(x.shape)
    if not isinstance(dim, int) or not -rank <= dim < rank:
        raise run.refuse("axis", f"dim = {dim!r} is out of range: x has {rank} dimensions", ("dim", "x"))
    n = x.shape[dim]
    ordered = run("sort", x=x, dim=dim, descending=True)[0]
    total = run("cumsum", x=ordered, dim=dim)
    counts = run("reshape", x=run("arange", start=1, end=n + 1, dtype=x.dtype), size=tuple(n if i == dim % rank else 1 for i in range(rank)))
    mean = run.typed("div", x.dtype, x=run.typed("sub", x.dtype, x=total, y=1), y=counts)
    support = run.typed("gt", BOOL, x=run.typed("sub", x.dtype, x=ordered, y=mean), y=0)
    chosen = run("sum", x=run.typed("where", x.dtype, condition=support, x=total, y=0), dim=dim, keepdim=True)
    number = run("sum", x=run("cast", x=support, dtype=x.dtype), dim=dim, keepdim=True)
    threshold = run.typed("div", x.dtype, x=run.typed("sub", x.dtype, x=chosen, y=1), y=number)
    return run.typed("clamp", x.dtype, x=run.typed("sub", x.dtype, x=x, y=threshold), low=0)
