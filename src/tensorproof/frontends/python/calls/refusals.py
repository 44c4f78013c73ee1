"""Which exception a library raises when an operator or a constructor refuses its arguments (`bindings/raises` and `constructed` hold what was measured)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from tensorproof.bindings import constructed
from tensorproof.bindings.call import Outcome
from tensorproof.bindings.raises import classes
from tensorproof.bindings.raises.circumstances import circumstances
from tensorproof.frontends.python.tensors import tensors
from tensorproof.libraries import signatures
from tensorproof.ops.record import Requirement
from tensorproof.terms.tensor import TensorType
from tensorproof.values import Args, Kwargs, Summary, Value
from tensorproof.values.objects import List

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter

_ANY_NUMBERS = frozenset(f"tf.{home}{word}" for home in ("", "compat.v1.") for word in ("zeros", "ones"))
_CODES = {"padding": "keras/padding", "data_format": "keras/data-format"}
_TRACED = "tf.traced"
"""Where the machine keeps the graph of the function that is traced now."""


def is_traced(state: Mapping[str, object], values: Iterable[object]) -> bool:
    """Whether a call describes what is computed later: in a traced function, or on a symbolic tensor."""
    return state.get(_TRACED) is not None or any(_symbolic(value) for value in values)


def _symbolic(value: object) -> bool:
    items: Any = value
    if isinstance(value, (tuple, list)):
        return any(_symbolic(v) for v in items)
    return isinstance(value, TensorType) and (value.graph is not None or bool(value.taped))


def kinds(m: Interpreter, name: str, outcome: Outcome, refused: Requirement, given: Sequence[object] = ()) -> tuple[str, ...]:
    """The classes of which the exception of a refusal is one, the likeliest first. Its message is still that of the operator, without the program's names.

    TensorFlow tries to make a tensor of a None that it is given, and a tensor of the other side's type of a number, text or list beside an operator."""
    if refused.code == "call/arguments" and name.startswith("tf.") and any(value is None for value in given):
        return ("ValueError",)
    if refused.code.endswith("/dtype") and name.startswith("tf.Tensor.__") and any(isinstance(value, (float, str, bytes, List, tuple)) for value in given):
        return ("TypeError",)
    return classes(name, refused.code, refused.message, is_traced(m.model_state, outcome.bound.values()), circumstances(outcome.bound))


def _given(m: Interpreter, name: str, args: Args, kwargs: Kwargs, node: ast.AST) -> dict[str, Any]:
    """The arguments of a constructor as plain values, by name."""
    placed = args[: next((at for at, one in enumerate(args) if type(one) is Summary), len(args))]
    given = dict(zip(_names(name), placed))
    given.update((key, value) for key, value in kwargs.items() if type(key) is str)
    return {key: value if type(value) is int else tensors.plain(m, value, node) for key, value in given.items()}


@cache
def _names(name: str) -> tuple[str, ...]:
    """The arguments of a function by their names: the table of signatures is searched once."""
    return tuple(signatures.names(name))


def constructed_with(m: Interpreter, name: str, args: Args, kwargs: Kwargs, node: ast.AST, call: Callable[..., Value]) -> Value:
    """Call a library's function. What the constructor of a class, or a function that takes words, was seen to refuse is refused."""
    before = m.failures
    made = call(m, name, args, kwargs, node)
    if m.failures > before or not all(type(key) is str for key in kwargs):
        return made
    of_class = name[name.rfind(".") + 1 :][:1].isupper()
    if of_class or (name.startswith("tf.") and str in map(type, (*args, *kwargs.values()))):
        short, given = name.rpartition(".")[2], _given(m, name, args, kwargs, node)
        for argument, value in given.items():
            kind, others = constructed.refused(name, argument, value)
            if kind and not any(given.get(one) is not None for one in others) and (not others or any(one in _names(name) for one in others)):
                words = constructed.words(name, argument)
                words = frozenset(word for word in words if not (word.isupper() and word.lower() in words))
                instead = f", only {', '.join(map(repr, sorted(words)))}" if isinstance(value, str) and 0 < len(words) < 10 else ""
                code = _CODES.get(argument, "keras/word") if isinstance(value, str) and name.startswith("keras.") else "call/arguments"
                raise m.raised(kind, f"{short} does not take {value!r} as {argument}{instead}", node, code)
            elif kind and all(one in signatures.forms(name)[0].needed for one in others if given.get(one) is not None):
                m.gap(name, node, f"whether it takes {value!r} as {argument} depends on the other arguments")
        kind, needed = constructed.missing(name, given) if of_class and Summary not in map(type, args) else ("", ())
        if kind:
            raise m.raised(kind, f"{short} needs {' or '.join(needed)}", node, "call/arguments")
    return made


def contradicted(m: Interpreter, name: str, refused: Requirement, args: Args, kwargs: Kwargs, node: ast.AST) -> bool:
    """Whether a constructor was seen to take what a row refuses: the layer is made, and what it does when it is called is not known."""
    if name in _ANY_NUMBERS and refused.code == "call/arguments" and (m.model_state.get(_TRACED) is not None or name.startswith("tf.compat.v1.")):
        shape = _given(m, name, args, kwargs, node).get("shape")
        return not isinstance(shape, (list, tuple)) or None not in shape  # while a graph is built a list of any numbers becomes a shape
    given = _given(m, name, args, kwargs, node) if name.rpartition(".")[2][:1].isupper() else {}
    about = [argument for argument in given if argument in refused.about or f" as {argument}" in refused.message] or list(given)
    return bool(given) and all(constructed.taken(name, argument, given[argument]) for argument in about)
