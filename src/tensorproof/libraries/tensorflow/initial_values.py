"""Between which numbers the initialisers of TensorFlow and Keras draw, and variables that start there."""

from __future__ import annotations

import math
from typing import Any

from tensorproof.terms.tensor import TensorType
from tensorproof.values import Args, Key, Kwargs, Machine, Model, Value, slot

CLASS: Key[str] = slot("class")
GIVEN: Key[Kwargs] = slot("given")
Span = tuple[float, float]
FARTHEST = 8.0
"""How many standard deviations from its mean a normal number is drawn at most."""
_TRUNCATED = 2.0 / 0.8796256610342398
"""How far variance scaling draws from a truncated normal distribution, whose standard deviation is made up for."""
_ORDERS = {
    "constant": "value", "randomnormal": "mean stddev", "truncatednormal": "mean stddev", "randomuniform": "minval maxval",
    "variancescaling": "scale mode distribution", "orthogonal": "gain", "identity": "gain",
}  # fmt: skip
_SCALED = {"glorot": (1.0, "fan_avg"), "he": (2.0, "fan_in"), "lecun": (1.0, "fan_in")}
_OTHER_NAMES = {"normal": "randomnormal", "uniform": "randomuniform", "one": "ones", "zero": "zeros"}


def word(name: str) -> str:
    """`tf.random_normal_initializer`, `RandomNormal` and `random_normal` are one."""
    plain = name.rpartition(".")[2].replace("_", "").lower().removesuffix("initializer")
    return _OTHER_NAMES.get(plain, plain)


def given(name: str, args: Args, kwargs: Kwargs) -> dict[str, Any]:
    """The arguments of an initialiser by name."""
    return {**dict(zip(_ORDERS.get(word(name), "").split(), args)), **kwargs}


def span(name: str, arguments: dict[str, Value], sizes: tuple[Value, ...], keras: bool = True) -> Span | None:
    """The least and the greatest number that an initialiser gives; None where that is not known. TensorFlow 1 has other defaults than version 2."""
    kind = word(name)
    if kind in ("ones", "zeros"):
        return (1.0, 1.0) if kind == "ones" else (0.0, 0.0)
    numbers = {k: v for k, v in arguments.items() if isinstance(v, (int, float)) and not isinstance(v, bool)}
    if any(k in arguments and k not in numbers for k in ("value", "mean", "stddev", "minval", "maxval", "scale", "gain")):
        return None
    if kind == "constant":
        value = float(numbers.get("value", 0.0))
        return value, value
    if kind in ("randomnormal", "truncatednormal"):
        mean, far = numbers.get("mean", 0.0), FARTHEST if kind == "randomnormal" else 2.0
        far *= abs(numbers.get("stddev", 0.05 if keras else 1.0))
        return mean - far, mean + far
    if kind == "randomuniform":
        low, high = numbers.get("minval", -0.05), numbers.get("maxval", 0.05 if keras else 1.0)
        return (low, high) if low <= high else None
    if kind in ("orthogonal", "identity"):
        gain = abs(numbers.get("gain", 1.0))
        return -gain, gain
    return _scaled(kind, arguments, numbers, sizes)


def _scaled(kind: str, arguments: dict[str, Any], numbers: dict[str, Any], sizes: tuple[Any, ...]) -> Span | None:
    """Variance scaling, by the number of inputs and outputs of a layer."""
    base = next((known for known in _SCALED if kind in (f"{known}uniform", f"{known}normal")), "")
    scale, mode = _SCALED.get(base, (numbers.get("scale", 1.0), arguments.get("mode", "fan_in")))
    uniform = kind.endswith("uniform") if base else arguments.get("distribution", "truncated_normal") == "uniform"
    if (not base and kind != "variancescaling") or not all(isinstance(n, int) and n > 0 for n in sizes) or scale < 0:
        return None
    rest = math.prod(sizes[:-2])
    inputs, outputs = (sizes[-2] * rest, sizes[-1] * rest) if len(sizes) > 1 else (sizes[0],) * 2 if sizes else (1, 1)
    fan = {"fan_in": inputs, "fan_out": outputs}.get(mode, (inputs + outputs) / 2)
    plain = not base and arguments.get("distribution") == "untruncated_normal"
    most = math.sqrt(scale / max(1.0, fan)) * (math.sqrt(3.0) if uniform else FARTHEST if plain else _TRUNCATED)
    return -most, most


def of(initial: Value, sizes: Args) -> Span | None:
    """The same of what a program hands over as an initialiser: a name, or an object that Keras or TensorFlow 1 made."""
    if isinstance(initial, str):
        return span(initial, {}, sizes)
    if isinstance(initial, Model) and isinstance(initial.space.get(GIVEN), dict):
        return span(initial.space[CLASS], initial.space[GIVEN], sizes, initial.kind == "keras.word")
    return None


def started(m: Machine, variable: TensorType, ends: Span | None) -> TensorType:
    """Record that a variable starts from numbers between these."""
    if ends is None or m.path.program is None or not variable.shape.known:
        return variable
    start = m.path.source(TensorType(variable.shape, variable.dtype, framework=variable.framework), "initial value", *ends, drawn=True)
    return m.path.same(start, variable)
