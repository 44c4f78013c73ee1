"""keras.losses as `compile` takes them: by name, by function, by object or by a class of the program; and what of a loss runs but is seldom meant."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.diagnostics.diagnostic import Step
from tensorproof.libraries import ClassModel, Run, argument, bind, registry
from tensorproof.libraries.domains.label_ranges import of
from tensorproof.libraries.keras.models.graph import snake
from tensorproof.terms import FLOAT32, INT64, Shape, TensorType, Term, disj, eq
from tensorproof.values import MISSING, Args, Bound, Choice, Class, Function, Instance, Kwargs, Layer, Machine, Model, Named, Native, Unknown, Value

HOME = "keras.losses."
_CLASSES = (
    "MeanSquaredError", "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredLogarithmicError", "Huber", "LogCosh", "CosineSimilarity",
    "CategoricalFocalCrossentropy", "Hinge", "SquaredHinge", "CategoricalHinge", "KLDivergence", "Poisson", "BinaryCrossentropy", "BinaryFocalCrossentropy",
    "CategoricalCrossentropy", "SparseCategoricalCrossentropy", "Dice", "Tversky", "CTC", "Circle", "CategoricalGeneralizedCrossEntropy",
)  # fmt: skip
_BY_FUNCTION = {snake(name): name for name in _CLASSES}
_SHORT = {
    "mse": "mean_squared_error", "mae": "mean_absolute_error", "mape": "mean_absolute_percentage_error", "msle": "mean_squared_logarithmic_error",
    "bce": "binary_crossentropy", "kld": "kl_divergence",
}  # fmt: skip
SHORT = {**_SHORT, **{k.upper(): v for k, v in _SHORT.items()}}
REDUCTIONS = ("sum_over_batch_size", "sum", "mean", "mean_with_sample_weight", "none")
_CROSS = ("CategoricalCrossentropy", "SparseCategoricalCrossentropy")
PROBABILITIES = ("softmax", "sigmoid", "Softmax", "hard_sigmoid")


def class_of_name(name: str) -> str | None:
    """The class of the loss that a word or a function's name means."""
    name = SHORT.get(name, name)
    return _BY_FUNCTION.get(name, name if name in _CLASSES else None)


def resolved(m: Machine, loss: Value, target: Value, output: Value, node: ast.AST, trail: tuple[Step, ...] = ()) -> Value:
    """The loss that an argument of `compile` means: a layer of the library, or what the program wrote."""
    if isinstance(loss, str):
        word = loss
        if word.lower() in ("crossentropy", "ce") and isinstance(target, TensorType) and isinstance(output, TensorType):
            binary, sparse = kinds_of_labels(target, output)
            word = "binary_crossentropy" if binary else "sparse_categorical_crossentropy" if sparse else "categorical_crossentropy"
        name = class_of_name(word)
        if name is None:
            raise m.raised("ValueError", f"{loss!r} is not a loss of Keras", node, "keras/loss-name", trail)
        return m.spelling(HOME + name, (), {}, node)
    if isinstance(loss, Named):
        word = loss.name.rpartition(".")[2]
        name = class_of_name(word) if loss.name.startswith(("keras.losses.", "keras.metrics.")) else None
        return m.spelling(HOME + name, (), {}, node) if name is not None else loss
    if isinstance(loss, (int, float)) and not isinstance(loss, bool):
        raise m.raised("ValueError", f"{loss!r} is not a loss", node, "keras/loss-name", trail)
    return m.call(loss, (), {}, node) if isinstance(loss, Class) else loss


def kinds_of_labels(target: TensorType, output: TensorType) -> tuple[bool, bool]:
    """How Keras chooses between its accuracies and cross entropies: (binary, sparse)."""
    last, wanted = (t.shape[-1] if t.shape else None for t in (output, target))
    one = len(output.shape) > 1 and last == 1
    return one, len(target.shape) < len(output.shape) or (len(target.shape) > 1 and wanted == 1 and last != 1)


def name_of(loss: Value) -> str:
    if isinstance(loss, Layer) and loss.module is not None:
        return str(loss.module.name).rpartition(".")[2]
    return loss.cls.name if isinstance(loss, Instance) else loss.name if isinstance(loss, (Function, Native)) else "loss"


def apply(m: Machine, loss: Value, target: Value, output: Value, weight: Value, node: ast.AST, activation: str = "", trail: tuple[Step, ...] = ()) -> Value:
    """One loss of one output. `loss` is as the program gave it; `activation` is that of the model's last layer where it is known."""
    if isinstance(loss, Choice):
        return m.branching.choose(
            loss.condition, lambda: apply(m, loss.then, target, output, weight, node, activation, trail),
            lambda: apply(m, loss.other, target, output, weight, node, activation, trail),
        )  # fmt: skip
    found = resolved(m, loss, target, output, node, trail)
    if target is None:
        raise m.raised("ValueError", "the model has a loss, and gets no targets", node, "keras/no-targets", trail)
    if isinstance(found, Layer) and isinstance(target, TensorType) and isinstance(output, TensorType):
        return _of_library(m, found, target, output, weight, node, activation)
    if isinstance(found, (Unknown, Layer)) or isinstance(target, Unknown) or isinstance(output, Unknown):
        return m.gap("loss", node, "the loss, the targets or the outputs are not known")
    if isinstance(found, Model):
        return m.call(found, (target, output), {}, node)
    return _of_program(m, found, target, output, weight, node)


def _of_library(m: Machine, loss: Layer, target: TensorType, output: TensorType, weight: Value, node: ast.AST, activation: str) -> Value:
    name = name_of(loss)
    if target.shape.known and output.shape.known:
        _explain(m, name, target, output, node)
        _suspect(m, name, loss, target, output, node, activation)
    wanted = INT64 if name == "SparseCategoricalCrossentropy" else FLOAT32
    result = m.call(loss, (m.path.taken(target, target.but(dtype=wanted, contents=None)), output, *(() if weight is None else (weight,))), {}, node)
    if name == "SparseCategoricalCrossentropy" and output.shape.known and output.shape:
        in_range(m, loss, target, output, node)
    return result


def _explain(m: Machine, name: str, target: TensorType, output: TensorType, node: ast.AST) -> None:
    """The usual confusions, reported in their own words; all others are reported by the loss itself."""
    t, x = target.shape, output.shape
    if name == "SparseCategoricalCrossentropy" and len(t) == len(x) > 1 and isinstance(t[-1], int) and t[-1] > 1:
        message = f"sparse_categorical_crossentropy takes class numbers, and the targets {t!r} are one-hot: use categorical_crossentropy"
        raise m.raised("ValueError", message, node, "keras/one-hot-targets")
    several = name == "CategoricalCrossentropy" and isinstance(x[-1] if x else None, int) and x[-1] > 1
    numbers = len(t) == len(x) - 1 and not any(isinstance(a, int) and isinstance(b, int) and a != b for a, b in zip(t, x))
    if several and (numbers or (len(t) == len(x) and t[-1] == 1)):
        message = f"categorical_crossentropy takes one-hot targets, and the targets {t!r} are class numbers: use sparse_categorical_crossentropy"
        raise m.raised("ValueError", message, node, "keras/sparse-targets")


def _suspect(m: Machine, name: str, loss: Layer, target: TensorType, output: TensorType, node: ast.AST, activation: str) -> None:
    logits = loss.own.arguments.get("from_logits")
    t, x = target.shape, output.shape
    one = len(x) > 1 and x[-1] == 1
    if logits is True and activation in PROBABILITIES:
        m.warn("suspect/from-logits", f"the loss takes raw scores (from_logits=True), and the model ends in {activation}", node)
    elif logits is False and activation == "linear" and name in (*_CROSS, "BinaryCrossentropy"):
        m.warn("suspect/from-logits", f"the loss takes probabilities, and the model ends without softmax or sigmoid: use from_logits=True ({name})", node)
    if one and name == "CategoricalCrossentropy":
        m.warn("suspect/one-class", "categorical_crossentropy over a single output is always 0: use binary_crossentropy", node)
    elif one and activation in ("softmax", "Softmax"):
        m.warn("suspect/one-class", "softmax over a single output is always 1: use sigmoid", node)
    if len(t) == len(x) > 1 and {t[-1], x[-1]} != {1} and (t[-1] == 1 or one) and t[-1] != x[-1] and name not in ("BinaryCrossentropy", *_CROSS):
        m.warn("suspect/broadcast", f"the loss broadcasts the targets {t!r} with the outputs {x!r}", node)
    known = of(m, target)
    if name == "BinaryCrossentropy" and one and known is not None and isinstance(known[1], int) and (known[1] > 2 or known[0] < 0):
        m.warn("suspect/labels", f"binary_crossentropy takes targets of 0 and 1, and these lie between {known[0]} and {known[1] - 1}", node)


def called(m: Machine, loss: Layer, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """A loss over class numbers is called by the program itself: those that are known must be classes of the scores."""
    target, output = argument(args, kwargs, 0, "y_true"), argument(args, kwargs, 1, "y_pred")
    if isinstance(target, TensorType) and isinstance(output, TensorType) and output.shape.known and output.shape:
        in_range(m, loss, target, output, node)


def in_range(m: Machine, loss: Layer, target: TensorType, output: TensorType, node: ast.AST) -> None:
    known, classes = of(m, target), output.shape[-1]
    if known is None or loss.own.arguments.get("ignore_class") is not None or not isinstance(classes, int):
        return
    low, high = known
    if isinstance(high, int) and isinstance(low, int) and (high > classes or low < 0):
        wrong = high - 1 if high > classes else low
        message = f"the targets hold class {wrong}, the model has {classes} outputs (classes 0 to {classes - 1})"
        raise m.raised("InvalidArgumentError", message, node, "keras/classes")


def ranks_made_equal(target: TensorType, output: TensorType) -> tuple[TensorType, TensorType]:
    """A last axis of size 1 comes and goes, as Keras does before it calls a function."""
    from tensorproof.bindings.adapt.keras.losses import same_rank

    if not target.shape.known or not output.shape.known:
        return target, output
    a, b = same_rank(target.shape, output.shape)
    return (target if a == target.shape else target.but(shape=a, contents=None)), (output if b == output.shape else output.but(shape=b, contents=None))


def _cast(m: Machine, value: Value) -> Value:
    return m.path.taken(value, value.but(dtype=FLOAT32, contents=None, framework="tf")) if isinstance(value, TensorType) else value


def _of_program(m: Machine, loss: Any, target: Value, output: Value, weight: Value, node: ast.AST) -> Value:
    subclass = isinstance(loss, Instance) and registry.is_instance(m, loss, HOME + "Loss") is True
    target, output = _cast(m, target), _cast(m, output)
    if subclass:
        call = m.in_class(loss.cls, "call")
        if call is MISSING or not isinstance(call, (Function, Bound)):
            raise m.raised("NotImplementedError", f"{loss.cls.name} has no call(y_true, y_pred)", node, "keras/loss")
        values = m.call(Bound(call, loss), (target, output), {}, node)
        reduction = loss.space.get("reduction", "sum_over_batch_size")
    else:
        if isinstance(target, TensorType) and isinstance(output, TensorType):
            given = target, output
            target, output = ranks_made_equal(target, output)
            m.path.taken(given[0], target)
            m.path.taken(given[1], output)
        values = m.call(loss, (target, output), {}, node)
        reduction = "sum_over_batch_size"
    return reduced(m, values, weight, reduction, node)


def reduced(m: Machine, values: Value, weight: Value, reduction: Value, node: ast.AST) -> Value:
    """Weighted and reduced to one number."""
    if values is None:
        raise m.raised("ValueError", "the loss returns None: a loss returns a tensor", node, "keras/loss")
    if isinstance(values, (int, float)):
        return TensorType(Shape(), FLOAT32, framework="tf")
    if not isinstance(values, TensorType) or not values.shape.known:
        return m.gap("loss", node, "what it returns is not known") if not isinstance(values, Choice) else TensorType(Shape(), FLOAT32, framework="tf")
    if isinstance(weight, TensorType) and weight.shape.known:
        from tensorproof.bindings.adapt.keras.losses import same_rank

        a, b = same_rank(values.shape, weight.shape)
        fits(m, a, b, f"the weights {b!r} do not fit the losses {a!r}", node, "keras/weights")
        if len(values.shape) != len(weight.shape):
            return values.but(dtype=FLOAT32, contents=None) if reduction in (None, "none") else TensorType(Shape(), FLOAT32, framework="tf")
    values = values if values.dtype is FLOAT32 else m.spelling("tf.cast", (values, FLOAT32), {}, node)
    if isinstance(weight, TensorType) and weight.shape.known:
        weight = weight if weight.dtype is FLOAT32 else m.spelling("tf.cast", (weight, FLOAT32), {}, node)
        values = m.spelling("tf.multiply", (values, weight), {}, node)
    return values if reduction in (None, "none") else m.spelling("tf.reduce_sum" if reduction == "sum" else "tf.reduce_mean", (values,), {}, node)


def fits(m: Machine, a: Any, b: Any, message: str, node: ast.AST, code: str) -> None:
    """Two shapes must broadcast."""
    for p, q in zip(reversed(a), reversed(b)):
        if isinstance(p, (int, Term)) and isinstance(q, (int, Term)):
            m.require(code, disj(eq(p, q), eq(p, 1), eq(q, 1)), message, node)


def _init(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    own = {"name": me.cls.name.lower(), "reduction": "sum_over_batch_size", "dtype": "float32"}
    given = own | bind(m, "keras.losses.Loss", args, kwargs, node).all()
    if isinstance(given["reduction"], str) and given["reduction"] not in REDUCTIONS:
        raise m.raised("ValueError", f"reduction has no value {given['reduction']!r}", node, "call/arguments")
    for key, value in given.items():
        m.heap.set(me.space, key, value)


def _call(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = dict(zip(("y_true", "y_pred", "sample_weight"), args)) | kwargs
    return _of_program(m, me, given.get("y_true"), given.get("y_pred"), given.get("sample_weight"), node)


def _made(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """The constructor of a loss."""
    loss = m.spelling(HOME + name, args, kwargs, node)
    reduction = loss.own.arguments.get("reduction") if isinstance(loss, Layer) and loss.module is not None else None
    if isinstance(reduction, str) and reduction not in REDUCTIONS:
        raise m.raised("ValueError", f"reduction has no value {reduction!r}", node, "call/arguments")
    return loss


def _get(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    word = args[0] if args else kwargs.get("identifier")
    name = class_of_name(word) if isinstance(word, str) else None
    if isinstance(word, str) and name is None:
        raise m.raised("ValueError", f"{word!r} is not a loss of Keras", node, "keras/loss-name")
    return word if name is None else m.spelling(HOME + name, (), {}, node) if word in _CLASSES else Named(HOME + snake(name))


CLASSES = {
    HOME + "Loss": ClassModel(HOME + "Loss", init=_init, call=_call, closed=False),
}  # fmt: skip
FUNCTIONS: dict[str, Run] = {HOME + "get": _get, **{HOME + n: partial(_made, n) for n in _CLASSES}}
VALUES: dict[str, Run] = {f"keras.{home}.{n}": lambda m: Named(HOME + "binary_crossentropy") for home in ("losses", "metrics") for n in ("bce", "BCE")}
