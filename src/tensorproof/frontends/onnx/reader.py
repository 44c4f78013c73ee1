"""ONNX models, plain or gzipped: files in, graphs out. Needs no `onnx`. Names of values become edges between nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from tensorproof.diagnostics.errors import BadInput
from tensorproof.frontends.onnx.schema import MODEL
from tensorproof.frontends.onnx.tensors import attribute, constant, declared_type, sparse_constant
from tensorproof.frontends.protobuf import wire
from tensorproof.frontends.protobuf.opening import Buffer, load
from tensorproof.frontends.protobuf.schema import Decoded, Malformed
from tensorproof.graph import Attribute, Constant, DeclaredShape, Edge, Function, Graph, Node
from tensorproof.terms.collector import collector_paused

UNDECLARED = DeclaredShape(None)


def read(path: str | Path) -> Graph:
    """The graph of a model file. Raises `BadInput`."""
    path = Path(path)
    data = load(path)
    try:
        with collector_paused():
            return parse(data, path.name.removesuffix(".gz").removesuffix(".onnx"))
    except Malformed as error:
        raise BadInput(f"{path} is not a readable ONNX model: it {error}.") from None


def parse(data: Buffer, name: str = "model") -> Graph:
    """The graph in the bytes of a model file. Raises `Malformed`."""
    model = wire.decode(data, MODEL)
    if "graph" not in model or not model.get("opset_import"):
        raise Malformed("holds no graph, or does not say of which operator set")
    opsets = _opsets(model)
    functions = {function.name: function for function in (_function(given, opsets) for given in model.get("functions", ()))}
    return _Scope(opsets, set(), None).graph(model["graph"], name, functions)


def _opsets(model: Decoded) -> dict[str, int]:
    """`ai.onnx` is another name of the standard domain."""
    return {_domain(given.get("domain", "")): given.get("version", 0) for given in model.get("opset_import", ())}


def _domain(name: str) -> str:
    return "" if name == "ai.onnx" else name


def function_name(domain: str, name: str, overload: str = "") -> str:
    """The key of a model's own operator among its functions."""
    return ".".join(part for part in (domain, name) if part) + (f":{overload}" if overload else "")


class _Scope:
    """One graph being read: its values by name, inside those of the graph around it. Node names are unique in the whole model."""

    def __init__(self, opsets: Mapping[str, int], used: set[str], around: _Scope | None) -> None:
        self._opsets = opsets
        self._used = used
        self._around = around
        self._values: dict[str, Edge] = {}
        self._nodes: dict[str, Node] = {}

    def graph(self, given: Decoded, name: str, functions: Mapping[str, Function]) -> Graph:
        constants: dict[str, Constant] = {tensor.get("name", ""): constant(tensor) for tensor in given.get("initializer", ())}
        for tensor in given.get("sparse_initializer", ()):
            constants[tensor.get("values", {}).get("name", "")] = sparse_constant(tensor)
        inputs: list[str] = []
        for value in given.get("input", ()):
            if value.get("name", "") not in constants:
                dtype, shape = declared_type(value.get("type", {}))
                inputs.append(self.source(value.get("name", ""), "Input", {"dtype": dtype, "shape": shape}))
        for value_name, made in constants.items():
            self.source(value_name, "Constant", {"value": made})
        self.nodes(given.get("node", ()))
        outputs = tuple(value.get("name", "") for value in given.get("output", ()))
        declared = {value.get("name", ""): declared_type(value.get("type", {})) for kind in ("input", "value_info", "output") for value in given.get(kind, ())}
        return Graph(
            name,
            "onnx",
            self._nodes,
            tuple(inputs),
            tuple(self.edge(output, "the graph") for output in outputs),
            outputs,
            functions,
            opsets=self._opsets,
            declared=declared,
        )

    def body(self, given: Decoded, name: str) -> Graph:
        """A function's body: its parameters have no declared type."""
        inputs = tuple(self.source(value, "Input", {"dtype": None, "shape": UNDECLARED}) for value in given.get("input", ()))
        self.nodes(given.get("node", ()))
        outputs = tuple(given.get("output", ()))
        edges = tuple(self.edge(output, f"the function {name}") for output in outputs)
        return Graph(name, "onnx", self._nodes, inputs, edges, outputs, opsets=self._opsets)

    def source(self, value: str, spelling: str, attributes: dict[str, Attribute]) -> str:
        name = self._unique(value or spelling)
        self._define(value, Edge(name))
        self._nodes[name] = Node(name, spelling, "onnx", attributes=attributes, outputs=(value,))
        return name

    def nodes(self, given: Iterable[Decoded]) -> None:
        """Results are named before they are read, so that a file that is not in order still reads."""
        named: list[tuple[str, Decoded]] = []
        for index, node in enumerate(given):
            if not node.get("op_type"):
                raise Malformed(f"has a node {node.get('name', '')} without an operator")
            name = self._unique(node.get("name") or f"{node['op_type']}_{index}")
            named.append((name, node))
            for position, value in enumerate(node.get("output", ())):
                if value:
                    self._define(value, Edge(name, position))
        for name, node in named:
            self._nodes[name] = Node(
                name,
                node["op_type"] + (f":{node['overload']}" if node.get("overload") else ""),
                "onnx",
                tuple(self.edge(value, f"a node {name}") if value else None for value in node.get("input", ())),
                attributes={item.get("name", ""): attribute(item, self._subgraph) for item in node.get("attribute", ())},
                domain=_domain(node.get("domain", "")),
                outputs=tuple(node.get("output", ())),
            )

    def edge(self, value: str, reader: str) -> Edge:
        scope: _Scope | None = self
        while scope is not None:
            known = scope._values.get(value)
            if known is not None:
                return known
            scope = scope._around
        raise Malformed(f"has {reader} that reads {value or 'a value without a name'}, which nothing computes")

    def _subgraph(self, given: Decoded) -> Graph:
        return _Scope(self._opsets, self._used, self).graph(given, given.get("name", ""), {})

    def _define(self, value: str, edge: Edge) -> None:
        if value in self._values:
            raise Malformed(f"computes the value {value} twice")
        self._values[value] = edge

    def _unique(self, wanted: str) -> str:
        name, count = wanted, 0
        while name in self._used:
            count += 1
            name = f"{wanted}_{count}"
        self._used.add(name)
        return name


def _function(given: Decoded, opsets: Mapping[str, int]) -> Function:
    name = function_name(_domain(given.get("domain", "")), given.get("name", ""), given.get("overload", ""))
    own = _opsets(given) or opsets
    body = _Scope(own, set(), None).body(given, name)
    attributes = (*given.get("attribute", ()), *(item.get("name", "") for item in given.get("attribute_proto", ())))
    return Function(name, body, tuple(given.get("input", ())), attributes, _domain(given.get("domain", "")))
