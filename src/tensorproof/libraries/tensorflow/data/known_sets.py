"""tensorflow_datasets: the well-known sets with their true shapes, classes and counts."""

from __future__ import annotations

import ast
import re
from typing import Any

from tensorproof.libraries import KindModel, Run, argument
from tensorproof.libraries.tensorflow.data.elements import scalar, stacked
from tensorproof.libraries.tensorflow.data.pipeline import batched, dataset, unknown_count
from tensorproof.terms import BY_LABEL, Dim, Origin, Shape, TensorType
from tensorproof.values import MISSING, TEXT, Args, Dict, Key, Kwargs, List, Machine, Model, Value, slot

LABEL_COUNT: Key[int] = slot("classes")
COUNTS: Key[dict[str, Dim]] = slot("counts")

# name: (shape of the image with None for a size of the file's own, classes, counts by split)
_IMAGES: dict[str, tuple[tuple[int | None, ...], int, dict[str, int]]] = {
    "mnist": ((28, 28, 1), 10, {"train": 60000, "test": 10000}), "fashion_mnist": ((28, 28, 1), 10, {"train": 60000, "test": 10000}),
    "kmnist": ((28, 28, 1), 10, {"train": 60000, "test": 10000}), "cifar10": ((32, 32, 3), 10, {"train": 50000, "test": 10000}),
    "emnist": ((28, 28, 1), 62, {"train": 697932, "test": 116323}), "svhn_cropped": ((32, 32, 3), 10, {"train": 73257, "test": 26032, "extra": 531131}),
    "cats_vs_dogs": ((None, None, 3), 2, {"train": 23262}), "tf_flowers": ((None, None, 3), 5, {"train": 3670}),
    "rock_paper_scissors": ((300, 300, 3), 3, {"train": 2520, "test": 372}), "horses_or_humans": ((300, 300, 3), 2, {"train": 1027, "test": 256}),
    "beans": ((500, 500, 3), 3, {"train": 1034, "validation": 133, "test": 128}), "eurosat": ((64, 64, 3), 10, {"train": 27000}),
    "stl10": ((96, 96, 3), 10, {"train": 5000, "test": 8000, "unlabelled": 100000}), "food101": ((None, None, 3), 101, {"train": 75750, "validation": 25250}),
    "oxford_flowers102": ((None, None, 3), 102, {"train": 1020, "test": 6149, "validation": 1020}), "malaria": ((None, None, 3), 2, {"train": 27558}),
    "stanford_dogs": ((None, None, 3), 120, {"train": 12000, "test": 8580}), "caltech101": ((None, None, 3), 102, {"train": 3059, "test": 6085}),
    "imagenette": ((None, None, 3), 10, {"train": 9469, "validation": 3925}), "imagenet2012": ((None, None, 3), 1000, {"train": 1281167, "validation": 50000}),
    "colorectal_histology": ((150, 150, 3), 8, {"train": 5000}), "uc_merced": ((256, 256, 3), 21, {"train": 2100}),
    "omniglot": ((105, 105, 3), 1623, {"train": 19280, "test": 13180}),
    "patch_camelyon": ((96, 96, 3), 2, {"train": 262144, "test": 32768, "validation": 32768}),
    "cmaterdb": ((32, 32, 3), 10, {"train": 5000, "test": 1000}),
}  # fmt: skip
_CIFAR100 = ((32, 32, 3), 100, {"train": 50000, "test": 10000})
_TEXTS: dict[str, tuple[int, dict[str, int]]] = {
    "imdb_reviews": (2, {"train": 25000, "test": 25000, "unsupervised": 50000}), "ag_news_subset": (4, {"train": 120000, "test": 7600}),
    "yelp_polarity_reviews": (2, {"train": 560000, "test": 38000}), "glue/sst2": (2, {"train": 67349, "validation": 872, "test": 1821}),
}  # fmt: skip
_PART = re.compile(r"^(\w+)(?:\[(.*?)(%?)(?::(.*?)(%?))?\])?$")


def _load(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`tfds.load(name, split=…, as_supervised=…, with_info=…)`."""
    name = argument(args, kwargs, 0, "name")
    if not isinstance(name, str):
        return m.gap("tfds.load", node, "the name of the set is not known")
    plain = name.partition(":")[0]
    known = _IMAGES.get(plain) or (_CIFAR100 if plain == "cifar100" else None)
    if known is None and plain.partition("/")[0] not in _TEXTS and plain not in _TEXTS and plain != "oxford_iiit_pet":
        return m.gap(f"tfds.load({name!r})", node, "the set is not known")
    supervised, split = kwargs.get("as_supervised", False) is True, argument(args, kwargs, 1, "split")
    counts = _counts(plain, known)
    size = kwargs.get("batch_size")

    def part(words: Value) -> Any:
        if isinstance(words, (List, tuple)):
            found = [part(w) for w in (words.items if isinstance(words, List) else words)]
            return List(m.heap.row(found)) if isinstance(words, List) else tuple(found)
        whole = dataset(m, _element(m, plain, known, supervised, node), _count(m, words, counts, node))
        return whole if size is None else batched(m, whole, size, False, lambda n: stacked(m, whole.space["element"], n, node), node)

    made = Dict(m.heap.entries({k: part(k) for k in counts})) if split is None else part(split)
    return (made, _info(m, plain, known, counts)) if kwargs.get("with_info", False) is True else made


def _counts(name: str, known: Any) -> dict[str, int]:
    if name.startswith("oxford_iiit_pet"):
        return {"train": 3680, "test": 3669}
    return known[2] if known is not None else _TEXTS[name if name in _TEXTS else name.partition("/")[0]][1]


def _count(m: Machine, words: Value, counts: dict[str, int], node: ast.AST) -> Value:
    """How many samples "train[:80%]" has."""
    if isinstance(words, str):
        found = [_of_part(one.strip(), counts) for one in words.split("+")]
        if any(one.strip().partition("[")[0] not in (*counts, "all") for one in words.split("+")):
            raise m.raised("ValueError", f"the set has no split {words!r}, it has {', '.join(counts)}", node, "data/split")
        if all(f is not None for f in found):
            return sum(f for f in found if f is not None)
    return unknown_count(m, node)


def _of_part(text: str, counts: dict[str, int]) -> int | None:
    found = _PART.match(text)
    if found is None:
        return None
    total = sum(counts.values()) if found[1] == "all" else counts.get(found[1], 0)
    if "[" not in text:
        return total

    def at(word: str | None, percent: str | None, otherwise: int) -> int:
        if not word:
            return otherwise
        number = int(word)
        place = round(total * number / 100) if percent else number
        return place if place >= 0 else total + place

    try:
        return max(min(at(found[4], found[5], total), total) - at(found[2], found[3], 0), 0)
    except ValueError:
        return None


def _element(m: Machine, name: str, known: Any, supervised: bool, node: ast.AST) -> Value:
    label = scalar("int64")
    if name.startswith("oxford_iiit_pet"):
        height, width = (m.symbol(m.name_here(w, node), 1, None, Origin.USER) for w in ("height", "width"))
        image = TensorType(Shape((height, width, 3)), BY_LABEL["uint8"], framework="tf")
        parts = {"image": image, "label": label, "segmentation_mask": image.but(shape=Shape((height, width, 1))), "file_name": scalar("string")}
        return (image, label) if supervised else Dict(m.heap.entries(parts))
    if known is None:
        return (scalar("string"), label) if supervised else Dict(m.heap.entries({"text": scalar("string"), "label": label}))
    sizes = [m.symbol(m.name_here("size", node), 1, None, Origin.USER) if d is None else d for d in known[0]]
    image = TensorType(Shape(sizes), BY_LABEL["uint8"], framework="tf")
    return (image, label) if supervised else Dict(m.heap.entries({"image": image, "label": label}))


def _info(m: Machine, name: str, known: Any, counts: dict[str, int]) -> Model:
    classes = known[1] if known is not None else 37 if name.startswith("oxford_iiit_pet") else _TEXTS[name if name in _TEXTS else name.partition("/")[0]][0]
    shape = tuple(known[0]) if known is not None else None
    return Model("tfds.info", m.heap.space({"classes": classes, "shape": shape, "counts": counts, "name": name}))


def _info_attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    if name == "features":
        label = Model("tfds.labels", m.heap.space({"num_classes": me.space[LABEL_COUNT], "names": List(m.heap.row([TEXT] * me.space[LABEL_COUNT]))}))
        image = Model("tfds.feature", m.heap.space({"shape": me.space["shape"], "dtype": BY_LABEL["uint8"]}))
        return Dict(m.heap.entries({"label": label, "image": image, "text": image}))
    if name == "splits":
        return Dict(m.heap.entries({k: Model("tfds.split", m.heap.space({"num_examples": v})) for k, v in me.space[COUNTS].items()}))
    return MISSING


def _as_numpy(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = args[0]
    if isinstance(given, Model) and given.kind == "tf.data.Dataset":
        return m.call(m.attribute(given, "as_numpy_iterator", node), (), {}, node)
    return given.but(framework="numpy") if isinstance(given, TensorType) else m.gap("tfds.as_numpy", node)


FUNCTIONS: dict[str, Run] = {"tensorflow_datasets.load": _load, "tensorflow_datasets.as_numpy": _as_numpy}  # fmt: skip
KINDS: dict[str, KindModel] = {
    "tfds.info": KindModel(attribute=_info_attribute, open=True),
    "tfds.split": KindModel(open=True),
    "tfds.feature": KindModel(open=True),
    "tfds.labels": KindModel(open=True),
}
