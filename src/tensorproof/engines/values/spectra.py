"""Rules for boxes: transforms of half spectra, whose numbers are real, by the sum of the sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tensorproof.engines.values.boxes import Box, Rule, boxed, float_of, register
from tensorproof.engines.values.curves import absolute
from tensorproof.engines.values.rounding import Rounding

if TYPE_CHECKING:
    from tensorproof.engines.values.numpy_port import Like, Numbers


def _transformed(x: Like, lengths: Sequence[int], axes: Sequence[int], scale: float) -> Box:
    """Each number is a sum of all along the axes, those of the half spectrum twice, by factors up to 1."""
    x = boxed(x)
    axes = [axis % x.ndim for axis in axes]
    shape = tuple(lengths[axes.index(i)] if i in axes else n for i, n in enumerate(x.shape))
    with np.errstate(all="ignore"):
        most = 2.0 * np.sum(absolute(x).hi, axis=tuple(axes), keepdims=True)
        over = np.any(x.nan, axis=tuple(axes), keepdims=True) | ~(most < Rounding.greatest)
        most = np.where(over, math.inf, most * scale * (1 + 1e-9 + 64 * Rounding.step * math.prod(lengths)) + Rounding.smallest)
    return Box(np.broadcast_to(-most, shape), np.broadcast_to(most, shape), np.broadcast_to(over, shape), float_of(x))


def _scale(norm: str | None, count: int, inverse: bool) -> float:
    whole = (norm or "backward") == ("backward" if inverse else "forward")
    return 1 / math.sqrt(count) if norm == "ortho" else 1 / max(count, 1) if whole else 1.0


def _along(inverse: bool) -> Rule:
    def rule(x: Box | Numbers, n: int | None = None, axis: int = -1, norm: str | None = None) -> Box:
        length = 2 * (x.shape[axis] - 1) if n is None else n
        return _transformed(x, [length], [axis], _scale(norm, length, inverse))

    return rule


def _along_several(x: Box | Numbers, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str | None = None) -> Box:
    chosen = list(axes) if axes is not None else list(range(x.ndim))[-len(s or range(x.ndim)) :]
    lengths = list(s) if s is not None else [x.shape[i] if i != chosen[-1] else 2 * (x.shape[i] - 1) for i in chosen]
    return _transformed(x, lengths, chosen, _scale(norm, math.prod(lengths), True))


register("irfft", _along(True))
register("hfft", _along(False))
register("irfftn", _along_several)
register("conjugate", lambda x: x)
