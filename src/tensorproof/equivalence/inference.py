"""What the catalogue says of the shapes that a call gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tensorproof.bindings.call import call as outcome_of
from tensorproof.bindings.call import call_module
from tensorproof.bindings.modules import Module
from tensorproof.engines.generate.calls import is_valid
from tensorproof.equivalence.call import Call, Input, Made
from tensorproof.terms.dtypes import BY_LABEL
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

_FRAMEWORKS = {"torch": "torch", "tf": "tf", "keras": "tf"}


def result_shapes(call: Call, shapes: Mapping[str, tuple[int, ...]]) -> Any:
    """The shape of each result, in tuples as the results are, where inputs have these shapes; None where the call is refused or a shape is unknown."""
    framework = _FRAMEWORKS[call.api.name.partition(".")[0]]

    def value(v: object) -> Any:
        match v:
            case Input():
                x = call.inputs[v.name]
                return TensorType(Shape(shapes.get(v.name, x.shape)), BY_LABEL[x.label], layout=v.storage, framework=framework)
            case Made():
                return outcome_of(v.name, tuple(map(value, v.args)), values(v.kwargs)).outputs
            case tuple() | list():
                return type(v)(map(value, v))
            case _:
                return v

    def values(given: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value(v) for name, v in given.items()}

    args, kwargs = tuple(map(value, call.args)), values(call.kwargs)
    if call.init is None:
        outcome = outcome_of(call.api.name, args, kwargs)
    else:
        built = outcome_of(call.api.name, (), values(call.init))
        if not isinstance(built.outputs, Module):
            return None
        outcome = call_module(built.outputs, args, kwargs)
    return _shapes(outcome.outputs) if is_valid(outcome) else None


def _shapes(outputs: object) -> Any:
    """None where one is unknown."""
    if isinstance(outputs, TensorType):
        found = tuple(n for n in outputs.shape if isinstance(n, int)) if outputs.shape.known else None
        return found if found is not None and len(found) == outputs.rank else None
    if isinstance(outputs, (tuple, list)):
        parts = [_shapes(part) for part in outputs]
        return None if None in parts or not parts else parts
    return None
