"""Precision and recall of the constraints that are read from documentation, on the parameters labelled by hand.

    python benchmarks/library_documentation.py             # the half that served to build the extractor
    python benchmarks/library_documentation.py --unseen    # the other half
    python benchmarks/library_documentation.py --wrong     # and each parameter that is read otherwise than labelled

A fact is one part of one parameter (its structure, element types, shape, range or choices) with its whole value: half of an enumeration is wrong.
"""

from __future__ import annotations

import argparse
import csv
import os
import warnings
from pathlib import Path
from typing import Any

from tensorproof.equivalence.documentation.reading import read

LABELS = Path(__file__).resolve().parent.parent / "tests" / "library" / "labels" / "parameters.tsv"
PARTS = ("structure", "type", "shape", "range", "choices")


def found(name: str) -> Any:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    from importlib import import_module

    value: Any = import_module({"tf": "tensorflow"}.get(name.partition(".")[0], name.partition(".")[0]))
    for part in name.split(".")[1:]:
        value = getattr(value, part)
    return value


def facts(row: dict[str, str]) -> dict[str, str]:
    parameter = next((p for p in read(found(row["name"]), row["name"]) if p.name == row["parameter"]), None)
    if parameter is None:
        return dict.fromkeys(PARTS, "-")
    made = {part: getattr(parameter.said, part) for part in PARTS}
    return {part: (value if isinstance(value, str) else "|".join(value)) or "-" for part, value in made.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--unseen", action="store_true")
    parser.add_argument("--wrong", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = list(csv.DictReader(LABELS.open(), delimiter="\t", quoting=csv.QUOTE_NONE))
    rows = rows[150:] if options.unseen else rows[:150]
    counts = {part: [0, 0, 0] for part in PARTS}
    for row in rows:
        made = facts(row)
        for part in PARTS:
            right = made[part] == row[part] != "-"
            counts[part] = [counts[part][0] + right, counts[part][1] + (made[part] != "-"), counts[part][2] + (row[part] != "-")]
            if options.wrong and made[part] != row[part]:
                print(f"{row['name']} {row['parameter']}: {part} is {row[part]}, read {made[part]}")
    print(f"{'part':10} {'right':>6} {'read':>6} {'said':>6} {'precision':>10} {'recall':>8}")
    for part, (right, read_, said) in [*counts.items(), ("all", [sum(column) for column in zip(*counts.values())])]:
        print(f"{part:10} {right:6} {read_:6} {said:6} {right / max(1, read_):10.1%} {right / max(1, said):8.1%}")


if __name__ == "__main__":
    main()
