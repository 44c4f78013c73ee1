"""Checkpoints of TensorFlow beside a graph (`variables.index` and its data files): the values of variables, read when asked for.

The index is a sorted table in blocks, as LevelDB writes it. An index that is compressed is not read.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from pathlib import Path

from tensorproof.frontends.graphdef.schema import DATA_TYPE, SHAPE, dtype_of
from tensorproof.frontends.graphdef.tensors import declared_shape
from tensorproof.frontends.protobuf import wire
from tensorproof.frontends.protobuf.opening import load
from tensorproof.frontends.protobuf.schema import Decoded, Malformed, Message, enum, integer, message, string
from tensorproof.graph import Attribute, Constant, DeclaredShape, FunctionRef, Graph, Node
from tensorproof.graph.constants import item_size
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.dtypes import DType
from tensorproof.terms.records import replace

_MOST_INDEX = BUDGETS.files.index_bytes
_MAGIC = 0xDB4775248B80FB57
_FOOTER = 48
_OBJECTS = "_CHECKPOINTABLE_OBJECT_GRAPH"
_SLICE = Message("TensorSliceProto")
_ENTRY = Message(
    "BundleEntryProto", enum(1, "dtype", DATA_TYPE), message(2, "shape", lambda: SHAPE), integer(3, "shard_id"), integer(4, "offset"), integer(5, "size"),
    message(7, "slices", lambda: _SLICE, True),
)  # fmt: skip
_HEADER = Message("BundleHeaderProto", integer(1, "num_shards"), integer(2, "endianness"))
_SAVED = Message("SerializedTensor", string(1, "name"), string(2, "full_name"), string(3, "checkpoint_key"))
_OBJECT = Message("TrackableObject", message(2, "attributes", lambda: _SAVED, True))
_OBJECT_GRAPH = Message("TrackableObjectGraph", message(1, "nodes", lambda: _OBJECT, True))
_MOVES = ("Apply", "ResourceApply", "SparseApply", "ResourceSparseApply", "AssignAdd", "AssignSub", "Scatter", "ResourceScatter")
_VARIABLES = ("VarHandleOp", "VariableV2", "Variable")


def with_variables(graph: Graph, prefix: Path) -> Graph:
    """The graph with the values of its variables, from the checkpoint of this name. Raises `Malformed`, or `BadInput`."""
    found, trained = Bundle(prefix), _trained(graph)
    nodes: dict[str, Node] = {}
    for name, node in graph.nodes.items():
        value = found.value(node) if node.spelling in _VARIABLES and name not in trained else None
        if value is not None:
            attributes: dict[str, Attribute] = {**node.attributes, "value": value}
            nodes[name] = replace(node, attributes=attributes)
    return replace(graph, nodes={**graph.nodes, **nodes}) if nodes else graph


def _trained(graph: Graph) -> set[str]:
    """The variables that the graph itself moves on: what the checkpoint holds is not all that they hold."""
    training = {name for name, function in graph.functions.items() if any(_moves(node) for node in function.body.nodes.values())}
    before = 0
    while len(training) != before:  # functions that call them
        before = len(training)
        training |= {name for name, function in graph.functions.items() if any(_calls(node) & training for node in function.body.nodes.values())}
    found = [node for node in graph.nodes.values() if _moves(node) or _calls(node) & training]
    return {edge.node for node in found for edge in node.inputs if edge is not None}


def _moves(node: Node) -> bool:
    return node.spelling.startswith(_MOVES)


def _calls(node: Node) -> set[str]:
    given = [one for value in node.attributes.values() for one in (value if isinstance(value, tuple) else (value,))]
    return {one.name for one in given if isinstance(one, FunctionRef)}


class Bundle:
    """The entries of a checkpoint by the names of variables."""

    def __init__(self, prefix: Path) -> None:
        self._prefix = prefix
        entries = {key.decode("utf-8", "replace"): value for key, value in _entries(bytes(load(Path(f"{prefix}.index"), _MOST_INDEX)))}
        header = wire.decode(entries.pop("", b""), _HEADER)
        self._shards = header.get("num_shards", 1)
        self._entries = {} if header.get("endianness") else {key: wire.decode(value, _ENTRY) for key, value in entries.items()}
        objects = self._entries.pop(_OBJECTS, None)
        self._keys = self._named(objects) if objects is not None else {}

    def value(self, node: Node) -> Constant | None:
        """The value of a variable; None where the checkpoint does not hold one that fits."""
        shared = node.attributes.get("shared_name")
        for name in (node.name, shared if isinstance(shared, str) else ""):
            entry = self._entries.get(self._keys.get(name, name))
            if entry is not None and not entry.get("slices"):
                return self._constant(entry, node)
        return None

    def _constant(self, entry: Decoded, node: Node) -> Constant | None:
        dtype, shape = dtype_of(entry.get("dtype", 0)), declared_shape(entry.get("shape", {}))
        axes = tuple(axis for axis in shape.axes or () if isinstance(axis, int))
        width = item_size(dtype)
        wanted, declared = node.attributes.get("dtype"), node.attributes.get("shape")
        if width is None or dtype is not wanted or (isinstance(declared, DeclaredShape) and declared.known and declared != shape):
            return None
        if entry.get("size", 0) != math.prod(axes) * width:
            raise Malformed(f"holds {entry.get('size', 0):,} bytes for {node.name}, whose shape {axes} takes {math.prod(axes) * width:,}")
        return Constant(dtype, axes, later=lambda: self._bytes(entry))

    def _bytes(self, entry: Decoded) -> bytes:
        """The bytes of an entry; fewer where the data file is shorter than the index says."""
        path = Path(f"{self._prefix}.data-{entry.get('shard_id', 0):05d}-of-{self._shards:05d}")
        try:
            with path.open("rb") as file:
                file.seek(max(entry.get("offset", 0), 0))
                return file.read(max(entry.get("size", 0), 0))
        except OSError:
            return b""

    def _named(self, entry: Decoded) -> dict[str, str]:
        """The keys of variables by their full names: objects that were saved say both."""
        if dtype_of(entry.get("dtype", 0)) is not DType.STRING:
            return {}
        data = self._bytes(entry)
        length, at = _varint(data, 0)
        graph = wire.decode(data[at + 4 : at + 4 + length], _OBJECT_GRAPH)  # a checksum of the length stands between
        saved = [one for item in graph.get("nodes", ()) for one in item.get("attributes", ())]
        return {one.get("full_name", ""): one.get("checkpoint_key", "") for one in saved}


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise Malformed("ends in the middle of a number of its index")
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def _entries(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The keys and values of a table."""
    if len(data) < _FOOTER or struct.unpack_from("<Q", data, len(data) - 8)[0] != _MAGIC:
        raise Malformed("does not end as the index of a checkpoint does")
    at = len(data) - _FOOTER
    _, at = _varint(data, at)
    _, at = _varint(data, at)
    offset, at = _varint(data, at)
    size, at = _varint(data, at)
    for _, handle in _block(data, offset, size):
        start, then = _varint(handle, 0)
        yield from _block(data, start, _varint(handle, then)[0])


def _block(data: bytes, offset: int, size: int) -> Iterator[tuple[bytes, bytes]]:
    """The entries of one block, in which a key says how much it shares with the one before."""
    if offset + size + 1 > len(data) or size < 4:
        raise Malformed("has a block of its index beyond the end of the file")
    if data[offset + size]:  # compressed
        return
    block = data[offset : offset + size]
    restarts = struct.unpack_from("<I", block, size - 4)[0]
    end, at, key = size - 4 * (restarts + 1), 0, b""
    if end < 0:
        raise Malformed("has a block of its index that is too short")
    while at < end:
        shared, at = _varint(block, at)
        own, at = _varint(block, at)
        length, at = _varint(block, at)
        if shared > len(key) or at + own + length > end:
            raise Malformed("has an entry of its index beyond the end of its block")
        key = key[:shared] + block[at : at + own]
        yield key, block[at + own : at + own + length]
        at += own + length
