"""Which inputs of a node are the weights of its layer, and by which hyperparameters their sizes are known.

A size is a letter, with what it is multiplied or divided by: `I/g` is the channels of one group. `*` stands for the axes of the kernel, or for all axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from tensorproof.graph import Node
from tensorproof.terms.ints import Dim, floordiv, maximum
from tensorproof.terms.records import dataclass, replace

Names = Mapping[str, tuple[str, ...]]
Sizes = dict[str, "Dim | tuple[Dim, ...]"]


@dataclass(frozen=True, slots=True)
class Layer:
    """The weights of a node by the position of their argument, with the letters of their axes; names of hyperparameters by letter."""

    names: Names
    weights: tuple[tuple[int, str], ...]
    attributes: Mapping[str, str]
    """Attributes that repeat a size."""
    bias: str = ""
    """The letters of a bias that another node adds to the result."""
    flipped_by: str = ""
    """The attribute that says that the first weight is transposed."""


@cache
def _layers() -> dict[str, Layer]:
    """The rows of layers.txt by spelling."""
    found: dict[str, Layer] = {}
    names: Names = {}
    for line in files(__package__).joinpath("layers.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            pairs = [word.split("=") for word in line.partition("]")[2].split()]
            names = {letter: tuple(words.split(",")) for letter, words in pairs}
        elif line and not line.startswith("#"):
            spellings, *parts = [part.strip() for part in line.split("|")]
            weights = tuple((int(at), axes.strip()) for part in parts if ":" in part for at, axes in [part.split(":")])
            given = dict(word.split("=") for part in parts if ":" not in part for word in part.split())
            layer = Layer(names, weights, {k: v for k, v in given.items() if k not in ("bias", "flip")}, given.get("bias", ""), given.get("flip", ""))
            found.update(dict.fromkeys(spellings.split(), layer))
    return found


def layer_of(node: Node) -> Layer | None:
    """The layer that a node computes, with its letters in the order of this node's weight."""
    if node.domain:
        return None
    name = f"{node.framework}.{node.spelling.partition('.')[0] if node.framework == 'aten' else node.spelling}"
    if name == "aten.convolution" and node.attributes.get("6") is True:
        name += ".transposed"
    found = _layers().get(name)
    if found is not None and found.flipped_by and node.attributes.get(found.flipped_by):
        (position, axes), *rest = found.weights
        found = replace(found, weights=((position, " ".join(reversed(axes.split()))), *rest))
    return found


def solved(axes: str, shape: Sequence[int], known: Sizes) -> Sizes:
    """The sizes by letter that a weight of this shape tells; those known before stay."""
    found: Sizes = {}
    for letters, sizes in _matched(axes, shape):
        if letters == "*":
            found[letters] = tuple(sizes)
            continue
        factor, letter, other, divided = _parsed(letters)
        divisor = known.get("g", 1) if divided else 1
        if not other and isinstance(divisor, int) and isinstance(sizes[0], int):
            found[letter] = sizes[0] * divisor // factor
    return {**found, **known}


def shape_of(axes: str, shape: Sequence[int], sizes: Sizes) -> tuple[Dim, ...]:
    """The shape of a weight with the sizes that are given; axes of other letters stay as they are."""
    made: list[Dim] = []
    for letters, own in _matched(axes, shape):
        if letters == "*":
            given = sizes.get("*", tuple(own))
            made += given if isinstance(given, tuple) else [given] * len(own)
            continue
        factor, letter, other, divided = _parsed(letters)
        size, beside, groups = sizes.get(letter), sizes.get(other, 1) if other else 1, sizes.get("g", 1)
        if size is None or isinstance(size, tuple) or isinstance(beside, tuple) or isinstance(groups, tuple):
            made += own
        else:
            made.append(floordiv(size * factor * beside, maximum(groups, 1)) if divided else size * factor * beside)
    return tuple(made)


def _matched(axes: str, shape: Sequence[int]) -> list[tuple[str, list[int]]]:
    """The letters with the sizes that they stand for; nothing where there are too few axes."""
    words = axes.split()
    spread = len(shape) - len(words) + 1
    if (spread < 0) if "*" in words else spread != 1:
        return []
    found: list[tuple[str, list[int]]] = []
    at = 0
    for word in words:
        taken = spread if word == "*" else 1
        found.append((word, list(shape[at : at + taken])))
        at += taken
    return found


def _parsed(letters: str) -> tuple[int, str, str, bool]:
    """`4*H` is 4 times H, `I*M` the product of two, `I/g` a part for each group."""
    word, slash, _ = letters.partition("/")
    first, star, second = word.partition("*")
    if first.isdecimal():
        return int(first), second, "", bool(slash)
    return 1, first, second if star else "", bool(slash)
