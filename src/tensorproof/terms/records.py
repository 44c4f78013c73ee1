"""`dataclass`, `field` and `replace` with the meaning of the standard library's, for classes with slots.

The library's decorator writes and compiles up to eight methods for each class, 0.5 ms in all; with a hundred classes that was a quarter of a
cold `check`. Here the methods are shared functions over the names of the fields, and `__init__` is compiled when the first object is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:
    from operator import attrgetter

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
        cls = type(record)
        names = cls.__match_args__
        if len(names) < 2:
            return cls(**({name: getattr(record, name) for name in names} | changes))
        read, places = _READERS.get(cls) or _reader(cls)
        values = [*read(record)]
        for name, value in changes.items():
            values[places[name]] = value
        return cls(*values)

    _READERS = {}

    def _reader(cls):
        """What reads all fields of a record at once, and the place of each."""
        found = _READERS.get(cls)
        if found is None:
            names = cls.__match_args__
            found = _READERS[cls] = attrgetter(*names), {name: place for place, name in enumerate(names)}
        return found

    def dataclass(*, frozen=False, slots=True, eq=True):
        assert slots, "without slots, take the standard library's dataclass"
        return lambda cls: _made(cls, frozen, eq)

    def _made(cls, frozen, eq):
        own = {name: vars(cls).get(name, _REQUIRED) for name in cls.__annotations__}
        fields = {name: default for base in cls.__mro__[:0:-1] for name, default in vars(base).get("__record__", {}).items()}
        space = {name: value for name, value in vars(cls).items() if name not in own and name not in ("__dict__", "__weakref__")}
        space["__slots__"] = tuple(name for name in own if name not in fields)
        fields |= own
        names = tuple(name for name, default in fields.items() if not isinstance(default, _Field) or default.init)
        methods = {"__init__": _first_use(fields, frozen), "__repr__": _repr} | (_equality(tuple(fields), frozen) if eq else {})
        if frozen:
            methods |= {"__setattr__": _refuse, "__delattr__": _refuse, "__reduce__": _reduce}
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

    def _first_use(fields, frozen):
        """An `__init__` that compiles the real one and puts it in its place."""

        def __init__(_self, *args, **kwargs):
            cls = next(c for c in type(_self).__mro__ if vars(c).get("__init__") is __init__)
            cls.__init__ = _compiled(cls, fields, frozen)
            cls.__init__(_self, *args, **kwargs)

        return __init__

    def _compiled(cls, fields, frozen):
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
            if frozen:  # the slot itself does not ask __setattr__
                known[f"_set_{name}"] = getattr(cls, name).__set__
            body.append(f"_set_{name}(_self, {value})" if frozen else f"_self.{name} = {value}")
        if hasattr(cls, "__post_init__"):
            body.append("_self.__post_init__()")
        exec(f"def __init__({', '.join(heading)}):\n  " + "\n  ".join(body or ["pass"]), known)
        return known["__init__"]


__all__ = ["dataclass", "field", "replace"]
