"""Reference functions of recurrent cells and of packed sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.ops.evaluation import Arguments, Undefined, plain

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def sigmoid(np: Numpy, x: Array) -> Array:
    """By tanh, which does not overflow on the way."""
    return np.multiply(0.5, np.add(1.0, np.tanh(np.multiply(0.5, x))))


def mixed(np: Numpy, share: Array, x: Array, y: Array) -> Array:
    """A share of x and the rest of y: real numbers lie between both."""
    made = np.add(np.multiply(np.subtract(1.0, share), y), np.multiply(share, x))
    return made if made.dtype.kind == "c" else np.clip(made, np.minimum(x, y), np.maximum(x, y))


def _linear(np: Numpy, x: Array, weight: Array, bias: Array | None) -> Array:
    made = np.matmul(x, weight.T)
    return made if bias is None else np.add(made, bias)


def _parts(np: Numpy, a: Arguments, count: int) -> tuple[Array, list[Array], list[Array]]:
    """The state, and what the input and the state add to each gate."""
    hidden = a["weight_hh"].shape[0] // count
    hx = a["hx"] if a["hx"] is not None else np.zeros((*a["x"].shape[:-1], a["weight_hh"].shape[1]))
    sums = (_linear(np, a["x"], a["weight_ih"], a["bias_ih"]), _linear(np, hx, a["weight_hh"], a["bias_hh"]))
    ours, theirs = ([one[..., i * hidden : (i + 1) * hidden] for i in range(count)] for one in sums)
    return hx, ours, theirs


def lstm_step(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    hx, ours, theirs = _parts(np, a, 4)
    i, f, g, o = (np.add(x, h) for x, h in zip(ours, theirs))
    cx = a["cx"] if a["cx"] is not None else np.multiply(hx, 0.0)
    state = np.add(np.multiply(sigmoid(np, f), cx), np.multiply(sigmoid(np, i), np.tanh(g)))
    return np.multiply(sigmoid(np, o), np.tanh(state)), state


def gru_step(np: Numpy, a: Arguments) -> Array:
    hx, (xr, xz, xn), (hr, hz, hn) = _parts(np, a, 3)
    r, z = sigmoid(np, np.add(xr, hr)), sigmoid(np, np.add(xz, hz))
    n = np.tanh(np.add(xn, np.multiply(r, hn)))
    return mixed(np, z, hx, n)


def rnn_step(np: Numpy, a: Arguments) -> Array:
    _, (x,), (h,) = _parts(np, a, 1)
    made = np.add(x, h)
    return np.tanh(made) if a["nonlinearity"] == "tanh" else np.maximum(made, 0)


def packed(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    """The rows of all sequences, step by step, the longest sequence first."""
    x = np.swapaxes(a["x"], 0, 1) if a["batch_first"] else a["x"]
    lengths = [int(n) for n in plain(np, a["lengths"])]
    if not a["enforce_sorted"] and len(set(lengths)) < len(lengths):
        raise Undefined("the order of sequences of the same length")
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    steps = range(min(max(lengths), x.shape[0]))
    rows = [x[step, i] for step in steps for i in order if lengths[i] > step]
    return np.stack(rows), np.array([sum(n > step for n in lengths) for step in range(max(lengths))])


def padded_again(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    x, sizes = a["x"], [int(n) for n in plain(np, a["batch_sizes"])]
    batch, steps, trailing = sizes[0], a["total_length"] or len(sizes), x.shape[1:]
    made, at = [], 0
    for size in sizes:
        widths = [(0, batch - size), *[(0, 0)] * len(trailing)]
        made.append(np.pad(x[at : at + size], widths, constant_values=a["padding_value"]))
        at += size
    whole = np.pad(np.stack(made), [(0, steps - len(sizes)), (0, 0), *[(0, 0)] * len(trailing)], constant_values=a["padding_value"])
    lengths = np.array([sum(size > i for size in sizes) for i in range(batch)])
    return (np.swapaxes(whole, 0, 1) if a["batch_first"] else whole), lengths


def padded_together(np: Numpy, a: Arguments) -> Array:
    xs, longest = a["xs"], max(x.shape[0] for x in a["xs"])
    trailing = xs[0].shape[1:]
    made = []
    for given in xs:
        x = given if given.dtype.kind == xs[0].dtype.kind else given.astype(xs[0].dtype)  # all go into one of the first's element type
        spare, full = longest - x.shape[0], np.broadcast_to(x, (x.shape[0], *trailing))
        side = (spare, 0) if a["padding_side"] == "left" else (0, spare)
        made.append(np.pad(full, [side, *[(0, 0)] * len(trailing)], constant_values=a["padding_value"]))
    return np.stack(made, 0 if a["batch_first"] else 1)


def taken_apart(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    x = a["x"] if a["batch_first"] else np.swapaxes(a["x"], 0, 1)
    return tuple(x[i, : int(n)] for i, n in enumerate(plain(np, a["lengths"])))
