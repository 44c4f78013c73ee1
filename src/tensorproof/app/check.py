"""The use case of `tensorproof check`: read each program, run it along its paths, decide each."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter

from tensorproof.diagnostics.diagnostic import Diagnostic, Gap, Severity, Verdict
from tensorproof.engines.shapes.decide import decide
from tensorproof.frontends.python.explore import explore
from tensorproof.frontends.python.source import Source, read


@dataclass(slots=True)
class Program:
    """What was found out about one program."""

    path: str
    text: str
    verdict: Verdict
    paths: dict[str, int]
    calls: int
    gaps: list[Gap]
    seconds: float
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])


def check(paths: list[str]) -> list[Program]:
    """Check programs one by one. Every file is read before the first is checked, so that bad input is told at once."""
    return [check_source(source) for source in [read(path) for path in paths]]


def check_source(source: Source) -> Program:
    start = perf_counter()
    found = explore(source)
    counts = {v.value: 0 for v in (Verdict.VALID, Verdict.INVALID, Verdict.UNREACHABLE, Verdict.UNKNOWN)}
    findings: dict[tuple[str, object, str], Diagnostic] = {}
    gaps: dict[Gap, None] = {}
    for path in found.paths:
        verdict, diagnostics = decide(path)
        counts[verdict.value] += 1
        findings.update({(d.code, d.span, d.message): d for d in diagnostics})
        gaps.update(dict.fromkeys(path.gaps))
    errors = any(d.severity is Severity.ERROR for d in findings.values())
    whole = Verdict.INVALID if errors else Verdict.UNKNOWN if counts["unknown"] else Verdict.VALID
    shown = sorted(findings.values(), key=lambda d: (d.span.path, d.span.line, d.span.column))
    calls = max(path.calls for path in found.paths)
    return Program(source.path, source.text, whole, counts, calls, list(gaps), perf_counter() - start, shown)
