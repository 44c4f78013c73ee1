"""Reference functions of layers as ONNX has them."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.networks.formulas.recurrence_steps import sigmoid
from tensorproof.ops.evaluation import Arguments
from tensorproof.ops.mathematics import beside
from tensorproof.ops.record import Evaluate

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def gemm(np: Numpy, a: Arguments) -> Array:
    x, y = a["x"].T if a["transpose_x"] else a["x"], a["y"].T if a["transpose_y"] else a["y"]
    made = np.multiply(a["alpha"], np.matmul(x, y))
    return made if a["bias"] is None else np.add(made, np.multiply(a["beta"], a["bias"]))


def swish_product(np: Numpy, a: Arguments) -> Array:
    return np.multiply(np.multiply(a["x"], sigmoid(np, np.multiply(a["alpha"], a["x"]))), a["y"])


# --- normalisations ---


def _standard(np: Numpy, x: Array, over: tuple[int, ...], eps: float) -> tuple[Array, Array, Array]:
    mean = np.mean(x, axis=over, keepdims=True)
    inverse = np.divide(1.0, np.sqrt(np.add(np.var(x, axis=over, keepdims=True), eps)))
    return np.multiply(np.subtract(x, mean), inverse), mean, inverse


def batch_norm(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    """The momentum is the part of the running statistics that stays."""
    x, keep = a["x"], a["momentum"]
    over = tuple(i for i in range(x.ndim) if i != 1)
    mean, var = (np.mean(x, axis=over), np.var(x, axis=over)) if a["training"] else (a["running_mean"], a["running_var"])
    held = [np.reshape(v, (-1, *[1] * (x.ndim - 2))) for v in (a["weight"], a["bias"], mean, var)]
    made = held[0] * (x - held[2]) / np.sqrt(held[3] + a["eps"]) + held[1]
    running = (a["running_mean"] * keep + mean * (1 - keep), a["running_var"] * keep + var * (1 - keep))
    return (made, *running, mean, var)[: a["outputs"]]


def group_norm(np: Numpy, a: Arguments) -> Array:
    x, groups = a["x"], a["groups"]
    split = np.reshape(x, (x.shape[0], groups, prod(x.shape[1:]) // groups))
    made, *_ = _standard(np, split, (2,), a["eps"])
    weight, bias = (np.reshape(a[name], (groups, 1)) for name in ("weight", "bias"))
    return np.reshape(np.add(np.multiply(made, weight), bias), x.shape)


def unit_length(np: Numpy, a: Arguments) -> Array:
    x, dim = a["x"], a["dim"]
    size = np.sum(np.absolute(x), axis=dim, keepdims=True) if a["p"] == 1 else np.sqrt(np.sum(np.square(x), axis=dim, keepdims=True))
    return np.where(size == 0, 0.0, np.divide(x, np.where(size == 0, 1.0, size)))


def standardised(np: Numpy, a: Arguments) -> Array:
    """The variance is the mean of the squares less the square of the mean, which cancel."""
    x, over = a["x"], tuple(a["dim"])
    variance, squares = np.var(x, axis=over, keepdims=True), np.sum(np.square(x), axis=over, keepdims=True)
    if hasattr(variance, "of") and a["results"][0] is not None:
        slack = np.multiply(8.0 * a["results"][0].step, squares)
        variance = np.subtract(variance, slack).of("either", np.add(variance, slack))
    made = np.divide(np.subtract(x, np.mean(x, axis=over, keepdims=True)), np.add(np.sqrt(variance), 1e-9))
    return beside(np, made, squares)


# --- recurrences, with the activations that ONNX takes where none are named ---


def _step(np: Numpy, name: str, x: list[Array], h: list[Any], c: Array, peephole: Array | None, hidden: int, before: Array) -> tuple[Array, Array]:
    """One step, from what the input and the state add to each gate (both biases in x's part but for the last gate of gru)."""
    if name == "rnn":
        return np.tanh(np.add(x[0], h[0])), c
    if name == "gru":
        z, r = sigmoid(np, np.add(x[0], h[0])), sigmoid(np, np.add(x[1], h[1]))
        n = np.tanh(np.add(x[2], h[2](r)))
        return np.add(np.multiply(np.subtract(1.0, z), n), np.multiply(z, before)), c
    pi, po, pf = (0.0, 0.0, 0.0) if peephole is None else (peephole[i * hidden : (i + 1) * hidden] for i in range(3))
    i, f = (sigmoid(np, np.add(np.add(x[k], h[k]), np.multiply(p, c))) for k, p in ((0, pi), (2, pf)))
    state = np.add(np.multiply(f, c), np.multiply(i, np.tanh(np.add(x[3], h[3]))))
    o = sigmoid(np, np.add(np.add(x[1], h[1]), np.multiply(po, state)))
    return np.multiply(o, np.tanh(state)), state


def _direction(np: Numpy, a: Arguments, name: str, gates: int, d: int, x: Array, start: tuple[Array, Array]) -> tuple[Array, Array, Array]:
    """All states of one direction over x (time, batch, input), the last state, and the last cell."""
    w, r, hidden = a["weight_ih"][d], a["weight_hh"][d], a["weight_hh"].shape[2]
    bias = a["bias"][d] if a["bias"] is not None else np.zeros((2 * gates * hidden,))
    peepholes: Array | None = a.get("peephole")
    peephole = peepholes[d] if peepholes is not None else None
    cut = [slice(i * hidden, (i + 1) * hidden) for i in range(2 * gates)]
    h, c = start
    made = []
    for step in range(x.shape[0]):
        ours = [np.add(np.matmul(x[step], w[cut[i]].T), bias[cut[i]]) for i in range(gates)]
        theirs: list[Any] = [np.add(np.matmul(h, r[cut[i]].T), bias[cut[gates + i]]) for i in range(gates)]
        if name == "gru":
            linear, before = theirs[2], h
            theirs[2] = (
                (lambda gate, linear=linear: np.multiply(gate, linear))
                if a["linear_before_reset"]
                else (lambda gate, before=before: np.add(np.matmul(np.multiply(gate, before), r[cut[2]].T), bias[cut[gates + 2]]))
            )
        h, c = _step(np, name, ours, theirs, c, peephole, hidden, h)
        made.append(h)
    return np.stack(made) if made else np.zeros((0, x.shape[1], hidden)), h, c


def recurrence(name: str, gates: int) -> Evaluate:
    def evaluate(np: Numpy, a: Arguments) -> tuple[Array, ...]:
        x = np.swapaxes(a["x"], 0, 1) if a["batch_first"] else a["x"]
        hidden, batch = a["weight_hh"].shape[2], x.shape[1]
        found = []
        for d in range(a["weight_hh"].shape[0]):
            starts = []
            for key in ("hx", "cx"):
                given = a.get(key)
                starts.append(np.zeros((batch, hidden)) if given is None else given[:, d] if a["batch_first"] else given[d])
            back = a["direction"] == "reverse" or d == 1
            states, h, c = _direction(np, a, name, gates, d, np.flip(x, 0) if back else x, (starts[0], starts[1]))
            found.append((np.flip(states, 0) if back else states, h, c))
        every, last, cells = np.stack([f[0] for f in found], 1), np.stack([f[1] for f in found]), np.stack([f[2] for f in found])
        if a["batch_first"]:
            every, last, cells = np.transpose(every, (2, 0, 1, 3)), np.swapaxes(last, 0, 1), np.swapaxes(cells, 0, 1)
        return (every, last, cells) if name == "lstm" else (every, last)

    return evaluate
