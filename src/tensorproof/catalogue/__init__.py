"""The operators. Each file of a folder holds one group, declared as module-level `Op` records; what they compute stands in the `formulas` beside it."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from tensorproof.catalogue.where import WHERE
from tensorproof.ops.record import Op


def files() -> list[str]:
    """The names of the catalogue's files."""
    from pkgutil import walk_packages

    found = (m.name.removeprefix(f"{__name__}.") for m in walk_packages(__path__, f"{__name__}.") if not m.ispkg)
    return sorted(name for name in found if name not in ("where", "results") and ".formulas." not in name)


@cache
def in_file(file: str) -> dict[str, Op]:
    """The operators of one file by name."""
    found: dict[str, Op] = {}
    for value in vars(import_module(f"{__name__}.{file}")).values():
        for op in value if isinstance(value, tuple) else (value,):
            if isinstance(op, Op):
                found[op.name] = op
    return found


def find(name: str) -> Op | None:
    """The operator of this name. Only its own file is loaded."""
    file = WHERE.get(name)
    if file is not None and name in (ops := in_file(file)):
        return ops[name]
    return everything().get(name)


@cache
def everything() -> dict[str, Op]:
    """All operators by name."""
    found: dict[str, Op] = {}
    for file in files():
        for name, op in in_file(file).items():
            found.setdefault(name, op)
    return found


def declared_twice() -> list[str]:
    """Names that two files declare; there must be none."""
    return [f"{name} in {file}" for file in files() for name, op in in_file(file).items() if everything()[name] is not op]
