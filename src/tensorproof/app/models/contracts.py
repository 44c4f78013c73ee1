"""`tensorproof infer` on saved models: what the inputs of a graph must be, and what comes out."""

from __future__ import annotations

from tensorproof.app.infer import Inferred
from tensorproof.app.models.check import graphs, stated
from tensorproof.app.program import Options
from tensorproof.diagnostics.diagnostic import Severity, Verdict
from tensorproof.diagnostics.errors import BadInput
from tensorproof.engines.shapes.contract import contract_of
from tensorproof.engines.shapes.decide import decide
from tensorproof.frontends.python.entry.inputs import Input
from tensorproof.graph import Graph
from tensorproof.solve import limits
from tensorproof.terms.ints import begin_file
from tensorproof.terms.records import replace


def infer_model(path: str, name: str, given: dict[str, Input]) -> list[Inferred]:
    """The contract of each graph of a file."""
    if name:
        raise BadInput(f"{path} is a saved model: it has no module {name}")
    if path.removesuffix(".gz").endswith(".keras"):
        from tensorproof.app.models.keras_contracts import infer_keras

        return infer_keras(path, given)
    options = Options(inputs=given)
    begin_file()
    with limits.limited(options.time_limit):
        return [_contract(path, graph, options) for graph in graphs(path)]


def _contract(path: str, graph: Graph, options: Options) -> Inferred:
    made, found = stated(path, graph, options)
    verdict, findings = decide(made)[:2]
    errors = [one for one in findings if one.severity is Severity.ERROR]
    if errors:
        return Inferred(graph.name, None, Verdict.INVALID, errors, [made])
    taken = {name: found.outputs[name][0] for name in graph.inputs if found.outputs.get(name)}
    known = {name: tensor for name, tensor in taken.items() if tensor.shape.known}
    outputs = tuple(found.outputs[edge.node][edge.output_index] for edge in graph.outputs if edge.output_index < len(found.outputs.get(edge.node, ())))
    contract = contract_of(graph.name, known, outputs, [made])
    open_ = {name: tensor for name, tensor in taken.items() if name not in known}
    dtypes = {**contract.dtypes, **{name: tensor.dtype.label if tensor.dtype is not None else "?" for name, tensor in open_.items()}}
    contract = replace(contract, inputs={**contract.inputs, **dict.fromkeys(open_, "?")}, dtypes=dtypes)
    return Inferred(graph.name, contract, verdict, [one for one in findings if one not in errors], [made])
