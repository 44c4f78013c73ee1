"""Comprehensions and generator expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorproof.frontends.python.branching import deciding
from tensorproof.frontends.python.compiling.picked_parts import Picks, picked_parts
from tensorproof.frontends.python.containers import hashing
from tensorproof.frontends.python.containers.set_algebra import make_set
from tensorproof.frontends.python.frame import Frame
from tensorproof.frontends.python.iteration import iteration
from tensorproof.frontends.python.iteration.changes import watch
from tensorproof.frontends.python.scope import Put, Run, Scope, comprehension_scope, inner_scopes
from tensorproof.frontends.python.summaries import like_items, summarised_lists, summarised_results
from tensorproof.libraries import registry
from tensorproof.libraries.tensorflow import traced
from tensorproof.terms.predicates import Truth
from tensorproof.terms.tensor import TensorType
from tensorproof.values.objects import Dict, Generator, List, Model, Set
from tensorproof.values.python_values import AFTER_ERROR, Unknown
from tensorproof.values.summaries import is_summarised

if TYPE_CHECKING:
    from tensorproof.values.machine import Value

Node = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


_ITEMS_OF_A_STEP = 8
"""How many items are taken apart in what counts as a step."""


class _NotKnown(Exception):
    """The items of a source are not known."""


class Again:
    """The same item again and again: an iteration that wrote nothing, made no symbol and added plain values stands for the next."""

    def __init__(self, frame: Frame, own: Frame) -> None:
        self.machine = frame.machine
        self.own = own
        self.item: Value = self
        self.added: list[Value] = []
        self.pure = False

    def covers(self, item: Value) -> bool:
        return self.pure and item is self.item

    def comes(self, item: Value) -> bool:
        """Whether an item is the one before: only then it is worth to watch what is done with it."""
        repeated, self.item, self.pure, self.added = item is self.item, item, False, []
        return repeated

    def adding(self, add: Callable[[Value], None]) -> Callable[[Value], None]:
        def run(value: Value) -> None:
            self.added.append(value)
            add(value)

        return run

    @contextmanager
    def watched(self) -> Iterator[None]:
        machine = self.machine
        names, machine.session.names = machine.session.names, set()
        mark = machine.heap.mark()
        try:
            yield
            wrote = machine.heap.difference(mark).owners.values()
            plain = all(isinstance(v, (int, float, str, type(None))) or (isinstance(v, TensorType) and v.contents is None) for v in self.added)
            self.pure = plain and not machine.session.names and all(o is self.own.space for o in wrote)
        finally:
            machine.heap.forget(mark)
            machine.session.names |= names


class _Loop(NamedTuple):
    """One `for` of a comprehension with its tests, compiled."""

    put: Put
    source: Run | None
    """None for the first, which is evaluated outside."""
    tests: list[Run]
    node: ast.comprehension


def comprehension(node: Node, scope: Scope) -> Run:
    inner = comprehension_scope(node, scope)
    first = scope.expression(node.generators[0].iter)
    loops = [
        _Loop(inner.target(g.target), None if i == 0 else inner.expression(g.iter), [inner.expression(t) for t in g.ifs], g)
        for i, g in enumerate(node.generators)
    ]
    element, picks = _element(node, inner), picked_parts(node)
    return lambda frame: _Comprehension(node, loops, element, picks, frame, frame.inner(frame.machine.heap.space(), inner_scopes(frame, scope))).run(
        first(frame)
    )


def _element(node: Node, scope: Scope) -> Run:
    """What is added for each item; for a dict, the pair of its key and value."""
    if not isinstance(node, ast.DictComp):
        return scope.expression(node.elt)
    key, value = scope.expression(node.key), scope.expression(node.value)
    return lambda frame: (key(frame), value(frame))


class _Comprehension:
    """One evaluation of a comprehension."""

    def __init__(self, node: Node, loops: list[_Loop], element: Run, picks: Picks | None, frame: Frame, own: Frame) -> None:
        self.node = node
        self.loops = loops
        self.element = element
        self.picks = picks
        self.machine = frame.machine
        self.frame = frame
        self.own = own
        self.opened = False
        """Whether one of the sources is of unknown length."""

    def run(self, source: Value) -> Value:
        machine, node = self.machine, self.node
        if isinstance(node, ast.GeneratorExp) and not isinstance(source, (Unknown, Model)):
            found = iteration.walk(machine, source, node.generators[0].iter)
            if found is not None:
                return Generator(self.own, self.lazily(0, found), machine.heap.clock)
        result: list[Value] = []
        try:
            self.loop(0, source, result.append)
        except _NotKnown:
            return machine.gap("comprehension", node, "over something that is not known")
        if source is AFTER_ERROR:
            return AFTER_ERROR
        if self.opened:
            return Unknown("a list of unknown length")
        return self.finished(result)

    def one_iteration(self, at: int, item: Value, add: Callable[[Value], None]) -> None:
        """One item of one of the sources."""
        machine, (put, _, tests, generator) = self.machine, self.loops[at]
        put(self.own, item)
        for test in tests:
            value = test(self.own)
            traced.refuse_truth(machine, value, generator.iter, "a comprehension")
            t = machine.truth(value, generator.iter)
            if not self.decided(t):
                return
        self.inside(at, add)

    def decided(self, t: Truth) -> bool:
        """Whether an item is kept. Where that is unknown the run forks; what a package's module makes on import is unknown instead."""
        machine = self.machine
        if isinstance(t, bool) or self.own.function is not None or not self.own.module.foreign:
            return deciding.decided(machine, t)
        if machine.implied(t) is None:
            raise _NotKnown
        return deciding.decided(machine, t)

    def inside(self, at: int, add: Callable[[Value], None]) -> None:
        if at + 1 == len(self.loops):
            add(self.element(self.own))
        else:
            following = self.loops[at + 1].source
            assert following is not None
            self.loop(at + 1, following(self.own), add)

    def symbolic_iteration(self, at: int, item: Value, add: Callable[[Value], None]) -> None:
        """An iteration that stands for many: what it adds hangs on its tests."""
        machine, (put, _, tests, generator) = self.machine, self.loops[at]
        put(self.own, item)

        def tested(rest: list[Run]) -> None:
            if not rest:
                self.inside(at, add)
            else:
                summarised_results.kept(machine, machine.truth(rest[0](self.own), generator.iter), lambda: tested(rest[1:]), generator.iter)

        tested(tests)

    def loop(self, at: int, source: Value, add: Callable[[Value], None]) -> None:
        machine, generator = self.machine, self.loops[at].node
        iterations = summarised_lists.open_iterations(machine, source, generator.iter)
        if iterations is not None:
            made = summarised_results.mapped(machine, self.own, iterations, lambda item, more: self.symbolic_iteration(at, item, more), self.node)
            if made is None:
                raise _NotKnown
            for value in made:
                add(value)
            return
        found = iteration.items(machine, source, generator.iter)
        self.each(at, source, self.data_items(at, source) if found is None else found, add)

    def each(self, at: int, source: Any, found: list[Value], add: Callable[[Value], None]) -> None:
        """The items of a source one by one, as long as one does not stand for the rest."""
        machine, node = self.machine, self.node
        if self.picks is not None and (made := self.picks.of(found)) is not None:
            machine.step(1 + len(found) // _ITEMS_OF_A_STEP)
            for value in made:
                add(value)
            return
        again = Again(self.frame, self.own)
        long = type(source) is range and len(source) > 2 * like_items.WAIT and isinstance(node, ast.ListComp) and at + 1 == len(self.loops)
        steps, calls = machine.steps, machine.path.calls
        kept = watch(machine, source, self.loops[at].node.iter)
        for number, item in enumerate(found):
            if long and number == like_items.WAIT and again.added and like_items.dear(machine, steps, calls, len(source) - number):
                rest = like_items.rest_alike(machine, self.own, source, again.added[-1], lambda item, more: self.one_iteration(at, item, more), node)
                if rest is not None:
                    for value in rest:
                        add(value)
                    return
            machine.step()
            if again.covers(item):
                for value in again.added:
                    add(value)
                continue
            with again.watched() if again.comes(item) else nullcontext():
                self.one_iteration(at, item, again.adding(add))
            if kept is not None:
                kept.check(number + 1 == len(found))

    def data_items(self, at: int, source: Value) -> list[Value]:
        """Data in an unknown number of iterations: the symbolic ones."""
        iterations = registry.iterations(self.machine, source, self.loops[at].node.iter) if isinstance(source, Model) else None
        if not iterations and not isinstance(source, Unknown):
            raise _NotKnown
        self.opened = True
        return [item for _, item in iterations or [(True, source if source is AFTER_ERROR else Unknown("an item that is not known"))]]

    def lazily(self, at: int, found: Any) -> Iterator[Value]:
        """A generator expression makes each element when it is asked for."""
        machine, own, (put, _, tests, generator) = self.machine, self.own, self.loops[at]
        for item in found:
            machine.step()
            put(own, item)
            try:
                if not all(self.decided(machine.truth(test(own), generator.iter)) for test in tests):
                    continue
            except _NotKnown:
                yield machine.gap("comprehension", self.node, "which items it keeps is not known")
                continue
            if at + 1 == len(self.loops):
                yield self.element(own)
                continue
            following = self.loops[at + 1].source
            assert following is not None
            source = following(own)
            within = iteration.walk(machine, source, generator.iter)
            if within is not None:
                yield from self.lazily(at + 1, within)
                continue
            values: list[Any] = []
            try:
                self.loop(at + 1, source, values.append)
            except _NotKnown:
                machine.gap("comprehension", self.node, "over something that is not known")
            yield from values

    def finished(self, result: list[Any]) -> Value:
        machine, node = self.machine, self.node
        if isinstance(node, ast.SetComp):
            if is_summarised(result):
                return Set(machine.heap.row(summarised_results.distinct(machine, result, node)))
            return make_set(machine, result, node)
        if isinstance(node, ast.DictComp):
            if is_summarised(result):
                return summarised_results.dict_of(machine, result, node)
            made = Dict(machine.heap.entries())
            for k, v in result:
                name = hashing.key(machine, k, node)
                if isinstance(name, Unknown):
                    summarised_lists.put(machine, made, k, v, node)
                else:
                    made.items[name] = v
            return made
        if isinstance(node, ast.ListComp) or is_summarised(result):
            return List(machine.heap.row(result))
        return iteration.iterator(machine, result)
