"""Whether tensors in lists and tuples are equal: `x in xs`, `xs.index(x)` and `xs == ys` take an item that is the tensor itself, and the truth of `==` else."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorproof.terms.predicates import Truth, ge
from tensorproof.terms.tensor import TensorType
from tensorproof.values.objects import Choice, Instance, List
from tensorproof.values.python_values import Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def same_tensor(a: TensorType, b: TensorType) -> bool | None:
    """Whether two descriptions are of one tensor; None where that is not known."""
    if a is b:
        return True
    if a.framework != b.framework:
        return False
    if a.grad is not None and b.grad is not None:
        return a.grad.own is b.grad.own
    return False if a.base is not None and b.base is not None and a.base is not b.base else None


def equal_tensors(m: Interpreter, a: Value, b: Value, node: ast.AST) -> Truth | None:
    """The truth of `a == b`, of which at least one is a tensor; it fails where `==` gives several elements."""
    if isinstance(a, TensorType) and isinstance(b, TensorType):
        same = same_tensor(a, b)
        known = a.contents is not None and b.contents is not None and len(a.contents) == len(b.contents) == 1
        if same or (same is None and not known):
            return same
    given = [t for t in (a, b) if isinstance(t, TensorType)]
    if any(isinstance(v, (Unknown, Choice, Instance, List)) for v in (a, b)) or any(t.framework not in ("torch", "numpy") for t in given):
        return None
    made = m.compare(ast.Eq, a, b, node)
    if isinstance(made, TensorType):
        if not made.shape.known or (made.contents is None and ge(made.shape.numel, 2) is not True):
            return None
        return m.truth(made, node)
    return made if isinstance(made, bool) else None
