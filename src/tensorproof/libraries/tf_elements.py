"""The elements of a tf.data.Dataset: structures of tensors (tuples, dicts), how they are made, stacked, opened for tracing and told as specs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorproof.libraries.label_ranges import keep
from tensorproof.libraries.tape import OPEN
from tensorproof.libraries.tf_shapes import GRAPH, static_size
from tensorproof.libraries.tf_tensors import converted
from tensorproof.terms.dtypes import BY_LABEL, DType
from tensorproof.terms.ints import Origin, Term
from tensorproof.terms.shapes import Shape
from tensorproof.terms.substitution import substitute, symbols
from tensorproof.terms.tensor import TensorType
from tensorproof.values.objects import Choice, Dict, Instance, List, Model
from tensorproof.values.python_values import Unknown
from tensorproof.values.tensor_shape import TensorShape

SPEC = "tf.TensorSpec"


def scalar(label: str, contents: tuple[Any, ...] | None = None) -> TensorType:
    return TensorType(Shape(), BY_LABEL[label], framework="tf", contents=contents)


def mapped(m: Any, act: Callable[[TensorType], Any], value: Any) -> Any:
    """A structure with something done to each of its tensors."""
    match value:
        case TensorType():
            return act(value)
        case tuple():
            return tuple(mapped(m, act, v) for v in value)
        case Dict():
            return Dict(m.heap.entries({k: mapped(m, act, v) for k, v in value.items.items()}))
        case List():
            return List(m.heap.row(mapped(m, act, v) for v in value.items))
        case Choice():
            return m.branching.choose(value.condition, lambda: mapped(m, act, value.then), lambda: mapped(m, act, value.other))
        case _:
            return value


def tensors_in(value: Any) -> list[TensorType]:
    """All tensors of a structure, from left to right."""
    match value:
        case TensorType():
            return [value]
        case tuple():
            return [t for v in value for t in tensors_in(v)]
        case Dict():
            return [t for v in value.items.values() for t in tensors_in(v)]
        case List():
            return [t for v in value.items for t in tensors_in(v)]
        case _:
            return []


def element_of(m: Any, value: Any, node: Any) -> Any:
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


def stacked(m: Any, element: Any, count: Any, node: Any) -> Any:
    """`count` elements on top of each other."""
    if isinstance(element, Unknown):
        return element

    def stack(t: TensorType) -> Any:
        if not t.shape.known:
            return m.gap("Dataset.batch", node, "the rank of an element is not known")
        made = keep(m, t, t.but(shape=Shape((count, *t.shape)), contents=None))
        if m.path.program is not None:
            m.path.program.stack([t], [made])
        return made

    return mapped(m, stack, element)


VARYING = "tf.varying numbers"
"""Where the machine keeps the symbols that stand for a number which differs from element to element."""


def varying(m: Any, least: Any, most: Any, node: Any) -> Any:
    """A number of which every element of a dataset has its own."""
    made = m.symbol(m.name_here("element", node), least, most, Origin.WORLD)
    m.model_state.setdefault(VARYING, set()).update(symbols(made))
    return made


def varies(m: Any, element: Any) -> bool:
    """Whether the shapes of a structure differ from element to element."""
    known = m.model_state.get(VARYING)
    return bool(known) and any(symbols(d) & known for t in tensors_in(element) if t.shape.known for d in t.shape if isinstance(d, Term))


def rows(m: Any, element: Any, node: Any = None) -> Any:
    """One of the rows of every tensor in a structure."""

    def act(t: TensorType) -> TensorType:
        if not t.shape.known or not len(t.shape):
            return t
        numbers = t.contents if node is not None and len(t.shape) == 1 and t.contents and all(type(v) is int for v in t.contents) else None
        one = None if numbers is None else (numbers[0] if len(set(numbers)) == 1 else varying(m, min(numbers), max(numbers), node),)
        made: TensorType = keep(m, t, t.but(shape=Shape(t.shape[1:]), contents=one))
        if m.path.program is not None:
            m.path.program.slices([t], [made])
        return made

    return mapped(m, act, element)


def returned(m: Any, value: Any, node: Any) -> Any:
    """What a mapped function gives as an element: a list at the top is a tuple."""
    return element_of(m, tuple(value.items) if isinstance(value, List) else value, node)


def as_arguments(element: Any) -> tuple[Any, ...]:
    """An element as the arguments of a function that gets it: a tuple is spread."""
    return element if type(element) is tuple else (element,)


class Opened:
    """While TensorFlow traces a function, the sizes that it does not know are None to the program: they become symbols of just that value."""

    def __init__(self, m: Any, node: Any) -> None:
        self.m, self.node = m, node
        self.values: dict[Any, Any] = {}
        self.added: set[Any] = set()

    def size(self, size: Any) -> Any:
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

    def leading(self, element: Any) -> Any:
        """An element whose first axis, the batch, is open."""
        kept: dict[Any, Any] = {}

        def act(t: TensorType) -> TensorType:
            if not t.shape.known or not len(t.shape):
                return t
            size = t.shape[0]
            if size not in kept:
                kept[size] = self.size(size)
            return t.but(shape=Shape((kept[size], *t.shape[1:])))

        return mapped(self.m, act, element)

    def closed(self, value: Any) -> Any:
        """What came out, with the values put back."""
        known = self.m.model_state.get(OPEN, set())
        known -= self.added
        if not self.values:
            return value

        def act(t: TensorType) -> TensorType:
            contents = None if t.contents is None else tuple(substitute(c, self.values) if isinstance(c, Term) else c for c in t.contents)
            return t.but(shape=Shape(substitute(d, self.values) for d in t.shape) if t.shape.known else t.shape, contents=contents)

        return mapped(self.m, act, value)


def traced(m: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    """Call a function as TensorFlow traces it."""
    m.model_state[GRAPH] = m.model_state.get(GRAPH, 0) + 1
    try:
        return m.call(function, args, kwargs, node)
    finally:
        m.model_state[GRAPH] -= 1


# --- specs ---


def spec_of(m: Any, element: Any, opened: bool = False) -> Any:
    """`element_spec`: the structure with a TensorSpec for each tensor."""

    def act(t: TensorType) -> Any:
        shape: Any = None
        if t.shape.known:
            shape = TensorShape(None if opened and i == 0 else static_size(m, d) for i, d in enumerate(t.shape))
        return Model(SPEC, m.heap.space({"shape": shape, "dtype": t.dtype, "name": None}))

    return mapped(m, act, element)


def tensor_of_spec(m: Any, spec: Any, node: Any, sample: Any = None, origin: Origin = Origin.WORLD) -> Any:
    """A tensor that a TensorSpec describes; where it leaves a size out, that of a sample, else a symbol."""
    match spec:
        case Model(kind="tf.TensorSpec"):
            shape, dtype = spec.space["shape"], spec.space["dtype"]
            if isinstance(dtype, str):
                dtype = BY_LABEL.get(dtype)
            if shape is None or isinstance(shape, Unknown):
                if isinstance(sample, TensorType):
                    return sample.but(framework="tf", dtype=dtype, contents=None)
                return m.gap("tf.TensorSpec", node, "of unknown rank")
            theirs = sample.shape if isinstance(sample, TensorType) and sample.shape.known and len(sample.shape) == len(shape) else (None,) * len(shape)
            sizes = [
                (b if b is not None else m.symbol(m.name_here("size", node), 1, None, origin)) if a is None else a for a, b in zip(shape, theirs)
            ]
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
