"""What `object` itself does, above all with attributes: properties and other descriptors of the class set and delete them, its slots, and else the object."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries import registry
from tensorproof.libraries.plain import plainly
from tensorproof.values import MISSING, Args, Bound, Class, Function, Instance, Kwargs, List, Machine, Property, Value


def set_plainly(m: Machine, me: Instance, name: str, value: Value, node: ast.AST) -> None:
    """What `object.__setattr__` does."""
    held = m.in_class(me.cls, name)
    if type(held) is Instance:
        writer = m.in_class(held.cls, "__set__")
        if isinstance(writer, Function):
            m.call(Bound(writer, held), (me, value), {}, node)
            return
        held = held.native if type(held.native) is Property else held
    if type(held) is Property:
        if held.set is None:
            raise m.raised("AttributeError", f"the property {name} of {me.cls.name} cannot be set", node)
        m.call(held.set, (me, value), {}, node)
        return
    _has_slot(m, me, name, node)
    registry.attribute_stored(m, me, name, value, node)
    m.heap.set(me.space, name, value)


def delete_plainly(m: Machine, me: Instance, name: str, node: ast.AST) -> bool:
    """What `object.__delattr__` does; whether the attribute was in the object."""
    held = m.in_class(me.cls, name)
    own = m.in_class(held.cls, "__delete__") if type(held) is Instance else MISSING
    if isinstance(own, Function):
        m.call(Bound(own, held), (me,), {}, node)
        return False
    if type(held) is Property:
        if held.delete is None:
            raise m.raised("AttributeError", f"the property {name} of {me.cls.name} cannot be deleted", node)
        m.call(held.delete, (me,), {}, node)
        return False
    if name not in me.space:
        raise m.raised("AttributeError", f"there is no attribute {name} to delete", node)
    m.heap.delete(me.space, name)
    return True


def _has_slot(m: Machine, owner: Instance, name: str, node: ast.AST) -> None:
    """An object whose classes all have `__slots__` takes no other attribute."""
    if name in owner.space or not isinstance(owner.cls.space.get("__slots__"), (tuple, str, List)):
        return
    named: set[Value] = set()
    for cls in owner.cls.mro:
        held = cls.space.get("__slots__") if isinstance(cls, Class) else () if cls is object else None
        items = held.items if isinstance(held, List) else (held,) if isinstance(held, str) else held
        if not isinstance(items, (tuple, list)) or not all(isinstance(n, str) for n in items):
            return
        named |= set(items)
    if name not in named and "__dict__" not in named:
        raise m.raised("AttributeError", f"{owner.cls.name} has no slot for the attribute {name}", node)


def object_method(name: str, me: Any, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """What `object` itself does."""
    if name in ("__setattr__", "__delattr__") and not (args and isinstance(args[0], str)):
        return m.gap(f"object.{name}", node)
    if name == "__setattr__":
        set_plainly(m, me, str(args[0]), args[1], node)
    elif name == "__delattr__":
        delete_plainly(m, me, str(args[0]), node)
    elif name == "__init__" and isinstance(me, Instance) and any(isinstance(c, type) and issubclass(c, BaseException) for c in me.cls.mro):
        m.heap.set(me.space, "args", args)
    elif name == "__getattribute__" and isinstance(me, Instance) and isinstance(args[0], str):
        return plainly(m, me, args[0], node)
    elif name == "__new__":
        cls: Any = args[0] if args else me
        return Instance(cls, m.heap.space(), m.user_span(node))
    return None


def plain_object_method(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`object.__setattr__(self, …)` and its like: what the class itself defines is passed over."""
    if name == "__new__":
        return Instance(args[0], m.heap.space(), m.user_span(node)) if isinstance(args[0], Class) else m.gap("object.__new__", node)
    if name in ("__init__", "__init_subclass__"):
        return None
    me, word = args[0], args[1]
    if not isinstance(me, Instance) or not isinstance(word, str):
        return m.gap(f"object.{name}", node)
    if name == "__setattr__":
        set_plainly(m, me, word, args[2], node)
    elif name == "__delattr__":
        delete_plainly(m, me, word, node)
    else:
        held = me.space.get(word, MISSING)
        return plainly(m, me, word, node) if held is MISSING else held
    return None
