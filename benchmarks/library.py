"""The library tester on the installed libraries: speed, coverage, and campaigns from a cold start.

    python benchmarks/library.py speed [torch|tensorflow|keras] [--calls 3000]
    python benchmarks/library.py coverage torch --store FILE [--calls 90000] [--jobs 2]      (about ten minutes on two cores)
    python benchmarks/library.py campaign torch --store FILE [--budget 1800] [--jobs 2] [--report DIR]

`speed`: pairs per second and core of the rules without compilation, and the time of jobs over the time inside the library's own calls. `coverage`: public
names on which rules ran with at least fifty valid calls, and the share of drawn calls that the library accepts. `campaign`: groups, and the share whose
script failed again in a fresh process.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from tensorproof.app.library import Asked, Report, library  # noqa: E402
from tensorproof.equivalence.campaigns.campaign import EAGER, Plan, run_job  # noqa: E402
from tensorproof.equivalence.campaigns.worker import Worker  # noqa: E402
from tensorproof.equivalence.rules import rules_of  # noqa: E402
from tensorproof.reporters.library import by_rule, headline  # noqa: E402


def eager(name: str) -> tuple[str, ...]:
    return tuple(rule.name for rule in rules_of(name) if not rule.batched and rule.pairs is not None and not rule.subjects)


def speed(name: str, calls: int, seed: int) -> int:
    """In the processor's seconds of a worker: what others do on the machine does not count. The first job, which warms up, is left out."""
    worker = Worker(name)
    jobs = Plan(name, seed, rules=eager(name), missing=worker.start()["missing"]).lanes()[EAGER]
    run_job(worker, next(jobs))
    drawn, pairs, seconds, bare, spent = 0, 0, 0.0, 0.0, 0.0
    for job in jobs:
        before = worker.processor()
        result = run_job(worker, job)
        if result is None or any(f["kind"] == "crash" for f in result["findings"]):  # its worker is a new one
            continue
        spent += worker.processor() - before
        drawn, seconds, bare = drawn + result["calls"], seconds + result["seconds"], bare + result["bare"]
        pairs += sum(counter.get("pairs", 0) for counter in result["counts"].values())
        if drawn >= calls:
            break
    rate, cost = pairs / spent, seconds / bare
    print(f"{name} {worker.hello['version']}: {pairs:,} pairs of {drawn:,} calls; {seconds:.0f} s in jobs, {spent:.0f} s of the processor")
    worker.close()
    print(f"pairs per second of the processor: {rate:.0f} (asked: 50)\ncost over the bare calls: {cost:.2f} × (asked: 1.5)")
    return int(rate < 50 or cost > 1.5)


def coverage(name: str, calls: int, seed: int, store: str, jobs: int, rules: tuple[str, ...]) -> int:
    found = library(Asked(name, rules, calls=calls, seed=seed, store=store, jobs=jobs))
    one, two = found.exercised(1), found.exercised(2)
    print(headline(found))
    print(f"public names with at least 50 valid calls of a rule: {one}; of two rules: {two} ({100 * two / max(1, one):.0f} %)")
    table(found)
    return 0


def table(found: Report) -> None:
    print(f"{'rule':<24}{'names':>8}{'calls':>10}{'pairs':>10}{'agree':>10}{'findings':>10}{'unsupported':>12}")
    for rule, names, counter in by_rule(found):
        print(f"{rule:<24}{names:>8}{counter['calls']:>10}{counter['pairs']:>10}{counter['agree']:>10}{counter['finding']:>10}{counter['unsupported']:>12}")


def campaign(name: str, budget: float, seed: int, store: str, jobs: int, report: str) -> int:
    found = library(Asked(name, seconds=budget, seed=seed, store=store, jobs=jobs))
    groups = found.groups + found.doubtful
    print(headline(found))
    table(found)
    print(f"groups looked at: {len(groups)}; failed again in a fresh process: {len(found.groups)} ({100 * len(found.groups) / max(1, len(groups)):.0f} %)")
    print(f"not looked at before the end: {found.untried}")
    print("wrong side: ", dict(Counter(g["wrong_side"] or "not decided" for g in found.groups)), dict(Counter(g["kind"] for g in found.groups)))
    for group in found.groups:
        print(f"- {group['api']} [{group['rule']}] {group['kind']}: {group['words'][:160]}")
    if report:
        from tensorproof.cli.library import write

        write(report, found)
    return int(len(found.groups) < 15)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("speed", "coverage", "campaign"))
    parser.add_argument("library", nargs="?", default="torch")
    parser.add_argument("--calls", type=int, default=3000)
    parser.add_argument("--budget", type=float, default=1800.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--store", default=":memory:")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--rule", action="append", default=[])
    parser.add_argument("--report", default="")
    given = parser.parse_args()
    if given.what == "speed":
        return speed(given.library, given.calls, given.seed)
    if given.what == "coverage":
        return coverage(given.library, given.calls, given.seed, given.store, given.jobs, tuple(given.rule) or eager(given.library))
    return campaign(given.library, given.budget, given.seed, given.store, given.jobs, given.report)


if __name__ == "__main__":
    sys.exit(main())
