"""What runs but is seldom meant: reported as warnings, once a place."""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.call import Outcome, operator
from tensorproof.bindings.rows import rows
from tensorproof.diagnostics.diagnostic import Diagnostic, Severity
from tensorproof.ops.inputs import Tensor
from tensorproof.ops.record import Op, Values
from tensorproof.terms.facts import learn
from tensorproof.terms.ints import Term, lower
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

_ARITHMETIC = frozenset(["sums", "multiplies", "divides"])


def look(m: Interpreter, outcome: Outcome, node: ast.AST) -> None:
    """Called after every call that ran. After an error nothing is suspected: it may follow from it."""
    if m.failures or not outcome.applied:
        return
    op = outcome.applied[-1].op
    given = outcome.bound.get("x")
    if isinstance(given, TensorType) and given.facts is not None and given.facts.cut is not None:
        _follow(m, op, given, outcome)
    values = op.values
    if values.kind in _ARITHMETIC:
        if len(outcome.applied) == 1:
            _outer(m, outcome, node)
    elif values.probabilities:
        _softmax(m, values, outcome, node)
    elif values.reshapes:
        _regroup(m, outcome, node)
    elif op.paired:
        _paired(m, outcome, node)
    elif _takes_scores(op) and isinstance(given, TensorType) and given.facts is not None and given.facts.probabilities:
        m.warn("suspect/softmax-twice", "cross_entropy takes raw scores, and gets the result of a softmax", node)


@cache
def _takes_scores(op: Op) -> bool:
    return any(isinstance(p, Tensor) and p.values == "scores" for p in op.inputs)


def _more_than_one(size: Value) -> bool:
    return size > 1 if isinstance(size, int) else isinstance(size, Term) and (lower(size) > 1 or lower(size) >= 1)


def _sides(outcome: Outcome) -> tuple[TensorType, TensorType] | None:
    x, y = outcome.bound.get("x"), outcome.bound.get("y")
    y = outcome.bound.get("target") if y is None else y
    known = isinstance(x, TensorType) and isinstance(y, TensorType) and x.shape.known and y.shape.known
    return (x, y) if known else None  # type: ignore[return-value]


def _tell_broadcast(m: Interpreter, x: TensorType, y: TensorType, out: Value, node: ast.AST) -> None:
    shown = f", and makes {out.shape!r}" if isinstance(out, TensorType) and len(out.shape) == 2 else ""
    m.warn("suspect/broadcast", f"this broadcasts {x.shape!r} with {y.shape!r}{shown}: each row is combined with every other row", node)


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
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and _reshapes(part.func.attr):
            return True
    return False


@cache
def _reshapes(method: str) -> bool:
    return any(operator(row.op).values.reshapes for row in rows(f"torch.Tensor.{method}"))


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


def _softmax(m: Interpreter, values: Values, outcome: Outcome, node: ast.AST) -> None:
    x, dim, out = outcome.bound.get("x"), outcome.bound.get("dim"), outcome.outputs
    if not isinstance(x, TensorType) or not x.shape.known:
        return
    if values.probabilities == "numbers" and isinstance(out, TensorType):
        learn(out, probabilities=True)
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
        learn(out, cut=Diagnostic("suspect/batch-reshape", Severity.WARNING, message, m.user_span(node)))


def _count(sizes: Any) -> int:
    total = 1
    for n in sizes:
        total *= n
    return total


def _follow(m: Interpreter, op: Op, x: TensorType, outcome: Outcome) -> None:
    """A layer or a loss that takes such rows makes the warning; what keeps their shape passes them on."""
    warning: Any = x.facts.cut if x.facts is not None else None
    out = outcome.outputs
    if op.parameter("target") is not None or (op.values.kind not in _ARITHMETIC and any(_is_parameter(v) for v in outcome.bound.values())):
        if warning not in m.path.findings:
            m.path.findings.append(warning)
    elif isinstance(out, TensorType) and out.shape == x.shape:
        learn(out, cut=warning)


def _is_parameter(value: Value) -> bool:
    return isinstance(value, TensorType) and value.parameter
