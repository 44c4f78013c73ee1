"""Sessions of TensorFlow 1: a run feeds placeholders and computes what is fetched, and only that."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.diagnostics.diagnostic import Step
from tensorproof.libraries import KindModel, Run, argument
from tensorproof.libraries.tensorflow import tape
from tensorproof.libraries.tensorflow.data import iterators as tf_iterators
from tensorproof.libraries.tensorflow.kept_values import BEGAN
from tensorproof.libraries.tensorflow.version1.graph import GRAPHS, LEAVES, OPERATION, begin, by_name, fits, graph, inputs_of, shown_shape
from tensorproof.terms import Outputs, Shape, TensorType, Term
from tensorproof.values import MISSING, TEXT, Args, Dict, Key, Kwargs, List, Machine, Model, Named, Native, Record, Unknown, Value, slot

RESTARTS: Key[Model] = slot("restarts")


def run(m: Machine, fetches: Value, feed: Value, node: ast.AST) -> Any:
    """`sess.run(fetches, feed_dict)`: what it gives the program."""
    wanted = _resolved(m, fetches, node)
    new, sentence = _fed(m, feed, node)
    tensors = inputs_of(_structure(wanted))
    for one in _operations(wanted):
        if "restarts" in one.space:
            tf_iterators.restart(m, one.space[RESTARTS])
    steps, leaves = tape.steps_of(m, tuple(tensors), new)
    _initialised(m, wanted, tensors, steps, new, node)
    closing = tf_iterators.ends(m, leaves, node)
    found: Any = None
    for condition, batch in tf_iterators.variants(m, leaves) or [(True, {})]:

        def once(batch: dict[int, TensorType] = batch) -> Value:
            return tape.replay(m, tuple(tensors), {**batch, **new}, node, sentence, missing=lambda leaf: _missing(m, leaf, node))

        made = once() if condition is True else m.branching.choose(condition, lambda: (once(), None)[1], lambda: None)
        found = made if found is None or (closing and made is not None) else found
    values = {id(t): v for t, v in zip(tensors, found)}
    return _given(m, wanted, values, node)


def _initialised(m: Machine, wanted: Value, tensors: list[TensorType], steps: list[tape.Node], fed: dict[int, TensorType], node: ast.AST) -> None:
    """Variables have no values before the program has run any operation, assigned or restored one."""
    plain = not _operations(wanted) and len(tensors) == len(_flat(wanted))
    if m.model_state.get(BEGAN) or "keras" in m.model_state or not plain:
        m.model_state[BEGAN] = True
        return
    used = next((t for t in (*tensors, *(t for step in steps for t in step.inputs)) if t.parameter and t.framework == "tf" and id(t) not in fed), None)
    if used is not None:
        message = "a variable is read before it has a value: run tf.global_variables_initializer() in the session first"
        raise m.raised("FailedPreconditionError", message, node, "session/variables")


def _flat(value: Value) -> list[Value]:
    if isinstance(value, dict):
        value = tuple(value.values())
    return [v for one in value for v in _flat(one)] if isinstance(value, (tuple, list)) else [value]


def begun(make: Run, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A session that gives variables their values itself, or that the program got from elsewhere."""
    m.model_state[BEGAN] = True
    return make(m, args, kwargs, node)


def _operations(value: Value) -> list[Model]:
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (tuple, list)):
        return [o for v in value for o in _operations(v)]
    if isinstance(value, Model) and value.kind == OPERATION:
        return [value, *_operations(value.space["inputs"])]
    return []


def _resolved(m: Machine, fetches: Value, node: ast.AST) -> Value:
    """Fetches with names looked up; the structure is kept."""
    match fetches:
        case str():
            return by_name(m, fetches, node)
        case List():
            return [_resolved(m, f, node) for f in fetches.items]
        case Dict():
            return {k: _resolved(m, f, node) for k, f in fetches.items.items()}
        case Outputs():
            return fetches.like(_resolved(m, f, node) for f in fetches)
        case Record():
            return Record.of(fetches.cls, (_resolved(m, f, node) for f in fetches))
        case tuple():
            return tuple(_resolved(m, f, node) for f in fetches)
        case None:
            raise m.raised("TypeError", "a fetch cannot be None", node, "session/fetch")
        case int() | float():
            raise m.raised("TypeError", f"a fetch must be a tensor or an operation, not the number {fetches}", node, "session/fetch")
        case Unknown() if fetches.number or fetches.ratio is not None:
            raise m.raised("TypeError", "a fetch must be a tensor or an operation, not a number (the name may hold an earlier result)", node, "session/fetch")
        case TensorType() if fetches.framework == "numpy":
            raise m.raised("TypeError", f"a fetch must be a tensor or an operation, not an array of shape {fetches.shape!r}", node, "session/fetch")
        case _:
            return fetches


def _structure(value: Value) -> Value:
    if isinstance(value, dict):
        return tuple(_structure(v) for v in value.values())
    if isinstance(value, (tuple, list)):
        return tuple(_structure(v) for v in value)
    return value


def _given(m: Machine, wanted: Value, values: dict[int, Value], node: ast.AST) -> Value:
    """The results in the structure of the fetches: arrays, None for operations."""
    if isinstance(wanted, TensorType):
        return _array(m, values.get(id(wanted), wanted))
    if isinstance(wanted, Model):
        if wanted.kind == OPERATION:
            return None
        inner = wanted.space.get("tensor")
        if isinstance(inner, TensorType):
            return _array(m, values.get(id(inner), inner))
        return TEXT if wanted.kind in ("tf.summary", "quiet") else m.gap("Session.run", node, f"a fetch of {wanted.kind} is not known")
    if isinstance(wanted, list):
        return List(m.heap.row(_given(m, w, values, node) for w in wanted))
    if isinstance(wanted, dict):
        return Dict(m.heap.entries({k: _given(m, w, values, node) for k, w in wanted.items()}))
    if isinstance(wanted, Outputs):
        return wanted.like(_given(m, w, values, node) for w in wanted)
    if isinstance(wanted, Record):
        return Record.of(wanted.cls, (_given(m, w, values, node) for w in wanted))
    if isinstance(wanted, tuple):
        return tuple(_given(m, w, values, node) for w in wanted)
    return m.gap("Session.run", node, "what is fetched is not known")


def _array(m: Machine, value: Value) -> Value:
    if not isinstance(value, TensorType):
        return value
    if value.dtype is not None and value.dtype.label == "string" and value.shape == ():
        return TEXT
    if value.shape == () and value.dtype is not None and value.dtype.kind in "fiu":
        return value.contents[0] if value.contents is not None else Unknown("a number in a tensor", number="float" if value.dtype.kind == "f" else "int")
    return m.path.same(value, value.but(framework="numpy", taped=0, parameter=False, requires_grad=False, weak=False))


def _missing(m: Machine, leaf: TensorType, node: ast.AST) -> TensorType:
    """A leaf that nothing feeds."""
    found = m.model_state.get(LEAVES, {}).get(id(leaf))
    if found is None or found[1] in ("data", "queue"):
        return leaf.but(taped=0)
    if isinstance(found[1], TensorType):
        return found[1].but(taped=0)
    message = f"the placeholder {found[2]!r} must be fed: what is fetched depends on it"
    raise m.raised("InvalidArgumentError", message, node, "feed/missing", (Step(found[3], f"the placeholder {found[2]!r} is made here"),))


def _fed(m: Machine, feed: Value, node: ast.AST) -> tuple[dict[int, TensorType], str]:
    """The replacements that a feed_dict makes, checked against the placeholders, and the sentence that tells of them."""
    if feed is None:
        return {}, "run here"
    if not isinstance(feed, Dict):
        if not isinstance(feed, Unknown):
            raise m.raised("TypeError", "feed_dict must be a dict", node, "feed/dict")
        m.gap("Session.run", node, "what it feeds is not known")
        return {id(t): t.but(taped=0) for t in tape.tape_of(m).leaves}, "run here"
    new: dict[int, TensorType] = {}
    listed: list[str] = []
    unknown: list[TensorType] = []
    for key, value in feed.items.items():
        if isinstance(key, str):
            key = by_name(m, key, node)
        if not isinstance(key, TensorType):
            if key is None or isinstance(key, (int, float)) or (isinstance(key, Model) and key.kind == OPERATION):
                raise m.raised("TypeError", "a key of feed_dict must be a tensor", node, "feed/key")
            m.gap("Session.run", node, "a key of feed_dict is not known")
            continue
        if key.framework == "numpy":
            raise m.raised("TypeError", f"a key of feed_dict must be a tensor, not an array of shape {key.shape!r}", node, "feed/key")
        if not tape.is_taped(m, key):
            continue
        made = _value(m, key, value, node)
        if made is None:
            unknown.append(key)
            continue
        new[id(key)] = made
        if made.shape.known:
            listed.append(f"{_name(m, key)} = {made.shape!r}")
    for key in unknown:
        new[id(key)] = _from_outside(m, key, ", ".join(listed), node)
    return new, f"run here with {', '.join(listed)}" if listed else "run here"


def _from_outside(m: Machine, key: TensorType, beside: str, node: ast.AST) -> TensorType:
    """An array of which nothing is known: whatever the placeholder takes, and another beside other batches."""
    if not key.shape.known:
        return key.but(taped=0)
    place = f"{_name(m, key)} fed@{getattr(node, 'lineno', 0)}" + (f" beside {beside}" if beside else "")
    return key.but(shape=Shape(tape.open_axis(m, f"{place}[{i}]") if tape.shown(m, d) is None else d for i, d in enumerate(key.shape)), taped=0)


def _name(m: Machine, key: TensorType) -> str:
    where = m.made_at.get(id(key))
    if where is not None and where[0] is key:
        return str(where[1])
    found = m.model_state.get(LEAVES, {}).get(id(key))
    return found[2] if found is not None else "a tensor"


def _value(m: Machine, key: TensorType, value: Value, node: ast.AST) -> TensorType | None:
    """What is fed in place of a tensor; None when nothing is known of it."""
    if isinstance(value, TensorType) and value.framework == "tf":
        raise m.raised("TypeError", "the value of a feed cannot be a tensor of the graph: feed numbers or arrays", node, "feed/value")
    array = value
    if isinstance(value, Model):
        inner = value.space.get("tensor")
        array = (
            inner
            if isinstance(inner, TensorType)
            else m.call(m.attribute(value, "to_numpy", node), (), {}, node)
            if "pandas" in value.kind
            else Unknown("feed")
        )
    elif isinstance(value, (List, tuple)):
        array = _of_list(m, value, node)
    elif isinstance(value, (bool, int, float, Term)):
        array = TensorType(Shape(), key.dtype, contents=(value,), framework="numpy")
    elif isinstance(value, Unknown) and (value.number or value.ratio is not None):
        array = TensorType(Shape(), key.dtype, framework="numpy")
    elif value is None:
        raise m.raised("TypeError", f"the placeholder {_name(m, key)} is fed None", node, "feed/value")
    if not isinstance(array, TensorType) or not array.shape.known:
        return None

    def message() -> str:
        return f"cannot feed a value of shape {array.shape!r} for {_name(m, key)}, which has shape {shown_shape(m, key)}"

    found = m.model_state.get(LEAVES, {}).get(id(key))
    trail = () if found is None else (Step(found[3], f"{_name(m, key)} is made here"),)
    fits(m, array, key, node, "feed/shape", message, trail)
    sizes = list(array.shape)
    if key.shape.known:
        sizes = [b if isinstance(a, Term) and isinstance(b, int) else a for a, b in zip(array.shape, key.shape)]
    contents = array.contents if array.contents is not None and key.dtype is not None and not key.dtype.is_float else None
    return m.path.taken(array, TensorType(Shape(sizes), key.dtype, contents=contents, framework="tf"))


def _of_list(m: Machine, value: Any, node: ast.AST) -> Value:
    """A list of numbers or arrays, as np.asarray makes one of it."""
    items = list(value.items) if isinstance(value, List) else list(value)
    if items and all(isinstance(v, Unknown) and (v.number or v.ratio is not None) for v in items):
        return TensorType(Shape((len(items),)), framework="numpy")
    before = len(m.path.gaps)
    found = m.call(Named("numpy.array"), (value,), {}, node)
    if not isinstance(found, TensorType):
        del m.path.gaps[before:]
        m.gap("Session.run", node, "what is fed is not known")
    return found


def _session(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    begin(m)
    chosen = kwargs.get("graph", args[1] if len(args) > 1 else None)
    return Model("tf.Session", m.heap.space({"graph": chosen if isinstance(chosen, Model) else None}))


def _enter(m: Machine, me: Model, node: ast.AST) -> Model:
    chosen = me.space["graph"]
    if isinstance(chosen, Model) and chosen.kind == "tf.Graph":
        graph(m)
        m.model_state[GRAPHS].append(chosen)
    return me


def _leave(m: Machine, me: Model, raised: Value, node: ast.AST) -> bool:
    chosen = me.space["graph"]
    if isinstance(chosen, Model) and chosen.kind == "tf.Graph":
        m.model_state[GRAPHS].pop()
    return False


def _make_callable(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    fetches = argument(args, kwargs, 0, "fetches")
    order = [] if len(args) < 2 and "feed_list" not in kwargs else m.iterate(argument(args, kwargs, 1, "feed_list"), node) or []
    return Native("a session's callable", lambda mm, a, k, n: run(mm, fetches, Dict(mm.heap.entries(dict(zip(order, a)))), n))


def _eval(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`tensor.eval(feed_dict, session)`."""
    feed = argument(args, kwargs, 1, "feed_dict")
    return run(m, args[0], None if isinstance(feed, Model) else feed, node)


_METHODS: dict[str, Any] = {
    "run": lambda m, me, a, k, n: run(m, argument(a, k, 0, "fetches"), argument(a, k, 1, "feed_dict"), n),
    "make_callable": _make_callable, "should_stop": lambda m, me, a, k, n: m.open_truth("should_stop", n),
}  # fmt: skip


def _attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Any:
    if name == "graph":
        return me.space["graph"] or graph(m)
    return Model("quiet", m.heap.space()) if name == "graph_def" else MISSING


FUNCTIONS: dict[str, Run] = {
    "tf.Session": _session, "tf.InteractiveSession": _session, "tf.Tensor.eval": _eval,
    **dict.fromkeys(("tf.train.MonitoredTrainingSession", "tf.train.MonitoredSession", "tf.train.SingularMonitoredSession"), partial(begun, _session)),
    "tf.get_default_session": partial(begun, _session),
}  # fmt: skip


def _no_item(what: str, m: Machine, me: Model, index: Value, node: ast.AST) -> Value:
    raise m.raised("TypeError", f"{what} cannot be indexed", node)


def _run_operation(m: Machine, me: Model, args: Any, kwargs: Any, node: ast.AST) -> Value:
    """`operation.run(feed_dict)`, in the default session."""
    return run(m, me, argument(args, kwargs, 0, "feed_dict"), node)


KINDS: dict[str, KindModel] = {
    "tf.Session": KindModel(methods=_METHODS, attribute=_attribute, enter=_enter, leave=_leave, item=partial(_no_item, "a Session")),
    OPERATION: KindModel(
        methods={"run": _run_operation},
        attribute=lambda m, me, name, n: TEXT if name == "name" else me if name == "op" else MISSING, open=True, passed=True,
        item=partial(_no_item, "an Operation gives no value, and"),
    ),
}  # fmt: skip
