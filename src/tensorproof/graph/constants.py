"""Constant tensors, kept as the file encodes them and decoded when someone asks, never beyond a bound. No NumPy."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

from tensorproof.terms.dtypes import DType
from tensorproof.terms.records import dataclass
from tensorproof.terms.tensor import MOST_CONTENTS

_FORMAT = {
    DType.BOOL: "?",
    DType.UINT8: "B",
    DType.UINT16: "H",
    DType.UINT32: "I",
    DType.UINT64: "Q",
    DType.INT8: "b",
    DType.INT16: "h",
    DType.INT32: "i",
    DType.INT64: "q",
    DType.FLOAT16: "e",
    DType.BFLOAT16: "H",
    DType.FLOAT32: "f",
    DType.FLOAT64: "d",
    DType.COMPLEX64: "f",
    DType.COMPLEX128: "d",
    DType.QINT8: "b",
    DType.QUINT8: "B",
    DType.QINT16: "h",
    DType.QUINT16: "H",
    DType.QINT32: "i",
}


@dataclass(frozen=True, slots=True)
class Constant:
    """A tensor's elements: `raw` (little-endian, row-major) or `values`; fewer than the shape holds means the last one repeats.

    `later` gives `raw` when it is asked for, of large tensors. `missing` says why the elements cannot be had ("external data in weights.bin"); all others
    are None then.
    """

    dtype: DType | None
    shape: tuple[int, ...]
    raw: bytes | None = None
    values: tuple[Any, ...] | None = None
    missing: str = ""
    later: Callable[[], bytes] | None = None

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def encoded(self) -> bytes | None:
        """The elements as they are encoded, read now where they are read late; None where they are not encoded so."""
        return self.raw if self.later is None else self.later()

    def contents(self, most: int = MOST_CONTENTS) -> tuple[Any, ...] | None:
        """The elements, flat and row-major; None when there are more than `most`, or when they are unknown."""
        size = self.size
        if size > most:
            return None
        if self.values is not None:
            given = self.values[:size]
        elif self.raw is not None:
            decoded = _decode(self.dtype, self.raw, size)
            if decoded is None:
                return None
            given = decoded
        else:
            return None
        if not given:
            zero = _zero(self.dtype)
            return () if size == 0 else None if zero is None else (zero,) * size
        return given + (given[-1],) * (size - len(given))


def _zero(dtype: DType | None) -> Any:
    """What a tensor with no elements written holds everywhere; None when its type is not known."""
    if dtype is None:
        return None
    return {"b": False, "f": 0.0, "c": 0j, "s": "", "o": None}.get(dtype.kind, 0)


def _decode(dtype: DType | None, raw: bytes, most: int) -> tuple[Any, ...] | None:
    if dtype is DType.INT4 or dtype is DType.UINT4:
        nibbles = [nibble for byte in raw[: (most + 1) // 2] for nibble in (byte & 15, byte >> 4)][:most]
        return tuple(n - 16 if dtype is DType.INT4 and n > 7 else n for n in nibbles)
    code = _FORMAT.get(dtype) if dtype is not None else None
    if code is None or dtype is None:
        return None
    parts = 2 if dtype.is_complex else 1
    count = min(len(raw) // (struct.calcsize("<" + code) * parts), most) * parts
    numbers: tuple[Any, ...] = struct.unpack_from(f"<{count}{code}", raw)
    if dtype is DType.BFLOAT16:
        return struct.unpack(f"<{count}f", struct.pack(f"<{count}I", *(n << 16 for n in numbers)))
    if dtype.is_complex:
        return tuple(complex(numbers[i], numbers[i + 1]) for i in range(0, count, 2))
    return numbers


def item_size(dtype: DType | None) -> int | None:
    """Bytes per element in `raw`; None for types that are not stored so, or not in whole bytes."""
    return dtype.bits // 8 if dtype is not None and dtype.bits >= 8 else None
