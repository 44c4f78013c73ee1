"""TensorFlow's names that are no operators: tf.function, settings, printing, saving, distribution, modules; what touches no shape is quiet."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries import ClassModel, KindModel, Run, argument
from tensorproof.libraries.tensorflow.data.elements import spec_of
from tensorproof.libraries.tensorflow.graph_branches import RELAXED
from tensorproof.libraries.tensorflow.shapes import GRAPH
from tensorproof.libraries.tensorflow.traced import EAGER, TRACED
from tensorproof.terms import BY_LABEL, DType, TensorType
from tensorproof.values import MISSING, TEXT, Args, Dict, Instance, Kwargs, Layer, List, Machine, Model, Named, Unknown, Value


def _module_init(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    m.heap.set(me.space, "_name", argument(args, kwargs, 0, "name"))


def variables_in(m: Machine, value: Value, node: ast.AST, learning: bool, seen: set[int] | None = None) -> list[Any]:
    """The variables that an object holds, in the order of its attributes' names as tf.Module has them."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return []
    seen.add(id(value))
    match value:
        case TensorType():
            return [value] if value.parameter and (value.requires_grad or not learning) else []
        case List() | tuple() | Dict():
            held: Any = value if isinstance(value, tuple) else value.items.values() if isinstance(value, Dict) else value.items
            return [v for one in held for v in variables_in(m, one, node, learning, seen)]
        case Instance() if any(isinstance(c, Named) and c.name == "tf.Module" for c in value.cls.mro):
            names = sorted(k for k in value.space if isinstance(k, str))
            return [v for k in names for v in variables_in(m, value.space[k], node, learning, seen)]
        case Instance() | Layer() | Model() if _is_keras(value):
            found = m.attribute(value, "trainable_variables" if learning else "variables", node)
            return list(found.items) if isinstance(found, List) else []
        case _:
            return []


def _is_keras(value: Instance | Layer | Model) -> bool:
    """Whether Keras itself lists the variables of this layer or model."""
    if isinstance(value, Model):
        return value.kind.startswith("keras.") and ("Sequential" in value.kind or "Model" in value.kind)
    return isinstance(value, Layer) or any(isinstance(c, Named) and c.name.startswith("keras.") for c in value.cls.mro)


def _module_attribute(m: Machine, me: Instance, name: str, node: ast.AST) -> Value:
    match name:
        case "variables" | "trainable_variables":
            return tuple(variables_in(m, me, node, name == "trainable_variables"))
        case "non_trainable_variables":
            return tuple(v for v in variables_in(m, me, node, False) if not v.requires_grad)
        case "name":
            given = me.space.get("_name")
            return TEXT if given is None else given
        case "name_scope":
            return Model("context", m.heap.space())
        case "submodules":
            return Unknown("submodules")
        case _:
            return MISSING


def _scoped(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Names of variables begin with a scope from here on: they are not followed."""
    m.model_state["tf name scopes"] = True
    return args[0] if args and not isinstance(args[0], str) else Model("context", m.heap.space())


def _run(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`strategy.run(f, args=(…), kwargs={…})`."""
    function, given = argument(args, kwargs, 0, "fn"), m.iterate(argument(args, kwargs, 1, "args", ()), node)
    named = argument(args, kwargs, 2, "kwargs")
    if given is None:
        return m.gap("strategy.run", node, "its arguments are not known")
    return m.call(function, tuple(given), dict(named.items) if isinstance(named, Dict) else {}, node)


def _reduce(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    value, axis = argument(args, kwargs, 1, "value"), argument(args, kwargs, 2, "axis")
    word = args[0] if args else kwargs.get("reduce_op")
    if axis is None or not isinstance(value, TensorType):
        return value
    mean = "MEAN" in str(getattr(word, "name", word)).upper()
    return m.spelling("tf.reduce_mean" if mean else "tf.reduce_sum", (value,), {"axis": axis}, node)


def _from_function(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return m.call(args[0], (Model("quiet", m.heap.space()),), {}, node)


def _devices(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """One processor, and none other that we know of."""
    return List(m.heap.row((Unknown("a device"),) if argument(args, kwargs, 0, "device_type") == "CPU" else ()))


def _average_loss(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`tf.nn.compute_average_loss`: one number of a loss for each example."""
    loss = argument(args, kwargs, 0, "per_example_loss")
    if isinstance(loss, TensorType) and loss.shape.known and not len(loss.shape):
        raise m.raised("ValueError", "the loss must be one number for each example, this is one for all: use reduction none", node, "loss/per-example")
    return m.spelling("tf.reduce_sum", (loss,), {}, node)


def _loop_options(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    if "shape_invariants" in kwargs:
        m.model_state[RELAXED] = True


def _is_tensor(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return Unknown("is_tensor") if isinstance(args[0], Unknown) else isinstance(args[0], TensorType) and args[0].framework in ("tf", "keras")


def _run_eagerly(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    m.model_state[EAGER] = argument(args, kwargs, 0, "run_eagerly")


def _get_static(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    t = args[0]
    if isinstance(t, TensorType) and t.contents is not None and len(t.shape) == 0:
        return t.contents[0]
    return t.but(framework="numpy") if isinstance(t, TensorType) and t.contents is not None else None


def _maybe_text(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A path to what was saved before, or None: a choice that the world makes."""
    return m.branching.choose(m.open_truth("a checkpoint exists", node), lambda: TEXT, lambda: None)


def _numpy_behaviour(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    m.model_state["tf.numpy behaviour"] = True


def _as_dtype(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = argument(args, kwargs, 0, "type_value")
    return given if isinstance(given, DType) else BY_LABEL.get(given, Unknown("dtype")) if isinstance(given, str) else Unknown("dtype")


_STRATEGIES = (
    "MirroredStrategy", "OneDeviceStrategy", "TPUStrategy", "MultiWorkerMirroredStrategy", "get_strategy", "Strategy", "experimental.TPUStrategy",
    "experimental.CentralStorageStrategy", "experimental.MultiWorkerMirroredStrategy", "ParameterServerStrategy",
)  # fmt: skip
FUNCTIONS: dict[str, Run] = {
    "tf.config.run_functions_eagerly": _run_eagerly, "tf.config.experimental_run_functions_eagerly": _run_eagerly,
    "tf.init_scope": lambda m, a, k, n: Model("tf.init_scope", m.heap.space()), "tf.name_scope": _scoped, "tf.Module.with_name_scope": _scoped,
    "tf.Module": lambda m, a, k, n: m.gap("tf.Module", n, "an object of the bare class"),
    **{f"tf.distribute.{s}": lambda m, a, k, n: Model("tf.distribute.Strategy", m.heap.space({"num_replicas_in_sync": 1})) for s in _STRATEGIES},
    "tf.config.list_physical_devices": _devices, "tf.config.experimental.list_physical_devices": _devices, "tf.config.list_logical_devices": _devices,
    "tf.config.experimental.list_logical_devices": _devices, "tf.config.get_visible_devices": _devices, "tf.is_tensor": _is_tensor,
    "tf.executing_eagerly": lambda m, a, k, n: not m.model_state.get(GRAPH, 0) and m.model_state.get(TRACED) is None,
    "tf.get_static_value": _get_static, "tf.inside_function": lambda m, a, k, n: bool(m.model_state.get(GRAPH, 0)),
    "tf.train.Checkpoint": lambda m, a, k, n: Model("tf.train.Checkpoint", m.heap.space(dict(k))),
    "tf.train.CheckpointManager": lambda m, a, k, n: Model("tf.train.CheckpointManager", m.heap.space({"checkpoint": argument(a, k, 0, "checkpoint")})),
    "tf.train.latest_checkpoint": _maybe_text,
    "tf.nn.compute_average_loss": _average_loss, "tf.nn.scale_regularization_loss": lambda m, a, k, n: m.spelling("tf.reduce_sum", a[:1], {}, n),
    "tf.experimental.numpy.experimental_enable_numpy_behavior": _numpy_behaviour,
    "tf.dtypes.as_dtype": _as_dtype, "tf.as_dtype": _as_dtype, "tf.type_spec_from_value": lambda m, a, k, n: spec_of(m, a[0]),
    "tf.autograph.experimental.set_loop_options": _loop_options,
    "tf.compat.as_str": lambda m, a, k, n: a[0] if isinstance(a[0], str) else TEXT,
}  # fmt: skip
CLASSES: dict[str, ClassModel] = {"tf.Module": ClassModel("tf.Module", init=_module_init, attribute=_module_attribute)}


def _enter_init(m: Machine, me: Model, node: ast.AST) -> Value:
    m.heap.set(me.space, "traced", m.model_state.get(TRACED))
    m.model_state[TRACED] = None
    return me


def _leave_init(m: Machine, me: Model, raised: Value, node: ast.AST) -> bool:
    m.model_state[TRACED] = me.space.get("traced")
    return False


KINDS: dict[str, KindModel] = {
    "tf.init_scope": KindModel(enter=_enter_init, leave=_leave_init),
    "tf.distribute.Strategy": KindModel(
        {
            "run": _run, "reduce": _reduce, "experimental_run_v2": _run, "experimental_distribute_dataset": lambda m, me, a, k, n: a[0],
            "distribute_datasets_from_function": _from_function, "experimental_distribute_datasets_from_function": _from_function,
            "experimental_local_results": lambda m, me, a, k, n: (a[0],), "gather": lambda m, me, a, k, n: a[0], "reduce_to": lambda m, me, a, k, n: a[1],
        }, open=True,
    ),
    "tf.train.Checkpoint": KindModel(open=True),
    "tf.train.CheckpointManager": KindModel(
        {"restore_or_initialize": lambda m, me, a, k, n: _maybe_text(m, a, k, n)},
        lambda m, me, name, n: _maybe_text(m, (), {}, n) if name == "latest_checkpoint" else MISSING, open=True,
    ),
}  # fmt: skip
