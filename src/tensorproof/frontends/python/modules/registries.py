"""Dicts that the modules of a package fill when they run, and which waiting modules may hold what a missing key names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tensorproof.frontends.python.modules import files
from tensorproof.values.objects import Class, Instance, ModuleFile

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.frontends.python.modules.modules import Modules
    from tensorproof.values.machine import Value

_FILLS = re.compile(r"\s*\[[^\]\n]*\]\s*(?:=(?!=)|\.(?:add|append|extend|update|setdefault|insert)\b)|\s*\.(?!get\b|items\b|keys\b|values\b|copy\b)")
_READS = re.compile(r"\s*(?:\[|\.)")
_READ_BEFORE = re.compile(r"(?:\bin|\blen\(|\bsorted\(|\blist\(|\bset\(|\bdict\(|\*\*)\s*$")


def waiting_for(modules: Modules, m: Interpreter, registry: Value, key: str, raises: bool) -> list[ModuleFile]:
    """The modules that wait, and may register this key in a dict that lacks it.

    Of a dict in which no function of a package writes only those that name the dict itself. `raises` says that the key must be there: then every module may.
    """
    words = files.words_of(key)
    named = [w for w in modules.starred if (entry := modules.loaded.get(w.path)) is not None and entry.mentions(key, words)]
    if not named:
        return []
    sure = [w for w in named if (entry := modules.loaded.get(w.path)) is not None and entry.registers(key)]
    if not sure and not any(value is registry for value in m.frames[-1].module.space.values()):
        return []
    if raises:
        return sure or named
    held = list(_holders(modules, registry))
    if any(not name or _filled_by_functions(modules, home, name) for home, name in held):
        return sure or named
    names = {name for _, name in held}
    return [w for w in sure or named if (entry := modules.loaded.get(w.path)) is not None and any(name in entry.text for name in names)]


def _holders(modules: Modules, registry: Value) -> Iterator[tuple[ModuleFile, str]]:
    """The modules of packages that hold a dict, and under which name; no name where one of their classes or objects holds it."""
    for module in modules.running.values():
        if module.foreign:
            for name, value in module.space.items():
                if value is registry and isinstance(name, str):
                    yield module, name
                elif isinstance(value, (Class, Instance)) and any(held is registry for held in value.space.values()):
                    yield module, ""


def _filled_by_functions(modules: Modules, home: ModuleFile, name: str) -> bool:
    """Whether functions of a module may write in the dict that the module has under a name: they do more than read it."""
    entry = modules.loaded.get(home.path)
    return entry is None or any(_writes(entry.text, at, name) for at in files.places_of(entry.text, name) if files.in_function(entry.text, at))


def _writes(text: str, at: int, name: str) -> bool:
    after = text[at + len(name) : at + len(name) + 200]
    if _FILLS.match(after):
        return True
    return not _READS.match(after) and not _READ_BEFORE.search(text[max(0, at - 20) : at])
