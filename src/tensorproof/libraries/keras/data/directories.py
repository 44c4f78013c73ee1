"""Datasets that Keras reads from directories, and windows over a series: tf.data datasets of batches with the shapes that are asked for."""

from __future__ import annotations

import ast

from tensorproof.libraries import bind
from tensorproof.libraries.domains.label_ranges import keep, note
from tensorproof.libraries.keras.data.arrays import array_of
from tensorproof.libraries.sequences import sequence
from tensorproof.libraries.tensorflow.data import pipeline
from tensorproof.terms import BY_LABEL, FLOAT32, Origin, Shape, TensorType, Term, ceildiv, minimum
from tensorproof.values import TEXT, Args, Kwargs, List, Machine, Model, Value

HOME = "keras.utils."
CHANNELS = {"rgb": 3, "rgba": 4, "grayscale": 1}
_INTERPOLATIONS = ("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic")


def one_of(m: Machine, word: str, value: Value, allowed: Args, node: ast.AST) -> None:
    if (isinstance(value, str) or value is None) and value not in allowed:
        raise m.raised("ValueError", f"{word} is one of {', '.join(map(repr, allowed))}, not {value!r}", node, "keras/word")


def sizes_of(m: Machine, value: Value, word: str, node: ast.AST) -> tuple[Value, Value] | None:
    """Two sizes that a program gives; None when they are not known."""
    if isinstance(value, (int, Term)) and not isinstance(value, bool):
        return value, value
    items = list(value.items) if isinstance(value, List) else list(value) if isinstance(value, tuple) else None
    if items is None:
        return None
    if len(items) != 2:
        raise m.raised("ValueError", f"{word} is (height, width), and has {len(items)} numbers", node, "keras/word")
    return (items[0], items[1]) if all(isinstance(i, (int, Term)) for i in items) else None


def classes_of(m: Machine, directory: Value, names: Value, node: ast.AST) -> Value:
    """How many classes a directory has: as many as are named, else a number that the user knows."""
    if isinstance(names, (List, tuple)):
        return len(names.items if isinstance(names, List) else names)
    word = directory if isinstance(directory, str) else m.name_here("directory", node)
    return m.symbol(f"classes in {word}", 1, None, Origin.USER)


def _checked_split(m: Machine, given: Kwargs, node: ast.AST) -> None:
    share, subset = given.get("validation_split"), given.get("subset")
    if isinstance(subset, str) and subset not in ("training", "validation", "both"):
        raise m.raised("ValueError", f"subset is 'training', 'validation' or 'both', not {subset!r}", node, "keras/word")
    if share is not None and subset is None:
        raise m.raised("ValueError", "validation_split needs subset='training', 'validation' or 'both'", node, "keras/split")
    if subset is not None and (share is None or share == 0):
        raise m.raised("ValueError", "subset needs a validation_split", node, "keras/split")
    if isinstance(share, (int, float)) and share and not 0 < share < 1:
        raise m.raised("ValueError", f"validation_split lies between 0 and 1, and is {share}", node, "keras/split")
    if share and given.get("shuffle", True) is True and given.get("seed") is None:
        raise m.raised("ValueError", "validation_split with shuffle needs a seed: the parts would overlap", node, "keras/split")


def _label(m: Machine, mode: Value, classes: Value) -> Value:
    if mode == "categorical":
        return TensorType(Shape((classes,)), FLOAT32, framework="tf")
    if mode == "binary":
        return TensorType(Shape((1,)), FLOAT32, framework="tf")
    made = TensorType(Shape(), BY_LABEL["int32"], framework="tf")
    return note(m, made, 0, classes) if isinstance(classes, int) else made


def _datasets(m: Machine, given: Kwargs, sample: TensorType, default: int, node: ast.AST) -> Value:
    """One dataset, or two for subset="both"."""
    _checked_split(m, given, node)
    mode = given.get("label_mode", "int")
    one_of(m, "label_mode", mode, ("int", "categorical", "binary", None), node)
    names = given.get("class_names")
    classes = classes_of(m, given.get("directory"), names, node)
    if mode == "binary" and isinstance(classes, int) and classes != 2:
        raise m.raised("ValueError", f"label_mode='binary' needs 2 classes, and there are {classes}", node, "keras/classes")
    labelled = given.get("labels", "inferred") is not None and mode is not None
    size = given.get("batch_size", default)
    if not (size is None or isinstance(size, (int, Term))):
        return m.gap("a dataset from a directory", node, "batch_size is not known")
    made: list[Value] = []
    for _ in range(2 if given.get("subset") == "both" else 1):
        count = m.symbol(m.name_here("files", node), 1, None, Origin.WORLD)
        found = pipeline.dataset(m, (sample, _label(m, mode, classes)) if labelled else sample, count)
        if size is not None:
            found = pipeline.batch(m, found, (size,), {}, node)
        if isinstance(found, Model):
            listed = names if isinstance(names, List) else List(m.heap.row(names)) if isinstance(names, tuple) else sequence(m, classes, TEXT, TEXT)
            m.heap.set(found.space, "class_names", listed)
            m.heap.set(found.space, "file_paths", sequence(m, count, TEXT, TEXT))
        made.append(found)
    return made[0] if len(made) == 1 else List(m.heap.row(made))


def _images(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = bind(m, HOME + "image_dataset_from_directory", args, kwargs, node).all()
    mode = given.get("color_mode", "rgb")
    one_of(m, "color_mode", mode, tuple(CHANNELS), node)
    word = given.get("interpolation", "bilinear")
    if isinstance(word, str) and word.lower() not in _INTERPOLATIONS:
        raise m.raised("ValueError", f"interpolation is one of {', '.join(_INTERPOLATIONS)}, not {word!r}", node, "keras/word")
    size = sizes_of(m, given.get("image_size", (256, 256)), "image_size", node)
    if size is None or mode not in CHANNELS:
        return m.gap("image_dataset_from_directory", node, "image_size or color_mode is not known")
    first = given.get("data_format") == "channels_first"
    shape = (CHANNELS[mode], *size) if first else (*size, CHANNELS[mode])
    return _datasets(m, given, TensorType(Shape(shape), FLOAT32, framework="tf"), 32, node)


def _texts(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = bind(m, HOME + "text_dataset_from_directory", args, kwargs, node).all()
    return _datasets(m, given, TensorType(Shape(), BY_LABEL["string"], framework="tf"), 32, node)


def _sounds(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = bind(m, HOME + "audio_dataset_from_directory", args, kwargs, node).all()
    length = given.get("output_sequence_length")
    if length is None:
        length = m.symbol(m.name_here("samples of a sound", node), 1, None, Origin.WORLD)
    return _datasets(m, given, TensorType(Shape((length, 1)), FLOAT32, framework="tf"), 32, node)


def _series(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = bind(m, HOME + "timeseries_dataset_from_array", args, kwargs, node).all()
    data = array_of(m, given["data"], node)
    targets = None if given["targets"] is None else array_of(m, given["targets"], node)
    length, stride, rate = given["sequence_length"], given.get("sequence_stride", 1), given.get("sampling_rate", 1)
    size = given.get("batch_size", 128)
    numbers = (length, stride, rate)
    if not isinstance(data, TensorType) or not data.shape.known or not all(isinstance(n, (int, Term)) for n in numbers):
        return m.gap("timeseries_dataset_from_array", node, "the data or a length is not known")
    if not (targets is None or isinstance(targets, TensorType)) or not (size is None or isinstance(size, (int, Term))):
        return m.gap("timeseries_dataset_from_array", node, "the targets or the batch size are not known")
    start, stop = given.get("start_index"), given.get("end_index")
    if isinstance(stop, int) and isinstance(data.shape[0], int) and stop >= data.shape[0]:
        raise m.raised("ValueError", f"end_index must be below the length {data.shape[0]} of the data, and is {stop}", node, "keras/series")
    begin, end = 0 if start is None else start, data.shape[0] if stop is None else stop
    if not isinstance(begin, (int, Term)) or not isinstance(end, (int, Term)):
        return m.gap("timeseries_dataset_from_array", node, "a range is not known")
    count = end - begin - (length - 1) * rate
    if targets is not None and targets.shape.known and targets.shape:
        count = minimum(count, targets.shape[0])
    count = ceildiv(count, stride)
    if isinstance(count, int) and count <= 0:
        raise m.raised("ValueError", f"a series of {end - begin} steps holds no window of {length}", node, "keras/series")
    window: Value = keep(m, data, data.but(shape=Shape((length, *data.shape[1:])), contents=None, strides=None, framework="tf"))
    element = window
    if targets is not None:
        element = (window, keep(m, targets, targets.but(shape=Shape(targets.shape[1:]), contents=None, strides=None, framework="tf")))
    made = pipeline.dataset(m, element, count)
    return made if size is None else pipeline.batch(m, made, (size,), {}, node)


def _split(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """keras.utils.split_dataset: two datasets of samples."""
    given = bind(m, HOME + "split_dataset", args, kwargs, node).all()
    source = given.get("dataset")
    if not isinstance(source, Model) or source.kind != pipeline.DATASET:
        return m.gap("split_dataset", node, "of something that is not a tf.data dataset")
    whole, left, right = source.space["count"], given.get("left_size"), given.get("right_size")
    if isinstance(whole, int) and isinstance(left, float):
        parts: list[Value] = [round(left * whole), whole - round(left * whole)]
    elif isinstance(whole, int) and isinstance(left, int):
        parts = [left, whole - left]
    elif isinstance(whole, int) and isinstance(right, float):
        parts = [whole - round(right * whole), round(right * whole)]
    else:
        parts = [m.symbol(m.name_here(w, node), 1, None, Origin.WORLD) for w in ("left", "right")]
    return tuple(pipeline.like(m, source, count=n, last=None) for n in parts)


FUNCTIONS: dict[str, object] = {
    HOME + "image_dataset_from_directory": _images, HOME + "text_dataset_from_directory": _texts, HOME + "audio_dataset_from_directory": _sounds,
    HOME + "timeseries_dataset_from_array": _series, HOME + "split_dataset": _split,
}  # fmt: skip
