"""What not knowing an argument costs, by its kind: the values that are tried in its place.

A device or a name costs nothing; a rate, a flag or a word has a few values to try; a size is a symbol; a tensor is one of unknown rank.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations
from typing import Any

from tensorproof.bindings.rows import Argument, Row
from tensorproof.ops.inputs import (
    REQUIRED,
    Anything,
    Axes,
    Axis,
    Bool,
    Choice,
    ElementType,
    Float,
    Floats,
    Int,
    Ints,
    Number,
    Pairs,
    Parameter,
    Sizes,
    Tensor,
    Tensors,
)  # fmt: skip
from tensorproof.ops.session import Session
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.dtypes import BOOL, FLOAT16, FLOAT32, FLOAT64, INT64
from tensorproof.terms.ints import Origin, Term, symbol
from tensorproof.terms.records import dataclass
from tensorproof.terms.shapes import Shape, open_shape
from tensorproof.terms.tensor import TensorType
from tensorproof.values.python_values import Summary, Unknown, whole_of

_TYPES = {"float": FLOAT32, "bool": BOOL, "int": INT64, "real": FLOAT32}
_PLAIN = {"float": 0.5, "bool": True, "int": 1, "real": 0.5}
_RATES = (0.5, 3.0)
_MOST_AXES = BUDGETS.deciding.sets_of_axes
_CONVERTED = ("data", "obj", "object")
"""What becomes a tensor: of an unknown value any, whose rank may be 0 as well."""
_OF_VALUES = ("out", "size", "shape", "sizes", "split_size_or_sections", "indices_or_sections", "target", "equation")
"""Arguments that a rule looks at itself, and that decide the shape of the result."""


@dataclass(frozen=True, slots=True)
class Place:
    """An argument of a call, and what is not known of it."""

    argument: Argument
    kind: Parameter
    value: Any


def open_tensor(value: Unknown, framework: str, session: Session) -> TensorType:
    """An unknown value that is used as a tensor: neither its rank nor its element type is known. One that a name holds has one shape."""
    if value.number:
        return TensorType(Shape(), _TYPES[value.number], weak=True, framework=framework)
    name = value.key
    if not name:
        session.made += 1
        name = f"{value.reason}{session.site}#{session.made}"
        session.names.add(name)
    shape = open_shape(name) if value.cut is None else _cut(name, *value.cut)
    return TensorType(shape, None, framework="tf" if framework == "keras" else framework)


def _cut(name: str, of: str, index: tuple[str, ...]) -> Shape:
    """The shape of what an index cuts from an array of unknown rank: the axes that it names, then those that are left."""
    before = index[: index.index("skip")] if "skip" in index else index
    behind = index[len(before) + 1 :]
    if any(part != "new" for part in behind):
        return open_shape(name)
    sizes: list[Any] = []
    at = 0
    for part in before:
        if part != "one":
            all_of_it = symbol(f"{of}.{at}", 1, None, Origin.UNMODELLED)
            sizes.append(1 if part == "new" else all_of_it if part == "all" else symbol(f"{name}.{len(sizes)}", 0, None, Origin.UNMODELLED))
        at += part != "new"
    return Shape((*sizes, *open_shape(f"{of}[{at}:]" if at else of), *(1 for _ in behind)))


def stand_ins(row: Row, place: Place, owner: Any, session: Session) -> list[Any] | None:
    """The values to try for an argument that is not known; None where there are too many. `owner` is the tensor whose axes it may count."""
    kind, value = place.kind, place.value
    if isinstance(value, (tuple, list)):
        return _items(row, place, session)
    if place.argument.ours in _CONVERTED:
        shape = _shape_of(value, session)
        return None if shape is None else [_array(shape)]
    none = [None] if getattr(kind, "optional", False) and not value.number and not value.text else []
    match kind:
        case Tensor() if _refuses_numbers(row, kind, value):
            return [_PLAIN[value.number]]
        case Tensor():
            return [open_tensor(value, row.framework, session), *none]
        case Tensors():
            one = open_tensor(value, row.framework, session)
            return [(one,), (one, one), (one, one, one)]
        case Float() | Number() | Floats():
            return [*_RATES, 1, *none]
        case Bool():
            return [True, False, *none]
        case Int():
            return [_whole(value, kind.name, kind.least or 0, session), *none]
        case Sizes():
            return [*_sizes(kind, value, session), *kind.words, *none]
        case Ints() if kind.one and (is_whole(value, session) or row.call_arguments is not None):
            several = () if is_whole(value, session) else (2, 3)
            return [_whole(value, kind.name, 0, session), *(tuple(session.fresh(kind.name) for _ in range(n)) for n in several), *none]
        case Axis():
            return [*_axes(owner, kind.extra), *none]
        case Axes():
            return [*_sets_of_axes(owner), *none] if _sets_of_axes(owner) else None
        case Choice():
            return [option for option in kind.options if not value.text or isinstance(option, str)]
        case ElementType():
            return [FLOAT32, FLOAT64, FLOAT16, INT64, BOOL] if row.framework == "torch" else ["float32", "float64", "float16", "int64", "bool"]
        case Anything() if place.argument.default is not REQUIRED and place.argument.ours not in _OF_VALUES and not kind.many:
            return [place.argument.default]
        case _:
            return None


def _items(row: Row, place: Place, session: Session) -> list[Any] | None:
    """A tuple or list in which something is not known: a shape with unknown sizes, a list of tensors, a pair of rates."""
    made: list[Any] = []
    rates = isinstance(place.kind, Floats) and any(isinstance(one, Unknown) for one in place.value)
    if place.argument.ours in _CONVERTED:
        shape = _shape_of(place.value, session)
        return None if shape is None else [_array(shape)]
    if any(unknown_parts(one) for one in place.value if isinstance(one, (tuple, list))):
        return None
    for one in place.value:
        if not isinstance(one, Unknown):
            made.append(one)
        elif isinstance(place.kind, (Ints, Sizes, Axes)):
            if isinstance(place.kind, Axes):
                return None
            made.append(_whole(one, "size", 0, session))
        elif isinstance(place.kind, Floats):
            made.append(_RATES[0])
        elif isinstance(place.kind, (Pairs, Anything)) or one.text:
            return None
        else:
            made.append(_PLAIN[one.number] if _refuses_numbers(row, place.kind, one) else open_tensor(one, row.framework, session))
    others = [_RATES[1] if isinstance(one, Unknown) else one for one in place.value]
    return [type(place.value)(made), type(place.value)(others)] if rates else [type(place.value)(made)]


def _refuses_numbers(row: Row, kind: Parameter, value: Unknown) -> bool:
    """Whether a number is no tensor here, as torch has it."""
    return value.number != "" and row.framework == "torch" and (isinstance(kind, Tensors) or (isinstance(kind, Tensor) and not kind.scalar))


def _array(shape: Shape) -> TensorType:
    """What becomes a tensor: its elements and their type are not known."""
    return TensorType(shape, None, framework="numpy")


def _shape_of(data: Any, session: Session) -> Shape | None:
    """The shape of what numbers, lists of them and unknown values become together, each of which may be a list itself; None where there is no telling."""
    if type(data) is Summary:
        count = data.count if isinstance(data.count, (int, Term)) else session.fresh("items")
        return Shape((count, *open_tensor(data, "numpy", session).shape))
    if isinstance(data, Unknown):
        return None if data.text else open_tensor(data, "numpy", session).shape
    if not isinstance(data, (list, tuple)):
        return Shape() if isinstance(data, (bool, int, float, Term)) else None
    inner = [_shape_of(one, session) for one in data]
    shapes = [one for one in inner if one is not None]
    if len(shapes) < len(inner) or not inner:
        return None
    return Shape((len(inner), *next((one for one in shapes if one.known), shapes[0])))


def is_number(value: Any) -> bool:
    """Whether a value, or each item of a list, is a number of Python, of which some are not known."""
    if isinstance(value, (list, tuple)):
        return all(map(is_number, value))
    return isinstance(value, (int, float)) or (isinstance(value, Unknown) and value.number != "")


def is_whole(value: Unknown, session: Session) -> bool:
    """Whether an unknown value is a whole number: by its type, or since a layer was made with it."""
    return value.number == "int" or value.key in session.wholes


def _whole(value: Unknown, name: str, least: int, session: Session) -> Any:
    """The symbol of a whole number, the same wherever the value is used."""
    known = whole_of(value)
    return session.fresh(name, least) if known is None else known


def _sizes(kind: Sizes, value: Unknown, session: Session) -> list[Any]:
    """One size for all, and sizes one by one where they are so many."""
    least = kind.least or 0
    one = [_whole(value, kind.name, least, session)] if kind.one else []
    return [*one, tuple(session.fresh(kind.name, least) for _ in range(kind.n))] if isinstance(kind.n, int) else one


def _axes(owner: Any, extra: int) -> list[int]:
    if isinstance(owner, (tuple, list)) and owner:
        owner = owner[0]
    known = isinstance(owner, TensorType) and owner.shape.known
    return list(range(len(owner.shape) + extra)) if known else [0, 1, -1]


def _sets_of_axes(owner: Any) -> list[tuple[int, ...]]:
    if not isinstance(owner, TensorType) or not owner.shape.known or len(owner.shape) > _MOST_AXES:
        return []
    axes = range(len(owner.shape))
    return list(chain.from_iterable(combinations(axes, n) for n in range(1, len(axes) + 1)))


def unknown_parts(value: Any) -> bool:
    """Whether an argument, or something in it, is not known."""
    return isinstance(value, Unknown) or (isinstance(value, (tuple, list)) and any(map(unknown_parts, value)))


def places(row: Row, arguments: tuple[Argument, ...], kinds: dict[str, Parameter], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[int | str, Place]:
    """The arguments of a call that are not known, by their position or keyword."""
    return {at: Place(argument, kinds[argument.ours], value) for at, argument, value in _given(arguments, args, kwargs) if unknown_parts(value)}


def _given(arguments: tuple[Argument, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[tuple[int | str, Argument, Any]]:
    free = [a for a in arguments if not a.keyword_only or a.gathers]
    for at, value in enumerate(args):
        argument = next((a for a in free[: at + 1] if a.gathers), None) or (free[at] if at < len(free) else None)
        if argument is not None:
            yield at, argument, value
    named = {a.theirs: a for a in arguments}
    for word, value in kwargs.items():
        if word in named:
            yield word, named[word], value
