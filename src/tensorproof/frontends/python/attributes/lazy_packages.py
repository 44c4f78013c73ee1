"""Packages that import their parts when a name is used: `if TYPE_CHECKING: from .part import * … else: sys.modules[__name__] = LazyModule(…)`.

The branch for type checkers says what the names are; it is followed, and a star in it waits until one of its names is asked for.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Later, ModuleFile

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def is_lazy(node: ast.If) -> bool:
    """Whether a branch for type checkers stands for a module that puts something else in its place."""
    if not any(isinstance(n, ast.Name) and n.id == "TYPE_CHECKING" for n in ast.walk(node.test)) or isinstance(node.test, ast.UnaryOp):
        return False
    targets = [t for s in node.orelse if isinstance(s, ast.Assign) for t in s.targets]
    return any(isinstance(t, ast.Subscript) and isinstance(t.value, ast.Attribute) and t.value.attr == "modules" for t in targets)


def waits(owner: ModuleFile, module: ModuleFile) -> bool:
    """Whether a star waits: that of a package's part which has not run, in the module's own lines."""
    if not owner.foreign or owner.state != "waiting" or not owner.package or owner.name.rpartition(".")[0] != module.name:
        return False
    module.lazy = (*module.lazy, owner)
    return True


def found(m: Interpreter, module: ModuleFile, name: str) -> Value:
    """A name that a waiting star brings in; MISSING where none does. A part of this name is found first, then parts whose own name is in it."""
    inner = m.modules.submodule(m, module, name)
    if inner is not None:
        return inner
    plain = name.lower().replace("_", "")

    def likely(part: ModuleFile) -> tuple[bool, int]:
        leaf = part.name.rpartition(".")[2].replace("_", "")
        return not plain.startswith(leaf), -len(leaf) if leaf in plain else 0

    for part in sorted(module.lazy, key=likely):
        value = _of_part(m, part, name)
        if value is not MISSING:
            return value
    return MISSING


def _of_part(m: Interpreter, part: ModuleFile, name: str) -> Value:
    listed = m.modules.listed(part)
    if listed is not None:
        return Later(part, name) if name in listed else MISSING
    m.modules.ensure(m, part, None)
    held = part.space.get(name, MISSING)
    return held if held is not MISSING or not part.lazy else found(m, part, name)
