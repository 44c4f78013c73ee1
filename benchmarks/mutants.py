"""Seeded mutants of right PyTorch programs: which of those that fail under torch are found, and which of those that run get an alarm.

    python benchmarks/mutants.py [--minutes N] [--show missed,alarm,…] [--only WORDS] [--draw N] [--most N] [--kept FILE]

The programs are families of published models (`mutants_bases.py`) and the right ones with a module of tests/programs. Each mutant is one edit
(`mutants_edits.py`). What torch does with it under three seeds is kept in `mutants_truth.jsonl`; with `--minutes`, what is not yet in it is run for so long.
Exits with 1 when fewer than 95 % are found, fewer than 93 % of those at the failing statement, a failing one is called valid, or a running one gets an error.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]
from tests.attack import truth as running  # noqa: E402
from tests.attack.judge import Judged, judge  # noqa: E402
from tests.attack.worker import Worker  # noqa: E402

from mutants_bases import programs  # noqa: E402
from mutants_edits import edits  # noqa: E402
from tf_mutants_edits import Edit, apply  # noqa: E402

ROOT = Path(__file__).parent.parent
KEPT = Path(__file__).parent / "mutants_truth.jsonl"
PER_KIND = 2
"""Mutants of one kind from one program."""
PER_PROGRAM = 16
NOT_OURS = {"SyntaxError", "IndentationError", "MemoryError", "killed", "TimeoutError"}
COLUMNS = ("found", "elsewhere", "unknown", "missed", "proved", "open", "alarm")


@dataclass(frozen=True)
class Mutant:
    key: str
    base: str
    edit: Edit
    text: str
    old: str


def bases() -> Iterator[tuple[str, str]]:
    yield from programs()
    for path in sorted((ROOT / "tests/programs").glob("*.md")):
        if path.stem.startswith(("tf", "keras", "idioms_keras", "attacked", "module_files")):
            continue
        for section in path.read_text(encoding="utf-8").split("\n## ")[1:]:
            title, _, rest = section.partition("\n")
            code = rest.partition("```python\n")[2].partition("```")[0]
            marked = re.search(r"# (error|warning|gap|unknown)", code) or re.search(r"<!-- (data|vary|args):|```file", rest)
            foreign = re.search(r"tensorflow|keras|torchvision|einops|lightning|cuda|open\(|urllib|pandas|transformers", code)
            if not marked and not foreign and "nn.Module" in code and len(code.splitlines()) > 12:
                yield f"{path.stem}: {title.strip()}", code


def mutants(name: str, text: str, draw: int = 0, most: int = PER_PROGRAM) -> list[Mutant]:
    """The mutants of a program that are used: by the order of their keys (another for each draw), so that a new program or edit moves none of the others."""
    found: list[Mutant] = []
    for edit in edits(text):
        changed = apply(text, edit)
        try:
            compile(changed, name, "exec")
        except SyntaxError:
            continue
        key = hashlib.sha256(changed.encode()).hexdigest()[:16]
        found.append(Mutant(key, name, edit, changed, text[edit.start : edit.stop]))
    found.sort(key=lambda m: hashlib.sha256(f"{draw} {m.key}".encode()).hexdigest() if draw else m.key)
    kinds: Counter[str] = Counter()
    chosen: list[Mutant] = []
    for mutant in found:
        if kinds[mutant.edit.kind] < PER_KIND and len(chosen) < most:
            kinds[mutant.edit.kind] += 1
            chosen.append(mutant)
    return chosen


def known() -> dict[str, running.Truth]:
    if not KEPT.exists():
        return {}
    return {r["key"]: running.Truth(*r["truth"]) for r in map(json.loads, KEPT.read_text(encoding="utf-8").splitlines())}


def find_truth(wanted: list[tuple[str, str]], truth: dict[str, running.Truth], minutes: float) -> None:
    """Run what is not known yet, until the time is up; what was found is kept at once."""
    end = time.monotonic() + 60 * minutes
    worker = Worker()
    with KEPT.open("a", encoding="utf-8") as stream:
        for key, text in wanted:
            if time.monotonic() > end:
                break
            if key not in truth:
                outcome = worker.run(text)
                if "TimeoutError" in outcome.message:  # a compiler was cut off, and says so in words of its own
                    outcome = outcome._replace(exception="TimeoutError")
                truth[key] = outcome._replace(message=outcome.message[:120])
                stream.write(json.dumps({"key": key, "truth": truth[key]}) + "\n")
                stream.flush()
    worker.end()


def key_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def kind_of(judged: Judged, text: str) -> str:
    """The column of a mutant. Found: an error within the statement that fails."""
    if not judged.truth.crashes:
        return {"valid": "proved", "unknown": "open"}.get(judged.verdict, "alarm")
    if judged.verdict != "invalid":
        return "missed" if judged.verdict == "valid" else "unknown"
    lines = {judged.truth.line}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt) and not hasattr(node, "body") and node.lineno <= judged.truth.line <= (node.end_lineno or 0):
            lines |= set(range(node.lineno, (node.end_lineno or 0) + 1))
    said = {int(n) for n in re.findall(r"(?:^|; )(\d+): ", judged.said)}
    return "found" if lines & said else "elsewhere"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=0, help="run torch for what is not known yet")
    parser.add_argument("--show", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--draw", type=int, default=0, help="another set of mutants for each number")
    parser.add_argument("--most", type=int, default=PER_PROGRAM, help="mutants of one program")
    parser.add_argument("--part", default="0/1", help="K/N: every N-th program from the K-th on")
    parser.add_argument("--kept", default="", help="a file of columns by key: those that are there and right are not judged again")
    chosen = parser.parse_args()
    part, parts = map(int, chosen.part.split("/"))
    every = [(n, t) for i, (n, t) in enumerate(bases()) if chosen.only in n and i % parts == part]
    truth = known()
    if chosen.minutes:
        running.prepare()
        find_truth([(key_of(t), t) for _, t in every], truth, chosen.minutes)
    right = [(n, t) for n, t in every if (outcome := truth.get(key_of(t))) is not None and not outcome.crashes]
    drawn = sorted({m.key: m for n, t in right for m in mutants(n, t, chosen.draw, chosen.most)}.values(), key=lambda m: m.key)
    if chosen.minutes:
        find_truth([(m.key, m.text) for m in drawn], truth, chosen.minutes)
    drawn = [m for m in drawn if m.key in truth and truth[m.key].exception not in NOT_OURS]
    print(f"{len(every)} programs, {len(right)} of them run, {len(drawn)} mutants", flush=True)
    counts: dict[str, Counter[str]] = {}
    kept = Path(chosen.kept) if chosen.kept else None
    columns = dict(line.split() for line in kept.read_text().splitlines()) if kept and kept.exists() else {}
    for mutant in drawn:
        where = columns.get(mutant.key, "")
        if where not in ("found", "proved"):
            where = judged_and_shown(mutant, truth[mutant.key], chosen.show.split(","))
            if kept:
                with kept.open("a", encoding="utf-8") as stream:
                    stream.write(f"{mutant.key} {where}\n")
        counts.setdefault(mutant.edit.kind, Counter())[where] += 1
    return report(counts)


def judged_and_shown(mutant: Mutant, truth: running.Truth, shown: list[str]) -> str:
    """The column of a mutant, which is judged now."""
    judged = judge(mutant.text, truth)
    where = kind_of(judged, mutant.text)
    if where in shown:
        print(f"{where} {mutant.key} {mutant.base} | line {mutant.edit.line} {mutant.edit.kind}: {mutant.old!r} -> {mutant.edit.new!r}")
        print(f"    torch: {truth.exception} line {truth.line} {truth.message}\n    here: {judged.said[:300]}", flush=True)
    return where


def report(counts: dict[str, Counter[str]]) -> int:
    """The table by kind and the figures that count; 1 when one of them misses its target."""
    print(f"{'kind':20} {'all':>5} " + " ".join(f"{c:>9}" for c in COLUMNS))
    total: Counter[str] = Counter()
    for kind, row in sorted(counts.items(), key=lambda item: -item[1].total()):
        print(f"{kind:20} {row.total():5} " + " ".join(f"{row[c]:9}" for c in COLUMNS))
        total += row
    print(f"{'together':20} {total.total():5} " + " ".join(f"{total[c]:9}" for c in COLUMNS))
    failing, caught = sum(total[c] for c in ("found", "elsewhere", "unknown", "missed")), total["found"] + total["elsewhere"]
    ran = total["proved"] + total["open"] + total["alarm"]
    placed = f"{total['found'] / max(caught, 1):.1%} of those at the failing statement"
    print(f"{failing} fail: {caught / max(failing, 1):.1%} found, {placed}, {total['missed']} called valid")
    print(f"{ran} run: {total['alarm']} false alarms, {total['proved'] / max(ran, 1):.1%} proved; {len(counts)} kinds")
    return int(caught < 0.95 * failing or total["found"] < 0.93 * caught or total["missed"] > 0 or total["alarm"] > 0)


if __name__ == "__main__":
    sys.exit(main())
