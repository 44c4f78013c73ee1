"""GraphDef nodes of state and control: variables, constants, switches, arrays of tensors, look-ups, restored files."""

from __future__ import annotations

from tensorproof.bindings.adapt import tf_shapes
from tensorproof.bindings.adapt.graphdef import DTYPE, merged
from tensorproof.bindings.adapt.tensorflow import Arguments, anew, at_least, ranked, same_types, somewhere, tensor
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Anything, Tensor, Tensors
from tensorproof.terms.dtypes import BOOL, FLOAT32, INDEX, INT32, INT64, DType
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType


def _held(run: Run, a: Arguments) -> None:
    """A variable is read as what it holds."""
    kind, dtype = a["x"].dtype, a.get("dtype")
    run.require(
        "dtype",
        None in (kind, dtype) or kind in (DType.RESOURCE, dtype),
        f"the variable holds {kind!r} and is read as {dtype!r}",
        ("x", "dtype"),
    )


@takes(Tensor("x"), Tensor("index", "...", INDEX), DTYPE)
def resource_gather(a: Arguments, run: Run) -> TensorType:
    _held(run, a)
    return tf_shapes.gather({**a, "dim": 0}, run)


@takes(Tensor("x"), Tensor("index", "...", INDEX), DTYPE)
def resource_gather_nd(a: Arguments, run: Run) -> TensorType:
    _held(run, a)
    made: TensorType = run("gather_nd", x=a["x"], index=a["index"])
    return made


@takes(Tensor("x"), Tensor("index", "...", INDEX), Tensor("y"))
def scatter_rows(a: Arguments, run: Run) -> TensorType:
    x, index, y = a["x"], a["index"], a["y"]
    same_types(run, a, "x", "y")
    scalar = y.shape.known and len(y.shape) == 0
    if x.shape.known and index.shape.known and y.shape.known and not scalar:
        merged(run, [y.shape, Shape((*index.shape, *x.shape[1:]))], ("y", "index"), "updates")
    return anew(x, x.shape)


def scatter_variable(a: Arguments, run: Run) -> TensorType:
    at_least(run, a["y"], 1, "y")
    made: TensorType = run("tensor_scatter", x=a["x"], index=a["index"], y=a["y"])
    return made


@takes(Anything("value"), DTYPE)
def const(a: Arguments, run: Run) -> TensorType:
    if not isinstance(a["value"], TensorType):
        raise run.give_up("the value of the constant is not known")
    return a["value"]


@takes(Tensor("x"), DTYPE)
def read_variable(a: Arguments, run: Run) -> TensorType:
    x, dtype = a["x"], a.get("dtype")
    if x.dtype is DType.RESOURCE:
        return tensor(somewhere(run), dtype)
    run.require(
        "dtype", None in (dtype, x.dtype) or dtype is x.dtype, f"the variable holds {x.dtype!r} and is read as {dtype!r}", ("x", "dtype")
    )
    made: TensorType = x
    return made


@takes(Tensor("x"), Tensor("y", "", frozenset({BOOL})))
def switch(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    ranked(run, a["y"], 0, "y")
    return a["x"], a["x"]


@takes(Tensors("xs"))
def merge(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    xs = a["xs"]
    same_types(run, a, "xs")
    first = xs[0].shape
    if any(not x.shape.known or len(x.shape) != len(first) for x in xs):
        return anew(xs[0], somewhere(run)), tensor((), INT32)
    axes = [n if all(x.shape[i] == n for x in xs) else run.fresh("axis") for i, n in enumerate(first)]
    return anew(xs[0], axes), tensor((), INT32)


@takes(Tensor("index", "N", frozenset({INT32})))
def array_gather(a: Arguments, run: Run) -> TensorType:
    index = ranked(run, a["index"], 1, "index")
    made: TensorType = run("array_gather", index=index, size=a.get("size"), dtype=a.get("dtype"))
    return made


def array_concat(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    size = a["size"]
    shape = (run.fresh("rows"), *size) if isinstance(size, Shape) and size.known else somewhere(run)
    return tensor(shape, a["dtype"]), tensor((run.fresh("pieces"),), INT64)


@takes(Anything("x"))
def array_grad(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    return tensor((2,), DType.RESOURCE), tensor((), FLOAT32)


def unknown_each(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    return tuple(tensor(somewhere(run), d) for d in a["dtypes"])


def lookup(a: Arguments, run: Run) -> TensorType:
    return anew(a["default"], a["keys"].shape)


def restore(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    """The shapes that the slice specifications write, or none known."""
    held = a["slices"].contents if isinstance(a.get("slices"), TensorType) else None
    made: list[TensorType] = []
    for i, dtype in enumerate(a["dtypes"]):
        text = held[i] if held is not None and i < len(held) else ""
        text = text.decode("latin-1") if isinstance(text, bytes) else str(text)
        sizes = text.split(" ")[:-1]
        made.append(tensor(Shape(int(n) for n in sizes) if sizes and all(n.isdigit() for n in sizes) else somewhere(run), dtype))
    return tuple(made)
