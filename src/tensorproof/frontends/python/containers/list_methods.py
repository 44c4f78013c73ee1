"""The methods of lists and deques. Every write goes through the heap."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.branching.deciding import decided
from tensorproof.frontends.python.containers.equality import count, equal_items, surely_same
from tensorproof.frontends.python.containers.sorting import sort_items
from tensorproof.frontends.python.summaries.long_lists import MOST_COUNTED, shortened
from tensorproof.frontends.python.summaries.summarised_lists import any_of, parts
from tensorproof.libraries import layers
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.ints import Origin, Term
from tensorproof.terms.predicates import disj, gt
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import List, Set
from tensorproof.values.python_values import Summary, Unknown
from tensorproof.values.standing import standing
from tensorproof.values.summaries import is_summarised, length, shown, summarise

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def delete(m: Interpreter, owner: List, at: Any, node: ast.AST) -> None:
    """`del items[at]`."""
    if at is MISSING or isinstance(at, Unknown):
        m.gap("del x[…]", node, "the index is not known")
        return
    m.heap.touch(owner.items)
    if is_summarised(owner.items) and at != slice(None):
        if at not in (0, -1):
            m.gap("del x[…]", node, "how many items stand before is not known")
        else:
            pop(m, owner, node, at)
        return
    try:
        del owner.items[at]
    except (IndexError, TypeError):
        raise m.raised("IndexError", f"index {at!r} is out of range for {len(owner.items)} items", node) from None


def changing(function: Callable[..., Value]) -> Callable[..., Value]:
    """A method that changes its list or set in place."""

    def run(m: Interpreter, owner: Any, node: ast.AST, *args: Value, **kwargs: Value) -> Value:
        m.heap.touch(owner.items)
        if "keras.tracked" in m.model_state and args:
            layers.appended(m, owner, args, node)
        return function(m, owner, node, *args, **kwargs)

    return run


def _kept(function: Callable[..., Value], first: bool) -> Callable[..., Value]:
    """A method that adds to a deque: what is too much leaves it at the other end."""

    def run(m: Interpreter, owner: List, node: ast.AST, *args: Value) -> Any:
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


def _append(m: Interpreter, owner: List, node: ast.AST, item: Value) -> None:
    owner.items.append(item)
    if owner.several:
        _blurred(m, owner, node)


def _blurred(m: Interpreter, owner: List, node: ast.AST) -> None:
    """A list that stands for several: it is unknown how many items each of them has."""
    count = m.symbol(m.name_here("items", node), 0, None, Origin.UNMODELLED)
    owner.items[:] = [summarise(count, shown(owner.items))]


def _extend(m: Interpreter, owner: List, node: ast.AST, items: Value) -> Value:
    found = parts(m, items, node) or m.iterate(items, node)
    if found is None:
        return m.gap("list.extend", node, "of an unknown value")
    owner.items.extend(found)
    if len(owner.items) > MOST_COUNTED:
        owner.items[:] = shortened(list(owner.items))
    if owner.several and owner.items:
        _blurred(m, owner, node)
    return None


def _insert(m: Interpreter, owner: List, node: ast.AST, at: Value, item: Value) -> None:
    if isinstance(at, (float, str, tuple, type(None))):
        raise m.raised("TypeError", f"a place in a list is a whole number, not a {type(at).__name__}", node)
    if not isinstance(at, int):
        m.gap("list.insert", node, "at an unknown index")
        at = len(owner.items)
    owner.items.insert(at, item)


def pop(m: Interpreter, owner: List, node: ast.AST, at: int = -1) -> Value:
    if not isinstance(at, int):
        return _pop_somewhere(m, owner, node, at)
    place = at if -len(owner.items) <= at < len(owner.items) else -1
    if is_summarised(owner.items) and type(some := owner.items[place]) is Summary:
        if isinstance(some.count, (int, Term)) and not decided(m, gt(some.count, 0)):  # it stands for none
            del owner.items[place]
            return pop(m, owner, node, at)
        return _popped(m, owner, node)
    if not -len(owner.items) <= at < len(owner.items):
        raise m.raised("IndexError", f"pop of index {at} from a list of {len(owner.items)}", node)
    return owner.items.pop(at)


_MOST_SHIFTED = BUDGETS.containers.shifted


def _pop_somewhere(m: Interpreter, owner: List, node: ast.AST, at: Value) -> Value:
    """An item at a place that is not known: those behind it come to stand one place earlier."""
    count = len(owner.items)
    if isinstance(at, Unknown) and at.number == "int":
        at = m.symbol(m.name_here("place", node), 0, count - 1, Origin.UNMODELLED)
    if not isinstance(at, Term) or is_summarised(owner.items) or not 0 < count <= _MOST_SHIFTED:
        return m.gap("list.pop", node, "of an unknown index")
    found = m.item(owner, at, node)
    items = list(owner.items)
    owner.items[:] = [m.branching.choose(gt(at, i), lambda i=i: items[i], lambda i=i: items[i + 1]) for i in range(count - 1)]  # type: ignore[misc]
    return found


def _popped(m: Interpreter, owner: Any, node: ast.AST) -> Value:
    """One of the items that were summarised is taken away."""
    at = next(i for i, v in enumerate(owner.items) if type(v) is Summary)
    summary = owner.items[at]
    if isinstance(summary.count, (int, Term)):
        owner.items[at] = Summary(summary.reason, count=summary.count - 1, first=summary.first, second=summary.second)
    return standing(m, any_of(m, summary.first, summary.second, node))


def _position(m: Interpreter, items: Any, item: Value, node: ast.AST) -> int:
    for i, one in enumerate(items):
        found = equal_items(m, one, item, node)
        if found is None:
            m.gap("list", node, "whether an item is equal to another is not known")
        if found is None or decided(m, found):
            return i
    raise m.raised("ValueError", "the item is not in the list", node)


_MOST_PLACES = BUDGETS.containers.places


def index(m: Interpreter, items: Any, item: Value, node: ast.AST, start: Value = 0, stop: Value = None) -> Value:
    """Where an item stands: among unknown numbers that is a number too."""
    if start != 0 or stop is not None:
        if not isinstance(start, int) or not (stop is None or isinstance(stop, int)) or is_summarised(items):
            return Unknown("index", number="int")
        found: Any = index(m, items[start:stop], item, node)
        return found if isinstance(found, Unknown) else found + max(start + len(items) if start < 0 else start, 0)
    same: list[Any] = []
    for one in items if not is_summarised(items) else ():
        same.append(equal_items(m, one, item, node))
        if same[-1] is True or same[-1] is None:
            break
    places = [i for i, truth in enumerate(same) if truth is not False]
    if places and same[places[0]] is not True and None in same:
        return m.symbol(m.name_here("place", node), places[0], len(items) - 1, Origin.UNMODELLED)  # one of the items may be it: it is taken to be there
    if len(places) <= _MOST_PLACES or None in same:
        return _position(m, items, item, node)
    m.demand("ValueError", disj(*same), "the item is not in the list", node)
    return m.symbol(m.name_here("place", node), places[0], places[-1], Origin.UNMODELLED)


def remove(m: Interpreter, owner: Any, node: ast.AST, item: Value) -> None:
    if isinstance(owner, Set) and not any(surely_same(m, one, item, node) for one in owner.items):
        raise m.raised("KeyError", f"{item!r} is not in the set", node)
    del owner.items[_position(m, owner.items, item, node)]


def _sort(m: Interpreter, owner: List, node: ast.AST, *, key: Value = None, reverse: Value = False) -> Value:
    if is_summarised(owner.items):
        samples = shown(owner.items)
        owner.items[:] = [summarise(length(owner.items), samples)]
        return None
    found = sort_items(m, list(owner.items), key, reverse, node)
    if isinstance(found, Unknown):
        return found
    owner.items[:] = found
    return None


def clear(m: Interpreter, owner: Any, node: ast.AST) -> None:
    owner.items.clear()


def _reverse(m: Interpreter, owner: List, node: ast.AST) -> None:
    owner.items.reverse()


LIST: dict[str, Callable[..., Value]] = {
    "append": changing(_append), "extend": changing(_extend), "insert": changing(_insert), "pop": changing(pop), "remove": changing(remove),
    "sort": changing(_sort), "clear": changing(clear), "reverse": changing(_reverse),
    "index": lambda m, owner, node, item, *rest: index(m, owner.items, item, node, *rest),
    "count": lambda m, owner, node, item: count(m, owner.items, item, node),
    "copy": lambda m, owner, node: List(m.heap.row(owner.items)),
}  # fmt: skip
DEQUE: dict[str, Callable[..., Value]] = {
    **{name: LIST[name] for name in ("insert", "pop", "remove", "clear", "reverse", "index", "count")},
    "append": changing(_kept(_append, False)), "extend": changing(_kept(_extend, False)),
    "appendleft": changing(_kept(lambda m, owner, node, item: owner.items.insert(0, item), True)),
    "extendleft": changing(_kept(lambda m, owner, node, items: _extend_left(m, owner, items, node), True)),
    "popleft": changing(lambda m, owner, node: pop(m, owner, node, 0)), "rotate": changing(_rotate),
    "copy": lambda m, owner, node: List(m.heap.row(owner.items), True, owner.most),
}  # fmt: skip


def _extend_left(m: Interpreter, owner: List, items: Value, node: ast.AST) -> Value:
    found = m.iterate(items, node)
    if found is None:
        return m.gap("deque.extendleft", node, "of an unknown value")
    owner.items[:0] = found[::-1]
    return None
