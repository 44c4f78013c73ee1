"""Old ways to batches: ImageDataGenerator and its iterators, TimeseriesGenerator, and the sequences of batches that programs write themselves."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries import ClassModel, KindModel, bind, nothing
from tensorproof.libraries.domains.label_ranges import keep
from tensorproof.libraries.keras.data.arrays import array_of
from tensorproof.libraries.keras.data.batches import agree, sizes
from tensorproof.libraries.keras.data.directories import CHANNELS, classes_of, one_of, sizes_of
from tensorproof.libraries.results.facts import facts
from tensorproof.libraries.sequences import sequence
from tensorproof.terms import FLOAT32, INT64, Dim, Origin, Shape, TensorType, Term, ceildiv
from tensorproof.values import MISSING, TEXT, Args, Bound, Instance, Key, Kwargs, List, Machine, Model, Unknown, Value, slot

TARGET: Key[TensorType | tuple[TensorType, ...] | None] = slot("y")
SAMPLES: Key[Dim] = slot("samples")
BATCH_SIZE: Key[Dim] = slot("batch_size")
SAMPLE: Key[TensorType] = slot("x")
HOME = "keras.preprocessing.image."
GENERATOR, BATCHES = HOME + "ImageDataGenerator", "keras.image_batches"


def _bound(m: Machine, name: str, args: Args, kwargs: Kwargs, node: ast.AST) -> dict[str, Any]:
    """The arguments of what Keras 3 has no more, and no table of signatures."""
    names = facts("keras/data/generators")[name].split()
    wrong = next((k for k in kwargs if k not in names), None)
    if wrong is not None or len(args) > len(names):
        problem = f"has no argument {wrong}" if wrong is not None else f"takes {len(names)} arguments, {len(args)} were given"
        raise m.raised("TypeError", f"{name} {problem}", node, "call/arguments")
    return {**dict(zip(names, args)), **kwargs}


def _generator(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return Model(GENERATOR, m.heap.space(_bound(m, "ImageDataGenerator", args, kwargs, node)))


def _part(m: Machine, me: Model, given: Kwargs, count: Value, node: ast.AST) -> Value:
    """How many samples a subset holds."""
    subset, share = given.get("subset"), me.space.get("validation_split", 0.0)
    one_of(m, "subset", subset, ("training", "validation", None), node)
    if subset is None:
        return count
    if not isinstance(count, int) or not isinstance(share, (int, float)):
        return m.symbol(m.name_here(f"{subset} samples", node), 1, None, Origin.WORLD)
    held = int(count * share)
    return held if subset == "validation" else count - held


def _batches(m: Machine, x: Value, y: Value, count: Value, size: Value, more: Kwargs, node: ast.AST) -> Any:
    """The iterator: `x` and `y` are one sample each (y may be absent), of which each batch holds so many."""
    if not isinstance(size, (int, Term)):
        return m.gap("batches of images", node, "batch_size is not known")
    return Model(BATCHES, m.heap.space({"x": x, "y": y, "samples": count, "n": count, "batch_size": size, **more}), m.user_span(node))


def _batch(m: Machine, me: Model, rows: Value) -> Value:
    def stacked(one: TensorType) -> Value:
        return keep(m, one, one.but(shape=Shape((rows, *one.shape)), contents=None, strides=None))

    x, y = me.space[SAMPLE], me.space[TARGET]
    if y is None:
        return stacked(x)
    return (stacked(x), tuple(stacked(t) for t in y) if isinstance(y, tuple) else stacked(y))


def _flow(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = _bound(m, "flow", args, kwargs, node)
    x, y = array_of(m, given.get("x"), node), given.get("y")
    target = None if y is None else array_of(m, y, node)
    if not isinstance(x, TensorType) or not x.shape.known or not (target is None or (isinstance(target, TensorType) and target.shape.known)):
        return m.gap("ImageDataGenerator.flow", node, "the arrays are not known")
    if len(x.shape) != 4:
        raise m.raised("ValueError", f"flow takes images (samples, height, width, channels), and gets {x.shape!r}", node, "keras/images")
    count = agree(m, [t for t in (x, target) if t is not None], node)
    one = TensorType(Shape(x.shape[1:]), FLOAT32, framework="numpy")
    label = None if target is None else keep(m, target, target.but(shape=Shape(target.shape[1:]), contents=None, strides=None, framework="numpy"))
    return _batches(m, one, label, _part(m, me, given, count, node), given.get("batch_size", 32), {}, node)


def _from_files(m: Machine, me: Model, given: dict[str, Any], count: Value, allowed: Args, node: ast.AST) -> Value:
    color, mode = given.get("color_mode", "rgb"), given.get("class_mode", "categorical")
    one_of(m, "color_mode", color, tuple(CHANNELS), node)
    one_of(m, "class_mode", mode, allowed, node)
    size = sizes_of(m, given.get("target_size", (256, 256)), "target_size", node)
    if size is None or color not in CHANNELS or isinstance(mode, Unknown):
        return m.gap("ImageDataGenerator", node, "target_size or color_mode is not known")
    shape = (CHANNELS[color], *size) if me.space.get("data_format") == "channels_first" else (*size, CHANNELS[color])
    image = TensorType(Shape(shape), FLOAT32, framework="numpy")
    classes = classes_of(m, given.get("directory"), given.get("classes"), node)
    if mode == "raw":
        columns = given.get("y_col")
        wide = (len(columns.items),) if isinstance(columns, List) else ()
        label: Value = TensorType(Shape(wide), FLOAT32, framework="numpy")
    elif mode == "multi_output":
        return m.gap("flow_from_dataframe", node, "with class_mode='multi_output'")
    else:
        label = {
            "categorical": TensorType(Shape((classes,)), FLOAT32, framework="numpy"), "input": image, None: None,
        }.get(mode, TensorType(Shape(), FLOAT32, framework="numpy"))  # fmt: skip
    indices = Model("keras.words", m.heap.space({"size": classes, "by_word": True}))
    more = {"class_indices": indices, "num_classes": classes, "image_shape": shape, "target_size": size, "class_mode": mode,
            "classes": TensorType(Shape((count,)), INT64, framework="numpy"), "filenames": sequence(m, count, TEXT, TEXT),
            "labels": TensorType(Shape((count,)), INT64, framework="numpy")}  # fmt: skip
    return _batches(m, image, label, _part(m, me, given, count, node), given.get("batch_size", 32), more, node)


def _from_directory(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = _bound(m, "flow_from_directory", args, kwargs, node)
    count = m.symbol(m.name_here("images", node), 1, None, Origin.WORLD)
    return _from_files(m, me, given, count, ("categorical", "binary", "sparse", "input", None), node)


def _from_frame(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = {**dict(zip(facts("keras/data/generators")["flow_from_dataframe"].split(), args)), **kwargs}
    table = given.get("dataframe")
    count = table.space["rows"] if isinstance(table, Model) and "rows" in table.space else m.symbol(m.name_here("images", node), 1, None, Origin.WORLD)
    allowed = ("categorical", "binary", "sparse", "input", "raw", "multi_output", None)
    return _from_files(m, me, given, count, allowed, node)


def _fit(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    x = array_of(m, args[0] if args else kwargs.get("x"), node)
    if isinstance(x, TensorType) and x.shape.known and len(x.shape) != 4:
        raise m.raised("ValueError", f"fit takes images (samples, height, width, channels), and gets {x.shape!r}", node, "keras/images")


def _same(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return args[0] if args else kwargs.get("x")


def _item(m: Machine, me: Model, index: Value, node: ast.AST) -> Value:
    return _batch(m, me, me.space[BATCH_SIZE])


def _series(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = _bound(m, "TimeseriesGenerator", args, kwargs, node)
    data, targets = array_of(m, given.get("data"), node), array_of(m, given.get("targets"), node)
    length, rate, stride = given.get("length"), given.get("sampling_rate", 1), given.get("stride", 1)
    if not all(isinstance(t, TensorType) and t.shape.known for t in (data, targets)) or not all(isinstance(n, int) for n in (length, rate, stride)):
        return m.gap("TimeseriesGenerator", node, "the arrays or a length are not known")
    count = agree(m, [data, targets], node)
    start, stop = given.get("start_index", 0), given.get("end_index")
    windows = ceildiv((count - 1 if stop is None else stop) - (start + length) + 1, stride)
    window = data.but(shape=Shape((length // rate, *data.shape[1:])), contents=None, strides=None)
    return _batches(m, window, targets.but(shape=Shape(targets.shape[1:]), contents=None, strides=None), windows, given.get("batch_size", 128), {}, node)


def _init(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    bind(m, "keras.utils.PyDataset", args, kwargs, node)


def _attribute(m: Machine, me: Instance, name: str, node: ast.AST) -> Value:
    if name == "num_batches":
        length = m.in_class(me.cls, "__len__")
        return None if length is MISSING else m.call(Bound(length, me), (), {}, node)
    return {"workers": 1, "use_multiprocessing": False, "max_queue_size": 10}.get(name, MISSING)


KINDS = {
    GENERATOR: KindModel({
        "flow": _flow, "flow_from_directory": _from_directory, "flow_from_dataframe": _from_frame, "fit": _fit, "standardize": _same, "random_transform": _same,
        "apply_transform": _same,
    }, open=True),
    BATCHES: KindModel(
        {"next": lambda m, me, a, k, n: _item(m, me, 0, n)},
        iterations=lambda m, me, node: [(condition, _batch(m, me, rows)) for condition, rows in sizes(m, me.space[SAMPLES], me.space[BATCH_SIZE], node)],
        length=lambda m, me, n: ceildiv(me.space[SAMPLES], me.space[BATCH_SIZE]),
        item=_item,
        next=lambda m, me, node: _item(m, me, 0, node), open=True,
    ),
}  # fmt: skip
_SEQUENCE = {"on_epoch_end": nothing, "on_epoch_begin": nothing}
CLASSES = {
    "keras.utils.PyDataset": ClassModel("keras.utils.PyDataset", methods=_SEQUENCE, init=_init, attribute=_attribute, closed=False),
    "keras.utils.Sequence": ClassModel("keras.utils.Sequence", ("keras.utils.PyDataset",), closed=False),
}
FUNCTIONS: dict[str, Any] = {GENERATOR: _generator, "keras.preprocessing.sequence.TimeseriesGenerator": _series}
