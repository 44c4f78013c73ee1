"""A call of a convolution, as its parts: what the rules over convolutions ask of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.arrays import Array, stored
from tensorproof.equivalence.call import Call, Input
from tensorproof.equivalence.dialects import Dialect

_NAME = re.compile(r"conv([123])d")


def is_convolution(api: Api) -> bool:
    """Whether it is a plain convolution with the arguments of `torch.nn.functional.conv2d`, or a layer of it."""
    theirs = {a.theirs for row in api.rows for a in row.arguments}
    return bool(_NAME.fullmatch(api.op)) and {"stride", "dilation", "groups"} <= theirs and "transposed" not in theirs and "._" not in api.name


@dataclass(frozen=True, slots=True)
class Convolution:
    """`x`, `weight` and `bias` are texts; `sizes` those of the kernel. `padding` is "same", "valid" or one number for each axis."""

    call: Call
    axes: int
    x: str
    channels: int
    label: str
    weight: str
    bias: str
    sizes: tuple[int, ...]
    stride: tuple[int, ...]
    padding: str | tuple[int, ...]
    dilation: tuple[int, ...]
    groups: int
    mode: str

    @property
    def channel(self) -> int:
        """The axis of the channels, from the end."""
        return -self.axes - 1

    @property
    def plain(self) -> str:
        return f"torch.nn.functional.conv{self.axes}d"

    def but(self, **changes: Any) -> Convolution:
        return replace(self, **changes)

    def setup(self, dialect: Dialect, **given: Any) -> str:
        """The lines that make the layer; nothing for a function. `given` are arguments of the constructor."""
        if self.call.init is None:
            return ""
        shared = {"stride": self.stride, "padding": self.padding, "dilation": self.dilation, "groups": self.groups, "padding_mode": self.mode, **given}
        made = self.call.but(init={**self.call.init, **shared}).setup(dialect)
        return f"{made}\nlayer({self.x})" if "Lazy" in self.call.api.name else made

    def text(self, dialect: Dialect) -> str:
        """The call under its public name; that of the layer for a layer."""
        if self.call.init is not None:
            return f"layer({self.x})"
        return self.written(dialect.spelled(self.call.api.name))

    def written(self, function: str = "", x: str = "", **given: Any) -> str:
        """As a call of a function; the plain one when none is named."""
        shared = {"stride": self.stride, "padding": self.padding, "dilation": self.dilation, "groups": self.groups, **given}
        return f"{function or self.plain}({x or self.x}, {self.weight}, {self.bias}, {', '.join(f'{k}={v!r}' for k, v in shared.items())})"

    def drawn(self, shape: tuple[int, ...]) -> Array:
        """Numbers for a kernel of that shape."""
        import numpy as np

        source = np.random.default_rng(Random(f"{self.call.number}:{shape}").getrandbits(64))
        whole = self.label.startswith(("int", "uint"))
        numbers = source.integers(0, 3, shape) if whole else np.round(source.uniform(-1, 1, shape), 2)
        return Array(self.label, numbers.astype(stored(self.label)))


def convolution(call: Call) -> Convolution | None:
    """The parts of a call; None where one of them is missing or of another form."""
    found = _NAME.fullmatch(call.api.op)
    given = {**(call.init or {}), **{k: v for k, v in call.bound().items() if v is not None}}
    x, weight = given.get("input"), given.get("weight")
    if found is None or not isinstance(x, Input) or call.inputs[x.name].data.ndim < int(found.group(1)) + 1:
        return None
    axes, data = int(found.group(1)), call.inputs[x.name]
    layer = call.init is not None
    if not layer and not isinstance(weight, Input):
        return None
    sizes = each_axis(given["kernel_size"], axes) if layer else call.inputs[weight.name].shape[2:] if isinstance(weight, Input) else ()
    padding = given.get("padding", 0)
    bias = given.get("bias")
    return Convolution(
        call, axes, x.name, data.shape[-axes - 1], data.label, "layer.weight" if layer else getattr(weight, "name", ""),
        "layer.bias" if layer else bias.name if isinstance(bias, Input) else "None", sizes, each_axis(given.get("stride", 1), axes),
        padding if isinstance(padding, str) else each_axis(padding, axes), each_axis(given.get("dilation", 1), axes), int(given.get("groups", 1)),
        given.get("padding_mode", "zeros"),
    )  # fmt: skip


def each_axis(value: Any, axes: int) -> tuple[int, ...]:
    """One number for each axis."""
    items = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    return items * axes if len(items) == 1 else items


def padded(x: str, sides: list[tuple[int, int]], mode: str = "zeros", value: str = "") -> str:
    """The text that pads the last axes; `sides` has an entry for each of them, the first axis first."""
    amounts = [n for pair in reversed(sides) for n in pair]
    how = "" if mode == "zeros" else f", mode={mode!r}"
    return f"torch.nn.functional.pad({x}, {amounts}{how}{f', value={value}' if value else ''})"


def same_sides(sizes: tuple[int, ...], dilation: tuple[int, ...]) -> list[tuple[int, int]]:
    """How much "same" pads before and behind each axis."""
    whole = [d * (k - 1) for k, d in zip(sizes, dilation)]
    return [(n // 2, n - n // 2) for n in whole]
