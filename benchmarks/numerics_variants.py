"""DEBAR's study repeated: what each way to describe tensors and values proves on real graphs, and what it costs.

    python benchmarks/numerics_variants.py [--graphs DIR] [--seconds 20] [--store FILE] [--match GLOB] [--tensors smash,partition]

For each variant (one interval for a tensor, one for each block, one for each element; with and without relations between tensors), and for the default without
ranges of inputs or of weights: operations that can yield NaN or Inf, how many are proved safe, possible, unsafe and not analysed, and the time of the processor
from the program form to the verdicts. A graph for which the time is not enough counts as not finished: its operators that are left are not analysed.
With `--store`, what is done is kept in a file, and a run goes on where another stopped; several may run at once, each on graphs of its own (`--match`) or with
variants of its own (`--tensors`).
"""

from __future__ import annotations

import argparse
import gc
import json
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
    from tensorproof.app.models.files import model_forms
    from tensorproof.app.numerics.report import Form
    from tensorproof.app.program import Options
    from tensorproof.terms.ints import begin_file

    begin_file()
    for one in model_forms(str(path), Options()):
        yield Form(one.records, one.names, one.gaps, one.kept)


Variant = tuple[str, str, str]
Found = dict[tuple[str, Variant], Counter[str]]


def study(paths: list[Path], seconds: float, store: Path | None, tensors: list[str]) -> Found:
    """Verdicts, milliseconds and whether the time was not enough, by graph and variant of these ways to describe tensors."""
    found = {} if store is None or not store.exists() else _stored(store)
    for path in paths:
        name = f"{path.parent.name}/{path.name}"
        missing = [variant for variant in (*VARIANTS, *WITHOUT) if variant[0] in tensors and (name, variant) not in found]
        read = list(forms(path)) if missing else []
        for variant in missing:
            found[name, variant] = one(path, read, variant, seconds)
            if store is not None:
                with store.open("a") as stream:
                    stream.write(json.dumps([name, variant, found[name, variant]]) + "\n")
    return found


def one(path: Path, read: list[Any], variant: Variant, seconds: float) -> Counter[str]:
    """One graph with one variant."""
    from tensorproof.app.numerics.report import Report, analysed
    from tensorproof.engines.numerics.inputs.ranges import Given
    from tensorproof.engines.numerics.records import Settings

    tensors, values, without = variant
    given = Given(unbounded_weights=without in ("weights", "both"), unbounded_inputs=without in ("inputs", "both"))
    report = Report(str(path))
    start = process_time()
    for form in read:
        analysed(form, Settings(tensors=tensors, values=values, seconds=seconds), given, report)
    made = Counter(one.verdict for one in report.operations)
    made["milliseconds"] = round(1000 * (process_time() - start))
    made["not finished"] = int(not report.finished)
    return made


def _stored(store: Path) -> Found:
    lines = [json.loads(line) for line in store.read_text().splitlines()]
    return {(name, (variant[0], variant[1], variant[2])): Counter(counts) for name, variant, counts in lines}


def table(found: Found) -> dict[Variant, Counter[str]]:
    """The sums over graphs, printed."""
    sums = {variant: Counter[str]() for variant in (*VARIANTS, *WITHOUT)}
    for (_, variant), counts in found.items():
        sums[variant].update(counts)
    print(f"{len({name for name, _ in found})} graphs")
    print("| tensors | values | without ranges of | proved safe | possible | unsafe | not analysed | time | graphs not finished |")
    print("|---|---|---|---|---|---|---|---|---|")
    for (tensors, values, without), counts in sums.items():
        verdicts = " | ".join(str(counts[verdict]) for verdict in ("safe", "possible", "unsafe", "unknown"))
        words = {"both": "inputs and weights"}.get(without, without)
        print(f"| {tensors} | {values} | {words} | {verdicts} | {counts['milliseconds'] / 1000:.1f} s | {counts['not finished']} |")
    return sums


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=Path, default=GRAPHS)
    parser.add_argument("--seconds", type=float, default=20.0, help="how long one graph may take")
    parser.add_argument("--store", type=Path, help="keep what is done in this file")
    parser.add_argument("--match", default="*/*.gz", help="only graphs of this name")
    parser.add_argument("--tensors", default="smash,partition,expand", help="only variants with these ways to describe tensors")
    given = parser.parse_args()
    gc.set_threshold(2_000_000, 50, 50)  # as the command does
    sums = table(study(sorted(given.graphs.glob(given.match)), given.seconds, given.store, given.tensors.split(",")))
    best = sums.pop(("partition", "affine", ""))
    for other in VARIANTS:
        if other in sums:
            ratio = best["milliseconds"] / max(1, sums[other]["milliseconds"])
            print(f"partition and affine against {' and '.join(other[:2])}: {best['safe'] - sums[other]['safe']:+} proved safe, {ratio:.2f} times its time")
    more = all(best["safe"] > sums[other]["safe"] for other in VARIANTS if other in sums)
    return 0 if more and best["milliseconds"] <= 1.2 * sums["smash", "interval", ""]["milliseconds"] else 1


if __name__ == "__main__":
    sys.exit(main())
