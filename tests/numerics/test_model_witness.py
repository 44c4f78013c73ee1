"""Saved models are run until an operation that may go wrong did: each format with the library that it is of."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tensorproof.app.numerics.model_witness import confirm_model
from tensorproof.app.numerics.report import Report, numerics
from tensorproof.app.program import Options
from tensorproof.engines.numerics.inputs.ranges import Given
from tensorproof.engines.numerics.records import Settings


def onnx_model(folder: Path) -> Path:
    onnx = pytest.importorskip("onnx")
    make, kinds = onnx.helper, onnx.TensorProto
    nodes = [
        make.make_node("Softmax", ["x"], ["p"]), make.make_node("Log", ["p"], ["y"], name="log"),
        make.make_node("Sub", ["x", "c"], ["d"]), make.make_node("Reciprocal", ["d"], ["r"], name="reciprocal"),
    ]  # fmt: skip
    values = [make.make_tensor_value_info(n, kinds.FLOAT, s) for n, s in (("x", ["N", 4]), ("y", None), ("r", None))]
    graph = make.make_graph(nodes, "g", values[:1], values[1:], [make.make_tensor("c", kinds.FLOAT, [], [3.5])])
    onnx.save(make.make_model(graph, opset_imports=[make.make_opsetid("", 17)], ir_version=8), folder / "a.onnx")
    return folder / "a.onnx"


def exported_program(folder: Path) -> Path:
    torch = pytest.importorskip("torch")

    class Model(torch.nn.Module):  # type: ignore[misc]
        def forward(self, x: object) -> object:
            return torch.log(torch.softmax(x, -1)), 1 / (x[:, 0] - 2 * x[:, 1] - 3)  # type: ignore[index]

    torch.export.save(torch.export.export(Model(), (torch.randn(5, 4),)), folder / "a.pt2")
    return folder / "a.pt2"


def keras_model(folder: Path) -> Path:
    keras = pytest.importorskip("keras")
    x = keras.Input((4,), name="x")
    keras.Model(x, [keras.ops.log(keras.ops.softmax(x)), keras.ops.exp(x)]).save(folder / "a.keras")
    return folder / "a.keras"


def graph(folder: Path) -> Path:
    """Variables of both kinds, and draws."""
    tf = pytest.importorskip("tensorflow")
    v1 = tf.compat.v1
    with tf.Graph().as_default() as made:
        x = v1.placeholder(tf.float32, (8, 4))
        w = v1.get_variable("w", (4, 3), initializer=v1.zeros_initializer(), use_resource=False)
        b = v1.get_variable("b", (3,), initializer=v1.zeros_initializer(), use_resource=True)
        tf.math.log(tf.nn.softmax(x @ w + b), name="log_of_softmax")
        tf.math.log(v1.random_uniform((5,)), name="log_of_draws")
        tf.math.divide(1.0, x + 1e-12, name="quotient")
    (folder / "a.pb").write_bytes(made.as_graph_def().SerializeToString())
    return folder / "a.pb"


def saved_model(folder: Path) -> Path:
    """Nodes inside of functions, and a variable from the checkpoint."""
    tf = pytest.importorskip("tensorflow")

    class Module(tf.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            self.w = tf.Variable([[1.0, -1.0], [2.0, 0.0]])

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])  # type: ignore[untyped-decorator]
        def __call__(self, x: object) -> object:
            return tf.math.log(tf.nn.softmax(tf.matmul(x, self.w)))

    tf.saved_model.save(Module(), str(folder / "saved"))
    return folder / "saved"


def loops(folder: Path) -> Path:
    """Nodes in a loop and in a branch, as TensorFlow 1 writes them: they cannot be fetched."""
    tf = pytest.importorskip("tensorflow")
    v1 = tf.compat.v1
    v1.disable_control_flow_v2()
    try:
        with tf.Graph().as_default() as made:
            x = v1.placeholder(tf.float32, (8, 4))
            v1.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, tf.sqrt(s - 1.0)), [0, x[:, 0]])
            v1.cond(x[0, 0] > 0, lambda: tf.math.log(x[:, 1]), lambda: x[:, 1])
    finally:
        v1.enable_control_flow_v2()
    (folder / "a.pb").write_bytes(made.as_graph_def().SerializeToString())
    return folder / "a.pb"


def saved_loops(folder: Path) -> Path:
    """The same inside of functions."""
    tf = pytest.importorskip("tensorflow")

    class Module(tf.Module):  # type: ignore[misc]
        @tf.function(input_signature=[tf.TensorSpec([4], tf.float32)], autograph=False)  # type: ignore[untyped-decorator]
        def __call__(self, x: object) -> object:
            looped = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, tf.sqrt(s - 1.0)), [0, x])
            return {"looped": looped[1], "chosen": tf.cond(tf.reduce_sum(x) > 0, lambda: tf.math.log(x), lambda: x)}

    tf.saved_model.save(Module(), str(folder / "saved"))
    return folder / "saved"


def report(path: Path) -> Report:
    return numerics(str(path), Options(), Settings(), Given())


@pytest.mark.parametrize("make", [onnx_model, exported_program, keras_model, graph, saved_model, loops, saved_loops], ids=lambda make: make.__name__)
def test_every_warning_is_shown_by_a_run(make: Callable[[Path], Path], tmp_path: Path) -> None:
    found = report(make(tmp_path))
    warned = {one.span.node for one in found.operations if one.verdict in ("possible", "unsafe")}
    shown = confirm_model(found, str(tmp_path / "out" / "witness"))
    assert warned and set(shown) == warned
    assert all(one.verdict == "unsafe" for one in found.operations if one.span.node in shown)
    assert not list((tmp_path / "out").glob("*.part"))


def test_the_script_runs_the_model_again(tmp_path: Path) -> None:
    (script, *_) = confirm_model(report(onnx_model(tmp_path)), str(tmp_path / "witness")).values()
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert "yields inf" in done.stdout


def test_values_lie_within_the_stated_ranges(tmp_path: Path) -> None:
    given = Given({})
    path = onnx_model(tmp_path)
    from tensorproof.engines.numerics.inputs.ranges import Range

    given.named = {"x": Range(-50.0, 50.0)}
    found = numerics(str(path), Options(), Settings(), given)
    for script in confirm_model(found, str(tmp_path / "witness")).values():
        with np.load(Path(script).with_suffix(".npz")) as held:
            assert np.abs(held["value_0"]).max() <= 50.0


def test_a_function_that_nothing_calls_is_a_gap(tmp_path: Path) -> None:
    """TensorFlow saves a function without a signature where its results are nested."""
    tf = pytest.importorskip("tensorflow")

    class Module(tf.Module):  # type: ignore[misc]
        @tf.function(input_signature=[tf.TensorSpec([4], tf.float32)])  # type: ignore[untyped-decorator]
        def __call__(self, x: object) -> object:
            return [tf.math.log(x), [x]]

    tf.saved_model.save(Module(), str(tmp_path / "saved"))
    assert [gap.reason for gap in report(tmp_path / "saved").gaps] == ["no node of the graph calls it"]


def test_a_proved_model_is_not_run(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    make, kinds = onnx.helper, onnx.TensorProto
    values = [make.make_tensor_value_info(n, kinds.FLOAT, [4]) for n in "xy"]
    made = make.make_graph([make.make_node("Tanh", ["x"], ["y"])], "g", values[:1], values[1:])
    onnx.save(make.make_model(made, opset_imports=[make.make_opsetid("", 17)], ir_version=8), tmp_path / "b.onnx")
    assert confirm_model(report(tmp_path / "b.onnx"), str(tmp_path / "witness")) == {}
