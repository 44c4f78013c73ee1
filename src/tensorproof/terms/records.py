"""`dataclass`, `field` and `replace` with the meaning of the standard library's, for classes with slots.

The library's decorator writes and compiles up to eight methods for each class, 0.5 ms in all; with a hundred classes that was a quarter of a
cold `check`. Here the methods are shared functions over the names of the fields, and `__init__` is compiled for classes with many objects.
That nothing assigns to a field of a frozen record is held by the type checker, and at run time where `TENSORPROOF_FROZEN` is set, as it is in the
tests: a class that refuses assignments fills its own fields at three times the cost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
    from typing import Any, TypeVar

    _Record = TypeVar("_Record")

    def changed(record: _Record, changes: dict[str, Any]) -> _Record:
        """`replace`, of changes by their names."""
else:
    import os
    from itertools import repeat
    from operator import attrgetter

    from tensorproof.terms.constructors import MOST_FIELDS, constructor

    _ENFORCED = "TENSORPROOF_FROZEN" in os.environ

    class _Field:
        """What `field(…)` says of a field."""

        __slots__ = ("factory", "init")

        def __init__(self, factory, init):
            self.factory = factory
            self.init = init

    _REQUIRED = object()
    _NOT_GIVEN = object()

    def field(*, default_factory=None, init=True):
        return _Field(default_factory, init)

    def replace(record, /, **changes):
        """A copy in which some fields are changed."""
        return changed(record, changes)

    def changed(record, changes):
        copy = _COPIERS.get(record.__class__)
        return copy(record, changes) if copy is not None else _copied(record, changes)

    _COPIERS = {}
    _COPIED = {}

    def _copied(record, changes):
        """A copy, as a new record is made. What is copied often, and of which nothing is refused or done at its making, gets a function for that."""
        cls = type(record)
        names = cls.__match_args__
        _COPIED[cls] = uses = _COPIED.get(cls, 0) + 1
        if uses == _FEW and not hasattr(cls, "__post_init__") and cls.__setattr__ is object.__setattr__ and "__record__" in vars(cls):
            lines = [*(f"made.{name} = record.{name}" for name in names), "for name in changes:", "  put(made, name, changes[name])", "return made"]
            known = {"new": object.__new__, "cls": cls, "put": object.__setattr__}
            exec("def copy(record, changes):\n  made = new(cls)\n  " + "\n  ".join(lines), known)
            _COPIERS[cls] = known["copy"]
        return cls(**({name: getattr(record, name) for name in names} | changes))

    def dataclass(*, frozen=False, slots=True, eq=True):
        assert slots, "without slots, take the standard library's dataclass"
        return lambda cls: _made(cls, frozen, eq)

    def _made(cls, frozen, eq):
        own = {name: vars(cls).get(name, _REQUIRED) for name in cls.__annotations__}
        fields = {name: default for base in cls.__mro__[:0:-1] for name, default in vars(base).get("__record__", {}).items()}
        space = {name: value for name, value in vars(cls).items() if name not in own and name not in ("__dict__", "__weakref__")}
        assert "__init__" not in space, "a record is made, and copied, by its fields"
        space["__slots__"] = tuple(name for name in own if name not in fields)
        fields |= own
        names = tuple(name for name, default in fields.items() if not isinstance(default, _Field) or default.init)
        init = _plain_constructor(cls, fields, frozen and _ENFORCED) or _first_uses(fields, frozen and _ENFORCED)
        methods = {"__init__": init, "__repr__": _repr} | (_equality(tuple(fields), frozen) if eq else {})
        if frozen:
            methods |= {"__reduce__": _reduce} | ({"__setattr__": _refuse, "__delattr__": _refuse} if _ENFORCED else {})
        made = type(cls)(cls.__name__, cls.__bases__, {**methods, **space, "__record__": fields, "__match_args__": names})
        made.__qualname__ = cls.__qualname__
        return made

    def _repr(self):
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self.__record__)})"

    def _refuse(self, name, value=None):
        raise AttributeError(f"{name} of a {type(self).__name__} cannot be changed")

    def _reduce(self):
        return type(self), tuple(getattr(self, name) for name in self.__match_args__)

    def _equality(names, frozen):
        """`__eq__` and `__hash__`: all fields in order. What may change has no hash."""
        values = attrgetter(*names) if len(names) > 1 else lambda self: tuple(getattr(self, name) for name in names)

        def __eq__(self, other):
            return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

        def __hash__(self):
            return hash(values(self))

        return {"__eq__": __eq__, "__hash__": __hash__ if frozen else None}

    _FEW = 20

    def _plain_constructor(cls, fields, enforced):
        """The real `__init__` where no text need be compiled for it: few fields, filled with what is given or with plain defaults."""
        if enforced or len(fields) > MOST_FIELDS or hasattr(cls, "__post_init__") or any(isinstance(default, _Field) for default in fields.values()):
            return None
        defaults = tuple(default for default in fields.values() if default is not _REQUIRED)
        given = tuple(fields.values())[len(fields) - len(defaults) :]
        return constructor(tuple(fields), defaults) if all(default is not _REQUIRED for default in given) else None

    def _first_uses(fields, enforced):
        """An `__init__` for the first objects, which then compiles the real one and puts it in its place: most classes have few objects."""
        uses = 0
        names = [name for name, default in fields.items() if not isinstance(default, _Field) or default.init]
        known = frozenset(names)
        plain = {name: fields[name] for name in names if fields[name] is not _REQUIRED and not isinstance(fields[name], _Field)}
        factories = [(name, fields[name].factory) for name in names if isinstance(fields[name], _Field)]

        def __init__(_self, *args, **kwargs):
            nonlocal uses
            uses += 1
            if uses < _FEW:
                given = dict(zip(names, args))
                if len(given) == len(args) and given.keys().isdisjoint(kwargs):
                    given = {**plain, **given, **kwargs}
                    for name, factory in factories:
                        if name not in given:
                            given[name] = factory()
                    if given.keys() == known:
                        for _ in map(_put, repeat(_self), given, given.values()):
                            pass
                        if hasattr(_self, "__post_init__"):
                            _self.__post_init__()
                        return
            cls = next(c for c in type(_self).__mro__ if vars(c).get("__init__") is __init__)
            cls.__init__ = _compiled(cls, fields, enforced)
            cls.__init__(_self, *args, **kwargs)

        return __init__

    _put = object.__setattr__

    def _compiled(cls, fields, enforced):
        known, heading, body = {"_not_given": _NOT_GIVEN}, ["_self"], []
        for name, default in fields.items():
            value = name
            if isinstance(default, _Field):
                if not default.init:
                    continue
                known[f"_make_{name}"] = default.factory
                known[f"_default_{name}"] = _NOT_GIVEN
                value = f"_make_{name}() if {name} is _not_given else {name}"
            elif default is not _REQUIRED:
                known[f"_default_{name}"] = default
            heading.append(name if default is _REQUIRED else f"{name}=_default_{name}")
            if enforced:  # the slot itself does not ask __setattr__
                known[f"_set_{name}"] = getattr(cls, name).__set__
            body.append(f"_set_{name}(_self, {value})" if enforced else f"_self.{name} = {value}")
        if hasattr(cls, "__post_init__"):
            body.append("_self.__post_init__()")
        exec(f"def __init__({', '.join(heading)}):\n  " + "\n  ".join(body or ["pass"]), known)
        return known["__init__"]


__all__ = ["changed", "dataclass", "field", "replace"]
