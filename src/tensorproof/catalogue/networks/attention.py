"""Attention: scaled dot products, and the multi-head layer around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.networks.loss import mixed
from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Given, Same
from tensorproof.ops.inputs import Anything, Bool, ElementType, Float, Int, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op, Out
from tensorproof.terms.dtypes import BOOL, FLOAT32, FLOAT64, FLOATS, FULL_COMPLEXES, INT64, UINT64, DType
from tensorproof.terms.ints import Dim, ceildiv, maximum
from tensorproof.terms.predicates import conj, disj, eq, ge
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.networks.formulas import attention as formulas
else:
    formulas = later("catalogue.networks.formulas.attention")

MASK = FLOATS | {BOOL}
QKV = (Tensor("query", "... L E", FLOATS), Tensor("key", "... S E", FLOATS), Tensor("value", "... S V", FLOATS))
CODES = {"E": "features", "S": "keys"}


# --- scaled dot products ---


def grouped(c: Call, name: str) -> tuple[Dim, ...]:
    """The leading axes of keys or values when several query heads share one of theirs."""
    lead, heads = c.lead[name], c.lead["query"]
    c.require("heads", bool(lead) and bool(heads), "grouped attention needs an axis of heads", ("query", name))
    fits = eq(heads[-1] % maximum(lead[-1], 1), 0)
    c.require("heads", fits, f"the {heads[-1]!r} query heads must be a multiple of the {lead[-1]!r} heads of {name}", ("query", name))
    return (*lead[:-1], heads[-1])


def scores(c: Call) -> Shape:
    """The shape (..., L, S) of the scores, to which the mask must broadcast."""
    key = grouped(c, "key") if c["enable_gqa"] else c.lead["key"]
    lead = c.broadcast(c.lead["query"], key, about=("query", "key"), code="batch")
    return Shape((*lead, c.dims["L"], c.dims["S"]))


def mask_checked(c: Call, shape: Shape) -> None:
    if not c.given("attn_mask"):
        return
    mask, dtype = c.shape("attn_mask"), c.dtype("attn_mask")
    if eq(shape.numel, 0) is True:
        raise c.give_up("a mask of no scores, which torch broadcasts or not by the kernel that it chooses")
    ranks = {c.rank(n) for n in ("query", "key", "value")}
    message = f"attn_mask of shape {mask!r} does not broadcast to the scores {shape!r}"
    c.require("mask", len(mask) <= len(shape) and (ranks != {4} or len(mask) >= 2 or bool(c["dropout_p"])), message, ("attn_mask", "query", "key"))
    for a, b in zip(reversed(mask), reversed(shape)):
        c.require("mask", disj(eq(a, b), eq(a, 1)), message, ("attn_mask", "query", "key"))
    wanted = (BOOL, FLOAT32, c.dtype("query"), None)
    c.require("dtype", dtype in wanted or c.dtype("query") is None, f"attn_mask must be bool, float32 or {c.dtype('query')!r}, and is {dtype!r}", "attn_mask")
    if c["is_causal"]:
        # one kernel on the CPU takes both: four axes, one head size, no dropout
        alike = c["enable_gqa"] or conj(*(eq(a, b) for n in ("key", "value") for a, b in zip(c.shape("query")[:2], c.shape(n))))
        plain = ranks == {4} and len(mask) in (2, 4) and not c["dropout_p"] and conj(alike, eq(c.dims["E"], c.dims["V"])) is not False
        c.require("causal", plain, "attn_mask and is_causal exclude each other", ("attn_mask", "is_causal"))


def dot_product_shape(c: Call) -> Shape:
    shape = scores(c)
    mask_checked(c, shape)
    value = grouped(c, "value") if c["enable_gqa"] else c.lead["value"]
    return Shape((*c.broadcast(shape[:-2], value, about=("query", "value"), code="batch"), c.dims["L"], c.dims["V"]))


def attention_shape(c: Call) -> Shape:
    """Where there is nothing to attend with, the leading axes are those of the query."""
    made = dot_product_shape(c)
    without = Shape(c.shape("query")[:-1]), Shape(c.shape("key")[:-1]), c.shape("value")  # features are no matter
    empty = any(eq(shape.numel, 0) is True for shape in without)
    return Shape((*c.lead["query"], c.dims["L"], c.dims["V"])) if empty else made


DOT_PRODUCT_ATTENTION = Op(
    "scaled_dot_product_attention",
    inputs=(*QKV, Tensor("attn_mask", "...", MASK, optional=True)),
    attributes=(Float("dropout_p", 0.0, most=1.0), Bool("is_causal", False), Float("scale", None, optional=True), Bool("enable_gqa", False)),
    shape=attention_shape,
    dtype=Same("query", "key", "value"),
    codes=CODES,
    evaluate=formulas.attention,
)
ATTENTION_MATH = Op(
    "scaled_dot_product_attention_math",
    inputs=DOT_PRODUCT_ATTENTION.inputs,
    attributes=DOT_PRODUCT_ATTENTION.attributes,
    outputs=(Out("output"), Out("weights")),
    shape=lambda c: [dot_product_shape(c), scores(c)],
    dtype=Same("query", "key", "value"),
    codes=CODES,
    evaluate=formulas.attention_math,
)


def summed(dtype: DType | None) -> DType | None:
    """The element type of the logarithms of sums."""
    return None if dtype is None else FLOAT64 if dtype is FLOAT64 else FLOAT32


def cpu_checked(c: Call) -> None:
    """What the kernel on the CPU cannot do; it divides by zero where there is nothing to attend to."""
    if any(eq(c.shape(name).numel, 0) is True for name in ("query", "key")):
        raise c.give_up("this kernel ends the process on empty inputs")
    c.require("dropout_p", not c["dropout_p"], f"this kernel knows no dropout, and dropout_p is {c['dropout_p']!r}", "dropout_p")
    if c.given("attn_mask"):
        c.require("mask", c.rank("attn_mask") in (2, 4), f"attn_mask must have rank 2 or 4, and is {c.shape('attn_mask')!r}", "attn_mask")
        c.require("dtype", c.dtype("attn_mask") is not BOOL, "attn_mask must hold floats for this kernel, and holds truth values", "attn_mask")


def fused_shape(c: Call) -> list[Any]:
    """Output and log-sum-exp of the fused kernels, then what a kernel keeps for its backward pass."""
    batch, heads, length = c.shape("query")[:3]
    mask_checked(c, Shape((batch, heads, length, c.dims["S"])))
    kept, dtype = c["kernel"], c.dtype("query")
    if kept == "cpu":
        cpu_checked(c)
    if kept in ("cpu", "flash"):
        c.equal("features", c.dims["V"], c.dims["E"], "value has {a} features and query {b}: this kernel needs one size", ("value", "query"))
    logsumexp: tuple[Dim, ...] = (batch, heads, length)
    if kept == "efficient":
        logsumexp = (batch, heads, ceildiv(length, 32) * 32 if c["compute_log_sumexp"] else 0)
    elif kept == "cudnn":
        logsumexp = (batch, heads, length, 1)
    output = Shape((batch, heads, length, c.dims["V"]))
    return [output, TensorType(Shape(logsumexp), summed(dtype) if kept == "cpu" else FLOAT32)]


FUSED_ATTENTION = Op(
    "fused_attention",
    inputs=(
        Tensor("query", "B H L E", FLOATS), Tensor("key", "B H S E", FLOATS), Tensor("value", "B H S V", FLOATS),
        Tensor("attn_mask", "...", MASK, optional=True),
    ),
    attributes=(
        Anything("kernel", "cpu"), Bool("compute_log_sumexp", True), Float("dropout_p", 0.0), Bool("is_causal", False), Float("scale", None, optional=True),
    ),
    outputs=(Out("output"), Out("logsumexp")),
    shape=fused_shape,
    dtype=Same("query", "key", "value"),
    codes=CODES,
    evaluate=formulas.fused,
)  # fmt: skip
SEED = TensorType(Shape(), INT64)
STATE = TensorType(Shape((2,)), UINT64)


# --- the multi-head layer; sequences come first: query (L, N, E), key and value (S, N, ·), or all without N ---


def heads_checked(c: Call, features: Dim, heads: Dim) -> None:
    c.require("heads", ge(heads, 1), f"the number of heads must be positive, and is {heads!r}", "num_heads")
    c.require("heads", eq(features % heads, 0), f"the {features!r} features must be a multiple of the {heads!r} heads", "num_heads")


def masks_checked(c: Call, query: Shape, keys: Dim, heads: Dim, mask: str, padding: str, weights: bool, causal: bool, padded: Dim | None = None) -> None:
    """The masks of attention from `query` (L, N, E) or (L, E) to `keys` steps, or `padded` where others take their place."""
    batch, length = query[1:-1], query[0]
    if causal:
        c.require("causal", c.given(mask), f"is_causal is a hint about the mask, so {mask} must be given too", (mask, "is_causal"))
    if c.given(padding):
        given, wanted = c.shape(padding), Shape((*batch, keys if padded is None else padded))
        message = f"{padding} must have shape {wanted!r} ({'batch, ' if batch else ''}keys), and has {given!r}"
        c.require("padding_mask", len(given) == len(wanted), message, padding)
        c.require("padding_mask", conj(*(eq(a, b) for a, b in zip(given, wanted))), message, padding)
    if c.given(mask):
        given, count = c.shape(mask), heads * (batch[0] if batch else 1)
        wanted = Shape((length, keys) if len(given) == 2 else (count, length, keys))
        message = f"{mask} must have shape {Shape((length, keys))!r} or {Shape((count, length, keys))!r}, and has {given!r}"
        c.require("mask", len(given) in (2, 3), message, mask)
        if not causal or weights or c.given(padding) or (len(given) == 3 and not batch):
            c.require("mask", conj(*(eq(a, b) for a, b in zip(given, wanted))), message, mask)
    dtype = c.dtype("query") if "query" in c.arguments else c.dtype("x")
    floats = [dtype if c.dtype(n) is BOOL else c.dtype(n) for n in (mask, padding) if c.given(n)]
    if floats and dtype is not None and not (causal and not weights and not c.given(padding)):
        merged = mixed(c, *floats)
        fits = merged in (dtype, None) or (not weights and merged is FLOAT32)
        c.require("dtype", fits, f"the masks must be bool or {dtype!r}, and are {merged!r}", (mask, padding))


def multi_head_shape(c: Call) -> list[Shape]:
    query, key, value = (c.shape(n) for n in ("query", "key", "value"))
    c.require("rank", len(query) == len(key) == len(value), "query, key and value must have the same number of dimensions", ("query", "key", "value"))
    features, heads = c.dims["E"], c["num_heads"]
    c.equal("features", features, c["embed_dim"], "the layer takes {b} features, query has {a}", "query")
    heads_checked(c, features, heads)
    projections(c, features)
    keys = static_keys(c, features, heads)
    masks_checked(c, query, key[0], heads, "attn_mask", "key_padding_mask", c["need_weights"], c["is_causal"], keys)
    keys = keys + (extra_keys(c, features) if c.given("bias_k") else 0) + (1 if c["add_zero_attn"] else 0)
    length, batch = query[0], query[1:-1]
    weights = (*batch, length, keys) if c["average_attn_weights"] else (*batch, heads, length, keys)
    return [Shape((*query[:-1], c.dims["O"])), Shape(weights)]


def static_keys(c: Call, features: Dim, heads: Dim) -> Dim:
    """The number of keys; static_k and static_v stand in the place of the projected ones, as (N × heads, S, E // heads)."""
    query, lengths = c.shape("query"), [c.dims["S"], c.dims["S"]]
    for i, name in enumerate(("static_k", "static_v")):
        if c.given(name):
            c.require("static", not c.given("bias_k"), f"bias_k cannot be added to {name}", (name, "bias_k"))
            given, rows = c.shape(name), heads * (query[1] if len(query) == 3 else 1)
            holds = conj(eq(given[0], rows), eq(given[2], features // heads))
            c.require("static", holds, f"{name} must have shape ({rows!r}, _, {features // heads!r}), and has {given!r}", name)
            lengths[i] = given[1]
    if lengths != [c.dims["S"]] * 2:
        c.equal("static", lengths[0], lengths[1], "there are {a} keys for {b} values", ("static_k", "static_v"))
        if c.given("attn_mask"):
            c.equal("static", lengths[0], c.dims["S"], "static_k holds {a} keys and attn_mask speaks of {b}", ("static_k", "attn_mask"))
    return lengths[0]


def extra_keys(c: Call, features: Dim) -> Dim:
    """How many keys bias_k adds: it is (1, 1, E), and missing axes count as 1."""
    for name in ("bias_k", "bias_v"):
        shape = (1, 1, *c.shape(name))[-3:]
        holds = conj(eq(shape[1], 1), eq(shape[2], features))
        c.require("bias", holds, f"{name} must have shape (1, 1, {features!r}), and has {c.shape(name)!r}", name)
    made: Dim = (1, 1, *c.shape("bias_k"))[-3]
    return made


def projections(c: Call, features: Dim) -> None:
    """The maps of query, key and value: one packed weight, or one for each."""
    if c["use_separate_proj_weight"]:
        for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight"):
            c.require("weight", c.given(name), f"{name} must be given with use_separate_proj_weight", name)
    else:
        c.require("weight", c.given("in_proj_weight"), "in_proj_weight must be given", "in_proj_weight")
        c.equal("weight", c.shape("in_proj_weight")[0], 3 * features, "in_proj_weight has {a} rows and needs {b}", "in_proj_weight")
        c.equal("features", c.dims["K"], features, "the layer takes {b} features, key has {a}", "key")
        c.equal("features", c.dims["V"], features, "the layer takes {b} features, value has {a}", "value")
    if c.given("in_proj_bias"):
        c.equal("weight", c.shape("in_proj_bias")[0], 3 * features, "in_proj_bias holds {a} numbers and needs {b}", "in_proj_bias")


WEIGHTS = (
    Tensor("in_proj_weight", "G E", FLOATS, optional=True), Tensor("in_proj_bias", "_", FLOATS, optional=True), Tensor("out_proj_weight", "O E", FLOATS),
    Tensor("out_proj_bias", "O", FLOATS, optional=True), Tensor("q_proj_weight", "E E", FLOATS, optional=True),
    Tensor("k_proj_weight", "E K", FLOATS, optional=True), Tensor("v_proj_weight", "E V", FLOATS, optional=True),
    *(Tensor(n, "_ _ _ | _ _ | _", FLOATS, optional=True) for n in ("bias_k", "bias_v")),
)  # fmt: skip
MULTI_HEAD_ATTENTION = Op(
    "multi_head_attention",
    inputs=(
        Tensor("query", "L N E | L E", FLOATS), Tensor("key", "S N K | S K", FLOATS), Tensor("value", "S N V | S V", FLOATS), *WEIGHTS,
        Tensor("attn_mask", "...", MASK, optional=True), Tensor("key_padding_mask", "...", MASK, optional=True),
        Tensor("static_k", "_ _ _", FLOATS, optional=True), Tensor("static_v", "_ _ _", FLOATS, optional=True),
    ),
    attributes=(
        Int("embed_dim"), Int("num_heads"), Bool("add_zero_attn", False), Bool("need_weights", True), Bool("average_attn_weights", True),
        Bool("is_causal", False), Bool("use_separate_proj_weight", False), Float("dropout_p", 0.0),
    ),
    outputs=(Out("output"), Out("weights", when="need_weights")),
    shape=multi_head_shape,
    dtype=Same("query", "key", "value", *(w.name for w in WEIGHTS)),
    codes={"E": "features", "K": "features", "V": "features", "N": "batch", "S": "keys", "O": "bias"},
    order="compact", evaluate=formulas.multi_head,
)  # fmt: skip


# --- masks ---

CAUSAL_MASK = Op(
    "causal_mask", (), (Int("size", least=0), ElementType("dtype", dtypes=FLOATS | FULL_COMPLEXES | {BOOL})), "size size", Given(),
    evaluate=formulas.causal_mask,
)  # fmt: skip

__all__ = ["heads_checked", "masks_checked"]
