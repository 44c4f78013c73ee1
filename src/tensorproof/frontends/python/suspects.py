"""What runs but is seldom meant: told as warnings, once a place."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.call import Outcome
from tensorproof.terms.ints import Term, lower
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter

_PAIRWISE = {
    "__add__", "__sub__", "__mul__", "__truediv__", "add", "sub", "mul", "div", "subtract", "multiply", "divide", "mse_loss", "MSELoss", "l1_loss", "L1Loss",
}  # fmt: skip
_SOFTMAX = {"softmax", "Softmax", "log_softmax", "LogSoftmax"}
_CROSS = {"cross_entropy", "CrossEntropyLoss"}


def look(m: Interpreter, name: str, outcome: Outcome, node: ast.AST) -> None:
    """Called after every call that ran."""
    word = name.rpartition(".")[2]
    if word in _PAIRWISE:
        _broadcast(m, outcome, node)
    elif word in _SOFTMAX:
        _softmax(m, word, outcome, node)
    elif word in _CROSS:
        given = outcome.bound.get("x")
        if isinstance(given, TensorType) and m.probabilities.get(id(given)) is given:
            m.warn("suspect/softmax-twice", "cross_entropy takes raw scores, and gets the result of a softmax", node)


def _more_than_one(size: Any) -> bool:
    return size > 1 if isinstance(size, int) else isinstance(size, Term) and (lower(size) > 1 or lower(size) >= 1)


def _broadcast(m: Interpreter, outcome: Outcome, node: ast.AST) -> None:
    """(N, 1) with (N,): both sides grow, the result has an axis of either."""
    x, y, out = outcome.bound.get("x"), outcome.bound.get("y") or outcome.bound.get("target"), outcome.outputs
    if not (isinstance(x, TensorType) and isinstance(y, TensorType)) or not x.shape.known or not y.shape.known:
        return
    if {len(x.shape), len(y.shape)} != {1, 2}:
        return
    two, one = (x, y) if len(x.shape) == 2 else (y, x)
    if two.shape[1] == 1 and two.shape[0] == one.shape[0] and _more_than_one(one.shape[0]):
        shown = f", and makes {out.shape!r}" if isinstance(out, TensorType) and len(out.shape) == 2 else ""
        m.warn("suspect/broadcast", f"this broadcasts {x.shape!r} with {y.shape!r}{shown}: every row meets every other", node)


def _softmax(m: Interpreter, word: str, outcome: Outcome, node: ast.AST) -> None:
    x, dim, out = outcome.bound.get("x"), outcome.bound.get("dim"), outcome.outputs
    if not isinstance(x, TensorType) or not x.shape.known:
        return
    if word.lower() == "softmax" and isinstance(out, TensorType):
        m.probabilities[id(out)] = out
    if dim in (0, -len(x.shape)) and len(x.shape) == 2 and _more_than_one(x.shape[1]):
        m.warn("suspect/softmax-axis", f"this softmax runs over axis 0, the batch, of {x.shape!r}", node)
