"""Inputs for which an operator of torch has no derivative (`Op.constants`): it refuses them where they require a gradient and gradients are recorded."""

from __future__ import annotations

import ast

from tensorproof.libraries.domains.autograd import of
from tensorproof.libraries.torch.modes import modes
from tensorproof.ops.applied import Applied
from tensorproof.terms.tensor import TensorType
from tensorproof.values.port import Machine


def check(m: Machine, applied: list[Applied], node: ast.AST) -> None:
    for one in applied:
        if one.op.constants:
            _refused(m, one, node)


def _refused(m: Machine, one: Applied, node: ast.AST) -> None:
    for entry in one.op.constants:
        name, _, labels = entry.partition(":")
        held, target = one.arguments.get(name), one.arguments.get(labels)
        if not isinstance(held, TensorType) or held.framework != "torch" or held.weak:
            continue
        if labels and (not isinstance(target, TensorType) or target.dtype is None or not target.dtype.is_integer):
            continue
        if modes(m).grad is True and of(m, held).requires is True:
            words = f"{one.op.name} has no derivative with respect to {name}, which requires a gradient: detach() it"
            raise m.raised("RuntimeError", words, node, "autograd/constant")
