"""Programs in which something unseen stands before a certain bug: how many bugs are found at their line, alarms on the right programs, gaps named.

    python benchmarks/partial.py [--only WORD] [--list]           (from the root of the repository)

The programs are those of tests/partial; what each does was seen by running it with the package present (tests/partial/test_truth.py).
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.partial.programs import answer, cases


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="programs whose title holds this word")
    parser.add_argument("--list", action="store_true", help="show what is said of every program that is not found or not proved")
    options = parser.parse_args()
    counts: Counter[tuple[str, bool, str]] = Counter()
    unnamed = 0
    for case in cases():
        if options.only not in case.title:
            continue
        got = answer(case)
        counts[case.title.partition(":")[0], case.bug, got.kind] += 1
        unnamed += not got.named
        if got.kind not in ("found", "proved") and (options.list or case.bug or got.kind == "alarm"):
            print(f"{'wrong' if case.bug else 'right'} program, {got.kind}: {case.title} (fails at {case.fails})\n    {got.said[:400]}")
        elif not got.named:
            print(f"the gap is not named: {case.title}\n    {got.said[:400]}")
    print("\n| theme | with a bug | found | elsewhere | called valid | right | proved | alarms |\n|---|---|---|---|---|---|---|---|")
    for theme in [*sorted({key[0] for key in counts}), "all"]:
        of = {(bug, kind): sum(n for (t, b, k), n in counts.items() if theme in (t, "all") and (b, k) == (bug, kind)) for _, bug, kind in counts}
        bugs, right = (sum(n for (b, _), n in of.items() if b is bug) for bug in (True, False))
        found, elsewhere, missed = (of.get((True, kind), 0) for kind in ("found", "elsewhere", "false valid"))
        print(f"| {theme} | {bugs} | {found} | {elsewhere} | {missed} | {right} | {of.get((False, 'proved'), 0)} | {of.get((False, 'alarm'), 0)} |")
    print(f"\nprograms whose gap is not named: {unnamed}")
    return int(any(kind in ("alarm", "false valid", "elsewhere") for _, _, kind in counts))


if __name__ == "__main__":
    sys.exit(main())
