"""`# tensorproof: ignore[code, …]` beside a line takes its findings out, as `--ignore` does; a comment that takes nothing out is noted."""

from __future__ import annotations

import re
from collections.abc import Callable

from tensorproof.app.program import Program
from tensorproof.diagnostics.diagnostic import Diagnostic, Severity, Verdict
from tensorproof.diagnostics.span import Span

_COMMENT = r"#\s*tensorproof:\s*ignore(?:\[([\w/,\s-]*)\])?"


def leave_out(program: Program, chosen: Callable[[str], bool]) -> None:
    """Take out what comments and options ignore, count it, and take the verdict from what is left."""
    kept = [d for d in suppressed(program.path, program.text, program.diagnostics) if chosen(d.code)]
    left = set(map(id, kept))
    program.ignored = sum(id(d) not in left for d in program.diagnostics)
    program.diagnostics = kept
    if program.ignored and program.verdict is Verdict.INVALID and not any(d.severity is Severity.ERROR for d in kept):
        program.verdict = program.without_errors
        program.gaps += program.later
        counts = program.paths
        counts[program.verdict.value], counts["invalid"] = counts[program.verdict.value] + counts["invalid"], 0


def suppressed(path: str, text: str, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """The findings that no comment takes out, and a note for every comment that takes out none."""
    if "tensorproof" not in text:
        return diagnostics
    comments = {i: m for i, line in enumerate(text.splitlines(), 1) if (m := re.search(_COMMENT, line))}
    used: set[int] = set()
    kept: list[Diagnostic] = []
    for found in diagnostics:
        comment = comments.get(found.span.line) if found.span.path == path else None
        if comment is not None and _takes(comment[1], found.code):
            used.add(found.span.line)
        else:
            kept.append(found)
    for line, comment in comments.items():
        if line not in used:
            span = Span(path, line, comment.start() + 1, line, comment.end() + 1)
            kept.append(Diagnostic("suppression/unused", Severity.NOTE, "this comment suppresses nothing", span))
    return kept


def _takes(codes: str | None, code: str) -> bool:
    return codes is None or any(code == c.strip() or code.startswith(c.strip() + "/") for c in codes.split(",") if c.strip())


def ignored_on(text: str, line: int, code: str) -> bool:
    """Whether a comment on this line takes out findings of this code."""
    lines = text.splitlines() if "tensorproof" in text else []
    comment = re.search(_COMMENT, lines[line - 1]) if 0 < line <= len(lines) else None
    return comment is not None and _takes(comment[1], code)
