"""Methods that only tensors of torch or only texts have: an unknown value of which one is called is a tensor of unknown rank, or a text."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tensorproof.bindings.unknown_arguments import open_tensor
from tensorproof.frontends.python.attributes import attributes
from tensorproof.frontends.python.frame import Frame
from tensorproof.frontends.python.scope import Scope
from tensorproof.values.python_values import AFTER_ERROR, TEXT, Method, Unknown

_ONLY_OF_TENSORS = frozenset(
    {
        "size", "view", "unsqueeze", "permute", "view_as", "expand", "expand_as", "masked_fill", "masked_select", "index_select", "new_zeros", "new_ones",
        "new_full", "numel", "bmm", "baddbmm", "unfold", "type_as", "scatter_add", "scatter_", "index_add_", "log_softmax", "narrow", "movedim", "contiguous",
    }
)  # fmt: skip
"""Neither layers, nor arrays, nor the objects of other libraries have a method of these names; but for `view` of an array, which takes a type."""

_ONLY_OF_TEXTS = frozenset(
    {"lower", "upper", "casefold", "title", "capitalize", "strip", "lstrip", "rstrip", "splitlines", "startswith", "endswith", "removeprefix", "removesuffix"}
)
"""So has the `str` of a column of a table, which is recognised by its name."""


def _of_texts(node: ast.Call, function: ast.Attribute) -> bool:
    column = isinstance(function.value, ast.Attribute) and function.value.attr == "str"
    plain = not node.keywords and (not node.args or function.attr not in ("lower", "upper", "casefold", "title", "capitalize"))
    return function.attr in _ONLY_OF_TEXTS and plain and not column


def _of_tensors(node: ast.Call, function: ast.Attribute) -> bool:
    typed = len(node.args) + len(node.keywords) < 2 and not any(isinstance(one, _SIZES) for one in node.args)
    return function.attr in _ONLY_OF_TENSORS and not (function.attr == "view" and typed)


_SIZES = (ast.Constant, ast.UnaryOp, ast.BinOp, ast.Tuple, ast.List, ast.Starred, ast.Subscript, ast.Call)
"""What is written for a size, and not for a type."""


def callee(node: ast.Call, scope: Scope) -> Callable[[Frame], Any] | None:
    """What is called, where it is such a method; None for any other call."""
    function = node.func
    if not isinstance(function, ast.Attribute):
        return None
    texts = _of_texts(node, function)
    if not texts and not _of_tensors(node, function):
        return None
    holder = scope.expression(function.value)

    def run(frame: Frame) -> Any:
        owner, m = holder(frame), frame.machine
        if type(owner) is not Unknown or owner is AFTER_ERROR or owner.text or owner.number or owner.octets:
            return attributes.load(m, owner, function.attr, function)
        if texts:
            return attributes.load(m, TEXT, function.attr, function)
        m.gap(ast.unparse(function)[:80], node, "what is called is not known")
        m.session.site = f"@{getattr(node, 'lineno', 0)}"
        return Method(open_tensor(owner, "torch", m.session), function.attr)

    return run
