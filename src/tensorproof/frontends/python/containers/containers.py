"""Lists, dicts, sets and tuples: their methods and operators. Every write goes through the heap."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from tensorproof.frontends.python.branching.deciding import concrete
from tensorproof.frontends.python.containers.dict_methods import COUNTER, DICT
from tensorproof.frontends.python.containers.list_methods import DEQUE, LIST
from tensorproof.frontends.python.containers.set_algebra import WORDS, combined, is_view, members
from tensorproof.frontends.python.containers.set_methods import SET
from tensorproof.frontends.python.containers.type_names import type_name
from tensorproof.frontends.python.summaries.long_lists import MOST_COUNTED, repeated, shortened
from tensorproof.frontends.python.summaries.summarised_lists import parts
from tensorproof.terms.ints import Term, ite, maximum
from tensorproof.terms.predicates import Predicate
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Dict, List, Set
from tensorproof.values.python_values import Method, Unknown
from tensorproof.values.summaries import length, shown, summarise

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


SPECIAL: dict[str, Callable[..., Value]] = {
    "__len__": lambda m, owner, node: m.call(len, (owner,), {}, node),
    "__iter__": lambda m, owner, node: m.call(iter, (owner,), {}, node),
    "__getitem__": lambda m, owner, node, index: m.item(owner, index, node),
    "__setitem__": lambda m, owner, node, index, value: m.set_item(owner, index, value, node),
    "__delitem__": lambda m, owner, node, index: m.delete_item(owner, index, node),
    "__contains__": lambda m, owner, node, item: m.compare(ast.In, item, owner, node),
}
"""Methods that Python's own syntax calls, called by their names."""


def attribute(m: Interpreter, owner: Value, name: str, node: ast.AST) -> Value:
    if name in _table(owner):
        return Method(owner, name)
    word = type(owner).__name__.lower()
    if isinstance(owner, List) and owner.view:
        if name in ("__iter__", "mapping", "__contains__"):
            return Unknown(name)
        word = f"dict_{owner.view}"
    if isinstance(owner, List) and owner.deque and name == "maxlen":
        return owner.most
    if isinstance(owner, Dict) and name == "default_factory":
        return owner.default
    if name == "__class__":
        return {"list": list, "dict": dict, "set": set}.get(word, Unknown(name))
    if name in SPECIAL:
        return Method(owner, name)
    raise m.raised("AttributeError", f"a {word} has no attribute {name}", node)


def method(m: Interpreter, owner: Value, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    if name in SPECIAL:
        return SPECIAL[name](m, owner, node, *args)
    function = _table(owner).get(name)
    if function is None:
        return m.gap(f"{type(owner).__name__}.{name}", node)
    if isinstance(owner, Set) and owner.frozen and name in ("add", "remove", "discard", "pop", "clear", "update"):
        raise m.raised("AttributeError", f"a frozenset has no attribute {name}", node)
    try:
        return function(m, owner, node, *args, **kwargs)
    except TypeError as error:
        if "positional argument" in str(error) or "keyword argument" in str(error):
            raise m.raised("TypeError", f"{type(owner).__name__.lower()}.{name} does not take these arguments", node, "call/arguments") from None
        raise


_VIEW = {name: SET[name] for name in ("isdisjoint",)}


def _table(owner: Value) -> dict[str, Callable[..., Value]]:
    if isinstance(owner, List) and owner.view:
        return _VIEW
    if isinstance(owner, List):
        return DEQUE if owner.deque else LIST
    if isinstance(owner, Dict):
        return COUNTER if owner.counter else DICT
    return SET


def binary(m: Interpreter, word: str, a: Value, b: Value, node: ast.AST, in_place: bool) -> Value:
    if isinstance(a, List) and not a.view:
        found = _of_list(m, word, a, b, node, in_place)
        if found is not MISSING:
            return found
    if isinstance(b, List) and word == "mul" and isinstance(a, (int, Term, Predicate)):
        return binary(m, word, b, a, node, False)
    if isinstance(a, Dict) and isinstance(b, Dict) and a.counter and b.counter and word in ("add", "sub", "and", "or"):
        return _counters(m, word, a, b, node)
    if isinstance(a, Dict) and isinstance(b, Dict) and word == "or":
        return _merged(m, a, b, in_place)
    if word in WORDS and any(map(_is_set, (a, b))) and all(isinstance(x, Set) or is_view(a) or is_view(b) for x in (a, b)):
        return _sets(m, word, a, b, node, in_place)
    raise m.raised("TypeError", f"the operator {word} is not defined for {type_name(a)} and {type_name(b)}", node)


def _is_set(value: Value) -> bool:
    return isinstance(value, Set) or is_view(value)


def _of_list(m: Interpreter, word: str, a: List, b: Value, node: ast.AST, in_place: bool) -> Value:
    """A list and what is added to it, or how often it is repeated; MISSING for any other operator."""
    if in_place and word == "add":
        return _extended(m, a, b, node)
    if word == "add" and isinstance(b, List) and not b.view:
        return List(m.heap.row(shortened([*a.items, *b.items])))
    if word == "mul" and isinstance(b, (Term, Predicate)):
        times = concrete(m, b)
        return _many_times(m, a, b, in_place) if times is MISSING else binary(m, word, a, int(times), node, in_place)
    if word != "mul" or not isinstance(b, int):
        return MISSING
    if in_place:
        m.heap.touch(a.items)
        a.items[:] = repeated(a.items, b)
        return a
    return List(m.heap.row(repeated(a.items, b)))


def _many_times(m: Interpreter, a: List, times: Term | Predicate, in_place: bool) -> Value:
    """A list that is repeated a number of times that is unknown."""
    size, made = length(a.items), List(m.heap.row())
    if isinstance(size, Unknown):
        return Unknown("a list of symbolic length")
    if a.items:
        made.items.append(summarise(size * maximum(ite(times, 1, 0) if isinstance(times, Predicate) else times, 0), shown(a.items)))
    if not in_place:
        return made
    m.heap.touch(a.items)
    a.items[:] = made.items
    return a


def _extended(m: Interpreter, a: List, b: Value, node: ast.AST) -> Value:
    """`a += b`."""
    found = parts(m, b, node) or m.iterate(b, node)
    if found is None:
        return m.gap("list += of an unknown value", node)
    m.heap.touch(a.items)
    a.items.extend(found)
    if len(a.items) > MOST_COUNTED:
        a.items[:] = shortened(list(a.items))
    return a


def _merged(m: Interpreter, a: Dict, b: Dict, in_place: bool) -> Dict:
    """`a | b` of dicts."""
    if not in_place:
        return Dict(m.heap.entries({**a.items, **b.items}))
    for k, v in b.items.items():
        m.heap.set(a.items, k, v)
    return a


def _sets(m: Interpreter, word: str, a: Value, b: Value, node: ast.AST, in_place: bool) -> Value:
    """The algebra of sets and of views of dicts."""
    left, right = members(m, a, node), members(m, b, node)
    if left is None or right is None:
        return Unknown(word)
    items = combined(m, word, left, right, node)
    if in_place and isinstance(a, Set) and not a.frozen:
        m.heap.touch(a.items)
        a.items[:] = items
        return a
    return Set(m.heap.row(items), isinstance(a, Set) and a.frozen)


def _counters(m: Interpreter, word: str, a: Dict, b: Dict, node: ast.AST) -> Value:
    made: dict[Value, Value] = {}
    for name in {**a.items, **b.items}:
        x, y = a.items.get(name, 0), b.items.get(name, 0)
        if not (isinstance(x, int) and isinstance(y, int)):
            return m.gap("Counter", node, "a count is not known")
        count = {"add": x + y, "sub": x - y, "and": min(x, y), "or": max(x, y)}[word]
        if count > 0:
            made[name] = count
    return Dict(m.heap.entries(made), None, True)


def make_list(m: Interpreter, items: Value) -> List:
    return List(m.heap.row(items))
