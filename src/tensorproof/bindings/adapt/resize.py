"""Spellings of interpolation and sampling that a table row cannot say."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Bool, Int, Ints, as_size, is_size


@takes(Ints("size", None, optional=True))
def interpolate(a: dict[str, Any], run: Run) -> Any:
    """One number as `size` stands for every spatial axis, a list of one does not."""
    size, x = as_size(a["size"]), a["x"].shape
    if is_size(size):
        if not x.known:
            raise run.give_up("the input's rank is not known")
        size = (size,) * (len(x) - 2)
    return run.default({**a, "size": size})


@takes(Ints("size", one=False), Bool("align_corners"))
def sized(a: dict[str, Any], run: Run) -> Any:
    """The forms of ATen that are told the size."""
    return run.default(a)


@takes(Bool("align_corners"))
def sized_or_scaled(a: dict[str, Any], run: Run) -> Any:
    """The forms of ATen that are told the size or the factors."""
    return run.default(a)


MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")


@takes(Int("mode", least=0, most=2), Int("padding_mode", least=0, most=2), Bool("align_corners"))
def grid_sampler(a: dict[str, Any], run: Run) -> Any:
    """ATen counts the modes."""
    mode, padding = a["mode"], a["padding_mode"]
    if not (isinstance(mode, int) and isinstance(padding, int)):
        raise run.give_up("the mode is not known")
    if not (0 <= mode <= 2 and 0 <= padding <= 2):
        raise run.give_up(f"mode {mode} and padding mode {padding} are not documented")
    return run.default({**a, "mode": MODES[mode], "padding_mode": PADDINGS[padding]})


@takes(Bool("align_corners"))
def affine_grid(a: dict[str, Any], run: Run) -> Any:
    """The generator behind `affine_grid`."""
    return run.default(a)
