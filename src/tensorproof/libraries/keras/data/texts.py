"""Preprocessing layers that look things up: TextVectorization, StringLookup, IntegerLookup, Hashing, Discretization, HashedCrossing."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import bind, nothing
from tensorproof.libraries.domains.label_ranges import note
from tensorproof.libraries.keras.layer import LOOKED_UP
from tensorproof.libraries.keras.special import kind, made
from tensorproof.libraries.sequences import sequence
from tensorproof.terms import BY_LABEL, FLOAT32, INT64, Origin, Shape, TensorType, Term
from tensorproof.values import TEXT, Args, Kwargs, List, Machine, Model, Named, Unknown, Value
from tensorproof.values.summaries import length

_COUNTED = ("multi_hot", "count", "tf_idf", "tf-idf", "binary", "one_hot")
_LEARNT = "*learnt*"
"""Whether a layer without a given vocabulary has one by now."""
_NAMES = ("TextVectorization", "StringLookup", "IntegerLookup", "Hashing", "Discretization", "HashedCrossing")


def _make(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    given = bind(m, f"keras.layers.{name}", args, kwargs, node).all()
    mode = given.get("output_mode", "int")
    if isinstance(mode, str) and mode not in ("int", *_COUNTED):
        raise m.raised("ValueError", f"{name} has no output_mode {mode!r}", node, "keras/word")
    items = {"*size*": _size(m, name, given, node), "*mode*": mode, "*length*": given.get("output_sequence_length"), "*invert*": given.get("invert", False)}
    if name in ("TextVectorization", "StringLookup", "IntegerLookup") and given.get("vocabulary") is None:
        items[_LEARNT] = False
    return made(m, f"keras.layers.{name}", items, kwargs, node)


def _size(m: Machine, name: str, given: Kwargs, node: ast.AST) -> Value:
    """How many tokens there are: what `output_mode` other than "int" makes the last axis."""
    if name in ("Hashing", "HashedCrossing"):
        return given.get("num_bins")
    if name == "Discretization":
        bounds = given.get("bin_boundaries")
        items = m.iterate(bounds, node) if isinstance(bounds, (List, tuple)) else None
        return len(items) + 1 if items is not None else given.get("num_bins")
    words = given.get("vocabulary")
    count = length(words.items) if isinstance(words, List) else len(words) if type(words) is tuple else None
    oov = given.get("num_oov_indices", 1)
    if isinstance(count, (int, Term)) and isinstance(oov, int):
        masked = given.get("mask_token", "" if name == "TextVectorization" else None)
        return count + oov + (1 if masked is not None and given.get("output_mode", "int") == "int" else 0)
    most = given.get("max_tokens")
    if given.get("pad_to_max_tokens") is True and isinstance(most, (int, Term)):
        return most
    return m.symbol(m.name_here("tokens", node), 1, most if isinstance(most, int) else None, Origin.WORLD)


def _run(me: Model, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x = args[0] if args else kwargs.get("inputs")
    name, mode, size = me.kind.rpartition(".")[2], me.space["*mode*"], me.space["*size*"]
    if name == "HashedCrossing":
        x = next(iter(m.iterate(x, node) or ()), None) if isinstance(x, (List, tuple)) else x
    if isinstance(x, (List, tuple, str)) or (isinstance(x, Unknown) and x.text):
        x = m.call(Named("tf.constant"), ("" if isinstance(x, Unknown) else x,), {}, node)
    if not isinstance(x, TensorType) or not x.shape.known:
        return m.gap(me.kind, node, "its input is not known")
    shape = x.shape
    if me.space.get(_LEARNT) is False and x.graph is None:
        raise m.raised("FailedPreconditionError" if mode == "int" else "RuntimeError", f"{name} has no vocabulary yet: call adapt first", node, "keras/adapt")
    if name == "TextVectorization":
        if len(shape) == 2 and shape[-1] == 1:
            shape = Shape(shape[:1])
        elif len(shape) > 1 and mode == "int":
            if isinstance(shape[-1], int):
                raise m.raised("ValueError", f"TextVectorization takes texts of shape (batch,) or (batch, 1), and they are {shape!r}", node, "keras/input-rank")
            shape = Shape(shape[:1])
        if mode == "int":
            length = me.space["*length*"]
            if not isinstance(length, (int, Term)):
                length = m.symbol(m.name_here("length", node), 1, None, Origin.WORLD)
            return _numbers(m, Shape((*shape, length)), size)
    if mode == "int":
        return TensorType(shape, BY_LABEL["string"], framework="tf") if me.space["*invert*"] is True else _numbers(m, Shape(shape), size)
    if not isinstance(size, (int, Term)):
        return m.gap(me.kind, node, "the number of tokens is not known")
    if mode == "one_hot":
        kept = shape[:-1] if len(shape) > 1 and shape[-1] == 1 else shape
    else:
        kept = shape[:-1] if len(shape) > 1 else shape if name == "TextVectorization" else ()
    return TensorType(Shape((*kept, size)), FLOAT32, framework="tf")


def _numbers(m: Machine, shape: Shape, size: Value) -> TensorType:
    """The numbers of words: below the size of the vocabulary."""
    made = TensorType(shape, INT64, framework="tf")
    if type(size) is not int:
        return made
    m.model_state.setdefault(LOOKED_UP, set()).add((0, size))
    return note(m, made, 0, size)


def _learn(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    m.heap.set(me.space, _LEARNT, True)


def _vocabulary(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    size = me.space["*size*"]
    if isinstance(size, int) and size <= 4096:
        return List(m.heap.row([TEXT] * size))
    return sequence(m, size, TEXT, TEXT) if isinstance(size, (int, Term)) else Unknown("vocabulary")


def _vocabulary_size(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return me.space["*size*"]


_METHODS: dict[str, object] = {
    "adapt": _learn, "set_vocabulary": _learn, "load_vocabulary": _learn, "load_assets": _learn, "set_weights": _learn,
    "finalize_state": nothing, "update_state": nothing,
    "get_vocabulary": _vocabulary, "vocabulary_size": _vocabulary_size, "vocab_size": _vocabulary_size,
}  # fmt: skip
FUNCTIONS: dict[str, object] = {f"keras.layers.{name}": partial(_make, name) for name in _NAMES}
KINDS: dict[str, Any] = {f"keras.layers.{name}": kind(_run, **_METHODS) for name in _NAMES}
