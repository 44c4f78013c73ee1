"""`super().name`."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from tensorproof.frontends.python.attributes import metaclasses
from tensorproof.frontends.python.attributes.lookup import bind, in_class
from tensorproof.libraries import registry
from tensorproof.libraries.python.object_attributes import object_method
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Bound, Class, ClassMethod, Function, Instance, Native, Property, StaticMethod, Super
from tensorproof.values.python_values import Named, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def attribute(m: Interpreter, owner: Super, name: str, node: ast.AST) -> Value:
    """What `super()` gives, in a method, a class method, or a method of a metaclass."""
    cls = owner.self.cls if isinstance(owner.self, Instance) else owner.self
    if isinstance(owner.self, Class) and owner.self.meta is not None and any(c is owner.after for c in owner.self.meta.mro):
        value = metaclasses.of_super(m, owner.self, owner.after, name)
        if value is not MISSING:
            return value
    value, _ = in_class(m, cls, name, owner.after)
    if value is MISSING:
        if name in ("__init__", "__init_subclass__", "__setattr__", "__delattr__", "__post_init__", "__new__", "__enter__", "__exit__", "__getattribute__"):
            return Native(f"object.{name}", partial(object_method, name, owner.self))
        if isinstance(owner.self, Instance) and type(owner.self.native) is Property and name == "__get__":
            held = owner.self.native
            return Native("property.__get__", lambda machine, args, kwargs, at: machine.call(held.get, (args[0],), {}, at))
        if isinstance(owner.self, Instance):
            found = registry.instance_attribute(m, owner.self, name, node)
            if found is not MISSING:
                return found
        open_ = [c for c in cls.mro if isinstance(c, Unknown) or (isinstance(c, Named) and not registry.closed(c.name, name))]
        if open_:
            base = next((c.name for c in open_ if isinstance(c, Named)), "")
            inherited = m.modules.source_of(m, f"{base}.{name}") if base and isinstance(owner.self, Instance) else None
            return Unknown(name) if inherited is None else bind(m, inherited, owner.self, node)
        raise m.raised("AttributeError", f"super() has no attribute {name}", node)
    if isinstance(owner.self, Instance):
        return bind(m, value, owner.self, node)
    if isinstance(value, ClassMethod) or (isinstance(value, Function) and name in ("__init_subclass__", "__class_getitem__")):
        return Bound(value.function if isinstance(value, ClassMethod) else value, cls)
    return value.function if isinstance(value, StaticMethod) else value


def own_lookup(m: Interpreter, owner: Instance, name: str, node: ast.AST) -> Value:
    """What a `__getattribute__` of the program gives; MISSING where the class has none, or asks for the attribute as `object` does."""
    passed = m.model_state["own lookup"]
    if passed and passed[-1][0] is owner and passed[-1][1] == name:
        passed.pop()
        return MISSING
    hook, _ = in_class(m, owner.cls, "__getattribute__")
    if not isinstance(hook, Function):
        return MISSING
    fallback, _ = in_class(m, owner.cls, "__getattr__")
    if fallback is MISSING:
        return m.call(Bound(hook, owner), (name,), {}, node)
    found, raised = m.attempt(Bound(hook, owner), (name,), {}, node)
    if raised is None:
        return found
    if raised.kind != "AttributeError":
        raise raised
    return m.call(Bound(fallback, owner), (name,), {}, node)
