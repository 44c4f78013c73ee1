"""The tree of modules of torch.nn: who holds which modules, parameters and buffers, under which names and paths."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from typing import Any

from tensorproof.terms.tensor import TensorType
from tensorproof.values import Args, Instance, Key, Kwargs, Layer, Machine, Unknown, Value, slot

PARAMETERS: Key[tuple[str, ...]] = slot("<parameters>")
BUFFERS: Key[tuple[str, ...]] = slot("<buffers>")
TEMPORARY: Key[tuple[str, ...]] = slot("<temporary>")
"""The names under which a module keeps those of its parameters, of its buffers, and of the buffers that are not part of its state."""
COMPUTED = "_computed"
"""Under this name a layer keeps the names of its weights that are computed from other tensors, and are no parameters."""
Named = list[tuple[str, Any]]


def is_module(value: Value) -> bool:
    """Whether a value is a layer, a container or an instance of one of the program's modules."""
    from tensorproof.libraries import registry

    return isinstance(value, Layer) or (isinstance(value, Instance) and registry.derives_from(value, "torch.nn.Module"))


def children(value: Value) -> Named:
    if isinstance(value, Layer):
        return list(zip(value.names, value.children))
    if not isinstance(value, Instance):
        return []
    held = [(k, v) for k, v in value.space.items() if isinstance(k, str) and is_module(v)]
    return [*children(value.native), *held] if isinstance(value.native, Layer) else held


def different_children(value: Value) -> Named:
    """`named_children`: a module that stands at two places comes once."""
    first: dict[int, tuple[str, Any]] = {}
    for name, child in children(value):
        first.setdefault(id(child), (name, child))
    return list(first.values())


def walk(value: Value, prefix: str = "", seen: set[int] | None = None) -> Iterator[tuple[str, Any]]:
    """A module and all modules in it, with their names."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return
    seen.add(id(value))
    yield prefix, value
    for name, child in children(value):
        yield from walk(child, f"{prefix}.{name}" if prefix else name, seen)


def everywhere(value: Value, prefix: str = "", inside: tuple[int, ...] = ()) -> Iterator[tuple[str, Any]]:
    """The same, where a module that stands at two places comes twice."""
    yield prefix, value
    for name, child in children(value):
        if id(child) not in inside:
            yield from everywhere(child, f"{prefix}.{name}" if prefix else name, (*inside, id(value)))


def own_tensors(value: Value, which: Key[tuple[str, ...]]) -> list[tuple[str, TensorType]]:
    """The parameters or buffers that one module holds itself."""
    if isinstance(value, Layer):
        return _of_layer(value, which)
    if not isinstance(value, Instance):
        return []
    names = value.space.get(which, ())
    held = [(n, t) for n in names if isinstance(t := value.space.get(n), TensorType)]
    return [*own_tensors(value.native, which), *held] if isinstance(value.native, Layer) else held


def _of_layer(value: Layer, which: Key[tuple[str, ...]]) -> list[tuple[str, TensorType]]:
    named = set(value.tensors.get(which, ()))
    if value.module is None and value.kind == "wrapper" and which == BUFFERS:  # how many models an AveragedModel holds
        return [(k, v) for k, v in value.tensors.items() if isinstance(v, TensorType) and not v.parameter]
    assigned = [(k, v) for k, v in value.tensors.items() if isinstance(v, TensorType) and (k in named or (which == PARAMETERS and v.parameter))]
    if value.module is None or which == TEMPORARY:
        return assigned
    computed = value.tensors.get(COMPUTED, ())
    return [(k, t) for k, t in (value.module.parameters if which == PARAMETERS else value.module.buffers).items() if k not in computed] + assigned


def all_tensors(value: Value, which: Key[tuple[str, ...]], prefix: str = "", recurse: bool = True, once: bool = True) -> list[tuple[str, TensorType]]:
    """`named_parameters` and `named_buffers`: a tensor that several modules share comes once."""
    found: list[tuple[str, TensorType]] = []
    seen: set[int] = set()
    for home, module in walk(value, prefix) if recurse and once else everywhere(value, prefix) if recurse else [(prefix, value)]:
        for name, t in own_tensors(module, which):
            if not once or id(t) not in seen:
                seen.add(id(t))
                found.append((f"{home}.{name}" if home else name, t))
    return found


def unbuilt(value: Value, which: Key[tuple[str, ...]]) -> list[tuple[str, Value]]:
    """The parameters that lazy layers have not made yet."""
    waiting: list[tuple[str, Value]] = []
    for home, module in walk(value):
        if isinstance(module, Layer) and module.module is not None and not module.module.built and module.module.row.framework == "torch":
            made = (c for c in module.module.row.creations if c.buffer == (which == BUFFERS))
            names = [c.name for c in made if not c.when or module.module.arguments.get(c.when, True)]
            waiting += [(f"{home}.{name}" if home else name, Unknown("a parameter of a lazy layer that has not been called")) for name in names]
    return waiting


def open_parts(value: Value) -> bool:
    """Whether a module holds something that is not known, which may have parameters of its own."""
    for _, module in walk(value):
        held = module.space.values() if isinstance(module, Instance) else module.children if isinstance(module, Layer) else ()
        if any(type(v) is Unknown and not v.text and not v.number for v in held):
            return True
    return False


def state(value: Value, prefix: str = "", inside: tuple[int, ...] = ()) -> dict[str, TensorType]:
    """Module by module: its parameters, its buffers, then its children. A module that stands at two places has its tensors at both."""
    dropped = dict(own_tensors(value, TEMPORARY))
    found = {prefix + name: t for which in (PARAMETERS, BUFFERS) for name, t in own_tensors(value, which) if name not in dropped}
    for name, child in children(value):
        if id(child) not in inside:
            found.update(state(child, f"{prefix}{name}.", (*inside, id(value))))
    return found


def put(m: Machine, module: Value, tensors: dict[str, TensorType]) -> None:
    """Other tensors in the place of those that a module and its parts hold under these names."""
    parts = dict(everywhere(module)) if tensors else {}
    for name, tensor in tensors.items():
        home, _, last = name.rpartition(".")
        _put_own(m, parts.get(home), last, tensor)


def _put_own(m: Machine, part: Value, name: str, tensor: TensorType) -> None:
    if isinstance(part, Instance):
        if isinstance(part.native, Layer) and name not in part.space:
            _put_own(m, part.native, name, tensor)
        else:
            m.heap.set(part.space, name, tensor)
    elif isinstance(part, Layer):
        if part.module is not None and name not in part.tensors:
            m.remember(part, "module", part.module)
            (part.module.parameters if name in part.module.parameters else part.module.buffers)[name] = tensor
        else:
            m.remember(part, "tensors", part.tensors)
            part.tensors = {**part.tensors, name: tensor}


def _path(m: Machine, name: str, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    target = args[0] if args else kwargs.get("target")
    if isinstance(target, str):
        return target
    if isinstance(target, Unknown):
        return m.gap(name, node, "the path is not known")
    raise m.raised("AttributeError", f"{name} takes a text such as 'encoder.0'", node)


def _followed(m: Machine, me: Value, path: str, node: ast.AST) -> Value:
    """The module at a path: each part is an attribute of the one before it, and a module."""
    found = me
    for part in path.split(".") if path else ():
        found = m.attribute(found, part, node)
        if isinstance(found, Unknown):
            return found
        if not is_module(found):
            raise m.raised("AttributeError", f"{part} is not a module", node)
    return found


def submodule(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    path = _path(m, "get_submodule", args, kwargs, node)
    return _followed(m, me, path, node) if isinstance(path, str) else path


def _tensor(which: Key[tuple[str, ...]], what: str, m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    path = _path(m, f"get_{what}", args, kwargs, node)
    if not isinstance(path, str):
        return path
    home, _, last = path.rpartition(".")
    owner = _followed(m, me, home, node)
    found = owner if isinstance(owner, Unknown) else m.attribute(owner, last, node)
    if isinstance(found, Unknown):
        return found
    if not isinstance(found, TensorType) or last not in dict(own_tensors(owner, which)):
        raise m.raised("AttributeError", f"{last} is not a {what}", node)
    return found


def set_submodule(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    path = _path(m, "set_submodule", args, kwargs, node)
    given = args[1] if len(args) > 1 else kwargs.get("module")
    if not isinstance(path, str):
        return path
    home, _, last = path.rpartition(".")
    owner = _followed(m, me, home, node)
    if not last:
        raise m.raised("ValueError", "set_submodule takes the path of a part, and this is empty", node)
    if not isinstance(owner, (Instance, Layer)) or not is_module(given):
        return m.gap("set_submodule", node, "the module, or the place, is not known")
    if kwargs.get("strict", args[2] if len(args) > 2 else False) is True:
        m.attribute(owner, last, node)
    m.set_attribute(owner, last, given, node)
    return None


METHODS = {
    "get_submodule": submodule, "set_submodule": set_submodule, "get_parameter": partial(_tensor, PARAMETERS, "parameter"),
    "get_buffer": partial(_tensor, BUFFERS, "buffer"),
}  # fmt: skip
