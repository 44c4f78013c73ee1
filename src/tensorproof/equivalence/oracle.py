"""Compares what two sides gave: structure, element types, shapes, numbers within the library's own tolerances."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorproof.equivalence.arrays import Raised, Value

if TYPE_CHECKING:
    from tensorproof.equivalence.dialects import Dialect


@dataclass(frozen=True, slots=True)
class Difference:
    """How two results differ. `symptom` is the same for differences of one cause; `words` has the numbers."""

    kind: str
    """"values" or "raises"."""
    symptom: str
    words: str
    left: object = None
    right: object = None
    """The first two parts that differ, as arrays where they are numbers."""


_VARYING = re.compile(
    r"""(?<!\w)'[^']*'(?!\w)|"[^"]*"|\[[^\]]*\]|0x[0-9a-f]+"""
    r"|\b(c10::)?(torch\.)?(Byte|Char|Short|Int|Long|Half|Float|Double|BFloat16|Bool|Complex\w*|ComplexFloat|ComplexDouble"
    r"|(b?float|u?int|complex)\d+|bool|half|float|double|int)\b"
    r"|-?\d+(\.\d+)?(e[+-]?\d+)?"
)
"""Names in quotes, lists, addresses, element types, numbers."""


def template(message: str) -> str:
    """A message without what depends on the call."""
    return re.sub(r"\s+", " ", _VARYING.sub("#", message))[:120]


class Oracle:
    """Comparison for one library."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect

    def difference(self, left: object, right: object, compare: str = "values", loose: float = 1.0) -> Difference | None:
        """None when they agree, or both raised."""
        if isinstance(left, Raised) or isinstance(right, Raised):
            return _one_raised(left, right)
        return self._differ(left, right, compare, loose, "")

    def _differ(self, left: object, right: object, compare: str, loose: float, where: str) -> Difference | None:
        if isinstance(left, Value) and isinstance(right, Value):
            return self._values(left, right, compare, loose, where)
        if isinstance(left, Value) and not left.shape and isinstance(right, (bool, int, float, complex)):
            return None if compare == "types" else self._numbers(left.label, left.data, right, loose, where)
        if isinstance(right, Value) and not right.shape and isinstance(left, (bool, int, float, complex)):
            return None if compare == "types" else self._numbers(right.label, left, right.data, loose, where)
        if isinstance(left, tuple) and isinstance(right, tuple):
            if len(left) != len(right):
                return Difference("values", "number of results", f"the left side gives {len(left)} results, the right side {len(right)}")
            parts = ((a, b, f"result {i}: ") for i, (a, b) in enumerate(zip(left, right)))
        elif isinstance(left, dict) and isinstance(right, dict):
            if left.keys() != right.keys():
                return Difference("values", "keys", f"the left side has the keys {sorted(map(str, left))}, the right side {sorted(map(str, right))}")
            parts = ((left[k], right[k], f"{k}: ") for k in left)
        elif type(left) is not type(right):
            return Difference("values", "kind of result", f"{where}the left side gives {_short(left)}, the right side {_short(right)}")
        else:
            if compare == "types" or left == right or (left != left and right != right):
                return None
            if isinstance(left, (float, complex)):
                return self._numbers("float64", left, right, loose, where)
            return Difference("values", "values", f"{where}the left side gives {_short(left)}, the right side {_short(right)}")
        return next((d for a, b, at in parts if (d := self._differ(a, b, compare, loose, where + at)) is not None), None)

    def _values(self, left: Value, right: Value, compare: str, loose: float, where: str) -> Difference | None:
        if left.label != right.label and compare != "numbers":
            words = f"{where}the left side is {left.label}, the right side {right.label}"
            return Difference("values", f"element type {left.label} against {right.label}", words)
        if left.shape != right.shape:
            return Difference("values", "shape", f"{where}the left side has the shape {left.shape}, the right side {right.shape}")
        if compare == "types" or left.data is None or right.data is None:
            return None
        coarser = max(left.label, right.label, key=self.dialect.tolerance)
        return self._numbers(coarser, left.data, right.data, loose, where)

    def _numbers(self, label: str, left: object, right: object, loose: float, where: str) -> Difference | None:
        import numpy as np

        a, b = np.asarray(left), np.asarray(right)
        if a.dtype == b.dtype and a.dtype.kind in "biufc" and a.tobytes() == b.tobytes():
            return None
        if (a.dtype.kind in "biu" and b.dtype.kind in "biu") or a.dtype.kind in "OSU" or b.dtype.kind in "OSU":
            differ = np.asarray(a != b)
        else:
            relative, absolute = self.dialect.tolerance(label)
            with np.errstate(all="ignore"):
                differ = ~np.isclose(a, b, loose * relative, loose * absolute, equal_nan=True)
        if not differ.any():
            return None
        at = tuple(int(i) for i in np.argwhere(differ)[0]) if differ.ndim else ()
        one, other = a[at] if a.ndim else a, b[at] if b.ndim else b
        share = f"{int(differ.sum())} of {differ.size} numbers differ" if differ.size > 1 else "the number differs"
        words = f"{where}{share}; at {list(at)} the left side gives {one}, the right side {other}"
        return Difference("values", f"{label}: {_symptom(one, other)}", words, a, b)


def _symptom(a: object, b: object) -> str:
    import numpy as np

    numbers = np.asarray(a), np.asarray(b)
    if any(x.dtype.kind not in "fc" for x in numbers):
        return "numbers"
    words = ["nan" if np.isnan(x) else "infinity" if np.isinf(x) else "a number" for x in numbers]
    return "numbers" if words[0] == words[1] == "a number" else f"{words[0]} against {words[1]}"


def _one_raised(left: object, right: object) -> Difference | None:
    if isinstance(left, Raised) and isinstance(right, Raised):
        return None
    side, error = ("left", left) if isinstance(left, Raised) else ("right", right)
    assert isinstance(error, Raised)
    return Difference("raises", f"{side}: {error.error}: {template(error.message)}", f"the {side} side raises {error.words}, the other does not", left, right)


def _short(value: object) -> str:
    if isinstance(value, Value):
        return f"{value.label}{list(value.shape)}"
    return f"{len(value)} results" if isinstance(value, tuple) else repr(value)[:60]
