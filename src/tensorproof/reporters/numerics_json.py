"""The JSON report of `tensorproof numerics`, version 1."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from tensorproof.app.numerics.report import ORDER, Report
from tensorproof.engines.numerics.records import Operation
from tensorproof.reporters.as_json import diagnostic

if TYPE_CHECKING:
    from tensorproof.app.numerics.fixes import Fix
    from tensorproof.app.numerics.preconditions import Precondition


def as_json(found: Report, quiet: bool = False, verbose: bool = False) -> str:
    report = {
        "version": 1,
        "path": found.path,
        "diagnostics": [diagnostic(d) for d in found.diagnostics],
        "results": [_result(one) for one in found.operations],
        "fixes": [{"codes": list(f.codes), "message": f"{_joined(f.old)} → {_joined(f.new)}", "edits": [_edit(f)]} for f in found.fixes],
        "preconditions": [_precondition(p) for p in found.preconditions],
        "totals": {verdict: found.count(verdict) for verdict in ORDER},
        "assumptions": [{"about": a.about, "range": [_number(a.range.lo), _number(a.range.hi)], "reason": a.reason} for a in found.assumptions],
        "sizes": found.sizes,
        "shapes": found.shapes,
        "coverage": {
            "operators": found.applied,
            "not_analysed": found.left,
            "unbounded": dict(found.unbounded),
            "gaps": [{"callee": g.callee, "line": g.span.line, "reason": g.reason} for g in found.gaps],
        },
        "seconds": round(found.seconds, 6),
    }
    return json.dumps(report, indent=1, ensure_ascii=False)


def _result(one: Operation) -> dict[str, Any]:
    return {
        "node": one.span.node or None, "op": one.op, "spelling": one.spelling, "code": one.code, "verdict": one.verdict,
        "operand": [_number(end) for end in one.operand], "needed": one.needed, "yields": one.yields,
        "path": one.span.path, "line": one.span.line, "column": one.span.column, "cause": ", ".join(one.cause),
    }  # fmt: skip


def _edit(f: Fix) -> dict[str, Any]:
    """Whole lines; columns count from 1."""
    last = f.line + len(f.old) - 1
    return {"path": f.path, "line": f.line, "column": 1, "end_line": last, "end_column": len(f.old[-1]) + 1 if f.old else 1, "text": "\n".join(f.new)}


def _precondition(p: Precondition) -> dict[str, Any]:
    safe = [{"code": one.code, "line": one.span.line, "node": one.span.node or None} for one in p.operations]
    return {"name": p.name, "range": [p.range.lo, p.range.hi], "makes_safe": safe}


def _joined(lines: tuple[str, ...]) -> str:
    return "; ".join(line.strip() for line in lines)


def _number(value: float) -> float | None:
    """A number of JSON, which has no infinity: an end that is not one is null."""
    return value if math.isfinite(value) else None
