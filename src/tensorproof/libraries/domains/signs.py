"""Numbers of either sign where probabilities are due: drawn from a normal distribution, or computed by a layer whose initial weights are drawn around zero.

Flip the signs of all that is drawn: the result of a sum of products changes its sign with them, and is as likely. So each element is negative for some draw.
"""

from __future__ import annotations

import ast
from functools import cache

from tensorproof.bindings.rows import rows
from tensorproof.catalogue import find
from tensorproof.libraries.domains import autograd, bounds, value_ranges
from tensorproof.ops.applied import Applied
from tensorproof.ops.inputs import Tensor
from tensorproof.ops.record import Op
from tensorproof.terms import Origin, TensorType, ge, learn
from tensorproof.terms.gradient import Gradient
from tensorproof.values.port import Machine


def reads(op: Op) -> bool:
    return op.random and op.parameter("distribution") is not None


def applied(m: Machine, one: Applied) -> None:
    """Draws from a normal distribution."""
    if one.arguments.get("distribution") == "normal":
        for made in one.results:
            learn(made, signed=True)


@cache
def _probabilities(op: Op) -> tuple[str, ...]:
    """The inputs that must lie between 0 and 1."""
    return tuple(p.name for p in op.inputs if isinstance(p, Tensor) and p.values == "probability")


def check(m: Machine, applied: list[Applied], node: ast.AST) -> None:
    """Scores that may be negative are no probabilities; of what the program computed it must be known that they are."""
    value_ranges.check(m, applied, node)
    for one in applied:
        for name in _probabilities(one.op):
            x = one.arguments.get(name)
            if isinstance(x, TensorType) and x.shape.known and x.shape.numel != 0 and x.contents is None:
                _check(m, one, name, x, node)


def _check(m: Machine, one: Applied, name: str, x: TensorType, node: ast.AST) -> None:
    found, code = bounds.of(x), f"{one.op.name}/range"
    if found is None or not _is_signed(m, x) or (x.facts is not None and x.facts.drawn is not None) or 0 <= found[0] <= found[1] <= 1:
        value_ranges.judge(m, x, name, 0.0, 1.0, node, code, "RuntimeError", one.spelling)
        return
    words = f"the elements of {name} must lie between 0 and 1, and these are scores of either sign: apply sigmoid first, or take a loss with logits"
    least = m.symbol(m.name_here("score", node, "the least score, in hundredths"), -100, 100, Origin.WORLD)
    m.demand("RuntimeError", ge(least, 0), words, node, code)


def _is_signed(m: Machine, x: TensorType) -> bool:
    if x.facts is not None and x.facts.signed:
        return True
    return x.framework == "torch" and x.grad is not None and _made_signed(autograd.of(m, x))


def _made_signed(state: Gradient) -> bool:
    """Whether the last layer, apart from operators that only move elements, is a sum of products with fresh weights."""
    while state.node is not None and not state.node.either and state.node.parents:
        kind = _kind(state.node.name)
        if kind == "dot":
            held = [parent.own.get("is") for parent in state.node.parents]
            return any(isinstance(t, TensorType) and t.facts is not None and t.facts.signed for t in held)
        if kind not in ("moves", "cuts") or len(state.node.parents) != 1:
            return False
        state = state.node.parents[0]
    return False


@cache
def _kind(spelling: str) -> str:
    found = rows(spelling)
    op = find(found[0].op) if found else None
    return op.values.kind if op is not None else ""
