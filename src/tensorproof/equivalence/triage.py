"""Triage: groups by root cause, each with a shrunk call and a script that was run in a fresh process."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import Any

from tensorproof.equivalence.api import Api, apis
from tensorproof.equivalence.campaigns.crashes import smaller
from tensorproof.equivalence.campaigns.store import Store
from tensorproof.equivalence.campaigns.worker import Death, Worker
from tensorproof.equivalence.grouping import CATEGORIES_OF, NOT_VALIDATED, grouped

SECONDS = 120.0
_DIFFERS = ("AssertionError", "GradcheckError")
MOST_SECONDS, LEAST_SECONDS, OF_SCRIPT = 20.0, 3.0, 5.0
"""For shrinking one finding, where time is limited: its share of what is left, less what its script takes."""
_FIRST = ("crash", "values", "raises")
"""Which groups are looked at first: what ends the process, then wrong numbers that nothing announces, then refusals."""
MOST_TRIED = 3
"""Findings of a group that are shrunk until the script of one holds up."""


def triage(
    store: Store, worker: Worker, jobs: int = 1, end: float | None = None, progress: Callable[[int, int], None] | None = None
) -> tuple[list[dict[str, Any]], int]:
    """All groups, and how many were not looked at before the end. Those that the store has with as many findings are taken from there."""
    names = {api.name: api for api in apis(worker.library)}
    kept = store.groups()
    groups = grouped(store.findings(), names)
    todo = [(name, found) for name, found in groups.items() if name not in kept or kept[name]["findings"] != len(found)]
    todo.sort(key=lambda entry: (_FIRST.index(entry[1][0]["kind"]), -len(entry[1]), entry[0]))
    workers = [worker, *(Worker(worker.library, worker.preload) for _ in range(min(jobs, len(todo)) - 1))]
    waiting = [len(todo)]
    free: queue.SimpleQueue[Worker] = queue.SimpleQueue()
    for one in workers:
        free.put(one)

    def look(entry: tuple[str, list[Mapping[str, Any]]]) -> dict[str, Any] | None:
        one = free.get()
        try:
            if end is not None and monotonic() > end:
                return None
            waiting[0] -= 1
            share = None if end is None else min(MOST_SECONDS, max(LEAST_SECONDS, len(workers) * (end - monotonic()) / (waiting[0] + 1) - OF_SCRIPT))
            return _group(*entry, one, names, share)
        finally:
            free.put(one)

    try:
        with ThreadPoolExecutor(len(workers)) as pool:
            for at, made in enumerate(pool.map(look, todo)):
                if made is not None:
                    store.keep_group(made["id"], made)
                if progress is not None:
                    progress(at + 1, len(todo))
    finally:
        for one in workers[1:]:
            one.close()
    found = [group for name, group in store.groups().items() if name in groups]
    return sorted(found, key=lambda g: (not g.get("documented", True), g["rule"], g["api"], g["id"])), len(groups) - len(found)


def shown(finding: dict[str, Any], preload: str = "") -> dict[str, Any]:
    """The finding with the first of its scripts that fails as it should in a fresh process."""
    found = {**finding, "script": "", "holds": False, "seen": ""}
    for script in finding["scripts"]:
        holds, seen = held(script, finding, preload)
        found |= {"script": script, "holds": holds, "seen": seen}
        if holds:
            break
    return found


def _group(name: str, findings: list[Mapping[str, Any]], worker: Worker, names: Mapping[str, Api], seconds: float | None) -> dict[str, Any]:
    best: dict[str, Any] = {}
    for finding in _varied(findings):
        answer = _shrunk(finding, names, worker, seconds)
        found = {**finding, "script": "", "holds": False, "seen": ""} if isinstance(answer, Death) else shown({**answer}, worker.preload)
        if not best or found["holds"]:
            best = found
        if best["holds"]:
            break
    if findings[0]["opinion"] == NOT_VALIDATED:
        best = {**best, "wrong_side": "left", "opinion": NOT_VALIDATED}
    by = Counter(f["rule"] for f in findings)
    return {
        "id": name, "rule": best["rule"], "category": CATEGORIES_OF.get(best["rule"], "plain call"), "api": best["api"], "kind": best["kind"],
        "wrong_side": best["wrong_side"], "symptom": best["symptom"], "words": best["words"], "opinion": best["opinion"], "script": best["script"],
        "holds": best["holds"], "seen": best["seen"], "findings": len(findings), "apis": sorted({f["api"] for f in findings}), "rules": dict(by),
        "pair": best["pair"], "number": best["number"], "about": best["about"],
        "documented": best.get("documented", True),
    }  # fmt: skip


def _shrunk(finding: Mapping[str, Any], names: Mapping[str, Api], worker: Worker, seconds: float | None) -> Mapping[str, Any] | Death:
    if finding["kind"] != "crash":
        return worker.ask({"shrink": dict(finding), "seconds": seconds})
    small = smaller(finding, names.get(finding["api"], Api(finding["api"], ())), worker, seconds)
    answer = worker.ask({"scripts": small})
    return answer if isinstance(answer, Death) else {**small, **answer}


def _varied(findings: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The first finding of each of a few names."""
    first: dict[str, Mapping[str, Any]] = {}
    for finding in findings:
        first.setdefault(finding["api"], finding)
    return list(first.values())[:MOST_TRIED]


def held(script: str, finding: Mapping[str, Any], preload: str = "") -> tuple[bool, str]:
    """Whether the script fails in a fresh process as the finding says, and its last words."""
    if not script:
        return False, ""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "reproducer.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"import {preload}\n{script}" if preload else script)
        environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
        try:
            run = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=SECONDS, cwd=folder, env=environment)
        except subprocess.TimeoutExpired:
            return finding["symptom"] == "hang", f"no end in {SECONDS:g} s"
    last = next((line for line in reversed(run.stderr.strip().splitlines()) if line.strip()), "") if run.returncode else ""
    if finding["kind"] == "crash":
        return run.returncode < 0 or (run.returncode > 0 and finding["symptom"] in run.stderr), f"signal {-run.returncode}" if run.returncode < 0 else last
    if finding["kind"] == "raises" and not finding["symptom"].startswith("left:"):
        error = finding["symptom"].split(": ")[1]
        return run.returncode > 0 and error in run.stderr.rpartition("\nTraceback")[2], last
    return run.returncode > 0 and any(word in run.stderr for word in _DIFFERS), last
