"""The graph of TensorFlow 1: placeholders, names, scopes, operations, and what a program asks of a graph.

A placeholder is a leaf of the tape. An operation (what `minimize`, `group`, `assign` or an initializer gives) is a `Model` of kind tf.Operation that
keeps the tensors which running it needs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

from tensorproof.diagnostics.span import Span
from tensorproof.libraries import KindModel, Run, argument, listed
from tensorproof.libraries.tensorflow import tape
from tensorproof.libraries.tensorflow.kept_values import BEGAN
from tensorproof.terms import FLOAT32, DType, Shape, TensorType, Term, unknown_shape
from tensorproof.values import TEXT, Args, Key, Kwargs, List, Machine, Model, Named, Row, Table, TensorShape, Unknown, Value, slot

VARIABLES: Key[Table[tuple[TensorType, Span, bool]]] = slot("variables")
COUNTS: Key[Table[int]] = slot("counts")
SCOPES: Key[tuple[Model, ...]] = slot("scopes")
LOSSES: Key[Row] = slot("losses")
SUMMARIES: Key[Row] = slot("summaries")
UPDATES: Key[Row] = slot("updates")
COLLECTIONS: Key[Table[tuple[Value, ...]]] = slot("collections")
GRAPHS = "tf1 graphs"
NAMES = "tf1 names"
LEAVES = "tf1 leaves"
OPERATION = "tf.Operation"


def begin(m: Machine) -> None:
    """From here on the program builds graphs as TensorFlow 1 does."""
    m.model_state["tf1"] = True


_OLD = re.compile(
    r"\.(placeholder|Session|InteractiveSession|get_variable|global_variables_initializer|MonitoredTrainingSession)\b|tf\.contrib|tensorflow\.contrib"
)


def is_old(m: Machine) -> bool:
    """Whether the program builds graphs: it has begun to, or one of its files uses a name that only TensorFlow 1 has."""
    if m.model_state.get("tf1"):
        return True
    texts = m.texts()
    seen = m.model_state.get("tf1 seen", (0, False))
    if seen[0] != len(texts):
        seen = m.model_state["tf1 seen"] = (len(texts), any(_OLD.search(text) for text in texts))
    return bool(seen[1])


def graph(m: Machine) -> Model:
    """The default graph."""
    begin(m)
    stack = m.model_state.get(GRAPHS)
    if not stack:
        stack = m.model_state[GRAPHS] = [new_graph(m)]
    return stack[-1]  # type: ignore[no-any-return]


def collect(m: Machine, kept: Key[Row], value: Value) -> None:
    """Put a value into a list that the graph keeps: of losses, summaries or updates."""
    held = graph(m).space[kept]
    m.heap.touch(held)
    held.append(value)


def new_graph(m: Machine) -> Model:
    variables, counts = m.heap.entries(), m.heap.entries()
    space = {"variables": variables, "counts": counts, "losses": m.heap.row(), "summaries": m.heap.row(), "scopes": (), "collections": m.heap.entries()}
    return Model("tf.Graph", m.heap.space({**space, "updates": m.heap.row()}))


def scope(m: Machine) -> str:
    """The name of the variable scope at work, with a slash, or nothing."""
    inside = graph(m).space[SCOPES]
    return "".join(f"{s.space['name']}/" for s in inside[-1:] if s.space["name"])


def unique(m: Machine, name: str) -> str:
    """A name that the graph has not given yet: a, a_1, a_2 …"""
    counts = graph(m).space[COUNTS]
    seen = counts.get(name, 0)
    m.heap.set(counts, name, seen + 1)
    return f"{name}_{seen}" if seen else name


def named(m: Machine, tensor: TensorType, name: Value) -> TensorType:
    """Give a tensor the name that the program chose for it."""
    if isinstance(name, str):
        m.model_state.setdefault(NAMES, {})[id(tensor)] = (tensor, name)
    return tensor


def name_of(m: Machine, tensor: TensorType) -> Value:
    """`x.name`."""
    found = m.model_state.get(NAMES, {}).get(id(tensor))
    return f"{found[1]}:0" if found is not None and found[0] is tensor else TEXT


def variable_made(m: Machine, made: TensorType, name: Value, node: ast.AST) -> TensorType:
    """tf.Variable: the graph keeps it, where the program builds one."""
    if not is_old(m):
        return made if m.model_state.get("tf name scopes") else named(m, made, name if isinstance(name, str) else "Variable")
    stem = scope(m) + (name if isinstance(name, str) else "Variable")
    full = unique(m, stem)
    m.heap.set(graph(m).space[VARIABLES], f" {full}", (made, m.user_span(node), made.requires_grad))  # a key that get_variable never asks for
    return named(m, made, full)


def axes(m: Machine, given: Value, name: str, node: ast.AST) -> Shape | None:
    """A declared shape with an open symbol for each None; None where it is unknown."""
    items = given.items if isinstance(given, List) else given
    if isinstance(items, (int, Term)) and not isinstance(items, bool):
        items = (items,)
    if isinstance(items, TensorType) and items.contents is not None:
        items = items.contents
    if not isinstance(items, (tuple, list)):
        return None
    made: list[Value] = []
    for i, one in enumerate(items):
        if isinstance(one, Model) and one.kind == "tf.Dimension":
            one = one.space["value"]
        if isinstance(one, TensorType) and one.contents is not None and len(one.contents) == 1:
            one = one.contents[0]
        if isinstance(one, float) and one == int(one):
            one = int(one)
        if one is None:
            made.append(tape.open_axis(m, m.name_here(f"{name} axis {i}", node)))
        elif isinstance(one, (int, Term)) and not isinstance(one, bool):
            if isinstance(one, int) and one < 0:
                raise m.raised("ValueError", f"an axis cannot be {one}: write None for a size that is not known", node, "placeholder/shape")
            made.append(one)
        else:
            return None
    return Shape(made)


def _dtype(value: Value) -> DType | None:
    from tensorproof.terms.dtypes import BY_LABEL

    if isinstance(value, DType):
        return value
    if value is float or value is int or value is bool:
        return {float: FLOAT32, int: BY_LABEL["int32"], bool: BY_LABEL["bool"]}[value]
    return BY_LABEL.get(value) if isinstance(value, str) else None


def declared(m: Machine, given: Value, dtype: Value, name: str, node: ast.AST) -> TensorType | None:
    shape = unknown_shape(m.name_here(f"shape of {name}", node)) if given is None or _open_rank(given) else axes(m, given, name, node)
    return None if shape is None else TensorType(shape, _dtype(dtype), framework="tf")


def _open_rank(value: Value) -> bool:
    return isinstance(value, Unknown) and value.reason in ("a shape of unknown rank", "the shape of a tensor of unknown rank")


def _placeholder(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    begin(m)
    dtype, shape, name = (argument(args, kwargs, i, w) for i, w in enumerate(("dtype", "shape", "name")))
    known = name if isinstance(name, str) else "placeholder"
    made = declared(m, shape, dtype, known, node)
    if made is None:
        return m.gap("tf.placeholder", node, "its shape is not known")
    found = tape.leaf(m, made)
    m.model_state.setdefault(LEAVES, {})[id(found)] = (found, "placeholder", known, m.user_span(node))
    return named(m, found, unique(m, scope(m) + known if isinstance(name, str) else "Placeholder"))


def _with_default(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    begin(m)
    value, shape, name = (argument(args, kwargs, i, w) for i, w in enumerate(("input", "shape", "name")))
    known = name if isinstance(name, str) else "placeholder_with_default"
    value = value if isinstance(value, TensorType) and value.framework == "tf" else m.spelling("tf.convert_to_tensor", (value,), {}, node)
    if not isinstance(value, TensorType):
        return value
    made = declared(m, shape, value.dtype, known, node)
    if made is None:
        return m.gap("tf.placeholder_with_default", node, "its shape is not known")
    if made.shape.known and value.shape.known:
        words = lambda: f"the default of shape {value.shape!r} does not fit the placeholder {shown_shape(m, made)}"
        fits(m, value, made, node, "placeholder/default", words)
    found = tape.leaf(m, made)
    m.model_state.setdefault(LEAVES, {})[id(found)] = (found, value, known, m.user_span(node))
    return named(m, found, unique(m, scope(m) + known))


def shown_shape(m: Machine, tensor: TensorType) -> str:
    """A shape as TensorFlow prints it: ? for what is open."""
    if not tensor.shape.known:
        return "<unknown>"
    sizes = [tape.shown(m, d) for d in tensor.shape]
    return "(" + ", ".join("?" if d is None else repr(d) for d in sizes) + (",)" if len(sizes) == 1 else ")")


def fits(m: Machine, value: TensorType, wanted: TensorType, node: ast.AST, code: str, message: Callable[[], str], trail: Any = ()) -> None:
    """Require that a value has the sizes that a declared tensor knows."""
    from tensorproof.terms.predicates import conj, eq

    if not wanted.shape.known or not value.shape.known:
        return
    known = [tape.shown(m, d) for d in wanted.shape]
    agree = len(value.shape) == len(known) and conj(*(eq(a, b) for a, b in zip(value.shape, known) if b is not None))
    if agree is not True:
        m.require(code, agree, message(), node, trail=trail)


def set_shape(m: Machine, me: TensorType, wanted: TensorShape, node: ast.AST) -> None:
    """What static inference learns of a tensor of a graph."""
    if not me.shape.known:
        new = tuple(tape.open_axis(m, m.name_here(f"axis {i}", node)) if d is None else d for i, d in enumerate(wanted))
    else:
        if len(wanted) != len(me.shape):
            message = f"Shapes {shown_shape(m, me)} and {tuple(wanted)} must have the same rank"
            raise m.raised("ValueError", message, node, "set_shape/rank")
        for old, one in zip(me.shape, wanted):
            if one is not None and tape.shown(m, old) is not None:
                m.demand("ValueError", _same(old, one), f"{shown_shape(m, me)} cannot be given the shape {tuple(wanted)}", node, "set_shape/sizes")
        new = tuple(one if one is not None and tape.shown(m, old) is None else old for old, one in zip(me.shape, wanted))
    m.remember(me, "shape", me.shape)
    object.__setattr__(me, "shape", Shape(new))


def _same(a: Any, b: Any) -> Any:
    from tensorproof.terms.predicates import eq

    return eq(a, b)


def operation(m: Machine, inputs: Value, node: ast.AST) -> Model:
    """An operation that needs these tensors (and operations) when it runs."""
    begin(m)
    return Model(OPERATION, m.heap.space({"inputs": tape.frozen(inputs)}), m.user_span(node))


def inputs_of(value: Value) -> list[TensorType]:
    """The tensors that running something needs."""
    value = tape.frozen(value)
    if isinstance(value, Model) and value.kind == OPERATION:
        return inputs_of(value.space["inputs"])
    if isinstance(value, (tuple, list)):
        return [t for v in value for t in inputs_of(v)]
    if isinstance(value, dict):
        return [t for v in value.values() for t in inputs_of(v)]
    return [value] if isinstance(value, TensorType) else []


def assigned(m: Machine, run: Any, word: str, args: tuple[Any, ...], kwargs: dict[str, Value], node: ast.AST) -> Any:
    """`v.assign(x)` in a graph: a step that needs x and gives the variable's new value."""
    me, value = args[0], argument(args, kwargs, 1, "value", kwargs.get("delta"))
    m.model_state[BEGAN] = True

    def again(mm: Machine, given: Args, named_: Kwargs, at: Value) -> Value:
        run(mm, (me, given[0]), {}, at)
        return me.but(parameter=False)

    return tape.step(m, f"tf.Variable.{word}", again, (value,), {}, node)


def _operation(*_: Value) -> Run:
    return lambda m, args, kwargs, node: operation(m, (), node)


def _as_default(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    return Model("tf1 context", m.heap.space({"enter": lambda: _push(m, me), "leave": lambda: _pop(m), "gives": me}))


def _push(m: Machine, me: Model) -> None:
    graph(m)
    m.model_state[GRAPHS].append(me)


def _pop(m: Machine) -> None:
    stack = m.model_state.get(GRAPHS)
    if stack:
        stack.pop()


def _enter_graph(m: Machine, me: Model, node: ast.AST) -> Model:
    _push(m, me)
    return me


def _leave_graph(m: Machine, me: Model, raised: Value, node: ast.AST) -> bool:
    _pop(m)
    return False


def _reset(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    begin(m)
    m.model_state[GRAPHS] = [new_graph(m)]


def _new_graph(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    begin(m)
    return new_graph(m)


def by_name(m: Machine, name: str, node: ast.AST) -> Value:
    """The tensor or operation of that name."""
    base, _, at = name.partition(":")
    for tensor, known in m.model_state.get(NAMES, {}).values():
        if known == base:
            return tensor if at else operation(m, (tensor,), node)
    last = base.rpartition("/")[2]
    found = [n for n in tape.tape_of(m).nodes if n.kwargs.get("name") == last]
    if len(found) == 1:
        results = tape.tensors_in(found[0].result)
        number = int(at) if at.isdecimal() else 0
        if number < len(results):
            return results[number] if at else operation(m, tuple(results), node)
    if found or m.model_state.get("tf1 restored") or re.fullmatch(r"(.*/)?[A-Z]\w*", base) or "/" in base:
        return m.gap(f"the tensor {name!r}", node, "which step has this name is not known")
    raise m.raised("KeyError", f"the name {name!r} refers to a tensor that does not exist in the graph", node, "graph/name")


def _by_name(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    name = argument(args, kwargs, 0, "name", kwargs.get("obj"))
    if not isinstance(name, str):
        return name if isinstance(name, (TensorType, Model)) else Unknown("a tensor")
    return by_name(m, name, node)


def _context(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    """name_scope, device, control_dependencies: what is built inside is built as elsewhere."""
    begin(m)
    return Model("tf1 context", m.heap.space({"enter": None, "leave": None, "gives": argument(args, kwargs, 0, "name") or TEXT}))


def _enter(m: Machine, me: Model, node: ast.AST) -> Value:
    enter = me.space["enter"]
    if callable(enter):
        enter()
    return me.space["gives"]


def _leave(m: Machine, me: Model, raised: Value, node: ast.AST) -> bool:
    leave = me.space["leave"]
    if callable(leave):
        leave()
    return False


_OPERATIONS = (
    "global_variables_initializer", "local_variables_initializer", "initialize_all_variables", "initialize_local_variables", "tables_initializer",
    "variables_initializer", "no_op", "initialize_variables", "report_uninitialized_variables",
)  # fmt: skip
_CONTEXTS = ("name_scope", "device", "control_dependencies", "op_scope", "colocate_with", "init_scope")
FUNCTIONS: dict[str, Run] = {
    "tf.placeholder": _placeholder, "tf.placeholder_with_default": _with_default, "tf.Graph": _new_graph, "tf.reset_default_graph": _reset,
    "tf.get_default_graph": lambda m, a, k, n: graph(m),
    "tf.group": lambda m, a, k, n: operation(m, a, n),
    "tf.tuple": lambda m, a, k, n: listed(m, m.iterate(argument(a, k, 0, "tensors"), n) or ()), **{f"tf.{name}": _operation() for name in _OPERATIONS},
    **{f"tf.compat.v1.{name}": _context for name in _CONTEXTS}, **{f"tf.{name}": _context for name in ("op_scope", "colocate_with", "control_dependencies")},
    **{f"tf.{word}": lambda m, a, k, n: begin(m) for word in ("disable_v2_behavior", "disable_eager_execution", "disable_v2_tensorshape",
       "disable_resource_variables", "enable_resource_variables", "disable_control_flow_v2", "enable_control_flow_v2")},
}  # fmt: skip


KINDS: dict[str, KindModel] = {
    "tf.Graph": KindModel(
        methods={
            "as_default": _as_default, "get_tensor_by_name": _by_name, "get_operation_by_name": _by_name, "as_graph_element": _by_name,
            **dict.fromkeys(("device", "name_scope", "control_dependencies"), lambda m, me, a, k, n: _context(m, a, k, n)),
            "get_collection": lambda m, me, a, k, n: m.call(Named("tf.get_collection"), a, k, n),
            "add_to_collection": lambda m, me, a, k, n: m.call(Named("tf.add_to_collection"), a, k, n),
        },
        enter=_enter_graph, leave=_leave_graph, open=True,
    ),
    "tf1 context": KindModel(enter=_enter, leave=_leave),
}  # fmt: skip
