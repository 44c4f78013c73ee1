"""enum: members with names and values, lookup both ways, aliases, numbers, texts and flags."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries.model import ClassModel, KindModel, Run
from tensorproof.terms import Term
from tensorproof.values import MISSING, Args, Key, Kwargs, Machine, Named, Table, Unknown, Value, slot
from tensorproof.values.objects import Bound, Choice, Class, ClassMethod, Dict, Function, Instance, Model, Native, Property, StaticMethod

IGNORED: Key[tuple[str, ...]] = slot("_ignore_")
SETS: Key[Table[Instance]] = slot("*sets*")
MEMBERS: Key[Table[Instance]] = slot("*members*")
VALUE: Key[int] = slot("_value_")
_NO_MEMBER = (Function, Property, ClassMethod, StaticMethod, Native, Class)
_BINARY = {
    "add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "truediv": ast.Div, "floordiv": ast.FloorDiv, "mod": ast.Mod, "pow": ast.Pow,
    "lshift": ast.LShift, "rshift": ast.RShift, "and": ast.BitAnd, "or": ast.BitOr, "xor": ast.BitXor,
}  # fmt: skip
_COMPARE = {"eq": ast.Eq, "ne": ast.NotEq, "lt": ast.Lt, "le": ast.LtE, "gt": ast.Gt, "ge": ast.GtE}


def _bases(cls: Class) -> set[str]:
    return {one.name.rpartition(".")[2] for one in cls.mro if isinstance(one, Named)}


def _own(cls: Class, name: str) -> bool:
    """Whether a name is the class's own, and none of a member: `_word_`, `__word__`, or private."""
    return (name.startswith("_") and name.endswith("_")) or name.startswith(("__", f"_{cls.name.lstrip('_')}__"))


def _next_value(m: Machine, cls: Class, name: str, earlier: list[Value], node: ast.AST) -> Value:
    own = m.in_class(cls, "_generate_next_value_")
    if own is not MISSING:
        function = own.function if isinstance(own, StaticMethod) else own
        return m.call(function, (name, 1, len(earlier), m.call(list, (tuple(earlier),), {}, node)), {}, node)
    if "StrEnum" in _bases(cls):
        return name.lower()
    whole = [v for v in earlier if isinstance(v, int)]
    if _bases(cls) & {"Flag", "IntFlag"}:
        return 1 << (max(whole).bit_length() if whole else 0)
    return max(whole) + 1 if whole else 1


def _made(m: Machine, cls: Class, keywords: Kwargs, node: ast.AST) -> Class:
    """The class body has run: its plain names become members."""
    ignored = cls.space.get(IGNORED, ())
    members: dict[str, Any] = {}
    earlier: list[Value] = []
    if _mixed(cls) is not None:
        _as_plain(m, cls)
    for name, value in list(cls.space.items()):
        if not isinstance(name, str) or _own(cls, name) or isinstance(value, _NO_MEMBER) or name in ignored:
            continue
        if isinstance(value, Model) and value.kind == "enum.nonmember":
            m.heap.set(cls.space, name, value.space["value"])
            continue
        if isinstance(value, Model) and value.kind == "enum.auto":
            value = _next_value(m, cls, name, earlier, node)
        earlier.append(value)
        known = next((one for one in members.values() if m.truth(m.compare(ast.Eq, one.space[VALUE], value, node), node) is True), None)
        members[name] = known if known is not None else _member(m, cls, name, value, node)
        m.heap.set(cls.space, name, members[name])
    inherited = next((one.space[MEMBERS] for one in cls.mro[1:] if isinstance(one, Class) and one.space.get(MEMBERS)), None)
    if inherited:
        raise m.raised("TypeError", f"{cls.name} cannot derive from an enumeration that has members", node)
    m.heap.set(cls.space, MEMBERS, members)
    return cls


def _member(m: Machine, cls: Class, name: str, value: Value, node: ast.AST) -> Instance:
    made = Instance(cls, m.heap.space({"_name_": name, "name": name, "_value_": value, "value": value}), m.user_span(node))
    maker = cls.space.get("__new__", MISSING)
    if isinstance(maker, Function):
        m.gap(f"{cls.name}.__new__", node, "an enumeration with its own __new__")
    init = m.in_class(cls, "__init__")
    if isinstance(init, Function):
        m.call(Bound(init, made), value if isinstance(value, tuple) else (value,), {}, node)
    return made


def _mixed(cls: Class) -> type | None:
    """The plain type that the members are of, too."""
    names = _bases(cls)
    if names & {"IntEnum", "IntFlag"}:
        return int
    if "StrEnum" in names:
        return str
    return next((one for one in cls.mro if isinstance(one, type) and one in (int, str, float)), None)


def _plain(value: Value) -> Value:
    return value.space[VALUE] if isinstance(value, Instance) and "_value_" in value.space else value


def _as_plain(m: Machine, cls: Class) -> None:
    """Members that are numbers or texts take part in operators as such."""
    kind = _mixed(cls)
    if kind not in cls.mro:
        cls.mro = (*cls.mro, kind)
    flags = bool(_bases(cls) & {"Flag", "IntFlag"})
    for word, op in _BINARY.items():
        if flags and word in ("and", "or", "xor"):
            continue
        m.heap.set(cls.space, f"__{word}__", Native(f"__{word}__", lambda mm, a, k, n, op=op: mm.binary(op, _plain(a[0]), _plain(a[1]), n)))
        m.heap.set(cls.space, f"__r{word}__", Native(f"__r{word}__", lambda mm, a, k, n, op=op: mm.binary(op, _plain(a[1]), _plain(a[0]), n)))
    for word, compare in _COMPARE.items():
        if f"__{word}__" not in cls.space:
            m.heap.set(cls.space, f"__{word}__", Native(f"__{word}__", lambda mm, a, k, n, op=compare: mm.compare(op, _plain(a[0]), _plain(a[1]), n)))
    for word in ("__int__", "__index__", "__float__"):
        m.heap.set(cls.space, word, Native(word, lambda mm, a, k, n, to=word: mm.call(float if to == "__float__" else int, (_plain(a[0]),), {}, n)))


def _plain_attribute(m: Machine, me: Any, name: str, node: ast.AST) -> Value:
    """A method that a member has as the text or number that it is."""
    kind = _mixed(me.cls)
    if kind is None or not hasattr(kind, name) or name.startswith("__"):
        return MISSING
    return m.attribute(me.space[VALUE], name, node)


def members(cls: Class) -> list[Instance]:
    """The members in order, an alias left out."""
    found = cls.space.get(MEMBERS)
    return list(dict.fromkeys(found.values())) if found is not None else []


def _construct(m: Machine, cls: Class, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`Colour(value)` looks a member up."""
    value = args[0] if args else kwargs.get("value")
    if isinstance(value, Choice):
        return m.branching.choose(value.condition, lambda: _construct(m, cls, (value.then,), {}, node), lambda: _construct(m, cls, (value.other,), {}, node))
    if isinstance(value, (Unknown, Term)):
        return m.gap(f"{cls.name}(…)", node, "the value is not known")
    if isinstance(value, Instance) and value.cls is cls:
        return value
    for one in members(cls):
        if m.truth(m.compare(ast.Eq, one.space[VALUE], _plain(value), node), node) is True:
            return one
    if _bases(cls) & {"Flag", "IntFlag"} and isinstance(value, int):
        return _flag(m, cls, value, node)
    own = m.in_class(cls, "_missing_")
    if isinstance(own, ClassMethod):
        found = m.call(own.function, (cls, value), {}, node)
        if found is not None:
            return found
    shown = repr(value) if isinstance(value, (str, int, float)) else "this"
    raise m.raised("ValueError", f"{shown} is not a value of {cls.name}", node)


def _class_item(m: Machine, cls: Class, name: Value, node: ast.AST) -> Value:
    if isinstance(name, Choice):
        return m.branching.choose(name.condition, lambda: _class_item(m, cls, name.then, node), lambda: _class_item(m, cls, name.other, node))
    members = cls.space.get(MEMBERS)
    found = members.get(name, MISSING) if members is not None and isinstance(name, str) else MISSING
    if found is not MISSING:
        return found
    if isinstance(name, Unknown):
        return m.gap(f"{cls.name}[…]", node, "the name is not known")
    raise m.raised("KeyError", f"{cls.name} has no member {name!r}", node)


def _class_member(m: Machine, cls: Class, name: str) -> Value:
    if name == "__members__":
        return Dict(m.heap.entries(dict(cls.space.get(MEMBERS, {}))))
    return MISSING


def _flag(m: Machine, cls: Class, value: int, node: ast.AST) -> Instance:
    for one in members(cls):
        if one.space[VALUE] == value:
            return one
    known = cls.space.get(SETS)
    if known is None:
        m.heap.set(cls.space, SETS, m.heap.entries())
        known = cls.space[SETS]
    if value not in known:
        m.heap.set(known, value, Instance(cls, m.heap.space({"_name_": None, "name": None, "_value_": value, "value": value}), m.user_span(node)))
    return known[value]


def _flag_method(word: str, m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    mine, other = me.space[VALUE], _plain(args[0])
    if not isinstance(mine, int) or not isinstance(other, int):
        return NotImplemented
    return _flag(m, me.cls, {"or": mine | other, "and": mine & other, "xor": mine ^ other}[word], node)


def _inverted(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> Instance:
    everything = 0
    for one in members(me.cls):
        everything |= one.space[VALUE]
    return _flag(m, me.cls, everything & ~me.space[VALUE], node)


def _has_flag(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> bool | Unknown:
    mine, other = me.space[VALUE], _plain(args[0])
    return mine & other == other if isinstance(mine, int) and isinstance(other, int) else m.gap("in", node, "a flag is not known")


def _unique(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    cls = args[0]
    if isinstance(cls, Class) and len(members(cls)) != len(cls.space.get(MEMBERS, {})):
        raise m.raised("ValueError", f"two names of {cls.name} have the same value", node)
    return cls


def _functional(base: str, m: Machine, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.AST) -> Value:
    names = args[1] if len(args) > 1 else kwargs.get("names")
    listed = names.replace(",", " ").split() if isinstance(names, str) else list(names.items.items()) if isinstance(names, Dict) else m.iterate(names, node)
    if listed is None or not isinstance(args[0], str):
        return m.gap(base, node, "its names are not known")
    start = kwargs.get("start", 1)
    space = m.heap.space()
    for at, one in enumerate(listed):
        pair = (one, start + at) if isinstance(one, str) else tuple(m.iterate(one, node) or ())
        space[pair[0]] = pair[1]
    cls = Class(args[0], (Named(base),), space, span=m.user_span(node), module=m.frames[-1].module if m.frames else None)
    cls.mro = (cls, Named(base))
    return _made(m, cls, {}, node)


_WORDS = ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag")
FUNCTIONS: dict[str, Run] = {
    "enum.auto": lambda m, a, k, n: Model("enum.auto", m.heap.space()), "enum.unique": _unique, "enum.property": lambda m, a, k, n: Property(a[0]),
    "enum.nonmember": lambda m, a, k, n: Model("enum.nonmember", m.heap.space({"value": a[0]})),
    **{f"enum.{w}": partial(_functional, f"enum.{w}") for w in _WORDS},
}  # fmt: skip
KINDS = {"enum.auto": KindModel(), "enum.nonmember": KindModel()}
_COMMON = ClassModel(
    "enum.Enum", made=_made, construct=_construct, class_items=lambda m, cls: members(cls), class_item=_class_item, member=_class_member,
    attribute=_plain_attribute,
)  # fmt: skip
_FLAG = ClassModel(
    "enum.Flag", bases=("enum.Enum",),
    methods={
        "__or__": partial(_flag_method, "or"), "__and__": partial(_flag_method, "and"), "__xor__": partial(_flag_method, "xor"),
        "__ror__": partial(_flag_method, "or"),
        "__rand__": partial(_flag_method, "and"), "__invert__": _inverted, "__contains__": _has_flag, "__bool__": lambda m, me, a, k, n: me.space[VALUE] != 0,
    },
)  # fmt: skip
CLASSES = {
    "enum.Enum": _COMMON, "enum.Flag": _FLAG, "enum.IntEnum": ClassModel("enum.IntEnum", bases=("enum.Enum",)),
    "enum.StrEnum": ClassModel("enum.StrEnum", bases=("enum.Enum",)), "enum.IntFlag": ClassModel("enum.IntFlag", bases=("enum.Flag",)),
}  # fmt: skip
