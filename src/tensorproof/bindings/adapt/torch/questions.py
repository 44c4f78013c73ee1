"""Questions about a tensor that have Python answers: sizes, strides, kinds, the numbers it holds."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapters import Run, Value, takes, tensor_in
from tensorproof.ops.inputs import Tensor
from tensorproof.ops.storage import steps_of, strides_of_format
from tensorproof.terms import BOOL, FLOAT32, Dim, Shape, TensorType, Term, conj, disj, eq, ge, ite, lt, row_major, strides_or_none

Arguments = dict[str, Any]


def known_shape(x: TensorType, run: Run) -> Shape:
    if not x.shape.known:
        raise run.give_up("the rank is not known")
    return x.shape


def size(a: Arguments, run: Run) -> Value:
    shape = known_shape(tensor_in(a, "x"), run)
    if a["dim"] is None:
        return shape
    if isinstance(a["dim"], Term):
        return _size_of_some(shape, a["dim"], run)
    return shape[_axis(a["dim"], len(shape), run)]


def _size_of_some(shape: Shape, axis: Term, run: Run) -> Dim:
    """The size of an axis that is a symbol."""
    rank = len(shape)
    run.require("axis", conj(ge(axis, -rank), lt(axis, rank)), f"dim must be one of the {rank} axes", ("dim",))
    size: Dim = shape[-1] if rank else 0
    for k in reversed(range(rank - 1)):
        size = ite(disj(eq(axis, k), eq(axis, k - rank)), shape[k], size)
    return size


def _axis(value: Value, rank: int, run: Run) -> int:
    if not isinstance(value, int):
        raise run.give_up("the axis is not known")
    run.require("axis", -rank <= value < rank, f"dim = {value} is out of range: the tensor has {rank} dimensions", ("dim",))
    return value


def dim(a: Arguments, run: Run) -> Value:
    return tensor_in(a, "x").shape.rank


def numel(a: Arguments, run: Run) -> Value:
    return tensor_in(a, "x").shape.numel


def stride(a: Arguments, run: Run) -> Value:
    shape = known_shape(tensor_in(a, "x"), run)
    steps = steps_of(tensor_in(a, "x"))
    if steps is None:
        raise run.give_up("the strides are not known")
    return tuple(steps) if a["dim"] is None else steps[_axis(a["dim"], len(shape), run)]


def is_contiguous(a: Arguments, run: Run) -> Value:
    x: TensorType = a["x"]
    steps = steps_of(x) if x.shape.known else None
    if steps is None:
        raise run.give_up("the strides are not known")
    word = str(a.get("memory")).removeprefix("torch.")
    if word.startswith("channels_last"):
        wanted = strides_of_format(x.shape, word) or row_major(x.shape)
        return len(x.shape) in (4, 5) and all(s == w or n == 1 for s, w, n in zip(steps, wanted, x.shape))
    return strides_or_none(x.shape, steps) is None


def is_kind(a: Arguments, run: Run) -> Value:
    """is_floating_point, is_complex, is_signed."""
    x: TensorType = a["x"]
    if x.dtype is None:
        raise run.give_up("the element type is not known")
    return x.dtype.kind in a["kinds"]


def same_size(a: Arguments, run: Run) -> Value:
    x, y = known_shape(tensor_in(a, "x"), run), known_shape(tensor_in(a, "y"), run)
    holds = len(x) == len(y) and conj(*(eq(p, q) for p, q in zip(x, y)))
    if not isinstance(holds, bool):
        raise run.give_up("whether the sizes are equal is not known")
    return holds


def element_size(a: Arguments, run: Run) -> Any:
    x: TensorType = a["x"]
    if x.dtype is None:
        raise run.give_up("the element type is not known")
    return x.dtype.bits // 8


def nbytes(a: Arguments, run: Run) -> Value:
    return element_size(a, run) * tensor_in(a, "x").shape.numel


def tolist(a: Arguments, run: Run) -> Value:
    x: TensorType = a["x"]
    count = x.shape.numel
    if not x.shape.concrete or not isinstance(count, int) or (x.contents is None and count > 256):
        raise run.give_up("the elements are not known")
    flat = x.contents if x.contents is not None else tuple(scalar(x.but(shape=Shape()), run) for _ in range(count))

    def nested(flat: tuple[Any, ...], shape: tuple[Any, ...]) -> Value:
        if not shape:
            return flat[0]
        step = len(flat) // shape[0] if shape[0] else 0
        return [nested(flat[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]

    return nested(flat, tuple(x.shape))


def length(a: Arguments, run: Run) -> Value:
    shape = known_shape(tensor_in(a, "x"), run)
    run.require("rank", len(shape) > 0, "a tensor without axes has no length", ("x",))
    return shape[0]


def scalar(x: TensorType, run: Run) -> Value:
    """The Python number in a tensor of one element: exact, or a symbol, or a number of which only the kind is known."""
    if x.contents is not None and len(x.contents) == 1:
        return x.contents[0]
    if x.dtype is not None and x.dtype.is_integer:
        return run.fresh("item", -(1 << 63), (1 << 63) - 1)
    return TensorType(Shape(), x.dtype, weak=True)


def item(a: Arguments, run: Run) -> Value:
    """x.item(), int(x), float(x), bool(x)."""
    x: TensorType = a["x"]
    run.require("item/elements", eq(x.shape.numel, 1), f"only a tensor of one element is a Python number, and this one is {x.shape!r}", ("x",))
    found = scalar(x, run)
    kind = a.get("kind")
    if kind is None or type(found) is Term:
        return found if kind != "bool" else TensorType(Shape(), BOOL, weak=True)
    if isinstance(found, TensorType):
        return run.fresh("item", -(1 << 63), (1 << 63) - 1) if kind == "int" else found.but(dtype=BOOL if kind == "bool" else FLOAT32)
    return {"int": int, "float": float, "bool": bool}[kind](found)


def first(a: Arguments, run: Run) -> Value:
    """The number in front, without a look at how many there are."""
    x: TensorType = a["x"]
    run.require("elements", ge(x.shape.numel, 1), "a tensor without elements holds no number", ("x",))
    return scalar(x.but(contents=x.contents[:1] if x.contents else None), run)


@takes(Tensor("other"))
def unknown_truth(a: Arguments, run: Run) -> TensorType:
    """Yes or no, which is not followed."""
    return TensorType(Shape(), BOOL, weak=True)


def unknown_number(a: Arguments, run: Run) -> Value:
    return run.fresh("number", -1)


def sparse_dim(a: Arguments, run: Run) -> Value:
    """How many axes a sparse tensor keeps by places; the rest are dense."""
    x: TensorType = a["x"]
    if x.layout == "strided":
        return 0 if run.name.endswith("sparse_dim") else x.shape.rank
    return run.fresh("axes", 0, len(x.shape) if x.shape.known else None)
