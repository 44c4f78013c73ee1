"""Calls of a graph that were made before with equal arguments: large graphs repeat the same few calls thousands of times.

The outcome of such a call is that of the first, with the tensors of this call in place of those of the first. One is kept where it follows from the
arguments alone: nothing is required or refused, and no symbol is new.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from tensorproof.bindings.call import Outcome, call
from tensorproof.ops.applied import Applied
from tensorproof.ops.call import Session
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.records import dataclass
from tensorproof.terms.tensor import Outputs, TensorType

_facts = attrgetter("shape", "dtype", "contents", "strides", "weak", "layout", "framework")
_MOST_CONTENTS = BUDGETS.saved_models.contents_compared


@dataclass(slots=True, eq=False)
class _Kept:
    arguments: tuple[Any, ...]
    outcome: Outcome


class Repeated:
    """The calls of one graph and of the graphs inside it."""

    def __init__(self) -> None:
        self._kept: dict[Any, _Kept] = {}

    def call(self, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any], session: Session) -> Outcome:
        """The outcome of a call, as if it were made."""
        key = _key(name, arguments, keywords)
        kept = self._kept.get(key) if key is not None else None
        if kept is not None:
            return _again(kept, arguments)
        before = session.made
        outcome = call(name, arguments, keywords, session)
        plain = not outcome.requirements and outcome.refused is None and outcome.unknown is None and session.made == before
        if key is not None and plain:
            self._kept[key] = _Kept(arguments, outcome)
        return outcome


def _key(name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """What an outcome follows from: the arguments, and which of them are the same tensor; None where they cannot be compared."""
    parts: list[Any] = [name]
    first: dict[int, int] = {}
    for at, value in enumerate(arguments):
        if type(value) is TensorType:
            if value.facts is not None or value.grad is not None or (value.contents is not None and len(value.contents) > _MOST_CONTENTS):
                return None
            parts += (first.setdefault(id(value), at), _facts(value), _kinds(value.contents))
        else:
            parts.append(value)
    for word, value in keywords.items():
        parts += (word, type(value), value)
    key = tuple(parts)
    try:
        hash(key)
    except TypeError:  # a graph or a function with attributes
        return None
    return key


def _kinds(contents: tuple[Any, ...] | None) -> Any:
    """The types of elements: 1, 1.0 and True are equal, and so are zeros of either sign."""
    return None if contents is None else tuple([str(one) if type(one) is float else type(one) for one in contents])


def _again(kept: _Kept, arguments: tuple[Any, ...]) -> Outcome:
    now: dict[int, Any] = {id(old): new for old, new in zip(kept.arguments, arguments) if type(old) is TensorType}

    def renewed(value: Any) -> Any:
        kind = type(value)
        if kind is TensorType:
            found = now.get(id(value))
            if found is None:
                found = now[id(value)] = value.but()
            return found
        if kind is tuple or kind is list:
            return kind([renewed(item) for item in value])
        return value.like([renewed(item) for item in value]) if isinstance(value, Outputs) else value

    before = kept.outcome
    applied = [_renewed(one, renewed) for one in before.applied]
    return Outcome(renewed(before.outputs), written=renewed(before.written), applied=applied, made=renewed(before.made))


def _renewed(one: Applied, renewed: Callable[[Any], Any]) -> Applied:
    arguments = {word: renewed(value) if type(value) in (TensorType, tuple, list) else value for word, value in one.arguments.items()}
    return Applied(one.op, arguments, tuple([renewed(result) for result in one.results]), one.spelling)
