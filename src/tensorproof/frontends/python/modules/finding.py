"""Finds the file of a module: among the project's folders, the namespaces, or the installed packages."""

from __future__ import annotations

import ast
import os
import sys
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.rows import LIBRARIES
from tensorproof.diagnostics.errors import BadFile
from tensorproof.diagnostics.span import Span
from tensorproof.frontends.python.errors import Raised
from tensorproof.frontends.python.modules.chosen_values import put_chosen
from tensorproof.frontends.python.modules.files import holds_python, shown
from tensorproof.frontends.python.modules.loaded import Loaded
from tensorproof.frontends.python.modules.places import Places
from tensorproof.frontends.python.modules.source import Source, read, text_of
from tensorproof.frontends.python.standard import FROM_SOURCE
from tensorproof.libraries import homes
from tensorproof.libraries.keras.names import canonical
from tensorproof.terms.records import dataclass, field
from tensorproof.values.objects import List, ModuleFile

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter

_STANDARD = os.path.dirname(os.__file__)
"""The standard library of the running Python."""


@dataclass(slots=True)
class Finding:
    """The files of one program's modules, and those of them that were found."""

    main_source: Source
    places: Places = Places()
    site: tuple[str, ...] = ()
    loaded: dict[str, Loaded | None] = field(default_factory=dict[str, Loaded | None])
    running: dict[str, ModuleFile] = field(default_factory=dict[str, ModuleFile])
    broken: dict[str, BadFile] = field(default_factory=dict[str, BadFile])
    """Files of the project that could not be read."""

    def ensure(self, m: Interpreter, module: ModuleFile, name: str | None) -> None:
        """Run a module that still waits."""
        raise NotImplementedError

    def _bind(self, m: Interpreter, module: ModuleFile) -> None:
        """A submodule that was imported is an attribute of its package."""
        head, _, leaf = module.name.rpartition(".")
        package = self.running.get(head)
        if package is not None and not module.foreign:
            m.heap.set(package.space, leaf, module)

    def _project(self, m: Interpreter, name: str) -> ModuleFile | None:
        """A module of the project; the packages around it run before it."""
        known = self.running.get(name)
        if known is not None:
            return known
        head = name.rpartition(".")[0]
        if not head:
            return self._outermost(m, name)
        package = self._project(m, head)
        if package is None or package.foreign or not package.package:
            return None
        self.ensure(m, package, None)
        return self.running.get(name) or self._regular(m, package.folders, name) or self._namespace(m, package.folders, name)

    def _outermost(self, m: Interpreter, name: str) -> ModuleFile | None:
        first, later = self._path(m), self.places.later
        if name in sys.stdlib_module_names:  # a file of a package does not stand before the standard library
            first = tuple(f for f in first if not os.path.isfile(os.path.join(f, "__init__.py")))
        found = self._regular(m, first, name)
        if found is not None or self._provided(name):
            return found
        held = tuple(f for f in first if holds_python(os.path.join(f, name)))
        return self._namespace(m, held, name) or self._regular(m, later, name) or self._namespace(m, (*first, *later), name)

    def _path(self, m: Interpreter) -> tuple[str, ...]:
        """The folders before those of installed packages, with what the program itself puts into `sys.path`."""
        changed = m.model_state.get("sys.path")
        if not isinstance(changed, List):
            return self.places.first
        found = [f for item in changed.items if isinstance(item, str) for f in (self.places.first if item == "" else (os.path.realpath(item),))]
        return tuple(dict.fromkeys(found))

    def _provided(self, name: str) -> bool:
        """Whether a library has this name: a folder without `__init__.py` does not hide it."""
        full = canonical(name)
        if full in sys.stdlib_module_names or full in LIBRARIES or full in homes.roots():
            return True
        return any(os.path.isdir(path) or os.path.isfile(f"{path}.py") for path in (os.path.join(site, name) for site in self.site))

    def _regular(self, m: Interpreter, folders: tuple[str, ...], name: str) -> ModuleFile | None:
        leaf = name.rpartition(".")[2]
        return next((found for folder in folders if (found := self._at(m, os.path.join(folder, leaf), name, foreign=False)) is not None), None)

    def _namespace(self, m: Interpreter, folders: tuple[str, ...], name: str) -> ModuleFile | None:
        """A package without `__init__.py`: all folders of that name together."""
        leaf = name.rpartition(".")[2]
        found = tuple(path for folder in folders if os.path.isdir(path := os.path.join(folder, leaf)))
        if not found:
            return None
        module = ModuleFile(name, found[0], m.heap.space({"__name__": name, "__package__": name}), "done", package=True, folders=found)
        self.running[name] = module
        self._bind(m, module)
        return module

    def installed(self, m: Interpreter, name: str) -> Any:
        known = self.running.get(name)
        if known is not None:
            return known
        for root in (_STANDARD,) if name.partition(".")[0] in FROM_SOURCE else self.site:
            found = self._at(m, os.path.join(root, *name.split(".")), name, foreign=True)
            if found is not None:
                return found
        return None

    def _at(self, m: Interpreter, base: str, name: str, foreign: bool) -> ModuleFile | None:
        """The module whose file is `base/__init__.py` or `base.py`."""
        for path, package in ((os.path.join(base, "__init__.py"), True), (f"{base}.py", False)):
            text = shown(path)
            if text not in self.loaded:
                self.loaded[text] = self._load(path, foreign)
            if text in self.broken:
                return self._unreadable(m, name, self.broken[text])
            if self.loaded[text] is not None:
                module = self.running[name] = self._made(m, name, path, text, package, foreign)
                return module
        return None

    def _made(self, m: Interpreter, name: str, path: str, text: str, package: bool, foreign: bool = False) -> ModuleFile:
        around = name if package else name.rpartition(".")[0]
        space = m.heap.space({"__name__": name, "__file__": path, "__doc__": None, "__package__": around})
        if package:
            space["__path__"] = List(m.heap.row([os.path.dirname(path)]))
        return ModuleFile(name, text, space, foreign=foreign, package=package, folders=(os.path.dirname(os.path.realpath(path)),) if package else ())

    def _load(self, path: str, foreign: bool) -> Loaded | None:
        try:
            if not os.path.isfile(path):
                return None
            source = None if foreign else read(shown(path))
            if source is None:
                return Loaded(shown(path), text_of(shown(path)))
            if self.main_source.directives.chosen:
                put_chosen(source.tree, self.main_source.directives, source.path)
            return Loaded(source.path, source.text, source)
        except OSError:
            return None
        except BadFile as error:
            if not foreign:  # a package's file that is not for this Python, or too large, stays a name without a model
                self.broken[shown(path)] = error
            return None

    def _unreadable(self, m: Interpreter, name: str, error: BadFile) -> ModuleFile:
        """A file of the project that cannot be read: Python refuses its syntax where it is imported; of any other its names are unknown."""
        if error.code == "python/syntax":
            raise Raised("SyntaxError", error.about, Span(error.path, error.line, error.column, error.line, error.column + 1), error.code)
        m.gap(name, m.here or ast.Pass(), error.about)
        module = ModuleFile(name, error.path, m.heap.space({"__name__": name}), state="done")
        module.hidden = True
        self.running[name] = module
        return module
