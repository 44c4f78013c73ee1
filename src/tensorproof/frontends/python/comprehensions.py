"""Comprehensions and generator expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tensorproof.frontends.python import iteration, like_items, made_of_many, operations, subscripts, uncounted
from tensorproof.frontends.python.frame import Frame
from tensorproof.frontends.python.scope import Scope, comprehension_scope
from tensorproof.terms.tensor import TensorType
from tensorproof.values.many import uncounted as has_many
from tensorproof.values.objects import Dict, Generator, List, Model, Set
from tensorproof.values.python_values import Unknown

Run = Callable[[Frame], Any]
Node = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


class _NotKnown(Exception):
    """The items of a source are not known."""


class Again:
    """The same item again and again: a round that wrote nothing, made no symbol and added plain values stands for the next."""

    def __init__(self, frame: Frame, own: Frame) -> None:
        self.machine = frame.machine
        self.own = own
        self.item: Any = self
        self.added: list[Any] = []
        self.pure = False

    def covers(self, item: Any) -> bool:
        return self.pure and item is self.item

    def adding(self, add: Callable[[Any], None]) -> Callable[[Any], None]:
        def run(value: Any) -> None:
            self.added.append(value)
            add(value)

        return run

    @contextmanager
    def watched(self, item: Any) -> Iterator[None]:
        machine = self.machine
        names, machine.session.names = machine.session.names, set()
        mark = machine.heap.mark()
        self.added, self.pure, repeated, self.item = [], False, item is self.item, item
        try:
            yield
            wrote = machine.heap.difference(mark).owners.values()
            plain = all(isinstance(v, (int, float, str, type(None))) or (isinstance(v, TensorType) and v.contents is None) for v in self.added)
            self.pure = repeated and plain and not machine.session.names and all(o is self.own.space for o in wrote)
        finally:
            machine.heap.forget(mark)
            machine.session.names |= names


def comprehension(node: Node, scope: Scope) -> Run:
    from tensorproof.frontends.python.compile_expr import expression, inner_scopes
    from tensorproof.frontends.python.compile_stmt import target

    inner = comprehension_scope(node, scope)
    first = expression(node.generators[0].iter, scope)
    loops = [
        (target(g.target, inner), None if i == 0 else expression(g.iter, inner), [expression(t, inner) for t in g.ifs], g)
        for i, g in enumerate(node.generators)
    ]
    if isinstance(node, ast.DictComp):
        pair = (expression(node.key, inner), expression(node.value, inner))
    else:
        element = expression(node.elt, inner)

    def run(frame: Frame) -> Any:
        machine = frame.machine
        own = frame.inner(machine.heap.space(), inner_scopes(frame, scope))
        result: list[Any] = []

        def element_value() -> Any:
            if isinstance(node, ast.DictComp):
                return (pair[0](own), pair[1](own))
            return element(own)

        def round_(at: int, item: Any, add: Callable[[Any], None]) -> None:
            """One item of one of the sources."""
            put, _, tests, generator = loops[at]
            put(own, item)
            for test in tests:
                t = machine.truth(test(own), generator.iter)
                if not (t if isinstance(t, bool) else iteration.decided(machine, t)):
                    return
            inside(at, add)

        def inside(at: int, add: Callable[[Any], None]) -> None:
            if at + 1 == len(loops):
                add(element_value())
            else:
                following = loops[at + 1][1]
                assert following is not None
                loop(at + 1, following(own), add)

        def any_round(at: int, item: Any, add: Callable[[Any], None]) -> None:
            """A round that stands for many: what it adds hangs on its tests."""
            put, _, tests, generator = loops[at]
            put(own, item)

            def tested(rest: list[Any]) -> None:
                if not rest:
                    inside(at, add)
                else:
                    made_of_many.kept(machine, machine.truth(rest[0](own), generator.iter), lambda: tested(rest[1:]), generator.iter)

            tested(tests)

        def loop(at: int, source: Any, add: Callable[[Any], None]) -> None:
            generator = loops[at][3]
            rounds = uncounted.open_rounds(machine, source, generator.iter)
            if rounds is not None:
                made = made_of_many.mapped(machine, own, rounds, lambda item, more: any_round(at, item, more), node)
                if made is None:
                    raise _NotKnown
                for value in made:
                    add(value)
                return
            found = iteration.items(machine, source, generator.iter)
            if found is None:
                found = data_items(at, source)
            again = Again(frame, own)
            long = type(source) is range and len(source) > 2 * like_items.WAIT and isinstance(node, ast.ListComp) and at + 1 == len(loops)
            steps, calls = machine.steps, machine.path.calls
            for number, item in enumerate(found):
                if long and number == like_items.WAIT and again.added and like_items.dear(machine, steps, calls, len(source) - number):
                    rest = like_items.rest_alike(machine, own, source, again.added[-1], lambda item, more: round_(at, item, more), node)
                    if rest is not None:
                        for value in rest:
                            add(value)
                        return
                machine.step()
                if again.covers(item):
                    for value in again.added:
                        add(value)
                    continue
                with again.watched(item):
                    round_(at, item, again.adding(add))

        def data_items(at: int, source: Any) -> list[Any]:
            """Data in rounds, of which nobody knows how many: those that stand for all."""
            from tensorproof.libraries import registry

            generator = loops[at][3]
            rounds = registry.rounds(machine, source, generator.iter) if isinstance(source, Model) else None
            if not rounds and not isinstance(source, Unknown):
                raise _NotKnown
            opened.append(source)
            return [item for _, item in rounds or [(True, Unknown("an item that is not known"))]]

        def lazily(at: int, found: Any) -> Iterator[Any]:
            """A generator expression makes each element when it is asked for."""
            put, _, tests, generator = loops[at]
            for item in found:
                machine.step()
                put(own, item)
                if not all(iteration.decided(machine, machine.truth(test(own), generator.iter)) for test in tests):
                    continue
                if at + 1 == len(loops):
                    yield element(own)
                    continue
                following = loops[at + 1][1]
                assert following is not None
                source = following(own)
                within = iteration.walk(machine, source, generator.iter)
                if within is not None:
                    yield from lazily(at + 1, within)
                    continue
                values: list[Any] = []
                try:
                    loop(at + 1, source, values.append)
                except _NotKnown:
                    machine.gap("comprehension", node, "over something that is not known")
                yield from values

        opened: list[Any] = []
        source = first(frame)
        if isinstance(node, ast.GeneratorExp) and not isinstance(source, (Unknown, Model)):
            found = iteration.walk(machine, source, node.generators[0].iter)
            if found is not None:
                return Generator(own, lazily(0, found), machine.heap.clock)
        try:
            loop(0, source, result.append)
        except _NotKnown:
            return machine.gap("comprehension", node, "over something that is not known")
        if opened:
            return Unknown("a list of unknown length")
        return finished(frame, result)

    def finished(frame: Frame, result: list[Any]) -> Any:
        machine = frame.machine
        if isinstance(node, ast.SetComp):
            if has_many(result):
                return Set(machine.heap.row(made_of_many.distinct(machine, result, node)))
            return operations.make_set(machine, result, node)
        if isinstance(node, ast.DictComp):
            if has_many(result):
                return made_of_many.dict_of(machine, result, node)
            made = Dict(machine.heap.entries())
            for k, v in result:
                name = subscripts.key(machine, k, node)
                if isinstance(name, Unknown):
                    uncounted.put(machine, made, k, v, node)
                else:
                    made.items[name] = v
            return made
        if isinstance(node, ast.ListComp) or has_many(result):
            return List(machine.heap.row(result))
        return iteration.iterator(machine, result)

    return run
