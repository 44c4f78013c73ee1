"""Bounds over the program form of saved graphs hold in real runs: each value that a session or the reference evaluator can fetch lies within them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("tensorflow")
pytest.importorskip("onnx")

import onnx
import tensorflow as tf
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from tensorproof.engines.shapes.propagate import propagate
from tensorproof.engines.shapes.sources import FRAMEWORKS
from tensorproof.engines.values.program_bounds import program_bounds
from tensorproof.engines.values.rules import Box
from tensorproof.frontends import graphdef
from tensorproof.frontends import onnx as onnx_front_end
from tensorproof.program.form import Loop, Record, computed
from tensorproof.terms.dtypes import FLOAT32
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType
from tests.models import onnx_graphs
from tests.models.tf_graphs import CASES, frozen

v1 = tf.compat.v1
RUNS = 6
SMALL = ("embedded", "gated", "recurrent", "attention", "repeated", "parted", "sliced", "branched")
"""Graphs without convolutions of many elements, whose bounds take seconds."""
LOW, HIGH = -0.5, 1.5


def bounds_of(graph: Any, sizes: tuple[int, ...]) -> tuple[dict[str, list[Any]], list[Record]]:
    """Bounds of all results of the outermost nodes, where the input x lies between LOW and HIGH."""
    x = TensorType(Shape(sizes), FLOAT32, framework=FRAMEWORKS[graph.framework])
    found = propagate(graph, {"x": x})
    assert not found.refused and not found.missing
    values = program_bounds(found.program.records, {id(x): Box(np.full(sizes, LOW), np.full(sizes, HIGH))})
    return {name: [values.get(id(t)) for t in made] for name, made in found.outputs.items()}, found.program.records


def inside(box: Any, value: Any) -> bool:
    if box is None or value is None or np.asarray(value).dtype.kind not in "biuf":
        return True
    x = np.asarray(value, np.float64)
    assert x.shape == box.shape
    return bool(np.where(np.isnan(x), box.nan, (x >= box.lo) & (x <= box.hi)).all())


def loops(records: Any) -> int:
    return sum(1 + loops(one.body) for one in records if isinstance(one, Loop))


def known(box: Any) -> bool:
    return box is not None and bool((np.isfinite(box.lo) | np.isfinite(box.hi)).all())


# --- TensorFlow ---


def once_more(x: Any) -> Any:
    return tf.while_loop(lambda i, v: i < 7, lambda i, v: (i + 1, tf.sigmoid(v + 1.0)), [0, x])[1]


def until(x: Any) -> Any:
    return tf.while_loop(lambda v, w: tf.reduce_sum(v) < 50.0, lambda v, w: (v + w * w + 1.0, w * 0.5), [x, x])[0]


def nested(x: Any) -> Any:
    def inner(i: Any, v: Any) -> Any:
        return i + 1, tf.while_loop(lambda j, u: j < 3, lambda j, u: (j + 1, tf.tanh(u) + v * 0.0 + 1.0), [0, v])[1]

    return tf.while_loop(lambda i, v: i < 4, inner, [0, x])[1] * 2.0


def either(x: Any) -> Any:
    return tf.cond(tf.reduce_mean(x) > 0.5, lambda: tf.exp(x), lambda: x - 10.0) + 1.0


def exchanged(x: Any) -> Any:
    return tf.while_loop(lambda i, a, b: i < 5, lambda i, a, b: (i + 1, b, a + 1.0), [0, x, tf.zeros_like(x)])[2]


FLOWS: dict[str, tuple[Callable[[Any], Any], bool]] = {f.__name__: (f, f is not either) for f in (once_more, until, nested, either, exchanged)}


def held(made: Any, sizes: tuple[int, ...], path: Path) -> tuple[dict[str, list[Any]], list[Record]]:
    """Write a GraphDef, bound its values, and hold them against what a session computes."""
    path.write_bytes(made.SerializeToString())
    (graph,) = graphdef.read_all(str(path))
    bounds, records = bounds_of(graph, sizes)
    with tf.Graph().as_default() as real, v1.Session() as session:
        tf.compat.v1.import_graph_def(made, name="")
        fetched = [t for op in real.get_operations() for t in op.outputs if real.is_fetchable(t) and t.dtype in (tf.float32, tf.int32, tf.bool)]
        fetched = [t for t in fetched if not _in_frame(t.op)]
        random = np.random.default_rng(0)
        for _ in range(RUNS):
            x = random.uniform(LOW, HIGH, sizes).astype(np.float32)
            for tensor in fetched:
                try:
                    value = session.run(tensor, {"x:0": x})
                except tf.errors.InvalidArgumentError:  # the side of a branch that is not taken
                    continue
                boxes = bounds[tensor.op.name]
                assert inside(boxes[tensor.value_index] if tensor.value_index < len(boxes) else None, value), tensor.name
    return bounds, records


def _in_frame(op: Any) -> bool:
    return op._get_control_flow_context() is not None or op.type in ("Switch", "Merge", "Enter", "NextIteration", "LoopCond") or "while" in op.name


@pytest.mark.parametrize("old", [True, False], ids=["frames", "functions"])
@pytest.mark.parametrize("name", FLOWS)
def test_loops_and_branches_of_tensorflow(name: str, old: bool, tmp_path: Path) -> None:
    build, has_loop = FLOWS[name]
    (v1.disable_control_flow_v2 if old else v1.enable_control_flow_v2)()
    try:
        with tf.Graph().as_default() as graph:
            build(v1.placeholder(tf.float32, (2, 3), "x"))
        bounds, records = held(graph.as_graph_def(), (2, 3), tmp_path / "model.pb")
    finally:
        v1.enable_control_flow_v2()
    assert bool(loops(records)) == has_loop
    if name in ("once_more", "nested", "either", "exchanged"):
        ends = [n for n, boxes in bounds.items() if boxes and boxes[0] is not None and boxes[0].shape == (2, 3)]
        assert known(bounds[ends[-1]][0])


@pytest.mark.parametrize("case", [c for c in CASES if c.name in SMALL], ids=lambda c: c.name)
def test_graphs_of_tensorflow(case: Any, tmp_path: Path) -> None:
    made, _ = frozen(case, False)
    _, records = held(made, tuple(n or 2 for n in case.input), tmp_path / "model.pb")
    assert any(True for _ in computed(records))


# --- ONNX ---


def _model(nodes: list[Any], outputs: str, weights: tuple[Any, ...] = ()) -> Any:
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, (4, 3))
    made = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs.split()]
    return helper.make_model(helper.make_graph(nodes, "g", [x], made, list(weights)), opset_imports=[helper.make_opsetid("", 17)])


def _info(name: str, kind: int = TensorProto.FLOAT, shape: Any = None) -> Any:
    return helper.make_tensor_value_info(name, kind, shape)


ON = numpy_helper.from_array(np.array(True), "on")


def _loop() -> Any:
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["go"], ["still"]),
            helper.make_node("Sigmoid", ["v"], ["s"]),
            helper.make_node("Add", ["s", "x"], ["next"]),
            helper.make_node("Mul", ["next", "next"], ["each"]),
        ],
        "body", [_info("i", TensorProto.INT64, ()), _info("go", TensorProto.BOOL, ()), _info("v")],
        [_info("still", TensorProto.BOOL, ()), _info("next"), _info("each")],
    )  # fmt: skip
    nodes = [helper.make_node("Loop", ["n", "on", "x"], ["last", "all"], body=body, name="loop"), helper.make_node("Relu", ["last"], ["y"])]
    return _model(nodes, "last all y", (onnx_graphs.whole("n", 6), ON))


def _growing() -> Any:
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["still"]), helper.make_node("Add", ["v", "one"], ["next"])],
        "body", [_info("i", TensorProto.INT64, ()), _info("go", TensorProto.BOOL, ()), _info("v")], [_info("still", TensorProto.BOOL, ()), _info("next")],
    )  # fmt: skip
    return _model([helper.make_node("Loop", ["n", "on", "x"], ["y"], body=body)], "y", (onnx_graphs.whole("n", 9), onnx_graphs.weight("one", 1), ON))


def _scan() -> Any:
    body = helper.make_graph(
        [helper.make_node("Add", ["s", "row"], ["sum"]), helper.make_node("Tanh", ["sum"], ["out"]), helper.make_node("Identity", ["out"], ["seen"])],
        "body", [_info("s", shape=(3,)), _info("row", shape=(3,))], [_info("out", shape=(3,)), _info("seen", shape=(3,))],
    )  # fmt: skip
    return _model([helper.make_node("Scan", ["z", "x"], ["last", "all"], body=body, num_scan_inputs=1)], "last all", (onnx_graphs.weight("z", 3),))


def _if() -> Any:
    then = helper.make_graph([helper.make_node("Exp", ["x"], ["a"])], "then", [], [_info("a")])
    other = helper.make_graph([helper.make_node("Neg", ["x"], ["b"])], "other", [], [_info("b")])
    nodes = [
        helper.make_node("ReduceMean", ["x"], ["m"], keepdims=0), helper.make_node("Greater", ["m", "half"], ["c"]),
        helper.make_node("If", ["c"], ["r"], then_branch=then, else_branch=other), helper.make_node("Add", ["r", "half"], ["y"]),
    ]  # fmt: skip
    return _model(nodes, "r y", (onnx_graphs.weight("half"),))


ONNX: dict[str, tuple[Callable[[], Any], int]] = {"loop": (_loop, 1), "growing": (_growing, 1), "scan": (_scan, 1), "if": (_if, 0)}


def held_onnx(model: Any, sizes: tuple[int, ...], path: Path, dtype: Any = np.float32) -> tuple[dict[str, list[Any]], list[Record]]:
    onnx.save(model, path)
    graph = onnx_front_end.read(str(path))
    bounds, records = bounds_of(graph, sizes)
    by_value = {output: (node.name, i) for node in graph.nodes.values() for i, output in enumerate(node.outputs)}
    del model.graph.output[:]
    model.graph.output.extend(helper.make_empty_tensor_value_info(name) for node in model.graph.node for name in node.output if name)
    evaluator, random = ReferenceEvaluator(model), np.random.default_rng(0)
    for _ in range(RUNS):
        fed = random.uniform(LOW, HIGH, sizes).astype(dtype)
        for name, value in zip(evaluator.output_names, evaluator.run(None, {"x": fed})):
            node, i = by_value[name]
            assert inside(bounds[node][i], value), name
    return bounds, records


@pytest.mark.parametrize("name", ONNX)
def test_loops_and_branches_of_onnx(name: str, tmp_path: Path) -> None:
    build, wanted = ONNX[name]
    bounds, records = held_onnx(build(), (4, 3), tmp_path / "model.onnx")
    assert loops(records) == wanted
    assert all(known(box) for boxes in list(bounds.values())[-1:] for box in boxes)


@pytest.mark.parametrize("case", [c for c in onnx_graphs.CASES if c.name in SMALL and c.dtype is np.float32], ids=lambda c: c.name)
def test_graphs_of_onnx(case: Any, tmp_path: Path) -> None:
    held_onnx(case.build(case.right), case.input, tmp_path / "model.onnx")
