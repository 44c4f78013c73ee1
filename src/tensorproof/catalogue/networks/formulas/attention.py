"""What attention computes: the reference functions of `attention`, with NumPy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.elementwise.formulas.made_numbers import undecided
from tensorproof.ops.evaluation import Arguments, Undefined, changed
from tensorproof.ops.mathematics import softmax

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy

INF = math.inf


def masked(np: Numpy, scores: Array, mask: Array | None) -> Array:
    """Scores with a mask of truth values (as 0 and 1), which shuts out, or of numbers, which are added."""
    if mask is None:
        return scores
    return np.where(mask, scores, -INF) if mask.dtype.kind in "bi" else np.add(scores, mask)


def earlier(np: Numpy, rows: int, columns: int) -> Array:
    """1 where a key is no later than its query."""
    return np.tril(np.ones((rows, columns), int))


def probabilities(np: Numpy, scores: Array) -> Array:
    """softmax over keys; a query without keys has shares of 0."""
    if hasattr(scores, "of") and scores.shape[-1]:
        return scores.of("probabilities", -1)
    none = np.equal(np.max(scores, axis=-1, keepdims=True), -INF) if scores.shape[-1] else True
    return np.where(none, 0.0, softmax(np, scores, -1))


def mixed(np: Numpy, weights: Array, value: Any) -> Array:
    """Values in shares: they lie between the least and the greatest value, and 0."""
    made = np.matmul(weights, value)
    if not value.shape[-2]:
        return made
    low, high = np.min(value, axis=-2, keepdims=True), np.max(value, axis=-2, keepdims=True)
    return np.clip(made, np.minimum(low, 0.0), np.maximum(high, 0.0)) if made.dtype.kind == "f" else made


def dropped(np: Numpy, weights: Array, value: Any, p: Any) -> tuple[Array, Array]:
    """Weights after dropout, and values in their shares: those that are kept are scaled."""
    if not p:
        return weights, mixed(np, weights, value)
    if not isinstance(p, (int, float)) or p >= 1:
        raise Undefined
    kept = np.where(undecided(np, weights), weights, 0.0)
    return np.true_divide(kept, 1 - p), np.true_divide(mixed(np, kept, value), 1 - p)


def for_heads(np: Numpy, query: Array, x: Array) -> Array:
    """Keys or values repeated for the heads of the query that share them."""
    return np.repeat(x, query.shape[-3] // x.shape[-3], axis=-3) if x.shape[-3] else x


def scores_of(np: Numpy, a: Arguments, key: Array) -> Array:
    query = a["query"]
    if a["is_causal"] and a["scale"] is not None and a["scale"] <= 0:
        raise Undefined  # some kernels scale what they masked, and 0 · -inf is nan
    scale = a["scale"] if a["scale"] is not None else 1 / math.sqrt(query.shape[-1]) if query.shape[-1] else INF
    scores = np.matmul(query, np.swapaxes(key, -1, -2))
    scores = np.multiply(scores, scale) if query.shape[-1] else scores
    if a["is_causal"]:
        scores = masked(np, scores, earlier(np, *scores.shape[-2:]))
    return masked(np, scores, a["attn_mask"])


def attention_and_weights(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    key, value = (for_heads(np, a["query"], a[n]) if a["enable_gqa"] else a[n] for n in ("key", "value"))
    weights = probabilities(np, scores_of(np, a, key))
    weights, made = dropped(np, weights, value, a["dropout_p"])
    if not key.shape[-2]:  # nothing but 0, unless the query overflows
        made = np.add(made, np.multiply(np.sum(a["query"], axis=-1, keepdims=True), 0.0))
    return made, weights


def attention(np: Numpy, a: Arguments) -> Array:
    made, shape = attention_and_weights(np, a)[0], tuple(a["shapes"][0])
    return made if made.shape == shape else np.zeros(shape)


def attention_math(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    """The kernel adds its mask, also one of truth values."""
    mask = a["attn_mask"]
    return attention_and_weights(np, changed(a, attn_mask=mask if mask is None else np.multiply(mask, 1.0)))


def fused(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    """With the logarithms of the sums, as the kernel on the CPU gives them."""
    if a["kernel"] != "cpu":
        raise Undefined  # each kernel has a layout of its own for the sums
    if a["dropout_p"]:
        raise Undefined  # weights are dropped at random
    scores = scores_of(np, a, a["key"])
    return mixed(np, probabilities(np, scores), a["value"]), np.logaddexp.reduce(scores, axis=-1)


# --- several heads ---


def projected(np: Numpy, a: Arguments) -> list[Array]:
    """Query, key and value by their maps."""
    size, joint = a["embed_dim"], a["in_proj_weight"]
    weights: list[Array]
    if a["use_separate_proj_weight"] or joint is None:
        weights = [given for n in ("q_proj_weight", "k_proj_weight", "v_proj_weight") if (given := a[n]) is not None]
    else:
        weights = [joint[i * size : (i + 1) * size] for i in range(3)]
    made = []
    for i, (name, weight) in enumerate(zip(("query", "key", "value"), weights)):
        x = a[name] if len(a[name].shape) == 3 else np.expand_dims(a[name], 1)
        x = np.matmul(x, np.transpose(weight))
        made.append(x if a["in_proj_bias"] is None else np.add(x, a["in_proj_bias"][i * size : (i + 1) * size]))
    return made


def heads_first(np: Numpy, x: Array, batch: int, heads: int) -> Array:
    """(steps, batch, features) as (batch, heads, steps, features of a head)."""
    return np.transpose(x.reshape((x.shape[0], batch, heads, x.shape[2] // heads)), (1, 2, 0, 3))


def with_more(np: Numpy, mask: Array | None, count: int) -> Array | None:
    """A mask for so many keys more, which it lets through."""
    return mask if mask is None else np.pad(mask, ((0, 0),) * (len(mask.shape) - 1) + ((0, count),))


def shut(np: Numpy, mask: Array) -> Array:
    """A mask as numbers that are added; its truths shut out."""
    return np.where(mask, -INF, 0.0) if mask.dtype.kind in "bi" else mask


def multi_head(np: Numpy, a: Arguments) -> Array | tuple[Array, Array]:
    query, key, value = projected(np, a)
    length, batch, size = query.shape
    heads, mask, padding = a["num_heads"], a["attn_mask"], a["key_padding_mask"]
    causal = a["is_causal"] and padding is None and not a["need_weights"]
    mask = None if causal else mask
    if a["bias_k"] is not None and a["bias_v"] is not None:
        more = [np.broadcast_to(own.reshape((-1, 1, size)), (own.size // max(1, size), batch, size)) for own in (a["bias_k"], a["bias_v"])]
        key, value = np.concatenate([key, more[0]]), np.concatenate([value, more[1]])
        mask, padding = with_more(np, mask, more[0].shape[0]), with_more(np, padding, more[0].shape[0])
    query, key, value = (heads_first(np, x, batch, heads) for x in (query, key, value))
    if a["static_k"] is not None:
        key = a["static_k"].reshape((batch, heads, *a["static_k"].shape[1:]))
    if a["static_v"] is not None:
        value = a["static_v"].reshape((batch, heads, *a["static_v"].shape[1:]))
    if a["add_zero_attn"]:
        key, value = (np.concatenate([x, np.zeros((batch, heads, 1, x.shape[3]))], axis=2) for x in (key, value))
        mask, padding = with_more(np, mask, 1), with_more(np, padding, 1)
    scores = np.true_divide(np.matmul(query, np.swapaxes(key, -1, -2)), math.sqrt(size // heads))
    if mask is not None:
        mask = shut(np, mask)
        scores = np.add(scores, mask if len(mask.shape) == 2 else mask.reshape((batch, heads, *mask.shape[1:])))
    if padding is not None:
        scores = np.add(scores, shut(np, padding).reshape((batch, 1, 1, padding.shape[-1])))
    if causal:
        scores = masked(np, scores, earlier(np, *scores.shape[-2:]))
    weights = softmax(np, scores, -1) if a["need_weights"] else probabilities(np, scores)
    weights, made = dropped(np, weights, value, a["dropout_p"])
    joined = np.transpose(made, (2, 0, 1, 3)).reshape((length, batch, size))
    made = np.matmul(joined, np.transpose(a["out_proj_weight"]))
    made = made if a["out_proj_bias"] is None else np.add(made, a["out_proj_bias"])
    if a["average_attn_weights"]:
        weights = np.mean(weights, axis=1)
    flat = len(a["query"].shape) == 2
    made, weights = (made[:, 0], weights[0]) if flat else (made, weights)
    return (made, weights) if a["need_weights"] else made


def causal_mask(np: Numpy, a: Arguments) -> Array:
    return np.triu(np.full((a["size"], a["size"]), -INF), 1)
