"""The containers of torch.nn: Sequential, ModuleList and ModuleDict of modules, ParameterList and ParameterDict of tensors."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any

from tensorproof.libraries.plain import argument
from tensorproof.libraries.torch import module_parts
from tensorproof.libraries.torch.layer_attributes import UNSEEN
from tensorproof.libraries.torch.module_tree import is_module
from tensorproof.terms.tensor import TensorType
from tensorproof.values import MISSING, Args, Choice, Dict, Instance, Kwargs, Layer, List, Machine, Model, Unknown, Value

SEQUENTIAL, LIST, DICT = "torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict"
PARAMETER_LIST, PARAMETER_DICT = "torch.nn.ParameterList", "torch.nn.ParameterDict"
_OF_PARAMETERS = (PARAMETER_LIST, PARAMETER_DICT)


def _numbered(count: int) -> tuple[str, ...]:
    return tuple(map(str, range(count)))


def _sequential(m: Machine, args: tuple[Any, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    if len(args) == 1 and isinstance(args[0], Dict):
        module_parts.check_modules(m, args[0].items.values(), node)
        return Layer(None, m.user_span(node), tuple(args[0].items.values()), SEQUENTIAL, tuple(map(str, args[0].items)))
    open_ = next((i for i, a in enumerate(args) if isinstance(a, Choice)), None)
    if open_ is not None:
        one = args[open_]

        def made(child: Value) -> Value:
            return _sequential(m, (*args[:open_], child, *args[open_ + 1 :]), kwargs, node)

        known = m.implied(one.condition)
        return m.branching.choose(one.condition, lambda: made(one.then), lambda: made(one.other)) if known is None else made(one.then if known else one.other)
    bad = next((a for a in args if not is_module(a) and not isinstance(a, Unknown)), None)
    if bad is not None and not isinstance(bad, (Instance, Model)):
        raise m.raised("TypeError", "nn.Sequential takes modules only", node, "call/arguments")
    module_parts.check_modules(m, args, node)
    return Layer(None, m.user_span(node), args, SEQUENTIAL, _numbered(len(args)))


def _module_list(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = argument(args, kwargs, 0, "modules", None)
    found = [] if given is None else m.iterate(given, node)
    if found is None:
        return m.gap(LIST, node, "of unknown modules")
    module_parts.check_modules(m, found, node)
    return Layer(None, m.user_span(node), tuple(found), LIST, _numbered(len(found)))


def _module_dict(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    made = Layer(None, m.user_span(node), (), DICT, ())
    given = argument(args, kwargs, 0, "modules", None)
    pairs = [] if given is None else _pairs(m, given, node)
    if pairs is None:
        return m.gap(DICT, node, "of unknown modules")
    for name, module in pairs:
        set_item(m, made, name, module, node)
    return made


def _parameter_list(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = argument(args, kwargs, 0, "values", None)
    found = [] if given is None else m.iterate(given, node)
    if found is None:
        return m.gap(PARAMETER_LIST, node)
    made = Layer(None, m.user_span(node), (), PARAMETER_LIST, ())
    made.tensors = {str(i): _as_parameter(m, t, node) for i, t in enumerate(found)}
    return made


def _parameter_dict(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = argument(args, kwargs, 0, "parameters", None)
    pairs = [] if given is None else _pairs(m, given, node)
    if pairs is None:
        return m.gap(PARAMETER_DICT, node, "of unknown parameters")
    made = Layer(None, m.user_span(node), (), PARAMETER_DICT, ())
    for name, value in _ordered(given, pairs):
        set_item(m, made, name, value, node)
    return made


def _as_parameter(m: Machine, value: Value, node: ast.AST) -> Value:
    return module_parts.parameter(m, (value,), {}, node) if isinstance(value, TensorType) and not value.parameter else value


def _pairs(m: Machine, given: Value, node: ast.AST) -> list[tuple[Any, Any]] | None:
    """Names with what stands under them: of a dict, of a container, or of pairs."""
    if isinstance(given, Dict):
        return list(given.items.items())
    if isinstance(given, Layer) and given.module is None:
        return list(_entries(given).items())
    found = m.iterate(given, node)
    pairs = None if found is None else [p if isinstance(p, tuple) else tuple(p.items) if isinstance(p, List) else () for p in found]
    return None if pairs is None or any(len(p) != 2 for p in pairs) else [(p[0], p[1]) for p in pairs]


def _ordered(given: Value, pairs: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """A ParameterDict sorts the names of a plain dict."""
    plain = isinstance(given, Dict) and not given.ordered and all(isinstance(name, str) for name, _ in pairs)
    return sorted(pairs, key=lambda pair: str(pair[0])) if plain else pairs


def _wrapper(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """DataParallel and its like: calls go to the module inside."""
    inner = args[0] if args else kwargs.get("module")
    return Layer(None, m.user_span(node), (inner,), "wrapper", ("module",))


def call(m: Machine, owner: Layer, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if owner.kind == SEQUENTIAL:
        if len(args) + len(kwargs) != 1 or not (args or "input" in kwargs):
            raise m.raised("TypeError", f"a Sequential takes one input, {len(args) + len(kwargs)} are given", node, "call/arguments")
        value: Value = args[0] if args else kwargs["input"]
        for child in owner.children:
            m.step()
            value = m.call(child, (value,), {}, node)
        return value
    if owner.kind == "wrapper":
        return m.call(owner.children[0], args, kwargs, node)
    kind = "RuntimeError" if owner.kind == PARAMETER_LIST else "NotImplementedError"
    raise m.raised(kind, f"a {owner.kind.rpartition('.')[2]} has no forward: call the modules in it", node, "module/forward")


def _entries(owner: Layer) -> dict[str, Value]:
    """What stands under each name: of a container of parameters, its numbers or its keys."""
    if owner.kind in _OF_PARAMETERS:
        return {name: t for name, t in owner.tensors.items() if not name.startswith("<")}
    return dict(zip(owner.names, owner.children))


def items(m: Machine, owner: Layer, node: ast.AST) -> list[Value] | None:
    if owner.kind in (DICT, PARAMETER_DICT):
        return list(_entries(owner))
    if owner.kind == "wrapper":
        if UNSEEN in owner.tensors:
            return None
        raise m.raised("TypeError", "a module that wraps another cannot be iterated", node)
    return list(_entries(owner).values()) if owner.module is None else None


def length(m: Machine, owner: Layer, node: ast.AST) -> Value:
    return len(_entries(owner))


def _refuse_index(m: Machine, index: Value, count: int, node: ast.AST) -> None:
    if isinstance(index, int) and not -count <= index < count:
        raise m.raised("IndexError", f"index {index} is out of range for {count} modules", node)
    if isinstance(index, (str, float, tuple)) or index is None:
        raise m.raised("TypeError", "the index of a container of modules is a whole number or a slice", node)


def _plain_slice(index: Value) -> bool:
    return isinstance(index, slice) and all(p is None or isinstance(p, int) for p in (index.start, index.stop, index.step))


def item(m: Machine, owner: Layer, index: Value, node: ast.AST) -> Value:
    entries = _entries(owner)
    if owner.kind in (DICT, PARAMETER_DICT) and not isinstance(index, Unknown):
        if isinstance(index, str) and index in entries:
            return entries[index]
        if owner.kind == DICT:
            raise m.raised("KeyError", f"the key {index!r} is missing", node)
        if isinstance(index, str):
            raise m.raised("AttributeError", f"the ParameterDict has no parameter {index!r}", node)
        raise m.raised("TypeError", "the keys of a ParameterDict are texts", node)
    if owner.module is not None or owner.kind == "wrapper":
        _refuse_items(m, owner, node)
    source = tuple(entries.values())
    if isinstance(index, slice) and _plain_slice(index):
        return _part(owner, source[index], tuple(entries)[index])
    _refuse_index(m, index, len(source), node)
    return source[index] if isinstance(index, int) else m.gap("layers[…]", node, "the index is not known")


def _refuse_items(m: Machine, owner: Layer, node: ast.AST) -> None:
    if UNSEEN not in owner.tensors:
        name = owner.module.name if owner.module is not None else owner.kind
        raise m.raised("TypeError", f"a {name.rpartition('.')[2]} has no items", node)
    m.gap("layers[…]", node, "the wrapper is not known")


def _part(owner: Layer, values: Sequence[Value], names: tuple[str, ...]) -> Layer:
    """A slice: a Sequential keeps the names of its parts, lists number theirs anew."""
    if owner.kind == PARAMETER_LIST:
        made = Layer(None, owner.span, (), owner.kind, ())
        made.tensors = dict(zip(_numbered(len(values)), values))
        return made
    return Layer(None, owner.span, tuple(values), owner.kind, names if owner.kind == SEQUENTIAL else _numbered(len(values)))


def set_item(m: Machine, owner: Layer, index: Value, new: Value, node: ast.AST) -> None:
    if isinstance(index, Unknown):
        m.gap("layers[…] = …", node, "the index is not known")
    elif owner.kind == DICT:
        if not isinstance(index, str):
            raise m.raised("TypeError", "the keys of a ModuleDict are texts", node, "call/arguments")
        module_parts.check_keys(m, (index,), node)
        module_parts.check_modules(m, (new,), node)
        module_parts.set_child(m, owner, index, new)
    elif owner.kind == PARAMETER_DICT:
        if not isinstance(index, str):
            raise m.raised("TypeError", "the keys of a ParameterDict are texts", node, "call/arguments")
        _set_tensor(m, owner, index, new, node)
    elif owner.module is not None or owner.kind == "wrapper":
        _refuse_items(m, owner, node)
    elif isinstance(index, int):
        names = list(_entries(owner))
        _refuse_index(m, index, len(names), node)
        if owner.kind == PARAMETER_LIST:
            _set_tensor(m, owner, names[index], new, node)
        else:
            module_parts.check_modules(m, (new,), node)
            module_parts.set_child(m, owner, names[index], new)
    else:
        _refuse_index(m, index, len(owner.children), node)
        m.gap("layers[…] = …", node)


def _set_tensor(m: Machine, owner: Layer, name: str, new: Value, node: ast.AST) -> None:
    m.remember(owner, "tensors", owner.tensors)
    owner.tensors = {**owner.tensors, name: _as_parameter(m, new, node)}


def delete_item(m: Machine, owner: Layer, index: Value, node: ast.AST) -> None:
    """Of a list the later parts move up, of a dict the others keep their names."""
    entries = _entries(owner)
    if owner.kind not in (SEQUENTIAL, LIST, DICT, PARAMETER_DICT):
        m.gap("del layers[…]", node, "what is left is not followed")
        return
    if isinstance(index, slice) and _plain_slice(index):
        gone = set(tuple(entries)[index])
    else:
        if owner.kind in (DICT, PARAMETER_DICT) and isinstance(index, str) and index not in entries:
            raise m.raised("KeyError", f"the key {index!r} is missing", node)
        item(m, owner, index, node)
        if not isinstance(index, (int, str)):
            return
        gone = {index} if isinstance(index, str) else {tuple(entries)[index]}
    _set_entries(m, owner, {name: value for name, value in entries.items() if name not in gone})


def _set_entries(m: Machine, owner: Layer, left: dict[str, Value]) -> None:
    if owner.kind == PARAMETER_DICT:
        m.remember(owner, "tensors", owner.tensors)
        owner.tensors = dict(left)
        return
    module_parts.remember(m, owner)
    owner.children = tuple(left.values())
    owner.names = tuple(left) if owner.kind == DICT else _numbered(len(left))


def _pop(m: Machine, owner: Layer, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    index = argument(args, kwargs, 0, "key")
    found = item(m, owner, index, node)
    delete_item(m, owner, index, node)
    return found


def _append(m: Machine, owner: Layer, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    new = argument(args, kwargs, 0, "value" if owner.kind == PARAMETER_LIST else "module")
    return _extended(m, owner, (new,), node)


def _extend(m: Machine, owner: Layer, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    found = m.iterate(args[0] if args else next(iter(kwargs.values())), node)
    if found is None:
        m.gap(f"{owner.kind}.extend", node, "by modules that are not known")
        return owner
    return _extended(m, owner, found, node)


def _extended(m: Machine, owner: Layer, new: Iterable[Value], node: ast.AST) -> Value:
    """The parts are added under the next numbers, where something else may stand already."""
    for one in new:
        name = str(length(m, owner, node))
        if owner.kind == PARAMETER_LIST:
            _set_tensor(m, owner, name, one, node)
        else:
            module_parts.check_modules(m, (one,), node)
            module_parts.set_child(m, owner, name, one)
    return owner


def _insert(m: Machine, owner: Layer, args: tuple[Any, ...], kwargs: Kwargs, node: ast.AST) -> Value:
    index, module, count = argument(args, kwargs, 0, "index"), argument(args, kwargs, 1, "module"), len(owner.children)
    if owner.kind == SEQUENTIAL and module_parts.no_module(module):
        raise m.raised("AssertionError", "Sequential.insert takes a module", node)
    if owner.kind == SEQUENTIAL and isinstance(index, int) and not -count <= index <= count:
        raise m.raised("IndexError", f"index {index} is out of range for {count} modules", node)
    if not isinstance(index, int) or owner.names != _numbered(count) or (owner.kind == LIST and not 0 <= index <= count):
        return m.gap(f"{owner.kind}.insert", node, "what is left is not followed")
    module_parts.remember(m, owner)
    at = index + count if index < 0 else index
    owner.children, owner.names = (*owner.children[:at], module, *owner.children[at:]), _numbered(count + 1)
    return owner if owner.kind == SEQUENTIAL else None


def _update(m: Machine, owner: Layer, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = argument(args, kwargs, 0, "parameters" if owner.kind == PARAMETER_DICT else "modules")
    pairs = _pairs(m, given, node)
    if pairs is None:
        return m.gap(f"{owner.kind}.update", node, "by modules that are not known")
    for name, value in _ordered(given, pairs) if owner.kind == PARAMETER_DICT else pairs:
        set_item(m, owner, name, value, node)
    return None


def binary(m: Machine, word: str, a: Any, b: Any, node: ast.AST, in_place: bool) -> Value:
    """`+` and `*` of containers; MISSING for other layers."""
    if word == "mul":
        owner, count = (a, b) if isinstance(a, Layer) else (b, a)
        if owner.kind != SEQUENTIAL or owner.module is not None or not isinstance(count, int):
            return MISSING
        if count <= 0:
            raise m.raised("ValueError", f"a Sequential is repeated a positive number of times, and not {count}", node)
        if in_place and owner is a:
            return _extended(m, owner, owner.children * (count - 1), node)
        return _part(owner, owner.children * count, _numbered(len(owner.children) * count))
    if word != "add" or not isinstance(a, Layer) or a.module is not None or a.kind not in (SEQUENTIAL, LIST, PARAMETER_LIST):
        return MISSING
    if a.kind == SEQUENTIAL and not (isinstance(b, Layer) and b.kind == SEQUENTIAL and b.module is None) and not isinstance(b, (Instance, Unknown)):
        raise m.raised("ValueError", "a Sequential is added to another one only: use append or extend", node)
    if a.kind == PARAMETER_LIST and not in_place:
        return MISSING
    if in_place:
        return _extend(m, a, (b,), {}, node)
    more = m.iterate(b, node)
    if more is None:
        return m.gap(f"{a.kind}.__add__", node, "with modules that are not known")
    module_parts.check_modules(m, more, node)
    return _part(a, (*a.children, *more), _numbered(len(a.children) + len(more)))


def _clear(m: Machine, owner: Layer, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    _set_entries(m, owner, {})
    return None


def _get(m: Machine, owner: Layer, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    key = argument(args, kwargs, 0, "key")
    if not isinstance(key, str):
        return m.gap(f"{owner.kind}.get", node, "the key is not known")
    return _entries(owner).get(key, argument(args, kwargs, 1, "default", None))


def _set_default(m: Machine, owner: Layer, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    key = argument(args, kwargs, 0, "key")
    if key not in _entries(owner):
        set_item(m, owner, key, argument(args, kwargs, 1, "default", None), node)
    return item(m, owner, key, node)


_READ: dict[str, Any] = {
    "keys": lambda m, me, a, k, n: List(m.heap.row(list(_entries(me)))), "values": lambda m, me, a, k, n: List(m.heap.row(list(_entries(me).values()))),
    "items": lambda m, me, a, k, n: List(m.heap.row(list(_entries(me).items()))),
}  # fmt: skip
_GROWING: dict[str, Any] = {"append": _append, "extend": _extend}
_OF_MODULES: dict[str, Any] = {**_GROWING, "insert": _insert, "pop": _pop}
_OF_DICTS: dict[str, Any] = {**_READ, "update": _update, "pop": _pop, "clear": _clear}
METHODS: dict[str, dict[str, Any]] = {
    SEQUENTIAL: _OF_MODULES, LIST: _OF_MODULES, DICT: _OF_DICTS, PARAMETER_LIST: _GROWING,
    PARAMETER_DICT: {**_OF_DICTS, "get": _get, "setdefault": _set_default},
}  # fmt: skip
"""By kind of container, the methods that it has beside those of every module."""
FUNCTIONS: dict[str, Any] = {
    SEQUENTIAL: _sequential, LIST: _module_list, DICT: _module_dict, PARAMETER_LIST: _parameter_list, PARAMETER_DICT: _parameter_dict,
    **dict.fromkeys(("torch.nn.DataParallel", "torch.nn.parallel.DistributedDataParallel", "torch.nn.parallel.DataParallel"), _wrapper),
}  # fmt: skip
