"""The methods of sets. Every write goes through the heap."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.containers.equality import same_member
from tensorproof.frontends.python.containers.hashing import refuse_unhashable
from tensorproof.frontends.python.containers.list_methods import changing, clear, pop, remove
from tensorproof.frontends.python.containers.set_algebra import combined, disjoint, make_set, members, subset
from tensorproof.frontends.python.summaries.summarised_lists import parts
from tensorproof.terms.ints import Origin
from tensorproof.values.objects import Set
from tensorproof.values.python_values import Unknown
from tensorproof.values.summaries import is_summarised, shown, summarise

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def _add(m: Interpreter, owner: Set, node: ast.AST, item: Value) -> None:
    if isinstance(item, Unknown) or is_summarised(owner.items):
        samples = [*shown(owner.items), item]
        total = m.symbol(m.name_here("set", node), 1, None, Origin.UNMODELLED)
        owner.items[:] = [summarise(total, samples)]
        return
    refuse_unhashable(m, item, node)
    if type(item) is str and all(type(one) is str for one in owner.items):
        if item not in owner.items:
            owner.items.append(item)
        return
    if not any(same_member(m, one, item, node) for one in owner.items):
        owner.items.append(item)


def _discard(m: Interpreter, owner: Set, node: ast.AST, item: Value) -> None:
    owner.items[:] = [one for one in owner.items if not same_member(m, one, item, node)]


def _union(m: Interpreter, owner: Set, node: ast.AST, *others: Value) -> Value:
    return make_set(m, [*owner.items, *(x for o in others for x in m.iterate(o, node) or ())], node, owner.frozen)


def _combined(word: str) -> Callable[..., Value]:
    def run(m: Interpreter, owner: Set, node: ast.AST, *others: Value) -> Any:
        items = list(owner.items)
        for other in others:
            found = members(m, other, node)
            if found is None:
                return Unknown(word)
            items = combined(m, word, items, found, node)
        return Set(m.heap.row(items), owner.frozen)

    return run


def _narrowed(word: str) -> Callable[..., Value]:
    """A method that changes the set to what an operator would give."""

    def run(m: Interpreter, owner: Set, node: ast.AST, *others: Value) -> None:
        for other in others:
            found = members(m, other, node)
            owner.items[:] = combined(m, word, list(owner.items), [Unknown("items")] if found is None else found, node)

    return run


def _update_set(m: Interpreter, owner: Set, node: ast.AST, *others: Value) -> None:
    for other in others:
        for item in shown(parts(m, other, node) or m.iterate(other, node) or ()):
            _add(m, owner, node, item)


def _asked(question: Callable[..., Value], swapped: bool = False) -> Callable[..., Value]:
    def run(m: Interpreter, owner: Set, node: ast.AST, other: Value) -> Any:
        mine, theirs = list(owner.items), members(m, other, node)
        return question(m, theirs, mine, node) if swapped else question(m, mine, theirs, node)

    return run


SET: dict[str, Callable[..., Value]] = {
    "add": changing(_add), "discard": changing(_discard), "remove": changing(remove), "clear": changing(clear), "update": changing(_update_set),
    "pop": changing(lambda m, owner, node: pop(m, owner, node, 0)), "copy": lambda m, owner, node: Set(m.heap.row(owner.items), owner.frozen),
    "union": _union, "intersection": _combined("and"), "difference": _combined("sub"), "symmetric_difference": _combined("xor"),
    "issubset": _asked(subset), "issuperset": _asked(subset, swapped=True), "isdisjoint": _asked(disjoint),
    **{f"{name}_update": changing(_narrowed(word)) for name, word in (("intersection", "and"), ("difference", "sub"), ("symmetric_difference", "xor"))},
}  # fmt: skip
