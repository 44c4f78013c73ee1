"""A program that ends itself, or never ends, is named by a note."""

from __future__ import annotations

from tensorproof.app.check import check_source
from tensorproof.diagnostics.diagnostic import Severity, Verdict
from tensorproof.frontends.python.modules.source import parse


def notes(text: str) -> list[tuple[int, str]]:
    program = check_source(parse("program.py", text))
    assert program.verdict is Verdict.VALID
    return [(d.span.line, d.code) for d in program.diagnostics if d.severity is Severity.NOTE]


def test_an_exit_before_other_statements_is_named() -> None:
    assert notes("x = 1\nexit()\nprint(x)\n") == [(2, "python/not-reached")]


def test_an_exit_at_the_end_is_not_named() -> None:
    assert notes("import sys\nprint(1)\nsys.exit(0)\n") == []


def test_a_loop_without_an_end_is_named() -> None:
    assert notes("import os\nn = 0\nwhile True:\n    n += len(os.environ)\n") == [(3, "python/endless")]


def test_a_loop_with_a_break_is_not_named() -> None:
    assert notes("import os\nn = 0\nwhile True:\n    n += len(os.environ)\n    if n > 5:\n        break\n") == []
