"""The methods of dicts and counters. Every write goes through the heap."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from tensorproof.frontends.python.containers import mappings
from tensorproof.frontends.python.containers.hashing import key
from tensorproof.frontends.python.summaries import summarised_entries
from tensorproof.frontends.python.summaries.summarised_lists import found as summarised_entry
from tensorproof.frontends.python.summaries.summarised_lists import keys, part, parts, put, put_all, shared_list, values
from tensorproof.frontends.python.summaries.summarised_lists import pairs as pairs_of
from tensorproof.libraries.registry import data_of
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.ints import Term, minimum
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import OPEN, Dict, Iterator, List, as_value
from tensorproof.values.python_values import Unknown
from tensorproof.values.summaries import length, shown, summarise

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def _get(m: Interpreter, owner: Dict, node: ast.AST, name: Value, otherwise: Value = None) -> Value:
    known = key(m, name, node)
    if not isinstance(known, Unknown) and (known in owner.items or (m.modules.registered(m, owner, known) and known in owner.items)):
        return owner.items[known]
    if (there := summarised_entries.entry(m, owner, known, lambda: otherwise)) is not MISSING:
        return there
    if OPEN in owner.items or (isinstance(known, Unknown) and owner.items):
        found = summarised_entry(m, owner, MISSING, node)
        if otherwise is None and isinstance(found, Unknown) and found.number:  # a number by a key from data: it is taken to be there, as an item would be
            return found
        return summarised_entry(m, owner, otherwise, node)
    return otherwise


def _set_default(m: Interpreter, owner: Dict, node: ast.AST, name: Value, otherwise: Value = None) -> Value:
    summarised_entries.settle(m, owner)
    known = key(m, name, node)
    if isinstance(known, Unknown) or (known not in owner.items and OPEN in owner.items):
        held = shared_list(m, owner, node)
        if held is not None:
            return held
        value = summarised_entry(m, owner, otherwise, node) if owner.items else otherwise
        if isinstance(value, List):
            value.several = True
        put(m, owner, name, value, node)
        return value
    if known not in owner.items:
        m.heap.set(owner.items, known, otherwise)
    return owner.items[known]


def _pop_key(m: Interpreter, owner: Dict, node: ast.AST, name: Value, *otherwise: Value) -> Value:
    summarised_entries.settle(m, owner)
    known = key(m, name, node)
    value = owner.items.get(known, MISSING) if not isinstance(known, Unknown) else MISSING
    if value is MISSING:
        if OPEN in owner.items or (isinstance(known, Unknown) and owner.items):
            m.gap("dict.pop", node, "of a key that is not known")
            return summarised_entry(m, owner, otherwise[0] if otherwise else MISSING, node)
        if otherwise:
            return otherwise[0]
        raise m.raised("KeyError", f"the key {name!r} is missing", node)
    m.heap.delete(owner.items, known)
    return value


def delete(m: Interpreter, owner: Dict, index: Value, node: ast.AST) -> None:
    """`del owner[index]`."""
    summarised_entries.settle(m, owner)
    known = key(m, index, node)
    if not isinstance(known, Unknown) and known in owner.items:
        m.heap.delete(owner.items, known)
    elif owner.items and (isinstance(known, Unknown) or OPEN in owner.items):
        m.gap("del", node, "of a key that is not known")
    else:
        raise m.raised("KeyError", f"the key {index!r} is missing", node)


def _update(m: Interpreter, owner: Dict, node: ast.AST, other: Value = None, **named: Value) -> Value:
    other = data_of(other)
    if isinstance(other, Dict):
        summarised_entries.settle(m, other)
        pairs = [p for p in other.items.items() if p[0] is not OPEN]
        if OPEN in other.items:
            for entry in shown([other.items[OPEN]]):
                put(m, owner, part(entry, 0), part(entry, 1), node)
    elif other is None:
        pairs = []
    else:
        found = mappings.pairs(m, other, node) if mappings.is_mapping(m, other) else m.iterate(other, node)
        if found is None:
            return m.gap("dict.update", node, "of an unknown value")
        pairs = [tuple(m.iterate(p, node) or ()) for p in found]
    for k, v in [*pairs, *named.items()]:
        known = key(m, k, node)
        if isinstance(known, Unknown):
            put(m, owner, k, v, node)
        else:
            m.heap.set(owner.items, known, v)
    return None


def _clear_all(m: Interpreter, owner: Dict, node: ast.AST) -> None:
    for k in list(owner.items):
        m.heap.delete(owner.items, k)


def _pop_item(m: Interpreter, owner: Dict, node: ast.AST, last: bool = True) -> Value:
    summarised_entries.settle(m, owner)
    if not owner.items:
        raise m.raised("KeyError", "the dict is empty", node)
    if OPEN in owner.items:
        return m.gap("dict.popitem", node, "of a dict whose keys are not all known")
    name = list(owner.items)[-1 if last else 0]
    value = owner.items[name]
    m.heap.delete(owner.items, name)
    return as_value(name), value


def _listed(items: Callable[[Dict], list[Value]], view: str) -> Callable[..., Value]:
    return lambda m, owner, node: List(m.heap.row(items(owner)), view=view, of=owner)


DICT: dict[str, Callable[..., Value]] = {
    "get": _get, "setdefault": _set_default, "pop": _pop_key, "update": _update, "clear": _clear_all, "popitem": _pop_item,
    "keys": _listed(keys, "keys"), "values": _listed(values, "values"), "items": _listed(pairs_of, "items"),
    "copy": lambda m, owner, node: Dict(m.heap.entries(dict(owner.items)), owner.default),
    "fromkeys": lambda m, owner, node, keys, value=None: Dict(m.heap.entries(dict.fromkeys(m.iterate(keys, node) or (), value))),
    "move_to_end": lambda m, owner, node, name, last=True: _move(m, owner, node, name, last),
}  # fmt: skip


def _move(m: Interpreter, owner: Dict, node: ast.AST, name: Value, last: bool) -> None:
    value = _pop_key(m, owner, node, name)
    rest = [] if last else list(owner.items.items())
    for k, _ in rest:
        m.heap.delete(owner.items, k)
    m.heap.set(owner.items, name, value)
    for k, v in rest:
        m.heap.set(owner.items, k, v)


_MOST_OPEN_KEYS = BUDGETS.containers.open_keys


def _counted(m: Interpreter, owner: Dict, node: ast.AST, other: Value, sign: int, named: dict[str, Value]) -> Value:
    """Add counts, or occurrences, to a Counter."""
    pairs: list[tuple[Value, Value]] = list(named.items())
    if isinstance(other, Dict) and OPEN not in other.items:
        pairs += other.items.items()
    elif (items_shown := parts(m, other, node)) is not None:
        put_all(m, owner, shown(items_shown), length(items_shown), node)
        return None
    elif other is not None:
        found = m.iterate(other, node)
        if found is None:
            return m.gap("Counter", node, "of an unknown value")
        pairs += [(one, 1) for one in found]
    strange: list[Value] = []
    open_keys = sum(isinstance(name, Term) for name, _ in pairs) > _MOST_OPEN_KEYS
    for name, count in pairs:
        known = name if open_keys and isinstance(name, Term) else key(m, name, node)
        if isinstance(known, (Unknown, Term)):
            strange.append(name)
            continue
        m.heap.set(owner.items, known, m.binary(ast.Add if sign > 0 else ast.Sub, owner.items.get(known, 0), count, node))
    if strange:
        put_all(m, owner, shown(strange), length(strange), node)
    return None


def _most_common(m: Interpreter, owner: Dict, node: ast.AST, count: Value = None) -> Value:
    if OPEN in owner.items:
        found = pairs_of(owner)
        total, samples = length(found), shown(found)
        fewer = minimum(total, count) if isinstance(count, (int, Term)) and not isinstance(total, Unknown) else total
        return List(m.heap.row([summarise(fewer, samples)]))
    pairs = [(k, v) for k, v in owner.items.items() if isinstance(v, int)]
    if len(pairs) < len(owner.items):
        return m.gap("Counter.most_common", node, "a count is not known")
    return List(m.heap.row(sorted(pairs, key=lambda pair: -pair[1])[: count if isinstance(count, int) else None]))


def _elements(m: Interpreter, owner: Dict, node: ast.AST) -> Value:
    if not all(isinstance(v, int) for v in owner.items.values()):
        return m.gap("Counter.elements", node, "a count is not known")
    return Iterator([k for k, v in owner.items.items() if isinstance(v, int) for _ in range(v)], m.heap.space({"at": 0}))


COUNTER: dict[str, Callable[..., Value]] = {
    **DICT, "most_common": _most_common, "elements": _elements,
    "update": lambda m, owner, node, other=None, **named: _counted(m, owner, node, other, 1, named),
    "subtract": lambda m, owner, node, other=None, **named: _counted(m, owner, node, other, -1, named),
    "total": lambda m, owner, node: m.call(sum, (tuple(owner.items.values()),), {}, node),
    "copy": lambda m, owner, node: Dict(m.heap.entries(dict(owner.items)), None, True),
}  # fmt: skip
