"""What is suggested as a fix mends the finding: it is applied to the text of the program, which is then checked again."""

from __future__ import annotations

import ast
import re

import pytest

from tensorproof.app.check import check_source
from tensorproof.app.program import Options
from tensorproof.bindings.rows import rows
from tensorproof.diagnostics.diagnostic import Diagnostic
from tensorproof.frontends.python.modules.source import parse
from tests.programs.test_programs import Case, cases

_STEMS = ("fixes", "several_errors", "patterns_convolutions", "patterns_sizes", "torch_calls")


def found(code: str, arguments: tuple[str, ...] = ()) -> list[Diagnostic]:
    return check_source(parse("program.py", code), Options(arguments=arguments)).diagnostics


def applied(code: str, one: Diagnostic) -> str | None:
    """The program with the fix; None where its text does not show what to change."""
    tree = ast.parse(code)
    argument, _, value = one.fix.partition("=")
    if re.fullmatch(r"\w+=\d+", one.fix):
        spans = [s.span for s in one.trail if "the layer is made here" in s.message] or [one.span]
        call = _call_at(tree, spans[0].line, spans[0].column)
        if call is None or not _set(call, argument, int(value)):
            return None
        return ast.unparse(tree)
    call = _call_at(tree, one.span.line, one.span.column, one.span.end_column)
    if call is None:
        return None
    named = [i for i, a in enumerate(call.args) if one.fix.startswith((f"{ast.unparse(a)}.", f"({ast.unparse(a)})."))]
    at = named[-1] if named else 1 if one.fix.startswith("target.") else 0
    if len(call.args) <= at:
        return None
    method = one.fix.rpartition(ast.unparse(call.args[at]))[2].lstrip(").") if named else one.fix.partition(".")[2]
    call.args[at] = ast.parse(f"({ast.unparse(call.args[at])}).{method}", mode="eval").body
    return ast.unparse(tree)


def _call_at(tree: ast.AST, line: int, column: int, end: int | None = None) -> ast.Call | None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (node.lineno, node.col_offset + 1) == (line, column) and end in (None, (node.end_col_offset or 0) + 1):
            return node
    return None


def _set(call: ast.Call, argument: str, value: int) -> bool:
    inner = call.func if isinstance(call.func, ast.Call) else call  # nn.Linear(3, 2)(x): the constructor is called first
    for keyword in inner.keywords:
        if keyword.arg == argument:
            keyword.value = ast.Constant(value)
            return True
    word = ast.unparse(inner.func).rpartition(".")[2]
    known = rows(f"torch.nn.{word}")
    place = [a.theirs for a in known[0].arguments].index(argument) if known else len(inner.args)
    if place >= len(inner.args) or isinstance(inner.args[place], ast.Starred):
        return False
    inner.args[place] = ast.Constant(value)
    return True


@pytest.mark.parametrize("case", [c for c in cases() if c.title.partition(":")[0] in _STEMS and "# error" in c.code], ids=lambda c: c.title)
def test_what_is_suggested_mends(case: Case) -> None:
    if case.files:
        pytest.skip("needs its files")
    tree = ast.unparse(ast.parse(case.code))  # so that lines stay what they are
    for one in found(tree, case.arguments):
        if not one.fix:
            continue
        assert not re.search(r"=-|=0$", one.fix)
        mended = applied(tree, one)
        if mended is not None:
            left = [d for d in found(mended, case.arguments) if d.code == one.code and d.span.line == one.span.line and d.message == one.message]
            assert not left, f"{one.fix} does not mend {one.message}"


def test_where_there_is_no_right_fix_there_is_none() -> None:
    none = next(c for c in cases() if c.title.startswith("fixes: no fix"))
    assert [d.fix for d in found(none.code)] == ["", "", ""]


def test_every_other_program_of_fixes_has_one() -> None:
    for case in cases():
        if case.title.startswith("fixes: ") and not case.title.startswith("fixes: no fix"):
            assert all(d.fix for d in found(case.code)), case.title
