"""tf.train of TensorFlow 1: optimizers and gradients, savers, summaries, metrics, rates. What they give is run through the tensors that it needs."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import ClassModel, KindModel, Run, argument, listed, quiet
from tensorproof.libraries.tensorflow import tape
from tensorproof.libraries.tensorflow.traced import TRACED
from tensorproof.libraries.tensorflow.version1.graph import LOSSES, SUMMARIES, begin, collect, graph, is_old, operation
from tensorproof.libraries.tensorflow.version1.variables import variables
from tensorproof.terms import BY_LABEL, FLOAT32, Shape, TensorType, conj, disj, eq
from tensorproof.values import Args, Kwargs, List, Machine, Model, Unknown, Value

OPTIMIZER = "tf.train.Optimizer"


def _loss(m: Machine, value: Value, node: ast.AST) -> Value:
    if value is None:
        raise m.raised("TypeError", "the loss is None", node, "optimizer/loss")
    if isinstance(value, TensorType) and value.graph is None and not is_old(m) and not m.model_state.get(TRACED):
        raise m.raised("RuntimeError", "outside of a graph an optimizer of version 1 takes a function that computes the loss", node, "optimizer/loss")
    return value


def _minimize(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    loss = _loss(m, argument(args, kwargs, 0, "loss"), node)
    if not is_old(m) and not isinstance(loss, (TensorType, Unknown)):  # outside of a graph
        m.call(loss, (), {}, node)
        return None
    differentiated(m, loss)
    return operation(m, (loss,), node)


def differentiated(m: Machine, loss: Value) -> None:
    """Record that the derivatives of a loss are computed."""
    if m.path.program is not None:
        m.path.program.differentiated(tape.tensors_in(loss))


def _gradient(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """The gradient by a tensor has its shape."""
    return args[1].but(contents=None, parameter=False, requires_grad=False) if isinstance(args[1], TensorType) else args[1]


def gradient(m: Machine, ys: Value, x: Value, node: ast.AST) -> Value:
    return tape.step(m, "tf.gradients", _gradient, (ys, x), {}, node) if isinstance(x, TensorType) else Unknown("a gradient")


def _compute_gradients(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    loss, chosen = _loss(m, argument(args, kwargs, 0, "loss"), node), argument(args, kwargs, 1, "var_list")
    differentiated(m, loss)
    by = variables(m, True) if chosen is None else m.iterate(chosen, node)
    if by is None:
        return m.gap("compute_gradients", node, "the variables are not known")
    return listed(m, [(gradient(m, loss, v, node), v) for v in by])


def _apply_gradients(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    pairs = m.iterate(argument(args, kwargs, 0, "grads_and_vars"), node)
    if pairs is None:
        return m.gap("apply_gradients", node, "the gradients are not known")
    needed: list[Value] = []
    for pair in pairs:
        both = m.iterate(pair, node)
        if both is None or len(both) != 2:
            continue
        grad, variable = both
        if isinstance(grad, TensorType) and isinstance(variable, TensorType) and grad.shape.known and variable.shape.known:
            agree = len(grad.shape) == len(variable.shape) and conj(*(eq(a, b) for a, b in zip(grad.shape, variable.shape)))
            m.require("gradient/shape", agree, f"a gradient of shape {grad.shape!r} is applied to a variable of shape {variable.shape!r}", node)
        needed.append(grad)
    return operation(m, tuple(needed), node)


def _gradients(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """tf.gradients(ys, xs)."""
    ys, xs = argument(args, kwargs, 0, "ys"), argument(args, kwargs, 1, "xs")
    by = m.iterate(xs, node) if isinstance(xs, (List, tuple)) else [xs]
    if by is None:
        return m.gap("tf.gradients", node, "by what is not known")
    return listed(m, [gradient(m, ys, x, node) for x in by])


def _scalar(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Rates and steps: a number."""
    return TensorType(Shape(), FLOAT32, framework="tf")


def _sampled(word: str) -> Run:
    """tf.nn.nce_loss and tf.nn.sampled_softmax_loss(weights, biases, labels, inputs, num_sampled, num_classes): one number for each row."""

    def run(m: Machine, args: tuple[Any, ...], kwargs: dict[str, Value], node: ast.AST) -> Any:
        weights, biases, labels, inputs = args[:4]
        if not all(isinstance(t, TensorType) and t.shape.known for t in args[:4]):
            return m.gap(f"tf.nn.{word}", node, "a shape is not known")
        ranks = [len(t.shape) for t in args[:4]]
        if ranks != [2, 1, 2, 2]:
            shown = ", ".join(repr(t.shape) for t in args[:4])
            raise m.raised("ValueError", f"weights, biases, labels and inputs have ranks 2, 1, 2 and 2, and these are {shown}", node, f"{word}/rank")
        m.require(f"{word}/features", eq(weights.shape[1], inputs.shape[1]), f"weights {weights.shape!r} do not go with inputs {inputs.shape!r}", node)
        m.require(f"{word}/classes", eq(weights.shape[0], biases.shape[0]), f"weights {weights.shape!r} do not go with biases {biases.shape!r}", node)
        m.require(f"{word}/batch", eq(labels.shape[0], inputs.shape[0]), f"labels {labels.shape!r} do not go with inputs {inputs.shape!r}", node)
        return TensorType(Shape((inputs.shape[0],)), FLOAT32, framework="tf")

    def loss(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        given = tuple(argument(args, kwargs, i, w) for i, w in enumerate(("weights", "biases", "labels", "inputs")))
        return tape.step(m, f"tf.nn.{word}", run, given, {}, node)

    return loss


def _text(m: Machine) -> TensorType:
    return TensorType(Shape(), BY_LABEL["string"], framework="tf")


def _summary(word: str) -> Run:
    def run(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        value = args[0]
        if isinstance(value, TensorType) and value.shape.known:
            if word == "scalar":
                m.require("summary/scalar", len(value.shape) == 0, f"a scalar summary takes a number, and got shape {value.shape!r}", node)
            elif word == "image":
                four = len(value.shape) == 4 and disj(*(eq(value.shape[3], c) for c in (1, 3, 4)))
                m.require("summary/image", four, f"an image summary takes (batch, height, width, 1, 3 or 4), and got {value.shape!r}", node)
        return _text(m)

    def summary(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        begin(m)
        value = argument(args, kwargs, 1, "values" if word == "histogram" else "tensor", kwargs.get("tensor"))
        made = tape.step(m, f"tf.summary.{word}", run, (value,), {}, node)
        collect(m, SUMMARIES, made)
        return made

    return summary


def _merge_all(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    held = [*graph(m).space[SUMMARIES]]
    return tape.step(m, "tf.summary.merge_all", lambda mm, a, k, n: _text(mm), (held,), {}, node) if held else None


def _merge(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return tape.step(m, "tf.summary.merge", lambda mm, a, k, n: _text(mm), (args[0] if args else kwargs.get("inputs"),), {}, node)


def _metric(word: str) -> Run:
    def run(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        labels, given = args[0], args[1]
        compared = word not in ("mean", "mean_iou", "mean_per_class_accuracy")
        if compared and isinstance(labels, TensorType) and isinstance(given, TensorType) and labels.shape.known and given.shape.known:
            a, b = _squeezed(labels, given)
            agree = len(a) == len(b) and conj(*(eq(x, y) for x, y in zip(a, b)))
            m.require("metrics/shape", agree, f"labels of shape {labels.shape!r} and predictions of shape {given.shape!r} must have the same shape", node)
        number = TensorType(Shape(), FLOAT32, framework="tf")
        return (number, number.but())

    def metric(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        labels = argument(args, kwargs, 0, "labels", kwargs.get("values"))
        given = argument(args, kwargs, 1, "predictions", labels)
        return tape.step(m, f"tf.metrics.{word}", run, (labels, given), {}, node)

    return metric


def _squeezed(labels: TensorType, given: TensorType) -> tuple[Any, Any]:
    """tf.metrics drop a last axis of one where the ranks differ by one."""
    a, b = tuple(labels.shape), tuple(given.shape)
    if len(a) == len(b) + 1 and a[-1] == 1:
        a = a[:-1]
    elif len(b) == len(a) + 1 and b[-1] == 1:
        b = b[:-1]
    return a, b


def _total_loss(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    held = [*graph(m).space[LOSSES]]
    return tape.step(m, "tf.losses.get_total_loss", _scalar, (held,), {}, node)


def loss(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """tf.losses.*: the spelling, kept in the graph's list of losses."""
    made = m.spelling(f"tf.compat.v1.losses.{name}", args, kwargs, node)
    if m.model_state.get("tf1"):
        collect(m, LOSSES, made)
    return made


def _add_loss(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    collect(m, LOSSES, args[0] if args else kwargs.get("loss"))


def _import_meta_graph(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    m.model_state["tf1 restored"] = True
    m.gap("tf.train.import_meta_graph", node, "the graph in the file is not read")
    return quiet(m, (), {}, node)


_METRICS = (
    "accuracy", "mean", "mean_squared_error", "mean_absolute_error", "root_mean_squared_error", "precision", "recall", "auc", "mean_iou",
    "mean_per_class_accuracy",
)  # fmt: skip
FUNCTIONS: dict[str, Any] = {
    "tf.gradients": _gradients, **{f"tf.nn.{w}": _sampled(w) for w in ("nce_loss", "sampled_softmax_loss")},
    "tf.train.import_meta_graph": _import_meta_graph,
    "tf.train.ExponentialMovingAverage": lambda m, a, k, n: Model("tf.train.ExponentialMovingAverage", m.heap.space()),
    **{f"tf.summary.{w}": _summary(w) for w in ("scalar", "histogram", "image", "audio", "text")}, "tf.summary.merge_all": _merge_all,
    "tf.summary.merge": _merge, "tf.scalar_summary": _summary("scalar"), "tf.histogram_summary": _summary("histogram"), "tf.image_summary": _summary("image"),
    "tf.merge_all_summaries": _merge_all, "tf.merge_summary": _merge, **{f"tf.metrics.{w}": _metric(w) for w in _METRICS},
    "tf.losses.get_total_loss": _total_loss, "tf.losses.add_loss": _add_loss, "tf.losses.get_losses": lambda m, a, k, n: listed(m, [*graph(m).space[LOSSES]]),
    "tf.losses.get_regularization_losses": lambda m, a, k, n: listed(m, ()),
}  # fmt: skip
_LOSSES = ("softmax_cross_entropy", "sparse_softmax_cross_entropy", "sigmoid_cross_entropy", "mean_squared_error", "absolute_difference", "huber_loss",
           "log_loss", "hinge_loss", "cosine_distance", "compute_weighted_loss")  # fmt: skip
FUNCTIONS.update({f"{home}.{name}": partial(loss, name) for home in ("tf.losses", "tf.compat.v1.losses") for name in _LOSSES})
CLASSES = {OPTIMIZER: ClassModel(OPTIMIZER, closed=False), "tf.train.SessionRunHook": ClassModel("tf.train.SessionRunHook", closed=False)}
KINDS: dict[str, KindModel] = {
    OPTIMIZER: KindModel(
        methods={
            "minimize": _minimize, "compute_gradients": _compute_gradients, "apply_gradients": _apply_gradients,
            "variables": lambda m, me, a, k, n: listed(m, ()),
        },
        open=True, passed=True,
    ),
    "tf.train.ExponentialMovingAverage": KindModel(
        methods={"apply": lambda m, me, a, k, n: operation(m, (), n), "average": lambda m, me, a, k, n: a[0]},
        open=True,
    ),
}  # fmt: skip
