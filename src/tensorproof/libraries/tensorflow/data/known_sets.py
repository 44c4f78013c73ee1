"""tensorflow_datasets: the well-known sets with their true shapes, classes and counts."""

from __future__ import annotations

import ast
import re
from typing import Any

from tensorproof.libraries import KindModel, Run, argument
from tensorproof.libraries.results.facts import facts
from tensorproof.libraries.tensorflow.data.elements import scalar, stacked
from tensorproof.libraries.tensorflow.data.pipeline import batched, dataset, unknown_count
from tensorproof.terms import BY_LABEL, Dim, Origin, Shape, TensorType, dataclass
from tensorproof.values import MISSING, TEXT, Args, Dict, Key, Kwargs, List, Machine, Model, Value, slot

LABEL_COUNT: Key[int] = slot("classes")
COUNTS: Key[dict[str, Dim]] = slot("counts")


@dataclass(frozen=True, slots=True)
class Known:
    """A set: the sizes of a picture, None for a size of the file's own; no sizes where it is text."""

    sizes: tuple[int | None, ...] | None
    classes: int
    counts: dict[str, int]


def _known(name: str) -> Known | None:
    """The set of a name; of a set of texts the part behind `/` says how they are read."""
    said = facts("tensorflow/data/known_sets")
    row = said.get(name, said.get(name.partition("/")[0], ""))
    shape, *parts = row.split() or ("",)
    if not row or (name not in said and shape != "text"):
        return None
    counts = {part: int(count) for part, _, count in (one.partition("=") for one in parts)}
    sizes = None if shape == "text" else tuple(None if size == "?" else int(size) for size in shape.split("x"))
    return Known(sizes, counts.pop("classes"), counts)


_PART = re.compile(r"^(\w+)(?:\[(.*?)(%?)(?::(.*?)(%?))?\])?$")


def _load(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`tfds.load(name, split=…, as_supervised=…, with_info=…)`."""
    name = argument(args, kwargs, 0, "name")
    if not isinstance(name, str):
        return m.gap("tfds.load", node, "the name of the set is not known")
    plain = name.partition(":")[0]
    known = _known(plain)
    if known is None:
        return m.gap(f"tfds.load({name!r})", node, "the set is not known")
    supervised, split = kwargs.get("as_supervised", False) is True, argument(args, kwargs, 1, "split")
    counts, size = known.counts, kwargs.get("batch_size")

    def part(words: Value) -> Any:
        if isinstance(words, (List, tuple)):
            found = [part(w) for w in (words.items if isinstance(words, List) else words)]
            return List(m.heap.row(found)) if isinstance(words, List) else tuple(found)
        whole = dataset(m, _element(m, plain, known, supervised, node), _count(m, words, counts, node))
        return whole if size is None else batched(m, whole, size, False, lambda n: stacked(m, whole.space["element"], n, node), node)

    made = Dict(m.heap.entries({k: part(k) for k in counts})) if split is None else part(split)
    return (made, _info(m, plain, known)) if kwargs.get("with_info", False) is True else made


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


def _element(m: Machine, name: str, known: Known, supervised: bool, node: ast.AST) -> Value:
    label = scalar("int64")
    if name == "oxford_iiit_pet":
        height, width = (m.symbol(m.name_here(w, node), 1, None, Origin.USER) for w in ("height", "width"))
        image = TensorType(Shape((height, width, 3)), BY_LABEL["uint8"], framework="tf")
        parts = {"image": image, "label": label, "segmentation_mask": image.but(shape=Shape((height, width, 1))), "file_name": scalar("string")}
        return (image, label) if supervised else Dict(m.heap.entries(parts))
    if known.sizes is None:
        return (scalar("string"), label) if supervised else Dict(m.heap.entries({"text": scalar("string"), "label": label}))
    sizes = [m.symbol(m.name_here("size", node), 1, None, Origin.USER) if d is None else d for d in known.sizes]
    image = TensorType(Shape(sizes), BY_LABEL["uint8"], framework="tf")
    return (image, label) if supervised else Dict(m.heap.entries({"image": image, "label": label}))


def _info(m: Machine, name: str, known: Known) -> Model:
    return Model("tfds.info", m.heap.space({"classes": known.classes, "shape": known.sizes, "counts": known.counts, "name": name}))


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
}
