"""The verdict of a program beside its truth."""

from __future__ import annotations

from typing import NamedTuple

from tensorproof.app.check import check_source
from tensorproof.diagnostics.diagnostic import Severity
from tensorproof.frontends.python.modules.source import parse
from tests.attack.truth import FILE, Truth

KINDS = ("right", "unknown", "elsewhere", "false valid", "false alarm")
"""`elsewhere`: a crash that is found, but not at the line where it happens."""


class Judged(NamedTuple):
    text: str
    truth: Truth
    verdict: str
    said: str
    kind: str


def judge(text: str, truth: Truth) -> Judged:
    program = check_source(parse(FILE, text))
    verdict = program.verdict.value
    errors = [d for d in program.diagnostics if d.severity is Severity.ERROR]
    said = "; ".join(f"{d.span.line}: {d.code} {d.message}" for d in errors) or "; ".join(f"{g.span.line}: {g.callee} {g.reason}" for g in program.gaps)
    return Judged(text, truth, verdict, said, _kind(truth, verdict, {d.span.line for d in errors}))


def _kind(truth: Truth, verdict: str, lines: set[int]) -> str:
    if verdict == "unknown":
        return "unknown"
    if verdict == "valid":
        return "false valid" if truth.crashes else "right"
    if not truth.crashes:
        return "false alarm"
    return "right" if truth.line in lines else "elsewhere"
