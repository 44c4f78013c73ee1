"""Windows in TensorFlow: convolutions and pools of images with the channels last, "SAME" and "VALID"."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.tensorflow.shared import same_types
from tensorproof.bindings.adapt.tensorflow.sizes import ranked
from tensorproof.bindings.adapters import Run, Value
from tensorproof.ops.inputs import Choice
from tensorproof.terms import FLOAT64, Dim, Origin, Shape, TensorType, Term, ceildiv, conj, dataclass, eq, ge, gt, maximum, symbols

FORMATS = {1: ("NWC", "NCW", "NHC", "NCH"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}


@dataclass(frozen=True, slots=True)
class Padding(Choice):
    """ "SAME", "VALID", or a list of pairs (before, after) for each axis."""

    def takes(self, value: Value) -> bool:
        return isinstance(value, (str, tuple, list)) or (value is None and self.optional)


def channels_last(data_format: str) -> bool:
    return data_format in ("NHWC", "NDHWC", "NWC", "NHC", "channels_last")


def known_format(run: Run, data_format: str, n: int) -> None:
    """Some attributes name a format that TensorFlow does not have."""
    known = FORMATS[n]
    run.require("data_format", data_format in known, f"data_format must be one of {', '.join(known)}, and is {data_format}", ("data_format",))


def to_front(x: TensorType, last: bool) -> TensorType:
    """An image batch with the channels behind the batch."""
    return x if not last else x.but(shape=Shape((x.shape[0], x.shape[-1], *x.shape[1:-1])), contents=None, strides=None)


def _moved(run: Run, x: TensorType, known: TensorType, order: tuple[int, ...]) -> TensorType:
    return run.shaped("permute", Shape(known.shape[i] for i in order), x.dtype, x=x, dim=order)


def fronted(run: Run, x: TensorType, rank: int, last: bool, name: str = "x") -> TensorType:
    """An image batch with the channels moved behind the batch, where they are last."""
    known = ranked(run, x, rank, name)
    return _moved(run, x, known, (0, rank - 1, *range(1, rank - 1))) if last else known


def backed(run: Run, x: TensorType, last: bool) -> TensorType:
    """The images with their channels moved to the end again, where they were last."""
    return _moved(run, x, x, (0, *range(2, len(x.shape)), 1)) if last else x


def spatial(run: Run, value: Value, n: int, last: bool, name: str, whole_only: bool = True) -> tuple[Any, ...]:
    """The `n` spatial numbers of an attribute that may name all axes, one number, or the spatial ones."""
    if value is None:
        return (1,) * n
    given = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    if len(given) == 1:
        return given * n
    if len(given) == n:
        return given
    run.require(name, len(given) == n + 2, f"{name} must have {n + 2} numbers, and is {value!r}", (name,))
    inner = given[1:-1] if last else given[2:]
    if whole_only:
        outer = (given[0], given[-1]) if last else given[:2]
        run.require(name, all(type(v) is not int or v <= 1 for v in outer), f"{name} must be 1 for the batch and the channels, and is {value!r}", (name,))
    return inner


def windowed(run: Run, size: Dim, kernel: Dim, stride: Dim, dilation: Dim, padding: str, sides: tuple[Dim, Dim] = (0, 0), overhang: bool = False) -> Dim:
    """How many windows an axis holds; with `overhang`, none where it is a little too short."""
    run.require("stride", ge(stride, 1), f"the stride must be at least 1, and is {stride!r}", ("stride",))
    run.require("dilation", ge(dilation, 1), f"the dilation must be at least 1, and is {dilation!r}", ("dilation",))
    if padding == "SAME":
        return ceildiv(size, stride)
    reach = dilation * (kernel - 1) + 1
    padded = size + sides[0] + sides[1] + (stride if overhang else 0)
    if overhang:
        run.require("kernel", ge(padded, reach), f"the kernel covers {reach!r} elements of an axis, x has {size!r}", ("x", "kernel"))
        return (padded - reach) // stride
    run.require("kernel", ge(padded, reach), f"the kernel covers {reach!r} elements of an axis, x has {padded!r} with its padding", ("x", "weight"))
    return (padded - reach) // stride + 1


def explicit_sides(run: Run, padding: Any, explicit: Any, n: int, last: bool) -> tuple[str, list[tuple[Dim, Dim]]]:
    """The padding's name and, where it is explicit, the numbers for each spatial axis."""
    if isinstance(padding, (tuple, list)):
        pairs = len(padding) == n + 2 and all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in padding)
        run.require("padding", pairs, f"a list of paddings must have {n + 2} pairs (before, after), one for each axis, and is {padding!r}", ("padding",))
        explicit = [v for pair in padding for v in pair]
        padding = "EXPLICIT"
    padding = padding.upper()
    if padding != "EXPLICIT":
        return padding, [(0, 0)] * n
    flat = tuple(explicit or ())
    run.require("padding", len(flat) == 2 * (n + 2), f"explicit padding has {2 * (n + 2)} numbers, and here {len(flat)}", ("padding",))
    run.require("padding", all(type(v) is not int or v >= 0 for v in flat), f"padding cannot be negative, and is {flat!r}", ("padding",))
    rows = [(flat[2 * i], flat[2 * i + 1]) for i in range(n + 2)]
    inner, outer = (rows[1:-1], (rows[0], rows[-1])) if last else (rows[2:], rows[:2])
    run.require("padding", all(pair == (0, 0) for pair in outer), f"the batch and the channels are not padded, and the padding is {flat!r}", ("padding",))
    return padding, list(inner)


def convolve(
    run: Run, x: TensorType, weight: TensorType, n: int, stride: Value, padding: Value, explicit: Value, dilation: Value, data_format: str
) -> TensorType:
    """A convolution with the weight's axes as TensorFlow orders them: kernel, in, out. Groups follow from the channels."""
    known_format(run, data_format, n)
    last = channels_last(data_format)
    filters = ranked(run, weight, n + 2, "weight").shape
    image = fronted(run, x, n + 2, last)
    *kernel, per_group, out = filters
    channels = image.shape[1]
    run.require("channels", conj(ge(per_group, 1), ge(channels, 1)), f"x has {channels!r} channels and the weight takes {per_group!r}", ("x", "weight"))
    run.require("channels", eq(channels % per_group, 0), f"x has {channels!r} channels, which the {per_group!r} of the weight do not divide", ("x", "weight"))
    known = type(channels) is int and type(per_group) is int
    groups = channels // per_group if known and per_group else 1
    if not known and eq(channels, per_group) is not True and _chosen(channels, per_group):
        run.require("groups", eq(out % maximum(channels // maximum(per_group, 1), 1), 0), f"{out!r} output channels do not divide into groups", ("weight",))
    if known and groups:
        run.require("groups", eq(out % groups, 0), f"{out!r} output channels do not divide into {groups!r} groups", ("weight",))
    strides, dilations = spatial(run, stride, n, last, "stride"), spatial(run, dilation, n, last, "dilation")
    name, sides = explicit_sides(run, padding, explicit, n, last)
    kernels = run.shaped("permute", (out, per_group, *kernel), weight.dtype, x=weight, dim=(n + 1, n, *range(n)))
    grouped = groups if known else _groups(channels, per_group)
    window = {"stride": strides, **padded_as(name, sides), "dilation": dilations, "groups": grouped, "empty_output": True}
    if image.shape.concrete and filters.concrete and all(v > 0 for v in (*image.shape, *filters)):
        return backed(run, run(f"conv{n}d", x=image, weight=kernels, **window), last)
    sizes = [windowed(run, s, k, t, d, name, e) for s, k, t, d, e in zip(image.shape[2:], kernel, strides, dilations, sides)]
    same_types(run, {"x": x, "weight": weight}, "x", "weight")
    return backed(run, run.shaped(f"conv{n}d", (image.shape[0], out, *sizes), x.dtype, x=image, weight=kernels, **window), last)


def padded_as(name: str, sides: list[tuple[Dim, Dim]]) -> dict[str, Any]:
    """The padding in the words of convolutions and pools."""
    if name == "SAME":
        return {"padding": "same"}
    return {"padding": tuple(before for before, _ in sides), "padding_end": tuple(after for _, after in sides)}


def _chosen(*sizes: Dim) -> bool:
    """Whether the user chooses all that sizes stand on: then it may be asked how one divides another."""
    return all(atom.origin is Origin.USER for size in sizes for atom in symbols(size))


def _groups(channels: Dim, per_group: Dim) -> Dim:
    return 1 if eq(channels, per_group) is True or eq(per_group, 0) is True else channels // per_group


def depthwise(run: Run, x: TensorType, weight: TensorType, stride: Value, padding: Value, explicit: Value, dilation: Value, data_format: str) -> TensorType:
    """Each channel convolved with its own filters: weight (kernel, in, multiplier)."""
    last = channels_last(data_format)
    image, filters = fronted(run, x, 4, last), ranked(run, weight, 4, "weight").shape
    *kernel, channels, multiplier = filters
    run.require("channels", eq(image.shape[1], channels), f"x has {image.shape[1]!r} channels and the weight {channels!r}", ("x", "weight"))
    same_types(run, {"x": x, "weight": weight}, "x", "weight")
    strides, dilations = spatial(run, stride, 2, last, "stride"), spatial(run, dilation, 2, last, "dilation")
    run.require("stride", eq(strides[0], strides[1]), f"the strides of a depthwise convolution must be equal, and are {strides!r}", ("stride",))
    name, sides = explicit_sides(run, padding, explicit, 2, last)
    sizes = [windowed(run, s, k, t, d, name, e) for s, k, t, d, e in zip(image.shape[2:], kernel, strides, dilations, sides)]
    count = channels if isinstance(image.shape[1], Term) else image.shape[1]
    kernels = channel_filters(run, weight, filters)
    made = run.shaped(
        "conv2d", (image.shape[0], count * multiplier, *sizes), x.dtype, x=image, weight=kernels, stride=strides, **padded_as(name, sides),
        dilation=dilations, groups=count,
    )  # fmt: skip
    return backed(run, made, last)


def channel_filters(run: Run, weight: TensorType, filters: Shape) -> TensorType:
    """Filters (height, width, in, multiplier) in the order of a convolution with a group for each channel."""
    height, width, channels, multiplier = filters
    moved = run.shaped("permute", (channels, multiplier, height, width), weight.dtype, x=weight, dim=(2, 3, 0, 1))
    size = (channels * multiplier, 1, height, width)
    return run.shaped("reshape", size, weight.dtype, x=moved, size=size)


def pooled(run: Run, x: TensorType, n: int, kernel: Value, stride: Value, padding: Value, explicit: Value, data_format: str, kind: str = "") -> TensorType:
    """A pool over the spatial axes. `kind` is "max" or "avg", where the row's operator does not say so; a mean leaves the padding out."""
    last = channels_last(data_format)
    kind = kind or run.row.op[:3]
    image = fronted(run, x, n + 2, last)
    if n == 2 and kind == "max" and eq(image.shape[1], 0) is True:
        raise run.give_up("images without channels, which TensorFlow takes by the way they are padded")
    if n == 2 and last and kind == "avg" and isinstance(stride, (tuple, list)) and len(stride) == 4:
        stride = (*stride[:3], 1)  # the stride of a mean along the channels is not looked at; that of a maximum has no gradient
    sizes, strides = spatial(run, kernel, n, last, "kernel"), spatial(run, stride, n, last, "stride")
    name, sides = explicit_sides(run, padding, explicit, n, last)
    if n == 3 and kind == "avg" and x.dtype is FLOAT64 and any(type(k) is int and k < 1 for k in sizes):
        raise run.give_up("a kernel below 1, which TensorFlow looks at for single precision alone")
    listed = (kind == "max" and n < 3) or name != "EXPLICIT"
    run.require("padding", listed, f"{kind}_pool{n}d takes 'SAME' or 'VALID' as padding and no list, and got {padding!r}", ("padding",))
    for k, pair in zip(sizes, sides):
        run.require("kernel", ge(k, 1), f"the kernel must be at least 1, and is {kernel!r}", ("kernel",))
        for side in pair if name == "EXPLICIT" else ():
            run.require("padding", gt(k, side), f"the padding must be smaller than the kernel, and is {side!r} beside a kernel of {k!r}", ("padding", "kernel"))
    made = Shape((*image.shape[:2], *(windowed(run, s, k, t, 1, name, e) for s, k, t, e in zip(image.shape[2:], sizes, strides, sides))))
    more: dict[str, Any] = {"count_include_pad": False} if kind == "avg" else {}
    shapes = made if kind == "avg" else [made]
    return backed(run, run.shaped(f"{kind}_pool{n}d", shapes, x.dtype, x=image, kernel=sizes, stride=strides, **padded_as(name, sides), **more), last)
