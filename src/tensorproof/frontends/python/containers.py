"""Lists, dicts, sets and tuples: their methods and operators. Every write goes through the heap."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.uncounted import found as uncounted_entry
from tensorproof.frontends.python.uncounted import keys, parts, put, values
from tensorproof.frontends.python.uncounted import pairs as pairs_of
from tensorproof.libraries.registry import data_of
from tensorproof.terms.ints import Origin, Term, ite, minimum
from tensorproof.terms.predicates import Predicate, Truth, conj, disj, eq, negate
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.many import gathered, length, shown
from tensorproof.values.many import uncounted as has_many
from tensorproof.values.objects import OPEN, Choice, Dict, Instance, Iterator, List, Set
from tensorproof.values.python_values import COUNTED, Many, Method, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter

_ORDER = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}


def attribute(m: Interpreter, owner: Any, name: str, node: ast.AST) -> Any:
    if name in _table(owner):
        return Method(owner, name)
    word = type(owner).__name__.lower()
    if isinstance(owner, List) and owner.deque and name == "maxlen":
        return owner.most
    if isinstance(owner, Dict) and name == "default_factory":
        return owner.default
    if name == "__class__":
        return {"list": list, "dict": dict, "set": set}[word]
    if name == "__len__":
        return Method(owner, name)
    raise m.raised("AttributeError", f"a {word} has no attribute {name}", node)


def method(m: Interpreter, owner: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.AST) -> Any:
    if name == "__len__":
        return m.call(len, (owner,), {}, node)
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


def _table(owner: Any) -> dict[str, Callable[..., Any]]:
    if isinstance(owner, List):
        return DEQUE if owner.deque else LIST
    if isinstance(owner, Dict):
        return COUNTER if owner.counter else DICT
    return SET


def equal(a: Any, b: Any) -> Truth | None:
    """Whether two values are equal; None when it cannot be told."""
    if a is b:
        return True
    if isinstance(a, Unknown) or isinstance(b, Unknown) or isinstance(a, (TensorType, Choice)) or isinstance(b, (TensorType, Choice)):
        return None
    if type(a) is Term or type(b) is Term or isinstance(a, Predicate) or isinstance(b, Predicate):
        x, y = number(a), number(b)
        if type(x) in (int, Term) and type(y) in (int, Term):
            return eq(x, y)
        return None if isinstance(a, float) or isinstance(b, float) else False
    if isinstance(a, (List, tuple)) and isinstance(b, (List, tuple)):
        if isinstance(a, List) is not isinstance(b, List):
            return False
        x, y = (a.items if isinstance(a, List) else a), (b.items if isinstance(b, List) else b)
        if has_many(x) or has_many(y):
            return None
        if len(x) != len(y):
            return False
        parts = [equal(p, q) for p, q in zip(x, y)]
        if any(p is False for p in parts):
            return False
        return None if any(p is None for p in parts) else conj(*(p for p in parts if p is not None))
    if isinstance(a, Dict) and isinstance(b, Dict):
        if set(a.items) != set(b.items):
            return False
        parts = [equal(v, b.items[k]) for k, v in a.items.items()]
        if any(p is False for p in parts):
            return False
        return None if any(p is None for p in parts) else conj(*(p for p in parts if p is not None))
    if isinstance(a, Set) and isinstance(b, Set):
        if has_many(a.items) or has_many(b.items):
            return None
        return len(a.items) == len(b.items) and all(any(same(x, y) for y in b.items) for x in a.items)
    try:
        return bool(a == b)
    except Exception:
        return None


def number(x: Any) -> Any:
    """A truth value as the number that it is in arithmetic."""
    return ite(x, 1, 0) if isinstance(x, Predicate) else int(x) if isinstance(x, bool) else x


def same(a: Any, b: Any) -> bool:
    return equal(a, b) is True


def surely_same(m: Interpreter, a: Any, b: Any, node: ast.AST) -> bool:
    """Whether two values are equal, where it must be known: the run forks on it."""
    from tensorproof.frontends.python.iteration import decided

    found = _equal_objects(m, a, b, node)
    return found is not None and decided(m, found)


def count(m: Interpreter, items: Any, item: Any, node: ast.AST) -> Any:
    """How many items are equal to one."""
    total: Any = 0
    for one in items:
        found = _equal_objects(m, one, item, node)
        if found is None:
            return Unknown("count")
        total = total + number(found)
    return total


def compare(m: Interpreter, word: str, a: Any, b: Any, node: ast.AST) -> Any:
    if word in ("eq", "ne"):
        found = _equal_objects(m, a, b, node)
        return Unknown(word) if found is None else found if word == "eq" else negate(found)
    if isinstance(a, Set) and isinstance(b, Set):
        under = all(any(same(x, y) for y in b.items) for x in a.items)
        over = all(any(same(x, y) for y in a.items) for x in b.items)
        return {"le": under, "lt": under and not over, "ge": over, "gt": over and not under}[word]
    if isinstance(a, (List, tuple)) and isinstance(b, (List, tuple)) and isinstance(a, List) is isinstance(b, List):
        return _order(m, word, list(a.items) if isinstance(a, List) else list(a), list(b.items) if isinstance(b, List) else list(b), node)
    raise m.raised("TypeError", f"{type(a).__name__.lower()} and {type(b).__name__.lower()} have no order", node)


def _equal_objects(m: Interpreter, a: Any, b: Any, node: ast.AST) -> Truth | None:
    """Equality that may call the program's own `__eq__` inside containers."""
    if isinstance(a, (List, tuple)) and isinstance(b, (List, tuple)) and isinstance(a, List) is isinstance(b, List):
        x, y = (a.items if isinstance(a, List) else a), (b.items if isinstance(b, List) else b)
        if has_many(x) or has_many(y):
            return None
        if len(x) != len(y):
            return False
        parts: list[Truth] = []
        for p, q in zip(x, y):
            found = _equal_objects(m, p, q, node)
            if found is None:
                return None
            if found is False:
                return False
            parts.append(found)
        return conj(*parts)
    if a is b:
        return True
    if isinstance(a, (Instance, Choice)) or isinstance(b, (Instance, Choice)):
        result = m.compare(ast.Eq, a, b, node)
        return None if isinstance(result, Unknown) else m.truth(result, node)
    if isinstance(a, Dict) and isinstance(b, Dict) and list(a.items) == list(b.items):
        return _equal_objects(m, tuple(a.items.values()), tuple(b.items.values()), node)
    return equal(a, b)


def _order(m: Interpreter, word: str, x: list[Any], y: list[Any], node: ast.AST) -> Any:
    for i, (p, q) in enumerate(zip(x, y)):
        found = _equal_objects(m, p, q, node)
        if found is True:
            continue
        if found is None:
            return Unknown(word)
        op = {"lt": ast.Lt, "le": ast.LtE, "gt": ast.Gt, "ge": ast.GtE}[word]
        return m.branching.choose(found, partial(_order, m, word, x[i + 1 :], y[i + 1 :], node), partial(m.compare, op, p, q, node))
    return _ORDER[word](len(x), len(y))


def contains(m: Interpreter, container: Any, item: Any, node: ast.AST) -> Any:
    match container:
        case Unknown() | TensorType():
            return Unknown("in")
        case Choice():
            return m.branching.choose(container.condition, lambda: contains(m, container.then, item, node), lambda: contains(m, container.other, item, node))
        case Dict() if isinstance(item, (Term, Choice, Predicate)):
            return contains(m, tuple(container.items), item, node)
        case Dict():
            if isinstance(item, Unknown):
                return Unknown("in") if container.items else False
            return True if _hashable(m, item, node) in container.items else Unknown("in") if OPEN in container.items else False
        case List() | tuple() | Set():
            items = container if isinstance(container, tuple) else container.items
            parts: list[Truth] = []
            for one in items:
                found = _equal_objects(m, one, item, node)
                if found is True:
                    parts.append(True)
                    break
                if found is None:
                    return Unknown("in")
                parts.append(found)
            return disj(*parts)
        case Instance():
            return m.contains_instance(container, item, node)
        case str():
            if isinstance(item, Unknown):
                return Unknown("in")
            from tensorproof.frontends.python.operations import plain

            return plain(m, operator.contains, (container, item), node)
        case range():
            if isinstance(item, int):
                return item in container
            return contains(m, tuple(container), item, node) if isinstance(item, (Term, Choice, Predicate)) and len(container) <= 64 else Unknown("in")
        case _:
            items_ = m.iterate(container, node)
            return Unknown("in") if items_ is None else contains(m, tuple(items_), item, node)


def _hashable(m: Interpreter, item: Any, node: ast.AST) -> Any:
    from tensorproof.frontends.python.subscripts import key

    return key(m, item, node)


def binary(m: Interpreter, word: str, a: Any, b: Any, node: ast.AST, in_place: bool) -> Any:
    if isinstance(a, List):
        if in_place and word == "add":
            found = parts(m, b, node) or m.iterate(b, node)
            if found is None:
                return m.gap("list += of an unknown value", node)
            m.heap.touch(a.items)
            a.items.extend(found)
            return a
        if word == "add" and isinstance(b, List):
            return List(m.heap.row([*a.items, *b.items]))
        if word == "mul" and isinstance(b, (Term, Predicate)):
            from tensorproof.frontends.python.iteration import concrete

            times = concrete(m, b)
            return Unknown("a list of symbolic length") if times is MISSING else binary(m, word, a, int(times), node, in_place)
        if word == "mul" and isinstance(b, int) and len(a.items) * b <= 1_000_000:
            if in_place:
                m.heap.touch(a.items)
                a.items[:] = list(a.items) * b
                return a
            return List(m.heap.row(list(a.items) * b))
    if isinstance(b, List) and word == "mul" and isinstance(a, int) and len(b.items) * a <= 1_000_000:
        return List(m.heap.row(list(b.items) * a))
    if isinstance(a, Dict) and isinstance(b, Dict) and a.counter and b.counter and word in ("add", "sub", "and", "or"):
        return _counters(m, word, a, b, node)
    if isinstance(a, Dict) and isinstance(b, Dict) and word == "or":
        if in_place:
            for k, v in b.items.items():
                m.heap.set(a.items, k, v)
            return a
        return Dict(m.heap.entries({**a.items, **b.items}))
    if isinstance(a, Set) and isinstance(b, Set) and word in ("or", "and", "sub", "xor"):
        left, right = list(a.items), list(b.items)
        only_left = [x for x in left if not any(surely_same(m, x, y, node) for y in right)]
        only_right = [y for y in right if not any(surely_same(m, x, y, node) for x in left)]
        both = [x for x in left if any(surely_same(m, x, y, node) for y in right)]
        items = {"or": left + only_right, "and": both, "sub": only_left, "xor": only_left + only_right}[word]
        if in_place and not a.frozen:
            m.heap.touch(a.items)
            a.items[:] = items
            return a
        return Set(m.heap.row(items), a.frozen)
    from tensorproof.frontends.python.operations import type_name

    raise m.raised("TypeError", f"the operator {word} is not defined for {type_name(a)} and {type_name(b)}", node)


def _counters(m: Interpreter, word: str, a: Dict, b: Dict, node: ast.AST) -> Any:
    made: dict[Any, Any] = {}
    for name in {**a.items, **b.items}:
        x, y = a.items.get(name, 0), b.items.get(name, 0)
        if not (isinstance(x, int) and isinstance(y, int)):
            return m.gap("Counter", node, "a count is not known")
        count = {"add": x + y, "sub": x - y, "and": min(x, y), "or": max(x, y)}[word]
        if count > 0:
            made[name] = count
    return Dict(m.heap.entries(made), None, True)


# --- methods ---


def _changed(function: Callable[..., Any]) -> Callable[..., Any]:
    """A method that changes its list or set in place."""

    def run(m: Interpreter, owner: Any, node: ast.AST, *args: Any, **kwargs: Any) -> Any:
        m.heap.touch(owner.items)
        return function(m, owner, node, *args, **kwargs)

    return run


def _kept(function: Callable[..., Any], first: bool) -> Callable[..., Any]:
    """A method that adds to a deque: what is too much leaves it at the other end."""

    def run(m: Interpreter, owner: List, node: ast.AST, *args: Any) -> Any:
        result = function(m, owner, node, *args)
        over = 0 if owner.most is None else len(owner.items) - owner.most
        if over > 0:
            del owner.items[slice(-over, None) if first else slice(over)]
        return result

    return run


def _rotate(m: Interpreter, owner: List, node: ast.AST, by: int = 1) -> None:
    if owner.items:
        by %= len(owner.items)
        owner.items[:] = [*owner.items[len(owner.items) - by :], *owner.items[: len(owner.items) - by]]


def _append(m: Interpreter, owner: List, node: ast.AST, item: Any) -> None:
    owner.items.append(item)


def _extend(m: Interpreter, owner: List, node: ast.AST, items: Any) -> Any:
    found = parts(m, items, node) or m.iterate(items, node)
    if found is None:
        return m.gap("list.extend", node, "of an unknown value")
    owner.items.extend(found)
    return None


def _insert(m: Interpreter, owner: List, node: ast.AST, at: Any, item: Any) -> None:
    if isinstance(at, (float, str, tuple, type(None))):
        raise m.raised("TypeError", f"a place in a list is a whole number, not a {type(at).__name__}", node)
    if not isinstance(at, int):
        m.gap("list.insert", node, "at an unknown index")
        at = len(owner.items)
    owner.items.insert(at, item)


def _pop(m: Interpreter, owner: List, node: ast.AST, at: int = -1) -> Any:
    if not isinstance(at, int):
        return m.gap("list.pop", node, "of an unknown index")
    if has_many(owner.items) and type(owner.items[at if -len(owner.items) <= at < len(owner.items) else -1]) is Many:
        return _popped(m, owner, node)
    if not -len(owner.items) <= at < len(owner.items):
        raise m.raised("IndexError", f"pop of index {at} from a list of {len(owner.items)}", node)
    return owner.items.pop(at)


def _popped(m: Interpreter, owner: Any, node: ast.AST) -> Any:
    """One of the items that were not counted out is taken away."""
    at = next(i for i, v in enumerate(owner.items) if type(v) is Many)
    many = owner.items[at]
    if isinstance(many.count, (int, Term)):
        owner.items[at] = Many(many.reason, count=many.count - 1, first=many.first, second=many.second)
    return many.first


def _position(m: Interpreter, items: Any, item: Any, node: ast.AST) -> int:
    for i, one in enumerate(items):
        if surely_same(m, one, item, node):
            return i
    raise m.raised("ValueError", "the item is not in the list", node)


def _remove(m: Interpreter, owner: Any, node: ast.AST, item: Any) -> None:
    if isinstance(owner, Set) and not any(surely_same(m, one, item, node) for one in owner.items):
        raise m.raised("KeyError", f"{item!r} is not in the set", node)
    del owner.items[_position(m, owner.items, item, node)]


def _sort(m: Interpreter, owner: List, node: ast.AST, *, key: Any = None, reverse: Any = False) -> Any:
    from tensorproof.frontends.python.builtin_sequences import sort_items

    if has_many(owner.items):
        samples = shown(owner.items)
        owner.items[:] = [gathered(length(owner.items), samples)]
        return None
    found = sort_items(m, list(owner.items), key, reverse, node)
    if isinstance(found, Unknown):
        return found
    owner.items[:] = found
    return None


def _clear(m: Interpreter, owner: Any, node: ast.AST) -> None:
    owner.items.clear()


def _reverse(m: Interpreter, owner: List, node: ast.AST) -> None:
    owner.items.reverse()


LIST: dict[str, Callable[..., Any]] = {
    "append": _changed(_append), "extend": _changed(_extend), "insert": _changed(_insert), "pop": _changed(_pop), "remove": _changed(_remove),
    "sort": _changed(_sort), "clear": _changed(_clear), "reverse": _changed(_reverse),
    "index": lambda m, owner, node, item, *rest: _position(m, owner.items, item, node),
    "count": lambda m, owner, node, item: count(m, owner.items, item, node),
    "copy": lambda m, owner, node: List(m.heap.row(owner.items)),
}  # fmt: skip
DEQUE: dict[str, Callable[..., Any]] = {
    **{name: LIST[name] for name in ("insert", "pop", "remove", "clear", "reverse", "index", "count")},
    "append": _changed(_kept(_append, False)), "extend": _changed(_kept(_extend, False)),
    "appendleft": _changed(_kept(lambda m, owner, node, item: owner.items.insert(0, item), True)),
    "extendleft": _changed(_kept(lambda m, owner, node, items: _extend_left(m, owner, items, node), True)),
    "popleft": _changed(lambda m, owner, node: _pop(m, owner, node, 0)), "rotate": _changed(_rotate),
    "copy": lambda m, owner, node: List(m.heap.row(owner.items), True, owner.most),
}  # fmt: skip


def _extend_left(m: Interpreter, owner: List, items: Any, node: ast.AST) -> Any:
    found = m.iterate(items, node)
    if found is None:
        return m.gap("deque.extendleft", node, "of an unknown value")
    owner.items[:0] = found[::-1]
    return None


def _get(m: Interpreter, owner: Dict, node: ast.AST, name: Any, otherwise: Any = None) -> Any:
    known = _hashable(m, name, node)
    if known in owner.items if not isinstance(known, Unknown) else False:
        return owner.items[known]
    if OPEN in owner.items or (isinstance(known, Unknown) and owner.items):
        return uncounted_entry(m, owner, otherwise, node)
    return otherwise


def _set_default(m: Interpreter, owner: Dict, node: ast.AST, name: Any, otherwise: Any = None) -> Any:
    known = _hashable(m, name, node)
    if isinstance(known, Unknown) or (known not in owner.items and OPEN in owner.items):
        value = uncounted_entry(m, owner, otherwise, node) if owner.items else otherwise
        put(m, owner, name, value, node)
        return value
    if known not in owner.items:
        m.heap.set(owner.items, known, otherwise)
    return owner.items[known]


def _pop_key(m: Interpreter, owner: Dict, node: ast.AST, name: Any, *otherwise: Any) -> Any:
    known = _hashable(m, name, node)
    value = owner.items.get(known, MISSING) if not isinstance(known, Unknown) else MISSING
    if value is MISSING:
        if OPEN in owner.items or (isinstance(known, Unknown) and owner.items):
            m.gap("dict.pop", node, "of a key that is not known")
            return uncounted_entry(m, owner, otherwise[0] if otherwise else MISSING, node)
        if otherwise:
            return otherwise[0]
        raise m.raised("KeyError", f"the key {name!r} is missing", node)
    m.heap.delete(owner.items, known)
    return value


def _update(m: Interpreter, owner: Dict, node: ast.AST, other: Any = None, **named: Any) -> Any:
    other = data_of(other)
    if isinstance(other, Dict):
        pairs = [p for p in other.items.items() if p[0] is not OPEN]
        if OPEN in other.items:
            for k, v in shown([other.items[OPEN]]):
                put(m, owner, k, v, node)
    elif other is None:
        pairs = []
    else:
        found = m.iterate(other, node)
        if found is None:
            return m.gap("dict.update", node, "of an unknown value")
        pairs = [tuple(m.iterate(p, node) or ()) for p in found]
    for k, v in [*pairs, *named.items()]:
        known = _hashable(m, k, node)
        if isinstance(known, Unknown):
            put(m, owner, k, v, node)
        else:
            m.heap.set(owner.items, known, v)
    return None


def _clear_all(m: Interpreter, owner: Dict, node: ast.AST) -> None:
    for k in list(owner.items):
        m.heap.delete(owner.items, k)


def _pop_item(m: Interpreter, owner: Dict, node: ast.AST, last: bool = True) -> Any:
    if not owner.items:
        raise m.raised("KeyError", "the dict is empty", node)
    name = list(owner.items)[-1 if last else 0]
    value = owner.items[name]
    m.heap.delete(owner.items, name)
    return name, value


def _listed(items: Callable[[Dict], list[Any]]) -> Callable[..., Any]:
    return lambda m, owner, node: List(m.heap.row(items(owner)))


DICT: dict[str, Callable[..., Any]] = {
    "get": _get, "setdefault": _set_default, "pop": _pop_key, "update": _update, "clear": _clear_all, "popitem": _pop_item,
    "keys": _listed(keys), "values": _listed(values), "items": _listed(pairs_of),
    "copy": lambda m, owner, node: Dict(m.heap.entries(dict(owner.items)), owner.default),
    "fromkeys": lambda m, owner, node, keys, value=None: Dict(m.heap.entries(dict.fromkeys(m.iterate(keys, node) or (), value))),
    "move_to_end": lambda m, owner, node, name, last=True: _move(m, owner, node, name, last),
}  # fmt: skip


def _move(m: Interpreter, owner: Dict, node: ast.AST, name: Any, last: bool) -> None:
    value = _pop_key(m, owner, node, name)
    rest = [] if last else list(owner.items.items())
    for k, _ in rest:
        m.heap.delete(owner.items, k)
    m.heap.set(owner.items, name, value)
    for k, v in rest:
        m.heap.set(owner.items, k, v)


def _counted(m: Interpreter, owner: Dict, node: ast.AST, other: Any, sign: int, named: dict[str, Any]) -> Any:
    """Add counts, or occurrences, to a Counter."""
    pairs: list[tuple[Any, Any]] = list(named.items())
    if isinstance(other, Dict) and OPEN not in other.items:
        pairs += other.items.items()
    elif (many := parts(m, other, node)) is not None:
        for one in shown(many):
            put(m, owner, one, COUNTED, node)
        return None
    elif other is not None:
        found = m.iterate(other, node)
        if found is None:
            return m.gap("Counter", node, "of an unknown value")
        pairs += [(one, 1) for one in found]
    for name, count in pairs:
        known = _hashable(m, name, node)
        if isinstance(known, Unknown):
            put(m, owner, name, COUNTED, node)
            continue
        m.heap.set(owner.items, known, m.binary(ast.Add if sign > 0 else ast.Sub, owner.items.get(known, 0), count, node))
    return None


def _most_common(m: Interpreter, owner: Dict, node: ast.AST, count: Any = None) -> Any:
    if OPEN in owner.items:
        found = pairs_of(owner)
        total, samples = length(found), shown(found)
        fewer = minimum(total, count) if isinstance(count, (int, Term)) and not isinstance(total, Unknown) else total
        return List(m.heap.row([gathered(fewer, samples)]))
    pairs = list(owner.items.items())
    if not all(isinstance(v, int) for _, v in pairs):
        return m.gap("Counter.most_common", node, "a count is not known")
    return List(m.heap.row(sorted(pairs, key=lambda pair: -pair[1])[: count if isinstance(count, int) else None]))


def _elements(m: Interpreter, owner: Dict, node: ast.AST) -> Any:
    if not all(isinstance(v, int) for v in owner.items.values()):
        return m.gap("Counter.elements", node, "a count is not known")
    return Iterator([k for k, v in owner.items.items() for _ in range(v)], m.heap.space({"at": 0}))


COUNTER: dict[str, Callable[..., Any]] = {
    **DICT, "most_common": _most_common, "elements": _elements,
    "update": lambda m, owner, node, other=None, **named: _counted(m, owner, node, other, 1, named),
    "subtract": lambda m, owner, node, other=None, **named: _counted(m, owner, node, other, -1, named),
    "total": lambda m, owner, node: m.call(sum, (tuple(owner.items.values()),), {}, node),
    "copy": lambda m, owner, node: Dict(m.heap.entries(dict(owner.items)), None, True),
}  # fmt: skip


def _add(m: Interpreter, owner: Set, node: ast.AST, item: Any) -> None:
    if isinstance(item, Unknown) or has_many(owner.items):
        samples = [*shown(owner.items), item]
        total = m.symbol(m.name_here("set", node), 1, None, Origin.UNMODELLED)
        owner.items[:] = [gathered(total, samples)]
        return
    if not any(surely_same(m, one, item, node) for one in owner.items):
        owner.items.append(item)


def _discard(m: Interpreter, owner: Set, node: ast.AST, item: Any) -> None:
    owner.items[:] = [one for one in owner.items if not surely_same(m, one, item, node)]


def _union(m: Interpreter, owner: Set, node: ast.AST, *others: Any) -> Any:
    from tensorproof.frontends.python.operations import make_set

    return make_set(m, [*owner.items, *(x for o in others for x in m.iterate(o, node) or ())], node, owner.frozen)


def _combined(word: str) -> Callable[..., Any]:
    def run(m: Interpreter, owner: Set, node: ast.AST, other: Any) -> Any:
        from tensorproof.frontends.python.operations import make_set

        return binary(m, word, Set(m.heap.row(owner.items), owner.frozen), make_set(m, m.iterate(other, node) or (), node), node, False)

    return run


def _update_set(m: Interpreter, owner: Set, node: ast.AST, *others: Any) -> None:
    for other in others:
        for item in shown(parts(m, other, node) or m.iterate(other, node) or ()):
            _add(m, owner, node, item)


def _subset(m: Interpreter, owner: Set, node: ast.AST, other: Any) -> bool:
    return all(any(same(x, y) for y in m.iterate(other, node) or ()) for x in owner.items)


SET: dict[str, Callable[..., Any]] = {
    "add": _changed(_add), "discard": _changed(_discard), "remove": _changed(_remove), "clear": _changed(_clear), "update": _changed(_update_set),
    "pop": _changed(lambda m, owner, node: _pop(m, owner, node, 0)), "copy": lambda m, owner, node: Set(m.heap.row(owner.items), owner.frozen),
    "union": _union, "intersection": _combined("and"), "difference": _combined("sub"), "symmetric_difference": _combined("xor"),
    "issubset": _subset, "issuperset": lambda m, owner, node, other: all(any(same(x, y) for y in owner.items) for x in m.iterate(other, node) or ()),
    "isdisjoint": lambda m, owner, node, other: not any(any(same(x, y) for y in owner.items) for x in m.iterate(other, node) or ()),
}  # fmt: skip
