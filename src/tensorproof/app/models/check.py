"""`tensorproof check` on saved models: ONNX, GraphDef, MetaGraph and SavedModel files give findings at their nodes."""

from __future__ import annotations

from time import perf_counter

from tensorproof.app.program import Options, Program
from tensorproof.diagnostics.diagnostic import Diagnostic, Gap, Severity, Step, Verdict
from tensorproof.diagnostics.errors import BadInput
from tensorproof.diagnostics.span import Span
from tensorproof.engines.shapes.decide import weigh
from tensorproof.engines.shapes.found import Found, declared
from tensorproof.engines.shapes.propagate import DEEPEST, propagate
from tensorproof.engines.shapes.sources import FRAMEWORKS, FROM_OUTSIDE
from tensorproof.frontends import export, graphdef, onnx
from tensorproof.graph import DeclaredShape, FunctionRef, Graph, Node
from tensorproof.solve import limits
from tensorproof.terms.dtypes import DType
from tensorproof.terms.ints import begin_file
from tensorproof.terms.predicates import flag
from tensorproof.terms.records import replace
from tensorproof.terms.tensor import TensorType
from tensorproof.values.path import Path, Stated

MOST_INPUTS = 6
"""How many inputs of a node the trail of a finding shows."""


def check_model(path: str, options: Options) -> Program:
    """Propagate shapes through each graph of a file, and decide what its nodes require."""
    if options.arguments or options.entry is not None:
        raise BadInput(f"{path} is a saved model: it takes no program arguments and no --entry")
    start = perf_counter()
    begin_file()
    with limits.limited(options.time_limit):
        paths = [stated(path, graph, options)[0] for graph in graphs(path)]
    with limits.limited(options.time_limit * limits.TO_DECIDE):
        return _program(path, paths, start)


def graphs(path: str) -> tuple[Graph, ...]:
    name = path.removesuffix(".gz")
    if name.endswith(".onnx"):
        return (onnx.read(path),)
    if name.endswith(".pt2"):
        return (export.read(path),)
    return graphdef.read_all(path)


def stated(path: str, graph: Graph, options: Options) -> tuple[Path, Found]:
    """What one graph states, as the path that an engine decides, and what was found out about its nodes."""
    made = Path(fed=True)
    try:
        found = propagate(graph, inputs(graph, options), path)
    except limits.OutOfBudget as spent:
        made.gaps.append(Gap("the graph", Span(path, 1, 1, 1, 1), str(spent)))
        return made, Found()
    made.calls = found.calls
    for node, requirement in [*found.refused, *found.requirements]:
        shown = replace(requirement, detail=repr(found.places[node])) if node in found.places else requirement
        branches = tuple(map(flag, found.places[node].branches)) if node in found.places else ()
        made.stated.append(Stated(shown, _span(path, found, node), _trail(path, found, graph, node), branches))
    made.gaps += gaps(path, found)
    made.gaps += [*not_entered(path, graph, found), *untyped(path, graph)]
    made.findings += _claims(path, graph, found)
    made.lost = bool(found.refused)
    return made, found


def gaps(path: str, found: Found) -> list[Gap]:
    """What was not understood, by node. Raises `BadInput` for nodes that wait for each other: no framework runs such a graph."""
    if found.circular:
        listed = ", ".join(found.circular[:MOST_INPUTS]) + (" …" if len(found.circular) > MOST_INPUTS else "")
        raise BadInput(f"{path} holds a graph that cannot run: nodes wait for their own results: {listed}.")
    unknown = [Gap(name, _span(path, found, node), f"the operator {name} is not known") for node, name in found.missing]
    return unknown + [Gap(_spelling(found, node), _span(path, found, node), why) for node, why in found.unknown]


def not_entered(path: str, graph: Graph, found: Found) -> list[Gap]:
    """The functions that nothing enters, as gaps."""
    return [Gap(f"the function {name}", Span(path, 1, 1, 1, 2, name), "no node of the graph calls it") for name in _not_entered(graph, found)]


def untyped(path: str, graph: Graph) -> list[Gap]:
    """The inputs of a GraphDef without an element type, as gaps."""
    wrong = [node for node in graph.nodes.values() if node.spelling in FROM_OUTSIDE and node.framework == "graphdef" and _dtype_of(node) is None]
    why = "its attribute dtype is missing, or is not an element type"
    return [Gap(node.spelling, Span(path, node.line or 1, 1, node.line or 1, 2, node.name), why) for node in wrong]


def refusals(path: str, found: Found) -> list[Gap]:
    """The nodes that do not take what they get, as gaps: what they would compute is not known."""
    return [Gap(_spelling(found, node), _span(path, found, node), f"it is refused: {requirement.message}") for node, requirement in found.refused]


def _not_entered(graph: Graph, found: Found) -> list[str]:
    """The functions that no node calls, nor another function that does the same: TensorFlow saves a function once for each way to it."""
    never = [name for name in graph.functions if name not in found.entered]
    forms = [_form(graph, name) for name in found.entered if name in graph.functions] if never else []
    return [name for name in never if _form(graph, name) not in forms]


def _form(graph: Graph, name: str, deep: int = 0) -> list[object]:
    """What a function does: its nodes by number, with the functions that they call by what these do."""
    if name not in graph.functions or deep > DEEPEST:
        return []
    nodes = graph.functions[name].body.nodes
    number = {node: i for i, node in enumerate(nodes)}
    made: list[object] = []
    for node in nodes.values():
        inputs = [None if edge is None else (number.get(edge.node), edge.output_index) for edge in node.inputs]
        attributes = {k: _form(graph, v.name, deep + 1) if isinstance(v, FunctionRef) else v for k, v in node.attributes.items() if not k.startswith("_")}
        made.append((node.spelling, inputs, attributes))
    return made


def inputs(graph: Graph, options: Options) -> dict[str, TensorType]:
    """The inputs whose shapes the user gave."""
    given: dict[str, TensorType] = {}
    for name, shape in options.inputs.items():
        if name not in graph.inputs:
            raise BadInput(f"--input {name}: the graph has no such input; it has {', '.join(graph.inputs) or 'none'}")
        sizes = shape.sizes if shape.sizes is not None else (None,) * shape.rank
        made = declared(DeclaredShape(sizes), name)
        given[name] = TensorType(made, _dtype_of(graph.nodes[name]) or shape.dtype, framework=FRAMEWORKS[graph.framework])
    return given


def _dtype_of(node: Node) -> DType | None:
    dtype = node.attributes.get("dtype")
    return dtype if isinstance(dtype, DType) else None


def _spelling(found: Found, node: str) -> str:
    return found.places[node].spelling if node in found.places else node


def _span(path: str, found: Found, node: str) -> Span:
    line = found.places[node].line if node in found.places else 0
    return Span(path, line or 1, 1, line or 1, 2, node)


def _trail(path: str, found: Found, graph: Graph, node: str) -> tuple[Step, ...]:
    """What the inputs of a node are, and which nodes give them."""
    place = found.places.get(node)
    steps: list[Step] = []
    for name, value in place.inputs[:MOST_INPUTS] if place is not None else ():
        if place is not None and value is not None:
            by = graph.nodes.get(name.partition(":")[0]) if not place.scope else None
            line = by.line if by is not None else 0
            steps.append(Step(Span(path, line or 1, 1, line or 1, 2, place.scope + name), f"gives {value.dtype or 'elements'} {value.shape!r}"))
    if place is not None and place.traced:
        file, _, at = place.traced.rpartition(":")
        steps.append(Step(Span(file, int(at), 1, int(at), 2), "the node comes from here"))
    return tuple(steps)


def _claims(path: str, graph: Graph, found: Found) -> list[Diagnostic]:
    """The shapes that an ONNX file declares for the results of its nodes, where something else comes out: a runtime warns of them."""
    warnings: list[Diagnostic] = []
    for node in graph.nodes.values():
        for output, made in zip(node.outputs, found.outputs.get(node.name, ())):
            claim = graph.declared.get(output)
            if claim is None or claim[1].axes is None or not made.shape.known:
                continue
            sizes = zip(claim[1].axes, made.shape)
            if len(claim[1].axes) != len(made.shape) or any(isinstance(a, int) and isinstance(b, int) and a != b for a, b in sizes):
                declared = f"({', '.join('?' if axis is None else str(axis) for axis in claim[1].axes)})"
                message = f"the file declares {declared} for {output}, and {made.shape!r} comes out of {node.spelling}"
                warnings.append(Diagnostic("graph/declared", Severity.WARNING, message, Span(path, node.line or 1, 1, node.line or 1, 2, node.name)))
    return warnings


def _program(path: str, paths: list[Path], start: float) -> Program:
    counts = {v.value: 0 for v in (Verdict.VALID, Verdict.INVALID, Verdict.UNREACHABLE, Verdict.UNKNOWN)}
    findings: dict[tuple[str, Span, str], Diagnostic] = {}
    for one in paths:
        verdict, diagnostics, _ = weigh(one)
        counts[verdict.value] += 1
        findings.update({(d.code, d.span, d.message): d for d in diagnostics})
    errors = any(d.severity is Severity.ERROR for d in findings.values())
    whole = Verdict.INVALID if errors else Verdict.UNKNOWN if counts["unknown"] else Verdict.VALID
    gaps = [g for one in paths for g in one.gaps]
    open_ = [g for one in paths for g in one.open]
    return Program(path, "", whole, counts, sum(p.calls for p in paths), gaps, perf_counter() - start, list(findings.values()), open=open_)
