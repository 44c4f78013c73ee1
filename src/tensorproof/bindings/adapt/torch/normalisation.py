"""Normalisations as torch's functions and modules spell them, with the checks that the operators themselves do not make."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapters import Run, Value, module_in, tensor_in
from tensorproof.terms import UINT8, Dim, Shape, TensorType, eq, ge, ne, product


def _more_than_one(run: Run, count: Dim, what: str) -> None:
    run.require("values", ne(count, 1), f"in training there must be more than one value for each {what}: their spread is taken", ("x",))


def batch_norm(a: dict[str, Any], run: Run) -> Value:
    """The function: in training a channel has more than one value."""
    x: Shape = tensor_in(a, "x").shape
    fine = a["eps"] > 0 if a["training"] else a["eps"] >= 0
    run.require("eps", fine, f"eps must {'be positive in training' if a['training'] else 'not be negative'}, and is {a['eps']!r}", ("eps",))
    if a["training"] and x.known and len(x) >= 2:
        _more_than_one(run, x[0] * product(x[2:]), "channel")
    return run.default(a)


def batch_norm_module(a: dict[str, Any], run: Run) -> Value:
    """The module: statistics of the batch in training, and where it keeps none."""
    training = module_in(a).training or not a["track_running_stats"]
    return batch_norm({**a, "training": training}, run)


def instance_norm(a: dict[str, Value], run: Run) -> Value:
    """The function: an instance has more than one value in each channel."""
    x: Shape = tensor_in(a, "x").shape
    if a["use_input_stats"] and x.known:
        _more_than_one(run, product(x[2:]), "channel of each instance")
    return run.default(a)


def instance_norm_module(a: dict[str, Any], run: Run) -> Value:
    """The module: an instance may come without a batch."""
    x: TensorType = a["x"]
    alone = x.shape.known and len(x.shape) == _dimensions(run) + 1
    for name in ("weight", "running_mean"):
        if isinstance(a.get(name), TensorType) and x.shape.known:
            held, own = a[name].shape[0], x.shape[0 if alone else 1]
            run.require("channels", eq(held, own), f"the module is for {held!r} channels, and x has {own!r}", ("x",))
    given = {**a, "x": run("unsqueeze", x=x, dim=0) if alone else x, "use_input_stats": module_in(a).training or not a["track_running_stats"]}
    result = instance_norm(given, run)
    return run("squeeze", x=result, dim=0) if alone else result


def _dimensions(run: Run) -> int:
    """The 2 of InstanceNorm2d."""
    return int(run.row.name[-2])


def group_norm(a: dict[str, Value], run: Run) -> Value:
    """The function: a group has more than one value over the batch."""
    x: Shape = tensor_in(a, "x").shape
    result = run.default(a)
    if x.known and len(x) >= 2:
        _more_than_one(run, x[0] * (x[1] // a["groups"]) * product(x[2:]), "channel of a group")
    return result


def with_running(a: dict[str, Value], run: Run) -> Value:
    """The functional form gives the running statistics back."""
    return (*run.several(a), a["running_mean"], a["running_var"])


def with_reserve(a: dict[str, Value], run: Run) -> Value:
    """The forms that say whether they update: an empty reserve comes last."""
    return (*run.several(a), TensorType(Shape((0,)), UINT8))


def weight_norm_interface(a: dict[str, Any], run: Run) -> Value:
    """For the first and the last axis only, counted from the front; with the lengths that were there before."""
    x: TensorType = a["x"]
    if x.shape.known and a["dim"] not in (0, len(x.shape) - 1):
        raise run.refuse("axis", f"dim must be 0 or {len(x.shape) - 1}, the first or the last axis, and is {a['dim']!r}", ("dim", "x"))
    if x.shape.known and len(x.shape) < 2:
        raise run.give_up("a vector, with which torch ends the process now and then")
    made, before = run.default(a), run("norm_except_dim", x=x, pow=2, dim=a["dim"])
    return made, before if before.shape == tensor_in(a, "magnitude").shape else a["magnitude"]


def across(a: dict[str, Any], run: Run) -> TensorType:
    """nn.CrossMapLRN2d, which is written in Python and looks at little."""
    x, size = tensor_in(a, "x"), a["size"]
    run.require("size", ne(size, 0), "size must not be 0", ("size",))
    run.require("channels", ge(x.shape[1], 1), f"x has no channels: {x.shape!r}", ("x",))
    if type(size) is not int or size < 1:
        raise run.give_up("a window of no channels")
    reach = (size - 1) // 2 + 1  # channels on one side, with the middle: the window is symmetric though the size is even
    width = 2 * reach - 1
    return run("local_response_norm", x=x, size=width, alpha=a["alpha"] * width / size, beta=a["beta"], k=a["k"])
