"""GraphDef, MetaGraphDef and SavedModel, as text or binary, plain or gzipped: files in, graphs out. Needs no TensorFlow."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tensorproof.diagnostics.errors import BadInput
from tensorproof.frontends.graphdef.bundle import with_variables
from tensorproof.frontends.graphdef.outputs import output_index
from tensorproof.frontends.graphdef.schema import GRAPH, META_GRAPH, SAVED_MODEL, dtype_of
from tensorproof.frontends.graphdef.tensors import attribute
from tensorproof.frontends.protobuf import text, wire
from tensorproof.frontends.protobuf.opening import Buffer, load
from tensorproof.frontends.protobuf.schema import LINE, Decoded, Malformed, Message
from tensorproof.graph import Attribute, Edge, Function, Graph, Node
from tensorproof.terms.collector import collector_paused

_CONTROL_CHARACTERS = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
_FIRST_FIELD = re.compile(rb"(?:\s|#[^\n]*\n)*([A-Za-z_]\w*)\s*[:{<]")
_NAME = re.compile(r"[A-Za-z0-9._>][A-Za-z0-9_.\\/>-]*")
_KINDS = {
    "node": GRAPH,
    "library": GRAPH,
    "versions": GRAPH,
    "version": GRAPH,
    "saved_model_schema_version": SAVED_MODEL,
    "meta_graphs": SAVED_MODEL,
} | dict.fromkeys(META_GRAPH.by_name, META_GRAPH)
_SOURCES = ("Placeholder", "PlaceholderV2", "PlaceholderWithDefault")


def read(path: str | Path) -> Graph:
    """The graph in a file; of a SavedModel, the one tagged `serve`, else the first. Raises `BadInput`."""
    graphs = read_all(path)
    return graphs[0]


def read_all(path: str | Path) -> tuple[Graph, ...]:
    """All graphs of a file or of a SavedModel's directory, the one tagged `serve` first."""
    path = Path(path)
    if path.is_dir():
        inside = [path / name for name in ("saved_model.pb", "saved_model.pbtxt") if (path / name).is_file()]
        if not inside:
            raise BadInput(f"{path} is a directory without a saved_model.pb.")
        path = inside[0]
    data = load(path)
    variables = _checkpoint(path)
    name = path.name.removesuffix(".gz").removesuffix(".pbtxt").removesuffix(".pb")
    try:
        with collector_paused():
            graphs = parse(data, name)
    except Malformed as error:
        raise BadInput(f"{path} is not a readable GraphDef, MetaGraphDef or SavedModel: it {error}.") from None
    try:
        return graphs if variables is None else tuple(with_variables(graph, variables) for graph in graphs)
    except Malformed as error:
        raise BadInput(f"{variables}.index is not a readable checkpoint: it {error}.") from None


def _checkpoint(path: Path) -> Path | None:
    """The checkpoint beside a SavedModel (`variables/variables`) or a MetaGraph (`model.ckpt.meta`), where there is one."""
    named = path.parent / "variables" / "variables" if path.stem == "saved_model" else path.with_suffix("")
    return named if path.suffix in (".pb", ".pbtxt", ".meta") and Path(f"{named}.index").is_file() else None


def parse(data: Buffer, name: str = "graph") -> tuple[Graph, ...]:
    """The graphs in the bytes of a file. Raises `Malformed`."""
    message, decoded = _decode(data)
    if message is GRAPH:
        return (_graph(decoded, name, {}),)
    metas: list[Decoded] = [decoded] if message is META_GRAPH else decoded.get("meta_graphs", [])
    metas = sorted(metas, key=lambda meta: "serve" not in meta.get("meta_info_def", {}).get("tags", ()))
    if not metas:
        raise Malformed("holds no graph")
    return tuple(_graph(meta.get("graph_def", {}), name, meta.get("signature_def", {})) for meta in metas)


def _decode(data: Buffer) -> tuple[Message, Decoded]:
    head = data[:4096]
    if _CONTROL_CHARACTERS.search(head) is None:
        first = _FIRST_FIELD.match(data)
        if first is not None:
            field = first[1].decode("ascii")
            if field not in _KINDS:
                raise Malformed(f"begins with a field {field}, which none of them has")
            return _KINDS[field], text.decode(str(data[:], "latin-1"), _KINDS[field])
    if head[0] == 0x08:
        return SAVED_MODEL, wire.decode(data, SAVED_MODEL)
    try:
        decoded = wire.decode(data, GRAPH)
        if all(_NAME.fullmatch(node.get("name", "")) and _NAME.fullmatch(node.get("op", "")) for node in decoded.get("node", ())):
            return GRAPH, decoded
        problem = Malformed("holds a node without a proper name or operation")
    except Malformed as error:
        problem = error
    try:
        return META_GRAPH, wire.decode(data, META_GRAPH)
    except Malformed:
        raise problem from None


class _Attributes:
    """Attribute values; those that the decoder shares between nodes are made once."""

    def __init__(self) -> None:
        self._made: dict[int, Attribute] = {}

    def of(self, node: Decoded) -> dict[str, Attribute]:
        made = self._made
        result: dict[str, Attribute] = {}
        for name, value in node.get("attr", {}).items():
            key = id(value)
            if key not in made:
                made[key] = attribute(value)
            result[name] = made[key]
        return result


def _graph(decoded: Decoded, name: str, signatures: dict[str, Decoded]) -> Graph:
    attributes = _Attributes()
    edges: dict[str, Edge] = {}
    nodes: dict[str, Node] = {}
    for node in decoded.get("node", ()):
        made = _node(node, edges, attributes)
        if made.name in nodes:
            raise Malformed(f"has two nodes named {made.name}")
        nodes[made.name] = made
    for made in nodes.values():
        for edge in made.inputs:
            if edge is not None and edge.node not in nodes:
                raise Malformed(f"has a node {made.name} that reads {edge.node}, which it does not hold")
        for before in made.control:
            if before not in nodes:
                raise Malformed(f"has a node {made.name} that waits for {before}, which it does not hold")
    functions = [_function(function, attributes) for function in decoded.get("library", {}).get("function", ())]
    inputs, outputs, output_names = _interface(nodes, signatures)
    versions = decoded.get("versions", {})
    return Graph(
        name,
        "graphdef",
        nodes,
        inputs,
        outputs,
        output_names,
        {function.name: function for function in functions},
        versions.get("producer", decoded.get("version", 0)),
    )


def _node(node: Decoded, edges: dict[str, Edge], attributes: _Attributes) -> Node:
    name, spelling = node.get("name", ""), node.get("op", "")
    if not name or not spelling:
        raise Malformed(f"has a node without a name or an operation, on line {node.get(LINE, 0)}")
    inputs: list[Edge] = []
    control: list[str] = []
    for written in node.get("input", ()):
        edge = edges.get(written)
        if edge is not None:
            inputs.append(edge)
        elif written.startswith("^"):
            control.append(written[1:])
        else:
            edge = edges[written] = _edge(written)
            inputs.append(edge)
    return Node(name, spelling, "graphdef", tuple(inputs), tuple(control), attributes.of(node), node.get("device", ""), line=node.get(LINE, 0))


def _edge(written: str) -> Edge:
    name, _, index = written.partition(":")
    if not index:
        return Edge(name)
    if not index.isdecimal():
        raise Malformed(f"has an input {written} that names no output")
    return Edge(name, int(index))


def _interface(nodes: dict[str, Node], signatures: dict[str, Decoded]) -> tuple[tuple[str, ...], tuple[Edge, ...], tuple[str, ...]]:
    """From the signatures where there are any, else placeholders in and unread results out."""
    outputs: dict[str, Edge] = {}
    inputs: dict[str, None] = {}
    for signature in signatures.values():
        for info in signature.get("inputs", {}).values():
            inputs[_edge(info.get("name", "")).node] = None
        for output_name, info in signature.get("outputs", {}).items():
            outputs.setdefault(output_name, _edge(info.get("name", "")))
    kept = {key: edge for key, edge in outputs.items() if edge.node in nodes}
    if kept:
        return tuple(key for key in inputs if key in nodes), tuple(kept.values()), tuple(kept)
    read = {edge.node for node in nodes.values() for edge in node.inputs if edge is not None}
    sources = tuple(node.name for node in nodes.values() if node.spelling in _SOURCES)
    return sources, tuple(Edge(name) for name in nodes if name not in read and name not in sources), ()


def _function(function: Decoded, attributes: _Attributes) -> Function:
    """A FunctionDef as a graph: parameters are nodes spelled `_Arg`, and edges count outputs as in a plain graph."""
    signature: Decoded = function.get("signature", {})
    nodes: dict[str, Node] = {}
    for index, arg in enumerate(signature.get("input_arg", ())):
        dtype: Any = dtype_of(arg["type"]) if "type" in arg else f"${arg.get('type_attr', '')}"
        name = arg.get("name", "")
        nodes[name] = Node(name, "_Arg", "graphdef", attributes={"T": dtype, "index": index})
    parameters = tuple(nodes)
    plain: dict[str, dict[str, Attribute]] = {}
    spelling: dict[str, str] = {}
    for node in function.get("node_def", ()):
        plain[node.get("name", "")] = attributes.of(node)
        spelling[node.get("name", "")] = node.get("op", "")

    def edge(written: str) -> Edge:
        name, _, rest = written.partition(":")
        output, _, index = rest.rpartition(":")
        if index and not index.isdecimal():
            raise Malformed(f"has an input {written} that names no output, in the function {signature.get('name', '')}")
        position = int(index or 0)
        if name not in spelling and name not in nodes:
            raise Malformed(f"has a function {signature.get('name', '')} that reads {name}, which it does not hold")
        return Edge(name, output_index(spelling.get(name, ""), plain.get(name, {}), output, position))

    for node in function.get("node_def", ()):
        name = node.get("name", "")
        if not name or not node.get("op"):
            raise Malformed(f"has a function {signature.get('name', '')} with a node without a name or an operation")
        written: list[str] = node.get("input", [])
        inputs = tuple(edge(item) for item in written if not item.startswith("^"))
        control = tuple(item[1:] for item in written if item.startswith("^"))
        nodes[name] = Node(name, node["op"], "graphdef", inputs, control, plain[name], node.get("device", ""), line=node.get(LINE, 0))
    returned = {pair.get("key", ""): pair.get("value", "") for pair in function.get("ret", ())}
    names = tuple(arg.get("name", "") for arg in signature.get("output_arg", ()) if arg.get("name", "") in returned)
    name = signature.get("name", "")
    body = Graph(name, "graphdef", nodes, parameters, tuple(edge(returned[out]) for out in names), names)
    return Function(name, body, parameters, tuple(item.get("name", "") for item in signature.get("attr", ())))
