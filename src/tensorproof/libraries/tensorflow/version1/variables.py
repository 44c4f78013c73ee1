"""Variables of TensorFlow 1: get_variable with scopes and reuse, initialisers, assignments, the lists of a graph's variables and its collections."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.diagnostics.diagnostic import Step
from tensorproof.libraries import KindModel, Run, argument, listed
from tensorproof.libraries.results.facts import facts
from tensorproof.libraries.tensorflow import initial_values, tape
from tensorproof.libraries.tensorflow.tensors import METHODS, converted
from tensorproof.libraries.tensorflow.version1.graph import (
    COLLECTIONS,
    COUNTS,
    LOSSES,
    SCOPES,
    SUMMARIES,
    UPDATES,
    VARIABLES,
    axes,
    begin,
    graph,
    named,
    operation,
)
from tensorproof.terms import FLOAT32, DType, Shape, TensorType, conj, eq
from tensorproof.values import MISSING, Args, Key, Kwargs, List, Machine, Model, Unknown, Value, slot

ROOT: Key[Model] = slot("root")
NAME: Key[str] = slot("name")
AUTO = "tf.AUTO_REUSE"


def register(m: Machine, name: str, variable: TensorType, node: ast.AST, trainable: bool = True) -> TensorType:
    """A new variable of the graph."""
    held = graph(m).space[VARIABLES]
    m.heap.set(held, name, (variable, m.user_span(node), trainable))
    return named(m, variable, name)


def variables(m: Machine, trainable: bool = False, inside: Value = None) -> list[TensorType]:
    """The variables of the graph, in order; those whose names begin with a scope's."""
    found = list(graph(m).space[VARIABLES].items())
    if isinstance(inside, Model) and "name" in inside.space:
        inside = inside.space["name"]
    return [v for name, (v, _, learns) in found if (learns or not trainable) and (not isinstance(inside, str) or name.strip().startswith(inside))]


def shared(m: Machine, name: str, shape: Shape, dtype: Any, reuse: Value, node: ast.AST, trainable: bool = True, initial: Value = None) -> TensorType:
    """The variable of that full name: made, or taken again where the scope says so."""
    known = graph(m).space[VARIABLES].get(name)
    if known is None:
        if reuse is True:
            message = f"the variable {name} does not exist, or was not made with get_variable: with reuse=True it must exist"
            raise m.raised("ValueError", message, node, "variable/reuse")
        made = TensorType(shape, dtype, parameter=True, requires_grad=trainable, framework="tf")
        initial_values.started(m, made, initial_values.of(initial, tuple(shape)))
        return register(m, name, made, node, trainable)
    before, place, _ = known
    trail = (Step(place, f"{name} is made here with shape {before.shape!r}"),)
    if reuse is not True and reuse != AUTO:
        raise m.raised("ValueError", f"the variable {name} already exists: did you mean reuse=True or tf.AUTO_REUSE?", node, "variable/exists", trail)
    agree = len(before.shape) == len(shape) and conj(*(eq(a, b) for a, b in zip(before.shape, shape)))
    m.require("variable/shape", agree, f"the variable {name} has shape {before.shape!r} and is asked for again with shape {shape!r}", node, trail=trail)
    if isinstance(dtype, DType) and before.dtype is not None and dtype is not before.dtype:
        raise m.raised("ValueError", f"the variable {name} has type {before.dtype} and is asked for again as {dtype}", node, "variable/type", trail)
    return before


def _get_variable(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    begin(m)
    name, shape, dtype, initial = (argument(args, kwargs, i, w) for i, w in enumerate(("name", "shape", "dtype", "initializer")))
    trainable = argument(args, kwargs, 5, "trainable")
    inside = current(m)
    full = f"{prefix(m)}{name}" if isinstance(name, str) else m.name_here("variable", node)
    if isinstance(initial, (TensorType, List, int, float)) and not isinstance(initial, bool):
        value = converted(m, initial, dtype, node)
        if not isinstance(value, TensorType):
            return value
        if shape is not None and not isinstance(initial, (int, float)):
            raise m.raised("ValueError", "if the initializer is a constant, no shape may be given", node, "variable/initializer")
        sizes: Any = value.shape if shape is None else axes(m, shape, "variable", node)
        dtype = value.dtype
    else:
        if shape is None and (known := graph(m).space[VARIABLES].get(full)) is not None:
            sizes = known[0].shape
        elif shape is None:
            message = f"the shape of a new variable ({full}) must be fully defined, but was None"
            raise m.raised("ValueError", message, node, "variable/shape")
        else:
            sizes = axes(m, shape, "variable", node)
    if sizes is None:
        return m.gap("tf.get_variable", node, "its shape is not known")
    if any(tape.shown(m, d) is None for d in sizes):
        raise m.raised("ValueError", f"the shape of a new variable ({full}) must be fully defined, and an axis is None", node, "variable/shape")
    if dtype is None:
        dtype = inside.space["dtype"] if inside is not None and inside.space["dtype"] is not None else FLOAT32
    return shared(m, full, Shape(sizes), dtype, reuses(m), node, trainable is not False, initial)


def current(m: Machine) -> Model | None:
    """The innermost variable scope."""
    found = graph(m).space[SCOPES]
    return found[-1] if found else None


def prefix(m: Machine) -> str:
    inside = current(m)
    return f"{inside.space['name']}/" if inside is not None and inside.space["name"] else ""


def reuses(m: Machine) -> Value:
    inside = current(m)
    return root(m).space["reuse"] if inside is None else inside.space["reuse"]


def root(m: Machine) -> Model:
    here = graph(m)
    if "root" not in here.space:
        m.heap.set(here.space, "root", Model("tf.VariableScope", m.heap.space({"name": "", "reuse": False, "dtype": None, "outer": None})))
    return here.space[ROOT]


def _variable_scope(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    begin(m)
    given, default = argument(args, kwargs, 0, "name_or_scope"), argument(args, kwargs, 1, "default_name")
    reuse, dtype = kwargs.get("reuse", args[7] if len(args) > 7 else None), kwargs.get("dtype")
    outer = current(m)
    if isinstance(given, Model) and given.kind == "tf.VariableScope":
        name, inherited = given.space["name"], given.space["reuse"]
    elif isinstance(given, str):
        name, inherited = f"{prefix(m)}{given}", reuses(m)
    elif given is None and isinstance(default, str):
        counts = graph(m).space[COUNTS]
        key = f"scope {prefix(m)}{default}"
        seen = counts.get(key, 0)
        m.heap.set(counts, key, seen + 1)
        name, inherited = f"{prefix(m)}{default}" + (f"_{seen}" if seen else ""), reuses(m)
    else:
        name, inherited = f"{prefix(m)}{m.name_here('scope', node)}", reuses(m)
    if isinstance(reuse, (str, bool)) and reuse:
        chosen: Value = reuse
    elif isinstance(reuse, (Unknown,)) or (reuse is not None and not isinstance(reuse, (bool, str))):
        chosen = m.branching.choose(m.truth(reuse, node), lambda: True, lambda: inherited) if not isinstance(reuse, Unknown) else AUTO
    else:
        chosen = inherited
    return Model("tf.VariableScope", m.heap.space({"name": name, "reuse": chosen, "dtype": dtype, "outer": outer}))


def _enter(m: Machine, me: Model, node: ast.AST) -> Model:
    here = graph(m)
    m.heap.set(here.space, SCOPES, (*here.space[SCOPES], me))
    m.heap.set(me.space, "layers", m.heap.entries())  # default names of layers begin anew
    return me


def _leave(m: Machine, me: Model, raised: Value, node: ast.AST) -> bool:
    here = graph(m)
    m.heap.set(here.space, SCOPES, here.space[SCOPES][:-1])
    return False


def _reuse_variables(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    m.heap.set(me.space, "reuse", True)


def _get_scope(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    inside = current(m)
    return root(m) if inside is None else inside


def _scope_attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    if name == "original_name_scope":
        return me.space[NAME] + "/"
    return MISSING


def _assign(word: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    me, value = argument(args, kwargs, 0, "ref"), argument(args, kwargs, 1, "value")
    if value is None:
        value = kwargs.get("delta")
    check = kwargs.get("validate_shape", args[2] if len(args) > 2 and word == "assign" else True)
    if not isinstance(me, TensorType):
        return me if isinstance(me, Unknown) else m.gap(f"tf.{word}", node)
    if not me.parameter and isinstance(value, TensorType) and value.parameter:
        raise m.raised("AttributeError", f"tf.{word} changes a variable, and its first argument is not a variable: the two may be swapped", node)
    if check is False:
        return operation(m, (value,), node)
    return METHODS[word](m, (me, value), {}, node)


def _scatter(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """tf.scatter_update(ref, indices, updates) and its like."""
    me, indices, updates = (argument(args, kwargs, i, w) for i, w in enumerate(("ref", "indices", "updates")))
    if not isinstance(me, TensorType):
        return m.gap("tf.scatter_update", node, "of something that is not a variable")

    def run(mm: Machine, given: Args, named_: Kwargs, at: Any) -> Any:
        where, what = (v if isinstance(v, TensorType) else converted(mm, v, None, at) for v in given)
        if isinstance(where, TensorType) and isinstance(what, TensorType) and where.shape.known and what.shape.known and what.shape:
            wanted = (*where.shape, *me.shape[1:])
            agree = len(wanted) == len(what.shape) and conj(*(eq(a, b) for a, b in zip(what.shape, wanted)))
            mm.require("scatter/slices", agree, f"updates of shape {what.shape!r} must be {wanted!r}, the indexed rows", at)
        return me.but(parameter=False)

    return tape.step(m, "tf.scatter", run, (indices, updates), {}, node)


def _initializer(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    given = initial_values.given(name, args, kwargs)
    return Model("tf1 initializer", m.heap.space({"dtype": kwargs.get("dtype"), "class": name, "given": m.heap.space(given)}))


def _initial(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    shape, dtype = argument(args, kwargs, 0, "shape"), argument(args, kwargs, 1, "dtype")
    chosen = dtype if isinstance(dtype, DType) else me.space["dtype"] if isinstance(me.space["dtype"], DType) else FLOAT32
    found = m.spelling("tf.zeros", (shape,), {"dtype": chosen}, node)
    if not isinstance(found, TensorType):
        return found
    made, ends = found.but(contents=None), initial_values.of(me, tuple(found.shape)) if found.shape.known else None
    return made if ends is None else m.path.source(made, "initial value", *ends, drawn=True)


def _listing(trainable: bool) -> Run:
    return lambda m, args, kwargs, node: listed(m, variables(m, trainable, argument(args, kwargs, 0, "scope")))


def _global_step(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    from tensorproof.terms.dtypes import INT64

    known = graph(m).space[VARIABLES].get("global_step")
    return known[0] if known is not None else shared(m, "global_step", Shape(), INT64, False, node, False)


FUNCTIONS: dict[str, Run] = {
    "tf.get_variable": _get_variable, "tf.variable_scope": _variable_scope, "tf.get_variable_scope": _get_scope, "tf.variable_op_scope": _variable_scope,
    "tf.assign": partial(_assign, "assign"), "tf.assign_add": partial(_assign, "assign_add"), "tf.assign_sub": partial(_assign, "assign_sub"),
    "tf.global_variables": _listing(False),
    "tf.all_variables": _listing(False), "tf.trainable_variables": _listing(True), "tf.model_variables": _listing(False),
    "tf.local_variables": lambda m, a, k, n: listed(m, ()), "tf.moving_average_variables": lambda m, a, k, n: listed(m, ()),
    **{f"tf.{w}": partial(_initializer, w) for w in facts("tensorflow/version1/variables")["initializers"].split()},
    "tf.train.get_or_create_global_step": _global_step, "tf.train.create_global_step": _global_step,
    "tf.train.get_global_step": _global_step, **{f"tf.scatter_{w}": _scatter for w in ("update", "add", "sub", "mul", "div", "min", "max")},
}  # fmt: skip
KINDS: dict[str, KindModel] = {
    "tf.VariableScope": KindModel(
        methods={
            "reuse_variables": _reuse_variables, "global_variables": lambda m, me, a, k, n: listed(m, variables(m, False, me)),
            "trainable_variables": lambda m, me, a, k, n: listed(m, variables(m, True, me)),
        },
        attribute=_scope_attribute, enter=_enter, leave=_leave, open=True,
    ),
    "tf1 initializer": KindModel(call=_initial, passed=True, open=True),
}  # fmt: skip


def _add_to_collection(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    name, value = argument(args, kwargs, 0, "name"), argument(args, kwargs, 1, "value")
    held = graph(m).space[COLLECTIONS]
    if isinstance(name, str):
        m.heap.set(held, name, (*held.get(name, ()), value))


def _get_collection(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    name, inside = argument(args, kwargs, 0, "key"), argument(args, kwargs, 1, "scope")
    if name in ("variables", "trainable_variables", "global_variables", "model_variables"):
        return listed(m, variables(m, name == "trainable_variables", inside))
    here = graph(m)
    if name == "losses":
        return listed(m, [*here.space[LOSSES], *here.space[COLLECTIONS].get(name, ())])
    if name == "update_ops":
        return listed(m, [*here.space[UPDATES]])
    if name == "summaries":
        return listed(m, [*here.space[SUMMARIES]])
    return listed(m, here.space[COLLECTIONS].get(name, ()) if isinstance(name, str) else ())


FUNCTIONS |= {"tf.add_to_collection": _add_to_collection, "tf.get_collection": _get_collection, "tf.get_collection_ref": _get_collection}
