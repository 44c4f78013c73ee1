"""torchvision.datasets with their true sizes and counts, torchvision.io and torchvision.utils."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import Bound, ClassModel, KindModel, by_signature, filled_by_signature
from tensorproof.libraries.data.datasets import _add  # pyright: ignore[reportPrivateUsage]
from tensorproof.libraries.data.samples import LENGTH, length_of, unknown_length
from tensorproof.libraries.results.facts import facts
from tensorproof.libraries.torchvision.pillow import any_channels, image, is_image, size_symbol
from tensorproof.terms import BY_LABEL, Origin, Shape, TensorType, Term, ceildiv, dataclass, eq, ite, minimum
from tensorproof.values import MISSING, Args, Instance, Key, Kwargs, List, Machine, Model, Unknown, Value, slot

SOURCE: Key[str] = slot("source")
GIVEN: Key[dict[str, Value]] = slot("given")
LAST: Key[int] = slot("last")
HOME = "torchvision.datasets."


@dataclass(frozen=True, slots=True)
class Source:
    """One dataset: how many samples each part has, its pictures and its targets, and the argument that selects a part."""

    counts: dict[Any, int]
    picture: tuple[int | None, ...]
    """Channels, height, width; None for what differs from picture to picture."""
    classes: int | None
    by: str
    default: Value
    target: str
    held: str
    """How `.data` keeps all pictures: "torch" (N, H, W), "last" an array (N, H, W, C), "first" an array (N, C, H, W)."""


_LETTERS = {"byclass": (697932, 116323, 62), "bymerge": (697932, 116323, 47), "balanced": (112800, 18800, 47), "letters": (124800, 20800, 27),
            "digits": (240000, 40000, 10), "mnist": (60000, 10000, 10)}  # fmt: skip
_PARTS: dict[str, Any] = {"true": True, "false": False, "whole": ""}


def _source(said: str) -> Source:
    """A line of the table: the argument that selects a part, samples by part, and what differs from the other sets."""
    by, *parts = said.split()
    words = dict(part.split("=") for part in parts)
    picture = tuple(int(size) if size.isdigit() else None for size in words.pop("picture", "3x?x?").split("x"))
    classes, target, held = words.pop("classes", None), words.pop("target", "label"), words.pop("held", "")
    default = words.pop("default", "train" if by in ("split", "image_set") else True)
    counts = {_PARTS.get(part, part): int(count) for part, count in words.items()}
    return Source(counts, picture, None if classes is None else int(classes), by, default, target, held)


SOURCES = {name: _source(said) for name, said in facts("torchvision/datasets").items()}


def _init(name: str, m: Machine, me: Instance | Model, call: Bound) -> None:
    given, node = call.all(), call.node
    m.heap.set(me.space, SOURCE, name)
    m.heap.set(me.space, GIVEN, m.heap.space(given))
    for word in ("transform", "target_transform", "transforms"):
        m.heap.set(me.space, word, given.get(word))
    m.heap.set(me.space, LENGTH, _count(m, name, SOURCES[name], given, node))


def _count(m: Machine, name: str, source: Source, given: dict[str, Any], node: ast.AST) -> Value:
    if name == "FakeData":
        size = given.get("size", 1000)
        return size if isinstance(size, (int, Term)) else unknown_length(m, node)
    part = given.get(source.by, source.default)
    if name == "EMNIST":
        if given.get("split") in _LETTERS and isinstance(given.get("train", True), bool):
            return _LETTERS[given["split"]][0 if given.get("train", True) else 1]
        return unknown_length(m, node)
    if name == "STL10" and given.get("folds") is not None:
        return 1000 if part == "train" and isinstance(given["folds"], int) else unknown_length(m, node)
    if name == "QMNIST" and given.get("what") is not None:
        return {"train": 60000, "test": 60000, "test10k": 10000, "test50k": 50000}.get(given["what"], unknown_length(m, node))
    if name.startswith("VOC") and given.get("year", "2012") != "2012":
        return unknown_length(m, node)
    if "" in source.counts:
        return source.counts[""]
    if isinstance(part, (str, bool)) and source.counts:
        if part in source.counts:
            return source.counts[part]
        if isinstance(part, str) and source.by == "split" and name not in ("Cityscapes", "FGVCAircraft"):
            raise m.raised("ValueError", f"{name} has no split {part!r}: it has {', '.join(map(str, source.counts))}", node, "data/split")
    return unknown_length(m, node)


def _length(m: Machine, me: Instance | Model, node: ast.AST) -> Value:
    return me.space[LENGTH]


def _picture(m: Machine, me: Instance | Model, node: ast.AST) -> Value:
    name, given = me.space[SOURCE], me.space[GIVEN]
    channels, height, width = SOURCES[name].picture
    if name == "FakeData":
        listed = m.iterate(given.get("image_size", (3, 224, 224)), node)
        if listed is not None and len(listed) == 3:
            return image(m, *listed)
    reader = given.get("loader")
    if reader is not None:
        return m.call(reader, (Unknown("the path of a picture"),), {}, node)
    return image(
        m, any_channels(m, node) if channels is None else channels, size_symbol(m, "image height", node) if height is None else height,
        size_symbol(m, "image width", node) if width is None else width,
    )  # fmt: skip


def _target(m: Machine, me: Instance | Model, picture: Value, node: ast.AST) -> Value:
    name, given = me.space[SOURCE], me.space[GIVEN]
    kind = SOURCES[name].target
    if kind == "mask" or (kind == "pet" and given.get("target_types") == "segmentation"):
        if is_image(picture) and given.get("target_type", "semantic") in ("semantic", "instance"):
            return image(m, 1, picture.space["height"], picture.space["width"], "L" if name == "Cityscapes" else "P")
        return Unknown("a target")
    if kind == "attributes":
        wanted = given.get("target_type", "attr")
        sizes = {"attr": 40, "bbox": 4, "landmarks": 10}
        if wanted == "identity":
            return TensorType(Shape(()), BY_LABEL["int64"])
        return TensorType(Shape((sizes[wanted],)), BY_LABEL["int64"]) if isinstance(wanted, str) and wanted in sizes else Unknown("a target")
    if kind in ("dict", "unknown"):
        return Unknown("a target")
    if kind == "words":
        return List(m.heap.row([Unknown("a sentence")] * 5))
    classes = class_count(me)
    if isinstance(classes, int):
        return m.symbol(m.name_here("label", node), 0, classes - 1, Origin.WORLD)
    return m.symbol(m.name_here("label", node), 0, None, Origin.USER)  # how many classes there are, the user knows


def class_count(me: Instance | Model) -> Value:
    name, given = me.space[SOURCE], me.space[GIVEN]
    if name == "EMNIST" and isinstance(given.get("split"), str) and given["split"] in _LETTERS:
        return _LETTERS[given["split"]][2]
    if name == "FakeData":
        return given.get("num_classes", 10)
    return SOURCES[name].classes


def _item(m: Machine, me: Instance | Model, index: Value, node: ast.AST) -> Value:
    count = length_of(m, me, node)
    if isinstance(index, int) and isinstance(count, int) and not -count <= index < count:
        raise m.raised("IndexError", f"index {index} is out of range for {count} samples", node)
    picture = _picture(m, me, node)
    target = _target(m, me, picture, node)
    if me.space["transform"] is not None:
        picture = m.call(me.space["transform"], (picture,), {}, node)
    if me.space["target_transform"] is not None:
        target = m.call(me.space["target_transform"], (target,), {}, node)
    if me.space["transforms"] is not None:
        both = m.call(me.space["transforms"], (picture, target), {}, node)
        if isinstance(both, tuple) and len(both) == 2:
            return both
        return m.gap("transforms", node, "do not give a picture and a target")
    return picture, target


def _attribute(m: Machine, me: Instance | Model, name: str, node: ast.AST) -> Any:
    source = SOURCES[me.space[SOURCE]]
    count = me.space[LENGTH]
    classes = class_count(me)
    if name == "classes":
        if isinstance(classes, int):
            return List(m.heap.row([Unknown("the name of a class")] * classes))
        return _labels(m, me, node)
    if name == "class_to_idx":
        return _labels(m, me, node)
    if name in ("data", "train_data", "test_data") and source.held:
        channels, height, width = source.picture
        flat = (count, height, width)
        shape = {"last": (*flat, channels), "first": (count, channels, height, width)}.get(source.held, flat)
        return TensorType(Shape(shape), BY_LABEL["uint8"], framework="torch" if source.held == "torch" else "numpy")
    if name in ("targets", "labels", "train_labels", "test_labels"):
        if source.held in ("torch", "first"):
            return TensorType(Shape((count,)), BY_LABEL["int64"], framework="torch" if source.held == "torch" else "numpy")
        return Model("torchvision.labels", m.heap.space({"count": count, "last": classes - 1 if isinstance(classes, int) else None}))
    if name in ("samples", "imgs"):
        return Model("torchvision.labels", m.heap.space({"count": count, "pairs": True}))
    if name in ("root", "train", "split", "loader"):
        return me.space[GIVEN].get(name, Unknown(name))
    return MISSING


def _labels(m: Machine, me: Instance | Model, node: ast.AST) -> Model:
    """The classes of a folder: as many as the user has."""
    kept = me.space.get(("classes",))
    if kept is None:
        kept = m.symbol(m.name_here("classes", node), 1, None, Origin.USER)
        m.heap.set(me.space, ("classes",), kept)
    return Model("torchvision.labels", m.heap.space({"count": kept}))


def _one_label(m: Machine, me: Model, index: Value, node: ast.AST) -> Value:
    if me.space.get("pairs"):
        return Unknown("the path of a picture"), m.symbol(m.name_here("label", node), 0, None, Origin.WORLD)
    if "last" in me.space:
        return m.symbol(m.name_here("label", node), 0, me.space[LAST], Origin.WORLD)
    return Unknown("the name of a class")


def _make(name: str, m: Machine, call: Bound) -> Value:
    made = Model(HOME + name, m.heap.space(), m.user_span(call.node))
    _init(name, m, made, call)
    return made


def _read_image(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    mode = args[1] if len(args) > 1 else kwargs.get("mode")
    word = mode if isinstance(mode, str) else getattr(mode, "name", "")
    channels = {"RGB": 3, "GRAY": 1, "RGB_ALPHA": 4, "GRAY_ALPHA": 2}.get(word.rpartition(".")[2])
    sizes = size_symbol(m, "image height", node), size_symbol(m, "image width", node)
    return TensorType(Shape((any_channels(m, node) if channels is None else channels, *sizes)), BY_LABEL["uint8"])


def _make_grid(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = args[0] if args else kwargs.get("tensor")
    row, margin = kwargs.get("nrow", args[1] if len(args) > 1 else 8), kwargs.get("padding", args[2] if len(args) > 2 else 2)
    if isinstance(given, List) and given.items:
        given = m.spelling("torch.stack", (given,), {}, node)
    if not isinstance(given, TensorType) or not given.shape.known or not isinstance(margin, int) or not isinstance(row, (int, Term)):
        return Unknown("a grid of pictures")
    if len(given.shape) not in (2, 3, 4):
        raise m.raised("TypeError", f"make_grid takes pictures, this tensor has shape {given.shape!r}", node, "transform/rank")
    shape = given.shape if len(given.shape) == 4 else (1, *given.shape) if len(given.shape) == 3 else (1, 1, *given.shape)
    channels = ite(eq(shape[1], 1), 3, shape[1])
    if isinstance(shape[0], int) and shape[0] == 1:
        return TensorType(Shape((channels, *shape[2:])), given.dtype)
    across = minimum(row, shape[0])
    down = ceildiv(shape[0], across)
    return TensorType(Shape((channels, down * (shape[2] + margin) + margin, across * (shape[3] + margin) + margin)), given.dtype)


FUNCTIONS: dict[str, Any] = {
    **{HOME + n: by_signature(HOME + n, partial(_make, n)) for n in SOURCES}, "torchvision.io.read_image": _read_image,
    "torchvision.io.decode_image": _read_image,
    "torchvision.utils.make_grid": _make_grid,
    "torchvision.datasets.folder.default_loader": lambda m, a, k, n: image(m, 3, size_symbol(m, "image height", n), size_symbol(m, "image width", n)),
    "torchvision.datasets.folder.pil_loader": lambda m, a, k, n: image(m, 3, size_symbol(m, "image height", n), size_symbol(m, "image width", n)),
}  # fmt: skip
KINDS: dict[str, KindModel] = {
    **{HOME + n: KindModel({"__add__": _add}, _attribute, length=_length, item=_item, bases=("torch.utils.data.Dataset",)) for n in SOURCES},
    "torchvision.labels": KindModel(
        length=lambda m, me, node: me.space["count"], item=_one_label, open=True, iterations=lambda m, me, node: [(True, _one_label(m, me, 0, node))]
    ),
}
CLASSES: dict[str, ClassModel] = {
    HOME + n: ClassModel(HOME + n, ("torch.utils.data.Dataset",), init=filled_by_signature(HOME + n, partial(_init, n)), length=_length, item=_item,
        attribute=_attribute, closed=False,
        methods={"__getitem__": lambda m, me, a, k, node: _item(m, me, a[0], node), "__len__": lambda m, me, a, k, node: _length(m, me, node)})
    for n in SOURCES
}  # fmt: skip
CLASSES[HOME + "VisionDataset"] = ClassModel(HOME + "VisionDataset", ("torch.utils.data.Dataset",), closed=False, init=lambda m, me, a, k, node: None)
