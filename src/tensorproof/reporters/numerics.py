"""Reports of `tensorproof numerics`: a table of the operations that can go wrong, the totals, and every assumption that was used."""

from __future__ import annotations

import json
import math
from collections import Counter
from textwrap import dedent
from typing import Any

from tensorproof.app.numeric_fixes import Fix
from tensorproof.app.numeric_preconditions import Precondition
from tensorproof.app.numerics import Report
from tensorproof.diagnostics.span import Span
from tensorproof.engines.numerics.records import Operation
from tensorproof.reporters.as_json import diagnostic

MOST_CAUSES = 3
MOST_WIDE = 60
"""How wide a cell of the table is at most."""
VERDICTS = ("unsafe", "possible", "unknown", "safe")


def as_json(found: Report, quiet: bool = False, verbose: bool = False) -> str:
    report = {
        "version": 1,
        "path": found.path,
        "diagnostics": [diagnostic(d) for d in found.diagnostics],
        "results": [_result(one) for one in found.operations],
        "fixes": [{"codes": list(f.codes), "message": f"{_joined(f.old)} → {_joined(f.new)}", "edits": [_edit(f)]} for f in found.fixes],
        "preconditions": [_precondition(p) for p in found.preconditions],
        "totals": {verdict: found.count(verdict) for verdict in VERDICTS},
        "assumptions": [{"about": a.about, "range": [_number(a.range.lo), _number(a.range.hi)], "reason": a.reason} for a in found.assumptions],
        "sizes": found.sizes, "shapes": found.shapes,
        "coverage": {
            "operators": found.applied,
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
    """A number of JSON, which has no infinity: an end that is none is null."""
    return value if math.isfinite(value) else None


def concise(found: Report, quiet: bool = False, verbose: bool = False) -> str:
    lines = [f"{_place(d.span, column=True)}: {d.severity.value}[{d.code}]: {d.message}" for d in found.diagnostics]
    return "\n".join(lines if quiet else [*lines, summary(found)])


def full(found: Report, quiet: bool = False, verbose: bool = False) -> str:
    shown = [one for one in found.operations if verbose or one.verdict in ("unsafe", "possible")]
    blocks = [_table(shown)] if shown else []
    if found.fixes:
        blocks.append("\n".join(["proved safe after these changes:", *(line for f in found.fixes for line in _fix(f))]))
    if found.preconditions:
        blocks.append("\n".join(["proved safe with a narrower input (--range NAME=LO:HI):", *map(_narrower, found.preconditions)]))
    if not quiet:
        blocks += [text for text in (_assumptions(found), _not_followed(found, verbose), summary(found)) if text]
    return "\n\n".join(blocks)


def _fix(f: Fix) -> list[str]:
    """A change as lines that go and lines that come."""
    return [f"  {f.place}  [{', '.join(f.codes)}]", *(f"    - {line.strip()}" for line in f.old), *(f"    + {line}" for line in _dedented(f.new))]


def _narrower(p: Precondition) -> str:
    places = [f"{_place(one.span)} [{one.code}]" for one in p.operations]
    rest = len(places) - MOST_CAUSES
    return f"  {p.name} in {p.range}: {', '.join(places[:MOST_CAUSES])}" + (f" and {rest} more" if rest > 0 else "")


def _dedented(lines: tuple[str, ...]) -> list[str]:
    return dedent("\n".join(lines)).splitlines()


def _table(operations: list[Operation]) -> str:
    head = ("verdict", "place", "operation", "operand", "needed", "yields", "comes from")
    rows = [
        (one.verdict, _place(one.span), f"{one.spelling} [{one.code}]", _interval(one.operand), one.needed, one.yields, _causes(one)) for one in operations
    ]
    widths = [min(MOST_WIDE, max(len(row[i]) for row in [head, *rows])) for i in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in [head, tuple("-" * w for w in widths), *rows]]
    return "\n".join(lines)


def _interval(ends: tuple[float, float]) -> str:
    return f"[{ends[0]:.6g}, {ends[1]:.6g}]"


def _causes(one: Operation) -> str:
    rest = len(one.cause) - MOST_CAUSES
    return ", ".join(one.cause[:MOST_CAUSES]) + (f" and {rest} more" if rest > 0 else "")


def _assumptions(found: Report) -> str:
    lines = [f"  {a.about} in {a.range}: {a.reason}" for a in found.assumptions]
    lines += [f"  {name} = {size}: a size that is left open" for name, size in found.sizes.items()]
    lines += [f"  {name}: {text}" for name, text in found.shapes.items()]
    return "\n".join(["assumed:", *lines]) if lines else ""


def _not_followed(found: Report, verbose: bool) -> str:
    lines = [f"  operator {name}, {count} {_times(count)}: no rule for its bounds" for name, count in found.unbounded.most_common(None if verbose else 3)]
    gaps = Counter((g.callee, g.reason) for g in found.gaps)
    for (callee, reason), count in gaps.most_common(None if verbose else 3):
        lines.append(f"  {callee}, {count} {_times(count)}: {reason or 'not understood'}")
    return "\n".join(["not followed:", *lines]) if lines else ""


def _times(count: int) -> str:
    return "time" if count == 1 else "times"


def _place(span: Span, column: bool = False) -> str:
    if span.node:
        return f"{span.path}: node {span.node}" if column else span.node
    return f"{span.path}:{span.line}:{span.column}" if column else f"{span.path}:{span.line}"


def summary(found: Report) -> str:
    """The totals in one line."""
    counts = {verdict: found.count(verdict) for verdict in VERDICTS}
    parts = [f"{len(found.operations)} operations can go wrong", f"{counts['safe']} proved safe"]
    parts += [f"{counts[verdict]} {verdict}" for verdict in ("possible", "unsafe")]
    if counts["unknown"]:
        parts.append(f"{counts['unknown']} not analysed")
    if not found.operations:
        parts = ["no operation that can go wrong was found" if found.gaps or found.unbounded or not found.finished else "no operation can go wrong here"]
    if found.gaps:
        parts.append(f"{len(found.gaps)} {'call' if len(found.gaps) == 1 else 'calls'} not understood")
    if not found.finished:
        parts.append("the time limit was reached")
    return " · ".join(parts)
