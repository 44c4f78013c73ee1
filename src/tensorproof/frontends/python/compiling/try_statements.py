"""try and with. An exception of the program is a host exception `Raised`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from tensorproof.frontends.python.calls.exceptions import always, enter, exception_value, group_of, group_parts, matches, may_swallow, never, takes
from tensorproof.frontends.python.calls.raised_by_data import Guard, names_bound
from tensorproof.frontends.python.errors import Raised, Undecided
from tensorproof.frontends.python.frame import Frame, Signal
from tensorproof.frontends.python.scope import Act, Put, Run, Scope
from tensorproof.libraries import library_objects
from tensorproof.values.objects import Instance, Model

if TYPE_CHECKING:
    from tensorproof.values.machine import Value


def compile_try(node: ast.Try | ast.TryStar, scope: Scope) -> Act:
    return _Try(node, scope).run


class _Handler(NamedTuple):
    """One `except`, compiled."""

    wanted: Run | None
    name: str | None
    put: Put | None
    body: Act


_ENDS = frozenset(["exit", "_exit", "quit", "abort", "fail"])


def _raises(part: ast.AST) -> bool:
    """Whether a part of a handler raises, or ends the run."""
    if not isinstance(part, ast.Call):
        return isinstance(part, ast.Raise)
    called = part.func
    return (called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else "") in _ENDS


class _Try:
    """One `try`, compiled."""

    def __init__(self, node: ast.Try | ast.TryStar, scope: Scope) -> None:
        self.node = node
        self.scope = scope
        self.body, self.other, self.last = scope.block(node.body), scope.block(node.orelse), scope.block(node.finalbody)
        self.handlers = [
            _Handler(
                None if h.type is None else scope.expression(h.type), h.name, None if h.name is None else scope.name_target(h.name, h), scope.block(h.body)
            )
            for h in node.handlers
        ]
        self.bound = names_bound(node.body, scope)
        self.raises = any(_raises(part) for h in node.handlers for part in ast.walk(h))
        self.last_takes = always if _leaves(node.finalbody) else never
        self.inner = self.both_paths if self.handlers else self.body_and_other

    def run(self, frame: Frame) -> Signal | None:
        if not self.node.finalbody:
            return self.inner(frame)
        m = frame.machine
        m.handlers += 1
        m.guards.append(self.last_takes)
        waiting = len(frame.waiting)
        try:
            signal = self.inner(frame)
        except Raised as raised:
            m.handlers -= 1
            m.guards.pop()
            m.branching.abandon(frame, waiting)
            after = self.last(frame)
            if after is not None:
                return after
            raise raised from None
        except BaseException:
            m.handlers -= 1
            m.guards.pop()
            raise
        m.handlers -= 1
        m.guards.pop()
        m.branching.abandon(frame, waiting)  # who waits to leave must pass here too
        result = frame.result
        after = self.last(frame)
        if after is None:
            frame.result = result
        return after if after is not None else signal

    def body_and_other(self, frame: Frame) -> Signal | None:
        signal = self.body(frame)
        return signal if signal is not None else self.other(frame)

    def guarded(self, frame: Frame) -> Signal | None:
        """The body, with the handlers around it."""
        m, node = frame.machine, self.node
        m.handlers += 1
        guard = Guard(lambda raised: any(h.wanted is None or matches(m, raised, h.wanted(frame), node) for h in self.handlers), frame, self.bound, self.raises)
        m.guards.append(guard)
        marks, frames, waiting = len(m.heap.marks), len(m.frames), len(frame.waiting)
        try:
            signal = self.body(frame)
        except Raised as raised:
            m.handlers -= 1
            m.guards.pop()
            del m.frames[frames:]
            m.branching.abandon(frame, waiting)
            assert len(m.heap.marks) == marks
            return self.handle(frame, raised)
        except BaseException:
            m.handlers -= 1
            m.guards.pop()
            raise
        m.handlers -= 1
        m.guards.pop()
        result = frame.result

        def after(frame: Frame) -> Signal | None:
            frame.result = result
            return signal if signal is not None else self.other(frame)

        return guard.followed(frame, node, self.handle, after)

    def handle(self, frame: Frame, raised: Raised) -> Signal | None:
        m, node = frame.machine, self.node
        if isinstance(node, ast.TryStar):
            return self.handle_group(frame, raised)
        for wanted, name, put, act in self.handlers:
            if wanted is not None and not takes(m, raised, wanted(frame), node):
                continue
            before, frame.handled = frame.handled, raised
            try:
                if put is not None:
                    put(frame, exception_value(m, raised, node))
                return act(frame)
            finally:
                frame.handled = before
                if name is not None:
                    forget_name(frame, name, self.scope)
        raise raised

    def handle_group(self, frame: Frame, raised: Raised) -> Signal | None:
        """`except*`: each handler takes those of the group that it names, and what is left is raised again."""
        m, node = frame.machine, self.node
        left = group_parts(m, raised, node)
        if left is None:
            m.gap("except*", node, "which exceptions the group holds is not known")
            return None
        for wanted, name, put, act in self.handlers:
            kinds = None if wanted is None else wanted(frame)
            taken = [one for one in left if matches(m, one, kinds, node)]
            if not taken:
                continue
            left = [one for one in left if one not in taken]
            if put is not None:
                put(frame, group_of(m, taken, node))
            act(frame)
            if name is not None:
                forget_name(frame, name, self.scope)
        if left:
            raise raised
        return None

    def both_paths(self, frame: Frame) -> Signal | None:
        """In an iteration that stands for many: where the end of an iterator is not known, the statement runs with and without it."""
        m = frame.machine
        number = m.heap.branch_since(-1) if m.in_symbolic_iteration else 0
        if not number:
            return self.guarded(frame)
        mark, facts, frames, waiting, occurrences = m.heap.mark(number), len(m.facts), len(m.frames), len(frame.waiting), dict(m.occurrences)
        stated, gaps, findings, recorded = len(m.path.stated), len(m.path.gaps), len(m.path.findings), m.path.recorded
        try:
            signal = self.guarded(frame)
        except Undecided as found:
            while m.heap.marks[-1] is not mark:
                m.heap.marks.pop()
            m.heap.undo(mark)
            m.heap.close(mark)
            del m.facts[facts:], m.frames[frames:], frame.waiting[waiting:]
            del m.path.stated[stated:], m.path.gaps[gaps:], m.path.findings[findings:]
            m.path.unrecord(recorded)
            m.occurrences = occurrences
            return m.branching.split(frame, found.predicate, self.both_paths, self.both_paths)
        except BaseException:
            m.heap.forget(mark)
            raise
        m.heap.forget(mark)
        return signal


def _leaves(body: list[ast.stmt]) -> bool:
    """Whether statements of a `finally` may leave it by `return`, `break` or `continue`: the exception ends there."""
    nodes: list[ast.AST] = list(body)
    while nodes:
        node = nodes.pop()
        if isinstance(node, (ast.Return, ast.Break, ast.Continue)):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            nodes += ast.iter_child_nodes(node)
    return False


def forget_name(frame: Frame, name: str, scope: Scope) -> None:
    """`except … as name` unbinds the name at its end, however it ends."""
    spaces = (frame.globals,) if scope.is_module or name in scope.globals else frame.scopes if name in scope.nonlocals else (frame.space,)
    for space in spaces:
        if name in space:
            frame.machine.heap.delete(space, name)
            break


def compile_with(node: ast.With | ast.AsyncWith, scope: Scope) -> Act:
    statement = _With(node, scope)
    return lambda frame: statement.step(frame, 0)


class _With:
    """One `with`, compiled."""

    def __init__(self, node: ast.With | ast.AsyncWith, scope: Scope) -> None:
        self.node = node
        self.items = [(scope.expression(i.context_expr), None if i.optional_vars is None else scope.target(i.optional_vars)) for i in node.items]
        self.body, self.bound = scope.block(node.body), names_bound(node.body, scope)

    def step(self, frame: Frame, at: int) -> Signal | None:
        """Enter the contexts from this one on, and run the body."""
        if at == len(self.items):
            return self.body(frame)
        m = frame.machine
        source, put = self.items[at]
        manager = source(frame)
        entered, leave = enter(m, manager, self.node)
        if put is not None:
            put(frame, entered)
        if leave is not None and library_objects.restores(manager):
            try:
                return self.step(frame, at + 1)
            finally:
                leave(None)
        return self.within(frame, at, manager, leave)

    def guard(self, frame: Frame, manager: Value) -> Guard | None:
        """What waits for the exceptions that `contextlib.suppress` takes."""
        if not isinstance(manager, Model) or manager.kind != "contextlib.suppress":
            return None
        kinds = manager.space["wanted"]
        return Guard(lambda raised: matches(frame.machine, raised, kinds, self.node), frame, self.bound)

    def within(self, frame: Frame, at: int, manager: Value, leave: Callable[[Raised | None], bool] | None) -> Signal | None:
        """The rest of the statement inside a context that was entered."""
        m = frame.machine
        catches = isinstance(manager, (Instance, Model)) and leave is not None
        m.handlers += catches
        passes = catches and not may_swallow(m, manager)
        guard = self.guard(frame, manager)
        passes = passes or guard is not None
        if passes:
            m.guards.append(never if guard is None else guard)
        waiting = len(frame.waiting)
        try:
            signal = self.step(frame, at + 1)
        except Raised as raised:
            m.handlers -= catches
            if passes:
                m.guards.pop()
            m.branching.abandon(frame, waiting)
            if leave is not None and leave(raised):
                return None
            raise
        except BaseException:
            m.handlers -= catches
            if passes:
                m.guards.pop()
            raise
        m.handlers -= catches
        if passes:
            m.guards.pop()
        if leave is not None:
            m.branching.abandon(frame, waiting)  # who waits to return must leave the context too
            leave(None)
        if guard is None or not guard.pending:
            return signal
        result = frame.result

        def after(frame: Frame) -> Signal | None:
            frame.result = result
            return signal

        return guard.followed(frame, self.node, lambda frame, raised: None, after)
