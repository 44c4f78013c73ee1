"""keras.datasets: the arrays that `load_data` gives, with their true shapes, element types and ranges of labels."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import Bound, by_signature
from tensorproof.libraries.domains.label_ranges import note
from tensorproof.libraries.keras.data.arrays import OBJECTS
from tensorproof.libraries.sequences import sequence
from tensorproof.terms import BY_LABEL, Origin, Shape, TensorType
from tensorproof.values import Args, Kwargs, Machine, Model, Value

HOME = "keras.datasets."
_IMAGES: dict[str, tuple[int, int, tuple[int, ...], tuple[int, ...], str, int]] = {
    "mnist": (60000, 10000, (28, 28), (), "uint8", 10), "fashion_mnist": (60000, 10000, (28, 28), (), "uint8", 10),
    "cifar10": (50000, 10000, (32, 32, 3), (1,), "uint8", 10), "cifar100": (50000, 10000, (32, 32, 3), (1,), "int64", 100),
}  # fmt: skip
"""Training and test samples, an image, the axes of a label after the first, the labels' element type, the number of classes."""


def _array(shape: Args, dtype: str) -> TensorType:
    return TensorType(Shape(shape), BY_LABEL[dtype], framework="numpy")


def _images(name: str, m: Machine, call: Bound) -> Value:
    train, test, image, label, dtype, classes = _IMAGES[name]
    if name == "cifar100":
        mode = call.value("label_mode", "fine")
        if isinstance(mode, str) and mode not in ("fine", "coarse"):
            raise m.raised("ValueError", f"label_mode of cifar100 is 'fine' or 'coarse', not {mode!r}", call.node, "data/labels")
        classes = 20 if mode == "coarse" else 100
    return tuple((_array((samples, *image), "uint8"), note(m, _array((samples, *label), dtype), 0, classes)) for samples in (train, test))


_TEXTS = {"imdb": (25000, 25000, 2), "reuters": (8982, 2246, 46)}


def _texts(name: str, m: Machine, call: Bound) -> Value:
    """Each sample is a list of the numbers of its words, of a length that only the data knows."""
    train, test, classes = _TEXTS[name]
    node, share, words = call.node, call.value("test_split"), call.value("num_words")
    counts: list[Any] = [train, test]
    if name == "reuters" and isinstance(share, float):
        counts[0] = int(11228 * (1 - share))
        counts[1] = 11228 - counts[0]
    if call.value("maxlen") is not None:  # longer texts are left out
        counts = [m.symbol(m.name_here(f"{word} samples", node), 1, most, Origin.WORLD) for word, most in zip(("training", "test"), counts)]
    most = words - 1 if isinstance(words, int) else None
    parts = []
    for count in counts:
        items = []
        for _ in range(2):
            word = m.symbol(m.name_here("word", node), 0, most, Origin.WORLD)
            items.append(sequence(m, m.symbol(m.name_here("words", node), 1, None, Origin.WORLD), word, word))
        parts.append((Model(OBJECTS, m.heap.space({"list": sequence(m, count, *items)})), note(m, _array((count,), "int64"), 0, classes)))
    return tuple(parts)


def _tables(name: str, m: Machine, call: Bound) -> Value:
    node, version = call.node, call.value("version", "large")
    if isinstance(version, str) and version not in ("large", "small"):
        raise m.raised("ValueError", f"version of california_housing is 'large' or 'small', not {version!r}", node, "data/version")
    rows, columns, dtype = (506, 13, "float64") if name == "boston_housing" else (20640 if version == "large" else 600, 8, "float32")
    share = call.value("test_split", 0.2)
    if isinstance(share, (int, float)) and not 0 <= share < 1:
        raise m.raised("AssertionError", f"test_split must lie in [0, 1), and is {share}", node, "data/split")
    kept: Any = int(rows * (1 - share)) if isinstance(share, (int, float)) else m.symbol(m.name_here("training samples", node), 1, rows, Origin.USER)
    return tuple((_array((n, columns), dtype), _array((n,), dtype)) for n in (kept, rows - kept))


def _words(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return Model("keras.words", m.heap.space({"size": m.symbol(m.name_here("words", node), 1, None, Origin.WORLD), "by_word": True}))


_KINDS = {**dict.fromkeys(_IMAGES, _images), **dict.fromkeys(_TEXTS, _texts), **dict.fromkeys(("boston_housing", "california_housing"), _tables)}
FUNCTIONS: dict[str, object] = {
    **{f"{HOME}{n}.load_data": by_signature(f"{HOME}{n}.load_data", partial(make, n)) for n, make in _KINDS.items()},
    **{f"{HOME}{n}.get_word_index": _words for n in _TEXTS},
}  # fmt: skip
