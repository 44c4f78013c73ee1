"""Training scripts with packages that are not installed, right and with five single edits each: alarms, and which of the crashing edits are found.

    python benchmarks/scripts_unseen.py [--truth] [--show missed,alarm,…] [--only WORDS]

95 scripts of thirteen styles are in scripts_unseen/*.md. What each does is seen by running it (three seeds) with small stand-ins for the packages, which are
unpacked from scripts_unseen/packages.txt into a temporary folder; it is kept in scripts_unseen/truth.jsonl, and `--truth` runs what is not there yet.
The check never sees the stand-ins.
Exits with 1 when a running script gets an error or a crashing one is called valid, or fewer than 85 % of the crashing edits are found.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]
from tests.attack.judge import judge  # noqa: E402
from tests.attack.truth import Truth  # noqa: E402

import mutants_edits  # noqa: E402
import tf_mutants_edits  # noqa: E402
from mutants import NOT_OURS, kind_of  # noqa: E402

HERE = Path(__file__).parent / "scripts_unseen"
KEPT = HERE / "truth.jsonl"
EDITS = 5
COLUMNS = ("found", "elsewhere", "unknown", "missed", "proved", "open", "alarm")


class Script(NamedTuple):
    style: str
    title: str
    edit: str
    text: str

    @property
    def key(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]


def scripts() -> Iterator[Script]:
    """Each script as it is right, then with its edits: of different kinds, in the order of their keys, so that nothing but the text chooses them."""
    for path in sorted(HERE.glob("*.md")):
        for section in path.read_text(encoding="utf-8").split("\n## ")[1:]:
            title, _, rest = section.partition("\n")
            text = rest.partition("```python\n")[2].partition("```")[0]
            yield Script(path.stem, title, "", text)
            yield from _edited(path.stem, title, text)


def _edited(style: str, title: str, text: str) -> list[Script]:
    of = tf_mutants_edits if "keras" in style else mutants_edits
    found = []
    for edit in of.edits(text):
        changed = tf_mutants_edits.apply(text, edit)
        try:
            compile(changed, title, "exec")
        except SyntaxError:
            continue
        found.append((Script(style, title, f"line {edit.line} {edit.kind}: {text[edit.start : edit.stop]!r} -> {edit.new!r}", changed), edit.kind))
    found.sort(key=lambda pair: pair[0].key)
    kinds = {kind: script for script, kind in reversed(found)}
    return sorted(kinds.values(), key=lambda script: script.key)[:EDITS]


def known() -> dict[str, Truth]:
    return {r["key"]: Truth(*r["truth"]) for r in map(json.loads, KEPT.read_text(encoding="utf-8").splitlines())} if KEPT.exists() else {}


def run_all() -> None:
    """Run what is not known yet with the stand-ins on the path: in a child, so that they are never on the path of the check."""
    with tempfile.TemporaryDirectory() as folder:
        for part in re.split(r"^=== ", (HERE / "packages.txt").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            name, _, text = part.partition("\n")
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        path_of = os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH")]))
        subprocess.run([sys.executable, __file__, "--child"], env={**os.environ, "PYTHONPATH": path_of}, check=True)


def run_as_child() -> None:
    from tests.attack import truth as running

    running.prepare(tensorflow=True)
    truth = known()
    with KEPT.open("a", encoding="utf-8") as stream:
        for script in scripts():
            if script.key not in truth:
                said = running.run(script.text)
                stream.write(json.dumps({"key": script.key, "truth": said._replace(message=said.message[:120])}) + "\n")
                stream.flush()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--truth", action="store_true", help="run what is not known yet")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--show", default="")
    parser.add_argument("--only", default="")
    chosen = parser.parse_args()
    if chosen.child:
        run_as_child()
        return 0
    if chosen.truth:
        run_all()
    truth = known()
    counts: dict[str, Counter[str]] = {}
    for script in scripts():
        if chosen.only not in f"{script.style}: {script.title}" or script.key not in truth or truth[script.key].exception in NOT_OURS:
            continue
        said = truth[script.key]
        if not script.edit and said.crashes:
            print(f"does not run: {script.style}: {script.title}: line {said.line} {said.exception} {said.message}")
            continue
        judged = judge(script.text, said)
        column = kind_of(judged, script.text)
        counts.setdefault(script.style, Counter())[column] += 1
        if column in chosen.show.split(","):
            print(f"{column} {script.key} {script.style}: {script.title} | {script.edit or 'right'}")
            print(f"    truth: {said.exception} line {said.line} {said.message}\n    here: {judged.said[:400]}", flush=True)
    return report(counts)


def report(counts: dict[str, Counter[str]]) -> int:
    print(f"{'style':20} {'all':>5} " + " ".join(f"{c:>9}" for c in COLUMNS))
    total: Counter[str] = Counter()
    for row in counts.values():
        total += row
    for style, row in [*counts.items(), ("together", total)]:
        print(f"{style:20} {row.total():5} " + " ".join(f"{row[c]:9}" for c in COLUMNS))
    failing, caught = sum(total[c] for c in ("found", "elsewhere", "unknown", "missed")), total["found"] + total["elsewhere"]
    print(f"{failing} crash: {caught / max(failing, 1):.1%} found ({total['found']} at the failing statement), {total['missed']} called valid")
    print(f"{total['proved'] + total['open'] + total['alarm']} run: {total['alarm']} false alarms, {total['proved']} proved, {total['open']} with gaps")
    return int(caught < 0.85 * failing or total["missed"] > 0 or total["alarm"] > 0)


if __name__ == "__main__":
    sys.exit(main())
