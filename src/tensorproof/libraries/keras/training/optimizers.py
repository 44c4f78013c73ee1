"""keras.optimizers and their learning-rate schedules: arguments are checked, steps change no shape."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries import ClassModel, KindModel, Run, argument, nothing, registry
from tensorproof.libraries.keras.training.gradients import apply, apply_gradients
from tensorproof.libraries.keras.training.one_model import built_elsewhere
from tensorproof.libraries.tensorflow.data.elements import scalar
from tensorproof.terms import FLOAT32, INT64, Shape, TensorType
from tensorproof.values import MISSING, TEXT, Args, Bound, Function, Instance, Kwargs, Layer, List, Machine, Model, Named, Unknown, Value

HOME, SCHEDULES = "keras.optimizers.", "keras.optimizers.schedules."
_NO_OPTIMIZERS = (SCHEDULES, "keras.metrics.", "keras.callbacks.", "torch.")
"""Where the kinds of objects begin that are no optimizers of Keras."""
_SHARED = ("weight_decay", "clipnorm", "clipvalue", "global_clipnorm", "use_ema", "ema_momentum", "ema_overwrite_frequency", "loss_scale_factor",
           "gradient_accumulation_steps", "name")  # fmt: skip
_OWN: dict[str, tuple[str, ...]] = {
    "Adadelta": ("rho", "epsilon"), "Adafactor": ("beta_2_decay", "epsilon_1", "epsilon_2", "clip_threshold", "relative_step"),
    "Adagrad": ("initial_accumulator_value", "epsilon"), "Adam": ("beta_1", "beta_2", "epsilon", "amsgrad"),
    "AdamW": ("weight_decay", "beta_1", "beta_2", "epsilon", "amsgrad"), "Adamax": ("beta_1", "beta_2", "epsilon"),
    "Ftrl": ("learning_rate_power", "initial_accumulator_value", "l1_regularization_strength", "l2_regularization_strength",
             "l2_shrinkage_regularization_strength", "beta"),
    "Lamb": ("beta_1", "beta_2", "epsilon"), "Lion": ("beta_1", "beta_2"), "Nadam": ("beta_1", "beta_2", "epsilon"),
    "RMSprop": ("rho", "momentum", "epsilon", "centered"), "SGD": ("momentum", "nesterov"),
    "Muon": ("adam_beta_1", "adam_beta_2", "adam_weight_decay", "epsilon", "exclude_layers", "exclude_embeddings", "muon_a", "muon_b", "muon_c",
             "adam_lr_ratio", "momentum", "ns_steps", "nesterov", "rms_rate"),
    "ScheduleFreeAdamW": ("beta_1", "beta_2", "epsilon", "warmup_steps"),
}  # fmt: skip
_RATES = {"SGD": 0.01}
_SCHEDULES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "CosineDecay": (("initial_learning_rate", "decay_steps"), ("alpha", "name", "warmup_target", "warmup_steps")),
    "CosineDecayRestarts": (("initial_learning_rate", "first_decay_steps"), ("t_mul", "m_mul", "alpha", "name")),
    "ExponentialDecay": (("initial_learning_rate", "decay_steps", "decay_rate"), ("staircase", "name")),
    "InverseTimeDecay": (("initial_learning_rate", "decay_steps", "decay_rate"), ("staircase", "name")),
    "PiecewiseConstantDecay": (("boundaries", "values"), ("name",)),
    "PolynomialDecay": (("initial_learning_rate", "decay_steps"), ("end_learning_rate", "power", "cycle", "name")),
}  # fmt: skip
_BY_WORD = {n.lower(): n for n in _OWN if n not in ("Lamb",)} | {"lossscaleoptimizer": "LossScaleOptimizer"}


def _make(name: str) -> Run:
    names = ("learning_rate", *_OWN[name], *(n for n in _SHARED if n not in _OWN[name]))

    def run(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        wrong = next((k for k in kwargs if k not in names and k not in ("decay", "jit_compile")), None)
        if wrong is not None:
            hint = "; the learning rate is learning_rate" if wrong == "lr" else ""
            raise m.raised("ValueError", f"{name} has no argument {wrong}{hint}", node, "call/arguments")
        given = {**dict(zip(names, args)), **kwargs}
        if sum(given.get(n) is not None for n in ("clipnorm", "clipvalue", "global_clipnorm")) > 1:
            raise m.raised("ValueError", "an optimizer takes one of clipnorm, clipvalue and global_clipnorm", node, "call/arguments")
        rate = given.get("learning_rate", _RATES.get(name, 0.001))
        if rate is None or isinstance(rate, (int, str)):
            raise m.raised("ValueError", f"the learning rate must be a float or a schedule, and is {rate!r}", node, "call/arguments")
        return Model(HOME + name, m.heap.space({**{k: v for k, v in given.items() if isinstance(k, str)}, "learning_rate": rate}), m.user_span(node))

    return run


def resolved(m: Machine, given: Value, node: ast.AST) -> Value:
    """The optimizer that an argument of `compile` means."""
    if isinstance(given, str):
        name = _BY_WORD.get(given.lower())
        if name is None:
            raise m.raised("ValueError", f"{given!r} is not an optimizer of Keras", node, "keras/optimizer-name")
        return _make(name)(m, (), {}, node) if name in _OWN else Model(HOME + name, m.heap.space({"learning_rate": 0.001}))
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
_OPERATORS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide", "mod": "mod", "pow": "power", "lt": "less",
    "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal", "ne": "not_equal",
}  # fmt: skip


def _counted(m: Machine, word: str, a: Value, b: Value, node: ast.AST) -> Value:
    left, right = (v.space["tensor"] if isinstance(v, Model) and v.kind == COUNTER else v for v in (a, b))
    return m.call(Named(f"keras.ops.{_OPERATORS[word]}"), (left, right), {}, node) if word in _OPERATORS else MISSING


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


# --- methods ---


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


def _schedule(name: str) -> Run:
    needed, more = _SCHEDULES[name]

    def run(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        given = {**dict(zip((*needed, *more), args)), **kwargs}
        wrong = next((k for k in kwargs if k not in (*needed, *more)), None)
        missing = next((k for k in needed if k not in given), None)
        if wrong is not None or missing is not None:
            problem = f"has no argument {wrong}" if wrong is not None else f"is missing the argument {missing}"
            raise m.raised("TypeError", f"{name} {problem}", node, "call/arguments")
        if name == "PiecewiseConstantDecay":
            counts = [len(v.items if isinstance(v, List) else v) if isinstance(v, (List, tuple)) else None for v in (given["boundaries"], given["values"])]
            if counts[0] is not None and counts[1] is not None and counts[0] != counts[1] - 1:
                raise m.raised("ValueError", f"{counts[0]} boundaries need {counts[0] + 1} values, not {counts[1]}", node, "call/arguments")
        return Model(SCHEDULES + name, m.heap.space(given))

    return run


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
    **{HOME + n: KindModel(_METHODS, _attribute, set_attribute=_set, bases=(HOME + "Optimizer",)) for n in (*_OWN, "LossScaleOptimizer")},
    **{SCHEDULES + n: KindModel(call=_rate, bases=(SCHEDULES + "LearningRateSchedule",), open=True) for n in _SCHEDULES},
}
CLASSES = {
    SCHEDULES + "LearningRateSchedule": ClassModel(SCHEDULES + "LearningRateSchedule", init=lambda m, me, a, k, n: None, closed=False),
    HOME + "Optimizer": ClassModel(HOME + "Optimizer", methods=_METHODS, attribute=_attribute, init=_init, closed=False),
    **{HOME + n: ClassModel(HOME + n, (HOME + "Optimizer",), closed=False) for n in _OWN},
}
FUNCTIONS: dict[str, Run] = {
    **{HOME + n: _make(n) for n in _OWN}, **{SCHEDULES + n: _schedule(n) for n in _SCHEDULES},
    **{f"{HOME}legacy.{n}": _legacy for n in ("Adagrad", "Adam", "Ftrl", "Optimizer", "RMSprop", "SGD")},
    HOME + "get": lambda m, a, k, n: resolved(m, a[0], n),
    HOME + "LossScaleOptimizer": _scaling,
}  # fmt: skip
VALUES: dict[str, Run] = {HOME + "legacy": lambda m: Named(HOME + "legacy")}
