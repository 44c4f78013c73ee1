"""GraphDef nodes of strings and files: summaries, parsed examples, coded images."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.graphdef import DTYPE, STRING, merged
from tensorproof.bindings.adapt.tensorflow import Arguments, at_least, ranked, somewhere, tensor
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Int, Tensor, Tensors
from tensorproof.terms.dtypes import FLOAT32, FLOAT64, INT32, INT64, DType
from tensorproof.terms.ints import Dim
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

_TAG = Tensor("tag", "", frozenset({STRING}))


@takes(
    _TAG,
    Tensor("tags", "...", frozenset({STRING})),
    Tensor("values"),
    Tensor("tensor"),
    Tensors("inputs", "", frozenset({STRING})),
    Tensor("serialized_summary_metadata", "", frozenset({STRING})),
)
def summary(a: Arguments, run: Run) -> TensorType:
    """A summary is a serialised message: one string."""
    if isinstance(a.get("tag"), TensorType) and "Audio" not in run.name:
        ranked(run, a["tag"], 0, "tag")
    return tensor((), STRING)


def two_strings(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    return tensor((), STRING), tensor((), STRING)


def two_vectors(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    return tensor((run.fresh("read"),), STRING), tensor((run.fresh("read"),), STRING)


@takes(Tensors("xs", "...", frozenset({STRING})))
def string_join(a: Arguments, run: Run) -> TensorType:
    """Strings of one shape; scalars go with any."""
    shapes = [x.shape for x in a["xs"]]
    wide = [s for s in shapes if not s.known or len(s)]
    return tensor(merged(run, wide, ("xs",)) if wide else (), STRING)


def string_split(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    n = run.fresh("pieces")
    return tensor((n, 2), INT64), tensor((n,), STRING), tensor((2,), INT64)


@takes(Tensor("x", "...", frozenset({STRING})), DTYPE)
def decode_raw(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    return tensor((*x.shape, run.fresh("bytes")) if x.shape.known else somewhere(run), a["dtype"])


@takes(Tensor("x", "", frozenset({STRING})), Int("channels", 0))
def decode_image(a: Arguments, run: Run) -> TensorType:
    ranked(run, a["x"], 0)
    channels, kind = a.get("channels") or 0, run.name.rpartition(".")[2]
    allowed = {"DecodeBmp": (0, 3, 4), "DecodeJpeg": (0, 1, 3)}.get(kind, (0, 1, 3, 4))
    run.require("channels", channels in allowed, f"an image has {allowed} channels, not {channels}", ("channels",))
    dtype = a.get("dtype") or DType.UINT8
    depth = 3 if kind == "DecodeGif" else channels or run.fresh("channels")
    if kind == "DecodeImage":
        return tensor(somewhere(run), dtype)
    sizes = (run.fresh("height"), run.fresh("width"), depth)
    return tensor((run.fresh("frames"), *sizes) if kind == "DecodeGif" else sizes, dtype)


@takes(Tensor("x"))
def encode_image(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    if run.name.endswith("EncodePng"):
        at_least(run, x, 3)
        return tensor(x.shape[:-3] if x.shape.known else somewhere(run), STRING)
    ranked(run, x, 3)
    return tensor((), STRING)


def string_vector(a: Arguments, run: Run) -> TensorType:
    return tensor((run.fresh("files"),), STRING)


def parse_single(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    return _parsed(a, run, ())


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
    made = [tensor((run.fresh("entries"), rank), INT64) for _ in sparse]
    made += [tensor((run.fresh("entries"),), d) for d in sparse]
    made += [tensor((rank,), INT64) for _ in sparse]
    for i, shape in enumerate(dense):
        stated: Any = shape
        known = isinstance(stated, Shape) and stated.known
        made.append(tensor((*lead, *stated) if known else somewhere(run), kinds[i] if i < len(kinds) else None))
    return tuple(made)


@takes(Tensor("x", "...", frozenset({STRING})), Tensors("xs", "", frozenset({FLOAT32, FLOAT64, INT32, INT64, STRING})))
def decode_csv(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    return tuple(tensor(a["x"].shape, x.dtype) for x in a["xs"])
