"""Preprocessing layers that look things up (TextVectorization, StringLookup, Hashing, Discretization …), and the old Tokenizer."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import KindModel, argument, bind, from_host, nothing
from tensorproof.libraries.domains.label_ranges import note
from tensorproof.libraries.keras.layer import LOOKED_UP
from tensorproof.libraries.keras.special import kind, made
from tensorproof.libraries.sequences import sequence
from tensorproof.terms import BY_LABEL, FLOAT32, INT64, Dim, Origin, Shape, TensorType, Term
from tensorproof.values import MISSING, TEXT, Args, Key, Kwargs, List, Machine, Model, Named, Unknown, Value, slot
from tensorproof.values.summaries import length

_COUNTED = ("multi_hot", "count", "tf_idf", "tf-idf", "binary", "one_hot")
_LEARNT = "*learnt*"
"""Whether a layer without a given vocabulary has one by now."""
_NAMES = ("TextVectorization", "StringLookup", "IntegerLookup", "Hashing", "Discretization", "HashedCrossing")


def _make(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    given = bind(m, f"keras.layers.{name}", args, kwargs, node).all()
    mode = given.get("output_mode", "int")
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
    inverse = me.space["*invert*"] is True
    texts = {"TextVectorization": True, "StringLookup": not inverse, "IntegerLookup": inverse}.get(name)
    if texts is not None and x.graph is None and x.framework != "keras" and x.dtype is not None and (x.dtype.kind == "s") is not texts:
        message = f"{name} takes {'texts' if texts else 'numbers'}, and these are {x.dtype!r}"
        written = name == "IntegerLookup" and not isinstance(args[0] if args else x, TensorType)
        raise m.raised("TypeError" if written else "UnimplementedError", message, node, "keras/word")
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


COUNTS: Key[tuple[tuple[str, int], ...] | Unknown | None] = slot("counts")
REMOVED: Key[str] = slot("filters")
SPLIT: Key[str] = slot("split")
VOCABULARY: Key[Dim | None] = slot("vocabulary")
OOV_TOKEN: Key[str | None] = slot("oov_token")
OF: Key[Model] = slot("of")
HOME = "keras.preprocessing.text."
FILTERS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'
_TOKENIZER: dict[str, Value] = {
    "num_words": None, "filters": FILTERS, "lower": True, "split": " ", "char_level": False, "oov_token": None, "analyzer": None, "document_count": 0,
}  # fmt: skip


def _tokenizer(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    wrong = next((k for k in kwargs if k not in _TOKENIZER), None)
    if wrong is not None:
        raise m.raised("TypeError", f"Tokenizer has no argument {wrong}", node, "call/arguments")
    given = {**_TOKENIZER, **dict(zip(_TOKENIZER, args)), **kwargs}
    return Model(HOME + "Tokenizer", m.heap.space({**given, "counts": None, "vocabulary": None}))


def _listed(texts: Value) -> list[str] | None:
    """The texts, where all of them are written in the program."""
    items = list(texts.items) if isinstance(texts, List) else list(texts) if isinstance(texts, tuple) else None
    texts = [t for t in items or () if type(t) is str]
    return texts if items is not None and len(texts) == len(items) else None


def _count(m: Machine, texts: Value, node: ast.AST) -> Value:
    if isinstance(texts, (List, tuple)):
        return len(texts.items if isinstance(texts, List) else texts)
    if isinstance(texts, TensorType) and texts.shape.known and texts.shape:
        return texts.shape[0]
    found = m.call(len, (texts,), {}, node) if isinstance(texts, Model) else None
    return found if isinstance(found, (int, Term)) else m.symbol(m.name_here("texts", node), 1, None, Origin.USER)


def _words(me: Model, text: str) -> list[str]:
    space = me.space
    text = text.lower() if space["lower"] is True else text
    if space["char_level"] is True:
        return list(text)
    letters = space[REMOVED]
    removed: dict[str, str | int | None] = dict.fromkeys(letters, space[SPLIT])
    text = text.translate(str.maketrans(removed))
    return [w for w in text.split(space[SPLIT]) if w]


def _exact(me: Model) -> bool:
    return type(me.space[REMOVED]) is str and type(me.space[SPLIT]) is str and me.space.get("analyzer") is None


def _fit(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    texts = _listed(argument(args, kwargs, 0, "texts"))
    before = me.space[COUNTS]
    if texts is None or not _exact(me) or isinstance(before, Unknown):
        m.heap.set(me.space, COUNTS, Unknown("the words of texts"))
        m.heap.set(me.space, VOCABULARY, m.symbol(m.name_here("words", node), 1, None, Origin.USER))
        return
    counts = dict(before or ())
    for text in texts:
        for word in _words(me, text):
            counts[word] = counts.get(word, 0) + 1
    m.heap.set(me.space, COUNTS, tuple(counts.items()))
    m.heap.set(me.space, VOCABULARY, len(_index(me)))


def _counts(me: Model) -> dict[str, int]:
    found = me.space[COUNTS]
    return dict(found) if isinstance(found, tuple) else {}


def _index(me: Model) -> dict[str, int]:
    oov = me.space[OOV_TOKEN]
    counts = _counts(me)
    first = [] if oov is None else [oov]
    return {w: i for i, w in enumerate([*first, *sorted(counts, key=lambda w: -counts[w])], 1)}


def _word_numbers(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    texts = argument(args, kwargs, 0, "texts")
    listed = _listed(texts)
    most = me.space["num_words"]
    if listed is not None and isinstance(me.space[COUNTS], tuple) and (most is None or isinstance(most, int)):
        index, oov = _index(me), me.space[OOV_TOKEN]
        made = []
        for text in listed:
            row = []
            for word in _words(me, text):
                number = index.get(word)
                if number is not None and (most is None or number < most):
                    row.append(number)
                elif oov is not None:
                    row.append(index[oov])
            made.append(row)
        return from_host(m, made)
    upper = most - 1 if isinstance(most, int) else None
    items = []
    for _ in range(2):
        drawn = m.symbol(m.name_here("word", node), 1, upper, Origin.WORLD)
        items.append(sequence(m, m.symbol(m.name_here("length", node), 0, None, Origin.WORLD), drawn, drawn))
    return sequence(m, _count(m, texts, node), *items)


def _matrix(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    mode = argument(args, kwargs, 1, "mode", "binary")
    if isinstance(mode, str) and mode not in ("binary", "count", "tfidf", "freq"):
        raise m.raised("ValueError", f"mode is 'binary', 'count', 'tfidf' or 'freq', not {mode!r}", node, "call/arguments")
    width = me.space["num_words"]
    if width is None:
        found = me.space[VOCABULARY]
        if found is None:
            raise m.raised("ValueError", "the Tokenizer has neither num_words nor been fitted on texts", node, "keras/tokenizer")
        width = found + 1
    if not isinstance(width, (int, Term)):
        return m.gap("texts_to_matrix", node, "num_words is not known")
    return TensorType(Shape((_count(m, args[0] if args else next(iter(kwargs.values())), node), width)), BY_LABEL["float64"], framework="numpy")


def _attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    if name in ("word_index", "index_word", "word_counts", "word_docs"):
        if isinstance(me.space[COUNTS], tuple):
            index = _index(me)
            return from_host(m, index if name == "word_index" else {i: w for w, i in index.items()} if name == "index_word" else _counts(me))
        size = me.space[VOCABULARY] if me.space[VOCABULARY] is not None else 0
        return Model("keras.words", m.heap.space({"size": size, "by_word": name != "index_word"}))
    return Unknown("the number of texts", number="int") if name == "document_count" else MISSING


def _word_number(m: Machine, me: Model, node: ast.AST) -> Value:
    if not me.space["by_word"]:
        return Unknown("a word", text=True)
    return m.symbol(m.name_here("word", node), 1, me.space["size"] if isinstance(me.space["size"], int) else None, Origin.WORLD)


def _pair(m: Machine, me: Model, node: ast.AST) -> Value:
    word = Unknown("a word", text=True)
    number = m.symbol(m.name_here("word", node), 1, None, Origin.WORLD)
    return (word, number) if me.space[OF].space["by_word"] else (number, word)


KINDS |= {
    HOME + "Tokenizer": KindModel({
        "fit_on_texts": _fit, "texts_to_sequences": _word_numbers, "texts_to_matrix": _matrix, "sequences_to_matrix": _matrix,
    }, _attribute),
    "keras.words": KindModel(
        {
            "get": lambda m, me, a, k, n: _word_number(m, me, n),
            "items": lambda m, me, a, k, n: Model("keras.word_pairs", m.heap.space({"of": me})),
        }, length=lambda m, me, node: me.space["size"],
        item=lambda m, me, index, node: _word_number(m, me, node), open=True,
        iterations=lambda m, me, node: [(m.open_truth("another word", node), Unknown("a word", text=True))],
    ),
    "keras.word_pairs": KindModel(iterations=lambda m, me, node: [(m.open_truth("another word", node), _pair(m, me, node))], open=True),
}  # fmt: skip
FUNCTIONS |= {
    HOME + "Tokenizer": _tokenizer,
    HOME + "one_hot": lambda m, a, k, n: sequence(m, m.symbol(m.name_here("length", n), 0, None, Origin.WORLD), *[m.symbol(
        m.name_here("word", n), 1, None, Origin.WORLD)] * 2),
    HOME + "tokenizer_from_json": lambda m, a, k, n: m.gap("tokenizer_from_json", n, "what was saved is not known"),
}  # fmt: skip
