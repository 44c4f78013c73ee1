"""GraphDef nodes of elementwise operators, and what the nodes share: the one shape of several inputs, a shape that a node states."""

from __future__ import annotations

from tensorproof.bindings.adapt.tensorflow.shared import Arguments, promoted_type, same_types
from tensorproof.bindings.adapt.tensorflow.sizes import at_least, ranked, somewhere
from tensorproof.bindings.adapters import Call, Run, Value, operator, takes
from tensorproof.catalogue.frameworks.tensorflow_arrays import agreed
from tensorproof.ops.inputs import Tensor
from tensorproof.terms import BOOL, DType, Shape, TensorType, Term, broadcast, eq

STRING = DType.STRING


def merged(run: Run, shapes: list[Shape], about: tuple[str, ...], code: str = "shape") -> Shape:
    """The one shape that all of these are."""
    return agreed(Call(operator(run.row.op), {}, run.session, run.name), shapes, about, code)


def narrowed(run: Run, x: TensorType, rank: int, name: str = "x") -> TensorType:
    """x, whose rank must be this; of an unknown rank, the same tensor with as many axes."""
    known = ranked(run, x, rank, name)
    return x if x.shape.known else run.shaped("identity", known.shape, x.dtype, x=x)


@takes(*(Tensor(name, "...", frozenset({STRING})) for name in ("x", "input")), Tensor("y", "", frozenset({STRING})))
def checked_first(a: Arguments, run: Run) -> TensorType:
    """What is made from strings one by one: the shape is that of the first input."""
    given = tuple(v for v in a.values() if isinstance(v, TensorType))
    dtype = a.get("dtype") or STRING
    return run.shaped("stated", given[0].shape, dtype, made_from=given, dtype=dtype)


def scalar_first(a: Arguments, run: Run) -> TensorType:
    """x, which must be a scalar, handed on."""
    shape = ranked(run, a["x"], 0).shape
    return run.shaped("identity", shape, a["x"].dtype, x=a["x"])


def quotient(a: Arguments, run: Run) -> TensorType:
    """A quotient of TensorFlow keeps the element type; that of whole numbers is cut towards zero."""
    dtype = promoted_type(run, x=a["x"], y=a["y"])
    rounding = {"rounding": "trunc" if dtype is not None and dtype.is_integer else None} if run.row.op == "div" else {}
    return run.typed(run.row.op, dtype, x=a["x"], y=a["y"], **rounding)


def squared_difference(a: Arguments, run: Run) -> TensorType:
    dtype = promoted_type(run, x=a["x"], y=a["y"])
    difference = run.typed("sub", dtype, x=a["x"], y=a["y"])
    if dtype is not None and dtype.is_complex:  # the square of the absolute value
        made: TensorType = run.typed("mul", dtype, x=run.typed("conj", dtype, x=difference), y=difference)
    else:
        made = run.typed("square", dtype, x=difference)
    return made


def broadcast_three(a: Arguments, run: Run) -> TensorType:
    """Tensors of one shape, or scalars."""
    dtype = same_types(run, a, "x", "y", "z")
    shapes = [a[n].shape for n in "xyz"]
    known = [s for s in shapes if s.known and len(s)]
    return run.shaped(run.row.op, merged(run, known, ("x", "y", "z")) if known else shapes[0], dtype, x=a["x"], y=a["y"], z=a["z"])


def equality(a: Arguments, run: Run) -> TensorType:
    """With incompatible_shape_error off, shapes that do not broadcast give one truth value."""
    if a["incompatible_shape_error"]:
        return run(run.row.op, x=a["x"], y=a["y"])
    same_types(run, a, "x", "y")
    x, y = a["x"].shape, a["y"].shape
    if not x.known or not y.known or any(isinstance(n, Term) for n in (*x, *y)):
        return run.shaped(run.row.op, somewhere(run), BOOL, x=a["x"], y=a["y"])
    fits: list[bool] = [True]
    shape = broadcast([x, y], lambda holds, m, n: fits.append(holds is True))
    if all(fits):
        return run.shaped(run.row.op, shape, BOOL, x=a["x"], y=a["y"])
    return run.typed("full", BOOL, size=(), value=run.row.op == "ne", dtype=BOOL)


def approximate(a: Arguments, run: Run) -> TensorType:
    """Whether |x - y| is less than the tolerance."""
    dtype = same_types(run, a, "x", "y")
    shape = merged(run, [a["x"].shape, a["y"].shape], ("x", "y"))
    apart = run.shaped("sub", shape, dtype, x=a["x"], y=a["y"])
    distance = run.shaped("abs", shape, dtype.real if dtype is not None else None, x=apart)
    return run.shaped("lt", shape, BOOL, x=distance, y=a["tolerance"])


def clip(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "low", "high")
    shape = a["x"].shape
    for name in ("low", "high"):
        other = a[name].shape
        if other.known and shape.known and len(other):
            shape = merged(run, [shape, other], ("x", name))
    below = run.shaped("clamp", shape, a["x"].dtype, x=a["x"], high=a["high"])
    return run.shaped("clamp", shape, a["x"].dtype, x=below, low=a["low"])


def select(a: Arguments, run: Run) -> TensorType:
    """The condition has the shape of the choices, or is a scalar, or a vector of their first axis."""
    same_types(run, a, "x", "y")
    flags: TensorType = a["condition"]
    condition = flags.shape
    shape = merged(run, [a["x"].shape, a["y"].shape], ("x", "y"))
    if condition.known and shape.known and len(condition):
        if len(condition) == 1 and len(shape) != 1:
            run.require("condition", len(shape) > 0, "a vector does not choose between scalars", ("condition", "x"))
            run.require(
                "condition", eq(condition[0], shape[0]), f"the condition has {condition[0]!r} elements and the choices {shape[0]!r} rows", ("condition", "x")
            )
            flags = run.typed("reshape", BOOL, x=flags, size=(condition[0], *(1 for _ in shape[1:])))
        else:
            shape = merged(run, [shape, condition], ("condition", "x"), "condition")
    elif condition.known and len(condition) > 1:
        shape = condition
    return run.shaped("where", shape, a["x"].dtype, condition=flags, x=a["x"], y=a["y"])


def bitcast(a: Arguments, run: Run) -> TensorType:
    """The same bits. Several elements that are made of one, and those of which one is made, stand along the last axis."""
    x, dtype = a["x"], a["dtype"]
    if x.dtype is None or (not x.shape.known and x.dtype.bits != dtype.bits):
        return run.shaped("view_dtype", somewhere(run) if x.dtype is None else x.shape, dtype, x=x, dtype=dtype)
    if x.dtype.bits == dtype.bits:
        return run.shaped("view_dtype", x.shape, dtype, x=x, dtype=dtype)
    if x.dtype.bits > dtype.bits:
        alone = run("unsqueeze", x=x, dim=len(x.shape))
        return run.shaped("view_dtype", (*x.shape, x.dtype.bits // dtype.bits), dtype, x=alone, dtype=dtype)
    at_least(run, x, 1)
    run.require("width", eq(x.shape[-1], dtype.bits // x.dtype.bits), f"the last axis {x.shape[-1]!r} does not make one element of {dtype!r}", ("x", "dtype"))
    joined = run.shaped("view_dtype", (*x.shape[:-1], 1), dtype, x=x, dtype=dtype)
    return run("squeeze", x=joined, dim=len(x.shape) - 1)


def with_scalars(a: Arguments, run: Run) -> TensorType:
    """x rounded within a range whose ends are scalars, or vectors of an end for each slice along an axis."""
    same_types(run, a, "x", "low", "high")
    for name in ("low", "high"):
        ranked(run, a[name], 0 if a.get("axis") in (None, -1) else 1, name)
    return run.shaped(run.row.op, a["x"].shape, a["x"].dtype, **a)


def ensure_shape(a: Arguments, run: Run) -> TensorType:
    return run("ensure_shape", x=a["x"], size=declared(run, a["size"])) if a.get("size") is not None else a["x"]


def placeholder_with_default(a: Arguments, run: Run) -> TensorType:
    """The declared shape, which the default must fit."""
    x, size = a["x"], declared(run, a["size"])
    merged(run, [x.shape, size], ("x", "size"))
    return run.shaped("placeholder_with_default", size, x.dtype, x=x, size=size)


def declared(run: Run, size: Value) -> Shape:
    """A shape that a node states; -1 in it stands for any size."""
    if not isinstance(size, (tuple, list)):
        return somewhere(run)
    return Shape(run.fresh("size") if type(n) is int and n < 0 else n for n in size)
