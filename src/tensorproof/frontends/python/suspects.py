"""What runs but is seldom meant: told as warnings, once a place."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.call import Outcome
from tensorproof.diagnostics.diagnostic import Diagnostic, Severity
from tensorproof.terms.ints import Term, lower
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter

_PAIRWISE = {"__add__", "__sub__", "__rsub__", "__mul__", "__truediv__", "add", "sub", "mul", "div", "subtract", "multiply", "divide"}
_PAIRED_LOSSES = {"mse_loss", "MSELoss", "l1_loss", "L1Loss", "smooth_l1_loss", "SmoothL1Loss", "huber_loss", "HuberLoss"}
_SOFTMAX = {"softmax", "Softmax", "log_softmax", "LogSoftmax"}
_CROSS = {"cross_entropy", "CrossEntropyLoss"}
_RESHAPE = {"view", "reshape"}
_LAYERS = {"linear", "Linear", "LayerNorm", "BatchNorm1d", "Conv1d", "Conv2d", "LSTM", "GRU", "RNN"} | _CROSS | _PAIRED_LOSSES


def look(m: Interpreter, name: str, outcome: Outcome, node: ast.AST) -> None:
    """Called after every call that ran. After an error nothing is suspected: it may follow from it."""
    if m.failures:
        return
    word = name.rpartition(".")[2]
    if m.regrouped:
        _follow(m, word, outcome)
    if word in _PAIRWISE:
        _outer(m, outcome, node)
    elif word in _PAIRED_LOSSES:
        _paired(m, outcome, node)
    elif word in _SOFTMAX:
        _softmax(m, word, outcome, node)
    elif word in _RESHAPE:
        _regroup(m, outcome, node)
    if word in _CROSS:
        given = outcome.bound.get("x")
        if isinstance(given, TensorType) and m.probabilities.get(id(given)) is given:
            m.warn("suspect/softmax-twice", "cross_entropy takes raw scores, and gets the result of a softmax", node)


def _more_than_one(size: Any) -> bool:
    return size > 1 if isinstance(size, int) else isinstance(size, Term) and (lower(size) > 1 or lower(size) >= 1)


def _sides(outcome: Outcome) -> tuple[TensorType, TensorType] | None:
    x, y = outcome.bound.get("x"), outcome.bound.get("y")
    y = outcome.bound.get("target") if y is None else y
    known = isinstance(x, TensorType) and isinstance(y, TensorType) and x.shape.known and y.shape.known
    return (x, y) if known else None  # type: ignore[return-value]


def _tell_broadcast(m: Interpreter, x: TensorType, y: TensorType, out: Any, node: ast.AST) -> None:
    shown = f", and makes {out.shape!r}" if isinstance(out, TensorType) and len(out.shape) == 2 else ""
    m.warn("suspect/broadcast", f"this broadcasts {x.shape!r} with {y.shape!r}{shown}: every row meets every other", node)


def _outer(m: Interpreter, outcome: Outcome, node: ast.AST) -> None:
    """(N, 1) with (N,): both sides grow, the result has an axis of either. Not where the program makes the column on the spot, which says what it wants."""
    sides = _sides(outcome)
    if sides is None or {len(sides[0].shape), len(sides[1].shape)} != {1, 2}:
        return
    two, one = sides if len(sides[0].shape) == 2 else sides[::-1]
    if two.shape[1] == 1 and two.shape[0] == one.shape[0] and _more_than_one(one.shape[0]) and not _meant(node):
        _tell_broadcast(m, *sides, outcome.outputs, node)


def _meant(node: ast.AST) -> bool:
    """Whether an operand is written as a column where it is used: `a[:, None] - b`, `a.unsqueeze(1) - b`, `a.view(-1, 1) - b`."""
    for part in (node.left, node.right) if isinstance(node, ast.BinOp) else ():
        if isinstance(part, ast.Subscript) and any(isinstance(one, ast.Constant) and one.value is None for one in ast.walk(part.slice)):
            return True
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in ("unsqueeze", "view", "reshape"):
            return True
    return False


def _paired(m: Interpreter, outcome: Outcome, node: ast.AST) -> None:
    """A loss of two tensors that both grow: each prediction meets the targets of others."""
    sides = _sides(outcome)
    if sides is None:
        return
    rank = max(len(t.shape) for t in sides)
    a, b = ((1,) * (rank - len(t.shape)) + tuple(t.shape) for t in sides)
    grows = [any(p == 1 and q != 1 and _more_than_one(q) for p, q in zip(u, v)) for u, v in ((a, b), (b, a))]
    if all(grows):
        _tell_broadcast(m, *sides, outcome.outputs, node)


def _softmax(m: Interpreter, word: str, outcome: Outcome, node: ast.AST) -> None:
    x, dim, out = outcome.bound.get("x"), outcome.bound.get("dim"), outcome.outputs
    if not isinstance(x, TensorType) or not x.shape.known:
        return
    if word.lower() == "softmax" and isinstance(out, TensorType):
        m.probabilities[id(out)] = out
    if dim in (0, -len(x.shape)) and len(x.shape) == 2 and _more_than_one(x.shape[1]):
        m.warn("suspect/softmax-axis", f"this softmax runs over axis 0, the batch, of {x.shape!r}", node)


def _regroup(m: Interpreter, outcome: Outcome, node: ast.AST) -> None:
    """`view(-1, F)` where F neither divides a sample nor holds whole samples: the rows are cut across the samples."""
    x, size, out = outcome.bound.get("x"), outcome.bound.get("size"), outcome.outputs
    if not isinstance(x, TensorType) or not isinstance(out, TensorType) or not isinstance(size, (tuple, list)) or len(size) < 2 or size[0] != -1:
        return
    if not x.shape.known or len(x.shape) < 2 or not all(type(n) is int for n in (*x.shape[1:], *out.shape[1:])):
        return
    sample, row = _count(x.shape[1:]), _count(out.shape[1:])
    if sample > 0 and row > 0 and sample % row and row % sample:
        message = f"this makes rows of {row} elements from samples of {sample} {x.shape!r}: the rows are cut across the samples, and the batch changes"
        m.regrouped[id(out)] = out, Diagnostic("suspect/batch-reshape", Severity.WARNING, message, m.user_span(node))


def _count(sizes: Any) -> int:
    total = 1
    for n in sizes:
        total *= n
    return total


def _follow(m: Interpreter, word: str, outcome: Outcome) -> None:
    """A layer or a loss that takes such rows makes the warning; what keeps their shape passes them on."""
    x, out = outcome.bound.get("x"), outcome.outputs
    known = m.regrouped.get(id(x))
    if known is None or known[0] is not x:
        return
    if word in _LAYERS:
        if known[1] not in m.path.findings:
            m.path.findings.append(known[1])
    elif isinstance(out, TensorType) and out.shape == known[0].shape:
        m.regrouped[id(out)] = out, known[1]
