"""Attributes and items of values that are not known but for their type: a number, a text, bytes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.names import is_public
from tensorproof.frontends.python.attributes import unknown_texts
from tensorproof.frontends.python.branching import questions
from tensorproof.frontends.python.summaries.summarised_lists import letter
from tensorproof.terms.records import replace
from tensorproof.terms.shapes import open_shape
from tensorproof.terms.tensor import TensorType
from tensorproof.values.objects import Native
from tensorproof.values.python_values import AFTER_ERROR, ARRAYS, BYTES, MESSAGE, REAL, TEXT, WHOLE, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


_PARTS = "real imag numerator denominator"
_METHODS = {
    "is_integer": Unknown("whether it is whole", number="bool"), "hex": TEXT, "bit_length": WHOLE, "bit_count": WHOLE, "as_integer_ratio": (WHOLE, WHOLE),
    "to_bytes": BYTES,
}  # fmt: skip
"""What methods of numbers give."""


def attribute(m: Interpreter, owner: Unknown, name: str, node: ast.AST) -> Value:
    if (owner.octets and hasattr(bytes, name)) or (owner.text and hasattr(str, name)):
        return unknown_texts.of_bytes(name) if owner.octets and hasattr(bytes, name) else unknown_texts.of_text(name, MESSAGE if owner is MESSAGE else TEXT)
    if owner.number and name in _PARTS.split():
        return REAL if owner.number == "float" else WHOLE
    if owner.number and name in _METHODS and hasattr(float if owner.number == "float" else int, name):
        return Native(f"{owner.number}.{name}", lambda m, args, kwargs, node: _METHODS[name])
    if owner.number and not hasattr(int, name) and not hasattr(float, name) and not _of_arrays(name):
        raise m.raised("AttributeError", f"a {owner.number} has no attribute {name}", node)
    if owner.number and not hasattr(int, name) and not hasattr(float, name) and name != "value" and not name.startswith("__"):
        return m.gap(f"{owner.number}.{name}", node, "only a number of NumPy has it")
    if (owner.text or owner.octets) and not name.startswith("__"):
        kind = "str" if owner.text else "bytes"
        if is_public(f"numpy.ndarray.{name}"):
            return m.gap(f"{kind}.{name}", node, "a text has it only where it comes from an array")
        raise m.raised("AttributeError", f"a {kind} has no attribute {name}", node)
    key = questions.part(m, owner, f".{name}")
    return owner if not owner.key else replace(owner, key=key, whole=None)


def _of_arrays(name: str) -> bool:
    """Whether numbers of NumPy, which stand for Python's at times, or sizes of TensorFlow 1 may have an attribute."""
    return name == "value" or name.startswith("__") or is_public(f"numpy.ndarray.{name}") is not False


def item(m: Interpreter, owner: Unknown, index: Value, node: ast.AST) -> Any:
    if owner is AFTER_ERROR:
        return owner
    if isinstance(index, slice) and (owner.text or owner.octets):
        return BYTES if owner.octets else TEXT
    if owner.octets or owner.text:
        m.may_raise("IndexError", "the index may be out of range", node)
        return letter(m, owner, node)
    if owner.number and index is not Ellipsis and index is not None and index != ():
        raise m.raised("TypeError", f"a {owner.number} has no index", node)
    if owner.reason == ARRAYS and isinstance(index, str):
        name = questions.part(m, owner, f"[{index!r}]") or m.name_here("array", node)
        return TensorType(open_shape(name), None, framework="numpy")
    parts = tuple(map(_part_of_index, index)) if isinstance(index, tuple) and owner.key else ()
    if any(part != "one" for part in parts) and "" not in parts:
        return Unknown("subscript", cut=(questions.part(m, owner, ""), parts))
    return Unknown("subscript", key=questions.part(m, owner, f"[{index!r}]") if isinstance(index, (str, int)) else "")


def _part_of_index(part: Value) -> str:
    """What a part of an index that only arrays take does with an axis."""
    if part is None or part is Ellipsis:
        return "new" if part is None else "skip"
    if isinstance(part, slice):
        return "all" if part == slice(None) else "some"
    return "one" if type(part) is int else ""
