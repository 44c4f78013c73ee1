"""When a tf.function is traced again: once for each kind of arguments. A call of a kind that was traced before runs the graph alone.

Then what Python did while it was traced is not done again: items that were appended, attributes and counters; and names and attributes that the program has
bound anew since then count as they were when it was traced. A function that makes variables is
traced twice at its first call, and may not make any in the second.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tensorproof.terms import TensorType, Term, Truth, conj, disj, eq, symbols
from tensorproof.values import MISSING, Args, Bound, Class, Dict, Function, Instance, Kwargs, Layer, List, Machine, Model, Named, Set, Unknown, Value

TRACES = "traces"
_MAKES = "tf.makes variables"
"""Where the machine keeps what the function that is traced may do: make variables, and whether it did."""
_BOUND = "bound when traced"
_PLAIN = (bool, int, float, str)
_REBOUND = (type(None), Function, Instance, Layer, Class)
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
        bound: Any = me.space.get(_BOUND) or {}
        self.bound: dict[Any, list[Any]] = bound

    def call(self, kind: object, run: Callable[[], Value], roots: tuple[Value, ...], node: ast.AST) -> Value:
        """A call with arguments of this kind."""
        found = [same(kind, one) for one in self.known]
        if True in found:
            return self.repeated(run, roots, self.bound.get((self.receiver, found.index(True)), []))
        if not self.known or all(f is False for f in found):
            self.m.heap.set(self.me.space, TRACES, (*self.held, (self.receiver, kind)))
            self.m.heap.set(self.me.space, _BOUND, {**self.bound, (self.receiver, len(self.known)): _bindings(roots)})
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

    def repeated(self, run: Callable[[], Value], roots: tuple[Value, ...], bound: list[Any]) -> Value:
        """The graph alone: what the program's own objects held before, they hold after it. `bound`: what names and attributes held when it was traced."""
        heap = self.m.heap
        anew = [(owner, key, kept.get(key, MISSING), new) for owner, kept in bound for key, new in owner.items() if _is_other(kept.get(key, MISSING), new)]
        mark = heap.mark()
        try:
            for owner, key, old, _ in anew:
                heap.delete(owner, key) if old is MISSING else heap.set(owner, key, old)
            made = run()
            for owner, key, _, new in anew:
                heap.set(owner, key, new)
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
        if written.values and memory_of(roots).keys() & {number for number, _ in written.values}:
            self.m.gap("tf.function", node, "whether this call is traced again is not known, and tracing changes objects of the program")
        return made


def _bindings(roots: tuple[Value, ...]) -> list[tuple[Any, dict[Any, Any]]]:
    """The names and attributes that a program reaches, and what they hold."""
    return [(one, dict(one)) for one in memory_of(roots).values() if isinstance(one, dict)]


def _is_other(old: Any, new: Any) -> bool:
    """Whether a name was bound anew: not what was written into a variable that it holds."""
    if isinstance(old, TensorType):
        return isinstance(new, TensorType) and new is not old and not old.parameter and not new.parameter
    if not isinstance(old, _PLAIN):
        return (old is MISSING and isinstance(new, _PLAIN)) or (isinstance(old, _REBOUND) and new is not old)
    return new is not old and not (type(new) is type(old) and bool(new == old))


def memory_of(roots: tuple[Value, ...]) -> dict[int, Any]:
    """The memory that a program reaches by names, attributes and items; what library objects keep is not its own."""
    found: dict[int, Any] = {}
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
                found[id(one)] = one
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
