"""Calls inside of a function that is traced: each input as its argument, captured from outside, or a constant inside."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.call import Call
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Pairs, Traced

MOST_CONSTANT = 48
"""Numbers of an input that is written down as a constant."""


def can_be_traced(api: Api) -> bool:
    """Whether two calls give the same numbers, in shapes that do not depend on numbers; what is asked of a tensor itself is no part of a graph."""
    return not api.random and not any(op.data_dependent or op.opaque in ("memory", "type") for op in api.operators)


def joins_elements(api: Api) -> bool:
    """Whether it computes element by element from several inputs: where one of them is a constant, optimisers of graphs write such calls anew."""
    return any(op.order == "like" and len(op.inputs) > 1 for op in api.operators)


def traced_pairs(wrap: str, before: str = "", sieve: str = "") -> Pairs:
    """A call and the same call in a function that `wrap` compiles. All inputs are arguments; in other calls one is captured, or a constant.

    `before` defines what `wrap` names; the weights of layers are constants then. `sieve` is the compiler of an earlier stage.
    """

    def pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
        for about, given, parameters in variants(call, dialect):
            traced = Traced(wrap, call.expression(dialect, given), parameters, before)
            setup = frozen(call, dialect) if before else call.setup(dialect)
            earlier = replace(traced, wrap=sieve).text if sieve else ""
            yield Pair(call.expression(dialect), traced.text, setup, about=about, traced=traced, sieve=earlier)

    return pairs


def variants(call: Call, dialect: Dialect) -> Iterable[tuple[str, dict[str, str], tuple[str, ...]]]:
    """What it is about, texts for the inputs that are constants, and the arguments. Which input is captured or constant depends on the call's number."""
    names = tuple(call.inputs)
    yield "arguments", {}, names
    if not names:
        return
    name = names[call.number // 3 % len(names)]
    others = tuple(n for n in names if n != name)
    if call.number % 3 == 1:
        yield f"captured {name}", {}, others
    elif call.number % 3 == 2 and call.inputs[name].data.size <= MOST_CONSTANT:
        literal = dialect.literal(call.inputs[name])
        yield f"constant {name}", {name: dialect.copied(literal) if name in call.written else literal}, others


def runs_twice(call: Call) -> bool:
    """Whether a second run has the inputs of the first."""
    name = call.api.name
    if {**(call.init or {}), **call.bound()}.get("max_norm") is not None:  # rows of a table are made shorter in place
        return False
    return bool(call.written) or not name.endswith("_") or name.endswith("__")


def frozen(call: Call, dialect: Dialect) -> str:
    """The setup of a layer whose weights a trace can hold as constants."""
    setup = call.setup(dialect)
    return f"{setup}; layer.requires_grad_(False)" if setup else ""
