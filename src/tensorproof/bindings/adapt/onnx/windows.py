"""Windows as ONNX gives them: one number for each axis, paddings before all axes and then after all of them, or `auto_pad`; its convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorproof.bindings.adapters import Run, Value, tensor_in
from tensorproof.catalogue.frameworks.onnx_windows import AUTO_PAD
from tensorproof.ops.window import span
from tensorproof.terms import Dim, TensorType, ceildiv, ge, maximum


def one_each(run: Run, a: dict[str, Any], name: str, n: int, otherwise: int) -> tuple[Dim, ...]:
    """One number for each of `n` axes."""
    value = a[name]
    if value is None:
        return (otherwise,) * n
    made = value if isinstance(value, tuple) else tuple(value)
    run.require(name, len(made) == n, f"{name} must have {n} numbers, and has {len(made)}", (name, "x"))
    return made


def sides(
    run: Run, a: dict[str, Value], n: int, sizes: Sequence[Dim] | None, kernel: Sequence[Dim] | None, stride: Sequence[Dim], dilation: Sequence[Dim]
) -> dict[str, Any] | None:
    """The padding as the operators for one to three axes take it; None where it follows from sizes that are not known."""
    auto = a["auto_pad"] or "NOTSET"
    if auto not in AUTO_PAD:
        raise run.refuse("auto_pad", f"auto_pad must be one of {', '.join(map(repr, AUTO_PAD))}, and is {auto!r}", ("auto_pad",))
    run.require("padding", a["padding"] is None or auto == "NOTSET", "padding is given twice, by pads and by auto_pad", ("padding", "auto_pad"))
    if auto == "VALID":
        return {"padding": (0,) * n}
    if auto == "SAME_UPPER":
        return {"padding": "same"}
    if auto == "SAME_LOWER":
        if sizes is None or kernel is None:
            return None
        totals = [maximum((ceildiv(m, s) - 1) * s + span(k, d) - m, 0) for m, k, s, d in zip(sizes, kernel, stride, dilation)]
        return {"padding": tuple(t - t // 2 for t in totals), "padding_end": tuple(t // 2 for t in totals)}
    pads = one_each(run, a, "padding", 2 * n, 0)
    for one in pads:
        run.require("padding", ge(one, 0), f"padding must be at least 0, and is {pads!r}", ("padding",))
    return {"padding": pads[:n], "padding_end": pads[n:]}


def conv(a: dict[str, Value], run: Run) -> TensorType:
    x, weight = tensor_in(a, "x"), tensor_in(a, "weight")
    known = x if x.shape.known else weight
    n = len(known.shape) - 2 if known.shape.known else 0
    if n not in (1, 2, 3):
        return run("conv_any", **a)
    if x.shape.known and weight.shape.known:
        run.require("rank", len(x.shape) == len(weight.shape), f"x {x.shape!r} and weight {weight.shape!r} must have the same rank", ("x", "weight"))
    given = {name: one_each(run, a, name, n, otherwise) for name, otherwise in (("stride", 1), ("dilation", 1))}
    if a["kernel"] is not None:
        given["kernel"] = one_each(run, a, "kernel", n, 1)
    sizes, kernel = (x.shape[2:], weight.shape[2:]) if x.shape.known and weight.shape.known else (None, None)
    padding = sides(run, a, n, sizes, kernel, given["stride"], given["dilation"])
    if padding is None:
        return run("conv_any", **a)
    return run(f"conv{n}d", x=x, weight=weight, bias=a["bias"], groups=a["groups"], empty_output=True, **padding, **given)
