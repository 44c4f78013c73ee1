"""import and from … import."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.call import spelled
from tensorproof.bindings.names import is_public
from tensorproof.frontends.python.attributes import attributes, lazy_packages
from tensorproof.frontends.python.frame import Frame
from tensorproof.frontends.python.scope import Act, Scope
from tensorproof.libraries import registry
from tensorproof.libraries.keras.names import canonical
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Later, List, ModuleFile
from tensorproof.values.python_values import Named, Unknown

if TYPE_CHECKING:
    from tensorproof.values.machine import Value


def compile_import(node: ast.Import, scope: Scope) -> Act:
    puts = [(a, scope.name_target(a.asname or a.name.partition(".")[0], node)) for a in node.names]

    def run(frame: Frame) -> None:
        m = frame.machine
        for alias, put in puts:
            whole = m.modules.find(m, alias.name, node)
            put(frame, _reached(m, alias.name, whole) if alias.asname else m.modules.find(m, alias.name.partition(".")[0], node))

    return run


def _reached(m: Any, name: str, whole: Value) -> Value:
    """What `import a.b as c` binds: the attribute b of a, which is not always the module a.b; that module while it still runs."""
    head, _, leaf = name.rpartition(".")
    package = m.modules.running.get(head)
    if not head or package is None or package.foreign or not isinstance(whole, ModuleFile):
        return whole
    return package.space.get(leaf, whole)


def compile_from(node: ast.ImportFrom, scope: Scope) -> Act:
    puts = [(a.name, None if a.name == "*" else scope.name_target(a.asname or a.name, node)) for a in node.names]
    future = node.module == "__future__" and not node.level

    def run(frame: Frame) -> None:
        m = frame.machine
        owner = Named("__future__") if future else m.modules.find_relative(m, frame.module, node)
        lazy = owner if scope.waits and isinstance(owner, ModuleFile) and owner.foreign else None
        for name, put in puts:
            if put is None:
                _star(frame, owner, node, scope.waits)
            elif future:
                put(frame, Named(f"__future__.{name}"))
            else:
                put(frame, _one(frame, owner, name, node) if lazy is None else Later(lazy, name))

    return run


def _one(frame: Frame, owner: Value, name: str, node: ast.ImportFrom) -> Value:
    m = frame.machine
    if isinstance(owner, ModuleFile):
        if owner.foreign and owner.state != "done":
            return _later(m, owner, name)
        m.modules.ensure(m, owner, name)
        value = lazy_packages.found(m, owner, name) if name not in owner.space and owner.lazy else owner.space.get(name, MISSING)
        if value is MISSING:
            value = m.modules.submodule(m, owner, name)
            if value is None:
                if owner.hidden or (owner.foreign and owner.state != "done"):
                    return Unknown(f"{owner.name}.{name}")
                fallback = owner.space.get("__getattr__", MISSING)
                if fallback is not MISSING:
                    return m.call(fallback, (name,), {}, node)
                if not owner.path.endswith(".py") and not m.modules.guarded(m, node):  # that the folder is a package is our guess
                    return m.gap(f"{owner.name}.{name}", node, "the module is not known")
                why = "" if owner.state == "done" else f": the imports go in a circle, {owner.name} has only begun to run"
                raise m.raised("ImportError", f"{name} cannot be imported from {owner.name}{why}", node)
        return value
    if (node.module or "").startswith(_INSIDE) and is_public(canonical(f"{node.module}.{name}")) is False:
        return m.gap(f"{node.module}.{name}", node, "no model")
    if isinstance(owner, Named):
        return attributes.of_library(m, owner.name, name, node, "ImportError")
    return attributes.load(m, owner, name, node)


_INSIDE = ("keras.src", "tensorflow.python", "torch._", "numpy.core")
"""The private parts of libraries, whose names are not listed."""


def _later(m: Any, owner: ModuleFile, name: str) -> Value:
    """A name of an installed package's module: what its `__init__` binds, else a submodule, else whatever it is when it is used."""
    if owner.package:
        m.modules.ensure(m, owner, None)
        if name in owner.space:
            return owner.space[name]
        inner = m.modules.submodule(m, owner, name)
        if inner is not None:
            return inner
    return Later(owner, name)


def starred(frame: Frame, name: str, node: ast.AST) -> Value:
    """A name that a library brought in with a star; MISSING when none has it."""
    if name.startswith("_"):
        return MISSING
    for library in reversed(frame.module.stars):
        full = canonical(f"{library}.{name}")
        if registry.known(full) or spelled(full) or is_public(full):
            return attributes.of_library(frame.machine, library, name, node)
    return MISSING


def _star(frame: Frame, owner: Value, node: ast.ImportFrom, waits: bool = False) -> None:
    m = frame.machine
    if not isinstance(owner, ModuleFile):
        if isinstance(owner, Named):
            frame.module.stars = (*frame.module.stars, owner.name)
        else:
            for name in dir(owner):
                if not name.startswith("_"):
                    m.heap.set(frame.globals, name, getattr(owner, name))
        return
    public = m.modules.listed(owner) if owner.foreign else None
    if public is not None:
        if not waits:  # what a lazy package would import has registered nothing
            m.modules.starred.append(owner)
        for name in public:
            m.heap.set(frame.globals, name, _later(m, owner, name))
        return
    if lazy_packages.waits(owner, frame.module):
        return
    m.modules.ensure(m, owner, None)
    if owner.stars:
        frame.module.stars = (*frame.module.stars, *owner.stars)
    listed = owner.space.get("__all__", MISSING)
    if isinstance(listed, (List, tuple)):
        names = [n for n in (listed.items if isinstance(listed, List) else listed) if isinstance(n, str)]
    else:
        names = [n for n in owner.space if isinstance(n, str) and not n.startswith("_")]
    for name in names:
        m.heap.set(frame.globals, name, _one(frame, owner, name, node))
    if owner.hidden:
        frame.module.hidden = True
