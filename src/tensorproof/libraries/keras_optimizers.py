"""Optimizers of Keras: they apply gradients to variables of the same shapes; schedules change numbers only."""

from __future__ import annotations

from typing import Any

from tensorproof.libraries.model import ClassModel, KindModel
from tensorproof.libraries.plain import argument
from tensorproof.libraries.tf_elements import scalar
from tensorproof.terms.predicates import conj, disj, eq
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Dict, Function, Instance, Model, Native
from tensorproof.values.python_values import REAL, TEXT, Unknown

HOME = "keras.optimizers."
_RATES = {"SGD": 0.01, "Ftrl": 0.001}
_NAMES = (
    "Optimizer", "SGD", "RMSprop", "Adam", "AdamW", "Adadelta", "Adagrad", "Adamax", "Adafactor", "Nadam", "Ftrl", "Lion", "Lamb", "Muon", "LossScaleOptimizer",
    "ScheduleFreeAdamW",
)  # fmt: skip
_SCHEDULES = (
    "LearningRateSchedule", "ExponentialDecay", "PiecewiseConstantDecay", "PolynomialDecay", "InverseTimeDecay", "CosineDecay", "CosineDecayRestarts",
)  # fmt: skip
_ARGUMENTS = {
    "learning_rate", "momentum", "nesterov", "weight_decay", "clipnorm", "clipvalue", "global_clipnorm", "use_ema", "ema_momentum",
    "ema_overwrite_frequency", "loss_scale_factor", "gradient_accumulation_steps", "name", "beta_1", "beta_2", "epsilon", "amsgrad", "rho", "centered",
    "initial_accumulator_value", "learning_rate_power", "l1_regularization_strength", "l2_regularization_strength", "l2_shrinkage_regularization_strength",
    "beta", "beta_2_decay", "epsilon_1", "epsilon_2", "clip_threshold", "relative_step", "lr", "decay", "jit_compile", "inner_optimizer", "initial_scale",
    "dynamic_growth_steps", "warmup_steps", "exclude_layers", "exclude_embeddings", "muon_a", "muon_b", "muon_c", "adam_lr_ratio", "ns_steps",
    "adam_beta_1", "adam_beta_2", "adam_weight_decay", "rms_rate", "schedule_decay", "dynamic", "clip_norm", "is_legacy_optimizer", "dtype",
}  # fmt: skip


def _make(name: str) -> Any:
    def run(m: Any, args: Any, kwargs: Any, node: Any) -> Any:
        wrong = next((k for k in kwargs if k not in _ARGUMENTS), None)
        if wrong is not None:
            raise m.raised("TypeError", f"{name} has no argument {wrong}", node, "call/arguments")
        made = Model(HOME + name, m.heap.space())
        fill(m, made, name, args, kwargs)
        return made

    return run


def fill(m: Any, made: Any, name: str, args: Any, kwargs: Any) -> None:
    """What an optimizer keeps."""
    rate = args[0] if args else kwargs.get("learning_rate", kwargs.get("lr", _RATES.get(name, 0.001)))
    if name == "LossScaleOptimizer":
        m.heap.set(made.space, "inner", rate if args else kwargs.get("inner_optimizer"))
        rate = 0.001
    m.heap.set(made.space, "learning_rate", rate)
    for key, value in kwargs.items():
        if key not in ("learning_rate", "lr", "name", "inner_optimizer"):
            m.heap.set(made.space, key, value)


def _init(m: Any, me: Instance, args: Any, kwargs: Any, node: Any) -> None:
    """`super().__init__(learning_rate, name)` of an optimizer of the program."""
    fill(m, me, "Optimizer", args, kwargs)


def _apply_gradients(m: Any, me: Any, args: Any, kwargs: Any, node: Any) -> Any:
    """`opt.apply_gradients(zip(grads, variables))`."""
    given = argument(args, kwargs, 0, "grads_and_vars")
    if isinstance(given, Unknown):
        return None
    pairs = m.iterate(given, node)
    if pairs is None:
        return None
    halves: list[tuple[Any, Any]] = []
    for pair in pairs:
        if isinstance(pair, Unknown):
            return None
        parts = m.iterate(pair, node)
        if parts is None:
            return None
        if len(parts) != 2:
            raise m.raised("ValueError", f"apply_gradients takes pairs of gradient and variable, here are {len(parts)} values", node, "optimizer/pairs")
        halves.append((parts[0], parts[1]))
    _check(m, halves, node)
    return scalar("int64")


def _apply(m: Any, me: Any, args: Any, kwargs: Any, node: Any) -> Any:
    grads, variables = argument(args, kwargs, 0, "grads"), argument(args, kwargs, 1, "trainable_variables")
    if variables is None or isinstance(variables, Unknown) or isinstance(grads, Unknown):
        return None
    first, second = m.iterate(grads, node), m.iterate(variables, node)
    if first is not None and second is not None:
        if len(first) != len(second):
            raise m.raised("ValueError", f"{len(first)} gradients for {len(second)} variables", node, "optimizer/pairs")
        _check(m, list(zip(first, second)), node)
    return None


def _check(m: Any, pairs: list[tuple[Any, Any]], node: Any) -> None:
    if pairs and all(g is None for g, _ in pairs):
        raise m.raised("ValueError", "no gradients for any variable: the loss does not depend on them, or they were not watched", node, "optimizer/none")
    if not pairs:
        raise m.raised("ValueError", "there are no variables to change", node, "optimizer/none")
    for gradient, variable in pairs:
        if isinstance(gradient, TensorType) and isinstance(variable, TensorType) and gradient.shape.known and variable.shape.known:
            fits = len(gradient.shape) <= len(variable.shape)
            sizes = zip(reversed(gradient.shape), reversed(variable.shape))
            agree = conj(*(disj(eq(a, b), eq(a, 1)) for a, b in sizes)) if fits else False
            message = f"a gradient of shape {gradient.shape!r} cannot change a variable of shape {variable.shape!r}"
            m.require("optimizer/shapes", agree, message, node)


def _minimize(m: Any, me: Any, args: Any, kwargs: Any, node: Any) -> Any:
    loss = argument(args, kwargs, 0, "loss")
    if not isinstance(loss, (TensorType, Unknown)) and loss is not None:
        m.call(loss, (), {}, node)
    elif isinstance(loss, TensorType) and kwargs.get("tape") is None and not loss.taped:
        raise m.raised("ValueError", "minimize takes a function that gives the loss, or a tape beside the tensor", node, "optimizer/loss")
    return None


def _attribute(m: Any, me: Any, name: str, node: Any) -> Any:
    if name in ("learning_rate", "lr"):
        return _rate(m, me)
    if name == "iterations":
        return scalar("int64").but(parameter=True)
    if name == "variables":
        return Unknown("the variables of an optimizer")
    if name == "name":
        return TEXT
    if name == "inner_optimizer":
        return me.space.get("inner", Unknown("optimizer"))
    return MISSING


def _rate(m: Any, me: Any) -> Any:
    held = me.space.get("learning_rate")
    return scalar("float32").but(parameter=True) if isinstance(held, (int, float, Unknown)) else held


def _same(m: Any, me: Any, args: Any, kwargs: Any, node: Any) -> Any:
    return args[0] if args else None


def _nothing(m: Any, me: Any, args: Any, kwargs: Any, node: Any) -> None:
    return None


METHODS: dict[str, Any] = {
    "apply_gradients": _apply_gradients, "apply": _apply, "minimize": _minimize, "build": _nothing, "get_scaled_loss": _same,
    "get_unscaled_gradients": _same, "scale_loss": _same, "get_config": lambda m, me, a, k, n: Unknown("config"), "set_weights": _nothing,
    "get_weights": lambda m, me, a, k, n: Unknown("weights"), "finalize_variable_values": _nothing, "stateless_apply": lambda m, me, a, k, n: (a[2], a[0]),
    "exclude_from_weight_decay": _nothing, "save_own_variables": _nothing, "load_own_variables": _nothing,
}  # fmt: skip


# --- schedules ---


def _schedule(name: str) -> Any:
    def run(m: Any, args: Any, kwargs: Any, node: Any) -> Any:
        return Model(HOME + "schedules." + name, m.heap.space(dict(kwargs)))

    return run


def _rate_at(m: Any, me: Any, args: Any, kwargs: Any, node: Any) -> Any:
    return scalar("float32")


def _get(m: Any, args: Any, kwargs: Any, node: Any) -> Any:
    """`keras.optimizers.get("adam")`."""
    given = argument(args, kwargs, 0, "identifier")
    if isinstance(given, str):
        found = next((n for n in _NAMES if n.lower() == given.lower()), None)
        if found is None:
            raise m.raised("ValueError", f"there is no optimizer {given!r}", node, "optimizer/name")
        return _make(found)(m, (), {}, node)
    if isinstance(given, Dict) or isinstance(given, (Unknown, Function, Native)):
        return Model(HOME + "Optimizer", m.heap.space({"learning_rate": REAL}))
    return given


FUNCTIONS: dict[str, Any] = {
    HOME + "get": _get, HOME + "serialize": lambda m, a, k, n: Unknown("config"), HOME + "deserialize": _get,
    **{HOME + n: _make(n) for n in _NAMES}, **{HOME + "schedules." + n: _schedule(n) for n in _SCHEDULES},
    **{HOME + f"legacy.{n}": _make(n) for n in _NAMES}, **{HOME + f"experimental.{n}": _make(n) for n in _NAMES},
}  # fmt: skip
_OPTIMIZER = KindModel(METHODS, _attribute, bases=(HOME + "Optimizer",))
KINDS: dict[str, KindModel] = {
    **{HOME + n: _OPTIMIZER for n in _NAMES},
    **{HOME + "schedules." + n: KindModel({"get_config": lambda m, me, a, k, n: Unknown("config")}, call=_rate_at, open=True, bases=(HOME + "schedules.LearningRateSchedule",)) for n in _SCHEDULES},
}  # fmt: skip
CLASSES: dict[str, ClassModel] = {
    **{HOME + n: ClassModel(HOME + n, () if n == "Optimizer" else (HOME + "Optimizer",), METHODS, _attribute, _init, closed=False) for n in _NAMES},
    **{
        HOME + "schedules." + n: ClassModel(HOME + "schedules." + n, () if n == "LearningRateSchedule" else (HOME + "schedules.LearningRateSchedule",), closed=False)
        for n in _SCHEDULES
    },
}
