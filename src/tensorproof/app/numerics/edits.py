"""Changes of a program's text that may make an operation safe: its operands held in a region, cast to a wider type, or the operation written in a stable form.

Nothing is proved here; `numeric_fixes` tries each.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tensorproof.app.numerics.dialects import Dialect, dialect, imports
from tensorproof.app.numerics.rewrites import rewrites
from tensorproof.engines.numerics.records import Operation
from tensorproof.terms.records import dataclass

SMALL = ("1e-6", "1e-3", "1e-2")
"""Epsilons that are tried; quotients by the first are too large for float16."""
LARGE = ("-1e9", "1e9")
"""What stands for an infinity that hides elements."""
EXPONENTS = {"float16": "10.0", "float64": "700.0"}
"""Below which number an exponential is finite, by element type."""


@dataclass(frozen=True, slots=True)
class Edit:
    """The text of one expression or statement is replaced. Lines and columns count from 1, columns in bytes."""

    line: int
    column: int
    end_line: int
    end_column: int
    old: str
    new: str
    keeps: bool = True
    """Whether the operation itself is still there."""

    def applied(self, text: str) -> str:
        start, end = offsets(text, self)
        data = text.encode()
        return (data[:start] + self.new.encode() + data[end:]).decode()


def offsets(text: str, edit: Edit) -> tuple[int, int]:
    """The first byte that is replaced, and the first after it."""
    starts, at = [0], 0
    for line in text.encode().splitlines(keepends=True):
        at += len(line)
        starts.append(at)
    return starts[edit.line - 1] + edit.column - 1, starts[edit.end_line - 1] + edit.end_column - 1


def edits(text: str, tree: ast.Module, one: Operation) -> Iterator[Edit]:
    """Changes for one operation, the one first that people would make."""
    imported = imports(tree)
    forms, node = dialect(one.spelling, imported), _node(tree, one)
    if forms is None or node is None:
        return
    for old, new in rewrites(text, tree, node, forms):
        yield _edit(old, new, text, keeps=False)
    operands = list(_operands(node, set(imported.values())))
    for shape in _shapes(one, forms):
        for operand in operands:
            written = ast.get_source_segment(text, operand)
            if written is not None:
                yield _widened(_edit(operand, shape.replace("{0}", _bracketed(written, operand, shape, forms)), text), text)
    if _narrow(one):
        if len(operands) > 1:
            yield _edit(node, _in_float32(text, node, operands, forms), text)
        yield from _outside_autocast(text, tree, node, operands, forms)


def _edit(node: ast.expr | ast.stmt, new: str, text: str, keeps: bool = True) -> Edit:
    end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return Edit(node.lineno, node.col_offset + 1, end_line, end_column + 1, ast.get_source_segment(text, node) or "", new, keeps)


def _widened(edit: Edit, text: str) -> Edit:
    """The brackets around an operand are part of it, where they are not those of a call."""
    start, end = offsets(text, edit)
    data = text.encode()
    called = data[: start - 1].rstrip()[-1:]
    if data[start - 1 : start] + data[end : end + 1] != b"()" or called.isalnum() or called in (b"_", b")", b"]"):
        return edit
    new = edit.new.removeprefix("(").removesuffix(")") if edit.new.startswith("(") and edit.new.endswith(")") else edit.new
    return Edit(edit.line, edit.column - 1, edit.end_line, edit.end_column + 1, f"({edit.old})", f"({new})" if new != edit.new else new, edit.keeps)


# --- forms ---


def _shapes(one: Operation, forms: Dialect) -> list[str]:
    """The forms for the region that the operation needs, with numbers filled in."""
    needed, code = one.needed, one.code
    floors = [_filled(forms.floor, small) for small in SMALL]
    added = [f"({{0}} + {small})" for small in SMALL]
    if _narrow(one):
        return [forms.wide]
    if code.endswith("/overflow"):
        return [_filled(forms.cap, EXPONENTS.get(_dtype(one), "80.0")), _filled(forms.cap, "10.0"), forms.wide]
    if "[1, inf]" in needed:
        return [_filled(forms.floor, "1.000001")]
    if "-1" in needed and "1" in needed.partition("-1")[2]:
        return [_filled(forms.clip, "-0.99999", "0.99999")]
    if "above -1" in needed or "(-1, inf]" in needed:
        return [_filled(forms.floor, "-0.99999"), _filled(forms.floor, "0.0")]
    if "between 0 and 1" in needed:
        return [_filled(forms.clip, "0.0", "1.0"), _filled(forms.clip, "1e-6", "0.99999")]
    if code.endswith("/negative"):
        return [_filled(forms.floor, "0.0"), *floors]
    if "not 0" in needed and one.operand[0] < 0:
        below = [_filled(forms.cap, f"-{SMALL[0]}")] if one.operand[1] <= 0 else []
        return [*below, floors[0], _filled(forms.nonzero, SMALL[0]), added[0], *floors[1:]]
    if "(-inf, inf)" in needed:
        return [_filled(forms.floor, LARGE[0]), _filled(forms.clip, *LARGE)]
    if any(word in needed for word in ("(0, inf]", "[0, inf]", "positive", "not 0")):
        return [floors[0], added[0], floors[1], added[1], forms.wide, floors[2]]
    return []


def _filled(form: str, *numbers: str) -> str:
    for i, number in enumerate(numbers, 1):
        form = form.replace(f"{{{i}}}", number)
    return form


def _narrow(one: Operation) -> bool:
    """Whether a result leaves the numbers of its element type: a wider type helps."""
    return one.code.endswith("/overflow") and one.needed.startswith("the result")


def _dtype(one: Operation) -> str:
    found = re.search(r"float\d+", one.needed)
    return found[0] if found else ""


def _bracketed(old: str, operand: ast.expr, shape: str, forms: Dialect) -> str:
    plain = isinstance(operand, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    return old if plain or not forms.method or not shape.startswith("{0}.") else f"({old})"


# --- where ---


def _node(tree: ast.Module, one: Operation) -> ast.Call | ast.BinOp | ast.AugAssign | None:
    """The expression or statement at the operation's place."""
    span = one.span
    place = span.line, span.column, span.end_line, span.end_column
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Call, ast.BinOp, ast.AugAssign)) or node.end_col_offset is None:
            continue
        if (node.lineno, node.col_offset + 1, node.end_lineno, node.end_col_offset + 1) == place:
            return node
    return None


def _operands(node: ast.Call | ast.BinOp | ast.AugAssign, modules: set[str]) -> Iterator[ast.expr]:
    """The expressions that it computes with, the likeliest first."""
    if isinstance(node, ast.AugAssign):
        yield node.value
    elif isinstance(node, ast.BinOp):
        divides = isinstance(node.op, (ast.Div, ast.FloorDiv, ast.Mod))
        yield from (node.right, node.left) if divides else (node.left, node.right)
    else:
        if isinstance(node.func, ast.Attribute) and not _is_module(node.func.value, modules):
            yield node.func.value
        yield from (argument for argument in node.args if not isinstance(argument, (ast.Starred, ast.Constant)))
        yield from (word.value for word in node.keywords if word.arg in ("input", "x", "y_pred", "logits", "labels", "target", "y_true"))


def _is_module(node: ast.expr, modules: set[str]) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in modules


def _outside_autocast(text: str, tree: ast.Module, node: ast.AST, operands: list[ast.expr], forms: Dialect) -> Iterator[Edit]:
    """The statement computed in float32, where autocast would cast its operands back."""
    if not forms.method:
        return
    for block in ast.walk(tree):
        if not isinstance(block, ast.With):
            continue
        entered = [item.context_expr for item in block.items if isinstance(item.context_expr, ast.Call) and "autocast" in ast.unparse(item.context_expr.func)]
        for statement in block.body if entered else ():
            if isinstance(statement, (ast.Assign, ast.Expr, ast.Return, ast.AnnAssign)) and any(each is node for each in ast.walk(statement)):
                device = (ast.get_source_segment(text, entered[0].args[0]) if entered[0].args else None) or '"cuda"'
                indent, new = " " * statement.col_offset, _in_float32(text, statement, operands, forms)
                yield _edit(statement, f"with torch.autocast({device}, enabled=False):\n{indent}    {new}", text)


def _in_float32(text: str, node: ast.expr | ast.stmt, operands: list[ast.expr], forms: Dialect) -> str:
    """The text of an expression or statement with all operands cast."""
    whole = _edit(node, "", text)
    start, end = offsets(text, whole)
    data = text.encode()
    for operand in sorted(operands, key=lambda each: (each.lineno, each.col_offset), reverse=True):
        old = ast.get_source_segment(text, operand) or ""
        first, last = offsets(text, _edit(operand, "", text))
        new = forms.wide.replace("{0}", _bracketed(old, operand, forms.wide, forms)).encode()
        data, end = data[:first] + new + data[last:], end + len(new) - (last - first)
    return data[start:end].decode()
