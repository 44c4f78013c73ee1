"""What GradientTape records: each tensor knows what it was computed from while a tape recorded, as far as TensorFlow has a derivative for it.

A tensor that a model of ours makes without an operator has no history: whether a gradient reaches it is then not known, and taken to be so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tensorproof.terms.tensor import History, Outputs, TensorType
from tensorproof.values import Choice, Dict, Layer, List, Machine, Value

TAPES = "tf.tapes"
"""Where the machine keeps the tapes that record now."""
CONSTANT = History()
"""The history of what no tape has seen made."""
_UNDIFFERENTIABLE = frozenset((
    "round", "floor", "ceil", "rint", "trunc", "floordiv", "floor_divide", "__floordiv__", "__rfloordiv__", "ones_like", "zeros_like", "full_like",
    "stop_gradient",
))  # fmt: skip
"""Operators through which TensorFlow gives None. Of whole numbers and truth values there is no gradient at all."""


class Token:
    """The number of a tape. Which tape it is makes two of them no different to a loop that makes one in each iteration."""

    __slots__ = ("number",)
    count = 0

    def __init__(self) -> None:
        Token.count += 1
        self.number = Token.count

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Token)

    def __hash__(self) -> int:
        return hash(Token)


def leaf() -> History:
    """The history of a variable."""
    return History()


def put(tensor: TensorType, history: History) -> None:
    """A variable, or a tensor that is watched from now on: the object itself knows it, and so do copies made later."""
    object.__setattr__(tensor, "history", history)


def of_weights(layer: Layer) -> list[History]:
    """The histories of a layer's weights."""
    found: list[History] = []
    for t in layer.module.parameters.values() if layer.module is not None else ():
        found.append(of_variable(t))
    return found


def of_variable(t: TensorType) -> History:
    if t.history is None or t.history is CONSTANT:
        put(t, leaf())
    assert t.history is not None
    return t.history


def _operands(value: Value) -> Iterator[Any]:
    """The tensors of TensorFlow that an operator gets, and None for what may hold one that is not followed."""
    match value:
        case TensorType():
            if value.framework in ("tf", "keras"):
                yield value
        case tuple() | list():
            for one in value:
                yield from _operands(one)
        case List():
            for one in list.__iter__(value.items):
                yield from _operands(one)
        case Dict():
            for one in value.items.values():
                yield from _operands(one)
        case Choice():
            yield from _operands((value.then, value.other))
        case _:
            return


def observed(m: Machine, name: str, result: Value, args: Any, kwargs: Any, layer: Layer | None) -> Value:
    """The results of an operator with their history."""
    tapes = m.model_state.get(TAPES)
    made = CONSTANT
    if tapes and name.rpartition(".")[2] not in _UNDIFFERENTIABLE:
        parents, unsure = [] if layer is None else of_weights(layer), layer is not None and bool(layer.tensors)
        for one in _operands((*args, *kwargs.values())):
            past = of_variable(one) if one.parameter else one.history
            if past is None:
                unsure = True
            elif past is not CONSTANT:
                parents.append(past)
        if parents or unsure:
            made = History(tuple(parents), frozenset(tapes), unsure)
    if name.endswith(".__getitem__") and isinstance(args[0], TensorType) and args[0].parameter:
        made = History(made.parents, made.tapes, made.unsure, part=True)
    return _with(result, made)


def _with(value: Value, history: History) -> Value:
    if type(value) is TensorType:
        if value.framework not in ("tf", "keras"):
            return value
        if value.parameter:  # what is computed from a variable is none
            value = value.but(parameter=False, requires_grad=False)
        mine = history if value.dtype is None or value.dtype.kind in "fc" or history.part else CONSTANT
        return value if value.history is mine else value.but(history=mine)
    if isinstance(value, Outputs):
        return value.like(_with(v, history) for v in value)
    if type(value) is tuple:
        return tuple(_with(v, history) for v in value)
    return value


def again(m: Machine, value: Any, given: Value) -> Value:
    """The results of steps that ran before on values like those given now: what they were computed from is the same, and recorded by the tapes of now."""
    tapes = m.model_state.get(TAPES)
    if type(value) is TensorType:
        if not tapes or value.history is CONSTANT:
            return _with(value, CONSTANT)
        found = [] if value.history is None else _leaves(value.history)
        past = [one.history for one in _operands(given)]
        unsure = value.history is None or any(one is None for one in past) or any(one.unsure for one in found)
        parents = (*(one for one in found if not one.unsure), *(one for one in past if one is not None and one is not CONSTANT))
        return _with(value, History(parents, frozenset(tapes), unsure))
    if isinstance(value, Outputs):
        return value.like(again(m, v, given) for v in value)
    if isinstance(value, List):
        return List(m.heap.row(again(m, v, given) for v in value.items))
    return tuple(again(m, v, given) for v in value) if type(value) is tuple else value


def walked(end: History, through: Callable[[History], bool]) -> Iterator[History]:
    """A history and those that it was made from, each once; what lies before one that `through` refuses is left out."""
    waiting, seen = [end], {id(end)}
    while waiting:
        one = waiting.pop()
        yield one
        for parent in one.parents if through(one) else ():
            if id(parent) not in seen:
                seen.add(id(parent))
                waiting.append(parent)


def _leaves(history: History) -> list[History]:
    """The variables that a history begins with, and what is not known of it."""
    return [one for one in walked(history, lambda one: True) if one.unsure or not one.parents]


def reaches(tape: int, automatic: bool, target: TensorType, source: TensorType) -> bool:
    """Whether a gradient of the target by the source may be another than None."""
    end, start = target.history, of_variable(source) if source.parameter else source.history
    if end is None or start is None:
        return True
    if source.parameter and tape not in start.tapes and not (automatic and source.requires_grad):
        return False
    if start is CONSTANT:
        return False
    return any(one is start or (one.unsure and tape in one.tapes) for one in walked(end, lambda one: tape in one.tapes))
