"""tf.estimator: an input function gives a batch, the model function builds a graph for it, and that graph is run. Also feature columns.

Estimators are no part of the present release; what is here follows the documentation of 1.15.
"""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import KindModel, Run, argument
from tensorproof.libraries.results.facts import facts
from tensorproof.libraries.tensorflow.data import iterators as tf_iterators
from tensorproof.libraries.tensorflow.data import pipeline as tf_pipeline
from tensorproof.libraries.tensorflow.data import sources as tf_data
from tensorproof.libraries.tensorflow.data.pipeline import DATASET
from tensorproof.libraries.tensorflow.version1.graph import GRAPHS, begin, graph, new_graph
from tensorproof.libraries.tensorflow.version1.session import run
from tensorproof.terms import FLOAT32, Shape, TensorType, Term, conj, eq, product
from tensorproof.values import MISSING, TEXT, Args, Dict, Function, Kwargs, List, Machine, Model, Native, Unknown, Value

ESTIMATOR, SPEC, COLUMN = "tf.estimator.Estimator", "tf.estimator.EstimatorSpec", "tf.feature_column"


def _estimator(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    space = {"model_fn": argument(args, kwargs, 0, "model_fn"), "params": kwargs.get("params", args[3] if len(args) > 3 else None), "kind": None}
    return Model(ESTIMATOR, m.heap.space(space), m.user_span(node))


def _canned(kind: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    names = ("hidden_units", "feature_columns") if kind.startswith("DNN") else ("feature_columns",)
    given = {n: argument(args, kwargs, i, n) for i, n in enumerate(names)}
    space = {"model_fn": None, "params": None, "kind": kind, "columns": given["feature_columns"], "classes": kwargs.get("n_classes", 2)}
    return Model(ESTIMATOR, m.heap.space(space), m.user_span(node))


def _fields(word: str, *names: str) -> Run:
    return lambda m, a, k, n: Model(word, m.heap.space({name: argument(a, k, i, name) for i, name in enumerate(names)}))


def _batch(m: Machine, made: Value, node: ast.AST) -> tuple[Value, Value]:
    """(features, labels) of what an input function gives."""
    if isinstance(made, Model) and made.kind == DATASET:
        made = m.call(m.attribute(tf_iterators.make(m, made, node), "get_next", node), (), {}, node)
    if isinstance(made, (tuple, List)) and len(parts := list(made.items if isinstance(made, List) else made)) == 2:
        return parts[0], parts[1]
    return made, None


def _called(m: Machine, me: Model, mode: str, features: Value, labels: Value, node: ast.AST) -> Value:
    """The specification that the model function gives for this mode."""
    function = me.space["model_fn"]
    given = {"features": features, "labels": labels, "mode": mode, "params": me.space["params"], "config": Model("quiet", m.heap.space())}
    inner = function.function if hasattr(function, "function") else function
    if not isinstance(inner, Function):
        return m.gap("tf.estimator.Estimator", node, "its model function is not known")
    names = [a.arg for a in (*inner.code.node.args.args, *inner.code.node.args.kwonlyargs)]
    named = {n: given[n] for n in names if n in given}
    places = tuple(v for n, v in (("features", features), ("labels", labels)) if n not in names)
    if inner.code.node.args.kwarg is not None:
        named = {**given, **named}
    skipped = 1 if names[:1] == ["self"] else 0
    return m.call(function, places[: len(names) - skipped], named, node)


def _run_in(mode: str, m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    begin(m)
    source = argument(args, kwargs, 0, "input_fn")
    graph(m)
    m.model_state[GRAPHS].append(new_graph(m))
    try:
        features, labels = _batch(m, m.call(source, (), {}, node), node)
        if me.space["kind"] is not None:
            return _canned_run(m, me, mode, features, labels, node)
        spec = _called(m, me, mode, features, None if mode == "infer" else labels, node)
        return _executed(m, me, mode, spec, node)
    finally:
        m.model_state[GRAPHS].pop()


def _executed(m: Machine, me: Model, mode: str, spec: Value, node: ast.AST) -> Value:
    if not (isinstance(spec, Model) and spec.kind == SPEC):
        if spec is None:
            raise m.raised("ValueError", "model_fn should return an EstimatorSpec", node, "estimator/spec")
        return spec if isinstance(spec, Unknown) else m.gap("tf.estimator.Estimator", node, "what its model function gives is not known")
    if mode == "infer":
        if spec.space["predictions"] is None:
            raise m.raised("ValueError", "without predictions the estimator cannot predict", node, "estimator/spec")
        return _rows(m, run(m, spec.space["predictions"], None, node), node)
    loss = spec.space["loss"]
    if loss is None or (mode == "train" and spec.space["train_op"] is None):
        missing = "a loss" if loss is None else "a train_op"
        raise m.raised("ValueError", f"the specification for {mode} needs {missing}", node, "estimator/spec")
    if isinstance(loss, TensorType) and loss.shape.known:
        m.require("estimator/loss", eq(loss.shape.numel, 1), f"the loss must be one number, and has shape {loss.shape!r}", node)
    fetched = [loss, spec.space["train_op"]] if mode == "train" else [loss]
    metrics = spec.space["eval_metric_ops"]
    if mode == "eval" and isinstance(metrics, Dict):
        fetched += list(metrics.items.values())
    run(m, List(m.heap.row(fetched)), None, node)
    if mode == "train":
        return me
    names = list(metrics.items) if isinstance(metrics, Dict) else []
    real = Unknown("a metric", number="float")
    return Dict(m.heap.entries({**dict.fromkeys(["loss", "global_step"], real), **dict.fromkeys(names, real)}))


def _rows(m: Machine, values: Value, node: ast.AST) -> Model:
    """What predict yields: one row of each prediction at a time."""

    def row(value: Value) -> Value:
        if isinstance(value, Dict):
            return Dict(m.heap.entries({k: row(v) for k, v in value.items.items()}))
        return m.item(value, 0, node) if isinstance(value, TensorType) and len(value.shape) else value

    return Model("tf.estimator.predictions", m.heap.space({"row": row(values)}))


def _canned_run(m: Machine, me: Model, mode: str, features: Value, labels: Value, node: ast.AST) -> Value:
    columns = me.space["columns"]
    if columns is not None:
        _input_layer(m, (features, columns), {}, node)
    if isinstance(labels, TensorType) and labels.shape.known and mode != "infer":
        one = len(labels.shape) == 1 or (len(labels.shape) == 2 and eq(labels.shape[1], 1))
        m.require("estimator/labels", one, f"labels of {me.space['kind']} are one number for each example, and have shape {labels.shape!r}", node)
    if mode == "infer":
        real = TensorType(Shape((me.space["classes"],)), FLOAT32, framework="numpy") if isinstance(me.space["classes"], (int, Term)) else Unknown("row")
        entries = dict.fromkeys(("probabilities", "logits", "predictions"), real)
        entries |= {"class_ids": TensorType(Shape((1,)), framework="numpy"), "classes": Unknown("classes")}
        return Model("tf.estimator.predictions", m.heap.space({"row": Dict(m.heap.entries(entries))}))
    found = dict.fromkeys(("accuracy", "loss", "average_loss", "global_step"), Unknown("a metric", number="float"))
    return me if mode == "train" else Dict(m.heap.entries(found))


def _train_and_evaluate(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    me, train, evaluate = (argument(args, kwargs, i, w) for i, w in enumerate(("estimator", "train_spec", "eval_spec")))
    for spec, mode in ((train, "train"), (evaluate, "eval")):
        if isinstance(me, Model) and isinstance(spec, Model) and "input_fn" in spec.space:
            _run_in(mode, m, me, (spec.space["input_fn"],), {}, node)
    return Unknown("metrics"), Unknown("exports")


def _numpy_input_fn(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """tf.estimator.inputs.numpy_input_fn(x, y, batch_size, …): a function that gives batches of the arrays."""
    x, y, size = argument(args, kwargs, 0, "x"), argument(args, kwargs, 1, "y"), argument(args, kwargs, 2, "batch_size", 128)

    def give(mm: Machine, a: Value, k: Value, n: Any) -> Value:
        begin(mm)
        source = tf_data._from_tensor_slices(mm, (x if y is None else (x, y),), {}, n)
        if not isinstance(source, Model):
            return source
        return tf_pipeline.batch(mm, source, (size,), {}, n)

    return Native("input_fn", give)


def _column(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    kind, *names = facts("tensorflow/version1/columns")[name].split()
    return Model(COLUMN, m.heap.space({"kind": kind, **{word: argument(args, kwargs, at, word) for at, word in enumerate(names)}}))


def _width(m: Machine, column: Model, features: Value, node: ast.AST) -> tuple[Any, Value]:
    """(how many numbers a column gives for each example, the tensor that it reads)."""
    kind = column.space["kind"]
    if kind == "numeric":
        shape = column.space["shape"]
        sizes: tuple[Any, ...] = tuple(shape.items) if isinstance(shape, List) else shape if isinstance(shape, tuple) else (1,) if shape is None else (shape,)
        return product(sizes), _read(m, column.space["key"], features, node, sizes)
    if kind in ("embedding", "indicator", "bucketized"):
        inner = column.space["source"]
        key = inner.space.get("key") if isinstance(inner, Model) else None
        tensor = _read(m, key, features, node, None) if isinstance(key, str) else None
        if kind == "embedding":
            return column.space["dimension"], tensor
        bounds = column.space.get("boundaries") if kind == "bucketized" else inner.space.get("buckets") if isinstance(inner, Model) else None
        count = len(bounds.items) if isinstance(bounds, List) else len(bounds) if isinstance(bounds, tuple) else bounds
        return (count + 1 if kind == "bucketized" else count) if isinstance(count, (int, Term)) else None, tensor
    if kind == "categorical":
        raise m.raised("ValueError", "a categorical column must be wrapped by an embedding or indicator column", node, "feature_column/dense")
    return None, None


def _read(m: Machine, key: Value, features: Value, node: ast.AST, sizes: Any) -> Any:
    if not isinstance(features, Dict):
        return None
    if key not in features.items:
        raise m.raised("ValueError", f"the feature {key!r} is not among the features", node, "feature_column/key")
    found = features.items[key]
    if isinstance(found, TensorType) and found.shape.known and sizes is not None and len(found.shape):
        rest = found.shape[1:]
        m.require("feature_column/shape", eq(product(rest), product(sizes)), f"the feature {key!r} has shape {found.shape!r}, its column {sizes!r}", node)
    return found


def _input_layer(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    features, columns = argument(args, kwargs, 0, "features"), argument(args, kwargs, 1, "feature_columns")
    listed = m.iterate(columns, node) if not isinstance(columns, Model) else [columns]
    if listed is None or not all(isinstance(c, Model) and c.kind == COLUMN for c in listed):
        return m.gap("tf.feature_column.input_layer", node, "its columns are not known")
    if not isinstance(features, Dict):
        return m.gap("tf.feature_column.input_layer", node, "the features are not known")
    found = [_width(m, c, features, node) for c in listed]
    tensors = [t for _, t in found if isinstance(t, TensorType) and t.shape.known and len(t.shape)]
    if not tensors or any(w is None for w, _ in found):
        return m.gap("tf.feature_column.input_layer", node, "the width of a column is not known")
    rows = tensors[0].shape[0]
    m.require("feature_column/rows", conj(*(eq(rows, t.shape[0]) for t in tensors)), "the features must have one number of rows", node)
    total: Value = sum(w for w, _ in found)

    def make(mm: Machine, a: tuple[Any, ...], k: Kwargs, n: Value) -> Value:
        return TensorType(Shape((a[0][0].shape[0], total)), FLOAT32, framework="tf")

    from tensorproof.libraries.tensorflow import tape

    return tape.step(m, "tf.feature_column.input_layer", make, (tensors,), {}, node)


_KINDS = ("DNNClassifier", "DNNRegressor", "LinearClassifier", "LinearRegressor", "DNNLinearCombinedClassifier", "BoostedTreesClassifier", "BaselineClassifier")
FUNCTIONS: dict[str, Run] = {
    "tf.estimator.Estimator": _estimator, **{f"tf.estimator.{k}": partial(_canned, k) for k in _KINDS}, "tf.estimator.train_and_evaluate": _train_and_evaluate,
    SPEC: _fields(SPEC, "mode", "predictions", "loss", "train_op", "eval_metric_ops", "export_outputs"),
    "tf.estimator.TrainSpec": _fields("tf.estimator.TrainSpec", "input_fn", "max_steps"),
    "tf.estimator.EvalSpec": _fields("tf.estimator.EvalSpec",
    "input_fn", "steps"),
    **dict.fromkeys(("tf.estimator.inputs.numpy_input_fn", "tf.estimator.inputs.pandas_input_fn"), _numpy_input_fn),
    **{f"tf.feature_column.{name}": partial(_column, name) for name in facts("tensorflow/version1/columns")}, "tf.feature_column.input_layer": _input_layer,
}  # fmt: skip
KINDS: dict[str, KindModel] = {
    ESTIMATOR: KindModel(
        methods={"train": partial(_run_in, "train"), "fit": partial(_run_in, "train"), "evaluate": partial(_run_in, "eval"),
            "predict": partial(_run_in, "infer")},
        attribute=lambda m, me, name, n: me.space["params"] if name == "params" else TEXT if name == "model_dir" else MISSING, open=True,
    ),
    SPEC: KindModel(open=True), "tf.estimator.TrainSpec": KindModel(open=True), "tf.estimator.EvalSpec": KindModel(open=True),
    "tf.estimator.predictions": KindModel(iterations=lambda m, me, n: [(True, me.space["row"])], next=lambda m, me, n: me.space["row"]),
    COLUMN: KindModel(open=True, passed=True),
}  # fmt: skip
