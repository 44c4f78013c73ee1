"""Elements of TensorFlow's tensors: slices, masks, gather, scatter and what stands between brackets."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.graphdef import elementwise as graphdef
from tensorproof.bindings.adapt.tensorflow import shapes as tf_shapes
from tensorproof.bindings.adapt.tensorflow.shared import Arguments, same_types
from tensorproof.bindings.adapt.tensorflow.sizes import somewhere, vector, whole, with_shape
from tensorproof.bindings.adapters import Run, Value, python_number
from tensorproof.terms import BOOL, INDEX, INT64, Shape, TensorType, Term, broadcast, eq, product


def gather(a: Arguments, run: Run) -> TensorType:
    """Along axis 0 TensorFlow looks at no batch axes."""
    return tf_shapes.gather({**a, "batch_dims": 0} if a.get("dim") is not None and whole(a["dim"]) == 0 else a, run)


def strided_slice(a: Arguments, run: Run) -> TensorType:
    begin = vector(run, a["begin"], "begin")
    run.require("begin", begin is None or len(begin) > 0 or isinstance(a["begin"], TensorType), "an empty list of positions has no whole type", ("begin",))
    if a.get("strides") is None:
        if begin is None:
            raise run.give_up("the number of sliced axes is not known")
        a = {**a, "strides": (1,) * len(begin)}
    return run.one(a)


def boolean_mask(a: Arguments, run: Run) -> TensorType:
    """The elements where a mask over some axes is true, as one axis."""
    x, mask = a["x"], a["mask"]
    if not mask.shape.known or not x.shape.known:
        return with_shape(run, "compress", x, somewhere(run), condition=mask)
    at = whole(a.get("dim")) or 0
    run.require("rank", len(mask.shape) >= 1, "the mask cannot be a scalar", ("mask",))
    run.require("rank", at + len(mask.shape) <= len(x.shape), f"a mask {mask.shape!r} does not fit x {x.shape!r} from axis {at} on", ("mask", "x"))
    for m, n in zip(mask.shape, x.shape[at:]):
        run.require("mask", eq(m, n), f"the mask {mask.shape!r} does not fit the axes of x {x.shape!r}", ("mask", "x"))
    n = product(mask.shape)
    rows = with_shape(run, "reshape", x, (*x.shape[:at], n, *x.shape[at + len(mask.shape) :]), size=(*x.shape[:at], n, *x.shape[at + len(mask.shape) :]))
    flat = with_shape(run, "reshape", mask, (n,), size=(n,))
    return with_shape(run, "compress", rows, (*x.shape[:at], run.fresh("kept"), *x.shape[at + len(mask.shape) :]), condition=flat, dim=at)


def places(a: Arguments, run: Run) -> TensorType:
    """Where a condition holds, a row for each place."""
    x = a["x"]
    if x.shape.known:
        return run.typed("nonzero", INT64, x=x)
    return run.shaped("nonzero", Shape((run.fresh("true"), x.shape.rank)), INT64, x=x)


def where(a: Arguments, run: Run) -> TensorType:
    condition, x, y = a["condition"], a.get("x"), a.get("y")
    run.require("choices", (x is None) == (y is None), "give both choices or none", ("x", "y"))
    if x is None:
        return places({"x": condition}, run)
    run.require("dtype", condition.dtype in (None, BOOL), f"the condition must be truth values, not {condition.dtype!r}", ("condition",))
    if run.name.startswith("tf.compat.v1.") and isinstance(x, TensorType) and isinstance(y, TensorType):
        return graphdef.select({"condition": condition, "x": x, "y": y}, run)
    return run("where", condition=condition, x=x, y=y)


def tensor_equality(a: Arguments, run: Run) -> TensorType:
    """`==` of tensors: shapes that do not broadcast are simply not equal."""
    made = [v if isinstance(v, TensorType) else python_number(v) for v in (a["x"], a["y"])]
    if any(v.weak for v in made):
        return run(run.row.op, x=a["x"], y=a["y"])
    x, y = made
    same_types(run, {"x": x, "y": y}, "x", "y")
    fits: list[bool] = [x.shape.known and y.shape.known and not any(isinstance(n, Term) for n in (*x.shape, *y.shape))]
    shape = broadcast([x.shape, y.shape], lambda holds, m, n: fits.append(holds is True)) if fits[0] else somewhere(run)
    if fits[0] and not all(fits):  # one answer for the whole
        return run.typed("full", BOOL, size=(), value=run.row.op == "ne", dtype=BOOL)
    return run.shaped(run.row.op, shape, BOOL, x=x, y=y)


def _part(run: Run, value: Value, open_: list[int], bit: int) -> Value:
    """One end of a slice; what is left out sets a bit of the mask."""
    value = whole(value)
    if value is None:
        open_[0] |= 1 << bit
        return 0
    return value


def _next(at: Any) -> Value:
    return at + 1


def getitem(a: Arguments, run: Run) -> TensorType:
    """Integers, slices, `...` and None: as a strided slice. Tensors with axes are no indices here, not of one element either."""
    index = a["index"]
    items = index if isinstance(index, tuple) else tuple(index) if isinstance(index, list) else (index,)
    begin, end, strides = [], [], []
    opened, closed = [0], [0]
    masks = {"ellipsis_mask": 0, "new_axis_mask": 0, "shrink_axis_mask": 0}
    for i, item in enumerate(items):
        step: Value = 1
        first: Value
        last: Value
        if item is ... or item is None:
            masks["ellipsis_mask" if item is ... else "new_axis_mask"] |= 1 << i
            first, last = 0, 0
        elif isinstance(item, slice):
            first, last = _part(run, item.start, opened, i), _part(run, item.stop, closed, i)
            step = 1 if item.step is None else whole(item.step)
        else:
            first = whole(item)
            scalar = not isinstance(item, TensorType) or (item.dtype in INDEX | {None} and (not item.shape.known or len(item.shape) == 0))
            run.require("index", scalar and not isinstance(first, (bool, float, str)), f"{item!r} is not an index of a TensorFlow tensor", ("index",))
            masks["shrink_axis_mask"] |= 1 << i
            last = first if isinstance(first, TensorType) else _next(first)
        begin.append(first)
        end.append(last)
        strides.append(step)
    return run("strided_slice", x=a["x"], begin=tuple(begin), end=tuple(end), strides=tuple(strides), begin_mask=opened[0], end_mask=closed[0], **masks)


def get_shape(a: Arguments, run: Run) -> Shape:
    made: Shape = a["x"].shape
    return made
