"""Calls of a public name, drawn from what the catalogue says of it. The same seed gives the same calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tensorproof.bindings.call import call as bound_call
from tensorproof.bindings.rows import Row, rows
from tensorproof.catalogue import find
from tensorproof.engines.generate.calls import GeneratedCall, evaluate, is_valid, search
from tensorproof.equivalence.api import Api
from tensorproof.equivalence.arrays import Array
from tensorproof.equivalence.call import Call, Input, Made
from tensorproof.equivalence.documentation.drawing import documented_call
from tensorproof.equivalence.numbers import EVERY_SPECIAL, LARGE, SPANS, SPECIAL, TooLarge, drawn, is_large, kind_of
from tensorproof.equivalence.retyping import retyped, tensors_of
from tensorproof.terms.dtypes import BY_LABEL
from tensorproof.terms.records import replace
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

BLOCK = 10
"""Calls in one block."""
FILLS = 2
"""How often each drawn call is tried, with other numbers."""
EVERY_SPECIAL_COMPLEX = 2
ALIKE = 0.7
"""The share of inputs whose special values are of the call's kind."""


@dataclass(slots=True)
class _Drawing:
    random: Random
    span: tuple[float, float]
    special: int | None
    inputs: dict[str, Array] = field(default_factory=dict[str, Array])
    names: dict[int, str] = field(default_factory=dict[int, str])

    def value(self, value: object) -> Any:
        match value:
            case TensorType():
                name = _name(len(self.inputs))
                self.inputs[name] = drawn(value, self.random, self.span, self._kind(value))
                self.names[id(value)] = name
                return Input(name, value.layout or "strided")
            case GeneratedCall():
                return Made(value.name, tuple(map(self.value, value.args)), self.values(value.init if value.init is not None else value.kwargs))
            case tuple() | list():
                return type(value)(self.value(v) for v in value)
            case dict():
                return self.values(value)
            case _:
                return value

    def _kind(self, tensor: TensorType) -> int | None:
        """The kind of special values of an input; large numbers, and complex ones, overflow together."""
        alike = self.special in (None, LARGE) or (tensor.dtype is not None and tensor.dtype.is_complex) or self.random.random() < ALIKE
        return self.special if alike else self.random.randrange(SPECIAL)

    def values(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return {name: self.value(v) for name, v in given.items()}


def _name(at: int) -> str:
    return "abcdefghijklmnopqrstuvwxyz"[at] if at < 26 else f"a{at}"


def _written(made: GeneratedCall, drawing: _Drawing) -> tuple[str, ...]:
    """The inputs that the call writes into."""
    row, bound = made.row, made.outcome.bound
    ours = {row.inplace, *(w for op in map(find, row.operators) if op is not None for w in op.writes)}
    found = [drawing.names[id(bound[name])] for name in ours if name and id(bound.get(name)) in drawing.names]
    return tuple(sorted(found))


def calls(api: Api, seed: int, block: int) -> Iterator[Call]:
    """The calls of a block: those that a search with the block's own seed finds, each with several draws of numbers."""
    if api.documented is not None:
        numbers = range(block * BLOCK, block * BLOCK + BLOCK)
        yield from (documented_call(api, seed, n, n % EVERY_SPECIAL == EVERY_SPECIAL - 1) for n in numbers)
        return
    found = search(api.name, BLOCK // FILLS, hash_of(seed, block), tries=60 * BLOCK // FILLS)
    for at, made in enumerate(found.valid.values()):
        for fill in range(FILLS):
            call = _filled(api, made, seed, block * BLOCK + at * FILLS + fill)
            if call is not None:
                yield call
            if call is None or not call.inputs:  # a second draw would be the same call
                break


def _filled(api: Api, made: GeneratedCall, seed: int, number: int) -> Call | None:
    """The call with numbers; None where an input cannot be drawn."""
    random = Random(f"{seed}:{api.name}:{number}")
    made = retyped(made, random)
    every = EVERY_SPECIAL if not any(t.dtype is not None and t.dtype.is_complex for t in tensors_of(made)) else EVERY_SPECIAL_COMPLEX
    special = number % every == every - 1 or is_large(number)
    drawing = _Drawing(random, random.choice(SPANS), kind_of(number, random) if special else None)
    try:
        args, kwargs = drawing.value(tuple(made.args)), drawing.values({k: v for k, v in made.kwargs.items() if k != "out"})
        init = None if made.init is None else drawing.values(made.init)
    except TooLarge:
        return None
    return Call(api, args, {k: False if k == "inplace" else v for k, v in kwargs.items()}, init, drawing.inputs, number, special, _written(made, drawing))


def hash_of(seed: int, block: int) -> int:
    return seed * 1_000_003 + block


# --- whether a changed call is one that the catalogue takes ---


def is_valid_call(call: Call) -> bool:
    """Whether the catalogue takes the call; True for a name that it does not have."""
    return not call.api.rows or any(_is_valid(call, row) for row in call.api.rows)


def _is_valid(call: Call, row: Row) -> bool:
    args, kwargs = abstract(list(call.args), call), abstract(dict(call.kwargs), call)
    try:
        return is_valid(evaluate(GeneratedCall(row, tuple(args), kwargs, None if call.init is None else abstract(dict(call.init), call))).outcome)
    except Exception:  # an argument that was taken away is asked for
        return False


def abstract(value: object, call: Call, tensors: dict[int, str] | None = None) -> Any:
    """Arguments with abstract tensors; whole numbers are known, since indices are looked at. `tensors` hears which input each stands for."""
    match value:
        case Input():
            x = call.inputs[value.name]
            contents = tuple(x.data.ravel().tolist()) if x.data.dtype.kind in "iub" else None
            made = TensorType(Shape(x.shape), BY_LABEL[x.label], contents=contents, layout=value.storage)
            if tensors is not None:
                tensors[id(made)] = value.name
            return made
        case Made():
            row = rows(value.name)[0]
            kwargs = abstract(dict(value.kwargs), call, tensors)
            layer = row.call_arguments is not None
            inner = GeneratedCall(row, tuple(abstract(list(value.args), call, tensors)), {} if layer else kwargs, kwargs if layer else None)
            return replace(inner, outcome=bound_call(row.name, inner.args, kwargs))
        case tuple() | list():
            return type(value)(abstract(v, call, tensors) for v in value)
        case dict():
            return {k: abstract(v, call, tensors) for k, v in value.items()}
        case _:
            return value
