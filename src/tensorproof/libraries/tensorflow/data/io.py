"""tf.io, tf.lookup, tf.ragged and tf.random.Generator: what is read and decoded has the declared shapes; lengths of texts are the world's."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import KindModel, Run, argument
from tensorproof.libraries.tensorflow.data.elements import scalar
from tensorproof.libraries.tensorflow.data.strings import STRING, only_texts, texts
from tensorproof.libraries.tensorflow.shapes import GRAPH, sizes_of
from tensorproof.libraries.tensorflow.tensors import converted
from tensorproof.terms import BY_LABEL, Dim, DType, Origin, Shape, TensorType, Term, conj, eq, ge
from tensorproof.values import COUNTED, MISSING, Args, Dict, Key, Kwargs, List, Machine, Model, TensorShape, Unknown, Value, slot

ROW: Key[TensorType] = slot("row")


def _tensor(shape: Any, dtype: Value) -> TensorType:
    return TensorType(Shape(shape), dtype if isinstance(dtype, DType) else None, framework="tf")


def _read_file(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = argument(args, kwargs, 0, "filename")
    if isinstance(given, TensorType) and given.shape.known and len(given.shape):
        raise m.raised("InvalidArgumentError", f"read_file takes one name, not a tensor of shape {given.shape!r}", node, "read_file/scalar")
    return scalar("string")


def _decode(least: int, most: int, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """A picture of unknown size. Without `channels` the file decides how many it has: whoever has the files knows."""
    contents, channels = argument(args, kwargs, 0, "contents"), argument(args, kwargs, 1, "channels", 0)
    if isinstance(contents, TensorType) and contents.shape.known and len(contents.shape):
        raise m.raised("InvalidArgumentError", f"one picture is decoded at a time, not a tensor of shape {contents.shape!r}", node, "image_decode/scalar")
    if isinstance(channels, int) and channels not in (0, 1, 3, 4):
        raise m.raised("ValueError", f"a picture has 1, 3 or 4 channels, not {channels}", node, "image_decode/channels")
    height, width = (m.symbol(m.name_here(w, node), 1, None, Origin.USER) for w in ("height", "width"))
    depth = channels if isinstance(channels, int) and channels else m.symbol(m.name_here("channels", node), least, most, Origin.USER)
    return _tensor((height, width, depth), kwargs.get("dtype", BY_LABEL["uint8"]))


def _decode_any(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`decode_image`: while a function is traced its rank is not known, for it may be an animation."""
    if m.model_state.get(GRAPH, 0) and argument(args, kwargs, 4, "expand_animations", True) is not False:
        return m.spelling("tf.io.decode_image", args, kwargs, node)
    kept = {k: v for k, v in kwargs.items() if k in ("contents", "channels", "dtype")}
    return _decode(1, 4, m, args[:2], {**kept, **({"dtype": args[2]} if len(args) > 2 else {})}, node)


def _resize(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`tf.image.resize` needs a rank while a function is traced."""
    images = argument(args, kwargs, 0, "images")
    if isinstance(images, TensorType) and not images.shape.known and m.model_state.get(GRAPH, 0):
        message = "the rank of the images is not known here: decode_image needs expand_animations=False, or set_shape after it"
        raise m.raised("ValueError", message, node, "resize/rank")
    return m.spelling("tf.image.resize", args, kwargs, node)


def _decode_raw(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given, dtype = texts(m, argument(args, kwargs, 0, "input_bytes"), node), argument(args, kwargs, 1, "out_type")
    length = m.symbol(m.name_here("length", node), 1, None, Origin.USER)
    return _tensor((*given.shape, length), dtype) if isinstance(given, TensorType) and given.shape.known else m.gap("tf.io.decode_raw", node)


def _decode_csv(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    records, defaults = texts(m, argument(args, kwargs, 0, "records"), node), m.iterate(argument(args, kwargs, 1, "record_defaults"), node)
    if defaults is None or not isinstance(records, TensorType):
        return m.gap("tf.io.decode_csv", node, "its columns are not known")
    types = [_column_type(m, d, node) for d in defaults]
    chosen = m.iterate(kwargs["select_cols"], node) if kwargs.get("select_cols") is not None else None
    if chosen is not None and len(chosen) != len(types):
        raise m.raised("ValueError", f"{len(chosen)} columns are selected and {len(types)} defaults given", node, "decode_csv/columns")
    return List(m.heap.row(_tensor(records.shape, t) for t in types))


def _column_type(m: Machine, value: Value, node: ast.AST) -> Value:
    if isinstance(value, DType):
        return value
    if isinstance(value, List) and not value.items:
        return BY_LABEL["float32"]
    found = converted(m, value, None, node)
    return found.dtype if isinstance(found, TensorType) else None


def _feature(kind: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    order = ("shape", "dtype", "default_value") if kind == "fixed" else ("dtype",)
    given = {**dict(zip(order, args)), **kwargs}
    return Model("tf.io.feature", m.heap.space({"kind": kind, "shape": given.get("shape", ()), "dtype": given.get("dtype")}))


def _parse(batched: bool, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """parse_single_example and parse_example: each feature as it was declared."""
    serialized = texts(m, argument(args, kwargs, 0, "serialized"), node)
    features = argument(args, kwargs, 1, "features")
    if not isinstance(features, Dict) or not isinstance(serialized, TensorType) or not serialized.shape.known:
        return m.gap("tf.io.parse_example", node, "its features are not known")
    lead = tuple(serialized.shape) if batched else ()
    if not batched and len(serialized.shape):
        raise m.raised("ValueError", f"one example is parsed at a time, not a tensor of shape {serialized.shape!r}", node, "parse_example/scalar")
    return Dict(m.heap.entries({k: _parsed(m, lead, f, node) for k, f in features.items.items()}))


def _parsed(m: Machine, lead: Args, feature: Value, node: ast.AST) -> Value:
    if not isinstance(feature, Model) or feature.kind != "tf.io.feature":
        return m.gap("tf.io.parse_example", node, "a feature is not known")
    if feature.space["kind"] == "fixed":
        sizes = sizes_of(m, feature.space["shape"], node)
        return m.gap("tf.io.parse_example", node, "a shape is not known") if sizes is None else _tensor((*lead, *sizes), feature.space["dtype"])
    length = m.symbol(m.name_here("length", node), 0, None, Origin.WORLD)
    inner = _tensor((*lead, length), feature.space["dtype"])
    return inner if feature.space["kind"] == "ragged" and not lead else Model("tf.SparseTensor", m.heap.space({"dense": inner}))


def _sparse(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`tf.sparse.SparseTensor(indices, values, dense_shape)`."""
    indices, values = (converted(m, argument(args, kwargs, i, w), None, node) for i, w in enumerate(("indices", "values")))
    sizes = sizes_of(m, argument(args, kwargs, 2, "dense_shape"), node)
    if sizes is None or not isinstance(indices, TensorType) or not isinstance(values, TensorType):
        return m.gap("tf.SparseTensor", node, "its shape is not known")
    if indices.shape.known and values.shape.known:
        fits = len(indices.shape) == 2 and len(values.shape) == 1
        agree = conj(eq(indices.shape[1], len(sizes)), eq(indices.shape[0], values.shape[0])) if fits else False
        message = f"indices {indices.shape!r}, values {values.shape!r} and the shape {tuple(sizes)} do not fit each other"
        m.demand("ValueError", agree, message, node, "sparse/shapes")
    rows = list(zip(*[iter(indices.contents or ())] * len(sizes)))
    wrong = any(isinstance(i, int) and isinstance(n, int) and not 0 <= i < n for row in rows for i, n in zip(row, sizes))
    ordered = not all(isinstance(i, int) for row in rows for i in row) or rows == sorted(set(rows))
    space = {"dense": _tensor(sizes, values.dtype), "indices": indices, "values": values, "dense_shape": Unknown("shape"), "wrong": wrong or not ordered}
    return Model("tf.SparseTensor", m.heap.space(space))


def _sparse_matmul(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = (argument(args, kwargs, 0, "sp_a"), argument(args, kwargs, 1, "b"))
    sides = tuple(g.space["dense"] if isinstance(g, Model) and g.kind == "tf.SparseTensor" else g for g in given)
    named = {k: v for k, v in kwargs.items() if k in ("adjoint_a", "adjoint_b")}
    return m.spelling("tf.matmul", sides, named, node)


def _distorted_box(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Where a random crop begins and how large it is, and its box."""
    corner = _tensor((3,), BY_LABEL["int32"])
    return corner, corner.but(), _tensor((1, 1, 4), BY_LABEL["float32"])


def _to_dense(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = args[0] if args else kwargs.get("sp_input")
    if isinstance(given, Model) and given.kind == "tf.SparseTensor":
        if given.space.get("wrong") and kwargs.get("validate_indices", True) is True:
            raise m.raised(
                "InvalidArgumentError", "the indices of a sparse tensor lie inside its shape, in order and without repetition", node, "sparse/shapes"
            )
        return given.space["dense"]
    return m.gap("tf.sparse.to_dense", node, "of a tensor that is not known")


def _split(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = texts(m, argument(args, kwargs, 0, "input"), node)
    if not isinstance(given, TensorType) or not given.shape.known:
        return m.gap("tf.strings.split", node, "of texts that are not known")
    only_texts(m, given, argument(args, kwargs, 1, "sep"), node=node)
    parts = m.symbol(m.name_here("parts", node), 1, None, Origin.USER)
    if not len(given.shape):
        return _tensor((parts,), STRING)
    return _ragged(m, given.shape[0], _tensor((parts,), STRING), None) if len(given.shape) == 1 else m.gap("tf.strings.split", node)


def _table(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    init = argument(args, kwargs, 0, "initializer")
    values = init.space.get("values") if isinstance(init, Model) else None
    dtype = values.dtype if isinstance(values, TensorType) else BY_LABEL["int64"]
    return Model("tf.lookup.table", m.heap.space({"dtype": dtype, "keys": None}))


def _static_table(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A table of pairs: its default is one value of their type, and it is asked with tensors of the keys' type."""
    init, default = argument(args, kwargs, 0, "initializer"), argument(args, kwargs, 1, "default_value")
    made: Any = _table(m, args, kwargs, node)
    if isinstance(init, Model) and isinstance(keys := init.space.get("keys"), TensorType):
        m.heap.set(made.space, "keys", keys.dtype)
    dtype = made.space["dtype"]
    if default is None or (isinstance(default, (tuple, List, TensorType)) and getattr(converted(m, default, None, node), "shape", None) != ()):
        raise m.raised("ValueError", "default_value is one value of the table's type", node, "lookup/pairs")
    kind = "s" if isinstance(default, (str, bytes)) else "f" if isinstance(default, float) else "i" if isinstance(default, int) else ""
    if (kind and dtype is not None and (kind == "s") != (dtype.kind == "s")) or (kind == "f" and dtype.is_integer):
        raise m.raised("TypeError", f"default_value is of the values' type {dtype.label}, not {default!r}", node, "lookup/pairs")
    if isinstance(default, TensorType) and default.framework == "tf" and None is not default.dtype is not dtype:
        raise m.raised("ValueError", f"default_value is of the values' type {dtype.label}, not {default.dtype!r}", node, "lookup/pairs")
    return made


def _key_values(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    keys, values = (converted(m, argument(args, kwargs, i, w), None, node) for i, w in enumerate(("keys", "values")))
    if isinstance(keys, TensorType) and isinstance(values, TensorType) and keys.shape.concrete and values.shape.concrete and keys.shape != values.shape:
        raise m.raised("ValueError", f"keys of shape {keys.shape!r} and values of shape {values.shape!r} do not pair", node, "lookup/pairs")
    pairs = [tuple(v.items) if isinstance(v, List) else () for v in (argument(args, kwargs, i, w) for i, w in enumerate(("keys", "values")))]
    if all(isinstance(v, (str, int, float)) for part in pairs for v in part) and len(set(zip(*pairs))) > len(set(pairs[0])):
        raise m.raised("FailedPreconditionError", "a key has two values", node, "lookup/pairs")
    return Model("tf.lookup.pairs", m.heap.space({"keys": keys, "values": values}))


def _lookup(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given, wanted = argument(args, kwargs, 0, "keys"), me.space["keys"]
    if wanted is not None and (isinstance(given, (str, bytes, int, float, tuple, List)) or (isinstance(given, TensorType) and given.framework == "numpy")):
        raise m.raised("AttributeError", "a table is asked with a tensor: write tf.constant(...)", node, "lookup/pairs")
    keys = texts(m, given, node)
    if wanted is not None and isinstance(keys, TensorType) and None is not keys.dtype is not wanted:
        raise m.raised("TypeError", f"the keys of the table are {wanted!r}, and these {keys.dtype!r}", node, "lookup/pairs")
    return keys.but(dtype=me.space["dtype"], contents=None) if isinstance(keys, TensorType) else keys


def _ragged(m: Machine, count: Value, row: TensorType, longest: Value) -> Model:
    return Model("tf.RaggedTensor", m.heap.space({"count": count, "row": row, "longest": longest}))


def _ragged_constant(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    rows = m.iterate(argument(args, kwargs, 0, "pylist"), node)
    if rows is None or not all(isinstance(r, (List, tuple)) for r in rows):
        depths = {isinstance(r, (List, tuple)) for r in rows or () if isinstance(r, (List, tuple, int, float, str))}
        if len(depths) > 1:
            raise m.raised("ValueError", "lists and single values cannot stand side by side in a ragged tensor", node, "call/arguments")
        return m.gap("tf.ragged.constant", node, "of a list that is not known")
    inner = [list(r.items if isinstance(r, List) else r) for r in rows]
    if any(isinstance(v, (List, tuple)) for r in inner for v in r):
        return m.gap("tf.ragged.constant", node, "of deeper lists")
    first = next((v for r in inner for v in r), 0.0)
    kinds = {str if isinstance(v, str) else type(v) if isinstance(v, (bool, type(None))) else float for r in inner for v in r if not isinstance(v, Unknown)}
    if len(kinds) > 1 or type(None) in kinds:
        raise m.raised("ValueError", "the values of a ragged tensor are all texts, all numbers or all truth values", node, "call/arguments")
    asked = kwargs.get("dtype")
    if asked is not None and (kinds == {str}) is not (asked == STRING) and kinds:
        raise m.raised("TypeError", f"the values are not of the element type {asked!r}", node, "call/arguments")
    dtype = kwargs.get("dtype") or (STRING if isinstance(first, str) else BY_LABEL["float32" if isinstance(first, float) else "int32"])
    length = m.symbol(m.name_here("length", node), 0, None, Origin.WORLD)
    return _ragged(m, len(inner), _tensor((length,), dtype), max((len(r) for r in inner), default=0))


def _to_tensor(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    longest = me.space["longest"]
    wanted = kwargs.get("shape", args[2] if len(args) > 2 else None)
    sizes = None if wanted is None else sizes_of(m, wanted, node)
    if sizes is not None and len(sizes) == 2 and sizes[1] is not None:
        longest = sizes[1]
    if not isinstance(longest, (int, Term)):
        longest = m.symbol(m.name_here("longest", node), 1, None, Origin.WORLD)
    return me.space[ROW].but(shape=Shape((me.space["count"], longest)))


def _ragged_attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    if name == "shape":
        return TensorShape((me.space["count"], None))
    if name == "dtype":
        return me.space[ROW].dtype
    if name in ("values", "flat_values"):
        return me.space[ROW].but(shape=Shape((m.symbol(m.name_here("values", node), 0, None, Origin.WORLD),)))
    return MISSING


def _drawn(word: str) -> Run:
    return lambda m, me, args, kwargs, node: m.spelling(f"tf.random.{word}", args, kwargs, node)


def _write_file(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    for at, word in enumerate(("filename", "contents")):
        given = argument(args, kwargs, at, word)
        if isinstance(given, TensorType) and given.shape.known and len(given.shape):
            raise m.raised("InvalidArgumentError", f"{word} of write_file is one text, and this has shape {given.shape!r}", node, "call/arguments")


FUNCTIONS: dict[str, Any] = {
    "tf.io.read_file": _read_file, "tf.io.decode_raw": _decode_raw, "tf.io.decode_csv": _decode_csv,
    **{f"tf.{home}.decode_{w}": partial(_decode, 1, most) for home in ("io", "image") for w, most in (("jpeg", 3), ("png", 4), ("bmp", 4))},
    "tf.io.decode_image": _decode_any, "tf.image.decode_image": _decode_any, "tf.image.resize": _resize, "tf.io.FixedLenFeature": partial(_feature, "fixed"),
    "tf.io.VarLenFeature": partial(_feature, "sparse"), "tf.io.RaggedFeature": partial(_feature, "ragged"),
    "tf.io.parse_single_example": partial(_parse, False),
    "tf.io.parse_example": partial(_parse, True), "tf.io.serialize_tensor": lambda m, a, k, n: scalar("string"), "tf.sparse.to_dense": _to_dense,
    "tf.sparse.SparseTensor": _sparse, "tf.SparseTensor": _sparse, "tf.sparse.sparse_dense_matmul": _sparse_matmul,
    "tf.image.sample_distorted_bounding_box": _distorted_box, "tf.strings.split": _split, "tf.strings.unicode_split": _split,
    "tf.lookup.StaticHashTable": _static_table,
    "tf.lookup.StaticVocabularyTable": _table, "tf.lookup.KeyValueTensorInitializer": _key_values, "tf.ragged.constant": _ragged_constant,
    "tf.random.Generator": lambda m, a, k, n: Model("tf.random.Generator", m.heap.space()), "tf.timestamp": lambda m, a, k, n: scalar("float64"),
    "tf.io.matching_files": lambda m, a, k, n: _tensor((m.symbol(m.name_here("files", n), 0, None, Origin.USER),), STRING), "tf.io.write_file": _write_file,
}  # fmt: skip
KINDS: dict[str, KindModel] = {
    "tf.SparseTensor": KindModel(open=True),
    "tf.lookup.table": KindModel(
        {"lookup": _lookup, "size": lambda m, me, a, k, n: scalar("int64")}, call=_lookup, item=lambda m, me, i, n: _lookup(m, me, (i,), {}, n),
    ),
    "tf.RaggedTensor": KindModel(
        {"to_tensor": _to_tensor, "row_lengths": lambda m, me, a, k, n: _tensor((me.space["count"],), BY_LABEL["int64"]),
         "nrows": lambda m, me, a, k, n: scalar("int64", (me.space["count"],)), "bounding_shape": lambda m, me, a, k, n: _tensor((2,), BY_LABEL["int64"])},
        _ragged_attribute, length=lambda m, me, n: me.space["count"], item=lambda m, me, i, n: me.space[ROW],
        iterations=lambda m, me, n: [(True, me.space[ROW])],
    ),
    "tf.random.Generator": KindModel(
        {
            **{w: _drawn(w) for w in ("normal", "uniform", "truncated_normal")},
            "make_seeds": lambda m, me, a, k, n: _tensor((2, argument(a, k, 0, "count", 1)), BY_LABEL["int64"]),
            "split": lambda m, me, a, k, n: List(m.heap.row([me])),
        }, open=True,
    ),
}  # fmt: skip


IMAGES: Key[TensorType] = slot("images")
LABELS: Key[TensorType] = slot("labels")
EXAMPLES: Key[Dim] = slot("num_examples")
SET = "tf mnist"
_TRAIN, _TEST = 60_000, 10_000


def _read(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    one_hot, dtype = argument(args, kwargs, 2, "one_hot", False), argument(args, kwargs, 3, "dtype", BY_LABEL["float32"])
    reshape, kept = argument(args, kwargs, 4, "reshape", True), argument(args, kwargs, 5, "validation_size", 5000)
    if not isinstance(one_hot, bool) or not isinstance(reshape, bool) or not isinstance(kept, (int, Term)):
        return m.gap("read_data_sets", node, "an option is not known")
    parts = {"train": _TRAIN - kept, "validation": kept, "test": _TEST}
    return Model("tf mnist sets", m.heap.space({name: _set(m, count, one_hot, reshape, dtype) for name, count in parts.items()}))


def _set(m: Machine, count: Value, one_hot: bool, flat: bool, dtype: Value) -> Model:
    inner = (784,) if flat else (28, 28, 1)
    label = (
        TensorType(Shape((count, 10)), BY_LABEL["float64"], framework="numpy") if one_hot else TensorType(Shape((count,)), BY_LABEL["uint8"], framework="numpy")
    )
    images = TensorType(Shape((count, *inner)), dtype if isinstance(dtype, DType) else BY_LABEL["float32"], framework="numpy")
    return Model(SET, m.heap.space({"images": images, "labels": label, "num_examples": count}))


def _next_batch(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    size = argument(args, kwargs, 0, "batch_size")
    images, labels, count = me.space[IMAGES], me.space[LABELS], me.space[EXAMPLES]
    if not isinstance(size, (int, Term)):
        return m.gap("next_batch", node, "the size of the batch is not known")
    m.demand("AssertionError", ge(count, size), f"a batch of {size!r} is more than the {count!r} examples", node, "data/batch")
    return tuple(t.but(shape=Shape((size, *t.shape[1:]))) for t in (images, labels))


_SPELLINGS = (
    "tf.examples.tutorials.mnist.input_data.read_data_sets", "tf.contrib.learn.python.learn.datasets.mnist.read_data_sets",
    "tf.contrib.learn.datasets.mnist.read_data_sets",
)  # fmt: skip
FUNCTIONS |= dict.fromkeys(_SPELLINGS, _read)
KINDS |= {
    "tf mnist sets": KindModel(),
    SET: KindModel(methods={"next_batch": _next_batch}, attribute=lambda m, me, name, n: COUNTED if name == "epochs_completed" else MISSING),
}
