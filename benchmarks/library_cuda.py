"""The CPU against a GPU, over all public names of torch: names compared, and groups of differences, each run again in a fresh process.

    PYTHONPATH=src python benchmarks/library_cuda.py [--device cuda] [--store FILE] [--seconds 300] [--workers 8] [--seed 7] [--apis GLOB ...]

It needs torch, NumPy and a copy of this tree; nothing is installed. It is a campaign of the rule `cuda` alone (`tensorproof library` reads its store), which
stops after `--seconds`; a further run goes on with the store. Groups are shrunk and their reproducers run after that, for `--triage` seconds at most.
`--device cpu` compares the CPU with itself, which must find nothing: a test of this script where no GPU is. `--patch` names a module that puts a bug in.
"""

from __future__ import annotations

import argparse
import os
import queue
import threading
from collections import Counter
from collections.abc import Mapping
from time import monotonic
from typing import Any

from tensorproof.equivalence.api import apis
from tensorproof.equivalence.campaigns import campaign
from tensorproof.equivalence.campaigns.campaign import Budget, Campaign, Plan
from tensorproof.equivalence.campaigns.store import Store
from tensorproof.equivalence.campaigns.worker import Death, Worker
from tensorproof.equivalence.grouping import grouped
from tensorproof.equivalence.triage import shown

PRELOAD = "library_cuda_worker"
OFTEN = 50
WIDEST = 600
"""Characters of a line of a script that are printed."""
Group = tuple[str, list[Mapping[str, Any]]]


def run(arguments: argparse.Namespace, store: Store) -> str:
    """The campaign; gives the library's version."""
    probe = Worker("torch", PRELOAD)
    hello = probe.start()
    probe.close()
    if why := hello["missing"].get("cuda"):
        raise SystemExit(why)
    plan = Plan("torch", arguments.seed, tuple(arguments.apis), ("cuda",))
    store.agree({"library": "torch", "version": hello["version"], "seed": arguments.seed, "device": arguments.device})
    Campaign(plan, store, Budget(seconds=arguments.seconds), arguments.workers, PRELOAD).run()
    return str(hello["version"])


class Triage:
    """Shrinks the groups and runs their scripts, several at a time."""

    def __init__(self, groups: list[Group], workers: int, seconds: float, patch: str) -> None:
        self.waiting: queue.SimpleQueue[Group] = queue.SimpleQueue()
        for group in groups:
            self.waiting.put(group)
        self.made: dict[str, dict[str, Any]] = {}
        self.end, self.patch = monotonic() + seconds, patch
        self.threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(min(workers, len(groups)))]

    def run(self) -> dict[str, dict[str, Any]]:
        for thread in self.threads:
            thread.start()
        for thread in self.threads:
            thread.join(max(0.0, self.end + 30 - monotonic()))
        return self.made

    def _serve(self) -> None:
        worker = Worker("torch", PRELOAD)
        while monotonic() < self.end:
            try:
                name, findings = self.waiting.get_nowait()
            except queue.Empty:
                break
            answer = worker.ask({"shrink": dict(findings[0])})
            self.made[name] = {**findings[0], "script": "", "holds": False, "seen": ""} if isinstance(answer, Death) else shown({**answer}, self.patch)
        worker.close()


def report(store: Store, arguments: argparse.Namespace) -> None:
    totals, counts = store.totals(), store.counts()
    verdicts: Counter[str] = Counter()
    for count in counts.values():
        verdicts.update(count)
    calls = {api: count["calls"] for (api, _), count in counts.items() if count["calls"]}
    often = sum(1 for n in calls.values() if n >= OFTEN)
    print(f"{len(calls)} names compared ({often} with at least {OFTEN} calls); {totals['calls']} calls drawn, {totals['accepted']} taken by the CPU")
    print(f"{totals['seconds']:.0f} s in workers, {totals['bare']:.0f} s of them in torch, {totals['pairs']} pairs")
    print(", ".join(f"{n} {verdict}" for verdict, n in verdicts.most_common() if verdict != "calls"))
    refused = Counter(finding["symptom"] for finding in store.findings("unsupported"))
    print(f"\n## not supported on the device: {len(refused)} messages")
    print("\n".join(f"- {n} × {symptom}" for symptom, n in refused.most_common(arguments.most)))
    names = {api.name: api for api in apis("torch")}
    groups = list(grouped(store.findings(), names).items())
    made = Triage(groups, arguments.workers, arguments.triage, arguments.patch).run()
    for name, findings in groups:
        if name in made:
            store.keep_group(name, {**made[name], "id": name, "findings": len(findings), "apis": sorted({f["api"] for f in findings})})
    print(f"\n## {len(groups)} groups, {len(made)} run again, {sum(g['holds'] for g in made.values())} hold up in a fresh process")
    for name, findings in groups:
        _print_group(findings, made.get(name))


def _print_group(findings: list[Mapping[str, Any]], again: dict[str, Any] | None) -> None:
    shown = again or findings[0]
    names = sorted({finding["api"] for finding in findings})
    print(f"\n### {', '.join(names[:6])}{f' and {len(names) - 6} more' if len(names) > 6 else ''}: {shown['symptom']} ({len(findings)} findings)")
    print(f"{shown['words']}\nthird opinion: {shown['wrong_side'] or 'no'} side is wrong; {shown['opinion']}")
    if again is not None:
        print(f"again: {'holds up' if again['holds'] else 'does not hold up'}; {again['seen'][:200]}")
        print("```python\n" + "\n".join(line[:WIDEST] for line in again["script"].splitlines()) + "\n```")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--store", default="library_cuda.sqlite")
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--triage", type=float, default=150.0)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--apis", nargs="*", default=[])
    parser.add_argument("--patch", default="")
    parser.add_argument("--most", type=int, default=60, help="messages of calls that are not supported, at most")
    arguments = parser.parse_args()
    campaign.MOST_DEATHS = 2  # a new worker loads torch and CUDA, which takes ten seconds
    os.environ.update(TENSORPROOF_DEVICE=arguments.device, TENSORPROOF_PATCH=arguments.patch)
    store = Store(arguments.store)
    version = run(arguments, store)
    print(f"torch {version}, the CPU = {arguments.device}, seed {arguments.seed}, {arguments.seconds:.0f} s with {arguments.workers} workers")
    report(store, arguments)
    store.close()


if __name__ == "__main__":
    main()
