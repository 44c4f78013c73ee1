"""Exported programs of torch: the archive in, a graph out. Names of values become edges between nodes; nothing is unpickled."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tensorproof.diagnostics.errors import BadInput
from tensorproof.frontends.archive import Archive
from tensorproof.frontends.export.arguments import Arguments, value_names
from tensorproof.frontends.export.schema import MAJOR
from tensorproof.frontends.export.sizes import Sizes
from tensorproof.frontends.export.weights import Weights, is_row_major
from tensorproof.frontends.fields import decode, expect, field, only
from tensorproof.frontends.protobuf.schema import Malformed
from tensorproof.graph import Attribute, DeclaredShape, Edge, Graph, Node
from tensorproof.terms.collector import collector_paused
from tensorproof.terms.dtypes import DType

_PROGRAMS = re.compile(r"models/[^/]+\.json|serialized_exported_program\.json")
_ATEN = "torch.ops.aten."
_OPERATORS = "torch.ops."
_TRACE = re.compile(r'File "([^"\n]+)", line (\d+)')
_LIBRARY = "/site-packages/"
_NUMBERS = ("sym_int_values", "sym_bool_values", "sym_float_values")
_SOURCES = {"parameter": "parameter_name", "buffer": "buffer_name", "tensor_constant": "tensor_constant_name"}


def read(path: str | Path) -> Graph:
    """The graph of an exported program. Raises `BadInput`."""
    path = Path(path)
    archive = Archive(path)
    try:
        with collector_paused():
            return _program(archive, path.name.removesuffix(".gz").removesuffix(".pt2"))
    except Malformed as error:
        raise BadInput(f"{path} is not a readable exported program: it {error}.") from None


def _program(archive: Archive, name: str) -> Graph:
    found = [member for member in archive.names if _PROGRAMS.fullmatch(member)]
    if not found:
        raise Malformed("holds no graph (models/NAME.json)")
    given = decode(archive.read(found[0]), found[0])
    version = given.get("schema_version", {}) if isinstance(given, dict) else {}
    major = version.get("major", MAJOR) if isinstance(version, dict) else MAJOR
    if not isinstance(major, int) or major > MAJOR:
        raise Malformed(f"is written in version {major} of the schema, and {MAJOR} is the newest known")
    module = field(given, "graph_module", dict, "the program")
    sizes = Sizes(_ranges(given.get("range_constraints")))
    weights = Weights(archive)
    return _Scope(sizes, weights).whole(field(module, "graph", dict, "graph_module"), field(module, "signature", dict, "graph_module"), name)


def _ranges(given: Any) -> dict[str, tuple[int, int | None]]:
    found: dict[str, tuple[int, int | None]] = {}
    for name, one in expect(given or {}, dict, "range_constraints").items():
        lo, hi = expect(one, dict, f"range_constraints.{name}").get("min_val"), one.get("max_val")
        found[str(name)] = (lo if isinstance(lo, int) else 0, hi if isinstance(hi, int) else None)
        if isinstance(lo, int) and isinstance(hi, int) and lo > hi:
            raise Malformed(f"bounds the size {name} by {lo} and {hi}")
    return found


class _Scope:
    """One graph being read: the values that are known by name so far."""

    def __init__(self, sizes: Sizes, weights: Weights) -> None:
        self._sizes = sizes
        self._weights = weights
        self._values: dict[str, Edge] = {}
        self._numbers: dict[str, DeclaredShape] = {}
        self._row_major: set[str] = set()
        self._trained: set[str] = set()
        self._nodes: dict[str, Node] = {}
        self._arguments = Arguments(self._edge, self._subgraph)

    def whole(self, graph: Any, signature: Any, name: str) -> Graph:
        """The program itself: its signature says what its inputs are."""
        roles: dict[str, tuple[str, str]] = {}
        for spec in field(signature, "input_specs", list, "signature"):
            kind, given = only(spec, "input_specs")
            if kind in _SOURCES:
                of = field(field(given, "arg", dict, kind), "name", str, kind)
                roles[of] = (kind, field(given, _SOURCES[kind], str, kind))
        return self._graph(graph, name, roles)

    def _subgraph(self, graph: Any, name: str) -> Graph:
        return _Scope(self._sizes, self._weights)._graph(graph, name, {})

    def _graph(self, graph: Any, name: str, roles: dict[str, tuple[str, str]]) -> Graph:
        where = f"the graph {name}"
        declared = self._declared(graph, where)
        inputs: list[str] = []
        for given in field(graph, "inputs", list, where):
            for value in filter(None, value_names(given)):
                role, target = roles.get(value, ("", ""))
                if role:
                    self._weight(value, role, target, declared)
                else:
                    inputs.append(self._input(value, declared))
        for index, node in enumerate(field(graph, "nodes", list, where)):
            self._node(node, f"{where}, node {index}")
        outputs = [value for given in field(graph, "outputs", list, where) for value in value_names(given)]
        return Graph(name, "aten", self._nodes, tuple(inputs), tuple(map(self._edge, outputs)), tuple(outputs), declared=declared)

    def _declared(self, graph: Any, where: str) -> dict[str, tuple[DType | None, DeclaredShape]]:
        """What the file says of each tensor."""
        found: dict[str, tuple[DType | None, DeclaredShape]] = {}
        for name, meta in field(graph, "tensor_values", dict, where).items():
            found[name] = self._weights.declared(meta, name, self._sizes)
            if isinstance(meta, dict) and meta.get("requires_grad") is True:
                self._trained.add(name)
            if is_row_major(meta, found[name][1].axes or (), self._sizes):
                self._row_major.add(name)
        self._numbers = {name: self._number(graph, name) for kind in _NUMBERS for name in expect(graph.get(kind) or {}, dict, kind)}
        return found

    def _number(self, graph: Any, name: str) -> DeclaredShape:
        """A symbolic number as a shape of one axis; of none where it is no whole number."""
        given = (graph.get("sym_int_values") or {}).get(name)
        if given is None:
            return DeclaredShape(())
        kind, value = only(given, f"sym_int_values.{name}")
        return DeclaredShape((self._sizes.parse(field(value, "expr_str", str, name)) if kind == "as_expr" else expect(value, int, name),))

    def _input(self, value: str, declared: dict[str, tuple[DType | None, DeclaredShape]]) -> str:
        if value in self._numbers:
            return self._source(value, "Number", {"_number": self._numbers[value]})
        dtype, shape = declared.get(value, (None, DeclaredShape(None)))
        return self._source(value, "Input", {"dtype": dtype, "shape": shape})

    def _weight(self, value: str, role: str, target: str, declared: dict[str, tuple[DType | None, DeclaredShape]]) -> None:
        dtype, shape = declared.get(value, (None, DeclaredShape(None)))
        constant = self._weights.constant(target, dtype, shape)
        attributes: dict[str, Attribute] = {"dtype": dtype, "shape": shape, "value": constant, "role": role, "target": target}
        attributes["requires_grad"] = value in self._trained
        self._source(value, "Input" if constant is None else "Constant", attributes)

    def _source(self, value: str, spelling: str, attributes: dict[str, Attribute]) -> str:
        self._define(value, Edge(value))
        self._nodes[value] = Node(value, spelling, "aten", attributes=attributes, outputs=(value,))
        return value

    def _node(self, given: Any, where: str) -> None:
        target = field(given, "target", str, where)
        outputs = [value for one in field(given, "outputs", list, where) for value in value_names(one)]
        wanted = given.get("name") or next((value for value in outputs if value), "") or target.rpartition(".")[2]
        name = self._unique(expect(wanted, str, f"{where}.name"))
        attributes = self._arguments.of(field(given, "inputs", list, where), f"{where} ({target})")
        if outputs and outputs[0] in self._numbers:
            attributes["_number"] = self._numbers[outputs[0]]
        edges = tuple(edges_in(tuple(attributes.values())))
        attributes["_row_major"] = tuple(value in self._row_major for value in outputs)
        domain, spelling = ("", target.removeprefix(_ATEN)) if target.startswith(_ATEN) else _other(target)
        traced = _traced(given.get("metadata"))
        if module := _module(given.get("metadata")):
            attributes["_module"] = module
        self._nodes[name] = Node(name, spelling, "aten", edges, attributes=attributes, domain=domain, outputs=tuple(outputs), traced=traced)
        for position, value in enumerate(outputs):
            if value:
                self._define(value, Edge(name, position))

    def _edge(self, value: str) -> Edge:
        known = self._values.get(value)
        if known is None:
            raise Malformed(f"reads {value or 'a value without a name'} before anything computes it")
        return known

    def _define(self, value: str, edge: Edge) -> None:
        if value in self._values:
            raise Malformed(f"computes the value {value} twice")
        self._values[value] = edge

    def _unique(self, wanted: str) -> str:
        name, count = wanted, 0
        while name in self._nodes:
            count += 1
            name = f"{wanted}_{count}"
        return name


def _other(target: str) -> tuple[str, str]:
    """The domain and name of an operator outside of ATen: `higher_order.cond`, `_operator.add`, `torchvision.nms.default`."""
    domain, _, name = target.removeprefix(_OPERATORS).partition(".")
    return domain, name or domain


def edges_in(value: Attribute) -> list[Edge]:
    """The values that an argument names."""
    if isinstance(value, Edge):
        return [value]
    return [edge for item in value for edge in edges_in(item)] if isinstance(value, tuple) else []


def _module(metadata: Any) -> str:
    """The path of the innermost module whose call a node belongs to; a second call of it is written `pool@1`."""
    stack = metadata.get("nn_module_stack") if isinstance(metadata, dict) else None
    parts = stack.rpartition(";")[2].split(",") if isinstance(stack, str) else []
    return re.sub(r"@\d+", "", parts[1]) if len(parts) > 1 else ""


def _traced(metadata: Any) -> str:
    """The user's own line that a node comes from, `FILE:LINE`: the innermost one outside of installed packages."""
    trace = metadata.get("stack_trace") if isinstance(metadata, dict) else None
    places = _TRACE.findall(trace) if isinstance(trace, str) else []
    own = [f"{file}:{line}" for file, line in places if _LIBRARY not in file]
    return own[-1] if own else ""
