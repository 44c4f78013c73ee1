"""The small programs of ../shared/soundness against their truth: false valids, false alarms, crashing ones found, running ones proved.

    python benchmarks/soundness.py [--list] [--jobs N] [FOLDER]

`truth.tsv` in the folder says of each program whether it crashes under the real libraries. Prints four figures with their targets, with
--list also the programs on which we are wrong or unsure; ends with status 1 when a target is missed.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tensorproof.app.check import check_source
from tensorproof.diagnostics.diagnostic import Severity
from tensorproof.frontends.python.modules.source import parse

FOLDER = Path(__file__).resolve().parents[1].parent / "shared" / "soundness"
FOUND, PROVED = 0.95, 0.93  # the shares of crashing programs that must be found and of running ones that must be proved
RIGHT = {"crash": "invalid", "ok": "valid"}


@dataclass(frozen=True, slots=True)
class Judged:
    file: str
    truth: str
    verdict: str
    why: str
    mechanism: str


def judge(folder: Path, row: dict[str, str]) -> Judged:
    try:
        program = check_source(parse(row["file"], (folder / row["file"]).read_text(encoding="utf-8")))
        errors = [f"{d.span.line}: {d.message}" for d in program.diagnostics if d.severity is Severity.ERROR]
        verdict, why = program.verdict.value, "; ".join(errors or [f"{gap.span.line}: {gap.callee}" for gap in program.gaps])
    except Exception as error:  # a failure of our own is shown as a verdict of its own, and is never right
        verdict, why = "internal", f"{type(error).__name__}: {error}"
    return Judged(row["file"], row["truth"], verdict, why, row["mechanism"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--list", action="store_true", help="list the programs on which the verdict is wrong or unknown")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    with (asked.folder / "truth.tsv").open(encoding="utf-8") as table:
        rows = [row for row in csv.DictReader(table, delimiter="\t") if row["file"].endswith(".py")]
    counts: Counter[tuple[str, str]] = Counter()
    with ProcessPoolExecutor(asked.jobs) as pool:
        for judged in pool.map(partial(judge, asked.folder), rows, chunksize=8):
            counts[judged.truth, judged.verdict] += 1
            if asked.list and RIGHT[judged.truth] != judged.verdict:
                print(judged.file, judged.truth, judged.verdict, judged.why[:160], judged.mechanism[:50], sep="\t")
    crash, ok = (sum(count for (truth, _), count in counts.items() if truth == which) for which in ("crash", "ok"))
    false_valid, false_alarm = counts["crash", "valid"], counts["ok", "invalid"]
    found, proved, internal = counts["crash", "invalid"] / crash, counts["ok", "valid"] / ok, counts["crash", "internal"] + counts["ok", "internal"]
    print(f"{len(rows)} programs: {crash} crash, {ok} run")
    print(f"false valid      {false_valid:4}           (target 0)")
    print(f"false alarms     {false_alarm:4}           (target 0)")
    print(f"crashing, found  {counts['crash', 'invalid']:4}  {found:6.1%}   (target {FOUND:.0%})")
    print(f"running, proved  {counts['ok', 'valid']:4}  {proved:6.1%}   (target {PROVED:.0%})")
    if internal:
        print(f"failures of our own: {internal}")
    return int(bool(false_valid or false_alarm or internal or found < FOUND or proved < PROVED))


if __name__ == "__main__":
    sys.exit(main())
