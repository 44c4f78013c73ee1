"""Compiles statements into closures of the frame. A closure returns None, or the signal with which control leaves."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.attributes import attributes, lazy_packages, stores
from tensorproof.frontends.python.branching import agreements, questions
from tensorproof.frontends.python.calls import classes, decorating, exceptions, failures, recovery
from tensorproof.frontends.python.compiling import given_back, imports, machine_tests, matching, try_statements
from tensorproof.frontends.python.compiling.expressions import expression, present
from tensorproof.frontends.python.containers.containers import make_list
from tensorproof.frontends.python.errors import Raised
from tensorproof.frontends.python.frame import BREAK, CONTINUE, RETURN, Frame, Signal
from tensorproof.frontends.python.iteration import iteration
from tensorproof.frontends.python.loops import loops, while_loops
from tensorproof.frontends.python.operators import operations, subscripts
from tensorproof.frontends.python.scope import Act, Put, Scope, inner_scopes
from tensorproof.frontends.python.summaries import summarised_lists
from tensorproof.libraries.tensorflow import traced
from tensorproof.terms.records import replace
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING, WRITTEN_BACK
from tensorproof.values.objects import FIELDS, Choice, Code, Function
from tensorproof.values.python_values import AFTER_ERROR, Unknown

if TYPE_CHECKING:
    from tensorproof.values.machine import Value


def block(nodes: list[ast.stmt], scope: Scope) -> Act:
    acts = [(statement(node, scope), node) for node in nodes if not _empty(node)]

    def run(frame: Frame) -> Signal | None:
        for act, node in acts:
            try:
                signal = act(frame)
            except Raised as raised:
                recovery.skipped(frame, raised, node, scope)
                continue
            if signal is not None:
                return signal
        return None

    return run


def _empty(node: ast.stmt) -> bool:
    return isinstance(node, (ast.Pass, ast.Global, ast.Nonlocal)) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def statement(node: ast.stmt, scope: Scope) -> Act:
    compile_one = _COMPILERS.get(type(node))
    if compile_one is None:
        words = f"{type(node).__name__} statement"

        def unknown(frame: Frame) -> None:
            frame.machine.gap(words, node)

        return unknown
    act = compile_one(node, scope)
    return act if isinstance(node, (ast.Raise, ast.Break, ast.Continue)) else failures.contained(act, node, failures.lost(node, scope))


def _expr(node: ast.Expr, scope: Scope) -> Act:
    value = expression(node.value, scope)

    def run(frame: Frame) -> None:
        frame.machine.step()
        value(frame)

    return run


# --- binding ---


def target(node: ast.expr, scope: Scope) -> Put:
    match node:
        case ast.Name(id=name):
            return name_target(name, node, scope)
        case ast.Attribute(value=owner, attr=name):
            holder = expression(owner, scope)
            return lambda frame, value: stores.store(frame.machine, holder(frame), name, questions.named(frame.machine, value, name, node), node)
        case ast.Subscript(value=owner, slice=index):
            holder, key = expression(owner, scope), expression(index, scope)
            return lambda frame, value: subscripts.store(frame, holder(frame), key(frame), value, node)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return _unpacking(node, parts, scope)
        case ast.Starred(value=inner):
            return target(inner, scope)
        case _:
            return lambda frame, value: _not_followed(frame, node)


def _not_followed(frame: Frame, node: ast.AST) -> None:
    frame.machine.gap(f"assignment to {type(node).__name__}", node)


def name_target(name: str, node: ast.AST, scope: Scope) -> Put:
    if scope.is_module or name in scope.globals:

        def put_global(frame: Frame, value: Value) -> None:
            if type(value) is Unknown:
                value = questions.named(frame.machine, value, name, node)
            frame.machine.heap.set(frame.globals, name, value)
            frame.machine.bound(name, value, node)

        return put_global
    if name in scope.nonlocals or (name not in scope.locals and scope.outer is not None):
        depth = scope.depth(name)

        def put_outer(frame: Frame, value: Value) -> None:
            if type(value) is Unknown:
                value = questions.named(frame.machine, value, name, node)
            space = frame.scopes[depth] if depth is not None and depth < len(frame.scopes) else frame.globals
            frame.machine.heap.set(space, name, value)

        return put_outer

    def put(frame: Frame, value: Value) -> None:
        if type(value) is Unknown:
            value = questions.named(frame.machine, value, name, node)
        frame.machine.heap.set(frame.space, name, value)
        frame.machine.bound(name, value, node)

    return put


def _unpacking(node: ast.expr, parts: list[ast.expr], scope: Scope) -> Put:
    puts = [target(p, scope) for p in parts]
    star = next((i for i, p in enumerate(parts) if isinstance(p, ast.Starred)), None)

    def run(frame: Frame, value: Value) -> None:
        if frame.machine.guards:
            summarised_lists.may_not_fit(frame.machine, value, len(parts), node)
        found = iteration.items(frame.machine, value, node, len(parts) if star is None else None)
        if found is None:
            items_shown = summarised_lists.parts(frame.machine, value, node) if star is not None else None
            known = None if items_shown is None or star is None else summarised_lists.starred(frame.machine, items_shown, star, len(puts) - star - 1)
            for put, item in zip(puts, known or [value if value is AFTER_ERROR else Unknown("unpacking")] * len(puts)):
                put(frame, item)
            return
        if star is None:
            if len(found) != len(puts):
                raise frame.machine.raised("ValueError", f"{len(found)} values are unpacked into {len(puts)} names", node, "python/unpack")
            for put, item in zip(puts, found):
                put(frame, item)
            return
        after = len(puts) - star - 1
        if len(found) < star + after:
            raise frame.machine.raised("ValueError", f"{len(found)} values are too few for {len(puts) - 1} names", node, "python/unpack")
        middle = make_list(frame.machine, found[star : len(found) - after])
        for put, item in zip(puts, [*found[:star], middle, *found[len(found) - after :]]):
            put(frame, item)

    return run


def _assign(node: ast.Assign, scope: Scope) -> Act:
    value, puts = expression(node.value, scope), [target(t, scope) for t in node.targets]
    kept = given_back.by_names(node)

    def run(frame: Frame) -> None:
        frame.machine.step()
        try:
            result = value(frame)
        except Raised as raised:
            result = recovery.after(frame, raised, node)
            recovery.in_doubt(frame, raised, node, scope)
        if kept is not None and type(result) is Unknown:
            result = kept(frame, result)
        for put in puts:
            put(frame, result)

    return run


def _annotated(node: ast.AnnAssign, scope: Scope) -> Act:
    put = target(node.target, scope)
    value = None if node.value is None else expression(node.value, scope)
    field = node.target.id if scope.is_class and isinstance(node.target, ast.Name) else None

    def run(frame: Frame) -> None:
        if value is not None:
            try:
                result = value(frame)
            except Raised as raised:
                result = recovery.after(frame, raised, node)
            put(frame, result)
        if field is not None:  # dataclasses and NamedTuple read the order of annotated names
            noted = frame.space.get(FIELDS, ())
            frame.machine.heap.set(frame.space, FIELDS, (*noted, (field, node.annotation)))

    return run


def _augmented(node: ast.AugAssign, scope: Scope) -> Act:
    value, op = expression(node.value, scope), type(node.op)
    match node.target:
        case ast.Name():
            load = expression(ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target), scope)
            put = target(node.target, scope)

            def on_name(frame: Frame) -> None:
                put(frame, operations.binary(frame.machine, op, load(frame), value(frame), node, in_place=True))

            return on_name
        case ast.Attribute(value=owner, attr=name):
            holder = expression(owner, scope)

            def on_attribute(frame: Frame) -> None:
                found = holder(frame)
                old = attributes.load(frame.machine, found, name, node)
                stores.store(frame.machine, found, name, operations.binary(frame.machine, op, old, value(frame), node, in_place=True), node)

            return on_attribute
        case ast.Subscript(value=owner, slice=index):
            holder, key = expression(owner, scope), expression(index, scope)
            setattr(node.target, WRITTEN_BACK, True)

            def on_item(frame: Frame) -> None:
                found, at = holder(frame), key(frame)
                old = subscripts.load(frame.machine, found, at, node)
                subscripts.store(frame, found, at, operations.binary(frame.machine, op, old, value(frame), node, in_place=True), node.target)

            return on_item


def _delete(node: ast.Delete, scope: Scope) -> Act:
    def one(t: ast.expr) -> Callable[[Frame], None]:
        match t:
            case ast.Name(id=name):

                def name_(frame: Frame) -> None:
                    is_global = scope.is_module or name in scope.globals
                    held = [s for s in frame.scopes if name in s] if name in scope.nonlocals else []
                    space = frame.globals if is_global else held[0] if held else frame.space
                    value = space.get(name, MISSING)
                    kind = "NameError" if is_global or scope.is_class or name in scope.nonlocals else "UnboundLocalError"
                    if type(value) is Choice:
                        value = present(frame, value, name, node, kind)
                    if value is MISSING:
                        raise frame.machine.raised(kind, f"the name '{name}' is not defined", node)
                    frame.machine.heap.delete(space, name)

                return name_
            case ast.Subscript(value=owner, slice=index):
                holder, key = expression(owner, scope), expression(index, scope)
                return lambda frame: subscripts.delete(frame.machine, holder(frame), key(frame), node)
            case ast.Attribute(value=owner, attr=attribute):
                holder = expression(owner, scope)
                return lambda frame: stores.delete(frame.machine, holder(frame), attribute, node)
            case _:
                return lambda frame: _not_followed(frame, t)

    acts = [one(t) for t in node.targets]

    def run(frame: Frame) -> None:
        for act in acts:
            act(frame)

    return run


# --- control ---


def _if(node: ast.If, scope: Scope) -> Act:
    if lazy_packages.is_lazy(node):
        return block(node.body, replace(scope, waits=True))
    test, then, other = expression(node.test, scope), block(node.body, scope), block(node.orelse, scope)
    assumed = machine_tests.assumed(node)
    if assumed is not None:  # without such a device the program only stops
        return then if assumed else other

    def run(frame: Frame) -> Signal | None:
        machine = frame.machine
        machine.step()
        value = test(frame)
        if (found := traced.branches(machine, value)) is not None:
            return agreements.split(machine, frame, found.condition(machine, value, node.test), then, other, found.Agreement(machine, frame, node))
        t = machine.truth(value, node.test)
        if isinstance(t, bool):
            return then(frame) if t else other(frame)
        return machine.branching.split(frame, t, then, other)

    return run


def _return(node: ast.Return, scope: Scope) -> Act:
    value = None if node.value is None else expression(node.value, scope)

    def run(frame: Frame) -> Signal:
        try:
            frame.result = None if value is None else value(frame)
        except Raised as raised:
            frame.result = recovery.after(frame, raised, node)
        return RETURN

    return run


def _assert(node: ast.Assert, scope: Scope) -> Act:
    test = expression(node.test, scope)
    message = None if node.msg is None else expression(node.msg, scope)
    words = ast.unparse(node.test)[:100]
    of_machine = machine_tests.of_version(node.test) or machine_tests.of_device(node.test)

    def run(frame: Frame) -> None:
        machine = frame.machine
        value = test(frame)
        if type(value) is TensorType and value.graph is not None:
            traced.refuse(machine, "assert", value, node)
        t = machine.truth(value, node.test)
        if t is True or of_machine:
            return
        said = message(frame) if message is not None and t is False else None
        text = f"this assertion fails: {words}" + (f" ({said})" if isinstance(said, str) and said else "")
        machine.demand("AssertionError", t, text, node)

    return run


def _raise(node: ast.Raise, scope: Scope) -> Act:
    value = None if node.exc is None else expression(node.exc, scope)

    def run(frame: Frame) -> Signal | None:
        raise exceptions.raising(frame, None if value is None else value(frame), node)

    return run


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> Act:
    code = Code(node.name, node, scope)
    defaults = [expression(d, scope) for d in node.args.defaults]
    named = [(a.arg, expression(d, scope)) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults) if d is not None]
    decorators = [(expression(d, scope), d) for d in reversed(node.decorator_list)]
    put = name_target(node.name, node, scope)

    def run(frame: Frame) -> None:
        made: Value = Function(
            code, inner_scopes(frame, scope), frame.module, tuple(d(frame) for d in defaults), {k: d(frame) for k, d in named},
            frame.owner if scope.is_class else None,
        )  # fmt: skip
        for decorator, at in decorators:
            made = decorating.decorated(frame.machine, decorator(frame), made, at)
        put(frame, made)

    return run


def _class(node: ast.ClassDef, scope: Scope) -> Act:
    make = classes.compile_class(node, scope)
    put = name_target(node.name, node, scope)
    return lambda frame: put(frame, make(frame))


def _break(node: ast.Break, scope: Scope) -> Act:
    return lambda frame: BREAK


def _continue(node: ast.Continue, scope: Scope) -> Act:
    return lambda frame: CONTINUE


_COMPILERS: dict[type[ast.stmt], Callable[[Any, Scope], Act]] = {
    ast.Expr: _expr, ast.Assign: _assign, ast.AnnAssign: _annotated, ast.AugAssign: _augmented, ast.Delete: _delete, ast.If: _if,
    ast.Return: _return, ast.Assert: _assert, ast.Raise: _raise, ast.FunctionDef: _function, ast.AsyncFunctionDef: _function, ast.ClassDef: _class,
    ast.Break: _break, ast.Continue: _continue, ast.For: loops.compile_for, ast.AsyncFor: loops.compile_for, ast.While: while_loops.compile_while,
    ast.With: try_statements.compile_with, ast.AsyncWith: try_statements.compile_with,
    ast.Try: try_statements.compile_try, ast.TryStar: try_statements.compile_try,
    ast.Import: imports.compile_import, ast.ImportFrom: imports.compile_from, ast.Match: matching.compile_match,
    ast.Pass: lambda node, scope: lambda frame: None, ast.Global: lambda node, scope: lambda frame: None, ast.Nonlocal: lambda node, scope: lambda frame: None,
}  # fmt: skip
