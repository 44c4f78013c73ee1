"""tf.strings: functions of texts. What the texts say is not known, unless the program writes them itself."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import argument, mapped
from tensorproof.libraries.tensorflow.data.elements import scalar
from tensorproof.libraries.tensorflow.shapes import GRAPH
from tensorproof.libraries.tensorflow.tensors import converted
from tensorproof.terms import BY_LABEL, TensorType, conj, eq
from tensorproof.values import Args, Kwargs, List, Machine, Unknown, Value

STRING = BY_LABEL["string"]
_SAME = ("lower", "upper", "strip", "regex_replace")


def texts(m: Machine, value: Value, node: ast.AST) -> Value:
    """A text or tensor of texts, as a tensor."""
    if isinstance(value, Unknown):
        return scalar("string")
    return converted(m, value, None, node)


def _alike(label: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """A function of each text: a tensor of the same shape."""
    given = texts(m, args[0] if args else next(iter(kwargs.values()), ""), node)
    others = [v for k, v in kwargs.items() if k in ("pattern", "rewrite")] + [v for v in args[1:3] if not isinstance(v, bool)]
    only_texts(m, given, *others, node=node)
    return given.but(dtype=BY_LABEL[label], contents=None) if isinstance(given, TensorType) else given


def only_texts(m: Machine, *values: Value, node: ast.AST) -> None:
    for value in values:
        if isinstance(value, (int, float)) or (isinstance(value, TensorType) and value.dtype is not None and value.dtype.kind != "s"):
            raise m.raised("TypeError", f"a text is expected, and this is {value!r}", node, "call/arguments")


def _as_text(value: TensorType) -> TensorType:
    return value.but(dtype=STRING, contents=None)


def _substr(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """Of texts that the program does not write itself, it is not known whether a place is inside."""
    text, at, count = (argument(args, kwargs, i, word) for i, word in enumerate(("input", "pos", "len")))
    if isinstance(at, (float, str)) or isinstance(count, (float, str)):
        raise m.raised("InvalidArgumentError", "the place and the length in a text are whole numbers", node, "call/arguments")
    if isinstance(text, str) and isinstance(at, int) and not -len(text) <= at <= len(text):
        raise m.raised("InvalidArgumentError", f"the text {text!r} has no place {at}", node, "call/arguments")
    if not (isinstance(at, int) and isinstance(count, int)) or (at and not isinstance(text, str)):
        m.gap("tf.strings.substr", node, "whether each place lies in its text is not known")
    return _alike("string", m, (text,), {}, node)


def _to_number(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`tf.strings.to_number`: of the texts that the call itself writes, each must be a number."""
    given = argument(args, kwargs, 0, "input")
    for text in given.items if isinstance(given, List) else (given,):
        if isinstance(text, str) and not any(c.isdigit() for c in text) and not text.strip().lower().lstrip("+-").startswith(("inf", "nan")):
            raise m.raised("InvalidArgumentError", f"{text!r} is not a number", node)
    return m.spelling("tf.strings.to_number", args, kwargs, node)


def _join(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    parts = m.iterate(argument(args, kwargs, 0, "inputs"), node)
    only_texts(m, argument(args, kwargs, 1, "separator"), node=node)
    if parts is None:
        return m.gap("tf.strings.join", node, "of texts that are not known")
    tensors = [t for t in (texts(m, p, node) for p in parts) if isinstance(t, TensorType)]
    if not all(t.shape.known for t in tensors):
        return m.gap("tf.strings.join", node, "of texts whose rank is not known")
    traced = bool(m.model_state.get(GRAPH, 0))
    for t in tensors:
        if t.dtype is not None and t.dtype != STRING:
            raise m.raised("TypeError" if traced else "InvalidArgumentError", f"texts are joined, not {t.dtype!r}", node, "strings_join/dtype")
    rows = [t for t in tensors if len(t.shape)]
    for other in rows[1:]:
        same = conj(*(eq(a, b) for a, b in zip(rows[0].shape, other.shape))) if len(rows[0].shape) == len(other.shape) else False
        message = f"texts of the shapes {rows[0].shape!r} and {other.shape!r} are joined: all but scalars must have one shape"
        m.demand("ValueError" if traced else "InvalidArgumentError", same, message, node, "strings_join/shapes")
    return (rows or tensors)[0].but(contents=None) if tensors else scalar("string")


FUNCTIONS: dict[str, Any] = {
    "tf.strings.to_number": _to_number, "tf.strings.join": _join,
    **{f"tf.strings.{w}": partial(_alike, "string") for w in _SAME}, "tf.strings.substr": _substr,
    **dict.fromkeys(("tf.as_string", "tf.strings.as_string"), lambda m, a, k, n: mapped(m, texts(m, argument(a, k, 0, "input"), n), _as_text)),
    "tf.strings.regex_full_match": partial(_alike, "bool"),
    "tf.strings.format": lambda m, a, k, n: scalar("string"), "tf.strings.unicode_transcode": partial(_alike, "string"),
}  # fmt: skip
