"""The operators. Each file of this package holds one group, declared as module-level `Op` records."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from tensorproof.catalogue.where import WHERE
from tensorproof.ops.record import Op


def files() -> list[str]:
    """The names of the catalogue's files."""
    from pkgutil import iter_modules

    return sorted(m.name for m in iter_modules(__path__) if m.name != "where")


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
