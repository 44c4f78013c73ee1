"""`tensorproof check` on reduced programs whose truth is known: `../shared/cases`, or any folder with a `truth.tsv` (file, truth `ok` or `crash`).

    python benchmarks/cases.py [FOLDER] [--all] [--jobs N]

A wrong answer is an error on a program that runs, or `valid` for one that crashes. A file that only defines things runs as it stands whatever it
defines, so an error in what it defines is counted apart. Exits with 1 when an answer is wrong, or when more than 5 are unknown.
"""

from __future__ import annotations

import argparse
import ast
import csv
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
MOST_UNKNOWN = 5


def answer(folder: Path, file: str) -> tuple[str, str]:
    """The verdict of a program, checked from its own project folder, and why."""
    first = folder / file.partition("/")[0]
    home = first if first.is_dir() else folder
    command = [sys.executable, "-m", "tensorproof", "check", str((folder / file).relative_to(home)), "--output-format", "json"]
    try:
        ran = subprocess.run(command, cwd=home, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL, check=False)
    except subprocess.TimeoutExpired:
        return "timeout", ""
    if ran.returncode not in (0, 1) or not ran.stdout:
        return f"exit {ran.returncode}", ran.stderr.strip()
    report = json.loads(ran.stdout)
    program = report["programs"][0]
    errors = [f"{d['line']}: {d['code']}" for d in report["diagnostics"] if d["severity"] == "error"]
    gaps = [f"{g['line']}: {g['callee']}" for g in program["coverage"]["gaps"]]
    return program["verdict"], "; ".join(errors or gaps)


def only_defines(file: Path) -> bool:
    """Whether running the file calls nothing of what it defines: it holds imports, definitions and constants, or ends in an empty main block."""
    from tensorproof.frontends.python.entry.driver import has_driver

    return not has_driver(ast.parse(file.read_text(encoding="utf-8")))


def kind_of(truth: str, verdict: str, file: Path) -> str:
    if verdict == "unknown":
        return "unknown"
    if verdict == {"ok": "valid", "crash": "invalid"}[truth]:
        return "right"
    return "defines" if truth == "ok" and verdict == "invalid" and only_defines(file) else "wrong"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=HERE.parent.parent / "shared" / "cases")
    parser.add_argument("--all", action="store_true", help="print right answers too")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    with (given.folder / "truth.tsv").open(encoding="utf-8", newline="") as stream:
        rows = [(row["file"], row["truth"]) for row in csv.DictReader(stream, delimiter="\t")]
    counts = {"right": 0, "defines": 0, "wrong": 0, "unknown": 0}
    with ThreadPoolExecutor(given.jobs) as pool:
        answers = pool.map(lambda row: answer(given.folder, row[0]), rows)
        for (file, truth), (verdict, why) in zip(rows, answers):
            kind = kind_of(truth, verdict, given.folder / file)
            counts[kind] += 1
            if given.all or kind != "right":
                print(f"{kind:8} {file}: {truth}, {verdict}  {why[:200]}")
    apart = f"{counts['defines']} define a bug that is reported"
    print(f"{len(rows)} programs: {counts['right']} right · {apart} · {counts['wrong']} wrong · {counts['unknown']} unknown")
    return int(counts["wrong"] > 0 or counts["unknown"] > MOST_UNKNOWN)


if __name__ == "__main__":
    sys.exit(main())
