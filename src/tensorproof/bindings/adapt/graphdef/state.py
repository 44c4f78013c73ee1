"""GraphDef nodes of state, control and texts: variables, constants, switches, arrays of tensors, look-ups, files, strings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorproof.bindings.adapt.graphdef.elementwise import STRING, merged
from tensorproof.bindings.adapt.tensorflow import shapes as tf_shapes
from tensorproof.bindings.adapt.tensorflow.shared import Arguments, same_types
from tensorproof.bindings.adapt.tensorflow.sizes import at_least, ranked, somewhere, with_shape
from tensorproof.bindings.adapters import takes, taking
from tensorproof.bindings.call import Run
from tensorproof.ops.inputs import Tensor
from tensorproof.terms import INDEX, INT64, Dim, DType, Shape, TensorType


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


def summary(a: Arguments, run: Run) -> TensorType:
    """A summary is a serialised message: one string."""
    if isinstance(a.get("tag"), TensorType) and "Audio" not in run.name:
        ranked(run, a["tag"], 0, "tag")
    return _source(run, a, Shape(), STRING)


def _tensors(a: Arguments) -> tuple[TensorType, ...]:
    return tuple(t for v in a.values() for t in (v if isinstance(v, (tuple, list)) else (v,)) if isinstance(t, TensorType))


def _source(run: Run, a: Arguments, shape: Shape, dtype: DType | None) -> TensorType:
    """A tensor of which only shape and element type are known, made from all that was given."""
    return run.shaped("stated", shape, dtype, made_from=_tensors(a) or None, size=shape if shape.known else None, dtype=dtype)


def two_strings(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    return sources(run, [Shape(), Shape()], [STRING, STRING], _tensors(a))


def two_vectors(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    return sources(run, [Shape((run.fresh("read"),)) for _ in range(2)], [STRING, STRING], _tensors(a))


def string_join(a: Arguments, run: Run) -> TensorType:
    """Strings of one shape; scalars go with any."""
    shapes = [x.shape for x in a["xs"]]
    wide = [s for s in shapes if not s.known or len(s)]
    return _source(run, a, merged(run, wide, ("xs",)) if wide else Shape(), STRING)


def string_split(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    n = run.fresh("pieces")
    return sources(run, [Shape((n, 2)), Shape((n,)), Shape((2,))], [INT64, STRING, INT64], _tensors(a))


def decode_raw(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    return _source(run, a, Shape((*x.shape, run.fresh("bytes"))) if x.shape.known else somewhere(run), a["dtype"])


def decode_image(a: Arguments, run: Run) -> TensorType:
    ranked(run, a["x"], 0)
    channels, kind = a.get("channels") or 0, run.name.rpartition(".")[2]
    allowed = {"DecodeBmp": (0, 3, 4), "DecodeJpeg": (0, 1, 3)}.get(kind, (0, 1, 3, 4))
    run.require("channels", channels in allowed, f"an image has {allowed} channels, not {channels}", ("channels",))
    dtype = a.get("dtype") or DType.UINT8
    depth = 3 if kind == "DecodeGif" else channels or run.fresh("channels")
    if kind == "DecodeImage":
        return _source(run, a, somewhere(run), dtype)
    sizes = (run.fresh("height"), run.fresh("width"), depth)
    return _source(run, a, Shape((run.fresh("frames"), *sizes) if kind == "DecodeGif" else sizes), dtype)


def encode_image(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    if run.name.endswith("EncodePng"):
        at_least(run, x, 3)
        return _source(run, a, Shape(x.shape[:-3]) if x.shape.known else somewhere(run), STRING)
    ranked(run, x, 3)
    return _source(run, a, Shape(), STRING)


def string_vector(a: Arguments, run: Run) -> TensorType:
    return _source(run, a, Shape((run.fresh("files"),)), STRING)


def parse_many(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    first = next((v for v in a.values() if isinstance(v, TensorType)), None)
    batch: Dim = first.shape[0] if first is not None and first.shape.known and len(first.shape) == 1 else run.fresh("batch")
    return _parsed(a, run, (batch,))


def _parsed(a: Arguments, run: Run, lead: tuple[Dim, ...]) -> tuple[TensorType, ...]:
    if a.get("sparse_types") is None:
        raise run.give_up("the features are not known")
    sparse, dense = tuple(a.get("sparse_types") or ()), tuple(a.get("dense_shapes") or ())
    kinds = tuple(a.get("Tdense") or ())
    rank = 1 + len(lead)
    shapes = [Shape((run.fresh("entries"), rank)) for _ in sparse] + [Shape((run.fresh("entries"),)) for _ in sparse] + [Shape((rank,)) for _ in sparse]
    dtypes: list[DType | None] = [*(INT64 for _ in sparse), *sparse, *(INT64 for _ in sparse)]
    for i, shape in enumerate(dense):
        stated: Any = shape
        known = isinstance(stated, Shape) and stated.known
        shapes.append(Shape((*lead, *stated)) if known else somewhere(run))
        dtypes.append(kinds[i] if i < len(kinds) else None)
    return sources(run, shapes, dtypes, _tensors(a))


parse_single = taking(_parsed, lead=())


def decode_csv(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    return sources(run, [a["x"].shape for _ in a["xs"]], [x.dtype for x in a["xs"]], _tensors(a))
