"""Transformer layers: self-attention, cross-attention and two linear maps, in stacks."""

from __future__ import annotations

from tensorproof.catalogue.networks.attention import MASK, heads_checked, masks_checked
from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Same
from tensorproof.ops.inputs import Bool, Int, Tensor
from tensorproof.ops.record import Op
from tensorproof.terms.dtypes import FLOATS
from tensorproof.terms.shapes import Shape


def steps_first(c: Call, name: str) -> Shape:
    """The shape with the steps before the batch."""
    shape = c.shape(name)
    return Shape((shape[1], shape[0], shape[2])) if c["batch_first"] and len(shape) == 3 else shape


def _nothing_masked(c: Call, name: str, *masks: str) -> None:
    if c.shape(name).concrete and c.shape(name).numel == 0 and any(c.given(mask) for mask in masks):
        raise c.give_up("what torch makes of a mask of nothing")


def encoder_shape(c: Call) -> Shape:
    x = steps_first(c, "x")
    _nothing_masked(c, "x", "mask", "padding_mask")
    heads_checked(c, c.dims["E"], c["num_heads"])
    masks_checked(c, x, x[0], c["num_heads"], "mask", "padding_mask", False, c["is_causal"])
    return c.shape("x")


def decoder_shape(c: Call) -> Shape:
    shape = encoder_shape(c)
    x, memory = steps_first(c, "x"), steps_first(c, "memory")
    for name in ("x", "memory"):
        _nothing_masked(c, name, "memory_mask", "memory_padding_mask")
    c.require("rank", len(x) == len(memory), f"x {c.shape('x')!r} and memory {c.shape('memory')!r} must have the same number of dimensions", ("x", "memory"))
    if len(x) == 3:
        c.equal("batch", memory[1], x[1], "memory holds {a} sequences and x {b}", ("memory", "x"))
    masks_checked(c, x, memory[0], c["num_heads"], "memory_mask", "memory_padding_mask", False, c["memory_is_causal"])
    return shape


INPUTS = (
    Tensor("x", "_ _ E | _ E", FLOATS), Tensor("weight", "_ E", FLOATS), Tensor("mask", "...", MASK, optional=True),
    Tensor("padding_mask", "...", MASK, optional=True),
)  # fmt: skip
ATTRIBUTES = (Int("num_heads", least=1), Bool("batch_first", False), Bool("is_causal", False))
ENCODER_LAYER = Op("transformer_encoder_layer", INPUTS, ATTRIBUTES, encoder_shape, Same("x", "weight"), codes={"E": "features"})
DECODER_LAYER = Op(
    "transformer_decoder_layer",
    inputs=(
        *INPUTS, Tensor("memory", "_ _ E | _ E", FLOATS), Tensor("memory_mask", "...", MASK, optional=True),
        Tensor("memory_padding_mask", "...", MASK, optional=True),
    ),
    attributes=(*ATTRIBUTES, Bool("memory_is_causal", False)),
    shape=decoder_shape,
    dtype=Same("x", "weight", "memory"),
    codes={"E": "features"},
)  # fmt: skip
