"""The share of expressions whose type is `Any`, by package, from mypy's own report.

`python tools/any_share.py` runs mypy (`--any-exprs-report`) and prints the table; `--report DIR` reads a report that is already there; `--files N` adds the N
files with the most such expressions. `--check FILE` fails where a package has a greater share than the file allows.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def package_of(module: str) -> str:
    """The package that a module is counted with: the first below `tensorproof`, and for front ends the second."""
    parts = module.split(".")[1:]
    return "/".join(parts[:2]) if parts[:1] == ["frontends"] else parts[0] if parts else "tensorproof"


def read(report: Path) -> list[tuple[str, int, int]]:
    """Every module with its `Any` expressions and all its expressions."""
    rows = [line.split() for line in (report / "any-exprs.txt").read_text().splitlines()]
    return [(row[0], int(row[1]), int(row[2])) for row in rows if len(row) == 4 and row[0].startswith("tensorproof")]


def by_package(modules: list[tuple[str, int, int]]) -> dict[str, tuple[int, int]]:
    """By package, and under `all`: the `Any` expressions, and all."""
    anys: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for name, found, count in modules:
        for package in (package_of(name), "all"):
            anys[package] += found
            every[package] += count
    return {package: (anys[package], every[package]) for package in sorted(every)}


def run_mypy(folder: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--any-exprs-report", str(folder), "--cache-dir", str(folder / "cache")]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def too_many(found: dict[str, tuple[int, int]], limits: Path) -> list[str]:
    """The packages whose share is above the one in a file of lines `package percent`."""
    said = []
    for line in limits.read_text().splitlines():
        package, percent = line.split()
        anys, every = found.get(package, (0, 1))
        if 100 * anys / every > float(percent):
            said.append(f"{package}: {100 * anys / every:.2f} % of the expressions are Any, at most {percent} % may be")
    return said


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", type=Path, help="a folder that `mypy --any-exprs-report` wrote")
    parser.add_argument("--files", type=int, default=0, help="how many of the worst files to print")
    parser.add_argument("--check", type=Path, help="a file of lines `package percent`")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.report is None:
            run_mypy(Path(folder))
        modules = read(options.report or Path(folder))
    found = by_package(modules)
    for package, (anys, every) in found.items():
        print(f"{package:<24}{anys:>8}{every:>9}{100 * anys / max(every, 1):>8.2f} %")
    for name, anys, every in sorted(modules, key=lambda row: -row[1])[: options.files]:
        print(f"  {name:<70}{anys:>6}{every:>7}")
    said = too_many(found, options.check) if options.check is not None else []
    print("\n".join(said))
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
