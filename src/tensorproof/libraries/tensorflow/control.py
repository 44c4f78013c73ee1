"""Control flow and structures of TensorFlow: cond, case, while_loop, map_fn, scan, TensorArray, tf.nest, functions of Python inside graphs."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tensorproof.libraries import KindModel, argument, mapped, tensors_in
from tensorproof.libraries.tensorflow.data.elements import element_of, rows, stacked, step_of, tensor_of_spec, traced
from tensorproof.libraries.tensorflow.data.pipeline import agree
from tensorproof.libraries.tensorflow.graph_branches import as_tensor, difference
from tensorproof.libraries.tensorflow.shapes import GRAPH, compatible, sizes_of
from tensorproof.libraries.tensorflow.tensors import converted
from tensorproof.libraries.tensorflow.traced import SHAPELESS, TRACED, converting, is_symbolic, untraced, within
from tensorproof.ops.inputs import as_size
from tensorproof.terms import BUDGETS, DType, Origin, Shape, TensorType, Term, conj, ge, lt
from tensorproof.values import MISSING, Args, Dict, Key, Kwargs, List, Machine, Model, TensorShape, Unknown, Value, slot


def _cond(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    asked = argument(args, kwargs, 0, "pred")
    then, other = argument(args, kwargs, 1, "true_fn", kwargs.get("fn1")), argument(args, kwargs, 2, "false_fn", kwargs.get("fn2"))
    if isinstance(asked, TensorType) and asked.shape.known and len(asked.shape):
        m.require("cond/scalar", asked.shape.numel == 1, f"the condition must be one truth value, and has shape {asked.shape!r}", node)
    return _one_of(m, asked, lambda: m.call(then, (), {}, node), lambda: m.call(other, (), {}, node), node)


def _one_of(m: Machine, asked: Any, then: Callable[[], Value], other: Callable[[], Value], node: ast.AST) -> Value:
    """What one of two functions gives; in a graph both are traced, and must give the same structure and element types."""
    if not is_symbolic(asked):
        return m.branching.choose(m.truth(asked, node), then, other)
    met: list[Value] = []

    def kept(act: Callable[[], Value]) -> Callable[[], Value]:
        def run() -> Value:
            met.append(act())
            return as_tensor(m, met[-1], node, m.model_state.get(TRACED))

        return run

    with converting(m):
        truth = m.truth(asked.but(contents=None, shape=Shape()), node)
    made = m.branching.choose(truth, kept(then), kept(other))
    found = difference(*met) if len(met) == 2 and met != [None, None] else None
    if found is not None:
        counts = [len(tensors_in(v)) for v in met]
        kind = "ValueError" if None in met else "AssertionError" if counts[0] != counts[1] and 0 not in counts else "TypeError"
        raise m.raised(kind, f"the branches give {found[1]} and {found[2]}: both become part of the graph", node, "graph/branches")
    return made


def _case(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    pairs, default = m.iterate(argument(args, kwargs, 0, "pred_fn_pairs"), node), argument(args, kwargs, 1, "default")
    split = [tuple(m.iterate(pair, node) or ()) for pair in pairs or ()]
    if not split or any(len(pair) != 2 for pair in split):
        return m.gap("tf.case", node, "its branches are not known")

    def from_(at: int) -> Value:
        if at == len(split):
            return m.call(default, (), {}, node) if default is not None else m.call(split[-1][1], (), {}, node)
        asked, act = split[at]
        return _one_of(m, asked, lambda: m.call(act, (), {}, node), lambda: from_(at + 1), node)

    return from_(0)


def _switch(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    branches, default = argument(args, kwargs, 1, "branch_fns"), argument(args, kwargs, 2, "default")
    acts = list(branches.items.values()) if isinstance(branches, Dict) else m.iterate(branches, node)
    if not acts:
        return m.gap("tf.switch_case", node, "its branches are not known")
    acts = [a[1] if isinstance(a, tuple) else a for a in acts] + ([default] if default is not None else [])

    def from_(at: int) -> Value:
        if at == len(acts) - 1:
            return m.call(acts[at], (), {}, node)
        return m.branching.choose(m.open_truth(f"branch {at}", node), lambda: m.call(acts[at], (), {}, node), lambda: from_(at + 1))

    return from_(0)


def _while(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A loop whose variables keep their shapes; in a graph they must."""
    ask, body = argument(args, kwargs, 0, "cond"), argument(args, kwargs, 1, "body")
    variables = argument(args, kwargs, 2, "loop_vars")
    alone = isinstance(variables, (TensorType, int, float))
    start = (variables,) if alone else m.iterate(variables, node)
    if start is None:
        return m.gap("tf.while_loop", node, "its variables are not known")
    state: Any = [element_of(m, v, node) if not isinstance(v, Model) else v for v in start]
    given, recorded = state, m.path.recorded
    state = [mapped(m, v, lambda t: t.but(contents=None)) for v in state]
    m.call(ask, tuple(state), {}, node)
    found = m.call(body, tuple(state), {}, node)
    out = [found] if isinstance(found, TensorType) else None if isinstance(found, Unknown) else m.iterate(found, node)
    if out is None:
        return m.gap("tf.while_loop", node, "what its body gives is not known")
    if len(out) != len(state):
        raise m.raised("ValueError", f"the body of the loop gives {len(out)} values for {len(state)} variables", node, "while_loop/variables")
    changes = False
    for old, new in zip(tensors_in(tuple(state)), tensors_in(tuple(out))):
        if old.shape.known and new.shape.known and old.shape != new.shape:
            if m.model_state.get(GRAPH, 0) and "shape_invariants" not in kwargs and old.shape.concrete and new.shape.concrete:
                message = f"a variable of the loop changes its shape from {old.shape!r} to {new.shape!r}: give shape_invariants"
                raise m.raised("ValueError", message, node, "while_loop/shape")
            changes = True
    if changes:
        return _turned(m, ask, body, start, out, alone, node)
    made = [mapped(m, v, lambda t: t.but(contents=None)) for v in out]
    if m.path.program is not None:
        m.path.program.turn(recorded, [tensors_in(tuple(v)) for v in (given, state, out, made)], m.user_span(node))
    return tuple(made) if len(made) > 1 else made[0] if alone or isinstance(found, TensorType) else List(m.heap.row(made))


def _turned(m: Machine, ask: Value, body: Value, start: Any, once: list[Value], alone: bool, node: ast.AST) -> Value:
    """A loop that changes shapes, run on what is known of its variables as long as its condition says so."""
    state: Any = [element_of(m, v, node) if not isinstance(v, Model) else v for v in start]
    for _ in range(BUDGETS.loops.drawn):
        goes_on = m.call(ask, tuple(state), {}, node)
        known = goes_on.contents[0] if isinstance(goes_on, TensorType) and goes_on.contents is not None else goes_on
        if known is False or known == 0:
            return tuple(state) if len(state) > 1 else state[0] if alone else List(m.heap.row(state))
        if known is not True:
            break
        found = m.call(body, tuple(state), {}, node)
        state = [found] if isinstance(found, TensorType) else m.iterate(found, node)
        if state is None or len(state) != len(once):
            break
    return m.gap("tf.while_loop", node, "a variable changes its shape")


def _row_of(m: Machine, elems: Value, what: str, node: ast.AST) -> tuple[Value, Value]:
    """One row of what a function is mapped over, and how many there are."""
    found = tensors_in(elems)
    if not found:
        return m.gap(what, node, "over something that is not known"), None
    agree(m, found, node, "map_fn/lengths", what)
    return rows(m, elems), next((t.shape[0] for t in tensors_in(elems) if t.shape.known and len(t.shape)), None)


def _map_fn(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    function, elems = argument(args, kwargs, 0, "fn"), argument(args, kwargs, 1, "elems")
    whole = elems if isinstance(elems, List) and all(isinstance(v, TensorType) for v in elems.items) and len(elems.items) > 1 else element_of(m, elems, node)
    row, count = _row_of(m, whole, "tf.map_fn", node)
    if count is None:
        return row
    made = element_of(m, step_of(m, function, (row,), node), node)
    if isinstance(made, Unknown):
        return made
    given = kwargs.get("fn_output_signature", kwargs.get("dtype", args[2] if len(args) > 2 else None))
    if isinstance(given, DType) and isinstance(made, TensorType) and made.dtype is not None and made.dtype is not given:
        raise m.raised("InvalidArgumentError", f"the function gives {made.dtype}, declared is {given}", node, "map_fn/type")
    if given is None:
        for t, wanted in zip(tensors_in(made), tensors_in(row)):
            if None not in (t.dtype, wanted.dtype) and t.dtype is not wanted.dtype:
                message = f"the function gives {t.dtype} for {wanted.dtype}: give fn_output_signature"
                raise m.raised("InvalidArgumentError", message, node, "map_fn/type")
    return stacked(m, made, count, node)


def _vectorized_map(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    row, count = _row_of(m, element_of(m, argument(args, kwargs, 1, "elems"), node), "tf.vectorized_map", node)
    return row if count is None else stacked(m, element_of(m, traced(m, argument(args, kwargs, 0, "fn"), (row,), {}, node), node), count, node)


def _folded(m: Machine, name: str, args: Args, kwargs: Kwargs, node: ast.AST) -> tuple[Value, Value]:
    """One step of a scan or fold: what it gives, and how many steps there are."""
    function, elems, start = argument(args, kwargs, 0, "fn"), argument(args, kwargs, 1, "elems"), argument(args, kwargs, 2, "initializer")
    row, count = _row_of(m, element_of(m, elems, node), name, node)
    if count is None:
        return row, None
    first = row if start is None else element_of(m, start, node)
    recorded, state = m.path.recorded, row if start is None else mapped(m, first, lambda t: t.but(contents=None))
    made = element_of(m, step_of(m, function, (state, row), node), node)
    if m.path.program is not None:
        end, made = made, mapped(m, made, lambda t: t.but())
        m.path.program.turn(recorded, [tensors_in(v) for v in (first, state, end, made)], m.user_span(node))
    for a, b in zip(tensors_in(state), tensors_in(made)):
        if a.shape.known and b.shape.known and a.shape.concrete and b.shape.concrete and a.shape != b.shape:
            raise m.raised("ValueError", f"the state of {name} changes its shape from {a.shape!r} to {b.shape!r}", node, "scan/shape")
    return made, count


def _scan(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    made, count = _folded(m, "tf.scan", args, kwargs, node)
    return made if count is None else stacked(m, made, count, node)


def _fold(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return _folded(m, "tf.foldl", args, kwargs, node)[0]


def _py_function(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """What comes out has the declared types; its shapes are those that the function gives, and open to static inference."""
    function, inputs, types = argument(args, kwargs, 0, "func"), argument(args, kwargs, 1, "inp"), argument(args, kwargs, 2, "Tout")
    given = None if inputs is None else m.iterate(inputs, node)  # without them it decorates a function
    if given is None:
        return m.gap("tf.py_function", node, "its arguments are not known")
    if m.model_state.get(TRACED) is not None:
        m.model_state[SHAPELESS] = True
    inside, m.model_state[GRAPH] = m.model_state.get(GRAPH, 0), 0
    try:
        with untraced(m):
            found = m.call(function, tuple(within(m, v, None) for v in given), {}, node)
    finally:
        m.model_state[GRAPH] = inside
    return _typed(m, found, types, node)


def _numpy_function(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    inputs = argument(args, kwargs, 1, "inp")
    given = None if inputs is None else m.iterate(inputs, node)
    if given is None:
        return m.gap("tf.numpy_function", node, "its arguments are not known")
    arrays = tuple(v.but(framework="numpy", graph=None) if isinstance(v, TensorType) else v for v in given)
    with untraced(m):
        found = m.call(argument(args, kwargs, 0, "func"), arrays, {}, node)
    return _typed(m, found, argument(args, kwargs, 2, "Tout"), node)


def _typed(m: Machine, found: Value, types: Value, node: ast.AST) -> Value:
    if isinstance(found, (List, tuple)) and isinstance(types, (List, tuple)):
        inner, kinds = (list(v.items if isinstance(v, List) else v) for v in (found, types))
        return List(m.heap.row(_typed(m, v, t, node) for v, t in zip(inner, kinds)))
    if isinstance(types, (List, tuple)):
        kinds = list(types.items if isinstance(types, List) else types)
        made = _typed(m, found, kinds[0] if kinds else None, node)
        return List(m.heap.row([made])) if isinstance(types, List) else (made,)
    if isinstance(types, Model):
        return tensor_of_spec(m, types, node, found if isinstance(found, TensorType) else None)
    made = within(m, element_of(m, found, node), m.model_state.get(TRACED))
    return made.but(dtype=types) if isinstance(made, TensorType) and isinstance(types, DType) else made


def _map_structure(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    function, first, others = args[0], args[1], args[2:]

    def walk(value: Value, beside: tuple[Any, ...]) -> Value:
        if isinstance(value, (tuple, List)):
            inner = [list(v.items if isinstance(v, List) else v) if isinstance(v, (tuple, List)) else None for v in (value, *beside)]
            if any(i is None or len(i) != len(inner[0] or ()) for i in inner):
                raise m.raised("ValueError", "the structures differ", node, "nest/structure")
            made = [walk(p[0], p[1:]) for p in zip(*(i for i in inner if i is not None))]
            return tuple(made) if isinstance(value, tuple) else List(m.heap.row(made))
        if isinstance(value, Dict):
            return Dict(m.heap.entries({k: walk(v, tuple(b.items[k] for b in beside)) for k, v in value.items.items()}))
        return m.call(function, (value, *beside), {}, node)

    return walk(first, others)


def _flatten(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    def walk(value: Value) -> list[Value]:
        if isinstance(value, (tuple, List)):
            return [v for one in (value.items if isinstance(value, List) else value) for v in walk(one)]
        if isinstance(value, Dict):
            return [v for k in sorted(value.items) for v in walk(value.items[k])]
        return [value]

    return List(m.heap.row(walk(args[0])))


EAGER: dict[str, Any] = {
    "tf.cond": _cond, "tf.case": _case, "tf.while_loop": _while, "tf.map_fn": _map_fn, "tf.scan": _scan, "tf.foldl": _fold, "tf.foldr": _fold,
}  # fmt: skip
"""What `graph_control` takes outside a graph of TensorFlow 1."""
FUNCTIONS: dict[str, object] = {
    "tf.switch_case": _switch, "tf.vectorized_map": _vectorized_map, "tf.py_function": _py_function, "tf.numpy_function": _numpy_function,
    "tf.nest.map_structure": _map_structure, "tf.nest.flatten": _flatten, "tf.nest.is_nested": lambda m, a, k, n: isinstance(a[0], (tuple, List, Dict)),
}  # fmt: skip


SHAPE: Key[TensorShape] = slot("shape")
ARRAY = "tf.TensorArray"


def _make(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    dtype, size = argument(args, kwargs, 0, "dtype"), argument(args, kwargs, 1, "size", 0)
    size = as_size(size) if isinstance(size, TensorType) else size
    given = kwargs.get("element_shape")
    space = {"dtype": dtype, "size": size, "dynamic": argument(args, kwargs, 2, "dynamic_size", False), "element": None, "top": 0,
             "shape": None if given is None else sizes_of(m, given, node),
             "cleared": None if argument(args, kwargs, 3, "clear_after_read") is False else ()}  # fmt: skip
    return Model(ARRAY, m.heap.space(space))


def _with(m: Machine, me: Model, **changes: Value) -> Model:
    return Model(ARRAY, m.heap.space({**me.space, **changes}))


def _write(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    at, value = argument(args, kwargs, 0, "index"), argument(args, kwargs, 1, "value")
    at = as_size(at) if isinstance(at, TensorType) else at
    new = converted(m, value, me.space["dtype"] if not isinstance(value, TensorType) else None, node)
    if not isinstance(new, TensorType):
        return _with(m, me, element=Unknown("a tensor that was written"))
    if None not in (new.dtype, me.space["dtype"]) and new.dtype is not me.space["dtype"]:
        raise m.raised("InvalidArgumentError", f"an array of {me.space['dtype']} cannot hold {new.dtype}", node, "tensor_array/type")
    held, size = me.space["element"], me.space["size"]
    declared = me.space[SHAPE] if held is None else TensorShape(held.shape) if isinstance(held, TensorType) and held.shape.known else None
    if declared is not None and new.shape.known:
        message = f"an array of tensors of shape {tuple(declared)} cannot hold one of shape {new.shape!r}"
        m.demand("ValueError", compatible(TensorShape(new.shape), declared), message, node, "tensor_array/shape")
    if me.space["dynamic"] is False and isinstance(at, (int, Term)) and isinstance(size, (int, Term)):
        m.demand("OutOfRangeError", conj(ge(at, 0), lt(at, size)), f"index {at!r} is outside the array of {size!r}", node, "tensor_array/index")
    top = me.space["top"]
    reached = max(top, at + 1) if isinstance(at, int) and isinstance(top, int) else None
    cleared: Any = me.space["cleared"]
    return _with(m, me, element=new.but(contents=None), top=reached, cleared=cleared and tuple(i for i in cleared if isinstance(at, int) and i != at))


def _count(m: Machine, me: Model, node: ast.AST) -> Value:
    """How many tensors there are."""
    size, top = me.space["size"], me.space["top"]
    if me.space["dynamic"] is False:
        return size
    if isinstance(top, int) and isinstance(size, int):
        return max(top, size)
    return m.symbol(m.name_here("written", node), 1, None, Origin.UNMODELLED)


def _stack(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    held, count = me.space["element"], _count(m, me, node)
    if not isinstance(held, TensorType) or not held.shape.known or not isinstance(count, (int, Term)):
        return m.gap("TensorArray.stack", node, "of tensors that are not known")
    return within(m, held.but(shape=Shape((count, *held.shape))), m.model_state.get(TRACED))


def _concat(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    held, count = me.space["element"], _count(m, me, node)
    if not isinstance(held, TensorType) or not held.shape.known or not len(held.shape) or not isinstance(count, (int, Term)):
        return m.gap("TensorArray.concat", node, "of tensors that are not known")
    return within(m, held.but(shape=Shape((count * held.shape[0], *held.shape[1:]))), m.model_state.get(TRACED))


def _read(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    held, at, cleared = me.space["element"], argument(args, kwargs, 0, "index"), me.space["cleared"]
    if isinstance(at, int) and isinstance(cleared, tuple) and m.model_state.get(TRACED) is None:
        if at in cleared:
            message = f"index {at} was read before, which clears it: make the array with clear_after_read=False"
            raise m.raised("InvalidArgumentError", message, node, "tensor_array/index")
        m.heap.set(me.space, "cleared", (*cleared, at))
    return m.gap("TensorArray.read", node, "of a tensor that is not known") if held is None else within(m, held, m.model_state.get(TRACED))


def _unstack(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    t = converted(m, argument(args, kwargs, 0, "value"), None, node)
    if not isinstance(t, TensorType) or not t.shape.known or not len(t.shape):
        return m.gap("TensorArray.unstack", node, "of something that is not known")
    return _with(m, me, element=t.but(shape=Shape(t.shape[1:]), contents=None), size=t.shape[0], top=t.shape[0], cleared=me.space["cleared"] and ())


def _attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    if name == "element_shape":
        held = me.space["element"]
        return TensorShape(held.shape) if isinstance(held, TensorType) and held.shape.known else Unknown("element_shape")
    return me.space["dynamic"] if name == "dynamic_size" else MISSING


def _size(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    count = _count(m, me, node)
    return converted(m, count, None, node) if isinstance(count, (int, Term)) else Unknown("size")


FUNCTIONS |= {ARRAY: _make}
KINDS: dict[str, KindModel] = {
    ARRAY: KindModel({
        "write": _write, "stack": _stack, "read": _read, "unstack": _unstack, "concat": _concat, "size": _size,
        "gather": lambda m, me, a, k, n: m.spelling("tf.gather", (_stack(m, me, (), {}, n), argument(a, k, 0, "indices")), {}, n),
    }, _attribute),
}  # fmt: skip
