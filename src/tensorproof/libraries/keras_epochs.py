"""The loops of fit, evaluate and predict over epochs and batches, where the program's own callbacks or an eager train_step can tell one from another.

A step that is traced does not run its Python for every batch: it runs once for each kind of batch, before the loops.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorproof.libraries import keras_callbacks as callbacks
from tensorproof.libraries.keras_batches import Batches
from tensorproof.libraries.model import Rounds, batches
from tensorproof.terms.ints import Origin, Term
from tensorproof.values.objects import Dict

MOST_EPOCHS = 10
"""So many epochs are run one by one."""
_SHORT = {"train": "on_batch_"}


def over_batches(m: Any, own: list[Any], part: str, data: Batches, logs: Callable[[Any], Any], step: Callable[[Any], None] | None, node: Any) -> None:
    """The hooks of each batch of one pass over the data, and the step between them where it runs for each."""

    def act(item: Any) -> None:
        at, batch = item
        _hooks(m, own, part, "begin", at, Dict(m.heap.entries({})), node)
        if step is not None:
            step(batch)
        _hooks(m, own, part, "end", at, logs(batch), node)

    if data.rounds:
        m.each(_rounds(m, data, node), act, node)


def _hooks(m: Any, own: list[Any], part: str, word: str, at: Any, logs: Any, node: Any) -> None:
    callbacks.run(m, own, f"on_{part}_batch_{word}", (at, logs), node)
    if part in _SHORT:
        callbacks.run(m, own, _SHORT[part] + word, (at, logs), node)


def _rounds(m: Any, data: Batches, node: Any) -> Rounds:
    """The iterations of one pass, each (number, batch)."""
    first = data.rounds[0][1]
    times = data.regular if data.regular is not None else data.count
    if not isinstance(times, (int, Term)):
        times = m.symbol(m.name_here("batches", node), 1, None, Origin.WORLD)
    rest = [(condition, (times + i, batch)) for i, (condition, batch) in enumerate(data.rest)]
    return batches(times, lambda k: (k, first), rest)


def over_epochs(m: Any, me: Any, given_callbacks: list[Any], epochs: Any, epoch: Callable[[Any], None], node: Any) -> None:
    """Each epoch, until a callback sets `stop_training`."""
    asked: list[Any] = []
    m.heap.set(me.space, "stop_training", False)

    def act(number: Any) -> Any:
        epoch(number)
        stopped = me.space.get("stop_training", False)
        left = False if stopped is False else m.truth(stopped, node)
        if left is not False:
            asked.append(left)
            m.heap.set(me.space, "stop_training", False)  # where the next epoch begins
        return left

    m.each(_epochs(m, given_callbacks, epochs, node), act, node)
    if asked:
        m.heap.set(me.space, "stop_training", True if asked == [True] else m.open_truth("stop_training", node))


def _epochs(m: Any, given_callbacks: list[Any], epochs: Any, node: Any) -> Rounds:
    early = any(map(callbacks.may_stop, given_callbacks))
    if isinstance(epochs, int) and epochs <= MOST_EPOCHS and not early:
        return Rounds([(True, k) for k in range(epochs)], (1,) * epochs)
    if isinstance(epochs, (int, Term)) and not early:
        return batches(epochs, lambda k: k)
    return batches(m.symbol(m.name_here("epochs", node), 1, epochs if isinstance(epochs, int) else None, Origin.WORLD), lambda k: k)
