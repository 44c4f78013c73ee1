"""The cost of one more file in one `tensorproof check` command: the slope between 50 and 500 files, best of 3.

python benchmarks/file_cost.py [DIR]     DIR holds programs from benchmarks/op_db_programs.py; without it small ones are made
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

SAMPLE = """import torch
x = torch.zeros(({a}, {b}, 16, 16), dtype=torch.float32)
w = torch.zeros((8, {b}, 3, 3), dtype=torch.float32)
y = torch.nn.functional.conv2d(x, w, padding=1)
z = torch.stack([y, torch.zeros(({a}, 8, 16, 16), dtype=y.dtype)])
"""


def programs(folder: str) -> list[str]:
    if len(sys.argv) > 1:
        found = sorted(str(p) for p in Path(sys.argv[1]).rglob("*.py"))
        random.Random(0).shuffle(found)
        return found
    made: list[str] = []
    for i in range(500):
        path = Path(folder) / f"p{i}.py"
        path.write_text(SAMPLE.format(a=1 + i % 7, b=1 + i % 5))
        made.append(str(path))
    return made


def seconds(files: list[str]) -> float:
    def once() -> float:
        start = perf_counter()
        done = subprocess.run([sys.executable, "-m", "tensorproof", "check", "--output-format", "json", *files], capture_output=True)
        assert done.returncode in (0, 1), done.stderr
        return perf_counter() - start

    return min(once() for _ in range(3))


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        files = programs(folder)
        few, many = seconds(files[:50]), seconds(files[:500])
    slope = (many - few) / 450 * 1000
    print("| what | asked | measured |\n|---|---|---|")
    print(f"| 50 files · 500 files | | {few:.3f} s · {many:.3f} s |\n| one more file | ≤ 4 ms | {slope:.2f} ms |")
    return int(slope > 4)


if __name__ == "__main__":
    sys.exit(main())
