"""Loops that a library runs over functions of the program: `Trainer.fit` over training_step, `Model.fit` over callbacks.

They are followed as the program's own loops over data are (ADR 12).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from tensorproof.frontends.python.branching.loop_bodies import summarised_lengths
from tensorproof.frontends.python.frame import BREAK, Frame, Signal
from tensorproof.frontends.python.loops.data_loops import data_loop
from tensorproof.frontends.python.loops.loops import finish, summarised_loop
from tensorproof.libraries.model import Open
from tensorproof.terms.predicates import Predicate, Truth

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def each(m: Interpreter, iterations: list[Value], act: Callable[[Value], Truth | None], node: ast.AST, source: Value = None) -> None:
    """Run `act` with the item of each iteration. Where it gives a condition, the loop ends after that iteration if the condition holds."""
    frame = m.frames[-1]
    item: list[Value] = []
    base, symbolic_iterations = len(frame.waiting), m.symbolic_iterations

    def put(_: Frame, value: Value) -> None:
        item[:] = [value]

    def body(f: Frame) -> Signal | None:
        left = act(item[0])
        if isinstance(left, Predicate):
            return m.branching.split(f, left, lambda _: BREAK, lambda _: None)
        return BREAK if left is True else None

    if isinstance(iterations, Open):
        signal = summarised_loop(m, frame, iterations, put, body, node)
    else:
        signal = data_loop(m, frame, iterations, put, body, node, source)
    with summarised_lengths(m, m.symbolic_iterations != symbolic_iterations):
        finish(m, frame, base, signal, lambda _: None, False)
