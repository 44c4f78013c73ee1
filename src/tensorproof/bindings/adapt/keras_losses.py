"""keras.losses: the functions give one loss a sample, the classes cast to their element type, weigh and reduce."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.keras_ops import as_float, asked
from tensorproof.bindings.adapt.numpy_arrays import tensor
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Choice, Float, Int, Tensor
from tensorproof.terms.dtypes import FLOAT32, FLOATS, INT32, INT64
from tensorproof.terms.tensor import TensorType

_FLOATS = (Tensor("target", "... C", FLOATS, values="unit"), Tensor("x", "... C", FLOATS, values="unit"))
_SPARSE = (Tensor("target", "...", frozenset({INT32, INT64}), values="index"), Tensor("x", "... C", FLOATS, values="unit"))
_REDUCTION = Choice(
    "reduction", ("sum_over_batch_size", "sum", "mean", "mean_with_sample_weight", "none", None), "sum_over_batch_size", optional=True
)


def _run(a: dict[str, Any], run: Run, form: str, squeezes: bool) -> Any:
    x, target = tensor(a["x"]), tensor(a["target"])
    if "_module" not in a:
        return run("sample_loss", x=x, target=target, form=form, axis=_axis(a), squeezes=squeezes, reduction=None).but(
            dtype=as_float(x.dtype)
        )
    dtype = asked({"dtype": a.get("dtype")}, FLOAT32)
    weight = a.get("weight")
    cast = {
        k: v.but(dtype=FLOAT32, contents=None, weak=False)
        for k, v in (("x", x), ("target", target), ("weight", weight))
        if isinstance(v, TensorType)
    }
    made = run("sample_loss", **cast, form=form, axis=_axis(a), squeezes=True, reduction=a["reduction"])
    return made.but(dtype=dtype)


def _axis(a: dict[str, Any]) -> Any:
    return -1 if a.get("axis") is None else a["axis"]


@takes(*_FLOATS, _REDUCTION, Float("delta", 1.0), Int("axis", -1, least=-1, most=-1))
def broadcast(a: dict[str, Any], run: Run) -> Any:
    return _run(a, run, "broadcast", True)


@takes(*_FLOATS, _REDUCTION, Int("axis", -1, least=-1, most=-1))
def plain(a: dict[str, Any], run: Run) -> Any:
    """Without making the ranks equal first."""
    return _run(a, run, "broadcast", False)


@takes(*_FLOATS, _REDUCTION, Float("label_smoothing", 0.0, least=0.0, most=1.0), Int("axis", -1, least=-1, most=-1))
def equal(a: dict[str, Any], run: Run) -> Any:
    return _run(a, run, "equal", False)


@takes(*_SPARSE, _REDUCTION, Int("ignore_class", None, optional=True), Int("axis", -1, least=-1, most=-1))
def sparse(a: dict[str, Any], run: Run) -> Any:
    return _run(a, run, "sparse", False)


@takes(*_FLOATS, _REDUCTION)
def whole(a: dict[str, Any], run: Run) -> Any:
    """One number for everything, unless an axis is named."""
    if a.get("axis") is not None:
        raise run.give_up("a loss over some axes")
    return _run(a, run, "whole", False)
