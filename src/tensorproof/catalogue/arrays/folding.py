"""Images as columns of patches and back, and channels traded for pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Like
from tensorproof.ops.facts import MOVES
from tensorproof.ops.inputs import Bool, Choice, Int, Sizes, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op
from tensorproof.ops.window import images, must_fit, places, span
from tensorproof.terms.dtypes import BOOL, COMPLEX32, FLOATS, FULL_COMPLEXES, NUMBERS
from tensorproof.terms.ints import Dim, ceildiv, product
from tensorproof.terms.predicates import conj, eq, ge
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.catalogue.arrays.formulas import folding as folding_moves
else:
    folding_moves = later("catalogue.arrays.formulas.folding")

_PATCHED = FLOATS | FULL_COMPLEXES | {BOOL}
_WINDOW = (Sizes("kernel", 2, least=1), Sizes("dilation", 2, 1, least=1), Sizes("padding", 2, 0, least=0), Sizes("stride", 2, 1, least=1))


def _blocks(c: Call, sizes: tuple[Dim, ...]) -> Dim:
    """How many patches an image of these sizes has."""
    found: list[Dim] = []
    for size, k, d, p, s in zip(sizes, c["kernel"], c["dilation"], c["padding"], c["stride"], strict=True):
        short = s if c.option("overhangs") else 0  # a kernel that overhangs by a stride at most has no place
        must_fit(c, size + 2 * p + short, span(k, d))
        found.append(places(size + 2 * p, span(k, d), s))
    return product(found)


def _not_empty(c: Call, batched: int) -> None:
    for size in c.shape("x")[1 if c.rank("x") == batched else 0 :] if c.option("no_empty_axis") else ():
        c.require("empty", ge(size, 1), f"x {c.shape('x')!r} has an axis without elements", "x")


def _im2col_shape(c: Call) -> Shape:
    x = c.shape("x")
    _not_empty(c, 4)
    return Shape((*x[:-3], c.dims["C"] * product(c["kernel"]), _blocks(c, x[-2:])))


IM2COL = Op(
    "im2col", (Tensor("x", images(2), _PATCHED),), _WINDOW, _im2col_shape, Like("x"), evaluate=folding_moves.columns,
    order="compact", doc="Every patch of an image as a column.",
)  # fmt: skip


def _patches_shape(c: Call) -> Shape:
    x, kernel = c.shape("x"), c["kernel"]
    same = c["padding"] == "SAME"
    made = [ceildiv(n, s) if same else places(n, span(k, d), s) for n, k, s, d in zip(x[1:3], kernel, c["stride"], c["dilation"], strict=True)]
    return Shape((x[0], *made, product(kernel) * x[3]))


EXTRACT_PATCHES = Op(
    "extract_patches", (Tensor("x", "N H W C"),), (_WINDOW[0], _WINDOW[3], _WINDOW[1], Choice("padding", ("SAME", "VALID"))), _patches_shape, Like("x"),
    evaluate=folding_moves.channel_patches, doc="Every patch of an image whose channels are last, flattened along the channels.",
)  # fmt: skip


def _col2im_shape(c: Call) -> Shape:
    _not_empty(c, 3)
    column, patch = c.dims["P"], product(c["kernel"])
    c.require("channels", eq(column % patch, 0), f"columns of {column!r} elements do not divide into patches of {patch!r}", ("x", "kernel"))
    blocks = _blocks(c, c["output_size"])
    c.equal("blocks", c.dims["L"], blocks, "x has {a} columns and the image has {b} patches", ("x", "output_size", "kernel"))
    return Shape((*c.shape("x")[:-2], column // patch, *c["output_size"]))


COL2IM = Op(
    "col2im",
    inputs=(Tensor("x", "N P L | P L", _PATCHED),),
    attributes=(Sizes("output_size", 2, least=1), *_WINDOW),
    shape=_col2im_shape,
    dtype=Like("x"),
    evaluate=folding_moves.image_of_columns,
    order="compact",
    doc="Columns summed back into the image that they are patches of.",
)

_MOVED = NUMBERS - {COMPLEX32}


BLOCK_FIRST = Bool("block_first", False)
"""Whether the channels are ordered by the place in a block first, and by the channel of an image then."""


def _pixel_shuffle_shape(c: Call) -> Shape:
    factor, channels = c["factor"], c.dims["C"]
    c.require("channels", eq(channels % (factor * factor), 0), f"{channels!r} channels do not divide by {factor!r} squared", ("x", "factor"))
    return Shape((*c.lead["x"], channels // (factor * factor), c.dims["Y"] * factor, c.dims["X"] * factor))


PIXEL_SHUFFLE = Op(
    "pixel_shuffle", (Tensor("x", "... C Y X", _MOVED),), (Int("factor", least=1), BLOCK_FIRST), _pixel_shuffle_shape, Like("x"), values=MOVES,
    order="format", evaluate=folding_moves.pixels_of_channels,
)  # fmt: skip


def _pixel_unshuffle_shape(c: Call) -> Shape:
    factor, (y, x) = c["factor"], (c.dims["Y"], c.dims["X"])
    whole = conj(eq(y % factor, 0), eq(x % factor, 0))
    c.require("size", whole, f"an image of {y!r} x {x!r} does not divide by {factor!r}", ("x", "factor"))
    if c["empty_stays"] and c.shape("x").concrete and c.shape("x").numel == 0:
        return c.shape("x")
    return Shape((*c.lead["x"], c.dims["C"] * factor * factor, y // factor, x // factor))


PIXEL_UNSHUFFLE = Op(
    "pixel_unshuffle", (Tensor("x", "... C Y X", _MOVED),), (Int("factor", least=1), BLOCK_FIRST, Bool("empty_stays", False)), _pixel_unshuffle_shape,
    Like("x"), evaluate=folding_moves.channels_of_pixels, values=MOVES,
)  # fmt: skip


def _channel_shuffle_shape(c: Call) -> Shape:
    channels, groups = c.dims["C"], c["groups"]
    c.require("groups", eq(channels % groups, 0), f"{channels!r} channels do not divide into {groups!r} groups", ("x", "groups"))
    return c.shape("x")


CHANNEL_SHUFFLE = Op(
    "channel_shuffle", (Tensor("x", "N C X ...", _MOVED),), (Int("groups", least=1),), _channel_shuffle_shape, Like("x"),
    evaluate=folding_moves.channels_in_turn,
    values=MOVES,
)  # fmt: skip
