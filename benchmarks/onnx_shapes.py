"""Propagates the node models of ONNX's own backend tests and compares shapes and element types with their true results.

    python benchmarks/onnx_shapes.py [--operator NAME] [--detail]

Every model comes with inputs and outputs. The inputs are given to the propagation with their contents where they are small (an input
that holds a shape or an axis decides the result), the outputs are the truth. A model is *known* when all its outputs are inferred with
equal shape and type, *different* when one is inferred otherwise, *refused* when a call of ours refuses, *unknown* else. Needs `onnx`.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

from tensorproof.terms.records import replace

HERE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE / "src"))

from tensorproof.engines.shapes.propagate import propagate  # noqa: E402
from tensorproof.frontends.onnx import parse  # noqa: E402
from tensorproof.frontends.onnx.schema import dtype_of  # noqa: E402
from tensorproof.graph import Graph  # noqa: E402
from tensorproof.terms.dtypes import BY_LABEL, DType  # noqa: E402
from tensorproof.terms.shapes import Shape  # noqa: E402
from tensorproof.terms.tensor import MOST_CONTENTS, TensorType  # noqa: E402


def cases() -> list[Any]:
    """The models of ONNX's node tests, with their data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        return collect_testcases(None)


def array(value: Any) -> Any:
    import numpy as np
    from onnx import TensorProto, numpy_helper

    return numpy_helper.to_array(value) if isinstance(value, TensorProto) else np.asarray(value)


def label_of(dtype: Any) -> DType | None:
    return DType.STRING if dtype.kind in "OUST" else BY_LABEL.get(dtype.name)


def tensor(value: Any, elem_type: int = 0) -> TensorType | None:
    """The abstract value of a true one; None for what we have no value for."""
    if value is None:
        return None
    if isinstance(value, list):
        items = tuple(tensor(v) for v in value)
        return TensorType(Shape((len(items),)), DType.VARIANT, contents=items, framework="onnx")
    held = array(value)
    contents = None
    if held.size <= MOST_CONTENTS and held.dtype.kind in "iufbOU":
        contents = tuple(v.decode() if isinstance(v, bytes) else v for v in held.reshape(-1).tolist())
    return TensorType(Shape(held.shape), dtype_of(elem_type) if elem_type else label_of(held.dtype), contents=contents, framework="onnx")


def given_inputs(case: Any, graph: Graph) -> dict[str, TensorType]:
    held = case.data_sets[0][0]
    made: dict[str, TensorType] = {}
    for name, info, value in zip(graph.inputs, case.model.graph.input, held):
        found = tensor(value, info.type.tensor_type.elem_type)
        if found is not None:
            made[name] = found
    return made


def judge(ours: TensorType, truth: Any, elem_type: int) -> str:
    """`known`, `unknown` or `different`."""
    if truth is None or not ours.shape.known:
        return "unknown"
    if isinstance(truth, list):
        if ours.dtype is not DType.VARIANT:
            return "unknown" if ours.dtype is None else "different"
        if type(ours.shape[0]) is int and ours.shape[0] != len(truth):
            return "different"
        if ours.contents is None:
            return "unknown"
        verdicts = {judge(item, value, 0) for item, value in zip(ours.contents, truth)}
        return next((v for v in ("different", "unknown") if v in verdicts), "known")
    held = array(truth)
    if len(held.shape) != len(ours.shape) or any(type(a) is int and a != b for a, b in zip(ours.shape, held.shape)):
        return "different"
    expected = dtype_of(elem_type) if elem_type else label_of(held.dtype)
    if expected is not None and ours.dtype is not None and ours.dtype is not expected:
        return "different"
    return "unknown" if any(type(a) is not int for a in ours.shape) or (ours.dtype is None and expected is not None) else "known"


def try_case(case: Any) -> tuple[str, str, Any, Graph]:
    """The verdict on one model, what it says, and what was found."""
    graph = replace(parse(case.model.SerializeToString(), case.name), declared={})  # the file's own claims would answer for us
    found = propagate(graph, given_inputs(case, graph))
    if found.refused:
        where, requirement = found.refused[0]
        return "refused", f"{where}: [{requirement.code}] {requirement.message}", found, graph
    verdicts: list[str] = []
    words = ""
    for edge, info, truth in zip(graph.outputs, case.model.graph.output, case.data_sets[0][1]):
        outputs = found.outputs.get(edge.node, ())
        ours = outputs[edge.output_index] if edge.output_index < len(outputs) else None
        verdict = "unknown" if ours is None else judge(ours, truth, info.type.tensor_type.elem_type)
        verdicts.append(verdict)
        if verdict != "known" and not words:
            shown = f"a sequence of {len(truth)}" if isinstance(truth, list) else None if truth is None else f"{array(truth).dtype}{array(truth).shape}"
            words = f"output {info.name} is {shown}, ours {ours}"
    if found.unknown and not words:
        words = str(found.unknown[0])
    verdict = next((v for v in ("different", "unknown") if v in verdicts), "known")
    return verdict, words + (f"; {found.unknown[0]}" if found.unknown and verdict != "known" else ""), found, graph


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--operator", default="", help="only models that hold a node of this operator")
    parser.add_argument("--detail", action="store_true", help="list every model that is not known")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    gaps: Counter[str] = Counter()
    by_operator: dict[str, Counter[str]] = {}
    started = time.perf_counter()
    for case in cases():
        operators = {node.op_type for node in case.model.graph.node}
        if options.operator and options.operator not in operators:
            continue
        verdict, words, found, _ = try_case(case)
        if found.gaps:
            verdict = "gap" if verdict == "unknown" else verdict
            gaps.update(set(found.gaps))
        counts[verdict] += 1
        first = case.model.graph.node[0].op_type if len(operators) == 1 else "several"
        by_operator.setdefault(first, Counter())[verdict] += 1
        if options.detail and verdict != "known":
            print(f"{verdict:10} {case.name:60} {words[:260]}")
    total = sum(counts.values())
    print(f"{total} models in {time.perf_counter() - started:.1f} s: {100 * counts['known'] / max(1, total):.2f} % known and equal, ", end="")
    print(", ".join(f"{counts[k]} {k}" for k in ("unknown", "gap", "different", "refused")))
    if gaps:
        print("operators without a spelling: " + ", ".join(f"{name.removeprefix('onnx.')} {n}" for name, n in gaps.most_common()))
    lost = {name: c for name, c in by_operator.items() if c["unknown"]}
    if lost:
        print("not known: " + ", ".join(f"{name} {c['unknown']}/{sum(c.values())}" for name, c in sorted(lost.items(), key=lambda item: -item[1]["unknown"])))
    return int(bool(counts["different"] or counts["refused"]))


if __name__ == "__main__":
    sys.exit(main())
