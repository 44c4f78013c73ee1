"""Tensors joined along an axis (`stack`, `cat`, `pad_sequence` …) from lists of which the items are summarised.

The operator is called with the items that are shown, so that what it demands of any two is stated; then the sizes that hang on how many there are
are put right.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.summaries.summarised_lists import parts
from tensorproof.terms.ints import Dim, Origin, Term, ceildiv, lower, maximum, mod, sole_atom
from tensorproof.terms.shapes import Segment, Shape, open_shape
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import List
from tensorproof.values.python_values import Summary, Unknown
from tensorproof.values.summaries import length, shown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

_STACKS = {"stack", "vstack", "row_stack", "hstack", "column_stack", "dstack"}
_JOINS = {"cat", "concat", "concatenate", *_STACKS}
_PADS = {"pad_sequence", "pack_sequence"}
_NAMES = ("tensors", "values", "arrays", "sequences", "seq", "tup", "xs")


def joined(m: Interpreter, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """The call, where its first argument is such a list and its name is one of those; MISSING for any other."""
    word = name.rpartition(".")[2]
    if word not in _JOINS and word not in _PADS:
        return MISSING
    key = next((k for k in _NAMES if k in kwargs), None)
    source = args[0] if args else kwargs.get(key) if key is not None else None
    items = parts(m, source, node) if isinstance(source, (List, tuple)) else None
    if items is None:
        return MISSING
    samples: list[Any] = shown(items)
    if not all(isinstance(v, TensorType) for v in samples):
        return MISSING
    listed = List(m.heap.row(samples))
    made = m.spelling(name, (listed, *args[1:]), kwargs, node) if args else m.spelling(name, (), {**kwargs, str(key): listed}, node)
    total = length(items)
    if isinstance(total, Unknown):
        total = m.symbol(m.name_here("items", node), 0, None, Origin.UNMODELLED)
    if not isinstance(made, TensorType):
        return made
    sizes = list(made.shape)
    if not all(v.shape.known for v in (made, *samples)):
        at = _known_place(word, args, kwargs, sizes)
        if at is None:
            return made.sized(open_shape(m.name_here("joined", node), 1))
        counted = word == "stack" or word in _PADS
        sizes[at] = total if counted else m.symbol(m.name_here("joined", node), 0, None, Origin.UNMODELLED)
        return made.sized(Shape(sizes))
    if word in _PADS:
        first = bool(kwargs.get("batch_first", args[1] if len(args) > 1 else False))
        sizes[0 if first else 1] = total
    else:
        rank = len(tensor_of(samples[0]).shape)
        axis = _axis(word, args, kwargs, rank)
        if word == "stack" or (word in ("vstack", "row_stack", "column_stack") and rank < 2):
            sizes[axis] = total
        else:
            sizes[axis] = _extent(m, items, axis)
    return made.sized(Shape(sizes))


def _known_place(word: str, args: tuple[Value, ...], kwargs: dict[str, Value], sizes: list[Any]) -> int | None:
    """Where the joined axis stands among sizes of which some are not known in number; None where that is not known."""
    if word in _PADS:
        at = 0 if kwargs.get("batch_first", args[1] if len(args) > 1 else False) is True else 1
    elif word == "stack" or (word in _JOINS and word not in _STACKS):
        given = kwargs.get("dim", kwargs.get("axis", args[1] if len(args) > 1 else 0))
        at = given if type(given) is int else len(sizes)
    else:
        return None
    between = sizes[: at + 1] if at >= 0 else sizes[at:]
    return at if -len(sizes) <= at < len(sizes) and Segment not in map(type, between) else None


def _axis(word: str, args: tuple[Value, ...], kwargs: dict[str, Value], rank: int) -> int:
    if word in ("vstack", "row_stack"):
        return 0
    if word in ("hstack", "column_stack"):
        return 0 if word == "hstack" and rank < 2 else 1
    if word == "dstack":
        return 2
    given = kwargs.get("dim", kwargs.get("axis", args[1] if len(args) > 1 else 0))
    axis = given if isinstance(given, int) else 0
    ranks = rank + 1 if word == "stack" else rank
    return axis + ranks if axis < 0 else axis


def _batched(count: Dim, size: Dim, last: Dim) -> Dim | None:
    """How many samples there are in all, where the items are their batches and the last of them."""
    atom = sole_atom(last) if isinstance(last, Term) else None
    if atom is None or atom.kind != "%" or atom.args[1] != size or last != mod(atom.args[0], size):
        return None
    whole: Dim = atom.args[0]
    return whole if count == ceildiv(whole, size) else None


def tensor_of(item: Value) -> TensorType:
    assert isinstance(item, TensorType)
    return item


def _extent(m: Interpreter, items: list[Value], axis: int) -> Dim:
    """How long all of them are, one after the other."""
    total: Dim = 0
    for item in items:
        if type(item) is not Summary:
            total = total + tensor_of(item).shape[axis]
            continue
        assert not isinstance(item.count, Unknown)
        first, second = tensor_of(item.first).shape[axis], tensor_of(item.second).shape[axis]
        whole = _batched(item.count, first, second)
        if whole is not None:
            total = total + whole
        elif first == second and not isinstance(first, Term):
            total = total + item.count * first
        else:
            least = lower(first) if isinstance(first, Term) else first
            name = f"the sum of {item.count!r} sizes like {first!r} and {second!r}"
            total = total + maximum(m.symbol(name, max(0, int(least)), None, Origin.UNMODELLED), 0)
    return total
