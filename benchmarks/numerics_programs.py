"""The source programs of tests/numerics: the share flagged at the right line, with a witness by `--confirm`, and the warnings on the mended twins.

    python benchmarks/numerics_programs.py [PATTERN] [--confirm] [--runs N] [--store FILE] [--list]

A program is flagged when each marked line is reported with its code; it has a witness when a real run, with inputs and parameters at the corners of their
ranges, leaves the finite numbers on a marked line (`--confirm`; needs torch, TensorFlow and Keras, about half a minute a program). `--store` keeps the rows,
which are not measured again. Exit status 1 where a target is missed: 95 % flagged, 90 % with a witness, at most 1 warning on all twins.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.numerics.test_programs import Case, analysed, cases, expected, reported

FLAGGED, SHOWN, TWINS = 0.95, 0.90, 1


def measured(case: Case, confirm: bool, runs: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        found, marked = analysed(case.faulty, Path(folder)), expected(case.faulty)
        row: dict[str, Any] = {"flagged": marked <= reported(found), "beside": len(reported(found) - marked)}
        if confirm:
            from tensorproof.app.numerics.witness import confirm_source

            os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
            shown = confirm_source(found, (), str(Path(folder) / "witness"), runs)
            row["witness"] = sorted(line for line in shown if line in {line for line, _ in marked})
        row["twin"] = len(reported(analysed(case.fixed, Path(folder))))
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pattern", nargs="?", default="")
    parser.add_argument("--confirm", action="store_true")
    parser.add_argument("--runs", type=int, default=24)
    parser.add_argument("--store")
    parser.add_argument("--list", action="store_true")
    given = parser.parse_args()
    store = Path(given.store) if given.store else None
    kept: dict[str, Any] = json.loads(store.read_text(encoding="utf-8")) if store is not None and store.exists() else {}
    rows: list[dict[str, Any]] = []
    for case in cases():
        if given.pattern not in case.title:
            continue
        row = kept.get(case.title)
        if row is None or (given.confirm and "witness" not in row):
            row = kept[case.title] = measured(case, given.confirm, given.runs)
            if store is not None:
                store.write_text(json.dumps(kept, indent=1), encoding="utf-8")
        rows.append(row)
        if given.list or not row["flagged"] or row["twin"] or (given.confirm and not row["witness"]):
            print(f"{case.title}: {row}", flush=True)
    flagged, twins = sum(row["flagged"] for row in rows), sum(row["twin"] for row in rows)
    shown = sum(bool(row.get("witness")) for row in rows)
    print(f"{len(rows)} programs: {flagged} flagged at the right line ({100 * flagged / max(1, len(rows)):.0f} %), {twins} warnings on the twins"
          + (f", {shown} with a witness ({100 * shown / max(1, len(rows)):.0f} %)" if given.confirm else ""))  # fmt: skip
    missed = flagged < FLAGGED * len(rows) or twins > TWINS or (given.confirm and shown < SHOWN * len(rows))
    sys.exit(int(missed and not given.pattern))


if __name__ == "__main__":
    main()
