"""The attack: programs of every area, the verdict beside the truth, wrong ones kept and made small.

    python -m tests.attack.run --programs 20000 --seed N [--area A] [--keep FOLDER] [--minutes M] [--show KIND] [--truths FILE]

Exits with 1 when a program that crashes is called valid or one that runs gets an error.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import sys
import time
from collections import Counter
from pathlib import Path

from tests.attack import truth
from tests.attack.areas import AREAS, Area
from tests.attack.drawing import program
from tests.attack.judge import KINDS, Judged, judge
from tests.attack.minimise import minimise
from tests.attack.stored import Stored
from tests.attack.worker import Worker

UNJUDGED = ("TimeoutError", "killed")
"""Programs that end by the machine tell nothing."""
WRONG = ("false valid", "false alarm")


def attack(area: Area, seeds: range, salt: int, stored: Stored, until: float = float("inf")) -> list[Judged]:
    """So many programs of an area, judged; a wrong verdict is tried again with the truth of a process of its own, and with more seeds."""
    worker = Worker()
    found: list[Judged] = []
    for number in seeds:
        if time.monotonic() > until:
            break
        text = program(area.draw, f"{area.name} {salt} {number}")
        known = stored.get(text, "alone" if area.isolated else "", truth.run if area.isolated else worker.run)
        if known.exception in UNJUDGED:
            continue
        judged = judge(text, known)
        if judged.kind in WRONG:
            known = stored.get(text, "many seeds", truth.run_often)
            if known.exception in UNJUDGED:
                continue
            judged = judge(text, known)
        found.append(judged)
    worker.end()
    return found


def signature(judged: Judged) -> tuple[str, ...]:
    """What wrong programs of one cause have alike."""
    lines = judged.text.splitlines()
    line = lines[judged.truth.line - 1] if 0 < judged.truth.line <= len(lines) else ""
    words = judged.truth.message if judged.kind == "false valid" else judged.said.partition(": ")[2]
    return judged.kind, judged.truth.exception, re.sub(r"\d+", "0", line.strip() if judged.kind != "false alarm" else ""), re.sub(r"\d+", "0", words)[:40]


def keep(folder: Path, area: Area, judged: list[Judged], shown: set[str]) -> None:
    """Write one small program for each cause."""
    seen: Counter[tuple[str, ...]] = Counter()
    for one in judged:
        if one.kind not in shown:
            continue
        seen[signature(one)] += 1
        if seen[signature(one)] > 1 or len(seen) > 25:
            continue
        small = minimise(one)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{area.name}_{one.kind.replace(' ', '_')}_{len(seen)}.py"
        words = f"{small.truth.exception} at {small.truth.line}: {small.truth.message[:120]!r}; said {small.said[:200]!r}"
        path.write_text(f"# {small.kind}: {words}\n{small.text}", encoding="utf-8")
        print(f"--- {path.name}: {words}\n{small.text}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=int, default=20_000)
    parser.add_argument("--each", type=int, default=0, help="so many programs of each area, in place of a share")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--area", default="", help="one area, or several with commas")
    parser.add_argument("--keep", default="", help="a folder for small wrong programs")
    parser.add_argument("--show", default=",".join(WRONG), help="which kinds are kept")
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--text", type=int, default=None, help="print the program of this number and stop")
    parser.add_argument("--truths", default="", help="a file that keeps truths, so that the next run costs only the checks")
    chosen = parser.parse_args()
    asked = [a for a in AREAS if not chosen.area or a.name in chosen.area.split(",")]
    areas = [a for a in asked if importlib.util.find_spec(a.needs)]
    if left_out := [a.name for a in asked if a not in areas]:
        print(f"left out, since their library is not installed: {', '.join(left_out)}")
    if chosen.text is not None:
        print(program(areas[0].draw, f"{areas[0].name} {chosen.seed} {chosen.text}"))
        return 0
    stored = Stored(chosen.truths)
    until = time.monotonic() + 60 * chosen.minutes
    weight_sum = sum(a.share for a in areas)
    total: Counter[str] = Counter()
    print(f"{'area':14} {'programs':>8} {'crash':>6} " + " ".join(f"{k:>11}" for k in KINDS), flush=True)
    for area in areas:
        truth.prepare(area.tensorflow)  # TensorFlow comes last: with its threads, torch's backward does not end in a forked process
        count = chosen.each or max(1, round(chosen.programs * area.share / weight_sum))
        judged = attack(area, range(count), chosen.seed, stored, until)
        row = Counter(j.kind for j in judged)
        row["crash"] = sum(j.truth.crashes for j in judged)
        print(f"{area.name:14} {len(judged):8} {row['crash']:6} " + " ".join(f"{row[k]:11}" for k in KINDS), flush=True)
        total += row + Counter(programs=len(judged))
        if chosen.keep:
            keep(Path(chosen.keep), area, judged, set(chosen.show.split(",")))
    print(f"{'together':14} {total['programs']:8} {total['crash']:6} " + " ".join(f"{total[k]:11}" for k in KINDS))
    print(f"decided: {1 - total['unknown'] / max(total['programs'], 1):.1%}")
    return int(any(total[k] for k in WRONG))


if __name__ == "__main__":
    sys.exit(main())
