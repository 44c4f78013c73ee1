"""Two public names give the same result where, by the catalogue, their calls apply the same operators to the same arguments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from tensorproof.bindings.call import Outcome
from tensorproof.bindings.rows import Row
from tensorproof.engines.generate.calls import GeneratedCall, evaluate, is_valid
from tensorproof.equivalence.api import Api, apis
from tensorproof.equivalence.call import Call, Input
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.drawing import abstract
from tensorproof.equivalence.rule import Pair, Rule
from tensorproof.ops.inputs import REQUIRED
from tensorproof.terms.tensor import TensorType

MOST = 2
"""Other names that are tried for one call."""
_ENDS = ("torch.Tensor.__i",)
"""Names that write into their tensor in Python's own way."""


@cache
def _by_operator(library: str) -> Mapping[str, tuple[Api, ...]]:
    found: dict[str, list[Api]] = {}
    for api in apis(library):
        if not api.is_layer and _compares(api):
            for op in {op.name for op in api.operators}:
                found.setdefault(op, []).append(api)
    return {op: tuple(named) for op, named in found.items()}


def _compares(api: Api) -> bool:
    return not api.random and not api.in_place and not api.name.startswith(_ENDS) and bool(api.operators) and not any(op.opaque for op in api.operators)


def _library(api: Api) -> str:
    return "torch" if api.name.startswith("torch.") else "tensorflow"


def _others(api: Api) -> list[Api]:
    found = _by_operator(_library(api))
    named = {other.name: other for op in api.operators for other in found.get(op.name, ())}
    return [other for name, other in named.items() if name != api.name]


def _applies(api: Api) -> bool:
    return _compares(api) and bool(_others(api))


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    others, made = _others(call.api), 0
    names: dict[int, str] = {}
    outcome = outcome_of(call, names)
    if outcome is None:
        return
    done = _done(outcome, names)
    start = call.number * MOST
    for other in (others[(start + i) % len(others)] for i in range(len(others))):
        if made < MOST and dialect.exists(other.name) and not dialect.is_alias(other.name, call.api.name):
            for written in _written(other, outcome, done, names, call):
                made += 1
                yield Pair(call.expression(dialect), written.expression(dialect), call.setup(dialect), about=other.name)


def outcome_of(call: Call, names: dict[int, str]) -> Outcome | None:
    """What the catalogue says of the call; `names` hears which input each tensor stands for."""
    args, kwargs = abstract(list(call.args), call, names), abstract(dict(call.kwargs), call, names)
    init = None if call.init is None else abstract(dict(call.init), call, names)
    for row in call.api.rows:
        try:
            made = evaluate(GeneratedCall(row, tuple(args), kwargs, init)).outcome
        except Exception:  # arguments of another row
            continue
        if is_valid(made):
            return made
    return None


def _written(other: Api, outcome: Outcome, done: object, names: Mapping[int, str], call: Call) -> Iterator[Call]:
    """The call under the other name, where that applies the same operators."""
    for row in other.rows:
        given = _given(row, outcome.bound)
        if given is None:
            continue
        args, kwargs = given
        try:
            made = evaluate(GeneratedCall(row, args, kwargs)).outcome
        except Exception:  # a value that this name takes in another form
            continue
        if is_valid(made) and _done(made, names) == done and _only_inputs((args, kwargs), names):
            yield Call(other, _named(args, names), _named(kwargs, names), None, call.inputs, call.number)
            return


def _given(row: Row, bound: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """The same arguments by the names of another row; None where one is missing."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for argument in row.arguments:
        if argument.ours not in bound or argument.gathers:
            if argument.default is REQUIRED:
                return None
            continue
        value = bound[argument.ours]
        if argument.default is not REQUIRED and (value is argument.default or (type(value) is type(argument.default) and value == argument.default)):
            continue
        if argument.default is REQUIRED and not argument.keyword_only and not kwargs:
            args.append(value)
        else:
            kwargs[argument.theirs] = value
    return tuple(args), kwargs


def _only_inputs(value: object, names: Mapping[int, str]) -> bool:
    """Whether all tensors are inputs of the call, and not weights of a layer."""
    if isinstance(value, TensorType):
        return id(value) in names
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return all(_only_inputs(item, names) for item in items)


def _named(value: object, names: Mapping[int, str]) -> Any:
    """Abstract tensors back as inputs."""
    match value:
        case TensorType():
            return Input(names[id(value)])
        case tuple() | list():
            return type(value)(_named(v, names) for v in value)
        case dict():
            return {k: _named(v, names) for k, v in value.items()}
        case _:
            return value


def _done(outcome: Outcome, names: Mapping[int, str]) -> Any:
    """The applied operators with their arguments, in which tensors are inputs by name or results by place."""
    known: dict[int, Any] = dict(names)
    steps = []
    for at, applied in enumerate(outcome.applied):
        steps.append((applied.op.name, {k: _known(v, known) for k, v in applied.arguments.items()}, tuple(str(r) for r in applied.results)))
        known.update({id(result): (at, i) for i, result in enumerate(applied.results)})
    return steps, _known(outcome.made if outcome.made is not None else outcome.outputs, known)


def _known(value: object, known: Mapping[int, Any]) -> Any:
    match value:
        case TensorType():
            return known.get(id(value)) or (str(value), value.contents)
        case tuple() | list():
            return tuple(_known(v, known) for v in value)
        case _:
            return repr(value)


# Where the other name raises, its arguments were written in another form than it takes: that says nothing of the library.
RULE = Rule("spellings", "api redundancy", "two names that apply the same operators", ("torch", "tensorflow", "keras"), _pairs, _applies, unsupported=".")
