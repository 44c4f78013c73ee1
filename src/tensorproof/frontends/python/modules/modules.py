"""Where imports lead: to the project's own files, to Python's pure modules, to a library's model or spelling, else to the source of an installed package."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Set
from typing import TYPE_CHECKING, Any

from tensorproof.diagnostics.errors import BadFile
from tensorproof.frontends.python.attributes import attributes, library_names
from tensorproof.frontends.python.errors import Dead, Fork, Raised
from tensorproof.frontends.python.frame import Frame
from tensorproof.frontends.python.modules import registries
from tensorproof.frontends.python.modules.environment import is_whole, read_as_source, version_of
from tensorproof.frontends.python.modules.files import takes_imports, written_list
from tensorproof.frontends.python.modules.finding import Finding
from tensorproof.frontends.python.modules.loaded import Loaded
from tensorproof.frontends.python.modules.package_budget import Left, through
from tensorproof.frontends.python.modules.places import imports_own
from tensorproof.frontends.python.standard import BUILTINS, FROM_SOURCE, PURE_MODULES
from tensorproof.libraries import homes, registry
from tensorproof.libraries.keras.names import canonical
from tensorproof.terms.ints import Atom
from tensorproof.terms.predicates import Predicate
from tensorproof.terms.records import dataclass, field
from tensorproof.values.heap import MISSING, Space
from tensorproof.values.objects import Later, ModuleFile
from tensorproof.values.python_values import Named, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


@dataclass(slots=True)
class Modules(Finding):
    """The modules of one program. What was read and compiled is shared by its replays; what they hold is made anew for each."""

    starred: list[ModuleFile] = field(default_factory=list[ModuleFile])
    """Modules of packages whose names were imported with a star and that still wait: they may register what they define."""
    answers: dict[Any, bool | None] = field(default_factory=dict[Any, "bool | None"])
    """What the solver said of a predicate under the facts of a path that have to do with it."""
    left: frozenset[str] = frozenset()
    """What is not followed any more, because that takes too much: installed packages, names that were imported from them, and places of calls."""
    symbols: dict[Predicate, frozenset[Atom]] = field(default_factory=dict[Predicate, "frozenset[Atom]"])
    """What predicates stand on: a path asks again and again which of its facts have to do with a question."""
    main: ModuleFile = field(init=False)

    def __post_init__(self) -> None:
        self.main = ModuleFile("__main__", self.main_source.path, Space())

    def without(self, names: Set[str]) -> Modules:
        """The same modules for a run that begins again, and leaves these too: what was read and compiled is kept."""
        return Modules(self.main_source, self.places, self.site, self.loaded, answers=self.answers, symbols=self.symbols, left=self.left | names)

    def start(self, m: Interpreter) -> None:
        """A new run: every module waits again."""
        self.running, self.starred = {}, []
        m.model_state["modules"], m.model_state["files read"] = self.running, self.loaded
        name, path = self.places.name, self.main_source.path
        self.main = self._made(m, name, os.path.normpath(path), path, package=os.path.basename(path) == "__init__.py" and name != "__main__")
        m.heap.set(self.main.space, "__package__", self.places.package or None)
        if name != "__main__":
            self.running[name] = self.main

    # --- running ---

    def run_main(self, m: Interpreter) -> None:
        main = self.main_source
        entry = self.loaded.setdefault(main.path, Loaded(main.path, main.text, main))
        assert entry is not None
        package = self.places.package
        if package and self.main.name != package and (self.main.name == "__main__" or imports_own(self.main_source, package)):
            around = self._project(m, package)  # `python -m` imports the package first, as `import` does
            if around is not None:
                self.ensure(m, around, None)
        if self.main.state == "waiting":
            self._run(m, self.main, entry)

    def _run(self, m: Interpreter, module: ModuleFile, loaded: Loaded) -> None:
        if loaded.body is None:
            try:
                loaded.body = m.compiled(loaded.source.tree.body)
            except BadFile as error:  # a package's file that is not for this Python
                m.gap(module.name, m.here or ast.Pass(), error.about)
                module.state, module.hidden = "done", True
                return
        module.state = "running"
        frame = Frame(m, module.space, (), module.space, module)
        heap = m.heap
        kept = (heap.marks, heap.log, heap.clock, m.facts) if heap.marks else None
        if kept is not None:  # a module runs once, whatever branch first needs it: what it does is older than the branch
            heap.marks, heap.log, heap.clock, m.facts = [], [], -1, []
        m.frames.append(frame)
        gaps = len(m.path.gaps)
        try:
            loaded.body(frame)
        except (Left, Fork) as left:
            if module.foreign:
                through(left, module.name)
            raise
        except (Raised, Dead):
            m.branching.abandon(frame)
            self.running.pop(module.name, None)  # the next import runs it again
            raise
        else:
            self._bind(m, module)
            if module.foreign:  # what it could not make is unknown, and a gap where a name of it is used
                del m.path.gaps[gaps:]
        finally:
            m.frames.pop()
            module.state = "done"
            if kept is not None:
                heap.marks, heap.log, heap.clock, m.facts = kept

    def ensure(self, m: Interpreter, module: ModuleFile, name: str | None) -> None:
        """Run a module that still waits, because one of its names is needed."""
        if module.state == "waiting":
            if module.foreign and "." in module.name:  # the package runs before its parts
                around = module.name.rpartition(".")[0]
                package = self.installed(m, around) if read_as_source(around, self.site, self.left) else None
                if package is not None:
                    self.ensure(m, package, None)
            if module.state != "waiting":
                return
            entry = self.loaded.get(module.path)
            if entry is not None:
                self._run(m, module, entry)
            else:
                module.state = "done"

    def registered(self, m: Interpreter, registry: Value, key: Value, raises: bool = False) -> bool:
        """A package asks a dict for a missing key: modules that it imported with a star, and that may register it, run now."""
        if not self.starred or type(key) is not str or len(key) < 2 or not m.frames[-1].module.foreign:
            return False
        self.starred = [w for w in self.starred if w.state == "waiting"]
        found = registries.waiting_for(self, m, registry, key, raises)
        for module in found:
            self.ensure(m, module, None)
        return bool(found)

    def unbound(self, module: ModuleFile, name: str) -> bool:
        """Whether a module of a package, which may still run, surely has no such name: its text does not hold it, and nothing else binds names there."""
        entry = self.loaded.get(module.path)
        return entry is not None and module.state == "running" and not module.stars and not module.hidden and name not in entry.text

    def listed(self, module: ModuleFile) -> list[str] | None:
        """The names in a module's `__all__`, read from its text; None when they are not written out there."""
        entry = self.loaded.get(module.path)
        if entry is None or module.state == "done":
            return None
        return written_list(entry.text)

    # --- finding ---

    def texts(self) -> list[str]:
        """The text of every file that was read."""
        return [self.main_source.text, *(loaded.text for loaded in self.loaded.values() if loaded is not None)]

    def builtin(self, name: str) -> Value:
        return BUILTINS.get(name, MISSING)

    def find(self, m: Interpreter, name: str, node: ast.AST) -> Value:
        placed = m.model_state.get("sys.modules")
        if placed is not None and name in placed.space:
            return placed.space[name]
        file = self._project(m, name)
        if file is not None:
            if not file.foreign:
                self.ensure(m, file, None)
            return file
        if (self.absent(m, name) or self._written_in_c(m, name)) and self.guarded(m, node):
            raise m.raised("ModuleNotFoundError", f"there is no module named {name}", node)
        if self.absent(m, name) and not self._used(m, node):
            m.gap(f"import {name}", node, "no module of this name is installed here")
        library_names.check(m, name, node, "ModuleNotFoundError")
        return self.library(m, name)

    def present(self, m: Interpreter, name: str) -> bool | None:
        """Whether there is a module of this name; None where nothing is known of the environment."""
        top, absent = name.partition(".")[0], self.absent(m, name)
        return not absent if absent or self._project(m, top) is not None or self._provided(top) else None

    def version(self, m: Interpreter, name: str) -> str | None:
        """The version of an installed package, or of a library that is modelled."""
        known = registry.value(m, f"{name}.__version__")
        return known if isinstance(known, str) else version_of(self.site, name)

    def absent(self, m: Interpreter, name: str) -> bool:
        """Whether the environment, which has the libraries that we know, has no such module; elsewhere nothing is said of what is installed."""
        top = name.partition(".")[0]
        around = self._project(m, top)
        if around is not None and not around.foreign:  # a package that is installed is not the project's, though it runs
            return self._project(m, name) is None and not self._compiled(name)
        beside = m.frames and m.frames[-1].module is not None and m.frames[-1].module.foreign  # an installed package has what it needs beside it
        return (bool(beside) or is_whole(self.site)) and not self._provided(top)

    def _written_in_c(self, m: Interpreter, name: str) -> bool:
        """Whether a module of the standard library, whose source is read, asks for its fast half: the half in Python takes its place."""
        around = m.frames[-1].module if m.frames else None
        own = around is not None and around.foreign and around.name.partition(".")[0] in FROM_SOURCE
        return own and name.startswith("_") and name in sys.stdlib_module_names and name not in FROM_SOURCE

    def _compiled(self, name: str) -> bool:  # as an extension module of a package
        head, _, leaf = name.rpartition(".")
        package = self.running.get(head)
        return package is None or any(entry.startswith(f"{leaf}.") for folder in package.folders if os.path.isdir(folder) for entry in os.listdir(folder))

    def guarded(self, m: Interpreter, node: ast.AST) -> bool:  # by a `try` that takes the failure of an import
        entry = self._entry(m)
        tries = (t for t in (ast.walk(entry.source.tree) if entry is not None else ()) if isinstance(t, ast.Try) and any(map(takes_imports, t.handlers)))
        return any(inner is node for t in tries for statement in t.body for inner in ast.walk(statement))

    def _entry(self, m: Interpreter) -> Any:
        return self.loaded.get(m.frames[-1].module.path) if m.frames and m.frames[-1].module is not None else None

    def _used(self, m: Interpreter, node: ast.AST) -> bool:
        """Whether the file uses what an import binds: then what is not known of it is met there."""
        entry = self._entry(m)
        bound = {(a.asname or a.name).partition(".")[0] for a in getattr(node, "names", ())}
        return entry is None or any(isinstance(n, ast.Name) and n.id in bound for n in ast.walk(entry.source.tree))

    def now(self, m: Interpreter, later: Later, node: ast.AST) -> Value:
        name = f"{later.module.name}.{later.name}"
        if name in self.left:
            return Unknown(name, key=name)
        try:
            return attributes.of_module(m, later.module, later.name, node)
        except (Left, Fork) as left:
            through(left, name)
            raise

    def library(self, m: Interpreter, name: str) -> Value:
        full = canonical(name)
        if full in PURE_MODULES and not homes.is_space(full):
            from importlib import import_module

            return import_module(full)
        return library_names.module(name, self.resolve(m, full))

    def resolve(self, m: Interpreter, full: str) -> Value:
        """A name of a library: its model or spelling by name, else the installed source of its package."""
        if not read_as_source(full, self.site, self.left):
            return Named(full)
        found = self.installed(m, full)
        return Named(full) if found is None else found

    def source_of(self, m: Interpreter, name: str) -> Value:
        """The object of that name in an installed package's own source; None when there is none."""
        if not read_as_source(name, self.site, self.left):
            return None
        parts = name.split(".")
        for length in range(len(parts) - 1, 0, -1):
            module = self.installed(m, ".".join(parts[:length]))
            if module is None:
                continue
            value: Value = module
            for part in parts[length:]:
                value = m.attribute(value, part, ast.Pass())
            return None if isinstance(value, Named) else value
        return None

    def find_relative(self, m: Interpreter, module: ModuleFile | None, node: ast.ImportFrom) -> Value:
        """The module of a `from … import`."""
        if not node.level or module is None:
            return self.find(m, node.module or "", node)
        package = module.space.get("__package__", MISSING)
        parts = package.split(".") if isinstance(package, str) and package else []
        if node.level > len(parts):
            why = "it goes beyond the outermost package" if parts else "the file is in no package"
            raise m.raised("ImportError", f"the relative import {'.' * node.level}{node.module or ''} leads nowhere: {why}", node)
        name = ".".join([*parts[: len(parts) - node.level + 1], *([node.module] if node.module else [])])
        if module.foreign:
            found = self.installed(m, name)
            return Named(name) if found is None else found
        return self.find(m, name, node)

    def submodule(self, m: Interpreter, owner: ModuleFile, name: str) -> Value:
        """What `from owner import name` finds among the package's files."""
        if not owner.package:
            return None
        found = self.installed(m, f"{owner.name}.{name}") if owner.foreign else self._project(m, f"{owner.name}.{name}")
        if found is None and owner.foreign and self._compiled(f"{owner.name}.{name}"):
            return Unknown(f"{owner.name}.{name}", key=f"{owner.name}.{name}")
        if found is not None and not owner.foreign:
            self.ensure(m, found, None)
        return found
