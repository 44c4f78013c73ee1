"""Spellings of convolutions, pools, folds, interpolation and padding that a table row cannot say."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapters import Module, Run, Session, Value, takes, tensor_in
from tensorproof.ops.inputs import Ints, as_size, is_size
from tensorproof.terms import TensorType, eq, ge


def convolution(a: dict[str, Value], run: Run) -> TensorType:
    """One spelling for all dimensions: the weight's rank tells how many."""
    x, weight = tensor_in(a, "x"), tensor_in(a, "weight")
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


def adaptive(a: dict[str, Value], run: Run) -> Value:
    """One number represents all axes, a tuple of one does not."""
    n, wanted = int(run.row.op[-2]), a["output_size"]
    if isinstance(wanted, (tuple, list)) and len(wanted) != n:
        raise run.refuse("output_size", f"output_size must have {n} elements, and has {len(wanted)}", ("output_size",))
    if isinstance(wanted, (tuple, list)) and n > 1 and run.name.startswith("torch.nn."):
        rank = tensor_in(a, "x").shape.rank
        run.require("rank", ge(rank, n + 1), f"x must have at least {n + 1} axes, and is {tensor_in(a, 'x').shape!r}", ("x",))
    return run.default(a)


def fractional(a: dict[str, Value], run: Run) -> Value:
    """A kernel for each axis or one for all; the function in two dimensions wants a ratio for each axis, where the module takes one for all."""
    n, kernel, ratio = int(run.row.op[-2]), a["kernel"], a["output_ratio"]
    if isinstance(kernel, (tuple, list)) and len(kernel) != n:
        raise run.refuse("kernel", f"kernel_size must be one number or {n}, and is {kernel!r}", ("kernel",))
    if n == 2 and "_module" not in a and a["output_size"] is None and ratio is not None and not isinstance(ratio, (tuple, list)):
        raise run.refuse("output_ratio", f"output_ratio must be two numbers, and is {ratio!r}", ("output_ratio",))
    return run.default(a)


def samples(module: Module, names: Any, session: Session) -> None:
    """A fractional pool keeps the samples that it is given as a buffer."""
    if names.get("samples") is not None:
        module.buffers["_random_samples"] = names["samples"]


def pairs(a: dict[str, Any], run: Run) -> Value:
    """Here a list of one size does not stand for both."""
    for name in ("output_size", "kernel", "dilation", "padding", "stride"):
        if isinstance(a.get(name), (tuple, list)) and len(a[name]) != 2:
            raise run.refuse(name, f"{name} must be one number or two, and is {a[name]!r}", (name,))
    return run.default(a)


def lp_pool(a: dict[str, Value], run: Run) -> Value:
    """The kernel is multiplied out: a number, or in two and three dimensions one for each axis."""
    n, kernel = int(run.row.op[-2]), a["kernel"]
    if isinstance(kernel, (tuple, list)) and (n == 1 or len(kernel) != n):
        raise run.refuse("kernel", f"kernel_size must be one number{'' if n == 1 else f' or {n}'}, and is {kernel!r}", ("kernel",))
    return run.default(a)


def _numbered(run: Run, boxes: Any, x: TensorType) -> TensorType:
    """The boxes of each image as rows with the image's number first."""
    rows: list[TensorType] = []
    for i, one in enumerate(boxes):
        if not isinstance(one, TensorType):
            raise run.refuse("boxes", f"boxes must be tensors, and one is {one!r}", ("boxes",))
        if not one.shape.known:
            raise run.give_up("the rank of the boxes is not known")
        if len(one.shape) != 2:
            raise run.refuse("boxes", f"the boxes of an image must have rank 2, and are {one.shape!r}", ("boxes",))
        run.require("boxes", eq(one.shape[1], 4), f"a box has 4 numbers, and here {one.shape[1]!r}", ("boxes",))
        number = run("full_like", x=run("slice", x=one, dim=1, start=0, end=1, step=1), value=i)
        rows.append(run("cat", xs=[number, one], dim=1))
    if not rows:
        return run("full", size=(0, 5), value=0, dtype=x.dtype)
    return run("cat", xs=rows, dim=0)


def regions(a: dict[str, Value], run: Run) -> TensorType:
    """Boxes as rows with the image's number first, or a list with the boxes of each image; what a gradient needs is left out."""
    boxes = a["boxes"]
    made = run.default({**a, "boxes": _numbered(run, boxes, tensor_in(a, "x")) if isinstance(boxes, (tuple, list)) else boxes})
    return made if isinstance(made, TensorType) else made[0]


def deform_kernel(a: dict[str, Any], run: Run) -> Value:
    """Sizes come in two parts; an unused mask comes as an empty tensor. Groups are given, and must be those of the shapes."""
    x, weight, offset = (a[name].shape for name in ("x", "weight", "offset"))
    if all(shape.known and len(shape) == 4 for shape in (x, weight, offset)):
        groups, parts = a["groups"], a["offset_groups"]
        taken, moved = weight[1] * groups, 2 * parts * weight[2] * weight[3]
        run.require("channels", eq(x[1], taken), f"x has {x[1]!r} channels and weight {weight!r} with groups={groups!r} takes {taken!r}", ("x", "weight"))
        run.require("channels", eq(weight[0] % groups, 0), f"{weight[0]!r} output channels do not divide into {groups!r} groups", ("weight",))
        run.require("offset", eq(offset[1], moved), f"offset has {offset[1]!r} channels, and {parts!r} groups need {moved!r}", ("offset", "weight"))
    pair = {ours: (a[f"{theirs}_h"], a[f"{theirs}_w"]) for ours, theirs in (("stride", "stride"), ("padding", "pad"), ("dilation", "dilation"))}
    return run.default({**a, **pair, "mask": a["mask"] if a["use_mask"] else None})


def unpool(a: dict[str, Any], run: Run) -> Value:
    """torch looks at the first sizes of a list, in three dimensions at all of them."""
    n = int(run.row.op[-2])
    given = dict(a)
    for name in ("kernel", "stride", "padding"):
        if isinstance(a[name], (tuple, list)):
            if len(a[name]) < n or (n == 3 and len(a[name]) > n and name != "kernel"):
                raise run.refuse(name, f"{name} must be one number or {n}, and is {a[name]!r}", (name,))
            given[name] = tuple(a[name][:n])
    return run.default(given)


@takes(Ints("size", None, optional=True))
def interpolate(a: dict[str, Value], run: Run) -> Value:
    """One number as `size` stands for every spatial axis, a list of one does not."""
    size, x = as_size(a["size"]), tensor_in(a, "x").shape
    if a.get("mode") == "lanczos" and a.get("align_corners"):
        raise run.refuse("align_corners", "mode 'lanczos' does not align corners", ("align_corners", "mode"))
    if is_size(size):
        if not x.known:
            raise run.give_up("the input's rank is not known")
        size = (size,) * (len(x) - 2)
    return run.default({**a, "size": size})


def sized_or_scaled(a: dict[str, Value], run: Run) -> Value:
    """The forms of ATen that get the size or the factors, in lists."""
    if a["scale"] is not None and not isinstance(a["scale"], (tuple, list)):
        raise run.refuse("scale", f"scale_factors must be a list, and is {a['scale']!r}", ("scale",))
    return run.default(a)


MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")


def grid_sampler(a: dict[str, Value], run: Run) -> Value:
    """ATen counts the modes."""
    mode, padding = a["mode"], a["padding_mode"]
    if not (isinstance(mode, int) and isinstance(padding, int)):
        raise run.give_up("the mode is not known")
    if not (0 <= mode <= 2 and 0 <= padding <= 2):
        raise run.give_up(f"mode {mode} and padding mode {padding} are not documented")
    return run.default({**a, "mode": MODES[mode], "padding_mode": PADDINGS[padding]})


def layer(a: dict[str, Any], run: Run) -> TensorType:
    padding, axes = a["padding"], a["axes"]
    sides = (padding,) * (2 * axes) if is_size(padding) else tuple(padding)
    run.require("pairs", len(sides) == 2 * axes, f"padding must be one number or {2 * axes}, and is {padding!r}", ("padding",))
    value = a.get("value") if a["mode"] == "constant" else None
    return run("pad", x=a["x"], padding=sides, mode=a["mode"], value=value)
