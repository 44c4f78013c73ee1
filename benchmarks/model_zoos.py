"""Models of published packages, understood from their sources: how many are proved, unknown or a false alarm, and whether a wrong input is found.

    python benchmarks/model_zoos.py ENVIRONMENT [--zoo torchvision] [--only WORD] [--every 3] [--gaps] [--truth] [--jobs 2] [--store FILE [--again | --stored]]

ENVIRONMENT holds lib/python3*/site-packages with torchvision, timm, vit_pytorch, segmentation_models_pytorch, transformers and diffusers
(`pip download --no-deps`, unpacked). CI does not install them, and a package that is missing is said to be missing. The packages are read, and not run:
a model is right by being published. The wrong program gives the model one channel, or one feature, more than it takes.
`--truth` runs both programs with the packages (with the Python of --python), and leaves out those of which the right one fails or the wrong one runs.
`--store` keeps each answer in a file of JSON lines: a run that ended goes on where it was, `--again` repeats only what was not answered as it should be, and
`--stored` runs nothing and counts what the file has.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from model_zoos_programs import ZOOS, Pair
from tensorproof.frontends.python.modules.environment import site_packages

_LIMIT_S = 60
_SERVER = """
import json, os, resource, sys, time
from tensorproof.app.check import check_source
from tensorproof.app.program import Options
from tensorproof.diagnostics.diagnostic import Severity
from tensorproof.frontends.python.modules.source import parse
given, limit = Options(environment=sys.argv[1]), int(sys.argv[2])
check_source(parse("program.py", "import torch\\ntorch.nn.Linear(3, 4)(torch.zeros(2, 3))"), given)
for line in sys.stdin:
    if not os.fork():
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        try:
            program = check_source(parse("program.py", json.loads(line)), given)
            errors = [f"{d.code} {d.message}" for d in program.diagnostics if d.severity is Severity.ERROR]
            gaps = [f"{g.callee}: {g.reason} (line {g.span.line} of {g.span.path.rpartition('site-packages/')[2]})" for g in program.gaps]
            found = {"answer": "error" if errors else program.verdict.value, "errors": errors, "gaps": gaps, "seconds": round(time.process_time(), 1)}
        except Exception as failure:
            found = {"answer": "crashed", "errors": [], "gaps": [repr(failure)], "seconds": 0}
        print(json.dumps(found), flush=True)
        os._exit(0)
    if os.wait()[1]:
        print(json.dumps({"answer": "too long", "errors": [], "gaps": [f"longer than {limit} s"], "seconds": limit}), flush=True)
"""
"""What the programs share is loaded once; each is checked in a child of its own, with a limit of processor time."""


@dataclass(frozen=True, slots=True)
class Answer:
    answer: str
    errors: list[str]
    gaps: list[str]
    seconds: float


class Servers(threading.local):
    """For each thread a process that checks programs, one after another."""

    def __init__(self, environment: str) -> None:
        command = [sys.executable, "-c", _SERVER, environment, str(_LIMIT_S)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def checked(self, text: str) -> Answer:
        """The answer of `check` to one program."""
        asked, answered = self._process.stdin, self._process.stdout
        assert asked is not None and answered is not None
        asked.write(json.dumps(text) + "\n")
        asked.flush()
        return Answer(**json.loads(answered.readline()))


class Store:
    """The answers of former runs in a file of JSON lines, of which the last of a program counts."""

    def __init__(self, path: str | None) -> None:
        self.path = Path(path) if path else None
        self._kept: dict[str, Answer] = {}
        for line in self.path.read_text().splitlines() if self.path and self.path.exists() else ():
            record = json.loads(line)
            self._kept[record["program"]] = Answer(**record["answer"])

    def of(self, text: str) -> Answer | None:
        return self._kept.get(text)

    def keep(self, model: str, text: str, answer: Answer) -> None:
        self._kept[text] = answer
        if self.path:
            with self.path.open("a") as file:
                file.write(json.dumps({"model": model, "program": text, "answer": asdict(answer)}) + "\n")


_BEGIN = """
import torch
library = torch.library.Library("torchvision", "DEF")
library.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
library.define("qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
library.impl("nms", lambda boxes, scores, threshold: torch.arange(len(boxes)), "CPU")
"""


def runs(python: str, site: Path, text: str) -> str:
    """What happens when the program runs: nothing, or the last line of what it raised. The compiled operators of torchvision are defined first."""
    done = subprocess.run([python, "-c", _BEGIN + text], capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(site)})
    return done.stderr.strip().rpartition("\n")[2][:200] if done.returncode else ""


def truthful(python: str, site: Path, name: str, pair: Pair) -> bool:
    """Whether the right program runs and the wrong one raises."""
    right, wrong = runs(python, site, pair.right), runs(python, site, pair.wrong)
    if right or not wrong:
        print(f"left out: {name}: {right or 'the wrong program runs'}", file=sys.stderr, flush=True)
    return not right and bool(wrong)


def answers(environment: str, pairs: dict[str, Pair], given: argparse.Namespace, store: Store) -> Iterator[tuple[str, bool, Answer]]:
    """Of each program what the store has, or what `check` answers now."""

    def answer(work: tuple[str, bool, str]) -> Answer | None:
        name, wrong, text = work
        kept = store.of(text)
        if given.stored or (kept and not (given.again and kept.answer != ("error" if wrong else "valid"))):
            return kept
        new = servers.checked(text)
        store.keep(name, text, new)
        return new

    servers = Servers(environment)
    with ThreadPoolExecutor(given.jobs) as pool:
        work = [(name, wrong, pair.wrong if wrong else pair.right) for name, pair in pairs.items() for wrong in (False, True)]
        for (name, wrong, _), found in zip(work, pool.map(answer, work), strict=True):
            if found:
                yield name, wrong, found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("environment")
    parser.add_argument("--zoo", choices=ZOOS)
    parser.add_argument("--only", default="", help="models whose name holds this word")
    parser.add_argument("--every", type=int, default=1, help="one model of so many")
    parser.add_argument("--gaps", action="store_true", help="what was not understood, by the number of models that it touches")
    parser.add_argument("--truth", action="store_true", help="run the programs too")
    parser.add_argument("--python", default=sys.executable, help="the interpreter with torch that --truth runs programs with")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--store", help="the file that keeps each answer")
    parser.add_argument("--again", action="store_true", help="check those again of which the store has a wrong answer")
    parser.add_argument("--stored", action="store_true", help="run nothing: count what the store has")
    return parser


def main() -> int:
    given = _parser().parse_args()
    site, store = Path(site_packages(given.environment)[0]), Store(given.store)
    alarms = 0
    print("| zoo | models | proved | unknown | false alarms | wrong inputs | found | called valid | CPU seconds |\n|---|---|---|---|---|---|---|---|---|")
    for zoo, programs in ZOOS.items():
        if given.zoo not in (None, zoo):
            continue
        if not (site / zoo).is_dir():
            print(f"| {zoo} | not in {site} | | | | | | | |")
            continue
        chosen = {name: pair for name, pair in list(programs(site).items())[:: given.every] if given.only in name}
        if given.truth:
            chosen = {name: pair for name, pair in chosen.items() if truthful(given.python, site, name, pair)}
        alarms += _count(zoo, answers(given.environment, chosen, given, store), given.gaps)
    return int(alarms > 0)


def _count(zoo: str, found: Iterator[tuple[str, bool, Answer]], print_gaps: bool) -> int:
    """Prints what was not answered as it should be, and the row of a zoo; the number of false alarms."""
    counts: Counter[tuple[bool, str]] = Counter()
    gaps: Counter[str] = Counter()
    seconds = 0.0
    for name, wrong, answer in found:
        counts[wrong, answer.answer] += 1
        seconds += answer.seconds
        if not wrong:
            gaps.update(set(answer.gaps))
        if answer.answer != ("error" if wrong else "valid"):
            said = "; ".join([*answer.errors, *answer.gaps][:2])
            print(f"{zoo} {name}{' with a wrong input' if wrong else ''}: {answer.answer}: {said[:260]}", file=sys.stderr, flush=True)
    right, wrong_ones = (sum(n for (wrong, _), n in counts.items() if wrong is which) for which in (False, True))
    proved, false, errors, missed = counts[False, "valid"], counts[False, "error"], counts[True, "error"], counts[True, "valid"]
    row = (zoo, right, proved, right - proved - false, false, wrong_ones, errors, missed, f"{seconds:.0f}")
    print("| " + " | ".join(map(str, row)) + " |", flush=True)
    if print_gaps:
        print("\n".join(f"    {n} {gap}" for gap, n in gaps.most_common(30)))
    return false


if __name__ == "__main__":
    sys.exit(main())
