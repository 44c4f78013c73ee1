"""The elements of a tf.data.Dataset: structures of tensors (tuples, dicts), how they are made, stacked, opened for tracing and shown as specs."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries import mapped, tensors_in
from tensorproof.libraries.domains.label_ranges import keep
from tensorproof.libraries.tensorflow.shapes import GRAPH, static_size
from tensorproof.libraries.tensorflow.tape import OPEN
from tensorproof.libraries.tensorflow.tensors import converted
from tensorproof.libraries.tensorflow.traced import CONVERTED, TRACED, tracing, within
from tensorproof.terms import BY_LABEL, Atom, Dim, DType, Origin, Segment, Shape, TensorType, Term, open_shape
from tensorproof.terms.substitution import substitute, symbols
from tensorproof.values import NOWHERE, Args, Choice, Dict, Instance, Key, Kwargs, List, Machine, Model, TensorShape, Unknown, Value, slot

SHAPE: Key[tuple[Dim | None, ...] | Unknown | None] = slot("shape")
SPEC = "tf.TensorSpec"


def scalar(label: str, contents: tuple[Value, ...] | None = None) -> TensorType:
    return TensorType(Shape(), BY_LABEL[label], framework="tf", contents=contents)


def element_of(m: Machine, value: Value, node: ast.AST) -> Value:
    """What a program gives as an element: arrays, numbers and lists become tensors, tuples and dicts stay structures."""
    match value:
        case TensorType() if value.framework == "tf":
            return m.path.same(value, value.but(parameter=False))
        case tuple() if not isinstance(value, TensorShape):
            return tuple(element_of(m, v, node) for v in value)
        case Dict():
            return Dict(m.heap.entries({k: element_of(m, v, node) for k, v in value.items.items()}))
        case None | Model() | Choice() | Instance():
            return value
        case Unknown() if value.text:
            return scalar("string")
        case Unknown() if not value.number and value.ratio is None:
            return value
        case _:
            made = converted(m, value, None, node)
            return keep(m, value, made) if m.ranged else made


def stacked(m: Machine, element: Value, count: Value, node: ast.AST) -> Value:
    """`count` elements on top of each other."""
    if isinstance(element, Unknown):
        return element

    def stack(t: TensorType) -> Value:
        if not t.shape.known:
            m.gap("Dataset.batch", node, "the rank of an element is not known")
            return t.sized(Shape((count, *t.shape)))
        made = keep(m, t, t.but(shape=Shape((count, *t.shape)), contents=None))
        if m.path.program is not None:
            m.path.program.stack([t], [made])
        return made

    return mapped(m, element, stack)


CHOSEN = "tf.sizes of a generator"
"""Where the machine keeps the symbols that stand for sizes which the program itself gives to the elements of a generator."""
VARYING = "tf.varying numbers"
"""Where the machine keeps the symbols that stand for a number which differs from element to element."""


def varying(m: Machine, least: Any, most: Any, node: ast.AST) -> Value:
    """A number of which every element of a dataset has its own."""
    made = m.symbol(m.name_here("element", node), least, most, Origin.WORLD)
    m.model_state.setdefault(VARYING, set()).update(symbols(made))
    return made


def varies(m: Machine, element: Value) -> bool:
    """Whether the shapes of a structure differ from element to element."""
    known = m.model_state.get(VARYING)
    return known is not None and any(symbols(d) & known for t in tensors_in(element) if t.shape.known for d in t.shape if isinstance(d, Term))


def rows(m: Machine, element: Value, node: ast.AST | None = None) -> Value:
    """One of the rows of every tensor in a structure."""

    def act(t: TensorType) -> TensorType:
        if not t.shape.known:
            return t.sized(row_shape(m, t.shape, node))
        if not len(t.shape):
            return t
        numbers = t.contents if len(t.shape) == 1 and t.contents and all(type(v) is int for v in t.contents) else None
        one = None if node is None or numbers is None else (numbers[0] if len(set(numbers)) == 1 else varying(m, min(numbers), max(numbers), node),)
        made: TensorType = keep(m, t, t.but(shape=Shape(t.shape[1:]), contents=one))
        if m.path.program is not None:
            m.path.program.slices([t], [made])
        return made

    return mapped(m, element, act)


def row_shape(m: Machine, shape: Shape, node: ast.AST | None) -> Shape:
    """The shape of one of the rows of a tensor of unknown rank."""
    if type(shape[0]) is not Segment:
        return Shape(shape[1:])
    at = max(i for i, axis in enumerate(shape) if type(axis) is Segment)
    return Shape((*open_shape(m.name_here("row", node or NOWHERE)), *shape[at + 2 :]))


def returned(m: Machine, value: Value, node: ast.AST) -> Value:
    """What a mapped function gives as an element: a list at the top is a tuple."""
    return element_of(m, tuple(value.items) if isinstance(value, List) else value, node)


def as_arguments(element: Value) -> tuple[Value, ...]:
    """An element as the arguments of a function that gets it: a tuple is spread."""
    return element if type(element) is tuple else (element,)


class Opened:
    """While TensorFlow traces a function, the sizes that it does not know are None to the program: they become symbols of just that value."""

    def __init__(self, m: Machine, node: ast.AST) -> None:
        self.m, self.node = m, node
        self.values: dict[Atom, Dim] = {}
        self.added: set[Value] = set()

    def size(self, size: Any) -> Value:
        """An open size."""
        known = self.m.model_state.setdefault(OPEN, set())
        if isinstance(size, Term):
            self.added |= set(symbols(size)) - known
            known |= self.added
            return size
        made = self.m.symbol(self.m.name_here(f"size {size}", self.node), size, size, Origin.WORLD)
        (atom,) = symbols(made)
        self.values[atom] = size
        self.added.add(atom)
        known.add(atom)
        return made

    def leading(self, element: Value) -> Value:
        """An element whose first axis, the batch, is open."""
        kept: dict[Value, Value] = {}

        def act(t: TensorType) -> TensorType:
            if not t.shape.known or not len(t.shape):
                return t
            size = t.shape[0]
            if size not in kept:
                kept[size] = self.size(size)
            return t.sized(Shape((kept[size], *t.shape[1:])), contents=t.contents)

        return mapped(self.m, element, act)

    def closed(self, value: Value) -> Value:
        """What came out, with the values put back."""
        known = self.m.model_state.get(OPEN, set())
        known -= self.added
        if not self.values:
            return value

        def act(t: TensorType) -> TensorType:
            contents = None if t.contents is None else tuple(substitute(c, self.values) if isinstance(c, Term) else c for c in t.contents)
            return t.but(shape=Shape(substitute(d, self.values) for d in t.shape) if t.shape.known else t.shape, contents=contents)

        return mapped(self.m, value, act)


def traced(m: Machine, function: Value, args: Args, kwargs: Kwargs, node: ast.AST, word: str = "tf.function", converted: bool = True) -> Any:
    """Call a function as TensorFlow traces it."""
    outer = m.model_state.get(TRACED)
    m.model_state[GRAPH] = m.model_state.get(GRAPH, 0) + 1
    try:
        with tracing(m, word, converted) as graph:
            given = tuple(within(m, v, graph) for v in args)
            found = m.call(function, given, {k: within(m, v, graph) for k, v in kwargs.items()}, node)
        return within(m, found, outer)
    finally:
        m.model_state[GRAPH] -= 1


def step_of(m: Machine, function: Value, args: tuple[Value, ...], node: ast.AST) -> Value:
    """Call the function of `tf.map_fn` and its like: it is traced where its caller is, and else computes at once."""
    if m.model_state.get(TRACED) is None:
        return m.call(function, args, {}, node)
    return traced(m, function, args, {}, node, converted=m.model_state.get(CONVERTED, False))


def spec_of(m: Machine, element: Value, opened: bool = False) -> Value:
    """`element_spec`: the structure with a TensorSpec for each tensor."""

    def act(t: TensorType) -> Value:
        shape: Value = None
        if t.shape.known:
            shape = TensorShape(None if opened and i == 0 else static_size(m, d) for i, d in enumerate(t.shape))
        return Model(SPEC, m.heap.space({"shape": shape, "dtype": t.dtype, "name": None}))

    return mapped(m, element, act)


def tensor_of_spec(m: Machine, spec: Value, node: ast.AST, sample: Value = None, origin: Origin = Origin.WORLD) -> Value:
    """A tensor that a TensorSpec describes; where it leaves a size out, that of a sample, else a symbol."""
    match spec:
        case Model(kind="tf.TensorSpec"):
            shape, dtype = spec.space[SHAPE], spec.space["dtype"]
            if isinstance(dtype, str):
                dtype = BY_LABEL.get(dtype)
            if shape is None or isinstance(shape, Unknown):
                if isinstance(sample, TensorType):
                    return sample.but(framework="tf", dtype=dtype, contents=None)
                return m.gap("tf.TensorSpec", node, "of unknown rank")
            theirs = sample.shape if isinstance(sample, TensorType) and sample.shape.known and len(sample.shape) == len(shape) else (None,) * len(shape)
            sizes = [(b if b is not None else m.symbol(m.name_here("size", node), 1, None, origin)) if a is None else a for a, b in zip(shape, theirs)]
            return TensorType(Shape(sizes), dtype if isinstance(dtype, DType) else None, framework="tf")
        case tuple() | List():
            parts = list(spec.items if isinstance(spec, List) else spec)
            samples = list(sample) if isinstance(sample, tuple) and len(sample) == len(parts) else [None] * len(parts)
            return tuple(tensor_of_spec(m, s, node, one, origin) for s, one in zip(parts, samples))
        case Dict():
            known = sample.items if isinstance(sample, Dict) else {}
            return Dict(m.heap.entries({k: tensor_of_spec(m, s, node, known.get(k), origin) for k, s in spec.items.items()}))
        case _:
            return m.gap("tf.TensorSpec", node, "a kind of element that is not modelled")
