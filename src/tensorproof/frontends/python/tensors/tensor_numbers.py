"""Tensors of torch where Python wants a whole number, such as how often a list is repeated, and where it takes none."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorproof.terms.predicates import ne
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import List
from tensorproof.values.python_values import TEXT

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def repeated(m: Interpreter, a: Value, b: Value, node: ast.AST) -> Value:
    """A text, list or tuple that is multiplied by a tensor of torch is repeated; MISSING where the operands are others."""
    sequence, times = (b, a) if isinstance(a, TensorType) else (a, b)
    if not isinstance(sequence, (str, tuple, List)) or not isinstance(times, TensorType) or times.framework != "torch" or not times.shape.known:
        return MISSING
    whole = times.dtype is None or times.dtype.is_integer
    if not whole or ne(times.shape.numel, 1) is True:
        raise m.raised("TypeError", f"a sequence is repeated by a tensor of one whole number, and this is {times!r}", node)
    if times.contents is not None:
        return m.binary(ast.Mult, sequence, times.contents[0], node)
    return TEXT if isinstance(sequence, str) else m.gap("a sequence times a tensor", node, "whose number is not known")


def refuse_method(m: Interpreter, word: str, values: tuple[Value, ...], node: ast.AST) -> None:
    """`round` and `divmod` have no method in tensors of torch."""
    if any(isinstance(v, TensorType) and v.framework == "torch" and not v.weak for v in values):
        raise m.raised("TypeError", f"{word}() takes no tensor of torch: use its methods, or item() for the number", node)
