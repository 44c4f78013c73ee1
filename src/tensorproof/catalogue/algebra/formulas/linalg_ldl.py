"""Factors of symmetric matrices with pivots by Bunch and Kaufman, as LAPACK keeps them in the lower half, and systems solved by them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tensorproof.ops.evaluation import Arguments, plain

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy

_ALPHA = (1 + math.sqrt(17)) / 8


def _size(np: Numpy, x: Array) -> Array:
    return np.abs(x.real) + np.abs(x.imag)


def _pivot(np: Numpy, x: Array, k: int) -> tuple[int, int]:
    """The row that comes to the place k, and whether one or two columns are taken at once."""
    column = _size(np, x[k + 1 :, k])
    own, most = float(_size(np, x[k, k])), float(np.max(column, initial=0.0))
    if not max(own, most) > 0 or own >= _ALPHA * most:
        return k, 1
    at = k + 1 + int(np.argmax(column))
    beside = max(float(np.max(_size(np, x[at, k:at]))), float(np.max(_size(np, x[at + 1 :, at]), initial=0.0)))
    if own >= _ALPHA * most * (most / beside):
        return k, 1
    return at, 1 if float(_size(np, x[at, at])) >= _ALPHA * beside else 2


def _exchanged(x: Any, k: int, to: int, at: int, step: int, turned: Any) -> None:
    """Rows and columns `to` and `at` exchanged in the lower half, from the column k on."""
    x[at + 1 :, to], x[at + 1 :, at] = x[at + 1 :, at].copy(), x[at + 1 :, to].copy()
    x[to + 1 : at, to], x[at, to + 1 : at] = turned(x[at, to + 1 : at]).copy(), turned(x[to + 1 : at, to]).copy()
    x[at, to] = turned(x[at, to])
    x[to, to], x[at, at] = x[at, at].copy(), x[to, to].copy()
    if step == 2:
        x[to, k], x[at, k] = x[at, k].copy(), x[to, k].copy()


def _factored(np: Numpy, matrix: Array, hermitian: bool) -> tuple[Array, Array, int]:
    """The factors in place of the lower half, the pivots (from 1 on, negative for two columns), and the first column without a pivot."""
    x, n, k, status = matrix.copy(), len(matrix), 0, 0
    pivots = np.zeros(n, np.int64)
    turned = np.conj if hermitian else np.copy
    if hermitian:
        x[np.arange(n), np.arange(n)] = np.diagonal(x).real
    while k < n:
        at, step = _pivot(np, x, k)
        last = k + step - 1
        if not x[k, k] and at == k and not np.any(x[k + 1 :, k]):
            status = status or k + 1
            pivots[k], k = k + 1, k + 1
            continue
        if at != last:
            _exchanged(x, k, last, at, step, turned)
        below = slice(last + 1, n)
        columns = x[below, k : last + 1]
        block = np.tril(x[k : last + 1, k : last + 1])
        block = block + np.swapaxes(turned(np.tril(block, -1)), 0, 1)
        scaled = np.matmul(columns, np.linalg.inv(block))
        x[below, below] -= np.matmul(scaled, np.swapaxes(turned(columns), 0, 1))
        x[below, k : last + 1] = scaled
        pivots[k : last + 1] = at + 1 if step == 1 else -(at + 1)
        k = last + 1
    return x, pivots, status


def ldl_status(np: Numpy, a: Arguments) -> tuple[Array, Array, Array]:
    x = a["x"]
    lead, n = x.shape[:-2], x.shape[-1]
    if hasattr(x, "of"):
        return x.of("span", x.shape), x.of("span", x.shape[:-1], -n, n, False, True), x.of("span", lead, 0, n, False, True)
    made = [_factored(np, one, bool(a["hermitian"])) for one in x.reshape((-1, n, n))] if x.size else []
    if not made:
        return np.zeros(x.shape, x.dtype), np.zeros(x.shape[:-1], np.int64), np.zeros(lead, np.int64)
    factors, pivots, status = (np.stack(parts) for parts in zip(*made))
    return np.tril(factors).reshape(x.shape), pivots.reshape(x.shape[:-1]), status.reshape(lead)


def ldl(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    return ldl_status(np, a)[:2]


def _solved(np: Numpy, x: Array, pivots: list[int], rows: list[Array], hermitian: bool) -> Array:
    """The two triangular systems with the blocks between them."""
    turned = np.conj if hermitian else np.copy
    n, k, blocks = len(rows), 0, []
    while k < n:
        step, at = (1, pivots[k] - 1) if pivots[k] > 0 else (2, -pivots[k] - 1)
        last = k + step - 1
        rows[last], rows[at] = rows[at], rows[last]
        for i in range(last + 1, n):
            rows[i] = rows[i] - sum(x[i, j] * rows[j] for j in range(k, last + 1))
        if step == 1:
            rows[k] = rows[k] / (np.real(x[k, k]) if hermitian else x[k, k])
        else:
            below = x[k + 1, k]
            above = turned(below)
            first, second = x[k, k] / above, x[k + 1, k + 1] / below
            top, bottom, divisor = rows[k] / above, rows[k + 1] / below, first * second - 1
            rows[k], rows[k + 1] = (second * top - bottom) / divisor, (first * bottom - top) / divisor
        blocks.append((k, last, at))
        k = last + 1
    for k, last, at in reversed(blocks):
        for j in range(k, last + 1):
            for i in range(last + 1, n):
                rows[j] = rows[j] - turned(x[i, j]) * rows[i]
        rows[last], rows[at] = rows[at], rows[last]
    return np.stack(rows) if rows else np.zeros((0,))


def ldl_solution(np: Numpy, a: Arguments) -> Array:
    x, y, pivots = a["x"], a["y"], plain(np, a["pivots"])
    n, lead = x.shape[-1], np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    shape = (*lead, *y.shape[-2:])
    x, y = (np.broadcast_to(v, (*lead, *v.shape[-2:])).reshape((-1, *v.shape[-2:])) for v in (x, y))
    if not n or 0 in shape:
        return np.zeros(shape)
    signs = np.broadcast_to(pivots, (*lead, n)).reshape((-1, n))
    each = [_solved(np, m, [int(p) for p in sign], [rows[i] for i in range(n)], bool(a["hermitian"])) for m, sign, rows in zip(x, signs, y)]
    return np.stack(each).reshape(shape)
