"""How the command finds its own modules.

A check reads some 300 small files. Of each of them Python's finder, made for every kind of folder and file, costs as much as what stands in it. What is not
as usual (no compiled file, one that is stale or another Python's, an archive in place of a folder) is left to Python's own finder and loader.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import MAGIC_NUMBER
from io import open_code
from marshal import loads
from types import CodeType, ModuleType

OWN = __name__.partition(".")[0] + "."
_COMPILED = f"{os.sep}__pycache__{os.sep}", f".{sys.implementation.cache_tag}.pyc"
_HEAD = MAGIC_NUMBER + bytes(4)
"""How a compiled file begins that holds for one time and size of its source."""
_WORD = 0xFFFF_FFFF


class _Loader(SourceFileLoader):
    """A module whose source is there."""

    def __init__(self, name: str, path: str, compiled: str, status: os.stat_result) -> None:
        super().__init__(name, path)
        self.compiled = compiled
        self.head = _HEAD + (int(status.st_mtime) & _WORD).to_bytes(4, "little") + (status.st_size & _WORD).to_bytes(4, "little")

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module with its own facts: to look for each that is not there, and to raise and drop an error for it, costs more than to read the file."""
        made = ModuleType(spec.name)
        made.__dict__.update(__loader__=self, __package__=spec.parent, __file__=spec.origin, __cached__=spec.cached)
        return made

    def get_code(self, fullname: str) -> CodeType | None:
        try:
            with open_code(self.compiled) as file:
                data = file.read()
        except OSError:
            return super().get_code(fullname)
        made = loads(memoryview(data)[16:]) if data[:16] == self.head else None
        return made if isinstance(made, CodeType) and made.co_filename == self.path else super().get_code(fullname)


class Finder:
    """Finds a module of ours in the folder of its package."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if path is None or not name.startswith(OWN):
            return None
        folder, word = path[0], name.rpartition(".")[2]
        inside: list[str] | None = None
        try:
            status = os.stat(f"{folder}{os.sep}{word}.py")
        except OSError:
            folder, word = f"{folder}{os.sep}{word}", "__init__"
            inside = [folder]
            try:
                status = os.stat(f"{folder}{os.sep}{word}.py")
            except OSError:
                return None
        file, compiled = f"{folder}{os.sep}{word}.py", word.join((folder + _COMPILED[0], _COMPILED[1]))
        spec = ModuleSpec(name, _Loader(name, file, compiled, status), origin=file)
        spec.submodule_search_locations, spec.cached, spec.has_location = inside, compiled, True
        return spec


def install() -> None:
    """Find our modules so from now on, in a process that is the command."""
    if not sys.flags.optimize and sys.pycache_prefix is None:
        sys.meta_path.insert(0, Finder)
