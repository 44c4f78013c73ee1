"""TensorFlow graphs as functions of one size, saved frozen (GraphDef) and with variables (SavedModel). A wrong size is planted in the saved file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import tensorflow as tf


@dataclass(frozen=True)
class Case:
    """A function of one input and its variables. In the file the variable `planted` gets the shape `wrong`, which does not fit at `node`."""

    name: str
    run: Callable[..., Any]
    variables: dict[str, tuple[int, ...]]
    planted: str
    wrong: tuple[int, ...]
    node: str
    input: tuple[int | None, ...] = (None, 16, 16, 3)


def classifier(x: Any, kernel: Any, w: Any, b: Any) -> Any:
    a = tf.nn.relu(tf.nn.conv2d(x, kernel, 1, "VALID", name="conv"))
    p = tf.nn.max_pool2d(a, 2, 2, "VALID")
    return tf.nn.bias_add(tf.matmul(tf.reshape(p, [-1, 7 * 7 * 8]), w, name="fc"), b, name="bias")


def two_convolutions(x: Any, c: Any, d: Any) -> Any:
    return tf.nn.conv2d(tf.nn.conv2d(x, c, 1, "SAME", name="conv1"), d, 2, "SAME", name="conv2")


def normalised(x: Any, scale: Any, offset: Any) -> Any:
    mean, variance = tf.nn.moments(x, [0, 1, 2])
    return tf.add(tf.multiply((x - mean) * tf.math.rsqrt(variance + 1e-3), scale, name="scaled"), offset, name="moved")


def residual(x: Any, c: Any) -> Any:
    return tf.add(x, tf.nn.conv2d(x, c, 1, "SAME"), name="sum")


def embedded(x: Any, w: Any) -> Any:
    return tf.matmul(tf.reduce_mean(x, [1, 2]), w, name="project")


def gated(x: Any, g: Any, h: Any) -> Any:
    return tf.multiply(tf.tensordot(x, g, 1), tf.sigmoid(tf.tensordot(x, h, 1)), name="gate")


def joined(x: Any, extra: Any) -> Any:
    return tf.concat([tf.reshape(x, [-1, 768])[:4], extra], 0, name="join")


def depthwise(x: Any, d: Any) -> Any:
    return tf.nn.depthwise_conv2d(x, d, [1, 1, 1, 1], "SAME", name="deep")


def recurrent(x: Any, w: Any, r: Any) -> Any:
    state = tf.zeros([2, 5])
    for t in range(3):
        state = tf.tanh(tf.matmul(x[:, t], w, name=f"in{t}") + tf.matmul(state, r, name=f"back{t}"))
    return state


def attention(x: Any, q: Any, k: Any) -> Any:
    left, right = tf.matmul(x, q, name="query"), tf.matmul(x, k, name="key")
    return tf.matmul(tf.nn.softmax(tf.matmul(left, right, transpose_b=True, name="scores")), x, name="out")


def repeated(x: Any, w: Any) -> Any:
    return tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, tf.matmul(v, w, name="step")), [0, x])[1]


CASES = [
    Case("classifier", classifier, {"kernel": (3, 3, 3, 8), "w": (392, 10), "b": (10,)}, "w", (390, 10), "fc"),
    Case("bias", classifier, {"kernel": (3, 3, 3, 8), "w": (392, 10), "b": (10,)}, "b", (9,), "bias"),
    Case("two_convolutions", two_convolutions, {"c": (3, 3, 3, 8), "d": (3, 3, 8, 4)}, "d", (3, 3, 16, 4), "conv2"),
    Case("normalised", normalised, {"scale": (3,), "offset": (3,)}, "scale", (4,), "scaled"),
    Case("residual", residual, {"c": (3, 3, 3, 3)}, "c", (3, 3, 3, 5), "sum"),
    Case("embedded", embedded, {"w": (3, 7)}, "w", (4, 7), "project"),
    Case("gated", gated, {"g": (3, 6), "h": (3, 6)}, "h", (3, 5), "Tensordot_1"),
    Case("joined", joined, {"extra": (2, 768)}, "extra", (2, 700), "join"),
    Case("depthwise", depthwise, {"d": (3, 3, 3, 2)}, "d", (3, 3, 2, 2), "deep"),
    Case("recurrent", recurrent, {"w": (4, 5), "r": (5, 5)}, "r", (6, 5), "back0", (2, 3, 4)),
    Case("attention", attention, {"q": (8, 4), "k": (8, 4)}, "k", (8, 5), "scores", (None, 6, 8)),
    Case("repeated", repeated, {"w": (4, 4)}, "w", (5, 4), "step", (2, 4)),
]


class Module(tf.Module):
    """The function of a case with its variables."""

    def __init__(self, case: Case) -> None:
        super().__init__()
        self.held = {n: tf.Variable(tf.fill(s, 0.1), name=n) for n, s in case.variables.items()}
        self.call = tf.function(lambda x: case.run(x, **self.held), input_signature=[tf.TensorSpec(case.input, tf.float32, name="x")])


def frozen(case: Case, wrong: bool) -> tuple[Any, str]:
    """The GraphDef, variables as constants, and the name of its result."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, case.input, "x")
        result = case.run(x, **{n: tf.constant(0.1, shape=s, name=n) for n, s in case.variables.items()})
    made = graph.as_graph_def()
    for node in made.node:
        if wrong and node.name == case.planted:
            node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(0.1, shape=case.wrong, dtype=tf.float32))
    return made, result.name


def plant(model: Any, case: Case) -> None:
    """Give a variable of a SavedModel another shape, wherever the file says its shape."""
    from tensorflow.core.framework.tensor_shape_pb2 import TensorShapeProto

    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=n) for n in case.wrong])
    for meta in model.meta_graphs:
        for node in meta.graph_def.node:
            if node.op == "VarHandleOp" and node.attr["shared_name"].s.decode() == case.planted:
                node.attr["shape"].shape.CopyFrom(shape)
