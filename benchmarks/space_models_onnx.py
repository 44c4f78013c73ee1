"""ONNX models, made anew with the attributes and weights of a vector."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from space_models import Case, Vector

TYPES = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE, "float16": TensorProto.FLOAT16, "int64": TensorProto.INT64, "int32": TensorProto.INT32}
FORMATS = {"NCHW": (0, 1, 2, 3), "NHWC": (0, 2, 3, 1)}
Made = tuple[onnx.ModelProto, dict[str, Any]]


def weight(name: str, *sizes: int) -> Any:
    return numpy_helper.from_array(np.zeros(sizes, np.float32), name)


def model(nodes: list[Any], weights: list[Any], name: str, shape: tuple[int, ...], dtype: str, opset: int = 17) -> Made:
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info(name, TYPES[dtype], shape)], [onnx.ValueInfoProto(name=nodes[-1].output[0])], weights)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    made.ir_version = 8
    return made, {name: np.zeros(shape, dtype)}


def images(v: Vector, channels: int, size: int) -> tuple[tuple[int, ...], str]:
    sizes = (v.get("input.batch", 2), v.get("input.channels", channels), v.get("input.height", size), v.get("input.width", size))
    return tuple(sizes[axis] for axis in FORMATS[v.get("input.format", "NCHW")]), v.get("input.dtype", "float32")


def convolutions(v: Vector) -> Made:
    g, norm = v.get, [f"bn.{word}" for word in ("weight", "bias", "mean", "var")]
    inner, out, k, groups = g("conv1.in_channels", 4), g("conv1.out_channels", 8), g("conv1.kernel_size", 3), g("conv1.group", 1)
    window = {"kernel_shape": [k, k], "strides": [g("conv1.strides", 1)] * 2, "pads": [g("conv1.pads", 0)] * 4, "dilations": [g("conv1.dilations", 1)] * 2}
    pool = {"kernel_shape": [g("pool.kernel_shape", 2)] * 2, "strides": [g("pool.strides", 2)] * 2, "pads": [g("pool.pads", 0)] * 4}
    nodes = [
        helper.make_node("Conv", ["x", "conv1.weight", "conv1.bias"], ["a"], "/conv1/Conv", group=groups, **window),
        helper.make_node("BatchNormalization", ["a", *norm], ["b"], "/bn/BatchNormalization"),
        helper.make_node("Relu", ["b"], ["c"], "/Relu"),
        helper.make_node("MaxPool", ["c"], ["d"], "/pool/MaxPool", ceil_mode=int(g("pool.ceil_mode", False)), **pool),
        helper.make_node("Conv", ["d", "conv2.weight"], ["e"], "/conv2/Conv", auto_pad=g("conv2.auto_pad", "VALID")),
        helper.make_node("GlobalAveragePool", ["e"], ["f"], "/GlobalAveragePool"),
        helper.make_node("Flatten", ["f"], ["h"], "/Flatten", axis=g("/Flatten.axis", 1)),
        helper.make_node("Gemm", ["h", "fc.weight", "fc.bias"], ["y"], "/fc/Gemm", transB=1),
    ]
    k2, units = g("conv2.kernel_size", 3), g("fc.units", 10)
    weights = [weight("conv1.weight", out, inner // max(groups, 1), k, k), weight("conv1.bias", out)]
    weights += [weight(name, g("bn.num_features", 8)) for name in norm]
    weights.append(weight("conv2.weight", g("conv2.out_channels", 6), g("conv2.in_channels", 8), k2, k2))
    weights += [weight("fc.weight", units, g("fc.in_features", 6)), weight("fc.bias", units)]
    return model(nodes, weights, "x", *images(v, 4, 16))


def flat(v: Vector) -> Made:
    """Sizes between layers fixed by a reshape."""
    g = v.get
    k, s = g("conv1.kernel_size", 3), g("conv1.strides", 1)
    nodes = [
        helper.make_node("Conv", ["x", "conv1.weight"], ["a"], "conv1", strides=[s, s]),
        helper.make_node("AveragePool", ["a"], ["b"], "pool", kernel_shape=[g("pool.kernel_shape[0]", 2), g("pool.kernel_shape[1]", 2)], strides=[2, 2]),
        helper.make_node("Reshape", ["b", "shape"], ["c"], "reshape"),
        helper.make_node("MatMul", ["c", "dense.weight"], ["d"], "dense"),
        helper.make_node("Add", ["d", "dense.bias"], ["e"], "add"),
        helper.make_node("Softmax", ["e"], ["y"], "softmax", axis=g("softmax.axis", 1)),
    ]
    shape = numpy_helper.from_array(np.array([g("reshape.shape[0]", -1), g("reshape.shape[1]", 5 * 5 * 4)], np.int64), "shape")
    units = g("dense.units", 10)
    weights = [weight("conv1.weight", g("conv1.out_channels", 4), 3, k, k), shape]
    weights += [weight("dense.weight", g("dense.in_features", 100), units), weight("dense.bias", units)]
    return model(nodes, weights, "x", *images(v, 3, 12))


def recurrent(v: Vector) -> Made:
    g = v.get
    h, i = g("lstm.hidden_size", 6), g("lstm.input_size", 4)
    nodes = [
        helper.make_node("LSTM", ["x", "lstm.W", "lstm.R", "lstm.B"], ["o", "hn"], "lstm", hidden_size=h),
        helper.make_node("Squeeze", ["hn", "zero"], ["s"], "squeeze"),
        helper.make_node("Gemm", ["s", "fc.weight", "fc.bias"], ["y"], "fc", transB=1),
    ]
    zero = numpy_helper.from_array(np.array([g("squeeze.axes[0]", 0)], np.int64), "zero")
    weights = [weight("lstm.W", 1, 4 * h, i), weight("lstm.R", 1, 4 * h, h), weight("lstm.B", 1, 8 * h), zero]
    weights += [weight("fc.weight", g("fc.units", 2), g("fc.in_features", 6)), weight("fc.bias", g("fc.units", 2))]
    shape = (g("x[0]", 5), g("x[1]", 2), g("x[2]", 4))
    return model(nodes, weights, "x", shape, g("x.dtype", "float32"))


def upwards(v: Vector) -> Made:
    g = v.get
    k, s, p, groups = g("up.kernel_size", 2), g("up.strides", 2), g("up.pads", 0), g("up.group", 1)
    window = {"kernel_shape": [k, k], "strides": [s, s], "pads": [p] * 4, "group": groups, "output_padding": [g("up.output_padding", 0)] * 2}
    nodes = [
        helper.make_node("Conv", ["x", "down.weight"], ["a"], "down", strides=[g("down.strides", 2)] * 2, pads=[g("down.pads", 1)] * 4),
        helper.make_node("ConvTranspose", ["a", "up.weight", "up.bias"], ["b"], "up", **window),
        helper.make_node("Concat", ["x", "b"], ["c"], "concat", axis=g("concat.axis", 1)),
        helper.make_node("Conv", ["c", "head.weight"], ["y"], "head"),
    ]  # fmt: skip
    weights = [
        weight("down.weight", g("down.out_channels", 8), 3, g("down.kernel_size", 3), g("down.kernel_size", 3)),
        weight("up.weight", g("up.in_channels", 8), g("up.out_channels", 3) // max(groups, 1), k, k), weight("up.bias", g("up.out_channels", 3)),
        weight("head.weight", 1, g("head.in_channels", 6), 1, 1),
    ]  # fmt: skip
    return model(nodes, weights, "x", *images(v, 3, 8))


def run(make: Callable[[Vector], Made]) -> Callable[[Vector], Any]:
    def once(v: Vector) -> Any:
        made, fed = make(v)
        try:
            import onnxruntime
        except ImportError:
            from onnx.reference import ReferenceEvaluator

            onnx.checker.check_model(made, full_check=True)
            return ReferenceEvaluator(made).run(None, fed)
        options = onnxruntime.SessionOptions()
        options.log_severity_level, options.intra_op_num_threads = 4, 1
        return onnxruntime.InferenceSession(made.SerializeToString(), options).run(None, fed)

    return once


def case(title: str, make: Callable[[Vector], Made], parameters: str) -> Case:
    def save(folder: Path) -> Path:
        path = folder / f"{make.__name__}.onnx"
        onnx.save(make({})[0], str(path))
        return path

    return Case("onnx", title, parameters, save, run(make))


CASES = [
    case("window of the first convolution", convolutions, (
        "conv1.kernel_size=3,1..5 conv1.strides=1,2,3 conv1.pads=0,1,2,3 conv1.dilations=1,2,4 conv1.group=1,2,3,4 input.height=16,4..20 "
        "input.width=16,10,40"
    )),
    case("channels, pool, format", convolutions, (
        "conv1.in_channels=4,2,8 conv1.out_channels=8,4,6 bn.num_features=8,4,6 conv2.in_channels=8,4,6 conv2.out_channels=6,3 "
        "fc.in_features=6,3,12 fc.units=10,1..4 input.channels=4,2,8 pool.kernel_shape=2..9 pool.strides=2,1,3 pool.pads=0,1 "
        "pool.ceil_mode=false,true conv2.auto_pad=VALID,SAME_UPPER,SAME_LOWER input.format=NCHW,NHWC input.dtype=float32,float64,int64 "
        "conv2.kernel_size=3,1..8 input.batch=2,1,5 /Flatten.axis=1,0,2,4"
    )),
    case("a reshape to fixed sizes", flat, (
        "conv1.kernel_size=3,1..5 conv1.strides=1,2,3 pool.kernel_shape[0]=2,1..4 pool.kernel_shape[1]=2,1..4 reshape.shape[0]=-1,2,4 "
        "reshape.shape[1]=100,80,50,25 dense.in_features=100,80,50 dense.units=10,1..3 softmax.axis=1,0,2 input.height=12,11..16 "
        "input.batch=2,1,4 conv1.out_channels=4,2,8"
    )),
    case("a recurrent layer", recurrent, (
        "lstm.hidden_size=6,1..8 lstm.input_size=4,3,5 fc.in_features=6,1..8 fc.units=2,1,3 x[0]=5,1,9 x[1]=2,1,3 x[2]=4,3,5 "
        "x.dtype=float32,float64 squeeze.axes[0]=0,1,2"
    )),
    case("a skip", upwards, (
        "down.kernel_size=3,1..5 down.strides=2,1,3 down.pads=1,0,2 up.kernel_size=2,1..4 up.strides=2,1,3 up.pads=0,1,2 "
        "up.out_channels=3,2,5,6 up.group=1,2,3 up.output_padding=0,1 up.in_channels=8,4 down.out_channels=8,4 head.in_channels=6,5,8,9 "
        "input.height=8,5..12 input.width=8,4,9 concat.axis=1,0,2"
    )),
]  # fmt: skip
