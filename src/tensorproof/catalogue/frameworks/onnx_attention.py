"""Attention as ONNX has it: groups of heads, the keys and values of the steps before, states, rotations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.frameworks.onnx_networks import REALS, maybe
from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Same
from tensorproof.ops.evaluation import Arguments, Undefined, plain
from tensorproof.ops.inputs import Bool, Choice, Float, Int, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op, Out
from tensorproof.terms.dtypes import FLOATS, INT64, DType
from tensorproof.terms.ints import Dim
from tensorproof.terms.predicates import conj, disj, eq
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.frameworks.formulas import onnx_attention as formulas
    from tensorproof.ops.arrays import Array, Numpy
else:
    formulas = later("catalogue.frameworks.formulas.onnx_attention")


def _heads(c: Call, name: str, heads: str) -> tuple[Dim, Dim, Dim, Dim]:
    """Batch, heads, length and head size of a tensor that keeps heads as an axis, or packs them into the last one."""
    shape = c.shape(name)
    n = c[heads]
    if len(shape) == 4:
        c.require(heads, n is None, f"{name} {shape!r} has an axis of heads, so {heads} must not be given", (name, heads))
        return shape[0], shape[1], shape[2], shape[3]
    c.require(heads, n is not None, f"{name} {shape!r} packs its heads, so {heads} must be given", (name, heads))
    c.require(heads, eq(shape[2] % n, 0), f"{shape[2]!r} does not divide into {n!r} heads", (name, heads))
    return shape[0], n, shape[1], shape[2] // n


def attention_shape(c: Call) -> list[Any]:
    (b, hq, sq, d), (bk, hk, sk, dk), (bv, hv, sv, dv) = _heads(c, "query", "q_heads"), _heads(c, "key", "kv_heads"), _heads(c, "value", "kv_heads")
    packed = c.rank("query") == 3
    c.require("rank", c.rank("query") == c.rank("key") == c.rank("value"), "query, key and value must have the same rank", ("query", "key", "value"))
    c.require("batch", conj(eq(b, bk), eq(b, bv)), f"the batches are {b!r}, {bk!r} and {bv!r}, and must be equal", ("query", "key", "value"))
    c.equal("length", sk, sv, "there are {a} keys and {b} values", ("key", "value"))
    c.equal("heads", hk, hv, "keys have {a} heads and values {b}", ("key", "value"))
    c.equal("size", d, dk, "the head size is {a} in query and {b} in key", ("query", "key"))
    c.require("heads", eq(hq % hk, 0) if hk != 0 else True, f"{hq!r} heads of query do not divide among {hk!r} of key", ("query", "key"))
    c.require("past", c.given("past_key") == c.given("past_value"), "past_key and past_value must be given together", ("past_key", "past_value"))
    c.require("lengths", not (c.given("lengths") and c.given("past_key")), "the lengths of keys do not go with a past", ("lengths", "past_key"))
    Same("value", "past_value")(c)
    past: Dim = c.shape("past_key")[2] if c.given("past_key") else 0
    total = past + sk
    out = Shape((b, sq, hq * dv)) if packed else Shape((b, hq, sq, dv))
    return [out, Shape((b, hk, total, d)), TensorType(Shape((b, hk, total, dv)), c.dtype("value")), Shape((b, hq, sq, total))]


ATTENTION = Op(
    "attention_with_past",
    (
        Tensor("query", "_ _ _ _ | _ _ _", FLOATS, draw="B H S D"),
        Tensor("key", "_ _ _ _ | _ _ _", FLOATS, draw="B H T D"),
        Tensor("value", "_ _ _ _ | _ _ _", FLOATS, draw="B H T V"),
        maybe("mask", "...", REALS | {DType.BOOL}, draw="S T"),
        maybe("past_key", "_ _ _ _", draw="B H P D"),
        maybe("past_value", "_ _ _ _", draw="B H P V"),
        maybe("lengths", "B", frozenset({INT64})),
    ),
    (
        Int("q_heads", None, optional=True, least=1),
        Int("kv_heads", None, optional=True, least=1),
        Bool("causal", False),
        Float("scale", None, optional=True),
        Float("softcap", 0.0),
        Int("left", -1),
        Int("right", -1),
        Int("shown", 0),
    ),
    attention_shape,
    Same("query", "key", "past_key"),
    outputs=(Out("y"), Out("present_key"), Out("present_value"), Out("scores")),
    evaluate=formulas.attention_with_past,
    doc="Scaled dot-product attention in groups of heads, with the keys and values of the steps before. A query sees `left` keys before and `right` keys "
    "behind its place (-1: all). Scores come out as products (0 or 1), with the mask (2), or as shares (3).",
)


def linear_attention_shape(c: Call) -> list[Any]:
    (b, t, wq), wk, wv, hq, hk = c.shape("query"), c.shape("key")[2], c.shape("value")[2], c["q_heads"], c["kv_heads"]
    for size, heads, name in ((wq, hq, "query"), (wk, hk, "key"), (wv, hk, "value")):
        c.require("heads", eq(size % heads, 0), f"{name} of width {size!r} does not divide into {heads!r} heads", name)
    c.require("heads", eq(hq % hk, 0), f"{hq!r} heads of query do not divide among {hk!r} of key", ("q_heads", "kv_heads"))
    c.equal("size", wq // hq, wk // hk, "the head size is {a} in query and {b} in key", ("query", "key"))
    state = Shape((b, hk, wk // hk, wv // hk))
    for name, word in (("decay", "gated"), ("beta", "delta")):
        c.require(name, (word in c["rule"]) == c.given(name), f"the rule {c['rule']!r} and the input {name} do not go together", (name, "rule"))
    if c.given("past"):
        for a, n in zip(c.shape("past"), state):
            c.require("past", eq(a, n), f"the state {c.shape('past')!r} must have the shape {state!r}", ("past", "key"))
    for name, widths in (("decay", (hk, wk)), ("beta", (1, hk))):
        if c.given(name):
            width = c.shape(name)[2]
            c.require(name, disj(*(eq(width, w) for w in widths)), f"{name} of width {width!r} must have one of {widths!r}", (name, "key"))
    dtype = c.dtype("past") if c.given("past") else c.dtype("query")
    return [Shape((b, t, hq * (wv // hk))), TensorType(state, dtype)]


LINEAR_ATTENTION = Op(
    "linear_attention",
    (
        Tensor("query", "B T Q", FLOATS, draw="B T d"),
        Tensor("key", "B T K", FLOATS, draw="B T d"),
        Tensor("value", "B T V", FLOATS, draw="B T v"),
        maybe("past", "B _ _ _", draw="B 1 d v"),
        maybe("decay", "B T _", draw="B T d"),
        maybe("beta", "B T _", draw="B T 1"),
    ),
    (
        Int("q_heads", least=1),
        Int("kv_heads", least=1),
        Choice("rule", ("linear", "gated", "delta", "gated_delta"), "gated_delta"),
        Float("scale", 0.0),
    ),
    linear_attention_shape,
    Same("query", "key", "value"),
    outputs=(Out("y"), Out("state")),
    evaluate=formulas.linear_attention,
    doc="Attention by a state that is updated step by step.",
)


def rotary_shape(c: Call) -> Shape:
    x = c.shape("x")
    if len(x) == 3:
        c.require("heads", c["heads"] is not None and c["heads"] > 0, f"x {x!r} packs its heads, so num_heads must be given", ("x", "heads"))
    for a, b in zip(c.shape("cos"), c.shape("sin")):
        c.require("cache", eq(a, b), f"the caches {c.shape('cos')!r} and {c.shape('sin')!r} must have the same shape", ("cos", "sin"))
    width = x[3] if len(x) == 4 else x[2] // c["heads"]
    turned = c["size"] or width
    c.require("size", eq(turned % 2, 0), f"{turned!r} numbers are turned in pairs", ("x", "size"))
    c.require("cache", eq(2 * c.dims["R"], turned), f"the caches hold {c.dims['R']!r} angles for the {turned!r} numbers that are turned", ("cos", "x"))
    wanted = 2 if c.given("index") else 3
    c.require("cache", c.rank("cos") == c.rank("sin") == wanted, f"the caches must have rank {wanted} here", ("cos", "sin"))
    return x


def rotated(np: Numpy, a: Arguments) -> Array:
    """Pairs of numbers, side by side or in two halves, turned by the angles of their positions."""
    x, packed = a["x"], len(a["x"].shape) == 3
    whole = x.reshape((*x.shape[:2], a["heads"] or 0, -1)) if packed else np.swapaxes(x, 1, 2)
    size = a["size"] or whole.shape[3]
    turned, rest = whole[..., :size], whole[..., size:]
    cos, sin = a["cos"], a["sin"]
    if a["index"] is not None:
        index = plain(np, a["index"])
        if np.any((index < 0) | (index >= cos.shape[0])):
            raise Undefined  # a position that the caches do not hold
        cos, sin = np.take(cos, index, axis=0), np.take(sin, index, axis=0)
    cos, sin = np.expand_dims(cos, 2), np.expand_dims(sin, 2)
    first, second = (turned[..., 0::2], turned[..., 1::2]) if a["interleaved"] else (turned[..., : size // 2], turned[..., size // 2 :])
    parts = [np.subtract(np.multiply(cos, first), np.multiply(sin, second)), np.add(np.multiply(sin, first), np.multiply(cos, second))]
    made = np.stack(parts, axis=-1).reshape(turned.shape) if a["interleaved"] else np.concatenate(parts, axis=-1)
    made = np.concatenate([made, rest], axis=-1)
    return made.reshape(x.shape) if packed else np.swapaxes(made, 1, 2)


ROTARY = Op(
    "rotary_embedding",
    (
        Tensor("x", "N H S D | N S W", FLOATS, draw="N H S 2*R"),
        Tensor("cos", "... R", FLOATS, draw="P R"),
        Tensor("sin", "... R", FLOATS, draw="P R"),
        maybe("index", "N S", frozenset({INT64})),
    ),
    (Int("heads", None, optional=True), Int("size", 0), Bool("interleaved", False)),
    rotary_shape,
    Same("x", "cos", "sin"),
    evaluate=rotated,
    doc="Positions as rotations of pairs of numbers.",
)
