"""`torch.nn.init`: the ends or the deviation that follow from the number of inputs and outputs of a unit."""

from __future__ import annotations

from math import prod, sqrt
from typing import Any

from tensorproof.bindings.adapters import Run, Value, takes
from tensorproof.ops.inputs import Choice, Float
from tensorproof.terms.tensor import TensorType

_SLOPE = 0.01
_GAINS = {"tanh": 5.0 / 3, "relu": sqrt(2.0), "selu": 0.75}
_PLAIN = "sigmoid linear conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d"
"""Functions with a gain of 1."""
_NONLINEARITIES = ("leaky_relu", *_GAINS, *_PLAIN.split())


def _fans(x: TensorType) -> tuple[int, int] | None:
    """How many inputs and outputs a unit has; None where a size is not known, or is 0, where nothing is drawn."""
    if not x.shape.known or not all(type(n) is int and n > 0 for n in x.shape):
        return None
    rows, columns, *field = (int(n) for n in x.shape)
    return columns * prod(field), rows * prod(field)


def _xavier(a: dict[str, Any]) -> float | None:
    fans, gain = _fans(a["x"]), a["gain"]
    return float(gain) * sqrt(2.0 / sum(fans)) if fans is not None and isinstance(gain, (int, float)) else None


def gain(word: str, slope: Value) -> float | None:
    """What a function makes of the deviation; None where its slope is not known, or it has none."""
    if word not in _NONLINEARITIES:
        return None
    if word != "leaky_relu":
        return _GAINS.get(word, 1.0)
    known = _SLOPE if slope is None else slope
    return sqrt(2.0 / (1 + known**2)) if isinstance(known, (int, float)) else None


def _kaiming(a: dict[str, Any], run: Run) -> float | None:
    fans, slope, word, mode = _fans(a["x"]), a["a"], a["nonlinearity"], a["mode"]
    if fans is None or not isinstance(word, str) or not isinstance(mode, str):
        return None
    run.require("mode", mode.lower() in ("fan_in", "fan_out"), f"the mode is fan_in or fan_out, and not {mode!r}", ("mode",))
    run.require("nonlinearity", word in _NONLINEARITIES, f"no gain is known for {word!r}", ("nonlinearity",))
    factor = gain(word, slope)
    return None if factor is None else factor / sqrt(fans[mode.lower() == "fan_out"])


def _uniform(a: dict[str, Value], run: Run, std: float | None) -> TensorType:
    end = None if std is None else sqrt(3.0) * std
    return run("uniform_fill", x=a["x"], low=None if end is None else -end, high=end)


def xavier_uniform(a: dict[str, Value], run: Run) -> TensorType:
    return _uniform(a, run, _xavier(a))


def xavier_normal(a: dict[str, Value], run: Run) -> TensorType:
    return run("normal_fill", x=a["x"], mean=0.0, std=_xavier(a))


_KAIMING = (Float("a", 0), Choice("mode", ("fan_in", "fan_out"), "fan_in"), Choice("nonlinearity", _NONLINEARITIES, "leaky_relu"))


@takes(*_KAIMING)
def kaiming_uniform(a: dict[str, Value], run: Run) -> TensorType:
    return _uniform(a, run, _kaiming(a, run))


@takes(*_KAIMING)
def kaiming_normal(a: dict[str, Value], run: Run) -> TensorType:
    return run("normal_fill", x=a["x"], mean=0.0, std=_kaiming(a, run))
