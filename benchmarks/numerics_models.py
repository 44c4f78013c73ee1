"""Saved models whose warnings are held against real runs: `python benchmarks/numerics_models.py [--pairs] [--out FILE] [NAME ...]`.

Every graph of ../shared/graphs/models (or pairs) is analysed with the built-in ranges, and its warnings are tried by `--confirm`. The labels stand in
benchmarks/numerics.md. Rows that a file named by --out holds already are not measured again.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from pathlib import Path
from time import process_time

from tensorproof.app.numerics.model_witness import confirm_model
from tensorproof.app.numerics.report import numerics
from tensorproof.app.program import Options
from tensorproof.diagnostics.errors import BadInput
from tensorproof.engines.numerics.inputs.ranges import Given
from tensorproof.engines.numerics.records import Settings

HERE = Path(__file__).resolve().parent
GRAPHS = HERE.parents[1] / "shared" / "graphs"
if not GRAPHS.is_dir():
    GRAPHS = Path("/work/shared/graphs")
_LABEL = re.compile(r"^\| (\S+) \| `([^`]+)` \| (\S+) \| (true|false) \|", re.M)


def labels() -> dict[tuple[str, str], str]:
    """*true* or *false* by model and node, as written down before the runs."""
    return {(model, node): label for model, node, _, label in _LABEL.findall((HERE / "numerics.md").read_text(encoding="utf-8"))}


def measured(path: Path, folder: str) -> dict[str, object]:
    """The warnings of a graph, and those that a run showed."""
    before = process_time()
    found = numerics(str(path), Options(time_limit=200.0), Settings(), Given())
    seconds = process_time() - before
    warned = [one.span.node for one in found.operations if one.verdict in ("possible", "unsafe")]
    why = ""
    try:
        shown = list(confirm_model(found, f"{folder}/{path.name.partition('.')[0]}"))
    except BadInput as failed:
        shown, why = [], str(failed)
    return {"warned": warned, "shown": shown, "safe": found.count("safe"), "unknown": found.count("unknown"), "seconds": seconds, "failed": why}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--pairs", action="store_true")
    parser.add_argument("--out")
    parser.add_argument("--keep", help="a folder for the witnesses")
    given = parser.parse_args()
    out = Path(given.out) if given.out else None
    rows: dict[str, dict[str, object]] = json.loads(out.read_text(encoding="utf-8")) if out is not None and out.is_file() else {}
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted((GRAPHS / ("pairs" if given.pairs else "models")).glob("*.gz")):
            name = path.name.removesuffix(".pbtxt.gz")
            if name in rows or (given.names and name not in given.names):
                continue
            rows[name] = measured(path, given.keep or folder)
            print(name, json.dumps(rows[name]), file=sys.stderr, flush=True)
            if out is not None:
                out.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    print(table(rows))


def table(rows: dict[str, dict[str, object]]) -> str:
    known = labels()
    lines = ["| graph | proved safe | not analysed | warnings | labelled true | shown by a run | not shown |", "|---|---|---|---|---|---|---|"]
    totals = [0, 0, 0, 0, 0]
    for name, row in sorted(rows.items()):
        warned, shown = row["warned"], row["shown"]
        assert isinstance(warned, list) and isinstance(shown, list)
        true = sum(known.get((name, node)) == "true" for node in warned)
        left = [node for node in warned if node not in shown]
        counts = [int(str(row["safe"])), int(str(row["unknown"])), len(warned), true, len(warned) - len(left)]
        totals = [a + b for a, b in zip(totals, counts)]
        lines.append(f"| {name} | {' | '.join(map(str, counts))} | {', '.join(f'`{node}`' for node in left)} |")
    share = f"{totals[4]} of {totals[2]}, {100 * totals[4] / totals[2]:.0f} %" if totals[2] else "no warnings"
    return "\n".join([*lines, f"| all | {' | '.join(map(str, totals))} | {share} |"])


if __name__ == "__main__":
    main()
