"""`tensorproof --version`: best of 7, against `python -c pass`, and what it imports."""

from __future__ import annotations

import subprocess
import sys
from time import perf_counter

HEAVY = ("numpy", "torch", "z3", "rich", "tensorflow")


def best(command: list[str], times: int = 7) -> float:
    def once() -> float:
        start = perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        return perf_counter() - start

    return min(once() for _ in range(times))


def main() -> int:
    python = best([sys.executable, "-c", "pass"])
    version = best([sys.executable, "-m", "tensorproof", "--version"])
    code = f"import sys; from tensorproof.cli.main import main; main(['--version']); print([m for m in {HEAVY} if m in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.splitlines()[-1]
    print("| what | asked | measured |\n|---|---|---|")
    print(f"| tensorproof --version, best of 7 | ≤ 0.1 s | {version:.3f} s |")
    print(f"| python -c pass | | {python:.3f} s |\n| heavy modules loaded | none | {loaded} |")
    return int(version > 0.1 or loaded != "[]")


if __name__ == "__main__":
    sys.exit(main())
