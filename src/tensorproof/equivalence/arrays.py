"""Concrete arrays: the inputs of a call, and results as plain data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, SupportsFloat

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[Any]

STORED = {"bfloat16": "float32", "float8_e4m3fn": "float32", "float8_e5m2": "float32"}
"""Element types that NumPy has not, and the type in which their numbers are kept here."""


def stored(label: str) -> str:
    return STORED.get(label, label)


@dataclass(frozen=True, slots=True)
class Array:
    """An element type and numbers. `data` is a NumPy array, of another type where NumPy has not that one."""

    label: str
    data: Numbers

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.data.shape)

    @property
    def is_float(self) -> bool:
        return self.label.startswith(("float", "bfloat"))

    def but(self, data: object) -> Array:
        """The same type with other numbers."""
        import numpy as np

        return Array(self.label, np.asarray(data).astype(stored(self.label), copy=False))

    def as_json(self) -> dict[str, Any]:
        flat = self.data.ravel()
        numbers = [[_number(z.real), _number(z.imag)] for z in flat.tolist()] if flat.dtype.kind == "c" else [_number(x) for x in flat.tolist()]
        return {"type": self.label, "shape": list(self.shape), "numbers": numbers}

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> Array:
        import numpy as np

        numbers = [complex(float(x[0]), float(x[1])) if isinstance(x, list) else float(x) if isinstance(x, str) else x for x in kept["numbers"]]
        return cls(kept["type"], np.array(numbers, dtype=stored(kept["type"])).reshape(kept["shape"]))


def _number(x: object) -> object:
    """JSON has no infinities and no NaN."""
    return repr(x) if isinstance(x, float) and not math.isfinite(x) else x


def listed(data: Numbers) -> str:
    """Numbers as nested lists, as a user would write them."""
    if data.ndim:
        return f"[{', '.join(map(listed, data))}]"
    number = data[()]
    if data.dtype.kind == "c":
        return f"complex({_written(number.real)}, {_written(number.imag)})"
    return _written(number) if data.dtype.kind == "f" else repr(data.item())


def _written(x: SupportsFloat) -> str:
    return str(x) if math.isfinite(x) else f'float("{x}")'


@dataclass(frozen=True, slots=True)
class Value:
    """One tensor of a result: its element type, shape and numbers; `data` is None where there are none (a meta tensor)."""

    label: str
    shape: tuple[int, ...]
    data: Numbers | None
    storage: str = "strided"


@dataclass(frozen=True, slots=True)
class Raised:
    """A side that raised: the exception's class and its first line."""

    error: str
    message: str

    @property
    def words(self) -> str:
        return f"{self.error}: {self.message}"
