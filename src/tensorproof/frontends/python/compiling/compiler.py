"""The compiler that scopes carry, and the scope of modules."""

from __future__ import annotations

import ast

from tensorproof.frontends.python.compiling import expressions, generator_functions, statements
from tensorproof.frontends.python.scope import Act, Put, Run, Scope, Steps


class PythonCompiler:
    """Implements `scope.Compiler`."""

    def expression(self, node: ast.expr, scope: Scope) -> Run:
        return expressions.expression(node, scope)

    def statement(self, node: ast.stmt, scope: Scope) -> Act:
        return statements.statement(node, scope)

    def block(self, nodes: list[ast.stmt], scope: Scope) -> Act:
        return statements.block(nodes, scope)

    def generator_block(self, nodes: list[ast.stmt], scope: Scope) -> Steps:
        return generator_functions.generator_block(nodes, scope)

    def target(self, node: ast.expr, scope: Scope) -> Put:
        return statements.target(node, scope)

    def name_target(self, name: str, node: ast.AST, scope: Scope) -> Put:
        return statements.name_target(name, node, scope)


MODULE = Scope(PythonCompiler(), is_module=True)
