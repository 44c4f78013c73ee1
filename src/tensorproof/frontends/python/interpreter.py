"""Runs a straight-line program over abstract values: imports, assignments, expressions.

What is not straight-line (branches, loops, definitions) is a gap: it is counted, and the names it may bind become unknown.
"""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.diagnostics.diagnostic import Diagnostic, Gap, Severity, Step
from tensorproof.diagnostics.span import Span
from tensorproof.frontends.python.source import Source
from tensorproof.frontends.python.standard import BUILTINS, module_named
from tensorproof.ops.call import Session
from tensorproof.values.path import Path
from tensorproof.values.python_values import Unknown

_ROOTS = {"tensorflow": "tf", "np": "numpy"}


class Stop(Exception):
    """A certain error ends the run; its finding is already recorded."""


class Interpreter:
    """One run of one file."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.path = Path()
        self.session = Session()
        self.names: dict[str, Any] = {"__name__": "__main__", "__file__": source.path}
        self.bound_at: dict[str, Span] = {}
        self.bound_on: dict[int, Any] = {}
        """The value last bound on each line: what an editor shows there."""
        self.hidden = False
        """Whether a statement that was not followed may have bound names that we do not know of."""

    # --- places and findings ---

    def span(self, node: ast.AST) -> Span:
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        return Span(self.source.path, line, column + 1, getattr(node, "end_lineno", None) or line, (getattr(node, "end_col_offset", None) or column) + 1)

    def fail(self, code: str, message: str, node: ast.AST, trail: tuple[Step, ...] = ()) -> Stop:
        """For `raise self.fail(...)`: a certain error at this place."""
        self.path.findings.append(Diagnostic(code, Severity.ERROR, message, self.span(node), trail=trail))
        return Stop()

    def gap(self, callee: str, node: ast.AST, reason: str = "") -> Unknown:
        self.path.gaps.append(Gap(callee, self.span(node), reason))
        return Unknown(callee)

    # --- statements ---

    def run(self) -> Path:
        try:
            for statement in self.source.tree.body:
                self.execute(statement)
        except Stop:
            self.path.ended = True
        except RecursionError:
            self.gap("deeply nested expression", self.source.tree.body[0])
        return self.path

    def execute(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case ast.Expr(value=value):
                self.evaluate(value)
            case ast.Assign(targets=targets, value=value):
                result = self.evaluate(value)
                for target in targets:
                    self.assign(target, result)
            case ast.AnnAssign(target=target, value=value):
                if value is not None:
                    self.assign(target, self.evaluate(value))
            case ast.AugAssign():
                self.augment(node)
            case ast.Import(names=aliases):
                for alias in aliases:
                    self.import_module(alias)
            case ast.ImportFrom():
                self.import_names(node)
            case ast.Delete(targets=targets):
                for target in targets:
                    if isinstance(target, ast.Name):
                        self.names.pop(target.id, None)
            case ast.Assert(test=test):
                self.check_assertion(test, node)
            case _:
                self.skip(node)

    def evaluate(self, node: ast.expr) -> Any:
        from tensorproof.frontends.python.expressions import evaluate

        return evaluate(self, node)

    def bind(self, name: str, value: Any, node: ast.AST) -> None:
        self.names[name] = value
        self.bound_at[name] = self.span(node)
        self.bound_on[getattr(node, "lineno", 0)] = value

    def assign(self, target: ast.expr, value: Any) -> None:
        match target:
            case ast.Name(id=name):
                self.bind(name, value, target)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                self.unpack(target, targets, value)
            case ast.Starred(value=inner):
                self.assign(inner, value)
            case ast.Subscript() | ast.Attribute():
                from tensorproof.frontends.python.expressions import store

                store(self, target, value)
            case _:
                self.gap(f"assignment to {type(target).__name__}", target)

    def unpack(self, node: ast.expr, targets: list[ast.expr], value: Any) -> None:
        from tensorproof.frontends.python.expressions import iterate

        items = iterate(self, value, node)
        if items is None:
            for target in targets:
                self.assign(target, Unknown("unpacking"))
            return
        star = next((i for i, t in enumerate(targets) if isinstance(t, ast.Starred)), None)
        if star is None:
            if len(items) != len(targets):
                raise self.fail("python/unpack", f"{len(items)} values are unpacked into {len(targets)} names", node)
            pairs = list(zip(targets, items))
        else:
            after = len(targets) - star - 1
            if len(items) < star + after:
                raise self.fail("python/unpack", f"{len(items)} values are too few for {len(targets) - 1} names", node)
            middle = items[star : len(items) - after]
            pairs = [*zip(targets[:star], items), (targets[star], list(middle)), *zip(targets[star + 1 :], items[len(items) - after :])]
        for target, item in pairs:
            self.assign(target, item)

    def augment(self, node: ast.AugAssign) -> None:
        from tensorproof.frontends.python.operators import binary

        load = ast.copy_location(ast.parse(ast.unparse(node.target), mode="eval").body, node.target)
        ast.fix_missing_locations(load)
        result = binary(self, node.op, self.evaluate(load), self.evaluate(node.value), node, in_place=True)
        self.assign(node.target, result)

    def check_assertion(self, test: ast.expr, node: ast.stmt) -> None:
        from tensorproof.frontends.python.operators import truth

        holds = truth(self.evaluate(test))
        if holds is None:
            self.gap("assert", node, "the condition is not known")
        elif not holds:
            raise self.fail("python/assert", "this assertion fails", node)

    def import_module(self, alias: ast.alias) -> None:
        root, _, rest = alias.name.partition(".")
        root = _ROOTS.get(root, root)
        if alias.asname:
            self.bind(alias.asname, module_named(f"{root}.{rest}" if rest else root), alias)
        else:
            self.bind(alias.name.partition(".")[0], module_named(root), alias)

    def import_names(self, node: ast.ImportFrom) -> None:
        from tensorproof.frontends.python.expressions import attribute

        if node.level or node.module is None:
            for alias in node.names:
                self.bind(alias.asname or alias.name, self.gap(f"from . import {alias.name}", node), alias)
            return
        if node.module == "__future__":
            return
        root, _, rest = node.module.partition(".")
        owner = module_named(".".join(filter(None, (_ROOTS.get(root, root), rest))))
        for alias in node.names:
            if alias.name == "*":
                self.hidden = True
                self.gap(f"from {node.module} import *", node)
            else:
                self.bind(alias.asname or alias.name, attribute(self, owner, alias.name, node), alias)

    def skip(self, node: ast.stmt) -> None:
        """A statement that is not followed: every name it could bind is unknown from here on."""
        self.gap(f"{type(node).__name__} statement", node)
        self.hidden = True
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                self.names[inner.id] = Unknown("a statement that was not followed")
            elif isinstance(inner, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
                self.names[inner.name] = Unknown(inner.name)

    def look_up(self, name: str, node: ast.AST) -> Any:
        if name in self.names:
            return self.names[name]
        if name in BUILTINS:
            return BUILTINS[name]
        if self.hidden:
            return Unknown(name)
        raise self.fail("python/name", f"the name {name} is not defined", node)
