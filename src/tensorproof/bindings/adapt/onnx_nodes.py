"""ONNX nodes that a table row cannot say: inputs that are numbers, defaults that depend on the opset, one operator for any number of axes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce as fold
from typing import Any

from tensorproof.bindings.call import Run, takes
from tensorproof.catalogue.onnx_windows import AUTO_PAD
from tensorproof.ops.contents import spread
from tensorproof.ops.inputs import REQUIRED, Anything, Axes, Axis, Bool, Choice, ElementType, Int, Ints, Number, Tensor, Tensors, as_size
from tensorproof.ops.storage import cast, known, small
from tensorproof.terms.dtypes import BOOL, FLOAT16, FLOAT32, FLOAT64, FLOATS, INT64, DType
from tensorproof.terms.ints import Dim, ceildiv, maximum
from tensorproof.terms.predicates import conj, eq, ge, lt
from tensorproof.terms.shapes import Shape, unknown_shape
from tensorproof.terms.tensor import Outputs, TensorType

# --- elements ------------------------------------------------------------------------------------------------------------------------


@takes(Tensors("xs"))
def folded(a: dict[str, Any], run: Run) -> Any:
    """An operator of two operands over any number of them."""
    return fold(lambda x, y: run(run.row.op, x=x, y=y), a["xs"])


def divide(a: dict[str, Any], run: Run) -> Any:
    """Whole numbers are divided towards zero."""
    dtype = a["x"].dtype
    if dtype is not None and dtype.is_integer:
        return run("div", x=a["x"], y=a["y"], rounding="trunc")
    return _with_floats(run("div", x=a["x"], y=a["y"]), lambda x, y: x / y if y else None, a["x"], a["y"])


_EXACT: dict[str, Callable[..., Any]] = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "floor": math.floor, "ceil": math.ceil, "cast": float,
}  # fmt: skip


def exact(a: dict[str, Any], run: Run) -> Any:
    """Known floats are computed with too: exporters scale sizes by way of them (Shape, Cast, Mul, Floor, Cast)."""
    return _with_floats(run.default(a), _EXACT[run.row.op], *(a[name] for name in ("x", "y") if name in a))


@dataclass(frozen=True, slots=True)
class Target(ElementType):
    """The element type of a cast, which must be given; one that is younger than our list of them is None."""

    optional: bool = False

    def takes(self, value: Any) -> bool:
        return value is None or isinstance(value, DType)


@takes(Target("dtype", REQUIRED))
def cast_to(a: dict[str, Any], run: Run) -> Any:
    return a["x"].but(dtype=None, contents=None) if a["dtype"] is None else exact(a, run)


def _with_floats(made: TensorType, function: Callable[..., Any], *operands: TensorType) -> TensorType:
    """The result with its contents, where it and all operands are floats (or whole numbers being cast) that are known and few."""
    if made.contents is not None or made.dtype not in (FLOAT16, FLOAT32, FLOAT64) or not small(made.shape):
        return made
    if any(not known(x) or not all(isinstance(v, (int, float)) and math.isfinite(v) for v in x.contents or ()) for x in operands):
        return made
    columns = [spread(x.contents or (), x.shape, tuple(made.shape)) for x in operands]
    found = [function(*row) for row in zip(*columns)]
    return made if None in found else made.but(contents=cast(tuple(found), made.dtype))


@takes(Bool("fmod", False))
def modulo(a: dict[str, Any], run: Run) -> Any:
    """The sign of the divisor, or with fmod that of the dividend; of floats the latter only."""
    dtype = a["x"].dtype
    if not a["fmod"] and dtype is not None and dtype.is_float and run.row.opsets[1] < 28:
        raise run.refuse("fmod", f"the remainder of {dtype!r} needs fmod=1", ("x", "fmod"))
    return run("fmod" if a["fmod"] else "remainder", x=a["x"], y=a["y"])


@takes(Choice("direction", ("LEFT", "RIGHT")))
def shift(a: dict[str, Any], run: Run) -> Any:
    if a["direction"] not in ("LEFT", "RIGHT"):
        raise run.refuse("direction", f"direction must be LEFT or RIGHT, and is {a['direction']!r}", ("direction",))
    return run(f"bitwise_{a['direction'].lower()}_shift", x=a["x"], y=a["y"])


def power(a: dict[str, Any], run: Run) -> Any:
    """The exponent may be of another type; the result has the type of the base."""
    x, y = a["x"], a["y"]
    return run("pow", x=x, y=y if x.dtype is y.dtype else y.but(dtype=x.dtype, contents=cast(y.contents, x.dtype)))


@takes(Tensor("low", "...", optional=True), Tensor("high", "...", optional=True))
def clip(a: dict[str, Any], run: Run) -> Any:
    """Both bounds are single numbers."""
    for name in ("low", "high"):
        bound = a[name]
        if bound is None:
            continue
        if bound.shape.known:
            run.require(name, len(bound.shape) == 0, f"{name} must be a single number, and has shape {bound.shape!r}", (name,))
        if bound.dtype is not None and a["x"].dtype is not None:
            run.require("dtype", bound.dtype is a["x"].dtype, f"{name} is {bound.dtype!r} and x {a['x'].dtype!r}", (name, "x"))
    if a["low"] is None and a["high"] is None:
        return run("identity", x=a["x"])
    return run("clamp", x=a["x"], low=a["low"], high=a["high"])


def clip_numbers(a: dict[str, Any], run: Run) -> Any:
    return run("identity", x=a["x"]).but(contents=None)


@takes(Tensor("y"))
def cast_like(a: dict[str, Any], run: Run) -> Any:
    return run("cast", x=a["x"], dtype=a["y"].dtype)


def one_type(a: dict[str, Any], run: Run) -> Any:
    """All inputs have one element type."""
    found = {name: value.dtype for name, value in a.items() if isinstance(value, TensorType) and value.dtype is not None}
    run.require("dtype", len(set(found.values())) <= 1, f"all inputs must have one element type, and they are {found!r}", tuple(found))
    return run.default(a)


@takes(Axis("dim", of="xs"))
def concat(a: dict[str, Any], run: Run) -> Any:
    return run("cat", xs=a["xs"], dim=a["dim"])


def isinf(a: dict[str, Any], run: Run) -> Any:
    return run("isinf", x=a["x"])


def softmax(a: dict[str, Any], run: Run) -> Any:
    """The shape stays. Before opset 13 all axes from `dim` on count as one."""
    return run.default(a)


# --- numbers as inputs -----------------------------------------------------------------------------------------------------------------


def number(value: Any) -> Any:
    """The number in a tensor of one element; the tensor itself where its contents are not known."""
    if isinstance(value, TensorType) and value.contents is not None and len(value.contents) == 1:
        return value.contents[0]
    return value


def whole_numbers(value: Any) -> Any:
    """The numbers of a vector, a list of them; the tensor itself where its contents are not known."""
    if isinstance(value, TensorType):
        return value if value.contents is None else value.contents
    return tuple(as_size(v) for v in value) if isinstance(value, (tuple, list)) else value


def unknown(run: Run, dtype: DType | None) -> TensorType:
    run.session.made += 1
    return TensorType(unknown_shape(f"{run.row.op}{run.session.site}#{run.session.made}"), dtype)


@takes(Axes("dim", None, loose=True, scalar_ok=False), Bool("noop_with_empty_axes", False))
def reduced(a: dict[str, Any], run: Run) -> Any:
    """No axes are all axes, or none of them."""
    x, axes = a["x"], whole_numbers(a["dim"])
    axes = (axes,) if isinstance(axes, int) else axes
    if isinstance(axes, TensorType) and axes.shape != (0,):
        if not a["keepdim"] or not x.shape.known:
            return unknown(run, x.dtype)
        return TensorType(Shape(run.fresh("reduced") for _ in x.shape), x.dtype)
    if not axes or isinstance(axes, TensorType):
        if a.get("noop_with_empty_axes"):
            return run("identity", x=x).but(contents=None)
        axes = None
    if x.contents == ():
        x = x.but(contents=None)
    if isinstance(axes, tuple) and x.shape.known:
        rank = len(x.shape)
        for axis in axes:
            run.require("axis", -rank <= axis < rank, f"axis {axis} is out of range for x {x.shape!r}", ("dim", "x"))
    return run(run.row.op, x=x, dim=axes, keepdim=a["keepdim"], **({"dtype": x.dtype} if run.row.op in ("sum", "mean", "prod") else {}))


@takes(Int("k", least=0, loose=True))
def topk(a: dict[str, Any], run: Run) -> Any:
    x, k = a["x"], number(a["k"])
    if isinstance(k, TensorType):
        if not x.shape.known:
            made = unknown(run, x.dtype)
            return made, made.but(dtype=INT64)
        axis = a["dim"] % max(1, len(x.shape))
        made = TensorType(Shape((*x.shape[:axis], run.fresh("k"), *x.shape[axis + 1 :])), x.dtype)
        return made, made.but(dtype=INT64)
    run.require("k", ge(k, 1 if run.row.opsets[1] < 10 else 0), f"the number of elements must be positive, and is {k!r}", ("k",))
    return run("topk", x=x, k=k, dim=a["dim"], largest=a.get("largest", True), sorted=a.get("sorted", True))


@takes(Int("dim", loose=True))
def cumulated(a: dict[str, Any], run: Run) -> Any:
    axis = number(a["dim"])
    x = a["x"]
    if isinstance(axis, TensorType) or a.get("exclusive") or a.get("reverse"):
        return run("identity", x=x).but(contents=None)
    return run(run.row.op, x=x, dim=axis, dtype=x.dtype)


@takes(Number("start", loose=True), Number("end", loose=True), Number("step", loose=True))
def ranged(a: dict[str, Any], run: Run) -> Any:
    """Three single numbers of one type; a step that leads away from the end gives nothing."""
    given = [a["start"], a["end"], a["step"]]
    dtypes = [v.dtype if isinstance(v, TensorType) else FLOAT32 if isinstance(v, float) else INT64 for v in given]
    known = {d for d in dtypes if d is not None}
    run.require("dtype", len(known) <= 1, f"start, limit and delta must have one element type, and have {dtypes!r}", ("start", "end", "step"))
    start, end, step = map(number, given)
    dtype = next(iter(known), None)
    if any(isinstance(v, TensorType) for v in (start, end, step)):
        return TensorType(Shape((run.fresh("range"),)), dtype)
    run.require("step", step != 0, "the step must not be 0", ("step",))
    if not isinstance(step, (int, float)) or (isinstance(step, int) and not isinstance(start, float) and not isinstance(end, float)):
        size: Dim = maximum(0, ceildiv(end - start, step)) if isinstance(step, int) else run.fresh("range")
    else:
        size = max(0, -int((start - end) // step))
    contents = tuple(start + i * step for i in range(size)) if isinstance(size, int) and size <= 4096 and dtype is not None and dtype.is_integer else None
    return TensorType(Shape((size,)), dtype, contents=contents)


@takes(Ints("size", least=0, shape=True, loose=True, one=False), Anything("value"))
def constant_of_shape(a: dict[str, Any], run: Run) -> Any:
    """A value of one element, float32 zero where none is given."""
    size, value = whole_numbers(a["size"]), a["value"]
    if isinstance(value, (tuple, list)):
        value = TensorType(Shape((len(value),)), INT64, contents=tuple(value))
    dtype = FLOAT32 if value is None else value.dtype
    if value is not None:
        run.require("value", value.shape.numel == 1, f"value must have one element, and has shape {value.shape!r}", ("value",))
    if isinstance(size, TensorType):
        if size.shape.known and len(size.shape) == 1 and isinstance(size.shape[0], int):
            return TensorType(Shape(run.fresh("size") for _ in range(size.shape[0])), dtype)
        return unknown(run, dtype)
    for n in size:
        run.require("size", ge(n, 0), f"a size cannot be negative, and the shape is {tuple(size)!r}", ("size",))
    filled = 0.0 if value is None else value.contents[0] if value.contents else None
    made = Shape(size)
    count = made.numel
    contents = (filled,) * count if filled is not None and isinstance(count, int) and count <= 4096 else None
    return TensorType(made, dtype, contents=contents)


def constant(a: dict[str, Any], run: Run) -> Any:
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


# --- axes ------------------------------------------------------------------------------------------------------------------------------


@takes(Ints("dim", None, optional=True))
def transpose(a: dict[str, Any], run: Run) -> Any:
    x, order = a["x"], a["dim"]
    if order is None:
        return run("reversed_axes", x=x)
    for axis in order:
        run.require("axis", axis >= 0, f"perm must name axes from 0 on, and is {tuple(order)!r}", ("dim",))
    return run("permute", x=x, dim=tuple(order))


@takes(Ints("sizes", None, optional=True, loose=True), Int("count", None, optional=True, least=1))
def split(a: dict[str, Any], run: Run) -> Any:
    """Parts of given sizes, or so many parts of one size, the last of which may be smaller."""
    x, sizes, count, dim = a["x"], whole_numbers(a["sizes"]), a.get("count"), a["dim"]
    outputs = a.get("outputs")
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


def nonzero(a: dict[str, Any], run: Run) -> Any:
    """One row for each axis; none for a single number."""
    x = a["x"]
    if not x.shape.known:
        return TensorType(Shape((run.fresh("rank"), run.fresh("nnz"))), INT64)
    found = run("nonzero", x=x)
    return found.but(shape=Shape((len(x.shape), found.shape[0])), contents=None, strides=None, dtype=INT64)


@takes(Int("dim", None, optional=True))
def unique(a: dict[str, Any], run: Run) -> Any:
    """Values, where they first stood, where they went, and how often they came."""
    x, axis = a["x"], a["dim"]
    if not x.shape.known:
        count: Dim = run.fresh("unique")
        made = unknown(run, x.dtype)
        return made, *(TensorType(Shape((n,)), INT64) for n in (count, run.fresh("elements"), count))
    rank = len(x.shape)
    if axis is not None:
        run.require("axis", -rank <= axis < rank, f"axis {axis} is out of range for x {x.shape!r}", ("dim", "x"))
    every = x.shape.numel if axis is None else x.shape[axis]
    count = run.fresh("unique", 0, every if isinstance(every, int) else None)
    if axis is None and x.contents is not None and all(isinstance(v, (int, float, str)) for v in x.contents):
        count = len(set(x.contents))
    at = 0 if axis is None else axis % rank
    values = Shape((count,)) if axis is None else Shape((*x.shape[:at], count, *x.shape[at + 1 :]))
    vectors = [TensorType(Shape((n,)), INT64) for n in (count, every, count)]
    return Outputs.named((TensorType(values, x.dtype), *vectors), ("values", "indices", "inverse", "counts"))


@takes(Int("depth", least=1, loose=True))
def one_hot(a: dict[str, Any], run: Run) -> Any:
    return run("one_hot_values", x=a["x"], values=a["values"], depth=number(a["depth"]), dim=a["dim"])


@takes(Int("block", least=1))
def space_to_depth(a: dict[str, Any], run: Run) -> Any:
    """Unlike the torch operator, of images in batches only."""
    return run("pixel_unshuffle", x=a["x"], factor=a["block"])


@takes(Int("block", least=1))
def depth_to_space(a: dict[str, Any], run: Run) -> Any:
    return run("pixel_shuffle", x=a["x"], factor=a["block"])


# --- layers ------------------------------------------------------------------------------------------------------------------------------


_WINDOW = (Ints("kernel", least=1), Ints("stride", None, least=1, optional=True), Ints("padding", None, least=0, optional=True))
_DILATION = Ints("dilation", None, least=1, optional=True)
_PAD = Choice("auto_pad", AUTO_PAD, "NOTSET")


def _window(a: dict[str, Any], run: Run, n: int) -> dict[str, Any] | None:
    """The arguments of an operator for `n` axes; None where only the operator for any number of them will do."""
    pads, auto = a.get("padding"), a.get("auto_pad", "NOTSET")
    for name, value, count in (("kernel", a.get("kernel"), n), ("stride", a.get("stride"), n), ("dilation", a.get("dilation"), n), ("padding", pads, 2 * n)):
        if value is not None and len(value) != count:
            raise run.refuse(name, f"{name} must have {count} numbers, and is {tuple(value)!r}", (name, "x"))
        for number in value or ():
            run.require(name, ge(number, 0 if name == "padding" else 1), f"{name} is {tuple(value)!r}, and {number!r} is too small", (name,))
    if n not in (1, 2, 3) or auto not in ("NOTSET", "VALID"):
        return None
    pads = (0,) * (2 * n) if pads is None or auto == "VALID" else tuple(pads)
    made = {"padding": pads[:n], "padding_end": pads[n:], "stride": tuple(a["stride"] or (1,) * n)}
    if a.get("dilation") is not None:
        made["dilation"] = tuple(a["dilation"])
    return made


def _spatial(a: dict[str, Any], run: Run, name: str = "x") -> int | None:
    shape = a[name].shape
    if not shape.known:
        return None
    run.require("rank", len(shape) >= 3, f"{name} must have rank 3 or more, and is {shape!r}", (name,))
    return len(shape) - 2


@takes(*_WINDOW, _DILATION, _PAD)
def max_pool(a: dict[str, Any], run: Run) -> Any:
    n = _spatial(a, run)
    made = None if n is None else _window(a, run, n)
    if made is None or not all(isinstance(size, int) and size for size in a["x"].shape):
        found = run.default(a)
    else:
        found = run(f"max_pool{n}d", x=a["x"], kernel=tuple(a["kernel"]), ceil_mode=a.get("ceil_mode", False), return_indices=True, **made)
    return found if run.row.opsets[1] >= 8 or not isinstance(found, tuple) else found[0]


@takes(Bool("training", False), Anything("count"))
def batch_norm(a: dict[str, Any], run: Run) -> Any:
    """Since opset 14 the running statistics come out in training only; before, where the node names them."""
    if run.row.opsets[0] < 14:
        made = run.default({**a, "outputs": a["count"] or 1})
        return made if a["count"] and a["count"] > 1 else made[0]
    made = run.default({**a, "outputs": 3 if a["training"] else 1})
    return made if a["training"] else made[0]


@takes(Anything("training"), Anything("p"))
def dropout(a: dict[str, Any], run: Run) -> Any:
    """The mask is of truth values since opset 10."""
    x = a["x"]
    made = run("identity", x=x).but(contents=None)
    return made, made.but(dtype=BOOL if run.row.opsets[0] >= 10 else x.dtype)


@takes(Choice("mode", ("linear", "nearest", "cubic"), "linear"))
def grid_sample(a: dict[str, Any], run: Run) -> Any:
    """Any number of axes; the last axis of the grid holds a place in each."""
    x, grid = a["x"], a["grid"]
    words = ("linear", "nearest", "cubic") if run.row.opsets[1] >= 20 else ("bilinear", "nearest", "bicubic")
    run.require("mode", a["mode"] in (None, *words), f"mode must be one of {words!r}, and is {a['mode']!r}", ("mode",))
    run.require("padding_mode", a["padding_mode"] in ("zeros", "border", "reflection"), f"there is no padding_mode {a['padding_mode']!r}", ("padding_mode",))
    if not x.shape.known or not grid.shape.known:
        return unknown(run, x.dtype)
    n = len(x.shape) - 2
    run.require("rank", len(grid.shape) == len(x.shape) and n >= 1, f"x {x.shape!r} and grid {grid.shape!r} must have one rank", ("x", "grid"))
    run.require("grid", conj(ge(grid.shape[-1], n), lt(grid.shape[-1], n + 1)), f"the grid's last axis holds {grid.shape[-1]!r} numbers and x has {n} spatial axes", ("grid", "x"))
    run.require("batch", conj(ge(x.shape[0], grid.shape[0]), ge(grid.shape[0], x.shape[0])), f"batches of {x.shape[0]!r} and {grid.shape[0]!r}", ("x", "grid"))
    return TensorType(Shape((x.shape[0], x.shape[1], *grid.shape[1:-1])), x.dtype)


@takes(Tensor("x", "N 2 3 | N 3 4", FLOATS, draw="N 2 3 | N 3 4"), Ints("size", least=0, shape=True, loose=True))
def affine_grid(a: dict[str, Any], run: Run) -> Any:
    theta, size = a["x"], whole_numbers(a["size"])
    if isinstance(size, TensorType):
        return unknown(run, theta.dtype)
    run.require("size", len(size) in (4, 5), f"the size must have 4 or 5 numbers, and has {len(size)}", ("size",))
    n = len(size) - 2
    if theta.shape.known:
        run.require("rank", len(theta.shape) == 3, f"theta must have rank 3, and is {theta.shape!r}", ("x",))
        for have, want in zip(theta.shape, (size[0], n, n + 1)):
            run.require("theta", eq(have, want), f"theta {theta.shape!r} must have the shape {(size[0], n, n + 1)!r}", ("x", "size"))
    for number in size:
        run.require("size", ge(number, 1), f"a size must be positive, and is {number!r}", ("size",))
    return TensorType(Shape((size[0], *size[2:], len(size) - 2)), theta.dtype)


def rotary(a: dict[str, Any], run: Run) -> Any:
    return run.default({**a, "heads": a["heads"] or None})


def attention(a: dict[str, Any], run: Run) -> Any:
    return run.default({**a, "q_heads": a["q_heads"] or None, "kv_heads": a["kv_heads"] or None})


def tf_idf(a: dict[str, Any], run: Run) -> Any:
    return run("tf_idf", x=a["x"], columns=a["columns"])


# --- optional values -------------------------------------------------------------------------------------------------------------------


def optional(a: dict[str, Any], run: Run) -> Any:
    """What an optional value holds stands for it."""
    if a["x"] is None:
        raise run.give_up("it holds nothing")
    return a["x"]


def join_sequence(a: dict[str, Any], run: Run) -> Any:
    """The tensors of a sequence, joined along an axis or stacked along a new one."""
    items, axis = a["x"].contents, a["dim"]
    if not items:
        return unknown(run, None)
    if a["new_axis"]:
        return run("stack", xs=items, dim=axis)
    return run("cat", xs=items, dim=axis)


def multinomial(a: dict[str, Any], run: Run) -> Any:
    """Samples from every row, with replacement."""
    x = a["x"]
    rows = x.shape[0] if x.shape.known and len(x.shape) == 2 else run.fresh("rows")
    if x.shape.known:
        run.require("rank", len(x.shape) == 2, f"x must have rank 2, and is {x.shape!r}", ("x",))
    return TensorType(Shape((rows, a["n"])), a["dtype"])
