"""GraphDef nodes of state and control: variables, constants, switches, arrays of tensors, look-ups, restored files."""

from __future__ import annotations

from collections.abc import Sequence

from tensorproof.bindings.adapt.graphdef.elementwise import merged
from tensorproof.bindings.adapt.tensorflow import shapes as tf_shapes
from tensorproof.bindings.adapt.tensorflow.shared import Arguments, ranked, same_types, somewhere, with_shape
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Tensor
from tensorproof.terms import INDEX, INT64, DType, Shape, TensorType


def _held(run: Run, a: Arguments) -> None:
    """A variable is read as what it holds."""
    kind, dtype = a["x"].dtype, a.get("dtype")
    run.require("dtype", None in (kind, dtype) or kind in (DType.RESOURCE, dtype), f"the variable holds {kind!r} and is read as {dtype!r}", ("x", "dtype"))


def resource_gather(a: Arguments, run: Run) -> TensorType:
    _held(run, a)
    batch = a.get("batch_dims")
    return tf_shapes.gather({**a, "dim": batch if type(batch) is int and batch > 0 else 0}, run)


def resource_gather_nd(a: Arguments, run: Run) -> TensorType:
    _held(run, a)
    return run("gather_nd", x=a["x"], index=a["index"])


@takes(Tensor("x"), Tensor("index", "...", INDEX), Tensor("y"))
def scatter_rows(a: Arguments, run: Run) -> TensorType:
    x, index, y = a["x"], a["index"], a["y"]
    same_types(run, a, "x", "y")
    scalar = y.shape.known and len(y.shape) == 0
    if x.shape.known and index.shape.known and y.shape.known and not scalar:
        merged(run, [y.shape, Shape((*index.shape, *x.shape[1:]))], ("y", "index"), "updates")
    return with_shape(run, "scatter_rows", x, x.shape, index=index, y=y, reduction=a["reduction"])


def read_variable(a: Arguments, run: Run) -> TensorType:
    x, dtype = a["x"], a.get("dtype")
    if x.dtype is DType.RESOURCE:
        return run.shaped("identity", somewhere(run), dtype, x=x)
    run.require("dtype", None in (dtype, x.dtype) or dtype is x.dtype, f"the variable holds {x.dtype!r} and is read as {dtype!r}", ("x", "dtype"))
    return run("identity", x=x)


def array_gather(a: Arguments, run: Run) -> TensorType:
    index = ranked(run, a["index"], 1, "index")
    shown = a["index"] if a["index"].shape.known else index
    return run("array_gather", index=shown, made_from=given(a, "x", "flow"), size=a.get("size"), dtype=a.get("dtype"))


def given(a: Arguments, *names: str) -> tuple[TensorType, ...]:
    """Those of the arguments that are tensors."""
    return tuple(a[n] for n in names if isinstance(a.get(n), TensorType))


def array_concat(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    size = a["size"]
    shape = Shape((run.fresh("rows"), *size)) if isinstance(size, Shape) and size.known else somewhere(run)
    return sources(run, [shape, Shape((run.fresh("pieces"),))], [a["dtype"], INT64], given(a, "x", "flow"))


def sources(run: Run, shapes: list[Shape], dtypes: Sequence[DType | None], made_from: tuple[TensorType, ...] = ()) -> tuple[TensorType, ...]:
    """Tensors of which only shapes and element types are known."""
    return tuple(run("stated_each", sizes=shapes, dtypes=tuple(dtypes), made_from=made_from or None))


def array_grad(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    return tuple(run("tensor_array", made_from=given(a, "x", "flow") or None))


def unknown_each(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    return sources(run, [somewhere(run) for _ in a["dtypes"]], a["dtypes"], given(a, "x", "n"))


def lookup(a: Arguments, run: Run) -> TensorType:
    """What a table holds for each key."""
    return run.shaped("stated", a["keys"].shape, a["default"].dtype, dtype=a["default"].dtype, made_from=given(a, "x", "keys", "default"))


def restore(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    """The shapes that the slice specifications write, or none known."""
    held = a["slices"].contents if isinstance(a.get("slices"), TensorType) else None
    shapes: list[Shape] = []
    for i in range(len(a["dtypes"])):
        text = held[i] if held is not None and i < len(held) else ""
        text = text.decode("latin-1") if isinstance(text, bytes) else str(text)
        sizes = text.split(" ")[:-1]
        shapes.append(Shape(int(n) for n in sizes) if sizes and all(n.isdigit() for n in sizes) else somewhere(run))
    return sources(run, shapes, a["dtypes"], given(a, "x", "names", "slices"))


def const(a: Arguments, run: Run) -> TensorType:
    if not isinstance(a["value"], TensorType):
        raise run.give_up("the value of the constant is not known")
    return a["value"]
