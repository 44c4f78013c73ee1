"""What tf.function makes of a loop over a tensor: a loop of the graph, traced once, whose variables keep their structure, element types and shapes."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries.tensorflow.assigned_names import Place, carried, has_return, place, read_after, targets
from tensorproof.libraries.tensorflow.graph_branches import as_tensor, difference, leaves
from tensorproof.libraries.tensorflow.traced import CONVERTED, LEFT, TRACED, converts
from tensorproof.terms.predicates import conj, eq
from tensorproof.terms.tensor import Graph, TensorType
from tensorproof.values import MISSING, Machine, Model, Value

RELAXED = "tf.loop options"
"""Where the machine counts the loops that stated their shapes themselves."""


def of_graph(m: Machine, frame: Any, value: Value, node: ast.For | ast.While) -> Loop | None:
    """The loop of the graph that AutoGraph makes; None for one that Python runs."""
    if type(value) is TensorType:
        return Loop(m, frame, node) if value.framework == "tf" and converts(m, value) else None
    traced = m.model_state.get(TRACED)
    of_data = isinstance(value, Model) and value.kind == "tf.data.Dataset" and traced is not None and traced.open and m.model_state.get(CONVERTED)
    return Loop(m, frame, node) if of_data else None


class Loop:
    """One loop of the graph: entered before its first iteration, left after the last."""

    def __init__(self, m: Machine, frame: Any, node: ast.For | ast.While) -> None:
        self.m, self.frame, self.node = m, frame, node

    def __enter__(self) -> Loop:
        m, state = self.m, self.m.model_state
        if has_return(self.node.body):
            raise m.raised("NotImplementedError", "a return statement cannot stand in a loop over a tensor: set a variable and break", self.node, "graph/loop")
        self.outer, self.relaxed, self.looping = state.get(TRACED), state.get(RELAXED, False), self.frame.looping
        own = {ast.unparse(t) for t in targets([ast.Assign([self.node.target], ast.Constant(None))])} if isinstance(self.node, ast.For) else set()
        live = read_after(self.frame, self.node) | carried(self.node)
        found = [place(self.frame, t) for t in targets(self.node.body) if not isinstance(t, ast.Name) or (t.id in live and t.id not in own)]
        self.before: list[tuple[Place, Value]] = []
        state[RELAXED], self.frame.looping = False, "graph"
        graph = state[TRACED] = Graph(f"a loop of {self.outer.word}" if self.outer is not None else "a loop")
        for one in filter(None, found):
            value = one.value
            if value is not MISSING and value is not None:
                made = value if isinstance(value, TensorType) else as_tensor(m, value, self.node, graph)
                self.before.append((one, made))
                if made is not value:
                    m.heap.set(one.owner, one.key, made)
        self.made = [one for one in filter(None, found) if one.value in (MISSING, None)]
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        state = self.m.model_state
        relaxed, graph = state[RELAXED], state[TRACED]
        state[TRACED], state[RELAXED], self.frame.looping = self.outer, self.relaxed, self.looping
        graph.open, state[LEFT] = False, True
        if kind is None:
            self.finish(relaxed)

    def finish(self, relaxed: bool) -> None:
        """After the last iteration: a variable that is another one now is refused."""
        m = self.m
        for one, old in self.before:
            new = one.value
            found = None if new is MISSING else difference(old, new)
            if found is not None:
                message = (
                    f"{one.shown} is {found[1]} before the loop and {found[2]} after one iteration: the loop is over a tensor, so both become part of the graph"
                )
                raise m.raised(found[0], message, self.node, "graph/loop")
            if not relaxed and isinstance(old, TensorType):
                for leaf in leaves(new):
                    self.same_shape(one.shown, old, leaf)
        for one in (*(one for one, _ in self.before), *self.made):
            if one.value is not MISSING and (made := as_tensor(m, one.value, self.node, self.outer)) is not one.value:
                m.heap.set(one.owner, one.key, made)

    def same_shape(self, shown: str, old: TensorType, new: Value) -> None:
        if type(new) is not TensorType or new is old or not old.shape.known or not new.shape.known:
            return
        message = f"{shown} has shape {old.shape!r} before the loop and {new.shape!r} after one iteration: tf.function needs one shape"
        agree = conj(*(eq(a, b) for a, b in zip(old.shape, new.shape) if isinstance(a, int))) if len(old.shape) == len(new.shape) else False
        self.m.demand("ValueError", agree, message, self.node, "loop/shape")
