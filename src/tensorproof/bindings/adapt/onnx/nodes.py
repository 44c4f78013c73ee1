"""ONNX nodes that a table row cannot say: numbers and axes as inputs, defaults that depend on the opset, one operator for any number of axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorproof.bindings.adapters import Run, Value, takes, tensor_in
from tensorproof.ops.inputs import Axes, Bool, as_size
from tensorproof.ops.storage import known
from tensorproof.terms import FLOAT32, INT64, REALS, Dim, DType, Outputs, Shape, TensorType, ceildiv, eq, ge, product, row_major, unknown_shape


def number(value: Value) -> Any:
    """The number in a tensor of one element; the tensor itself where its contents are not known."""
    if isinstance(value, TensorType) and value.contents is not None and len(value.contents) == 1:
        return value.contents[0]
    return value


def whole_numbers(value: Value) -> Any:
    """The numbers of a vector, a list of them; the tensor itself where its contents are not known."""
    if isinstance(value, TensorType):
        return value if value.contents is None else value.contents
    return tuple(as_size(v) for v in value) if isinstance(value, (tuple, list)) else value


def unknown(run: Run, dtype: DType | None) -> TensorType:
    run.session.made += 1
    return TensorType(unknown_shape(f"{run.row.op}{run.session.site}#{run.session.made}"), dtype)


AXES = (Axes("dim", None, loose=True, scalar_ok=False), Bool("noop_with_empty_axes", False))


@takes(*AXES)
def reduced(a: dict[str, Value], run: Run) -> Value:
    """The row's operator over axes."""
    more = {"ord": a["ord"]} if "ord" in a else {"dtype": tensor_in(a, "x").dtype} if run.row.op in _SUMMED else {}
    return _over(a, run, lambda x, **options: run.typed(run.row.op, x.dtype, x=x, **more, **options))


def log_of_sum(a: dict[str, Value], run: Run) -> Value:
    return _over(a, run, lambda x, **options: run.typed("log", x.dtype, x=run.typed("sum", x.dtype, x=x, **options)))


def sum_of_squares(a: dict[str, Value], run: Run) -> Value:
    return _over(a, run, lambda x, **options: run.typed("sum", x.dtype, x=run.typed("square", x.dtype, x=x), **options))


def _over(a: dict[str, Any], run: Run, applied: Callable[..., TensorType]) -> Value:
    """No axes are all axes, or none of them."""
    x, axes = tensor_in(a, "x"), whole_numbers(a["dim"])
    axes = (axes,) if isinstance(axes, int) else axes
    if isinstance(axes, TensorType) and axes.shape != (0,):
        if not a["keepdim"] or not x.shape.known:
            return unknown(run, x.dtype)
        return TensorType(Shape(run.fresh("reduced") for _ in x.shape), x.dtype)
    if not axes or isinstance(axes, TensorType):
        if a.get("noop_with_empty_axes"):
            return _unreduced(x, run)
        axes = None
    if x.contents == ():
        x = x.but(contents=None)
    if isinstance(axes, tuple) and x.shape.known:
        rank = len(x.shape)
        for axis in axes:
            run.require("axis", -rank <= axis < rank, f"axis {axis} is out of range for x {x.shape!r}", ("dim", "x"))
    return applied(x, dim=axes, keepdim=a["keepdim"])


_SUMMED = ("sum", "mean", "prod")
_KEEPING = (*_SUMMED, "amax", "amin", "logsumexp")
"""Reductions that leave a single element as it is."""


def _unreduced(x: TensorType, run: Run) -> Value:
    """Every element by itself."""
    if run.row.op not in _KEEPING:
        return run("identity", x=x)
    kept = {"dtype": x.dtype} if run.row.op in _SUMMED else {}
    return run.shaped(run.row.op, x.shape, x.dtype, x=run("unsqueeze", x=x, dim=-1), dim=(-1,), keepdim=False, **kept)


def flatten(a: dict[str, Any], run: Run) -> TensorType:
    """A matrix: the axes before `dim` are its rows."""
    x = tensor_in(a, "x")
    axis: int = a["dim"]
    if not x.shape.known:
        made = Shape((run.fresh("rows"), run.fresh("columns")))
        return run.shaped("reshape", made, x.dtype, x=x, size=tuple(made))
    rank = len(x.shape)
    run.require("axis", -rank <= axis <= rank, f"axis {axis} is out of range for x {x.shape!r}", ("dim", "x"))
    at = axis + rank if axis < 0 else axis
    return run("reshape", x=x, size=(product(x.shape[:at]), product(x.shape[at:])))


def topk(a: dict[str, Any], run: Run) -> Any:
    x, k = tensor_in(a, "x"), number(a["k"])
    if isinstance(k, TensorType):
        if not x.shape.known:
            made = unknown(run, x.dtype)
            return made, made.but(dtype=INT64)
        axis = a["dim"] % max(1, len(x.shape))
        made = TensorType(Shape((*x.shape[:axis], run.fresh("k"), *x.shape[axis + 1 :])), x.dtype)
        return made, made.but(dtype=INT64)
    run.require("k", ge(k, 1 if run.row.opsets[1] < 10 else 0), f"the number of elements must be positive, and is {k!r}", ("k",))
    return run("topk", x=x, k=k, dim=a["dim"], largest=a.get("largest", True), sorted=a.get("sorted", True))


def cumulated(a: dict[str, Value], run: Run) -> TensorType:
    """Along an axis that need not be known."""
    x, axis = tensor_in(a, "x"), number(a["dim"])
    options = {"x": x, "dim": axis, "exclusive": bool(a["exclusive"]), "reverse": bool(a["reverse"])}
    return run.shaped(run.row.op, x.shape, x.dtype, **options) if isinstance(axis, TensorType) else run(run.row.op, **options, dtype=x.dtype)


def ranged(a: dict[str, Value], run: Run) -> Value:
    """Three single numbers of one type; a step that leads away from the end gives nothing."""
    given = [a["start"], a["end"], a["step"]]
    dtypes = [v.dtype if isinstance(v, TensorType) else FLOAT32 if isinstance(v, float) else INT64 for v in given]
    named = {d for d in dtypes if d is not None}
    run.require("dtype", len(named) <= 1, f"start, limit and delta must have the same dtype, and have {dtypes!r}", ("start", "end", "step"))
    start, end, step = map(number, given)
    dtype = next(iter(named), None)
    options = {"start": a["start"], "end": a["end"], "step": a["step"], "may_be_empty": True, "dtype": dtype if dtype in REALS else None}
    if not any(isinstance(v, TensorType) for v in (start, end, step)):
        run.require("step", step != 0, "the step must not be 0", ("step",))
        if not isinstance(step, (int, float)):
            return run.shaped("arange", Shape((run.fresh("range"),)), dtype, **options)
    return run.typed("arange", dtype, **options)


def constant_of_shape(a: dict[str, Any], run: Run) -> Value:
    """A value of one element, float32 zero where none is given."""
    size, value = whole_numbers(a["size"]), a["value"]
    if isinstance(value, (tuple, list)):
        value = TensorType(Shape((len(value),)), INT64, contents=tuple(value))
    dtype = FLOAT32 if value is None else value.dtype
    if value is not None:
        run.require("value", value.shape.numel == 1, f"value must have one element, and has shape {value.shape!r}", ("value",))
    filled = 0.0 if value is None else number(value)
    if isinstance(size, TensorType):
        if size.shape.known and len(size.shape) == 1 and isinstance(size.shape[0], int):
            return run.shaped("full", Shape(run.fresh("size") for _ in range(size.shape[0])), dtype, size=size, value=filled)
        return unknown(run, dtype)
    for n in size:
        run.require("size", ge(n, 0), f"a size cannot be negative, and the shape is {tuple(size)!r}", ("size",))
    return run.typed("full", dtype, size=tuple(size), value=filled, dtype=dtype)


def constant(a: dict[str, Any], run: Run) -> TensorType:
    """A value in one of several attributes, according to its kind."""
    for name, dtype in (("value_float", FLOAT32), ("value_int", INT64), ("value_string", DType.STRING)):
        if a.get(name) is not None:
            return TensorType(Shape(), dtype, contents=(a[name],))
    for name, dtype in (("value_floats", FLOAT32), ("value_ints", INT64), ("value_strings", DType.STRING)):
        if a.get(name) is not None:
            return TensorType(Shape((len(a[name]),)), dtype, contents=tuple(a[name]))
    held = a.get("value") if a.get("value") is not None else a.get("sparse_value")
    if isinstance(held, TensorType):
        return held
    raise run.give_up("it holds no value")


def transpose(a: dict[str, Any], run: Run) -> TensorType:
    x, order = tensor_in(a, "x"), a["dim"]
    if order is None:
        return run("permute", x=x, dim=tuple(range(len(x.shape)))[::-1]) if x.shape.known else run("reversed_axes", x=x)
    for axis in order:
        run.require("axis", axis >= 0, f"perm must name axes from 0 on, and is {tuple(order)!r}", ("dim",))
    return run("permute", x=x, dim=tuple(order))


def split(a: dict[str, Any], run: Run) -> Any:
    """Parts of given sizes, or so many parts of one size, the last of which may be smaller."""
    x, sizes = tensor_in(a, "x"), whole_numbers(a["sizes"])
    dim: int = a["dim"]
    count: int | None = a.get("count")
    outputs: int | None = a.get("outputs")
    if sizes is not None and count is not None:
        raise run.refuse("sizes", "either the sizes of the parts or their number must be given, and not both", ("sizes", "count"))
    if isinstance(sizes, TensorType):
        n = sizes.shape[0] if sizes.shape.known and isinstance(sizes.shape[0], int) else outputs
        if n is None or not x.shape.known:
            return tuple(unknown(run, x.dtype) for _ in range(outputs or 1))
        axis = dim % len(x.shape)
        return tuple(TensorType(Shape((*x.shape[:axis], run.fresh("part"), *x.shape[axis + 1 :])), x.dtype) for _ in range(n))
    if sizes is not None:
        if outputs is not None:
            run.require("sizes", len(sizes) == outputs, f"{len(sizes)} sizes are given for {outputs} parts", ("sizes",))
        return run("split_sizes", x=x, sizes=sizes, dim=dim)
    parts = count if count is not None else outputs
    if parts is None:
        raise run.give_up("the number of parts is not known")
    if not x.shape.known:
        return tuple(unknown(run, x.dtype) for _ in range(parts))
    rank = len(x.shape)
    run.require("axis", -rank <= dim < rank, f"axis {dim} is out of range for x {x.shape!r}", ("dim", "x"))
    n = x.shape[dim]
    size = ceildiv(n, parts)
    if count is None:
        run.require("parts", ge(0, n % parts), f"an axis of {n!r} does not divide into {parts} equal parts", ("x",))
    run.require("parts", ge(n, size * (parts - 1)), f"an axis of {n!r} does not make {parts} parts of {size!r}", ("x", "count"))
    return run("split_sizes", x=x, sizes=(*(size,) * (parts - 1), n - size * (parts - 1)), dim=dim)


def nonzero(a: dict[str, Value], run: Run) -> TensorType:
    """One row for each axis; none for a single number."""
    x = tensor_in(a, "x")
    if not x.shape.known:
        return TensorType(Shape((run.fresh("rank"), run.fresh("nnz"))), INT64)
    found = run("nonzero", x=x)
    return run("matrix_transpose", x=found)


def _distinct_slices(x: TensorType, axis: int) -> int:
    held = x.contents or ()
    step: Any = row_major(x.shape)[axis]
    size: Any = x.shape[axis]
    rest = [p for p in range(len(held)) if step == 0 or (p // step) % max(1, size) == 0]
    return len({tuple(held[p + i * step] for p in rest) for i in range(size)})


def unique(a: dict[str, Any], run: Run) -> Value:
    """Values, where they first stood, where they went, and how often they came."""
    x, axis = tensor_in(a, "x"), a["dim"]
    if not x.shape.known:
        count: Dim = run.fresh("distinct")
        made = unknown(run, x.dtype)
        return made, *(TensorType(Shape((n,)), INT64) for n in (count, run.fresh("elements"), count))
    rank = len(x.shape)
    if axis is not None:
        run.require("axis", -rank <= axis < rank, f"axis {axis} is out of range for x {x.shape!r}", ("dim", "x"))
    every = x.shape.numel if axis is None else x.shape[axis]
    count = run.fresh("distinct", 0, every if isinstance(every, int) else None)
    if axis is None and x.contents is not None and all(isinstance(v, (int, float, str)) for v in x.contents):
        count = len(set(x.contents))
    at = 0 if axis is None else axis % rank
    if axis is not None and known(x):
        count = _distinct_slices(x, at)
    values = Shape((count,)) if axis is None else Shape((*x.shape[:at], count, *x.shape[at + 1 :]))
    wanted = dict.fromkeys(("return_index", "return_inverse", "return_counts"), True)
    options = {"x": x, "dim": axis, "sorted": bool(a["sorted"]), "empty_slices": True, **wanted}
    shapes = [values, Shape((count,)), x.shape if axis is None else Shape((every,)), Shape((count,))]
    made, first, inverse, counts = run.shaped("unique", shapes, x.dtype, INT64, INT64, INT64, **options)
    if axis is None:
        inverse = run("reshape", x=inverse, size=(every,))
    return Outputs.named((made, first, inverse, counts), ("values", "indices", "inverse", "counts"))


def one_hot(a: dict[str, Value], run: Run) -> TensorType:
    return run("one_hot_values", x=a["x"], values=a["values"], depth=number(a["depth"]), dim=a["dim"])


def join_sequence(a: dict[str, Value], run: Run) -> TensorType:
    """The tensors of a sequence, joined along an axis or stacked along a new one."""
    items, axis = tensor_in(a, "x").contents, a["dim"]
    if not items:
        return unknown(run, None)
    if a["new_axis"]:
        return run("stack", xs=items, dim=axis)
    return run("cat", xs=items, dim=axis)


def _some(run: Run, op: str, x: TensorType, axes: TensorType, sign: int) -> TensorType:
    """The result for axes that are not known: its rank follows from how many they are."""
    count = axes.shape.numel if axes.shape.known and len(axes.shape) <= 1 else None
    if x.shape.known and isinstance(count, int):
        shape = Shape(run.fresh("size") for _ in range(max(0, len(x.shape) + sign * count)))
    else:
        shape = unknown(run, x.dtype).shape
    return run.shaped(op, shape, x.dtype, x=x, dim=axes)


def _places(run: Run, axes: tuple[Any, ...], rank: int) -> tuple[int, ...]:
    for axis in axes:
        if not isinstance(axis, int):
            raise run.give_up("the axes are not known numbers")
        run.require("axis", -rank <= axis < rank, f"dim = {axis} is out of range: the tensor has {rank} dimensions", ("dim", "x"))
    made = tuple(axis % rank for axis in axes)
    run.require("axis", len(set(made)) == len(made), f"dim names an axis twice: {axes!r}", ("dim",))
    return made


def squeeze(a: dict[str, Value], run: Run) -> TensorType:
    """Without the axes named, which have size 1; without all such axes where none is named."""
    x, axes = tensor_in(a, "x"), whole_numbers(a["dim"])
    if isinstance(axes, TensorType):
        return _some(run, "squeeze", x, axes, -1)
    if axes is None or not x.shape.known:
        return run("squeeze", x=x, dim=axes)
    places = _places(run, axes if isinstance(axes, tuple) else (axes,), len(x.shape))
    for at in places:
        size = x.shape[at]
        run.require("size", eq(size, 1), f"axis {at} has size {size!r} and only an axis of size 1 can go", ("x", "dim"))
    if all(x.shape[at] == 1 for at in places):
        return run("squeeze", x=x, dim=places)
    return run.shaped("squeeze", Shape(n for i, n in enumerate(x.shape) if i not in places), x.dtype, x=x, dim=places)


def unsqueeze(a: dict[str, Value], run: Run) -> TensorType:
    """With axes of size 1 at these places of the result."""
    x, axes = tensor_in(a, "x"), whole_numbers(a["dim"])
    if isinstance(axes, TensorType):
        return _some(run, "unsqueeze", x, axes, 1)
    if not x.shape.known:
        return unknown(run, x.dtype)
    axes = axes if isinstance(axes, tuple) else (axes,)
    for at in sorted(_places(run, axes, len(x.shape) + len(axes))):
        x = run("unsqueeze", x=x, dim=at)
    return x if axes else run("squeeze", x=run("unsqueeze", x=x, dim=0), dim=(0,))
