"""The reports of `tensorproof infer`."""

from __future__ import annotations

import json

from tensorproof.app.infer import Inferred, as_records
from tensorproof.diagnostics.diagnostic import Verdict
from tensorproof.reporters.as_json import diagnostic


def as_json(found: list[Inferred]) -> str:
    findings = [diagnostic(d) for i in found for d in i.diagnostics]
    return json.dumps({"version": 1, "diagnostics": findings, "results": as_records(found)}, indent=1, ensure_ascii=False)


def lines(found: list[Inferred], path: str) -> str:
    if not found:
        return f"{path} defines no module"
    shown: list[str] = []
    for one in found:
        if one.contract is not None:
            gaps = sum(len(p.gaps) for p in one.paths)
            shown.append(str(one.contract) + (f"   ({gaps} calls not understood)" if gaps else ""))
        elif one.verdict is Verdict.INVALID:
            why = one.diagnostics[0]
            place = f"{why.span.path}: node {why.span.node}" if why.span.node else f"{why.span.path}:{why.span.line}"
            shown.append(f"{one.module}: no input can work: {place}: {why.message} [{why.code}]")
        else:
            shown.append(f"{one.module}: no input was found that works; its inputs may be no tensors")
    return "\n".join(shown)
