"""Metaclasses of the program: those that add methods to their classes, or decide what a call of the class gives."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorproof.frontends.python.attributes.lookup import in_class
from tensorproof.values.heap import MISSING, slot
from tensorproof.values.objects import Bound, Class, ClassMethod, Native, Property, StaticMethod
from tensorproof.values.python_values import Named

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.heap import Key
    from tensorproof.values.machine import Value

LIBRARY = {"abc.ABCMeta": "abc.ABC", "enum.EnumMeta": "enum.Enum", "enum.EnumType": "enum.Enum"}
"""A metaclass of a library does what a base class with it does."""
_NOT_FOLLOWED = frozenset(
    ["__new__", "__init__", "__prepare__", "__getattribute__", "__getattr__", "__setattr__", "__instancecheck__", "__subclasscheck__"]
    + ["__iter__", "__len__", "__getitem__", "__contains__"]
)
"""What a metaclass may define to make its classes something else."""

REGISTERED: Key[tuple[Value, ...]] = slot("__registered__")
"""Where a class keeps those that were registered with it (`ABC.register`)."""


def register(m: Interpreter, owner: Class, cls: Value) -> Value:
    """`owner.register(cls)`: the class is a virtual subclass of the owner and of all that the owner derives from."""
    for one in owner.mro:
        if isinstance(one, Class):
            m.heap.set(one.space, REGISTERED, (*one.space.get(REGISTERED, ()), cls))
    return cls


def given_to(m: Interpreter, cls: Class, meta: Value, node: ast.AST) -> bool:
    """Give a class its metaclass, its own or that of a base; False where it is not followed."""
    if meta is None:
        cls.meta = next((c.meta for c in cls.mro[1:] if isinstance(c, Class) and c.meta is not None), None)
        return True
    if meta is type:
        return True
    names = [c.name for c in (meta.mro if isinstance(meta, Class) else (meta,)) if isinstance(c, Named)]
    if any(name not in LIBRARY for name in names) or not isinstance(meta, (Class, Named)):
        return False
    for base in (LIBRARY[name] for name in names):
        if not any(isinstance(c, Named) and c.name == base for c in cls.mro):
            cls.mro = (*cls.mro, Named(base))
    if isinstance(meta, Class):
        if any(isinstance(c, Class) and not _NOT_FOLLOWED.isdisjoint(c.space) for c in meta.mro):
            return False
        if any(c is not type and not isinstance(c, (Class, Named)) for c in meta.mro):
            return False
        cls.meta = meta
    return True


def attribute(m: Interpreter, cls: Class, name: str, node: ast.AST) -> Value:
    """What the metaclass gives a class; MISSING where it gives nothing of that name."""
    value = in_class(m, cls.meta, name)[0] if cls.meta is not None else MISSING
    match value:
        case ClassMethod():
            return Bound(value.function, cls.meta)
        case StaticMethod():
            return value.function
        case Property():
            return m.call(value.get, (cls,), {}, node)
        case _:
            return Bound(value, cls) if value is not MISSING and hasattr(value, "code") else value


def calls(m: Interpreter, cls: Class) -> Value:
    """What is called in place of a class: the `__call__` of its metaclass; MISSING where there is none."""
    found = in_class(m, cls.meta, "__call__")[0] if cls.meta is not None else MISSING
    return found if found is MISSING else Bound(found, cls)


def of_super(m: Interpreter, cls: Class, after: Value, name: str) -> Value:
    """`super().name` in a method of a metaclass."""
    value = in_class(m, cls.meta, name, after)[0]
    if value is not MISSING:
        return Bound(value, cls)
    if name == "__call__":
        return Native("type.__call__", lambda machine, args, kwargs, node: machine.new_object(cls, args, kwargs, node))
    return MISSING
