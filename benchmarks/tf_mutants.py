"""Seeded mutants of right TensorFlow and Keras programs: which of those that fail under TensorFlow are found, and which of those that run get an alarm.

    python benchmarks/tf_mutants.py [--tensorflow PYTHON] [--minutes N] [--show missed,alarm,…] [--only WORDS] [--draw N]

The programs are the right ones of tests/programs/{tf1,tf2,keras}_*.md and the scripts of tests/corpus_tf. Each mutant is one edit (`tf_mutants_edits.py`).
What TensorFlow does with it is kept in `tf_mutants_truth.jsonl`; with `--tensorflow`, the interpreter named there runs what is not yet in it, for so many
minutes. A mutant is found when an error is reported in a statement of TensorFlow's traceback, in that of the edit, or with one of them on its trail.
Exits with 1 when fewer than 90 % are found, one that runs gets an error, there are fewer than 400, or a kind is above 25 %.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]
from tf_mutants_edits import Edit, apply, edits  # noqa: E402

ROOT = Path(__file__).parent.parent
CACHE = Path(__file__).parent / "tf_mutants_truth.jsonl"
STORED = ROOT / "tests/corpus_tf/mutants_tf.jsonl"
PER_KIND = 2
"""Mutants of one kind from one program."""
PER_PROGRAM = 9
NOT_OURS = {"NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError", "SyntaxError", "IndentationError", "MemoryError", "Crash", "SystemExit"}
NOT_OURS |= {"ResourceExhaustedError", "FileNotFoundError", "NotFoundError", "RecursionError"}
"""Failures that tell nothing of shapes, or of the machine."""
OTHER_RULES = {"two products of one tensor of unknown rank that agree"}
"""Programs of a rule that TensorFlow 1 had and 2.21 has no more (matmul of tensors of one rank alone): no truth to be had of their mutants."""
SCRIPTS = {
    "tf1_cnn": ["--batch_size", "64", "--epochs", "1", "--train_dir", "/tmp/tf_mutants"],
    "tf1_rnn": ["--batch-size", "32", "--epochs", "1", "--hidden-size", "8", "--embedding-size", "6", "--vocab-size", "50", "--max-length", "20"],
    "tf2_dcgan": ["--epochs", "1", "--width", "8", "--batch-size", "64"],
    "keras_vae": [],
    "keras_transformer": ["--vocabulary", "100", "--length", "20", "--width", "16", "--heads", "2"],
}
ROWS = 150
UNREACHED = {("tf1_cnn", "train.py"): "if step % 100 == 0"}
"""Lines that so few rows do not reach: nothing is edited below them to the end of their block."""


@dataclass(frozen=True)
class Seed:
    name: str
    version: str
    files: tuple[tuple[str, str], ...]
    driver: str
    arguments: tuple[str, ...] = ()
    rows: int = 0
    """Rows of the data sets in the run for the truth; 0 for as many as they have."""


@dataclass(frozen=True)
class Mutant:
    key: str
    seed: Seed
    file: str
    edit: Edit | None
    files: tuple[tuple[str, str], ...]

    @property
    def kind(self) -> str:
        return self.edit.kind if self.edit is not None else "none"

    def record(self) -> dict[str, Any]:
        return {"key": self.key, "files": dict(self.files), "driver": self.seed.driver, "arguments": list(self.seed.arguments), "rows": self.seed.rows}


def key_of(seed: Seed, files: tuple[tuple[str, str], ...]) -> str:
    return hashlib.sha256(json.dumps([seed.version, files, seed.driver, seed.arguments]).encode()).hexdigest()[:16]


def seeds() -> Iterator[Seed]:
    """Right programs: those without an expected finding or gap."""
    for path in sorted((ROOT / "tests/programs").glob("*.md")):
        if not path.stem.startswith(("tf1_", "tf2_", "keras_")):
            continue
        for section in path.read_text(encoding="utf-8").split("\n## ")[1:]:
            title, _, rest = section.partition("\n")
            code = rest.partition("```python\n")[2].partition("```")[0]
            if title.strip() in OTHER_RULES or re.search(r"# (error|warning|gap|unknown)", code) or "<!-- data:" in rest or "<!-- vary:" in rest:
                continue
            given = re.search(r"<!-- args: (.*) -->", rest)
            files = re.findall(r"^```file (\S+)\n(.*?)^```", rest, re.DOTALL | re.MULTILINE)
            first = path.stem.startswith("tf1_") or "compat.v1" in code
            arguments = tuple(shlex.split(given[1])) if given else ()
            yield Seed(f"{path.stem}: {title.strip()}", "v1" if first else "v2", (("program.py", code), *files), "program.py", arguments)
    for name, given_arguments in SCRIPTS.items():
        folder = ROOT / "tests/corpus_tf" / name
        driver = import_module(f"tests.corpus_tf.edits_{name}").DRIVER
        files = [(str(p.relative_to(folder)), p.read_text(encoding="utf-8")) for p in sorted(folder.rglob("*.py"))]
        yield Seed(name, "v1" if name.startswith("tf1") else "v2", tuple(files), driver, tuple(given_arguments), ROWS)


def whole(seed: Seed) -> Mutant:
    """The program as it stands."""
    return Mutant(key_of(seed, seed.files), seed, seed.driver, None, seed.files)


def unreached(program: str, name: str, text: str) -> range:
    """The lines of a file that the short run does not reach."""
    word = UNREACHED.get((program, name))
    found = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.If) and word is not None and (ast.get_source_segment(text, n) or "").startswith(word)]
    return range(found[0].body[0].lineno, (found[0].end_lineno or 0) + 1) if found else range(0)


def mutants(seed: Seed, draw: int = 0, most: int = PER_PROGRAM) -> list[Mutant]:
    """The mutants of a program that are used: by the order of their keys (another for each draw), so that a new program or edit moves none of the others."""
    found: list[Mutant] = []
    for name, text in seed.files:
        if not name.endswith(".py"):
            continue
        for edit in edits(text):
            if edit.line in unreached(seed.name, name, text):
                continue
            changed = apply(text, edit)
            try:
                compile(changed, name, "exec")
            except SyntaxError:
                continue
            files = tuple((n, changed if n == name else t) for n, t in seed.files)
            found.append(Mutant(key_of(seed, files), seed, name, edit, files))
    found.sort(key=lambda m: hashlib.sha256(f"{draw} {m.key}".encode()).hexdigest() if draw else m.key)
    kinds: Counter[str] = Counter()
    chosen: list[Mutant] = []
    limit = most * (3 if len(seed.files) > 2 else 1)
    for mutant in found:
        if kinds[mutant.kind] < PER_KIND and len(chosen) < limit:
            kinds[mutant.kind] += 1
            chosen.append(mutant)
    return chosen


def known() -> dict[str, dict[str, Any]]:
    if not CACHE.exists():
        return {}
    return {r["key"]: r for r in map(json.loads, CACHE.read_text(encoding="utf-8").splitlines())}


def find_truth(python: str, wanted: list[Mutant], truth: dict[str, dict[str, Any]], minutes: float) -> None:
    """Run what is not known yet, until the time is up; what was found is kept at once."""
    end = time.monotonic() + 60 * minutes
    for version in ("v1", "v2"):
        todo = [m for m in wanted if m.seed.version == version and m.key not in truth]
        if not todo:
            continue
        script = str(Path(__file__).parent / "tf_mutants_truth.py")
        pipe, folder = subprocess.PIPE, tempfile.mkdtemp()
        with subprocess.Popen([python, script, version], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, cwd=folder) as runner:
            assert runner.stdin is not None and runner.stdout is not None
            for mutant in todo:
                if time.monotonic() > end:
                    break
                runner.stdin.write(json.dumps(mutant.record()) + "\n")
                runner.stdin.flush()
                observed = json.loads(runner.stdout.readline())
                truth[mutant.key] = observed
                with CACHE.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps(observed) + "\n")
            runner.stdin.close()


def statements(name: str, text: str) -> list[range]:
    """The lines of each statement that has no statements inside and several lines."""
    if not name.endswith(".py"):
        return []
    found = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.stmt) and not hasattr(n, "body")]
    return [range(n.lineno, n.end_lineno + 1) for n in found if n.end_lineno is not None and n.end_lineno > n.lineno]


def places(mutant: Mutant, observed: dict[str, Any]) -> set[tuple[str, int]]:
    """Where an error may be reported: the lines of the traceback and of the edit, and all lines of their statements."""
    right = {(p, n) for p, n in observed["lines"]}
    if mutant.edit is not None:
        right.add((mutant.file, mutant.edit.line))
    return right | {(p, n) for p, text in mutant.files for lines in statements(p, text) if any((p, n) in right for n in lines) for n in lines}


def store(kept: list[Mutant], truth: dict[str, dict[str, Any]]) -> None:
    """Keep a share of the mutants with their truth for the tests: of each kind two that fail and one that runs, where there are such."""
    counts: Counter[tuple[str, str]] = Counter()
    records = []
    for mutant in kept:
        observed, of_kind = truth[mutant.key], (mutant.kind, truth[mutant.key]["outcome"])
        if counts[of_kind] >= (2 if observed["outcome"] == "fails" else 1) or mutant.edit is None or len(mutant.seed.files) > 1:
            continue
        counts[of_kind] += 1
        where = sorted(n for _, n in places(mutant, observed)) if observed["outcome"] == "fails" else []
        records.append({"kind": mutant.kind, "program": mutant.seed.name, "error": observed["error"], "lines": where, "arguments": mutant.seed.arguments,
                        "text": mutant.files[0][1]})  # fmt: skip
    STORED.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")


def judged(mutant: Mutant, observed: dict[str, Any]) -> tuple[str, str]:
    """Where a mutant belongs, and in words what we said."""
    from tensorproof.app.check import check
    from tensorproof.app.program import Options
    from tensorproof.diagnostics.diagnostic import Severity, Verdict

    with tempfile.TemporaryDirectory() as folder:
        for name, text in mutant.files:
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        try:
            (program,) = check([str(Path(folder) / mutant.seed.driver)], Options(arguments=mutant.seed.arguments))
        except Exception as error:
            return "crash", f"{type(error).__name__}: {error}"
        errors = [d for d in program.diagnostics if d.severity is Severity.ERROR]
        gaps = [f"{g.span.line}: gap {g.callee} ({g.reason})" for g in program.gaps[:3]]
        words = "; ".join([f"{d.span.line}: [{d.code}] {d.message}" for d in errors] or gaps)

        def place(span: Any) -> tuple[str, int]:
            return (str(Path(span.path).relative_to(folder)) if span.path.startswith(folder) else span.path, span.line)

        if observed["outcome"] == "runs":
            return ("alarm" if errors else "proved" if program.verdict is Verdict.VALID else "open"), words
        if not errors:
            return ("missed" if program.verdict is Verdict.VALID else "unknown"), words
        right = places(mutant, observed)
        for d in errors:
            if right & {place(d.span), *(place(step.span) for step in d.trail)}:
                return "found", words
        return "elsewhere", words


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tensorflow", default="")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--show", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--mutants", nargs="*", default=[])
    parser.add_argument("--draw", type=int, default=0, help="another set of mutants for each number")
    parser.add_argument("--most", type=int, default=PER_PROGRAM, help="mutants of one program")
    parser.add_argument("--store", action="store_true", help="keep a share of those that are judged rightly for the tests")
    parser.add_argument("--part", default="0/1", help="K/N: every N-th program from the K-th on")
    parser.add_argument("--write", default="", help="a folder for the mutants that are shown")
    chosen = parser.parse_args()
    part, parts = map(int, chosen.part.split("/"))
    programs = [s for i, s in enumerate(seeds()) if i % parts == part and chosen.only in s.name]
    truth = known()
    if chosen.tensorflow:
        find_truth(chosen.tensorflow, [whole(s) for s in programs], truth, chosen.minutes)
    right = [s for s in programs if truth.get(whole(s).key, {}).get("outcome") == "runs"]
    every = sorted((m for s in right for m in mutants(s, chosen.draw, chosen.most)), key=lambda m: m.key)
    if chosen.tensorflow:
        find_truth(chosen.tensorflow, every, truth, chosen.minutes)
    every = [m for m in every if m.key in truth and truth[m.key]["outcome"] in ("runs", "fails") and truth[m.key]["error"] not in NOT_OURS]
    if chosen.mutants:
        every = [m for m in every if m.key in chosen.mutants]
    print(f"{len(programs)} programs, {len(right)} of them run, {len(every)} mutants")
    counts: dict[str, Counter[str]] = {}
    shown = set(chosen.show.split(","))
    right_ones: list[Mutant] = []
    for mutant in every:
        observed = truth[mutant.key]
        where, words = judged(mutant, observed)
        if where in ("found", "proved"):
            right_ones.append(mutant)
        counts.setdefault(mutant.kind, Counter())[where] += 1
        if where in shown and mutant.edit is not None:
            old = dict(mutant.seed.files)[mutant.file][mutant.edit.start : mutant.edit.stop]
            print(f"{where} {mutant.key} {mutant.seed.name} | {mutant.file}:{mutant.edit.line} {mutant.kind}: {old!r} -> {mutant.edit.new!r}")
            print(f"    TensorFlow: {observed['error']} {observed['lines']} {observed['message']}\n    here: {words}", flush=True)
            if chosen.write:
                for name, text in mutant.files:
                    target = Path(chosen.write) / mutant.key / name
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_text(text, encoding="utf-8")
    if chosen.store:
        store(right_ones, truth)
    return report(counts)


COLUMNS = ("found", "elsewhere", "unknown", "missed", "proved", "open", "alarm", "crash")


def report(counts: dict[str, Counter[str]]) -> int:
    """The table by kind and the figures that count; 1 when one of them misses its target."""
    print(f"{'kind':18} {'all':>5} " + " ".join(f"{c:>9}" for c in COLUMNS))
    total: Counter[str] = Counter()
    for kind, row in sorted(counts.items(), key=lambda item: -item[1].total()):
        print(f"{kind:18} {row.total():5} " + " ".join(f"{row[c]:9}" for c in COLUMNS))
        total += row
    print(f"{'together':18} {total.total():5} " + " ".join(f"{total[c]:9}" for c in COLUMNS))
    failing = sum(total[c] for c in ("found", "elsewhere", "unknown", "missed"))
    share = total["found"] / max(failing, 1)
    running = total["proved"] + total["open"] + total["alarm"]
    largest = max((row.total() for row in counts.values()), default=0) / max(total.total(), 1)
    print(f"{failing} fail: {share:.1%} found ({(total['found'] + total['elsewhere']) / max(failing, 1):.1%} at any line)")
    print(f"{running} run: {total['alarm']} false alarms, {total['proved'] / max(running, 1):.1%} proved; {len(counts)} kinds, the largest {largest:.0%}")
    return int(share < 0.9 or total["alarm"] > 0 or total["crash"] > 0 or failing < 400 or len(counts) < 8 or largest > 0.25)


if __name__ == "__main__":
    sys.exit(main())
