"""A function and its compilation by TorchScript give the same result. It runs twice: the first run profiles, the second is optimised."""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.equivalence.call import Call, Input, text
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule
from tensorproof.equivalence.tracing import can_be_traced, frozen, runs_twice, variants

_ROUNDED = frozenset({"float64", "complex128"})
"""`torch.tensor` of a list is rounded to single precision in a script: seen in calls of that name, and not to be seen in all others."""


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    twice = runs_twice(call)
    if call.init is not None:
        called = call.expression(dialect, None, "script")
        yield Pair(call.expression(dialect), f"script = torch.jit.script(layer)\n{_run(called, twice)}", frozen(call, dialect), about="arguments")
        return
    for about, given, parameters in variants(call, dialect):
        if set(parameters) | set(given) == set(call.inputs) and not any(call.inputs[name].label in _ROUNDED for name in given):  # it captures nothing
            source = f"def script({', '.join(parameters)}):\n    return {_body(call, dialect, given)}\n"
            called = f"script({', '.join(parameters)})"
            yield Pair(call.expression(dialect), f"script = torch.jit.CompilationUnit({source!r}).script\n{_run(called, twice)}", about=about)


def _run(called: str, twice: bool) -> str:
    return f"{called}\n{called}" if twice else called


def _body(call: Call, dialect: Dialect, given: dict[str, str]) -> str:
    """The call as TorchScript takes it: a method of its tensor."""
    if not call.api.is_method or not call.args or not isinstance(call.args[0], Input) or dialect.is_property(call.api.name):
        return call.expression(dialect, given)
    name = call.args[0].name
    first = text(call.args[0], dialect, {name: given.get(name) or (dialect.copied(name) if name in call.written else name)})
    return call.but(args=call.args[1:]).expression(dialect, given, f"{first}.{call.api.name.rpartition('.')[2]}")


RULE = Rule("jit-script", "optimization", "eager = torch.jit.script", ("torch",), _pairs, can_be_traced, number=1,
            unsupported=".")  # fmt: skip
"""What TorchScript refuses is outside of its language."""
