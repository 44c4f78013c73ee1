"""Changes of a source line after which an operation is proved safe: an epsilon, a clamp, a wider element type. Each is tried by analysing the program again."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from tensorproof.app.check import Options
from tensorproof.app.numerics import Report, numerics
from tensorproof.engines.numerics.ranges import Given
from tensorproof.engines.numerics.records import Operation, Settings
from tensorproof.terms.records import dataclass, replace

MOST_TRIED = 40
"""How many changes are tried for one program."""
TORCH = ("{}.clamp(min=1e-6)", "{}.clamp(max=80.0)", "{}.clamp(-0.99999, 0.99999)", "({} + 1e-6)", "{}.float()", "{}.abs()")
TENSORFLOW = ("tf.maximum({}, 1e-6)", "tf.minimum({}, 80.0)", "tf.clip_by_value({}, -0.99999, 0.99999)", "({} + 1e-6)", "tf.cast({}, tf.float32)", "tf.abs({})")
KERAS = ("ops.maximum({}, 1e-6)", "ops.minimum({}, 80.0)", "ops.clip({}, -0.99999, 0.99999)", "({} + 1e-6)", "ops.cast({}, 'float32')", "ops.abs({})")


@dataclass(frozen=True, slots=True)
class Fix:
    """One change: the text between two places of a line is replaced."""

    code: str
    line: int
    column: int
    end_line: int
    end_column: int
    old: str
    new: str
    text: str
    """The whole program after the change."""
    path: str = ""

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


def fixes(found: Report, options: Options, settings: Settings, given: Given) -> list[Fix]:
    """For each operation of the main file that is not safe, the first change that proves it safe and brings no other warning."""
    if not found.text:
        return []
    tree, made, tried = ast.parse(found.text), list[Fix](), 0
    for one in found.operations:
        if one.verdict not in ("unsafe", "possible") or one.span.path != found.path:
            continue
        for change in _changes(found.text, tree, one):
            if tried >= MOST_TRIED:
                return made
            tried += 1
            if _proves(found, change, one, options, settings, given):
                made.append(change)
                break
    return made


def _proves(found: Report, change: Fix, one: Operation, options: Options, settings: Settings, given: Given) -> bool:
    again = numerics(found.path, options, settings, replace(given, met=set[str]()), change.text)
    before, after, place = _warnings(found), _warnings(again), (one.span.line, one.code)
    proved = any(o.verdict == "safe" and (o.span.line, o.code) == place for o in again.operations) or one.code.endswith("/overflow")
    lost = any(o.verdict == "unknown" and (o.span.line, o.code) == place for o in again.operations)
    return proved and not lost and not again.gaps and after[place] < before[place] and all(n <= before[key] for key, n in after.items())


def _warnings(found: Report) -> Counter[tuple[int, str]]:
    return Counter((o.span.line, o.code) for o in found.operations if o.verdict in ("unsafe", "possible"))


def _changes(text: str, tree: ast.Module, one: Operation) -> Iterator[Fix]:
    """The operands of the operation, wrapped in each of the forms that the framework of the file has."""
    forms = TORCH if "import torch" in text else KERAS if "ops" in {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} else TENSORFLOW
    for operand in _operands(tree, one):
        old = ast.get_source_segment(text, operand)
        if old is None or operand.end_lineno is None or operand.end_col_offset is None or operand.lineno != operand.end_lineno:
            continue
        lines = text.splitlines(keepends=True)
        line = lines[operand.lineno - 1].encode()
        plain = isinstance(operand, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
        for form in _ordered(forms, one):
            new = form.format(old if plain or not form.startswith("{}.") else f"({old})")
            changed = line[: operand.col_offset] + new.encode() + line[operand.end_col_offset :]
            whole = "".join([*lines[: operand.lineno - 1], changed.decode(), *lines[operand.lineno :]])
            yield Fix(one.code, operand.lineno, operand.col_offset + 1, operand.lineno, operand.end_col_offset + 1, old, new, whole, one.span.path)


def _ordered(forms: tuple[str, ...], one: Operation) -> list[str]:
    """The forms with the one first that people use for this code: a wider element type against an overflow of sums and products, two ends for a domain."""
    first = 4 if one.code.endswith("/overflow") and one.needed.startswith("the result") else 2 if one.code.endswith("/domain") else 0
    return [forms[first], *(form for form in forms if form != forms[first])]


def _operands(tree: ast.Module, one: Operation) -> list[ast.expr]:
    """The expressions that the operation at this place computes with, the likeliest first."""
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Call, ast.BinOp)) or node.end_col_offset is None:
            continue
        if (node.lineno, node.col_offset + 1, node.end_lineno, node.end_col_offset + 1) != _place(one):
            continue
        if isinstance(node, ast.BinOp):
            return [node.right, node.left] if isinstance(node.op, (ast.Div, ast.FloorDiv, ast.Mod)) else [node.left, node.right]
        if isinstance(node.func, ast.Attribute) and not isinstance(node.func.value, ast.Name):
            return [node.func.value, *node.args]
        return [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
    return []


def _place(one: Operation) -> tuple[int, int, int, int]:
    return one.span.line, one.span.column, one.span.end_line, one.span.end_column
