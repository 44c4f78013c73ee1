"""GraphDef nodes that train: a step of an optimiser on a variable and its slots."""

from __future__ import annotations

from tensorproof.bindings.adapt.graphdef.elementwise import merged
from tensorproof.bindings.adapt.tensorflow.shared import Arguments, ranked
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Tensor
from tensorproof.terms import INDEX, Shape, TensorType

_RATES = frozenset(
    [
        "alpha",
        "lr",
        "rho",
        "momentum",
        "epsilon",
        "beta",
        "beta1",
        "beta2",
        "beta1_power",
        "beta2_power",
        "l1",
        "l2",
        "lr_power",
        "l2_shrinkage",
        "logbase",
        "sign_decay",
        "global_step",
    ]
)


def _stepped(a: Arguments, run: Run, sparse: bool) -> Shape:
    """The variable's shape, with what its slots know of it."""
    tensors = {k: v for k, v in a.items() if isinstance(v, TensorType)}
    shape: Shape = tensors["var"].shape
    typed = [v for k, v in tensors.items() if k not in ("indices", "global_step") and v.dtype is not None]
    run.require("dtype", len({v.dtype for v in typed}) <= 1, "variable, slots, gradient and rates must have the same dtype", tuple(tensors))
    for name, value in tensors.items():
        if name in _RATES:
            ranked(run, value, 0, name)
        elif name not in ("grad", "indices") or not sparse:
            shape = merged(run, [shape, value.shape], ("var", name), "slot")
    return shape


def _step(a: Arguments, run: Run, shape: Shape) -> TensorType:
    return run.shaped(run.row.op, shape, a["var"].dtype, **a)


def optimiser(a: Arguments, run: Run) -> TensorType:
    """One step: slots and gradient have the variable's shape, rates are scalars."""
    return _step(a, run, _stepped(a, run, sparse=False))


def sparse_optimiser(a: Arguments, run: Run) -> TensorType:
    shape = _stepped(a, run, sparse=True)
    grad, index = a["grad"], ranked(run, a["indices"], 1, "indices")
    if shape.known and grad.shape.known:
        run.require("rank", len(grad.shape) == len(shape), f"the gradient {grad.shape!r} must have as many axes as the variable {shape!r}", ("grad", "var"))
        merged(run, [grad.shape, Shape((index.shape[0], *shape[1:]))], ("grad", "indices"), "gradient")
    return _step(a, run, shape)


_SLOTS = ("var", "accum", "m", "v", "accum_update", "linear", "ms", "mom", "mg", "gradient_accumulator", "gradient_squared_accumulator")
_DRAWN = {"lr": "rate", "lr_power": "decay"}
_SCALARS = tuple(Tensor(n, "", values=_DRAWN.get(n, "")) for n in _RATES)
takes(*(Tensor(n) for n in (*_SLOTS, "grad")), *_SCALARS)(optimiser)
takes(
    *(Tensor(n, draw="V ...") for n in _SLOTS), Tensor("grad", draw="K ..."), *_SCALARS, Tensor("indices", "K", INDEX, values="index:V"),
)(sparse_optimiser)  # fmt: skip
