"""keras.datasets: the arrays that `load_data` gives, with their true shapes, element types and ranges of labels."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries.domains.label_ranges import note
from tensorproof.libraries.keras.data.arrays import OBJECTS
from tensorproof.libraries.model import Run
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


def _refuse_others(m: Machine, name: str, args: Args, kwargs: Kwargs, known: tuple[str, ...], node: ast.AST) -> dict[str, Any]:
    if len(args) > len(known):
        raise m.raised("TypeError", f"{name}.load_data takes {len(known)} arguments, {len(args)} were given", node, "call/arguments")
    wrong = next((k for k in kwargs if k not in known), None)
    if wrong is not None:
        raise m.raised("TypeError", f"{name}.load_data has no argument {wrong}", node, "call/arguments")
    return {**dict(zip(known, args)), **kwargs}


def _images(name: str) -> Run:
    train, test, image, label, dtype, classes = _IMAGES[name]

    def load(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        takes = {"mnist": ("path",), "cifar100": ("label_mode",)}.get(name, ())
        given = _refuse_others(m, name, args, kwargs, takes, node)
        count = classes
        if name == "cifar100":
            mode = given.get("label_mode", "fine")
            if isinstance(mode, str) and mode not in ("fine", "coarse"):
                raise m.raised("ValueError", f"label_mode of cifar100 is 'fine' or 'coarse', not {mode!r}", node, "data/labels")
            count = 20 if mode == "coarse" else 100
        parts = []
        for samples in (train, test):
            parts.append((_array((samples, *image), "uint8"), note(m, _array((samples, *label), dtype), 0, count)))
        return tuple(parts)

    return load


_TEXT_ARGUMENTS = {
    "imdb": ("path", "num_words", "skip_top", "maxlen", "seed", "start_char", "oov_char", "index_from"),
    "reuters": ("path", "num_words", "skip_top", "maxlen", "test_split", "seed", "start_char", "oov_char", "index_from"),
}  # fmt: skip
_TEXTS = {"imdb": (25000, 25000, 2), "reuters": (8982, 2246, 46)}


def _texts(name: str) -> Run:
    """Each sample is a list of the numbers of its words, of a length that only the data knows."""
    train, test, classes = _TEXTS[name]

    def load(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        given = _refuse_others(m, name, args, kwargs, _TEXT_ARGUMENTS[name], node)
        counts: list[Any] = [train, test]
        if name == "reuters" and isinstance(given.get("test_split"), float):
            counts[0] = int(11228 * (1 - given["test_split"]))
            counts[1] = 11228 - counts[0]
        if given.get("maxlen") is not None:  # longer texts are left out
            counts = [m.symbol(m.name_here(f"{word} samples", node), 1, most, Origin.WORLD) for word, most in zip(("training", "test"), counts)]
        words = given.get("num_words")
        most = words - 1 if isinstance(words, int) else None
        parts = []
        for count in counts:
            items = []
            for _ in range(2):
                word = m.symbol(m.name_here("word", node), 0, most, Origin.WORLD)
                items.append(sequence(m, m.symbol(m.name_here("words", node), 1, None, Origin.WORLD), word, word))
            parts.append((Model(OBJECTS, m.heap.space({"list": sequence(m, count, *items)})), note(m, _array((count,), "int64"), 0, classes)))
        return tuple(parts)

    return load


def _tables(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    known = ("path", "test_split", "seed") if name == "boston_housing" else ("version", "path", "test_split", "seed")
    given = _refuse_others(m, name, args, kwargs, known, node)
    version = given.get("version", "large")
    if isinstance(version, str) and version not in ("large", "small"):
        raise m.raised("ValueError", f"version of california_housing is 'large' or 'small', not {version!r}", node, "data/version")
    rows, columns, dtype = (506, 13, "float64") if name == "boston_housing" else (20640 if version == "large" else 600, 8, "float32")
    share = given.get("test_split", 0.2)
    if isinstance(share, (int, float)) and not 0 <= share < 1:
        raise m.raised("AssertionError", f"test_split must lie in [0, 1), and is {share}", node, "data/split")
    kept: Any = int(rows * (1 - share)) if isinstance(share, (int, float)) else m.symbol(m.name_here("training samples", node), 1, rows, Origin.USER)
    return tuple((_array((n, columns), dtype), _array((n,), dtype)) for n in (kept, rows - kept))


def _words(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return Model("keras.words", m.heap.space({"size": m.symbol(m.name_here("words", node), 1, None, Origin.WORLD), "by_word": True}))


FUNCTIONS: dict[str, object] = {
    **{f"{HOME}{n}.load_data": _images(n) for n in _IMAGES}, **{f"{HOME}{n}.load_data": _texts(n) for n in _TEXTS},
    **{f"{HOME}{n}.load_data": partial(_tables, n) for n in ("boston_housing", "california_housing")}, **{f"{HOME}{n}.get_word_index": _words for n in _TEXTS},
}  # fmt: skip
