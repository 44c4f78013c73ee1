"""Iterators of tf.data in graphs, whose `get_next` gives leaves that every run fills with a batch, and the specs of elements (tf.TensorSpec).

A run is checked with each kind of element that may come: a regular one, and the last one where it differs.
"""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries import KindModel, Run, argument, mapped, tensors_in
from tensorproof.libraries.tensorflow import tape
from tensorproof.libraries.tensorflow.data.elements import SPEC, element_of, spec_of, tensor_of_spec
from tensorproof.libraries.tensorflow.data.pipeline import DATASET, ENDLESS
from tensorproof.libraries.tensorflow.shapes import compatible, sizes_of
from tensorproof.libraries.tensorflow.version1.graph import LEAVES, begin, operation
from tensorproof.terms import BY_LABEL, Shape, TensorType
from tensorproof.values import MISSING, Args, Dict, Key, Kwargs, List, Machine, Model, Row, TensorShape, Unknown, Value, slot

SOURCES: Key[Row] = slot("sources")
PATTERN: Key[Model] = slot("pattern")
ITERATOR = "tf.data.Iterator"


def make(m: Machine, source: Value, node: ast.AST) -> Value:
    begin(m)
    if not isinstance(source, Model) or source.kind != DATASET:
        return m.gap("an iterator", node, "over something that is not known")
    sources = m.heap.row([source])
    return Model(ITERATOR, m.heap.space({"sources": sources, "pattern": source, "taken": 0}))


def _one_shot(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return make(m, argument(args, kwargs, 0, "dataset"), node)


def _from_structure(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    begin(m)
    types, shapes = argument(args, kwargs, 0, "output_types"), argument(args, kwargs, 1, "output_shapes")
    element = tensor_of_spec(m, spec_of_types(m, types, shapes, node), node)
    pattern = Model(DATASET, m.heap.space({"element": element, "count": 1, "last": None, "opened": True, "counted": False}))
    return Model(ITERATOR, m.heap.space({"sources": m.heap.row(), "pattern": pattern, "taken": 0}))


def _make_initializer(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    source = argument(args, kwargs, 0, "dataset")
    if isinstance(source, Model) and source.kind == DATASET:
        held = me.space[SOURCES]
        m.heap.touch(held)
        held.append(source)
    return _initializer(m, me, node)


def _initializer(m: Machine, me: Model, node: ast.AST) -> Value:
    made = operation(m, (), node)
    m.heap.set(made.space, "restarts", me)
    return made


def _get_next(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    pattern = me.space[PATTERN]
    element = pattern.space["element"]
    if isinstance(element, Unknown):
        return element
    differs = pattern.space["opened"] or pattern.space["last"] is not None
    number = iter(range(10_000))
    opened = tape.open_axis(m, m.name_here("batch", node)) if differs else None

    def leaf(t: TensorType) -> TensorType:
        at = next(number)
        shape = Shape((opened, *t.shape[1:])) if opened is not None and t.shape.known and len(t.shape) else t.shape
        made = tape.leaf(m, t.but(shape=shape, contents=None, framework="tf", taped=0))
        m.model_state.setdefault(LEAVES, {})[id(made)] = (made, "data", (me, at), m.user_span(node))
        return made

    return mapped(m, element, leaf)


def variants(m: Machine, leaves: list[TensorType]) -> list[tuple[Any, dict[int, TensorType]]]:
    """(condition, replacements) for each kind of element that these leaves may get."""
    held = m.model_state.get(LEAVES, {})
    mine = [(t, *held[id(t)][2]) for t in leaves if id(t) in held and held[id(t)][1] == "data"]
    found: list[tuple[Value, dict[int, TensorType]]] = []
    for iterator in {id(me): me for _, me, _ in mine}.values():
        for source in list(iterator.space["sources"]) or [iterator.space["pattern"]]:
            last = source.space["last"]
            for condition, element in ((True, source.space["element"]), *([last] if last is not None else [])):
                parts = tensors_in(element)
                found.append((condition, {id(t): parts[at].but(taped=0) for t, me, at in mine if me is iterator and at < len(parts)}))
    return found


def ends(m: Machine, leaves: list[TensorType], node: ast.AST) -> bool:
    """A run takes an element of each iterator; where the program waits for the end, the second time finds none, or the last where that is
    certain to differ. Whether this run gives the last."""
    held = m.model_state.get(LEAVES, {})
    closing = False
    for iterator in {id(held[id(t)][2][0]): held[id(t)][2][0] for t in leaves if id(t) in held and held[id(t)][1] == "data"}.values():
        sources, taken = iterator.space["sources"], iterator.space["taken"]
        endless = any(s.space["count"] is ENDLESS for s in sources)
        lasts = bool(sources) and sources[-1].space["last"] is not None and sources[-1].space["last"][0] is True
        lasts = lasts and iterator.space.get("run") in (None, node)  # one run in an iteration of the program's loop, so that the last follows on a regular one
        if m.handlers and not endless and taken >= 1 + lasts:
            raise m.raised("OutOfRangeError", "the dataset has no further element", node, "data/end")
        closing = closing or (bool(m.handlers) and not endless and lasts and taken == 1)
        m.heap.set(iterator.space, "taken", taken + 1)
        m.heap.set(iterator.space, "run", node)
    return closing


def restart(m: Machine, me: Model) -> None:
    m.heap.set(me.space, "taken", 0)
    m.heap.set(me.space, "run", None)


def _attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    from tensorproof.values.heap import MISSING

    return _initializer(m, me, node) if name == "initializer" else MISSING


FUNCTIONS: dict[str, Run] = {
    **dict.fromkeys(("tf.data.make_one_shot_iterator", "tf.data.make_initializable_iterator"), _one_shot), "tf.data.Iterator.from_structure": _from_structure,
    **dict.fromkeys(("tf.compat.v1.data.make_one_shot_iterator", "tf.compat.v1.data.make_initializable_iterator"), _one_shot),
    "tf.compat.v1.data.Iterator.from_structure": _from_structure, "tf.data.Iterator.from_string_handle": lambda m, a, k, n: m.gap("from_string_handle", n),
}  # fmt: skip
KINDS: dict[str, KindModel] = {ITERATOR: KindModel(methods={"get_next": _get_next, "make_initializer": _make_initializer}, attribute=_attribute, open=True)}


def tensor_spec(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    shape = argument(args, kwargs, 0, "shape")
    sizes = None if shape is None or isinstance(shape, Unknown) else sizes_of(m, shape, node)
    dtype = argument(args, kwargs, 1, "dtype", BY_LABEL["float32"])
    wrong: list[Value] = [
        one for one in (shape.items if isinstance(shape, List) else shape if isinstance(shape, tuple) else ()) if isinstance(one, (float, str))
    ]
    if wrong or (isinstance(dtype, str) and dtype not in BY_LABEL):
        raise m.raised("TypeError", f"{(wrong or [dtype])[0]!r} is not {'a size' if wrong else 'an element type'}", node, "call/arguments")
    return Model(SPEC, m.heap.space({"shape": sizes, "dtype": dtype, "name": argument(args, kwargs, 2, "name")}))


def spec_attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    if name == "shape":
        return Unknown("a shape of unknown rank") if me.space["shape"] is None else me.space["shape"]
    return MISSING


def spec_from_tensor(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return spec_of(m, element_of(m, args[0], node))


def spec_binary(m: Machine, word: str, a: Value, b: Value, node: ast.AST) -> Value:
    return Unknown(word)


def spec_of_types(m: Machine, types: Value, shapes: Value, node: ast.AST) -> Value:
    if isinstance(types, (tuple, List)):
        parts = types.items if isinstance(types, List) else types
        inner = shapes.items if isinstance(shapes, List) else shapes if isinstance(shapes, tuple) else [None] * len(parts)
        return tuple(spec_of_types(m, t, s, node) for t, s in zip(parts, inner))
    if isinstance(types, Dict):
        known = shapes.items if isinstance(shapes, Dict) else {}
        return Dict(m.heap.entries({k: spec_of_types(m, t, known.get(k), node) for k, t in types.items.items()}))
    return Model(SPEC, m.heap.space({"shape": None if shapes is None else sizes_of(m, shapes, node), "dtype": types, "name": None}))


def check_fits(m: Machine, sample: Value, spec: Value, node: ast.AST) -> None:
    """What the generator yields must have the shape that was declared."""
    match spec:
        case Model(kind="tf.TensorSpec"):
            shape = spec.space["shape"]
            if isinstance(sample, TensorType) and isinstance(shape, TensorShape) and sample.shape.known:
                message = f"the generator yields shape {sample.shape!r}, declared is {tuple(shape)}"
                m.demand("TypeError", compatible(TensorShape(sample.shape), shape), message, node, "data/generator")
        case tuple() | List():
            parts = list(spec.items if isinstance(spec, List) else spec)
            if isinstance(sample, tuple):
                if len(sample) != len(parts):
                    raise m.raised("TypeError", f"the generator yields {len(sample)} values, {len(parts)} are declared", node, "data/generator")
                for one, inner in zip(sample, parts):
                    check_fits(m, one, inner, node)
        case Dict() if isinstance(sample, Dict):
            for k, inner in spec.items.items():
                if k in sample.items:
                    check_fits(m, sample.items[k], inner, node)
        case _:
            pass
