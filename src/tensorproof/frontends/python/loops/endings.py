"""Where a program ends by itself: an `exit()` that stands before other statements, a check of the command line, a loop without an end."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorproof.diagnostics.diagnostic import Diagnostic, Severity
from tensorproof.frontends.python.errors import Raised

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter


def ended(m: Interpreter, raised: Raised) -> None:
    """Name what is not entered because the program has ended by `exit()`."""
    source = m.modules.main_source
    if raised.kind != "SystemExit" or raised.span.path != source.path:
        return
    line = raised.span.line
    if not m.argv and any(_asks_arguments(n, line) for n in ast.walk(source.tree)):
        m.lost_rest(f"the program ends at line {line} without arguments: give them after `--`")
        return
    for at, statement in enumerate(source.tree.body[:-1]):
        if isinstance(statement, (ast.Expr, ast.Raise)) and statement.lineno <= line <= (statement.end_lineno or statement.lineno):
            behind = source.tree.body[at + 1].lineno
            note(m, Diagnostic("python/not-reached", Severity.NOTE, f"the program ends here: what follows, from line {behind} on, is not run", raised.span))


def _asks_arguments(node: ast.AST, line: int) -> bool:
    """Whether an `if` on the command line leads to a line."""
    inside = isinstance(node, ast.If) and any(s.lineno <= line <= (s.end_lineno or s.lineno) for s in (*node.body, *node.orelse))
    return inside and any(isinstance(n, ast.Attribute) and n.attr == "argv" for n in ast.walk(node.test))  # type: ignore[attr-defined]


def note(m: Interpreter, found: Diagnostic) -> None:
    if found not in m.path.findings:
        m.path.findings.append(found)


def has_no_end(node: ast.While) -> bool:
    """Whether nothing in a `while True` leaves it."""
    if not (isinstance(node.test, ast.Constant) and node.test.value):
        return False
    return not any(isinstance(n, (ast.Break, ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await)) for s in node.body for n in ast.walk(s))


def endless(m: Interpreter, node: ast.While) -> None:
    message = "this loop has no `break`, `return` or `raise`: it does not end by itself"
    head = ast.copy_location(ast.Pass(), node)
    head.end_lineno, head.end_col_offset = node.lineno, node.col_offset + 5
    note(m, Diagnostic("python/endless", Severity.NOTE, message, m.user_span(head)))
