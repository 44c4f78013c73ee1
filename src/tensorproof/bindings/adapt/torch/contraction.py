"""Spellings of contractions that need more than a renaming: tensordot's `dims`, einsum's list form."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapters import Run, Value, takes, tensor_in
from tensorproof.catalogue.algebra.einsum import EQUATIONS
from tensorproof.ops.inputs import Anything, Choice, Tensors, as_size
from tensorproof.terms.tensor import TensorType


def tensordot(a: dict[str, Value], run: Run) -> TensorType:
    """`dims` is a number n (the last n axes of x with the first n of y), or the two lists of axes."""
    dims = as_size(a["dims"])
    rank, other = tensor_in(a, "x").shape.rank, tensor_in(a, "y").shape.rank
    if isinstance(dims, TensorType) and dims.contents is not None and len(dims.shape) == 2 and dims.shape[0] == 2:
        half = len(dims.contents) // 2
        dims = (dims.contents[:half], dims.contents[half:])
    if isinstance(dims, int):
        if dims < 0:
            raise run.refuse("axes", f"dims must not be negative, and is {dims}", ("dims",))
        if not isinstance(rank, int) or not isinstance(other, int):
            raise run.give_up("a rank is not known")
        if dims > min(rank, other):
            raise run.refuse("axes", f"dims = {dims} is more than the rank of {tensor_in(a, 'x').shape!r} or {tensor_in(a, 'y').shape!r}", ("dims",))
        return run("tensordot", x=a["x"], y=a["y"], dim=tuple(range(rank - dims, rank)), dim2=tuple(range(dims)))
    if not isinstance(dims, (tuple, list)):
        raise run.give_up("dims is not known")
    pair: list[Any] = list(dims)
    if len(pair) != 2 or (run.row.framework == "torch" and not all(isinstance(v, (tuple, list)) for v in pair)):
        raise run.refuse("axes", f"dims must be a number or two lists, and is {dims!r}", ("dims",))
    ours, theirs = ((as_size(v),) if not isinstance(v, (tuple, list)) else tuple(as_size(w) for w in v) for v in pair)
    return run("tensordot", x=a["x"], y=a["y"], dim=ours, dim2=theirs)


@takes(Anything("operands", like=(Tensors("operands", draw="@equation"),)), Anything("equation", like=(Choice("equation", EQUATIONS),)))
def einsum(a: dict[str, Any], run: Run) -> TensorType:
    """The equation and its operands, or operands each followed by its list of subscripts."""
    equation, operands = a["equation"], a["operands"]
    if isinstance(equation, TensorType) and isinstance(operands, list):  # one operand and its subscripts
        operands = (operands,)
    if isinstance(equation, str):
        given = operands[0] if len(operands) == 1 and isinstance(operands[0], (tuple, list)) else operands
        if not given:
            raise run.refuse("operands", "an equation needs at least one operand", ("operands",))
        if not all(isinstance(x, TensorType) for x in given):
            raise run.refuse("operands", "every operand must be a tensor", ("operands",))
        if run.row.framework == "torch" and any(x.framework == "numpy" for x in given):
            raise run.refuse("call/arguments", f"{run.name} takes tensors, and one operand is a NumPy array: write torch.from_numpy(…)", ("operands",))
        return run("einsum", equation=equation, xs=tuple(given))
    items: list[Any] = [equation, *operands]
    if not isinstance(equation, TensorType):
        raise run.give_up("the equation is not known")
    xs = items[0 : len(items) // 2 * 2 : 2]
    lists = items[1::2]
    if len(items) < 2 or not all(isinstance(x, TensorType) for x in xs) or not all(isinstance(s, (tuple, list)) for s in lists):
        raise run.refuse("operands", "each tensor must be followed by its list of subscripts", ("operands",))
    text = ",".join(_letters(s, run) for s in lists)
    if len(items) % 2:
        text += "->" + _letters(items[-1], run)
    return run("einsum", equation=text, xs=tuple(xs))


def _letters(subscripts: Any, run: Run) -> str:
    """0 to 25 are A to Z, 26 to 51 are a to z, as torch orders them."""
    made: list[str] = []
    for one in subscripts:
        if one is ...:
            made.append("...")
        elif isinstance(one, int) and 0 <= one < 52:
            made.append(chr(ord("A") + one) if one < 26 else chr(ord("a") + one - 26))
        else:
            raise run.refuse("equation", f"a subscript must be a whole number from 0 to 51 or ..., and is {one!r}", ("equation",))
    return "".join(made)


def scaled_mm_lists(a: dict[str, Any], run: Run) -> Value:
    """Each side's scale may come in a list; a list of two (a scale of scales) is not modelled."""
    scales: dict[str, Any] = {}
    for name in ("scale_x", "scale_y"):
        given = a[name] if isinstance(a[name], (tuple, list)) else (a[name],)
        if len(given) != 1 or not isinstance(given[0], TensorType):
            raise run.give_up(f"{name} in several levels is not modelled")
        scales[name] = given[0]
    return run.default({**a, **scales})
