"""keras.optimizers and their learning-rate schedules: arguments and gradients are checked, steps change no shape."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from tensorproof.libraries import ClassModel, KindModel, Run, argument, bind, by_signature, nothing, registry
from tensorproof.libraries.bound import Bound as Call
from tensorproof.libraries.keras.models.graph import OPERATORS
from tensorproof.libraries.keras.state import incomplete, own_weights, walk_layers
from tensorproof.libraries.tensorflow.data.elements import scalar
from tensorproof.terms import FLOAT32, INT64, Shape, TensorType, conj, disj, eq
from tensorproof.values import MISSING, TEXT, Args, Bound, Function, Instance, Kwargs, Layer, List, Machine, Model, Named, Unknown, Value

HOME, SCHEDULES = "keras.optimizers.", "keras.optimizers.schedules."
_NO_OPTIMIZERS = (SCHEDULES, "keras.metrics.", "keras.callbacks.", "torch.")
"""Where the kinds of objects begin that are no optimizers of Keras."""
_NAMES = ("Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "Ftrl", "Lamb", "Lion", "Nadam", "RMSprop", "SGD", "Muon", "ScheduleFreeAdamW")
_RATES = {"SGD": 0.01}
_SCHEDULES = ("CosineDecay", "CosineDecayRestarts", "ExponentialDecay", "InverseTimeDecay", "PiecewiseConstantDecay", "PolynomialDecay")
_BY_WORD = {n.lower(): n for n in _NAMES if n != "Lamb"} | {"lossscaleoptimizer": "LossScaleOptimizer"}


_FTRL = ("initial_accumulator_value", "l1_regularization_strength", "l2_regularization_strength", "l2_shrinkage_regularization_strength")
_RANGES: dict[tuple[str, str], tuple[Callable[[Any], bool], str]] = {
    ("SGD", "momentum"): (lambda v: isinstance(v, float) and 0 <= v <= 1, "a float between 0 and 1"),
    ("Lion", "beta_1"): (lambda v: 0 < v <= 1, "above 0, and 1 at most"),
    ("AdamW", "weight_decay"): (lambda v: v is not None, "a float"),
    ("Ftrl", "learning_rate_power"): (lambda v: v <= 0, "negative or zero"),
    **{("Ftrl", n): (lambda v: v >= 0, "positive or zero") for n in _FTRL},
    **{(n, "gradient_accumulation_steps"): (lambda v: not v or v >= 2, "a whole number of 2 at least") for n in _NAMES},
}
"""What an optimizer asks of its arguments; what cannot be compared is a TypeError."""


def _in_range(m: Machine, name: str, given: Kwargs, node: ast.AST) -> None:
    for word, value in given.items():
        holds, must = _RANGES.get((name, word), (None, ""))
        plain = {List: [], tuple: ()}.get(type(value), value)
        if holds is None or not isinstance(plain, (int, float, str, list, tuple, type(None))):
            continue
        try:
            fits = holds(plain)
        except TypeError as error:
            raise m.raised("TypeError", f"{word} of {name} must be {must}: {error}", node, "call/arguments") from None
        if not fits:
            raise m.raised("ValueError", f"{word} of {name} must be {must}, not {plain!r}", node, "call/arguments")
    momentum = given.get("ema_momentum", 0.99)
    if given.get("use_ema") is True and isinstance(momentum, (int, float)) and not 0 <= momentum <= 1:
        raise m.raised("ValueError", f"ema_momentum must be between 0 and 1, not {momentum}", node, "call/arguments")


def _make(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    given = bind(m, HOME + name, args, kwargs, node).all()
    if sum(given.get(n) is not None for n in ("clipnorm", "clipvalue", "global_clipnorm")) > 1:
        raise m.raised("ValueError", "an optimizer takes one of clipnorm, clipvalue and global_clipnorm", node, "call/arguments")
    rate = given.get("learning_rate", _RATES.get(name, 0.001))
    _in_range(m, name, given, node)
    if rate is None or isinstance(rate, (int, str, List, tuple)):
        raise m.raised("ValueError", f"the learning rate must be a float or a schedule, and is {rate!r}", node, "call/arguments")
    return Model(HOME + name, m.heap.space({**given, "learning_rate": rate}), m.user_span(node))


def resolved(m: Machine, given: Value, node: ast.AST) -> Value:
    """The optimizer that an argument of `compile` means."""
    if isinstance(given, str):
        name = _BY_WORD.get(given.lower())
        if name is None:
            raise m.raised("ValueError", f"{given!r} is not an optimizer of Keras", node, "keras/optimizer-name")
        return _make(name, m, (), {}, node) if name in _NAMES else Model(HOME + name, m.heap.space({"learning_rate": 0.001}))
    if isinstance(given, Named) and given.name.startswith(HOME):
        raise m.raised("ValueError", f"the optimizer is the class {given.name}, not an object of it", node, "keras/optimizer-name")
    if isinstance(given, Model) and given.kind.startswith("tf.train."):
        raise m.raised("ValueError", f"compile takes optimizers of Keras, not {given.kind}", node, "keras/optimizer-name")
    if isinstance(given, (int, float, List, tuple, Layer, Function)) or (isinstance(given, Model) and given.kind.startswith(_NO_OPTIMIZERS)):
        raise m.raised("ValueError", "this is not an optimizer: compile takes the optimizer first, then the loss", node, "keras/optimizer-name")
    return given


def try_schedule(m: Machine, optimizer: Value, node: ast.AST) -> None:
    """A schedule of the program is asked once for its rate."""
    rate = optimizer.space.get("learning_rate") if isinstance(optimizer, (Model, Instance)) else None
    if isinstance(rate, Instance) and registry.is_instance(m, rate, SCHEDULES + "LearningRateSchedule") is True:
        call = m.in_class(rate.cls, "__call__")
        if isinstance(call, (Function, Bound)):
            step = TensorType(Shape(), INT64, framework="tf")
            m.call(Bound(call, rate), (Model(COUNTER, m.heap.space({"tensor": step})),), {}, node)


COUNTER = HOME + "iterations"
"""The number of steps that an optimizer has made: a variable of Keras, whose operators mix element types."""


def _counted(m: Machine, word: str, a: Value, b: Value, node: ast.AST) -> Value:
    left, right = (v.space["tensor"] if isinstance(v, Model) and v.kind == COUNTER else v for v in (a, b))
    return m.call(Named(f"keras.ops.{OPERATORS[word]}"), (left, right), {}, node) if word in OPERATORS else MISSING


def _counter_attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    if name == "dtype":
        return "int64"
    return me.space["tensor"] if name == "value" else m.attribute(me.space["tensor"], name, node)


def _legacy(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    raise m.raised("ImportError", "keras.optimizers.legacy is not supported in Keras 3", node)


def _init(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """`super().__init__(learning_rate, name)` of an optimizer of the program."""
    for name, value in {"learning_rate": 0.001, **dict(zip(("learning_rate",), args)), **kwargs}.items():
        m.heap.set(me.space, name, value)


def _scaling(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return Model(HOME + "LossScaleOptimizer", m.heap.space({"learning_rate": 0.001, "inner": argument(args, kwargs, 0, "inner_optimizer")}))


_TRAINED = "what the first model trains"
"""Where an optimizer keeps the layers of the first model that it trains, and how that was compiled; no attribute of the program has this name."""


def built_elsewhere(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """The program builds or applies the optimizer itself: which variables it knows is not followed."""
    if isinstance(me, Model):
        m.heap.set(me.space, _TRAINED, True)


def trains(m: Machine, state: Model, model: Value, followed: bool, node: ast.AST) -> None:
    """The optimizer of a compiled model changes what the model trains. `followed`: its step is that of Keras, and is made."""
    optimizer = state.space["optimizer"]
    if not isinstance(optimizer, Model) or optimizer.kind.endswith("LossScaleOptimizer"):
        return
    if not followed or not isinstance(model, (Model, Instance)) or incomplete(m, model):
        m.heap.set(optimizer.space, _TRAINED, True)
        return
    known = optimizer.space.get(_TRAINED)
    every = [layer for layer, _ in walk_layers(m, model)]
    trained = [layer for layer, learns in walk_layers(m, model) if learns and any(t.requires_grad for t in own_weights(layer))]
    if known is None and trained:
        m.heap.set(optimizer.space, _TRAINED, (state, tuple(every), tuple(trained)))
    elif type(known) is tuple and known[0] is not state:
        _known(m, known, trained, node)


def _known(m: Machine, known: tuple[Any, ...], trained: list[Any], node: ast.AST) -> None:
    new = [layer for layer in trained if not any(layer is k for k in known[2])]
    if any(not any(layer is k for k in known[1]) for layer in new):
        message = "this optimizer first trained another model, and Keras 3 lets it change only the variables of that: make one optimizer for each model"
        raise m.raised("ValueError", message, node, "optimizer/variables")
    if new:
        m.gap("Model.fit", node, "layers are trained that were frozen when the optimizer was first used")


def _apply(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    try_schedule(m, me, node)
    built_elsewhere(m, me, args, kwargs, node)
    return apply_gradients(m, me, args, kwargs, node)


def _apply_lists(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    built_elsewhere(m, me, args, kwargs, node)
    return apply(m, me, args, kwargs, node)


def _scaled(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return args[0] if args else kwargs.get("loss")


def _set(m: Machine, me: Model, name: str, value: Value, node: ast.AST) -> None:
    """`optimizer.learning_rate = 0.1`: a schedule stays the one that it was made with."""
    old = me.space.get("learning_rate")
    if name == "learning_rate" and isinstance(old, (Model, Instance, Function)) and not isinstance(value, (Model, Instance, Function, Unknown)):
        message = "the optimizer was made with a schedule as its learning rate, which cannot be set: compile with another optimizer"
        raise m.raised("TypeError", message, node, "optimizer/rate")
    m.heap.set(me.space, name, value)


def _attribute(m: Machine, me: Any, name: str, node: ast.AST) -> Value:
    if name in ("iterations", "variables", "built"):
        return scalar("int64").but(parameter=True) if name == "iterations" else Unknown(name) if name == "variables" else True
    if name == "learning_rate":
        rate = me.space.get("learning_rate")
        return scalar("float32").but(parameter=True) if isinstance(rate, (int, float, Unknown)) else rate
    if name == "name":
        return me.space.get("name", TEXT)
    if name in ("momentum", "nesterov", "beta_1", "beta_2", "epsilon", "weight_decay", "clipnorm", "clipvalue", "global_clipnorm", "rho", "amsgrad"):
        return me.space.get(name, Unknown(name, number="float"))
    if name == "inner_optimizer":
        return me.space.get("inner", Unknown("optimizer"))
    if isinstance(me, Model) and name == "lr" and name in me.space:
        return me.space[name]
    if name in ("lr", "get_weights", "set_weights", "weights", "minimize", "get_gradients", "compute_gradients"):
        raise m.raised("AttributeError", f"an optimizer of Keras 3 has no attribute {name}", node)
    return MISSING


def _schedule(name: str, m: Machine, call: Call) -> Model:
    if name == "PiecewiseConstantDecay":
        counts = [len(v.items if isinstance(v, List) else v) if isinstance(v, (List, tuple)) else None for v in map(call.value, ("boundaries", "values"))]
        if counts[0] is not None and counts[1] is not None and counts[0] != counts[1] - 1:
            raise m.raised("ValueError", f"{counts[0]} boundaries need {counts[0] + 1} values, not {counts[1]}", call.node, "call/arguments")
    return Model(SCHEDULES + name, m.heap.space(call.all()))


def _rate(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return TensorType(Shape(), FLOAT32, framework="tf")


_METHODS: dict[str, Any] = {
    "build": built_elsewhere,
    **dict.fromkeys(("finalize_variable_values", "exclude_from_weight_decay", "assign", "load_own_variables", "save_own_variables"), nothing),
    "apply_gradients": _apply, "apply": _apply_lists, "scale_loss": _scaled, "get_scaled_loss": _scaled, "get_unscaled_gradients": _scaled,
    "get_config": lambda m, me, a, k, n: Model("quiet", m.heap.space()),
}  # fmt: skip
KINDS = {
    COUNTER: KindModel(attribute=_counter_attribute, binary=_counted),
    **{HOME + n: KindModel(_METHODS, _attribute, set_attribute=_set, bases=(HOME + "Optimizer",)) for n in (*_NAMES, "LossScaleOptimizer")},
    **{SCHEDULES + n: KindModel(call=_rate, bases=(SCHEDULES + "LearningRateSchedule",), open=True) for n in _SCHEDULES},
}
CLASSES = {
    SCHEDULES + "LearningRateSchedule": ClassModel(SCHEDULES + "LearningRateSchedule", init=lambda m, me, a, k, n: None, closed=False),
    HOME + "Optimizer": ClassModel(HOME + "Optimizer", methods=_METHODS, attribute=_attribute, init=_init, closed=False),
    **{HOME + n: ClassModel(HOME + n, (HOME + "Optimizer",), closed=False) for n in _NAMES},
}
FUNCTIONS: dict[str, Run] = {
    **{HOME + n: partial(_make, n) for n in _NAMES}, **{SCHEDULES + n: by_signature(SCHEDULES + n, partial(_schedule, n)) for n in _SCHEDULES},
    **{f"{HOME}legacy.{n}": _legacy for n in ("Adagrad", "Adam", "Ftrl", "Optimizer", "RMSprop", "SGD")},
    HOME + "get": lambda m, a, k, n: resolved(m, a[0], n),
    HOME + "LossScaleOptimizer": _scaling,
}  # fmt: skip


def apply_gradients(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`opt.apply_gradients(zip(grads, variables))`."""
    given = argument(args, kwargs, 0, "grads_and_vars")
    if isinstance(given, Unknown):
        return None
    pairs = m.iterate(given, node)
    if pairs is None:
        return None
    halves: list[tuple[Value, Value]] = []
    for pair in pairs:
        if isinstance(pair, Unknown):
            return None
        parts = m.iterate(pair, node)
        if parts is None:
            return None
        if len(parts) != 2:
            raise m.raised("ValueError", f"apply_gradients takes pairs of gradient and variable, here are {len(parts)} values", node, "optimizer/pairs")
        if isinstance(pair, TensorType):
            message = "apply_gradients takes pairs of gradient and variable, and a row of a tensor is not a variable: write [(gradient, variable)]"
            raise m.raised("AttributeError", message, node, "optimizer/pairs")
        halves.append((parts[0], parts[1]))
    plain = isinstance(me, Model) and me.kind.endswith(".SGD") and not me.space.get("momentum")
    _check(m, [(_tensor(m, g, node), v) for g, v in halves], node, exact=plain)
    _same_variables(m, me, [v for _, v in halves], node)
    return scalar("int64")


def _tensor(m: Machine, gradient: Value, node: ast.AST) -> Value:
    """A list of tensors in place of a gradient is stacked, and a number is a tensor without axes."""
    return m.spelling("tf.convert_to_tensor", (gradient,), {}, node) if isinstance(gradient, (List, tuple, int, float)) else gradient


_KNOWN = "variables of the first call"
"""Where an optimizer keeps the variables that it was first applied to; no attribute of the program has this name."""


def _same_variables(m: Machine, me: Value, variables: list[Value], node: ast.AST) -> None:
    """An optimizer of Keras 3 keeps a state for the variables of its first call, and knows no others."""
    made = m.model_state.get("tf1 names", {})  # tf.Variable, which stays one object; a layer of Keras tells its weights anew
    if not isinstance(me, Model) or not all(type(v) is TensorType and id(v) in made and made[id(v)][0] is v for v in variables):
        return
    known = me.space.get(_KNOWN)
    if known is None:
        m.heap.set(me.space, _KNOWN, tuple(variables))
    elif type(known) is tuple and all(not any(v is k for k in known) for v in variables):
        message = "this optimizer was first applied to other variables, and Keras 3 lets it change only those: make one optimizer for each model"
        raise m.raised("ValueError", message, node, "optimizer/variables")


def apply(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`opt.apply(grads, variables)`."""
    grads, variables = argument(args, kwargs, 0, "grads"), argument(args, kwargs, 1, "trainable_variables")
    if variables is None or isinstance(variables, Unknown) or isinstance(grads, Unknown):
        return None
    first, second = m.iterate(grads, node), m.iterate(variables, node)
    if first is not None and second is not None:
        if len(first) != len(second):
            raise m.raised("ValueError", f"{len(first)} gradients for {len(second)} variables", node, "optimizer/pairs")
        _check(m, list(zip(first, second)), node)
    return None


def _check(m: Machine, pairs: list[tuple[Value, Value]], node: ast.AST, exact: bool = False) -> None:
    """Gradients fit their variables. `exact`: they are subtracted as they are, and must not broadcast; moments do."""
    if pairs and all(g is None for g, _ in pairs):
        raise m.raised("ValueError", "no gradients for any variable: the loss does not depend on them, or they were not watched", node, "optimizer/none")
    if not pairs:
        raise m.raised("ValueError", "there are no variables to change", node, "optimizer/none")
    for gradient, held in pairs:
        if isinstance(gradient, TensorType) and gradient.parameter and isinstance(held, TensorType) and not held.parameter:
            raise m.raised("AttributeError", "the variable comes second: a pair is (gradient, variable)", node, "optimizer/pairs")
        variable = registry.tensor_of(held) if isinstance(held, (Model, Instance)) else held
        if variable is not MISSING and isinstance(gradient, TensorType) and isinstance(variable, TensorType) and gradient.shape.known and variable.shape.known:
            fits = len(gradient.shape) == len(variable.shape) if exact else len(gradient.shape) <= len(variable.shape)
            sizes = zip(reversed(gradient.shape), reversed(variable.shape))
            agree = conj(*(eq(a, b) if exact else disj(eq(a, b), eq(a, 1)) for a, b in sizes)) if fits else False
            message = f"a gradient of shape {gradient.shape!r} cannot change a variable of shape {variable.shape!r}"
            if agree is False:
                raise m.raised("InvalidArgumentError", message, node, "optimizer/shapes")
            m.require("optimizer/shapes", agree, message, node)
