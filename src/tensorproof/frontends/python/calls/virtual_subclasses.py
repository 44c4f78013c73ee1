"""Classes that answer `isinstance` and `issubclass` by more than their subclasses: protocols, registered classes, `__subclasshook__`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from tensorproof.frontends.python.attributes.lookup import in_class
from tensorproof.frontends.python.attributes.metaclasses import REGISTERED
from tensorproof.terms.tensor import TensorType
from tensorproof.values.objects import FIELDS, Class, ClassMethod, Function, Instance, Model, Property, Record
from tensorproof.values.python_values import Layer, Named, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

_PROTOCOLS = ("typing.Protocol", "typing_extensions.Protocol")


def answered(m: Interpreter, cls: Value, wanted: Class, derives: Callable[[Value], Value], has: Callable[[str], Value]) -> Value:
    """Whether a class counts as one from which it does not derive. `derives` asks the same of another class, `has` asks for an attribute."""
    if any(isinstance(c, Unknown) and c.reason == "metaclass" for c in wanted.mro):
        return Unknown("isinstance")
    if _is_protocol(wanted):
        return _conforms(m, wanted, has)
    hook, _ = in_class(m, wanted, "__subclasshook__")
    if isinstance(hook, ClassMethod):
        said = m.call(hook.function, (wanted, cls), {}, m.here or ast.Pass())
        if said is not NotImplemented:
            return said
    answers = [derives(one) for one in wanted.space.get(REGISTERED, ())]
    return True if any(one is True for one in answers) else next((one for one in answers if one is not False), False)


def _is_protocol(cls: Class) -> bool:
    return any(isinstance(c, Named) and c.name in _PROTOCOLS for c in cls.bases)


def _conforms(m: Interpreter, protocol: Class, has: Callable[[str], Value]) -> Value:
    """Whether an object has all that a protocol and those it extends name."""
    if "__runtime__" not in protocol.space:
        raise m.raised("TypeError", f"isinstance() needs the protocol {protocol.name} to be @runtime_checkable", m.here or ast.Pass())
    names: dict[str, None] = {}
    for one in (c for c in protocol.mro if isinstance(c, Class) and _is_protocol(c)):
        names |= dict.fromkeys(field for field, _ in one.space.get(FIELDS, ()))
        names |= {
            name: None for name, found in one.space.items() if isinstance(found, (Function, Property)) and (not name.startswith("__") or name == "__call__")
        }
    found = [has(name) for name in names]
    if any(one is False for one in found):
        return False
    return True if all(one is True for one in found) else Unknown("isinstance")


def class_of(value: Value) -> Value:
    """The class of a value as `__subclasshook__` gets it."""
    if isinstance(value, (Instance, Record)):
        return value.cls
    return Unknown("a class") if isinstance(value, (TensorType, Layer, Model)) else type(value)
