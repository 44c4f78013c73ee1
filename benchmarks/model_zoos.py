"""Models of published packages, understood from their sources: how many are proved, unknown or a false alarm, and whether a wrong input is found.

    python benchmarks/model_zoos.py ENVIRONMENT [--zoo torchvision] [--only WORD] [--every 3] [--gaps] [--truth] [--jobs 2]

ENVIRONMENT holds lib/python3*/site-packages with torchvision, timm, vit_pytorch, segmentation_models_pytorch, transformers and diffusers
(`pip download --no-deps`, unpacked). CI does not install them, and a package that is missing is said to be missing. The packages are read, and not run:
a model is right by being published. The wrong program gives the model one channel, or one feature, more than it takes.
`--truth` runs both programs with the packages, and leaves out those of which the right one fails or the wrong one runs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from model_zoos_programs import ZOOS, Pair
from tensorproof.frontends.python.modules.environment import site_packages

_LIMIT_S = 60
_ONE = """
import json, sys, time
from tensorproof.app.check import check_source
from tensorproof.app.program import Options
from tensorproof.diagnostics.diagnostic import Severity
from tensorproof.frontends.python.modules.source import parse
start = time.perf_counter()
program = check_source(parse("program.py", sys.argv[2]), Options(environment=sys.argv[1]))
errors = [f"{d.code} {d.message}" for d in program.diagnostics if d.severity is Severity.ERROR]
gaps = [f"{g.callee}: {g.reason} (line {g.span.line} of {g.span.path.rpartition('site-packages/')[2]})" for g in program.gaps]
print(json.dumps({"answer": "error" if errors else program.verdict.value, "errors": errors, "gaps": gaps, "seconds": time.perf_counter() - start}))
"""


def checked(environment: str, text: str) -> dict[str, object]:
    """The answer of `check` to one program, in a process with a limit of time."""
    try:
        done = subprocess.run([sys.executable, "-c", _ONE, environment, text], capture_output=True, text=True, timeout=_LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        return {"answer": "too long", "errors": [], "gaps": [f"longer than {_LIMIT_S} s"], "seconds": _LIMIT_S}
    if done.returncode:
        return {"answer": "crashed", "errors": [], "gaps": [done.stderr.strip().rpartition("\n")[2]], "seconds": 0}
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


def runs(site: Path, text: str) -> str:
    """What happens when the program runs: nothing, or the last line of what it raised."""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(site)})
    return done.stderr.strip().rpartition("\n")[2][:200] if done.returncode else ""


def truthful(site: Path, name: str, pair: Pair) -> bool:
    """Whether the right program runs and the wrong one raises."""
    right, wrong = runs(site, pair.right), runs(site, pair.wrong)
    if right or not wrong:
        print(f"left out: {name}: {right or 'the wrong program runs'}", file=sys.stderr)
    return not right and bool(wrong)


def answers(environment: str, pairs: dict[str, Pair], jobs: int) -> Iterator[tuple[str, bool, dict[str, object]]]:
    with ThreadPoolExecutor(jobs) as pool:
        work = [(name, wrong, pair.wrong if wrong else pair.right) for name, pair in pairs.items() for wrong in (False, True)]
        for (name, wrong, _), answer in zip(work, pool.map(lambda one: checked(environment, one[2]), work), strict=True):
            yield name, wrong, answer


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("environment")
    parser.add_argument("--zoo", choices=ZOOS)
    parser.add_argument("--only", default="", help="models whose name holds this word")
    parser.add_argument("--every", type=int, default=1, help="one model of so many")
    parser.add_argument("--gaps", action="store_true", help="what was not understood, by the number of models that it touches")
    parser.add_argument("--truth", action="store_true", help="run the programs too")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    site = Path(site_packages(given.environment)[0])
    alarms = 0
    print("| zoo | models | proved | unknown | false alarms | wrong inputs found | called valid | seconds |\n|---|---|---|---|---|---|---|---|")
    for zoo, programs in ZOOS.items():
        if given.zoo not in (None, zoo):
            continue
        if not (site / zoo).is_dir():
            print(f"| {zoo} | not in {site} | | | | | | |")
            continue
        chosen = {name: pair for name, pair in list(programs(site).items())[:: given.every] if given.only in name}
        if given.truth:
            chosen = {name: pair for name, pair in chosen.items() if truthful(site, name, pair)}
        counts: Counter[tuple[bool, object]] = Counter()
        gaps: Counter[str] = Counter()
        start = time.perf_counter()
        for name, wrong, answer in answers(given.environment, chosen, given.jobs):
            counts[wrong, answer["answer"]] += 1
            if not wrong:
                gaps.update(set(answer["gaps"]))  # type: ignore[call-overload]
            if answer["answer"] != ("error" if wrong else "valid"):
                said = "; ".join([*answer["errors"], *answer["gaps"]][:2])  # type: ignore[misc]
                print(f"{zoo} {name}{' with a wrong input' if wrong else ''}: {answer['answer']}: {said[:260]}", file=sys.stderr, flush=True)
        alarms += counts[False, "error"]
        proved, false, found, missed = counts[False, "valid"], counts[False, "error"], counts[True, "error"], counts[True, "valid"]
        row = (zoo, len(chosen), proved, len(chosen) - proved - false, false, found, missed, f"{time.perf_counter() - start:.0f}")
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
        if given.gaps:
            print("\n".join(f"    {n} {gap}" for gap, n in gaps.most_common(30)))
    return int(alarms > 0)


if __name__ == "__main__":
    sys.exit(main())
