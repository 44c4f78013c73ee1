"""Spellings of convolutions, pools and folds that a table row cannot say."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.call import Run, takes
from tensorproof.bindings.modules import Module
from tensorproof.ops.call import Session
from tensorproof.ops.inputs import Anything, Bool, Ints, as_size, is_size


@takes(Ints("stride"), Anything("padding"), Ints("dilation"), Bool("transposed"), Ints("output_padding"))
def convolution(a: dict[str, Any], run: Run) -> Any:
    """One spelling for all dimensions: the weight's rank tells how many."""
    x, weight = a["x"], a["weight"]
    if not weight.shape.known:
        raise run.give_up("the weight's rank is not known")
    n = len(weight.shape) - 2
    if n not in (1, 2, 3):
        raise run.refuse("rank", f"weight must have rank 3 to 5, and has {n + 2}", ("weight",))
    if x.shape.known and len(x.shape) != n + 2:
        raise run.refuse("rank", f"x must have the rank of weight, {n + 2}, and has {len(x.shape)}", ("x",))
    given = {k: a[k] for k in ("x", "weight", "bias", "stride", "padding", "dilation", "groups") if k in a}
    if a.get("transposed"):
        return run(f"conv_transpose{n}d", **given, output_padding=a["output_padding"])
    return run(f"conv{n}d", **given)


def depthwise(a: dict[str, Any], run: Run) -> Any:
    """Every channel is a group of its own."""
    channels = a["x"].shape[1] if a["x"].shape.known and len(a["x"].shape) > 1 else None
    if channels is None:
        raise run.give_up("the number of channels is not known")
    return run.default({**a, "groups": channels})


@takes(Anything("output_size"))
def adaptive(a: dict[str, Any], run: Run) -> Any:
    """None in `output_size` keeps the input's size, from two dimensions on. One number stands for all, a tuple of one does not."""
    wanted, shape = a["output_size"], a["x"].shape
    n = int(run.row.op[-2])
    if isinstance(wanted, (tuple, list)):
        if len(wanted) != n:
            raise run.refuse("output_size", f"output_size must have {n} elements, and has {len(wanted)}", ("output_size",))
        if any(size is None for size in wanted):
            if n == 1:
                raise run.refuse("output_size", "None is no output size in one dimension", ("output_size",))
            if not shape.known:
                raise run.give_up("the input's rank is not known")
            kept = ((1,) * n + tuple(shape))[-n:]
            wanted = tuple(own if size is None else size for size, own in zip(wanted, kept, strict=True))
    sizes = wanted if isinstance(wanted, (tuple, list)) else (wanted,)
    if not all(is_size(as_size(size)) for size in sizes):
        raise run.refuse("output_size", f"output_size must be whole numbers, and is {wanted!r}", ("output_size",))
    return run.default({**a, "output_size": wanted})


def fractional(a: dict[str, Any], run: Run) -> Any:
    """The function wants one ratio for each axis; the module takes one for all."""
    if a["output_size"] is None and a["output_ratio"] is not None and not isinstance(a["output_ratio"], tuple):
        raise run.refuse("output_ratio", f"output_ratio must be two numbers, and is {a['output_ratio']!r}", ("output_ratio",))
    return run.default(a)


def samples(module: Module, names: Any, session: Session) -> None:
    """A fractional pool keeps the samples that it is given as a buffer."""
    if names.get("samples") is not None:
        module.buffers["_random_samples"] = names["samples"]


def pairs(a: dict[str, Any], run: Run) -> Any:
    """Here a list of one size does not stand for both."""
    for name in ("output_size", "kernel", "dilation", "padding", "stride"):
        if isinstance(a.get(name), (tuple, list)) and len(a[name]) != 2:
            raise run.refuse(name, f"{name} must be one number or two, and is {a[name]!r}", (name,))
    return run.default(a)
