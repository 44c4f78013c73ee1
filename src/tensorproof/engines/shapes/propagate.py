"""Shapes of every value in a graph, from its sources onwards, by the catalogue's rules through the spellings of its framework.

Loops are gone round until what they carry no longer changes. An operation without a spelling gives an unknown shape and is counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from tensorproof.bindings.call import Outcome, call
from tensorproof.bindings.rows import rows
from tensorproof.diagnostics.diagnostic import Gap
from tensorproof.diagnostics.span import Span
from tensorproof.engines.shapes import exported, exported_flow, flow, frames, resource_writes
from tensorproof.engines.shapes.found import Found, Place, declared, join, not_known
from tensorproof.engines.shapes.repeated import Repeated
from tensorproof.engines.shapes.sources import FRAMEWORKS, constant_tensor, handle, is_silent, source
from tensorproof.graph import Attribute, Constant, DeclaredShape, Edge, Function, Graph, Node
from tensorproof.graph.order import is_back_edge, topological
from tensorproof.ops.call import Session
from tensorproof.program.form import Record
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.dtypes import INT32, DType
from tensorproof.terms.predicates import flag
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

MOST_ITERATIONS = BUDGETS.saved_models.graph_iterations
DEEPEST = BUDGETS.saved_models.depth_of_functions
_PASS_ON = (
    *("Enter", "RefEnter", "Exit", "RefExit", "NextIteration", "RefNextIteration"),
    *("LoopCond", "Identity", "RefIdentity", "Switch", "RefSwitch"),
)
_TWICE = ("Switch", "RefSwitch")
_BRANCHING = ("If", "StatelessIf", "Case", "StatelessCase")
_MERGES = ("Merge", "RefMerge")
_READS = ("ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableShape")


def propagate(graph: Graph, inputs: Mapping[str, TensorType] | None = None, path: str = "") -> Found:
    """The shapes of all values; `inputs` replaces what the file at `path` says of its placeholders, by node name."""
    return Walk(graph, graph.functions, dict(inputs or {}), path=path).run()


@cache
def _takes(name: str) -> frozenset[str] | None:
    """The attributes that the rows of a spelling speak of; None when there is no row."""
    found = rows(name)
    return frozenset(argument.theirs for row in found for argument in row.arguments) if found else None


class Walk:
    """One graph or function body. `given` holds the values of its sources, `held` what stands behind resource handles."""

    def __init__(
        self,
        graph: Graph,
        functions: Mapping[str, Function],
        given: Mapping[str, TensorType],
        held: Mapping[str, TensorType] | None = None,
        around: Walk | None = None,
        attributes: Mapping[str, Attribute] | None = None,
        place: str = "",
        branches: tuple[str, ...] = (),
        spoiled: frozenset[str] = frozenset(),
        path: str = "",
    ) -> None:
        self.graph = graph
        self.functions = functions
        self.place = place
        self.path = path
        self.branches = branches
        self.spoiled = set(spoiled)
        """The nodes whose results hang on a node that was refused: what is refused there follows from it."""
        self.found = Found()
        self.depth: int = 0 if around is None else around.depth + 1
        self.framework = FRAMEWORKS[graph.framework]
        self.held: dict[Edge, TensorType] = {}
        self.memory = exported.Memory()
        self.casts: Mapping[str, DType | None] = around.casts if around is not None else {}
        """The element type that autocast computes in, by device, inside of a region of an exported program."""
        self.repeated: Repeated = around.repeated if around is not None else Repeated()
        self._given = given
        self._given_held = held or {}
        self.around = around
        self._attributes = attributes or {}
        self._session = Session()

    def run(self) -> Found:
        exported_program = self.graph.framework == "aten"  # its nodes stand in the order in which they run, and may write into memory
        order, circular = (list(self.graph.nodes), []) if exported_program else topological(self.graph)
        merges = [node for node in self.graph.nodes.values() if node.spelling in _MERGES and self.back_edges(node)]
        carried: dict[str, TensorType] = {}
        for _ in range(MOST_ITERATIONS):
            self._one_iteration(order, circular, carried)
            moved = False
            for node in merges:
                assumed = self.found.outputs[node.name][0]
                joined = assumed
                for edge in self.back_edges(node):
                    joined = join(joined, self.value(edge), self.place + node.name)
                if joined != assumed:
                    carried[node.name] = joined
                    moved = True
            if not moved:
                return self.found
        for node in merges:
            carried[node.name] = not_known(self.place + node.name, None, self.framework)
        self._one_iteration(order, circular, carried)
        return self.found

    def _one_iteration(self, order: list[str], circular: list[str], carried: Mapping[str, TensorType]) -> None:
        self.found = Found()
        self.held = {}
        self._session = Session(framework=self.framework, casts=dict(self.casts))
        recorded: dict[str, list[Record]] = {}
        program, framed = self.found.program, frames.has_frames(self.graph)
        for name in order:
            node, position = self.graph.nodes[name], program.position
            made = self.found.outputs[name] = self._results(node, carried)
            if len(made) == 1 and made[0].contents is None and node.spelling != "VarHandleOp" and isinstance(held := node.attributes.get("value"), Constant):
                self.found.constants.append((self.place + name, made[0], held))
            if framed:
                recorded[name] = program.records[position:]
        if framed:
            program.records = frames.arranged(self, order, recorded)
        for name in circular:
            self.found.outputs[name] = (not_known(self.place + name, None, self.framework),)
            self.found.unknown.append((self.place + name, "it waits for its own result"))
            self.found.circular.append(self.place + name)

    def value(self, edge: Edge) -> TensorType:
        outputs = self.found.outputs.get(edge.node)
        if outputs is not None and edge.output_index < len(outputs):
            return outputs[edge.output_index]
        if outputs is None and edge.node not in self.graph.nodes and self.around is not None:
            return self.around.value(edge)
        return not_known(f"{self.place}{edge.node}:{edge.output_index}", None, self.framework)

    def values(self, node: Node) -> list[TensorType | None]:
        return [None if edge is None else self.value(edge) for edge in node.inputs]

    def function(self, name: str) -> Function | None:
        return self.functions.get(name) if self.depth < DEEPEST else None

    def inner(self, body: Graph, values: list[TensorType], node: Node, held: Mapping[str, TensorType] | None = None) -> list[TensorType]:
        """The results of a function's or branch's graph, given the values of its inputs in order."""
        given = dict(zip(body.inputs, values))
        branches = (*self.branches, f"{self.place}{node.name}:{body.name}") if node.spelling in _BRANCHING and not self._chosen(node) else self.branches
        spoiled = frozenset(given if self._is_spoiled(node) else ())
        walk = Walk(body, self.functions, given, held, self, node.attributes, f"{self.place}{node.name}/", branches, spoiled, self.path)
        if self.graph.framework == "aten":
            walk.casts = exported_flow.casts(node, self.casts)
        if self.depth >= DEEPEST:
            return [not_known(f"{walk.place}{i}", None, self.framework) for i in range(len(body.outputs))]
        self.found.entered.add(body.name)
        self.found.include(walk.run())
        if any(edge.node in walk.spoiled for edge in body.outputs):
            self.spoiled.add(node.name)
        return [walk.value(edge) for edge in body.outputs]

    def _chosen(self, node: Node) -> bool:
        """Whether it is known which branch a node takes."""
        condition = self.values(node)[0] if node.inputs else None
        return condition is not None and condition.contents is not None

    def _is_spoiled(self, node: Node) -> bool:
        return any(edge is not None and edge.node in self.spoiled for edge in node.inputs)

    def back_edges(self, node: Node) -> list[Edge]:
        return [edge for edge in node.inputs if edge is not None and is_back_edge(self.graph, edge.node)]

    def _results(self, node: Node, carried: Mapping[str, TensorType]) -> tuple[TensorType, ...]:
        if node.name in self._given:
            if node.name in self._given_held:
                self.held[Edge(node.name)] = self._given_held[node.name]
            self.memory.hold(node.name, (self._given[node.name],))
            return (self._given[node.name],)
        if node.framework == "aten":
            return self._exported(node)
        if node.spelling in _MERGES:
            return self._merge(node, carried)
        if node.spelling in _PASS_ON and node.inputs and node.inputs[0] is not None:
            return self._pass_on(node, node.inputs[0])
        if (made := source(node, self.graph.version)) is not None:
            return made
        if (behind := handle(node)) is not None:
            self.held[Edge(node.name)] = behind
            if isinstance(stored := node.attributes.get("value"), Constant):
                self.found.constants.append((self.place + node.name, behind, stored))
            return (TensorType(Shape(), DType.RESOURCE, framework=self.framework),)
        if node.spelling == "ReadVariableOp":
            behind_it = [self.held[edge] for edge in node.inputs if edge is not None and edge in self.held]
            if behind_it:
                return (behind_it[0],)
        if is_silent(node):
            resource_writes.record(self, node)
            return ()
        if (flowed := flow.results(self, node)) is not None:
            return tuple(flowed)
        return self._call(node)

    def _exported(self, node: Node) -> tuple[TensorType, ...]:
        """A node of an exported program, whose results lie in memory."""
        made = self._exported_results(node)
        self.memory.hold(node.name, made)
        return made

    def _exported_results(self, node: Node) -> tuple[TensorType, ...]:
        if exported.is_number(node):
            return exported.numbers(self, node)
        if exported.is_check(node):
            return exported.unknown_results(self, node)
        if (given := source(node)) is not None:
            held = exported.stored(node, given)
            self.found.sources += [(node.name, one) for one in held]
            return held
        flowed = exported_flow.results(self, node) if node.domain else None
        made = self._call(node) if flowed is None else tuple(flowed)
        placed = exported.in_memory(node, made)
        for old, new in zip(made, placed):
            self.found.program.same(old, new)
        return placed

    def _pass_on(self, node: Node, edge: Edge) -> tuple[TensorType, ...]:
        copies = 2 if node.spelling in _TWICE else 1
        if edge.node in self.spoiled:
            self.spoiled.add(node.name)
        if edge in self.held:
            self.held.update({Edge(node.name, i): self.held[edge] for i in range(copies)})
        return (self.value(edge),) * copies

    def _merge(self, node: Node, carried: Mapping[str, TensorType]) -> tuple[TensorType, ...]:
        index = TensorType(Shape(), INT32, framework=self.framework)
        if node.name in carried:
            return carried[node.name].but(), index
        back = self.back_edges(node)
        forward = [self.value(edge) for edge in node.inputs if edge is not None and edge not in back]
        if not forward:
            return not_known(self.place + node.name, None, self.framework), index
        merged = forward[0]
        for other in forward[1:]:
            merged = join(merged, other, self.place + node.name)
        if back:
            return merged.but(contents=None), index
        merged = merged.but()
        self.found.program.join(None, tuple(forward), merged)
        return merged, index

    def _call(self, node: Node) -> tuple[TensorType, ...]:
        own = node.framework == "aten"
        name = exported.name_of(node) if own else ".".join(part for part in (node.framework, node.domain, node.spelling) if part)
        taken = _takes(name)
        where = self.place + node.name
        self.found.calls += 1
        if taken is None:
            self.found.gaps[name] += 1
            self.found.missing.append((where, name))
            self.found.places[where] = self._met(node)
            self.found.program.add(Gap(name, self.span(node), "the operator is not known"))
            if own:
                exported.lost(self, node)
            return self._claimed(node)
        if own:
            arguments, keywords = exported.arguments(self, node)
        else:
            arguments = tuple(self._arguments(node))
            keywords = {key: self._attribute(node, key, given) for key, given in node.attributes.items() if key in taken}
        if node.framework == "onnx":
            keywords["_opset"] = self.graph.opsets.get(node.domain, 1)
        if "_outputs" in taken:
            keywords["_outputs"] = len(node.outputs)
        self._session.site = f"@{self.place}{node.name}"
        outcome = (call if own else self.repeated.call)(name, arguments, keywords, self._session)
        if self._is_spoiled(node):
            self.spoiled.add(node.name)
            if outcome.refused is not None or outcome.unknown is not None:
                return self._claimed(node)
            self._record(node, outcome)
            return self._flat(node, outcome.outputs)
        self.found.requirements.extend((where, requirement) for requirement in outcome.requirements)
        self._record(node, outcome)
        if own and outcome.written:
            exported.wrote(self, node, outcome, self._flat(node, outcome.outputs))
        if outcome.requirements or outcome.refused is not None or outcome.unknown is not None:
            self.found.places[where] = self._met(node)
        if outcome.refused is not None and outcome.refused.code == "call/arguments" and self._in_the_dark(node):
            self.found.unknown.append((where, outcome.refused.message))
        elif outcome.refused is not None:
            self.found.refused.append((where, outcome.refused))
            self.spoiled.add(node.name)
        elif outcome.unknown is not None:
            self.found.unknown.append((where, f"{name}: {outcome.unknown}"))
        else:
            return self._flat(node, outcome.outputs)
        return self._claimed(node)

    def apply(self, node: Node, name: str, arguments: tuple[TensorType | None, ...], keywords: Mapping[str, Any]) -> None:
        """Record what an operator computes at a node, without what it requires."""
        self._session.site = f"@{self.place}{node.name}"
        outcome = self.repeated.call(name, arguments, dict(keywords), self._session)
        if outcome.refused is None and outcome.unknown is None:
            self._record(node, outcome)

    def span(self, node: Node) -> Span:
        return Span(self.path, node.line or 1, 1, node.line or 1, 2, self.place + node.name)

    def _record(self, node: Node, outcome: Outcome) -> None:
        """What a node computes, for the program form."""
        program = self.found.program
        program.applied(outcome.applied, self.span(node), tuple(map(flag, self.branches)))
        for old, new in zip(self._flat(node, outcome.made), self._flat(node, outcome.outputs)):
            program.same(old, new)
        if outcome.unknown is not None:
            program.add(Gap(node.spelling, self.span(node), outcome.unknown))

    def _met(self, node: Node) -> Place:
        named = [edge.node + (f":{edge.output_index}" if edge.output_index else "") if edge is not None else "" for edge in node.inputs]
        return Place(node.line, node.spelling, self.place, tuple(zip(named, self._arguments(node))), self.branches, node.traced)

    def _in_the_dark(self, node: Node) -> bool:
        """Whether an input is of unknown rank: a row that does not take such a value says nothing about the program."""
        return any(value is not None and not value.shape.known for value in self._arguments(node))

    def _arguments(self, node: Node) -> list[TensorType | None]:
        """The inputs; an operation on a resource variable sees the variable."""
        if node.spelling in _READS or node.spelling.startswith("Resource"):
            return [None if edge is None else self.held.get(edge) or self.value(edge) for edge in node.inputs]
        return self.values(node)

    def _attribute(self, node: Node, key: str, given: Attribute) -> Any:
        if isinstance(given, str) and given.startswith("$"):
            given = self._attributes.get(given[1:])
        if isinstance(given, tuple):
            return tuple(self._attribute(node, f"{key}.{i}", item) for i, item in enumerate(given))
        if isinstance(given, DeclaredShape):
            return declared(given, f"{self.place}{node.name}.{key}")
        if isinstance(given, Constant):
            return constant_tensor(given, self.framework)
        return given

    def _flat(self, node: Node, outputs: object) -> tuple[TensorType, ...]:
        if isinstance(outputs, TensorType):
            return (outputs,)
        items: list[Any] = [*outputs] if isinstance(outputs, tuple | list) else []
        return tuple(item if isinstance(item, TensorType) else not_known(f"{self.place}{node.name}:{i}", None, self.framework) for i, item in enumerate(items))

    def _claimed(self, node: Node) -> tuple[TensorType, ...]:
        """What the file itself says of results that we cannot tell: their elements may be any."""
        claims = self._claims(node)
        for one in claims:
            self.found.program.join(None, (None,), one)
        return claims

    def _claims(self, node: Node) -> tuple[TensorType, ...]:
        place = self.place + node.name
        shapes = node.attributes.get("_output_shapes")
        if isinstance(shapes, tuple) and shapes:
            return tuple(
                TensorType(declared(shape, f"{place}:{i}"), None, framework=self.framework)
                for i, shape in enumerate(shapes)
                if isinstance(shape, DeclaredShape)
            )
        claims = [self.graph.declared.get(output) for output in node.outputs]
        if any(claims):
            return tuple(
                TensorType(declared(claim[1], f"{place}:{i}"), claim[0], framework=self.framework)
                if claim is not None
                else not_known(f"{place}:{i}", None, self.framework)
                for i, claim in enumerate(claims)
            )
        return (not_known(place, None, self.framework),)
