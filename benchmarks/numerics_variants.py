"""DEBAR's study repeated: what each way to describe tensors and values proves on real graphs, and what it costs.

    python benchmarks/numerics_variants.py [--graphs DIR] [--seconds 10] [--only smash,interval]

For each variant (one interval for a tensor, one for each block, one for each element; with and without relations between tensors), and for the default without
ranges of inputs or of weights: operations that can yield NaN or Inf, how many are proved safe, possible, unsafe and not analysed, and the time of the processor
from the program form to the verdicts. A graph for which the time is not enough counts as not finished: its operators that are left are not analysed.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

GRAPHS = Path(__file__).parent.parent.parent / "shared" / "graphs"
VARIANTS = [(tensors, values, "") for values in ("interval", "affine") for tensors in ("smash", "partition", "expand")]
WITHOUT = [("partition", "affine", "inputs"), ("partition", "affine", "weights"), ("partition", "affine", "both")]


def forms(path: Path) -> Iterator[Any]:
    """The program forms of a graph file."""
    from tensorproof.app.check import Options
    from tensorproof.app.model_files import model_forms
    from tensorproof.app.numerics import Form
    from tensorproof.terms.ints import begin_file

    begin_file()
    for one in model_forms(str(path), Options()):
        yield Form(one.records, one.names, one.gaps, one.kept)


def study(paths: list[Path], chosen: list[tuple[str, str, str]], seconds: float) -> dict[tuple[str, str, str], Counter[str]]:
    """Verdicts, seconds and graphs that were not finished, for each variant."""
    from tensorproof.app.numerics import Report, analysed
    from tensorproof.engines.numerics.ranges import Given
    from tensorproof.engines.numerics.records import Settings

    found: dict[tuple[str, str, str], Counter[str]] = {variant: Counter() for variant in chosen}
    for path in paths:
        read = list(forms(path))
        for variant in chosen:
            tensors, values, without = variant
            given = Given(unbounded_weights=without in ("weights", "both"), unbounded_inputs=without in ("inputs", "both"))
            report = Report(str(path))
            start = process_time()
            for form in read:
                analysed(form, Settings(tensors=tensors, values=values, seconds=seconds), given, report)
            taken = process_time() - start
            counts = found[variant]
            counts.update(one.verdict for one in report.operations)
            counts["milliseconds"] += round(1000 * taken)
            counts["not finished"] += not report.finished
        print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return found


def table(found: dict[tuple[str, str, str], Counter[str]]) -> None:
    print("| tensors | values | without ranges of | proved safe | possible | unsafe | not analysed | time | not finished |")
    print("|---|---|---|---|---|---|---|---|---|")
    for (tensors, values, without), counts in found.items():
        verdicts = " | ".join(str(counts[verdict]) for verdict in ("safe", "possible", "unsafe", "unknown"))
        words = {"both": "inputs and weights"}.get(without, without)
        print(f"| {tensors} | {values} | {words} | {verdicts} | {counts['milliseconds'] / 1000:.1f} s | {counts['not finished']} |")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=Path, default=GRAPHS)
    parser.add_argument("--seconds", type=float, default=10.0, help="how long one graph may take")
    parser.add_argument("--only", action="append", metavar="TENSORS,VALUES", help="only this variant; may be given several times")
    given = parser.parse_args()
    chosen = [(*map(str, one.split(",")), "") for one in given.only] if given.only else [*VARIANTS, *WITHOUT]
    found = study(sorted(given.graphs.glob("*/*.gz")), chosen, given.seconds)  # type: ignore[arg-type]
    table(found)
    if given.only:
        return 0
    best, smash = found["partition", "affine", ""], found["smash", "interval", ""]
    others = [counts["safe"] for variant, counts in found.items() if variant in VARIANTS and variant != ("partition", "affine", "")]
    ratio = best["milliseconds"] / smash["milliseconds"]
    print(f"partition and affine: {best['safe']} proved safe, each other variant at most {max(others)}; {ratio:.2f} times the time of smash and interval (1.2)")
    return 0 if best["safe"] > max(others) and ratio <= 1.2 else 1


if __name__ == "__main__":
    sys.exit(main())
