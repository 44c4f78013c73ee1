"""Loops of TensorFlow 1 (`Enter`, `Merge`, `NextIteration`, `Exit`) in the program form: the nodes of a frame are the body of a `Loop`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from tensorproof.diagnostics.span import Span
from tensorproof.graph import Edge, Graph, Node
from tensorproof.graph.order import is_back_edge, reads
from tensorproof.program.form import Carried, Loop, Record
from tensorproof.terms.tensor import TensorType

_ENTERS = ("Enter", "RefEnter")
_EXITS = ("Exit", "RefExit")
_MERGES = ("Merge", "RefMerge")

Frame = tuple[str, ...]
"""The names of the frames around a node, the outermost first."""


class Walk(Protocol):
    """The walk through the graph: it knows the values of edges."""

    graph: Graph

    def value(self, edge: Edge) -> TensorType: ...
    def back_edges(self, node: Node) -> list[Edge]: ...
    def span(self, node: Node) -> Span: ...


def has_frames(graph: Graph) -> bool:
    return any(node.spelling in _ENTERS for node in graph.nodes.values())


def arranged(walk: Walk, order: Iterable[str], recorded: Mapping[str, list[Record]]) -> list[Record]:
    """The records of all nodes, with those inside of each frame in a loop."""
    return _Frames(walk, list(order), recorded).level(())


class _Frames:
    def __init__(self, walk: Walk, order: list[str], recorded: Mapping[str, list[Record]]) -> None:
        self.walk = walk
        self.order = order
        self.recorded = recorded
        self.frames: dict[str, Frame] = {}
        for name in order:
            self.frames[name] = self._frame(walk.graph.nodes[name])

    def _frame(self, node: Node) -> Frame:
        inside: Frame = max((self.frames.get(edge.node, ()) for edge in node.inputs if edge is not None), key=len, default=())
        if node.spelling in _ENTERS:
            return (*inside, str(node.attributes.get("frame_name")))
        return inside[:-1] if node.spelling in _EXITS else inside

    def level(self, frame: Frame) -> list[Record]:
        """The records of the nodes of a frame, in an order in which a frame inside of it comes as a whole."""
        items: dict[str | Frame, list[str]] = {}
        for name in self.order:
            if self.frames[name][: len(frame)] == frame:
                items.setdefault(self._item(name, frame), []).append(name)
        done: set[str | Frame] = set()
        made: list[Record] = []
        for start in items:
            waiting = [start]
            while waiting:
                item = waiting[-1]
                left = [] if item in done else [one for one in self._sources(items[item], frame) if one in items and one not in done and one not in waiting]
                if left:
                    waiting += left[:1]
                    continue
                waiting.pop()
                if item not in done:
                    done.add(item)
                    made += self._records(item)
        return made

    def _item(self, name: str, frame: Frame) -> str | Frame:
        """The node itself, or the frame inside of this one in which it stands."""
        return name if len(self.frames[name]) == len(frame) else self.frames[name][: len(frame) + 1]

    def _sources(self, names: list[str], frame: Frame) -> list[str | Frame]:
        found = dict.fromkeys(
            self._item(source, frame)
            for name in names
            for source in reads(self.walk.graph.nodes[name])
            if source in self.frames and not is_back_edge(self.walk.graph, source) and self.frames[source][: len(frame)] == frame
        )
        own = self._item(names[0], frame)
        return [one for one in found if one != own]

    def _records(self, item: str | Frame) -> list[Record]:
        if isinstance(item, str):
            return self.recorded.get(item, [])
        nodes = self.walk.graph.nodes
        merges = [nodes[name] for name in self.order if self.frames[name] == item and nodes[name].spelling in _MERGES and self.walk.back_edges(nodes[name])]
        span = self.walk.span(merges[0] if merges else nodes[next(name for name in self.order if self.frames[name] == item)])
        return [Loop(tuple(self.level(item)), tuple(map(self._carried, merges)), span, runs=False)]

    def _carried(self, node: Node) -> Carried:
        back = self.walk.back_edges(node)
        forward = tuple(self.walk.value(edge) for edge in node.inputs if edge is not None and edge not in back)
        start = self.walk.value(Edge(node.name))
        return Carried(forward, start, tuple(map(self.walk.value, back)), start)
