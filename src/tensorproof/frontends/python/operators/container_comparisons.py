"""Comparisons of containers: their order, and what they contain."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.containers import hashing
from tensorproof.frontends.python.containers.equality import equal_items, equal_objects
from tensorproof.frontends.python.containers.set_algebra import as_set, ordered
from tensorproof.frontends.python.iteration.changes import fresh
from tensorproof.frontends.python.operators import type_rules
from tensorproof.frontends.python.operators.host_calls import plain
from tensorproof.frontends.python.summaries import summarised_entries
from tensorproof.libraries import library_objects
from tensorproof.libraries.tensorflow import traced
from tensorproof.terms.ints import Term
from tensorproof.terms.predicates import Predicate, Truth, disj, gt, negate
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import OPEN, Choice, Dict, Instance, List, Model, Set
from tensorproof.values.python_values import MESSAGE, Summary, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


_ORDER = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}


def compare(m: Interpreter, word: str, a: Value, b: Value, node: ast.AST) -> Value:
    if getattr(a, "view", "") or getattr(b, "view", ""):
        a, b = as_set(m, a), as_set(m, b)
    if word in ("eq", "ne"):
        found = equal_objects(m, a, b, node)
        return Unknown(word) if found is None else found if word == "eq" else negate(found)
    if isinstance(a, Set) and isinstance(b, Set):
        return ordered(m, word, a, b, node)
    if isinstance(a, (List, tuple)) and isinstance(b, (List, tuple)) and isinstance(a, List) is isinstance(b, List):
        return _order(m, word, list(a.items) if isinstance(a, List) else list(a), list(b.items) if isinstance(b, List) else list(b), node)
    raise m.raised("TypeError", f"{type(a).__name__.lower()} and {type(b).__name__.lower()} have no order", node)


def _order(m: Interpreter, word: str, x: list[Value], y: list[Value], node: ast.AST) -> Value:
    for i, (p, q) in enumerate(zip(x, y)):
        found = equal_objects(m, p, q, node)
        if found is True:
            continue
        if found is None:
            return Unknown(word)
        op = {"lt": ast.Lt, "le": ast.LtE, "gt": ast.Gt, "ge": ast.GtE}[word]
        return m.branching.choose(found, partial(_order, m, word, x[i + 1 :], y[i + 1 :], node), partial(m.compare, op, p, q, node))
    return _ORDER[word](len(x), len(y))


def contains(m: Interpreter, container: Value, item: Value, node: ast.AST) -> Any:
    traced.refuse_truth(m, container, node, "in")
    match container:
        case Unknown() if container is MESSAGE and isinstance(item, str):
            return False if "memory" in item.lower() else m.gap("in", node, "what the message of an error says is not known")
        case Unknown() | TensorType():
            if isinstance(container, Unknown):
                type_rules.refuse(m, operator.contains, (container, item), node)
            return Unknown("in", number="bool")
        case Choice():
            return m.branching.choose(container.condition, lambda: contains(m, container.then, item, node), lambda: contains(m, container.other, item, node))
        case Dict() if isinstance(item, (Term, Choice, Predicate)):
            return contains(m, tuple(container.items), item, node)
        case Dict():
            if isinstance(item, Unknown):
                return Unknown("in", number="bool") if container.items else False
            if hashing.key(m, item, node) in container.items or (m.modules.registered(m, container, item) and item in container.items):
                return True
            return summarised_entries.held(container, hashing.key(m, item, node)) if OPEN in container.items else False
        case List() | tuple() | Set():
            items = container if isinstance(container, tuple) else fresh(m, container).items
            parts: list[Truth] = []
            alike = equal_objects if isinstance(container, Set) else equal_items
            for one in items:
                found = alike(m, one, item, node) if type(one) is not Summary else _among(m, one, item, alike, node)
                if found is True:
                    parts.append(True)
                    break
                if found is None:
                    return Unknown("in", number="bool")
                parts.append(found)
            return disj(*parts)
        case Instance():
            return m.contains_instance(container, item, node)
        case str():
            if isinstance(item, Unknown):
                return Unknown("in", number="bool")
            return plain(m, operator.contains, (container, item), node)
        case range():
            if isinstance(item, int):
                return item in container
            few = isinstance(item, (Term, Choice, Predicate)) and len(container) <= 64
            return contains(m, tuple(container), item, node) if few else Unknown("in", number="bool")
        case _:
            held = library_objects.contains(m, container, item, node) if isinstance(container, Model) else MISSING
            if held is not MISSING:
                return held
            items_ = m.iterate(container, node)
            return Unknown("in", number="bool") if items_ is None else contains(m, tuple(items_), item, node)


def _among(m: Interpreter, summary: Summary, item: Value, alike: Callable[..., Truth | None], node: ast.AST) -> Truth | None:
    """Whether items that were summarised hold this one: where all of them are alike, it is a question of how many there are."""
    first, second = (alike(m, one, item, node) for one in (summary.first, summary.second))
    if first is True and second is True and not isinstance(summary.count, Unknown):
        return gt(summary.count, 0)
    return False if first is False and summary.first is summary.second else None
