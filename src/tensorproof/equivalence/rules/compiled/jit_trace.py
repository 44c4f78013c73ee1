"""A function and its trace by `torch.jit.trace` give the same result. The trace runs twice: the first run profiles, the second is optimised."""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.equivalence.call import Call
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule
from tensorproof.equivalence.tracing import can_be_traced, frozen, runs_twice, variants


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    for about, given, parameters in variants(call, dialect) if runs_twice(call) else ():
        if parameters:
            names = ", ".join(parameters)
            tuple_of = f"({names},)" if len(parameters) == 1 else f"({names})"
            made = f"function = lambda {names}: {call.expression(dialect, given)}\nfunction.__module__ = __name__"
            right = f"{made}\ntraced = torch.jit.trace(function, {tuple_of}, check_trace=False)\ntraced({names})\ntraced({names})"
            yield Pair(call.expression(dialect), right, frozen(call, dialect), about=about)


RULE = Rule("jit-trace", "optimization", "eager = torch.jit.trace", ("torch",), _pairs, can_be_traced, number=1,
            unsupported=r"Only tensors|output \d+ \(|output of traced|from traced functions|[Tt]rac(er|ing|ed)")  # fmt: skip
