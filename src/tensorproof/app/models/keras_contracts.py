"""`tensorproof infer` on saved models of Keras: what their inputs must be, and what comes out."""

from __future__ import annotations

import re

from tensorproof.app.infer import Inferred
from tensorproof.app.models.keras import at_layer, saved, source_of
from tensorproof.app.program import Options
from tensorproof.diagnostics.diagnostic import Severity, Verdict
from tensorproof.diagnostics.errors import BadInput
from tensorproof.engines.shapes.contract import Contract, contract_of
from tensorproof.engines.shapes.decide import decide
from tensorproof.frontends import keras
from tensorproof.frontends.python.entry.inputs import Input
from tensorproof.frontends.python.explore import explore
from tensorproof.frontends.python.machine import Interpreter
from tensorproof.solve import limits
from tensorproof.terms.ints import begin_file
from tensorproof.terms.records import replace
from tensorproof.terms.tensor import TensorType
from tensorproof.values.objects import List

OUTPUTS = "outputs_of_the_model"
"""The variable of the program that builds a model which holds its outputs."""


def infer_keras(path: str, given: dict[str, Input]) -> list[Inferred]:
    """The contract of the model: the program that builds it runs, and its inputs and outputs are read at the end."""
    options = Options(inputs=given)
    begin_file()
    model = saved(path, options)
    if not model.inputs:
        raise BadInput(f"{path}: the model was saved before it was built, and has no input")
    inputs, outputs = dict[str, TensorType](), list[object]()
    source = source_of(path, replace(model, text=f"{model.text}\n{OUTPUTS} = model.outputs\n"))
    with limits.limited(options.time_limit):
        explored = explore(source, ended=lambda m: _read(m, model, inputs, outputs))
        decided = [decide(one) for one in explored.paths]
    findings = [replace(one, span=at_layer(path, model, one.span), trail=()) for _, found in decided for one in found]
    errors = [one for one in findings if one.severity is Severity.ERROR]
    if errors:
        return [Inferred(model.name, None, Verdict.INVALID, errors, explored.paths)]
    contract = _named(contract_of(model.name, inputs, tuple(outputs), explored.paths))
    unknown = not explored.paths or any(verdict is not Verdict.VALID for verdict, _ in decided) or any(one.gaps for one in explored.paths)
    return [Inferred(model.name, contract, Verdict.UNKNOWN if unknown else Verdict.VALID, findings, explored.paths)]


def _named(contract: Contract) -> Contract:
    """Open sizes are called by the input and the axis that they belong to."""
    names = {repr(axis): f"{name}[{i}]" for name, shape in contract.shapes.items() for i, axis in enumerate(shape) if repr(axis).startswith("size@")}

    def put(text: str) -> str:
        return re.sub(r"size@\d+(#\d+)?", lambda found: names.get(found[0], found[0]), text)

    shown = {name: put(text) for name, text in contract.inputs.items()}
    return replace(contract, inputs=shown, where=list(map(put, contract.where)), outputs=list(map(put, contract.outputs)))


def _read(m: Interpreter, model: keras.SavedModel, inputs: dict[str, TensorType], outputs: list[object]) -> None:
    """The inputs and outputs of the model, from the variables that the program leaves."""
    for variable, value in m.modules.main.space.items():
        if isinstance(value, TensorType) and model.variables.get(variable) in model.inputs:
            inputs.setdefault(model.variables[variable], value)
    held = m.modules.main.space.get(OUTPUTS)
    outputs[:] = held.items if isinstance(held, List) else []
