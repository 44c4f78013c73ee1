"""What AutoGraph makes of an `if` on a tensor: both sides are traced, and the variables that they leave must be of one kind.

Each variable that a side assigns and that is read later must have a value on both sides, none of them None, with the same structure and
the same element types; shapes may differ. Numbers of Python become tensors. What a side raises is raised while the function is traced.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from tensorproof.libraries.tensorflow.assigned_names import Place, carried, has_return, parts, place, read_after, structure, targets
from tensorproof.libraries.tensorflow.traced import CONVERTED, LEFT, TRACED, converts, within
from tensorproof.terms import BY_LABEL, DType, Predicate, Shape, TensorType, Term
from tensorproof.terms.predicates import conj, eq
from tensorproof.terms.tensor import Graph
from tensorproof.values import MISSING, Choice, Class, Function, Machine, Model, Named, Unknown, Value

_LABELS: tuple[tuple[type, str], ...] = ((bool, "bool"), (Predicate, "bool"), (int, "int32"), (Term, "int32"), (float, "float32"), (str, "string"))


def condition(m: Machine, value: TensorType, node: ast.AST, what: str = "an if statement") -> Any:
    """The truth of a condition of the graph, which nothing decides while it is traced."""
    refuse_condition(m, value, node, what)
    return m.truth(value if value.contents is None and not len(value.shape if value.shape.known else ()) else value.but(shape=Shape(), contents=None), node)


def refuse_condition(m: Machine, value: TensorType, node: ast.AST, what: str, kind: str = "ValueError") -> None:
    wrong = value.dtype is not None and value.dtype.label != "bool"
    many = value.shape.known and value.shape.concrete and isinstance(value.shape.numel, int) and value.shape.numel > 1
    if wrong or (many and kind == "ValueError"):
        raise m.raised(kind, f"the condition of {what} must be one truth value, and is {value!r}", node, "graph/branches")


def leaves(value: Value) -> Iterator[Value]:
    """Each value that a choice may be."""
    if type(value) is Choice:
        yield from leaves(value.then)
        yield from leaves(value.other)
    else:
        yield value


def dtype_of(value: Value) -> DType | None:
    """The element type that a value has as a tensor; None where that is not known."""
    if isinstance(value, TensorType):
        return value.dtype
    return next((BY_LABEL[label] for kind, label in _LABELS if type(value) is kind), None)


def difference(first: Value, second: Value) -> tuple[str, str, str] | None:
    """What keeps two values from being one variable of a graph: the class of the exception, and what each of them is."""
    for a in leaves(first):
        for b in leaves(second):
            found = _difference(a, b)
            if found is not None:
                return found
    return None


def _difference(a: Value, b: Value) -> tuple[str, str, str] | None:
    if MISSING in (a, b) or isinstance(a, Unknown) or isinstance(b, Unknown):
        return None
    if a is None or b is None:
        return "ValueError", _words(a), _words(b)
    if structure(a) != structure(b) and _is_plain(a) and _is_plain(b):
        return "TypeError", _words(a), _words(b)
    left, right = parts(a), parts(b)
    if left is not None and right is not None:
        return next((found for x, y in zip(left, right) if (found := difference(x, y)) is not None), None)
    kinds = dtype_of(a), dtype_of(b)
    if None not in kinds:
        return None if kinds[0] is kinds[1] else ("TypeError", _words(a), _words(b))
    functions = (Function, Named, Class)
    return ("TypeError", _words(a), _words(b)) if a is not b and isinstance(a, functions) and isinstance(b, functions) else None


def _is_plain(value: Value) -> bool:
    return parts(value) is not None or dtype_of(value) is not None


def _words(value: Value) -> str:
    if value is None:
        return "None"
    if isinstance(value, TensorType):
        return repr(value)
    kind = structure(value)
    if isinstance(kind, tuple):
        return f"a dict with the keys {', '.join(kind[1])}" if kind[0] == "dict" else f"a {kind[0]} of {kind[1]}"
    found = dtype_of(value)
    return f"the number {value!r}" if found is not None and isinstance(value, (int, float)) else str(found) if found is not None else "a function"


def as_tensor(m: Machine, value: Value, node: ast.AST, graph: Any) -> Value:
    """A value as the graph hands it on: a number of Python is a tensor."""
    match value:
        case Choice():
            return Choice(value.condition, as_tensor(m, value.then, node, graph), as_tensor(m, value.other, node, graph), value.depth)
        case TensorType():
            return within(m, value, graph) if value.framework == "tf" else value
        case Unknown() if value.number:
            return value
        case _ if dtype_of(value) is not None:
            contents = (value,) if isinstance(value, (int, Term)) and not isinstance(value, bool) else None
            return TensorType(Shape(), dtype_of(value), framework="tf", contents=contents, graph=graph)
        case _:
            return value


class Agreement:
    """What the two sides of one `if` must agree on."""

    def __init__(self, m: Machine, frame: Any, node: ast.If) -> None:
        self.m, self.node = m, node
        live = read_after(frame, node)
        found = (place(frame, t) for t in targets(node.body, node.orelse) if not isinstance(t, ast.Name) or t.id in live)
        self.places: list[Place] = [one for one in found if one is not None]
        self.looping = frame.looping

    def sides(self, ends: Callable[[Any, object], tuple[Value, Value]]) -> None:
        """Refuse what differs; `ends` says what a location holds at the end of each side."""
        for one in self.places:
            a, b = ends(one.owner, one.key)
            if (a is MISSING) != (b is MISSING) and not one.shown.isidentifier():
                side = "main" if a is MISSING else "else"
                raise self.m.raised("ValueError", f"{one.shown} must also be set in the {side} branch: the condition is a tensor", self.node, "graph/branches")
            found = difference(a, b)
            if found is None and a is None and b is None:
                found = "ValueError", "None", "None"
            if found is not None:
                raise self.refused(one.shown, found)

    def refused(self, shown: str, found: tuple[str, str, str]) -> Exception:
        message = f"{shown} is {found[1]} in the main branch and {found[2]} in the else branch: the condition is a tensor, so both become part of the graph"
        return self.m.raised(found[0], message, self.node, "graph/branches")

    def returned(self, a: Value, b: Value) -> None:
        """What the function returns on this branch, and otherwise: nothing where it ends without a return statement."""
        if b is MISSING:
            raise self.m.raised("ValueError", "the else branch must also have a return statement: the condition is a tensor", self.node, "graph/branches")
        found = difference(a, b) or (("ValueError", "None", "None") if a is None and b is None else None)
        if found is not None:
            raise self.refused("what is returned", found)

    def is_variable(self, frame: Any, owner: Any, key: object) -> bool:
        """Whether a location is a variable of the branch; what else a side writes stays, as the sides are traced one after the other."""
        return owner is frame.space or any(one.owner is owner and one.key == key for one in self.places)

    def left(self, word: str) -> None:
        """One side leaves a loop that Python runs."""
        if self.looping == "python" and word in ("break", "return"):
            message = f"{word} depends on a tensor, in a loop that Python runs while the function is traced: make it a loop over a tensor"
            raise self.m.raised("NotImplementedError" if word == "break" else "ValueError", message, self.node, "graph/branches")

    def joined(self) -> None:
        """The variables as the graph hands them on."""
        graph = self.m.model_state.get(TRACED)
        for one in self.places:
            value = one.value
            if value is not MISSING and (made := as_tensor(self.m, value, self.node, graph)) is not value:
                self.m.heap.set(one.owner, one.key, made)


def chosen(m: Machine, asked: TensorType, then: Callable[[], Value], other: Callable[[], Value], node: ast.AST) -> Value:
    """`a if x > 0 else b`."""
    met: list[Value] = []

    def side(act: Callable[[], Value]) -> Callable[[], Value]:
        def run() -> Value:
            met.append(act())
            return as_tensor(m, met[-1], node, m.model_state.get(TRACED))

        return run

    made = m.branching.choose(condition(m, asked, node, "a conditional expression"), side(then), side(other))
    found = difference(*met) if len(met) == 2 else None
    if found is not None:
        raise m.raised(
            "TypeError", f"the expression is {found[1]} or {found[2]}: the condition is a tensor, so both become part of the graph", node, "graph/branches"
        )
    return made


def both(m: Machine, is_and: bool, value: TensorType, rest: Callable[[], Value], node: ast.AST) -> Value:
    """`a and b`, `a or b` of a tensor."""
    refuse_condition(m, value, node, "and" if is_and else "or", "InvalidArgumentError")
    other = rest()
    if isinstance(other, TensorType):
        refuse_condition(m, other, node, "and" if is_and else "or", "TypeError")
    if not isinstance(other, TensorType) or value.dtype is None or other.dtype is None:
        return value.but(contents=None)
    return m.spelling("tf.logical_and" if is_and else "tf.logical_or", (value, other), {}, node)


def opposite(m: Machine, value: TensorType, node: ast.AST) -> Value:
    """`not x`."""
    refuse_condition(m, value, node, "not", "TypeError")
    return m.spelling("tf.logical_not", (value,), {}, node)


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
