"""How torch spells embeddings: the old argument order, modes by number, tables given to the constructor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tensorproof.bindings.adapters import Module, Refused, Requirement, Run, Session, Value, tensor_in
from tensorproof.terms import FLOAT32, INT64, DType, Shape, TensorType, conj, eq

MODES = ("sum", "mean", "max")


def bag(a: dict[str, Value], run: Run) -> Value:
    """Old code gives the table first."""
    index, weight = tensor_in(a, "index"), tensor_in(a, "weight")
    if weight.dtype is INT64 and index.dtype is not None and index.dtype.is_float:
        a["index"], a["weight"] = weight, index
    return run.default(a)


def numbered(a: dict[str, Any], run: Run) -> Value:
    """The mode as a number; padding_idx = -1 is none."""
    mode, padding = a["mode"], a.get("padding_idx")
    if tensor_in(a, "index").shape.known and len(tensor_in(a, "index").shape) == 2:
        raise run.give_up("indices of rank 2 are for torch.nn.functional.embedding_bag")
    run.require("mode", isinstance(mode, int) and 0 <= mode < 3, f"mode must be 0, 1 or 2, and is {mode!r}", ("mode",))
    return run.default({**a, "mode": MODES[mode], "padding_idx": None if padding == -1 and run.name.startswith("aten._") else padding})


def table(module: Module, names: Mapping[str, Any], session: Session) -> None:
    """The table of embeddings: made, or given to the constructor."""
    rows, length, given = names["V"], names["D"], names.get("_weight")
    if isinstance(given, TensorType):
        shape = given.shape
        holds = len(shape) == 2 and conj(eq(shape[0], rows), eq(shape[1], length))
        if holds is False:
            raise Refused(Requirement("embedding/weight", False, f"the given table must have shape ({rows!r}, {length!r}), and has {shape!r}", ("_weight",)))
        module.parameters["weight"] = given.but(contents=None, requires_grad=True)
        return
    dtype = names["dtype"] if isinstance(names.get("dtype"), DType) else FLOAT32
    module.parameters["weight"] = TensorType(Shape((rows, length)), dtype, requires_grad=True)


def pretrained(module: Module, names: Mapping[str, Any], session: Session) -> None:
    given = names["weight"]
    if not isinstance(given, TensorType) or (given.shape.known and len(given.shape) != 2):
        raise Refused(Requirement("embedding/weight", False, "the given table must be a tensor of rank 2", ("embeddings",)))
    module.parameters["weight"] = given.but(contents=None, requires_grad=not names["freeze"])
