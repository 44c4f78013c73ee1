"""Operators between tensors of two libraries: which of them Python finds, and what they give."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorproof.terms.ints import Term
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import List

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

_SEQUENCES = (List, tuple, str)
_ORDERS = ("lt", "le", "gt", "ge")
_ARRAY_FIRST = ("truediv", "eq")
"""The operators with an array on the left that a tensor takes. tests/conformance tries them all."""


def operated(m: Interpreter, word: str, a: Value, b: Value, node: ast.AST) -> Value:
    """The result, MISSING where the two are not of torch and of NumPy. NumPy computes it, and it is a tensor."""
    if word == "mul" and (type(a) in _SEQUENCES or type(b) in _SEQUENCES):
        return _repeated(m, a, b, node)
    if type(a) is TensorType and type(b) is TensorType and a.framework != b.framework and "keras" in (a.framework, b.framework):
        return _symbolic(m, word, a, b, node)
    if type(a) is not TensorType or type(b) is not TensorType or {a.framework, b.framework} != {"torch", "numpy"}:
        return MISSING
    array, first = (a, False) if a.framework == "numpy" else (b, True)
    if not array.shape.known:
        return m.gap(f"the operator {word}", node, "whether a value is an array or a number is not known")
    if not array.shape and word != "matmul":  # a number of NumPy is a number
        number = array.but(weak=True, framework="torch")
        return _again(m, word, (a, number) if first else (number, b), node)
    if word == "ne":
        return True  # neither side has an answer, so that Python compares the objects
    if word in _ORDERS or not (first or word in _ARRAY_FIRST):
        words = "a tensor and a NumPy array" if first else "a NumPy array and a tensor"
        raise m.raised("TypeError", f"the operator {word} is not defined for {words}: write torch.from_numpy(…)", node)
    sides = tuple(side if side is array else m.spelling("torch.Tensor.numpy", (side,), {}, node) for side in (a, b))
    made = m.spelling(f"numpy.ndarray.__{word}__", sides, {}, node)
    return made.but(framework="torch", base=None) if isinstance(made, TensorType) else made


def _repeated(m: Interpreter, a: Value, b: Any, node: ast.AST) -> Value:
    """`[0] * np.int64(3)`: a whole number of NumPy repeats a sequence, as an array does not; MISSING for an array."""
    number, first = (a, True) if type(a) is TensorType else (b, False)
    lone = number.framework == "numpy" and number.shape.known and not number.shape
    if lone and type(b if first else a) is str and number.dtype is not None and not number.dtype.is_integer:
        raise m.raised("TypeError", f"a sequence is repeated a whole number of times, and this is a number of type {number.dtype.label}", node)
    contents = number.contents if lone else None
    if not contents or number.dtype is None or not number.dtype.is_integer or not isinstance(contents[0], (int, Term)):
        return MISSING
    times = contents[0]
    return m.binary(ast.Mult, times if first else a, b if first else times, node)


def _symbolic(m: Interpreter, word: str, a: TensorType, b: TensorType, node: ast.AST) -> Value:
    """A KerasTensor beside an array, which asks for its values, or a tensor of TensorFlow, whose comparisons do and whose arithmetic leaves it to Keras."""
    equality = word in _TURNED and word not in _ORDERS
    if equality or (b.framework == "keras" and (a.framework == "numpy" or word in _ORDERS)):
        raise m.raised("ValueError", f"the operator {word} asks for the values of a KerasTensor, which has none: use keras.ops", node, "keras/symbolic")
    return m.spelling(f"keras.KerasTensor.__r{word}__", (b, a), {}, node) if a.framework == "tf" else MISSING


def _again(m: Interpreter, word: str, sides: tuple[TensorType, TensorType], node: ast.AST) -> Value:
    if sides[0].weak and word not in ("eq", *_ORDERS, "ne"):
        return m.spelling(f"torch.Tensor.__r{word}__", sides[::-1], {}, node)
    if sides[0].weak:
        return m.spelling(f"torch.Tensor.__{_TURNED[word]}__", sides[::-1], {}, node)
    return m.spelling(f"torch.Tensor.__{word}__", sides, {}, node)


_TURNED = {"eq": "eq", "ne": "ne", "lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
