"""The library tester on the installed libraries: speed, coverage, and campaigns from a cold start.

    python benchmarks/library.py speed [torch|tensorflow|keras] [--calls 3000]
    python benchmarks/library.py coverage torch --store FILE [--calls 90000] [--jobs 2] [--names 0:1500]      (about ten minutes on two cores)
    python benchmarks/library.py campaign torch --store FILE [--budget 1800] [--jobs 2] [--report DIR]

`speed`: pairs per second and core of the rules without compilation, and the time of jobs over the time inside the library's own calls. `coverage`: public
names on which rules ran with at least fifty valid calls, and the share of drawn calls that the library accepts; `--names` takes a part of the names, which
the seed draws. `campaign`: groups, and the share whose
script failed again in a fresh process.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from tensorproof.app.library import ENOUGH_CALLS, Asked, Report, library  # noqa: E402
from tensorproof.equivalence.api import apis  # noqa: E402
from tensorproof.equivalence.campaigns.campaign import EAGER, Budget, Campaign, Plan, run_job  # noqa: E402
from tensorproof.equivalence.campaigns.store import Store  # noqa: E402
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


def coverage(name: str, calls: int, seed: int, store: str, jobs: int, rules: tuple[str, ...], names: str) -> int:
    """The campaign alone: what differs is counted, not looked at."""
    kept = Store(store)
    with closing(Worker(name)) as worker:
        hello = worker.start()
    kept.agree({"library": name, "version": str(hello["version"]), "seed": seed, "apis": [names], "rules": list(rules)})
    plan = Plan(name, seed, drawn(name, names, seed), rules, hello["missing"])
    Campaign(plan, kept, Budget(calls=calls), jobs).run()
    totals, counts = kept.totals(), kept.counts()
    print(f"{totals['jobs']:,} jobs, {totals['pairs']:,} pairs of {totals['calls']:,} calls on {len({api for api, _ in counts})} names", end="; ")
    print(f"accepted {100 * totals['accepted'] / max(1, totals['calls']):.1f} % (asked: 90 %); {totals['seconds']:.0f} s in jobs")
    exercised("at least 50 valid calls", counts)
    exercised("the same, without rules that a name does not support", {k: c for k, c in counts.items() if c["unsupported"] < c["pairs"]})
    return 0


def drawn(name: str, names: str, seed: int) -> tuple[str, ...]:
    """The public names of a slice ("0:1500") of all, in an order that the seed draws; none, which means all, where no slice is asked for."""
    if not names:
        return ()
    shuffled = [api.name for api in apis(name)]
    Random(seed).shuffle(shuffled)
    first, last = map(int, names.split(":"))
    return tuple(shuffled[first:last])


def exercised(words: str, counts: Mapping[tuple[str, str], Counter[str]]) -> None:
    by = Counter(api for (api, _), counter in counts.items() if counter["calls"] >= ENOUGH_CALLS)
    two = sum(n >= 2 for n in by.values())
    print(f"public names, {words}, of one rule: {len(by)}; of two rules: {two} ({100 * two / max(1, len(by)):.0f} %)")
    print("  by rule:", dict(Counter(rule for (_, rule), counter in counts.items() if counter["calls"] >= ENOUGH_CALLS).most_common()))


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
    parser.add_argument("--names", default="", help="a slice of the public names in a drawn order, such as 0:1500")
    parser.add_argument("--report", default="")
    given = parser.parse_args()
    if given.what == "speed":
        return speed(given.library, given.calls, given.seed)
    if given.what == "coverage":
        return coverage(given.library, given.calls, given.seed, given.store, given.jobs, tuple(given.rule) or eager(given.library), given.names)
    return campaign(given.library, given.budget, given.seed, given.store, given.jobs, given.report)


if __name__ == "__main__":
    sys.exit(main())
