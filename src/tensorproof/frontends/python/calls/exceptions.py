"""Exceptions and contexts of the program: what is raised, which `except` takes it, how a context is entered and left. A missing model never is an exception."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING

from tensorproof.frontends.python.attributes.lookup import in_class
from tensorproof.frontends.python.branching import deciding
from tensorproof.frontends.python.errors import BASES, Raised, is_kind
from tensorproof.frontends.python.frame import Frame
from tensorproof.libraries import library_objects
from tensorproof.terms.records import replace
from tensorproof.values.heap import MISSING, slot
from tensorproof.values.objects import Bound, Class, Dict, Function, Instance, List, Model
from tensorproof.values.python_values import ARRAYS, MESSAGE, Named, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.heap import Key
    from tensorproof.values.machine import Value

KIND: Key[str | Class] = slot("kind")
"""The class of an exception, in its object."""
ARGS: Key[tuple[Value, ...]] = slot("args")


def raising(frame: Frame, value: Value, node: ast.AST) -> Exception:
    """The exception of a `raise` statement."""
    m = frame.machine
    if value is None:
        handled = frame.handled or next((f.handled for f in reversed(m.frames) if f.handled is not None), None)
        if handled is None:
            return m.raised("RuntimeError", "there is no exception to raise again", node)
        return handled  # type: ignore[no-any-return]
    for one in (frame, *reversed(m.frames)):
        if isinstance(one.handled, Raised) and one.handled.value is value:
            return one.handled
    if isinstance(value, type) and issubclass(value, BaseException):
        value = exception_object(m, value.__name__, (), node)
    elif isinstance(value, Class):
        value = m.call(value, (), {}, node)
    if isinstance(value, Unknown):
        unknown = m.raised("Exception", "an exception that is not known is raised here", node, "python/raise")
        unknown.own = True
        return unknown
    if isinstance(value, Model) and value.kind == "exception":
        kind, args = value.space[KIND], value.space[ARGS]
    elif isinstance(value, Instance):
        kind, args = value.cls, value.space.get(ARGS, ())
    else:
        return m.raised("TypeError", "only exceptions can be raised", node)
    name = kind if isinstance(kind, str) else kind.name
    said = ", ".join(str(a) for a in args if isinstance(a, (str, int, float)))
    raised = Raised(kind, f"{name}: {said}" if said else f"{name} is raised", m.user_span(node), "python/raise", value=value)
    raised.own = frame.module is None or not frame.module.foreign
    if frame.function is not None and frame.asked == m.asked and name not in ("SystemExit", "KeyboardInterrupt") and _chosen_inside(frame, node, name):
        raised.certain = m.asked
    raised.quiet = isinstance(kind, str) and kind in ("SystemExit", "KeyboardInterrupt") and (not args or args[0] in (0, None))
    return raised


def _chosen_inside(frame: Frame, node: ast.AST, name: str) -> bool:
    """Whether a function raises on one of its paths only: which it takes is decided by its own tests. What is not implemented raises whatever leads to it."""
    body = getattr(getattr(frame.function.code, "node", None), "body", None)
    if not isinstance(body, list):
        return False
    if name == "NotImplementedError" and body[int(_is_docstring(body[0])) :][:1] == [node]:
        return True
    for statement in body:
        if statement is node:
            return False
        if any(part is node or isinstance(part, ast.Return) for part in ast.walk(statement)):
            return True
    return False


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def exception_object(m: Interpreter, kind: str, args: tuple[Value, ...], node: ast.AST) -> Model:
    return Model("exception", m.heap.space({"kind": kind, "args": args}))


def exception_value(m: Interpreter, raised: Raised, node: ast.AST) -> Value:
    """The object that `except … as e` binds."""
    if raised.value is None:
        raised.value = exception_object(m, raised.kind if isinstance(raised.kind, str) else "Exception", (MESSAGE,), node)
    return raised.value


def matches(m: Interpreter, raised: Raised, wanted: Value, node: ast.AST) -> bool:
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
        name = "_LinAlgError" if wanted.name == "torch.linalg.LinAlgError" else wanted.name.rpartition(".")[2]
        return isinstance(raised.kind, str) and is_kind(raised.kind, name)
    return False


def _each(raised: Raised) -> list[Raised]:
    return [replace(raised, kind=kind, others=()) for kind in (raised.kind, *raised.others)]


_GROUPS = ("ExceptionGroup", "BaseExceptionGroup")


def group_parts(m: Interpreter, raised: Raised, node: ast.AST) -> list[Raised] | None:
    """The exceptions of a group, or one that is none by itself; None where they are not known."""
    if raised.others or not isinstance(raised.kind, str):
        return None
    if raised.kind not in _GROUPS:
        return [raised]
    held = raised.value.space[ARGS] if isinstance(raised.value, Model) else ()
    items = m.iterate(held[1], node) if len(held) == 2 else None
    if items is None or any(not (isinstance(one, Model) and one.kind == "exception" and one.space[KIND] not in _GROUPS) for one in items):
        return None
    return [replace(raised, kind=one.space[KIND], value=one) for one in items]


def group_of(m: Interpreter, parts: list[Raised], node: ast.AST) -> Model:
    """The group that `except*` binds."""
    made = exception_object(m, "ExceptionGroup", (MESSAGE,), node)
    m.heap.set(made.space, "exceptions", tuple(exception_value(m, one, node) for one in parts))
    return made


def takes(m: Interpreter, raised: Raised, wanted: Value, node: ast.AST) -> bool:
    """Whether an except clause takes this exception; where that is not known it does, with a gap."""
    if wanted is None or isinstance(wanted, (str, int, List, Dict)):
        raise m.raised("TypeError", "only classes of exceptions can be caught", node)
    if not matches(m, raised, wanted, node):
        return False
    if raised.others and not all(matches(m, one, wanted, node) for one in _each(raised)):
        m.gap("except", node, f"{raised.code} is one of {', '.join((raised.kind, *raised.others))}, and this does not take all of them")
    return True


def never(raised: Raised) -> bool:
    """A handler that takes no exception: the `finally` of a `try`, a context that is only left."""
    return False


def always(raised: Raised) -> bool:
    """A `finally` that may end an exception: one that returns."""
    return True


_SWALLOW = ("suppress", "raises", "contextmanager", "ExitStack", "assertRaises", "managed")


def may_swallow(m: Interpreter, manager: Value) -> bool:
    """Whether a context may take an exception. One of the program does when its `__exit__` returns something."""
    if isinstance(manager, Model) and manager.kind == "contextlib.generator":
        return bool(manager.space.get("swallows", True))
    if isinstance(manager, Model):
        return any(word.lower() in manager.kind.lower() for word in _SWALLOW)
    left = m.in_class(manager.cls, "__exit__") if isinstance(manager, Instance) else None
    if not isinstance(left, Function):
        return True
    return any(isinstance(part, ast.Return) and part.value is not None for part in ast.walk(left.code.node))


def _answers_by_class(left: Value) -> bool:
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


def enter(m: Interpreter, manager: Value, node: ast.AST) -> tuple[Value, Callable[[Raised | None], bool] | None]:
    """What `with` binds, and how to leave: the function tells whether it swallows an exception."""
    if isinstance(manager, Instance):
        found, _ = in_class(m, manager.cls, "__enter__")
        left, _ = in_class(m, manager.cls, "__exit__")
        if found is MISSING:
            made: tuple[Value, Callable[[Raised | None], bool] | None] = library_objects.enter(m, manager, node)
            return made
        if left is MISSING:
            raise m.raised("TypeError", f"{manager.cls.name} has no __exit__", node)
        entered = m.call(Bound(found, manager), (), {}, node)

        def leave(raised: Raised | None) -> bool:
            described: tuple[Value, Value, Value] = (None, None, None)
            if raised is not None:
                value = exception_value(m, raised, node)
                described = (getattr(builtins, raised.kind, raised.kind) if isinstance(raised.kind, str) else raised.kind, value, None)
            result = m.call(Bound(left, manager), described, {}, node)
            if raised is not None and raised.others and _answers_by_class(left):
                m.gap("with", node, f"{raised.code} is one of {', '.join((raised.kind, *raised.others))}, and __exit__ asks which")
                return True
            return raised is not None and deciding.decided(m, m.truth(result, node))

        return entered, leave
    if isinstance(manager, Unknown):
        return manager if manager.reason == ARRAYS else Unknown("what a context gives"), None
    result: tuple[Value, Callable[[Raised | None], bool] | None] = library_objects.enter(m, manager, node)
    return result
