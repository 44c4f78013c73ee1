"""ONNX's convolution, over any number of axes, as the convolution over one, two or three of them."""

from __future__ import annotations

from tensorproof.bindings.adapt.onnx.windows import PADDED, WINDOW, one_each, sides
from tensorproof.bindings.adapters import Run, Value, takes, tensor_in
from tensorproof.ops.inputs import Ints, Tensor
from tensorproof.terms import FLOATS, TensorType

_KERNEL = Ints("kernel", None, optional=True, per_axis=1)


@takes(Tensor("x", "N C X ...", FLOATS, draw="N C Y X"), Tensor("weight", "M K x ...", FLOATS, draw="M C y x"), _KERNEL, *WINDOW, *PADDED)
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
