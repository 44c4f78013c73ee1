"""Spellings of interpolation and sampling that a table row cannot say."""

from __future__ import annotations

from tensorproof.bindings.adapters import Run, Value, default, takes, taking, tensor_in
from tensorproof.ops.inputs import Bool, Int, Ints, Sizes, as_size, is_size


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


def _sized_or_scaled(a: dict[str, Value], run: Run) -> Value:
    """The forms of ATen that get the size or the factors, in lists."""
    if a["scale"] is not None and not isinstance(a["scale"], (tuple, list)):
        raise run.refuse("scale", f"scale_factors must be a list, and is {a['scale']!r}", ("scale",))
    return run.default(a)


_ALIGNED = Bool("align_corners")
sized_1, sized_2, sized_3 = (taking(default, Sizes("size", n, least=1, one=False), _ALIGNED) for n in (1, 2, 3))
scaled_1, scaled_2, scaled_3 = (taking(_sized_or_scaled, Sizes("size", n, least=1, one=False, optional=True), _ALIGNED) for n in (1, 2, 3))

MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")


@takes(Int("mode", least=0, most=2), Int("padding_mode", least=0, most=2), Bool("align_corners"))
def grid_sampler(a: dict[str, Value], run: Run) -> Value:
    """ATen counts the modes."""
    mode, padding = a["mode"], a["padding_mode"]
    if not (isinstance(mode, int) and isinstance(padding, int)):
        raise run.give_up("the mode is not known")
    if not (0 <= mode <= 2 and 0 <= padding <= 2):
        raise run.give_up(f"mode {mode} and padding mode {padding} are not documented")
    return run.default({**a, "mode": MODES[mode], "padding_mode": PADDINGS[padding]})
