"""What a call into a package that is not seen may fill of what it gets.

A list that is empty and an attribute that is None or a number when its object goes into such a call may hold something afterwards: what the functions and
methods that were given away write is not known from then on. What is filled already, and every tensor, keeps what is known of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tensorproof.terms.budgets import BUDGETS
from tensorproof.values.objects import OPEN, Bound, Class, Dict, Function, Instance, List
from tensorproof.values.python_values import COLLECTED, REAL, TEXT, WHOLE, Unknown
from tensorproof.values.summaries import summarise

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter

_DEEPEST = BUDGETS.containers.depth_of_summarised
_FILLING = frozenset({"append", "extend", "insert", "add", "update", "setdefault", "appendleft"})
_FILLED = Unknown("what a call that is not understood may have filled")


def fill(m: Interpreter, value: Any) -> None:
    """What whoever gets this value may fill is not known from here on."""
    _fill(m, value, _DEEPEST)


def _fill(m: Interpreter, value: Any, depth: int) -> None:
    """Whatever is empty and whoever gets this value may fill."""
    if depth == 0:
        return
    if type(value) is Bound:
        _fill(m, value.self, depth - 1)
        value = value.function
    if type(value) is Function and not getattr(value.module, "foreign", False):
        _fill_names(m, value)
    elif isinstance(value, (tuple, List)):
        if isinstance(value, List) and not value.items and not value.view:
            m.heap.touch(value.items)
            value.items.append(COLLECTED)
        for one in value.items if isinstance(value, List) else value:
            _fill(m, one, depth - 1)
    elif isinstance(value, Dict):
        if not value.items:
            m.heap.set(value.items, OPEN, summarise(COLLECTED.count, [(_FILLED, _FILLED), (_FILLED, _FILLED)]))
        for one in list(value.items.values()):
            _fill(m, one, depth - 1)
    elif isinstance(value, Instance):
        _fill_attributes(m, value)


def _fill_attributes(m: Interpreter, value: Instance) -> None:
    """Attributes that the methods of an object write."""
    methods = [f for cls in value.cls.mro if type(cls) is Class for name, f in cls.space.items() if type(f) is Function and name != "__init__"]
    for name in {n for f in methods for n in _written(f.code.node.body if not isinstance(f.code.node, ast.Lambda) else [], ast.Attribute)}:
        held = value.space.get(name, _FILLED)
        if isinstance(held, (List, Dict)):
            _fill(m, held, 1)
        elif held is None or type(held) in (bool, int, float, str):
            kinds = {bool: Unknown("a truth value", number="bool"), int: WHOLE, float: REAL, str: TEXT}
            m.heap.set(value.space, name, kinds.get(type(held), _FILLED))


def _fill_names(m: Interpreter, function: Function) -> None:
    """Lists and dicts of the scopes around a function that it fills."""
    node = function.code.node
    names = _written([node.body] if isinstance(node, ast.Lambda) else node.body, ast.Name)
    for name in names:
        spaces = (*reversed(function.scopes), *([function.module.space] if function.module is not None else []))
        space = next((space for space in spaces if name in space), None)
        held = None if space is None else space[name]
        if isinstance(held, (List, Dict)):
            _fill(m, held, 1)


def _written(body: Iterable[ast.AST], kind: type[ast.Attribute] | type[ast.Name]) -> set[str]:
    """The attributes of `self`, or the names, that some statements write or fill."""
    found: set[str] = set()
    for node in (inner for statement in body for inner in ast.walk(statement)):
        place: ast.AST | None = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _FILLING:
            place = node.func.value
        elif isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            place = node if isinstance(node, ast.Attribute) else node.value
        elif isinstance(node, ast.AugAssign):
            place = node.target
        while isinstance(place, ast.Subscript):
            place = place.value
        if isinstance(place, ast.Attribute) and kind is ast.Attribute and isinstance(place.value, ast.Name):
            found.add(place.attr)
        elif isinstance(place, ast.Name) and kind is ast.Name:
            found.add(place.id)
    return found
