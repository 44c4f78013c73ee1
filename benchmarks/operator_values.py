"""What operators compute against the real libraries: values within their bounds, and values of reference functions, for all operators of the catalogue.

    python benchmarks/operator_values.py [--seed 0] [--count 20] [--file NAME...] [--records FILE] [--type float16] [--list]

One line for each file of the catalogue, and the totals. Records are appended to FILE as they come; a run that was stopped goes on behind them, so that the
same command with the same FILE finishes it. Exits with 1 when a target is missed: bounds for 95 % of the operators on real or whole numbers, each held in
`count` boxes; `count` compared calls for 90 % of them; no value outside of its bounds, and none that differs.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]

from tests.conformance.left_aside import NO_ORACLE, NOT_COMPARED  # noqa: E402
from tests.conformance.one_type import FLOATS_BY_LABEL, why_few  # noqa: E402
from tests.conformance.reference import run, spellings  # noqa: E402

from tensorproof.catalogue import find  # noqa: E402
from tensorproof.catalogue.where import WHERE  # noqa: E402

BOUNDED, COMPARED = 0.95, 0.9
HEADER = ("file", "operators", "with bounds", "boxes", "calls", "outside", "differ", "seconds")
Record = dict[str, Any]


def operators(files: list[str]) -> list[str]:
    """Those whose results are functions of real or whole numbers, in the order of the files."""
    chosen = [op for op, file in WHERE.items() if not files or file in files]
    return sorted((op for op in chosen if (found := find(op)) is not None and not found.opaque), key=lambda op: WHERE[op])


def gathered(names: list[str], count: int, seed: int, kept: Path | None, floats: str) -> Iterator[Record]:
    """The records of all operators: those that are kept, and then new ones, which are kept as they come."""
    done = {}
    if kept is not None and kept.exists():
        done = {record["op"]: record for record in map(json.loads, kept.read_text().splitlines())}
    yield from (done[name] for name in names if name in done)
    known = spellings()
    for record in run({name: known.get(name, []) for name in names if name not in done}, count, seed, floats):
        if kept is not None:
            with kept.open("a") as file:
                file.write(json.dumps(record) + "\n")
        yield record


def boxes_of(record: Record) -> int:
    """How many boxes had bounds."""
    return int(record.get("boxes", 0) - record.get("unbounded", 0))


class Totals:
    """Counts over operators on real or whole numbers."""

    def __init__(self, records: list[Record], count: int) -> None:
        self.records = [r for r in records if not r.get("complex")]
        self.complex = [r["op"] for r in records if r.get("complex")]
        self.bounded = [r["op"] for r in self.records if boxes_of(r) >= count]
        self.few_boxes = {f"{r['op']}={boxes_of(r)}": why_few(r) for r in self.records if boxes_of(r) < count}
        self.compared = [r["op"] for r in self.records if r["calls"] >= count]
        self.few_calls = {f"{r['op']}={r['calls']}": "" for r in self.records if r["calls"] < count}
        self.outside = [r["op"] for r in records if r.get("outside")]
        self.wrong = [r["op"] for r in records if r["wrong"]]

    def line(self, name: str, records: list[Record]) -> str:
        own = len(self.records)
        numbers = (sum(map(boxes_of, records)), sum(r["calls"] for r in records), len(self.outside), len(self.wrong))
        cells = (name, own, f"{len(self.bounded)}", *numbers, f"{sum(r.get('seconds', 0.0) for r in records):.0f}")
        return "  ".join(str(cell).rjust(11) if i else str(cell).ljust(20) for i, cell in enumerate(cells))

    @property
    def met(self) -> bool:
        own = len(self.records)
        return len(self.bounded) >= BOUNDED * own and len(self.compared) >= COMPARED * own and not self.outside and not self.wrong


def reason(entry: str) -> str:
    """Why an operator has few boxes or calls, where that cannot be changed here."""
    name = entry.partition("=")[0]
    op = find(name)
    drawn = "its values are random" if op is not None and op.random else ""
    return NOT_COMPARED.get(name) or NO_ORACLE.get(name) or drawn or "no reason is given"


def show(totals: Totals, count: int, boxes_alone: bool) -> None:
    own = len(totals.records)
    print(f"\noperators on real or whole numbers: {own}; on complex numbers alone: {len(totals.complex)} ({' '.join(totals.complex)})")
    print(f"bounds held in at least {count} boxes: {len(totals.bounded)} ({100 * len(totals.bounded) / max(1, own):.1f} %)")
    print(f"values compared in at least {count} calls: {len(totals.compared)} ({100 * len(totals.compared) / max(1, own):.1f} %)")
    print(f"with a value outside of its bounds: {len(totals.outside)}; with a value that differs: {len(totals.wrong)}")
    for words, few in (("boxes", totals.few_boxes), ("calls", {} if boxes_alone else totals.few_calls)):
        print(f"fewer than {count} {words}:")
        for entry, seen in few.items():
            print(f"    {entry}: {NO_ORACLE.get(entry.partition('=')[0]) or seen or reason(entry)}")


def details(records: list[Record]) -> None:
    for r in records:
        for call, difference in r["wrong"][:3]:
            print(f"{r['op']}: differs: {call}\n    {difference}")
        for call, difference in r.get("outside", ())[:2]:
            print(f"{r['op']}: outside: {call}\n    {difference}")
        for difference in r.get("taken", ())[:2]:
            print(f"{r['op']}: the library takes what is refused here: {difference}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--file", nargs="*", default=[], help="files of the catalogue")
    parser.add_argument("--records", type=Path, help="keeps the records, and goes on where a run was stopped")
    parser.add_argument("--type", default="", choices=("", *FLOATS_BY_LABEL), help="boxes alone, of tensors of this element type")
    parser.add_argument("--list", action="store_true", help="show what lies outside and what differs")
    options = parser.parse_args()
    names, records = operators(options.file), list[Record]()
    print("  ".join(word.rjust(11) if i else word.ljust(20) for i, word in enumerate(HEADER)))
    left = {file: [op for op in names if WHERE[op] == file] for file in dict.fromkeys(WHERE[op] for op in names)}
    for record in gathered(names, options.count, options.seed, options.records, options.type):
        records.append(record)
        file = WHERE[record["op"]]
        left[file].remove(record["op"])
        if not left[file]:
            own = [r for r in records if WHERE[r["op"]] == file]
            print(Totals(own, options.count).line(file, own), flush=True)
    totals = Totals(records, options.count)
    print(totals.line("all", records))
    show(totals, options.count, bool(options.type))
    if options.list:
        details(records)
    return int(bool(totals.outside) if options.type else not totals.met)


if __name__ == "__main__":
    sys.exit(main())
