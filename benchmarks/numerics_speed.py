"""`tensorproof numerics`: the time of its steps on real graphs, how it grows with layers, and what one cold command costs.

    python benchmarks/numerics_speed.py [--graphs DIR] [--only graphs|growth|cold] [--list]

Without `--only` all three are measured. Times are of the processor (`time.process_time`), so that other programs do not count; of the cold command and of
`import tensorflow`, user and system time of the child. *Reading* is from the file to the graph, *shapes* from the graph to the program form, *analysis* is the
rest: ranges of inputs and parameters, bounds of all values, verdicts.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import mean
from time import process_time

GRAPHS = Path(__file__).parent.parent.parent / "shared" / "graphs"
LARGE = 5000
LAYERS = """import torch
import torch.nn as nn
layers = []
for i in range({n}):
    layers.append(nn.Linear(32, 32))
    layers.append(nn.ReLU())
net = nn.Sequential(*layers)
y = torch.log(net(torch.randn(8, 32)) + 1.0)
"""
NODE = """node {{ name: "{name}" op: "{op}" {inputs} {attributes} }}
"""


class Times:
    """Seconds of the three steps of one graph, and how many nodes it has."""

    def __init__(self, path: str) -> None:
        from tensorproof.app.models.check import graphs, inputs
        from tensorproof.app.models.files import of_graph
        from tensorproof.app.numerics.report import Form, Report, analysed
        from tensorproof.app.program import Options
        from tensorproof.engines.numerics.inputs.graph_inputs import numbered
        from tensorproof.engines.numerics.inputs.ranges import Given
        from tensorproof.engines.numerics.records import Settings
        from tensorproof.terms.ints import begin_file

        self.path = Path(path)
        begin_file()
        start = process_time()
        read = list(graphs(path))
        self.nodes = sum(len(graph.nodes) for graph in read)
        self.reading = process_time() - start
        start = process_time()
        forms = [of_graph(path, graph, numbered(graph, inputs(graph, Options()), {})[0])[0] for graph in read]
        self.shapes = process_time() - start
        start = process_time()
        report = Report(path)
        for one in forms:
            analysed(Form(one.records, one.names, one.gaps, one.kept), Settings(), Given(), report)
        self.analysis = process_time() - start


def real_graphs(folder: Path, listed: bool) -> bool:
    """The table of all graphs, and whether the targets are met."""
    found = [Times(str(path)) for path in sorted(folder.glob("*/*.gz"))]
    if listed:
        for one in sorted(found, key=lambda t: -t.analysis):
            times = f"reading {one.reading:.3f} s, shapes {one.shapes:.3f} s, analysis {one.analysis:.3f} s"
            print(f"{one.path.parent.name}/{one.path.name}: {one.nodes} nodes, {times}")
    small = [one for one in found if one.nodes < LARGE]
    average = mean(one.analysis for one in small)
    print(f"{len(found)} graphs, {sum(one.nodes for one in found):,} nodes")
    print(f"analysis, mean of {len(small)} graphs below {LARGE:,} nodes: {average:.3f} s (target 0.07); shapes {mean(one.shapes for one in small):.3f} s more")
    largest = max(found, key=lambda one: one.nodes)
    print(
        f"{largest.path.name}, {largest.nodes:,} nodes: analysis {largest.analysis:.2f} s (target 3), reading {largest.reading:.2f} s, "
        f"shapes {largest.shapes:.2f} s (target of both 7)"
    )
    return average <= 0.07 and largest.analysis <= 3 and largest.reading + largest.shapes <= 7


def layered(layers: int) -> str:
    """A GraphDef of so many dense layers, as text."""
    floats = 'attr {{ key: "{0}" value {{ type: DT_FLOAT }} }}'
    shape = 'attr { key: "shape" value { shape { dim { size: 8 } dim { size: 32 } } } }'
    weights = 'attr { key: "shape" value { shape { dim { size: 32 } dim { size: 32 } } } }'
    text = [NODE.format(name="x", op="Placeholder", inputs="", attributes=floats.format("dtype") + shape)]
    last = "x"
    for i in range(layers):
        text.append(NODE.format(name=f"w{i}", op="VariableV2", inputs="", attributes=floats.format("dtype") + weights))
        text.append(NODE.format(name=f"m{i}", op="MatMul", inputs=f'input: "{last}" input: "w{i}"', attributes=floats.format("T")))
        text.append(NODE.format(name=f"t{i}", op="Tanh", inputs=f'input: "m{i}"', attributes=floats.format("T")))
        last = f"t{i}"
    text.append(NODE.format(name="log", op="Log", inputs=f'input: "{last}"', attributes=floats.format("T")))
    return "".join(text)


def growth(layers: int, source: bool) -> float:
    """Seconds from a file of so many layers to the report."""
    from tensorproof.app.numerics.report import numerics
    from tensorproof.app.program import Options
    from tensorproof.engines.numerics.inputs.ranges import Given
    from tensorproof.engines.numerics.records import Settings

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("layers.py" if source else "layers.pbtxt")
        path.write_text(LAYERS.format(n=layers) if source else layered(layers))
        start = process_time()
        report = numerics(str(path), Options(), Settings(), Given())
        taken = process_time() - start
    assert report.applied > layers, f"{report.applied} operators are applied, {layers} layers are in {path.name}"
    return taken


def growths() -> bool:
    met = True
    for source in (False, True):
        growth(100, source)
        few, many = growth(1000, source), growth(10_000, source)
        print(f"{'torch program' if source else 'GraphDef'}: 1,000 layers {few:.2f} s, 10,000 layers {many:.2f} s, {many / few:.1f} times (target 13)")
        met = met and many / few <= 13
    return met


def child(*command: str) -> float:
    """Seconds of the processor that a command takes."""
    before = os.times()
    subprocess.run([sys.executable, *command], check=False, capture_output=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def cold(folder: Path) -> bool:
    """One command on a small graph against the import of TensorFlow."""
    path = min((folder / "pairs").glob("*.gz"), key=lambda p: p.stat().st_size)
    with tempfile.TemporaryDirectory() as place:
        plain = Path(place) / path.with_suffix("").name
        plain.write_bytes(gzip.decompress(path.read_bytes()))
        ours = min(child("-m", "tensorproof", "numerics", str(plain)) for _ in range(3))
    theirs = min(child("-c", "import tensorflow") for _ in range(2))
    print(f"cold command on {path.name}: {ours:.2f} s, import tensorflow {theirs:.2f} s: {ours / theirs:.3f} (target 0.25)")
    return ours <= 0.25 * theirs


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=Path, default=GRAPHS, metavar="DIR")
    parser.add_argument("--only", choices=("graphs", "growth", "cold"))
    parser.add_argument("--list", action="store_true", help="a line for each graph")
    given = parser.parse_args()
    gc.set_threshold(2_000_000, 50, 50)  # as the command does
    met = True
    if given.only in (None, "graphs"):
        met = real_graphs(given.graphs, given.list) and met
    if given.only in (None, "growth"):
        met = growths() and met
    if given.only in (None, "cold"):
        met = cold(given.graphs) and met
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
