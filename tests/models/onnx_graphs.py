"""ONNX graphs in two forms: right, and with one size that does not fit, at a node that is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper


@dataclass(frozen=True)
class Case:
    """A graph by one size; `right` fits and `wrong` does not, at `node`."""

    name: str
    build: Callable[[int], Any]
    right: int
    wrong: int
    node: str
    input: tuple[int, ...] = (2, 3, 16, 16)
    dtype: Any = np.float32


def weight(name: str, *shape: int) -> Any:
    return numpy_helper.from_array(np.full(shape, 0.5, np.float32), name)


def whole(name: str, *values: int) -> Any:
    return numpy_helper.from_array(np.array(values, np.int64), name)


def node(name: str, op: str, inputs: str, output: str, **attributes: Any) -> Any:
    return helper.make_node(op, inputs.split(), output.split(), name=name, **attributes)


def model(nodes: list[Any], weights: list[Any], shape: tuple[Any, ...] = ("N", 3, 16, 16), opset: int = 17, kind: int = TensorProto.FLOAT) -> Any:
    inputs = [helper.make_tensor_value_info("x", kind, shape)]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    graph = helper.make_graph(nodes, "g", inputs, outputs, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def classifier(features: int) -> Any:
    nodes = [
        node("conv", "Conv", "x c", "a", kernel_shape=[3, 3]),
        node("act", "Relu", "a", "b"),
        node("pool", "MaxPool", "b", "p", kernel_shape=[2, 2], strides=[2, 2]),
        node("flat", "Flatten", "p", "f"),
        node("fc", "Gemm", "f w bias", "y", transB=1),
    ]
    return model(nodes, [weight("c", 8, 3, 3, 3), weight("w", 10, features), weight("bias", 10)])


def two_convolutions(channels: int) -> Any:
    nodes = [node("conv1", "Conv", "x c", "a", pads=[1, 1, 1, 1]), node("conv2", "Conv", "a d", "y", strides=[2, 2])]
    return model(nodes, [weight("c", 8, 3, 3, 3), weight("d", 16, channels, 3, 3)])


def normalised(channels: int) -> Any:
    nodes = [node("conv", "Conv", "x c", "a"), node("norm", "BatchNormalization", "a s b m v", "y")]
    return model(nodes, [weight("c", 8, 3, 1, 1), *(weight(n, channels) for n in "sbmv")])


def residual(pad: int) -> Any:
    nodes = [node("conv", "Conv", "x c", "a", pads=[pad] * 4), node("sum", "Add", "x a", "y")]
    return model(nodes, [weight("c", 3, 3, 3, 3)])


def joined(stride: int) -> Any:
    nodes = [node("down", "MaxPool", "x", "a", kernel_shape=[2, 2], strides=[2, 2])]
    nodes += [node("conv", "Conv", "x c", "b", strides=[stride, stride]), node("cat", "Concat", "a b", "y", axis=1)]
    return model(nodes, [weight("c", 4, 3, 2, 2)])


def reshaped(width: int) -> Any:
    nodes = [node("view", "Reshape", "x s", "a"), node("mul", "MatMul", "a w", "y")]
    return model(nodes, [whole("s", 2, width), weight("w", 3 * 16 * 16, 4)], (2, 3, 16, 16))


def attention(heads: int) -> Any:
    nodes = [
        node("split", "Reshape", "x s", "q"),
        node("swap", "Transpose", "q", "k", perm=[0, 2, 3, 1]),
        node("turn", "Transpose", "q", "v", perm=[0, 2, 1, 3]),
        node("scores", "MatMul", "v k", "a"),
        node("weights", "Softmax", "a", "b", axis=-1),
        node("out", "MatMul", "b v", "y"),
    ]
    return model(nodes, [whole("s", 2, 5, heads, 8)], (2, 5, 32))


def embedded(width: int) -> Any:
    nodes = [node("look", "Gather", "table x", "e"), node("mul", "MatMul", "e w", "y")]
    return model(nodes, [weight("table", 100, 16), weight("w", width, 4)], ("N", 7), kind=TensorProto.INT64)


def recurrent(size: int) -> Any:
    nodes = [node("rnn", "LSTM", "x W R", "s h c", hidden_size=6), node("out", "Squeeze", "h one", "y")]
    return model(nodes, [weight("W", 1, 24, size), weight("R", 1, 24, 6), whole("one", 0)], (5, 2, 4))


def transposed(channels: int) -> Any:
    nodes = [node("up", "ConvTranspose", "x c", "a", strides=[2, 2]), node("conv", "Conv", "a d", "y")]
    return model(nodes, [weight("c", 3, 4, 2, 2), weight("d", 5, channels, 1, 1)])


def parted(size: int) -> Any:
    nodes = [node("part", "Split", "x sizes", "a b", axis=1), node("mul", "Mul", "a b", "y")]
    return model(nodes, [whole("sizes", 4, size)], ("N", 8))


def sliced(end: int) -> Any:
    nodes = [node("cut", "Slice", "x b e a", "c"), node("mul", "MatMul", "c w", "y")]
    return model(nodes, [whole("b", 0), whole("e", end), whole("a", 1), weight("w", 5, 3)], ("N", 8))


def branched(size: int) -> Any:
    def branch(name: str, width: int) -> Any:
        out = helper.make_tensor_value_info(f"{name}_out", TensorProto.FLOAT, None)
        made = [helper.make_node("MatMul", ["x", f"{name}_w"], [f"{name}_out"], name=f"{name}_mul")]
        return helper.make_graph(made, name, [], [out], [weight(f"{name}_w", width, 4)])

    nodes = [
        node("total", "ReduceSum", "x", "t", keepdims=0),
        node("large", "Greater", "t limit", "c"),
        helper.make_node("If", ["c"], ["y"], name="choice", then_branch=branch("then", 8), else_branch=branch("else", size)),
    ]
    return model(nodes, [numpy_helper.from_array(np.array(1e9, np.float32), "limit")], (2, 8))


CASES = [
    Case("classifier", classifier, 8 * 7 * 7, 8 * 8 * 8, "fc"),
    Case("two_convolutions", two_convolutions, 8, 16, "conv2"),
    Case("normalised", normalised, 8, 3, "norm"),
    Case("residual", residual, 1, 0, "sum"),
    Case("joined", joined, 2, 1, "cat"),
    Case("reshaped", reshaped, 768, 700, "view"),
    Case("attention", attention, 4, 3, "split", (2, 5, 32)),
    Case("embedded", embedded, 16, 32, "mul", (3, 7), np.int64),
    Case("recurrent", recurrent, 4, 5, "rnn", (5, 2, 4)),
    Case("transposed", transposed, 4, 3, "conv"),
    Case("parted", parted, 4, 3, "part", (2, 8)),
    Case("sliced", sliced, 5, 6, "mul", (2, 8)),
    Case("branched", branched, 8, 7, "choice/else_mul", (2, 8)),
]
