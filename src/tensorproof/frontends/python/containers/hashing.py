"""Which values can be keys of dicts and items of sets, and which objects are indices."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.branching import deciding
from tensorproof.frontends.python.containers.equality import surely_same
from tensorproof.terms.ints import Term
from tensorproof.terms.predicates import Predicate
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Bound, Choice, Class, Dict, Function, Instance, Keyed, List, Set
from tensorproof.values.python_values import Named, Unknown
from tensorproof.values.summaries import is_summarised

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def refuse_unhashable(m: Interpreter, value: Value, node: ast.AST) -> None:
    """Fails where a value surely has no hash: lists, arrays, eager tensors of TensorFlow, objects that define `__eq__` alone."""
    what = ""
    if isinstance(value, (List, Dict)) or (isinstance(value, Set) and not value.frozen):
        what = f"a {type(value).__name__.lower()}"
    elif isinstance(value, Instance) and not _has_hash(value):
        what = f"a {value.cls.name}, which defines __eq__ and no __hash__,"
    elif isinstance(value, TensorType) and value.framework == "numpy" and value.shape.known and value.shape:
        what = "an array of NumPy"
    elif isinstance(value, TensorType) and value.framework == "tf" and not value.taped and _eager(m):
        what = "a tensor of TensorFlow (use its ref())"
    elif isinstance(value, tuple):
        for one in value:
            refuse_unhashable(m, one, node)
    if what:
        raise m.raised("TypeError", f"{what} cannot be the key of a dict or an item of a set", node)


_OLD_WORDS = ("v1", "placeholder", "Session", "get_variable", "variable_scope")


def _eager(m: Interpreter) -> bool:
    """Whether the program surely runs no graph of TensorFlow 1, whose tensors have a hash."""
    from tensorproof.libraries.tensorflow.shapes import GRAPH  # which no program of torch needs

    return not m.model_state.get(GRAPH, 0) and "tape" not in m.model_state and not any(word in m.modules.main_source.text for word in _OLD_WORDS)


def _has_hash(value: Instance) -> bool:
    for one in value.cls.mro:
        if not isinstance(one, Class):
            return True
        if "__hash__" in one.space:
            return one.space["__hash__"] is not None
        if "__eq__" in one.space:
            return not isinstance(one.space["__eq__"], Function) and _enumerates(value.cls)
    return True


def _enumerates(cls: Class) -> bool:
    """Whether a class is an enumeration, whose members have a hash."""
    return any(isinstance(one, Named) and one.name.startswith("enum.") for one in cls.mro)


def whole(m: Interpreter, value: Instance, node: ast.AST) -> Value:
    """An object as the whole number that its `__index__` gives; itself where it has none."""
    found = m.in_class(value.cls, "__index__")
    return m.call(Bound(found, value), (), {}, node) if isinstance(found, Function) else value


def own_equality(m: Interpreter, value: Value) -> bool:
    """Whether an object is equal to others by its class's own `__eq__`."""
    return isinstance(value, Instance) and m.in_class(value.cls, "__eq__") is not MISSING


def equal_key(m: Interpreter, items: Any, value: Instance, node: ast.AST) -> Value:
    """The key of a dict that equals an object by its class's own `__eq__`; MISSING where there is none."""
    if own_equality(m, value):
        for one in items:
            if isinstance(one, Instance) and one.cls is value.cls and surely_same(m, one, value, node):
                return one
    return MISSING


def key(m: Interpreter, value: Value, node: ast.AST) -> Value:
    """A value as the key of a dict; `Unknown` when it is not concrete."""
    if isinstance(value, (Term, Choice, Predicate)):
        value = deciding.concrete(m, value)
        if value is MISSING:
            return Unknown("a key that is not known")
    if isinstance(value, TensorType) and value.framework == "numpy" and value.shape.known and not value.shape:  # a number of NumPy
        return key(m, value.contents[0], node) if value.contents is not None else Unknown("a key that is not known")
    if isinstance(value, Unknown):
        return Unknown("a key that is not known")
    if isinstance(value, Set) and value.frozen:
        parts = tuple([key(m, v, node) for v in value.items])
        unclear = is_summarised(value.items) or any(isinstance(p, Unknown) for p in parts)
        return Unknown("a key that is not known") if unclear else Keyed(value, frozenset(parts))
    if isinstance(value, TensorType) and value.framework == "torch":
        return Keyed(value, id(m.memory.object_of(value)))
    if isinstance(value, (List, Dict, Set, Instance, TensorType)):
        refuse_unhashable(m, value, node)
    if isinstance(value, slice):
        raise m.raised("TypeError", "a dict cannot be sliced", node)
    if isinstance(value, tuple):
        parts = tuple(key(m, v, node) for v in value)
        return Unknown("a key that is not known") if any(isinstance(p, Unknown) for p in parts) else parts
    return value
