"""When a tf.function is traced again: once for each kind of arguments. A call of a kind that was traced before runs the graph alone.

Then what Python did while it was traced is not done again: items that were appended, attributes and counters. A function that makes variables is
traced twice at its first call, and may not make any in the second.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tensorproof.terms import TensorType, Term, Truth, conj, disj, eq, symbols
from tensorproof.values import Args, Bound, Class, Dict, Function, Instance, Kwargs, Layer, List, Machine, Model, Named, Set, Unknown, Value

TRACES = "traces"
_MAKES = "tf.makes variables"
"""Where the machine keeps what the function that is traced may do: make variables, and whether it did."""
_UNKNOWN, _ANY = object(), object()


def key_of(value: Value, is_open: Callable[[object], bool]) -> object:
    """What TensorFlow compares of an argument: shape and element type of a tensor, numbers and texts themselves, which object it is."""
    match value:
        case TensorType():
            if not value.shape.known or value.dtype is None:
                return _UNKNOWN
            kind = "variable" if value.parameter and value.framework == "tf" else "tensor"
            return (kind, value.dtype.label, *(_ANY if is_open(d) else d for d in value.shape))
        case Unknown() | Term():
            return _UNKNOWN
        case None | bool() | int() | float() | str() | bytes():
            return ("value", value)
        case List() | Set():
            return ("list", *(key_of(v, is_open) for v in value.items))
        case tuple():
            return ("tuple", *(key_of(v, is_open) for v in value))
        case Dict():
            return ("dict", *(("item", k, key_of(v, is_open)) for k, v in value.items.items()))
        case Bound():
            return ("object", id(value.function), id(value.self))
        case Instance() | Layer() | Class() | Function() | Named():
            return ("object", id(value))
        case Model() if value.kind != "tf.data.Dataset":
            return ("object", id(value))
        case _:
            return _UNKNOWN


def same(a: Any, b: Any) -> Truth | None:
    """Whether two kinds are one; None where that is not known."""
    if a is _ANY or b is _ANY:
        return True
    if a is _UNKNOWN or b is _UNKNOWN:
        return None
    if type(a) is tuple and type(b) is tuple:
        if len(a) != len(b):
            return False
        found = [same(x, y) for x, y in zip(a, b)]
        return False if False in found else None if None in found else conj(*(f for f in found if f is not None))
    if isinstance(a, Term) or isinstance(b, Term):
        return eq(a, b) if isinstance(a, (int, Term)) and isinstance(b, (int, Term)) else False
    return bool(a == b)


def kind_of(function: Value, args: Args, kwargs: Kwargs, open_sizes: frozenset[object] = frozenset()) -> object:
    """The arguments of a call by the names of the parameters, defaults included. An open size stands for all."""

    def is_open(size: object) -> bool:
        return isinstance(size, Term) and bool(open_sizes.intersection(symbols(size)))

    if isinstance(function, Bound):
        args, function = (function.self, *args), function.function
    if not isinstance(function, Function):
        return ("tuple", *(key_of(v, is_open) for v in args), *((k, key_of(v, is_open)) for k, v in sorted(kwargs.items())))
    spec = function.code.node.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    given = dict(zip(names[len(names) - len(function.defaults) :], function.defaults)) if function.defaults else {}
    given |= function.keyword_defaults | dict(zip(names, args)) | kwargs
    return ("tuple", *((k, key_of(v, is_open)) for k, v in sorted(given.items())), *(key_of(v, is_open) for v in args[len(names) :]))


class Traces:
    """The traces of one function, or of a method for one object."""

    def __init__(self, m: Machine, me: Model, receiver: Value) -> None:
        self.m, self.me, self.receiver = m, me, id(receiver) if isinstance(receiver, (Instance, Layer, Model)) else 0
        held: Any = me.space.get(TRACES) or ()
        self.held = held
        self.known = [kind for owner, kind in held if owner == self.receiver]

    def call(self, kind: object, run: Callable[[], Value], roots: tuple[Value, ...], node: ast.AST) -> Value:
        """A call with arguments of this kind."""
        found = [same(kind, one) for one in self.known]
        if True in found:
            return self.repeated(run, roots)
        if not self.known or all(f is False for f in found):
            self.m.heap.set(self.me.space, TRACES, (*self.held, (self.receiver, kind)))
            return self.traced(run, not self.known)
        unsure: Truth = disj(*(f for f in found if f is not None)) if None not in found else True
        return self.perhaps(run, roots, node) if unsure is not False else self.traced(run, False)

    def traced(self, run: Callable[[], Value], first: bool) -> Value:
        state = self.m.model_state
        before, state[_MAKES] = state.get(_MAKES), "may" if first else "may not"
        try:
            made = run()
            if state[_MAKES] == "made":
                state[_MAKES] = "may not"
                made = run()
            return made
        finally:
            state[_MAKES] = before

    def repeated(self, run: Callable[[], Value], roots: tuple[Value, ...]) -> Value:
        """The graph alone: what the program's own objects held before, they hold after it."""
        heap = self.m.heap
        mark = heap.mark()
        try:
            made = run()
            written, before = heap.difference(mark), heap.before(mark)
        finally:
            heap.forget(mark)
        if written.values:
            own = memory_of(roots)
            for (number, key), old in before.items():
                if number in own and (number, key) in written.values:
                    heap.write(written.owners[number], key, old)
        return made

    def perhaps(self, run: Callable[[], Value], roots: tuple[Value, ...], node: ast.AST) -> Value:
        """A call of which it is not known whether it is traced: harmless where Python does nothing else."""
        heap = self.m.heap
        mark = heap.mark()
        try:
            made = run()
            written = heap.difference(mark)
        finally:
            heap.forget(mark)
        if written.values and memory_of(roots) & {number for number, _ in written.values}:
            self.m.gap("tf.function", node, "whether this call is traced again is not known, and tracing changes objects of the program")
        return made


def memory_of(roots: tuple[Value, ...]) -> set[int]:
    """The memory that a program reaches by names, attributes and items; what library objects keep is not its own."""
    found: set[int] = set()
    waiting: list[Any] = list(roots)
    while waiting:
        value = waiting.pop()
        match value:
            case Function():
                owners = [*value.scopes, value.module.space]
            case Bound():
                waiting.extend((value.function, value.self))
                continue
            case Instance() | Class():
                owners = [value.space]
            case List() | Set() | Dict():
                owners = [value.items]
            case tuple():
                waiting.extend(value)
                continue
            case _:
                continue
        for one in owners:
            if id(one) not in found:
                found.add(id(one))
                waiting.extend(one.values() if isinstance(one, dict) else one)
    return found


def makes_variable(m: Machine, node: ast.AST) -> None:
    """A variable is made while a function is traced."""
    allowed = m.model_state.get(_MAKES)
    if allowed == "may not":
        message = "tf.function makes variables at its first call only: make this one once, outside or behind a test whether it is there"
        raise m.raised("ValueError", message, node, "function/variable")
    if allowed == "may":
        m.model_state[_MAKES] = "made"
