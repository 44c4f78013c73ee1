"""The JSON report, version 1."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from tensorproof.app.program import Program
from tensorproof.diagnostics.diagnostic import Diagnostic


def render(programs: list[Program], arguments: tuple[str, ...] = ()) -> str:
    report = {
        "version": 1,
        "programs": [_program(p, arguments) for p in programs],
        "diagnostics": [diagnostic(d) for p in programs for d in p.diagnostics],
    }
    return json.dumps(report, indent=1, ensure_ascii=False)


def _program(program: Program, arguments: tuple[str, ...]) -> dict[str, Any]:
    counts = Counter((gap.callee, gap.span.line) for gap in program.gaps)
    gaps = [{"callee": callee, "line": line, "count": count} for (callee, line), count in counts.items()]
    open_ = [{"code": g.callee, "path": g.span.path, "line": g.span.line, "message": g.reason} for g in program.open]
    return {
        "path": program.path, "args": list(arguments), "verdict": program.verdict.value, "paths": program.paths, "ignored": program.ignored,
        "coverage": {"calls": program.calls, "gaps": gaps, "open": open_}, "seconds": round(program.seconds, 6),
        **({"region": program.region} if program.region else {}),
    }  # fmt: skip


def diagnostic(d: Diagnostic) -> dict[str, Any]:
    span = d.span
    return {
        "code": d.code, "severity": d.severity.value, "message": d.message,
        "path": span.path, "line": span.line, "column": span.column, "end_line": span.end_line, "end_column": span.end_column,
        "certainty": d.certainty.value, "witness": d.witness,
        "trail": [{"path": s.span.path, "line": s.span.line, "message": s.message, **({"node": s.span.node} if s.span.node else {})} for s in d.trail],
        **({"node": span.node} if span.node else {}),
        "fix": {"message": d.fix, "edits": []} if d.fix else None,
    }  # fmt: skip
