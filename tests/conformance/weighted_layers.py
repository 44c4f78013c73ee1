"""Calls that hold other values than their arguments: layers with drawn weights, which the real layer gets too, and calls as arguments of calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from tensorproof.bindings.call import call, call_module
from tensorproof.bindings.modules import Module
from tensorproof.engines.generate import calls
from tensorproof.ops.applied import Applied
from tensorproof.runners.observed import Observed
from tensorproof.terms.records import replace
from tensorproof.terms.tensor import TensorType
from tests.conformance.arguments import with_tensors

Change = Callable[[TensorType], TensorType]
Weights = dict[str, TensorType]


def filled(value: Any, change: Change) -> Any:
    """Arguments with each tensor as `change` gives it, through calls that stand among them."""
    if isinstance(value, calls.GeneratedCall):
        return calls.evaluate(replace(value, args=filled(value.args, change), kwargs=filled(value.kwargs, change))) if value.init is None else value
    if type(value) in (tuple, list):
        return type(value)(filled(v, change) for v in value)
    return {k: filled(v, change) for k, v in value.items()} if isinstance(value, dict) else with_tensors(value, change)


def inner(value: Any) -> Iterator[calls.GeneratedCall]:
    """The calls among arguments."""
    if isinstance(value, calls.GeneratedCall):
        yield value
    elif isinstance(value, (tuple, list)):
        for one in value:
            yield from inner(one)
    elif isinstance(value, dict):
        yield from inner(tuple(value.values()))


def applied_by(one: calls.GeneratedCall) -> list[Applied]:
    """What a call applies, behind what the calls among its arguments apply."""
    return [*(step for part in inner((one.args, one.kwargs)) for step in applied_by(part)), *one.outcome.applied]


def drawn_weights(drawn: calls.GeneratedCall, change: Change) -> tuple[calls.GeneratedCall, Weights]:
    """A call with numbers in its arguments and, of a layer, in its weights, which come beside it."""
    made = replace(drawn, args=filled(drawn.args, change), kwargs=filled(drawn.kwargs, change))
    if drawn.init is None or any(inner(drawn.init)) or drawn.row.framework not in RUNS:
        return calls.evaluate(made), {}
    module = call(drawn.name, (), drawn.init).outputs
    if not isinstance(module, Module) or not calls.is_valid(call_module(module, made.args, made.kwargs)):
        return calls.evaluate(made), {}
    module.parameters.update({name: change(weight) for name, weight in module.parameters.items()})
    return replace(made, outcome=call_module(module, made.args, made.kwargs)), dict(module.parameters)


def _torch(one: calls.GeneratedCall, weights: Weights) -> Any:
    runner = import_module("tensorproof.runners.torch_runner")
    layer = runner.find(one.name)(**runner.real(one.init))
    real = {name: runner.tensor(weight) for name, weight in weights.items()}
    floats = {weight.dtype for weight in real.values() if weight.is_floating_point()}
    layer = layer.to(*floats) if len(floats) == 1 else layer
    layer.load_state_dict(real, strict=False)
    return runner.observed([part.detach() if hasattr(part, "detach") else part for part in layer(*runner.real(one.args), **runner.real(one.kwargs))])


def _keras(one: calls.GeneratedCall, weights: Weights) -> Any:
    runner = import_module("tensorproof.runners.keras_runner")
    layer = runner.find(one.name)(**runner.real(one.init, runner.eager))
    args, kwargs = runner.real(one.args, runner.eager), runner.real(one.kwargs, runner.eager)
    layer(*args, **kwargs)
    for name, weight in weights.items():
        getattr(layer if hasattr(layer, name) else layer.cell, name).assign(runner.eager(weight))
    return runner.observed(layer(*args, **kwargs))


RUNS = {"torch": _torch, "keras": _keras}


def observe(runner: Any, one: calls.GeneratedCall, keywords: dict[str, Any], weights: Weights) -> Observed:
    """What the library does with a call; a layer gets the weights first."""
    if not weights:
        made: Observed = runner.run(one.name, one.args, keywords, one.init)
        return made
    try:
        return Observed(RUNS[one.row.framework](one, weights))
    except Exception as error:
        return Observed(error=f"{type(error).__name__}: {error}"[:300])
