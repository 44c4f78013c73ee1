"""try, raise and with. An exception of the program is a host exception `Raised`; a missing model never is one."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python import iteration
from tensorproof.frontends.python.errors import BASES, Raised, Undecided, is_kind
from tensorproof.frontends.python.frame import Frame, Signal
from tensorproof.frontends.python.raised_by_data import Guard, names_bound
from tensorproof.frontends.python.scope import Scope
from tensorproof.libraries import library_objects
from tensorproof.terms.records import replace
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Bound, Class, Function, Instance, Model
from tensorproof.values.python_values import Named, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter

Act = Callable[[Frame], Signal | None]


def raising(frame: Frame, value: Any, node: ast.AST) -> Exception:
    """The exception of a `raise` statement."""
    m = frame.machine
    if value is None:
        handled = frame.handled or next((f.handled for f in reversed(m.frames) if f.handled is not None), None)
        if handled is None:
            return m.raised("RuntimeError", "there is no exception to raise again", node)
        return handled  # type: ignore[no-any-return]
    if isinstance(value, type) and issubclass(value, BaseException):
        value = exception_object(m, value.__name__, (), node)
    elif isinstance(value, Class):
        value = m.call(value, (), {}, node)
    if isinstance(value, Unknown):
        unknown = m.raised("Exception", "an exception that is not known is raised here", node, "python/raise")
        unknown.own = True
        return unknown
    if isinstance(value, Model) and value.kind == "exception":
        kind, args = value.space["kind"], value.space["args"]
    elif isinstance(value, Instance):
        kind, args = value.cls, value.space.get("args", ())
    else:
        return m.raised("TypeError", "only exceptions can be raised", node)
    name = kind if isinstance(kind, str) else kind.name
    said = ", ".join(str(a) for a in args if isinstance(a, (str, int, float)))
    raised = Raised(kind, f"{name}: {said}" if said else f"{name} is raised", m.user_span(node), "python/raise", value=value)
    raised.own = frame.module is None or not frame.module.foreign
    raised.quiet = isinstance(kind, str) and kind in ("SystemExit", "KeyboardInterrupt") and (not args or args[0] in (0, None))
    return raised


def exception_object(m: Interpreter, kind: str, args: tuple[Any, ...], node: ast.AST) -> Model:
    return Model("exception", m.heap.space({"kind": kind, "args": args}))


def exception_value(m: Interpreter, raised: Raised, node: ast.AST) -> Any:
    """The object that `except … as e` binds."""
    if raised.value is None:
        raised.value = exception_object(m, raised.kind if isinstance(raised.kind, str) else "Exception", (raised.message,), node)
    return raised.value


def matches(m: Interpreter, raised: Raised, wanted: Any, node: ast.AST) -> bool:
    """Whether an except clause takes this exception, or one of those that it may be."""
    if raised.others:
        return any(matches(m, one, wanted, node) for one in _each(raised))
    if isinstance(wanted, tuple):
        return any(matches(m, raised, w, node) for w in wanted)
    if isinstance(wanted, type):
        name = wanted.__name__
        if isinstance(raised.kind, str):
            return is_kind(raised.kind, name) or (raised.kind not in BASES and name in ("Exception", "BaseException"))
        return any(isinstance(c, type) and issubclass(c, wanted) for c in raised.kind.mro) or name in ("Exception", "BaseException")
    if isinstance(wanted, Class):
        return isinstance(raised.kind, Class) and wanted in raised.kind.mro
    if isinstance(wanted, Named):
        return isinstance(raised.kind, str) and is_kind(raised.kind, wanted.name.rpartition(".")[2])
    return False


def _each(raised: Raised) -> list[Raised]:
    return [replace(raised, kind=kind, others=()) for kind in (raised.kind, *raised.others)]


def takes(m: Interpreter, raised: Raised, wanted: Any, node: ast.AST) -> bool:
    """Whether an except clause takes this exception; where that is not known it does, with a gap."""
    if not matches(m, raised, wanted, node):
        return False
    if raised.others and not all(matches(m, one, wanted, node) for one in _each(raised)):
        m.gap("except", node, f"{raised.code} is one of {', '.join((raised.kind, *raised.others))}, and this does not take all of them")
    return True


def compile_try(node: Any, scope: Scope) -> Act:
    from tensorproof.frontends.python.compile_expr import expression
    from tensorproof.frontends.python.compile_stmt import _name_target, block  # pyright: ignore[reportPrivateUsage]

    body, other, last = block(node.body, scope), block(node.orelse, scope), block(node.finalbody, scope)
    handlers = [
        (
            None if h.type is None else expression(h.type, scope),
            None if h.name is None else (h.name, _name_target(h.name, h, scope)),
            block(h.body, scope),
        )
        for h in node.handlers
    ]

    bound = names_bound(node.body, scope)

    def guarded(frame: Frame) -> Signal | None:
        m = frame.machine
        m.handlers += 1
        guard = Guard(lambda raised: any(wanted is None or matches(m, raised, wanted(frame), node) for wanted, _, _ in handlers), frame, bound)
        m.guards.append(guard)
        marks, frames, waiting = len(m.heap.marks), len(m.frames), len(frame.waiting)
        try:
            signal = body(frame)
        except Raised as raised:
            m.handlers -= 1
            m.guards.pop()
            del m.frames[frames:]
            m.branching.abandon(frame, waiting)
            assert len(m.heap.marks) == marks
            return handle(frame, raised)
        except BaseException:
            m.handlers -= 1
            m.guards.pop()
            raise
        m.handlers -= 1
        m.guards.pop()
        result = frame.result

        def after(frame: Frame) -> Signal | None:
            frame.result = result
            return signal if signal is not None else other(frame)

        return guard.followed(frame, node, handle, after)

    def handle(frame: Frame, raised: Raised) -> Signal | None:
        m = frame.machine
        for wanted, name, act in handlers:
            if wanted is not None and not takes(m, raised, wanted(frame), node):
                continue
            before, frame.handled = frame.handled, raised
            try:
                if name is not None:
                    name[1](frame, exception_value(m, raised, node))
                return act(frame)
            finally:
                frame.handled = before
                if name is not None:
                    forget_name(frame, name[0], scope)
        raise raised

    def both_ways(frame: Frame) -> Signal | None:
        """In an iteration that stands for many: where the end of an iterator is not known, the statement runs with and without it."""
        m = frame.machine
        number = m.heap.branch_since(-1) if m.any_round else 0
        if not number:
            return guarded(frame)
        mark, facts, frames, waiting, occurrences = m.heap.mark(number), len(m.facts), len(m.frames), len(frame.waiting), dict(m.occurrences)
        stated, gaps, findings, recorded = len(m.path.stated), len(m.path.gaps), len(m.path.findings), m.path.recorded
        try:
            signal = guarded(frame)
        except Undecided as found:
            while m.heap.marks[-1] is not mark:
                m.heap.marks.pop()
            m.heap.undo(mark)
            m.heap.close(mark)
            del m.facts[facts:], m.frames[frames:], frame.waiting[waiting:]
            del m.path.stated[stated:], m.path.gaps[gaps:], m.path.findings[findings:]
            m.path.unrecord(recorded)
            m.occurrences = occurrences
            return m.branching.split(frame, found.predicate, both_ways, both_ways)
        except BaseException:
            m.heap.forget(mark)
            raise
        m.heap.forget(mark)
        return signal

    def run(frame: Frame) -> Signal | None:
        inner = both_ways if handlers else body_and_other
        if not node.finalbody:
            return inner(frame)
        m = frame.machine
        m.handlers += 1
        m.guards.append(_never)
        waiting = len(frame.waiting)
        try:
            signal = inner(frame)
        except Raised as raised:
            m.handlers -= 1
            m.guards.pop()
            m.branching.abandon(frame, waiting)
            after = last(frame)
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
        after = last(frame)
        if after is None:
            frame.result = result
        return after if after is not None else signal

    def body_and_other(frame: Frame) -> Signal | None:
        signal = body(frame)
        return signal if signal is not None else other(frame)

    return run


def forget_name(frame: Frame, name: str, scope: Scope) -> None:
    """`except … as name` unbinds the name at its end, however it ends."""
    spaces = (frame.globals,) if scope.is_module or name in scope.globals else frame.scopes if name in scope.nonlocals else (frame.space,)
    for space in spaces:
        if name in space:
            frame.machine.heap.delete(space, name)
            break


def compile_with(node: ast.With | ast.AsyncWith, scope: Scope) -> Act:
    from tensorproof.frontends.python.compile_expr import expression
    from tensorproof.frontends.python.compile_stmt import block, target

    items = [(expression(i.context_expr, scope), None if i.optional_vars is None else target(i.optional_vars, scope)) for i in node.items]
    body, bound = block(node.body, scope), names_bound(node.body, scope)

    def step(frame: Frame, at: int) -> Signal | None:
        if at == len(items):
            return body(frame)
        m = frame.machine
        source, put = items[at]
        manager = source(frame)
        entered, leave = enter(m, manager, node)
        if put is not None:
            put(frame, entered)
        if leave is not None and library_objects.restores(manager):
            try:
                return step(frame, at + 1)
            finally:
                leave(None)
        catches = isinstance(manager, (Instance, Model)) and leave is not None
        m.handlers += catches
        passes = catches and not may_swallow(m, manager)
        guard = None
        if isinstance(manager, Model) and manager.kind == "contextlib.suppress":
            kinds = manager.space["wanted"]
            guard = Guard(lambda raised: matches(m, raised, kinds, node), frame, bound)
        passes = passes or guard is not None
        if passes:
            m.guards.append(_never if guard is None else guard)
        waiting = len(frame.waiting)
        try:
            signal = step(frame, at + 1)
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

        return guard.followed(frame, node, lambda frame, raised: None, after)

    return lambda frame: step(frame, 0)


def _never(raised: Raised) -> bool:
    """A handler that takes no exception: the `finally` of a `try`, a context that is only left."""
    return False


_SWALLOW = ("suppress", "raises", "contextmanager", "ExitStack", "assertRaises", "managed")


def may_swallow(m: Interpreter, manager: Any) -> bool:
    """Whether a context may take an exception. One of the program does when its `__exit__` returns something."""
    if isinstance(manager, Model) and manager.kind == "contextlib.generator":
        return bool(manager.space.get("swallows", True))
    if isinstance(manager, Model):
        return any(word.lower() in manager.kind.lower() for word in _SWALLOW)
    left = m.in_class(manager.cls, "__exit__") if isinstance(manager, Instance) else None
    if not isinstance(left, Function):
        return True
    return any(isinstance(part, ast.Return) and part.value is not None for part in ast.walk(left.code.node))


def _answers_by_class(left: Any) -> bool:
    """Whether what an `__exit__` returns may depend on the exception that it gets."""
    if not isinstance(left, Function):
        return True
    names = {a.arg for a in left.code.node.args.args[1:3]} | ({left.code.node.args.vararg.arg} if left.code.node.args.vararg else set())

    def asks(part: ast.AST | None) -> bool:
        return part is not None and any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(part))

    for part in ast.walk(left.code.node):
        if isinstance(part, ast.Return) and asks(part.value):
            return True
        asked = part.test if isinstance(part, ast.If) else part.subject if isinstance(part, ast.Match) else None
        if asks(asked) and any(isinstance(inner, ast.Return) for inner in ast.walk(part)):
            return True
    return False


def enter(m: Interpreter, manager: Any, node: ast.AST) -> tuple[Any, Callable[[Raised | None], bool] | None]:
    """What `with` binds, and how to leave: the function tells whether it swallows an exception."""
    from tensorproof.frontends.python.attributes import in_class

    if isinstance(manager, Instance):
        found, _ = in_class(m, manager.cls, "__enter__")
        left, _ = in_class(m, manager.cls, "__exit__")
        if found is MISSING:
            made: tuple[Any, Callable[[Raised | None], bool] | None] = library_objects.enter(m, manager, node)
            return made
        if left is MISSING:
            raise m.raised("TypeError", f"{manager.cls.name} has no __exit__", node)
        entered = m.call(Bound(found, manager), (), {}, node)

        def leave(raised: Raised | None) -> bool:
            told: tuple[Any, Any, Any] = (None, None, None)
            if raised is not None:
                value = exception_value(m, raised, node)
                told = (getattr(builtins, raised.kind, raised.kind) if isinstance(raised.kind, str) else raised.kind, value, None)
            result = m.call(Bound(left, manager), told, {}, node)
            if raised is not None and raised.others and _answers_by_class(left):
                m.gap("with", node, f"{raised.code} is one of {', '.join((raised.kind, *raised.others))}, and __exit__ asks which")
                return True
            return raised is not None and iteration.decided(m, m.truth(result, node))

        return entered, leave
    if isinstance(manager, Unknown):
        return Unknown("what a context gives"), None
    result: tuple[Any, Callable[[Raised | None], bool] | None] = library_objects.enter(m, manager, node)
    return result
