"""collections: ordered and default dicts, counters, deques, named tuples."""

from __future__ import annotations

import ast
import collections.abc
import keyword
from typing import Any

from tensorproof.libraries import ClassModel, Run, argument, iterator
from tensorproof.values import MISSING, Args, Key, Kwargs, Machine, Method, Named, Unknown, Value, slot
from tensorproof.values.objects import FIELDS, Bound, Class, Dict, Instance, List, Native, Record

NAMES: Key[tuple[str, ...]] = slot("*tuple*")
DEFAULTS: Key[dict[str, Value]] = slot("*defaults*")


def _ordered_dict(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    made = m.call(dict, args, kwargs, node)
    if isinstance(made, Dict):
        made.ordered = True
    return made


def _from_keys(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    found = m.iterate(args[0], node)
    return Unknown("fromkeys") if found is None else Dict(m.heap.entries(dict.fromkeys(found, argument(args, kwargs, 1, "value"))))


def _defaultdict(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    made = m.call(dict, args[1:], kwargs, node)
    if args and args[0] is not None and not isinstance(args[0], Unknown) and m.call(callable, (args[0],), {}, node) is False:
        raise m.raised("TypeError", "the first argument of defaultdict must be callable", node)
    if isinstance(made, Dict):
        made.default = args[0] if args else kwargs.pop("default_factory", None)
    return made


def _counter(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    made = Dict(m.heap.entries(), None, True)
    updated = m.call(Method(made, "update"), args, kwargs, node)
    return updated if isinstance(updated, Unknown) else made


def _deque(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    found = m.iterate(argument(args, kwargs, 0, "iterable", ()), node)
    most = argument(args, kwargs, 1, "maxlen")
    if found is None or not isinstance(most, (int, type(None))):
        return m.gap("collections.deque", node, "of something that is not known")
    kept = found if most is None else found[len(found) - most :] if len(found) > most else found
    return List(m.heap.row(kept), True, most)


def named_tuple_class(m: Machine, name: str, fields: list[str], defaults: Args, node: ast.AST) -> Value:
    """A class of named tuples; the last fields have the defaults."""
    for at, one in enumerate(fields):
        if not one.isidentifier() or keyword.iskeyword(one) or one.startswith("_") or one in fields[:at]:
            raise m.raised("ValueError", f"{one!r} cannot be a field of a named tuple", node)
    if len(defaults) > len(fields):
        raise m.raised("TypeError", f"{name} has {len(fields)} fields and {len(defaults)} defaults", node)
    space = m.heap.space({"__fields__": tuple((f, None) for f in fields)})
    space.update(dict(zip(fields[len(fields) - len(defaults) :], defaults)))
    cls = Class(name, (Named("typing.NamedTuple"),), space, span=m.user_span(node), module=m.frames[-1].module if m.frames else None)
    cls.mro = (cls, Named("typing.NamedTuple"))
    return tuple_made(m, cls, {}, node)


def _namedtuple(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    name, fields = argument(args, kwargs, 0, "typename"), argument(args, kwargs, 1, "field_names")
    words = fields.replace(",", " ").split() if isinstance(fields, str) else m.iterate(fields, node)
    defaults = m.iterate(kwargs.get("defaults") or (), node)
    if not isinstance(name, str) or words is None or defaults is None or not all(isinstance(w, str) for w in words):
        return m.gap("collections.namedtuple", node, "its fields are not known")
    if kwargs.get("rename") is True:
        words = [w if w.isidentifier() and not keyword.iskeyword(w) and not w.startswith("_") and w not in words[:i] else f"_{i}" for i, w in enumerate(words)]
    return named_tuple_class(m, name, list(words), tuple(defaults), node)


def tuple_fields(cls: Any) -> tuple[str, ...]:
    for one in cls.mro:
        if isinstance(one, Class) and "*tuple*" in one.space:
            return one.space[NAMES]
    return ()


def tuple_made(m: Machine, cls: Class, keywords: Kwargs, node: ast.AST) -> Class:
    """A class whose base is NamedTuple: its annotated names become the fields."""
    if any(base is not cls and isinstance(base, Class) and "*tuple*" in base.space for base in cls.mro):
        return cls  # a subclass of a named tuple adds no fields
    names = tuple(name for name, _ in cls.space.get(FIELDS, ()))
    late = [n for n in names if n in cls.space]
    if late and names[len(names) - len(late) :] != tuple(late):
        raise m.raised("TypeError", f"a field of {cls.name} without a default follows one with a default", node)
    m.heap.set(cls.space, NAMES, names)
    m.heap.set(cls.space, DEFAULTS, {n: cls.space[n] for n in late})
    for name in late:
        m.heap.delete(cls.space, name)
    m.heap.set(cls.space, "_fields", names)
    m.heap.set(cls.space, "_field_defaults", Dict(m.heap.entries({n: cls.space[DEFAULTS][n] for n in late})))
    m.heap.set(cls.space, "__match_args__", names)
    m.heap.set(cls.space, "_make", Native("_make", lambda mm, a, k, n: _make(mm, cls, a, n)))
    return cls


def _make(m: Machine, cls: Class, args: Args, node: ast.AST) -> Value:
    found = m.iterate(args[-1], node)
    return Unknown("_make") if found is None else tuple_construct(m, cls, tuple(found), {}, node)


def tuple_construct(m: Machine, cls: Class, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    own = m.in_class(cls, "__new__")
    if own is not MISSING and not isinstance(own, Native):
        return MISSING
    return _build(m, cls, args, kwargs, node)


def _build(m: Machine, cls: Class, args: Args, kwargs: Kwargs, node: ast.AST) -> Record:
    names = tuple_fields(cls)
    home = next(one for one in cls.mro if isinstance(one, Class) and "*tuple*" in one.space)
    defaults = home.space[DEFAULTS]
    values = {**defaults, **dict(zip(names, args)), **kwargs}
    if len(args) > len(names):
        raise m.raised("TypeError", f"{cls.name} takes {len(names)} values, {len(args)} are given", node, "call/arguments")
    for name in kwargs:
        if name not in names or name in names[: len(args)]:
            raise m.raised("TypeError", f"{cls.name} has no field {name}" if name not in names else f"{cls.name} gets {name} twice", node, "call/arguments")
    missing = [n for n in names if n not in values]
    if missing:
        raise m.raised("TypeError", f"{cls.name} is missing the value of {missing[0]}", node, "call/arguments")
    return Record.of(cls, (values[n] for n in names))


def tuple_attribute(m: Machine, me: Record, name: str, node: ast.AST) -> Value:
    names = tuple_fields(me.cls)
    if name in names:
        return me[names.index(name)]
    if name == "_asdict":
        return Native(name, lambda mm, a, k, n: Dict(mm.heap.entries(dict(zip(names, me)))))
    if name == "_replace":
        return Native(name, lambda mm, a, k, n: _replace(mm, me, k, n))
    if name == "__class__":
        return me.cls
    return MISSING


def _replace(m: Machine, me: Record, kwargs: Kwargs, node: ast.AST) -> Record:
    names = tuple_fields(me.cls)
    for name in kwargs:
        if name not in names:
            raise m.raised("ValueError", f"{me.cls.name} has no field {name}", node)
    return Record.of(me.cls, (kwargs.get(n, v) for n, v in zip(names, me)))


TUPLE = ClassModel(
    "typing.NamedTuple", made=tuple_made, construct=tuple_construct, attribute=tuple_attribute,
    methods={"__new__": lambda m, cls, args, kwargs, node: _build(m, cls, args, kwargs, node)},
)  # fmt: skip


# --- classes of the program that are dicts or lists ---


def _container_class(name: str, make: Run, words: tuple[str, ...]) -> ClassModel:
    """A class that the program derives from: each object holds a plain dict or list."""

    def data(m: Machine, me: Value) -> Any:
        if not isinstance(me, Instance):
            return me
        if me.native is None:
            me.native = make(m, (), {}, None)
        return me.native

    def init(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
        me.native = make(m, args, kwargs, node)

    def method(word: str) -> Run:
        return lambda m, me, args, kwargs, node: m.call(Method(data(m, me), word), args, kwargs, node)

    def get_item(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        inner = data(m, me)
        if isinstance(inner, Dict) and isinstance(me, Instance) and isinstance(args[0], (str, int, tuple)) and args[0] not in inner.items:
            missing = m.in_class(me.cls, "__missing__")
            if missing is not MISSING:
                return m.call(Bound(missing, me), args, {}, node)
        return m.item(inner, args[0], node)

    def equal(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        return m.compare(ast.Eq, data(m, me), data(m, args[0]), node)

    def plus(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        return m.binary(ast.Add, data(m, me), data(m, args[0]), node)

    own: dict[str, Run] = {
        **{w: method(w) for w in words}, "__getitem__": get_item, "__eq__": equal,
        "__setitem__": lambda m, me, args, kwargs, node: m.set_item(data(m, me), args[0], args[1], node),
        "__delitem__": lambda m, me, args, kwargs, node: m.delete_item(data(m, me), args[0], node),
        "__contains__": lambda m, me, args, kwargs, node: m.compare(ast.In, args[0], data(m, me), node),
        "__len__": lambda m, me, args, kwargs, node: len(data(m, me).items),
        "__iter__": lambda m, me, args, kwargs, node: iterator(m, list(data(m, me).items)),
    }  # fmt: skip
    if name == "builtins.list":
        own["__add__"] = plus
    is_user = name.endswith("UserDict")
    return ClassModel(name, init=init, methods=own, attribute=lambda m, me, word, node: data(m, me) if word == "data" and is_user else MISSING)


_DICT_WORDS = ("get", "setdefault", "pop", "update", "clear", "popitem", "keys", "values", "items", "copy")
_LIST_WORDS = ("append", "extend", "insert", "pop", "remove", "sort", "clear", "reverse", "index", "count", "copy")


FUNCTIONS: dict[str, Run] = {
    "collections.OrderedDict": _ordered_dict, "collections.OrderedDict.fromkeys": _from_keys, "collections.defaultdict": _defaultdict,
    "collections.Counter": _counter, "collections.deque": _deque, "collections.namedtuple": _namedtuple,
    "collections.UserDict": _ordered_dict,
}  # fmt: skip
_ABSTRACT = [name for name in dir(collections.abc) if isinstance(getattr(collections.abc, name), type)]
CLASSES = {
    **{f"collections.{word}": _container_class(f"collections.{word}", make, (*_DICT_WORDS, "move_to_end")) for word, make in (
        ("OrderedDict", _ordered_dict), ("defaultdict", _defaultdict), ("Counter", _counter), ("UserDict", _ordered_dict),
    )},
    "builtins.dict": _container_class("builtins.dict", lambda m, args, kwargs, node: m.call(dict, args, kwargs, node), _DICT_WORDS),
    "builtins.list": _container_class("builtins.list", lambda m, args, kwargs, node: m.call(list, args, kwargs, node), _LIST_WORDS),
    **{f"collections.abc.{word}": ClassModel(f"collections.abc.{word}", closed=False) for word in _ABSTRACT},
}  # fmt: skip
