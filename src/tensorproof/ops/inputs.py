"""What an operator takes: tensors with a layout and element types, and typed attributes with refinements.

Every kind answers two questions: does a Python value fit it (`takes`), and what does it become (`read`). The generator reads the same
records to make values. A kind knows no framework: spellings live in `bindings`.
"""

from __future__ import annotations

from typing import Any

from tensorproof.terms.dtypes import ANY, DType, DTypes
from tensorproof.terms.ints import Dim, Term
from tensorproof.terms.records import dataclass
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

REQUIRED: Any = type("Required", (), {"__repr__": lambda _: "REQUIRED"})()
"""The default of what has no default."""


def is_size(value: object) -> bool:
    """A whole number, known or symbolic; a bool is not one."""
    return type(value) is int or type(value) is Term


def is_number(value: object) -> bool:
    return isinstance(value, (int, float, complex)) or type(value) is Term


def as_size(value: object) -> Any:
    """The whole number in a zero-dimensional integer tensor with known contents; any other value is itself."""
    if isinstance(value, TensorType) and value.contents is not None and len(value.contents) == 1 and value.dtype is not None:
        return value.contents[0] if value.dtype.is_integer and is_size(value.contents[0]) else value
    return value


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor. `layout` names its axes; `scalar` lets a Python number stand in; `optional` lets it be None."""

    name: str
    layout: str = "..."
    dtypes: DTypes = ANY
    optional: bool = False
    scalar: bool = False
    default: Any = REQUIRED
    values: str = ""
    """What it holds: "index:AXIS" (whole numbers from 0 on and below that axis, an attribute, or "numel"), "place:AXIS" (negative ones count from the end),
    "length:AXIS" (up to that axis), "scores" (of which the operator itself makes probabilities), "probability" (0 to 1, or the library refuses).
    What else the generator must put in: "unit" (0 to 1), "positive", "rate" (more than 0, at most 1), "decay" (its negative),
    "ones", "spd" (a symmetric positive definite matrix), "pivots" (1 to n along the last axis),
    "regions:AXIS" (boxes, behind the number of an image below that axis where they have five numbers),
    "layout:sparse_coo" (a tensor kept so), "framework:numpy" (its array)."""
    draw: str = ""
    """The layout that the generator draws, where it must say more than `layout`: sizes may be expressions of named axes (`4*H`)."""
    held: bool = False
    """Whether a Python number in its place becomes an element of the result, whose type must hold it."""

    def takes(self, value: object) -> bool:
        if isinstance(value, TensorType):
            return True
        return (self.optional and value is None) or (self.scalar and is_number(value))

    def read(self, value: object) -> Any:
        return value


@dataclass(frozen=True, slots=True)
class Tensors:
    """A list of tensors, all of one layout."""

    name: str
    layout: str = "..."
    dtypes: DTypes = ANY
    least: int = 1
    optional: bool = False
    default: Any = REQUIRED
    values: str = ""
    draw: str = ""
    """For the generator: one layout for all, or the layouts one by one with commas between ("G*H I, G*H H"); "@equation" takes them
    from that argument, whose letters name the axes ("ij,jk->ik")."""

    def takes(self, value: object) -> bool:
        if self.optional and value is None:
            return True
        return isinstance(value, (tuple, list)) and all(isinstance(v, TensorType) for v in value)

    def read(self, value: Any) -> Any:
        return None if value is None else tuple(value)


@dataclass(frozen=True, slots=True)
class Int:
    """A whole number, within `least` and `most` where given (a violation is refused with the code OP/NAME)."""

    name: str
    default: Any = REQUIRED
    least: int | None = None
    most: int | None = None
    optional: bool = False
    loose: bool = False
    """Whether an integer tensor of unknown contents may stand in (the rule then sees the tensor)."""

    def takes(self, value: object) -> bool:
        if self.loose and isinstance(value, TensorType):
            return True
        return is_size(as_size(value)) or (self.optional and value is None) or isinstance(value, bool)

    def read(self, value: object) -> Any:
        return int(value) if isinstance(value, bool) else as_size(value)


@dataclass(frozen=True, slots=True)
class Float:
    """A real number."""

    name: str
    default: Any = REQUIRED
    least: float | None = None
    most: float | None = None
    optional: bool = False

    def takes(self, value: object) -> bool:
        return isinstance(value, (int, float)) or type(value) is Term or (self.optional and value is None)

    def read(self, value: object) -> Any:
        return value


@dataclass(frozen=True, slots=True)
class Number:
    """Any Python number, complex and bool included. `held`: it becomes an element of the result, whose type must hold it."""

    name: str
    default: Any = REQUIRED
    optional: bool = False
    loose: bool = False
    """Whether a tensor with axes may stand in too."""
    held: bool = False

    def takes(self, value: object) -> bool:
        return is_number(value) or (self.optional and value is None) or (isinstance(value, TensorType) and (self.loose or len(value.shape) == 0))

    def read(self, value: object) -> Any:
        return value


@dataclass(frozen=True, slots=True)
class Bool:
    name: str
    default: Any = REQUIRED
    optional: bool = False

    def takes(self, value: object) -> bool:
        return isinstance(value, (bool, int)) or (self.optional and value is None)

    def read(self, value: object) -> Any:
        return None if value is None else bool(value)


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of the input `of`; negative counts from the end. `extra` = 1 where a new axis is inserted (unsqueeze, stack).

    The rule sees a non-negative axis when the rank is known; out of range is refused with the code OP/axis.
    """

    name: str = "dim"
    default: Any = REQUIRED
    of: str = "x"
    extra: int = 0
    optional: bool = False
    scalar_ok: bool = True
    """torch lets 0 and -1 name the missing axis of a rank-0 tensor."""
    loose: bool = False
    """Whether an integer tensor of unknown contents may stand in (the rule then sees the tensor)."""

    def takes(self, value: object) -> bool:
        if self.loose and isinstance(value, TensorType):
            return True
        return (is_size(as_size(value))) or (self.optional and value is None)

    def read(self, value: object) -> Any:
        return as_size(value)


@dataclass(frozen=True, slots=True)
class Axes:
    """One axis or several of the input `of`; the rule sees a tuple of non-negative axes, or None for "all"."""

    name: str = "dim"
    default: Any = REQUIRED
    of: str = "x"
    optional: bool = True
    empty_is_all: bool = False
    scalar_ok: bool = True
    unique: bool = True
    loose: bool = False
    """Whether an integer tensor of unknown contents may stand in (the rule then sees the tensor)."""
    one: bool = True
    """Whether a single axis stands for a list of one."""

    def takes(self, value: object) -> bool:
        if value is None:
            return self.optional
        if self.loose and isinstance(value, TensorType):
            return True
        return (self.one and is_size(as_size(value))) or (isinstance(value, (tuple, list)) and all(is_size(as_size(v)) for v in value))

    def read(self, value: object) -> Any:
        if value is None:
            return None
        if isinstance(value, TensorType) and self.loose:
            if value.contents is None:
                return value
            value = value.contents
        axes = tuple(as_size(v) for v in value) if isinstance(value, (tuple, list)) else (as_size(value),)
        return None if self.empty_is_all and not axes else axes


@dataclass(frozen=True, slots=True)
class Sizes:
    """`n` whole numbers, or one for all of them (n may name an attribute). The rule sees a tuple of n, or None when optional and not given or empty."""

    name: str
    n: int | str = 2
    default: Any = REQUIRED
    least: int | None = None
    optional: bool = False
    words: tuple[str, ...] = ()
    """Strings that may stand in its place, such as "same"; the rule sees the string."""
    holes: bool = False
    """Whether None may stand for one of several; the rule says what it means."""
    one: bool = True
    """Whether a single whole number represents all of them."""

    def takes(self, value: object) -> bool:
        if isinstance(value, str):
            return value in self.words
        if value is None:
            return self.optional
        if isinstance(value, (tuple, list)):
            return all(is_size(as_size(v)) or (self.holes and v is None) for v in value)
        return self.one and is_size(value)

    def read(self, value: object) -> Any:
        if not isinstance(value, (tuple, list)):
            return value
        return tuple(as_size(v) for v in value) or (None if self.optional else ())


@dataclass(frozen=True, slots=True)
class Ints:
    """A list of whole numbers of any length: a shape, a permutation. An integer vector with known contents may stand in."""

    name: str
    default: Any = REQUIRED
    least: int | None = None
    optional: bool = False
    one: bool = True
    """Whether a single whole number stands for a list of one."""
    shape: bool = False
    """Whether these are sizes (the generator makes sizes, -1 is the binding's to resolve)."""
    loose: bool = False
    """Whether an integer tensor of unknown contents may stand in (the rule then sees the tensor)."""
    per_axis: int = 0
    """For the generator: so many numbers for each axis of x behind the first two."""

    def takes(self, value: object) -> bool:
        if value is None:
            return self.optional
        if isinstance(value, TensorType):
            return self.loose or value.contents is not None or (value.shape.known and len(value.shape) == 1)
        if isinstance(value, (tuple, list)):
            return all(is_size(as_size(v)) for v in value) or (self.loose and isinstance(value, Shape))
        return self.one and is_size(value)

    def read(self, value: object) -> Any:
        if isinstance(value, TensorType):
            return value.contents if value.contents is not None else value
        if isinstance(value, (tuple, list)):
            return tuple(as_size(v) for v in value)
        return None if value is None else (value,)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Rows of two whole numbers, as a rule one for each axis of the input `of`: paddings, crops. A matrix may stand in."""

    name: str
    default: Any = REQUIRED
    of: str = "x"
    least: int = 0
    optional: bool = False

    def takes(self, value: object) -> bool:
        return isinstance(value, (TensorType, tuple, list)) or (self.optional and value is None)

    def read(self, value: object) -> Any:
        return value


@dataclass(frozen=True, slots=True)
class Floats:
    """A number or a list of numbers (scale factors, weights)."""

    name: str
    default: Any = REQUIRED
    optional: bool = True
    loose: bool = False
    """Whether a tensor may stand in (the rule sees its contents, or the tensor where they are not known)."""

    def takes(self, value: object) -> bool:
        if value is None:
            return self.optional
        if self.loose and isinstance(value, TensorType):
            return True
        return is_number(value) or (isinstance(value, (tuple, list)) and all(is_number(v) for v in value))

    def read(self, value: object) -> Any:
        if isinstance(value, TensorType):
            return value if value.contents is None else value.contents
        return tuple(value) if isinstance(value, list) else value


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a closed set of words; another is refused with the code OP/NAME."""

    name: str
    options: tuple[Any, ...]
    default: Any = REQUIRED
    optional: bool = False

    def takes(self, value: object) -> bool:
        return isinstance(value, (str, int, float)) or (value is None and (self.optional or None in self.options))

    def read(self, value: object) -> Any:
        return value


@dataclass(frozen=True, slots=True)
class ElementType:
    """An element type given as an argument."""

    name: str = "dtype"
    default: Any = None
    optional: bool = True
    dtypes: DTypes = ANY

    def takes(self, value: object) -> bool:
        return isinstance(value, DType) or (value is None and self.optional)

    def read(self, value: object) -> Any:
        return value


@dataclass(frozen=True, slots=True)
class Index:
    """What stands between the brackets of `x[...]`."""

    name: str = "index"
    default: Any = REQUIRED
    lists: bool = False
    """For the generator: a list of index tensors and None, one for each axis, as `index_put` has it."""

    def takes(self, value: object) -> bool:
        return True

    def read(self, value: object) -> Any:
        return value if isinstance(value, tuple) else (value,)


@dataclass(frozen=True, slots=True)
class Anything:
    """A value that the rule looks at itself, or that does not matter. `like` tells the generator which kinds of value to try."""

    name: str
    default: Any = None
    like: tuple[Any, ...] = ()
    many: bool = False
    """A list of such values: one that is a list itself is not taken for the whole."""
    of: str = ""
    """For the generator: the value is what a call of this spelling gives, such as a layer or a packed sequence."""

    def takes(self, value: object) -> bool:
        return True

    def read(self, value: object) -> Any:
        return value


Input = Tensor | Tensors
Attribute = Int | Float | Number | Bool | Axis | Axes | Sizes | Ints | Pairs | Floats | Choice | ElementType | Index | Anything
Parameter = Input | Attribute

__all__ = [
    "REQUIRED", "Anything", "Attribute", "Axes", "Axis", "Bool", "Choice", "Dim", "ElementType", "Float", "Floats", "Index", "Input",
    "Int", "Ints", "Number", "Pairs", "Parameter", "Shape", "Sizes", "Tensor", "Tensors", "as_size", "is_number", "is_size",
]  # fmt: skip
