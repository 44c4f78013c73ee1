"""timeit, cProfile, atexit, signal and threading.Timer: callers that are given a function, or its source, and run it."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries.model import AT_EXIT, KindModel, Run
from tensorproof.libraries.plain import argument
from tensorproof.values import REAL, Args, Bound, Function, Kwargs, List, Machine, Model, Unknown, Value


def _ran(m: Machine, what: Value, name: str, node: ast.AST) -> None:
    """Run a function without arguments, or a source text."""
    if what is None or what == "pass":
        return
    if isinstance(what, str):
        if not m.run_text(what, node):
            m.gap(name, node, "the text that it runs is not understood")
    elif isinstance(what, Unknown):
        m.gap(name, node, "what it runs is not known")
    else:
        m.call(what, (), {}, node)


def _timeit(name: str, number: int, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    _ran(m, argument(args, kwargs, 1, "setup"), f"timeit.{name}", node)
    _ran(m, argument(args, kwargs, 0, "stmt"), f"timeit.{name}", node)
    times = argument(args, kwargs, 3, "repeat", number)
    if name == "repeat":
        return List(m.heap.row([REAL] * times)) if isinstance(times, int) and times < 1000 else Unknown("times")
    return REAL


def _timer(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    parts = {"stmt": argument(args, kwargs, 0, "stmt"), "setup": argument(args, kwargs, 1, "setup")}
    return Model("timeit.Timer", m.heap.space(parts))


def _timed(name: str, m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    made = _timeit("repeat" if name == "repeat" else "timeit", 5, m, (), {**me.space, "repeat": argument(args, kwargs, 0, "repeat", 5)}, node)
    return (Unknown("a number", number="int"), REAL) if name == "autorange" else made


def _profile_text(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    _ran(m, argument(args, kwargs, 0, "statement"), "cProfile.run", node)


def _run_method(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    _profile_text(m, args, kwargs, node)
    return me


def warned(m: Machine, where: str, what: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """Run a function whose exception ends it and not the program: the exception is a warning."""
    _, raised = m.attempt(what, args, kwargs, node)
    if raised is not None and not raised.quiet:
        m.warn_of(raised, f"in {where}, whose exceptions do not end the program: {raised.message}")


def _register(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    held = m.model_state.setdefault(AT_EXIT, List(m.heap.row()))
    m.heap.touch(held.items)
    held.items.append((args[0], args[1:], dict(kwargs), node))
    return args[0]


def _unregister(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    held = m.model_state.get(AT_EXIT)
    if held is not None:
        m.heap.touch(held.items)
        held.items[:] = [one for one in held.items if one[0] is not args[0]]


def at_exit(m: Machine) -> None:
    """Run what was registered with atexit, the last first."""
    held = m.model_state.get(AT_EXIT)
    for function, args, kwargs, node in reversed(list(held.items) if held is not None else []):
        warned(m, "an exit handler", function, args, kwargs, node)


def _signal(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    """A handler runs when a signal comes, or not."""
    handler = argument(args, kwargs, 1, "handler")
    if isinstance(handler, (Function, Bound)):

        def come() -> None:
            _, raised = m.attempt(handler, (Unknown("a signal", number="int"), None), {}, node)
            if raised is not None and not raised.quiet:
                m.gap("signal.signal", node, f"its handler raises: {raised.message}")

        m.branching.choose(m.open_truth("a signal comes", node), come, lambda: None)
    return Model("object", m.heap.space())


def _delayed(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    parts = {"target": argument(args, kwargs, 1, "function"), "args": argument(args, kwargs, 2, "args") or (), "kwargs": argument(args, kwargs, 3, "kwargs")}
    return Model("threading.Thread", m.heap.space(parts))


FUNCTIONS: dict[str, Run] = {
    "timeit.timeit": partial(_timeit, "timeit", 1), "timeit.repeat": partial(_timeit, "repeat", 5), "timeit.Timer": _timer,
    **{f"{home}.run": _profile_text for home in ("cProfile", "profile")},
    **{f"{home}.Profile": lambda m, a, k, n: Model("cProfile.Profile", m.heap.space()) for home in ("cProfile", "profile")},
    "cProfile.runctx": _profile_text, "atexit.register": _register, "atexit.unregister": _unregister, "signal.signal": _signal, "threading.Timer": _delayed,
}  # fmt: skip
KINDS = {
    "timeit.Timer": KindModel({name: partial(_timed, name) for name in ("timeit", "repeat", "autorange")}),
    "cProfile.Profile": KindModel(
        {"runcall": lambda m, me, a, k, n: m.call(a[0], a[1:], k, n), "run": _run_method, "runctx": _run_method},
        enter=lambda m, me, node: me, open=True,
    ),
}  # fmt: skip
