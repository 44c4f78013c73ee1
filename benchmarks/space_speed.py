"""How fast `tensorproof space` decides: vectors per second, a space of 10^12 vectors, the first answer, and Z3 in one context that is used again.

    python benchmarks/space_speed.py [--only throughput,count,first,solver]

Times are of the processor, but for the first answer, which is on the wall. The count is checked on random subspaces by listing them.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from tensorproof.app.program import Options
from tensorproof.app.spaces.programs import ProgramSpace
from tensorproof.app.spaces.report import space
from tensorproof.engines.space.counting import count
from tensorproof.engines.space.listing import verdicts
from tensorproof.engines.space.parameters import Parameter, parameter, vectors
from tensorproof.engines.space.ranges import verdicts_between
from tensorproof.engines.space.scenarios import Planning, Scenario
from tensorproof.engines.space.solving import asked

HERE = Path(__file__).parent
ALEXNET = HERE.parent / "examples" / "alexnet.py"
GEOMETRY = ["kernel1", "stride1", "padding1", "kernel2", "padding2", "kernel3", "padding3", "pool", "pool_stride"]
SAMPLE = 1000
SUBSPACES = 20
REPEATED = 20


def planned(path: Path, parameters: list[Parameter], entry: str | None = None) -> Scenario:
    (scenario,) = Planning(parameters, ProgramSpace(str(path), parameters, Options((), entry)).analyse).scenarios()
    return scenario


def throughput() -> None:
    parameters = [parameter(f"{name}={'0' if 'padding' in name else '1'}..{7 if 'padding' in name else 6}") for name in GEOMETRY]
    scenario = planned(ALEXNET, parameters)
    start, valid = process_time(), 0
    for _, part in verdicts(parameters, scenario.checks.order):
        valid += int((part == -1).sum())
    seconds = process_time() - start
    total = vectors(parameters)
    print(f"AlexNet, {total:,} vectors, each decided: {seconds:.2f} s, {total / seconds:,.0f} per second on one core, {valid:,} valid")


def counting() -> None:
    ranges = {"size": "60..315:16", **{name: "0..15" if "padding" in name else "1..16" for name in GEOMETRY}}
    parameters = [parameter(f"{name}={text}") for name, text in ranges.items()]
    start = process_time()
    report = space(str(ALEXNET), parameters, Options(()))
    seconds = process_time() - start
    print(f"AlexNet, {report.vectors:,} vectors: {report.valid:,} valid, {len(report.groups)} causes, region of {len(report.region)} lines: {seconds:.2f} s")
    (scenario,) = report.scenarios
    rng, agree = random.Random(5), 0
    for _ in range(SUBSPACES):
        some = [Parameter(p.name, tuple(sorted(rng.sample(p.values, 3 if i % 2 else 4)))) for i, p in enumerate(parameters)]
        some = [Parameter(p.name, tuple(dict.fromkeys([*one.values, p.values[0], p.values[-1]]))) for p, one in zip(parameters, some)]
        listed: dict[int, int] = {}
        for _, part in verdicts(some, scenario.checks.order):
            codes, numbers = np.unique(part, return_counts=True)
            for code, number in zip(codes, numbers):
                listed[int(code)] = listed.get(int(code), 0) + int(number)
        agree += listed == count(some, scenario.checks.order).counts
    print(f"counts of random subspaces by listing: {agree} of {SUBSPACES} agree")


def first() -> None:
    command = [sys.executable, "-m", "tensorproof", "space", str(ALEXNET), "--param", "kernel1=1..11", "--param", "stride1=1..4", "-q"]
    times = []
    for _ in range(5):
        start = perf_counter()
        subprocess.run(command, capture_output=True)
        times.append(perf_counter() - start)
    print(f"from command to answer on a source program: {min(times):.2f} s (best of 5)")


def solver() -> None:
    """Inception-V3 with about 32,000 vectors, all satisfiable."""
    text = (HERE / "space_refty.md").read_text("utf-8")
    (program,) = re.findall(r"^## torch Inception-V3\n+```python\n(.*?)```", text, re.MULTILINE | re.DOTALL)
    ranges = ["batch=1..5", "size=90..121", "kernel=1..5", "stride=1..2", "second=1..5", "third=2..3", "pool=2..3"]
    parameters = [parameter(text) for text in ranges]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "inception.py"
        path.write_text(program, "utf-8")
        scenario = planned(path, parameters, "build")
    start = process_time()
    for _ in range(REPEATED):
        codes = np.concatenate([part for _, part in verdicts(parameters, scenario.checks.order)])
    fast = (process_time() - start) / REPEATED
    chosen = sorted(random.Random(3).sample(range(vectors(parameters)), SAMPLE))
    sizes, agree, slow = [len(p.values) for p in parameters], 0, 0.0
    rows = [dict(zip([p.name for p in parameters], np.unravel_index(n, sizes))) for n in chosen]
    start = process_time()
    for number, found in zip(chosen, _asked(parameters, scenario, rows)):
        agree += found == codes[number]
    slow = (process_time() - start) * vectors(parameters) / SAMPLE
    print(
        f"Inception-V3, {vectors(parameters):,} vectors, {(codes == -1).sum():,} valid, {len(scenario.checks.order)} requirements that bounds leave open: "
        f"vectorised {fast:.5f} s, one reused Z3 context {slow:,.0f} s (from {SAMPLE} vectors), {slow / fast:,.0f} times; {agree} of {SAMPLE} verdicts alike"
    )
    assert (verdicts_between(parameters, scenario.checks.order, 0, SAMPLE) == codes[:SAMPLE]).all()


def _asked(parameters: list[Parameter], scenario: Scenario, rows: list[dict[str, int]]) -> list[int]:
    """The verdict of each row by the solver, which keeps its context."""
    return list(asked(parameters, scenario.checks.order, [tuple(p.numbers[row[p.name]] for p in parameters) for row in rows]))


def main() -> None:
    known = {"throughput": throughput, "count": counting, "first": first, "solver": solver}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join(known))
    for name in parser.parse_args().only.split(","):
        known[name]()


if __name__ == "__main__":
    sys.setrecursionlimit(20_000)
    main()
