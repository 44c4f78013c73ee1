"""Parts of a module by their path, such as "encoder.0.weight": its submodules, parameters and buffers."""

from __future__ import annotations

import ast

from tensorproof.libraries.torch.module_tree import BUFFERS, PARAMETERS, is_module, own_tensors
from tensorproof.terms.tensor import TensorType
from tensorproof.values import Args, Instance, Key, Kwargs, Layer, Machine, Unknown, Value


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


def _tensor(m: Machine, me: Value, which: Key[tuple[str, ...]], what: str, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
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


def parameter(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return _tensor(m, me, PARAMETERS, "parameter", args, kwargs, node)


def buffer(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return _tensor(m, me, BUFFERS, "buffer", args, kwargs, node)


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


METHODS = {"get_submodule": submodule, "get_parameter": parameter, "get_buffer": buffer, "set_submodule": set_submodule}
