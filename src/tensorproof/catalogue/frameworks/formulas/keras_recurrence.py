"""What Keras's recurrent layers and cells compute: gates side by side in the kernels, steps along the second axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.networks.formulas.recurrence_steps import mixed, sigmoid
from tensorproof.ops.evaluation import Arguments, Undefined

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy

States = tuple[Any, ...]
_ACTIVATIONS: dict[Any, Callable[[Numpy, Array], Array]] = {
    None: lambda np, x: x,
    "linear": lambda np, x: x,
    "tanh": lambda np, x: np.tanh(x),
    "sigmoid": sigmoid,
    "relu": lambda np, x: np.maximum(x, 0.0),
    "hard_sigmoid": lambda np, x: np.clip(x / 6 + 0.5, 0.0, 1.0),
}


def _activation(a: Arguments, name: str) -> Callable[[Numpy, Array], Array]:
    if not (a[name] is None or isinstance(a[name], str)) or a[name] not in _ACTIVATIONS:
        raise Undefined(f"a step with the activation {a[name]}")
    return _ACTIVATIONS[a[name]]


def _with(np: Numpy, x: Array, bias: Array | None) -> Array:
    return x if bias is None else np.add(x, bias)


def _parts(x: Array, count: int) -> list[Array]:
    size = x.shape[-1] // count
    return [x[..., i * size : (i + 1) * size] for i in range(count)]


def _simple(np: Numpy, a: Arguments, x: Array, states: States) -> States:
    made = _activation(a, "activation")(np, _with(np, np.matmul(x, a["kernel"]), a["bias"]) + np.matmul(states[0], a["recurrent_kernel"]))
    return (made,)


def _lstm(np: Numpy, a: Arguments, x: Array, states: States) -> States:
    gate, curve = _activation(a, "recurrent_activation"), _activation(a, "activation")
    summed = _with(np, np.matmul(x, a["kernel"]) + np.matmul(states[0], a["recurrent_kernel"]), a["bias"])
    entry, forget, candidate, output = _parts(summed, 4)
    carried = gate(np, forget) * states[1] + gate(np, entry) * curve(np, candidate)
    return gate(np, output) * curve(np, carried), carried


def _gru(np: Numpy, a: Arguments, x: Array, states: States) -> States:
    """The reset gate acts on the state before its map, or after (`reset_after`)."""
    gate, curve, bias, h = _activation(a, "recurrent_activation"), _activation(a, "activation"), a["bias"], states[0]
    after = bool(a["reset_after"])
    ours = bias if bias is None or not after else bias[0]
    update, reset, candidate = _parts(_with(np, np.matmul(x, a["kernel"]), ours), 3)
    kernels = _parts(a["recurrent_kernel"], 3)
    theirs: Sequence[Array | None] = [None] * 3 if bias is None or not after else _parts(bias[1], 3)
    z, r = (gate(np, mine + _with(np, np.matmul(h, kernel), own)) for mine, kernel, own in zip((update, reset), kernels, theirs))
    held = r * _with(np, np.matmul(h, kernels[2]), theirs[2]) if after else np.matmul(r * h, kernels[2])
    new = curve(np, candidate + held)
    return (mixed(np, z, h, new) if a["recurrent_activation"] in ("sigmoid", "hard_sigmoid") else z * h + (1 - z) * new,)


_STEPS = {1: _simple, 3: _gru, 4: _lstm}


def cell(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    if not a["alone"]:
        raise Undefined("elements that are dropped at random")
    made = _STEPS[a["gates"]](np, a, a["x"], a["states"])
    return (made[0], *made)


def layer(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    """Backwards, the outputs stand in the order in which they are made."""
    if not a["alone"]:
        raise Undefined("steps that a mask leaves out, elements that are dropped at random, or states from calls before")
    x, units = a["x"], a["recurrent_kernel"].shape[0]
    states: States = a["states"] if a["states"] is not None else tuple(np.zeros((x.shape[0], units)) for _ in range(a["count"]))
    made = []
    for t in reversed(range(x.shape[1])) if a["backwards"] else range(x.shape[1]):
        states = _STEPS[a["gates"]](np, a, x[:, t], states)
        made.append(states[0])
    output = np.stack(made, 1) if a["return_sequences"] else states[0]
    return (output, *states) if a["return_state"] else (output,)
