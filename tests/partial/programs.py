"""Small programs in which something unseen stands before a certain bug, read from the Markdown files beside this one.

A line that ends in `# fixed: TEXT` is the bug, and TEXT is what stands there in the right program; `# fails` marks the line at which the wrong one ends.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from tensorproof.app.check import check_source
from tensorproof.diagnostics.diagnostic import Severity
from tensorproof.frontends.python.modules.source import parse

HERE = Path(__file__).parent
PRESENT = HERE / "present"
"""The folder that holds `unseen_pkg`: on the path when the truth is made, and not when programs are checked."""
BUG = re.compile(r"^(\s*)(.*?)  # fixed: (.*)$")
MARK = "  # fails"


class Case(NamedTuple):
    title: str
    bug: bool
    code: str
    fails: int
    """The line at which the program ends; 0 where it runs to its end."""


class Answer(NamedTuple):
    kind: str
    """`found`, `elsewhere`, `unknown`, `false valid` of a wrong program; `proved`, `unknown`, `alarm` of a right one."""
    named: bool
    """Whether what is unseen is named among the gaps, or an error was found at its line."""
    said: str


def cases() -> list[Case]:
    return [case for path in sorted(HERE.glob("*.md")) for section in path.read_text().split("\n## ")[1:] for case in _pair(path.stem, section)]


def _pair(theme: str, section: str) -> tuple[Case, Case]:
    title, _, rest = section.partition("\n")
    lines = rest.split("```python\n")[1].split("```")[0].splitlines()
    fails = next(number for number, line in enumerate(lines, 1) if MARK in line)
    lines = [line.replace(MARK, "") for line in lines]
    right = [f"{match[1]}{match[3]}" if (match := BUG.match(line)) else line for line in lines]
    wrong = [f"{match[1]}{match[2]}" if (match := BUG.match(line)) else line for line in lines]
    assert right != wrong, title
    name = f"{theme}: {title}"
    return Case(name, True, "\n".join(wrong) + "\n", fails), Case(name, False, "\n".join(right) + "\n", 0)


def answer(case: Case) -> Answer:
    """What `check` says of a program while the unseen package is absent."""
    program = check_source(parse("program.py", case.code))
    errors = [d for d in program.diagnostics if d.severity is Severity.ERROR]
    said = "; ".join(f"{d.span.line}: {d.code} {d.message}" for d in errors) or "; ".join(f"{g.span.line}: {g.callee} {g.reason}" for g in program.gaps)
    named = bool(errors) or program.verdict.value == "valid" or any("unseen_pkg" in f"{g.callee} {g.reason}" for g in program.gaps)
    return Answer(_kind(case, program.verdict.value, {d.span.line for d in errors}), named, said)


def _kind(case: Case, verdict: str, lines: set[int]) -> str:
    if not case.bug:
        return "alarm" if lines else "proved" if verdict == "valid" else verdict
    if case.fails in lines:
        return "found"
    return "elsewhere" if lines else "false valid" if verdict == "valid" else verdict
