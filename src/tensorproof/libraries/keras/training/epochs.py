"""The loops of fit, evaluate and predict over epochs and batches, where the program's own callbacks or an eager train_step can tell one from another.

A step that is traced does not run its Python for every batch: it runs once for each kind of batch, before the loops.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tensorproof.libraries.keras.data.batches import Batches
from tensorproof.libraries.keras.training import callbacks
from tensorproof.libraries.model import Iterations, batches
from tensorproof.terms import BUDGETS, Origin, Term
from tensorproof.values import Dict, List, Machine, Value

MOST_EPOCHS = BUDGETS.loops.epochs
_SHORT = {"train": "on_batch_"}


def over_batches(
    m: Machine, own: list[Value], part: str, data: Batches, logs: Callable[[Value], Value], step: Callable[[Value], None] | None, node: ast.AST
) -> None:
    """The hooks of each batch of one pass over the data, and the step between them where it runs for each."""

    def act(item: Any) -> None:
        at, batch = item
        _hooks(m, own, part, "begin", at, Dict(m.heap.entries({})), node)
        if step is not None and batch is not None:
            step(batch)
        _hooks(m, own, part, "end", at, logs(batch), node)

    if data.iterations or data.unknown:
        m.each(_iterations(m, data, node), act, node)


def _hooks(m: Machine, own: list[Value], part: str, word: str, at: Value, logs: Value, node: ast.AST) -> None:
    callbacks.run(m, own, f"on_{part}_batch_{word}", (at, logs), node)
    if part in _SHORT:
        callbacks.run(m, own, _SHORT[part] + word, (at, logs), node)


def _iterations(m: Machine, data: Batches, node: ast.AST) -> Iterations:
    """The iterations of one pass, each (number, batch)."""
    first = data.iterations[0][1] if data.iterations else None  # of data that are not known only the hooks run
    times = data.regular if data.regular is not None else data.count
    if not isinstance(times, (int, Term)):
        times = m.symbol(m.name_here("batches", node), 1, None, Origin.WORLD)
    rest = [(condition, (times + i, batch)) for i, (condition, batch) in enumerate(data.rest)]
    return batches(times, lambda k: (k, first), rest)


def over_epochs(m: Machine, me: Any, given_callbacks: list[Value], epochs: Value, first: Value, epoch: Callable[[Value], None], node: ast.AST) -> None:
    """Each epoch, until a callback sets `stop_training`."""
    asked: list[Value] = []
    m.heap.set(me.space, "stop_training", False)

    def act(number: Any) -> Any:
        epoch(number)
        stopped = me.space.get("stop_training", False)
        left = False if stopped is False else m.truth(stopped, node)
        if left is not False:
            asked.append(left)
            m.heap.set(me.space, "stop_training", False)  # where the next epoch begins
        return left

    m.each(_epochs(m, given_callbacks, epochs, first, node), act, node)
    if asked:
        m.heap.set(me.space, "stop_training", True if asked == [True] else m.open_truth("stop_training", node))


def numbers(epochs: Value, first: Value, validated: Value = 1) -> tuple[range, list[int]] | None:
    """The numbers of the epochs that a training without an early end runs, and of those after which it validates; None where they are not known."""
    if not isinstance(epochs, int) or not isinstance(first, int) or epochs - first > BUDGETS.loops.epochs_kept:
        return None
    found = range(first, max(first, epochs))
    if isinstance(validated, int) and validated > 0:
        return found, [k for k in found if (k + 1) % validated == 0]
    held = validated.items if isinstance(validated, List) else validated
    return (found, [k for k in found if k + 1 in held]) if isinstance(held, (tuple, list)) and all(isinstance(k, int) for k in held) else None


def _epochs(m: Machine, given_callbacks: list[Value], epochs: Value, first: Value, node: ast.AST) -> Iterations:
    early = any(map(callbacks.may_stop, given_callbacks))
    known = numbers(epochs, first)
    if known is not None and len(known[0]) <= MOST_EPOCHS and not early:
        return Iterations([(True, k) for k in known[0]], (1,) * len(known[0]))
    if isinstance(epochs, (int, Term)) and not early:
        return batches(epochs, lambda k: k)
    return batches(m.symbol(m.name_here("epochs", node), 1, epochs if isinstance(epochs, int) else None, Origin.WORLD), lambda k: k)
