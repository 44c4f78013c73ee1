"""match: patterns are compiled into tests that bind."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.attributes import attributes, lookup
from tensorproof.frontends.python.branching import deciding
from tensorproof.frontends.python.calls import builtin_classes
from tensorproof.frontends.python.containers.containers import make_list
from tensorproof.frontends.python.frame import Frame, Signal
from tensorproof.frontends.python.iteration import iteration
from tensorproof.frontends.python.operators import comparisons
from tensorproof.frontends.python.scope import Scope
from tensorproof.terms.predicates import Truth, conj, disj
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Choice, Dict, Instance, List
from tensorproof.values.python_values import Unknown

if TYPE_CHECKING:
    from tensorproof.values.machine import Value

Bindings = list[tuple[Callable[[Frame, Any], None], Any]]
Test = Callable[[Frame, Any, Bindings], Truth]
"""Tells whether a value matches, and adds what it would bind: names are bound once the whole pattern has matched."""


def compile_match(node: ast.Match, scope: Scope) -> Callable[[Frame], Signal | None]:
    subject = scope.expression(node.subject)
    cases = [(pattern(c.pattern, scope), None if c.guard is None else scope.expression(c.guard), scope.block(c.body)) for c in node.cases]

    def run(frame: Frame) -> Signal | None:
        m = frame.machine
        value = subject(frame)

        def from_case(at: int) -> Signal | None:
            if at == len(cases):
                return None
            test, guard, body = cases[at]
            bindings: Bindings = []

            def matched(f: Frame) -> Signal | None:
                for put, bound in bindings:
                    put(f, bound)
                kept = True if guard is None else m.truth(guard(f), node)
                if isinstance(kept, bool):
                    return body(f) if kept else from_case(at + 1)
                return m.branching.split(f, kept, body, lambda f: from_case(at + 1))

            holds = test(frame, value, bindings)
            if isinstance(holds, bool):
                return matched(frame) if holds else from_case(at + 1)
            return m.branching.split(frame, holds, matched, lambda f: from_case(at + 1))

        return from_case(0)

    return run


def pattern(node: ast.pattern, scope: Scope) -> Test:
    match node:
        case ast.MatchValue(value=value):
            wanted = scope.expression(value)
            return lambda frame, v, bindings: frame.machine.truth(comparisons.compare(frame.machine, ast.Eq, v, wanted(frame), node), node)
        case ast.MatchSingleton(value=constant):
            return lambda frame, v, bindings: frame.machine.truth(comparisons.compare(frame.machine, ast.Is, v, constant, node), node)
        case ast.MatchAs(pattern=inner, name=name):
            test = None if inner is None else pattern(inner, scope)
            put = None if name is None else scope.name_target(name, node)

            def bind(frame: Frame, v: Value, bindings: Bindings) -> Truth:
                holds = True if test is None else test(frame, v, bindings)
                if holds is not False and put is not None:
                    bindings.append((put, v))
                return holds

            return bind
        case ast.MatchOr(patterns=options):
            tests = [pattern(p, scope) for p in options]

            def any_of(frame: Frame, v: Value, bindings: Bindings) -> Truth:
                result: Truth = False
                for test in tests:
                    own: Bindings = []
                    holds = test(frame, v, own)
                    if own and not isinstance(holds, bool):
                        holds = deciding.decided(frame.machine, holds)
                    if holds is True:
                        bindings += own
                        return True
                    result = disj(result, holds)
                return result

            return any_of
        case ast.MatchSequence(patterns=parts):
            return _sequence(parts, scope, node)
        case ast.MatchMapping():
            return _mapping(node, scope)
        case ast.MatchClass():
            return _class(node, scope)
        case _:

            def unknown(frame: Frame, v: Value, bindings: Bindings) -> Truth:
                frame.machine.gap("pattern", node)
                return False

            return unknown


def _one(frame: Frame, v: Value) -> Value:
    """A pattern that looks into a value needs to know which of two it is."""
    while type(v) is Choice:
        v = v.then if deciding.decided(frame.machine, v.condition) else v.other
    return v


def _sequence(parts: list[ast.pattern], scope: Scope, node: ast.pattern) -> Test:
    star = next((i for i, p in enumerate(parts) if isinstance(p, ast.MatchStar)), None)
    tests = [None if isinstance(p, ast.MatchStar) else pattern(p, scope) for p in parts]
    rest = next((scope.name_target(p.name, node) for p in parts if isinstance(p, ast.MatchStar) and p.name), None)

    def run(frame: Frame, v: Value, bindings: Bindings) -> Truth:
        v = _one(frame, v)
        if not isinstance(v, (List, tuple)):
            return frame.machine.open_truth("pattern", node) if isinstance(v, Unknown) else False
        items = list(v.items) if isinstance(v, List) else list(v)
        if (star is None and len(items) != len(parts)) or (star is not None and len(items) < len(parts) - 1):
            return False
        holds: Truth = True
        after = 0 if star is None else len(parts) - star - 1
        for i, test in enumerate(tests):
            if test is None:
                if rest is not None:
                    bindings.append((rest, make_list(frame.machine, items[i : len(items) - after])))
                continue
            at = i if star is None or i < star else len(items) - (len(parts) - i)
            holds = conj(holds, test(frame, items[at], bindings))
            if holds is False:
                return False
        return holds

    return run


def _mapping(node: ast.MatchMapping, scope: Scope) -> Test:
    pairs = [(scope.expression(k), pattern(p, scope)) for k, p in zip(node.keys, node.patterns)]
    rest = None if node.rest is None else scope.name_target(node.rest, node)

    def run(frame: Frame, v: Value, bindings: Bindings) -> Truth:
        v = _one(frame, v)
        if not isinstance(v, Dict):
            return frame.machine.open_truth("pattern", node) if isinstance(v, Unknown) else False
        holds: Truth = True
        used: list[Value] = []
        for key, test in pairs:
            name = key(frame)
            if name not in v.items:
                return False
            used.append(name)
            holds = conj(holds, test(frame, v.items[name], bindings))
            if holds is False:
                return False
        if rest is not None:
            bindings.append((rest, Dict(frame.machine.heap.entries({k: x for k, x in v.items.items() if k not in used}))))
        return holds

    return run


def _class(node: ast.MatchClass, scope: Scope) -> Test:
    cls = scope.expression(node.cls)
    positional = [pattern(p, scope) for p in node.patterns]
    named = [(n, pattern(p, scope)) for n, p in zip(node.kwd_attrs, node.kwd_patterns)]

    def run(frame: Frame, v: Value, bindings: Bindings) -> Truth:
        v = _one(frame, v)
        m = frame.machine
        wanted = cls(frame)
        holds = m.truth(builtin_classes.is_instance(m, v, wanted), node)
        if holds is False:
            return False
        if positional and isinstance(wanted, type):
            return conj(holds, positional[0](frame, v, bindings))
        names: list[Any] = []
        if positional and isinstance(v, Instance):
            found, _ = lookup.in_class(m, v.cls, "__match_args__")
            names = list(iteration.items(m, found, node) or ()) if found is not MISSING else []
        for name, test in [*zip(names, positional), *named]:
            value = attributes.load(m, v, name, node)
            holds = conj(holds, test(frame, value, bindings))
            if holds is False:
                return False
        return holds

    return run
