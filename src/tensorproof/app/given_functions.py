"""Enters the functions that a program gives to calls which are not understood, with the memory that the program leaves: an objective, a step, a handler.

What the caller would give them is not known. A name that is bound again and again is not known either: the function may be called at any time.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable

from tensorproof.app.entering import Entering, blamed
from tensorproof.diagnostics.diagnostic import Certainty, Diagnostic, Severity
from tensorproof.frontends.python.calls.unseen_calls import given
from tensorproof.frontends.python.entry.uncalled import Definition, Uncalled, arguments, changed_attributes, changed_globals, was_entered
from tensorproof.frontends.python.errors import Dead, OutOfBudget, Raised
from tensorproof.frontends.python.machine import Interpreter
from tensorproof.frontends.python.modules.modules import Modules
from tensorproof.frontends.python.modules.source import Source
from tensorproof.terms.records import replace
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import Space
from tensorproof.values.objects import Bound, Function, Instance
from tensorproof.values.python_values import Unknown


def errors_of_given(source: Source, last: Interpreter) -> list[Diagnostic]:
    """The errors of functions that the program gives away and that no run has entered."""
    nodes = [node for node, value in given(last).items() if not was_entered(value.function if isinstance(value, Bound) else value)]
    entering = EnteringGiven(last.modules, last.steps)
    found: list[Diagnostic] = []
    try:
        for node in nodes:
            if entering.has_work_left:
                found += entering.one(Uncalled(node)).diagnostics
    except OutOfBudget:  # what was found before is kept
        pass
    return [replace(d, certainty=Certainty.POSSIBLE) for d in found if d.severity is Severity.ERROR]


class EnteringGiven(Entering):
    """Runs of the whole program, after each of which one of these functions is called."""

    def __init__(self, modules: Modules, steps: int) -> None:
        super().__init__(modules)
        self.steps = steps
        """What one run of the program takes."""

    def call(self, run: Interpreter, one: Uncalled, tensors: dict[str, TensorType]) -> str:
        value = given(run).get(one.node)
        if value is None:
            return "on this path it is not given to anyone"
        function = value.function if isinstance(value, Bound) else value
        assert isinstance(function, Function)
        _forget(run, self.modules.main_source.tree, one.node, function.scopes)
        if isinstance(value, Bound) and isinstance(value.self, Instance):
            _forget_attributes(run, self.modules.main_source.tree, value.self)
        args, kwargs = arguments(run, one, value, tensors)
        try:
            run.call(value, args, kwargs, one.node)
        except Raised as raised:
            run.uncaught(raised)
        except Dead:
            pass
        self.work += self.steps
        return ""

    def tensors(self, one: Uncalled) -> list[str]:
        return []

    def blamed(self, d: Diagnostic) -> bool:
        return blamed(d) or d.code.startswith("call/")


def _forget(run: Interpreter, tree: ast.Module, node: ast.AST, scopes: Iterable[Space]) -> None:
    """Names of the file and of the functions around that have other values at other times."""
    globals_ = rebound(tree.body) | changed_globals(tree)
    around = {name for outer in _around(tree, node) for name in rebound(outer.body)}
    for space in scopes:
        names = globals_ if space is run.modules.main.space else around
        for name in [n for n in space if n in names]:
            run.heap.set(space, name, Unknown(str(name)))
    for name in globals_ & set(run.modules.main.space):
        run.heap.set(run.modules.main.space, name, Unknown(name))


def _forget_attributes(run: Interpreter, tree: ast.Module, me: Instance) -> None:
    """Attributes that methods set: the method may be called before or after them."""
    for cls in ast.walk(tree):
        if isinstance(cls, ast.ClassDef) and cls.name == me.cls.name:
            for name in changed_attributes(cls) & set(me.space):
                run.heap.set(me.space, name, Unknown(name))


def _around(tree: ast.Module, node: ast.AST) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions in which a definition stands."""
    return [outer for outer in ast.walk(tree) if isinstance(outer, Definition) and outer is not node and any(n is node for n in ast.walk(outer))]


def rebound(body: list[ast.stmt]) -> set[str]:
    """The names that the statements of a block bind more than once on one way through it, or in a loop."""
    return {name for name, times in _bound(body).items() if times > 1}


def _bound(body: list[ast.stmt]) -> Counter[str]:
    found: Counter[str] = Counter()
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                found[node.name] += 1
            case ast.If():
                found += _bound(node.body) | _bound(node.orelse)
            case ast.For() | ast.AsyncFor() | ast.While():
                inside = _bound(node.body)
                stored = _stored(node.target) if not isinstance(node, ast.While) else Counter[str]()
                found += inside + inside + stored + stored + _bound(node.orelse)
            case ast.With() | ast.AsyncWith():
                found += _bound(node.body) + sum((_stored(item.optional_vars) for item in node.items if item.optional_vars), Counter[str]())
            case ast.Try():
                handlers = sum((_bound(handler.body) for handler in node.handlers), Counter[str]())
                found += (_bound(node.body) + _bound(node.orelse) | handlers) + _bound(node.finalbody)
            case _:
                found += _stored(node)
    return found


def _stored(node: ast.AST) -> Counter[str]:
    return Counter(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
