"""What is done after every call of an operator or a layer: the observers of applied operators, registered here in the order in which they run.

An observer gets the `Called`: what was applied, and what of it has become a value of the program (`result`), which it may replace.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.call import Outcome
from tensorproof.frontends.python import recording
from tensorproof.frontends.python.attributes import library_names
from tensorproof.frontends.python.calls import recovery, suspects
from tensorproof.frontends.python.tensors import tensors
from tensorproof.libraries import layers
from tensorproof.libraries.domains import autograd, devices, greatest, index_checks, signs, strided, undifferentiable
from tensorproof.libraries.domains import elements as domains
from tensorproof.terms.records import dataclass
from tensorproof.values.objects import List
from tensorproof.values.path import Stated
from tensorproof.values.python_values import Layer

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


@dataclass(slots=True, eq=False)
class Called:
    """One call that was neither refused nor unknown."""

    name: str
    outcome: Outcome
    args: tuple[Any, ...]
    kwargs: dict[str, Value]
    node: ast.AST
    layer: Layer | None
    stated: int
    """How many requirements were stated on the path before this call."""
    assumed: bool
    """Whether the call fails, and the path goes on as if it did not."""
    result: Value
    facts: bool = False
    """Whether a domain may have made or kept a fact of the results."""


Observer = Callable[["Interpreter", Called], None]


def _domains(m: Interpreter, call: Called) -> None:
    call.facts = domains.observe(m, call.outcome.applied)


def _indices(m: Interpreter, call: Called) -> None:
    index_checks.check(m, call.outcome.applied, call.node)


def _signs(m: Interpreter, call: Called) -> None:
    signs.check(m, call.outcome.applied, call.node)


def _strided(m: Interpreter, call: Called) -> None:
    strided.check(m, call.outcome.applied, call.node)


def _constants(m: Interpreter, call: Called) -> None:
    undifferentiable.check(m, call.outcome.applied, call.node)


def _places(m: Interpreter, call: Called) -> None:
    devices.constructed(m, call.outcome.bound.get("device"))


def _suspects(m: Interpreter, call: Called) -> None:
    suspects.look(m, call.outcome, call.node)


def _advice(m: Interpreter, call: Called) -> None:
    if m.directives.advise:
        for applied in call.outcome.applied:
            for advised in applied.op.advice(applied.arguments) if applied.op.advice is not None else ():
                m.path.stated.append(Stated(advised, m.user_span(call.node), (), tuple(m.facts)))


def _memory(m: Interpreter, call: Called) -> None:
    """Autograd, devices and memory: the results are objects of the program from here on."""
    layer = call.layer
    given = call.args if layer is None or not layer.own.parameters else (*call.args, layer)
    call.result = call.outcome.outputs = autograd.observed(m, call.name, call.outcome, given, call.kwargs, call.node, layer)


def _traced(m: Interpreter, call: Called) -> None:
    from tensorproof.libraries.tensorflow import histories, traced

    made = traced.observed(m, call.name, call.result, call.args, call.kwargs, call.node)  # a result kept from an earlier call may belong to its graph
    call.result = call.outcome.outputs = histories.observed(m, call.name, made, call.args, call.kwargs, call.layer)


def _roots(m: Interpreter, call: Called) -> None:
    recovery.rooted(m, call.outcome, call.layer, call.assumed)


def _facts(m: Interpreter, call: Called) -> None:
    if call.facts:
        domains.carried(m, call.outcome.made, call.result)


def _items(m: Interpreter, call: Called) -> None:
    """A tensor made of a list of numbers holds what is known of them."""
    applied = call.outcome.applied
    if call.args and isinstance(call.args[0], (List, tuple)) and applied and applied[0].op.values.kind == "moves":
        greatest.made_of(m, call.args[0], call.result)


def _values(m: Interpreter, call: Called) -> None:
    call.result = tensors.as_program_value(m, call.result)


def _keras(m: Interpreter, call: Called) -> None:
    if call.layer is None and call.outcome.outputs is not None:
        call.result = layers.keras_result(m, call.name, call.result, call.args, call.kwargs, call.stated)


def _program(m: Interpreter, call: Called) -> None:
    if m.path.program is not None:
        recording.called(m, call.outcome, call.result, call.node)


def _tape(m: Interpreter, call: Called) -> None:
    if "tape" in m.model_state:
        from tensorproof.libraries.tensorflow import tape

        call.result = tape.taken(m, call.name, call.result, call.args, call.kwargs, call.node, call.layer, call.stated)


def _vmapped(m: Interpreter, call: Called) -> None:
    if "vmap" in m.model_state:
        from tensorproof.libraries.torch import transforms_of_functions

        transforms_of_functions.observed(m, call.name, call.outcome.applied, call.args, call.kwargs, call.result, call.node)


OBSERVERS: tuple[Observer, ...] = (
    _domains, _indices, _signs, _strided, _constants, _advice, _memory, _traced, _roots, _facts, _suspects, _items, _values, _keras, _program, _tape,
    _vmapped,
)  # fmt: skip
"""After a call that computes."""


def _replaced(m: Interpreter, call: Called) -> None:
    """Functions of the program that stand in place of the library's, by which layers fill their parameters."""
    if "library names" in m.model_state:
        library_names.layer_made(m, call.node)


_OF_NAMES: dict[Observer, tuple[str, ...]] = {_constants: ("torch",), _traced: ("tf.", "keras."), _keras: ("keras.",)}
"""How the names begin whose calls an observer looks at."""


@cache
def observers(name: str) -> tuple[Observer, ...]:
    """Those that look at calls of this name."""
    strided = name.endswith((".as_strided", ".as_strided_"))
    return tuple(one for one in OBSERVERS if name.startswith(_OF_NAMES.get(one, "")) and (one is not _strided or strided))


CONSTRUCTED: tuple[Observer, ...] = (_domains, _indices, _places, _suspects, _replaced)
"""After the construction of a layer."""
