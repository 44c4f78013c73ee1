"""Stable forms of what people write by hand: the logarithm of a softmax or sigmoid, of a sum of exponentials, and exponentials divided by their sum."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tensorproof.app.numerics.dialects import Dialect

Rewrite = tuple[ast.expr, str]
"""An expression, and the text in its place."""


def rewrites(text: str, tree: ast.Module, node: ast.AST, forms: Dialect) -> Iterator[Rewrite]:
    """Stable forms of the expression at which a hazard was found."""
    scope = _scope(tree, node)
    yield from _infinities(scope, node)
    if not isinstance(node, ast.Call):
        return
    inner = _argument(node, "log")
    if inner is not None:
        yield from _log(text, scope, node, inner, forms)
    inner = _argument(node, "exp")
    if inner is not None:
        yield from _log_of_sum(text, scope, node, inner, forms)
        yield from _divided(text, scope, node, inner, forms)


def _infinities(scope: ast.AST, node: ast.AST) -> Iterator[Rewrite]:
    """A large number in place of an infinity that the expression computes with, or that a name in it was computed with."""
    names = [each.id for each in ast.walk(node) if isinstance(each, ast.Name)]
    values = [value for name in names if (value := _assigned(scope, name)) is not None]
    seen: list[ast.AST] = []
    for part in (node, *values):
        for each in ast.walk(part):
            sign = _infinity(each)
            if isinstance(each, ast.expr) and sign and not any(each is inner for inner in seen):
                seen += ast.walk(each)
                yield each, f"{sign}1e9".removeprefix("+")


def _infinity(node: ast.AST) -> str:
    """The sign of an infinity that is written out."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return "-" if _infinity(node.operand) == "+" else ""
    if isinstance(node, ast.Attribute) and node.attr == "inf":
        return "+"
    if _called(node) == "float" and isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
        word = str(node.args[0].value).strip().lower()
        return "-" if word in ("-inf", "-infinity") else "+" if word in ("inf", "+inf", "infinity") else ""
    return ""


def _log(text: str, scope: ast.AST, node: ast.Call, inner: ast.expr, forms: Dialect) -> Iterator[Rewrite]:
    computed = _meaning(scope, inner)
    if isinstance(computed, ast.Call) and _called(computed) == "softmax" and isinstance(computed.func, ast.Attribute):
        before = ast.get_source_segment(text, computed.func.value)
        whole, function = ast.get_source_segment(text, computed), ast.get_source_segment(text, computed.func)
        if before and whole and function:
            yield node, f"{before}.log_softmax{whole[len(function) :]}"
    other = _complement(computed)
    scores = _argument(_meaning(scope, other if other is not None else computed), "sigmoid")
    if scores is not None:
        old = ast.get_source_segment(text, scores) or ""
        plain = isinstance(scores, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
        yield node, forms.log_sigmoid.replace("{0}", old if other is None else f"-{old}" if plain else f"-({old})")


def _log_of_sum(text: str, scope: ast.AST, node: ast.Call, inner: ast.expr, forms: Dialect) -> Iterator[Rewrite]:
    """`log(sum(exp(x)))` and `log(1 + exp(x))`, in one expression."""
    for outer in ast.walk(scope):
        total = _argument(outer, "log") if isinstance(outer, ast.Call) else None
        if isinstance(outer, ast.Call) and (_one_more(total) is node or _argument(outer, "log1p") is node):
            yield outer, forms.softplus.replace("{0}", ast.get_source_segment(text, inner) or "")
        if isinstance(total, ast.Call) and _called(total) in _SUMS and _summed(total) is node:
            axis = _axis(text, total)
            if axis is not None and isinstance(outer, ast.expr):
                yield outer, forms.log_sum_exp.replace("{0}", ast.get_source_segment(text, inner) or "").replace("{1}", axis)


def _divided(text: str, scope: ast.AST, node: ast.Call, inner: ast.expr, forms: Dialect) -> Iterator[Rewrite]:
    """`exp(x)` that is divided by its sum: a softmax, or where a name holds it, the maximum is subtracted first, which the quotient does not show."""
    name = _name_of(scope, node)
    old = ast.get_source_segment(text, inner) or ""
    for one in ast.walk(scope):
        if not isinstance(one, ast.BinOp) or not isinstance(one.op, ast.Div):
            continue
        total = _meaning(scope, one.right)
        if not isinstance(total, ast.Call) or _called(total) not in _SUMS:
            continue
        axis, summed = _axis(text, total), _summed(total)
        if axis is None or summed is None:
            continue
        held = bool(name) and (_stores(scope, name) == 1 or _assigns(scope, name, one))
        if held and _is_name(summed, name) and _is_name(one.left, name) and _only_used(scope, name, one, total):
            operand = old if isinstance(inner, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)) else f"({old})"
            yield inner, f"{operand} - {forms.greatest.replace('{0}', operand if forms.method else old).replace('{1}', axis)}"
        elif (one.left is node or summed is node) and total is one.right and ast.dump(one.left) == ast.dump(summed) and _keeps(total, axis):
            yield one, forms.softmax.replace("{0}", old).replace("{1}", axis)


def _only_used(scope: ast.AST, name: str, quotient: ast.BinOp, total: ast.Call) -> bool:
    """Whether a name is read nowhere but in the quotient and in the sum, and the sum nowhere but in the quotient."""
    inside = [*ast.walk(quotient), *(ast.walk(total) if isinstance(quotient.right, ast.Name) else ())]
    reads = [each for each in ast.walk(scope) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)]
    own = sum(_is_name(each, name) for each in inside) >= sum(_is_name(each, name) for each in reads) or _assigns(scope, name, quotient)
    return own and (not isinstance(quotient.right, ast.Name) or sum(_is_name(each, quotient.right.id) for each in reads) == 1)


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _keeps(total: ast.Call, axis: str) -> bool:
    """Whether the sum divides along its own axis: it is kept, or it is the first."""
    kept = [word.value for word in total.keywords if word.arg in ("keepdim", "keepdims")]
    return axis == "0" or any(isinstance(value, ast.Constant) and value.value is True for value in kept)


_SUMS = ("sum", "reduce_sum")
_MODULES = ("torch", "tf", "F", "ops", "K", "np", "keras", "functional", "math", "nn", "activations")


# --- reading expressions ---


def _called(node: ast.AST | None) -> str:
    """The last part of the name that is called."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id if isinstance(node.func, ast.Name) else ""


def _argument(node: ast.AST | None, name: str) -> ast.expr | None:
    """What `module.name(x)`, `name(x)` or `x.name()` is computed of."""
    if not isinstance(node, ast.Call) or _called(node) != name:
        return None
    return _summed(node)


def _summed(node: ast.Call) -> ast.expr | None:
    if isinstance(node.func, ast.Attribute) and not _of_module(node.func.value):
        return node.func.value
    return node.args[0] if node.args and not isinstance(node.args[0], ast.Starred) else None


def _of_module(node: ast.expr) -> bool:
    last = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return last in _MODULES


def _axis(text: str, total: ast.Call) -> str | None:
    """The axis of a sum as it is written."""
    for word in total.keywords:
        if word.arg in ("dim", "axis"):
            return ast.get_source_segment(text, word.value)
    rest = total.args if isinstance(total.func, ast.Attribute) and not _of_module(total.func.value) else total.args[1:]
    return ast.get_source_segment(text, rest[0]) if rest else None


def _complement(node: ast.expr) -> ast.expr | None:
    """What is subtracted from 1."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and isinstance(node.left, ast.Constant) and node.left.value == 1:
        return node.right
    return None


def _one_more(node: ast.expr | None) -> ast.expr | None:
    """What 1 is added to."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(one, ast.Constant) and one.value == 1:
                return other
    return None


def _scope(tree: ast.Module, node: ast.AST) -> ast.AST:
    """The innermost function around a node, or the module."""
    found: ast.AST = tree
    for one in ast.walk(tree):
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) and any(each is node for each in ast.walk(one)):
            found = one  # inner functions come later in the walk
    return found


def _meaning(scope: ast.AST, node: ast.expr) -> ast.expr:
    """The expression that a name stands for, where it is assigned once and so are the names in it, and where it calls nothing but one function."""
    if not isinstance(node, ast.Name):
        return node
    value = _assigned(scope, node.id)
    if value is None or any(isinstance(each, ast.Name) and _stores(scope, each.id) > 1 for each in ast.walk(value)):
        return node
    return value if sum(isinstance(each, ast.Call) for each in ast.walk(value)) <= 1 else node


def _assigned(scope: ast.AST, name: str) -> ast.expr | None:
    if _stores(scope, name) != 1:
        return None
    for one in ast.walk(scope):
        if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name) and one.targets[0].id == name:
            return one.value
    return None


def _stores(scope: ast.AST, name: str) -> int:
    return sum(isinstance(one, ast.Name) and one.id == name and not isinstance(one.ctx, ast.Load) for one in ast.walk(scope))


def _name_of(scope: ast.AST, node: ast.expr) -> str:
    for one in ast.walk(scope):
        if isinstance(one, ast.Assign) and one.value is node and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name):
            return one.targets[0].id
    return ""


def _assigns(scope: ast.AST, name: str, value: ast.expr) -> bool:
    """Whether a name is assigned once more, to this."""
    assigned = [one for one in ast.walk(scope) if isinstance(one, ast.Assign) and one.value is value]
    return _stores(scope, name) == 2 and any(isinstance(t, ast.Name) and t.id == name for one in assigned for t in one.targets)
