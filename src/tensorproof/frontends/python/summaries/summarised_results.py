"""What Python's functions and comprehensions make of items that were summarised: other such lists, sets and dicts, sums and extremes."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.summaries.summarised_lists import either, parts, put
from tensorproof.frontends.python.widening.symbolic_iteration import FAILED, many_iterations
from tensorproof.libraries.model import Open
from tensorproof.terms.ints import Origin, Term
from tensorproof.values.objects import OPEN, Dict
from tensorproof.values.python_values import Summary, Unknown
from tensorproof.values.summaries import length, more, number_of, number_of_kinds, shown, summarise

if TYPE_CHECKING:
    from tensorproof.frontends.python.frame import Frame
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def mapped(m: Interpreter, frame: Frame, iterations: Open, make: Callable[[Value, Callable[[Value], None]], None], node: ast.AST) -> list[Value] | None:
    """The list that many iterations make, each by adding to it; None when no iteration stands for all."""
    row = m.heap.row()

    def add(value: Value) -> None:
        m.heap.touch(row)
        row.append(value)

    def body(_: Value) -> None:
        m.step()
        make(taken[0], add)

    taken: list[Value] = [None]

    def take(_: Value, value: Value) -> None:
        taken[0] = value

    m.in_symbolic_iteration += 1
    mark = m.heap.mark()
    try:
        take(None, iterations.item(0))
        body(None)
        if iterations.times == 1:
            return list(row)
        ended = many_iterations(m, frame, 1, iterations.times, iterations.item, take, body, node)
    finally:
        m.in_symbolic_iteration -= 1
        m.heap.forget(mark)
    return None if ended is FAILED else _folded(list(row))


def _folded(items: list[Value]) -> list[Value]:
    """A first item and as many like it: one entry for all, so that there may be none."""
    if len(items) == 2 and type(items[1]) is Summary and type(items[0]) is not Summary:
        return [Summary(items[1].reason, count=more(items[1].count, 1), first=items[0], second=items[1].second)]
    return items


def kept(m: Interpreter, condition: Any, add: Callable[[], None], node: ast.AST) -> None:
    """Add to a list, or not."""
    if isinstance(condition, bool):
        if condition:
            add()
        return
    m.branching.choose(condition, add, lambda: None)


def listed(m: Interpreter, value: Value, node: ast.AST) -> list[Value] | None:
    """All the items of a value, be they summarised or not; None when nothing is known of them."""
    found = parts(m, value, node)
    return m.iterate(value, node) if found is None else found


def sorted_items(items: list[Value]) -> list[Value]:
    """In some order: the samples may be anywhere."""
    samples = shown(items)
    return [summarise(length(items), samples)]


def distinct(m: Interpreter, items: list[Value], node: ast.AST) -> list[Value]:
    """As a set: it is unknown how many are left."""
    samples = shown(items)
    return [summarise(m.symbol(m.name_here("different items", node), 1, None, Origin.UNMODELLED), samples)]


def total(m: Interpreter, items: list[Value], start: Value, node: ast.AST) -> Value:
    """The sum: of numbers an unknown one, of anything else what two of them make."""
    kinds = {number_of(v) for v in (start, *shown(items))}
    if "" not in kinds:
        return number_of_kinds(kinds)
    result = start
    for one in shown(items):
        result = m.binary(ast.Add, result, one, node)
    return result


def extreme(m: Interpreter, items: list[Value], node: ast.AST) -> Value:
    """The least or the greatest of the items."""
    result, *others = shown(items)
    for one in others:
        result = either(m, result, one, node)
    return result


def dict_of(m: Interpreter, items: list[Value], node: ast.AST) -> Dict:
    """`dict(pairs)` of which some are summarised."""
    made = Dict(m.heap.entries())
    for one in items:
        pair = m.iterate(one.first if type(one) is Summary else one, node)
        if pair is None or len(pair) != 2:
            pair = [Unknown("a key"), Unknown("a value")]
        if type(one) is Summary:
            last = m.iterate(one.second, node) or pair
            made.items[OPEN] = summarise(one.count, [tuple(pair), tuple(last)])
        elif isinstance(pair[0], (Unknown, Term)):
            put(m, made, pair[0], pair[1], node)
        else:
            made.items[pair[0]] = pair[1]
    return made
