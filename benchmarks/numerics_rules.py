"""`tensorproof numerics`: how many nodes of real graphs have a value rule, and which have none.

    python benchmarks/numerics_rules.py [--graphs DIR] [--match GLOB] [--list]

A node has none where the operator that it applies gives numbers without bounds (there is no reference function, or the reference function raises for these
operands), or where the front end did not follow it (a gap). Operators that are declared as opaque give no numbers: they read files, hold handles, make strings
or memory that is not set; they are listed with the reason of their declaration, and do not count as missing. The status is 1 below the target.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections import Counter
from pathlib import Path

GRAPHS = Path(__file__).parent.parent.parent / "shared" / "graphs"
TARGET = 0.995


class Count:
    """What was met in all graphs so far: operators by name, and why they have no bounds."""

    def __init__(self) -> None:
        self.graphs = self.nodes = self.applied = 0
        self.unbounded = Counter[str]()
        self.gaps = Counter[str]()
        self.opaque = Counter[str]()
        self.left = 0

    @property
    def missing(self) -> int:
        return sum(self.unbounded.values()) + sum(self.gaps.values()) + self.left

    def add(self, path: Path) -> None:
        """Analyse one graph."""
        from tensorproof.app.models.check import graphs, inputs
        from tensorproof.app.models.files import of_graph
        from tensorproof.app.numerics.report import Form, Report, analysed
        from tensorproof.app.program import Options
        from tensorproof.engines.numerics.inputs.graph_inputs import numbered
        from tensorproof.engines.numerics.inputs.ranges import Given
        from tensorproof.engines.numerics.records import Settings
        from tensorproof.program.form import computed
        from tensorproof.terms.ints import begin_file

        begin_file()
        self.graphs += 1
        for graph in graphs(str(path)):
            self.nodes += len(graph.nodes)
            form = of_graph(str(path), graph, numbered(graph, inputs(graph, Options()), {})[0])[0]
            self.opaque.update(f"{one.applied.op.name}: {one.applied.op.opaque}" for one in computed(form.records) if one.applied.op.opaque)
            report = Report(str(path))
            analysed(Form(form.records, form.names, form.gaps, form.kept), Settings(), Given(), report)
            self.applied += report.applied
            self.unbounded.update(report.unbounded)
            self.gaps.update(f"{gap.callee}: {gap.reason}" for gap in dict.fromkeys(report.gaps))
            self.left += report.left


def shown(title: str, found: Counter[str]) -> None:
    print(f"{title}: {sum(found.values()):,}")
    for words, count in found.most_common():
        print(f"  {count:,} × {words}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=Path, default=GRAPHS, metavar="DIR")
    parser.add_argument("--match", default="*/*.gz", help="only graphs of this name")
    parser.add_argument("--list", action="store_true", help="the operators without numbers as well")
    given = parser.parse_args()
    gc.set_threshold(2_000_000, 50, 50)  # as the command does
    count = Count()
    for path in sorted(given.graphs.glob(given.match)):
        count.add(path)
    share = 1 - count.missing / max(1, count.nodes)
    print(f"{count.graphs} graphs, {count.nodes:,} nodes, {count.applied:,} applied operators: {100 * share:.2f} % with a value rule (target {100 * TARGET} %)")
    shown("without bounds, by operator and reason", count.unbounded)
    shown("not followed", count.gaps)
    if count.left:
        print(f"not analysed in time: {count.left:,}")
    if given.list:
        shown("operators that give no numbers, with the reason of their declaration", count.opaque)
    return 0 if share >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
