"""dataclasses: the methods that the decorator writes, fields with their defaults, and copies."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from tensorproof.libraries.model import KindModel, Run
from tensorproof.libraries.python.annotations import of as annotated
from tensorproof.libraries.python.copies import deep
from tensorproof.libraries.varying import any_like, varies
from tensorproof.terms import dataclass, negate
from tensorproof.values import MISSING, WHOLE, Args, Key, Kwargs, Machine, Named, Unknown, Value, slot
from tensorproof.values.objects import FIELDS as ANNOTATED
from tensorproof.values.objects import Bound, Class, Dict, Instance, List, Model, ModuleFile, Native, Record, Set

FIELDS: Key[tuple[Spec, ...]] = slot("__dataclass_fields__")
_NOT_GIVEN = Named("dataclasses.MISSING")
_ORDER = {"__lt__": ast.Lt, "__le__": ast.LtE, "__gt__": ast.Gt, "__ge__": ast.GtE}


@dataclass(frozen=True, slots=True)
class Spec:
    """One field of a dataclass."""

    name: str
    default: Value = MISSING
    factory: Value = MISSING
    init: bool = True
    keyword: bool = False
    compared: bool = True
    only_init: bool = False
    """InitVar: it goes to `__post_init__` and is no attribute."""
    annotation: ast.expr | None = None
    home: ModuleFile | None = None
    """The module of the class that has the annotation."""
    metadata: Value = None
    """The `metadata` that `dataclasses.field` was given."""

    @property
    def optional(self) -> bool:
        return self.default is not MISSING or self.factory is not MISSING


def _field(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    given = {name: value for name, value in kwargs.items() if not (isinstance(value, Named) and value == _NOT_GIVEN)}
    if "default" in given and "default_factory" in given:
        raise m.raised("ValueError", "a field has a default or a default_factory, not both", node)
    return Model("dataclasses.field", m.heap.space(given))


def _dataclass(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if args and isinstance(args[0], Class):
        return _made(m, args[0], kwargs, node)
    if args:
        return m.gap("dataclass", node, "of something that is not a class of the program")
    return Native("dataclass", lambda machine, inner, named, at: _dataclass(machine, inner, kwargs, at))


def _word(annotation: Any) -> str:
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value
    return "" if annotation is None else ast.unparse(annotation)


def _own_fields(m: Machine, cls: Class, keyword: bool, node: ast.AST) -> list[Spec]:
    found: list[Spec] = []
    for name, annotation in cls.space.get(ANNOTATED, ()):
        words = _word(annotation).split("[")[0].rpartition(".")[2]
        if words == "ClassVar":
            continue
        if words == "KW_ONLY":
            keyword = True
            continue
        value = cls.space.get(name, MISSING)
        only_init = words == "InitVar"
        if isinstance(value, Model) and value.kind == "dataclasses.field":
            said = value.space
            spec = Spec(
                name, said.get("default", MISSING), said.get("default_factory", MISSING), said.get("init", True) is not False,
                said.get("kw_only", keyword) is True, said.get("compare", True) is not False, only_init, annotation,
                cls.module, said.get("metadata"),
            )  # fmt: skip
            if spec.default is not MISSING:
                m.heap.set(cls.space, name, spec.default)
            else:
                m.heap.delete(cls.space, name)
        else:
            spec = Spec(name, value, keyword=keyword, only_init=only_init, annotation=annotation, home=cls.module)
        if isinstance(spec.default, (List, Dict, Set)):
            word = type(spec.default).__name__.lower()
            raise m.raised("ValueError", f"the default of {cls.name}.{name} is a {word}, which all objects would share: use default_factory", node)
        found = [s for s in found if s.name != name] + [spec]
    return found


def specs(cls: Any) -> tuple[Spec, ...]:
    """The fields of a dataclass, its bases' first."""
    for one in cls.mro:
        if isinstance(one, Class) and FIELDS in one.space:
            return one.space[FIELDS]
    return ()


def _made(m: Machine, cls: Class, kwargs: Kwargs, node: ast.AST) -> Class:
    fields: dict[str, Spec] = {}
    for base in reversed(cls.mro[1:]):
        if isinstance(base, Class) and FIELDS in base.space:
            fields.update({s.name: s for s in base.space[FIELDS]})
    fields.update({s.name: s for s in _own_fields(m, cls, kwargs.get("kw_only") is True, node)})
    late = False
    for spec in fields.values():
        if spec.init and not spec.keyword:
            if late and not spec.optional:
                raise m.raised("TypeError", f"the field {spec.name} of {cls.name} has no default and follows one that has", node)
            late = late or spec.optional
    order = tuple(fields.values())
    frozen = kwargs.get("frozen") is True
    own = dict(cls.space)
    said = {name: kwargs.get(name, default) for name, default in _PARAMETERS.items()}
    put: dict[str, Value] = {
        FIELDS: order,
        "__dataclass_params__": Model("dataclasses.Params", m.heap.space(said)),
        "__match_args__": tuple(s.name for s in order if s.init and not s.keyword),
    }
    if kwargs.get("init", True) is not False:
        put["__init__"] = Native(f"{cls.name}.__init__", partial(_init, cls, order, frozen))
    if kwargs.get("eq", True) is not False:
        put["__eq__"] = Native("__eq__", partial(_equal, order))
        if frozen or kwargs.get("unsafe_hash") is True:
            put["__hash__"] = Native("__hash__", lambda mm, a, k, n: WHOLE)
        put["__ne__"] = Native("__ne__", lambda mm, a, k, n: _opposite(_equal(order, mm, a, k, n)))
    if kwargs.get("slots") is True:
        put["__slots__"] = tuple(s.name for s in order)
    if kwargs.get("order") is True:
        for name, op in _ORDER.items():
            put[name] = Native(name, lambda mm, a, k, n, op=op: _ordered(mm, order, op, a, n))
    if frozen:
        put["__setattr__"] = Native("__setattr__", lambda mm, a, k, n: _refuse(mm, cls, a, n))
    for name, value in put.items():
        if name.startswith("__dataclass") or name not in own:
            m.heap.set(cls.space, name, value)
    return cls


def _refuse(m: Machine, cls: Class, args: Args, node: ast.AST) -> None:
    raise m.raised("FrozenInstanceError", f"{cls.name} is frozen: {args[1]} cannot be set", node, "python/frozen")


def _init(cls: Class, order: tuple[Spec, ...], frozen: bool, m: Machine, args: tuple[Any, ...], kwargs: dict[str, Value], node: ast.AST) -> None:
    me, given = args[0], args[1:]
    places = [s for s in order if s.init and not s.keyword]
    if len(given) > len(places):
        raise m.raised("TypeError", f"{cls.name} takes {len(places)} positional arguments, {len(given)} are given", node, "call/arguments")
    values: dict[str, Value] = {s.name: v for s, v in zip(places, given)}
    known = {s.name for s in order if s.init}
    for name, value in kwargs.items():
        if name not in known:
            raise m.raised("TypeError", f"{cls.name} has no argument named {name}", node, "call/arguments")
        if name in values:
            raise m.raised("TypeError", f"{cls.name} gets the argument {name} twice", node, "call/arguments")
        values[name] = value
    for spec in order:
        if spec.name in values or (not spec.init and not spec.optional):
            continue
        if not spec.optional:
            raise m.raised("TypeError", f"{cls.name} is missing the argument {spec.name}", node, "call/arguments")
        values[spec.name] = spec.default if spec.default is not MISSING else m.call(spec.factory, (), {}, node)
        if varies(m, spec.name, f"field of {cls.name}"):
            values[spec.name] = any_like(m, spec.name, values[spec.name], node)
    for spec in order:
        if spec.name in values and not spec.only_init:
            if frozen:
                m.heap.set(me.space, spec.name, values[spec.name])
            else:
                m.set_attribute(me, spec.name, values[spec.name], node)
    after = m.in_class(me.cls, "__post_init__")
    if after is not MISSING:
        m.call(Bound(after, me), tuple(values[s.name] for s in order if s.only_init), {}, node)


def _compared(me: Instance, order: tuple[Spec, ...]) -> tuple[Value, ...]:
    return tuple(me.space.get(s.name, me.cls.space.get(s.name)) for s in order if s.compared and not s.only_init)


def _equal(order: tuple[Spec, ...], m: Machine, args: tuple[Any, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    me, other = args
    if not isinstance(other, Instance) or other.cls is not me.cls:
        return NotImplemented
    return m.compare(ast.Eq, _compared(me, order), _compared(other, order), node)


def _opposite(found: Any) -> Value:
    return found if found is NotImplemented or isinstance(found, Unknown) else negate(found)


def _ordered(m: Machine, order: tuple[Spec, ...], op: Any, args: tuple[Any, ...], node: ast.AST) -> Value:
    me, other = args
    if not isinstance(other, Instance) or other.cls is not me.cls:
        return NotImplemented
    return m.compare(op, _compared(me, order), _compared(other, order), node)


def _is_one(value: Value) -> bool:
    cls = value.cls if isinstance(value, Instance) else value
    return isinstance(cls, Class) and bool(any(isinstance(c, Class) and FIELDS in c.space for c in cls.mro))


def _attributes(m: Machine, me: Instance, node: ast.AST) -> list[tuple[str, Value]]:
    return [(s.name, m.attribute(me, s.name, node)) for s in specs(me.cls) if not s.only_init]


def _of_object(name: str, run: Run, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A function of an object of a dataclass."""
    if isinstance(args[0], Unknown):
        return m.gap(f"dataclasses.{name}", node, "of something that is not known")
    if not _is_one(args[0]):
        raise m.raised("TypeError", f"{name} needs an object of a dataclass", node)
    return run(m, args, kwargs, node)


def _taken_apart(m: Machine, value: Value, give: Callable[[list[tuple[str, Value]]], Value], node: ast.AST) -> Any:
    """A value in which each object of a dataclass is what `give` makes of its fields."""
    inner = partial(_taken_apart, m, give=give, node=node)
    match value:
        case Instance() if _is_one(value):
            return give([(k, inner(v)) for k, v in _attributes(m, value, node)])
        case List():
            return List(m.heap.row([inner(v) for v in value.items]))
        case Dict():
            return Dict(m.heap.entries({k: inner(v) for k, v in value.items.items()}))
        case Record():
            return Record.of(value.cls, (inner(v) for v in value))
        case tuple():
            return tuple(inner(v) for v in value)
        case _:
            return deep(m, value, {}, node)


def _asdict(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    factory = kwargs.get("dict_factory")

    def give(pairs: list[tuple[str, Value]]) -> Value:
        return Dict(m.heap.entries(dict(pairs))) if factory is None else m.call(factory, (List(m.heap.row(pairs)),), {}, node)

    return _taken_apart(m, args[0], give, node)


def _astuple(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return _taken_apart(m, args[0], lambda pairs: tuple(v for _, v in pairs), node)


def _replace(m: Machine, args: tuple[Any, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    me = args[0]
    values = {s.name: m.attribute(me, s.name, node) for s in specs(me.cls) if s.init and not s.only_init and s.name not in kwargs}
    return m.call(me.cls, (), {**values, **kwargs}, node)


def _fields(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    cls = args[0].cls if isinstance(args[0], Instance) else args[0]
    return tuple(_field_object(m, s, node) for s in specs(cls) if not s.only_init)


def _field_object(m: Machine, spec: Spec, node: ast.AST) -> Model:
    return Model("dataclasses.Field", m.heap.space({
        "name": spec.name, "default": _NOT_GIVEN if spec.default is MISSING else spec.default, "init": spec.init, "compare": spec.compared,
        "default_factory": _NOT_GIVEN if spec.factory is MISSING else spec.factory, "kw_only": spec.keyword,
        "type": annotated(m, spec.annotation, spec.home, node),
        "metadata": Dict(m.heap.entries({})) if spec.metadata is None else spec.metadata,
    }))  # fmt: skip


_PARAMETERS = {"init": True, "repr": True, "eq": True, "order": False, "unsafe_hash": False, "frozen": False}


FUNCTIONS: dict[str, Any] = {
    "dataclasses.dataclass": _dataclass, "dataclasses.field": _field, "dataclasses.is_dataclass": lambda m, a, k, n: _is_one(a[0]),
    **{f"dataclasses.{name}": partial(_of_object, name, run) for name, run in (
        ("asdict", _asdict), ("astuple", _astuple), ("replace", _replace), ("fields", _fields))},
}  # fmt: skip
KINDS = {"dataclasses.field": KindModel()}
