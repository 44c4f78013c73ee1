"""tf.custom_gradient: a function that gives its result and the function of its gradient, which runs when a tape is asked."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

from tensorproof.libraries.tensorflow import histories
from tensorproof.terms import History, TensorType, eq
from tensorproof.values import Args, Choice, Kwargs, List, Machine, Native, Unknown, Value


class OwnGradient(NamedTuple):
    """What the call of such a function leaves for the tapes."""

    function: object
    results: tuple[TensorType, ...]
    given: int
    """How many tensors were given: so many gradients are wanted."""


def _custom_gradient(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`@tf.custom_gradient`: a call gives the result."""

    def run(machine: Machine, inner: Any, named: Any, at: Any) -> Value:
        found = machine.call(args[0], inner, named, at)
        if isinstance(found, (Unknown, Choice)):
            return Unknown("the result of a function with a gradient of its own")
        pair = _pair(machine, found, at)
        given = [v for v in (*inner, *named.values()) if isinstance(v, TensorType)]
        others = [v for v in (*inner, *named.values()) if isinstance(v, (Unknown, Choice, List, tuple))]
        return pair[0] if others else _noted(pair[0], pair[1], len(given))

    return Native("tf.custom_gradient", run)


def _pair(m: Machine, found: Value, node: ast.AST) -> Any:
    """A result and a function: TensorFlow unpacks what it gets, a tensor too, and calls the second."""
    pair = tuple(found.items) if isinstance(found, List) else found
    if isinstance(pair, tuple) and len(pair) == 2:
        return pair
    message = "a function with a gradient of its own gives its result and the gradient's function"
    two = eq(pair.shape[0], 2) if isinstance(pair, TensorType) and pair.shape.known and len(pair.shape) else False
    raise m.raised("TypeError" if two is True or not isinstance(pair, (TensorType, tuple)) else "ValueError", message, node)


def _noted(result: Value, function: Value, given: int) -> Value:
    """The result, which knows the function of its gradient."""
    results = result if isinstance(result, tuple) else (result,)
    tensors = tuple(one for one in results if isinstance(one, TensorType))
    if len(tensors) < len(results):
        return result
    own = OwnGradient(function, tensors, given)
    noted = tuple(_with(one, own) for one in tensors)
    return noted if isinstance(result, tuple) else noted[0]


def _with(tensor: TensorType, own: OwnGradient) -> TensorType:
    past = tensor.history
    if past is None or past is histories.CONSTANT:
        return tensor
    history = History((past,), past.tapes, past.unsure, past.part)
    history.own = own
    return tensor.but(history=history)


def derive(m: Machine, tape: int, automatic: bool, targets: list[TensorType], sources: list[TensorType], node: ast.AST) -> None:
    """Run the functions of gradients between the targets of a tape and its sources."""
    found: list[OwnGradient] = []
    for target in targets:
        for own in _between(tape, automatic, target, sources):
            if own not in found:
                found.append(own)
    for own in found:
        made = m.call(own.function, tuple(one.but(parameter=False, requires_grad=False, contents=None, history=None) for one in own.results), {}, node)
        parts = len(made) if isinstance(made, tuple) else len(made.items) if isinstance(made, List) else 1
        if not isinstance(made, (Unknown, Choice)) and parts != own.given:
            raise m.raised("ValueError", f"the gradient's function must give {own.given} gradients, it gives {parts}", node)


def _between(tape: int, automatic: bool, target: TensorType, sources: list[TensorType]) -> Iterator[OwnGradient]:
    if target.history is None:
        return
    for one in histories.walked(target.history, lambda one: tape in one.tapes):
        own = one.own if tape in one.tapes else None
        if isinstance(own, OwnGradient) and any(histories.reaches(tape, automatic, target.but(history=one), s) for s in sources):
            yield own


FUNCTIONS: dict[str, Any] = {"tf.custom_gradient": _custom_gradient}
