"""keras.metrics: objects that take batches of targets and outputs, by name, by function, by object or by a class of the program."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.bindings.adapt.keras.losses import same_rank
from tensorproof.diagnostics.diagnostic import Step
from tensorproof.libraries import ClassModel, KindModel, argument, bind, nothing, registry
from tensorproof.libraries.keras import words as keras_words
from tensorproof.libraries.keras.data.arrays import array_of
from tensorproof.libraries.keras.models.graph import snake
from tensorproof.libraries.keras.training.losses import SHORT, fits, kinds_of_labels, ranks_made_equal
from tensorproof.libraries.tensorflow.histories import CONSTANT
from tensorproof.terms import FLOAT32, Shape, TensorType, disj, eq
from tensorproof.values import MISSING, Args, Bound, Choice, Class, Function, Instance, Kwargs, Layer, List, Machine, Model, Named, Unknown, Value

HOME = "keras.metrics."
_FN = (
    "MeanSquaredError", "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredLogarithmicError", "Hinge", "SquaredHinge", "CategoricalHinge",
    "KLDivergence", "Poisson", "BinaryCrossentropy", "CategoricalCrossentropy", "SparseCategoricalCrossentropy", "LogCoshError",
)  # fmt: skip
"""Means of a function of the two."""
_SAME = ("Accuracy", "BinaryAccuracy", "RootMeanSquaredError", "CosineSimilarity", "PearsonCorrelation", "ConcordanceCorrelation")
_CONFUSION = (
    "AUC", "Precision", "Recall", "TruePositives", "TrueNegatives", "FalsePositives", "FalseNegatives", "PrecisionAtRecall", "RecallAtPrecision",
    "SensitivityAtSpecificity", "SpecificityAtSensitivity",
)  # fmt: skip
_IOU = ("MeanIoU", "IoU", "BinaryIoU", "OneHotIoU", "OneHotMeanIoU")
_ONE = ("Mean", "Sum")
_OTHERS = (
    "CategoricalAccuracy", "SparseCategoricalAccuracy", "TopKCategoricalAccuracy", "SparseTopKCategoricalAccuracy", "F1Score", "FBetaScore", "R2Score",
    "MeanMetricWrapper",
)  # fmt: skip
NAMES = (*_FN, *_SAME, *_CONFUSION, *_IOU, *_ONE, *_OTHERS)


_BY_WORD = {word: name for name in NAMES for word in (name, snake(name))}
_AS_FUNCTIONS = ("BinaryAccuracy", "CosineSimilarity", "PearsonCorrelation", "ConcordanceCorrelation", *(name for name in _OTHERS if name.endswith("Accuracy")))


def make(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """The constructor of a metric."""
    given = bind(m, HOME + name, args, kwargs, node).all()
    check_words(m, name, given, node)
    return Model(HOME + name, m.heap.space({"name": None, **given, **({} if given.get("name") is not None else {"name": snake(name)})}))


def resolved(m: Machine, metric: Value, target: Value, output: Value, node: ast.AST, trail: tuple[Step, ...] = ()) -> Value:
    """The metric that an argument of `compile` means."""
    if isinstance(metric, str):
        if metric.lower() in ("accuracy", "acc"):
            if not isinstance(target, TensorType) or not isinstance(output, TensorType) or not target.shape.known or not output.shape.known:
                return make("Mean", m, (), {"name": metric}, node)
            binary, sparse = kinds_of_labels(target, output)
            return make("BinaryAccuracy" if binary else "SparseCategoricalAccuracy" if sparse else "CategoricalAccuracy", m, (), {"name": metric}, node)
        word = SHORT.get(metric, metric)
        name = _BY_WORD.get(word)
        if name is None:
            raise m.raised("ValueError", f"{metric!r} is not a metric of Keras", node, "keras/metric-name", trail)
        made = make(name, m, (), {}, node)
        m.heap.set(made.space, "name", metric)
        return made
    if isinstance(metric, Named) and metric.name.startswith((HOME, "keras.losses.")):
        word = metric.name.rpartition(".")[2]
        return make(_BY_WORD[word], m, (), {}, node) if word in _BY_WORD else metric
    return m.call(metric, (), {}, node) if isinstance(metric, Class) else metric


def is_metric(m: Machine, value: Value) -> bool:
    if isinstance(value, Model):
        return value.kind.startswith(HOME)
    return isinstance(value, Instance) and registry.is_instance(m, value, HOME + "Metric") is True


def apply(m: Machine, metric: Any, target: Value, output: Value, weight: Value, node: ast.AST) -> None:
    """One batch goes into a metric."""
    if isinstance(metric, Choice):
        m.branching.choose(metric.condition, lambda: apply(m, metric.then, target, output, weight, node),
                           lambda: apply(m, metric.other, target, output, weight, node))  # fmt: skip
    elif isinstance(metric, Model) and metric.kind.startswith(HOME):
        _update(m, metric, (target, output, weight), {}, node)
    elif is_metric(m, metric):
        m.call(_own(m, metric, "update_state", node), (target, output), {"sample_weight": weight}, node)
        m.call(_own(m, metric, "result", node), (), {}, node)
    elif isinstance(metric, Layer) and isinstance(target, TensorType):
        m.call(metric, (target.but(dtype=FLOAT32, contents=None), output), {}, node)
    elif isinstance(metric, Unknown) or metric is None:
        m.gap("metric", node, "the metric is not known")
    else:
        m.call(metric, (target, output), {}, node)


def _own(m: Machine, metric: Instance, name: str, node: ast.AST) -> Value:
    """A method of a metric that the program wrote: a metric must say how it takes a batch, and what it has found."""
    found = m.in_class(metric.cls, name)
    if isinstance(found, (Function, Bound)):
        return Bound(found, metric)
    homes = [c.name for c in metric.cls.mro if isinstance(c, Named) and c.name.startswith("keras.")]
    if homes == [HOME + "Metric"] and m.in_class(metric.cls, "__getattr__") is MISSING:
        raise m.raised("NotImplementedError", f"{metric.cls.name} has no {name}", node)
    return m.attribute(metric, name, node)


def reset(m: Machine, metric: Value, node: ast.AST) -> None:
    """Before a pass over the data: what the program wrote into `reset_state` runs."""
    if isinstance(metric, Instance) and is_metric(m, metric):
        found = m.in_class(metric.cls, "reset_state")
        if isinstance(found, (Function, Bound)):
            m.call(Bound(found, metric), (), {}, node)


def _update(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    name = me.kind.removeprefix(HOME)
    names = ("values", "sample_weight") if name in _ONE else ("y_true", "y_pred", "sample_weight")
    given = dict(zip(names, args)) | kwargs
    if name in _ONE:
        _one(m, name, given, node)
        return
    target, output = (array_of(m, given.get(n), node) for n in names[:2])
    if not isinstance(target, TensorType) or not isinstance(output, TensorType):
        if name != "MeanMetricWrapper" or target is None:
            m.gap(f"{name}.update_state", node, "the targets or the outputs are not known")
        return
    if name == "MeanMetricWrapper":
        m.call(me.space["fn"], (target, output), {}, node)
    elif name in _FN:
        options = {k: v for k, v in me.space.items() if k in ("from_logits", "label_smoothing", "axis")}
        target = target if name.startswith("Sparse") else target.but(dtype=FLOAT32, contents=None)
        values = m.spelling(HOME + snake(name).removesuffix("_error" if name == "LogCoshError" else ""), (target, output), options, node)
        if isinstance(values, TensorType):
            _weighted(m, values.shape, given.get("sample_weight"), node)
    elif target.shape.known and output.shape.known:
        values = compare(m, name, me.space, target, output, node)
        _weighted(m, output.shape if name in _CONFUSION else values, given.get("sample_weight"), node)


def _one(m: Machine, name: str, given: Kwargs, node: ast.AST) -> None:
    """What a mean or a sum is of."""
    if isinstance(given["values"], str):
        raise m.raised("UnimplementedError", f"{name} takes numbers, and not {given['values']!r}", node)
    if given["values"] is None:
        raise m.raised("ValueError", f"{name} takes numbers, and not None", node)
    values = array_of(m, given["values"], node) if given.get("sample_weight") is not None else None
    if isinstance(values, TensorType):
        _weighted(m, values.shape, given.get("sample_weight"), node)


def _weighted(m: Machine, values: Shape, weight: Value, node: ast.AST) -> None:
    """The weights of samples stretch over the values, whose last axes are reduced before."""
    given = None if weight is None else array_of(m, weight, node)
    if not isinstance(given, TensorType) or not given.shape.known or not values.known:
        return
    a, b = same_rank(values, given.shape)
    for p, q in zip(a, b):
        m.require("keras/weights", disj(eq(p, q), eq(q, 1)), f"the weights {given.shape!r} do not fit the values {values!r}", node)


def compare(m: Machine, name: str, options: Value, target: TensorType, output: TensorType, node: ast.AST) -> Shape:
    """What a metric demands of its two tensors, and the shape of what it gives for each sample."""
    code = "keras/metric"
    message = f"{name} cannot compare the targets {target.shape!r} with the outputs {output.shape!r}"
    if name in _SAME:
        a, b = (t.shape for t in ranks_made_equal(target, output))
        fits(m, a, b, message, node, code)
        return b if len(b) >= len(a) else a
    if name in _CONFUSION:
        _confusion(m, ranks_made_equal(target, output), message, node, code)
    elif name in _IOU:
        _numbers(m, name, options, target, output, message, node, code)
    elif name in ("F1Score", "FBetaScore", "R2Score"):
        pair = ranks_made_equal(target, output) if name == "R2Score" else (target, output)
        m.require(code, len(pair[0].shape) == len(pair[1].shape) == 2, f"{name} takes two tensors of rank 2: {message}", node)
        fits(m, pair[0].shape, pair[1].shape, message, node, code)
    elif name == "TopKCategoricalAccuracy":
        _single(m, output, node)
        m.require(code, len(target.shape) > 1, f"TopKCategoricalAccuracy takes one-hot targets: {message}", node)
    elif name in ("SparseCategoricalAccuracy", "SparseTopKCategoricalAccuracy"):
        if name == "SparseTopKCategoricalAccuracy":
            _single(m, output, node)
        return _sparse(m, target.shape, output.shape, message, node, code)
    elif name == "CategoricalAccuracy":
        _categorical(m, target.shape, output.shape, message, node, code)
    return Shape(output.shape[:-1])


def _single(m: Machine, output: TensorType, node: ast.AST) -> None:
    """The greatest k are looked for in float32 alone."""
    if output.dtype is not None and output.dtype is not FLOAT32 and output.framework in ("tf", "numpy"):
        raise m.raised("InvalidArgumentError", f"the greatest k of the outputs are looked for in float32, and they are {output.dtype.label}", node)


def _confusion(m: Machine, pair: tuple[TensorType, TensorType], message: str, node: ast.AST, code: str) -> None:
    a, b = pair[0].shape, pair[1].shape
    m.require(code, len(a) == len(b), message, node)
    for p, q in zip(a, b):
        m.require(code, eq(p, q), message, node)


def _numbers(m: Machine, name: str, options: Any, target: TensorType, output: TensorType, message: str, node: ast.AST, code: str) -> None:
    """The intersections over unions count pixels: as many classes must be given as are wanted."""
    one_hot = name.startswith("OneHot")
    a = Shape(target.shape[:-1]) if one_hot or options.get("sparse_y_true", True) is False else target.shape
    dense = options.get("sparse_y_pred", not one_hot) is False
    b = Shape(output.shape[:-1]) if dense and name != "BinaryIoU" else output.shape
    if options.get("axis", -1) == -1:
        hint = "; outputs of several classes need sparse_y_pred=False" if not dense and not one_hot else ""
        m.require(code, eq(a.numel, b.numel), message + hint, node)


def _sparse(m: Machine, a: Shape, b: Shape, message: str, node: ast.AST, code: str) -> Shape:
    rest = Shape(b[:-1])
    if len(a) == len(b) and len(a) > 1 and a[-1] == 1:
        a = Shape(a[:-1])
    fits(m, a, rest, message, node, code)
    return rest


def _categorical(m: Machine, a: Shape, b: Shape, message: str, node: ast.AST, code: str) -> None:
    """The greatest of each row on both sides is compared; targets with one axis more than the outputs lose their last."""
    if not a or not b:
        return
    rows = Shape(a[:-1])
    if len(rows) == len(b):
        m.require(code, eq(rows[-1], 1), message, node)
        rows = Shape(rows[:-1])
    fits(m, rows, Shape(b[:-1]), message, node, code)
    sparse = len(a) == len(b) - 1 or (len(a) == len(b) > 1 and a[-1] == 1 and isinstance(b[-1], int) and b[-1] > 1)
    if sparse and b and b[-1] != 1:
        m.warn("suspect/metric", f"CategoricalAccuracy takes one-hot targets, and {a!r} holds class numbers: use sparse_categorical_accuracy", node)


def _result(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return TensorType(Shape(), FLOAT32, framework="tf", history=CONSTANT)


def _checked(name: str, m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """`update_state` as the program calls it: its arguments must fit."""
    bind(m, f"{HOME}{name}.update_state", (me, *args), kwargs, node)
    _update(m, me, args, kwargs, node)


def _called(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    bind(m, f"{me.kind}.update_state", (me, *args), kwargs, node)
    _update(m, me, args, kwargs, node)
    return _result(m, me, args, kwargs, node)


def _function(word: str, name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    target, output = (array_of(m, argument(args, kwargs, i, n), node) for i, n in enumerate(("y_true", "y_pred")))
    if not isinstance(target, TensorType) or not isinstance(output, TensorType) or not target.shape.known or not output.shape.known:
        return m.gap(f"keras.metrics.{word}", node, "the targets or the outputs are not known")
    return TensorType(compare(m, name, {}, target, output, node), FLOAT32, framework="tf")


def _init(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    given = {"dtype": None, "name": None, **dict(zip(("dtype", "name"), args)), **kwargs}
    m.heap.set(me.space, "name", given["name"] if given["name"] is not None else snake(me.cls.name))
    m.heap.set(me.space, "dtype", "float32" if given["dtype"] is None else given["dtype"])


def _weight(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if me.space.get("name", MISSING) is MISSING:
        raise m.raised("RuntimeError", f"the constructor of {me.cls.name} must call super().__init__() before it adds weights", node)
    keras_words.check(m, "initializer", argument(args, kwargs, 1, "initializer"), node)
    shape, dtype = argument(args, kwargs, 0, "shape", ()), argument(args, kwargs, 2, "dtype", "float32")
    value = m.spelling("tf.zeros", (shape,), {"dtype": dtype} if isinstance(dtype, str) else {}, node)
    return m.call(Named("tf.Variable"), (value,), {}, node)


def _instance_call(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    update, result = m.in_class(me.cls, "update_state"), m.in_class(me.cls, "result")
    if update is not MISSING:
        m.call(Bound(update, me), args, kwargs, node)
    return _result(m, me, (), {}, node) if result is MISSING else m.call(Bound(result, me), (), {}, node)


_LISTS = ("variables", "trainable_variables", "non_trainable_variables", "weights", "dtype")


def _attribute(m: Machine, me: Value, name: str, node: ast.AST) -> Value:
    if name in _LISTS:
        return Unknown(name)
    return TensorType(Shape(), FLOAT32, framework="tf", parameter=True) if name in ("total", "count") and isinstance(me, Model) else MISSING


_METHODS: dict[str, Any] = {"result": _result, "reset_state": nothing, "get_config": lambda m, me, a, k, n: Model("quiet", m.heap.space())}
KINDS = {
    HOME + n: KindModel({"update_state": partial(_checked, n), **_METHODS}, call=_called, attribute=_attribute)
    for n in NAMES
}  # fmt: skip
CLASSES = {
    HOME + "Metric": ClassModel(HOME + "Metric", init=_init, call=_instance_call, attribute=_attribute, closed=False, methods={
        "add_weight": _weight, "add_variable": _weight, "result": _result,
    }),
    **{HOME + n: ClassModel(HOME + n, (HOME + "Metric",), init=_init, closed=False) for n in NAMES},
}  # fmt: skip
FUNCTIONS: dict[str, Any] = {
    **{HOME + n: partial(make, n) for n in NAMES}, **{HOME + snake(name): partial(_function, snake(name), name) for name in _AS_FUNCTIONS},
    HOME + "get": lambda m, a, k, n: resolved(m, a[0], None, None, n),
}  # fmt: skip


_WORDS: dict[tuple[str, str], tuple[str | None, ...]] = {
    ("F1Score", "average"): (None, "micro", "macro", "weighted"),
    ("FBetaScore", "average"): (None, "micro", "macro", "weighted"),
    ("AUC", "curve"): ("PR", "ROC", "PRGAIN", "pr", "roc", "prgain"),
    ("AUC", "summation_method"): ("interpolation", "majoring", "minoring", "Interpolation", "Majoring", "Minoring"),
    ("R2Score", "class_aggregation"): (None, "uniform_average", "variance_weighted_average"),
}
_SHARES = {"PrecisionAtRecall": "recall", "RecallAtPrecision": "precision", "SensitivityAtSpecificity": "specificity",
           "SpecificityAtSensitivity": "sensitivity"}  # fmt: skip
"""The argument of a metric that lies between 0 and 1."""
_LEAST = {("AUC", "num_thresholds"): 2, ("R2Score", "num_regressors"): 0, **{(name, "num_thresholds"): 1 for name in _SHARES}}
_THRESHOLDS = ("Precision", "Recall", "TruePositives", "TrueNegatives", "FalsePositives", "FalseNegatives")


def check_words(m: Machine, name: str, given: Kwargs, node: ast.AST) -> None:
    """The arguments of a metric's constructor."""
    for word, value in given.items():
        words = _WORDS.get((name, word))
        if words is not None and (value is None or isinstance(value, str)) and value not in words:
            raise m.raised("ValueError", f"{word} of {name} is one of {', '.join(map(repr, words))}, and not {value!r}", node, "keras/word")
        least = _LEAST.get((name, word))
        if least is not None and isinstance(value, int) and value < least:
            raise m.raised("ValueError", f"{word} of {name} is at least {least}, and not {value}", node)
        if _SHARES.get(name) == word or (word == "thresholds" and name in _THRESHOLDS):
            _share(m, name, word, value, node)
    _scores(m, name, given, node)


def _share(m: Machine, name: str, word: str, value: Value, node: ast.AST) -> None:
    listed: list[Any] = list(value.items) if isinstance(value, List) else list(value) if isinstance(value, tuple) else [value]
    for one in listed:
        if isinstance(one, (int, float)) and not 0 <= one <= 1:
            raise m.raised("ValueError", f"{word} of {name} lies between 0 and 1, and is {one}", node)


def _scores(m: Machine, name: str, given: Kwargs, node: ast.AST) -> None:
    if name not in ("F1Score", "FBetaScore"):
        return
    threshold, beta = given.get("threshold"), given.get("beta", 1.0)
    if threshold is not None and isinstance(threshold, (int, float)) and not (isinstance(threshold, float) and 0 < threshold <= 1):
        raise m.raised("ValueError", f"threshold of {name} is a float between 0 and 1, and is {threshold}", node)
    if isinstance(beta, (int, float)) and not (isinstance(beta, float) and beta > 0):
        raise m.raised("ValueError", f"beta of {name} is a float above 0, and is {beta}", node)
