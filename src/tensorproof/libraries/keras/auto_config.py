"""The configuration that Keras makes of a layer's constructor arguments where its class has no `get_config` of its own.

Numbers, texts, truth values and None alone, in lists, tuples and dicts: with anything else the class must write `get_config`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tensorproof.terms.ints import Term
from tensorproof.terms.predicates import Predicate
from tensorproof.values import Dict, Function, Instance, List, Machine, Unknown, Value

_GIVEN = "*constructor arguments*"


def remember(m: Machine, me: Instance) -> None:
    """At `super().__init__()`: what the constructor of the object's own class was given."""
    if _GIVEN in me.space:
        return
    for frame in m.frames:
        code = frame.function.code.node if frame.function is not None and frame.function.name == "__init__" else None
        names = [a.arg for a in (*code.args.posonlyargs, *code.args.args)] if code is not None else []
        if not names or frame.space.get(names[0]) is not me or code is None:
            continue
        held = {name: frame.space.get(name) for name in (*names[1:], *(a.arg for a in code.args.kwonlyargs))}
        more = frame.space.get(code.args.kwarg.arg) if code.args.kwarg is not None else None
        held.update(more.items if isinstance(more, Dict) else {})
        many = code.args.vararg is not None and frame.space.get(code.args.vararg.arg) not in ((), None)
        m.heap.set(me.space, _GIVEN, (held, "name" in names or code.args.kwarg is not None, many))
        return


def entries(m: Machine, me: Instance, node: ast.AST) -> tuple[dict[str, Value], bool]:
    """What is added to the configuration of a layer without `get_config`, and whether its name stays in it."""
    held = me.space.get(_GIVEN)
    if isinstance(m.in_class(me.cls, "get_config"), Function) or not isinstance(held, tuple):
        return {}, True
    given, named, many = held
    values = {name: value for name, value in given.items() if name != "name"}
    kinds = {_is_plain(v) for value in values.values() for v in _leaves(value)}
    if many or False in kinds:
        message = f"{me.cls.name} gets arguments that no configuration holds: write get_config, with what from_config needs"
        raise m.raised("NotImplementedError", message, node, "keras/config")
    if None in kinds:
        m.gap(f"{me.cls.name}.get_config", node, "an argument of the constructor is not known")
    return values, named


def _leaves(value: Value) -> Iterator[Value]:
    inner = value.items if isinstance(value, List) else value.items.values() if isinstance(value, Dict) else value if isinstance(value, tuple) else None
    if inner is None:
        yield value
    else:
        for one in inner:
            yield from _leaves(one)


def _is_plain(value: Value) -> bool | None:
    if isinstance(value, Unknown):
        return True if value.number or value.text else None
    return value is None or isinstance(value, (str, int, float, Term, Predicate))
