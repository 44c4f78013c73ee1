"""Small programs of Python's library: what CPython computes, the interpreter computes too, or says that it is unknown; it never reports an error.

`standard_library_values.txt` holds them: statements, and after ` ;; ` the expression whose value is compared.
"""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

import pytest

from tensorproof.app.check import check_source
from tensorproof.app.program import Options
from tensorproof.diagnostics.diagnostic import Severity
from tensorproof.frontends.python.explore import explore
from tensorproof.frontends.python.modules.source import parse
from tensorproof.libraries.plain import Abstract, to_host

TABLE = Path(__file__).with_name("standard_library_values.txt")
LEAST_KNOWN = 185
"""So many of the values are known; the number may only grow."""
OPEN = {"except* ValueError": "except* is not followed", "k = d.keys()": "a view is what the dict held when it was made"}


def snippets() -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    lines: list[str] = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if not line or (line.startswith("# ") and not lines):
            continue
        code, mark, expression = line.rpartition(" ;; ")
        lines.append(code if mark else line)
        if mark:
            found.append(("\n".join(lines), expression))
            lines = []
    return found


def python(code: str, expression: str) -> Any:
    names: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        exec(compile(code, "<snippet>", "exec", dont_inherit=True), names)
        return eval(expression, names)


def test_every_value_is_that_of_python_or_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    known = 0
    for code, expression in snippets():
        if any(word in code for word in OPEN):
            continue
        truth = python(code, expression)
        source = parse("program.py", f"{code}\nresult = {expression}\n")
        program = check_source(source, Options())
        errors = [d.message for d in program.diagnostics if d.severity is Severity.ERROR]
        assert not errors, (code, expression, errors)
        if program.gaps:
            continue
        try:
            ours = to_host(explore(source).last.modules.main.space["result"])
        except Abstract:
            continue
        assert ours == truth, (code, expression)
        known += 1
    assert known >= LEAST_KNOWN
