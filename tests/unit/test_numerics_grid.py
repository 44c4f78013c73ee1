"""Functions of NumPy on grids: what they give of any array within the blocks lies within the blocks of the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tensorproof.engines.numerics.grids import grid as grids
from tensorproof.engines.numerics.grids.grid import Box, Grid, gridded, units
from tensorproof.engines.numerics.numbers import Numbers
from tensorproof.engines.numerics.relations.affine import Form, block_bounds
from tensorproof.engines.values.rounding import computed_in
from tensorproof.ops.mathematics import log_softmax, softmax
from tensorproof.ops.sliding import convolved, greatest, patches, surrounded, window_sum
from tensorproof.terms.dtypes import FLOAT64

Function = Callable[..., Any]


def drawn(rng: np.random.Generator, shape: tuple[int, ...]) -> tuple[Any, Grid]:
    """An array, and a grid that holds it."""
    value = rng.normal(size=shape)
    cuts = tuple(tuple(sorted({*rng.integers(1, n + 1, rng.integers(0, 3)).tolist(), n})) if n else () for n in shape)
    lo, hi = value, value
    for axis, ends in enumerate(cuts):
        parts = list(zip((0, *ends), ends))
        lo = np.stack([lo.take(range(a, b), axis).min(axis) for a, b in parts], axis) if parts else lo
        hi = np.stack([hi.take(range(a, b), axis).max(axis) for a, b in parts], axis) if parts else hi
    return value, Grid(shape, cuts, Box(lo - 1e-9, hi + 1e-9))


def holds(made: Any, value: Any) -> None:
    if isinstance(value, (tuple, list)):
        for a, b in zip(made, value, strict=True):
            holds(a, b)
        return
    grid = gridded(made)
    assert grid.shape == np.shape(value)
    assert grid.box.shape == tuple(map(len, grid.cuts))
    assert all(not n or ends[-1] == n for n, ends in zip(grid.shape, grid.cuts))
    for axis, n in enumerate(grid.shape):
        grid = grids.refined(grid, axis, units(n))
    assert ((grid.box.lo <= value) & (value <= grid.box.hi)).all()


FUNCTIONS: dict[str, tuple[Function, list[tuple[int, ...]]]] = {
    "add": (lambda np, x, y: x + y, [(4, 6), (6,)]),
    "multiply broadcast": (lambda np, x, y: np.multiply(x, y), [(4, 1, 6), (5, 1)]),
    "maximum": (lambda np, x, y: np.maximum(x, y), [(7, 6), (7, 6)]),
    "where": (lambda np, x, y, z: np.where(x > 0, y, z), [(7, 6), (7, 6), (6,)]),
    "clip": (lambda np, x: np.clip(x, -0.5, 0.5), [(7, 6)]),
    "exp": (lambda np, x: np.exp(x), [(7, 6)]),
    "transpose": (lambda np, x: np.transpose(x, (2, 0, 1)), [(3, 4, 5)]),
    "swapaxes": (lambda np, x: np.swapaxes(x, 0, -1), [(3, 4, 5)]),
    "moveaxis": (lambda np, x: np.moveaxis(x, (0, 1), (-1, 0)), [(3, 4, 5)]),
    "reshape merge": (lambda np, x: np.reshape(x, (12, 5)), [(3, 4, 5)]),
    "reshape split": (lambda np, x: np.reshape(x, (3, 2, 2, 5)), [(3, 4, 5)]),
    "reshape across": (lambda np, x: np.reshape(x, (4, 15)), [(3, 4, 5)]),
    "reshape ones": (lambda np, x: np.reshape(x, (1, 3, 1, -1, 5, 1)), [(3, 4, 5)]),
    "ravel": (lambda np, x: x.ravel(), [(3, 4, 5)]),
    "expand_dims": (lambda np, x: np.expand_dims(x, (0, 2)), [(3, 4)]),
    "squeeze": (lambda np, x: np.squeeze(x), [(1, 4, 1)]),
    "broadcast_to": (lambda np, x: np.broadcast_to(x, (5, 4, 6)), [(4, 1)]),
    "flip": (lambda np, x: np.flip(x, 1), [(4, 7)]),
    "roll": (lambda np, x: np.roll(x, (2, -3), (0, 1)), [(4, 7)]),
    "slice": (lambda np, x: x[1:, ..., ::2], [(4, 3, 7)]),
    "slice back": (lambda np, x: x[::-2, 1:6:3], [(4, 7)]),
    "number": (lambda np, x: x[1, None, ..., -1], [(4, 3, 7)]),
    "places": (lambda np, x: x[:, np.array([3, 0, 0, 6])], [(4, 7)]),
    "take": (lambda np, x: np.take(x, np.array([[1, 0], [3, 3]]), 0), [(4, 7)]),
    "concatenate": (lambda np, x, y: np.concatenate([x, y, x], 1), [(4, 7), (4, 2)]),
    "stack": (lambda np, x, y: np.stack([x, y], 1), [(4, 7), (4, 7)]),
    "split": (lambda np, x: np.split(x, [2, 5], 1), [(4, 7)]),
    "pad": (lambda np, x: np.pad(x, [(1, 2), (0, 3)], constant_values=2.0), [(4, 7)]),
    "pad edge": (lambda np, x: np.pad(x, [(1, 2), (0, 3)], mode="edge"), [(4, 7)]),
    "repeat": (lambda np, x: np.repeat(x, 3, 1), [(4, 7)]),
    "tile": (lambda np, x: np.tile(x, (2, 3)), [(4, 7)]),
    "tril": (lambda np, x: np.tril(x), [(4, 7)]),
    "diagonal": (lambda np, x: np.diagonal(x, 1), [(4, 7)]),
    "sum": (lambda np, x: np.sum(x, axis=(0, 2), keepdims=True), [(4, 5, 6)]),
    "sum all": (lambda np, x: np.sum(x), [(4, 5, 6)]),
    "mean": (lambda np, x: np.mean(x, axis=1), [(4, 5, 6)]),
    "max": (lambda np, x: np.max(x, axis=-1), [(4, 5, 6)]),
    "var": (lambda np, x: np.var(x, axis=(0, 1)), [(4, 5, 6)]),
    "std": (lambda np, x: np.std(x, ddof=1), [(4, 5)]),
    "prod": (lambda np, x: np.prod(x, axis=1), [(4, 5)]),
    "argmax": (lambda np, x: np.argmax(x, axis=1), [(4, 5)]),
    "count_nonzero": (lambda np, x: np.sum(x > 0, axis=0), [(4, 5)]),
    "cumsum": (lambda np, x: np.cumsum(x, axis=1), [(4, 9)]),
    "logsumexp": (lambda np, x: np.logaddexp.reduce(x, axis=1), [(4, 9)]),
    "sort": (lambda np, x: np.sort(x, axis=1), [(4, 9)]),
    "matmul": (lambda np, x, y: np.matmul(x, y), [(3, 4, 5), (5, 6)]),
    "matmul vectors": (lambda np, x, y: np.matmul(x, y), [(5,), (2, 5, 6)]),
    "matmul batch": (lambda np, x, y: x @ y, [(3, 1, 4, 5), (2, 5, 6)]),
    "dot": (lambda np, x, y: np.dot(x, y), [(4, 5), (5, 6)]),
    "tensordot": (lambda np, x, y: np.tensordot(x, y, ((1, 2), (0, 1))), [(4, 5, 3), (5, 3, 2)]),
    "outer": (lambda np, x, y: np.outer(x, y), [(4,), (5,)]),
    "einsum": (lambda np, x, y: np.einsum("bij,bkj->bik", x, y), [(2, 4, 5), (2, 3, 5)]),
    "einsum dots": (lambda np, x, y: np.einsum("...ij,j...->i...", x, y), [(2, 4, 5), (5, 2)]),
    "einsum three": (lambda np, x, y, z: np.einsum("i,ij,j", x, y, z), [(4,), (4, 5), (5,)]),
    "softmax": (lambda np, x: softmax(np, x, 1), [(4, 9)]),
    "log_softmax": (lambda np, x: log_softmax(np, x, 0), [(4, 9)]),
    "convolution": (lambda np, x, w: convolved(np, x, w, (2, 1), (1, 1), [(1, 1), (0, 2)]), [(2, 3, 7, 6), (4, 3, 3, 2)]),
    "groups": (lambda np, x, w: convolved(np, x, w, (1,), (2,), [(1, 1)], 2), [(2, 4, 9), (6, 2, 3)]),
    "shifted convolution": (lambda np, x, w: convolved(np, x, w, (1,), (1,), [(1, -1)]), [(2, 5, 3), (4, 5, 1)]),
    "pooling": (lambda np, x: greatest(np, x, (2, 2), (2, 2), (1, 1), [(0, 0), (1, 1)], (3, 4))[0], [(2, 3, 6, 6)]),
    "window sum": (lambda np, x: window_sum(np, x, (3,), (2,), (1,), [(1, 1)], (4,)), [(2, 3, 7)]),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("small", [True, False])
def test_results_lie_within_the_blocks(name: str, small: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    function, shapes = FUNCTIONS[name]
    if not small:
        for module in ("grid", "moves", "joins", "totals"):
            monkeypatch.setattr(f"tensorproof.engines.numerics.grids.{module}.EXPAND", 0, raising=False)
    for seed in range(12):
        rng = np.random.default_rng(seed)
        pairs = [drawn(rng, shape) for shape in shapes]
        with np.errstate(all="ignore"), computed_in([FLOAT64]):
            holds(function(Numbers, *(g for _, g in pairs)), function(np, *(v for v, _ in pairs)))


def test_windows_keep_the_blocks_of_channels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds that hold 0 are those of the padding as well; a block of channels that does not hold it is distinguished."""
    monkeypatch.setattr(grids, "EXPAND", 0)
    box = Box(np.array([-1.0, -4.0]).reshape(1, 2, 1), np.array([2.0, 0.5]).reshape(1, 2, 1))
    x = Grid((2, 6, 5), ((2,), (2, 6), (5,)), box)
    made = patches(Numbers, surrounded(Numbers, x, [(1, 1)]), (3,), (1,), (1,))
    assert (made.shape, made.cuts) == ((3, 2, 6, 5), ((3,), (2,), (2, 6), (5,)))
    assert made.box.lo.ravel().tolist() == [-1.0, -4.0]
    above = Grid(x.shape, x.cuts, Box(box.lo + 4.5, box.hi + 4.5))
    assert above.alike((2, 6, 7), 0.0, 1) is None
    assert x.alike((2, 7, 5), 0.0, 1) is None


def test_forms_of_blocks_hold_their_values() -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        (a, of_a), (b, of_b) = drawn(rng, (4, 6)), drawn(rng, (4, 6))
        c, d, e = rng.normal(size=3).tolist()
        made = block_bounds(Form((4, 6), {(1, ()): c, (2, ()): d}, e, 1e-3), [of_a, of_b])
        assert made is not None
        holds(made, c * a + d * b + e + rng.uniform(-1e-3, 1e-3, (4, 6)))
