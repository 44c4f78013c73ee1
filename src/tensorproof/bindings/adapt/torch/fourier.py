"""ATen's own Fourier transforms, as exported graphs hold them."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapters import Run, Value, tensor_in
from tensorproof.terms import TensorType, eq


def _plain(a: dict[str, Any], run: Run) -> tuple[int, ...]:
    """The kernels themselves take axes from the front, each once."""
    axes = tuple(a["dim"])
    rank = len(tensor_in(a, "x").shape)
    if any(isinstance(d, int) and d < 0 for d in axes):
        raise run.give_up("an axis counted from the end, which the kernels take now and then")
    fits = all(isinstance(d, int) and 0 <= d < rank for d in axes) and len(set(axes)) == len(axes)
    run.require("axis", len(axes) > 0 or run.row.op == "fftn", "at least one axis must be transformed", ("dim",))
    run.require("axis", fits, f"dim must name different axes from 0 to {rank - 1}, and is {axes!r}", ("dim",))
    return axes


def complex_to_complex(a: dict[str, Value], run: Run) -> TensorType:
    return run("fftn", x=a["x"], dim=_plain(a, run))


def real_to_complex(a: dict[str, Value], run: Run) -> TensorType:
    return run("rfftn" if a["onesided"] else "fftn", x=a["x"], dim=_plain(a, run))


def complex_to_real(a: dict[str, Any], run: Run) -> TensorType:
    """The last axis gets its length back; the others stay."""
    last = tensor_in(a, "x").shape[_plain(a, run)[-1]]
    run.require("length", eq(last, a["length"] // 2 + 1), f"{last!r} frequencies are not half a spectrum of {a['length']!r}", ("length", "x"))
    return run("irfftn", x=a["x"], dim=_plain(a, run), size=(*(-1 for _ in a["dim"][:-1]), a["length"]))
