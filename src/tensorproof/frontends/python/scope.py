"""Which names a piece of code binds, and where the others are looked up."""

from __future__ import annotations

import ast
from collections.abc import Callable
from collections.abc import Generator as Running
from typing import TYPE_CHECKING, Any, Protocol

from tensorproof.frontends.python.frame import Frame, Signal
from tensorproof.terms.records import dataclass, field

if TYPE_CHECKING:
    pass

Run = Callable[[Frame], Any]
"""A compiled expression: gives its value."""
Act = Callable[[Frame], Signal | None]
"""A compiled statement or block: gives None, or the signal with which control leaves."""
Put = Callable[[Frame, Any], None]
"""A compiled target: binds a value."""
Steps = Callable[[Frame], Running[Any, Any, Any]]
"""A compiled block of a generator function."""


class Compiler(Protocol):
    """Turns source into closures of the frame. `compiling/compiler.py` has it; the rooms below reach it through the scope."""

    def expression(self, node: ast.expr, scope: Scope) -> Run: ...

    def statement(self, node: ast.stmt, scope: Scope) -> Act: ...

    def block(self, nodes: list[ast.stmt], scope: Scope) -> Act: ...

    def generator_block(self, nodes: list[ast.stmt], scope: Scope) -> Steps: ...

    def target(self, node: ast.expr, scope: Scope) -> Put: ...

    def name_target(self, name: str, node: ast.AST, scope: Scope) -> Put: ...


@dataclass(frozen=True, slots=True)
class Scope:
    """The names of one function, class body or module, as Python's own rules give them."""

    compiler: Compiler
    locals: frozenset[str] = frozenset()
    globals: frozenset[str] = frozenset()
    nonlocals: frozenset[str] = frozenset()
    is_module: bool = False
    is_class: bool = False
    outer: Scope | None = None
    waits: bool = False
    """Whether what is imported here runs only when a name of it is used."""

    def expression(self, node: ast.expr) -> Run:
        """An expression of this scope, compiled."""
        return self.compiler.expression(node, self)

    def statement(self, node: ast.stmt) -> Act:
        return self.compiler.statement(node, self)

    def block(self, nodes: list[ast.stmt]) -> Act:
        return self.compiler.block(nodes, self)

    def target(self, node: ast.expr) -> Put:
        """What an assignment to this target does."""
        return self.compiler.target(node, self)

    def name_target(self, name: str, node: ast.AST) -> Put:
        """What binds a name at this place."""
        return self.compiler.name_target(name, node, self)

    def depth(self, name: str) -> int | None:
        """Which of the enclosing functions binds a name that this scope does not, the innermost being 0; None when the module must have it."""
        at, outer = 0, self.outer
        while outer is not None and not outer.is_module:
            if not outer.is_class:
                if name in outer.globals:
                    return None
                if name in outer.locals:
                    return at
                at += 1
            outer = outer.outer
        return None


@dataclass(slots=True)
class _Finder(ast.NodeVisitor):
    bound: set[str] = field(default_factory=set[str])
    globals: set[str] = field(default_factory=set[str])
    nonlocals: set[str] = field(default_factory=set[str])
    yields: bool = False

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, (ast.Store, ast.Del)):
            self.bound.add(node.id)

    def visit_Global(self, node: ast.Global) -> None:
        self.globals.update(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.nonlocals.update(node.names)

    def _definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        self.bound.add(node.name)
        for inner in node.decorator_list:
            self.visit(inner)

    def _defaults(self, arguments: ast.arguments) -> None:
        """Defaults are evaluated outside: a walrus in one binds there."""
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                self.visit(default)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._definition(node)
        self._defaults(node.args)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._definition(node)
        self._defaults(node.args)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._definition(node)
        for base in (*node.bases, *(k.value for k in node.keywords)):
            self.visit(base)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._defaults(node.args)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        """Only a walrus inside binds outside."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.NamedExpr):
                self.bound.add(inner.target.id)

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._comprehension(node)

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._comprehension(node)

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._comprehension(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self._comprehension(node)

    def visit_Import(self, node: ast.Import) -> None:
        self.bound.update(a.asname or a.name.partition(".")[0] for a in node.names)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self.bound.update(a.asname or a.name for a in node.names)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.bound.add(node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        if node.name:
            self.bound.add(node.name)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name:
            self.bound.add(node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self.bound.add(node.rest)
        self.generic_visit(node)

    def visit_Yield(self, node: ast.Yield) -> None:
        self.yields = True
        self.generic_visit(node)

    def visit_YieldFrom(self, node: ast.YieldFrom) -> None:
        self.yields = True
        self.generic_visit(node)


def function_scope(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, outer: Scope) -> tuple[Scope, bool]:
    """The scope of a function's body, and whether it is a generator."""
    finder = _Finder()
    for statement in node.body if isinstance(node.body, list) else [node.body]:
        finder.visit(statement)
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *filter(None, (arguments.vararg, arguments.kwarg))]
    bound = (finder.bound | {a.arg for a in every}) - finder.globals - finder.nonlocals
    return Scope(outer.compiler, frozenset(bound), frozenset(finder.globals), frozenset(finder.nonlocals), outer=outer), finder.yields


def class_scope(node: ast.ClassDef, outer: Scope) -> Scope:
    finder = _Finder()
    for statement in node.body:
        finder.visit(statement)
    return Scope(outer.compiler, frozenset(finder.bound - finder.globals), frozenset(finder.globals), is_class=True, outer=outer)


def comprehension_scope(node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, outer: Scope) -> Scope:
    """A comprehension's own names; a walrus inside binds in the scope around it."""
    finder = _Finder()
    for generator in node.generators:
        finder.visit(generator.target)
    return Scope(outer.compiler, frozenset(finder.bound), outer.globals, frozenset(), outer=outer)


def has_yield(nodes: list[ast.stmt]) -> bool:
    """Whether one of these statements yields, functions defined inside left aside."""
    finder = _Finder()
    for node in nodes:
        finder.visit(node)
    return finder.yields


def inner_scopes(frame: Frame, scope: Scope) -> tuple[Any, ...]:
    """The scopes that a function defined here sees: a class body is not one of them, nor is the module."""
    return frame.scopes if scope.is_module or scope.is_class else (frame.space, *frame.scopes)
