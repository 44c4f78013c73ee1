"""copy: shallow and deep copies of the program's objects and of layers, whose parameters become new ones; weak references."""

from __future__ import annotations

import ast
import copy
from typing import Any

from tensorproof.libraries import argument
from tensorproof.libraries.domains import autograd
from tensorproof.terms.tensor import TensorType
from tensorproof.values import MISSING, TEXT, Args, Entries, Kwargs, Layer, Machine, Native, Row, Space, Value
from tensorproof.values.objects import Bound, Choice, Dict, Generator, Instance, Iterator, List, Model, Set


def _copy(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    value = args[0]
    match value:
        case List():
            return List(m.heap.row(value.items), value.deque, value.most)
        case Set():
            return Set(m.heap.row(value.items), value.frozen)
        case Dict():
            return Dict(m.heap.entries(dict(value.items)), value.default)
        case Instance():
            own = m.in_class(value.cls, "__copy__")
            if own is not MISSING:
                return m.call(Bound(own, value), (), {}, node)
            return Instance(value.cls, m.heap.space(dict(value.space)), value.span, _copy(m, (value.native,), {}, node))
        case Layer():
            return Layer(value.module, value.span, value.children, value.kind, value.names, dict(value.tensors), value.hooks)
        case Model():
            return Model(value.kind, _space(m, value.space, lambda v: v), value.span)
        case TensorType():
            return value.but()
        case Iterator():
            return Iterator(value.items, m.heap.space(dict(value.state)))
        case Generator():
            raise m.raised("TypeError", "a generator cannot be copied", node)
        case _:
            return value


def _space(m: Machine, space: Space, each: Any) -> Space:
    made = m.heap.entries() if isinstance(space, Entries) else m.heap.space()
    for key, value in space.items():
        made[key] = each(value)
    return made


def deep(m: Machine, value: Value, done: dict[int, Value], node: ast.AST) -> Value:
    """A copy that shares nothing that can change with the value; what occurs twice in it occurs twice in the copy.
    `done`: the copies by identity, and 0 where the value is pickled."""
    known = done.get(id(value), MISSING)
    if known is not MISSING:
        return known
    made: Value = value
    match value:
        case List():
            made = done[id(value)] = List(m.heap.row(), value.deque, value.most)
            made.items.extend(deep(m, v, done, node) for v in value.items)
        case Set():
            made = Set(m.heap.row([deep(m, v, done, node) for v in value.items]), value.frozen)
        case Dict():
            made = done[id(value)] = Dict(m.heap.entries(), value.default)
            for k, v in value.items.items():
                made.items[k] = deep(m, v, done, node)
        case Instance():
            own = m.in_class(value.cls, "__deepcopy__")
            if own is not MISSING:
                made = m.call(Bound(own, value), (Dict(m.heap.entries()),), {}, node)
            elif value.space.get("_name_", MISSING) is MISSING:  # the members of an enumeration are never copied
                made = done[id(value)] = Instance(value.cls, m.heap.space(), value.span)
                made.native = deep(m, value.native, done, node)
                for k, v in value.space.items():
                    made.space[k] = deep(m, v, done, node)
        case Layer():
            made = done[id(value)] = _layer(m, value, done, node)
        case Model():
            made = done[id(value)] = Model(value.kind, m.heap.space(), value.span)
            made.space = _space(m, value.space, lambda v: deep(m, v, done, node))
        case Row():
            made = m.heap.row([deep(m, v, done, node) for v in value])
        case Space():
            made = _space(m, value, lambda v: deep(m, v, done, node))
        case TensorType():
            made = autograd.copied(m, value, node, 0 in done) if value.framework == "torch" else value.but()
        case Bound():
            made = Bound(value.function, deep(m, value.self, done, node))
        case Choice():
            made = Choice(value.condition, deep(m, value.then, done, node), deep(m, value.other, done, node), value.depth)
        case Iterator():
            made = Iterator([deep(m, v, done, node) for v in value.items], m.heap.space(dict(value.state)))
        case Generator():
            raise m.raised("TypeError", "a generator cannot be copied", node)
        case tuple() if type(value) is tuple:
            parts = tuple(deep(m, v, done, node) for v in value)
            made = value if all(a is b for a, b in zip(parts, value)) else parts
        case _:
            pass
    done[id(value)] = made
    return made


def _layer(m: Machine, value: Layer, done: dict[int, Value], node: ast.AST) -> Layer:
    module = value.module
    if module is not None:
        kept, module = module, copy.copy(module)
        for name in ("parameters", "buffers"):
            setattr(module, name, {k: deep(m, t, done, node) for k, t in getattr(kept, name).items()})
        module.arguments = dict(kept.arguments)
    children = tuple(deep(m, child, done, node) for child in value.children)
    tensors = {k: deep(m, t, done, node) for k, t in value.tensors.items()}
    made = done[id(value)] = Layer(module, value.span, children, value.kind, value.names, tensors)
    made.hooks = tuple(deep(m, hook, done, node) for hook in value.hooks)  # a hook that is a method is one of the copy
    return made


FUNCTIONS: dict[str, object] = {"copy.copy": _copy, "copy.deepcopy": lambda m, a, k, n: deep(m, a[0], {}, n)}


def _reference(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Native:
    """The object is taken to live as long as the reference."""
    return Native("weakref.ref", lambda machine, given, named, at: args[0])


def _dict(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return m.call(dict, args, kwargs, node)


def _file(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    mode = argument(args, kwargs, 0, "mode", "w+b")
    return Model("file", m.heap.space({"path": None, "mode": mode if isinstance(mode, str) else "?", "at": 0, "name": TEXT}))


FUNCTIONS |= {
    "weakref.ref": _reference, "weakref.WeakMethod": _reference, "weakref.WeakValueDictionary": _dict, "weakref.WeakKeyDictionary": _dict,
    "weakref.WeakSet": lambda m, a, k, n: Set(m.heap.row(m.iterate(a[0], n) or ()))
    if a else Set(m.heap.row()),
    **{f"tempfile.{word}": _file for word in ("NamedTemporaryFile", "TemporaryFile", "SpooledTemporaryFile")},
}  # fmt: skip
