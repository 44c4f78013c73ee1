"""GraphDef nodes of elementwise operators, and what the nodes share: the one shape of several inputs, a shape that a node states."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.tensorflow import Arguments, anew, at_least, few, ranked, same_types, somewhere, tensor
from tensorproof.bindings.call import Run, takes
from tensorproof.catalogue.tensorflow_arrays import agreed
from tensorproof.ops.call import Call
from tensorproof.ops.inputs import Bool, ElementType, Ints, Tensor
from tensorproof.terms.dtypes import BOOL, FLOAT32, DType
from tensorproof.terms.ints import Term
from tensorproof.terms.predicates import eq
from tensorproof.terms.shapes import Shape, broadcast
from tensorproof.terms.tensor import TensorType

STRING = DType.STRING
DTYPE = ElementType("dtype", optional=False)


def merged(run: Run, shapes: list[Shape], about: tuple[str, ...], code: str = "shape") -> Shape:
    """The one shape that all of these are."""
    return agreed(Call(_op(run), {}, run.session, run.name), shapes, about, code)


def _op(run: Run) -> Any:
    from tensorproof.bindings.call import operator

    return operator(run.row.op)


def same_type(a: Arguments, run: Run) -> TensorType:
    """An elementwise function that keeps whole numbers whole."""
    return anew(a["x"], a["x"].shape)


def checked_first(a: Arguments, run: Run) -> TensorType:
    """The first input, handed on."""
    first = next(v for v in a.values() if isinstance(v, TensorType))
    return anew(first, first.shape)


def second(a: Arguments, run: Run) -> TensorType:
    made: TensorType = a["y"]
    return made


@takes(Tensor("x", ""))
def scalar_first(a: Arguments, run: Run) -> TensorType:
    return ranked(run, a["x"], 0)


def filled_like(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    count = few(x.shape) if x.dtype is not None and x.dtype.is_integer else None
    return tensor(x.shape, x.dtype, None if count is None else (a["value"],) * count)


def part_of_complex(a: Arguments, run: Run) -> TensorType:
    return tensor(a["x"].shape, a.get("dtype") or FLOAT32)


def complex(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "y")
    dtype = run("add", x=a["x"], y=a["y"])
    made: TensorType = dtype.but(dtype=a["dtype"])
    return made


def cast(a: Arguments, run: Run) -> TensorType:
    made: TensorType = run("cast", x=a["x"], dtype=a["dtype"])
    return made


def softmax(a: Arguments, run: Run) -> TensorType:
    at_least(run, a["x"], 1)
    return anew(a["x"], a["x"].shape)


def quotient(a: Arguments, run: Run) -> TensorType:
    """A quotient of TensorFlow keeps the element type, be it whole or not."""
    made = run("add", x=a["x"], y=a["y"])
    result: TensorType = made.but(contents=None)
    return result


def pairwise(a: Arguments, run: Run) -> TensorType:
    """Any function of two tensors that broadcast."""
    made: TensorType = run("add", x=a["x"], y=a["y"]).but(contents=None)
    return made


@takes(Tensor("x"), Tensor("y"), Tensor("z"))
def broadcast_three(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "y", "z")
    shapes = [a[n].shape for n in "xyz"]
    known = [s for s in shapes if s.known and len(s)]
    return anew(a["x"], merged(run, known, ("x", "y", "z")) if known else shapes[0])


@takes(Bool("incompatible_shape_error", True))
def equality(a: Arguments, run: Run) -> TensorType:
    """With incompatible_shape_error off, shapes that do not broadcast give a scalar."""
    if a["incompatible_shape_error"]:
        made: TensorType = run(run.row.op, x=a["x"], y=a["y"])
        return made
    same_types(run, a, "x", "y")
    x, y = a["x"].shape, a["y"].shape
    if not x.known or not y.known or any(isinstance(n, Term) for n in (*x, *y)):
        return tensor(somewhere(run), BOOL)
    fits: list[bool] = [True]
    shape = broadcast([x, y], lambda holds, m, n: fits.append(holds is True))
    return tensor(shape if all(fits) else (), BOOL)


def approximate(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "y")
    return tensor(merged(run, [a["x"].shape, a["y"].shape], ("x", "y")), BOOL)


def first_shape(a: Arguments, run: Run) -> TensorType:
    """The gradient of an elementwise function has the shape of its first input."""
    same_types(run, a, "x", "y")
    return anew(a["x"], a["x"].shape)


@takes(Tensor("x"), Tensor("low"), Tensor("high"))
def clip(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "low", "high")
    shape = a["x"].shape
    for name in ("low", "high"):
        other = a[name].shape
        if other.known and shape.known and len(other):
            shape = merged(run, [shape, other], ("x", name))
    return anew(a["x"], shape)


@takes(Tensor("condition", "...", frozenset({BOOL})), Tensor("x"), Tensor("y"))
def select(a: Arguments, run: Run) -> TensorType:
    """The condition has the shape of the choices, or is a scalar, or a vector of their first axis."""
    same_types(run, a, "x", "y")
    condition = a["condition"].shape
    shape = merged(run, [a["x"].shape, a["y"].shape], ("x", "y"))
    if condition.known and shape.known and len(condition):
        if len(condition) == 1 and len(shape) != 1:
            run.require("condition", len(shape) > 0, "a vector does not choose between scalars", ("condition", "x"))
            run.require(
                "condition",
                eq(condition[0], shape[0]),
                f"the condition has {condition[0]!r} elements and the choices {shape[0]!r} rows",
                ("condition", "x"),
            )
        else:
            shape = merged(run, [shape, condition], ("condition", "x"), "condition")
    elif condition.known and len(condition) > 1:
        shape = condition
    return anew(a["x"], shape)


@takes(Tensor("condition", "...", frozenset({BOOL})), Tensor("x"), Tensor("y"))
def select_v2(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "y")
    made: TensorType = run("where", condition=a["condition"], x=a["x"], y=a["y"])
    return made


@takes(DTYPE)
def bitcast(a: Arguments, run: Run) -> TensorType:
    x, dtype = a["x"], a["dtype"]
    if x.dtype is None:
        return tensor(somewhere(run), dtype)
    if not x.shape.known or x.dtype.bits == dtype.bits:
        return tensor(x.shape, dtype)
    if x.dtype.bits > dtype.bits:
        return tensor((*x.shape, x.dtype.bits // dtype.bits), dtype)
    at_least(run, x, 1)
    run.require(
        "width",
        eq(x.shape[-1], dtype.bits // x.dtype.bits),
        f"the last axis {x.shape[-1]!r} does not make one element of {dtype!r}",
        ("x", "dtype"),
    )
    return tensor(x.shape[:-1], dtype)


@takes(Tensor("x"), Tensor("low", ""), Tensor("high", ""))
def with_scalars(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "low", "high")
    for name in ("low", "high"):
        ranked(run, a[name], 0, name)
    return anew(a["x"], a["x"].shape)


@takes(Ints("size", shape=True, loose=True))
def ensure_shape(a: Arguments, run: Run) -> TensorType:
    made: TensorType = run("ensure_shape", x=a["x"], size=declared(run, a["size"])) if a.get("size") is not None else a["x"]
    return made


@takes(Tensor("x"), Ints("size", shape=True, loose=True))
def placeholder_with_default(a: Arguments, run: Run) -> TensorType:
    """The declared shape, which the default must fit."""
    x, size = a["x"], declared(run, a["size"])
    merged(run, [x.shape, size], ("x", "size"))
    return tensor(size, x.dtype)


def declared(run: Run, size: Any) -> Shape:
    """A shape that a node states; -1 in it stands for any size."""
    if not isinstance(size, (tuple, list)):
        return somewhere(run)
    return Shape(run.fresh("size") if type(n) is int and n < 0 else n for n in size)
