"""The use case of `tensorproof check`: read each program, run it through the front end, decide it."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter

from tensorproof.diagnostics.diagnostic import Diagnostic, Gap, Verdict
from tensorproof.engines.shapes.decide import decide
from tensorproof.frontends.python.interpreter import Interpreter
from tensorproof.frontends.python.source import read


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
    sources = [read(path) for path in paths]
    results: list[Program] = []
    for source in sources:
        start = perf_counter()
        path = Interpreter(source).run()
        verdict, findings = decide(path)
        counts = {v.value: int(v is verdict) for v in (Verdict.VALID, Verdict.INVALID, Verdict.UNREACHABLE, Verdict.UNKNOWN)}
        results.append(Program(source.path, source.text, verdict, counts, path.calls, path.gaps, perf_counter() - start, findings))
    return results
