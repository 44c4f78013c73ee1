"""Control flow in the graphs of TensorFlow 1: cond, case, while_loop, map_fn, scan and folds as steps of the tape.

Both sides of a cond are built; which of them runs is known only when its condition is. The body of a loop is built once, with variables of which no
more is known than their shapes: a step before it forgets their contents, a step after it holds them to the same shapes.
"""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import argument, listed
from tensorproof.libraries.tensorflow import control as tf_control
from tensorproof.libraries.tensorflow import tape
from tensorproof.libraries.tensorflow.shapes import sizes_of
from tensorproof.libraries.tensorflow.tensors import converted
from tensorproof.libraries.tensorflow.version1.graph import OPERATION, is_old, operation
from tensorproof.terms import Origin, Outputs, Shape, TensorType, conj, eq, unknown_shape
from tensorproof.values import Args, Dict, Kwargs, List, Machine, Model, Unknown, Value


def _graph_only(name: str, run: Any, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """In eager programs the other model speaks."""
    eager = tf_control.EAGER.get(name)
    if eager is not None and not is_old(m):
        return eager(m, args, kwargs, node)
    return run(m, args, kwargs, node)


def _tensor(m: Machine, value: Value, node: ast.AST) -> Value:
    """A value of a graph function's result: numbers become tensors."""
    if isinstance(value, (TensorType, Model, Unknown)) or value is None:
        return value
    if isinstance(value, List):
        return [_tensor(m, v, node) for v in value.items]
    if isinstance(value, Outputs):
        return value.like(_tensor(m, v, node) for v in value)
    if isinstance(value, (tuple, list)):
        return type(value)(_tensor(m, v, node) for v in value)
    return converted(m, value, None, node)


def _structure(m: Machine, value: Value) -> Value:
    if isinstance(value, list):
        return listed(m, [_structure(m, v) for v in value])
    if type(value) is tuple:
        return tuple(_structure(m, v) for v in value)
    return value


def _either(m: Machine, a: Value, b: Value, node: ast.AST) -> Any:
    """One of two results."""
    if isinstance(a, TensorType) and isinstance(b, TensorType):
        if a.shape == b.shape:
            shape = a.shape
        elif a.shape.known and b.shape.known and len(a.shape) == len(b.shape):
            shape = Shape(
                x if x == y else m.symbol(m.name_here(f"axis {i}", node), 0, None, Origin.UNMODELLED) for i, (x, y) in enumerate(zip(a.shape, b.shape))
            )
        else:
            shape = unknown_shape(m.name_here("shape", node))
        made = TensorType(shape, a.dtype, framework="tf", contents=a.contents if a.contents == b.contents else None)
        if m.path.program is not None:
            m.path.program.join(None, (a, b), made)
        return made
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)) and len(a) == len(b):
        each = [_either(m, x, y, node) for x, y in zip(a, b)]
        return a.like(each) if isinstance(a, Outputs) else type(a)(each)
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return a if isinstance(a, Unknown) else b
    return a


def _chosen(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    asked, a, b = args
    known = asked.contents[0] if isinstance(asked, TensorType) and asked.contents is not None and len(asked.contents) == 1 else asked
    if isinstance(known, bool):
        return a if known else b
    return _either(m, a, b, node)


def _alike(m: Machine, a: Value, b: Value, node: ast.AST) -> None:
    """Both sides must give the same structure and the same element types."""
    if isinstance(a, (tuple, list)) or isinstance(b, (tuple, list)):
        if isinstance(a, Unknown) or isinstance(b, Unknown):
            return
        if not (isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)) and len(a) == len(b)):
            raise m.raised("ValueError", "the two sides of tf.cond give different structures", node, "cond/structure")
        for x, y in zip(a, b):
            _alike(m, x, y, node)
    elif isinstance(a, TensorType) and isinstance(b, TensorType) and None not in (a.dtype, b.dtype) and a.dtype is not b.dtype:
        raise m.raised("TypeError", f"the two sides of tf.cond give {a.dtype} and {b.dtype}", node, "cond/dtype")


def _cond(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    asked = argument(args, kwargs, 0, "pred")
    then, other = argument(args, kwargs, 1, "true_fn", kwargs.get("fn1")), argument(args, kwargs, 2, "false_fn", kwargs.get("fn2"))
    if isinstance(asked, bool):
        raise m.raised("TypeError", "the condition of tf.cond must be a tensor, not a Python bool", node, "cond/type")
    if isinstance(asked, TensorType) and asked.shape.known:
        one = len(asked.shape) == 0
        m.require("cond/scalar", one, f"the condition must be one truth value, and has shape {asked.shape!r}", node)
    return _built(m, asked, then, lambda: m.call(other, (), {}, node), node)


def _built(m: Machine, asked: Value, then: Value, other: Any, node: ast.AST) -> Value:
    a, b = _tensor(m, m.call(then, (), {}, node), node), _tensor(m, other(), node)
    operations = [v for v in (a, b) if v is None or (isinstance(v, Model) and v.kind == OPERATION)]
    if operations:
        return operation(m, (asked, *[v for v in (a, b) if v is not None]), node)
    _alike(m, a, b, node)
    return _structure(m, tape.step(m, "tf.cond", _chosen, (asked, a, b), {}, node))


def _case(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given, default = argument(args, kwargs, 0, "pred_fn_pairs"), argument(args, kwargs, 1, "default")
    pairs = list(given.items.items()) if isinstance(given, Dict) else m.iterate(given, node)
    if not pairs:
        return m.gap("tf.case", node, "its branches are not known")
    split = [p if isinstance(p, tuple) else tuple(m.iterate(p, node) or ()) for p in pairs]
    if any(len(pair) != 2 for pair in split):
        return m.gap("tf.case", node, "its branches are not known")

    def from_(at: int) -> Value:
        asked, act = split[at]
        if at == len(split) - 1 and default is None:
            return m.call(act, (), {}, node)
        rest = (lambda: m.call(default, (), {}, node)) if at == len(split) - 1 else (lambda: from_(at + 1))
        return _built(m, asked, act, rest, node)

    return from_(0)


def _forgotten(value: TensorType, shape: Any, m: Machine, args: tuple[Any, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    t = args[0]
    sizes = t.shape if shape is None or not t.shape.known else Shape(a if b is None or isinstance(b, int) else b for a, b in zip(t.shape, shape))
    return TensorType(sizes, t.dtype, framework="tf")


def _variable(m: Machine, value: Value, invariant: Value, node: ast.AST) -> Value:
    """A loop's variable in any iteration."""
    if isinstance(value, TensorType):
        free = None
        if invariant is not None and value.shape.known:
            found = sizes_of(m, invariant, node)
            if found is not None:
                agree = len(found) == len(value.shape) and conj(*(eq(a, b) for a, b in zip(found, value.shape) if a is not None))
                message = f"the shape invariant {tuple(found)} does not fit the variable of the loop, which enters it with shape {value.shape!r}"
                m.demand("ValueError", agree, message, node, "while_loop/shape")
                free = [tape.open_axis(m, m.name_here(f"loop axis {i}", node), 0, None, Origin.UNMODELLED) if d is None else None for i, d in enumerate(found)]
        return tape.step(m, "a loop's variable", partial(_forgotten, value, free), (value,), {}, node)
    if isinstance(value, Outputs):
        return value.like(_variable(m, v, None, node) for v in value)
    if isinstance(value, (tuple, list)):
        return type(value)(_variable(m, v, None, node) for v in value)
    return value


def _free(m: Machine, value: Value, invariant: Value, node: ast.AST) -> tuple[Value, ...] | None:
    """The axes of a variable as its invariant has them, None for those that are free; None for a variable whose invariant is not known."""
    found = sizes_of(m, invariant, node) if invariant is not None and isinstance(value, TensorType) else None
    if found is None:
        return (None,) * len(value.shape) if isinstance(value, TensorType) and value.shape.known else None
    return tuple(found)


def _iterations(m: Machine, args: tuple[Any, ...], kwargs: Kwargs, node: ast.AST) -> Value:
    """(variables, what an iteration makes of them, the axes that are free to change or None) → what the loop gives."""
    old, new, free = args
    if isinstance(old, TensorType) and isinstance(new, TensorType):
        if old.shape.known and new.shape.known:
            kept = [True] * len(old.shape) if free is None else [size is not None for size in free]
            agree = len(old.shape) == len(new.shape) and conj(*(eq(a, b) for a, b, stays in zip(old.shape, new.shape, kept) if stays))
            message = f"a variable of the loop enters an iteration with shape {old.shape!r} and leaves it with {new.shape!r}: give shape_invariants"
            m.require("while_loop/shape", agree, message, node)
        if None not in (old.dtype, new.dtype) and old.dtype is not new.dtype:
            raise m.raised("TypeError", f"a variable of the loop changes its element type from {old.dtype} to {new.dtype}", node, "while_loop/type")
        return TensorType(old.shape, old.dtype, framework="tf")
    if isinstance(old, (tuple, list)) and isinstance(new, (tuple, list)):
        frees = free if isinstance(free, list) and len(free) == len(old) else [None] * len(old)
        made = [_iterations(m, (a, b, f), {}, node) for a, b, f in zip(old, new, frees)]
        return old.like(made) if isinstance(old, Outputs) else type(old)(made)
    return new if isinstance(new, Model) else old


def _while(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    ask, body = argument(args, kwargs, 0, "cond"), argument(args, kwargs, 1, "body")
    start, invariants = argument(args, kwargs, 2, "loop_vars"), argument(args, kwargs, 3, "shape_invariants")
    listed_ = m.iterate(start, node) if isinstance(start, (List, tuple)) else [start]
    if listed_ is None:
        return m.gap("tf.while_loop", node, "its variables are not known")
    shapes = m.iterate(invariants, node) if isinstance(invariants, (List, tuple)) else None
    given = [_tensor(m, v, node) for v in listed_]
    inside = [_variable(m, v, shapes[i] if shapes is not None and i < len(shapes) else None, node) for i, v in enumerate(given)]
    state, recorded = tuple(_structure(m, v) for v in inside), m.path.recorded
    asked = m.call(ask, state, {}, node)
    found = m.call(body, state, {}, node)
    out = [found] if isinstance(found, (TensorType, Model)) else None if isinstance(found, Unknown) else m.iterate(found, node)
    if out is None:
        return m.gap("tf.while_loop", node, "what its body gives is not known")
    if len(out) != len(given):
        raise m.raised("ValueError", f"the body of the loop gives {len(out)} values for {len(given)} variables", node, "while_loop/variables")
    after = [_tensor(m, v, node) for v in out]
    free = None if shapes is None else [_free(m, v, shapes[i] if i < len(shapes) else None, node) for i, v in enumerate(given)]
    made = tape.step(m, "tf.while_loop", lambda mm, a, k, n: _iterations(mm, (a[0], a[1], free), {}, n), (inside, after, asked), {}, node)
    values = [_structure(m, v) for v in (made.items if isinstance(made, List) else made)]
    if m.path.program is not None:
        m.path.program.turn(recorded, [tape.tensors_in(v) for v in (given, inside, after, values)], m.user_span(node))
    if len(values) == 1 and not isinstance(start, (List, tuple)):
        return values[0]
    return values[0] if len(values) == 1 else tuple(values) if isinstance(start, tuple) else listed(m, values)


def _rows(m: Machine, value: Value, node: ast.AST) -> Any:
    if isinstance(value, TensorType):
        made = m.item(value, 0, node)
        if m.path.program is not None and isinstance(made, TensorType):
            m.path.program.slices([value], [made])
        return made
    if isinstance(value, (tuple, list)):
        return type(value)(_rows(m, v, node) for v in value)
    return value


def _stacked(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """(what is mapped over, what one row gives) → the rows together."""
    elems, made = args
    counts = [t.shape[0] for t in tape.tensors_in(elems) if t.shape.known and len(t.shape)]
    for other in counts[1:]:
        m.require("map_fn/lengths", eq(counts[0], other), f"what is mapped over has {counts[0]!r} and {other!r} rows", node)

    def stack(value: Value) -> Value:
        if isinstance(value, TensorType):
            return TensorType(Shape((counts[0], *value.shape)) if value.shape.known and counts else unknown_shape("rows"), value.dtype, framework="tf")
        if isinstance(value, (tuple, list)):
            return type(value)(stack(v) for v in value)
        return value

    return stack(made)


def _map_fn(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    function, elems = argument(args, kwargs, 0, "fn"), _tensor(m, argument(args, kwargs, 1, "elems"), node)
    if isinstance(elems, Unknown):
        return m.gap("tf.map_fn", node, "over something that is not known")
    made = _tensor(m, m.call(function, (_structure(m, _rows(m, elems, node)),), {}, node), node)
    return _structure(m, _all_rows(m, "tf.map_fn", elems, made, node))


def _all_rows(m: Machine, name: str, elems: Value, made: Value, node: ast.AST) -> Value:
    whole = tape.step(m, name, _stacked, (elems, made), {}, node)
    if m.path.program is not None:
        m.path.program.stack(tape.tensors_in(made), tape.tensors_in(whole))
    return whole


def _folded(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> tuple[Value, Value]:
    function, elems, start = argument(args, kwargs, 0, "fn"), _tensor(m, argument(args, kwargs, 1, "elems"), node), argument(args, kwargs, 2, "initializer")
    row = _rows(m, elems, node)
    first = row if start is None else _tensor(m, start, node)
    before = _variable(m, first, None, node)
    recorded = m.path.recorded
    after = _tensor(m, m.call(function, (_structure(m, before), _structure(m, row)), {}, node), node)
    kept = tape.step(m, "a fold", lambda mm, a, k, n: _iterations(mm, (a[0], a[1], None), {}, n), (before, after), {}, node)
    if m.path.program is not None:
        m.path.program.turn(recorded, [tape.tensors_in(v) for v in (first, before, after, kept)], m.user_span(node))
    return elems, kept


def _scan(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    elems, kept = _folded(m, args, kwargs, node)
    return _structure(m, _all_rows(m, "tf.scan", elems, kept, node))


def _fold(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return _structure(m, _folded(m, args, kwargs, node)[1])


def _py_func(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A function of Python inside a graph: its results are arrays of which static inference knows nothing."""
    inputs, types = argument(args, kwargs, 1, "inp"), argument(args, kwargs, 2, "Tout")
    kinds: list[Any] | None = m.iterate(types, node) if isinstance(types, (List, tuple)) else [types]

    def run(mm: Machine, given: Args, named: Kwargs, at: Any) -> Any:
        return tuple(TensorType(unknown_shape(mm.name_here("py_func", at)), t, framework="tf") for t in kinds or ())

    made = tape.step(m, "tf.py_func", run, (inputs,), {}, node)
    return listed(m, made) if isinstance(types, (List, tuple)) else made[0]


_TABLE = {"tf.cond": _cond, "tf.case": _case, "tf.while_loop": _while, "tf.map_fn": _map_fn, "tf.scan": _scan, "tf.foldl": _fold, "tf.foldr": _fold}
FUNCTIONS: dict[str, object] = {
    **{name: partial(_graph_only, name, run) for name, run in _TABLE.items()}, **{name.replace("tf.", "tf.compat.v1."): run for name, run in _TABLE.items()},
    "tf.py_func": _py_func,
}  # fmt: skip
