"""Reads every graph of a folder, propagates shapes, and compares them with what TensorFlow itself infers.

    python benchmarks/graph_shapes.py [GRAPHS] [--tensorflow PYTHON] [--truth FOLDER] [--graph NAME] [--detail]

TensorFlow runs once per graph, in PYTHON (default: this one), and its answers are kept in the truth folder. A node counts when
TensorFlow knows the rank of one of its outputs; it is *known* to us when on all such outputs we agree on the rank and on every size
TensorFlow knows, and *different* when we say another rank or another number.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE / "src"))


def write_truth(graphs: list[Path], folder: Path) -> None:
    """Runs under a Python that has TensorFlow."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow as tf
    from google.protobuf import text_format

    for path in graphs:
        definition = tf.compat.v1.GraphDef()
        text_format.Parse(gzip.decompress(path.read_bytes()), definition)
        graph = tf.Graph()
        with graph.as_default():
            try:
                tf.compat.v1.import_graph_def(definition, name="")
            except ValueError as error:  # an operation that this TensorFlow no longer has
                truth_file(path, folder).write_text(json.dumps({"error": str(error)}))
                continue
        shapes = {
            op.name: [None if t.shape.rank is None else [-1 if n is None else n for n in t.shape.as_list()] for t in op.outputs]
            for op in graph.get_operations()
        }
        truth_file(path, folder).write_text(json.dumps(shapes))


def truth_file(path: Path, folder: Path) -> Path:
    return folder / f"{path.parent.name}__{path.name.removesuffix('.gz').removesuffix('.pbtxt')}.json"


def truth(graphs: list[Path], folder: Path, python: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    missing = [path for path in graphs if not truth_file(path, folder).is_file()]
    if missing:
        command = [python, __file__, "--write-truth", *map(str, missing), "--truth", str(folder)]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)


def judge(theirs: list[list[int] | None], ours: list[list[int | None] | None]) -> str:
    """`-` when TensorFlow knows nothing, else `known`, `unknown` or `different`."""
    verdict = "-"
    for i, expected in enumerate(theirs):
        if expected is None:
            continue
        found = ours[i] if i < len(ours) else None
        if found is None:
            verdict = "unknown"
        elif len(found) != len(expected) or any(e >= 0 and f is not None and e != f for e, f in zip(expected, found)):
            return "different"
        elif any(e >= 0 and f is None for e, f in zip(expected, found)):
            verdict = "unknown"
        elif verdict == "-":
            verdict = "known"
    return verdict


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graphs", nargs="?", type=Path, default=HERE.parent / "shared" / "graphs")
    parser.add_argument("--tensorflow", default=sys.executable, metavar="PYTHON")
    parser.add_argument("--truth", type=Path, default=Path(tempfile.gettempdir()) / "tensorproof_graph_truth")
    parser.add_argument("--graph", default="", help="only graphs whose name contains this")
    parser.add_argument("--detail", action="store_true", help="list the first nodes that are different, refused or unknown")
    parser.add_argument("--write-truth", nargs="+", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.write_truth:
        write_truth(options.write_truth, options.truth)
        return 0
    from tensorproof.engines.shapes.propagate import propagate
    from tensorproof.frontends.graphdef import read

    paths = [path for path in sorted(options.graphs.glob("*/*.pbtxt*")) if options.graph in path.name]
    if not paths:
        parser.error(f"no graphs under {options.graphs}")
    truth(paths, options.truth, options.tensorflow)
    total: Counter[str] = Counter()
    gaps: Counter[str] = Counter()
    first: Counter[str] = Counter()
    refused = 0
    print(f"{'graph':42} {'nodes':>6} {'read s':>7} {'shape s':>8} {'known':>6} {'unknown':>8} {'different':>9} {'refused':>8}")
    for path in paths:
        started = time.perf_counter()
        graph = read(path)
        read_at = time.perf_counter()
        found = propagate(graph)
        done = time.perf_counter()
        expected = json.loads(truth_file(path, options.truth).read_text())
        counts: Counter[str] = Counter()
        unknown_nodes: set[str] = set()
        for name, node in graph.nodes.items():
            theirs = expected.get(name, [])
            ours = [[n if isinstance(n, int) else None for n in t.shape] if t.shape.known else None for t in found.outputs.get(name, ())]
            verdict = judge(theirs, ours)
            counts[verdict] += 1
            if verdict == "unknown":
                unknown_nodes.add(name)
                if not any(edge is not None and edge.node in unknown_nodes for edge in node.inputs):
                    first[node.spelling] += 1
            if options.detail and (verdict == "different" or (verdict == "unknown" and first[node.spelling] == 1)):
                print(f"    {verdict} {name} ({node.spelling}): TensorFlow {theirs}, ours {list(found.outputs.get(name, ()))}")
        if options.detail:
            for name, why in found.unknown[:20]:
                print(f"    could not tell {name}: {why}")
            for name, requirement in found.refused[:20]:
                print(f"    refused {name}: [{requirement.code}] {requirement.message}")
        refused += len(found.refused)
        gaps.update(found.gaps)
        total.update(counts)
        label = f"{path.parent.name}/{path.name.removesuffix('.gz').removesuffix('.pbtxt')}"
        print(
            f"{label:42} {len(graph.nodes):6} {read_at - started:7.3f} {done - read_at:8.3f} {counts['known']:6} "
            f"{counts['unknown']:8} {counts['different']:9} {len(found.refused):8}",
            flush=True,
        )
    counted = total["known"] + total["unknown"] + total["different"]
    share = 100 * total["known"] / counted if counted else 0.0
    print(f"\n{len(paths)} graphs read; of {counted} nodes whose shape TensorFlow knows, {share:.2f} % known to us, ", end="")
    print(f"{total['different']} different; {refused} calls refused (target: at least 97 %, none different)")
    if gaps:
        print("operations without a spelling: " + ", ".join(f"{name.partition('.')[2]} {count}" for name, count in gaps.most_common()))
    if first:
        print("where knowledge is first lost:  " + ", ".join(f"{name} {count}" for name, count in first.most_common(30)))
    return 0 if share >= 97 and not total["different"] else 1


if __name__ == "__main__":
    sys.exit(main())
