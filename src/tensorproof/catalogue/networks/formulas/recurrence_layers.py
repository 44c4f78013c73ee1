"""What recurrent layers of several levels and directions compute, from the weights of each; sequences may be packed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.networks.formulas.recurrence_steps import gru_step, lstm_step, rnn_step
from tensorproof.ops.evaluation import Arguments, Undefined, named, plain

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy

States = tuple["Array", ...]
Step = Callable[["Array", States], States]


def _step(np: Numpy, a: Arguments, kind: str, weights: Sequence[Array]) -> Step:
    """One step: the states from those before. `weights` are two matrices, two vectors where there are any, and the projection of the state."""
    biases = weights[2:4] if len(weights) >= 4 else (None, None)
    shared: dict[str, Any] = {"weight_ih": weights[0], "weight_hh": weights[1], "bias_ih": biases[0], "bias_hh": biases[1]}
    shared["nonlinearity"] = a.get("nonlinearity")
    shrink = weights[-1] if a.get("proj_size") else None

    def step(x: Array, states: States) -> States:
        if kind != "lstm":
            return ((gru_step if kind == "gru" else rnn_step)(np, named(**shared, x=x, hx=states[0])),)
        h, c = lstm_step(np, named(**shared, x=x, hx=states[0], cx=states[1]))
        return (h if shrink is None else np.matmul(h, np.transpose(shrink))), c

    return step


def _walked(np: Numpy, rows: list[Array], states: States, step: Step, backwards: bool) -> tuple[list[Array], States]:
    """The outputs of all steps, and the last states. Later steps may have fewer rows: those of the sequences that are longest."""
    made: dict[int, Array] = {}
    for t in reversed(range(len(rows))) if backwards else range(len(rows)):
        count = rows[t].shape[0]
        now = step(rows[t], tuple(s[:count] for s in states))
        states = tuple(np.concatenate([new, s[count:]]) for new, s in zip(now, states))
        made[t] = now[0]
    return [made[t] for t in range(len(rows))], states


def _rows(np: Numpy, a: Arguments) -> list[Array]:
    """What each step takes: rows of sequences."""
    x = a["x"]
    if a["batch_sizes"] is not None:
        sizes = [int(n) for n in plain(np, a["batch_sizes"])]
        return [x[sum(sizes[:t]) : sum(sizes[: t + 1])] for t in range(len(sizes))]
    if len(x.shape) == 2:
        return [x[t : t + 1] for t in range(x.shape[0])]
    return [x[:, t] for t in range(x.shape[1])] if a["batch_first"] else [x[t] for t in range(x.shape[0])]


def _outputs(np: Numpy, a: Arguments, rows: list[Array]) -> Array:
    if a["batch_sizes"] is not None:
        return np.concatenate(rows)
    if len(a["x"].shape) == 2:
        return np.concatenate(rows)
    return np.stack(rows, 1 if a["batch_first"] else 0)


def _first(np: Numpy, a: Arguments, name: str, count: int, size: int) -> Array:
    """The first states (levels times directions, batch, size)."""
    given = a[name]
    if given is None:
        batch = a["packed_batch"] if a["batch_sizes"] is not None else 1 if len(a["x"].shape) == 2 else a["x"].shape[0 if a["batch_first"] else 1]
        return np.zeros((count, batch or 0, size))
    return np.expand_dims(given, 1) if len(given.shape) == 2 else given


def layers(kind: str) -> Callable[[Any, Arguments], Any]:
    def evaluate(np: Numpy, a: Arguments) -> tuple[Array, ...]:
        levels, directions, params = a["num_layers"], 2 if a["bidirectional"] else 1, a["params"]
        if not params or len(params) % (levels * directions) or (a["dropout"] and levels > 1) or (a["packed_batch"] is not None and a["batch_sizes"] is None):
            raise Undefined("weights that are not given, or elements that are dropped at random")
        each, rows, last = len(params) // (levels * directions), _rows(np, a), []
        names = ("hx", "cx") if kind == "lstm" else ("hx",)
        sizes = (a.get("proj_size") or a["hidden_size"], a["hidden_size"])
        firsts = [_first(np, a, name, levels * directions, size) for name, size in zip(names, sizes)]
        for level in range(levels):
            found = []
            for direction in range(directions):
                at = level * directions + direction
                step = _step(np, a, kind, params[at * each : (at + 1) * each])
                made, states = _walked(np, rows, tuple(first[at] for first in firsts), step, bool(direction))
                found.append(made)
                last.append(states)
            rows = [np.concatenate(parts, axis=-1) for parts in zip(*found)]
        flat = len(a["x"].shape) == 2 and a["batch_sizes"] is None
        ends = [np.concatenate(part) if flat else np.stack(part) for part in zip(*last)]
        return (_outputs(np, a, rows), *ends)

    return evaluate
