"""The algebra of sets and of dict views: operators, comparisons, and what is not known of either side."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.containers import equality, hashing
from tensorproof.frontends.python.containers.equality import equal_objects, surely_same
from tensorproof.frontends.python.summaries import summarised_results
from tensorproof.frontends.python.summaries.summarised_lists import parts
from tensorproof.terms.ints import Origin
from tensorproof.terms.predicates import Truth, conj, disj, negate
from tensorproof.terms.tensor import TensorType
from tensorproof.values.objects import Dict, Instance, List, Set
from tensorproof.values.python_values import Unknown
from tensorproof.values.summaries import is_summarised, shown, summarise

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

WORDS = ("or", "and", "sub", "xor")


def is_view(value: Value) -> bool:
    """Whether a value is the keys or the items of a dict, which take part in the algebra of sets."""
    return isinstance(value, List) and value.view in ("keys", "items")


def as_set(m: Interpreter, value: Any) -> Value:
    """A view as a set of its own; anything else as it is."""
    return Set(m.heap.row(value.items)) if is_view(value) else value


def members(m: Interpreter, value: Value, node: ast.AST) -> list[Value] | None:
    """The items of anything that can be looped over; None when they are not known."""
    if isinstance(value, (Set, List)):
        return list(value.items)
    return parts(m, value, node) or m.iterate(value, node)


def _within(m: Interpreter, item: Value, items: list[Value], node: ast.AST) -> Truth | None:
    """Whether an item is one of several; None when that is unknown."""
    found: list[Truth] = []
    open_ = isinstance(item, Unknown)
    for one in items:
        same = None if open_ else equal_objects(m, one, item, node)
        if same is True:
            return True
        if same is None:
            open_ = True
        else:
            found.append(same)
    return None if open_ and items else disj(*found)


def combined(m: Interpreter, word: str, left: list[Value], right: list[Value], node: ast.AST) -> list[Value]:
    """The items of `left WORD right`; the run forks where it must be known whether two items are equal."""
    if is_summarised(left) or is_summarised(right):
        samples = shown([*left, *right]) if word in ("or", "xor") else shown(left)
        return [summarise(m.symbol(m.name_here("set", node), 0, None, Origin.UNMODELLED), samples)] if samples else []
    only_left = [x for x in left if not any(surely_same(m, x, y, node) for y in right)]
    only_right = [y for y in right if not any(surely_same(m, x, y, node) for x in left)]
    both = [x for x in left if any(surely_same(m, x, y, node) for y in right)]
    return {"or": left + only_right, "and": both, "sub": only_left, "xor": only_left + only_right}[word]


def subset(m: Interpreter, left: list[Value] | None, right: list[Value] | None, node: ast.AST) -> Any:
    """Whether all items of one are items of the other."""
    if left is None or right is None or is_summarised(left):
        return Unknown("subset")
    inside = [_within(m, x, right, node) for x in left]
    if any(i is False for i in inside):
        return False
    return Unknown("subset") if any(i is None for i in inside) else conj(*(i for i in inside if i is not None))


def disjoint(m: Interpreter, left: list[Value] | None, right: list[Value] | None, node: ast.AST) -> Value:
    if left is None or right is None or is_summarised(left):
        return Unknown("disjoint")
    inside = [_within(m, x, right, node) for x in left]
    if any(i is True for i in inside):
        return False
    return Unknown("disjoint") if any(i is None for i in inside) else conj(*(negate(i) for i in inside if i is not None))


def ordered(m: Interpreter, word: str, a: Set, b: Set, node: ast.AST) -> Value:
    """`<`, `<=`, `>` and `>=` of sets."""
    under, over = subset(m, list(a.items), list(b.items), node), subset(m, list(b.items), list(a.items), node)
    wanted, other = (under, over) if word in ("le", "lt") else (over, under)
    if word in ("le", "ge") or wanted is False:
        return wanted
    if isinstance(wanted, Unknown) or isinstance(other, Unknown):
        return Unknown(word)
    return conj(wanted, negate(other))


def make_set(m: Interpreter, items: Any, node: ast.AST, frozen: bool = False) -> Value:
    made = Set(m.heap.row(), frozen)
    for item in items:
        if isinstance(item, Unknown):
            return Set(m.heap.row(summarised_results.distinct(m, list(items), node)), frozen)
        if isinstance(item, (List, Dict, Instance, TensorType)):
            hashing.refuse_unhashable(m, item, node)
        if not any(equality.same_member(m, item, other, node) for other in made.items):
            made.items.append(item)
    return made
