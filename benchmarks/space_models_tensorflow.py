"""TensorFlow's graphs: frozen GraphDefs whose nodes are edited and imported anew, SavedModels and MetaGraphs that are built anew."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from space_models import Case, Vector

v1 = tf.compat.v1
TYPES = {"float32": tf.float32, "float64": tf.float64, "int32": tf.int32, "float16": tf.float16}
FORMATS = {"NHWC": (0, 1, 2, 3), "NCHW": (0, 3, 1, 2)}


def held(*sizes: int) -> Any:
    return tf.constant(np.zeros(sizes, np.float32))


def frozen() -> Any:
    """A convnet with its weights as constants, as `freeze_graph` leaves it."""
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, (2, 16, 16, 4), "image")
        for name, sizes, bias in (("conv1", (3, 3, 4, 8), 8), ("conv2", (3, 3, 8, 6), 6)):
            with v1.name_scope(name):
                kernel = tf.identity(v1.constant(np.zeros(sizes, np.float32), name="weights"), "weights/read")
                x = tf.raw_ops.Conv2D(input=x, filter=kernel, strides=[1, 1, 1, 1], padding="VALID", name="Conv2D")
                x = tf.nn.relu(tf.raw_ops.BiasAdd(value=x, bias=v1.constant(np.zeros(bias, np.float32), name="biases"), name="BiasAdd"), "Relu")
            if name == "conv1":
                x = tf.raw_ops.MaxPool(input=x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID", name="pool")
        with v1.name_scope("flat"):
            x = tf.raw_ops.Reshape(tensor=x, shape=v1.constant([-1, 150], name="shape"), name="Reshape")
        with v1.name_scope("fc"):
            x = tf.raw_ops.MatMul(a=x, b=v1.constant(np.zeros((150, 10), np.float32), name="weights"), name="MatMul")
            x = tf.raw_ops.AddV2(x=x, y=v1.constant(np.zeros(10, np.float32), name="biases"), name="add")
        tf.nn.softmax(x, name="out")
    return graph.as_graph_def()


def averaged() -> Any:
    """Depthwise convolution, batch normalisation and a mean over the image."""
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, (None, 12, 12, 3), "image")
        kernel = v1.constant(np.zeros((3, 3, 3, 2), np.float32), name="dw/kernel")
        x = tf.raw_ops.DepthwiseConv2dNative(input=x, filter=kernel, strides=[1, 1, 1, 1], padding="SAME", name="dw/depthwise")
        ones = [v1.constant(np.ones(6, np.float32), name=f"bn/{word}") for word in ("gamma", "beta", "mean", "variance")]
        x = tf.raw_ops.FusedBatchNormV3(x=x, scale=ones[0], offset=ones[1], mean=ones[2], variance=ones[3], is_training=False, name="bn/FusedBatchNormV3").y
        x = tf.raw_ops.AvgPool(value=x, ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding="VALID", name="pool")
        x = tf.raw_ops.Mean(input=x, axis=v1.constant([1, 2], name="mean/axes"), name="mean")
        x = tf.raw_ops.MatMul(a=x, b=v1.constant(np.zeros((4, 6), np.float32), name="fc/weights"), transpose_b=True, name="fc/MatMul")
        tf.raw_ops.BiasAdd(value=x, bias=v1.constant(np.zeros(4, np.float32), name="fc/biases"), name="out")
    return graph.as_graph_def()  # fmt: skip


class Edited:
    """A GraphDef whose nodes are changed one by one."""

    def __init__(self, graph: Any) -> None:
        self.graph = v1.GraphDef()
        self.graph.CopyFrom(graph)
        self.nodes = {node.name: node for node in self.graph.node}

    def listed(self, name: str, key: str, value: int) -> None:
        numbers = self.nodes[name].attr[key].list.i
        numbers[1] = numbers[2] = value

    def text(self, name: str, key: str, value: str) -> None:
        self.nodes[name].attr[key].s = value.encode()

    def constant(self, name: str, made: Any) -> None:
        self.nodes[name].attr["value"].tensor.CopyFrom(tf.make_tensor_proto(made))

    def weights(self, name: str, *sizes: int) -> None:
        self.constant(name, np.zeros(sizes, np.float32))

    def run(self, vector: Vector, shape: tuple[int, ...], declared: tuple[int | None, ...], out: str) -> Any:
        words = ("batch", "height", "width", "channels")
        order = FORMATS[vector.get("input.format", "NHWC")]
        dtype = TYPES[vector.get("input.dtype", "float32")]
        fed = [vector.get(f"input.{words[axis]}", shape[axis]) for axis in order]
        said = [vector.get(f"input.{words[axis]}", declared[axis]) for axis in order]
        node = self.nodes["image"]
        node.attr["shape"].shape.CopyFrom(tf.TensorShape(said).as_proto())
        node.attr["dtype"].type = dtype.as_datatype_enum
        with tf.Graph().as_default() as graph:
            tf.import_graph_def(self.graph, name="")
            with v1.Session(graph=graph) as session:
                return session.run(f"{out}:0", {"image:0": np.zeros(fed, dtype.as_numpy_dtype)})


def run_frozen(v: Vector) -> Any:
    g, edited = v.get, Edited(frozen())
    k, k2 = g("conv1.kernel_size", 3), g("conv2.kernel_size", 3)
    out1, out2, units = g("conv1.filters", 8), g("conv2.out_channels", 6), g("fc.units", 10)
    edited.weights("conv1/weights", k, k, g("conv1.in_channels", 4), out1)
    edited.weights("conv1/biases", out1)
    edited.weights("conv2/weights", g("conv2.kernel_size[0]", k2), g("conv2.kernel_size[1]", k2), g("conv2.in_channels", 8), out2)
    edited.weights("conv2/biases", out2)
    edited.weights("fc/weights", g("fc.in_features", 150), units)
    edited.weights("fc/biases", units)
    for key, name in (("strides", "strides"), ("dilations", "dilations")):
        edited.listed("conv1/Conv2D", key, g(f"conv1.{name}", 1))
    edited.text("conv1/Conv2D", "padding", g("conv1.padding", "VALID"))
    edited.listed("pool", "ksize", g("pool.ksize", 2))
    edited.listed("pool", "strides", g("pool.strides", 2))
    edited.text("pool", "padding", g("pool.padding", "VALID"))
    edited.constant("flat/shape", np.array([g("flat.shape[0]", -1), g("flat.shape[1]", 150)], np.int32))
    return edited.run(v, (2, 16, 16, 4), (2, 16, 16, 4), "out")


def run_averaged(v: Vector) -> Any:
    g, edited = v.get, Edited(averaged())
    k, inner, many, units = g("dw.kernel_size", 3), g("dw.in_channels", 3), g("dw.depth_multiplier", 2), g("fc.units", 4)
    edited.weights("dw/kernel", k, k, inner, many)
    edited.listed("dw/depthwise", "strides", g("dw.strides", 1))
    edited.text("dw/depthwise", "padding", g("dw.padding", "SAME"))
    for word in ("gamma", "beta", "mean", "variance"):
        edited.weights(f"bn/{word}", g("bn.num_features", 6))
    edited.listed("pool", "ksize", g("pool.kernel_size", 3))
    edited.listed("pool", "strides", g("pool.strides", 2))
    edited.weights("fc/weights", units, g("fc.in_features", 6))
    edited.weights("fc/biases", units)
    edited.constant("mean/axes", np.array([g("mean.axis[0]", 1), g("mean.axis[1]", 2)], np.int32))
    return edited.run(v, (2, 12, 12, 3), (None, 12, 12, 3), "out")


class Served(tf.Module):
    """Variables and a function, as a SavedModel holds them."""

    def __init__(self, v: Vector) -> None:
        super().__init__()
        g = v.get
        self.v, k = v, g("conv1.kernel_size", 3)
        self.kernel = tf.Variable(tf.zeros((k, k, g("conv1.in_channels", 3), g("conv1.filters", 8))), name="conv1/kernel")
        self.bias = tf.Variable(tf.zeros(g("conv1.filters", 8)), name="conv1/bias")
        self.dense = tf.Variable(tf.zeros((g("dense.in_features", 8), g("dense.units", 5))), name="dense/kernel")
        self.shift = tf.Variable(tf.zeros(g("dense.units", 5)), name="dense/bias")
        self.table = tf.Variable(tf.zeros((g("embed.input_dim", 10), g("embed.output_dim", 5))), name="embed/table")

    def __call__(self, image: Any) -> Any:
        g = self.v.get
        with tf.name_scope("conv1"):
            x = tf.nn.conv2d(image, self.kernel, g("conv1.strides", 2), g("conv1.padding", "VALID"))
            x = tf.nn.relu(tf.nn.bias_add(x, self.bias))
        with tf.name_scope("pool"):
            x = tf.nn.max_pool2d(x, g("pool.ksize", 2), g("pool.strides", 2), "VALID")
        x = tf.reduce_mean(x, (1, 2))
        with tf.name_scope("dense"):
            x = tf.nn.bias_add(tf.matmul(x, self.dense), self.shift)
        with tf.name_scope("embed"):
            rows = tf.gather(self.table, tf.argmax(x, 1))
        return {"out": x + rows}


def served_shape(v: Vector) -> list[int]:
    return [v.get("input.batch", 2), v.get("input.height", 12), v.get("input.width", 12), v.get("input.channels", 3)]


def save_served(folder: Path) -> Path:
    module = Served({})
    call = tf.function(module.__call__, input_signature=[tf.TensorSpec((2, 12, 12, 3), tf.float32, "image")])
    tf.saved_model.save(module, str(folder / "served"), {"serving_default": call.get_concrete_function()})
    return folder / "served"


def run_served(v: Vector) -> Any:
    return tf.function(Served(v).__call__)(tf.zeros(served_shape(v)))


def session_graph(v: Vector) -> Any:
    """A graph of TensorFlow 1 with variables and their initial values."""
    g, k = v.get, v.get("conv1.kernel_size", 5)
    image = v1.placeholder(tf.float32, served_shape({name.replace("image.", "input."): value for name, value in v.items()}), "image")
    with v1.variable_scope("conv1"):
        kernel = v1.get_variable("kernel", (k, k, g("conv1.in_channels", 3), g("conv1.filters", 8)), initializer=v1.truncated_normal_initializer())
        x = tf.nn.conv2d(image, kernel, [1, g("conv1.strides", 1), g("conv1.strides", 1), 1], g("conv1.padding", "SAME"), name="Conv2D")
        x = tf.nn.relu(tf.nn.bias_add(x, v1.get_variable("bias", g("conv1.filters", 8), initializer=v1.zeros_initializer())))
    x = tf.nn.avg_pool2d(x, g("pool.ksize", 2), g("pool.strides", 2), "VALID", name="pool")
    x = tf.reshape(x, (-1, 288), name="flat")
    with v1.variable_scope("dense"):
        x = tf.matmul(x, v1.get_variable("kernel", (g("dense.in_features", 288), g("dense.units", 4))), name="MatMul")
        x = tf.nn.bias_add(x, v1.get_variable("bias", g("dense.units", 4), initializer=v1.zeros_initializer()))
    return tf.nn.softmax(x, name="out")


def training_graph(v: Vector) -> Any:
    """The same with a loss, its gradients and an optimizer."""
    out = session_graph(v)
    labels = v1.placeholder(tf.int32, (v.get("labels.batch", 2),), "labels")
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=out))
    with tf.control_dependencies([v1.train.AdamOptimizer(0.1).minimize(loss)]):
        return tf.identity(loss, "loss")


def save_session(build: Callable[[Vector], Any]) -> Callable[[Path], Path]:
    def save(folder: Path) -> Path:
        path = folder / f"{build.__name__}.meta"
        with tf.Graph().as_default():
            v1.disable_resource_variables()
            build({})
            v1.train.export_meta_graph(str(path))
        return path

    return save


def run_session(build: Callable[[Vector], Any]) -> Callable[[Vector], Any]:
    def once(v: Vector) -> Any:
        fed = {"image:0": np.zeros(served_shape({name.replace("image.", "input."): value for name, value in v.items()}), np.float32)}
        if build is training_graph:
            fed["labels:0"] = np.zeros(v.get("labels.batch", 2), np.int32)
        with tf.Graph().as_default() as graph:
            v1.disable_resource_variables()
            out = build(v)
            with v1.Session(graph=graph) as session:
                session.run(v1.global_variables_initializer())
                return session.run(out, fed)

    return once


def save_frozen(build: Callable[[], Any], suffix: str) -> Callable[[Path], Path]:
    def save(folder: Path) -> Path:
        path = folder / f"{build.__name__}{suffix}"
        tf.io.write_graph(build(), str(folder), path.name, as_text=suffix == ".pbtxt")
        return path

    return save


CASES = [
    Case("graphdef", "window of the first convolution", (
        "conv1.kernel_size=3,1..6 conv1.strides=1,2,3 conv1.dilations=1,2,4 conv1.padding=VALID,SAME pool.ksize=2,1..4 pool.strides=2,1,3 "
        "pool.padding=VALID,SAME conv2.kernel_size[0]=3,1..6 conv2.kernel_size[1]=3,1..6 input.height=16,4..20 input.batch=2,1,5"
    ), save_frozen(frozen, ".pb"), run_frozen),
    Case("graphdef", "channels, features, element type", (
        "conv1.in_channels=4,2,8 conv1.filters=8,4,6 conv2.in_channels=8,4,6 conv2.out_channels=6,3,12 fc.in_features=150,75,300 "
        "fc.units=10,1..3 flat.shape[0]=-1,2,4 flat.shape[1]=150,75,300 input.channels=4,2,8 input.format=NHWC,NCHW "
        "input.dtype=float32,float64,int32 input.batch=2,1,4"
    ), save_frozen(frozen, ".pbtxt"), run_frozen),
    Case("graphdef", "depthwise, mean", (
        "dw.kernel_size=3,1..6 dw.in_channels=3,2 dw.depth_multiplier=2,1,3 dw.strides=1,2,3 dw.padding=SAME,VALID bn.num_features=6,3,9 "
        "pool.kernel_size=3,1..13 pool.strides=2,1,3 fc.in_features=6,3,9 fc.units=4,1..2 mean.axis[0]=1,0,3,4 mean.axis[1]=2,-1,1 "
        "input.height=12,1..13 input.width=12,2 input.channels=3,2 input.batch=2,1"
    ), save_frozen(averaged, ".pb"), run_averaged),
    Case("savedmodel", "variables and functions", (
        "conv1.kernel_size=3,1..6 conv1.strides=2,1,3 conv1.padding=VALID,SAME conv1.in_channels=3,4 conv1.filters=8,6 pool.ksize=2,1..6 "
        "pool.strides=2,1,3 dense.in_features=8,6 dense.units=5,4,1 embed.output_dim=5,4,1 embed.input_dim=10,5 input.batch=2,1,5 "
        "input.height=12,2..13 input.width=12,8 input.channels=3,4"
    ), save_served, run_served),
    Case("metagraph", "variables with initial values", (
        "conv1.kernel_size=5,1..7 conv1.strides=1,2,3 conv1.padding=SAME,VALID conv1.in_channels=3,4 conv1.filters=8,2,4,32 "
        "pool.ksize=2,1..6 pool.strides=2,1,3 dense.in_features=288,72 dense.units=4,1..3 input.batch=2,1,3,4 input.height=12,6..13 "
        "input.width=12,6 input.channels=3,4"
    ), save_session(session_graph), run_session(session_graph)),
    Case("metagraph", "a training step", (
        "conv1.kernel_size=5,1..7 conv1.strides=1,2,3 conv1.in_channels=3,4 conv1.filters=8,2,4,32 pool.ksize=2,1..6 pool.strides=2,1,3 "
        "dense.in_features=288,72 dense.units=4,1..3 image.batch=2,1,3,4 labels.batch=2,1,3,4 image.height=12,6..13 image.channels=3,4"
    ), save_session(training_graph), run_session(training_graph)),
]  # fmt: skip
