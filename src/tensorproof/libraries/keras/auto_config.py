"""The configuration that Keras makes of a layer's constructor arguments where its class has no `get_config` of its own.

Numbers, texts, truth values and None alone, in lists, tuples and dicts: with anything else the class must write `get_config`.
"""

from __future__ import annotations

import ast

from tensorproof.libraries import leaves
from tensorproof.terms import Predicate, Term
from tensorproof.values import Bound, Dict, Function, Instance, Machine, Named, Unknown, Value

_GIVEN, LOST = "*constructor arguments*", "*arguments lost*"


def remember(m: Machine, me: Instance) -> None:
    """At `super().__init__()`: what the constructor of the object's own class was given."""
    if _GIVEN in me.space:
        return
    for frame in m.frames:
        code = frame.function.code.node if frame.function is not None and frame.function.name == "__init__" else None
        names = [a.arg for a in (*code.args.posonlyargs, *code.args.args)] if code is not None else []
        if not names or frame.space.get(names[0]) is not me or code is None or frame.function is None:
            continue
        held = {name: frame.space.get(name) for name in (*names[1:], *(a.arg for a in code.args.kwonlyargs))}
        if any(isinstance(cls, Named) and cls.name == "keras.Model" for cls in me.cls.mro):  # which drops what its constructor is given
            known = _defaults(frame.function, names)
            lost = any(name in known and known[name] is not value and known[name] != value for name, value in held.items())
            m.heap.set(me.space, _GIVEN, ({k: v for k, v in known.items() if k in held}, _names(code), any(name not in known for name in held)))
            m.heap.set(me.space, LOST, lost)
            return
        more = frame.space.get(code.args.kwarg.arg) if code.args.kwarg is not None else None
        held.update(more.items if isinstance(more, Dict) else {})
        many = code.args.vararg is not None and frame.space.get(code.args.vararg.arg) not in ((), None)
        m.heap.set(me.space, _GIVEN, (held, _names(code), many))
        return


def _names(code: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> bool:
    """Whether a constructor takes a name."""
    return code.args.kwarg is not None or any(a.arg == "name" for a in (*code.args.args, *code.args.kwonlyargs))


def _defaults(function: Function, names: list[str]) -> dict[str, Value]:
    held = dict(zip(names[len(names) - len(function.defaults) :], function.defaults)) if function.defaults else {}
    return {**held, **function.keyword_defaults}


def saved(m: Machine, me: Instance, node: ast.AST) -> None:
    """What saving asks of a layer of the program: its configuration."""
    own = m.in_class(me.cls, "get_config")
    if isinstance(own, Function):
        m.call(Bound(own, me), (), {}, node)
    else:
        entries(m, me, node)


def entries(m: Machine, me: Instance, node: ast.AST) -> tuple[dict[str, Value], bool]:
    """What is added to the configuration of a layer without `get_config`, and whether its name stays in it."""
    held = me.space.get(_GIVEN)
    if isinstance(m.in_class(me.cls, "get_config"), Function) or not isinstance(held, tuple):
        return {}, True
    given, named, many = held
    values = {name: value for name, value in given.items() if name != "name"}
    kinds = {_is_plain(v) for value in values.values() for v in leaves(value)}
    if many or False in kinds:
        message = f"{me.cls.name} gets arguments that no configuration holds: write get_config, with what from_config needs"
        raise m.raised("NotImplementedError", message, node, "keras/config")
    if None in kinds:
        m.gap(f"{me.cls.name}.get_config", node, "an argument of the constructor is not known")
    return values, named


def _is_plain(value: Value) -> bool | None:
    if isinstance(value, Unknown):
        return True if value.number or value.text else None
    return value is None or isinstance(value, (str, int, float, Term, Predicate))
