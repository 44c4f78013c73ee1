"""Compares the verdicts of `tensorproof space` with what really happens, vector by vector: what space_refty.py and space_families.py share.

The programs stand in a Markdown file: `# param:` lines give the space, `build` takes the parameters and runs the model, and every call of the model goes
through the program's function `run`. The truth of a vector is the outcome of `build`: "" or the exception. A program of TensorFlow is run twice, eagerly and
with `run` inside `tf.function`; where the two differ both outcomes are kept. Child processes make the truth and write it down line by line, so that it goes
on where it was stopped and a vector that ends the process is reported. The whole is kept compressed beside the script.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from time import process_time
from typing import Any

from tensorproof.engines.space.parameters import Parameter, parameter
from tensorproof.terms.records import dataclass

Vector = dict[str, Any]
Labels = Callable[[str, Vector, str], tuple[str, ...]]
"""The right categories of an outcome of a program, by its title; none for a vector that runs."""
PIECE = 8000
LONGEST = 300
DIED = "the process ended"


@dataclass(frozen=True, slots=True)
class Program:
    title: str
    text: str
    parameters: tuple[Parameter, ...]
    asserted: tuple[tuple[str, str], ...] = ()
    """(category, condition over the parameters): what is wrong although it runs. A program that has such lines is decided strictly."""

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]

    @property
    def vectors(self) -> list[Vector]:
        return [dict(zip([p.name for p in self.parameters], values)) for values in product(*(p.values for p in self.parameters))]


def programs(path: Path) -> list[Program]:
    found = re.findall(r"^## (.+?)\n.*?```python\n(.*?)```", path.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return [Program(title, text, _parameters(text), tuple(re.findall(r"^# assert: (.+?): (.+)$", text, re.MULTILINE))) for title, text in found]


def _parameters(text: str) -> tuple[Parameter, ...]:
    return tuple(parameter(line) for line in re.findall(r"^# param: (.+)$", text, re.MULTILINE))


# --- the truth ---


class Outcomes:
    """Runs the vectors of one program under the real library."""

    def __init__(self, program: Program) -> None:
        self.names: dict[str, Any] = {"__name__": "program"}
        exec(compile(program.text, program.title, "exec"), self.names)
        self.plain = self.names["run"]
        self.graph: Any = None
        if "tensorflow" in sys.modules or "keras" in sys.modules:
            import tensorflow as tf

            tf.config.threading.set_intra_op_parallelism_threads(1)
            tf.config.threading.set_inter_op_parallelism_threads(1)
            self.graph = lambda *args: tf.function(self.plain, autograph=False)(*args)
        else:
            import torch

            torch.set_num_threads(1)

    def of(self, vector: Vector) -> str:
        """What runs eagerly is run once more inside of a function with the same layers; what does not is built anew for it."""
        graph: list[str] = []

        def both(*args: Any) -> None:
            self.plain(*args)
            graph.append(self._caught(lambda: self.graph(*args)))

        self.names["run"] = self.plain if self.graph is None else both
        first = self._one(vector)
        if self.graph is None:
            return first
        self.names["run"] = self.graph
        second = graph[0] if graph else self._one(vector)
        return first if bool(first) == bool(second) else f"eager: {first or 'runs'}; function: {second or 'runs'}"

    def _one(self, vector: Vector) -> str:
        return self._caught(lambda: self.names["build"](**vector))

    @staticmethod
    def _caught(call: Callable[[], object]) -> str:
        try:
            call()
        except Exception as error:
            return f"{type(error).__name__}: {re.sub(r'[^ -~]+', ' ', str(error))[:LONGEST]}"
        return ""


def child(path: Path, number: int, start: int, stop: int) -> None:
    program = programs(path)[number]
    outcomes = Outcomes(program)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for vector in program.vectors[start:stop]:
            print(json.dumps(outcomes.of(vector)), flush=True)


def make_truth(path: Path, kept: Path, only: str) -> None:
    known = read_truth(kept)
    for number, program in enumerate(programs(path)):
        if only not in program.title or known.get(program.title, {}).get("digest") == program.digest:
            continue
        part = Path(tempfile.gettempdir()) / f"tensorproof.{kept.stem}.{program.digest}.part"
        total = len(program.vectors)
        while (done := len(part.read_text("utf-8").splitlines()) if part.exists() else 0) < total:
            command = [sys.executable, __file__, "--child", str(path), str(number), str(done), str(min(done + PIECE, total))]
            with part.open("a", encoding="utf-8") as stream:
                quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
                ended = subprocess.run(command, stdout=stream, stderr=subprocess.PIPE, env=quiet, text=True)
            if ended.returncode:
                lines = len(part.read_text("utf-8").splitlines())
                if ended.returncode > 0 and lines == done:
                    raise SystemExit(f"{program.title}: {ended.stderr[-2000:]}")
                with part.open("a", encoding="utf-8") as stream:
                    print(json.dumps(DIED), file=stream)
            print(f"{program.title}: {len(part.read_text('utf-8').splitlines())} of {total}", file=sys.stderr)
        outcomes = [json.loads(line) for line in part.read_text("utf-8").splitlines()]
        messages = list(dict.fromkeys(outcomes))
        at = {message: i for i, message in enumerate(messages)}
        known = read_truth(kept)
        known[program.title] = {"digest": program.digest, "messages": messages, "outcomes": [at[one] for one in outcomes]}
        known = {p.title: known[p.title] for p in programs(path) if p.title in known}
        beside = kept.with_suffix(".new")
        beside.write_bytes(gzip.compress(json.dumps(known, separators=(",", ":")).encode(), mtime=0))
        os.replace(beside, kept)
        part.unlink()


def read_truth(kept: Path) -> dict[str, Any]:
    return json.loads(gzip.decompress(kept.read_bytes())) if kept.exists() else {}


# --- the comparison ---


@dataclass(slots=True)
class Row:
    """What was compared of one program."""

    title: str
    total: int
    wrong: list[tuple[str, Vector, str, str]]
    seconds: float
    analyses: int
    categories: Counter[str]
    counts: Counter[str]
    differ: int = 0
    """Vectors for which eager execution and `tf.function` differ: they have no truth."""
    another: int = 0
    """Answers with the category of another fault than the one that the library names."""


def compare(program: Program, truth: dict[str, Any], labels: Labels) -> Row:
    start = process_time()
    found, analyses = verdicts_of(program, bool(program.asserted))
    seconds = process_time() - start
    row = Row(program.title, 0, [], seconds, analyses, Counter(), Counter())
    for vector, outcome, (verdict, category, code) in zip(program.vectors, map(truth["messages"].__getitem__, truth["outcomes"]), found, strict=True):
        if outcome.startswith("eager: "):
            row.differ += 1
            continue
        right = labels(program.title, vector, outcome) or asserted(program, vector)
        wanted = right[0] if right else ""
        row.total += 1
        row.categories[wanted] += 1
        row.another += category in right[1:]
        kind = (
            "unknown" if verdict == "unknown" else "false alarm" if verdict == "invalid" and not wanted else "missed" if verdict == "valid" and wanted
            else "category" if right and category not in right and wanted != "invalid" else "true positive" if wanted else "true negative"
        )  # fmt: skip
        row.counts[kind] += 1
        if kind not in ("true positive", "true negative"):
            row.wrong.append((kind, vector, f"{wanted or 'valid'}: {outcome}", f"{verdict} {category} {code}"))
    return row


def asserted(program: Program, vector: Vector) -> tuple[str, ...]:
    """The categories of the assertions that a vector breaks."""
    return tuple(category for category, condition in program.asserted if not eval(condition, {}, dict(vector)))


def verdicts_of(program: Program, strict: bool) -> tuple[Iterator[tuple[str, str, str]], int]:
    """(verdict, category, code) of each vector in the order of the grid."""
    from tensorproof.app.program import Options
    from tensorproof.app.spaces.report import space
    from tensorproof.engines.space.deciding import Deciding

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "program.py"
        file.write_text(program.text, "utf-8")
        found = space(str(file), program.parameters, Options((), "build"), strict=strict)
    deciding = Deciding(found.parameters, found.scenarios)

    def each() -> Iterator[tuple[str, str, str]]:
        for check in deciding.checks(program.vectors):
            cause = check.cause if check is not None else None
            yield ("valid", "", "") if cause is None else ("unknown" if cause.unknown else "invalid", cause.category, cause.code)

    return each(), found.analyses


def main(path: Path, kept: Path, labels: Labels, description: str) -> int:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--truth", action="store_true", help="run the vectors whose truth is not kept, or whose program changed")
    parser.add_argument("--only", default="", help="programs with this word in the title")
    parser.add_argument("--show", type=int, default=3, help="so many wrong vectors of each program and kind")
    given = parser.parse_args()
    if given.truth:
        make_truth(path, kept, given.only)
    truth = read_truth(kept)
    rows: list[Row] = []
    for program in programs(path):
        if given.only not in program.title:
            continue
        known = truth.get(program.title)
        if known is None or known["digest"] != program.digest:
            print(f"{program.title}: no truth, run with --truth")
            continue
        rows.append(compare(program, known, labels))
        show(rows[-1], given.show)
    return summary(rows)


def show(row: Row, most: int) -> None:
    counted = ", ".join(f"{count} {kind}" for kind, count in row.counts.items())
    print(
        f"{row.title}: {row.total} vectors, {counted}; {row.analyses} analyses, {row.seconds:.2f} s"
        + (f"; {row.differ} more differ between eager execution and tf.function" if row.differ else ""),
        flush=True,
    )
    shown: Counter[str] = Counter()
    for kind, vector, wanted, got in row.wrong:
        key = f"{kind} {re.sub('[0-9]+', '#', wanted)} {got}"
        shown[key] += 1
        if shown[key] == 1 and len(shown) <= most * 4:
            print(f"    {kind}: {vector}\n        truth {wanted[:200]}\n        found {got}")


def summary(rows: list[Row]) -> int:
    counts: Counter[str] = sum((row.counts for row in rows), Counter())
    categories: Counter[str] = sum((row.categories for row in rows), Counter())
    positives = counts["true positive"] + counts["category"]
    alarms, missed = counts["false alarm"], counts["missed"]
    print(f"\n{len(rows)} programs, {sum(row.total for row in rows):,} vectors: {dict(counts)}")
    print(f"precision {positives / max(positives + alarms, 1):.2%}, recall {positives / max(positives + missed + counts['unknown'], 1):.2%}, "
          f"wrong categories {counts['category']}, unknown {counts['unknown']}")  # fmt: skip
    if another := sum(row.another for row in rows):
        print(f"answers that name another fault than the library, of vectors with several: {another:,}")
    print("truth: " + ", ".join(f"{name or 'valid'} {count:,}" for name, count in categories.most_common()))
    return int(any(row.wrong for row in rows))


if __name__ == "__main__":
    sys.argv[1:2] == ["--child"] and child(Path(sys.argv[2]), *map(int, sys.argv[3:6]))
