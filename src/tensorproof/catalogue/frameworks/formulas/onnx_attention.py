"""What attention computes as ONNX has it: groups of heads, the keys and values of the steps before, states."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.networks.formulas.attention import mixed, probabilities, shut
from tensorproof.ops.evaluation import Arguments, Undefined, plain

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy

INF = math.inf


def _with_heads(np: Numpy, x: Array, heads: int | None) -> Array:
    """(batch, heads, steps, features); heads may be packed into the last axis."""
    return x if heads is None else np.swapaxes(x.reshape((*x.shape[:2], heads, x.shape[2] // heads)), 1, 2)


def _reached(np: Numpy, a: Arguments, before: Any, rows: int, columns: int) -> Array:
    """Where a query may look: no later than itself (`causal`), and no further than the window on each side."""
    ahead = np.arange(columns) - (np.arange(rows).reshape((-1, 1)) + before)
    allowed = ahead <= 0 if a["causal"] else np.ones(ahead.shape, bool)
    allowed = allowed & (-ahead <= a["left"]) if a["left"] >= 0 else allowed
    return allowed & (ahead <= a["right"]) if a["right"] >= 0 else allowed


def _bias(np: Numpy, a: Arguments, rows: int, columns: int) -> Array:
    """What is added to the scores: 0, a mask of numbers, or minus infinity where no query may look."""
    lengths = None if a["lengths"] is None else plain(np, a["lengths"]).reshape((-1, 1, 1, 1))
    before = a["past_key"].shape[2] if a["past_key"] is not None else 0 if lengths is None else lengths - rows
    allowed = _reached(np, a, before, rows, columns)
    allowed = allowed if lengths is None else allowed & (np.arange(columns) < lengths)
    if a["mask"] is None:
        return np.where(allowed, 0.0, -INF)
    mask = a["mask"]
    mask = shut(np, np.equal(mask, 0)) if mask.dtype.kind in "bi" else mask
    spare = columns - mask.shape[-1]
    mask = np.pad(mask, [(0, 0)] * (mask.ndim - 1) + [(0, spare)], constant_values=-INF) if spare > 0 else mask
    return np.where(allowed, mask, -INF)


def attention_with_past(np: Numpy, a: Arguments) -> tuple[Array, Array, Array, Array]:
    query, key, value = (_with_heads(np, a[n], a[h]) for n, h in (("query", "q_heads"), ("key", "kv_heads"), ("value", "kv_heads")))
    if a["past_key"] is not None and a["past_value"] is not None:
        key, value = np.concatenate([a["past_key"], key], axis=2), np.concatenate([a["past_value"], value], axis=2)
    scale = a["scale"] if a["scale"] is not None else 1 / math.sqrt(query.shape[3]) if query.shape[3] else INF
    repeats = query.shape[1] // key.shape[1] if key.shape[1] else 1
    keys, values = np.repeat(key, repeats, axis=1), np.repeat(value, repeats, axis=1)
    scores = np.matmul(query, np.swapaxes(keys, 2, 3)) * (scale if query.shape[3] else 1.0)
    scores = np.tanh(scores / a["softcap"]) * a["softcap"] if a["softcap"] > 0 else scores
    biased = scores + _bias(np, a, query.shape[2], keys.shape[2])
    weights = probabilities(np, biased)
    made = mixed(np, weights, values)
    if a["q_heads"] is not None:
        made = np.swapaxes(made, 1, 2).reshape((query.shape[0], query.shape[2], query.shape[1] * values.shape[3]))
    if not 0 <= a["shown"] <= 3:
        raise Undefined
    return made, key, value, (scores, scores, biased, weights)[a["shown"]]


def _gates(np: Numpy, x: Array, heads: int, width: int) -> Array:
    """(batch, heads, steps, width or 1) of what packs heads, or has one number for each."""
    return np.swapaxes(x.reshape((*x.shape[:2], heads, width)), 1, 2)


def linear_attention(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    """Each step fades the state (`gated`), writes a key and its value, or what it lacks of the value (`delta`), and is read by the query."""
    heads, groups = a["kv_heads"], a["q_heads"] // a["kv_heads"]
    query, key, value = (_with_heads(np, a[n], a[h]) for n, h in (("query", "q_heads"), ("key", "kv_heads"), ("value", "kv_heads")))
    batch, _, steps, width = key.shape
    state = a["past"] if a["past"] is not None else np.zeros((batch, heads, width, value.shape[3]))
    decay = None if a["decay"] is None else _gates(np, a["decay"], heads, 1 if a["decay"].shape[2] == heads else width)
    beta = None if a["beta"] is None else _gates(np, a["beta"], a["beta"].shape[2], 1)
    scale, read = a["scale"] or (1 / math.sqrt(width) if width else INF), []
    for t in range(steps):
        k, v = key[:, :, t], value[:, :, t]
        state = state if decay is None else state * np.expand_dims(np.exp(decay[:, :, t]), -1)
        v = v if beta is None else beta[:, :, t] * (v - np.einsum("bhdm,bhd->bhm", state, k))
        state = state + np.expand_dims(k, -1) * np.expand_dims(v, -2)
        read.append(np.einsum("bhd,bhdm->bhm", query[:, :, t], np.repeat(state, groups, axis=1)) * scale)
    if not read:
        return np.zeros((batch, 0, a["q_heads"] * value.shape[3])), state
    return np.stack(read, 1).reshape((batch, steps, a["q_heads"] * value.shape[3])), state
