"""Objects that are no dicts and have keys: what `dict`, `update` and `**` take of them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorproof.frontends.python.containers import hashing
from tensorproof.frontends.python.summaries import summarised_results
from tensorproof.libraries import registry
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Dict, Instance, Model
from tensorproof.values.python_values import Unknown
from tensorproof.values.summaries import is_summarised

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def is_mapping(m: Interpreter, value: Value) -> bool:
    """Whether an object has the method `keys`, by which Python tells a mapping from an iterable of pairs."""
    if isinstance(value, Model):
        kind = registry.kind_model(value.kind)
        return kind is not None and "keys" in kind.methods
    return isinstance(value, Instance) and m.in_class(value.cls, "keys") is not MISSING


def pairs(m: Interpreter, value: Value, node: ast.AST) -> list[Value] | None:
    """The keys of a mapping, each with its item; None where the keys are unknown."""
    found = _entries(m, value, node)
    return None if found is None else list(found)


def _entries(m: Interpreter, value: Value, node: ast.AST) -> list[tuple[Value, Value]] | None:
    keys = summarised_results.listed(m, m.call(m.attribute(value, "keys", node), (), {}, node), node)
    return None if keys is None or is_summarised(keys) else [(key, m.item(value, key, node)) for key in keys]


def unpacked(m: Interpreter, value: Value, node: ast.AST) -> Dict | None:
    """What `**` takes of a value; None where that is not known."""
    value = registry.data_of(value)
    if isinstance(value, Dict):
        return value
    found = _entries(m, value, node) if is_mapping(m, value) else None
    if found is None:
        return None
    made = Dict(m.heap.entries())
    for key, item in found:
        name = hashing.key(m, key, node)
        if isinstance(name, Unknown):
            return None
        made.items[name] = item
    return made
