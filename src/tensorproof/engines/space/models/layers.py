"""Which inputs of a node are the weights of its layer, and by which hyperparameters their sizes are known.

A size is a letter, with what it is multiplied or divided by: `I/g` is the channels of one group. `*` stands for the axes of the kernel, or for all axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tensorproof.graph import Node
from tensorproof.terms.ints import Dim, floordiv, maximum
from tensorproof.terms.records import dataclass, field, replace

Names = Mapping[str, tuple[str, ...]]
Sizes = dict[str, "Dim | tuple[Dim, ...]"]

_CONVOLUTION: Names = {"O": ("out_channels", "filters"), "I": ("in_channels",), "*": ("kernel_size", "kernel_shape", "kernel"), "g": ("groups", "group")}
_DEPTHWISE: Names = {"I": ("in_channels",), "M": ("depth_multiplier",), "*": ("kernel_size", "kernel")}
_DENSE: Names = {"O": ("out_features", "units"), "I": ("in_features",)}
_CHANNELS: Names = {"C": ("num_features", "num_channels")}
_WHOLE: Names = {"*": ("normalized_shape",)}
_TABLE: Names = {"V": ("num_embeddings", "input_dim"), "D": ("embedding_dim", "output_dim")}
_RECURRENT: Names = {"H": ("hidden_size", "units"), "I": ("input_size",)}


@dataclass(frozen=True, slots=True)
class Layer:
    """The weights of a node by the position of their argument, with the letters of their axes; names of hyperparameters by letter."""

    names: Names
    weights: tuple[tuple[int, str], ...]
    attributes: Mapping[str, str] = field(default_factory=dict[str, str])
    """Attributes that repeat a size."""
    bias: str = ""
    """The letters of a bias that another node adds to the result."""
    flipped_by: str = ""
    """The attribute that says that the first weight is transposed."""


_PADDED = {"kernel_shape": "*", "group": "g"}
_GROUPED = {"groups": "g"}
_TRANSPOSED = Layer(_CONVOLUTION, ((1, "I O/g *"), (2, "O")), _GROUPED)
_CONVOLVED = Layer(_CONVOLUTION, ((1, "O I/g *"), (2, "O")), _GROUPED)
_FUSED = Layer(_CHANNELS, ((1, "C"), (2, "C"), (3, "C"), (4, "C")))
_FILTERED = Layer(_CONVOLUTION, ((1, "* I O"),), bias="O")


def _gates(gates: int) -> Layer:
    weights = ((1, f"d {gates}*H I"), (2, f"d {gates}*H H"), (3, f"d {2 * gates}*H"), (5, "d N H"), (6, "d N H"))
    return Layer(_RECURRENT, weights, {"hidden_size": "H"})


LAYERS: dict[str, dict[str, Layer]] = {
    "onnx": {
        "Conv": replace(_CONVOLVED, attributes=_PADDED),
        "ConvTranspose": replace(_TRANSPOSED, attributes=_PADDED),
        "Gemm": Layer(_DENSE, ((1, "I O"), (2, "O")), flipped_by="transB"),
        "MatMul": Layer(_DENSE, ((1, "I O"),), bias="O"),
        "BatchNormalization": _FUSED,
        "InstanceNormalization": replace(_FUSED, weights=((1, "C"), (2, "C"))),
        "LayerNormalization": Layer(_WHOLE, ((1, "*"), (2, "*"))),
        "Gather": Layer(_TABLE, ((0, "V D"),)),
        "LSTM": _gates(4),
        "GRU": _gates(3),
        "RNN": _gates(1),
    },
    "graphdef": {
        "Conv2D": _FILTERED,
        "Conv3D": _FILTERED,
        "DepthwiseConv2dNative": Layer(_DEPTHWISE, ((1, "* I M"),), bias="I*M"),
        "Conv2DBackpropInput": Layer(_CONVOLUTION, ((1, "* O I"),), bias="O"),
        "MatMul": Layer(_DENSE, ((1, "I O"),), bias="O", flipped_by="transpose_b"),
        "BatchMatMulV2": Layer(_DENSE, ((1, "I O"),), bias="O", flipped_by="adj_y"),
        "FusedBatchNorm": _FUSED,
        "FusedBatchNormV2": _FUSED,
        "FusedBatchNormV3": _FUSED,
        "GatherV2": Layer(_TABLE, ((0, "V D"),)),
        "ResourceGather": Layer(_TABLE, ((0, "V D"),)),
    },
    "aten": {
        **dict.fromkeys(("conv1d", "conv2d", "conv3d"), _CONVOLVED),
        **dict.fromkeys(("conv_transpose1d", "conv_transpose2d", "conv_transpose3d"), _TRANSPOSED),
        "linear": Layer(_DENSE, ((1, "O I"), (2, "O"))),
        "addmm": Layer(_DENSE, ((2, "I O"), (0, "O"))),
        "matmul": Layer(_DENSE, ((1, "I O"),)),
        "mm": Layer(_DENSE, ((1, "I O"),)),
        "batch_norm": _FUSED,
        "_native_batch_norm_legit_no_training": _FUSED,
        "group_norm": Layer(_CHANNELS, ((2, "C"), (3, "C"))),
        "layer_norm": Layer(_WHOLE, ((2, "*"), (3, "*")), {"normalized_shape": "*"}),
        "native_layer_norm": Layer(_WHOLE, ((2, "*"), (3, "*")), {"normalized_shape": "*"}),
        "embedding": Layer(_TABLE, ((0, "V D"),)),
    },
}


def layer_of(node: Node) -> Layer | None:
    """The layer that a node computes, with its letters in the order of this node's weight."""
    spelling = node.spelling.partition(".")[0] if node.framework == "aten" else node.spelling
    found = LAYERS[node.framework].get(spelling) if not node.domain else None
    if spelling == "convolution" and node.framework == "aten" and not node.domain:
        found = _TRANSPOSED if node.attributes.get("6") is True else _CONVOLVED
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
