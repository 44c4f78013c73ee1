"""Reports for people: `full` shows the source, `concise` one line a finding. Both end with what was and was not understood."""

from __future__ import annotations

import os
from collections import Counter

from tensorproof.app.program import Program
from tensorproof.diagnostics.diagnostic import Certainty, Diagnostic, Severity, Verdict
from tensorproof.diagnostics.span import Span

MOST_LETTERS = 4_000_000
"""How much of a file is read to show a line of it."""
MOST_SHOWN = 300
"""How much of a line is shown."""
MOST_REASON = 120
"""How much of a requirement that stays open is shown in the closing line."""
OF_THE_FILE = ("file/unreadable", "internal/failure")
"""Codes of findings that are about a file as a whole."""


def concise(programs: list[Program], quiet: bool = False) -> str:
    lines = [text for p in programs if (text := concise_of(p))]
    return "\n".join(lines if quiet else [*lines, summary(programs)])


def full(programs: list[Program], quiet: bool = False, verbose: bool = False) -> str:
    blocks = [text for p in programs if (text := full_of(p, verbose))]
    return "\n\n".join(blocks if quiet else [*blocks, summary(programs)])


def concise_of(program: Program) -> str:
    """The findings of one program, one line each."""
    return "\n".join(_head(d) for d in program.diagnostics)


def full_of(program: Program, verbose: bool = False) -> str:
    """The findings of one program with their source."""
    texts = {program.path: program.text.splitlines()} if program.text else {}
    blocks = ["\n".join(_block(d, program.path, texts)) for d in program.diagnostics]
    if verbose and program.gaps:
        notes = [f"{_place(g.span)}: not understood: {g.callee}{' (' + g.reason + ')' if g.reason else ''}" for g in program.gaps]
        blocks.append("\n".join(notes))
    if verbose and program.open:
        blocks.append("\n".join(f"{_place(g.span)}: may fail, depending on data [{g.callee}]: {g.reason}" for g in program.open))
    return "\n\n".join(blocks)


def _head(d: Diagnostic) -> str:
    return f"{_place(d.span, column=True)}: {d.severity.value}[{d.code}]: {d.message}"


def _place(span: Span, column: bool = False) -> str:
    """Where something is: a line of a file, or a node of a saved graph."""
    if span.node:
        return f"{span.path}: node {span.node}" if span.line <= 1 else f"{span.path}:{span.line}: node {span.node}"
    return f"{span.path}:{span.line}:{span.column}" if column else f"{span.path}:{span.line}"


def _line(span: Span, texts: dict[str, list[str]]) -> str:
    """The source line of a place; files other than the program itself are read when they are shown."""
    if span.path not in texts:
        try:
            regular = os.path.isfile(span.path)
            with open(span.path if regular else os.devnull, encoding="utf-8", errors="replace") as stream:
                texts[span.path] = stream.read(MOST_LETTERS).splitlines()
        except (OSError, ValueError):
            texts[span.path] = []
    lines = texts[span.path]
    line = lines[span.line - 1][:MOST_SHOWN] if 0 < span.line <= len(lines) else ""
    return "".join(c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in line)


def _block(d: Diagnostic, path: str, texts: dict[str, list[str]]) -> list[str]:
    if d.code in OF_THE_FILE:
        return [_head(d), f"   tensorproof explain {d.code}"]
    if d.span.node:
        return [*_node_block(d), _closing(d)]
    text = _line(d.span, texts)
    end = d.span.end_column if d.span.end_line == d.span.line else len(text) + 1
    carets = " " * min(d.span.column - 1, MOST_SHOWN) + "^" * max(1, min(end, MOST_SHOWN) - d.span.column)
    shown = [_head(d), f"{d.span.line:5} | {text}", f"      | {carets}"]
    for step in d.trail:
        where = "" if step.span.path == d.span.path else f"  ({step.span.path})"
        shown.append(f"{step.span.line:5} | {_line(step.span, texts)}    {step.message}{where}")
    return [*shown, _closing(d)]


def _node_block(d: Diagnostic) -> list[str]:
    """A finding at a node: its operation, with the nodes that its inputs come from."""
    return [_head(d), *([f"      | {d.label}"] if d.label else [])]


def _closing(d: Diagnostic) -> str:
    if d.severity is not Severity.ERROR:
        return f"   tensorproof explain {d.code}"
    mend = f" · fix: {d.fix}" if d.fix else ""
    return f"   {_when(d)}{mend} · tensorproof explain {d.code}"


def _when(d: Diagnostic) -> str:
    if d.certainty is Certainty.ALWAYS:
        return "fails for every input"
    if not d.witness:
        return "fails on a path that the program can take"
    return "fails when " + ", ".join(f"{k} = {v}" for k, v in d.witness.items())


def summary(programs: list[Program]) -> str:
    """One line: findings, what was proved, what was not understood."""
    errors = sum(d.severity is Severity.ERROR for p in programs for d in p.diagnostics)
    verdicts = Counter(p.verdict for p in programs)
    parts = [f"{_count(errors, 'error')} in {_count(len(programs), 'program')}"]
    nothing = programs and all(p.calls == 0 and p.verdict is Verdict.VALID for p in programs)
    parts.append("nothing to prove" if nothing else f"{_count(sum(p.paths['valid'] for p in programs), 'path')} proved")
    warnings = sum(d.severity is Severity.WARNING for p in programs for d in p.diagnostics)
    if warnings:
        parts.insert(1, _count(warnings, "warning"))
    ignored = sum(p.ignored for p in programs)
    if ignored:
        parts.append(f"{_count(ignored, 'finding')} ignored")
    every = [g for p in programs for g in p.gaps]
    causes = [g for g in every if not g.follows] or every
    gaps = Counter(g.callee for g in causes)
    first = {g.callee: g.span for g in reversed(causes)}
    if gaps:
        named = ", ".join(f"{callee} ({_place(first[callee])})" for callee, _ in gaps.most_common(3))
        rest = len(every) - len(causes)
        more = (" …" if len(gaps) > 3 else "") + (f", and {rest} that depend on them" if rest else "")
        parts.append(f"{_count(len(causes), 'call')} not understood: {named}{more}")
    elif verdicts[Verdict.UNKNOWN] > sum(d.code in OF_THE_FILE for p in programs for d in p.diagnostics):
        parts.append(_left_open(programs))
    regions = [f"{p.path} needs: {', '.join(p.region)}" for p in programs if p.region]
    return "\n".join([*regions, " · ".join(parts)])


def _left_open(programs: list[Program]) -> str:
    """What stays undecided though every call was understood."""
    left = [g for p in programs if p.verdict is Verdict.UNKNOWN for g in p.open]
    if not left:
        return "a size that only the data decides is left open, so nothing is proved there"
    named = ", ".join(f"{g.callee} ({_place(g.span)}: {_short(g.reason)})" for g in left[:2])
    return f"{_count(len(left), 'requirement')} left open, decided by data: {named}{' …' if len(left) > 2 else ''}"


def _short(text: str) -> str:
    return text if len(text) <= MOST_REASON else text[: MOST_REASON - 1] + "…"


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"
