"""Where imports lead: to the project's own files, to Python's pure modules, to a library's model or spelling, else to the source of an installed package."""

from __future__ import annotations

import ast
import builtins
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.rows import LIBRARIES
from tensorproof.diagnostics.errors import BadInput
from tensorproof.frontends.python.errors import Dead, Raised
from tensorproof.frontends.python.frame import Frame
from tensorproof.frontends.python.scope import MODULE
from tensorproof.frontends.python.source import Source, read
from tensorproof.frontends.python.standard import PURE_MODULES
from tensorproof.libraries import registry
from tensorproof.libraries.keras_names import canonical
from tensorproof.terms.records import dataclass, field
from tensorproof.values.heap import MISSING, Space
from tensorproof.values.objects import Later, ModuleFile
from tensorproof.values.python_values import Named

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter

SOURCES = (
    "torchvision.models", "torchvision.ops", "torchvision.utils", "torchvision._internally_replaced_utils", "keras.applications", "keras.src.applications",
)  # fmt: skip
"""Parts of modelled packages that are read from their own source."""
_BUILTINS: dict[str, Any] = {
    name: getattr(builtins, name)
    for name in dir(builtins)
    if not name.startswith("_") and (callable(getattr(builtins, name)) or name in ("True", "False", "None", "Ellipsis", "NotImplemented"))
}


@dataclass(slots=True)
class Loaded:
    """A file that was read and compiled once, for all replays."""

    source: Source
    body: Any = None


@dataclass(slots=True)
class Modules:
    """The modules of one program. What was read and compiled is shared by its replays; what they hold is made anew for each."""

    main_source: Source
    roots: tuple[Path, ...]
    site: tuple[Path, ...] = ()
    loaded: dict[str, Loaded | None] = field(default_factory=dict[str, Loaded | None])
    running: dict[str, ModuleFile] = field(default_factory=dict[str, ModuleFile])
    answers: dict[Any, bool | None] = field(default_factory=dict[Any, "bool | None"])
    """What the solver said of a predicate under the facts of a path."""
    main: ModuleFile = field(init=False)

    def __post_init__(self) -> None:
        self.main = ModuleFile("__main__", self.main_source.path, Space())

    def start(self, m: Interpreter) -> None:
        """A new run: every module waits again."""
        self.running = {}
        space = m.heap.space({"__name__": "__main__", "__file__": self.main_source.path, "__doc__": None})
        self.main = ModuleFile("__main__", self.main_source.path, space)

    # --- running ---

    def run_main(self, m: Interpreter) -> None:
        entry = self.loaded.setdefault(self.main_source.path, Loaded(self.main_source))
        assert entry is not None
        self._run(m, self.main, entry)

    def _run(self, m: Interpreter, module: ModuleFile, loaded: Loaded) -> None:
        if loaded.body is None:
            from tensorproof.frontends.python.compile_stmt import block

            loaded.body = block(loaded.source.tree.body, MODULE)
        module.state = "running"
        frame = Frame(m, module.space, (), module.space, module)
        heap = m.heap
        kept = (heap.marks, heap.log, heap.clock, m.facts) if heap.marks else None
        if kept is not None:  # a module runs once, whatever branch first needs it: what it does is older than the branch
            heap.marks, heap.log, heap.clock, m.facts = [], [], -1, []
        m.frames.append(frame)
        try:
            loaded.body(frame)
        except (Raised, Dead):
            m.branching.abandon(frame)
            self.running.pop(module.name, None)  # the next import runs it again
            raise
        finally:
            m.frames.pop()
            module.state = "done"
            if kept is not None:
                heap.marks, heap.log, heap.clock, m.facts = kept

    def ensure(self, m: Interpreter, module: ModuleFile, name: str | None) -> None:
        """Run a module that still waits, because one of its names is needed."""
        if module.state == "waiting":
            entry = self.loaded.get(module.path)
            if entry is not None:
                self._run(m, module, entry)
            else:
                module.state = "done"

    def listed(self, module: ModuleFile) -> list[str] | None:
        """The names in a module's `__all__`, read from its text; None when they are not written out there."""
        entry = self.loaded.get(module.path)
        if entry is None or module.state == "done":
            return None
        for node in entry.source.tree.body:
            match node:
                case ast.Assign(targets=[ast.Name(id="__all__")], value=ast.List(elts=items) | ast.Tuple(elts=items)):
                    if all(isinstance(i, ast.Constant) and isinstance(i.value, str) for i in items):
                        return [str(i.value) for i in items if isinstance(i, ast.Constant)]
                case _:
                    pass
        return None

    # --- finding ---

    def builtin(self, name: str) -> Any:
        return _BUILTINS.get(name, MISSING)

    def find(self, m: Interpreter, name: str, node: ast.AST) -> Any:
        """What `import name` binds when it has an alias."""
        file = self._project(m, name)
        if file is not None:
            if not file.foreign:
                self.ensure(m, file, None)
            return file
        return self.library(m, name)

    def now(self, m: Interpreter, later: Later, node: ast.AST) -> Any:
        """A name of a module that had not run yet."""
        from tensorproof.frontends.python.attributes import of_module

        return of_module(m, later.module, later.name, node)

    def library(self, m: Interpreter, name: str) -> Any:
        full = canonical(name)
        if full in PURE_MODULES and full not in registry.FILES:
            from importlib import import_module

            return import_module(full)
        return self.resolve(m, full)

    def resolve(self, m: Interpreter, full: str) -> Any:
        """A name of a library: its model or spelling by name, else the installed source of its package."""
        if not self.site or not self._read_as_source(full):
            return Named(full)
        found = self.installed(m, full)
        return Named(full) if found is None else found

    def _read_as_source(self, full: str) -> bool:
        root = full.partition(".")[0]
        if full.startswith(SOURCES):
            return True
        return root not in LIBRARIES and root not in registry.FILES and root not in sys.stdlib_module_names and builds_on_torch(self.site, root)

    def source_of(self, m: Interpreter, name: str) -> Any:
        """The object of that name in an installed package's own source; None when there is none."""
        if not self.site or not self._read_as_source(name):
            return None
        parts = name.split(".")
        for length in range(len(parts) - 1, 0, -1):
            module = self.installed(m, ".".join(parts[:length]))
            if module is None:
                continue
            value: Any = module
            for part in parts[length:]:
                from tensorproof.frontends.python.attributes import load

                value = load(m, value, part, ast.Pass())
            return None if isinstance(value, Named) else value
        return None

    def find_relative(self, m: Interpreter, module: ModuleFile | None, node: ast.ImportFrom) -> Any:
        """The module of a `from … import`."""
        name = node.module or ""
        if node.level:
            parts = (module.name if module is not None else "").split(".")
            if module is not None and not module.package:
                parts = parts[:-1]
            parts = parts[: len(parts) - (node.level - 1)] if node.level > 1 else parts
            name = ".".join([p for p in [*parts, name] if p and p != "__main__"])
            if module is not None and module.foreign:
                found = self.installed(m, name)
                return Named(name) if found is None else found
        return self.find(m, name, node) if name else self.main

    def submodule(self, m: Interpreter, owner: ModuleFile, name: str) -> Any:
        if not owner.package:
            return None
        found = self.installed(m, f"{owner.name}.{name}") if owner.foreign else self._project(m, f"{owner.name}.{name}")
        if found is not None and not owner.foreign:
            self.ensure(m, found, None)
        return found

    def _project(self, m: Interpreter, name: str) -> ModuleFile | None:
        known = self.running.get(name)
        if known is not None:
            return known
        if name.partition(".")[0] in sys.stdlib_module_names and (self.roots[0] / "__init__.py").is_file():
            return None  # a file of a package does not stand before the standard library
        for root in self.roots:
            found = self._at(m, root, name, foreign=False)
            if found is not None:
                return found
        return None

    def installed(self, m: Interpreter, name: str) -> Any:
        known = self.running.get(name)
        if known is not None:
            return known
        for root in self.site:
            found = self._at(m, root, name, foreign=True)
            if found is not None:
                return found
        return None

    def _at(self, m: Interpreter, root: Path, name: str, foreign: bool) -> ModuleFile | None:
        base = root.joinpath(*name.split("."))
        for path, package in ((base / "__init__.py", True), (base.with_suffix(".py"), False)):
            text = _shown(path)
            if text not in self.loaded:
                self.loaded[text] = self._load(path, foreign)
            entry = self.loaded[text]
            if entry is not None:
                space = m.heap.space({"__name__": name, "__file__": str(path), "__doc__": None})
                module = ModuleFile(name, text, space, foreign=foreign, package=package)
                self.running[name] = module
                return module
        if base.is_dir() and not foreign:
            module = ModuleFile(name, str(base), m.heap.space({"__name__": name}), state="done", package=True)
            self.running[name] = module
            return module
        return None

    def _load(self, path: Path, foreign: bool) -> Loaded | None:
        if not path.is_file():
            return None
        try:
            return Loaded(read(_shown(path)))
        except BadInput:
            if foreign:  # a package's file that is not for this Python, or too large: it stays a name without a model
                return None
            raise


@cache
def builds_on_torch(site: tuple[Path, ...], package: str) -> bool:
    """Whether an installed package says that it needs torch: only such packages are read as source, the others are left to models."""
    for folder in site:
        for metadata in folder.glob(f"{package}-*.dist-info/METADATA"):
            with metadata.open(encoding="utf-8", errors="replace") as stream:
                return any(line.startswith("Requires-Dist: torch") for line in stream)
    return False


def site_packages(environment: str | None) -> tuple[Path, ...]:
    """The folders of installed packages: of a given environment, else of the one that runs."""
    if environment is None:
        roots = [Path(p) for p in sys.path if p.endswith("site-packages")]
    elif Path(environment).name == "site-packages":
        roots = [Path(environment)]
    else:
        roots = sorted(Path(environment).glob("lib/python*/site-packages")) or [Path(environment) / "Lib" / "site-packages"]
    found = tuple(r for r in roots if r.is_dir())
    if environment is not None and not found:
        raise BadInput(f"{environment} is no Python environment: it has no site-packages")
    return found


def _shown(path: Path) -> str:
    """The path as a user would write it from here."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
